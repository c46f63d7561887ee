"""The anchor graph: rows are near each other if they share anchors (Liu, He & Chang 2010).

Z holds the memberships of each row in its nearest anchors.  All that label spreading needs of the rows are
the sums Z'Z and Z'1, and Z of the labelled rows.  The sums add, so rows may be anywhere.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from scipy.spatial.distance import cdist

from softclust.estimators.anchors import Anchors, Sparse
from softclust.grammar.partitions import Members
from softclust.sources.rows import Rows
from softclust.sources.units import Units
from softclust.values import Value

_RIDGE = 1e-6
_ROUNDING = 1e-14  # of the trace of Z'Z: a ridge below is lost in rounding
# Scores of a row sum to about 1.  Those of rows far from all labels are small and still tell the class, but
# below this sum the class shares have up to half of the say.
_LEAST_EVIDENCE = 1e-9
# The labels' own share counts like so many labels of each class.  With that share alone, 42 labels in 60
# from a class of a third of the rows, which scatters widely, put up to 60 % of the rows into that class;
# without it, one or two labels a class say too little of the rows near them.
_OWN_LABELS = 3.0
# Smooth scores are too cautious: squared probabilities have a lower Brier score (0.27 beside 0.29).
_SHARPNESS = 2.0


@dataclass(frozen=True)
class Sums:
    """The sums of label spreading over some rows: Z'WZ, Z'w, and Z of the labelled rows."""

    gram: np.ndarray
    mass: np.ndarray
    labelled: Sparse

    def __add__(self, other: Sums) -> Sums:
        return Sums(self.gram + other.gram, self.mass + other.mass, self.labelled + other.labelled)

    @property
    def laplacian(self) -> np.ndarray:
        """(k, k) reduced Laplacian Z'WZ - Z'WZ diag(1 / Z'w) Z'WZ."""
        inverse = 1 / np.where(self.mass > 0, self.mass, np.inf)
        return self.gram - (self.gram * inverse) @ self.gram


def anchor_sums(rows: Rows, anchors: Anchors) -> Sums:
    """Return the sums over a block of rows."""
    Z, weight = anchors.memberships(rows.points), rows.weights
    labelled = np.empty(0, np.intp) if rows.known is None else rows.known.rows
    return Sums(Z.gram(weight), weight @ Z.matrix, Z.take(labelled))


@dataclass(frozen=True)
class Spreader:
    """Spreads labels over the anchor graph in closed form.

    A = argmin sum_i w_i |z_i'A - y_i|^2 + gamma tr(A' L A) + ridge |A|^2 over the labelled rows i.
    """

    sums: Sums
    weight: np.ndarray  # (q,) of the labelled rows
    gamma: float
    centers: np.ndarray  # (k, p) of the anchors

    @cached_property
    def inverse(self) -> np.ndarray:
        """(k, k) inverse of Zl'WZl + gamma L + ridge I."""
        ridge = max(_RIDGE, _ROUNDING * float(np.trace(self.sums.gram)))
        told = self.sums.labelled.gram(self.weight)
        return np.linalg.inv(told + self.gamma * self.sums.laplacian + ridge * np.eye(len(told)))

    def spread(self, Y: np.ndarray) -> Scores:
        """Return the scores of the anchors for the degrees `Y` (q, c) of the labelled rows.

        Each column is multiplied so that the mean score of a class over all rows is its share.
        """
        told = self.sums.labelled.matrix.T @ (self.weight[:, None] * Y)
        wanted = self._shares(self.weight @ Y / self.weight.sum(), told)
        A = self.inverse @ told
        found = self.sums.mass @ A / self.sums.mass.sum()
        factor = np.where(found > 0, wanted / np.where(found > 0, found, 1.0), 1.0)
        return Scores(A * factor, factor, wanted)

    def _shares(self, of_labels: np.ndarray, told: np.ndarray) -> np.ndarray:
        """Return the share of each class: its share of the labels, and ever more of the rows near them.

        `told` (k, c) are the labels at each anchor, and an anchor without a label counts by the nearest one
        that has some.  The labels alone would mislead if they were not drawn by lot: whoever asks about
        doubtful rows hears most of the classes that scatter widely.
        """
        total = told.sum(axis=1)
        labelled = np.flatnonzero(total > 0)
        nearest = labelled[cdist(self.centers, self.centers[labelled], "sqeuclidean").argmin(axis=1)]
        of_rows = self.sums.mass @ (told / np.where(total > 0, total, 1.0)[:, None])[nearest]
        own = _OWN_LABELS * np.count_nonzero(of_labels)
        part = own / (own + self.weight.sum())
        return part * of_labels + (1 - part) * of_rows / self.sums.mass.sum()

    def left_out(self, Y: np.ndarray, scores: Scores) -> np.ndarray:
        """(q, c) scores of each labelled row without its own label: (f_i - h_i y_i) / (1 - h_i).

        h_i = w_i z_i' (Zl'WZl + gamma L + ridge I)^-1 z_i, as in every ridge regression.
        """
        leverage = (self.weight * self.sums.labelled.quadratic(self.inverse))[:, None]
        own = leverage * Y * scores.factor
        return (self.sums.labelled.dot(scores.anchors) - own) / np.maximum(1 - leverage, 1e-9)


class Scores(NamedTuple):
    """Scores (k, c) of the anchors, the factor of each class in them, and the share of each class."""

    anchors: np.ndarray
    factor: np.ndarray
    share: np.ndarray


def probabilities(scores: np.ndarray, share: np.ndarray) -> np.ndarray:
    """(n, c) scores clipped at 0 and divided by their sum; class shares for rows without any score."""
    P = np.maximum(scores, 0.0)
    total = P.sum(axis=1, keepdims=True)
    P = np.where(total > 0, P / np.where(total > 0, total, 1.0), share)
    doubt = 0.5 * _LEAST_EVIDENCE / (total + _LEAST_EVIDENCE)
    return (1 - doubt) * P + doubt * share


@dataclass(frozen=True)
class Graph(Value):
    """An anchor graph over which labels were spread: its anchors and their scores (k, c)."""

    anchors: Anchors
    scores: np.ndarray


@dataclass(frozen=True)
class FittedSpreading(Value):
    """All that a prediction needs: units, graphs, and the share of each class among the labels."""

    units: Units
    graphs: tuple[Graph, ...]
    share: np.ndarray  # (c,)

    @property
    def without_links(self) -> FittedSpreading:
        """This value itself: label spreading knows of no pairs."""
        return self

    def probabilities(self, points: np.ndarray) -> np.ndarray:
        """(n, c) mean of the probabilities that the graphs give to points in loop units."""
        total = np.zeros((len(points), len(self.share)))
        for graph in self.graphs:
            total += probabilities(graph.anchors.memberships(points).dot(graph.scores), self.share)
        return total / len(self.graphs)

    def members(self, source: Any) -> Members:
        """Probabilities and labels of each row in memory."""
        n, c, dtype = len(source), len(self.share), source.rows.X.dtype
        out = Members(np.empty((n, c), dtype), np.empty((0, c), dtype), np.empty(n, np.int32), np.empty(0))
        source.fill(_fill_members, out, self)
        return out

    def distances(self, source: Any) -> np.ndarray:
        """(n, k) distances of each row to each anchor of the first graph, in the units of the data."""
        centers = self.graphs[0].anchors.centers
        out = _Distances(np.empty((len(source), len(centers)), source.rows.X.dtype))
        source.fill(_fill_distances, out, centers)
        return out.distances


class _Distances(NamedTuple):
    distances: np.ndarray


def _fill_members(rows: Rows, out: Members, fitted: FittedSpreading) -> None:
    P = fitted.probabilities(rows.points) ** _SHARPNESS
    out.memberships[...] = P / P.sum(axis=1, keepdims=True)
    out.labels[...] = out.memberships.argmax(axis=1)


def _fill_distances(rows: Rows, out: _Distances, centers: np.ndarray) -> None:
    out.distances[...] = cdist(rows.points.astype(np.float64), centers) / rows.units.factor
