"""A pilot partition: how rows lie within clusters, before a mixture is fitted.

Everything here depends on the set of distinct rows and their weights alone: not on the order of the rows,
not on a seed, and not on whether a row has the weight 2 or comes twice.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.spatial.distance import cdist

from softclust.grammar.partitions import Hard
from softclust.grammar.prototypes import Points
from softclust.loop import recipes
from softclust.loop.draws import drawing
from softclust.sources.local import SAMPLE_ROWS
from softclust.sources.rows import keys_of

_TRIES = 3  # hard partitions, of which the tightest counts
_FAR = 4.0  # squared distances above this many medians count no more: they are of outliers
_ROUNDINGS = 8  # of a coordinate, by which the mean of equal rows may differ from them
# Of the covariance and the mean variance of all rows, for clusters without extent in some direction.
_SHARE_OF_ALL, _ROUND_SHARE = 1e-3, 1e-6


@dataclass(frozen=True)
class Pilot:
    """What a pilot partition tells."""

    within: np.ndarray  # (p, p) covariance within clusters
    row: float  # mean weight of a distinct row


def pilot(source: Any, c: int) -> Pilot:
    """Partition at most 20,000 rows into c hard clusters; the tightest of three partitions counts."""
    rng = np.random.default_rng(0)
    small = distinct(source.sample(SAMPLE_ROWS, rng).in_memory())
    points, weight = small.rows.points.astype(np.float64), small.rows.weights
    rounding = _ROUNDINGS * np.finfo(small.rows.X.dtype).eps
    draw = drawing("k-means++", small, min(c, len(points)), rng)
    found = []
    for _ in range(_TRIES):
        V = recipes.coarse_fit(small, Points(), (draw(),), Hard()).state.centers
        Z = points - V[cdist(points, V, "sqeuclidean").argmin(axis=1)]
        # A row that is a cluster of its own is on its centre, but for rounding.
        found.append(_scatter(np.where(np.abs(Z) > rounding * np.abs(points), Z, 0.0), weight))
    whole = _scatter(points - weight @ points / weight.sum(), weight)
    floor = _SHARE_OF_ALL * whole + _ROUND_SHARE * np.eye(len(whole)) * np.trace(whole) / len(whole)
    return Pilot(min(found, key=np.trace) + floor, mean_weight(small))


def distinct(source: Any) -> Any:
    """The distinct rows in memory that weigh something, in the order of their keys; copies add up."""
    rows = source.rows
    _, first, inverse = np.unique(keys_of(rows.points), return_index=True, return_inverse=True)
    weight = np.bincount(inverse, rows.weights)
    some = weight > 0
    return replace(source, rows=replace(rows.take(first[some]), weight=weight[some], known=None))


def mean_weight(source: Any) -> float:
    """The mean weight of distinct rows."""
    return source.rows.total_weight / len(source)


def _scatter(Z: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """The mean of z z' (p, p), where long z are shortened."""
    squares = np.einsum("ij,ij->i", Z, Z)
    order = np.argsort(squares, kind="stable")
    median = squares[order[np.searchsorted(np.cumsum(weight[order]), 0.5 * (1 - 1e-12) * weight.sum())]]
    near = weight / np.maximum(1.0, squares / (_FAR * median)) if median > 0 else weight
    return (near[:, None] * Z).T @ Z / weight.sum()
