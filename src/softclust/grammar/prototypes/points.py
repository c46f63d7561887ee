"""Clusters that are points in the space of the rows."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.linalg.lapack import dposv

from softclust._lazy import kernels
from softclust.grammar.prototypes.base import Prototypes

LOST = 1e-9  # of the heaviest cluster's weight
HOLD = 1e-10  # of the heaviest weight: far below what moves a centre that has rows
_FIRM = 1e-6  # of the greatest pivot: far above both, so that nothing need be held


def firm_solution(H, B):
    """H^-1 B of a positive definite H; None where that is so near to singular that clusters need a hold."""
    factor, solution, failed = dposv(H, B)
    pivots = factor.diagonal() ** 2
    return None if failed or pivots.min() <= _FIRM * pivots.max() else solution


@dataclass(frozen=True)
class Points(Prototypes):
    """d_ik = |x_i - v_k|^2; a set of clusters stands at the mean of its centres."""

    name: ClassVar[str | None] = "points"
    is_additive: ClassVar[bool] = True
    takes_separation: ClassVar[bool] = True

    @property
    def passes(self):
        return kernels("passes")

    def columns(self, theta, frame):
        """What the passes see: the places of the sets."""
        return (self.places(theta, frame),)

    def places(self, theta, frame):
        """(K, p) where the sets of clusters stand."""
        return theta[0] if frame.is_singletons else frame.mean @ theta[0]

    def distances(self, points, theta, frame):
        """Squared distances, feature by feature: no cancellation and no (n, K, p) array."""
        V = self.places(theta, frame)
        D = np.zeros((len(points), len(V)), dtype=points.dtype)
        for x, v in zip(points.T, V.T.astype(points.dtype), strict=True):
            D += (x[:, None] - v) ** 2
        return D

    def moments(self, points, W, theta, frame):
        """First moments W'X about the origin of the loop."""
        return (W.T @ points.astype(np.float64, copy=False),)

    def solve(self, stats, theta, frame, separation):
        """Minimise sum_j s_j |vbar_j - mu_j|^2 + separation(V); a cluster without weight stays.

        Holding a cluster adds a term that is 0 at its place, so J still cannot rise.
        """
        (V,), (moment,) = theta, stats.moments
        if frame.is_singletons and separation is None:
            return (kernels("centers").means(moment, stats.weight, V),)
        F = frame.mean
        H = F.T @ (stats.weight[:, None] * F)
        B = F.T @ moment
        if separation is None and (centers := firm_solution(H, B)) is not None:
            return (np.ascontiguousarray(centers),)
        # A cluster that has lost its rows is held where it is: a repulsion would drive it to infinity.
        mass = np.diag(H)
        held = mass <= LOST * mass.max()
        anchor = mass.max() or 1.0
        H[held, held] += anchor
        B[held] += anchor * V[held]
        if not frame.is_singletons and np.linalg.eigvalsh(H)[0] < HOLD * anchor:
            ridge = HOLD * anchor  # where only sets have weight their clusters are free: those stay
            H[np.diag_indices(len(H))] += ridge
            B += ridge * V
        return (np.linalg.solve(H, B) if separation is None else separation.solve(H, B, V),)

    def shift(self, theta, other):
        """The longest move of a coordinate between two states."""
        return kernels("centers").longest(theta[0], other[0])

    def packed(self, theta):
        """theta as a vector of a space in which extrapolation makes sense."""
        return theta[0].ravel()

    def unpacked(self, point, theta):
        return (point.reshape(theta[0].shape),)
