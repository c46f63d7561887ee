"""Read-outs of fitted medoids: labels and distances of rows, in memory or remote."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from softclust.medoids.metrics import Compiled, Named, metric_for
from softclust.medoids.spaces import Matrix

if TYPE_CHECKING:
    from softclust.sources import LocalSource


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

    def nearest(self, X: np.ndarray, threads: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the nearest medoid of each row and its distance, both (n,)."""
        if self.centers is None:
            return Matrix(X.T).nearest(slice(None))
        metric = self._metric(X)
        labels, least = metric.nearest(metric.prepare(X), metric.prepare(self.centers), threads)
        return labels, metric.to_data(least)

    def distances(self, X: np.ndarray, threads: int) -> np.ndarray:
        """Return the (n, k) distances of each row to each medoid."""
        if self.centers is None:
            return X
        metric = self._metric(X)
        d = metric.between(metric.prepare(self.centers), metric.prepare(X), X.dtype, threads)
        return metric.to_data(np.ascontiguousarray(d.T))


def labels(fitted: FittedMedoids, source: LocalSource) -> np.ndarray:
    """Return the nearest medoid of each row of a source, (n,)."""
    return fitted.nearest(source.rows.X, source.threads)[0]


def distances(fitted: FittedMedoids, source: LocalSource) -> np.ndarray:
    """Return the (n, k) distances of each row of a source to each medoid."""
    return fitted.distances(source.rows.X, source.threads)
