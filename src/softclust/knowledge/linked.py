"""Memberships of linked rows, which are found together in every kind of partition."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Protocol

import numpy as np

from softclust._lazy import kernels
from softclust.knowledge.graph import Graph

# In the first pass the strengths of pairs grow to their full size, because plain descent ends in worse
# minima on most instances.  If pairs still cost something then, other starts and schedules are tried.
_GROWTH = (0.02, 0.05, 0.1, 0.2, 0.4, 0.7)
_SCHEDULES = (_GROWTH, (0.2, 0.5), ())
_GROWTH_SWEEPS = 5
_LEANING = 0.9  # share of one cluster in each row, at the other starts
_RETRIED = 300  # linked rows up to which other starts are tried
_DEAR = 100.0  # cost of breaking a pair that must hold, in costs of a row, while first labels are sought
_HONOURED = 1e-9  # pairs that cost at most this share of all costs count as honoured
_FIRST_SWEEPS = 500  # of the first pass; a component at rest stops sooner
_TRIED_SWEEPS = 20  # of each of the other starts; the best of them goes on
_SWEEPS = 20  # of later passes
_TOL = 1e-10  # largest change of a membership at which a component is at rest


class RowFit(Protocol):
    """What linked rows need of their partition."""

    @property
    def link_exponent(self) -> float | None:
        """The exponent m by which compiled code knows the partition, 0 for entropic ones; None: NumPy."""

    def factor(self, p: np.ndarray) -> np.ndarray:
        """What multiplies the cost of a row in J: g(p)."""

    def memberships(
        self, cost: np.ndarray, wanted: np.ndarray, alpha: np.ndarray, tilt: np.ndarray
    ) -> np.ndarray:
        """(n, F) argmin of sum_k cost_k (g(p_k) + alpha (p_k - f_k)^2) + tilt_k p_k on the simplex."""


@dataclass(frozen=True)
class Linked:
    """Costs of linked rows, and how their memberships p settle at low costs.

    A row pays sum_k cost_k (g(p_k) + alpha (p_k - f_k)^2) + b_k p_k, and its part of the costs of pairs;
    g(p) is p^m in fuzzy partitions.
    """

    cost: np.ndarray  # (q, F) times the weight of the row; noise, if any, is the last column
    b: np.ndarray  # (q, F) linear pressure of subset labels
    wanted: np.ndarray  # (q, F) degrees f, NaN where nothing is said
    alpha: np.ndarray  # (q,) strength of the label; in entropic partitions the weight of the row
    graph: Graph
    forms: tuple[np.ndarray, np.ndarray, np.ndarray]  # counts, single and meets of `LinkPenalty.forms`
    n_sets: int  # number of columns without noise
    is_thorough: bool = True  # several starts are tried where pairs are not honoured

    def own(self, fit: RowFit, p: np.ndarray) -> np.ndarray:
        """(q, F) the factor of `cost` in J: g(p) + alpha (p - f)^2, with g(p) = p^m in fuzzy partitions."""
        if not self.alpha.any():
            return fit.factor(p)
        gap = np.where(np.isnan(self.wanted), 0.0, p - np.nan_to_num(self.wanted))
        return fit.factor(p) + self.alpha[:, None] * gap**2

    def paid(self, p: np.ndarray) -> np.ndarray:
        """(pairs,) the cost of each pair of the graph at memberships p."""
        (source, other, must, strength), (counts, single, meets) = self.graph.pairs, self.forms
        one, two = p[source], p[other]
        kept = (one @ counts) * (two @ counts) - (one * single * two).sum(axis=1)
        met = ((one @ meets if len(meets) else one * single) * two).sum(axis=1)
        with np.errstate(invalid="ignore"):  # inf * 0: an honoured pair costs nothing
            paid = np.where(must, kept, met) * strength
        return np.where(np.isnan(paid), 0.0, paid)

    def pair_costs(self, p: np.ndarray) -> tuple[float, float]:
        """Return the parts of J that must-links and cannot-links cost."""
        paid, must = self.paid(p), self.graph.pairs[2]
        return float(paid[must].sum()), float(paid[~must].sum())

    def component_costs(self, fit: RowFit, p: np.ndarray) -> np.ndarray:
        """(components,) the cost of the rows of each component and of their pairs."""
        graph = self.graph
        each = (self.cost * self.own(fit, p) + self.b * p).sum(axis=1)
        np.add.at(each, graph.pairs[0], self.paid(p))
        return np.add.reduceat(each, graph.component[:-1])

    def settle_soft(self, fit: RowFit, p: np.ndarray | None) -> np.ndarray:
        """Descend row by row from p, each row to its exact minimum with the others held.

        Without p the descent begins at what each row would choose by itself.  If pairs still cost
        something then, each component takes the best of several starts and schedules.
        """
        if p is not None:
            return self._descended(fit, p, 1.0, _SWEEPS)
        alone = self._alone(fit)
        p = self._settled(fit, alone, _GROWTH)
        if not self.is_thorough or len(p) > _RETRIED or self._is_honoured(fit, p):
            return p
        starts = ((start, shares) for start in self._leaning(alone) for shares in _SCHEDULES)
        ends = [p, *(self._settled(fit, *start, _TRIED_SWEEPS) for start in starts)]
        best = np.argmin([self.component_costs(fit, p) for p in ends], axis=0)
        of_row = np.repeat(best, np.diff(self.graph.component))
        return self._descended(fit, np.array(ends)[of_row, np.arange(len(of_row))], 1.0, _FIRST_SWEEPS)

    def settle_entropic(self, fit: RowFit, p: np.ndarray | None) -> np.ndarray:
        """Descend as `settle_soft` does for entropic rows: sum_k cost_k p_k + w p_k ln p_k.

        `alpha` is the weight w of each row.  There is one start only.
        """
        if p is not None:
            return self._descended(fit, p, 1.0, _SWEEPS)
        return self._settled(fit, self._alone(fit), _GROWTH)

    def _alone(self, fit: RowFit) -> np.ndarray:
        """(q, F) what each row would choose by itself."""
        even = np.full(self.cost.shape, 1 / self.cost.shape[1])
        return self._descended(fit, even, 0.0, 1, 0.0)

    def _settled(
        self, fit: RowFit, start: np.ndarray, shares: Sequence[float], sweeps: int = _FIRST_SWEEPS
    ) -> np.ndarray:
        """Descend from `start` with these shares of the strengths of pairs, and then with all."""
        p = start
        for share in shares:
            p = self._descended(fit, p, share, _GROWTH_SWEEPS)
        return self._descended(fit, p, 1.0, sweeps)

    def _descended(
        self, fit: RowFit, start: np.ndarray, share: float, sweeps: int, tol: float = _TOL
    ) -> np.ndarray:
        """Descend from `start` in compiled code if it knows the partition, else by NumPy, row by row."""
        p = start.copy()
        if fit.link_exponent is None:
            self._descend_in_numpy(fit, p, share, sweeps, tol)
            return p
        arrays = self.cost, self.b, self.wanted, self.alpha, fit.link_exponent, self.graph, self.forms
        kernels("links").settle(*arrays, share, sweeps, tol, p)
        return p

    def _descend_in_numpy(self, fit: RowFit, p: np.ndarray, share: float, sweeps: int, tol: float) -> None:
        """p <- memberships at rest: the meaning of the compiled `settle`, for any partition."""
        graph, (counts, single, meets) = self.graph, self.forms
        for begin, end in pairwise(graph.component.tolist()):
            for turn in range(sweeps):
                largest = 0.0
                for i in range(begin, end) if turn % 2 == 0 else range(end - 1, begin - 1, -1):
                    near = slice(graph.first[i], graph.first[i + 1])
                    other, must = p[graph.other[near]], graph.must[near, None]
                    kept = counts * (other @ counts)[:, None] - single * other
                    met = other @ meets if len(meets) else other * single
                    force = share * graph.strength[near, None]
                    tilt = self.b[i] + (force * np.where(must, kept, met)).sum(axis=0)
                    row = fit.memberships(
                        self.cost[i : i + 1], self.wanted[i : i + 1], self.alpha[i : i + 1], tilt[None]
                    )[0]
                    largest = max(largest, float(np.abs(row - p[i]).max()))
                    p[i] = row
                if largest <= tol:
                    break

    def _is_honoured(self, fit: RowFit, p: np.ndarray) -> bool:
        """Whether pairs cost nothing, and not because a row fled to the empty set."""
        paid = self.paid(p).sum()
        fled = (p[:, self.n_sets :] > 0.5).any()
        return not fled and paid <= _HONOURED * abs(self.component_costs(fit, p).sum())

    def _leaning(self, alone: np.ndarray) -> Iterator[np.ndarray]:
        """Yield starts: what each row would choose by itself, and then the same leaning to one column.

        The columns are each single cluster in turn, and noise.
        """
        single = self.forms[1].copy()
        single[self.n_sets :] = 1.0
        yield alone
        for k in np.flatnonzero(single):
            yield (1 - _LEANING) * alone + _LEANING * np.eye(len(single))[k]

    def clusters(self, p: np.ndarray) -> np.ndarray:
        """(q,) the cluster of each row; a row in noise gets the cluster that it would take instead."""
        graph, unit = self.graph.units
        labels = np.empty(len(graph.rows), dtype=np.int64)
        labels[unit] = p.argmax(axis=1)
        labels[labels == self.n_sets] = -1
        cost = self._unit_costs(unit, len(labels))[:, : self.n_sets]
        return kernels("links").first_labels(cost, graph, labels, np.arange(len(labels)), self.n_sets)[unit]

    def _unit_costs(self, unit: np.ndarray, count: int) -> np.ndarray:
        """(units, F) the cost of each label for the rows that move as one unit."""
        wish = np.nan_to_num(self.wanted)
        pull = np.where(np.isnan(self.wanted), 0.0, self.alpha[:, None])
        cost = np.zeros((count, self.cost.shape[1]))
        np.add.at(cost, unit, self.cost * (1 + pull * (1 - 2 * wish)))
        return cost

    def settle_hard(self, p: np.ndarray | None) -> np.ndarray:
        """Descend from p, or from first labels, to a hard partition; return its unit vectors.

        Rows bound by infinite must-links move as one.
        """
        graph, unit = self.graph.units
        cost = self._unit_costs(unit, len(graph.rows))
        if p is None:
            label = self._first_labels(cost, graph)
        else:
            label = np.empty(len(graph.rows), dtype=np.int64)
            label[unit] = p.argmax(axis=1)
        kernels("links").settle_hard(cost, graph, 1.0, _FIRST_SWEEPS, self.n_sets, label)
        return np.eye(self.cost.shape[1])[label[unit]]

    def _first_labels(self, cost: np.ndarray, graph: Graph) -> np.ndarray:
        """Choose the labels from which the units descend.

        These are the labels that units choose while the strengths of pairs grow.  If such labels break a
        pair that must hold, units take the cheapest labels that break none, in an order in which there
        always is one.
        """
        dear = replace(
            graph, strength=np.where(np.isinf(graph.strength), _DEAR * cost.max(), graph.strength)
        )
        label = cost.argmin(axis=1)
        for share in (*_GROWTH, 1.0):
            kernels("links").settle_hard(cost, dear, share, _GROWTH_SWEEPS, self.n_sets, label)
        apart = np.isinf(graph.strength) & (label[graph.source] == label[graph.other])
        if not (apart & (label[graph.source] < self.n_sets)).any():
            return label
        colour, order = graph.colouring(self.n_sets)
        return kernels("links").first_labels(cost, graph, colour, order, self.n_sets)
