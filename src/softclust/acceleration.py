"""Extrapolation of the fixed-point iteration theta -> G(theta).

Each scheme is fed the points and their images and proposes the next point.  The loop accepts a
proposal only if J there is no higher, so descent does not depend on what is proposed.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import sqrt

import numpy as np
from scipy.linalg.blas import daxpy, ddot  # half the time of NumPy's, which counts where x is short
from scipy.linalg.lapack import dposv

_BEYOND = np.errstate(over="ignore", invalid="ignore")  # the loop takes no point that is not finite


@dataclass
class QuasiNewton:
    """L-BFGS (Liu & Nocedal 1989), with the plain step G(x) - x in the place of the downhill gradient.

    That step is a gradient step in the metric of the update itself, so the first guess of the inverse
    Hessian is the identity: between once and twice the plain step.  Only pairs along which the steps
    shorten are kept.  Its model of J then has a minimum, and it walks away from saddles, which Anderson
    mixing walks up to as to any other fixed point.
    """

    last: tuple | None = None  # point, plain step
    pairs: list = field(default_factory=list)  # (step, how much shorter the plain step is then, product)
    window = 8

    def restart(self):
        self.last, self.pairs = None, []

    def propose(self, x, image):
        downhill = image - x
        if self.last is not None:
            self._learn(x - self.last[0], self.last[1] - downhill)
        self.last = x, downhill
        if not self.pairs:
            return image
        way, shares = downhill.copy(), []
        for step, bend, product in reversed(self.pairs):
            shares.append(ddot(step, way) / product)
            daxpy(bend, way, a=-shares[-1])  # way -= share * bend
        _, bend, product = self.pairs[-1]
        way *= min(max(product / ddot(bend, bend), 1.0), 2.0)
        for step, bend, product in self.pairs:
            daxpy(step, way, a=shares.pop() - ddot(bend, way) / product)
        way += x
        return way

    def _learn(self, step, bend):
        """Keep what the last step has shown; forget all where the way does not bend upwards."""
        product = ddot(step, bend)
        if product > 1e-8 * sqrt(ddot(step, step) * ddot(bend, bend)) > 0:
            self.pairs = [*self.pairs[1 - self.window :], (step, bend, product)]
        else:
            self.pairs = []


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
        return image - weights @ (np.array(self.steps) + F)


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
        return first - 2 * length * r + length**2 * v


SCHEMES = {"lbfgs": QuasiNewton, "anderson": Anderson, "squarem": Squarem}
