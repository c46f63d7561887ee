"""Anchors: the centres of a fuzzy c-means with many clusters, and the memberships of rows in them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from scipy.sparse import csr_array
from scipy.spatial.distance import cdist

from softclust.grammar.partitions import Fuzzy
from softclust.grammar.prototypes import Points
from softclust.loop.draws import plus_plus
from softclust.loop.recipes import coarse_fit
from softclust.sources.rows import Rows
from softclust.sources.spread import effective_dimension
from softclust.sources.units import Units
from softclust.values import Value

_CHUNK = 1024  # rows whose distances to all anchors are in memory at a time
_MOST_ANCHORS = 400
_ANCHORS_A_CLASS = 40
_ROWS_AN_ANCHOR = 5
_ITERATIONS = 10  # of the fuzzy c-means: 50 took twice as long on the digits and gave no better labels


@dataclass(frozen=True)
class Anchors(Value):
    """Anchors, the exponent of memberships, and the number of anchors that a row has.

    Distances are |x - v|^2 in loop units, or |x - v|^2 + |G'(x - v)|^2 with further axes G.
    """

    centers: np.ndarray  # (k, p), or (k, p + r) with r axes
    m: float
    nearest: int = 3
    axes: np.ndarray | None = None  # (p, r)

    def memberships(self, points: np.ndarray) -> Sparse:
        """Return Z: the greatest memberships u_ik = d_ik^(-1/(m-1)) of each row, divided by their sum.

        Each row is computed by itself, so that its bits do not depend on other rows.
        """
        s, k = min(self.nearest, len(self.centers)), len(self.centers)
        places, shares = np.empty((len(points), s), np.intp), np.empty((len(points), s))
        for start in range(0, len(points), _CHUNK):
            part = slice(start, start + _CHUNK)
            squares = cdist(with_axes(points[part], self.axes), self.centers, "sqeuclidean")
            near, d = _least(squares, s)
            ratio = np.where(d > 0, d[:, :1] / np.where(d > 0, d, 1.0), 1.0)
            u = ratio ** (1 / (self.m - 1))
            places[part], shares[part] = near, u / u.sum(axis=1, keepdims=True)
        return Sparse(places, shares, k)


def _least(squares: np.ndarray, s: int) -> tuple[np.ndarray, np.ndarray]:
    """Return positions and values of the s least entries of each row, rising; `squares` is overwritten.

    A few searches for the least entry take a quarter of the time of NumPy's partial sort.
    """
    rows = np.arange(len(squares))
    places, least = np.empty((len(rows), s), np.intp), np.empty((len(rows), s))
    for j in range(s):
        places[:, j] = found = squares.argmin(axis=1)
        least[:, j] = squares[rows, found]
        squares[rows, found] = np.inf
    return places, least


def with_axes(points: np.ndarray, axes: np.ndarray | None) -> np.ndarray:
    """Return the points with their coordinates along the axes as further columns.

    The sum goes feature by feature: BLAS would let the bits of a row depend on other rows.
    """
    points = points.astype(np.float64)
    if axes is None:
        return points
    along = np.zeros((len(points), axes.shape[1]))
    for x, axis in zip(points.T, axes, strict=True):
        along += x[:, None] * axis
    return np.hstack([points, along])


@dataclass(frozen=True)
class Sparse:
    """Rows of Z by their entries: columns (n, s) and values (n, s); `+` puts rows below each other."""

    places: np.ndarray
    shares: np.ndarray
    width: int

    def __add__(self, other: Sparse) -> Sparse:
        places = np.concatenate([self.places, other.places])
        return Sparse(places, np.concatenate([self.shares, other.shares]), self.width)

    def take(self, rows: np.ndarray) -> Sparse:
        """Return some of the rows."""
        return Sparse(self.places[rows], self.shares[rows], self.width)

    @cached_property
    def matrix(self) -> csr_array:
        """Z as a sparse matrix."""
        n, s = self.places.shape
        ends = np.arange(0, n * s + 1, s)
        return csr_array((self.shares.ravel(), self.places.ravel(), ends), shape=(n, self.width))

    def gram(self, weight: np.ndarray) -> np.ndarray:
        """(k, k) Z' diag(weight) Z."""
        return (self.matrix.T @ (self.matrix * weight[:, None])).toarray()

    def dot(self, A: np.ndarray) -> np.ndarray:
        """(n, c) Z A, anchor by anchor: BLAS would let the bits of a row depend on other rows."""
        out = np.zeros((len(self.places), A.shape[1]))
        for place, share in zip(self.places.T, self.shares.T, strict=True):
            out += share[:, None] * A[place]
        return out

    def quadratic(self, B: np.ndarray) -> np.ndarray:
        """(n,) z_i' B z_i for each row."""
        blocks = B[self.places[:, :, None], self.places[:, None, :]]
        return np.einsum("ia,iab,ib->i", self.shares, blocks, self.shares)


def most_anchors(small: Any, c: int) -> int:
    """Return the number of anchors for c classes among rows in memory; copies of a row count as one."""
    distinct = len(_distinct(small.rows)[0])
    most = min(_ANCHORS_A_CLASS * c, distinct // _ROWS_AN_ANCHOR, _MOST_ANCHORS)
    return max(most, min(2 * c, distinct))


def find_anchors(
    small: Any, k: int, m: float | None, nearest: int, axes: np.ndarray | None, rng: np.random.Generator
) -> Anchors:
    """Return the centres of a quick fuzzy c-means of rows in memory, with further axes if there are any.

    Without an exponent m, it is 1 + 4/p_eff: in many directions distances differ little, and a greater
    exponent would share each row equally among all anchors.
    """
    if k > len(small):
        raise ValueError(f"n_anchors={k} exceeds the {len(small)} rows among which anchors are placed.")
    points, mass = _distinct(small.rows)
    if axes is not None:
        X = with_axes(small.rows.points, axes)
        small = replace(small, rows=Rows(X, Units(1.0, np.zeros(X.shape[1])), small.rows.weight))
    m = 1 + 4 / effective_dimension(small) if m is None else m
    start = plus_plus(with_axes(points, axes), mass, np.empty((0, small.rows.X.shape[1])), k, rng)
    centers = coarse_fit(small, Points(), (start,), Fuzzy(m), max_iter=_ITERATIONS).state.centers
    return Anchors(centers, m, nearest, axes)


def _distinct(rows: Rows) -> tuple[np.ndarray, np.ndarray]:
    """Return the distinct points that count, in an order of their own, and their weights.

    So neither copies of rows nor their order change where the anchors start.
    """
    counts = rows.weights > 0
    points, place = np.unique(rows.points[counts].astype(np.float64), axis=0, return_inverse=True)
    mass = np.bincount(place.ravel(), rows.weights[counts])
    return points, mass / mass.max()
