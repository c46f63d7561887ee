"""Clusters that are points in the space of the rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from scipy.linalg.lapack import dposv

from softclust._lazy import kernels
from softclust.grammar.prototypes.base import Prototypes, Theta
from softclust.grammar.prototypes.parts import Parts

if TYPE_CHECKING:
    from softclust.grammar.frame import Frame
    from softclust.grammar.separation import CentralDistance, Repulsion
    from softclust.grammar.state import Stats

LOST = 1e-9  # of the heaviest cluster's weight: a cluster with less has lost its rows
HOLD = 1e-10  # of the heaviest weight: a hold this weak does not move a centre that has rows
_FIRM = 1e-6  # of the greatest pivot: far above LOST and HOLD, so that no cluster needs a hold


def firm_solution(H: np.ndarray, B: np.ndarray) -> np.ndarray | None:
    """Return H^-1 B of a positive definite H; None if H is nearly singular and clusters need a hold."""
    factor, solution, failed = dposv(H, B)
    pivots = factor.diagonal() ** 2
    return None if failed or pivots.min() <= _FIRM * pivots.max() else solution


@dataclass(frozen=True)
class Points(Prototypes):
    """Clusters are points: d_ik = |x_i - v_k|^2.  A set of clusters stands at the mean of its centres."""

    name: ClassVar[str | None] = "points"
    is_additive: ClassVar[bool] = True
    takes_separation: ClassVar[bool] = True
    scales_matter: ClassVar[bool] = True

    @property
    def passes(self) -> Any:
        return kernels("passes")

    def columns(self, theta: Theta, frame: Frame) -> tuple[np.ndarray, ...]:
        """Return the places (K, p) of the sets, for the compiled passes."""
        return (self.places(theta, frame),)

    def places(self, theta: Theta, frame: Frame) -> np.ndarray:
        """Return the places (K, p) at which the sets of clusters stand."""
        return theta[0] if frame.is_singletons else frame.mean @ theta[0]

    def distances(self, points: np.ndarray, theta: Theta, frame: Frame) -> np.ndarray:
        """Return squared distances, added up feature by feature: no cancellation and no (n, K, p) array."""
        V = self.places(theta, frame)
        D = np.zeros((len(points), len(V)), dtype=points.dtype)
        for x, v in zip(points.T, V.T.astype(points.dtype), strict=True):
            D += (x[:, None] - v) ** 2
        return D

    def parts(self, point: np.ndarray, theta: Theta) -> Parts | None:
        return Parts((point - theta[0]) ** 2, {})

    def moments(self, points: np.ndarray, W: np.ndarray, theta: Theta, frame: Frame) -> Theta:
        """Return the first moments W'X (K, p) about the origin of the loop."""
        return (W.T @ points.astype(np.float64, copy=False),)

    def solve(
        self, stats: Stats, theta: Theta, frame: Frame, separation: Repulsion | CentralDistance | None
    ) -> Theta:
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
        # Hold a cluster that has lost its rows where it is: a repulsion would drive it to infinity.
        mass = np.diag(H)
        held = mass <= LOST * mass.max()
        anchor = mass.max() or 1.0
        H[held, held] += anchor
        B[held] += anchor * V[held]
        if not frame.is_singletons and np.linalg.eigvalsh(H)[0] < HOLD * anchor:
            ridge = HOLD * anchor  # if only sets have weight, it does not fix their clusters: these stay
            H[np.diag_indices(len(H))] += ridge
            B += ridge * V
        return (np.linalg.solve(H, B) if separation is None else separation.solve(H, B, V),)

    def shift(self, theta: Theta, other: Theta) -> float:
        """Return the longest move of a centre's coordinate."""
        return kernels("centers").longest(theta[0], other[0])

    def packed(self, theta: Theta) -> np.ndarray:
        """Return the centres as a vector."""
        return theta[0].ravel()

    def unpacked(self, point: np.ndarray, theta: Theta) -> Theta:
        return (point.reshape(theta[0].shape),)
