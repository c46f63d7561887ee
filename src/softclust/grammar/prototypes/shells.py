"""Clusters that are shells: a row belongs to a circle or an ellipse if it lies on its line."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from softclust._lazy import kernels
from softclust.grammar.prototypes.axes import axes
from softclust.grammar.prototypes.base import AT_CIRCLES, PURE_NUMBERS, Prototypes, Request, Theta
from softclust.grammar.prototypes.bounded import DENSE_FEATURES, Bounds, basis, products
from softclust.grammar.prototypes.ellipsoids import check_covariances
from softclust.sources.spread import extents
from softclust.values import cache_last

if TYPE_CHECKING:
    from softclust.grammar.frame import Frame
    from softclust.grammar.separation import CentralDistance, Repulsion
    from softclust.grammar.state import Stats
    from softclust.sources.units import Units

_LEAST_AXIS = 1e-4  # of the extent of the data: the shortest semi-axis of a shell
_FENCE = 0.05  # of a semi-axis, or of the extent of the data: rows farther off tell nothing of a shell
_LEAST = 1e-12  # of a length: a row in the middle of a shell has no direction
_ROUNDING = 1e-14  # of a length of 1
_RIDGE = 1e-12  # of the mean square: rows of one shell may lie in a plane
_NEWTON_STEPS = 2  # of a shell at its bounds, for one set of moments
_ENOUGH = 1e-2  # of the descent so far: a Newton step that gains less is the last one
_MOST_FAILURES = 16  # of one Newton step: its damping is then beyond all curvature


def upright(matrices: np.ndarray) -> np.ndarray:
    """Return the symmetric roots L of the quadratic forms A'A of matrices A: the same shells."""
    _, values, right = np.linalg.svd(matrices)
    return (right.swapaxes(-1, -2) * values[..., None, :]) @ right


def room(source: Any) -> float:
    """Return the longest semi-axis that shells of these rows may have, in loop units.

    It is the greatest extent of a feature, or the radius of the ball about the box of the rows: with more
    than four features a circle through the rows may be wider than any feature.
    """
    box = extents(source)
    return max(float(box.max()), 0.5 * float(np.sqrt((box**2).sum()))) or 1.0


@dataclass(frozen=True)
class _Closed(Prototypes):
    """The common part of both kinds of shell: theta = (c, L), the shell |L (x - c)| = 1, within bounds.

    The bounds come from the extent of the data.  Without them J has a trivial infimum: a shell that grows
    for ever passes through a whole blob.

    Rotations Q L of L are the same shell; theta holds the symmetric one.  B = L^-1 has the semi-axes as
    eigenvalues.  Extrapolations see (c, B), which are all lengths: the unit of the data does not matter.
    """

    reach: float  # longest semi-axis, and farthest coordinate of a centre from the origin of the loop
    least: float  # shortest semi-axis

    starts: ClassVar[str] = AT_CIRCLES
    has_shape: ClassVar[bool] = True
    may_coincide: ClassVar[bool] = True  # circles about one centre are different clusters

    @classmethod
    def from_data(cls, source: Any, request: Request) -> Self:
        return cls.within(room(source))

    @classmethod
    def freedom(cls, source: Any) -> float:
        """Return 1: rows are beside a shell in one direction."""
        return 1.0

    @classmethod
    def within(cls, extent: float) -> Self:
        """Return the geometry for data with this `room`, in loop units."""
        return cls(extent, _LEAST_AXIS * extent)

    def begin(self, V: np.ndarray, matrices: np.ndarray | None = None) -> Theta:
        """Return ellipses with matrices L, |L (x - c)| = 1, by default circles of medium size about V."""
        if matrices is None:
            matrices = np.broadcast_to(np.eye(V.shape[1]) * 4 / self.reach, (len(V), *[V.shape[1]] * 2))
        return V, upright(matrices)

    @property
    def bounds(self) -> Bounds:
        """The bounds that `solve` keeps."""
        return Bounds(self.reach, self.least)

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
        """Return the longest move of a coordinate, of a matrix as a share of its size.

        A coordinate counts a quarter of the extent of the data as 1, whatever the unit of the loop.
        """
        size = np.abs(other[1]).max(axis=(1, 2))
        turned = (np.abs(theta[1] - other[1]).max(axis=(1, 2)) / size).max()
        return max(4 / self.reach * float(np.abs(theta[0] - other[0]).max()), float(turned))

    def packed(self, theta: Theta) -> np.ndarray:
        """Return the centres and the matrices B = L^-1 as a vector of lengths."""
        return np.concatenate([theta[0].ravel(), np.linalg.inv(theta[1]).ravel()])

    def unpacked(self, point: np.ndarray, theta: Theta) -> Theta:
        """Return the shells of a packed vector, cut to the bounds that `solve` keeps."""
        V = point[: theta[0].size].reshape(theta[0].shape)
        B = point[theta[0].size :].reshape(theta[1].shape)
        return self.bounds.within(V, 0.5 * (B + B.transpose(0, 2, 1)))

    @cache_last
    def _roots(self, theta: Theta) -> np.ndarray:
        """Return lower triangles R (c, p, p) with |R'y| = |L y|, for the compiled pass."""
        return np.ascontiguousarray(np.linalg.qr(theta[1]).R.transpose(0, 2, 1))

    def _lengths(self, points: np.ndarray, theta: Theta) -> np.ndarray:
        """Return |L_k (x_i - c_k)| (n, c); the result of a row does not depend on other rows."""
        squares = kernels("ellipsoids").squared_distances(points, theta[0], self._roots(theta))
        return np.sqrt(squares)


@dataclass(frozen=True)
class Shells(_Closed):
    """Clusters are ellipsoidal shells in their own units: d_ik = (|L_k (x_i - c_k)| - 1)^2, L'L = A.

    This is the distance of Dave's AFCS (Ortiz, AFCS and APCS).

    With e = z/|z| frozen, z = L x - h and h = L c, (|z| - 1)^2 <= |z - e|^2, with equality where it was
    frozen: the right side is a least-squares problem in (L, h) with additive moments.  Where its minimiser
    is beyond the bounds, projected Newton steps lower the right side within them.
    """

    name: ClassVar[str | None] = "shells"
    measure: ClassVar[str] = PURE_NUMBERS

    @property
    def fence(self) -> float:
        return _FENCE**2

    def distances(self, points: np.ndarray, theta: Theta, frame: Frame) -> np.ndarray:
        """Return squared gaps to the shell; a gap that is only rounding counts as 0."""
        gap = self._lengths(points.astype(np.float64), theta) - 1
        return np.where(np.abs(gap) > _ROUNDING, gap**2, 0.0).astype(points.dtype)

    def moments(self, points: np.ndarray, W: np.ndarray, theta: Theta, frame: Frame) -> Theta:
        """Return sum W y y' and sum W e y', with y = (x - c, 1), about the old centre."""
        points = points.astype(np.float64, copy=False)
        c, p = theta[0].shape
        first, second = np.empty((c, p + 1, p + 1)), np.empty((c, p, p + 1))
        for k in range(c):
            y = np.column_stack([points - theta[0][k], np.ones(len(points))])
            z = y[:, :p] @ theta[1][k].T
            length = np.sqrt((z**2).sum(axis=1))
            z[length <= _LEAST] = np.eye(1, p)[0]  # any unit vector serves
            e = z / np.where(length > _LEAST, length, 1.0)[:, None]
            weighed = W[:, k, None] * y
            first[k], second[k] = weighed.T @ y, e.T @ weighed
        return first, second

    def solve(
        self, stats: Stats, theta: Theta, frame: Frame, separation: Repulsion | CentralDistance | None
    ) -> Theta:
        """Minimise the least-squares problem of each shell; descend within the bounds if it is beyond."""
        V, L = theta[0].copy(), theta[1].copy()
        N, M = stats.moments
        old = np.concatenate([L, np.zeros((*V.shape, 1))], axis=2)
        ridge = _RIDGE * N.diagonal(axis1=1, axis2=2) + 1e-300  # keeps the old value where rows say nothing
        H = N + ridge[:, :, None] * np.eye(N.shape[1])
        T = np.linalg.solve(H, (M + old * ridge[:, None, :]).transpose(0, 2, 1)).transpose(0, 2, 1)
        T = np.where(np.isfinite(T).all(axis=(1, 2), keepdims=True), T, old)
        left, values, right = np.linalg.svd(T[:, :, :-1])
        inner = (values[:, -1] * self.reach >= 1) & (values[:, 0] * self.least <= 1)
        safe = np.maximum(values, 0.5 / self.reach)[:, :, None]
        move = right.transpose(0, 2, 1) @ (left.transpose(0, 2, 1) @ T[:, :, -1:] / safe)
        new = V - move[:, :, 0]
        inner &= np.abs(new).max(axis=1) <= self.reach
        V[inner], L[inner] = new[inner], (right.transpose(0, 2, 1) * values[:, None, :] @ right)[inner]
        for k in np.flatnonzero(~inner):
            V[k], L[k] = self._descended(N[k], M[k], V[k], L[k])
        return V, L

    def _descended(
        self, N: np.ndarray, M: np.ndarray, center: np.ndarray, L: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Lower tr(T N T') - 2 tr(T M'), T = (L, -L (v - center)), by projected Newton steps in (B, v)."""
        p, v = len(L), center
        T, gained = np.column_stack([L, np.zeros(p)]), 0.0
        for _ in range(_NEWTON_STEPS):
            slope = T @ N - M
            R = np.vstack([T, np.eye(1, p + 1, p)])  # a change S of (B, v) changes T by -L S R
            gradient = -L @ slope @ R.T
            gradient[:, :p] = 0.5 * (gradient[:, :p] + gradient[:, :p].T)
            form, B = self._form(L, R @ N @ R.T), np.linalg.inv(L)[None]
            for times in range(_MOST_FAILURES):
                S = self.bounds.changes(v[None], B, gradient[None], form[None], times)[0]
                # T is linear in L, not in B: L goes the way that B points to.
                way = (L - L @ S[:, :p] @ L)[None]
                (new,), (new_L,) = self.bounds.within_inverse(v[None] + S[:, p], way)
                D = np.column_stack([new_L, -new_L @ (new - center)]) - T
                gain = -float((D * (2 * slope + D @ N)).sum())
                if gain >= 0:
                    break
            else:
                break
            v, L, T, gained = new, new_L, T + D, gained + gain
            if gain <= _ENOUGH * gained:
                break
        return v, L

    def _form(self, L: np.ndarray, N: np.ndarray) -> np.ndarray:
        """Return the form tr(L S N S'L) of changes S of (B, v); for many features, a form above it."""
        p = len(L)
        if p <= DENSE_FEATURES:
            left = (L @ basis(p)).reshape(-1, p * (p + 1))
            return left @ (L @ basis(p) @ N).reshape(left.shape).T
        most = 2 * np.linalg.norm(L, 2) ** 2
        return np.stack([most * N[:p, :p], 2 * N[p, p] * L @ L])


@dataclass(frozen=True)
class RadialShells(_Closed):
    """Clusters are ellipsoidal shells, and rows measure their way along the ray from the centre.

    d_ik = e_ik^2, e = |y| (1 - 1/|z|), y = x - c, z = L y, in units of the data (Ortiz, FCES and PCES).

    With n = |y|/|z|^2 L z, the derivatives of e are -((1 - 1/|z|) y/|y| + n/|z|) by c and -n z'/|z| by
    B = L^-1.  Each iteration is a projected Gauss-Newton step in (c, B): for a circle e is linear in B.
    The step rests where no direction within the bounds lowers J, but may go too far: the loop then asks for
    `shorter` steps, damped (Levenberg & Marquardt), until J falls.  For many features the matrix of the
    Gauss-Newton step would have p^4 / 4 entries; a form above it takes its place, with p^2.
    """

    name: ClassVar[str | None] = "radial-shells"
    may_ascend: ClassVar[bool] = True

    @property
    def fence(self) -> float:
        return (_FENCE * self.reach) ** 2

    def _gaps(self, points: np.ndarray, theta: Theta) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return |y|, |z| and the signed way to the shell, each (n, c)."""
        length = self._lengths(points, theta)
        squares = np.zeros(length.shape)
        for x, v in zip(points.T, theta[0].T, strict=True):
            squares += (x[:, None] - v) ** 2
        away, middle = np.sqrt(squares), length <= _LEAST
        ray = away / np.where(middle, 1.0, length)
        if middle.any():  # from the centre itself the shell is as far as its shortest semi-axis is long
            ray = np.where(middle, self.semi_axes(theta)[:, -1], ray)
        return away, length, away - ray

    def distances(self, points: np.ndarray, theta: Theta, frame: Frame) -> np.ndarray:
        return (self._gaps(points.astype(np.float64), theta)[2] ** 2).astype(points.dtype)

    def moments(self, points: np.ndarray, W: np.ndarray, theta: Theta, frame: Frame) -> Theta:
        """Return sums of derivatives g of e by (B, c): sum W e g, and sum W g g' or a form above it.

        A row on the centre sees the shell along the shortest semi-axis.
        """
        points = points.astype(np.float64, copy=False)
        away, length, gap = self._gaps(points, theta)
        c, p = theta[0].shape
        slopes, forms = np.empty((c, p, p + 1)), []
        for k in range(c):
            L, middle = theta[1][k], length[:, k] <= _LEAST
            r = np.where(middle, 1.0, length[:, k])[:, None]
            rho = np.where(middle, 1.0, away[:, k])[:, None]
            y = points - theta[0][k]
            z = y @ L / r
            normal = (z @ L) * (rho / r)
            by_centre = y * ((1 - 1 / r) / rho) + normal / r
            if middle.any():
                z[middle] = normal[middle] = by_centre[middle] = axes(L)[1][:, -1]
            weight = W[:, k, None]
            pull = weight * gap[:, k, None]
            slope = normal.T @ (pull * z)
            slopes[k, :, :p], slopes[k, :, p] = -0.5 * (slope + slope.T), -(pull * by_centre).sum(axis=0)
            if p <= DENSE_FEATURES:
                g = products(normal, z, by_centre)
                forms.append((weight * g).T @ g)
            else:  # (a + b)^2 <= 2 a^2 + 2 b^2, and (n'S z)^2 <= |n|^2 |S z|^2
                heavy = 2 * weight * (normal**2).sum(axis=1, keepdims=True)
                forms.append(np.stack([(heavy * z).T @ z, 2 * (weight * by_centre).T @ by_centre]))
        return slopes, np.array(forms)

    def solve(
        self, stats: Stats, theta: Theta, frame: Frame, separation: Repulsion | CentralDistance | None
    ) -> Theta:
        """Move each shell by its projected Gauss-Newton step."""
        return self._moved(stats, theta, 0)

    def shorter(
        self,
        stats: Stats,
        theta: Theta,
        frame: Frame,
        separation: Repulsion | CentralDistance | None,
        times: int,
    ) -> Theta:
        """Return the steps with a damping that grows tenfold each time."""
        return self._moved(stats, theta, times)

    def _moved(self, stats: Stats, theta: Theta, times: int) -> Theta:
        (V, L), (slopes, forms) = theta, stats.moments
        p, B = V.shape[1], np.linalg.inv(L)
        D = self.bounds.changes(V, B, slopes, forms, times)
        return self.bounds.within(V + D[:, :, p], B + D[:, :, :p])
