"""Read pairs of rows that belong together or apart."""

from __future__ import annotations

import numpy as np

from softclust.files import read_table
from softclust.files.numbers import number


def pairs(path, rows):
    """Read pairs of rows of a table, (q, 2) or (q, 3): row, row and perhaps a strength.

    Rows count from 0.  If the first heading is "line", they are lines of the file of rows; if it is the
    name of the column of identifiers, they are identifiers.
    """
    table = read_table(path)
    columns = list(table.columns.values())
    if len(columns) not in (2, 3):
        raise ValueError(
            f"{path} has {len(table.columns)} columns; a pair is two rows, and perhaps a strength."
        )
    if all(number(column.name) is not None for column in columns):
        raise ValueError(f"{path} begins with numbers; its first line names the columns, as in row,other.")
    find = _finder(rows, columns[0].name)
    ends = np.array([_ends(column, find, table, path) for column in columns[:2]]).T
    if len(columns) == 2:
        return ends.astype(np.float64)
    strengths = columns[2].numbers
    wrong = np.flatnonzero(~np.isfinite(strengths))
    if len(wrong):
        raise ValueError(f"{table.place(wrong[0])} of {path} has no strength that is a number.")
    return np.column_stack([ends, strengths])


def _ends(column, find, table, path):
    """Return the rows that a column names."""
    found = []
    for i, cell in enumerate(column.output().to_pylist()):
        row = find(cell)
        if not isinstance(row, int):
            raise ValueError(f"{table.place(i)} of {path} names {row}")
        found.append(row)
    return found


def _finder(rows, heading):
    """Return a function from a cell to its row, or to words on why there is none."""
    key = next((name for name, role in rows.roles.items() if role.role == "key"), None)
    if heading == key:
        known = {str(value): row for row, value in enumerate(rows.keys)}
        return lambda cell: known.get(str(cell), f"{cell!r}, which is the {key} of no row.")
    n = len(rows.table)
    if heading == "line" and rows.table.counted == "line":
        lines = {int(line): row for row, line in enumerate(rows.table.lines)}
        return lambda cell: lines.get(cell, f"line {cell}, where no row is.")
    whole = range(n)
    return lambda cell: int(cell) if cell in whole else f"row {_shown(cell)}; rows go from 0 to {n - 1}."


def _shown(cell):
    return f"{cell:g}" if isinstance(cell, int | float) else repr(cell)
