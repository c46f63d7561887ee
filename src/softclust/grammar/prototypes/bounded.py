"""Steps of ellipsoids within bounds: projected, damped Newton steps in their centres and semi-axes.

An ellipsoid is (v, B): the points x with |B^-1 (x - v)| = 1.  B is symmetric, and its eigenvalues are the
lengths of the semi-axes.  Both v and B are lengths, so that one damping serves both.  The bounds are
|v_j| <= reach and least <= eigenvalues of B <= reach, a convex set.

A change of an ellipsoid is a matrix (p, p + 1): the change of B, symmetric, and that of v as last column.
Arrays have a first axis for the ellipsoids.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

from softclust.grammar.prototypes.axes import axes
from softclust.grammar.prototypes.ellipsoids import is_above

DENSE_FEATURES = 12  # up to this many, all second derivatives of an ellipsoid are cheap: 90 x 90
_NOTHING = 1e-200  # curvature of an ellipsoid without rows, which stays
_NEAR = 1e-2  # of a bound: a step goes to a bound that is so near, and a tenth of it after a failure
_STIFF = 1e8  # of the mean curvature: curvature of directions that are held at a bound
_RIDGE = 1e-3  # of the mean curvature: damping of a step that has not failed yet
_FIRST_DAMPING = 1e-2  # of the mean curvature: damping after one failure, tenfold after each further one


@cache
def _pairs(p: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the places j <= k of a symmetric matrix (p, p), and the weights of `products`."""
    j, k = np.triu_indices(p)
    return j, k, np.where(j == k, 0.5, np.sqrt(0.5))


@cache
def basis(p: int) -> np.ndarray:
    """Return an orthonormal basis (m, p, p + 1) of the changes of an ellipsoid, m = p (p + 1) / 2 + p."""
    j, k, weight = _pairs(p)
    found = np.zeros((len(j) + p, p, p + 1))
    found[np.arange(len(j)), j, k] += weight
    found[np.arange(len(j)), k, j] += weight
    found[np.arange(len(j), len(found)), np.arange(p), p] = 1.0
    return found


def products(left: np.ndarray, right: np.ndarray, center: np.ndarray) -> np.ndarray:
    """Return the coordinates (n, m) in `basis` of left_i right_i', made symmetric, and of center_i."""
    j, k, weight = _pairs(left.shape[1])
    pairs = left[:, j] * right[:, k] + left[:, k] * right[:, j]
    return np.concatenate([pairs * weight, center], axis=1)


@dataclass(frozen=True)
class Wall:
    """A bound that a step keeps to: E'S E = way for some axes E, s_j = center_j where that is a number."""

    axes: np.ndarray  # (p, f) E
    way: np.ndarray  # (f, f) the change of B that brings the axes to their bound
    center: np.ndarray  # (p,)

    def equations(self, m: int) -> tuple[np.ndarray, np.ndarray]:
        """Return orthonormal rows (q, m) in `basis` and goals (q,): rows @ D = goals is on the wall."""
        p = len(self.center)
        i, j, _ = _pairs(len(self.way))
        rows = products(self.axes.T[i], self.axes.T[j], np.zeros((len(i), p)))
        size = np.where(i == j, 1.0, np.sqrt(2.0))  # products of different unit vectors are shorter
        held = ~np.isnan(self.center)
        rows = np.concatenate([rows * size[:, None], np.eye(m)[m - p :][held]])
        return rows, np.concatenate([self.way[i, j] * size, self.center[held]])


@dataclass(frozen=True)
class Bounds:
    """The bounds on ellipsoids: the longest semi-axis and coordinate, and the shortest semi-axis."""

    reach: float
    least: float

    def changes(
        self, V: np.ndarray, B: np.ndarray, gradient: np.ndarray, form: np.ndarray, times: int = 0
    ) -> np.ndarray:
        """Return the changes (c, p, p + 1) by Newton steps, damped after `times` failures.

        `gradient` (c, p, p + 1) and `form` are halves of the first and second derivatives by (B, v).
        The form of changes D = (S, s) is a matrix (m, m) in `basis` or, for many features, two
        matrices (p, p) K and H: tr(S K S) + s'H s.
        """
        damping = _RIDGE if times == 0 else _FIRST_DAMPING * 10.0 ** (times - 1)
        walls = self._walls(V, B, gradient, _NEAR * 0.1**times)
        D = (_dense_steps if form.ndim == 3 else _split_steps)(gradient, form, walls, damping)
        return np.where(np.isfinite(D).all(axis=(1, 2), keepdims=True), D, 0.0)

    def _walls(
        self, V: np.ndarray, B: np.ndarray, gradient: np.ndarray, near: float
    ) -> dict[int, list[Wall]]:
        """Return the walls that descent leads to, of the ellipsoids that are near one.

        A wall is a bound that axes are near, a share of it, and the gradient points beyond.  Axes at one
        bound may be turned among each other: those that make the gradient diagonal decide.  A coordinate of
        the centre is the direction (0, e_j).
        """
        p, found = V.shape[1], {}
        low, high = (1 + near) * self.least, (1 - near) * self.reach
        far = (np.abs(V) >= high) & (gradient[:, :, p] * V < 0)
        for k in np.flatnonzero(_outside(B, low, high) | far.any(axis=1)):
            values, vectors = axes(B[k])
            center = np.where(far[k], np.copysign(self.reach, V[k]) - V[k], np.nan)
            walls = [Wall(np.empty((p, 0)), np.empty((0, 0)), center)]
            for at, bound, sign in ((values >= high, self.reach, 1.0), (values <= low, self.least, -1.0)):
                E = vectors[:, at]
                slope, turn = axes(sign * (E.T @ gradient[k, :, :p] @ E))
                turn = turn[:, slope < 0]
                way = bound * np.eye(turn.shape[1]) - turn.T @ (values[at][:, None] * turn)
                walls.append(Wall(E @ turn, way, np.full(p, np.nan)))
            found[int(k)] = walls
        return found

    def within(self, V: np.ndarray, B: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the centres and L = B^-1 of the nearest ellipsoids within the bounds."""
        beyond = _outside(B, self.least, self.reach)
        L = np.linalg.inv(np.where(beyond[:, None, None], np.eye(V.shape[1]), B))
        values, vectors = axes(B[beyond])
        L[beyond] = _composed(1 / np.clip(values, self.least, self.reach), vectors)
        return np.clip(V, -self.reach, self.reach), L

    def within_inverse(self, V: np.ndarray, L: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the same for matrices L = B^-1: the nearest L."""
        beyond, L = _outside(L, 1 / self.reach, 1 / self.least), L.copy()
        values, vectors = axes(L[beyond])
        L[beyond] = _composed(np.clip(values, 1 / self.reach, 1 / self.least), vectors)
        return np.clip(V, -self.reach, self.reach), L


def _outside(B: np.ndarray, low: float, high: float) -> np.ndarray:
    """Return which of the symmetric matrices (c, p, p) have an eigenvalue that is not within the bounds."""
    if B.shape[1] <= DENSE_FEATURES:
        values = np.linalg.eigvalsh(B)
        return ~((values[:, 0] > low) & (values[:, -1] < high))
    return np.array([not (is_above(one, low) and is_above(-one, -high)) for one in B])


def _composed(values: np.ndarray, vectors: np.ndarray) -> np.ndarray:
    """Return symmetric matrices with these eigenvalues and eigenvectors."""
    return (vectors * values[:, None, :]) @ vectors.transpose(0, 2, 1)


def _dense_steps(
    gradient: np.ndarray, form: np.ndarray, walls: dict[int, list[Wall]], damping: float
) -> np.ndarray:
    """Return the D that minimise form(D) + 2 <gradient, D> for forms (c, m, m), on the walls."""
    c, p, _ = gradient.shape
    flat = basis(p).reshape(-1, p * (p + 1))
    m = len(flat)
    g, size = gradient.reshape(c, -1) @ flat.T, np.trace(form, axis1=1, axis2=2) / m + _NOTHING
    H = form + (damping * size)[:, None, None] * np.eye(m)
    for k, some in walls.items():
        for wall in some:
            rows, goals = wall.equations(m)
            g[k] -= (_STIFF * size[k] * goals + rows @ g[k]) @ rows
            H[k] += _STIFF * size[k] * rows.T @ rows
    return (np.linalg.solve(H, -g[:, :, None])[:, :, 0] @ flat).reshape(gradient.shape)


def _split_steps(
    gradient: np.ndarray, form: np.ndarray, walls: dict[int, list[Wall]], damping: float
) -> np.ndarray:
    """Return nearly the same for forms (c, 2, p, p).

    tr(S'K S) + 2 <G, S> is least at S = -K^-1 G; its symmetric part leads downhill too.
    """
    p = gradient.shape[1]
    size = np.trace(form, axis1=2, axis2=3).sum(axis=1) / (2 * p) + _NOTHING
    ridge = damping * size[:, None]
    S = -np.linalg.solve(form[:, 0] + ridge[:, :, None] * np.eye(p), gradient[:, :, :p])
    s = -np.linalg.solve(form[:, 1] + ridge[:, :, None] * np.eye(p), gradient[:, :, p:])
    for k, some in walls.items():
        for wall in some:
            S[k] += wall.axes @ (wall.way - wall.axes.T @ S[k] @ wall.axes) @ wall.axes.T
        s[k, :, 0] = np.where(np.isnan(some[0].center), s[k, :, 0], some[0].center)
    return np.concatenate([0.5 * (S + S.transpose(0, 2, 1)), s], axis=2)
