"""How rows spread: variances, covariance and range of the features, from sums over blocks; in loop units."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from softclust.sources.columns import column_range


def _first_moments(rows):
    """Weight and weighted sum of a block, in one vector."""
    weight = rows.weights
    return np.append(weight.sum(), weight @ rows.points.astype(np.float64))


def _mean(source):
    sums = source.reduce(_first_moments)
    return sums[1:] / sums[0], sums[0]


def _squares(rows, mean):
    return rows.weights @ (rows.points.astype(np.float64) - mean) ** 2


def variances(source):
    """(p,) variance of each feature."""
    mean, weight = _mean(source)
    return source.reduce(_squares, mean) / weight


def _products(rows, mean):
    Z = rows.points.astype(np.float64) - mean
    return (rows.weights[:, None] * Z).T @ Z


def covariance(source):
    """(p, p) covariance of the features."""
    mean, weight = _mean(source)
    return source.reduce(_products, mean) / weight


@dataclass(frozen=True)
class _Box:
    """The least box about some rows; `+` is that about two."""

    low: np.ndarray
    high: np.ndarray

    def __add__(self, other):
        return _Box(np.minimum(self.low, other.low), np.maximum(self.high, other.high))


def _box(rows):
    points = rows.points.astype(np.float64)
    if rows.weight is not None:
        points = points[rows.weight > 0]
    return _Box(*column_range(points))


def extents(source):
    """(p,) range of each feature."""
    box = source.reduce(_box)
    return box.high - box.low


def deviations(source):
    """(p,) standard deviation of each feature, above 0."""
    values = variances(source)
    return np.sqrt(np.maximum(values, max(1e-9 * values.max(), 1e-200)))


def greatest_extent(source):
    """The greatest range of a feature, above 0."""
    return max(float(extents(source).max()), 1e-100)


def log_uniform_density(source):
    """Logarithm of 1/volume of the box of the rows."""
    extent = extents(source)
    return -float(np.log(np.maximum(extent, 1e-6 * max(extent.max(), 1e-200))).sum())
