"""The range of each column."""

from __future__ import annotations

from typing import Any

import numpy as np

_WIDTH = 512  # numbers in a wide row, which NumPy compares at a time
_FEW = 4096  # numbers: an array up to this size is transposed instead


def column_range(X: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return the least and the greatest entry of each column, both (p,); inf and -inf without rows.

    NumPy reduces one row at a time, ten times slower than memory when rows are short.  So many rows are
    reshaped into wide ones, and few are transposed.  Remote rows know their own range.
    """
    if hasattr(X, "column_range"):
        return X.column_range
    rows, p = X.shape
    if 0 < X.size <= _FEW:
        columns = X.T.copy()
        return columns.min(axis=1), columns.max(axis=1)
    together = _WIDTH // p
    if together > 1 and rows >= 4 * together and X.flags.c_contiguous:
        whole = rows - rows % together
        wide = X[:whole].reshape(-1, together * p)
        ends = (end.reshape(together, p) for end in (wide.min(axis=0), wide.max(axis=0)))
        X = np.concatenate([*ends, X[whole:]])
    return np.min(X, axis=0, initial=np.inf), np.max(X, axis=0, initial=-np.inf)
