"""Agreement of two partitions of the same rows, computed from sums over single rows."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from softclust.metrics.checks import check_labels, check_memberships, weights_of

_MOST_CELLS = 10**7  # largest table of classes x clusters to match: 80 MB of float64


class _Pairs(NamedTuple):
    """Sums over all pairs of rows i < j, which are together to the degree psi_ij = sum_k u_ik u_jk."""

    both: float  # sum of psi_ij psi'_ij
    first: float  # sum of psi_ij
    second: float  # sum of psi'_ij
    number: float  # of pairs


def fuzzy_rand_index(U: ArrayLike, V: ArrayLike, *, sample_weight: ArrayLike | None = None) -> float:
    """Fuzzy Rand index (SS + DD)/(SS + SD + DS + DD) (Frigui, Hwang & Rhee 2007).

    Rows i and j are together to the degree psi_ij = sum_k u_ik u_jk in U, and psi'_ij in V.  Over all pairs
    of rows i < j,

    SS = sum psi psi',  SD = sum psi (1 - psi'),  DS = sum (1 - psi) psi',  DD = sum (1 - psi)(1 - psi').

    The names of the clusters do not matter, and their numbers may differ.  For hard partitions the index is
    the Rand index.  A fuzzy partition compared with itself scores less than 1; with `credal_rand_index` it
    scores 1.

    Parameters
    ----------
    U, V : array-like of shape (n, c) or (n,)
        Memberships whose rows sum to 1, or labels.  U and V may have different c.
    sample_weight : array-like of shape (n,), default=None
        How many rows each row stands for.  A row of weight w > 1 forms w (w - 1)/2 pairs with itself.

    Returns
    -------
    float
        Between 0 and 1; 1 for a single row.

    Notes
    -----
    The sum of psi psi' over all i and j is the sum of the squared entries of U'V; the terms i = j are then
    subtracted.  Time is O(n c c'), memory O(n (c + c')).  The definition of Campello (2007) has minima in
    place of products and cannot be reduced to such a sum.

    References
    ----------
    .. [1] Frigui, Hwang, Rhee (2007). Clustering and aggregation of relational data with applications to
       image database categorization. Pattern Recognition 40(11), 3053-3068.

    Examples
    --------
    >>> from softclust.metrics import fuzzy_rand_index
    >>> fuzzy_rand_index([[1, 0], [1, 0], [0, 1]], [5, 5, 3])
    1.0
    >>> round(fuzzy_rand_index([[0.9, 0.1], [0.8, 0.2], [0.5, 0.5]], [0, 0, 1]), 4)
    0.58
    """
    s = _pairs(U, V, sample_weight)
    return _share(s.number - s.first - s.second + 2 * s.both, s.number)


def fuzzy_adjusted_rand_index(
    U: ArrayLike, V: ArrayLike, *, sample_weight: ArrayLike | None = None
) -> float:
    """Fuzzy Rand index adjusted for chance, as Hubert & Arabie (1985) adjust the Rand index.

    ARI = (SS - E)/((P + P')/2 - E) with P = SS + SD and P' = SS + DS; `fuzzy_rand_index` defines these
    sums.  E = P P'/M, with M the number of pairs, is the exact mean of SS over all orders of the rows of V,
    so that independent partitions score 0 on average.  For hard partitions the index is the adjusted Rand
    index.

    Parameters
    ----------
    U, V, sample_weight
        As in `fuzzy_rand_index`; U and V may be labels.

    Returns
    -------
    float
        At most 1.  The index is 1 if both partitions put all rows together, or both put all rows apart.

    References
    ----------
    .. [1] Hubert, Arabie (1985). Comparing partitions. Journal of Classification 2, 193-218.
    .. [2] Frigui, Hwang, Rhee (2007). Clustering and aggregation of relational data with applications to
       image database categorization. Pattern Recognition 40(11), 3053-3068.

    Examples
    --------
    >>> from softclust.metrics import fuzzy_adjusted_rand_index
    >>> round(fuzzy_adjusted_rand_index([[0.9, 0.1], [0.8, 0.2], [0.5, 0.5]], [0, 0, 1]), 4)
    0.2025
    """
    s = _pairs(U, V, sample_weight)
    if s.number <= 0:
        return 1.0
    expected, greatest = s.first * s.second / s.number, (s.first + s.second) / 2
    return _share(s.both - expected, greatest - expected, least=1e-14 * s.number)


def fuzzy_jaccard_index(U: ArrayLike, V: ArrayLike, *, sample_weight: ArrayLike | None = None) -> float:
    """Fuzzy Jaccard index SS/(SS + SD + DS), with the sums of `fuzzy_rand_index` (Frigui et al. 2007).

    Pairs that are apart in both partitions do not count.  For hard partitions the index is the Jaccard
    index of the two sets of pairs that are together.

    Parameters
    ----------
    U, V
        Memberships or labels, as in `fuzzy_rand_index`.
    sample_weight
        As in `fuzzy_rand_index`.

    Returns
    -------
    float
        Between 0 and 1; 1 if neither partition puts any rows together.

    References
    ----------
    .. [1] Frigui, Hwang, Rhee (2007), as in `fuzzy_rand_index`.

    Examples
    --------
    >>> from softclust.metrics import fuzzy_jaccard_index
    >>> fuzzy_jaccard_index([0, 0, 1, 1], [0, 0, 1, 2])
    0.5
    """
    s = _pairs(U, V, sample_weight)
    return _share(s.both, s.first + s.second - s.both, least=1e-14 * max(s.number, 0.0))


def rand_index(y_true: ArrayLike, y_pred: ArrayLike, *, sample_weight: ArrayLike | None = None) -> float:
    """Rand index: the share of pairs of rows that both labellings put together or both apart (Rand 1971).

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,)
        Labels.  Each distinct label is a cluster, negative labels too.
    sample_weight
        As in `fuzzy_rand_index`.

    Returns
    -------
    float
        Between 0 and 1; 1 for a single row.

    References
    ----------
    .. [1] Rand (1971). Objective criteria for the evaluation of clustering methods. Journal of the American
       Statistical Association 66(336), 846-850.

    Examples
    --------
    >>> from softclust.metrics import rand_index
    >>> rand_index([0, 0, 1, 1], ["a", "a", "b", "c"])
    0.8333333333333334
    """
    check_labels(y_true, "y_true")
    check_labels(y_pred, "y_pred")
    return fuzzy_rand_index(y_true, y_pred, sample_weight=sample_weight)


def matched_accuracy(
    y_true: ArrayLike, y_pred: ArrayLike, *, sample_weight: ArrayLike | None = None
) -> float:
    """Share of rows whose cluster is matched with their class, in the best one-to-one matching.

    Clusters beyond the number of classes stay unmatched, and their rows count as errors.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,)
        Classes and clusters; their names do not matter.
    sample_weight : array-like of shape (n,), default=None
        How many rows each row stands for.

    Returns
    -------
    float
        Between 0 and 1.

    References
    ----------
    .. [1] Kuhn (1955). The Hungarian method for the assignment problem. Naval Research Logistics 2, 83-97.

    Examples
    --------
    >>> from softclust.metrics import matched_accuracy
    >>> matched_accuracy(["a", "a", "b", "b"], [1, 1, 0, 1])
    0.75
    """
    matched, total = _matched(y_true, y_pred, sample_weight)
    return matched / total


def matched_errors(
    y_true: ArrayLike, y_pred: ArrayLike, *, sample_weight: ArrayLike | None = None
) -> int | float:
    """Number of rows whose cluster is not matched with their class; with weights, their total weight.

    The matching is the one of `matched_accuracy`.

    Parameters
    ----------
    y_true, y_pred, sample_weight
        As in `matched_accuracy`.

    Returns
    -------
    int or float
        At least 0; an int without `sample_weight`, a float with `sample_weight`.

    References
    ----------
    .. [1] Kuhn (1955), as in `matched_accuracy`.

    Examples
    --------
    >>> from softclust.metrics import matched_errors
    >>> matched_errors(["a", "a", "b", "b"], [1, 1, 0, 1])
    1
    """
    matched, total = _matched(y_true, y_pred, sample_weight)
    errors = max(0.0, total - matched)
    return round(errors) if sample_weight is None else errors


def _pairs(U: ArrayLike, V: ArrayLike, sample_weight: ArrayLike | None) -> _Pairs:
    U, V = _as_partition(U, "U"), _as_partition(V, "V")
    if len(U) != len(V):
        raise ValueError(f"U has {len(U)} rows and V has {len(V)}; they need the same rows.")
    weight = weights_of(sample_weight, len(U))
    # The weight of the terms i = j to subtract from the sums over all i and j.  A row of weight w > 1 keeps
    # the w (w - 1) ordered pairs of its copies; a row of weight w <= 1 keeps nothing.
    alone = weight * np.minimum(weight, 1.0)
    own, other = _own(U), _own(V)
    every = (_joint(U, V, weight), _column_sums(U, weight), _column_sums(V, weight), weight.sum())
    itself = (own * other, own, other, np.ones(len(U)))
    sums = (max(0.0, float((a * a).sum() - alone @ b) / 2) for a, b in zip(every, itself, strict=True))
    return _Pairs(*sums)


def _as_partition(U: ArrayLike, name: str) -> np.ndarray:
    """Return checked memberships, or the position of each label among the sorted distinct labels."""
    return check_labels(U, name)[0] if np.ndim(U) == 1 else check_memberships(U, name)


def _own(U: np.ndarray) -> np.ndarray:
    """(n,) psi_ii of each row."""
    return np.ones(len(U)) if U.ndim == 1 else (U * U).sum(axis=1)


def _column_sums(U: np.ndarray, weight: np.ndarray) -> np.ndarray:
    return np.bincount(U, weight) if U.ndim == 1 else weight @ U


def _joint(U: np.ndarray, V: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Return the entries of the weighted U'V, in any shape; of two labellings only the nonzero entries."""
    if U.ndim == 1 and V.ndim == 1:
        cells = np.unique(U * (V.max() + 1) + V, return_inverse=True)[1]
        return np.bincount(cells.reshape(-1), weight)
    if V.ndim == 1:
        U, V = V, U
    if U.ndim == 1:
        return np.stack([np.bincount(U, weight * v) for v in V.T])
    return (U * weight[:, None]).T @ V


def _share(part: float, whole: float, least: float = 0.0) -> float:
    """Return part/whole, at most 1; 1 if `whole` does not exceed `least`."""
    return min(1.0, float(part / whole)) if whole > least else 1.0


def _matched(y_true: ArrayLike, y_pred: ArrayLike, sample_weight: ArrayLike | None) -> tuple[float, float]:
    """Return the weight of the matched rows, and the weight of all rows."""
    from scipy.optimize import linear_sum_assignment

    classes, c = check_labels(y_true, "y_true")
    clusters, k = check_labels(y_pred, "y_pred")
    if len(classes) != len(clusters):
        raise ValueError(
            f"y_true has {len(classes)} rows and y_pred has {len(clusters)}; they need the same rows."
        )
    if c * k > _MOST_CELLS:
        raise ValueError(
            f"y_true has {c} classes and y_pred {k} clusters, too many to match; are they labels? "
            "fuzzy_adjusted_rand_index takes any number."
        )
    weight = weights_of(sample_weight, len(classes))
    table = np.bincount(classes * k + clusters, weight, minlength=c * k).reshape(c, k)
    best = linear_sum_assignment(table, maximize=True)
    return float(table[best].sum()), float(weight.sum())
