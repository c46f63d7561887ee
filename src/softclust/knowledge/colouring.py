"""Colour the graph of cannot-links, so that neighbours get different clusters."""

from __future__ import annotations

import numpy as np

from softclust._lazy import kernels
from softclust.kernels.codes import GIVEN_UP, IMPOSSIBLE

_WORK = 400_000_000  # steps that one search may take, about a second
_WRONG = 50  # nodes that usually still need another colour; a turn of the repair visits them


class UncolourableError(ValueError):
    """The nodes `things` cannot all differ from their neighbours, or no way to do so was found.

    `is_proven` is False if the search gave up.  `is_clique` tells whether the nodes are all neighbours of
    each other.
    """

    def __init__(self, things: list[int], is_clique: bool, is_proven: bool = True) -> None:
        super().__init__(f"{len(things)} things need more colours")
        self.things, self.is_clique, self.is_proven = things, is_clique, is_proven


def colouring(neighbours: list[set[int]], c: int, thorough: bool = True) -> tuple[np.ndarray, np.ndarray]:
    """Colour the hard core of a graph with c colours, and order the other nodes.

    A node with fewer than c neighbours can always be coloured after them, so such nodes are peeled off
    again and again.  The nodes that are left are the core; hardly ever are there any.  A search colours
    the core.  With `thorough=False` the core is not coloured, only searched for more than c nodes that
    are all neighbours.

    Returns (colour, order): the colours of the core, -1 for all other nodes, and all nodes in an order in
    which they can be coloured one after the other, the core first.
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


def _coloured(core: dict[int, set[int]], c: int) -> np.ndarray:
    """Colour the core by search, and by repair if the search gives up.

    Returns the colours in rising order of the nodes.
    """
    compiled = kernels("colouring")  # late: only a core needs it
    things = sorted(core)
    place = {u: i for i, u in enumerate(things)}
    first = np.cumsum([0, *(len(core[u]) for u in things)])
    other = np.array([place[v] for u in things for v in sorted(core[u])], dtype=np.int64)
    colour, taken = np.empty(len(things), np.int64), np.empty((len(things), c), np.int64)
    left, trail, used = np.empty((3, len(things)), np.int64)
    end = compiled.search(first, other, c, _WORK // len(things), colour, taken, left, trail, used)
    if end == IMPOSSIBLE:
        raise UncolourableError(things, False)
    if end == GIVEN_UP:
        state = np.array([0x9E3779B97F4A7C15], np.uint64)
        turns = _WORK // (_WRONG * c)
        if not compiled.repair(
            first, other, c, turns, colour, taken, np.empty_like(taken), left, trail, state
        ):
            raise UncolourableError(things, False, is_proven=False)
    return colour


def _clique(core: dict[int, set[int]], c: int) -> list[int] | None:
    """Find more than c nodes that are all neighbours, or return None.

    Cliques grow greedily from each node, so one may be missed.
    """
    for u in sorted(core, key=lambda u: -len(core[u])):
        clique = [u]
        for v in sorted(core[u], key=lambda v: -len(core[v])):
            if all(v in core[w] for w in clique):
                clique.append(v)
                if len(clique) > c:
                    return sorted(clique)
    return None
