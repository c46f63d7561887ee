"""Choose the columns and rows of a table that can be clustered, and say what was left out and why."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from softclust.files.labels import labels_of
from softclust.files.table import Column, Table
from softclust.files.words import (
    absent_columns,
    columns_left_out,
    no_numbers,
    row_of_totals,
    rows_left_out,
    wrong_cells,
)

_ROWS_OF_A_NUMBERING = 20  # in fewer rows many measurements look like a numbering
NOT_WANTED = "not wanted"
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")
_NAMES_OF_KEYS = {"id", "ids", "uid", "uuid", "index", "idx", "key", "row", "rowid", "nr", "no", "number"}


@dataclass(frozen=True)
class Role:
    """What a column is used for.

    Attributes
    ----------
    role : {"feature", "text", "key", "labels", "left out"}
    why : str or None
        Why a column is left out, such as "dates"; None for the other roles.
    """

    role: str
    why: str | None = None


@dataclass(frozen=True)
class Prepared:
    """Rows that can be clustered.

    Attributes
    ----------
    X : ndarray of shape (k, p)
        The numbers of the rows without a missing cell.
    names : list of str
        The columns of X.
    rows : ndarray of shape (k,)
        The rows of the table that X holds, ascending.
    table : Table
        All rows.
    labels : ndarray of object of shape (k,), or None
        The class of each row of X, None where it is not known.
    keys : list or None
        The identifier of each row of the table, from the column of identifiers.
    roles : dict of str to Role
        What each column is used for.
    notes : tuple of str
        What was done, in sentences.
    """

    X: np.ndarray
    names: list[str]
    rows: np.ndarray
    table: Table
    labels: np.ndarray | None
    keys: list[object] | None
    roles: dict[str, Role]
    notes: tuple[str, ...]

    @property
    def texts(self) -> list[str]:
        """Columns of text, which people may want to read."""
        return [name for name, role in self.roles.items() if role.role == "text"]


def prepare(
    table: Table,
    *,
    columns: Sequence[str] | None = None,
    left_out: Iterable[str] = (),
    kept: Iterable[str] = (),
    labels: str | None = None,
    key: str | None = None,
    many_classes: bool = False,
) -> Prepared:
    """Return the rows and columns of a table that can be clustered.

    Columns of text and dates, identifiers, constant columns and columns that are mostly empty are left out;
    so are rows with a missing cell.  `notes` says all of it.  A cell of a column of numbers that is no
    number raises a ValueError that names it.

    Parameters
    ----------
    table : Table
        From `read_table`.
    columns : sequence of str, default=None
        Use these columns only.
    left_out : iterable of str, default=()
        Columns not to use.
    kept : iterable of str, default=()
        Columns to use although they look like an identifier, are constant or are mostly empty.
    labels : str, default=None
        Column of classes; empty cells are rows without a class.
    key : str, default=None
        Column that identifies rows.
    many_classes : bool, default=False
        Whether `labels` may have so many values that they look like measurements.

    Returns
    -------
    Prepared
    """
    dropped, wanted = set(left_out), set(kept)
    for name in (*(columns or ()), *dropped, *wanted, *filter(None, (labels, key))):
        table.column(name)  # a name that is not there is an error
    roles = _roles(table, columns, dropped, wanted, labels, key)
    names = [name for name in dict.fromkeys(columns or table.columns) if roles[name].role == "feature"]
    said = columns_left_out(_reasons(roles))
    if not names:
        raise ValueError(f"{table.path} has no column of numbers to cluster. {said}".rstrip())
    X, rows = _numbers(table, names)
    notes = [
        *table.notes,
        *filter(None, [said, rows_left_out(table, names, rows), row_of_totals(table, rows)]),
    ]
    y = None
    if labels is not None:
        y, more = labels_of(table, labels, rows, many_classes)
        notes.extend(more)
    keys = None if key is None else table.column(key).output().to_pylist()
    return Prepared(X, names, rows, table, y, keys, roles, tuple(notes))


def prepare_as(table: Table, names: Sequence[str]) -> Prepared:
    """Return the rows of a table in the columns of a fit, found by their names in any order.

    A ValueError names all columns that are not there.  Rows with a missing cell are left out, as in
    `prepare`.
    """
    absent = [name for name in names if name not in table.columns]
    if absent:
        raise ValueError(absent_columns(table, absent, names))
    used = set(names)
    roles = {
        name: Role("feature")
        if name in used
        else Role("text")
        if column.kind == "text"
        else Role("left out")
        for name, column in table.columns.items()
    }
    X, rows = _numbers(table, list(names))
    notes = [*table.notes, *filter(None, [rows_left_out(table, list(names), rows)])]
    return Prepared(X, list(names), rows, table, None, None, roles, tuple(notes))


def _roles(
    table: Table,
    columns: Sequence[str] | None,
    dropped: set[str],
    kept: set[str],
    labels: str | None,
    key: str | None,
) -> dict[str, Role]:
    """Return what each column is used for."""
    chosen = set(columns or ())
    roles = {}
    for name, column in table.columns.items():
        if name == labels:
            roles[name] = Role("labels")
        elif name == key:
            roles[name] = Role("key")
        elif name in dropped or (chosen and name not in chosen):
            roles[name] = Role("text") if column.kind == "text" else Role("left out", NOT_WANTED)
        elif column.kind != "number":
            if name in chosen or name in kept:
                raise ValueError(no_numbers(table, column))
            why = {"text": "text", "date": "dates", "empty": "empty"}[column.kind]
            roles[name] = Role("text", why) if column.kind == "text" else Role("left out", why)
        else:
            why_not = None if name in chosen or name in kept else _why_not(table, column)
            roles[name] = Role("feature") if why_not is None else Role("left out", why_not)
    if not any(role.role == "feature" for role in roles.values()):  # a numbering is better than nothing
        for name, role in roles.items():
            if role.why == "an identifier" and name not in table.nameless:
                roles[name] = Role("feature")
    return roles


def _reasons(roles: dict[str, Role]) -> dict[str, str]:
    """Return why each column that nobody asked to leave out is not used."""
    return {name: role.why for name, role in roles.items() if role.why not in (None, NOT_WANTED)}


def _why_not(table: Table, column: Column) -> str | None:
    """Return why a column of numbers should not be clustered, or None."""
    present = column.numbers[~np.isnan(column.numbers)]
    if 2 * (len(present) + len(column.wrong)) < len(table):
        return "mostly empty"
    if len(column.wrong) == 0 and len(table) > 1 and np.all(present == present[:1]):
        return "one value only"
    if _is_identifier(table, column):
        return "an identifier"
    return None


def _is_identifier(table: Table, column: Column) -> bool:
    """Tell whether whole numbers, all different, number the rows or carry the name of an identifier."""
    values = column.numbers
    if not np.isfinite(values).all() or (values % 1).any() or len(values) < 2:
        return False
    steps = np.diff(np.sort(values))
    if not steps.all():
        return False
    words = _WORD.findall(column.name)
    if column.name in table.nameless or (words and words[-1].lower() in _NAMES_OF_KEYS):
        return True
    if len(values) < _ROWS_OF_A_NUMBERING:
        return False
    order = np.diff(values)
    return bool((order > 0).all() or (order < 0).all() or values.max() - values.min() < 1.5 * len(values))


def _numbers(table: Table, names: list[str]) -> tuple[np.ndarray, np.ndarray]:
    """Return the numbers of the rows without a missing cell, and these rows; a wrong cell is an error."""
    wrong: list[tuple[int, Column]] = []
    X = np.empty((len(table), len(names)))
    for j, name in enumerate(names):
        column = table.columns[name]
        if column.kind not in ("number", "empty"):
            raise ValueError(no_numbers(table, column))
        X[:, j] = column.numbers
        bad = np.union1d(column.wrong, np.flatnonzero(np.isinf(column.numbers)))
        wrong.extend((int(row), column) for row in bad)
    if wrong:
        raise ValueError(wrong_cells(table, wrong))
    rows = np.flatnonzero(np.isfinite(X).all(axis=1))
    if len(rows) == 0:
        emptiest = names[int(np.isnan(X).sum(axis=0).argmax())]
        raise ValueError(
            f"Every row of {table.path} has a missing cell, most of them in {emptiest!r}. "
            f"Leave that column out with --drop {shlex.quote(emptiest)}."
        )
    return (X if len(rows) == len(X) else X[rows]), rows
