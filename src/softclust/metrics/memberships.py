"""Indices that use the memberships alone, and measure how far a partition is from hard."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from softclust.credal import CredalPartition
from softclust.metrics.checks import check_memberships, weights_of


def partition_coefficient(U: ArrayLike, *, sample_weight: ArrayLike | None = None) -> float:
    """Partition coefficient PC = sum_i sum_k u_ik^2 / n (Bezdek 1974); greater is better.

    PC is 1 for a hard partition, and 1/c if every membership is 1/c.  PC favours few clusters: it is 1 for
    one cluster.

    Parameters
    ----------
    U : array-like of shape (n, c)
        Memberships; rows sum to 1.
    sample_weight : array-like of shape (n,), default=None
        How many rows each row stands for.

    Returns
    -------
    float
        Between 1/c and 1.

    References
    ----------
    .. [1] Bezdek (1974). Numerical taxonomy with fuzzy sets. Journal of Mathematical Biology 1, 57-71.

    Examples
    --------
    >>> from softclust.metrics import partition_coefficient
    >>> partition_coefficient([[1.0, 0.0], [0.5, 0.5]])
    0.75
    """
    U = check_memberships(U)
    return float(np.average((U * U).sum(axis=1), weights=weights_of(sample_weight, len(U))))


def partition_entropy(U: ArrayLike, *, sample_weight: ArrayLike | None = None) -> float:
    """Partition entropy PE = - sum_i sum_k u_ik ln u_ik / n (Bezdek 1974); smaller is better.

    PE is 0 for a hard partition, and ln c if every membership is 1/c.  PE favours few clusters: it is 0 for
    one cluster.

    Parameters
    ----------
    U, sample_weight
        As in `partition_coefficient`.

    Returns
    -------
    float
        Between 0 and ln c.

    References
    ----------
    .. [1] Bezdek (1974). Cluster validity with fuzzy sets. Journal of Cybernetics 3(3), 58-73.

    Examples
    --------
    >>> from softclust.metrics import partition_entropy
    >>> round(partition_entropy([[1.0, 0.0], [0.5, 0.5]]), 4)
    0.3466
    """
    U = check_memberships(U)
    logarithms = np.log(U, out=np.zeros_like(U), where=U > 0)
    each = np.abs((U * logarithms).sum(axis=1))  # not below 0 if rounding puts a u_ik above 1
    return float(np.average(each, weights=weights_of(sample_weight, len(U))))


def modified_partition_coefficient(U: ArrayLike, *, sample_weight: ArrayLike | None = None) -> float:
    """Modified partition coefficient MPC = 1 - c/(c - 1) (1 - PC) (Dave 1996); greater is better.

    MPC maps the range of PC, which depends on c, to [0, 1].  MPC is 0 for one cluster, which separates
    nothing.

    Parameters
    ----------
    U : array-like of shape (n, c)
        Memberships, as in `partition_coefficient`.
    sample_weight
        As in `partition_coefficient`.

    Returns
    -------
    float
        Between 0 and 1, whatever c is.

    References
    ----------
    .. [1] Dave (1996). Validating fuzzy partitions obtained through c-shells clustering. Pattern
       Recognition Letters 17(6), 613-623.

    Examples
    --------
    >>> from softclust.metrics import modified_partition_coefficient
    >>> U = [[1.0, 0.0], [0.5, 0.5]]
    >>> modified_partition_coefficient(U)
    0.5
    """
    U = check_memberships(U)
    c = U.shape[1]
    if c == 1:
        return 0.0
    return max(0.0, 1 - c / (c - 1) * (1 - partition_coefficient(U, sample_weight=sample_weight)))


def nonspecificity(
    partition: CredalPartition, *, normalized: bool = True, sample_weight: ArrayLike | None = None
) -> float:
    """Mean nonspecificity of a credal partition (Masson & Denoeux 2008); smaller is better.

    N = sum_i [sum_A m_i(A) log2|A| + m_i({}) log2 c] / (n log2 c).  N is 0 for a hard or a fuzzy partition,
    and 1 if all mass is on the set of all clusters or on the empty set.  N is 0 for one cluster.

    Parameters
    ----------
    partition : CredalPartition
        `credal_partition_` of a fitted EvidentialCMeans, or CredalPartition(masses, focal_sets).
    normalized : bool, default=True
        Whether to divide by log2 c.  If False, N is in bits.
    sample_weight : array-like of shape (n,), default=None
        How many rows each row stands for.

    Returns
    -------
    float
        Between 0 and 1; in bits, between 0 and log2 c.

    References
    ----------
    .. [1] Masson, Denoeux (2008), as in `CredalPartition`.

    Examples
    --------
    >>> from softclust.credal import CredalPartition
    >>> from softclust.metrics import nonspecificity
    >>> nonspecificity(CredalPartition([[0.5, 0.0, 0.5], [0.0, 1.0, 0.0]], [[1, 0], [0, 1], [1, 1]]))
    0.25
    """
    if not isinstance(partition, CredalPartition):
        raise ValueError(
            f"partition is a {type(partition).__name__}, but a CredalPartition is needed, such as "
            "credal_partition_ of EvidentialCMeans."
        )
    bits = float(np.average(partition.nonspecificity, weights=weights_of(sample_weight, len(partition))))
    return bits / np.log2(partition.n_clusters).item() if normalized and partition.n_clusters > 1 else bits
