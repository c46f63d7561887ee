"""The rows of a studio: which columns are features, which ones are shown, and what they hold."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from softclust.cli.show import columns as results
from softclust.cli.tables import Output
from softclust.files import Prepared, Scaling, Table, prepare, read_table
from softclust.studio.pictures import Pictures

__all__ = ["Column", "StudioData", "csv_bytes", "file_stem", "read_data", "results"]

_SEEN = 200  # cells that are looked at to find out what a column holds


@dataclass(frozen=True)
class Column:
    """A column and its role: feature, text, picture, key, labels or left out; `why` is a sentence."""

    name: str
    role: str
    why: str | None = None


@dataclass(frozen=True, eq=False)
class StudioData:
    """The rows that an expert looks at.

    Attributes
    ----------
    title : str
        Name of the file, as the page shows it.
    table : pyarrow.Table
        All columns and rows of the file.
    X : ndarray of shape (n_samples, n_features)
        The features in their own units.
    rows : ndarray of shape (n_samples,)
        The row of the table that each row of X is.
    columns : tuple of Column
        Every column of the file with its role.
    labels : sequence or None
        The classes of the rows of X that the file knows; None where it does not.
    pictures : Pictures or None
        The directory of pictures, and the file of each row.
    path : Path or None
        The file.
    lines : ndarray or None
        Where each row of the table stands in the file; None if rows count from 0.
    story : str or None
        What the page says when it opens.
    """

    title: str
    table: pa.Table
    X: np.ndarray
    rows: np.ndarray
    columns: tuple[Column, ...]
    labels: Sequence[Any] | np.ndarray | None = None
    pictures: Pictures | None = None
    path: Path | None = None
    lines: np.ndarray | None = None
    story: str | None = None

    def names(self, role: str) -> list[str]:
        """Return the names of the columns in a role."""
        return [one.name for one in self.columns if one.role == role]

    @property
    def key(self) -> str | None:
        """The name of the column of keys."""
        return next(iter(self.names("key")), None)

    @property
    def keys(self) -> list[str] | None:
        """The key of each row."""
        if self.key is None:
            return None
        return [str(value) for value in self.table.column(self.key).take(self.rows).to_pylist()]

    @cached_property
    def scaling(self) -> np.ndarray:
        """(2, p) what standardising takes from each feature, and its divisor."""
        return Scaling.of(self.X).as_array()

    def number(self, row: int) -> int:
        """Return the number of a row, as people find it in the file."""
        place = int(self.rows[row])
        return place if self.lines is None else int(self.lines[place])

    @cached_property
    def words(self) -> list[str]:
        """Columns to read: those that someone named as text first, then the longest texts."""
        texts = [one for one in self.columns if one.role in ("text", "left out", "labels")]

        def order(one: Column) -> tuple[bool, float]:
            cells = self.table.column(one.name)[:_SEEN].to_pylist()
            return not (one.role == "text" and one.why is None), -float(
                np.mean([len(str(c)) for c in cells])
            )

        return [one.name for one in sorted(texts, key=order)]

    def cell(self, row: int, name: str) -> Any:
        """Return one value as Python has it; None if it is missing."""
        return self.table.column(name)[int(self.rows[row])].as_py()

    def shown(self, row: int, name: str) -> str:
        """Return one value as people read it."""
        value = self.cell(row, name)
        if value is None:
            return ""
        return f"{value:.6g}" if isinstance(value, float) else str(value)


def read_data(
    path: Path,
    *,
    labels_column: str | None = None,
    key: str | None = None,
    pictures: Path | None = None,
    picture_column: str | None = None,
    text_columns: Sequence[str] = (),
    columns: Sequence[str] | None = None,
    drop: Sequence[str] = (),
    sheet: str | None = None,
    missing: Sequence[str] = (),
    say: Callable[[str], None] = lambda sentence: None,
) -> StudioData:
    """Read a file and find out what its columns hold; an error is a ValueError of one sentence."""
    path = Path(path)
    table = read_table(path, sheet, missing)
    shown = [*text_columns, *([] if picture_column is None else [picture_column])]
    for name in shown:
        table.column(name)  # raises an error that names columns like it
    if picture_column is not None and pictures is None:
        raise ValueError(f"--picture-column {picture_column} needs --pictures, the directory of its files.")
    rows = prepare(table, columns=columns, left_out=[*drop, *shown], labels=labels_column, key=key)
    for sentence in rows.notes:
        say(sentence)
    if key is not None:
        _check_keys(rows, key)
    found = None if pictures is None else Pictures.below(pictures)
    roles = [
        Column(name, _role(table, name, role.role, shown, picture_column, found), _why(role.why))
        for name, role in rows.roles.items()
    ]
    named = [one.name for one in roles if one.role == "picture"]
    if found is not None:
        if not named:
            raise ValueError(f"No column of {path} names files below {pictures}; give --picture-column.")
        names = table.columns[named[0]].cells.take(rows.rows).to_pylist()
        found = found.with_names(names)
        roles = [replace(one, role="text") if one.name in named[1:] else one for one in roles]
    return StudioData(
        path.name, table.arrow(), rows.X, rows.rows, tuple(roles), rows.labels, found, path, table.lines
    )


def _role(
    table: Table, name: str, role: str, texts: Sequence[str], picture: str | None, found: Pictures | None
) -> str:
    """Return the role of a column in the studio: pictures are columns that name files."""
    if name == picture:
        return "picture"
    if name in texts:
        return "text"
    if role == "text" and found is not None and picture is None:
        some = [cell for cell in table.columns[name].cells[:_SEEN].to_pylist() if cell]
        return "picture" if some and found.holds(some[:5]) else role
    return role


def _why(why: str | None) -> str | None:
    """Return the reason of a role as a sentence."""
    return None if why is None else f"{why[0].upper()}{why[1:]}."


def _check_keys(rows: Prepared, name: str) -> None:
    """Raise an error if two rows have one key, or a row has none."""
    table, keys = rows.table, rows.keys or []
    seen: dict[Any, int] = {}
    for row in rows.rows.tolist():
        if keys[row] is None:
            raise ValueError(f"{table.place(row)} of {table.path} has no {name!r}; every row needs a key.")
        if keys[row] in seen:
            places = table.places([seen[keys[row]], row])
            raise ValueError(f"Column {name!r} of {table.path} is no key: {places} have {keys[row]!r}.")
        seen[keys[row]] = row


def csv_bytes(columns: dict[str, Any]) -> bytes:
    """Return columns as CSV, in which no cell is taken for a formula."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "table.csv")
        Output(path).write_table(columns)
        return path.read_bytes()


def file_stem(title: str) -> str:
    """Return a title as the beginning of a file name."""
    return re.sub(r"[^\w.-]+", "-", Path(title).stem).strip("-.") or "data"
