"""What one row pays in each family for its memberships u and typicalities t, and the slopes of that.

D is (n, c), the squared distances to clusters or, in credal partitions, to sets times |A|^alpha.  U has a
last column for noise where there is noise.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np


@dataclass(frozen=True)
class Labels:
    """A penalty for differing from labels: alpha sum_k b_ik (p_ik - f_ik)^2 d_ik."""

    target: np.ndarray  # (n, c) f_ik, NaN where nothing is said
    alpha: np.ndarray  # (n,)

    def cost(self, p: np.ndarray, D: np.ndarray) -> np.ndarray:
        return self.alpha * np.nansum((p - self.target) ** 2 * D, axis=1)

    def slope(self, p: np.ndarray, D: np.ndarray) -> np.ndarray:
        return np.nan_to_num(2 * self.alpha[:, None] * (p - self.target) * D)


@dataclass(frozen=True)
class Plausibility:
    """A penalty of credal partitions: delta_i (1 - sum_l t_il m_il), linear in the masses."""

    wanted: np.ndarray  # (n, f) t_il
    delta: np.ndarray  # (n,) 0 without a label

    def cost(self, p: np.ndarray, D: np.ndarray) -> np.ndarray:
        return self.delta * (1 - (self.wanted * p).sum(axis=1))

    def slope(self, p: np.ndarray, D: np.ndarray) -> np.ndarray:
        return -self.delta[:, None] * self.wanted


@dataclass(frozen=True)
class Fuzzy:
    """sum_k g(u_k) d_k + g(u_noise) delta^2, g(u) = u^m or a polynomial; hard where m = 1."""

    labels: Labels | Plausibility
    m: float
    noise: float | None = None  # delta^2
    crisp: float | None = None  # beta of the polynomial of Klawonn & Hoeppner (2003)

    has_typicalities: ClassVar[bool] = False

    def g(self, u: np.ndarray) -> np.ndarray:
        if self.crisp is None:
            return u**self.m
        return ((1 - self.crisp) * u**2 + 2 * self.crisp * u) / (1 + self.crisp)

    def g_slope(self, u: np.ndarray) -> np.ndarray:
        if self.crisp is None:
            return self.m * u ** (self.m - 1)
        return 2 * ((1 - self.crisp) * u + self.crisp) / (1 + self.crisp)

    def with_noise(self, D: np.ndarray) -> np.ndarray:
        return D if self.noise is None else np.column_stack([D, np.full(len(D), self.noise)])

    def cost(self, D: np.ndarray, U: np.ndarray, T: None = None) -> np.ndarray:
        K = D.shape[1]
        return (self.g(U) * self.with_noise(D)).sum(axis=1) + self.labels.cost(U[:, :K], D)

    def slope(self, D: np.ndarray, U: np.ndarray, T: None = None) -> np.ndarray:
        K = D.shape[1]
        slope = self.g_slope(U) * self.with_noise(D)
        slope[:, :K] += self.labels.slope(U[:, :K], D)
        return slope


@dataclass(frozen=True)
class Possibilistic:
    """sum_k t_k^eta b d_k + gamma_k (1 - t_k)^eta, or t_k d_k + gamma_k (t ln t - t); labels on t."""

    labels: Labels
    eta: float
    gamma: np.ndarray  # (c,)
    b: float = 1.0
    entropy: bool = False
    offset: float = 0.0  # 1 where the entropy is counted from its least value, as in IPCM

    has_typicalities: ClassVar[bool] = True

    def bracket(self, D: np.ndarray, T: np.ndarray) -> np.ndarray:
        """(n, c) what each typicality costs, without labels."""
        if self.entropy:
            logs = np.log(np.where(T > 0, T, 1.0))
            return T * D + self.gamma * (T * logs - T + self.offset)
        return self.b * T**self.eta * D + self.gamma * (1 - T) ** self.eta

    def bracket_slope(self, D: np.ndarray, T: np.ndarray) -> np.ndarray:
        if self.entropy:
            return D + self.gamma * np.log(T)
        return self.eta * (self.b * T ** (self.eta - 1) * D - self.gamma * (1 - T) ** (self.eta - 1))

    def cost(self, D: np.ndarray, U: np.ndarray | None, T: np.ndarray) -> np.ndarray:
        return self.bracket(D, T).sum(axis=1) + self.labels.cost(T, D)

    def slope_t(self, D: np.ndarray, T: np.ndarray) -> np.ndarray:
        return self.bracket_slope(D, T) + self.labels.slope(T, D)


@dataclass(frozen=True)
class Mixed:
    """PFCM: a times FCM without labels, plus PCM with labels."""

    fuzzy: Fuzzy
    possibilistic: Possibilistic
    a: float

    has_typicalities: ClassVar[bool] = True

    def cost(self, D: np.ndarray, U: np.ndarray, T: np.ndarray) -> np.ndarray:
        return self.a * self.fuzzy.cost(D, U) + self.possibilistic.cost(D, None, T)

    def slope(self, D: np.ndarray, U: np.ndarray, T: np.ndarray) -> np.ndarray:
        return self.fuzzy.slope(D, U)

    def slope_t(self, D: np.ndarray, T: np.ndarray) -> np.ndarray:
        return self.possibilistic.slope_t(D, T)


@dataclass(frozen=True)
class Improved:
    """IPCM: FCM, labels and noise included, on the brackets of PCM in the place of distances."""

    fuzzy: Fuzzy
    possibilistic: Possibilistic

    has_typicalities: ClassVar[bool] = True

    def cost(self, D: np.ndarray, U: np.ndarray, T: np.ndarray) -> np.ndarray:
        return self.fuzzy.cost(self.possibilistic.bracket(D, T), U)

    def slope(self, D: np.ndarray, U: np.ndarray, T: np.ndarray) -> np.ndarray:
        return self.fuzzy.slope(self.possibilistic.bracket(D, T), U)

    def slope_t(self, D: np.ndarray, T: np.ndarray) -> np.ndarray:
        return self.possibilistic.bracket_slope(D, T)


def least_typicalities(family: Possibilistic | Mixed | Improved, D: np.ndarray) -> np.ndarray:
    """(n, c) the t in [0, 1] with the least cost, by bisection of its slope, which rises."""
    low, high = np.zeros_like(D), np.ones_like(D)
    for _ in range(60):
        middle = (low + high) / 2
        above = family.slope_t(D, middle) > 0
        low, high = np.where(above, low, middle), np.where(above, middle, high)
    return (low + high) / 2


def least_shares(costs: np.ndarray, m: float, target: np.ndarray, alpha: np.ndarray) -> np.ndarray:
    """(n, K) the u on the simplex with the least sum_k c_k (u_k^m + alpha b_k (u_k - f_k)^2), by bisection.

    Every u_k with u_k > 0 has the same slope l.  Slopes rise with u_k, so u_k(l) is found by bisection, and
    l by bisection too, since the sum of the u_k(l) rises with it.
    """
    said, f = ~np.isnan(target), np.nan_to_num(target)
    pull = np.where(said, alpha[:, None], 0.0)

    def slopes(u: np.ndarray) -> np.ndarray:
        return costs * (m * u ** (m - 1) + 2 * pull * (u - f))

    def shares(level: np.ndarray) -> np.ndarray:
        low, high = np.full_like(costs, np.log(1e-300)), np.zeros_like(costs)  # logarithms: u may be tiny
        for _ in range(60):
            middle = (low + high) / 2
            above = slopes(np.exp(middle)) > level
            low, high = np.where(above, low, middle), np.where(above, middle, high)
        return np.exp((low + high) / 2)

    low = slopes(np.zeros_like(costs)).min(axis=1, keepdims=True)
    high = slopes(np.ones_like(costs)).max(axis=1, keepdims=True)
    for _ in range(80):
        middle = (low + high) / 2
        above = shares(middle).sum(axis=1, keepdims=True) > 1
        low, high = np.where(above, low, middle), np.where(above, middle, high)
    u = shares((low + high) / 2)
    return u / u.sum(axis=1, keepdims=True)
