"""Hard partition: k-means."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from softclust.grammar.partitions.base import Partition
from softclust.grammar.partitions.members import members_from_distances
from softclust.kernels.codes import HARD, Rule


@dataclass(frozen=True)
class Hard(Partition):
    """J = sum_i min_k d_ik (Ortiz, GCHAS); with a noise distance, min(delta^2, min_k d_ik)."""

    relocates: ClassVar[bool] = True  # a cluster that no row wants moves to the worst served row
    takes_links: ClassVar[bool] = True

    @property
    def rule(self):
        return Rule(HARD)

    def influence(self, D, scale, noise):
        least = D.min(axis=1)
        W = np.zeros_like(D)
        W[np.arange(len(D)), D.argmin(axis=1)] = 1.0
        if noise:
            W[least > noise] = 0.0
            least = np.minimum(least, noise)
        return W, least

    def members(self, D, scale, noise):
        W, _ = self.influence(D, scale, 0.0)
        return members_from_distances(W, D, scale, noise, (D.min(axis=1) > noise).astype(D.dtype))

    def settle(self, linked, p):
        """Labels of linked rows as unit vectors, and the factor of their costs in J."""
        p = linked.settle_hard(p)
        return p, linked.own(p, 1.0)
