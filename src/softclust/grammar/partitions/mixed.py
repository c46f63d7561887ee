"""Partitions with both memberships and typicalities."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from softclust.grammar.partitions.base import Partition
from softclust.grammar.partitions.fuzzy import Fuzzy
from softclust.grammar.partitions.members import Members, members_from_typicalities
from softclust.grammar.partitions.possibilistic import Possibilistic, PossibilisticEntropic
from softclust.kernels.codes import IMPROVED, LEAST_INFLUENCE, POSSIBILISTIC_FUZZY, Rule


@dataclass(frozen=True)
class PossibilisticFuzzy(Partition):
    """Possibilistic fuzzy c-means (PFCM): a weighted sum of FCM and PCM (Pal 2005; Antoine 2018 eq. (5)).

    J = sum (a u^m + b t^eta) d + sum_k gamma_k sum_i (1 - t)^eta.
    """

    a: float = 1.0
    b: float = 1.0
    m: float = 2.0
    eta: float = 2.0

    uses_scale: ClassVar[bool] = True
    has_typicalities: ClassVar[bool] = True
    labels_typicalities: ClassVar[bool] = True

    @property
    def rule(self) -> Rule:
        return Rule(POSSIBILISTIC_FUZZY, m=self.m, eta=self.eta, a=self.a, b=self.b)

    def typicality(self, q: np.ndarray) -> np.ndarray:
        return Possibilistic(self.eta).typicality(q)

    def influence(self, D: np.ndarray, scale: np.ndarray, noise: float) -> tuple[np.ndarray, np.ndarray]:
        """Return a times the influence and loss of FCM, plus those of PCM."""
        Wu, fuzzy_loss = Fuzzy(self.m).influence(D, scale, noise)
        Wt, loss = Possibilistic(self.eta, self.b).influence(D, scale, noise)
        return self.a * Wu + Wt, self.a * fuzzy_loss + loss

    def members(self, D: np.ndarray, scale: np.ndarray, noise: float) -> Members:
        U, _, _, rest = Fuzzy(self.m).members(D, scale, noise)
        T = Possibilistic(self.eta, self.b).typicalities(D, scale)
        return members_from_typicalities(U, T, noise, rest)


@dataclass(frozen=True)
class ImprovedPossibilistic(Partition):
    """Improved possibilistic c-means (IPCM): memberships times typicalities (Zhang & Leung 2004).

    Variant 1: J = sum u^m t^eta d + sum_k gamma_k sum_i u^m (1 - t)^eta.

    Variant 2, `entropy`: J = sum u^m t d + sum_k gamma_k sum_i u^m (t ln t - t + 1).

    J = sum u^m times a bracket of d and t.  For given distances t is that of PCM; with c_ik the least value
    of the bracket over t, u is that of FCM on c_ik.  The memberships that are read out are u t, divided by
    their row sum: u alone says nothing of a row far from all clusters, where every bracket is near gamma.
    """

    m: float = 2.0
    eta: float = 2.0
    entropy: bool = False

    uses_scale: ClassVar[bool] = True
    has_typicalities: ClassVar[bool] = True

    @property
    def rule(self) -> Rule:
        return Rule(IMPROVED, m=self.m, eta=self.eta, entropy=self.entropy)

    def typicality(self, q: np.ndarray) -> np.ndarray:
        return np.exp(-q) if self.entropy else Possibilistic(self.eta).typicality(q)

    def _bracket(self, D: np.ndarray, scale: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the typicality, its influence, and the least value of the bracket, (n, K) each."""
        T = self.typicality(D / scale)
        if self.entropy:
            return T, T, -scale * np.expm1(-D / scale)
        W = T**self.eta
        return T, W, W * D + scale * (1 - T) ** self.eta

    def influence(self, D: np.ndarray, scale: np.ndarray, noise: float) -> tuple[np.ndarray, np.ndarray]:
        _, W, cost = self._bracket(D, scale)
        Wu, loss = Fuzzy(self.m).influence(cost, scale, noise)
        return Wu * W, loss

    def members(self, D: np.ndarray, scale: np.ndarray, noise: float) -> Members:
        T, _, cost = self._bracket(D, scale)
        U, _, _, rest = Fuzzy(self.m).members(cost, scale, noise)
        return members_from_typicalities(self._products(U, D / scale), T, noise, rest)

    def _products(self, U: np.ndarray, Q: np.ndarray) -> np.ndarray:
        """Return u t, divided by its row sum, also where every t is below the least float."""
        typicalities = PossibilisticEntropic() if self.entropy else Possibilistic(self.eta)
        relative = typicalities.shares_of(Q)
        V = U * relative
        total = V.sum(axis=1, keepdims=True)
        return np.where(total > LEAST_INFLUENCE, V / np.where(total > 0, total, 1.0), relative)

    def labelled_members(
        self, U: np.ndarray, Q: np.ndarray, alpha: np.ndarray, labels: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return (u t + alpha u)/(1 + alpha), with u t divided by its sum, and its greatest column.

        Labels act on u.  A label without strength leaves u t, as in other rows; a certain one is obeyed.
        """
        trust = (1 - 1 / (1 + alpha))[:, None]
        shares = self._products(U, Q) * (1 - trust) + trust * U
        return shares, shares.argmax(axis=1)
