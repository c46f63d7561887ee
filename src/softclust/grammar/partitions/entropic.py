"""Entropic partitions: memberships sum to one and are never 0; with Gaussians the fit is EM."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from softclust._lazy import kernels
from softclust.grammar.partitions.base import Partition
from softclust.grammar.partitions.members import Members
from softclust.kernels.codes import ENTROPIC, Rule

if TYPE_CHECKING:
    from softclust.knowledge.linked import Linked


@dataclass(frozen=True)
class Entropic(Partition):
    """Memberships pay for their certainty: J = sum_i sum_k u_ik (d_ik + ln u_ik).

    J is least at u = softmax(-d), where it is -sum_i ln sum_k exp(-d_ik).  With
    d = -ln pi_k N(x; mu_k, Sigma_k) that is minus the log-likelihood of a mixture (Ortiz, EM).  Noise is
    one more component of the constant log-density `noise`.
    """

    noise: float | None = None

    is_entropic: ClassVar[bool] = True
    takes_links: ClassVar[bool] = True

    @property
    def rule(self) -> Rule:
        return Rule(ENTROPIC, m=1.0, eta=1.0, a=self.noise is not None, b=self.noise or 0.0)

    def noise_cost(self, noise: float) -> float | None:
        """Return the cost of noise for a linked row, minus its log-density; None without noise."""
        return None if self.noise is None else -self.noise

    def _shares(self, D: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the memberships, with noise that of noise last, and the least J of each row."""
        return kernels("entropic").softmax(
            -D if self.noise is None else np.column_stack([-D, np.full(len(D), self.noise)])
        )

    def influence(self, D: np.ndarray, scale: np.ndarray, noise: float) -> tuple[np.ndarray, np.ndarray]:
        U, loss = self._shares(D)
        return U[:, : D.shape[1]], loss

    def members(self, D: np.ndarray, scale: np.ndarray, noise: float) -> Members:
        """Return memberships among the components alone; the score is the membership of noise, or 0."""
        rest = self._shares(D)[0][:, -1] if self.noise is not None else np.zeros(len(D))
        U = kernels("entropic").softmax(-D)[0]
        return Members(U, None, U.argmax(axis=1), rest)

    @property
    def link_exponent(self) -> float | None:
        return 0.0

    def factor(self, p: np.ndarray) -> np.ndarray:
        return p

    def settle(self, linked: Linked, p: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
        """Return the memberships of linked rows, twice: they are also the factor of their costs in J."""
        p = linked.settle_entropic(self, p)
        return p, p


@dataclass(frozen=True)
class Exponential(Entropic):
    """FCM's memberships of distances e^d: u = softmax(-d/(m - 1)), influence u^m (Gath & Geva 1989).

    It computes with logarithms, since e^d has no float where clusters are far.  J = sum_i of the logarithm
    of what FCM would pay.  Its prototypes do not minimise J, so J may rise, and the loop stops only when
    the prototypes rest.
    """

    m: float = 2.0

    has_noise: ClassVar[bool] = False
    takes_links: ClassVar[bool] = False  # its J has no memberships of pairs

    @property
    def rule(self) -> Rule:
        return Rule(ENTROPIC, m=self.m, eta=self.m - 1, a=0.0, b=0.0)

    def influence(self, D: np.ndarray, scale: np.ndarray, noise: float) -> tuple[np.ndarray, np.ndarray]:
        U, loss = self._shares(D / (self.m - 1))
        return U**self.m, (self.m - 1) * loss

    def members(self, D: np.ndarray, scale: np.ndarray, noise: float) -> Members:
        return super().members(D / (self.m - 1), scale, noise)
