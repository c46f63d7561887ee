"""Hard partition: each row belongs to its nearest cluster, as in k-means."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from softclust.grammar.partitions.base import Partition
from softclust.grammar.partitions.members import Members, members_from_distances
from softclust.kernels.codes import HARD, Rule

if TYPE_CHECKING:
    from softclust.knowledge.linked import Linked


@dataclass(frozen=True)
class Hard(Partition):
    """k-means: J = sum_i min_k d_ik (Ortiz, GCHAS); with a noise distance, min(delta^2, min_k d_ik)."""

    relocates: ClassVar[bool] = True  # a cluster without rows moves to the worst served row
    takes_links: ClassVar[bool] = True

    @property
    def rule(self) -> Rule:
        return Rule(HARD)

    def influence(self, D: np.ndarray, scale: np.ndarray, noise: float) -> tuple[np.ndarray, np.ndarray]:
        """Return 1 at the nearest cluster of each row, and its distance; rows in noise have influence 0."""
        least = D.min(axis=1)
        W = np.zeros_like(D)
        W[np.arange(len(D)), D.argmin(axis=1)] = 1.0
        if noise:
            W[least > noise] = 0.0
            least = np.minimum(least, noise)
        return W, least

    def members(self, D: np.ndarray, scale: np.ndarray, noise: float) -> Members:
        W, _ = self.influence(D, scale, 0.0)
        return members_from_distances(W, D, scale, noise, (D.min(axis=1) > noise).astype(D.dtype))

    def factor(self, p: np.ndarray) -> np.ndarray:
        return p

    def settle(self, linked: Linked, p: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
        """Return the labels of linked rows as unit vectors, and the factor of their costs in J."""
        p = linked.settle_hard(p)
        return p, linked.own(self, p)
