"""Fuzzy partition: memberships sum to one and enter J with an exponent."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from softclust.grammar.partitions.base import Partition
from softclust.grammar.partitions.members import Members, members_from_distances
from softclust.kernels.codes import FUZZY, Rule

if TYPE_CHECKING:
    from softclust.knowledge.linked import Linked


def fuzzy_memberships(D: np.ndarray, m: float, noise: float) -> tuple[np.ndarray, np.ndarray]:
    """Return u_k = d_k^(-1/(m-1)) / sum (n, K), and separately the membership of noise (n,).

    Clusters at distance zero share the row.
    """
    cost = np.column_stack([D, np.full(len(D), noise)]) if noise else D
    least = cost.min(axis=1, keepdims=True)
    ratio = np.where(cost == 0, 1.0, least / np.where(cost == 0, 1.0, cost))
    v = ratio ** (1 / (m - 1))
    u = v / v.sum(axis=1, keepdims=True)
    return u[:, : D.shape[1]], u[:, -1] if noise else np.zeros(len(D))


@dataclass(frozen=True)
class Fuzzy(Partition):
    """Fuzzy c-means: J = sum_i sum_k u_ik^m d_ik, sum_k u_ik = 1 (Xia 2011 eq. (1), (2); Ortiz, GCFAS).

    With a noise distance delta (Dave 1991) one more column has d = delta^2 for every row.
    """

    m: float = 2.0

    takes_links: ClassVar[bool] = True

    @property
    def rule(self) -> Rule:
        return Rule(FUZZY, m=self.m)

    def influence(self, D: np.ndarray, scale: np.ndarray, noise: float) -> tuple[np.ndarray, np.ndarray]:
        """Return W = u^m, and each row's sum of u^m d over clusters and noise."""
        U, rest = fuzzy_memberships(D, self.m, noise)
        W = U**self.m
        return W, (W * D).sum(axis=1) + rest**self.m * noise

    def members(self, D: np.ndarray, scale: np.ndarray, noise: float) -> Members:
        U, _ = fuzzy_memberships(D, self.m, 0.0)  # shares among the clusters alone
        return members_from_distances(U, D, scale, noise, fuzzy_memberships(D, self.m, noise)[1])

    @property
    def link_exponent(self) -> float | None:
        return self.m

    def factor(self, p: np.ndarray) -> np.ndarray:
        return p**self.m

    def settle(self, linked: Linked, p: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
        """Return the memberships of linked rows, and the factor of their costs in J."""
        p = linked.settle_soft(self, p)
        return p, linked.own(self, p)


def share_out(U: np.ndarray) -> np.ndarray:
    """Return memberships among the clusters alone; a row given wholly to noise is shared equally."""
    total = U.sum(axis=1, keepdims=True)
    return np.where(total > 0, U / np.where(total > 0, total, 1.0), 1 / U.shape[1])
