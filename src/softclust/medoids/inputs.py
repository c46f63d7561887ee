"""Checks of rows and distances for k-medoids, with messages that name the entry."""

from __future__ import annotations

from typing import Any

import numpy as np

from softclust._lazy import kernels


def check_entries(X: np.ndarray) -> None:
    """Refuse NaN and infinities by their place."""
    with np.errstate(over="ignore", invalid="ignore"):
        if np.isfinite(X.sum()):
            return
    wrong = ~np.isfinite(X)
    if wrong.any():
        i, j = np.argwhere(wrong)[0]
        kind = "NaN" if np.isnan(X[i, j]) else f"infinity or a value too large for {X.dtype!r}"
        raise ValueError(
            f"Input X contains {kind}: X[{i}, {j}] is {X[i, j]}; KMedoids takes finite numbers."
        )


def check_distances(D: np.ndarray, columns: np.ndarray | None = None) -> bool:
    """Refuse a distance that is negative or not finite by its place; whether D is symmetric."""
    i, j, symmetric = kernels("medoids").inspect(D)
    if i >= 0:
        value, j = D[i, j], j if columns is None else columns[j]
        kind = "Input X contains NaN" if np.isnan(value) else "Input X contains infinity"
        kind = "Negative values in data passed to KMedoids" if value < 0 else kind
        raise ValueError(
            f"{kind}: X[{i}, {j}] is {value}, the distance of row {i} to row {j}; "
            'with metric="precomputed" all are finite and >= 0.'
        )
    return symmetric


def paid(D: np.ndarray) -> np.ndarray:
    """The distances, those to one medoid side by side: D itself where it is symmetric."""
    transposed = D.flags.f_contiguous and not D.flags.c_contiguous
    D = D if transposed else np.ascontiguousarray(D)
    symmetric = check_distances(D)
    if D.shape[0] != D.shape[1]:
        raise ValueError(
            f'X has the shape {D.shape}; metric="precomputed" takes a square matrix, the distance of every '
            "row to every other."
        )
    if transposed:
        return D.T
    return D if symmetric else np.ascontiguousarray(D.T)


def completed(metric: Any, parameters: dict[str, Any] | None, X: np.ndarray) -> dict[str, Any]:
    """Parameters of a metric; those that scikit-learn takes from all rows are found once, from X."""
    parameters = dict(parameters or {})
    if metric == "seuclidean" and "V" not in parameters:
        parameters["V"] = np.var(X, axis=0, ddof=1, dtype=np.float64)
    if metric == "mahalanobis" and not {"V", "VI"} & set(parameters):
        parameters["VI"] = np.linalg.inv(np.atleast_2d(np.cov(X.T))).T
    return parameters
