"""Sentences on what was left out of a table, and on cells that are wrong."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence

import numpy as np

from softclust.files.table import Column, Table

_MOST_NAMED = 5
_TOTALS = {"total", "totals", "sum", "summe", "gesamt", "gesamtergebnis", "somme", "suma", "totale"}
CAN_BE_KEPT = ("an identifier", "one value only", "mostly empty")


def no_numbers(table: Table, column: Column) -> str:
    row = int(np.flatnonzero(np.asarray(column.cells.is_valid()))[0]) if column.kind != "empty" else 0
    shown = (
        f"{table.place(row)} is {_shown(column.cells[row].as_py())}"
        if column.kind != "empty"
        else "it is empty"
    )
    quoted = shlex.quote(column.name)
    return (
        f"column {column.name!r} of {table.path} is not numeric: {shown}. "
        f"Leave it out with --drop {quoted}, or use it as --labels {quoted}."
    )


def _shown(value: object) -> str:
    text = str(value)
    return repr(text if len(text) <= 40 else text[:37] + "...")


def absent_columns(table: Table, absent: Sequence[str], names: Sequence[str]) -> str:
    """Return which columns of a model a table does not have, and which other columns it has."""
    listed = ", ".join(map(repr, absent[:12])) + (f" and {len(absent) - 12:,} more" if absent[12:] else "")
    others = [name for name in table.columns if name not in set(names)]
    has = f"; its other columns are {', '.join(map(repr, others[:12]))}" if others else ""
    what = "column" if len(absent) == 1 else "columns"
    return f"{table.path} has no {what} {listed}, on which the model was fitted{has}."


def wrong_cells(table: Table, wrong: list[tuple[int, Column]]) -> str:
    """Return one sentence about all cells that are no numbers."""
    wrong = sorted(wrong, key=lambda one: one[0])
    named = [
        f"{table.place(row)}, {column.name!r}: {_shown(column.cells[row].as_py())}" for row, column in wrong
    ]
    more = f"; and {len(named) - _MOST_NAMED:,} more" if len(named) > _MOST_NAMED else ""
    first = wrong[0][1]
    what = "1 cell is no number" if len(wrong) == 1 else f"{len(wrong):,} cells are no numbers"
    word = str(first.cells[wrong[0][0]].as_py())
    absent = f", or take a word for a missing value with --missing {shlex.quote(word)}"
    return (
        f"{table.path}: {what} ({'; '.join(named[:_MOST_NAMED])}{more}). Correct the file, "
        f"leave a column out with --drop {shlex.quote(first.name)}{absent if word.isprintable() else ''}."
    )


def columns_left_out(reasons: Mapping[str, str]) -> str:
    """Return which columns were left out and why, in one sentence; nothing if none was."""
    groups: dict[str, list[str]] = {}
    for name, why in reasons.items():
        groups.setdefault(why, []).append(name)
    if not groups:
        return ""
    parts = []
    for why, names in groups.items():
        more = f" and {len(names) - _MOST_NAMED:,} more" if len(names) > _MOST_NAMED else ""
        parts.append(f"{', '.join(map(repr, names[:_MOST_NAMED]))}{more} ({why})")
    forced = [names[0] for why, names in groups.items() if why in CAN_BE_KEPT]
    hint = f" --keep {shlex.quote(forced[0])} would use it." if forced else ""
    return f"Columns left out: {'; '.join(parts)}.{hint}"


def rows_left_out(table: Table, names: list[str], rows: np.ndarray) -> str:
    """Return which rows were left out because of missing cells; nothing if none was."""
    gone = np.setdiff1d(np.arange(len(table)), rows)
    if len(gone) == 0:
        return ""
    where = [name for name in names if np.isnan(table.columns[name].numbers[gone]).any()]
    columns = ", ".join(map(repr, where[:_MOST_NAMED])) + (
        " and others" if len(where) > _MOST_NAMED else ""
    )
    one = len(gone) == 1
    return (
        f"{len(gone):,} of {len(table):,} rows {'has' if one else 'have'} a missing cell in {columns} and "
        f"{'is' if one else 'are'} left out: {table.places(gone)}. "
        f"{'Its' if one else 'Their'} memberships stay empty."
    )


def row_of_totals(table: Table, rows: np.ndarray) -> str:
    """Return a sentence on a last row that is called a total; nothing if it is not."""
    last = len(table) - 1
    if last not in rows[-1:]:
        return ""
    for column in table.columns.values():
        word = column.cells[last].as_py() if column.kind == "text" else None
        is_total = word is not None and str(word).strip(" :").lower() in _TOTALS
        if is_total and column.cells.to_pylist().count(word) == 1:  # else it is a word of the data
            where = table.place(last)
            return (
                f"{where[:1].upper()}{where[1:]} looks like a row of totals ({column.name!r} is "
                f"{_shown(word)}) and is clustered like the others; if it is one, delete it from the file."
            )
    return ""
