"""Checks of what a session is given: rows, keys, class names and labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any

import numpy as np


def rows_in_memory(X: Any) -> np.ndarray:
    """Return the rows as an array in memory."""
    rows = np.asarray(X)
    rows = rows if rows.dtype in (np.float32, np.float64) else rows.astype(np.float64)
    if rows.ndim != 2 or not rows.size:
        raise ValueError(f"X has the shape {rows.shape}; rows of features would fit.")
    return rows


def checked_keys(keys: Sequence[Any] | None, n: int) -> tuple[str, ...] | None:
    """Return a different key for each row as strings."""
    if keys is None:
        return None
    names = tuple(map(str, keys))
    if len(names) != n or len(set(names)) != n:
        raise ValueError(f"keys has {len(set(names))} different keys; {n} rows need as many.")
    return names


def class_name(name: Any) -> str:
    """Return the name of a class as a string."""
    if name is None or not str(name):
        raise ValueError(f"A class has a name; {name!r} is none.")
    return str(name)


def degrees(label: Any) -> tuple[tuple[str, float], ...]:
    """Return the degree of each named class; nothing for "none of them"."""
    if label is None:
        return ()
    if isinstance(label, Mapping):
        found = {class_name(name): float(degree) for name, degree in label.items()}
    elif isinstance(label, AbstractSet | list | tuple):
        found = {class_name(name): 1.0 for name in sorted(label, key=str)}
    else:
        found = {class_name(label): 1.0}
    wrong = [name for name, degree in found.items() if not 0 <= degree <= 1]
    if wrong or not any(found.values()):
        raise ValueError(
            f"The label {label!r} has a degree outside [0, 1]."
            if wrong
            else f"The label {label!r} is empty."
        )
    return tuple(found.items())
