"""Spaces, which compute distances between rows: from rows and a metric, a matrix, or remote rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from softclust.medoids.metrics import Compiled, Named
from softclust.sources.local import fold


@dataclass(frozen=True)
class Vectors:
    """Prepared rows with a metric; distances are computed when they are asked for."""

    metric: Compiled | Named
    X: np.ndarray
    dtype: Any
    threads: int = 1

    def __len__(self) -> int:
        return len(self.X)

    def take(self, rows: np.ndarray) -> Vectors:
        """Return the space of some rows."""
        return Vectors(self.metric, self.X[rows], self.dtype, self.threads)

    def table(self) -> np.ndarray:
        """Return the (n, n) table `paid`."""
        try:
            return self.metric.between(self.X, self.X, self.dtype, self.threads)
        except MemoryError as error:
            size = len(self) ** 2 * np.dtype(self.dtype).itemsize / 1e9
            raise MemoryError(
                f'The distances of all {len(self)} rows take {size:.3g} GB; method="clara" does without.'
            ) from error

    def between(self, rows: Any, others: np.ndarray | None) -> np.ndarray:
        """Return paid[rows][:, others]; None means all rows."""
        some = self.X if others is None else self.X[others]
        return self.metric.between(self.X[rows], some, self.dtype)

    def nearest(self, rows: np.ndarray | slice) -> tuple[np.ndarray, np.ndarray]:
        """Return for every row the slot of the nearest of these medoids, and its distance."""
        return self.metric.nearest(self.X, self.X[rows], self.threads)

    def loss(self, rows: np.ndarray, weight: np.ndarray) -> float:
        """Return what all rows pay to the nearest of these medoids."""
        return float(weight @ self.nearest(rows)[1])


@dataclass(frozen=True)
class Matrix:
    """A space of given distances: `paid` itself."""

    paid: np.ndarray

    def __len__(self) -> int:
        return len(self.paid)

    def take(self, rows: np.ndarray) -> Matrix:
        """Return the space of some rows."""
        return Matrix(self.paid[np.ix_(rows, rows)])

    def table(self) -> np.ndarray:
        """Return the (n, n) table `paid`."""
        return self.paid

    def between(self, rows: Any, others: np.ndarray | None) -> np.ndarray:
        """Return paid[rows][:, others]; None means all rows."""
        return self.paid[rows] if others is None else self.paid[np.ix_(rows, others)]

    def nearest(self, rows: np.ndarray | slice) -> tuple[np.ndarray, np.ndarray]:
        """Return for every row the slot of the nearest of these medoids, and its distance."""
        d = self.paid[rows]
        label = d.argmin(axis=0).astype(np.int32)
        return label, d[label, np.arange(d.shape[1])].astype(np.float64)

    def loss(self, rows: np.ndarray, weight: np.ndarray) -> float:
        """Return what all rows pay to the nearest of these medoids."""
        return float(weight @ self.nearest(rows)[1])


@dataclass(frozen=True)
class RemoteVectors:
    """Remote rows with a metric: samples are brought here, sums are computed where the rows are."""

    metric: Compiled | Named
    X: Any  # a `RemoteRows`
    threads: int = 1

    def __len__(self) -> int:
        return len(self.X)

    def take(self, rows: np.ndarray) -> Vectors:
        """Return the space of some rows, in memory."""
        return Vectors(self.metric, self.metric.prepare(self.X[rows]), self.X.dtype, self.threads)

    def tally(self, rows: np.ndarray, weight: np.ndarray | None = None) -> tuple[float, np.ndarray]:
        """Return what all rows pay to the nearest of these medoids, and the weight of the rows of each."""
        V = self.metric.prepare(self.X[rows])
        sums = fold(self.X.each(_tally, self.X.of_each, self.metric, V, weight=weight))
        return float(sums[0]), sums[1:]

    def loss(self, rows: np.ndarray, weight: np.ndarray | None) -> float:
        """Return what all rows pay to the nearest of these medoids."""
        return self.tally(rows, weight)[0]


def _tally(
    X: np.ndarray, weight: np.ndarray | None, detail: Any, metric: Compiled | Named, V: np.ndarray
) -> np.ndarray:
    """Return what the rows of a block pay, and the weight of each medoid's rows, in one vector."""
    label, least = metric.nearest(metric.prepare(X), V)
    weight = np.ones(len(X)) if weight is None else weight
    return np.append(weight @ least, np.bincount(label, weight, minlength=len(V)))
