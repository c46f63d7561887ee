"""Classes from a column of labels."""

from __future__ import annotations

import shlex

import numpy as np

from softclust.files.table import Column, Table

# Words for "class not known".  Fewer than for numbers: "none", "-" and "." may be names of classes.
_NO_CLASS = frozenset({"", "NA", "N/A", "n/a", "NaN", "nan", "<NA>", "NULL", "null", "None", "#N/A", "?"})
_MANY = 100  # classes that need a yes
_SEVERAL = 20  # classes that need a yes if they look like measurements or identifiers


def labels_of(
    table: Table, name: str, rows: np.ndarray, many_classes: bool = False, option: str = "--labels"
) -> tuple[np.ndarray, list[str]]:
    """Return the classes of these rows, None where the class is not known, and notes.

    `option` is the option of the command line that names the column.
    """
    column = table.column(name)
    every = _classes(column)
    known = np.array([value for value in every if value is not None], dtype=object)
    if len(known) == 0:
        raise ValueError(f"column {name!r} of {table.path} has no label at all.")
    if not many_classes:
        _check_count(table, column, known, option)
    chosen = every[rows]
    lost = set(known) - {value for value in chosen if value is not None}
    notes = _notes(column)
    if lost:
        listed = ", ".join(sorted(repr(str(value)) for value in lost)[:5])
        notes.append(
            f"All rows of class {listed} have a missing cell, so that class is not known to the fit."
        )
    if all(value is None for value in chosen):
        raise ValueError(f"column {name!r} of {table.path} has labels only in rows with a missing cell.")
    return chosen, notes


def _classes(column: Column) -> np.ndarray:
    """Return the class of every row; 1.0 is 1, as whole numbers are written where cells are missing."""
    cells = column.cells.to_pylist()
    empty = [
        value is None or value != value or (isinstance(value, str) and value.strip() in _NO_CLASS)
        for value in cells
    ]
    told = [i for i, is_empty in enumerate(empty) if not is_empty]
    classes = np.full(len(cells), None, dtype=object)
    numbers = column.numbers[told]
    whole = column.kind == "number" and np.isfinite(numbers).all() and not (numbers % 1).any()
    for i in told:
        value = cells[i]
        if whole and not isinstance(value, bool):
            classes[i] = int(column.numbers[i])
        else:
            classes[i] = value if isinstance(value, str | bool | int | float) else str(value)
    return classes


def _check_count(table: Table, column: Column, known: np.ndarray, option: str) -> None:
    """Raise an error if the labels look like measurements or identifiers."""
    count = len(set(known))
    fractions = column.kind == "number" and bool((column.numbers[np.isfinite(column.numbers)] % 1).any())
    if count > _MANY or (count > _SEVERAL and (fractions or 2 * count > len(known))):
        others = f", {_other_use(column)}, or say --many-classes" if option == "--labels" else ""
        raise ValueError(
            f"column {column.name!r} of {table.path} has {count:,} different values in {len(known):,} "
            f"rows, so they are hardly classes: name another column with {option}{others}."
        )


def _other_use(column: Column) -> str:
    """Tell what a column of many different values may serve for."""
    quoted = shlex.quote(column.name)
    if column.kind == "number":
        return f"leave --labels {quoted} out to cluster by it"
    return f"use --id {quoted} to name rows by it"


def _notes(column: Column) -> list[str]:
    """Return which words were taken for "class not known"."""
    cells = [v.strip() for v in column.cells.to_pylist() if isinstance(v, str)]
    words = sorted({text for text in cells if text in _NO_CLASS and text})
    if not words:
        return []
    count = sum(text in words for text in cells)
    listed = " and ".join(map(repr, words))
    return [f"{listed} in {column.name!r} means that the class is not known ({count:,} rows)."]
