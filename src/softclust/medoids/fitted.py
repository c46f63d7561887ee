"""Read-outs of fitted medoids: labels and distances of rows, in memory or remote."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from softclust.medoids.metrics import Compiled, Named, metric_for
from softclust.medoids.spaces import Matrix

if TYPE_CHECKING:
    pass


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

    def distances(self, source: Any) -> np.ndarray:
        """(n, k) distances of each row to each medoid."""
        X = source.rows.X
        if self.centers is None:
            return X
        metric = self._metric(X)
        d = metric.between(metric.prepare(self.centers), metric.prepare(X), X.dtype, source.threads)
        return metric.to_data(np.ascontiguousarray(d.T))
