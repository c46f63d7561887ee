"""Indices that weigh how compact clusters are against how far apart their centres lie."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from softclust.metrics.checks import check_centers, check_memberships, check_number, check_rows, weights_of
from softclust.metrics.scaling import in_units, times_power_of_two


class _Spread(NamedTuple):
    """Sums of squared distances, in units of 4^exponent."""

    within: float  # J = sum_i w_i sum_k u_ik^m |x_i - v_k|^2
    between: np.ndarray  # (c (c - 1)/2,) |v_k - v_l|^2
    from_mean: np.ndarray  # (c,) |v_k - mean of the rows|^2
    mass: np.ndarray  # (c,) sum_i w_i u_ik^m
    total_weight: float
    exponent: int

    @property
    def separates(self) -> bool:
        """Whether there are at least two centres, and no two centres coincide."""
        return len(self.between) > 0 and self.between.min() > 0


def _spread(X: Any, U: ArrayLike, V: Any, m: float, sample_weight: ArrayLike | None) -> _Spread:
    from scipy.spatial.distance import cdist, pdist

    U = check_memberships(U)
    X = check_rows(X, len(U))
    V = check_centers(V, U.shape[1], X.shape[1])
    degree = U ** check_number(m, "m", 1)
    weight = weights_of(sample_weight, len(U))
    X, V, exponent = in_units(X, V)
    D = cdist(X, V, "sqeuclidean")
    mean = np.average(X, axis=0, weights=weight)
    between = pdist(V, "sqeuclidean") if len(V) > 1 else np.empty(0)
    return _Spread(
        float(weight @ (degree * D).sum(axis=1)),
        between,
        ((V - mean) ** 2).sum(axis=1),
        weight @ degree,
        float(weight.sum()),
        exponent,
    )


def xie_beni(
    X: ArrayLike, U: ArrayLike, V: ArrayLike, *, m: float = 2.0, sample_weight: ArrayLike | None = None
) -> float:
    """Xie-Beni index sum_i sum_k u_ik^m |x_i - v_k|^2 / (n min_{k != l} |v_k - v_l|^2); smaller is better.

    The index does not depend on the unit of X.  The index is inf for one cluster, and if centres coincide.

    Parameters
    ----------
    X : array-like of shape (n, p)
        Rows.
    U : array-like of shape (n, c)
        Memberships; rows sum to 1.
    V : array-like of shape (c, p)
        Centres.
    m : float, default=2.0
        Exponent of the memberships, at least 1; the paper uses 2.
    sample_weight : array-like of shape (n,), default=None
        How many rows each row stands for.

    Returns
    -------
    float
        At least 0.

    References
    ----------
    .. [1] Xie, Beni (1991). A validity measure for fuzzy clustering. IEEE Transactions on Pattern Analysis
       and Machine Intelligence 13(8), 841-847.

    Examples
    --------
    >>> from softclust.metrics import xie_beni
    >>> xie_beni([[0.0], [1.0], [9.0], [10.0]], [[1, 0], [1, 0], [0, 1], [0, 1]], [[0.5], [9.5]])
    0.0030864197530864196
    """
    s = _spread(X, U, V, m, sample_weight)
    return s.within / (s.total_weight * float(s.between.min())) if s.separates else np.inf


def kwon(
    X: ArrayLike, U: ArrayLike, V: ArrayLike, *, m: float = 2.0, sample_weight: ArrayLike | None = None
) -> float:
    """Kwon's index (Kwon 1998); smaller is better.

    The index is

    [sum_i sum_k u_ik^m |x_i - v_k|^2 + sum_k |v_k - mean|^2 / c] / min_{k != l} |v_k - v_l|^2,

    where the mean is the mean of the rows.  The first term alone would give n times the Xie-Beni index; the
    second term keeps the index from falling as c approaches n.  The index does not depend on the unit of X,
    but grows with n.

    Parameters
    ----------
    X, U, V, m, sample_weight
        As in `xie_beni`; the mean of the rows is weighted by `sample_weight`.

    Returns
    -------
    float
        At least 0; inf for one cluster, and if two centres coincide.

    References
    ----------
    .. [1] Kwon (1998). Cluster validity index for fuzzy clustering. Electronics Letters 34(22), 2176-2177.

    Examples
    --------
    >>> from softclust.metrics import kwon
    >>> X, U = [[0.0], [1.0], [9.0], [10.0]], [[1, 0], [1, 0], [0, 1], [0, 1]]
    >>> round(kwon(X, U, [[0.5], [9.5]]), 4)
    0.2623
    """
    s = _spread(X, U, V, m, sample_weight)
    return (s.within + float(s.from_mean.mean())) / float(s.between.min()) if s.separates else np.inf


def tang(
    X: ArrayLike, U: ArrayLike, V: ArrayLike, *, m: float = 2.0, sample_weight: ArrayLike | None = None
) -> float:
    """Tang's index (Tang, Sun & Sun 2005); smaller is better.

    The index is

    [sum u^m |x_i - v_k|^2 + sum_{k != l} |v_k - v_l|^2 / (c (c - 1))] / (min |v_k - v_l|^2 + 1/c).

    The 1/c keeps the index finite if centres coincide, but makes the index depend on the unit of X.

    Parameters
    ----------
    X, U, V, m, sample_weight
        As in `xie_beni`; standardise X first.

    Returns
    -------
    float
        At least 0; inf for one cluster.

    References
    ----------
    .. [1] Tang, Sun, Sun (2005). Improved validation index for fuzzy clustering. American Control
       Conference, 1120-1125.

    Examples
    --------
    >>> from softclust.metrics import tang
    >>> round(tang([[0.0], [1.0], [9.0], [10.0]], [[1, 0], [1, 0], [0, 1], [0, 1]], [[0.5], [9.5]]), 4)
    1.0061
    """
    s = _spread(X, U, V, m, sample_weight)
    if not len(s.between):
        return np.inf
    top = s.within + float(s.between.mean())
    bottom = float(s.between.min()) + times_power_of_two(1 / len(s.mass), -2 * s.exponent)
    return top / bottom if bottom > 0 else np.inf


def fukuyama_sugeno(
    X: ArrayLike, U: ArrayLike, V: ArrayLike, *, m: float = 2.0, sample_weight: ArrayLike | None = None
) -> float:
    """Fukuyama-Sugeno index sum_i sum_k u_ik^m (|x_i - v_k|^2 - |v_k - mean|^2); smaller is better.

    The mean is the mean of the rows; some authors take the mean of the centres.  The index is below 0 if
    clusters lie far apart.  The index scales with the square of the unit of X and with n.

    Parameters
    ----------
    X, U, V
        Rows, memberships and centres, as in `xie_beni`.
    m, sample_weight
        As in `xie_beni`; the mean of the rows is weighted too.

    Returns
    -------
    float
        Any number.

    References
    ----------
    .. [1] Fukuyama, Sugeno (1989). A new method of choosing the number of clusters for the fuzzy c-means
       method. Proceedings of the 5th Fuzzy Systems Symposium, 247-250 (in Japanese).
    .. [2] Pal, Bezdek (1995). On cluster validity for the fuzzy c-means model. IEEE Transactions on Fuzzy
       Systems 3(3), 370-379.

    Examples
    --------
    >>> from softclust.metrics import fukuyama_sugeno
    >>> fukuyama_sugeno([[0.0], [1.0], [9.0], [10.0]], [[1, 0], [1, 0], [0, 1], [0, 1]], [[0.5], [9.5]])
    -80.0
    """
    s = _spread(X, U, V, m, sample_weight)
    return times_power_of_two(s.within - float(s.mass @ s.from_mean), 2 * s.exponent)
