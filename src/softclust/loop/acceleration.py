"""Extrapolation of the fixed-point iteration theta -> G(theta).

A scheme is given points and their images and proposes the next point.  A scheme without a better point
proposes the image itself.  The loop accepts a proposal only if J there is no higher, so the descent of J
does not depend on the proposals.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.linalg.lapack import dposv

from softclust._lazy import kernels

_BEYOND = np.errstate(over="ignore", invalid="ignore")  # points beyond the range of floats are not proposed


def _finite(point: np.ndarray, image: np.ndarray) -> np.ndarray:
    """Return the point, or the image if the squared length of the point overflows."""
    return point if np.isfinite(np.vdot(point, point)) else image


def _nothing() -> np.ndarray:
    return np.empty((0, 0))


@dataclass
class QuasiNewton:
    """L-BFGS (Liu & Nocedal 1989), with the plain step G(x) - x in the place of the downhill gradient.

    The plain step is a gradient step in the metric of the update itself, so the first guess of the inverse
    Hessian is the identity: between once and twice the plain step.  Only pairs along which the steps
    shorten are kept.  The model of J then has a minimum, and the scheme walks away from saddles; Anderson
    mixing walks up to saddles as to any other fixed point.
    """

    kept: np.ndarray = field(default_factory=_nothing)  # rows: last point, its plain step, steps, bends
    products: np.ndarray = field(default_factory=_nothing)  # of each step and its bend; second row: scratch
    count: int = -1  # pairs so far; -1 before the first point
    window = 8  # pairs that are kept

    def restart(self) -> None:
        """Forget all points."""
        self.count = -1

    def __copy__(self) -> QuasiNewton:
        return QuasiNewton(self.kept.copy(), self.products.copy(), self.count)

    @property
    def pairs(self) -> list[tuple[np.ndarray, np.ndarray, Any]]:
        """Return each step, the bend of the plain step along it, and their product, oldest first."""
        places = [n % self.window for n in range(max(self.count - self.window, 0), self.count)]
        return [(self.kept[2 + k], self.kept[2 + self.window + k], self.products[0, k]) for k in places]

    def propose(self, x: np.ndarray, image: np.ndarray) -> np.ndarray:
        """Propose the point after x, whose image is G(x)."""
        shapes = (2 + 2 * self.window, len(x)), (2, self.window)
        if (self.kept.shape, self.products.shape) != shapes:  # the first call, or from a foreign file
            self.kept, self.products, self.count = *map(np.zeros, shapes), -1
        propose = kernels("quasi_newton").propose
        point, self.count = propose(x, image, self.kept, self.products, self.count)
        return point


@dataclass
class Anderson:
    """Anderson mixing: the combination of the last images whose residuals nearly cancel."""

    last: tuple[np.ndarray, np.ndarray] | None = None  # point, residual
    steps: list[np.ndarray] = field(default_factory=list)  # differences of points
    changes: list[np.ndarray] = field(default_factory=list)  # differences of residuals
    window = 5  # differences that are kept

    def restart(self) -> None:
        """Forget all points."""
        self.last, self.steps, self.changes = None, [], []

    @_BEYOND
    def propose(self, x: np.ndarray, image: np.ndarray) -> np.ndarray:
        """Propose the point after x, whose image is G(x)."""
        residual = image - x
        if self.last is not None:
            self.steps = [*self.steps[1 - self.window :], x - self.last[0]]
            self.changes = [*self.changes[1 - self.window :], residual - self.last[1]]
        self.last = x, residual
        if not self.steps:
            return image
        F = np.array(self.changes)
        # A few normal equations, with a ridge against parallel residuals.
        gram = F @ F.T
        gram.flat[:: len(gram) + 1] *= 1 + 1e-10
        _, weights, failed = dposv(gram, F @ residual)  # NumPy's solve takes five times as long to start
        if failed:
            return image
        return _finite(image - weights @ (np.array(self.steps) + F), image)


@dataclass
class Squarem:
    """SQUAREM (Varadhan & Roland 2008), scheme S3: a squared step at every second image."""

    points: list[np.ndarray] = field(default_factory=list)

    def restart(self) -> None:
        """Forget all points."""
        self.points = []

    @_BEYOND
    def propose(self, x: np.ndarray, image: np.ndarray) -> np.ndarray:
        """Propose the point after x, whose image is G(x)."""
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


SCHEMES: dict[str, type[QuasiNewton | Anderson | Squarem]] = {
    "lbfgs": QuasiNewton,
    "anderson": Anderson,
    "squarem": Squarem,
}
