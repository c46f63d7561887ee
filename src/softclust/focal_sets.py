"""Families of sets of clusters that may carry belief."""

from __future__ import annotations

from functools import lru_cache
from itertools import combinations

import numpy as np

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
