"""Clusters that are points in a space with one metric for all clusters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from softclust.grammar.prototypes.axes import axes
from softclust.grammar.prototypes.base import PURE_NUMBERS, Request, Theta
from softclust.grammar.prototypes.ellipsoids import check_covariances
from softclust.grammar.prototypes.parts import Parts, quadratic_parts
from softclust.grammar.prototypes.points import Points
from softclust.knowledge.numbers import as_floats
from softclust.sources.spread import covariance

if TYPE_CHECKING:
    from softclust.grammar.frame import Frame
    from softclust.sources.units import Units


@dataclass(frozen=True)
class SharedMetric(Points):
    """All clusters share one fixed metric A = R R': d_ik = (x_i - v_k)' A (x_i - v_k).

    This is FCM with a Mahalanobis distance and a given A (Ortiz).  It equals `Points` on the rows x R: J is
    that of the whitened data, and never rises.
    """

    root: np.ndarray  # (p, p) R

    name: ClassVar[str | None] = "mahalanobis"
    measure: ClassVar[str] = PURE_NUMBERS
    has_shape: ClassVar[bool] = True
    has_one_matrix: ClassVar[bool] = True
    takes_separation: ClassVar[bool] = False
    scales_matter: ClassVar[bool] = False

    @classmethod
    def freedom(cls, source: Any) -> float:
        """Return the number of features: in its own metric a cluster is round."""
        return float(source.rows.X.shape[1])

    @classmethod
    def from_data(cls, source: Any, request: Request) -> Self:
        """Take as A the inverse of the given matrix, by default of the covariance of the rows."""
        if request.matrix is None:
            return cls.of_covariance(covariance(source))
        return cls.of_covariance(source.rows.units.squares_to_loop(request.matrix))

    @classmethod
    def of_covariance(cls, sigma: np.ndarray) -> Self:
        """Take as A the inverse of a covariance (p, p) in loop units.

        An axis shorter than 1e-6 of the longest one counts as that long; if all are 0, they count as 1.
        """
        values, vectors = axes(sigma)
        extent = np.maximum(values, 1e-12 * values[-1] if values[-1] > 0 else 1.0)
        return cls(vectors / np.sqrt(extent))

    @property
    def passes(self) -> Any:
        return None

    @classmethod
    def shape_given(cls, matrices: Any, units: Units, c: int, p: int) -> None:
        """Check the one matrix; return None, because the geometry itself holds it."""
        check_covariances(as_floats(matrices, "The matrix of init")[None], 1, p)
        return None

    def distances(self, points: np.ndarray, theta: Theta, frame: Frame) -> np.ndarray:
        """Return squared distances, added up over the columns of R."""
        root = self.root.astype(points.dtype)
        V = self.places(theta, frame).astype(points.dtype)
        D = np.zeros((len(points), len(V)), points.dtype)
        for r in root.T:  # no BLAS: with it the last bits of a row would depend on the other rows
            along = np.zeros(len(points), points.dtype)
            for x, factor in zip(points.T, r, strict=True):
                along += x * factor
            D += (along[:, None] - (V * r).sum(axis=1)) ** 2
        return D

    def parts(self, point: np.ndarray, theta: Theta) -> Parts:
        return Parts(quadratic_parts(point - theta[0], self.root[None]), {})
