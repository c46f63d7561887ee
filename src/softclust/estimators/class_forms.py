"""Classes of several clusters: where they start, and whether labels are foreseen better with them."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone

from softclust.grammar.partitions import Hard
from softclust.grammar.prototypes import Points
from softclust.knowledge.labels import Labels, read_labels
from softclust.loop import recipes
from softclust.loop.draws import plus_plus
from softclust.sources import source_of
from softclust.sources.local import SAMPLE_ROWS

_FORMS = (1, 3)  # numbers of clusters of a class among which "auto" chooses
_FOLDS = 5
_ENOUGH = 10  # labels from which "auto" chooses; with fewer it takes the first form
_MOST_NEIGHBOURS = 2000  # most labelled rows that are compared with the others


def per_class_of(estimator: Any, X: Any, y: Any, known: dict[str, Any]) -> int:
    """Return the number of clusters of each class that `clusters_per_class` asks for."""
    asked = estimator.clusters_per_class
    if asked != "auto":
        return int(asked)
    n = len(X) if y is None else len(y)
    labels = None if y is None else read_labels(y, n)
    if labels is None or len(labels.rows) < _ENOUGH:
        return _FORMS[0]
    hits = {form: _foreseen(estimator, form, X, labels, n, known) for form in _FORMS}
    return max(_FORMS, key=lambda form: hits[form])  # of equals the first, the simplest


def _foreseen(
    estimator: Any, per_class: int, X: Any, labels: Labels, n: int, known: dict[str, Any]
) -> float:
    """Return the number of labels that a fit without them foresees; a fifth is left out in turn."""
    c = max(estimator.n_clusters, labels.degrees.shape[1])
    told = np.full((n, c), np.nan)
    told[labels.rows] = 0.0
    told[labels.rows, : labels.degrees.shape[1]] = labels.degrees
    alone = {"n_clusters": c, "clusters_per_class": per_class, "checkpoint": None, "verbose": 0}
    total = 0.0
    for fold in range(_FOLDS):
        left_out = labels.rows[fold::_FOLDS]
        y = told.copy()
        y[left_out] = np.nan
        model = clone(estimator).set_params(**alone).fit(X, y, **known)
        found = np.asarray(model.memberships_[left_out]) @ (model.classes_[:, None] == np.arange(c))
        total += np.nan_to_num(told)[left_out, found.argmax(axis=1)].sum()
    return float(total)


# ---------------------------------------------------------------------- where clusters of classes start
def class_means(source: Any, labels: Labels, c: int, rng: Any) -> np.ndarray:
    """(c, p) where the clusters of labelled classes start, in loop units; NaN without a label.

    A class of one cluster starts at the mean of its labelled rows.  One of several clusters starts at the
    means of a hard partition of the rows that are nearest to its labels, of a sample of at most 20,000.
    """
    V, k = labels.means(source.rows, c), labels.per_class
    if k == 1:
        return V
    small = source.sample(SAMPLE_ROWS, rng).in_memory()
    nearest = _nearest_class(small.rows.points.astype(np.float64), source.rows, labels)
    for first in range(0, labels.degrees.shape[1], k):
        V[first : first + k] = _parts(small, np.flatnonzero(nearest == first), k, rng)
    return V


def _nearest_class(points: np.ndarray, rows: Any, labels: Labels) -> np.ndarray:
    """(n,) the first column of the class of the nearest row whose label names one."""
    degrees = np.nan_to_num(labels.degrees)
    named = np.flatnonzero(degrees.max(axis=1) > 0)
    named = named[:: max(1, -(-len(named) // _MOST_NEIGHBOURS))]
    if not len(named):
        return np.full(len(points), -1)
    told = rows.take(labels.rows[named]).points.astype(np.float64)
    squares = np.einsum("ij,ij->i", told, told)
    blocks = range(0, len(points), 4096)
    near = [(squares - 2 * points[i : i + 4096] @ told.T).argmin(axis=1) for i in blocks]
    return degrees[named].argmax(axis=1)[np.concatenate(near)]


def _parts(small: Any, place: np.ndarray, k: int, rng: Any) -> np.ndarray:
    """(k, p) the means of a hard partition of these rows; NaN, to be drawn, if they are too few."""
    p = small.rows.X.shape[1]
    rows = small.rows.take(place)
    points, weight = rows.points.astype(np.float64), rows.weights
    if len(np.unique(points[weight > 0], axis=0)) < k:
        return np.full((k, p), np.nan)
    start = plus_plus(points, weight, np.empty((0, p)), k, rng)
    return recipes.coarse_fit(source_of(rows, 1), Points(), (start,), Hard()).state.centers
