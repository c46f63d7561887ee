"""Spread of rows: variances, covariance and range of the features, from sums over blocks; in loop units."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from softclust.sources.columns import column_range
from softclust.sources.local import SAMPLE_ROWS

if TYPE_CHECKING:
    from softclust.sources import Source
    from softclust.sources.rows import Rows

ALL_ALIKE = 1e-22  # the variance of rows that are all alike: precisions of their clusters have a float32


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


_DIRECTION_ROWS = 5_000  # tell the directions of millions: p_eff = 100 to 2 %


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
    return np.sqrt(np.maximum(values, max(1e-9 * values.max(), ALL_ALIKE)))


def greatest_extent(source: Source) -> float:
    """Return the greatest range of a feature, above 0."""
    return max(float(extents(source).max()), 1e-100)


def log_uniform_density(source: Source) -> float:
    """Return the logarithm of 1/volume of the box around the rows."""
    extent = extents(source)
    return -float(np.log(np.maximum(extent, 1e-6 * max(extent.max(), 1e-200))).sum())


def middling_square(source: Source) -> float:
    """Return the median squared distance from the spatial median of at most 20,000 rows, above 0.

    The spatial median (Weiszfeld's iteration) turns with the data, and no outlier moves it far.
    """
    points, weight = _sampled_points(source)
    squares = _squared_lengths(points - _spatial_median(points, weight))
    order = np.argsort(squares)
    # A little less than half: where a sum of weights is half of all but for rounding, it counts as half.
    half = np.searchsorted(np.cumsum(weight[order]), 0.5 * (1 - 1e-12) * weight.sum())
    return float(squares[order[half]]) or float(weight @ squares / weight.sum()) or 1.0


def effective_dimension(source: Source) -> float:
    """Return p_eff = 1 / tr(F^2) in [1, p], the number of directions in which the rows spread.

    F is the mean of z z' / |z|^2 over at most 5,000 rows, with z the gap of a row from their spatial
    median; F has the trace 1.  Rows count by their weight, and rows at the median do not count.  p_eff is p
    for round clouds and 1 for rows on a line; no outlier counts for more than another row.
    """
    points, weight = _sampled_points(source, _DIRECTION_ROWS)
    Z = points - _spatial_median(points, weight, 1e-2)  # p_eff hardly depends on it
    size = np.abs(Z).max(axis=1, keepdims=True)  # before squares, which might overflow or vanish
    Z /= np.where(size > 0, size, 1.0)
    squares = _squared_lengths(Z)
    weight = np.where(squares > 0, weight, 0.0)
    total = weight.sum()
    if not total > 0:  # all rows are in one place
        return 1.0
    Z *= np.sqrt(weight / (total * np.where(squares > 0, squares, 1.0)))[:, None]
    F = Z.T @ Z if Z.shape[1] <= len(Z) else Z @ Z.T  # both have the same tr(F^2)
    return float(np.clip(1 / np.square(F).sum(), 1.0, points.shape[1]))


def _sampled_points(source: Source, most: int = SAMPLE_ROWS) -> tuple[np.ndarray, np.ndarray]:
    """Return the points and weights of at most `most` rows that count; the greatest weight is 1."""
    rows = source.sample(most, np.random.default_rng(0)).in_memory().rows
    points, weight = rows.points.astype(np.float64), np.ones(len(rows))
    if rows.weight is not None:
        counts = rows.weight > 0
        points, weight = points[counts], rows.weight[counts] / rows.weight.max()
    return points, weight


def _spatial_median(points: np.ndarray, weight: np.ndarray, tol: float = 1e-4) -> np.ndarray:
    """Return the point with the least sum of distances to the weighted points, to `tol` of a distance.

    That distance is the harmonic mean, which no outlier makes great.
    """
    centre = weight @ points / weight.sum()
    for _ in range(100):
        distance = np.sqrt(_squared_lengths(points - centre))
        pull = weight / np.maximum(distance, 1e-9 * distance.max() + 1e-150)
        before, centre = centre, pull @ points / pull.sum()
        if np.abs(centre - before).max() <= tol * weight.sum() / pull.sum():
            break
    return centre


def _squared_lengths(gaps: np.ndarray) -> np.ndarray:
    return np.einsum("ij,ij->i", gaps, gaps)
