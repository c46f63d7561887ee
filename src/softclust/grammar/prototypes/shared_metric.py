"""Points in a space whose unit is one matrix for all clusters."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from softclust.grammar.prototypes.axes import axes
from softclust.grammar.prototypes.base import PURE_NUMBERS
from softclust.grammar.prototypes.ellipsoids import check_covariances
from softclust.grammar.prototypes.points import Points
from softclust.sources.spread import covariance


@dataclass(frozen=True)
class SharedMetric(Points):
    """d_ik = (x_i - v_k)' A (x_i - v_k) with one fixed A = R R' (Ortiz, Mahalanobis FCM with a given A).

    The same as points in the rows x R: J is that of the whitened data, and never rises.
    """

    root: np.ndarray  # (p, p) R

    name: ClassVar[str | None] = "mahalanobis"
    measure: ClassVar[str] = PURE_NUMBERS
    has_shape: ClassVar[bool] = True
    has_one_matrix: ClassVar[bool] = True
    takes_separation: ClassVar[bool] = False

    @classmethod
    def from_data(cls, source, request):
        """The inverse of the matrix that was given, else of the covariance of the rows."""
        if request.matrix is None:
            return cls.of_covariance(covariance(source))
        return cls.of_covariance(source.rows.units.squares_to_loop(request.matrix))

    @classmethod
    def of_covariance(cls, sigma):
        """A is the inverse of a covariance; directions without extent count as the shortest that has."""
        values, vectors = axes(sigma)
        extent = np.maximum(values, 1e-12 * values[-1] if values[-1] > 0 else 1.0)
        return cls(vectors / np.sqrt(extent))

    @property
    def passes(self):
        return None

    @classmethod
    def shape_given(cls, matrices, units, c, p):
        """Nothing: the one matrix is in the geometry itself."""
        check_covariances(np.asarray(matrices, dtype=np.float64)[None], 1, p)
        return None

    def distances(self, points, theta, frame):
        root = self.root.astype(points.dtype)
        V = self.places(theta, frame).astype(points.dtype)
        D = np.zeros((len(points), len(V)), points.dtype)
        for r in root.T:  # row by row: BLAS would look at the other rows, and bits depend on them
            along = np.zeros(len(points), points.dtype)
            for x, factor in zip(points.T, r, strict=True):
                along += x * factor
            D += (along[:, None] - (V * r).sum(axis=1)) ** 2
        return D
