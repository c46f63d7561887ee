"""The frame: the sets of clusters that own a column of the partition, and families of such sets."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import combinations
from typing import cast

import numpy as np

from softclust.values import Value, locked

_NARROW_FACTOR = 2.0**20  # the largest factor for which the product of eight costs still has a float
# The least cost of a set of several clusters, so that a row on a centre belongs to the singleton.
_LEAST_COMPOSITE: dict[np.dtype, float] = {np.dtype("f4"): 1e-25, np.dtype("f8"): 1e-33}


@dataclass(frozen=True)
class Frame(Value):
    """The columns of a partition: the sets of clusters that own one, and the squared distance of noise.

    The distance of noise is the same for every row.  A unit of membership in a set A costs |A|^power d,
    where d is the squared distance to A.  In a credal partition noise is the empty set.
    """

    sets: np.ndarray  # (K, c) of 0 and 1, the singletons first
    noise: float = 0.0  # 0 = no noise column
    power: float = 0.0  # alpha of evidential c-means

    @classmethod
    def singletons(cls, c: int, noise: float = 0.0) -> Frame:
        """Return the frame in which each of c clusters is a column of its own."""
        return cls(np.eye(c), noise)

    @cached_property
    def is_singletons(self) -> bool:
        """Whether every set is a single cluster."""
        return len(self.sets) == self.sets.shape[1]

    @cached_property
    def cardinality(self) -> np.ndarray:
        """(K,) number of clusters in each set."""
        return self.sets.sum(axis=1)

    @cached_property
    def mean(self) -> np.ndarray:
        """(K, c) matrix that averages the centres of each set."""
        return self.sets / self.cardinality[:, None]

    @cached_property
    def ties(self) -> np.ndarray:
        """(K, c c) coefficients by which a set ties each two of its clusters together."""
        return (self.mean[:, :, None] * self.mean[:, None, :]).reshape(len(self.sets), -1)

    @cached_property
    def factor(self) -> np.ndarray | None:
        """(K,) factors that turn distances into costs; None for singletons, where both are equal."""
        return None if self.is_singletons else locked(self.cardinality**self.power)

    @cached_property
    def least(self) -> dict[np.dtype, np.ndarray]:
        """(K,) least cost of each set, for each floating type of rows."""
        several = self.cardinality > 1
        return {dtype: locked(np.where(several, least, 0.0)) for dtype, least in _LEAST_COMPOSITE.items()}

    @cached_property
    def products_fit(self) -> bool:
        """Whether products of eight costs have a float wherever those of eight squared distances do."""
        return self.is_singletons or bool(cast(np.ndarray, self.factor).max() <= _NARROW_FACTOR)

    def costs(self, D: np.ndarray) -> np.ndarray:
        """Turn squared distances (n, K) into the costs (n, K) of a unit of membership."""
        if self.is_singletons:
            return D
        assert self.factor is not None
        return np.maximum(D * self.factor.astype(D.dtype), self.least[D.dtype].astype(D.dtype))


MOST_SETS = 4096
_FULL_UP_TO, _PAIRS_UP_TO = 4, 6
FAMILIES = ("auto", "simple", "pairs", "full")


def focal_sets(family: str | np.ndarray | Iterable[Iterable[int]], c: int) -> np.ndarray | None:
    """Return the nonempty sets of a family over c clusters.

    Parameters
    ----------
    family : str, list of sets of clusters, or boolean array (f, c)
        "simple": singletons and the whole frame; "pairs": also all pairs; "full": all sets; "auto":
        "full" up to 4 clusters, "pairs" up to 6, adaptive pairs above.  A list or an array names the
        sets; the singletons are added to it.
    c : int
        Number of clusters.

    Returns
    -------
    ndarray of shape (K, c) or None
        A row of 0 and 1 for each set, singletons first, then by size; None for adaptive pairs.
    """
    if isinstance(family, str):
        if family == "auto":
            if c > _PAIRS_UP_TO:
                return None
            family = "full" if c <= _FULL_UP_TO else "pairs"
        sizes: Sequence[int] = {"simple": [], "pairs": [2], "full": range(2, c)}[family]
        if family == "full" and 2**c > MOST_SETS:
            raise ValueError(
                f"focal_sets='full' has 2^{c} sets for {c} clusters, more than {MOST_SETS}; "
                "'pairs', 'simple', a list of sets, or 'auto' would fit."
            )
        listed = [chosen for size in sizes for chosen in combinations(range(c), size)]
        if len(listed) + c + 2 > MOST_SETS:
            raise ValueError(
                f"focal_sets={family!r} has {len(listed) + c + 2} sets for {c} clusters, more than "
                f"{MOST_SETS}; 'simple', a list of sets, or 'auto' would fit."
            )
        return _as_rows((*listed, tuple(range(c))), c).copy()
    return _as_rows(tuple(_listed(family, c)), c).copy()


def with_pairs(pairs: Iterable[Iterable[int]], c: int) -> np.ndarray:
    """Return the rows (K, c) of the singletons, the given pairs of clusters, and the whole frame."""
    return _as_rows((*map(tuple, pairs), tuple(range(c))), c).copy()


def mutual_pairs(shared: np.ndarray) -> list[tuple[int, int]]:
    """Return the pairs of clusters that are each other's nearest.

    The nearest cluster is the one with the greatest `shared` (c, c) plausibility.
    """
    shared = np.array(shared, dtype=np.float64)
    np.fill_diagonal(shared, -np.inf)
    nearest = shared.argmax(axis=1)
    return [(k, int(other)) for k, other in enumerate(nearest) if nearest[other] == k and k < other]


def _listed(family: np.ndarray | Iterable[Iterable[int]], c: int) -> list[tuple[int, ...]]:
    """Check a list of lists of clusters, or a boolean array (f, c), and return its sets."""
    if isinstance(family, np.ndarray) and family.dtype.kind == "b":
        if family.ndim != 2 or family.shape[1] != c:
            raise ValueError(
                f"focal_sets has shape {family.shape}; a column for each of {c} clusters fits."
            )
        return [tuple(np.flatnonzero(row)) for row in family]
    if isinstance(family, np.ndarray) and family.ndim == 0:
        raise ValueError(f"focal_sets is {family}; a list of sets of clusters, such as [(0, 1)], fits.")
    chosen = []
    for place, members in enumerate(family):
        try:
            members = sorted({int(k) for k in members})
        except (TypeError, ValueError):
            raise ValueError(
                f"focal_sets[{place}] = {members!r} is not a set of clusters, such as (0, 2)."
            ) from None
        wrong = [k for k in members if not 0 <= k < c]
        if wrong:
            raise ValueError(f"focal_sets[{place}] names cluster {wrong[0]}; clusters are 0 to {c - 1}.")
        chosen.append(tuple(members))
    if len(set(chosen)) + c > MOST_SETS:
        raise ValueError(f"focal_sets lists {len(set(chosen))} sets; at most {MOST_SETS} fit.")
    return chosen


@lru_cache
def _as_rows(listed: tuple[tuple[int, ...], ...], c: int) -> np.ndarray:
    """Return rows of 0 and 1 for singletons and listed sets, each set once, by size and then by members."""
    larger = sorted({tuple(int(k) for k in s) for s in listed if len(s) > 1}, key=lambda s: (len(s), s))
    rows = np.zeros((c + len(larger), c))
    rows[:c] = np.eye(c)
    for row, members in zip(rows[c:], larger, strict=True):
        row[list(members)] = 1.0
    return rows
