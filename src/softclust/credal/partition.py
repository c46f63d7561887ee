"""Credal partitions, in which each row divides its mass among sets of clusters, and their Rand index."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

_TOLERANCE = 1e-6  # of the sum of a row


@dataclass(frozen=True, eq=False, repr=False)
class CredalPartition:
    """Mass functions m_i over sets A of c clusters, sum_A m_i(A) = 1 (Masson & Denoeux 2008).

    Mass on a set of several clusters means doubt between these clusters.  Mass on the empty set means that
    the row belongs to no cluster.

    Parameters
    ----------
    masses : array-like of shape (n, f)
        m_i(A_j); rows sum to 1.
    focal_sets : array-like of shape (f, c)
        True where cluster k is in A_j.  The f sets are distinct, in any order, with or without the empty
        set.

    References
    ----------
    .. [1] Masson, Denoeux (2008). ECM: an evidential version of the fuzzy c-means algorithm. Pattern
       Recognition 41(4), 1384-1397.

    Examples
    --------
    >>> from softclust.credal import CredalPartition
    >>> p = CredalPartition([[0.1, 0.7, 0.2, 0.0], [0.0, 0.1, 0.3, 0.6]], [[0, 0], [1, 0], [0, 1], [1, 1]])
    >>> p.plausibility
    array([[0.7, 0.2],
           [0.7, 0.9]])
    >>> p.labels
    array([0, 1])
    >>> p.lower_approximation.sum(axis=0), p.upper_approximation.sum(axis=0)
    (array([1, 0]), array([2, 1]))
    """

    masses: np.ndarray
    focal_sets: np.ndarray

    def __post_init__(self) -> None:
        sets, masses = np.array(self.focal_sets), np.array(self.masses, dtype=np.float64)
        _check_sets(sets)
        _check_masses(masses, len(sets))
        for name, value in (("masses", masses), ("focal_sets", sets.astype(bool))):
            value.flags.writeable = False
            object.__setattr__(self, name, value)

    @classmethod
    def from_labels(cls, labels: ArrayLike, n_clusters: int | None = None) -> CredalPartition:
        """Return the hard partition, in which all mass of row i is on {labels[i]}.

        Parameters
        ----------
        labels : array-like of int of shape (n,)
            The cluster of each row, from 0 to n_clusters - 1.
        n_clusters : int, default=None
            Number of clusters.  None: the greatest label + 1.

        Returns
        -------
        CredalPartition
        """
        labels = np.asarray(labels)
        if labels.ndim != 1 or not labels.size or labels.dtype.kind not in "iu":
            raise ValueError(f"labels is {labels.dtype} of shape {labels.shape}, not one integer per row.")
        c = int(labels.max()) + 1 if n_clusters is None else n_clusters
        wrong = np.flatnonzero((labels < 0) | (labels >= c))
        if len(wrong):
            raise ValueError(f"labels[{wrong[0]}] = {labels[wrong[0]]} is not a cluster from 0 to {c - 1}.")
        masses = np.zeros((len(labels), c))
        masses[np.arange(len(labels)), labels] = 1.0
        return cls(masses, np.eye(c, dtype=bool))

    @classmethod
    def from_memberships(cls, U: ArrayLike) -> CredalPartition:
        """Return the fuzzy partition, in which row i has mass u_ik on {k} (Bayesian masses).

        Parameters
        ----------
        U : array-like of shape (n, c)
            Memberships; rows sum to 1.

        Returns
        -------
        CredalPartition
        """
        U = np.asarray(U)
        return cls(U, np.eye(U.shape[-1] if U.ndim else 1, dtype=bool))

    def __len__(self) -> int:
        return len(self.masses)

    def __repr__(self) -> str:
        n, f = self.masses.shape
        return f"CredalPartition({n} rows, {self.n_clusters} clusters, {f} focal sets)"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, CredalPartition):
            return NotImplemented
        same_sets = np.array_equal(self.focal_sets, other.focal_sets)
        return same_sets and np.array_equal(self.masses, other.masses)

    def __reduce__(
        self,
    ) -> tuple[
        type[CredalPartition], tuple[np.ndarray, np.ndarray]
    ]:  # rebuilt, because copied or unpickled arrays would be writable
        return CredalPartition, (self.masses, self.focal_sets)

    @property
    def n_clusters(self) -> int:
        """Number of clusters c."""
        return self.focal_sets.shape[1]

    @property
    def _sizes(self) -> np.ndarray:
        return self.focal_sets.sum(axis=1)

    @property
    def _on_empty(self) -> np.ndarray:
        """(n,) m_i({})."""
        return self.masses[:, self._sizes == 0].sum(axis=1)

    @property
    def plausibility(self) -> np.ndarray:
        """(n, c) pl_ik = sum of m_i(A) over the sets A that contain k, not normalised."""
        return self.masses @ self.focal_sets

    @property
    def belief(self) -> np.ndarray:
        """(n, c) bel_ik = m_i({k}), not normalised; 0 if {k} is not a focal set."""
        return self.masses @ (self.focal_sets & (self._sizes == 1)[:, None])

    @property
    def pignistic(self) -> np.ndarray:
        """(n, c) BetP_ik = sum of m_i(A)/|A| over the sets A that contain k, divided by 1 - m_i({}).

        bel <= BetP <= pl if no mass is on the empty set.  A row with all mass on the empty set has 1/c in
        every cluster.
        """
        normal = self.normalise()
        return normal.masses @ (normal.focal_sets / normal._sizes[:, None])

    @property
    def labels(self) -> np.ndarray:
        """(n,) the cluster of greatest pignistic probability; the first of equal clusters."""
        return self.pignistic.argmax(axis=1)

    @property
    def max_mass(self) -> np.ndarray:
        """(n,) index of the focal set of greatest mass; the first of equal sets."""
        return self.masses.argmax(axis=1)

    @property
    def max_mass_sets(self) -> np.ndarray:
        """(n, c) the focal set of greatest mass, True for each of its clusters."""
        return self.focal_sets[self.max_mass]

    @property
    def outliers(self) -> np.ndarray:
        """(n,) whether the greatest mass is on the empty set."""
        return (self._sizes == 0)[self.max_mass]

    @property
    def lower_approximation(self) -> np.ndarray:
        """(n, c) whether row i surely belongs to cluster k: its greatest mass is on {k}."""
        return self.max_mass_sets & (self._sizes == 1)[self.max_mass, None]

    @property
    def upper_approximation(self) -> np.ndarray:
        """(n, c) whether row i may belong to cluster k: its greatest mass is on a set that contains k."""
        return self.max_mass_sets

    @property
    def interval_dominance(self) -> np.ndarray:
        """(n, c) the clusters that no other cluster dominates: pl_ik >= max_l bel_il.

        Masses are not normalised, so a row with all mass on the empty set keeps all clusters.
        """
        return self.plausibility >= self.belief.max(axis=1, keepdims=True)

    @property
    def nonspecificity(self) -> np.ndarray:
        """(n,) sum over A of m_i(A) log2|A|, in bits: 0 if hard or fuzzy, log2(c) if vacuous.

        The empty set counts log2(c), like the set of all clusters (Denoeux's convention).
        """
        sizes = self._sizes
        return self.masses @ np.log2(np.where(sizes == 0, self.n_clusters, sizes))

    @property
    def is_bayesian(self) -> bool:
        """Whether all mass is on single clusters, as in a fuzzy partition."""
        return bool((self.belief.sum(axis=1) >= 1 - _TOLERANCE).all())

    @property
    def is_hard(self) -> bool:
        """Whether each row has all its mass on one single cluster."""
        return bool((self.belief.max(axis=1) >= 1 - _TOLERANCE).all())

    def normalise(self, rule: str = "dempster") -> CredalPartition:
        """Return the partition without the empty set, and with the set Omega of all clusters.

        A partition whose focal sets do not include the empty set is returned unchanged.

        Parameters
        ----------
        rule : {"dempster", "yager"}, default="dempster"
            What becomes of m({}).  "dempster" divides the other masses by 1 - m({}); if all mass of a row
            is on the empty set, that mass moves to Omega.  "yager" moves m({}) to Omega.

        Returns
        -------
        CredalPartition
        """
        if rule not in ("dempster", "yager"):
            raise ValueError(f"rule={rule!r} is neither 'dempster' nor 'yager'.")
        filled = self._sizes > 0
        if filled.all():
            return self
        masses, sets = self.masses[:, filled], self.focal_sets[filled]
        if not sets.all(axis=1).any():
            sets = np.vstack([sets, np.ones(self.n_clusters, dtype=bool)])
            masses = np.pad(masses, ((0, 0), (0, 1)))
        omega = sets.all(axis=1).argmax()
        if rule == "yager":
            masses[:, omega] += self._on_empty
        else:
            # The sum of the other masses equals 1 - m({}), but stays exact if m({}) is nearly 1.
            masses[masses.sum(axis=1) == 0, omega] = 1.0
            masses /= masses.sum(axis=1, keepdims=True)
        return CredalPartition(masses, sets)

    def jousselme(self, other: CredalPartition) -> np.ndarray:
        """Return the distance between the two mass functions of each row (Jousselme et al. 2001).

        The distance is sqrt((m - m')' D (m - m') / 2) with D_AB = |A & B| / |A | B|, and D_AB = 1 if A and
        B are both empty.

        Parameters
        ----------
        other : CredalPartition
            A partition of the same rows and clusters; its focal sets may differ.

        Returns
        -------
        ndarray of shape (n,)
            Between 0 and 1.

        References
        ----------
        .. [1] Jousselme, Grenier, Bosse (2001). A new distance between two bodies of evidence. Information
           Fusion 2(2), 91-101.
        """
        check_same("rows", len(self), len(other))
        check_same("clusters", self.n_clusters, other.n_clusters)
        sets, place = np.unique(np.vstack([self.focal_sets, other.focal_sets]), axis=0, return_inverse=True)
        place = place.reshape(-1)
        gap = np.zeros((len(self), len(sets)))
        gap[:, place[: len(self.focal_sets)]] += self.masses
        gap[:, place[len(self.focal_sets) :]] -= other.masses
        squared = ((gap @ _similarity(sets)) * gap).sum(axis=1) / 2
        return np.sqrt(np.maximum(squared, 0.0))


def _check_sets(sets: np.ndarray) -> None:
    if sets.ndim != 2 or not sets.size:
        raise ValueError(f"focal_sets has shape {sets.shape}, not a row per set and a column per cluster.")
    wrong = np.argwhere((sets != 0) & (sets != 1))
    if len(wrong):
        j, k = wrong[0]
        raise ValueError(f"focal_sets[{j}, {k}] = {sets[j, k]} is neither 0 nor 1.")
    seen: dict[bytes, int] = {}
    for j, one in enumerate(sets.astype(bool)):
        first = seen.setdefault(one.tobytes(), j)
        if first < j:
            clusters = ", ".join(map(str, np.flatnonzero(one)))
            raise ValueError(f"focal_sets[{j}] is {{{clusters}}}, and so is focal_sets[{first}].")


def _check_masses(masses: np.ndarray, f: int) -> None:
    if masses.ndim != 2 or not len(masses) or masses.shape[1] != f:
        raise ValueError(
            f"masses has shape {masses.shape}, not a row per object and {f} columns, one per set."
        )
    wrong = np.argwhere(~((masses >= 0) & (masses < np.inf)))
    if len(wrong):
        i, j = wrong[0]
        raise ValueError(f"masses[{i}, {j}] = {masses[i, j]:g} is not a number between 0 and 1.")
    total = masses.sum(axis=1)
    bad = np.flatnonzero(np.abs(total - 1) > _TOLERANCE)
    if len(bad):
        raise ValueError(f"masses[{bad[0]}] sums to {total[bad[0]]:.7g}; the masses of a row sum to 1.")


def check_same(what: str, n: int, m: int) -> None:
    if n != m:
        raise ValueError(f"The partitions have {n} and {m} {what}; they need the same number.")


def _similarity(sets: np.ndarray) -> np.ndarray:
    """(f, f) |A & B| / |A | B|; 1 for the empty set with itself."""
    sizes = sets.sum(axis=1)
    common = sets.astype(float) @ sets.T
    joint = sizes[:, None] + sizes[None, :] - common
    return np.where(joint == 0, 1.0, common / np.maximum(joint, 1))
