"""Fuzzy partitions with any fuzzifier, in NumPy alone: a new one is a function g and its derivative."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from softclust.grammar.partitions.base import Partition
from softclust.grammar.partitions.fuzzy import share_out
from softclust.grammar.partitions.members import Members, members_from_distances
from softclust.grammar.partitions.roots import rising_root

if TYPE_CHECKING:
    from softclust.knowledge.linked import Linked

_LEAST_COST = 1e-280  # a row on a centre: its cost still divides


class Separable(Partition):
    """J = sum_i sum_k g(u_ik) d_ik with sum_k u_ik = 1, for a rising convex g with g(0) = 0 and g(1) = 1.

    A subclass defines `fuzzifier`, which is g, and `slope`, which is g'.  Memberships, noise, labels and
    pairs follow: each row minimises sum_k d_k (g(u_k) + alpha (u_k - f_k)^2) + b_k u_k on the simplex,
    where alpha and f come from its label and b from its pairs.  The minimiser has one multiplier l with

        d_k (g'(u_k) + 2 alpha (u_k - f_k)) + b_k = l  where u_k > 0,

    and its left side at u_k = 0 is at least l elsewhere.  The sum of the u_k rises with l, so one root
    search finds it.
    """

    takes_links: ClassVar[bool] = True

    def fuzzifier(self, u: np.ndarray) -> np.ndarray:
        """g(u)."""
        raise NotImplementedError

    def slope(self, u: np.ndarray) -> np.ndarray:
        """g'(u), which never falls."""
        raise NotImplementedError

    def memberships(
        self,
        cost: np.ndarray,
        wanted: np.ndarray | None = None,
        alpha: np.ndarray | float = 0.0,
        tilt: np.ndarray | float = 0.0,
    ) -> np.ndarray:
        """(n, F) the exact memberships of rows, from costs, labels (`wanted` is f) and tilt b."""
        cost = np.maximum(cost, _LEAST_COST)
        U = self._minimiser(cost, *self._pulls(cost, wanted, alpha), tilt)
        return U / U.sum(axis=1, keepdims=True)

    def _minimiser(
        self, cost: np.ndarray, pull: np.ndarray, wish: np.ndarray, tilt: np.ndarray | float
    ) -> np.ndarray:
        """(n, F) the minimiser, whose rows sum to 1 up to rounding; `pull` is alpha, `wish` f, `tilt` b."""
        low = (cost * self._bend(np.zeros_like(cost), pull, wish) + tilt).min(axis=1, keepdims=True)
        high = (cost * self._bend(np.ones_like(cost), pull, wish) + tilt).min(axis=1, keepdims=True)

        def members(level: np.ndarray) -> np.ndarray:
            with np.errstate(over="ignore"):
                return self._inverse((level - tilt) / cost, pull, wish)

        level = rising_root(lambda level: members(level).sum(axis=1, keepdims=True) - 1, low, high, 100)
        return members(level)

    @staticmethod
    def _pulls(
        cost: np.ndarray, wanted: np.ndarray | None, alpha: np.ndarray | float
    ) -> tuple[np.ndarray, np.ndarray]:
        """(n, F) alpha and f of each entry; 0 where no label says anything."""
        if wanted is None:
            return np.zeros_like(cost), np.zeros_like(cost)
        pull = np.where(np.isnan(wanted), 0.0, np.reshape(alpha, (-1, 1)) * np.ones_like(cost))
        return pull, np.nan_to_num(wanted)

    def _bend(self, u: np.ndarray, pull: np.ndarray, wish: np.ndarray) -> np.ndarray:
        """g'(u) + 2 alpha (u - f)."""
        return self.slope(u) + 2 * pull * (u - wish)

    def _inverse(self, level: np.ndarray, pull: np.ndarray, wish: np.ndarray) -> np.ndarray:
        """u in [0, 1] at which `_bend` reaches the level; a subclass may know a formula."""
        return rising_root(
            lambda u: self._bend(u, pull, wish) - level, np.zeros_like(level), np.ones_like(level), 60
        )

    def _shares(self, D: np.ndarray, noise: float) -> tuple[np.ndarray, np.ndarray]:
        """Memberships of the clusters, and that of noise."""
        cost = np.column_stack([D, np.full(len(D), noise)]) if noise else D
        U = self.memberships(cost.astype(np.float64))
        return U[:, : D.shape[1]], U[:, -1] if noise else np.zeros(len(D))

    def influence(self, D: np.ndarray, scale: np.ndarray, noise: float) -> tuple[np.ndarray, np.ndarray]:
        U, rest = self._shares(D, noise)
        W = self.fuzzifier(U)
        return W, (W * D).sum(axis=1) + self.fuzzifier(rest) * noise

    def members(self, D: np.ndarray, scale: np.ndarray, noise: float) -> Members:
        U, rest = self._shares(D, noise)
        return members_from_distances(share_out(U).astype(D.dtype), D, scale, noise, rest.astype(D.dtype))

    def labelled_rows(
        self, cost: np.ndarray, scale: np.ndarray, noise: float, target: np.ndarray, alpha: np.ndarray,
        printed: bool,
    ) -> tuple[np.ndarray, ...]:  # fmt: skip
        c = cost.shape[1]
        whole = np.column_stack([cost, np.full(len(cost), noise)]) if noise else cost
        wanted = np.column_stack([target, np.full(len(cost), np.nan)]) if noise else target
        p = self.memberships(whole.astype(np.float64), wanted, alpha)
        U, share = p[:, :c], p[:, c] if noise else np.zeros(len(p))
        gap = np.where(np.isnan(target), 0.0, U - np.nan_to_num(target))
        extra = alpha[:, None] * gap**2
        W = self.fuzzifier(U)
        loss = (cost * (W + extra)).sum(axis=1) + self.fuzzifier(share) * noise
        return U, np.zeros_like(U), W if printed else W + extra, loss, share, U.argmax(axis=1)

    def factor(self, p: np.ndarray) -> np.ndarray:
        """What multiplies the cost of a linked row: g(p)."""
        return self.fuzzifier(p)

    def settle(self, linked: Linked, p: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
        p = linked.settle_soft(self, p)
        return p, linked.own(self, p)


@dataclass(frozen=True)
class Polynomial(Separable):
    """g(u) = (1 - b)/(1 + b) u^2 + 2 b/(1 + b) u, the polynomial fuzzifier (Klawonn & Hoeppner 2003).

    b = g'(0)/g'(1): a row whose nearest cluster is at most b times as far as any other belongs to that
    cluster alone, while u^m leaves every cluster a share of every row.  b = 0 is FCM with m = 2, b near 1
    is k-means. With the clusters sorted by distance and A the greatest number of nearest ones whose
    memberships are all positive,

        u_k = (1/(1 - b)) [(1 + (A - 1) b) / sum_{j <= A} (d_k/d_j) - b].
    """

    beta: float = 0.5  # b

    def fuzzifier(self, u: np.ndarray) -> np.ndarray:
        return ((1 - self.beta) * u * u + 2 * self.beta * u) / (1 + self.beta)

    def slope(self, u: np.ndarray) -> np.ndarray:
        return 2 * ((1 - self.beta) * u + self.beta) / (1 + self.beta)

    def _minimiser(
        self, cost: np.ndarray, pull: np.ndarray, wish: np.ndarray, tilt: np.ndarray | float
    ) -> np.ndarray:
        """Minimise sum_k a_k u_k^2 + l_k u_k on the simplex, exactly, by water-filling."""
        steep = 2 * cost * ((1 - self.beta) / (1 + self.beta) + pull)  # 2 a_k
        level = cost * (2 * self.beta / (1 + self.beta) - 2 * pull * wish) + tilt  # l_k, the slope at 0
        if np.any(
            tilt
        ):  # from the least level, beside which a cluster without cost is not lost in rounding
            level = level - level.min(axis=1, keepdims=True)
        order = np.argsort(level, axis=1, kind="stable")
        give, start = (np.take_along_axis(array, order, axis=1) for array in (1 / steep, level))
        water = (1 + np.cumsum(give * start, axis=1)) / np.cumsum(
            give, axis=1
        )  # if the first 1, 2, ... are active
        active = water > start
        last = active.shape[1] - 1 - active[:, ::-1].argmax(axis=1)
        surface = np.take_along_axis(water, last[:, None], axis=1)
        return np.maximum(surface - level, 0.0) / steep
