"""Summaries of all rows in loop units, from sums over the blocks of a source."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from softclust._lazy import kernels
from softclust.grammar.frame import Frame
from softclust.grammar.model import Model
from softclust.grammar.partitions import Hard, Members
from softclust.grammar.prototypes import Points
from softclust.grammar.state import State
from softclust.grammar.sweep import assign, sweep

if TYPE_CHECKING:
    from softclust.sources.rows import Rows


def _nearest(rows: Rows, V: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the points of a block, and their weights (n, c) in the clusters of hard assignment.

    A row has its weight in the cluster of the nearest of V, and 0 in the others.
    """
    n, c, dtype = len(rows), len(V), rows.X.dtype
    out = Members(
        np.empty((n, c), dtype), np.empty((0, c), dtype), np.empty(n, np.int32), np.empty(n, dtype)
    )
    assign(rows, out, Model(Points(), Hard(), Frame.singletons(c)), State((V,)))
    return rows.points.astype(np.float64, copy=False), rows.weights[:, None] * out.memberships


def _group_moments(rows: Rows, V: np.ndarray) -> np.ndarray:
    """(c, 1 + p) weight and sum of the points of a block that are nearest to each of V."""
    points, W = _nearest(rows, V)
    return np.column_stack([W.sum(axis=0), W.T @ points])


def _group_products(rows: Rows, V: np.ndarray, means: np.ndarray) -> np.ndarray:
    """(c, p, p) scatter about the means of the points of a block that are nearest to each of V."""
    points, W = _nearest(rows, V)
    return kernels("ellipsoids").moments(points, means, W)[1]


def groups(source: Any, V: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return weight, mean and covariance of the rows nearest to each of V.

    A centre without rows has weight 0, itself as the mean, and covariance 0.
    """
    sums = source.reduce(_group_moments, V)
    weight = sums[:, 0]
    some = np.where(weight > 0, weight, 1.0)
    means = np.where((weight > 0)[:, None], sums[:, 1:] / some[:, None], V)
    return weight, means, source.reduce(_group_products, V, means) / some[:, None, None]


def total_variance(source: Any) -> float:
    """Compute the trace of the covariance in loop units.

    One sweep with a single centre at the origin gives all that is needed.
    """
    p = source.rows.X.shape[1]
    one = Model(Points(), Hard(), Frame.singletons(1))
    stats = source.reduce(sweep, one, State((np.zeros((1, p)),)))
    mean = stats.moments[0][0] / stats.weight[0]
    return float(stats.mean_distance[0] - mean @ mean)
