"""Pairs of rows that an expert gives: checks whose messages name the pair, and conflicts among pairs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from softclust.knowledge.graph import Links
from softclust.knowledge.supervision import Pairs, named

if TYPE_CHECKING:
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
    except (TypeError, ValueError, OverflowError) as error:
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
