"""Partitions with both memberships and typicalities."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from softclust.grammar.partitions.base import Partition
from softclust.grammar.partitions.fuzzy import Fuzzy
from softclust.grammar.partitions.members import members_from_typicalities
from softclust.grammar.partitions.possibilistic import Possibilistic
from softclust.kernels.codes import IMPROVED, POSSIBILISTIC_FUZZY, Rule


@dataclass(frozen=True)
class PossibilisticFuzzy(Partition):
    """J = sum (a u^m + b t^eta) d + sum_k gamma_k sum_i (1 - t)^eta (Pal 2005; Antoine 2018 eq. (5))."""

    a: float = 1.0
    b: float = 1.0
    m: float = 2.0
    eta: float = 2.0

    uses_scale: ClassVar[bool] = True
    has_typicalities: ClassVar[bool] = True

    @property
    def rule(self):
        return Rule(POSSIBILISTIC_FUZZY, m=self.m, eta=self.eta, a=self.a, b=self.b)

    def typicality(self, q):
        return Possibilistic(self.eta).typicality(q)

    def influence(self, D, scale, noise):
        Wu, fuzzy_loss = Fuzzy(self.m).influence(D, scale, noise)
        Wt, loss = Possibilistic(self.eta, self.b).influence(D, scale, noise)
        return self.a * Wu + Wt, self.a * fuzzy_loss + loss

    def members(self, D, scale, noise):
        U, _, _, rest = Fuzzy(self.m).members(D, scale, noise)
        T = Possibilistic(self.eta, self.b).typicalities(D, scale)
        return members_from_typicalities(U, T, D, scale, noise, rest)


@dataclass(frozen=True)
class ImprovedPossibilistic(Partition):
    """J = sum u^m t^eta d + sum_k gamma_k sum_i u^m (1 - t)^eta (Zhang & Leung 2004, variant 1).

    Variant 2, `entropy`: J = sum u^m t d + sum_k gamma_k sum_i u^m (t ln t - t + 1).  For given
    distances t is that of PCM; with c_ik the least value of the bracket over t, u is that of FCM on c_ik.
    """

    m: float = 2.0
    eta: float = 2.0
    entropy: bool = False

    uses_scale: ClassVar[bool] = True
    has_typicalities: ClassVar[bool] = True

    @property
    def rule(self):
        return Rule(IMPROVED, m=self.m, eta=self.eta, entropy=self.entropy)

    def typicality(self, q):
        return np.exp(-q) if self.entropy else Possibilistic(self.eta).typicality(q)

    def _bracket(self, D, scale):
        """Typicality, its influence, and the least value of the bracket."""
        T = self.typicality(D / scale)
        if self.entropy:
            return T, T, -scale * np.expm1(-D / scale)
        W = T**self.eta
        return T, W, W * D + scale * (1 - T) ** self.eta

    def influence(self, D, scale, noise):
        _, W, cost = self._bracket(D, scale)
        Wu, loss = Fuzzy(self.m).influence(cost, scale, noise)
        return Wu * W, loss

    def members(self, D, scale, noise):
        T, _, cost = self._bracket(D, scale)
        U, _, _, rest = Fuzzy(self.m).members(cost, scale, noise)
        return members_from_typicalities(U, T, D, scale, noise, rest)
