"""Take some rows out of a table of any kind."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from softclust.sources import is_remote


def count_of(X: Any) -> int:
    """Return the number of rows of X."""
    if isinstance(X, str | os.PathLike) or is_remote(X):
        raise ValueError("X is not in memory; give the rows to explain as an array or a data frame.")
    if np.ndim(X) != 2 and not hasattr(X, "columns"):
        raise ValueError(f"X is {np.ndim(X)}d; rows of features would fit.")
    if len(X) == 0:
        raise ValueError("X has no rows.")
    return len(X)


def some_rows(X: Any, rows: Any) -> Any:
    """Return the rows at positions or in a slice, as a table of the same kind."""
    if hasattr(X, "iloc"):
        return X.iloc[rows]
    if hasattr(X, "take") and hasattr(X, "schema") and not hasattr(X, "get_column"):  # pyarrow
        return X.take(np.arange(len(X))[rows])
    if isinstance(X, list | tuple):
        return np.asarray(X, dtype=np.float64)[rows]
    return X[rows]


def as_array(X: Any) -> np.ndarray:
    """Return rows as float64."""
    if hasattr(X, "to_pandas") and hasattr(X, "schema") and not hasattr(X, "get_column"):
        X = np.column_stack([column.to_numpy() for column in X.columns])
    return np.asarray(X, dtype=np.float64)
