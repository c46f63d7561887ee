"""Must-links and cannot-links between rows, and the graph that they form."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from softclust.knowledge.colouring import colouring


@dataclass(frozen=True)
class Graph:
    """Nodes 0..q-1 and their links; the nodes of one component are consecutive."""

    rows: np.ndarray  # (q,) what each node stands for: the position of a row, or a unit
    component: np.ndarray  # (components + 1,) first node of each component; q at the end
    first: np.ndarray  # (q + 1,) where the neighbours of each node begin in `other`
    other: np.ndarray  # (e,) neighbours of all nodes; each pair is there twice, once from each end
    must: np.ndarray  # (e,) True for a must-link, False for a cannot-link
    strength: np.ndarray  # (e,) cost of breaking the pair

    @cached_property
    def source(self) -> np.ndarray:
        """(e,) the node whose neighbour each entry of `other` is."""
        return np.repeat(np.arange(len(self.rows)), np.diff(self.first))

    @cached_property
    def pairs(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Return both ends, kind (as in `must`) and strength of each pair, every pair once."""
        once = self.source < self.other
        return self.source[once], self.other[once], self.must[once], self.strength[once]

    @cached_property
    def blocks(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Group nodes that must-links join into blocks.

        Returns where each block begins among the members, the members, and the block of each node, -1 for a
        node without must-links.
        """
        name = components(len(self.rows), self.source[self.must], self.other[self.must])
        sizes = np.bincount(name, minlength=1)
        joined = np.flatnonzero(sizes[name] > 1)
        member = joined[np.argsort(name[joined], kind="stable")]
        begins = np.concatenate([[0], np.cumsum(sizes[sizes > 1])])
        number = np.where(sizes > 1, np.cumsum(sizes > 1) - 1, -1)
        return begins.astype(np.int64), member.astype(np.int64), number[name].astype(np.int64)

    @cached_property
    def units(self) -> tuple[Graph, np.ndarray]:
        """Merge nodes that infinite must-links join: such a unit moves as one.

        Returns the graph of the units, with the pairs between different units, and the unit of each node.
        """
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

    def colouring(self, c: int, thorough: bool = True) -> tuple[np.ndarray, np.ndarray]:
        """Find clusters of some nodes, and an order of all, so that all infinite cannot-links can hold.

        The function `colouring` describes both arrays and `thorough`.
        """
        apart = ~self.must & np.isinf(self.strength)
        if not apart.any():
            return np.full(len(self.rows), -1, dtype=np.int64), np.arange(len(self.rows))
        neighbours: list[set[int]] = [set() for _ in self.rows]
        for u, v in zip(self.source[apart].tolist(), self.other[apart].tolist(), strict=True):
            neighbours[u].add(v)
        return colouring(neighbours, c, thorough)


@dataclass(frozen=True)
class Links:
    """Pairs of rows with strengths in loop units; a pair of infinite strength must hold."""

    ends: np.ndarray  # (e, 2) positions of rows
    must: np.ndarray  # (e,) True for a must-link, False for a cannot-link
    strength: np.ndarray  # (e,)
    rank: np.ndarray | None = None  # (e, 2) place of each end in the order in which rows are visited

    def in_order_of(self, keys: np.ndarray) -> Links:
        """Visit the linked rows in the rising order of their keys, one for each row of `linked`.

        Linked rows decide one after the other, and the order decides where they come to rest.  An order by
        keys that follow from the data is the same however the rows stand.  Of rows with one key those whose
        pairs are weaker come first.
        """
        rows, place = np.unique(self.ends, return_inverse=True)
        place = place.reshape(-1, 2)
        pull = np.zeros((2, len(rows)))
        for kind, total in ((self.must, pull[0]), (~self.must, pull[1])):
            np.add.at(total, place[kind], self.strength[kind, None])
        rank = np.empty(len(rows), dtype=np.int64)
        rank[np.lexsort((*pull, keys))] = np.arange(len(rows))
        return replace(self, rank=rank[place])

    @property
    def linked(self) -> np.ndarray:
        """Positions of the linked rows, rising."""
        return np.unique(self.ends)

    def take(self, which: np.ndarray, n: int) -> Links | None:
        """Keep the pairs with both ends among the rows at positions `which`, of n rows; None if none is."""
        place = np.full(n, -1)
        place[which] = np.arange(len(which))
        ends = place[self.ends]
        kept = (ends >= 0).all(axis=1)
        rank = None if self.rank is None else self.rank[kept]
        return Links(ends[kept], self.must[kept], self.strength[kept], rank) if kept.any() else None

    @cached_property
    def graph(self) -> Graph:
        """The graph of the pairs, with the linked rows as nodes."""
        rank = self.ends if self.rank is None else self.rank
        _, first, ends = np.unique(rank, return_index=True, return_inverse=True)
        return graph_of(self.ends.ravel()[first], ends.reshape(-1, 2), self.must, self.strength)


def graph_of(rows: np.ndarray, ends: np.ndarray, must: np.ndarray, strength: np.ndarray) -> Graph:
    """Build the graph of pairs among 0..q-1, renumbered so that a component has consecutive nodes."""
    q = len(rows)
    name = components(q, ends[:, 0], ends[:, 1])
    order = np.argsort(name, kind="stable")
    place = np.empty(q, dtype=np.int64)
    place[order] = np.arange(q)
    ends = place[ends]
    source = np.concatenate([ends[:, 0], ends[:, 1]])
    other = np.concatenate([ends[:, 1], ends[:, 0]])
    by_source = np.lexsort((np.concatenate([must, must]), other, source))
    starts = np.flatnonzero(np.diff(name[order], prepend=-1))
    return Graph(
        rows[order],
        np.append(starts, q).astype(np.int64),
        np.concatenate([[0], np.cumsum(np.bincount(source, minlength=q))]).astype(np.int64),
        other[by_source].astype(np.int64),
        np.concatenate([must, must])[by_source],
        np.concatenate([strength, strength])[by_source],
    )


def components(q: int, source: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Number the connected components of a graph with nodes 0..q-1.

    Returns the (q,) component of each node; numbers rise with the first node of the component.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    joined = coo_array((np.ones(len(source)), (source, other)), shape=(q, q))
    return connected_components(joined, directed=False)[1]
