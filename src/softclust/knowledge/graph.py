"""Pairs of rows that belong together or apart, and the graph that they make."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from softclust.knowledge.colouring import colouring


@dataclass(frozen=True)
class Graph:
    """Linked things 0..q-1, those of one component side by side, with their neighbours."""

    rows: np.ndarray  # (q,) what each of them is: positions of rows
    component: np.ndarray  # (components + 1,) where each component begins
    first: np.ndarray  # (q + 1,) where the neighbours of each begin
    other: np.ndarray  # (e,) neighbours
    must: np.ndarray  # (e,) whether they belong together
    strength: np.ndarray  # (e,) what it costs not to honour that

    @cached_property
    def source(self):
        """(e,) the other end of each neighbour."""
        return np.repeat(np.arange(len(self.rows)), np.diff(self.first))

    @cached_property
    def pairs(self):
        """Both ends, kind and strength of each pair."""
        once = self.source < self.other
        return self.source[once], self.other[once], self.must[once], self.strength[once]

    @cached_property
    def blocks(self):
        """Things joined by must-links: where each block begins, the members, and each one's block or -1."""
        name = components(len(self.rows), self.source[self.must], self.other[self.must])
        sizes = np.bincount(name, minlength=1)
        joined = np.flatnonzero(sizes[name] > 1)
        member = joined[np.argsort(name[joined], kind="stable")]
        begins = np.concatenate([[0], np.cumsum(sizes[sizes > 1])])
        number = np.where(sizes > 1, np.cumsum(sizes > 1) - 1, -1)
        return begins.astype(np.int64), member.astype(np.int64), number[name].astype(np.int64)

    @cached_property
    def units(self):
        """What moves as one under infinite must-links: the graph of such units, and each thing's unit."""
        bound = self.must & np.isinf(self.strength)
        name = components(len(self.rows), self.source[bound], self.other[bound])
        once = ~bound & (self.source < self.other)
        ends = np.column_stack([name[self.source[once]], name[self.other[once]]])
        apart = ends[:, 0] != ends[:, 1]
        count = int(name.max()) + 1
        graph = graph_of(np.arange(count), ends[apart], self.must[once][apart], self.strength[once][apart])
        place = np.empty(count, dtype=np.int64)
        place[graph.rows] = np.arange(count)
        return graph, place[name]

    def colouring(self, c, thorough=True):
        """Clusters of some, and the order of the others, so that infinite cannot-links can all hold."""
        apart = ~self.must & np.isinf(self.strength)
        if not apart.any():
            return np.full(len(self.rows), -1, dtype=np.int64), np.arange(len(self.rows))
        neighbours: list[set[int]] = [set() for _ in self.rows]
        for u, v in zip(self.source[apart].tolist(), self.other[apart].tolist(), strict=True):
            neighbours[u].add(v)
        return colouring(neighbours, c, thorough)


@dataclass(frozen=True)
class Links:
    """Pairs of rows; strengths in the units of the loop, infinite for those that must hold."""

    ends: np.ndarray  # (e, 2) positions of rows
    must: np.ndarray  # (e,) bool
    strength: np.ndarray  # (e,)

    def take(self, which, n):
        """The pairs with both ends among the rows at an array of positions, of n rows."""
        place = np.full(n, -1)
        place[which] = np.arange(len(which))
        ends = place[self.ends]
        kept = (ends >= 0).all(axis=1)
        return Links(ends[kept], self.must[kept], self.strength[kept]) if kept.any() else None

    @cached_property
    def graph(self):
        rows, ends = np.unique(self.ends, return_inverse=True)
        return graph_of(rows, ends.reshape(-1, 2), self.must, self.strength)


def graph_of(rows, ends, must, strength):
    """The graph of pairs among 0..q-1, renumbered so that components lie side by side."""
    q = len(rows)
    name = components(q, ends[:, 0], ends[:, 1])
    order = np.argsort(name, kind="stable")
    place = np.empty(q, dtype=np.int64)
    place[order] = np.arange(q)
    ends = place[ends]
    source = np.concatenate([ends[:, 0], ends[:, 1]])
    by_source = np.argsort(source, kind="stable")
    starts = np.flatnonzero(np.diff(name[order], prepend=-1))
    return Graph(
        rows[order],
        np.append(starts, q).astype(np.int64),
        np.concatenate([[0], np.cumsum(np.bincount(source, minlength=q))]).astype(np.int64),
        np.concatenate([ends[:, 1], ends[:, 0]])[by_source].astype(np.int64),
        np.concatenate([must, must])[by_source],
        np.concatenate([strength, strength])[by_source],
    )


def components(q, source, other):
    """(q,) number of the component that each of 0..q-1 lies in; numbers rise with the first member."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    joined = coo_array((np.ones(len(source)), (source, other)), shape=(q, q))
    return connected_components(joined, directed=False)[1]
