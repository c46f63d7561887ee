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


def scaling_of(X: np.ndarray) -> np.ndarray:
    """Return means and standard deviations, (2, p); a constant column gets 1 and keeps its unit."""
    size = np.ldexp(1.0, np.frexp(np.abs(X).max(axis=0))[1] - 1)  # squares of huge values would overflow
    size = size.astype(X.dtype)
    spread = (X / size).std(axis=0) * size
    return np.vstack([(X / size).mean(axis=0) * size, np.where(spread > 0, spread, 1.0)])


def checked_scaling(standardize: Any, X: np.ndarray) -> list[list[float]] | None:
    """Return what is taken from each column, and its divisor; None if columns stay as they are."""
    if standardize is None or standardize is False:
        return None
    scaling = scaling_of(X) if standardize is True else np.asarray(standardize, dtype=np.float64)
    if scaling.shape != (2, X.shape[1]) or not np.isfinite(scaling).all() or not (scaling[1] > 0).all():
        raise ValueError(
            f"standardize is neither a bool nor two rows of {X.shape[1]} numbers, the second positive."
        )
    return scaling.tolist()


def scaled(X: np.ndarray, scaling: list[list[float]] | None) -> np.ndarray:
    """Return the rows, standardised if there is a scaling."""
    return X if scaling is None else (X - np.array(scaling[0])) / np.array(scaling[1])


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
        found = {class_name(name): _degree(degree) for name, degree in label.items()}
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


def _degree(value: Any) -> float:
    """Return a degree as a number, NaN if it is none."""
    try:
        return float(value)
    except (TypeError, ValueError):
        return float("nan")
