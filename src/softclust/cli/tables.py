"""Write tables as CSV, Excel, Parquet and Arrow: whole or not at all, and without formulas."""

from __future__ import annotations

import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from softclust.files import kind_of
from softclust.storage.replacement import replacement

_EXCEL_ROWS = 2**20  # of a sheet, with the header
_WRITTEN = (".csv", ".tsv", ".txt", ".xlsx", ".parquet", ".pq", ".arrow", ".feather", ".ipc")
_OTHER_MODELS = (".pkl", ".pickle", ".joblib", ".json", ".onnx", *_WRITTEN)  # what a model is not
_IN_EXCEL = (bool, int, float, str)  # other cells are written as text


def _array(values):
    return values if isinstance(values, pa.Array | pa.ChunkedArray) else pa.array(values)


def image_kind(path):
    """Return the format of a picture, from its ending."""
    kind = Path(path).suffix.lower().removeprefix(".")
    if kind not in ("png", "svg", "pdf"):
        raise ValueError(f"{path} ends in {Path(path).suffix or 'nothing'}; .png, .svg and .pdf are drawn.")
    return kind


def first_double(names):
    """Return the first name that occurs a second time, or None."""
    seen = set()
    for name in names:
        if name in seen:
            return name
        seen.add(name)
    return None


def check_apart(*outputs, inputs=()):
    """Raise an error if two outputs are one file, or if an output would replace a file of rows."""
    paths = [output.path.resolve() for output in outputs if output is not None and output.path is not None]
    same = first_double(paths)
    if same is not None:
        raise ValueError(
            f"{same} is to hold two results; nothing was written. Give each a file of its own."
        )
    for path in inputs:
        if path.resolve() in paths:
            raise ValueError(f"{path} holds the rows; nothing was written. Give the result another file.")


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
        try:
            with tempfile.TemporaryFile(dir=self.path.resolve().parent):
                pass
        except OSError:
            raise ValueError(
                f"the directory of {self.path} takes no files; nothing was written. Give another directory."
            ) from None

    @classmethod
    def of_table(cls, path, force=False):
        """Return an output for a table; a file of a kind that is not written is refused at once."""
        output = cls(path, force)
        if path is not None and path.suffix.lower() not in _WRITTEN:
            raise ValueError(
                f"{path} ends in {path.suffix or 'nothing'}; tables are written as {', '.join(_WRITTEN)}."
            )
        if path is not None and kind_of(path) == "excel":
            _openpyxl(path)
        return output

    @classmethod
    def of_model(cls, path, force=False):
        """Return an output for a model; an ending that promises another kind of file is refused."""
        if path.suffix.lower() in _OTHER_MODELS:
            fitting = path.with_suffix(".zip")
            raise ValueError(f"{path} ends in {path.suffix}, but a model is a zip archive; {fitting} fits.")
        return cls(path, force)

    def write_table(self, columns):
        """Write a dict of columns in the format of the path's ending; standard output gets CSV."""
        table = pa.table({name: _array(values) for name, values in columns.items()})
        if self.path is None:
            _write_lines(table, sys.stdout)
            sys.stdout.flush()
            return
        kind = "tsv" if self.path.suffix.lower() == ".tsv" else kind_of(self.path)
        self.write(lambda path: _WRITERS[kind](table, path))

    def write_text(self, text):
        """Write a text file in UTF-8."""
        self.write(lambda path: path.write_text(text, encoding="utf-8"))

    def write(self, how):
        """Write the file whole or not at all: `how(path)` writes a new file, which replaces the old one."""
        assert self.path is not None  # the standard output is no file
        with replacement(self.path) as new:
            how(new)


def _write_csv(table, path, delimiter=","):
    with open(path, "w", newline="", encoding="utf-8") as file:
        _write_lines(table, file, delimiter)


def _write_tsv(table, path):
    _write_csv(table, path, "\t")


def _write_lines(table, file, delimiter=","):
    """Write CSV with quotes only where they are needed; pyarrow's own writer adds more quotes."""
    import csv

    writer = csv.writer(file, delimiter=delimiter, lineterminator="\n")
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


def _openpyxl(path):
    try:
        import openpyxl
    except ImportError:
        raise ValueError(f"{path}: Excel files need openpyxl: pip install 'softclust[excel]'.") from None
    return openpyxl


def _write_excel(table, where):
    if table.num_rows >= _EXCEL_ROWS:
        raise ValueError(f"{table.num_rows:,} rows do not fit a sheet of Excel; write .csv or .parquet.")
    book = _openpyxl(where).Workbook(write_only=True)
    sheet = book.create_sheet("softclust")
    sheet.append([harmless(name) for name in table.column_names])
    for row in zip(*map(_cells, table.columns), strict=True):
        sheet.append([cell if isinstance(cell, _IN_EXCEL) or cell is None else str(cell) for cell in row])
    book.save(where)


_WRITERS = {
    "csv": _write_csv,
    "tsv": _write_tsv,
    "excel": _write_excel,
    "parquet": _write_parquet,
    "arrow": _write_arrow,
}
