"""Pairs of rows that an expert gives: checks whose messages name the pair, and conflicts among pairs."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from softclust.knowledge.colouring import UncolourableError
from softclust.knowledge.graph import Links, components
from softclust.knowledge.supervision import Pairs, named

if TYPE_CHECKING:
    from softclust.knowledge.labels import Labels
    from softclust.sources.rows import Rows

_STRONGEST = 1e100  # in loop units: a finite strength stays finite in every sum


@dataclass(frozen=True)
class NamedPairs:
    """Distinct pairs of different rows, and the strength given to each pair (1 if none was given)."""

    ends: np.ndarray  # (e, 2) positions of rows
    must: np.ndarray  # (e,) True for a must-link, False for a cannot-link
    strength: np.ndarray  # (e,)

    def of_rows_that_weigh(self, weight: np.ndarray | None) -> NamedPairs:
        """Keep the pairs whose rows both have a weight above 0."""
        if weight is None:
            return self
        return self.where((weight[self.ends] > 0).all(axis=1))

    def where(self, kept: np.ndarray) -> NamedPairs:
        """Keep the pairs for which `kept` is True."""
        return NamedPairs(self.ends[kept], self.must[kept], self.strength[kept])

    def weights(self, rows: Rows) -> np.ndarray:
        """(e,) the weight sqrt(w_i w_j) of each pair: rows that stand for k rows each count k times."""
        if rows.weight is None:
            return np.ones(len(self.ends))
        return np.sqrt(rows.weight[self.ends]).prod(axis=1)

    def links(self, strength: np.ndarray, bound: np.ndarray) -> Links:
        """Return the pairs that cost something; those in `bound` must hold and get an infinite strength."""
        strength = np.where(bound, np.inf, np.minimum(strength, _STRONGEST))
        kept = strength > 0
        return Links(self.ends[kept], self.must[kept], strength[kept])


def check_pairs(must_link: Any, cannot_link: Any, n: int) -> NamedPairs | None:
    """Check both lists of pairs and join them as `NamedPairs`; None if there are no pairs."""
    if must_link is None and cannot_link is None:
        return None
    lists = [
        _checked(must_link, n, "must_link"),
        _checked(cannot_link, n, "cannot_link"),
    ]
    ends = np.concatenate([ends for ends, _ in lists])
    if len(ends) == 0:
        return None
    must = np.repeat([True, False], [len(ends) for ends, _ in lists])
    return NamedPairs(ends, must, np.concatenate([strength for _, strength in lists]))


def _checked(pairs: Any, n: int, name: str) -> tuple[np.ndarray, np.ndarray]:
    """Return the (e, 2) rows and (e,) strengths of one list; of equal pairs the strongest counts."""
    if pairs is None:
        return np.empty((0, 2), dtype=np.int64), np.empty(0)
    if isinstance(pairs, Pairs):
        if pairs.n_samples != n:
            raise ValueError(f"{name} is about {pairs.n_samples} rows; X has {n} rows.")
        pairs = pairs.pairs
    try:
        values = np.asarray(pairs, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} is not a list of pairs of row numbers: {error}.") from None
    values = values.reshape(0, 2) if values.size == 0 else values
    if values.ndim != 2 or values.shape[1] not in (2, 3):
        raise ValueError(f"{name} has shape {values.shape}; a pair is two rows, and perhaps a strength.")
    ends = values[:, :2]
    wrong = np.argwhere(~((ends >= 0) & (ends < n) & (ends == np.floor(ends))))
    if len(wrong):
        q, side = wrong[0]
        raise ValueError(
            f"{name}[{q}] = {named(ends[q])} names row {named(ends[q, side])}; X has {n} rows."
        )
    strength = values[:, 2] if values.shape[1] == 3 else np.ones(len(values))
    bad = np.flatnonzero(~(strength >= 0))
    if len(bad):
        raise ValueError(f"{name}[{bad[0]}] has strength {strength[bad[0]]:g}; strengths are numbers >= 0.")
    ends = np.sort(ends.astype(np.int64), axis=1)
    itself = np.flatnonzero(ends[:, 0] == ends[:, 1])
    if name == "cannot_link" and len(itself):
        raise ValueError(
            f"cannot_link[{itself[0]}] says that row {ends[itself[0], 0]} is apart from itself."
        )
    ends, strength = np.delete(ends, itself, axis=0), np.delete(strength, itself)
    ends, which = np.unique(ends, axis=0, return_inverse=True)
    strongest = np.zeros(len(ends))
    np.maximum.at(strongest, which.ravel(), strength)
    return ends, strongest


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
