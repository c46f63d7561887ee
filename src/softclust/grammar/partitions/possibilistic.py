"""Possibilistic partitions: how typical is a row of a cluster, regardless of the other clusters?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from softclust.grammar.partitions.base import Partition
from softclust.grammar.partitions.members import Members, members_from_typicalities
from softclust.kernels.codes import POSSIBILISTIC, Rule


@dataclass(frozen=True)
class Possibilistic(Partition):
    """Possibilistic c-means (PCM): J = sum_i sum_k b t_ik^eta d_ik + sum_k gamma_k sum_i (1 - t_ik)^eta.

    t = 1/(1 + (b d/gamma)^(1/(eta-1))): Antoine 2018 section II with b = 1 and eta written m, its eq. (9)
    otherwise; Ortiz, GCPAS.
    """

    eta: float = 2.0
    b: float = 1.0

    uses_scale: ClassVar[bool] = True
    has_typicalities: ClassVar[bool] = True
    labels_typicalities: ClassVar[bool] = True
    has_noise: ClassVar[bool] = False

    @property
    def rule(self) -> Rule:
        return Rule(POSSIBILISTIC, eta=self.eta, b=self.b)

    def typicality(self, q: np.ndarray) -> np.ndarray:
        """Return the typicality of rows at squared distances of q scales, for b = 1."""
        with np.errstate(over="ignore"):  # for exponents near 1 the power of a far row has no float
            return 1 / (1 + q ** (1 / (self.eta - 1)))

    def typicalities(self, D: np.ndarray, scale: np.ndarray) -> np.ndarray:
        """Return the typicalities t (n, K)."""
        return self.typicality(self.b * D / scale)

    def influence(self, D: np.ndarray, scale: np.ndarray, noise: float) -> tuple[np.ndarray, np.ndarray]:
        """Return W = b t^eta, and each row's part of J."""
        T = self.typicalities(D, scale)
        W = self.b * T**self.eta
        return W, (W * D + scale * (1 - T) ** self.eta).sum(axis=1)

    def members(self, D: np.ndarray, scale: np.ndarray, noise: float) -> Members:
        """Return typicalities, and as memberships their shares of the row's sum."""
        return members_from_typicalities(
            self.shares_of(D / scale), self.typicalities(D, scale), noise, None
        )

    def shares_of(self, Q: np.ndarray) -> np.ndarray:
        """Return typicalities of squared distances q = d/gamma, divided by their row sum."""
        base = np.maximum(Q.min(axis=1, keepdims=True), 1.0)
        e = 1 / (self.eta - 1)
        with np.errstate(over="ignore"):
            V = 1 / (base**-e + (Q / base) ** e)  # proportional to T, also where T underflows
        return V / V.sum(axis=1, keepdims=True)


@dataclass(frozen=True)
class PossibilisticEntropic(Partition):
    """Possibilistic c-means with an entropy penalty: t = exp(-d/gamma) (Ortiz).

    J = sum_i sum_k t_ik d_ik + sum_k gamma_k sum_i (t ln t - t).
    """

    uses_scale: ClassVar[bool] = True
    has_typicalities: ClassVar[bool] = True
    labels_typicalities: ClassVar[bool] = True
    has_noise: ClassVar[bool] = False

    @property
    def rule(self) -> Rule:
        return Rule(POSSIBILISTIC, entropy=True)

    def typicality(self, q: np.ndarray) -> np.ndarray:
        return np.exp(-q)

    def influence(self, D: np.ndarray, scale: np.ndarray, noise: float) -> tuple[np.ndarray, np.ndarray]:
        """Return W = t, and each row's part of J, which is -sum_k gamma_k t_ik at its least."""
        T = self.typicality(D / scale)
        return T, -(scale * T).sum(axis=1)

    def members(self, D: np.ndarray, scale: np.ndarray, noise: float) -> Members:
        """Return typicalities, and as memberships their shares of the row's sum, without underflow."""
        Q = D / scale
        return members_from_typicalities(self.shares_of(Q), self.typicality(Q), noise, None)

    def shares_of(self, Q: np.ndarray) -> np.ndarray:
        """Return typicalities of squared distances q = d/gamma, divided by their row sum."""
        V = np.exp(Q.min(axis=1, keepdims=True) - Q)
        return V / V.sum(axis=1, keepdims=True)
