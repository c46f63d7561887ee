"""Clusters for things that must differ from their neighbours: a colouring of the cannot-links."""

from __future__ import annotations

import numpy as np

_WORK = 400_000_000  # steps that a search may take: about a second
_WRONG = 50  # things that are usually still to be mended


class UncolourableError(ValueError):
    """`things` cannot all differ from their neighbours, or (not proven) no way was found for them to."""

    def __init__(self, things, is_clique, is_proven=True):
        super().__init__(f"{len(things)} things need more colours")
        self.things, self.is_clique, self.is_proven = things, is_clique, is_proven


def colouring(neighbours, c, thorough=True):
    """(colour, order): colours of the hard core, -1 elsewhere, and an order in which the rest can follow.

    A thing with fewer than c neighbours can always be coloured after them: those are peeled off again
    and again.  What is left, hardly ever anything, is coloured by search; where that is not asked for, it
    is only looked through for a crowd that cannot be.
    """
    q = len(neighbours)
    degree = np.array([len(near) for near in neighbours], dtype=np.int64)
    gone = degree < c
    stack = [int(u) for u in np.flatnonzero(gone)]
    order = []
    while stack:
        u = stack.pop()
        order.append(u)
        for v in neighbours[u]:
            degree[v] -= 1
            if not gone[v] and degree[v] < c:
                gone[v] = True
                stack.append(v)
    core = np.flatnonzero(~gone)
    colour = np.full(q, -1, dtype=np.int64)
    if len(core):
        near = {int(u): {v for v in neighbours[u] if not gone[v]} for u in core}
        if crowd := _clique(near, c):
            raise UncolourableError(crowd, True)
        if thorough:
            colour[core] = _coloured(near, c)
    return colour, np.concatenate([core, order[::-1]]).astype(np.int64)


def _coloured(core, c):
    """Colours of the core in rising order of its things."""
    from softclust.kernels import colouring as kernels  # Numba is loaded where there is a core

    things = sorted(core)
    place = {u: i for i, u in enumerate(things)}
    first = np.cumsum([0, *(len(core[u]) for u in things)])
    other = np.array([place[v] for u in things for v in sorted(core[u])], dtype=np.int64)
    colour, taken = np.empty(len(things), np.int64), np.empty((len(things), c), np.int64)
    left, trail, used = np.empty((3, len(things)), np.int64)
    end = kernels.search(first, other, c, _WORK // len(things), colour, taken, left, trail, used)
    if end == kernels.IMPOSSIBLE:
        raise UncolourableError(things, False)
    if end == kernels.GIVEN_UP:
        state = np.array([0x9E3779B97F4A7C15], np.uint64)
        turns = _WORK // (_WRONG * c)
        if not kernels.repair(
            first, other, c, turns, colour, taken, np.empty_like(taken), left, trail, state
        ):
            raise UncolourableError(things, False, is_proven=False)
    return colour


def _clique(core, c):
    """More than c things that are all neighbours, by greedy growth from each; None where none is found."""
    for u in sorted(core, key=lambda u: -len(core[u])):
        clique = [u]
        for v in sorted(core[u], key=lambda v: -len(core[v])):
            if all(v in core[w] for w in clique):
                clique.append(v)
                if len(clique) > c:
                    return sorted(clique)
    return None
