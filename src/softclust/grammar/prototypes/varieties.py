"""Clusters that are lines or planes: a row belongs to a line if it lies near it, however far along it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from softclust._lazy import kernels
from softclust.grammar.prototypes.axes import axes
from softclust.grammar.prototypes.base import AT_NEIGHBOURHOODS, Prototypes, Request, Theta
from softclust.grammar.prototypes.ellipsoids import about
from softclust.grammar.prototypes.parts import Parts, quadratic_parts
from softclust.grammar.prototypes.points import LOST
from softclust.knowledge.numbers import as_floats
from softclust.sources.spread import variances
from softclust.values import cache_last

if TYPE_CHECKING:
    from softclust.grammar.frame import Frame
    from softclust.grammar.separation import CentralDistance, Repulsion
    from softclust.grammar.state import Stats
    from softclust.sources.units import Units

_EQUAL = 1e-12  # of the greatest scatter: axes whose scatters differ by less are equal
_SAME = 1e-3  # of the data's spread, and of a direction: varieties nearer than this are one


@dataclass(frozen=True)
class Varieties(Prototypes):
    """Clusters are flat: d_ik = |(I - P_k)(x_i - v_k)|^2, P_k = sum_j s_kj s_kj', s_kj orthonormal.

    This is the squared distance of x_i to the variety through v_k along s_k1 ... s_kr, a line for r = 1 and
    a plane for r = 2 (fuzzy c-varieties, Bezdek, Coray, Gunderson & Watson 1981, with the identity for
    their norm).

    For given memberships J is least at v_k = sum_i W_ik x_i / sum_i W_ik and the first r principal axes
    s_kj of the scatter sum_i W_ik (x_i - v_k)(x_i - v_k)'.  Every other point of the variety would do as
    v_k: the mean is the paper's choice.

    A variety has no end: rows that are far apart but in line share a cluster.  This is a known weakness of
    fuzzy c-varieties, for which the paper's part II mixes d with the distance to v_k.

    theta holds the points v_k and the projectors P_k, which have no sign that may flip.  P_k = 0 is a
    variety that has no direction yet, that is a point: a fit from centres alone begins there.
    """

    spread: float = 1.0  # of the rows, in loop units: points are packed in this unit

    rank: ClassVar[int]  # r

    starts: ClassVar[str] = AT_NEIGHBOURHOODS
    is_additive: ClassVar[bool] = True
    has_shape: ClassVar[bool] = True
    may_coincide: ClassVar[bool] = True  # lines that cross in their middle have one centre

    @classmethod
    def from_data(cls, source: Any, request: Request) -> Self:
        """Refuse rows with so few features that every variety is the whole space."""
        p = source.rows.X.shape[1]
        if p <= cls.rank:
            raise ValueError(
                f"geometry={cls.name!r} fills the space of {p} feature(s), so that every distance is 0; "
                f"{cls.rank + 1} features or more would fit."
            )
        return cls(float(np.sqrt(variances(source).max())) or 1.0)

    @classmethod
    def freedom(cls, source: Any) -> float:
        """Return the number of directions beside a variety, at least 1."""
        return max(super().freedom(source) - cls.rank, 1.0)

    @property
    def passes(self) -> Any:
        return kernels("passes")

    def begin(self, V: np.ndarray, matrices: np.ndarray | None = None) -> Theta:
        """Return theta with the first principal axes of (c, p, p) matrices, by default no direction."""
        c, p = V.shape
        return V, np.zeros((c, p, p)) if matrices is None else self.projectors(matrices)

    @classmethod
    def shape_given(cls, matrices: Any, units: Units, c: int, p: int) -> np.ndarray:
        """Check the matrices whose first axes are the directions; lengths of axes do not matter.

        A matrix of zeros is a variety that has no direction yet.
        """
        given = as_floats(matrices, "The matrices of init")
        if given.shape != (c, p, p):
            raise ValueError(
                f"The matrices of init have shape {given.shape}; {c} of {p} x {p} would fit, one a cluster."
            )
        for k, one in enumerate(given):
            values = axes(0.5 * (one + one.T))[0] if np.isfinite(one).all() else np.zeros(p)
            if one.any() and not values[-cls.rank] > _EQUAL * np.abs(values).max():
                raise ValueError(f"The matrix of cluster {k} in init has no {cls.rank} axes of length > 0.")
        return 0.5 * (given + given.transpose(0, 2, 1))

    def projectors(self, matrices: np.ndarray) -> np.ndarray:
        """Return the projectors (c, p, p) onto the first r principal axes of symmetric matrices.

        A matrix of zeros has no axes, and its projector is 0.
        """
        first = axes(matrices)[1][:, :, -self.rank :] * matrices.any(axis=(1, 2), keepdims=True)
        return first @ first.transpose(0, 2, 1)

    @cache_last
    def columns(self, theta: Theta, frame: Frame) -> tuple[np.ndarray, ...]:
        """Return the points and the roots L of I - P = L L', for compiled passes.

        I - P = Q R is a projector, so that R'R = (I - P)^2 = I - P.
        """
        V, P = theta
        return V, np.linalg.qr(np.eye(V.shape[1]) - P).R.transpose(0, 2, 1)

    def distances(self, points: np.ndarray, theta: Theta, frame: Frame) -> np.ndarray:
        """Return |L'(x - v)|^2, which is never negative and sharp near 0."""
        return kernels("ellipsoids").squared_distances(points, *self.columns(theta, frame))

    def parts(self, point: np.ndarray, theta: Theta) -> Parts:
        V, P = theta
        return Parts(quadratic_parts(point - V, np.eye(V.shape[1]) - P), {})

    def moments(self, points: np.ndarray, W: np.ndarray, theta: Theta, frame: Frame) -> Theta:
        """Return the first and second moments of each cluster about its point: sum W z, sum W z z'."""
        return kernels("ellipsoids").moments(points, theta[0], W)

    def moved(self, stats: Stats, theta: Theta, other: Theta, frame: Frame) -> Stats:
        """Return the statistics of a sweep at theta, with moments about the points of `other`."""
        return about(stats, other[0] - theta[0])

    def solve(
        self, stats: Stats, theta: Theta, frame: Frame, separation: Repulsion | CentralDistance | None
    ) -> Theta:
        """Return the means, and projectors onto the first principal axes about them.

        A cluster without weight stays, and of equal axes those next to its directions are taken.
        """
        V, P = theta
        s = stats.weight
        held = s <= LOST * s.max()
        step = np.where(held[:, None], 0.0, stats.moments[0] / np.where(held, 1.0, s)[:, None])
        values, vectors = axes(about(stats, step).moments[1])
        first = vectors[:, :, -self.rank :]
        # Of equal axes none comes first, and rounding would choose another one each time.
        equal = values[:, -self.rank] - values[:, -self.rank - 1] <= _EQUAL * values[:, -1]
        tied = equal & ~held & (P.trace(axis1=1, axis2=2) > 0.5)
        first[tied] = self._nearest_axes(values[tied], vectors[tied], P[tied])
        return V + step, np.where(held[:, None, None], P, first @ first.transpose(0, 2, 1))

    def _nearest_axes(self, values: np.ndarray, vectors: np.ndarray, P: np.ndarray) -> np.ndarray:
        """Return the first axes where the last of them has equals: of the equal ones, those next to P."""
        gap = values - values[:, -self.rank, None]
        tolerance = _EQUAL * values[:, -1:]
        before = vectors * (gap > tolerance)[:, None, :]
        among = vectors * (np.abs(gap) <= tolerance)[:, None, :]
        E = among @ among.transpose(0, 2, 1)
        return axes(2 * before @ before.transpose(0, 2, 1) + E @ P @ E)[1][:, :, -self.rank :]

    def shift(self, theta: Theta, other: Theta) -> float:
        """Return the longest move of a coordinate of a point, or of an entry of a projector."""
        return max(float(np.abs(x - y).max()) for x, y in zip(theta, other, strict=True))

    def packed(self, theta: Theta) -> np.ndarray:
        """Return the points and the projectors as a vector of numbers without a unit."""
        return np.concatenate([theta[0].ravel() / self.spread, theta[1].ravel()])

    def unpacked(self, point: np.ndarray, theta: Theta) -> Theta:
        """Return the theta of a packed vector, with the projectors that are nearest to its matrices."""
        V, matrices = super().unpacked(point, theta)
        return V * self.spread, self.projectors(matrices)

    def published(self, theta: Theta, stats: Stats, frame: Frame, units: Units) -> dict[str, np.ndarray]:
        """Return the directions, that of the greatest scatter first, and the covariances.

        The largest entry of a direction is positive: eigenvectors have no sign of their own.
        """
        P, s = theta[1], np.where(stats.weight > 0, stats.weight, 1.0)
        sigma = stats.moments[1] / s[:, None, None]
        within = P @ sigma @ P
        size = np.maximum(within.trace(axis1=1, axis2=2), 1e-300)
        # The added P makes also a direction without any scatter come before those that P leaves out.
        turned = axes(P + within / size[:, None, None])[1].transpose(0, 2, 1)
        first = turned[:, : -self.rank - 1 : -1] @ P  # 0 if a cluster has never had rows
        largest = np.take_along_axis(first, np.abs(first).argmax(axis=2)[:, :, None], axis=2)
        first = first * np.where(largest < 0, -1.0, 1.0)
        return {
            "directions_": first[:, 0] if self.rank == 1 else first,
            "covariances_": units.squares_to_data(sigma),
        }

    def complaints(self, theta: Theta, units: Units) -> Iterator[str]:
        """Yield a sentence for each two clusters that are one variety."""
        V, P = theta
        for k, other in combinations(range(len(V)), 2):
            gap = V[k] - V[other]
            gap = np.abs(gap - P[k] @ gap).max()
            if gap <= _SAME * units.spread and np.abs(P[k] - P[other]).max() <= _SAME:
                yield (
                    f"Clusters {k} and {other} coincide: as {self.name} they are {gap / units.factor:.3g} "
                    f"apart; {self.remedy}."
                )


@dataclass(frozen=True)
class Lines(Varieties):
    """Clusters are lines: d_ik = |x_i - v_k|^2 - ((x_i - v_k)'s_k)^2, fuzzy c-lines."""

    name: ClassVar[str | None] = "lines"
    rank: ClassVar[int] = 1


@dataclass(frozen=True)
class Planes(Varieties):
    """Clusters are planes: d_ik = |x_i - v_k|^2 - sum_{j <= 2} ((x_i - v_k)'s_kj)^2."""

    name: ClassVar[str | None] = "planes"
    rank: ClassVar[int] = 2
