"""Checks of the arguments of the indices.  Each error names the argument, the row and what would fit."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from softclust.knowledge.labels import unlabelled
from softclust.knowledge.sample_weight import check_weight

_TOLERANCE = {8: 1e-6, 4: 1e-4, 2: 1e-2}  # of the sum of a row, by the size of a float in bytes

_MOST_BINS = 1_000_000


def check_memberships(U: ArrayLike, name: str = "U") -> np.ndarray:
    """Return (n, c) memberships as float64; raise unless all are at least 0 and each row sums to 1."""
    raw = _numbers(U, name, "a row of memberships per object")
    tolerance = _TOLERANCE.get(raw.dtype.itemsize, 1e-6) if raw.dtype.kind == "f" else 1e-6
    U = raw.astype(np.float64)
    wrong = np.argwhere(U < 0)
    if len(wrong):
        i, k = wrong[0]
        raise ValueError(f"{name}[{i}, {k}] = {U[i, k]:g}, but memberships lie between 0 and 1.")
    total = U.sum(axis=1)
    bad = np.flatnonzero(np.abs(total - 1) > tolerance)
    if len(bad):
        i = bad[0]
        raise ValueError(
            f"{name}[{i}] sums to {total[i]:.7g}, but the memberships of a row sum to 1; typicalities "
            "can be divided by their row sum."
        )
    return U


def check_rows(X: ArrayLike, n: int | None = None, name: str = "X") -> np.ndarray:
    """Return (n, p) finite numbers as float64; raise unless there are `n` rows, if `n` is given."""
    X = _numbers(X, name, "a row of features per object").astype(np.float64)
    if n is not None and len(X) != n:
        raise ValueError(f"{name} has {len(X)} rows and U has {n}; they need one row for each object.")
    return X


def check_centers(V: ArrayLike, c: int, p: int) -> np.ndarray:
    """Return (c, p) centres as float64; raise unless they are finite and of this shape."""
    V = _numbers(V, "V", "a row of features per centre").astype(np.float64)
    if V.shape != (c, p):
        raise ValueError(
            f"V has the shape {V.shape}, but U has {c} columns and X has {p}: centres of shape "
            f"({c}, {p}) would fit."
        )
    return V


def weights_of(sample_weight: ArrayLike | None, n: int) -> np.ndarray:
    """Return the (n,) weights; all are 1 if `sample_weight` is None."""
    weight = check_weight(sample_weight, n)
    return np.ones(n) if weight is None else weight


def check_number(value: Any, name: str, least: Any) -> float:
    """Return the value as a float; raise unless it is finite and at least `least`."""
    if not isinstance(value, Real) or isinstance(value, bool) or not least <= value < np.inf:
        raise ValueError(f"{name}={value!r} does not fit; it is a finite number >= {least}.")
    return float(value)


def check_labels(y: ArrayLike, name: str) -> tuple[np.ndarray, int]:
    """Return (n,) the position of each label among the sorted distinct labels, and their number."""
    y = np.asarray(y)
    if y.ndim != 1 or not y.size:
        more = "; U.argmax(axis=1) would fit" if y.ndim == 2 else ""
        raise ValueError(f"{name} has the shape {y.shape}, but one label per row is needed{more}.")
    try:
        missing = np.flatnonzero(y != y)  # only NaN differs from itself
        names, codes = np.unique(y, return_inverse=True)
    except TypeError:
        raise ValueError(
            f"{name} mixes labels that have no order, such as None or words among numbers; labels of one "
            "kind would fit."
        ) from None
    if len(missing):
        raise ValueError(f"{name}[{missing[0]}] is NaN, but every row needs a label.")
    return codes.reshape(-1), len(names)


def check_truth(truth: ArrayLike, n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the positions of the rows with a class, the code of each such class, and the sorted classes.

    -1, None and NaN mean that the class of a row is not known.
    """
    truth = np.asarray(truth)
    if truth.shape != (n,):
        raise ValueError(f"truth has the shape {truth.shape}, but a class for each of {n} rows is needed.")
    rows = np.flatnonzero(~unlabelled(truth))
    if not len(rows):
        raise ValueError("truth names no class: every row is -1, None or NaN, but one class is needed.")
    codes, _ = check_labels(truth[rows], "truth")
    return rows, codes, np.unique(truth[rows])


def check_bins(bins: Any) -> int:
    """Return the number of bins; raise unless it is a whole number from 1 to 1,000,000."""
    if not isinstance(bins, int | np.integer) or isinstance(bins, bool) or not 1 <= bins <= _MOST_BINS:
        raise ValueError(f"bins={bins!r} does not fit; it is a whole number from 1 to {_MOST_BINS:,}.")
    return int(bins)


def _numbers(A: ArrayLike, name: str, what: str) -> np.ndarray:
    """Return a 2-D array of finite numbers; its dtype stays, but objects become float64."""
    A = np.asarray(A)
    if A.dtype.kind == "O":
        try:
            A = A.astype(np.float64)
        except (TypeError, ValueError):
            raise ValueError(
                f"{name} holds something that is no number; a dense numeric array would fit."
            ) from None
    if A.dtype.kind not in "biuf":
        raise ValueError(f"{name} holds {A.dtype}, but numbers are needed.")
    if A.ndim != 2 or not A.size:
        raise ValueError(f"{name} has the shape {A.shape}, but two dimensions are needed, {what}.")
    if A.dtype.kind == "f":
        wrong = np.argwhere(~np.isfinite(A))
        if len(wrong):
            i, j = wrong[0]
            kind = "NaN" if np.isnan(A[i, j]) else f"{A[i, j]:g}"
            raise ValueError(f"{name}[{i}, {j}] is {kind}, but finite numbers are needed.")
    return A
