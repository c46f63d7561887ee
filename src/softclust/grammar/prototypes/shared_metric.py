"""Points in a space whose unit is one matrix for all clusters."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from softclust.grammar.prototypes.axes import axes
from softclust.grammar.prototypes.points import Points


@dataclass(frozen=True)
class SharedMetric(Points):
    """d_ik = (x_i - v_k)' A (x_i - v_k) with one fixed A = R R' (Ortiz, Mahalanobis FCM with a given A).

    The same as points in the rows x R: J is that of the whitened data, and never rises.
    """

    root: np.ndarray  # (p, p) R

    passes: ClassVar = None
    is_unitless: ClassVar[bool] = True

    @classmethod
    def of_covariance(cls, sigma):
        """A is the inverse of a covariance; directions without extent count as the shortest that has."""
        values, vectors = axes(sigma)
        extent = np.maximum(values, 1e-12 * values[-1] if values[-1] > 0 else 1.0)
        return cls(vectors / np.sqrt(extent))

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
