"""Memberships of rows that are linked: found together, whatever the kind of partition."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from softclust.knowledge.graph import Graph

# At the first pass strengths grow to their full size: plain descent ends in worse minima on most
# instances.  Where pairs still cost something, other starts and schedules try to do better.
_GROWTH = (0.02, 0.05, 0.1, 0.2, 0.4, 0.7)
_SCHEDULES = (_GROWTH, (0.2, 0.5), ())
_GROWTH_SWEEPS = 5
_LEANING = 0.9  # of each row to one cluster, at the other starts
_RETRIED = 300  # linked rows up to which there are others
_DEAR = 100.0  # costs of a row that breaking a pair which must hold has, while labels are looked for
_HONOURED = 1e-9  # share of the costs that pairs may have
_FIRST_SWEEPS = 500  # components that rest stop sooner
_SWEEPS = 20
_TOL = 1e-10  # of a membership


@dataclass(frozen=True)
class Linked:
    """What linked rows pay: sum_k cost_k (p_k^m + alpha (p_k - f_k)^2) + b_k p_k, and for their pairs."""

    cost: np.ndarray  # (q, F) weighed; noise, where there is any, is the last column
    b: np.ndarray  # (q, F) linear pressure of subset labels
    wanted: np.ndarray  # (q, F) f, NaN where nothing is said
    alpha: np.ndarray  # (q,)
    graph: Graph
    forms: tuple  # of the LinkPenalty
    n_sets: int  # columns other than noise

    def own(self, p, m):
        """(q, F) the factor of `cost` in J: p^m + alpha (p - f)^2."""
        if not self.alpha.any():
            return p**m
        gap = np.where(np.isnan(self.wanted), 0.0, p - np.nan_to_num(self.wanted))
        return p**m + self.alpha[:, None] * gap**2

    def paid(self, p):
        """What each pair of the graph costs."""
        (source, other, must, strength), (counts, single, meets) = self.graph.pairs, self.forms
        one, two = p[source], p[other]
        kept = (one @ counts) * (two @ counts) - (one * single * two).sum(axis=1)
        met = ((one @ meets if len(meets) else one * single) * two).sum(axis=1)
        with np.errstate(invalid="ignore"):  # an infinite strength that is honoured costs nothing
            paid = np.where(must, kept, met) * strength
        return np.where(np.isnan(paid), 0.0, paid)

    def pair_costs(self, p):
        """Must- and cannot-links' parts of J."""
        paid, must = self.paid(p), self.graph.pairs[2]
        return float(paid[must].sum()), float(paid[~must].sum())

    def component_costs(self, p, m):
        """(components,) what the rows of each component and their pairs pay."""
        graph = self.graph
        each = (self.cost * self.own(p, m) + self.b * p).sum(axis=1)
        np.add.at(each, graph.pairs[0], self.paid(p))
        return np.add.reduceat(each, graph.component[:-1])

    def settle_soft(self, m, p):
        """Exact descent row by row from p, or from what each row would choose by itself."""
        from softclust.kernels.links import settle  # Numba is loaded when the first pass runs

        arrays = (self.cost, self.b, self.wanted, self.alpha, m, self.graph, self.forms)
        if p is not None:
            p = p.copy()
            settle(*arrays, 1.0, _SWEEPS, _TOL, p)
            return p
        alone = np.full(self.cost.shape, 1 / self.cost.shape[1])
        settle(*arrays, 0.0, 1, 0.0, alone)

        def settled(start, shares):
            p = start.copy()
            for share in shares:
                settle(*arrays, share, _GROWTH_SWEEPS, _TOL, p)
            settle(*arrays, 1.0, _FIRST_SWEEPS, _TOL, p)
            return p

        p = settled(alone, _GROWTH)
        if len(p) > _RETRIED or self._is_honoured(p, m):
            return p
        ends = [p, *(settled(start, shares) for start in self._leaning(alone) for shares in _SCHEDULES)]
        best = np.argmin([self.component_costs(p, m) for p in ends], axis=0)
        of_row = np.repeat(best, np.diff(self.graph.component))
        return np.array(ends)[of_row, np.arange(len(of_row))]

    def settle_entropic(self, p):
        """The same of entropic rows, sum_k cost_k p_k + w p_k ln p_k; alpha is their weight w."""
        from softclust.kernels.links import ENTROPIC, settle

        arrays = (self.cost, self.b, self.wanted, self.alpha, ENTROPIC, self.graph, self.forms)
        if p is not None:
            p = p.copy()
            settle(*arrays, 1.0, _SWEEPS, _TOL, p)
            return p
        p = np.full(self.cost.shape, 1 / self.cost.shape[1])
        settle(*arrays, 0.0, 1, 0.0, p)
        for share in _GROWTH:
            settle(*arrays, share, _GROWTH_SWEEPS, _TOL, p)
        settle(*arrays, 1.0, _FIRST_SWEEPS, _TOL, p)
        return p

    def _is_honoured(self, p, m):
        """Whether pairs cost nothing, and not because a row fled to the empty set."""
        paid = self.paid(p).sum()
        fled = (p[:, self.n_sets :] > 0.5).any()
        return not fled and paid <= _HONOURED * abs(self.component_costs(p, m).sum())

    def _leaning(self, alone):
        """What each row would choose by itself; then leaning to each single cluster, and to noise."""
        single = self.forms[1].copy()
        single[self.n_sets :] = 1.0
        yield alone
        for k in np.flatnonzero(single):
            yield (1 - _LEANING) * alone + _LEANING * np.eye(len(single))[k]

    def clusters(self, p):
        """(q,) cluster of each row; of rows in noise that which they would have to take instead."""
        from softclust.kernels.links import first_labels

        graph, unit = self.graph.units
        labels = np.empty(len(graph.rows), dtype=np.int64)
        labels[unit] = p.argmax(axis=1)
        labels[labels == self.n_sets] = -1
        cost = self._unit_costs(unit, len(labels))[:, : self.n_sets]
        return first_labels(cost, graph, labels, np.arange(len(labels)), self.n_sets)[unit]

    def _unit_costs(self, unit, count):
        """(units, F) what each label costs the rows that move as one."""
        wish = np.nan_to_num(self.wanted)
        pull = np.where(np.isnan(self.wanted), 0.0, self.alpha[:, None])
        cost = np.zeros((count, self.cost.shape[1]))
        np.add.at(cost, unit, self.cost * (1 + pull * (1 - 2 * wish)))
        return cost

    def settle_hard(self, p):
        """Unit vectors; rows bound by infinite must-links move as one."""
        from softclust.kernels.links import settle_hard

        graph, unit = self.graph.units
        cost = self._unit_costs(unit, len(graph.rows))
        if p is None:
            label = self._first_labels(cost, graph)
        else:
            label = np.empty(len(graph.rows), dtype=np.int64)
            label[unit] = p.argmax(axis=1)
        settle_hard(cost, graph, 1.0, _FIRST_SWEEPS, self.n_sets, label)
        return np.eye(self.cost.shape[1])[label[unit]]

    def _first_labels(self, cost, graph):
        """Where units begin: at what they choose if pairs grow dear; if that breaks one that must hold,
        at the cheapest labels that break none, in an order in which there always is one.
        """
        from softclust.kernels.links import first_labels, settle_hard

        dear = replace(
            graph, strength=np.where(np.isinf(graph.strength), _DEAR * cost.max(), graph.strength)
        )
        label = cost.argmin(axis=1)
        for share in (*_GROWTH, 1.0):
            settle_hard(cost, dear, share, _GROWTH_SWEEPS, self.n_sets, label)
        apart = np.isinf(graph.strength) & (label[graph.source] == label[graph.other])
        if not (apart & (label[graph.source] < self.n_sets)).any():
            return label
        colour, order = graph.colouring(self.n_sets)
        return first_labels(cost, graph, colour, order, self.n_sets)
