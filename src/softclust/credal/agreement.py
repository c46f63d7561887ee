"""Agreement of two credal partitions."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from softclust.credal.partition import CredalPartition, check_same

_BLOCK = 1 << 20  # numbers in the largest temporary array of the Rand index
_TRIVIAL = 1e-12  # an expected disagreement below this is a rounding error
# Rows and columns are the sets {}, {same}, {not same}, {same, not same} of a pair.  _OVERLAP holds
# Jousselme's |A & B| / |A | B|; _EXCLUSIVE is 1 where A and B exclude each other.
_OVERLAP = np.array([[1, 0, 0, 0], [0, 1, 0, 0.5], [0, 0, 1, 0.5], [0, 0.5, 0.5, 1]])
_EXCLUSIVE = np.array([[1, 1, 1, 1], [1, 0, 1, 0], [1, 1, 0, 0], [1, 0, 0, 0]])


def credal_rand_index(
    p: CredalPartition | ArrayLike,
    q: CredalPartition | ArrayLike,
    adjusted: bool = False,
    *,
    kind: str = "distance",
) -> float:
    """Rand index of two credal partitions of the same rows; 1 if both say the same of every pair.

    A partition divides the mass m_ij of two rows i and j among four statements: the rows are in the same
    cluster (both on the same {k}), the rows are not in the same cluster (on disjoint sets), the rows may be
    in the same cluster, or the rows are outside (at least one of the rows on the empty set).  The index is

        RI = 1 - mean over i < j of delta(m_ij, m'_ij),

    where delta is chosen by `kind`.  The names and numbers of the clusters do not matter.  For hard
    partitions both kinds equal the Rand index and, adjusted, the adjusted Rand index.

    Parameters
    ----------
    p, q : CredalPartition, 1-D array of labels or 2-D array of memberships
        Each distinct label is a cluster, as in scikit-learn, negative labels too.  Memberships sum to 1 in
        each row.
    adjusted : bool, default=False
        Whether to return (RI - E)/(1 - E), where E is the exact mean of RI over all permutations of the
        rows of one partition.  The adjusted index is 0 on average and at most 1.  The adjusted index is 1
        if E is 1, that is if the partitions agree in every order of the rows.
    kind : {"distance", "conflict"}, default="distance"
        "distance": delta is the square of Jousselme's distance, so that RI(p, p) = 1 for every p, and
        sqrt(1 - RI) satisfies the triangle inequality.
        "conflict": delta is the mass that m_ij and m'_ij put on sets that exclude each other, and RI is the
        consistency index of the paper.  This RI asks whether p and q can both be true: a vacuous partition
        is consistent with every partition (RI = 1), a fuzzy partition is not with itself (RI < 1).

    Returns
    -------
    float
        Between 0 and 1; adjusted, at most 1.

    Notes
    -----
    The similarity index of the paper uses the distance and not its square.  The similarity index lies
    between 1 - sqrt(1 - RI) and RI, and can only be computed by a sum over all pairs.  The squared distance
    needs only sums over single rows, because m_ij is bilinear in the rows: time is O(n f^2), memory
    O(n + f^2) beyond the masses, with f sets in each partition.

    Soft partitions commit themselves to little and so differ little: RI is close to 1 even for independent
    partitions.  Use the adjusted index to compare fits.

    References
    ----------
    .. [1] Denoeux, Li, Sriboonchitta (2018). Evaluating and comparing soft partitions: an approach based on
       Dempster-Shafer theory. IEEE Transactions on Fuzzy Systems 26(3), 1231-1244.

    Examples
    --------
    >>> from softclust.credal import credal_rand_index
    >>> soft = [[0.9, 0.1], [0.8, 0.2], [0.5, 0.5]]
    >>> credal_rand_index(soft, soft), credal_rand_index([0, 0, 1], [5, 5, 3])
    (1.0, 1.0)
    >>> round(credal_rand_index(soft, [0, 0, 1], adjusted=True), 3)
    0.361
    """
    if kind not in ("distance", "conflict"):
        raise ValueError(f"kind={kind!r} is neither 'distance' nor 'conflict'.")
    p, q = _as_partition(p), _as_partition(q)
    check_same("rows", len(p), len(q))
    if len(p) == 1 or (kind == "distance" and p == q):  # rounding would give equal partitions less than 1
        return 1.0
    a, b = _PairMasses(p), _PairMasses(q)
    both, by_chance = a.mean_product(b), np.outer(a.mean, b.mean)
    if kind == "conflict":
        delta, expected = np.sum(_EXCLUSIVE * both), np.sum(_EXCLUSIVE * by_chance)
    else:
        alone = (a.mean_product(a) + b.mean_product(b)) / 2
        delta, expected = np.sum(_OVERLAP * (alone - both)), np.sum(_OVERLAP * (alone - by_chance))
    if adjusted:
        return 1.0 if expected < _TRIVIAL else float(1 - max(delta, 0.0) / expected)
    return float(np.clip(1 - delta, 0.0, 1.0))


def _as_partition(p: CredalPartition | ArrayLike) -> CredalPartition:
    if isinstance(p, CredalPartition):
        return p
    p = np.asarray(p)
    if p.ndim != 1:
        return CredalPartition.from_memberships(p)
    if p.dtype.kind == "f" and not (p == np.floor(p)).all():
        raise ValueError("A 1-D array is taken for labels, and these are not whole numbers.")
    return CredalPartition.from_labels(np.unique(p, return_inverse=True)[1])


class _PairMasses:
    """Means of the pair masses over all pairs of rows i < j, and means of products of pair masses.

    The pair masses are m_ij = (m_i' A m_j for the four forms A of `_pair_forms`).  For masses M and L of
    the same rows and T = M'L, the sum over all i, j of (M A M')_ij (L B L')_ij is tr(A T B T').  The terms
    i = j are then subtracted.
    """

    def __init__(self, partition: CredalPartition) -> None:
        self.masses, self.forms = partition.masses, _pair_forms(partition.focal_sets)
        n, f = self.masses.shape
        self.pairs = n * (n - 1)
        step = max(1, _BLOCK // (4 * f))
        blocks = (self.masses[i : i + step] for i in range(0, n, step))
        self.own = np.vstack([((M @ self.forms) * M).sum(axis=2).T for M in blocks])  # (n, 4): i = j
        total = self.masses.sum(axis=0)
        self.mean = (self.forms @ total @ total - self.own.sum(axis=0)) / self.pairs

    def mean_product(self, other: _PairMasses) -> np.ndarray:
        """(4, 4) mean over pairs of m_ij(A) m'_ij(B)."""
        T = self.masses.T @ other.masses
        every = np.einsum("axy,bxy->ab", self.forms @ T, T @ other.forms, optimize=True)
        return (every - self.own.T @ other.own) / self.pairs


def _pair_forms(sets: np.ndarray) -> np.ndarray:
    """(4, f, f) 1 for what sets A and B say of a pair, else 0: outside, same, not same, unknown."""
    sizes = sets.sum(axis=1)
    filled = (sizes > 0)[:, None] & (sizes > 0)
    same = np.diag(sizes == 1)
    apart = filled & (sets.astype(float) @ sets.T == 0)
    return np.stack([~filled, same, apart, filled & ~same & ~apart]).astype(float)
