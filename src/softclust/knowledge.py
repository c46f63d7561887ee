"""What is known of the rows: checks of weights and labels, with messages that name the row."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np


def check_weight(sample_weight, n):
    """Row weights as (n,) floats, or None where all are 1; says which row is wrong, and how."""
    if sample_weight is None:
        return None
    if np.isscalar(sample_weight):
        sample_weight = np.full(n, sample_weight)
    weight = np.asarray(sample_weight, dtype=np.float64)
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


@dataclass(frozen=True)
class Labels:
    """Degrees of each row in each class, NaN where nothing is said; the classes' names in order."""

    degrees: np.ndarray
    classes: np.ndarray

    def means(self, rows, c):
        """(c, p) mean of the rows of each class in loop units, NaN for clusters without a label."""
        V = np.full((c, rows.X.shape[1]), np.nan)
        for k in range(self.degrees.shape[1]):
            degree = np.nan_to_num(self.degrees[:, k])
            degree = degree if rows.weight is None else degree * rows.weight
            chosen = np.flatnonzero(degree)
            if len(chosen):
                points = rows.take(chosen).points.astype(np.float64)
                V[k] = degree[chosen] @ points / degree[chosen].sum()
        return V


def check_labels(y, n, c):
    """`y` as `Labels`, or None where it says nothing, and the number of clusters it asks for.

    1-D: a class for each row; -1, None and NaN mean unlabelled.  2-D: a degree in [0, 1] for each row
    and cluster, NaN where nothing is said.
    """
    if y is None:
        return None, c
    values = np.asarray(y)
    if values.ndim not in (1, 2):
        raise ValueError(f"y should be a 1d array of classes or 2d of degrees, got {values.ndim}d.")
    if len(values) != n:
        raise ValueError(f"y has {len(values)} entries; X has {n} rows.")
    labels = _soft_labels(values, c) if values.ndim == 2 else _hard_labels(values)
    found = labels.degrees.shape[1]
    if found > c:
        warnings.warn(
            f"y names {found} classes but n_clusters={c}: fitting {found} clusters.",
            UserWarning,
            stacklevel=4,
        )
    if np.isnan(labels.degrees).all():
        return None, c
    return labels, max(c, found)


def _unlabelled(values):
    if values.dtype.kind in "fc":
        return np.isnan(values) | (values == -1)
    if values.dtype.kind in "iu":
        return values == -1
    if values.dtype.kind == "O":
        return np.array([_is_missing(v) or _is_minus_one(v) for v in values], dtype=bool)
    return np.zeros(len(values), dtype=bool)


def _is_missing(value):
    try:
        return value is None or bool(value != value)
    except TypeError:  # pandas.NA does not say
        return True


def _is_minus_one(value):
    return isinstance(value, int | float | np.number) and value == -1


def _hard_labels(values):
    known = ~_unlabelled(values)
    try:
        classes, codes = np.unique(values[known], return_inverse=True)
    except TypeError:  # classes of kinds that do not compare: in order of appearance
        classes = np.array(list(dict.fromkeys(values[known])), dtype=object)
        place = {name: k for k, name in enumerate(classes)}
        codes = np.array([place[v] for v in values[known]], dtype=int)
    degrees = np.full((len(values), len(classes)), np.nan)
    degrees[known] = np.eye(len(classes))[codes]
    return Labels(degrees, classes)


def _soft_labels(values, c):
    degrees = values.astype(np.float64)
    if degrees.shape[1] != c:
        raise ValueError(
            f"y has {degrees.shape[1]} columns; soft labels have one for each of the {c} clusters."
        )
    wrong = np.argwhere((degrees < 0) | (degrees > 1))
    if len(wrong):
        i, k = wrong[0]
        raise ValueError(f"soft label {degrees[i, k]:g} at row {i}, cluster {k} is outside [0, 1]")
    return Labels(degrees, np.arange(c))
