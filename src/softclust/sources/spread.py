"""Spread of rows: variances, covariance and range of the features, from sums over blocks; in loop units."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from softclust.sources.columns import column_range

if TYPE_CHECKING:
    from softclust.sources import Source
    from softclust.sources.rows import Rows


def _first_moments(rows: Rows) -> np.ndarray:
    """Return the weight and the weighted sum of a block, in one vector."""
    weight = rows.weights
    return np.append(weight.sum(), weight @ rows.points.astype(np.float64))


def _mean(source: Source) -> tuple[np.ndarray, float]:
    """Return the (p,) mean of the rows, and their weight."""
    sums = source.reduce(_first_moments)
    return sums[1:] / sums[0], sums[0]


def _squares(rows: Rows, mean: np.ndarray) -> np.ndarray:
    return rows.weights @ (rows.points.astype(np.float64) - mean) ** 2


def variances(source: Source) -> np.ndarray:
    """Return the (p,) variances of the features."""
    mean, weight = _mean(source)
    return source.reduce(_squares, mean) / weight


def _products(rows: Rows, mean: np.ndarray) -> np.ndarray:
    Z = rows.points.astype(np.float64) - mean
    return (rows.weights[:, None] * Z).T @ Z


def covariance(source: Source) -> np.ndarray:
    """Return the (p, p) covariance of the features."""
    mean, weight = _mean(source)
    return source.reduce(_products, mean) / weight


@dataclass(frozen=True)
class _Box:
    """The smallest box around some rows; `+` is the smallest box around two boxes."""

    low: np.ndarray
    high: np.ndarray

    def __add__(self, other: _Box) -> _Box:
        return _Box(np.minimum(self.low, other.low), np.maximum(self.high, other.high))


def _box(rows: Rows) -> _Box:
    """Return the box around the rows of a block that have a positive weight."""
    points = rows.points.astype(np.float64)
    if rows.weight is not None:
        points = points[rows.weight > 0]
    return _Box(*column_range(points))


def extents(source: Source) -> np.ndarray:
    """Return the (p,) ranges of the features."""
    box = source.reduce(_box)
    return box.high - box.low


def deviations(source: Source) -> np.ndarray:
    """Return the (p,) standard deviations of the features, above 0."""
    values = variances(source)
    return np.sqrt(np.maximum(values, max(1e-9 * values.max(), 1e-200)))


def greatest_extent(source: Source) -> float:
    """Return the greatest range of a feature, above 0."""
    return max(float(extents(source).max()), 1e-100)


def log_uniform_density(source: Source) -> float:
    """Return the logarithm of 1/volume of the box around the rows."""
    extent = extents(source)
    return -float(np.log(np.maximum(extent, 1e-6 * max(extent.max(), 1e-200))).sum())
