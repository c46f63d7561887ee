"""Checks of row weights, whose messages name the row."""

from __future__ import annotations

from typing import Any

import numpy as np

from softclust.knowledge.numbers import as_floats

# The greatest weight of all rows together: sums of weights times squared distances still have a float.
_MOST_OF_SINGLE, _MOST_OF_DOUBLE = 1e30, 1e290


def check_total(weight: np.ndarray | None, dtype: np.dtype[Any]) -> None:
    """Refuse weights of rows of this type with which sums over the rows have no float."""
    if weight is None:
        return
    with np.errstate(over="ignore"):
        total = weight.sum()
    most = _MOST_OF_SINGLE if dtype == np.float32 else _MOST_OF_DOUBLE
    if total > most:
        raise ValueError(
            f"sample_weight sums to {total:g}; rows of {dtype} take {most:g} at most. "
            "Weights divided by the greatest would fit."
        )


def check_weight(sample_weight: Any, n: int) -> np.ndarray | None:
    """Check row weights, and return them as (n,) floats, or None if all are 1.

    An error says which row is wrong, and how.
    """
    if sample_weight is None:
        return None
    if np.isscalar(sample_weight):
        sample_weight = np.full(n, sample_weight)
    weight = as_floats(sample_weight, "sample_weight")
    if weight.ndim != 1:
        raise ValueError(f"Sample weights must be 1D array or scalar, got {weight.ndim}D array.")
    if len(weight) != n:
        raise ValueError(
            f"sample_weight.shape == {weight.shape}, expected ({n},)! "
            f"There is one weight for each of the {n} rows of X."
        )
    wrong = np.flatnonzero(~(np.isfinite(weight) & (weight >= 0)))
    if len(wrong):
        row = wrong[0]
        kind = "NaN" if np.isnan(weight[row]) else f"{weight[row]:g}"
        raise ValueError(
            f"Negative values in data passed to `sample_weight`: sample_weight[{row}] is {kind}."
            if weight[row] < 0
            else f"sample_weight[{row}] is {kind}; weights are finite numbers >= 0."
        )
    if not weight.any():
        raise ValueError("sample_weight is zero for every row (0 to the last); at least one must count.")
    return None if (weight == 1).all() else np.ascontiguousarray(weight)
