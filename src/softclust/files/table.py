"""A table as its file has it: columns of numbers, dates or text, and where each row stands in the file."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from softclust.files.numbers import decimal_marks, is_missing, numbers_of, plain_numbers, trimmed

_DATE = re.compile(
    r"\d{1,4}[./-]\d{1,2}[./-]\d{1,4}([ T]\d{1,2}:\d{2}.*)?|\d{1,2}:\d{2}(:\d{2}([.,]\d+)?)?( ?[AaPp][Mm])?"
    r"|\d{1,2}[. -]+[A-Za-z]{3,9}[. -]+\d{2,4}|[A-Za-z]{3,9} \d{1,2},? \d{4}"
)
_DATES_LOOKED_AT = 200


@dataclass(frozen=True)
class Column:
    """A column: its cells, what they are, and their numbers.

    Attributes
    ----------
    name : str
        The heading.
    cells : pyarrow.ChunkedArray
        The cells as the file has them; text without spaces at its ends, and null where nothing stands.
    kind : {"number", "date", "text", "empty"}
        A column is of numbers if at least half of its filled cells are.
    numbers : ndarray of shape (n,)
        The numbers; NaN where a cell is missing or wrong, and everywhere in columns of another kind.
    wrong : ndarray of int
        Rows of a column of numbers whose cells are neither numbers nor missing.
    """

    name: str
    cells: pa.ChunkedArray
    kind: str
    numbers: np.ndarray
    wrong: np.ndarray = field(default_factory=lambda: np.zeros(0, dtype=np.int64))

    def head(self, rows: int) -> Column:
        """Return the first rows of the column."""
        wrong = self.wrong[self.wrong < rows]
        return replace(self, cells=self.cells.slice(0, rows), numbers=self.numbers[:rows], wrong=wrong)

    def output(self) -> pa.ChunkedArray:
        """Return the column as results carry it: numbers as numbers, anything else as it is."""
        if self.kind != "number" or len(self.wrong):
            return self.cells
        present = self.numbers[np.isfinite(self.numbers)]
        if len(present) and np.abs(present).max() < 2**53 and not (present % 1).any():
            whole = np.where(np.isfinite(self.numbers), self.numbers, 0).astype(np.int64)
            return pa.chunked_array([pa.array(whole, mask=~np.isfinite(self.numbers))])
        return pa.chunked_array([pa.array(self.numbers, mask=np.isnan(self.numbers))])


@dataclass(frozen=True)
class Table:
    """Rows of one file, or of several files with the same columns.

    Attributes
    ----------
    path : Path
        The file, or the first file.
    columns : dict of str to Column
        The columns in their order.
    lines : ndarray of shape (n,)
        Where each row stands in its file.  Lines of a text file and rows of a sheet count from 1, and the
        header counts; rows of Parquet and Arrow files count from 0.
    counted : {"line", "row"}
        What `lines` counts.
    notes : tuple of str
        What was done to read the file, in sentences.
    files : tuple of (Path, int)
        The files and the number of rows of each.
    nameless : frozenset of str
        Columns without a name in the file, such as the index that pandas writes.
    """

    path: Path
    columns: dict[str, Column]
    lines: np.ndarray
    counted: str
    notes: tuple[str, ...] = ()
    files: tuple[tuple[Path, int], ...] = ()
    nameless: frozenset[str] = frozenset()

    def __len__(self) -> int:
        return len(self.lines)

    def column(self, name: str) -> Column:
        """Return a column by its name; for an unknown name raise a ValueError with the nearest one."""
        if name not in self.columns:
            near = get_close_matches(name, self.columns, 1)
            has = ", ".join(list(self.columns)[:12])
            hint = f"did you mean {near[0]!r}?" if near else f"it has {has}."
            raise ValueError(f"{self.path} has no column {name!r}; {hint}")
        return self.columns[name]

    def arrow(self) -> pa.Table:
        """Return all columns as a pyarrow Table, numbers as numbers."""
        return pa.table({name: column.output() for name, column in self.columns.items()})

    def row_at(self, line: int) -> int:
        """Return the row at a line of the file; a line without a row raises a ValueError."""
        found = np.flatnonzero(self.lines == line)
        if len(found) != 1:
            last = f"{self.counted}s {self.lines.min()} to {self.lines.max()}"
            raise ValueError(f"{self.path} has no row at {self.counted} {line}; its rows are at {last}.")
        return int(found[0])

    def place(self, row: int) -> str:
        """Return where a row stands, such as "line 5"; of several files, with the file."""
        where = f"{self.counted} {self.lines[row]}"
        return f"{where} of {self.file_of(row)}" if len(self.files) > 1 else where

    def file_of(self, row: int) -> Path:
        """Return the file of a row."""
        ends = np.cumsum([count for _, count in self.files])
        return self.files[int(np.searchsorted(ends, row, side="right"))][0] if self.files else self.path

    def without_blank_end(self) -> Table:
        """Return the table without rows of empty cells at its end."""
        end = len(self)
        while end and not any(column.cells[end - 1].is_valid for column in self.columns.values()):
            end -= 1
        return self if end == len(self) else self.head(end)

    def head(self, rows: int) -> Table:
        """Return the first rows."""
        columns = {name: column.head(rows) for name, column in self.columns.items()}
        return replace(self, columns=columns, lines=self.lines[:rows])

    def places(self, rows: Sequence[int] | np.ndarray, most: int = 5) -> str:
        """Return where rows stand, such as "lines 5, 9 and 12"; beyond `most` rows only their number."""
        shown = [int(row) for row in rows[:most]]
        more = len(rows) - len(shown)
        if len(self.files) > 1:
            names = [self.place(row) for row in shown]
            return ", ".join(names) + (f" and {more:,} more" if more else "")
        numbers = [str(self.lines[row]) for row in shown]
        ending = f"{more:,} more" if more else numbers.pop() if len(numbers) > 1 else ""
        listed = ", ".join(numbers) + (f" and {ending}" if ending else "")
        return f"{self.counted}{'s' if len(rows) > 1 else ''} {listed}"


def text_columns(
    names: Sequence[str],
    columns: Sequence[pa.ChunkedArray],
    delimiter: str = ",",
    missing: Iterable[str] = (),
    may_have_commas: bool = True,
) -> dict[str, Column]:
    """Return the columns of a text file, each read as numbers, dates or text."""
    words, marks = tuple(missing), decimal_marks(columns, delimiter, may_have_commas)
    return {
        name: _text_column(name, column, decimal, words)
        for name, column, decimal in zip(names, columns, marks, strict=True)
    }


def _text_column(name: str, cells: pa.ChunkedArray, decimal: str, words: tuple[str, ...]) -> Column:
    plain = plain_numbers(cells) if decimal == "." and not words else None
    if plain is not None and np.isfinite(plain).all():
        return Column(name, cells, "number", plain)
    cells = trimmed(cells)
    gone = is_missing(cells, words)
    numbers, wrong = numbers_of(cells, gone, decimal)
    present = len(cells) - int(gone.sum())
    shown = pa.chunked_array(
        [pc.if_else(pc.equal(cells, ""), pa.scalar(None, cells.type), cells).combine_chunks()]
    )
    if not present:
        return Column(name, shown, "empty", np.full(len(cells), np.nan))
    if 2 * int(wrong.sum()) > present:
        some = shown.filter(pa.array(wrong)).slice(0, _DATES_LOOKED_AT).to_pylist()
        kind = "date" if all(_DATE.fullmatch(text) for text in some) else "text"
        return Column(name, shown, kind, np.full(len(cells), np.nan))
    return Column(name, shown, "number", np.where(wrong, np.nan, numbers), np.flatnonzero(wrong))


def typed_column(name: str, cells: Any, missing: Iterable[str] = ()) -> Column:
    """Return a column of a file that knows the types of its columns, or of cells of any Python type."""
    if not isinstance(cells, pa.ChunkedArray):
        cells = pa.chunked_array([cells])
    kind = cells.type
    if pa.types.is_dictionary(kind):
        cells = cells.cast(kind.value_type)
        kind = kind.value_type
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        return text_columns([name], [cells.cast(pa.string())], ",", missing)[name]
    empty = np.full(len(cells), np.nan)
    if cells.null_count == len(cells):
        return Column(name, cells, "empty", empty)
    if pa.types.is_boolean(kind):
        cells_as_numbers = cells.cast(pa.int8()).cast(pa.float64())
    elif pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        cells_as_numbers = cells.cast(pa.float64(), safe=False)
    elif pa.types.is_temporal(kind):
        return Column(name, cells, "date", empty)
    else:
        return Column(name, cells, "text", empty)
    return Column(name, cells, "number", np.array(cells_as_numbers.to_numpy(), dtype=np.float64))


def joined(tables: Sequence[Table]) -> Table:
    """Return the rows of several tables as one; they must have the same columns, in any order."""
    first = tables[0]
    for table in tables[1:]:
        if set(table.columns) != set(first.columns) or table.counted != first.counted:
            raise ValueError(
                f"The columns of {table.path} are {', '.join(list(table.columns)[:12])}; those of "
                f"{first.path} are {', '.join(list(first.columns)[:12])}."
            )
    if len(tables) == 1:
        return first
    columns = {name: _joined_column([table.columns[name] for table in tables]) for name in first.columns}
    notes = tuple(dict.fromkeys(f"{table.path}: {note}" for table in tables for note in table.notes))
    files = tuple((table.path, len(table)) for table in tables)
    lines = np.concatenate([table.lines for table in tables])
    return Table(first.path, columns, lines, first.counted, notes, files, first.nameless)


def _joined_column(parts: Sequence[Column]) -> Column:
    kinds = {part.kind for part in parts} - {"empty"} or {"empty"}
    kind = kinds.pop() if len(kinds) == 1 else "text"
    starts = np.cumsum([0, *(len(part.numbers) for part in parts)])
    wrong = [part.wrong + start for part, start in zip(parts, starts, strict=False)]
    same = len({part.cells.type for part in parts}) == 1
    cells = [part.cells if same else part.cells.cast(pa.string()) for part in parts]
    whole = pa.chunked_array([chunk for part in cells for chunk in part.chunks], cells[0].type)
    return Column(
        parts[0].name, whole, kind, np.concatenate([part.numbers for part in parts]), np.concatenate(wrong)
    )
