"""Clusters that are shells: a row belongs to a circle or an ellipse when it lies on its line."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

_HALVINGS = 30
_FENCE = 0.05  # of a semi-axis, or of the extent of the data: rows farther off tell nothing of a shell
_LEAST = 1e-12  # of a length: a row in the middle of a shell has no direction
_RIDGE = 1e-12  # of the mean square: rows of one shell may lie in a plane


def _lengths(Z):
    """(n, c) lengths of (n, c, p) vectors, and the vectors of length 1."""
    length = np.sqrt((Z**2).sum(axis=2))
    return length, Z / np.maximum(length, _LEAST)[:, :, None]


def _turned(matrices, points, centers):
    """(n, c, p) M_k (x_i - c_k), each row by itself."""
    c, p = centers.shape
    Z = points[:, None, :] - centers
    out = np.zeros((len(points), c, p))
    for j in range(p):
        out += Z[:, :, j, None] * matrices[:, :, j]
    return out


@dataclass(frozen=True)
class _Closed:
    """What both kinds of shell share: theta = (centres, matrices), bounded by the extent of the data.

    Without a bound J has a trivial infimum: a shell that grows for ever passes through a whole blob.
    """

    reach: float  # longest semi-axis, and farthest coordinate of a centre from the origin of the loop
    least: float  # shortest semi-axis

    passes: ClassVar = None
    may_coincide: ClassVar[bool] = True  # circles about one centre are different clusters

    def start(self, theta):
        return theta

    def penalty(self, theta):
        return 0.0

    def shift(self, theta, other):
        """The longest move of a centre's coordinate, or of a matrix as a share of its size."""
        size = np.abs(other[1]).max(axis=(1, 2))
        turned = (np.abs(theta[1] - other[1]).max(axis=(1, 2)) / size).max()
        return max(float(np.abs(theta[0] - other[0]).max()), float(turned))

    def packed(self, theta):
        return np.concatenate([theta[0].ravel(), theta[1].ravel()])

    def unpacked(self, point, theta):
        V = point[: theta[0].size].reshape(theta[0].shape)
        return V, point[theta[0].size :].reshape(theta[1].shape)

    def moments(self, points, W, theta, frame):
        """sum W y y' and sum W g y' of the regression of g on y = (f, 1)."""
        points = points.astype(np.float64, copy=False)
        known, wanted = self._regression(points, theta)
        c, p = theta[0].shape
        first, second = np.empty((c, p + 1, p + 1)), np.empty((c, p, p + 1))
        for k in range(c):
            y = np.column_stack([known[:, k], np.ones(len(points))])
            weighed = W[:, k, None] * y
            first[k], second[k] = weighed.T @ y, wanted[:, k].T @ weighed
        return first, second

    def solve(self, stats, theta, frame, separation):
        """The regression of each shell; as much of the way to it as stays within the bounds."""
        V, matrices = theta[0].copy(), theta[1].copy()
        for k, (N, M) in enumerate(zip(*stats.moments, strict=True)):
            old = np.column_stack([matrices[k], np.zeros(len(M))])  # counted from the centre that was
            ridge = _RIDGE * np.diag(N) + 1e-300  # towards what was, where rows say nothing
            new = np.linalg.solve(N + np.diag(ridge), (M + old * ridge).T).T
            for halving in range(_HALVINGS):
                at = old + (new - old) * 0.5**halving
                move, axes = self._read(at)
                if self._is_within(V[k] + move, axes):
                    V[k], matrices[k] = V[k] + move, at[:, :-1]
                    break
        return V, matrices

    def _is_within(self, center, axes):
        return bool(
            np.isfinite(center).all()
            and np.abs(center).max() <= self.reach
            and axes.max() <= self.reach
            and axes.min() >= self.least
        )


@dataclass(frozen=True)
class Shells(_Closed):
    """d_ik = (|L_k (x_i - c_k)| - 1)^2, an ellipsoidal shell L'L = A (Dave's AFCS; Ortiz, AFCS and APCS).

    With e = z/|z| frozen, z = L x - h and h = L c, (|z| - 1)^2 <= |z - e|^2, with equality where it was
    frozen: the right side is a least-squares problem in (L, h) with additive moments.  It is convex, so
    that a part of the way to its minimiser is no ascent either: shells beyond the bound go only so far.
    """

    is_unitless: ClassVar[bool] = True
    fence: ClassVar[float] = _FENCE**2

    def begin(self, V, matrices=None):
        """Circles of a middling size about V, or ellipses: matrices L with |L (x - c)| = 1."""
        if matrices is None:
            matrices = np.broadcast_to(np.eye(V.shape[1]) * 4 / self.reach, (len(V), *[V.shape[1]] * 2))
        return V, np.array(matrices)

    def semi_axes(self, theta):
        """(c, p) lengths of the semi-axes, in loop units."""
        return 1 / np.linalg.svd(theta[1], compute_uv=False)

    def shapes(self, theta):
        """(c, p, p) matrices of the quadratic forms whose level 1 is the shell, inverted: B B'."""
        B = np.linalg.inv(theta[1])
        return B @ B.transpose(0, 2, 1)

    def distances(self, points, theta, frame):
        length, _ = _lengths(_turned(theta[1], points.astype(np.float64), theta[0]))
        return ((length - 1) ** 2).astype(points.dtype)

    def _regression(self, points, theta):
        """L (x - c) - h ~ e: rows about the centre that was, and the ends of their rays."""
        _, e = _lengths(_turned(theta[1], points, theta[0]))
        return points[:, None, :] - theta[0], e

    def _read(self, at):
        """How far the centre moves, and the semi-axes."""
        axes = 1 / np.maximum(np.linalg.svd(at[:, :-1], compute_uv=False), 1e-300)
        return -np.linalg.lstsq(at[:, :-1], at[:, -1], rcond=None)[0], axes


@dataclass(frozen=True)
class RadialShells(_Closed):
    """d_ik = |x_i - c_k|^2 (1 - 1/|z|)^2, z = B^-1 (x - c): the way to the shell {c + B s, |s| = 1} along
    the ray from its centre, in units of the data (Ortiz, FCES and PCES).

    With s = z/|z| frozen, x ~ c + B s is a regression of x on (s, 1) with additive moments.  Not a
    majoriser: the loop goes back half of the step until J falls.
    """

    is_rough: ClassVar[bool] = True

    @property
    def fence(self):
        """Squared distance of noise while the scales of typicalities are looked for."""
        return (_FENCE * self.reach) ** 2

    def begin(self, V, matrices=None):
        """Circles of a middling size about V, or ellipses c + B s."""
        if matrices is None:
            matrices = np.broadcast_to(np.eye(V.shape[1]) * self.reach / 4, (len(V), *[V.shape[1]] * 2))
        return V, np.array(matrices)

    def semi_axes(self, theta):
        return np.linalg.svd(theta[1], compute_uv=False)

    def shapes(self, theta):
        return theta[1] @ theta[1].transpose(0, 2, 1)

    def distances(self, points, theta, frame):
        points = points.astype(np.float64, copy=False)
        D = np.zeros((len(points), len(theta[0])))
        length, _ = _lengths(_turned(np.linalg.inv(theta[1]), points, theta[0]))
        for x, v in zip(points.T, theta[0].T, strict=True):
            D += (x[:, None] - v) ** 2
        return D * (1 - 1 / np.maximum(length, _LEAST)) ** 2

    def _regression(self, points, theta):
        """x - c ~ B s + move: the directions that were, and the rows about the centre that was."""
        _, s = _lengths(_turned(np.linalg.inv(theta[1]), points, theta[0]))
        return s, points[:, None, :] - theta[0]

    def _read(self, at):
        return at[:, -1], np.linalg.svd(at[:, :-1], compute_uv=False)
