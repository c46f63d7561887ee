"""Read a file of any supported kind into a `Table`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from softclust.files.bounds import unpacked
from softclust.files.table import Column, Table, joined, text_columns, typed_column
from softclust.files.text import read_text

_KINDS = {
    ".csv": "csv", ".tsv": "csv", ".txt": "csv", ".parquet": "parquet", ".pq": "parquet", ".arrow": "arrow",
    ".feather": "arrow", ".ipc": "arrow", ".xlsx": "excel", ".xlsm": "excel",
}  # fmt: skip
_PANDAS_INDEX = re.compile(
    r"Unnamed: \d+|__index_level_\d+__"
)  # names that pandas gives to nameless columns


def kind_of(path: str | Path) -> str:
    """Return the format of a file from its ending: "csv", "excel", "parquet" or "arrow"."""
    path = Path(path)
    ending = path.suffix.lower()
    if ending == ".gz" and _KINDS.get(Path(path.stem).suffix.lower()) == "csv":
        return "csv"
    kind = _KINDS.get(ending)
    if kind is None:
        old = " Save it from Excel as .xlsx or .csv." if ending in (".xls", ".xlsb", ".ods") else ""
        raise ValueError(
            f"{path} ends in {path.suffix or 'nothing'}; .csv, .tsv, .csv.gz, .xlsx, .parquet, .arrow "
            f"and .feather are read.{old}"
        )
    return kind


def read_table(path: str | Path, sheet: str | None = None, missing: Iterable[str] = ()) -> Table:
    """Read a file; a ValueError says in one sentence what is wrong with it.

    Parameters
    ----------
    path : path-like
        A file that ends in .csv, .tsv, .txt (also with .gz), .xlsx, .parquet, .arrow or .feather.
    sheet : str, default=None
        The sheet of an Excel file; None takes the first.
    missing : iterable of str, default=()
        Words that mean "no value", beside `numbers.MISSING_WORDS`.

    Returns
    -------
    Table
        The columns of the file, and where each row stands in it.
    """
    path = Path(path)
    if not path.exists():
        raise ValueError(f"{path} does not exist.")
    if path.is_dir():
        raise ValueError(f"{path} is a directory; give a file.")
    kind = kind_of(path)
    if path.stat().st_size == 0:
        raise ValueError(f"{path} is empty.")
    if sheet is not None and kind != "excel":
        raise ValueError(f"{path} has no sheets: leave --sheet out.")
    words = tuple(missing)
    table = _read_excel(path, sheet, words) if kind == "excel" else _READERS[kind](path, words)
    if len(table) == 0:
        raise ValueError(f"{path} has a header but no rows.")
    return table


def read_tables(paths: Sequence[Path], sheet: str | None = None, missing: Iterable[str] = ()) -> Table:
    """Read several files with the same columns as one table; `read_table` has the parameters."""
    words = tuple(missing)
    return joined([read_table(path, sheet, words) for path in paths])


def _read_csv(path: Path, missing: tuple[str, ...]) -> Table:
    raw = unpacked(path) if path.suffix.lower() == ".gz" else path.read_bytes()
    tabs = ".tsv" in [ending.lower() for ending in path.suffixes[-2:]]
    try:
        text = read_text(raw, "\t" if tabs else None)
    except ValueError as error:
        said = str(error)
        whole = said.startswith(("is empty", "has a header"))
        raise ValueError(f"{path} {said}." if whole else f"{path} cannot be read as csv: {said}.") from None
    named = _named(path, text.names, text.columns)
    commas = text.delimiter != "," or b'"' in raw  # cells between commas have none without quotes
    columns = text_columns(named.names, named.columns, text.delimiter, missing, commas)
    notes = (*text.notes, *named.notes)
    return Table(path, columns, text.lines, "line", notes, nameless=named.nameless).without_blank_end()


def _read_excel(path: Path, sheet: str | None, missing: tuple[str, ...]) -> Table:
    from softclust.files.excel import read_sheet

    header, cells, lines, notes = read_sheet(path, sheet)
    named = _named(path, header, cells)
    notes = [*notes, *named.notes]
    return Table(path, _typed(named, missing), lines, "line", tuple(notes), nameless=named.nameless)


def _read_parquet(path: Path, missing: tuple[str, ...]) -> Table:
    from pyarrow import parquet

    return _from_arrow(path, parquet.read_table, "parquet", missing)


def _read_arrow(path: Path, missing: tuple[str, ...]) -> Table:
    from pyarrow import feather

    return _from_arrow(path, feather.read_table, "arrow", missing)


_READERS = {"csv": _read_csv, "parquet": _read_parquet, "arrow": _read_arrow}


def _from_arrow(path: Path, read: Any, kind: str, missing: tuple[str, ...]) -> Table:
    try:
        table = read(path)
    except (pa.ArrowException, OSError) as error:
        said = str(error).split("\n")[0].removesuffix(".")
        raise ValueError(f"{path} cannot be read as {kind}: {said}.") from None
    return as_table(table, path, missing)


def as_table(table: pa.Table, path: str | Path, missing: Iterable[str] = ()) -> Table:
    """Return a pyarrow Table, which came from this file, as a `Table`; rows count from 0."""
    named = _named(Path(path), table.column_names, table.columns)
    columns, rows = _typed(named, tuple(missing)), np.arange(table.num_rows)
    return Table(Path(path), columns, rows, "row", named.notes, nameless=named.nameless)


class _Named(NamedTuple):
    """Columns with names that are all different."""

    names: list[str]
    columns: list[Any]
    nameless: frozenset[str]
    notes: tuple[str, ...]


def _typed(named: _Named, missing: tuple[str, ...]) -> dict[str, Column]:
    pairs = zip(named.names, named.columns, strict=True)
    return {name: typed_column(name, cells, missing) for name, cells in pairs}


def _named(path: Path, names: Sequence[str], columns: Sequence[Any]) -> _Named:
    """Name every column; refuse two columns of one name, and leave out empty columns without a name."""
    kept: dict[str, Any] = {}
    nameless, empty = set(), 0
    for place, (heading, cells) in enumerate(zip(names, columns, strict=True), 1):
        name = heading.strip().removeprefix("\ufeff")
        if not name and _is_blank(cells):
            empty += 1
            continue
        if not name or _PANDAS_INDEX.fullmatch(name):
            name = name or f"column {place}"
            nameless.add(name)
        if name in kept:
            raise ValueError(f"{path} has two columns called {name!r}; give each a name of its own.")
        kept[name] = cells
    if not kept:
        raise ValueError(f"{path} has no column with a value.")
    many = "column has" if empty == 1 else "columns have"
    notes = (f"{empty} {many} neither a name nor a value.",) if empty else ()
    return _Named(list(kept), list(kept.values()), frozenset(nameless), notes)


def _is_blank(cells: Any) -> bool:
    return all(
        value is None or (isinstance(value, str) and not value.strip()) for value in cells.to_pylist()
    )
