"""Entropic partition: memberships that sum to one and are never 0; with Gaussians it is EM."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from softclust.grammar.partitions.base import Partition
from softclust.grammar.partitions.members import Members
from softclust.kernels.codes import ENTROPIC, Rule


@dataclass(frozen=True)
class Entropic(Partition):
    """J = sum_i sum_k u_ik (d_ik + ln u_ik), least at u = softmax(-d): -sum_i ln sum_k exp(-d_ik).

    With d = -ln pi_k N(x; mu_k, Sigma_k) that is minus the log-likelihood of a mixture (Ortiz, EM).
    Noise is one more component of the constant log-density `noise`.
    """

    noise: float | None = None

    is_entropic: ClassVar[bool] = True
    takes_links: ClassVar[bool] = True

    @property
    def rule(self):
        return Rule(ENTROPIC, m=1.0, eta=1.0, a=self.noise is not None, b=self.noise or 0.0)

    def noise_cost(self, noise):
        """What noise costs a linked row; None where there is none."""
        return None if self.noise is None else -self.noise

    def _shares(self, D):
        """Memberships, that of noise last where there is any, and each row's least J."""
        from softclust.kernels.entropic import softmax  # Numba is loaded when the first pass runs

        return softmax(-D if self.noise is None else np.column_stack([-D, np.full(len(D), self.noise)]))

    def influence(self, D, scale, noise):
        U, loss = self._shares(D)
        return U[:, : D.shape[1]], loss

    def members(self, D, scale, noise):
        from softclust.kernels.entropic import softmax

        rest = self._shares(D)[0][:, -1] if self.noise is not None else np.zeros(len(D))
        return Members(softmax(-D)[0], None, D.argmin(axis=1), rest)

    def settle(self, linked, p):
        """Memberships of linked rows, and the factor of their costs in J."""
        p = linked.settle_entropic(p)
        return p, p


@dataclass(frozen=True)
class Exponential(Entropic):
    """FCM's memberships of distances e^d: u = softmax(-d/(m - 1)), influence u^m (Gath & Geva 1989).

    In logarithms, since e^d has no float where clusters are far.  J = sum_i of the logarithm of what FCM
    would pay; its prototypes do not minimise it, so that it may rise, and the loop stops on rest alone.
    """

    m: float = 2.0

    has_noise: ClassVar[bool] = False
    takes_links: ClassVar[bool] = False  # its J has no memberships of pairs

    @property
    def rule(self):
        return Rule(ENTROPIC, m=self.m, eta=self.m - 1, a=0.0, b=0.0)

    def influence(self, D, scale, noise):
        U, loss = self._shares(D / (self.m - 1))
        return U**self.m, (self.m - 1) * loss

    def members(self, D, scale, noise):
        return super().members(D / (self.m - 1), scale, noise)
