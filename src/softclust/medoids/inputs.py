"""Checks of rows and distances for k-medoids, with messages that name the wrong entry."""

from __future__ import annotations

from typing import Any

import numpy as np

from softclust._lazy import kernels
from softclust.sources import is_remote

_SINGULAR = 1e-13  # of the mean variance of standardised features
_MOST_MERGED = 20_000  # most rows among which equal rows are looked for


def given_medoids(init: Any, k: int, n: int, weight: np.ndarray | None) -> Any:
    """Check `init` and return it: its name, or the positions of rows as int64."""
    if isinstance(init, str):
        return init
    try:
        init = np.asarray(init)
    except ValueError as error:
        raise ValueError(f"init should be row positions: {error}") from None
    if init.shape != (k,):
        raise ValueError(f"init has the shape {init.shape}; n_clusters={k} row positions would fit.")
    if init.dtype.kind not in "iu":
        raise ValueError(f"init[0] is {init.tolist()[0]!r}; row positions are whole numbers.")
    for place, row in enumerate(init.tolist()):
        if not 0 <= row < n:
            raise ValueError(f"init[{place}] is {row}; X has rows 0 to {n - 1}.")
        first = init.tolist().index(row)
        if first < place:
            raise ValueError(f"init[{first}] and init[{place}] are both row {row}; medoids must differ.")
        if weight is not None and weight[row] == 0:
            raise ValueError(f"init[{place}] is row {row}, whose sample_weight is 0.")
    return init.astype(np.int64)


def candidates(
    rows: Any, weight: np.ndarray | None, k: int, merges: bool
) -> tuple[np.ndarray | None, np.ndarray | None]:
    """Return positions of the rows that the search sees (None: all), and their weights (None: all 1).

    Rows of weight 0 are left out.  With `merges`, which random searches ask for, equal rows become one row
    with the sum of their weights, and rows get an order of their own, so that copies of rows and another
    order of rows change nothing.
    """
    n = len(rows)
    pool = np.arange(n) if weight is None else np.flatnonzero(weight)
    if len(pool) < k:
        raise ValueError(f"Only {len(pool)} rows have a weight above 0; n_clusters={k} needs as many.")
    if is_remote(rows):
        if len(pool) < n:
            raise ValueError(
                f"sample_weight is 0 for {n - len(pool)} rows; leave them out of rows on a cluster."
            )
        return None, weight
    weight = None if weight is None else weight[pool]
    if merges and n <= _MOST_MERGED:
        _, first, inverse = np.unique(rows[pool], axis=0, return_index=True, return_inverse=True)
        if len(first) >= k:
            return pool[first], np.bincount(inverse.ravel(), weight).astype(np.float64)
    return (None if len(pool) == n else pool), weight


def check_entries(X: np.ndarray) -> None:
    """Raise ValueError if X has a NaN or an infinity; the message names its position."""
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
    """Raise ValueError if a distance is negative or not finite; return whether D is symmetric.

    The message names the position of the distance, with `columns` as the names of the columns if given.
    """
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
    """Return the distances, with the distances to one medoid side by side: D itself if it is symmetric."""
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
    """Complete the parameters of a metric: what scikit-learn would take from all rows, take once from X."""
    parameters = dict(parameters or {})
    if metric == "seuclidean" and "V" not in parameters:
        parameters["V"] = np.var(X, axis=0, ddof=1, dtype=np.float64)
    if metric == "mahalanobis" and not {"V", "VI"} & set(parameters):
        sigma = np.atleast_2d(np.cov(X.T))
        if _is_singular(sigma):
            raise ValueError(
                'metric="mahalanobis" takes the inverse of the covariance of X, which has none: some '
                "feature is constant or follows from others. Without it, or with "
                'metric_params={"VI": numpy.linalg.pinv(numpy.cov(X.T))}, it would fit.'
            )
        parameters["VI"] = np.linalg.inv(sigma).T
    return parameters


def _is_singular(sigma: np.ndarray) -> bool:
    """Whether a covariance has no inverse but of rounding, whatever the units of the features."""
    spread = np.sqrt(sigma.diagonal())
    if not (np.isfinite(sigma).all() and (spread > 0).all()):
        return True
    return bool(np.linalg.eigvalsh(sigma / spread / spread[:, None])[0] < _SINGULAR * len(sigma))
