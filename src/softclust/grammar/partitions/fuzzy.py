"""Fuzzy partition: memberships that sum to one, with an exponent."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from softclust.grammar.partitions.base import Partition
from softclust.grammar.partitions.members import members_from_distances
from softclust.kernels.codes import FUZZY, Rule


def fuzzy_memberships(D, m, noise):
    """u_k = d_k^(-1/(m-1)) / sum, with the noise membership apart; zero distances share the row."""
    cost = np.column_stack([D, np.full(len(D), noise)]) if noise else D
    least = cost.min(axis=1, keepdims=True)
    ratio = np.where(cost == 0, 1.0, least / np.where(cost == 0, 1.0, cost))
    v = ratio ** (1 / (m - 1))
    u = v / v.sum(axis=1, keepdims=True)
    return u[:, : D.shape[1]], u[:, -1] if noise else np.zeros(len(D))


@dataclass(frozen=True)
class Fuzzy(Partition):
    """J = sum_i sum_k u_ik^m d_ik, sum_k u_ik = 1 (Xia 2011 eq. (1), (2); Ortiz, GCFAS).

    With a noise distance delta (Dave 1991) one more column has d = delta^2 for every row.
    """

    m: float = 2.0

    takes_links: ClassVar[bool] = True

    @property
    def rule(self):
        return Rule(FUZZY, m=self.m)

    def influence(self, D, scale, noise):
        U, rest = fuzzy_memberships(D, self.m, noise)
        W = U**self.m
        return W, (W * D).sum(axis=1) + rest**self.m * noise

    def members(self, D, scale, noise):
        U, rest = fuzzy_memberships(D, self.m, noise)
        U = _share_out(U)
        return members_from_distances(U, D, scale, noise, rest)

    def settle(self, linked, p):
        """Memberships of linked rows, and the factor of their costs in J."""
        p = linked.settle_soft(self.m, p)
        return p, linked.own(p, self.m)


def _share_out(U):
    """Memberships among the clusters alone; a row given wholly to noise is shared equally."""
    total = U.sum(axis=1, keepdims=True)
    return np.where(total > 0, U / np.where(total > 0, total, 1.0), 1 / U.shape[1])
