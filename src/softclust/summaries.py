"""What is known of all rows together, from sums over the blocks of a source; in loop units."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from softclust.columns import column_range
from softclust.model import Model, assign
from softclust.partitions import Hard, Members
from softclust.prototypes import Points
from softclust.records import Frame, State


def _weight(rows):
    return np.ones(len(rows)) if rows.weight is None else rows.weight


def _first_moments(rows):
    """Weight and weighted sum of a block, in one vector."""
    weight = _weight(rows)
    return np.append(weight.sum(), weight @ rows.points.astype(np.float64))


def _mean(source):
    sums = source.reduce(_first_moments)
    return sums[1:] / sums[0], sums[0]


def _squares(rows, mean):
    return _weight(rows) @ (rows.points.astype(np.float64) - mean) ** 2


def variances(source):
    """(p,) variance of each feature."""
    mean, weight = _mean(source)
    return source.reduce(_squares, mean) / weight


def _products(rows, mean):
    Z = rows.points.astype(np.float64) - mean
    return (_weight(rows)[:, None] * Z).T @ Z


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


def _nearest(rows, V):
    """Points of a block, and their weight in the cluster of the nearest of V, else 0."""
    n, c, dtype = len(rows), len(V), rows.X.dtype
    out = Members(
        np.empty((n, c), dtype), np.empty((0, c), dtype), np.empty(n, np.int32), np.empty(n, dtype)
    )
    assign(rows, out, Model(Points(), Hard(), Frame.singletons(c)), State((V,)))
    return rows.points.astype(np.float64, copy=False), _weight(rows)[:, None] * out.memberships


def _group_moments(rows, V):
    points, W = _nearest(rows, V)
    return np.column_stack([W.sum(axis=0), W.T @ points])


def _group_products(rows, V, means):
    from softclust.kernels.ellipsoids import moments  # Numba is loaded when the first pass runs

    points, W = _nearest(rows, V)
    return moments(points, means, W)[1]


def groups(source, V):
    """Weight, mean and covariance of the rows nearest to each of V; V and 0 for those without rows."""
    sums = source.reduce(_group_moments, V)
    weight = sums[:, 0]
    some = np.where(weight > 0, weight, 1.0)
    means = np.where((weight > 0)[:, None], sums[:, 1:] / some[:, None], V)
    return weight, means, source.reduce(_group_products, V, means) / some[:, None, None]
