"""Read-outs of fitted medoids: labels and distances of rows, in memory or remote."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from softclust.grammar.prototypes.parts import BEYOND, Parts
from softclust.medoids.metrics import Compiled, Named, metric_for
from softclust.medoids.spaces import Matrix

_EUCLIDEAN = ("euclidean", "l2", "sqeuclidean")


class Nearest(NamedTuple):
    """The cluster of each row."""

    labels: np.ndarray


@dataclass(frozen=True)
class FittedMedoids:
    """The medoids and their metric.

    `centers` is None if distances to the medoids are given in place of rows.
    """

    metric: Any
    parameters: dict[str, Any]
    centers: np.ndarray | None

    @property
    def without_links(self) -> FittedMedoids:
        """This value itself: medoids know of no pairs."""
        return self

    def _metric(self, X: np.ndarray) -> Compiled | Named:
        return metric_for(self.metric, self.parameters, X, self.centers)

    def nearest(self, source: Any) -> tuple[np.ndarray, np.ndarray]:
        """(n,) the nearest medoid of each row, and its distance."""
        X = source.rows.X
        if self.centers is None:
            return Matrix(X.T).nearest(slice(None))
        metric = self._metric(X)
        labels, least = metric.nearest(metric.prepare(X), metric.prepare(self.centers), source.threads)
        return labels, metric.to_data(least)

    def members(self, source: Any) -> Nearest:
        """The nearest medoid of each row."""
        return Nearest(self.nearest(source)[0])

    def parts(self, row: np.ndarray) -> Parts | None:
        """Exact parts of the squared distances of a row (p,) to the medoids; None for other metrics."""
        if self.centers is None or self.metric not in _EUCLIDEAN or self.parameters:
            return None
        gaps = np.asarray(row, dtype=np.float64) - self.centers
        with np.errstate(over="ignore", under="ignore"):
            squares = gaps**2
        if not np.isfinite(squares).all() or (gaps.any() and not squares.any()):
            raise ValueError(BEYOND)
        return Parts(squares, {})

    def distances(self, source: Any) -> np.ndarray:
        """(n, k) distances of each row to each medoid."""
        X = source.rows.X
        if self.centers is None:
            return X
        metric = self._metric(X)
        d = metric.between(metric.prepare(self.centers), metric.prepare(X), X.dtype, source.threads)
        return metric.to_data(np.ascontiguousarray(d.T))
