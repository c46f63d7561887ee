"""The range of each column."""

import numpy as np

_WIDTH = 512  # numbers that NumPy compares at a time
_FEW = 4096  # numbers that are turned into columns


def column_range(X):
    """(p,) least and greatest entry of each column; inf and -inf where there are no rows.

    NumPy goes from row to row, which for short ones takes ten times as long as their numbers do: so
    many rows are laid side by side, and few of them upright.  What stands for rows elsewhere knows its own.
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
