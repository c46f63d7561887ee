"""Where distances between rows come from: rows and a metric, a matrix, or remote rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from softclust.medoids.metrics import Compiled, Named
from softclust.sources.local import fold


@dataclass(frozen=True)
class Vectors:
    """Rows (prepared) with a metric: distances are found when they are asked for."""

    metric: Compiled | Named
    X: np.ndarray
    dtype: Any
    threads: int = 1

    def __len__(self):
        return len(self.X)

    def take(self, rows):
        return Vectors(self.metric, self.X[rows], self.dtype, self.threads)

    def table(self):
        """(n, n) `paid`."""
        try:
            return self.metric.between(self.X, self.X, self.dtype, self.threads)
        except MemoryError as error:
            size = len(self) ** 2 * np.dtype(self.dtype).itemsize / 1e9
            raise MemoryError(
                f'The distances of all {len(self)} rows take {size:.3g} GB; method="clara" does without.'
            ) from error

    def between(self, rows, others):
        """paid[rows][:, others]; None is all."""
        some = self.X if others is None else self.X[others]
        return self.metric.between(self.X[rows], some, self.dtype)

    def nearest(self, rows):
        """Slot of the nearest of these medoids and its distance, for every row."""
        return self.metric.nearest(self.X, self.X[rows], self.threads)

    def loss(self, rows, weight):
        """What all rows pay to the nearest of these medoids."""
        return float(weight @ self.nearest(rows)[1])


@dataclass(frozen=True)
class Matrix:
    """Distances that are given: `paid` itself."""

    paid: np.ndarray

    def __len__(self):
        return len(self.paid)

    def take(self, rows):
        return Matrix(self.paid[np.ix_(rows, rows)])

    def table(self):
        return self.paid

    def between(self, rows, others):
        return self.paid[rows] if others is None else self.paid[np.ix_(rows, others)]

    def nearest(self, rows):
        d = self.paid[rows]
        label = d.argmin(axis=0).astype(np.int32)
        return label, d[label, np.arange(d.shape[1])].astype(np.float64)

    def loss(self, rows, weight):
        return float(weight @ self.nearest(rows)[1])


@dataclass(frozen=True)
class RemoteVectors:
    """Rows that are elsewhere, with a metric: samples come here, sums are found where the rows are."""

    metric: Compiled | Named
    X: Any  # a `RemoteRows`
    threads: int = 1

    def __len__(self):
        return len(self.X)

    def take(self, rows):
        return Vectors(self.metric, self.metric.prepare(self.X[rows]), self.X.dtype, self.threads)

    def tally(self, rows, weight=None):
        """What all rows pay to the nearest of these medoids, and the weight of those nearest to each."""
        V = self.metric.prepare(self.X[rows])
        sums = fold(self.X.each(_tally, self.X.of_each, self.metric, V, weight=weight))
        return float(sums[0]), sums[1:]

    def loss(self, rows, weight):
        return self.tally(rows, weight)[0]


def _tally(X, weight, detail, metric, V):
    label, least = metric.nearest(metric.prepare(X), V)
    weight = np.ones(len(X)) if weight is None else weight
    return np.append(weight @ least, np.bincount(label, weight, minlength=len(V)))
