"""Extrapolation of the fixed-point iteration theta -> G(theta).

Each scheme is fed the points and their images and proposes the next point: the image itself where it has
no better one.  The loop accepts a proposal only if J there is no higher, so descent does not depend on what
is proposed.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from scipy.linalg.lapack import dposv

from softclust._lazy import kernels

_BEYOND = np.errstate(over="ignore", invalid="ignore")  # no such point is proposed


def _finite(point, image):
    """The point; the image where its length has no float."""
    return point if np.isfinite(np.vdot(point, point)) else image


def _nothing():
    return np.empty((0, 0))


@dataclass
class QuasiNewton:
    """L-BFGS (Liu & Nocedal 1989), with the plain step G(x) - x in the place of the downhill gradient.

    That step is a gradient step in the metric of the update itself, so the first guess of the inverse
    Hessian is the identity: between once and twice the plain step.  Only pairs along which the steps
    shorten are kept.  Its model of J then has a minimum, and it walks away from saddles, which Anderson
    mixing walks up to as to any other fixed point.
    """

    kept: np.ndarray = field(default_factory=_nothing)  # the last point and plain step; steps; their bends
    products: np.ndarray = field(default_factory=_nothing)  # of steps and bends
    count: int = -1  # pairs so far; below 0: not even a point
    window = 8  # of which so many are kept

    def restart(self):
        self.count = -1

    def __copy__(self):
        return QuasiNewton(self.kept.copy(), self.products.copy(), self.count)

    @property
    def pairs(self):
        """Steps, how the plain step has bent along each, and the products of both, oldest first."""
        places = [n % self.window for n in range(max(self.count - self.window, 0), self.count)]
        return [(self.kept[2 + k], self.kept[2 + self.window + k], self.products[0, k]) for k in places]

    def propose(self, x, image):
        shapes = (2 + 2 * self.window, len(x)), (2, self.window)
        if (self.kept.shape, self.products.shape) != shapes:  # at first, or from a file that is not ours
            self.kept, self.products, self.count = *map(np.zeros, shapes), -1
        propose = kernels("quasi_newton").propose
        point, self.count = propose(x, image, self.kept, self.products, self.count)
        return point


@dataclass
class Anderson:
    """Anderson mixing: the combination of the last images whose residuals nearly cancel."""

    last: tuple | None = None  # point, residual
    steps: list = field(default_factory=list)  # differences of points
    changes: list = field(default_factory=list)  # and of residuals
    window = 5

    def restart(self):
        self.last, self.steps, self.changes = None, [], []

    @_BEYOND
    def propose(self, x, image):
        residual = image - x
        if self.last is not None:
            self.steps = [*self.steps[1 - self.window :], x - self.last[0]]
            self.changes = [*self.changes[1 - self.window :], residual - self.last[1]]
        self.last = x, residual
        if not self.steps:
            return image
        F = np.array(self.changes)
        # Normal equations of a few numbers, with a ridge against parallel residuals.
        gram = F @ F.T
        gram.flat[:: len(gram) + 1] *= 1 + 1e-10
        _, weights, failed = dposv(gram, F @ residual)  # NumPy's solve takes five times as long to begin
        if failed:
            return image
        return _finite(image - weights @ (np.array(self.steps) + F), image)


@dataclass
class Squarem:
    """SQUAREM (Varadhan & Roland 2008), scheme S3: a squared step each second image."""

    points: list = field(default_factory=list)

    def restart(self):
        self.points = []

    @_BEYOND
    def propose(self, x, image):
        self.points = [*self.points, x]
        if len(self.points) < 2:
            return image
        first, second = self.points
        self.restart()
        r = second - first
        v = (image - second) - r
        norm = float(np.linalg.norm(v))
        if norm == 0:
            return image
        length = min(-float(np.linalg.norm(r)) / norm, -1.0)
        return _finite(first - 2 * length * r + length**2 * v, image)


SCHEMES = {"lbfgs": QuasiNewton, "anderson": Anderson, "squarem": Squarem}
