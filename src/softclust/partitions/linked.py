"""Memberships of rows that are linked: found together, whatever the kind of partition."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from softclust.links import Graph

# Strengths grow to their full size at the first pass: plain descent ends in worse minima on most instances.
_GROWTH = (0.02, 0.05, 0.1, 0.2, 0.4, 0.7)
_GROWTH_SWEEPS = 5
_SWEEPS = 50
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
        gap = np.where(np.isnan(self.wanted), 0.0, p - np.nan_to_num(self.wanted))
        return p**m + self.alpha[:, None] * gap**2

    def pair_costs(self, p):
        """Must- and cannot-links' parts of J."""
        graph, (counts, single, meets) = self.graph, self.forms
        once = graph.source < graph.other
        one, two = p[graph.source[once]], p[graph.other[once]]
        must = graph.must[once]
        kept = (one @ counts) * (two @ counts) - (one * single * two).sum(axis=1)
        met = ((one @ meets if len(meets) else one * single) * two).sum(axis=1)
        with np.errstate(invalid="ignore"):  # an infinite strength that is honoured costs nothing
            paid = np.where(must, kept, met) * graph.strength[once]
        paid = np.where(np.isnan(paid), 0.0, paid)
        return float(paid[must].sum()), float(paid[~must].sum())

    def settle_soft(self, m, p):
        """Exact descent row by row from p, or from what each row would choose by itself."""
        from softclust.kernels.links import settle  # Numba is loaded when the first pass runs

        arrays = (self.cost, self.b, self.wanted, self.alpha, m, self.graph, self.forms)
        if p is None:
            p = np.full(self.cost.shape, 1 / self.cost.shape[1])
            settle(*arrays, 0.0, 1, 0.0, p)
            for share in _GROWTH:
                settle(*arrays, share, _GROWTH_SWEEPS, _TOL, p)
        else:
            p = p.copy()
        settle(*arrays, 1.0, _SWEEPS, _TOL, p)
        return p

    def settle_hard(self, p):
        """Unit vectors; rows bound by infinite must-links move as one."""
        from softclust.kernels.links import first_labels, settle_hard

        graph, unit = self.graph.units
        wish = np.nan_to_num(self.wanted)
        pull = np.where(np.isnan(self.wanted), 0.0, self.alpha[:, None])
        cost = np.zeros((len(graph.rows), self.cost.shape[1]))
        np.add.at(cost, unit, self.cost * (1 + pull * (1 - 2 * wish)))
        if p is None:
            colour, order = graph.colouring(self.n_sets)
            label = first_labels(cost, graph, colour, order, self.n_sets)
            for share in _GROWTH:
                settle_hard(cost, graph, share, _GROWTH_SWEEPS, self.n_sets, label)
        else:
            label = np.empty(len(graph.rows), dtype=np.int64)
            label[unit] = p.argmax(axis=1)
        settle_hard(cost, graph, 1.0, _SWEEPS, self.n_sets, label)
        return np.eye(self.cost.shape[1])[label[unit]]
