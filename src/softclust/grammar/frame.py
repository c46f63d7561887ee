"""The frame: which sets of clusters own a column of the partition, and families of such sets."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import combinations

import numpy as np

from softclust.values import Value, locked

_NARROW_FACTOR = 2.0**20  # up to this a cost of a set still has its product with seven others


# A set of several clusters is never nearer than this: a row on a centre belongs to the singleton.
_LEAST_COMPOSITE = {np.dtype("f4"): 1e-25, np.dtype("f8"): 1e-33}


@dataclass(frozen=True)
class Frame(Value):
    """Which sets of clusters own a column, and the squared distance of noise to everything.

    A set A costs |A|^power d; noise is the empty set of a credal partition.
    """

    sets: np.ndarray  # (K, c) of 0 and 1, the singletons first
    noise: float = 0.0  # 0 = no noise column
    power: float = 0.0  # alpha of evidential c-means

    @classmethod
    def singletons(cls, c, noise=0.0):
        return cls(np.eye(c), noise)

    @cached_property
    def is_singletons(self):
        return len(self.sets) == self.sets.shape[1]

    @cached_property
    def cardinality(self):
        return self.sets.sum(axis=1)

    @cached_property
    def mean(self):
        """Rows that average the centres of each set."""
        return self.sets / self.cardinality[:, None]

    @cached_property
    def ties(self):
        """(K, c c) how much a set ties each two of its clusters together."""
        return (self.mean[:, :, None] * self.mean[:, None, :]).reshape(len(self.sets), -1)

    @cached_property
    def factor(self):
        """(K,) what multiplies the distances, None where nothing does."""
        return None if self.is_singletons else locked(self.cardinality**self.power)

    @cached_property
    def least(self):
        """For each type of rows, (K,) the least cost of each set."""
        several = self.cardinality > 1
        return {dtype: locked(np.where(several, least, 0.0)) for dtype, least in _LEAST_COMPOSITE.items()}

    @cached_property
    def products_fit(self):
        """Whether products of eight costs have a float where those of squared distances have."""
        return self.is_singletons or bool(self.factor.max() <= _NARROW_FACTOR)

    def costs(self, D):
        """Squared distances -> what a unit of membership costs."""
        if self.is_singletons:
            return D
        return np.maximum(D * self.factor.astype(D.dtype), self.least[D.dtype].astype(D.dtype))


MOST_SETS = 4096
_FULL_UP_TO, _PAIRS_UP_TO = 4, 6
FAMILIES = ("auto", "simple", "pairs", "full")


def focal_sets(family, c):
    """(K, c) of 0 and 1: the nonempty sets, singletons first, then by size; None for adaptive pairs.

    "simple": singletons and the whole frame; "pairs": also all pairs; "full": all; "auto": full up to 4
    clusters, pairs up to 6, adaptive pairs above; else the sets that are listed, singletons added.
    """
    if isinstance(family, str):
        if family == "auto":
            if c > _PAIRS_UP_TO:
                return None
            family = "full" if c <= _FULL_UP_TO else "pairs"
        sizes = {"simple": [], "pairs": [2], "full": range(2, c)}[family]
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


def with_pairs(pairs, c):
    """Singletons, some pairs, and the whole frame."""
    return _as_rows((*map(tuple, pairs), tuple(range(c))), c).copy()


def mutual_pairs(shared):
    """Pairs of clusters each of which is the other's nearest by `shared` (c, c) plausibility."""
    shared = np.array(shared, dtype=np.float64)
    np.fill_diagonal(shared, -np.inf)
    nearest = shared.argmax(axis=1)
    return [(k, int(other)) for k, other in enumerate(nearest) if nearest[other] == k and k < other]


def _listed(family, c):
    """The sets of a list of lists of clusters, or of a boolean array (f, c)."""
    if isinstance(family, np.ndarray) and family.dtype.kind == "b":
        if family.ndim != 2 or family.shape[1] != c:
            raise ValueError(
                f"focal_sets has shape {family.shape}; a column for each of {c} clusters fits."
            )
        return [tuple(np.flatnonzero(row)) for row in family]
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
def _as_rows(listed, c):
    """Rows of the singletons and of the listed sets, each once, by size and then by members."""
    larger = sorted({tuple(int(k) for k in s) for s in listed if len(s) > 1}, key=lambda s: (len(s), s))
    rows = np.zeros((c + len(larger), c))
    rows[:c] = np.eye(c)
    for row, members in zip(rows[c:], larger, strict=True):
        row[list(members)] = 1.0
    return rows
