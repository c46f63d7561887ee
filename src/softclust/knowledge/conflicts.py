"""Pairs and labels that cannot all hold, named in one sentence."""

from __future__ import annotations

from collections import deque

import numpy as np

from softclust.knowledge.colouring import UncolourableError
from softclust.knowledge.graph import Links, components
from softclust.knowledge.labels import Labels
from softclust.knowledge.pairs import NamedPairs


def conflict(pairs: NamedPairs, labels: Labels | None, n: int, c: int, thorough: bool = True) -> str | None:
    """Describe in one sentence pairs and labels that cannot all hold, or return None.

    Looks for a cannot-link within a chain of must-links, for different classes along such a chain, for
    a cannot-link between rows of one class, and for rows that c clusters cannot keep apart.  With
    `thorough=False` the last is only a search for more rows that are all apart than there are clusters.
    """
    must, cannot = pairs.ends[pairs.must], pairs.ends[~pairs.must]
    group = components(n, must[:, 0], must[:, 1])
    for i, j in cannot[group[cannot[:, 0]] == group[cannot[:, 1]]]:
        return f"rows {i} and {j} must not be linked, but are joined by must-links {_chain(must, i, j)}."
    if labels is not None:
        sentence = _label_conflict(must, cannot, group, labels)
        if sentence:
            return sentence
    return _crowd(cannot, group, c, thorough)


def _certain(labels: Labels) -> tuple[np.ndarray, np.ndarray]:
    """Return the rows with one certain class, and the number of that class."""
    degrees = np.nan_to_num(labels.degrees)
    sure = (degrees.max(axis=1) == 1) & ((degrees > 0).sum(axis=1) == 1)
    return labels.rows[sure], degrees[sure].argmax(axis=1)


def _label_conflict(must: np.ndarray, cannot: np.ndarray, group: np.ndarray, labels: Labels) -> str | None:
    """Describe two classes in a group, or a cannot-link between groups of one class, or return None."""
    rows, kind = _certain(labels)
    known: dict[int, tuple[int, int]] = {}  # group -> a labelled row of the group, and its class
    for row, k in zip(rows.tolist(), kind.tolist(), strict=True):
        first, other = known.setdefault(int(group[row]), (row, k))
        if other != k:
            return (
                f"rows {first} and {row} are labelled {labels.classes[other]!s} and {labels.classes[k]!s}, "
                f"but are joined by must-links {_chain(must, first, row)}."
            )
    for i, j in cannot:
        one, two = known.get(int(group[i])), known.get(int(group[j]))
        if one and two and one[1] == two[1]:
            return (
                f"rows {i} and {j} must not be linked, but both belong to class "
                f"{labels.classes[one[1]]!s}{_by_way_of(i, one[0])}{_by_way_of(j, two[0])}."
            )
    return None


def _by_way_of(row: int, labelled: int) -> str:
    return "" if row == labelled else f" (row {row} through row {labelled})"


def _crowd(cannot: np.ndarray, group: np.ndarray, c: int, thorough: bool) -> str | None:
    """Describe groups that c clusters cannot keep apart, or return None."""
    if len(cannot) == 0:
        return None
    _, ends = np.unique(group[cannot], return_inverse=True)
    ends = ends.reshape(-1, 2)
    if np.bincount(ends.ravel()).max() < c:  # each group can be placed after its neighbours
        return None
    representative = np.empty(ends.max() + 1, dtype=np.int64)
    representative[ends.ravel()] = cannot.ravel()
    apart = np.zeros(len(cannot), dtype=bool)
    graph = Links(ends, apart, np.full(len(cannot), np.inf)).graph
    try:
        graph.colouring(c, thorough)
    except UncolourableError as error:
        rows = sorted(int(representative[graph.rows[thing]]) for thing in error.things)
        crowd = ", ".join(map(str, rows[:20])) + (", ..." if len(rows) > 20 else "")
        if error.is_clique:
            count = "is only 1 cluster" if c == 1 else f"are only {c} clusters"
            return f"rows {crowd} are all apart from each other, but there {count}."
        found = "keep" if error.is_proven else "were found that keep"
        return f"no {c} clusters {found} all cannot-links among rows {crowd}."
    return None


def _chain(must: np.ndarray, start: int, end: int) -> str:
    """Write the shortest chain of must-links between two rows, as 2-5-9."""
    near: dict[int, list[int]] = {}
    for i, j in must.tolist():
        near.setdefault(i, []).append(j)
        near.setdefault(j, []).append(i)
    before, waiting = {int(start): int(start)}, deque([int(start)])
    while end not in before:
        row = waiting.popleft()
        for other in near[row]:
            if other not in before:
                before[other] = row
                waiting.append(other)
    chain = [int(end)]
    while chain[-1] != start:
        chain.append(before[chain[-1]])
    return "-".join(map(str, chain[::-1]))
