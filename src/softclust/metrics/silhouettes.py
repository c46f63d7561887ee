"""Silhouettes of fuzzy partitions, from the distances between rows or from the distances to centres."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from softclust.metrics.checks import check_centers, check_memberships, check_number, check_rows, weights_of
from softclust.metrics.scaling import in_units

_BLOCK = 1 << 20  # distances held in memory at once


def fuzzy_silhouette(
    X: ArrayLike, U: ArrayLike, *, alpha: float = 1.0, sample_weight: ArrayLike | None = None
) -> float:
    """Fuzzy silhouette (Campello & Hruschka 2006); greater is better.

    FS = sum_i (u_ip - u_iq)^alpha s_i / sum_i (u_ip - u_iq)^alpha,  s_i = (b_i - a_i)/max(a_i, b_i).

    u_ip and u_iq are the greatest and the second greatest membership of row i.  s_i is the silhouette of
    row i in the hard partition by greatest memberships: a_i is the mean distance to the other rows of its
    cluster, b_i the least mean distance to the rows of another cluster.  A row alone in its cluster has s_i
    = 0.  For a hard partition, and for alpha = 0, FS is the mean silhouette.  FS is 0 if there is only one
    cluster, or if every row has two equal greatest memberships.

    Parameters
    ----------
    X : array-like of shape (n, p)
        Rows; distances are Euclidean.
    U : array-like of shape (n, c)
        Memberships; rows sum to 1.
    alpha : float, default=1.0
        Exponent that discounts rows between clusters, at least 0.
    sample_weight : array-like of shape (n,), default=None
        How many rows each row stands for.  The copies of a row are at distance 0 from each other.

    Returns
    -------
    float
        Between -1 and 1, whatever the unit of X.

    Notes
    -----
    Time is O(n^2 p), memory O(n (p + c)); `simplified_fuzzy_silhouette` takes O(n c p).

    References
    ----------
    .. [1] Campello, Hruschka (2006). A fuzzy extension of the silhouette width criterion for cluster
       analysis. Fuzzy Sets and Systems 157(21), 2858-2875.

    Examples
    --------
    >>> from softclust.metrics import fuzzy_silhouette
    >>> X = [[0.0], [1.0], [5.0], [9.0], [10.0]]
    >>> U = [[1.0, 0.0], [0.9, 0.1], [0.5, 0.5], [0.1, 0.9], [0.0, 1.0]]
    >>> round(fuzzy_silhouette(X, U), 4)  # the row between counts for nothing
    0.7805
    """
    U, X, weight = _read(X, U, sample_weight)
    alpha = check_number(alpha, "alpha", 0)
    return _mean(_silhouettes(X, U, weight), U, alpha, weight)


def fuzzy_silhouette_samples(
    X: ArrayLike, U: ArrayLike, *, sample_weight: ArrayLike | None = None
) -> np.ndarray:
    """Silhouette s_i of each row, as in `fuzzy_silhouette`.

    Parameters
    ----------
    X, U, sample_weight
        As in `fuzzy_silhouette`.

    Returns
    -------
    ndarray of shape (n,)
        Between -1 and 1.  A row alone in its cluster has 0; all rows have 0 if there is only one cluster.

    References
    ----------
    .. [1] Campello, Hruschka (2006). A fuzzy extension of the silhouette width criterion for cluster
       analysis. Fuzzy Sets and Systems 157(21), 2858-2875.
    """
    U, X, weight = _read(X, U, sample_weight)
    return _silhouettes(X, U, weight)


def simplified_fuzzy_silhouette(
    X: ArrayLike, U: ArrayLike, V: ArrayLike, *, alpha: float = 1.0, sample_weight: ArrayLike | None = None
) -> float:
    """Fuzzy silhouette from distances to centres or medoids, in O(n c p); greater is better.

    The index is `fuzzy_silhouette` with a_i = |x_i - v_p| and b_i = min_{k != p} |x_i - v_k|, where p is
    the cluster of greatest membership.  s_i is 0 if a_i and b_i are both 0.  The index is 0 for one
    cluster.

    Parameters
    ----------
    X, U
        Rows and memberships, as in `fuzzy_silhouette`.
    V : array-like of shape (c, p)
        Centres, or the rows of the medoids.
    alpha
        As in `fuzzy_silhouette`.
    sample_weight : array-like of shape (n,), default=None
        How many rows each row stands for.

    Returns
    -------
    float
        Between -1 and 1, whatever the unit of X.

    References
    ----------
    .. [1] Hruschka, de Castro, Campello (2004). Evolutionary algorithms for clustering gene-expression
       data. IEEE International Conference on Data Mining, 403-406.
    .. [2] Campello, Hruschka (2006). A fuzzy extension of the silhouette width criterion for cluster
       analysis. Fuzzy Sets and Systems 157(21), 2858-2875.

    Examples
    --------
    >>> from softclust.metrics import simplified_fuzzy_silhouette
    >>> X, U = [[0.0], [1.0], [9.0], [10.0]], [[1.0, 0.0], [0.9, 0.1], [0.1, 0.9], [0.0, 1.0]]
    >>> round(simplified_fuzzy_silhouette(X, U, [[0.5], [9.5]]), 4)
    0.9446
    """
    from scipy.spatial.distance import cdist

    U, X, weight = _read(X, U, sample_weight)
    V = check_centers(V, U.shape[1], X.shape[1])
    alpha = check_number(alpha, "alpha", 0)
    if len(V) == 1:
        return 0.0
    X, V, _ = in_units(X, V)
    D = cdist(X, V)
    own = U.argmax(axis=1)[:, None]
    a = np.take_along_axis(D, own, axis=1)[:, 0]
    np.put_along_axis(D, own, np.inf, axis=1)
    return _mean(_ratio(a, D.min(axis=1)), U, alpha, weight)


def _read(
    X: ArrayLike, U: ArrayLike, sample_weight: ArrayLike | None
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    U = check_memberships(U)
    return U, check_rows(X, len(U)), weights_of(sample_weight, len(U))


def _mean(silhouettes: np.ndarray, U: np.ndarray, alpha: float, weight: np.ndarray) -> float:
    """Return the mean silhouette with weights (u_p - u_q)^alpha; 0 if all weights are 0."""
    if U.shape[1] == 1:
        return 0.0
    two = np.partition(U, -2, axis=1)[:, -2:]
    weight = weight * (two[:, 1] - two[:, 0]) ** alpha
    total = weight.sum()
    return float(weight @ silhouettes / total) if total > 0 else 0.0


def _silhouettes(X: np.ndarray, U: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """(n,) silhouettes, computed for blocks of rows against all rows in the order of their clusters.

    A row of weight w > 1 has w - 1 further copies in its cluster; a row of weight w <= 1 has no copies.
    """
    from scipy.spatial.distance import cdist

    labels = U.argmax(axis=1)
    rows = np.argsort(labels, kind="stable")
    rows = rows[weight[rows] > 0]
    present, starts = np.unique(labels[rows], return_index=True)
    found = np.zeros(len(X))
    if len(present) < 2:
        return found
    X, _ = in_units(X)
    others, mass = X[rows], weight[rows]
    sizes = np.add.reduceat(mass, starts)
    step = max(1, _BLOCK // len(others))
    for i in range(0, len(X), step):
        block = slice(i, i + step)
        sums = np.add.reduceat(cdist(X[block], others) * mass, starts, axis=1)
        is_own = labels[block, None] == present
        company = (is_own * sizes).sum(axis=1) - np.minimum(weight[block], 1.0)
        alone = company <= 0
        a = (is_own * sums).sum(axis=1) / np.where(alone, 1.0, company)
        b = np.where(is_own, np.inf, sums / sizes).min(axis=1)
        found[block] = np.where(alone, 0.0, _ratio(a, b))
    return found


def _ratio(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return (b - a)/max(a, b), and 0 where both are 0."""
    largest = np.maximum(a, b)
    return (b - a) / np.where(largest > 0, largest, 1.0)
