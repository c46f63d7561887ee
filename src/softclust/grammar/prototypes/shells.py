"""Clusters that are shells: a row belongs to a circle or an ellipse if it lies on its line."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from softclust.grammar.prototypes.base import AT_CIRCLES, PURE_NUMBERS, Prototypes, Request, Theta
from softclust.grammar.prototypes.ellipsoids import check_covariances
from softclust.sources.spread import greatest_extent

if TYPE_CHECKING:
    from softclust.grammar.frame import Frame
    from softclust.grammar.separation import CentralDistance, Repulsion
    from softclust.grammar.state import Stats
    from softclust.sources.units import Units

    Way = Callable[[float], tuple[np.ndarray, np.ndarray]]  # share -> move of the centre, matrix

_HALVINGS = 30
_LEAST_AXIS = 1e-4  # of the extent of the data: the shortest semi-axis of a shell
_FENCE = 0.05  # of a semi-axis, or of the extent of the data: rows farther off tell nothing of a shell
_LEAST = 1e-12  # of a length: a row in the middle of a shell has no direction
_ROUNDING = 1e-14  # of a length of 1
_RIDGE = 1e-12  # of the mean square: rows of one shell may lie in a plane


def _lengths(Z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the lengths (n, c) of vectors (n, c, p), and the vectors divided by their length.

    A vector of length 0 becomes the first axis.
    """
    length = np.sqrt((Z**2).sum(axis=2))
    none = length <= _LEAST
    if none.any():
        Z = np.where(none[:, :, None], np.eye(1, Z.shape[2])[0], Z)
    return length, Z / np.where(none, 1.0, length)[:, :, None]


def _turned(matrices: np.ndarray, points: np.ndarray, centers: np.ndarray) -> np.ndarray:
    """Return M_k (x_i - c_k) (n, c, p); the result of a row does not depend on other rows."""
    c, p = centers.shape
    Z = points[:, None, :] - centers
    out = np.zeros((len(points), c, p))
    for j in range(p):
        out += Z[:, :, j, None] * matrices[:, :, j]
    return out


@dataclass(frozen=True)
class _Closed(Prototypes):
    """The common part of both kinds of shell: theta = (c, L), the shell |L (x - c)| = 1, within bounds.

    The bounds come from the extent of the data.  Without them J has a trivial infimum: a shell that grows
    for ever passes through a whole blob.
    """

    reach: float  # longest semi-axis, and farthest coordinate of a centre from the origin of the loop
    least: float  # shortest semi-axis

    starts: ClassVar[str] = AT_CIRCLES
    has_shape: ClassVar[bool] = True
    may_coincide: ClassVar[bool] = True  # circles about one centre are different clusters

    @classmethod
    def from_data(cls, source: Any, request: Request) -> Self:
        return cls.within(greatest_extent(source))

    @classmethod
    def freedom(cls, source: Any) -> float:
        """Return 1: rows are beside a shell in one direction."""
        return 1.0

    @classmethod
    def within(cls, extent: float) -> Self:
        """Return the geometry for data of this extent, in loop units."""
        return cls(extent, _LEAST_AXIS * extent)

    def begin(self, V: np.ndarray, matrices: np.ndarray | None = None) -> Theta:
        """Return ellipses with matrices L, |L (x - c)| = 1, by default circles of medium size about V."""
        if matrices is None:
            matrices = np.broadcast_to(np.eye(V.shape[1]) * 4 / self.reach, (len(V), *[V.shape[1]] * 2))
        return V, np.array(matrices)

    @classmethod
    def shape_given(cls, matrices: Any, units: Units, c: int, p: int) -> np.ndarray:
        """Return L from the covariances whose level 1 is the shell."""
        return np.linalg.inv(np.linalg.cholesky(check_covariances(matrices, c, p)) * units.factor)

    def semi_axes(self, theta: Theta) -> np.ndarray:
        """Return the lengths (c, p) of the semi-axes in loop units, the shortest last."""
        return 1 / np.linalg.svd(theta[1], compute_uv=False)[:, ::-1]

    def shapes(self, theta: Theta) -> np.ndarray:
        """Return the inverses (c, p, p) of the quadratic forms L'L, whose level 1 is the shell."""
        B = np.linalg.inv(theta[1])
        return B @ B.transpose(0, 2, 1)

    def published(self, theta: Theta, stats: Stats, frame: Frame, units: Units) -> dict[str, np.ndarray]:
        """Return the shapes and the semi-axes, in the units of the data."""
        return {
            "covariances_": units.squares_to_data(self.shapes(theta)),
            "semi_axes_": self.semi_axes(theta) / units.factor,
        }

    def shift(self, theta: Theta, other: Theta) -> float:
        """Return the longest move of a centre's coordinate, or of a matrix as a share of its size."""
        size = np.abs(other[1]).max(axis=(1, 2))
        turned = (np.abs(theta[1] - other[1]).max(axis=(1, 2)) / size).max()
        return max(float(np.abs(theta[0] - other[0]).max()), float(turned))

    def unpacked(self, point: np.ndarray, theta: Theta) -> Theta:
        """Return the shells of a packed vector, cut to the bounds that `solve` keeps."""
        V = point[: theta[0].size].reshape(theta[0].shape)
        L = point[theta[0].size :].reshape(theta[1].shape)
        left, values, right = np.linalg.svd(L)
        within = np.clip(values, 1 / self.reach, 1 / self.least)
        if (within != values).any():
            L = (left * within[:, None, :]) @ right
        return np.clip(V, -self.reach, self.reach), L

    def solve(
        self, stats: Stats, theta: Theta, frame: Frame, separation: Repulsion | CentralDistance | None
    ) -> Theta:
        """Move each shell on the way that its moments point to, halved until it stays within the bounds."""
        V, L = theta[0].copy(), theta[1].copy()
        for k, (N, M) in enumerate(zip(*stats.moments, strict=True)):
            way = self._way(N, M, L[k])
            for halving in range(_HALVINGS):
                center, matrix = way(0.5**halving)
                if self._is_within(V[k] + center, matrix):
                    V[k], L[k] = V[k] + center, matrix
                    break
        return V, L

    def _way(self, N: np.ndarray, M: np.ndarray, L: np.ndarray) -> Way:
        """Return a function of a share that gives the move of the centre and the matrix.

        The share is the part of the way that the moments N and M of one shell point to.
        """
        raise NotImplementedError

    def _is_within(self, center: np.ndarray, matrix: np.ndarray) -> bool:
        """Whether a shell keeps the bounds on its centre and its semi-axes."""
        if not (np.isfinite(center).all() and np.isfinite(matrix).all()):
            return False
        values = np.linalg.svd(matrix, compute_uv=False)
        return bool(
            np.abs(center).max() <= self.reach
            and values.min() * self.reach >= 1
            and values.max() * self.least <= 1
        )


@dataclass(frozen=True)
class Shells(_Closed):
    """Clusters are ellipsoidal shells in their own units: d_ik = (|L_k (x_i - c_k)| - 1)^2, L'L = A.

    This is the distance of Dave's AFCS (Ortiz, AFCS and APCS).

    With e = z/|z| frozen, z = L x - h and h = L c, (|z| - 1)^2 <= |z - e|^2, with equality where it was
    frozen: the right side is a least-squares problem in (L, h) with additive moments.  The problem is
    convex, so a part of the way to its minimiser is no ascent either; shells beyond the bound go that far
    only.
    """

    name: ClassVar[str | None] = "shells"
    measure: ClassVar[str] = PURE_NUMBERS

    @property
    def fence(self) -> float:
        return _FENCE**2

    def distances(self, points: np.ndarray, theta: Theta, frame: Frame) -> np.ndarray:
        """Return squared gaps to the shell; a gap that is only rounding counts as 0."""
        length, _ = _lengths(_turned(theta[1], points.astype(np.float64), theta[0]))
        gap = length - 1
        return np.where(np.abs(gap) > _ROUNDING, gap**2, 0.0).astype(points.dtype)

    def moments(self, points: np.ndarray, W: np.ndarray, theta: Theta, frame: Frame) -> Theta:
        """Return sum W y y' and sum W e y', with y = (x - c, 1), about the old centre."""
        points = points.astype(np.float64, copy=False)
        _, e = _lengths(_turned(theta[1], points, theta[0]))
        c, p = theta[0].shape
        first, second = np.empty((c, p + 1, p + 1)), np.empty((c, p, p + 1))
        for k in range(c):
            y = np.column_stack([points - theta[0][k], np.ones(len(points))])
            weighed = W[:, k, None] * y
            first[k], second[k] = weighed.T @ y, e[:, k].T @ weighed
        return first, second

    def _way(self, N: np.ndarray, M: np.ndarray, L: np.ndarray) -> Way:
        """Return the way from (L, 0) to the minimiser of the least-squares problem."""
        old = np.column_stack([L, np.zeros(len(M))])
        ridge = _RIDGE * np.diag(N) + 1e-300  # keeps the old value where rows say nothing
        new = np.linalg.solve(N + np.diag(ridge), (M + old * ridge).T).T

        def at(share: float) -> tuple[np.ndarray, np.ndarray]:
            T = old + (new - old) * share
            return -np.linalg.lstsq(T[:, :-1], T[:, -1], rcond=None)[0], T[:, :-1]

        return at


@dataclass(frozen=True)
class RadialShells(_Closed):
    """Clusters are ellipsoidal shells, and rows measure their way along the ray from the centre.

    d_ik = e_ik^2, e = |y| (1 - 1/|z|), y = x - c, z = L y, in units of the data (Ortiz, FCES and PCES).

    Each iteration is a Gauss-Newton step: the moments are those of e's derivatives by (c, L).  The step
    rests where the gradient of J vanishes, but may go too far: the loop goes back half of a step until J
    falls.  (The regression of x on (z/|z|, 1) is simpler, and rests elsewhere.)
    """

    name: ClassVar[str | None] = "radial-shells"
    may_ascend: ClassVar[bool] = True

    @property
    def fence(self) -> float:
        return (_FENCE * self.reach) ** 2

    def _gaps(
        self, points: np.ndarray, theta: Theta
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Return |y|, |z|, z and the signed way to the shell; z is (n, c, p), the others are (n, c)."""
        z = _turned(theta[1], points, theta[0])
        length, _ = _lengths(z)
        squares = np.zeros(length.shape)
        for x, v in zip(points.T, theta[0].T, strict=True):
            squares += (x[:, None] - v) ** 2
        away = np.sqrt(squares)
        # From the centre itself the shell is as far as its shortest semi-axis is long.
        ray = np.where(length > _LEAST, away / np.maximum(length, _LEAST), self.semi_axes(theta)[:, -1])
        return away, length, z, away - ray

    def distances(self, points: np.ndarray, theta: Theta, frame: Frame) -> np.ndarray:
        return (self._gaps(points.astype(np.float64), theta)[3] ** 2).astype(points.dtype)

    def moments(self, points: np.ndarray, W: np.ndarray, theta: Theta, frame: Frame) -> Theta:
        """Return sum W g g' and sum W g e, g the derivatives of e by c and L.

        A row on the centre has no derivatives.
        """
        points = points.astype(np.float64, copy=False)
        away, length, z, gap = self._gaps(points, theta)
        c, p = theta[0].shape
        first, second = np.empty((c, p + p * p, p + p * p)), np.empty((c, p + p * p))
        for k in range(c):
            y, r = points - theta[0][k], np.maximum(length[:, k], _LEAST)[:, None]
            rho = away[:, k, None]
            weight = np.where(length[:, k] > _LEAST, W[:, k], 0.0)
            by_r = rho / r**2  # derivative of e by r; that of r by c is -L'z/r, by L it is z y'/r
            by_c = -y / np.maximum(rho, 1e-300) * (1 - 1 / r) - by_r * (z[:, k] @ theta[1][k]) / r
            by_L = (by_r / r)[:, :, None] * (z[:, k, :, None] * y[:, None, :])
            g = np.column_stack([by_c, by_L.reshape(len(y), -1)])
            weighed = weight[:, None] * g
            first[k], second[k] = weighed.T @ g, weighed.T @ gap[:, k]
        return first, second

    def _way(self, N: np.ndarray, M: np.ndarray, L: np.ndarray) -> Way:
        """Return the way along the Gauss-Newton step.

        N has no inverse, because a rotation of L changes nothing; least squares finds the step.
        """
        step = -np.linalg.lstsq(N, M, rcond=1e-10)[0]
        p = len(L)
        return lambda share: (share * step[:p], L + share * step[p:].reshape(p, p))
