"""Read and write rows as CSV, Parquet and Arrow, with errors that name the row and the column."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa

from softclust.storage.replacement import replacement

_BLOCK = 2**20  # bytes of a text file that are looked at together
_KINDS = {
    ".csv": "csv", ".tsv": "csv", ".txt": "csv", ".parquet": "parquet", ".pq": "parquet", ".arrow": "arrow",
    ".feather": "arrow", ".ipc": "arrow",
}  # fmt: skip


def kind_of(path):
    """Return the format of a file, from its ending."""
    kind = _KINDS.get(Path(path).suffix.lower())
    if kind is None:
        raise ValueError(
            f"{path} ends in {Path(path).suffix or 'nothing'}; .csv, .tsv, .parquet, .arrow and .feather "
            "are read and written."
        )
    return kind


def image_kind(path):
    """Return the format of a picture, from its ending."""
    kind = Path(path).suffix.lower().removeprefix(".")
    if kind not in ("png", "svg", "pdf"):
        raise ValueError(f"{path} ends in {Path(path).suffix or 'nothing'}; .png, .svg and .pdf are drawn.")
    return kind


def read_table(path):
    """Read a file as a pyarrow Table; raise a ValueError that says what is wrong with the file."""
    path = Path(path)
    if not path.exists():
        raise ValueError(f"{path} does not exist.")
    if path.is_dir():
        raise ValueError(f"{path} is a directory; give a file.")
    if path.stat().st_size == 0:
        raise ValueError(f"{path} is empty.")
    try:
        table = _READERS[kind_of(path)](path)
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowException) as error:
        said = str(error).split("\n")[0].removesuffix(".")
        raise ValueError(f"{path} cannot be read as {kind_of(path)}: {said}.") from None
    if table.num_rows == 0:
        raise ValueError(f"{path} has a header but no rows.")
    doubled = first_double(table.column_names)
    if doubled is not None:
        raise ValueError(f"{path} has two columns called {doubled!r}.")
    return table


def first_double(names):
    """Return the first name that occurs a second time, or None."""
    seen = set()
    for name in names:
        if name in seen:
            return name
        seen.add(name)
    return None


def read_tables(paths):
    """Read the rows of several files into one table; the files must have the same columns."""
    first, *others = (read_table(path) for path in paths)
    for path, table in zip(paths[1:], others, strict=True):
        if table.column_names != first.column_names:
            raise ValueError(
                f"The columns of {path} are {', '.join(table.column_names[:12])}; those of {paths[0]} are "
                f"{', '.join(first.column_names[:12])}."
            )
    return pa.concat_tables([first, *others], promote_options="permissive") if others else first


def _read_csv(path):
    from pyarrow import csv

    head = _head_of_text(path)
    parse = csv.ParseOptions(delimiter="\t" if path.suffix.lower() == ".tsv" else _delimiter(head))
    convert = csv.ConvertOptions(
        strings_can_be_null=True, null_values=["", "NA", "NaN", "nan", "null", "None"]
    )
    return csv.read_csv(path, parse_options=parse, convert_options=convert)


def _head_of_text(path):
    """Return the first bytes of a text file; raise an error if any line is not UTF-8."""
    import codecs

    decoder, line, head = codecs.getincrementaldecoder("utf-8")(), 1, b""
    with open(path, "rb") as file:
        while block := file.read(_BLOCK):
            head = head or block[:4096]
            if b"\0" in block:
                line += block[: block.index(b"\0")].count(b"\n")
                raise pa.ArrowInvalid(f"line {line} holds binary data, a byte 0; a text file would fit")
            try:
                decoder.decode(block)
            except UnicodeDecodeError as error:
                line += block[: error.start].count(b"\n")
                raise pa.ArrowInvalid(f"line {line} is not UTF-8; a text file in UTF-8 would fit") from None
            line += block.count(b"\n")
    return head


def _delimiter(head):
    """Return the delimiter: the most frequent of , ; and tab in the first line."""
    line = head.splitlines()[0] if head.splitlines() else b""
    return max(",;\t", key=lambda mark: line.count(mark.encode()))


def _read_parquet(path):
    from pyarrow import parquet

    return parquet.read_table(path)


def _read_arrow(path):
    from pyarrow import feather

    return feather.read_table(path)


_READERS = {"csv": _read_csv, "parquet": _read_parquet, "arrow": _read_arrow}


def column(table, name, path):
    """Return a column by its name."""
    if table.schema.get_field_index(name) < 0:
        from difflib import get_close_matches

        near = get_close_matches(name, table.column_names, 1)
        hint = f"did you mean {near[0]!r}?" if near else f"it has {', '.join(table.column_names[:12])}."
        raise ValueError(f"{path} has no column {name!r}; {hint}")
    return table.column(name)


def _is_number(kind):
    return pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_boolean(kind)


def features(table, path, columns=None, left_out=()):
    """Return the numbers of the columns, (n, p), and their names; by default all columns not left out."""
    apart = set(left_out)
    names = list(columns) if columns else [name for name in table.column_names if name not in apart]
    if not names:
        raise ValueError(f"{path} has no column left to cluster.")
    X = np.empty((table.num_rows, len(names)))
    for j, name in enumerate(names):
        values = column(table, name, path)
        if not _is_number(values.type):
            row = next((i for i, v in enumerate(values.to_pylist()) if v is not None), 0)
            raise ValueError(
                f"column {name!r} of {path} is not numeric: {_row(row, path)} is {values[row].as_py()!r}. "
                f"Leave it out with --drop {name}, or use it as --labels {name}."
            )
        X[:, j] = values.cast(pa.float64()).to_numpy(zero_copy_only=False)
        wrong = np.flatnonzero(~np.isfinite(X[:, j]))
        if len(wrong):
            what = "is missing" if np.isnan(X[wrong[0], j]) else f"is {X[wrong[0], j]}"
            raise ValueError(
                f"{_row(wrong[0], path)} of {path}: the value of {name!r} {what}. "
                f"Fill it in, leave the row out, or drop the column with --drop {name}."
            )
    return X, names


def _row(row, path):
    """Name a row as people find it: by its line in a text file, where the header is line 1."""
    return f"line {row + 2}" if kind_of(path) == "csv" else f"row {row}"


def labels(table, name, path):
    """Return the classes in a column; None for an empty cell."""
    values = column(table, name, path).to_pylist()
    known = np.array([None if v is None or v != v else v for v in values], dtype=object)
    if all(value is None for value in known):
        raise ValueError(f"column {name!r} of {path} has no label at all.")
    return known


def pairs(path, n):
    """Read pairs, (q, 2) or (q, 3): row, row and perhaps a strength; rows count from 0."""
    table = read_table(path)
    if table.num_columns not in (2, 3):
        raise ValueError(
            f"{path} has {table.num_columns} columns; a pair is two rows, and perhaps a strength."
        )
    X, _ = features(table, path)
    outside = np.argwhere((X[:, :2] < 0) | (X[:, :2] >= n) | (X[:, :2] % 1 != 0))
    if len(outside):
        i, side = outside[0]
        raise ValueError(f"{_row(i, path)} of {path} names row {X[i, side]:g}; rows go from 0 to {n - 1}.")
    return X


def check_apart(*outputs):
    """Raise an error if two outputs are one file: the later one would replace the earlier one."""
    paths = [output.path.resolve() for output in outputs if output is not None and output.path is not None]
    same = first_double(paths)
    if same is not None:
        raise ValueError(
            f"{same} is to hold two results; nothing was written. Give each a file of its own."
        )


@dataclass(frozen=True)
class Output:
    """A file to write, checked before any work; the path None means standard output."""

    path: Path | None
    force: bool = False

    def __post_init__(self):
        if self.path is None:
            return
        if self.path.is_dir():
            raise ValueError(f"{self.path} is a directory; give a file.")
        if self.path.exists() and not self.force:
            raise ValueError(f"{self.path} exists; nothing was written. Use --force to replace it.")
        if not self.path.resolve().parent.is_dir():
            raise ValueError(f"the directory of {self.path} does not exist; nothing was written.")

    def write_table(self, columns):
        """Write a dict of columns in the format of the path's ending; standard output gets CSV."""
        table = pa.table({name: pa.array(values) for name, values in columns.items()})
        if self.path is None:
            _write_lines(table, sys.stdout)
            return
        kind = kind_of(self.path)
        self.write(lambda path: _WRITERS[kind](table, path))

    def write_text(self, text):
        """Write a text file in UTF-8."""
        self.write(lambda path: path.write_text(text, encoding="utf-8"))

    def write(self, how):
        """Write the file whole or not at all: `how(path)` writes a new file, which replaces the old one."""
        assert self.path is not None  # the standard output is no file
        with replacement(self.path) as new:
            how(new)


def _write_csv(table, path):
    with open(path, "w", newline="", encoding="utf-8") as file:
        _write_lines(table, file)


def _write_lines(table, file):
    """Write CSV with quotes only where they are needed; pyarrow's own writer adds more quotes."""
    import csv

    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(map(harmless, table.column_names))
    for batch in table.to_batches(max_chunksize=10_000):
        writer.writerows(zip(*map(_cells, batch.columns), strict=True))


def harmless(text):
    """Return a cell that no spreadsheet takes for a formula: an apostrophe is put before = + - @ tab CR."""
    return f"'{text}" if text.startswith(("=", "+", "-", "@", "\t", "\r")) else text


def _cells(column):
    """Return the values of a column; numbers are written as they are."""
    values = column.to_pylist()
    return [harmless(v) if isinstance(v, str) else v for v in values] if _is_text(column.type) else values


def _is_text(kind):
    return pa.types.is_string(kind) or pa.types.is_large_string(kind)


def harmless_table(table):
    """Return the table with harmless names and text cells, for a writer of CSV that is not ours."""
    arrays = [
        pa.array(_cells(column), column.type) if _is_text(column.type) else column
        for column in table.columns
    ]
    return pa.table(arrays, names=[harmless(name) for name in table.column_names])


def _write_parquet(table, where):
    from pyarrow import parquet

    parquet.write_table(table, where)


def _write_arrow(table, where):
    from pyarrow import feather

    feather.write_feather(table, str(where))


_WRITERS = {"csv": _write_csv, "parquet": _write_parquet, "arrow": _write_arrow}
