"""What a report says is read once from a model and its rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from softclust.active.doubts import margin
from softclust.explanation import Explainer, RowNames, cluster_names, set_names, spoken_names
from softclust.explanation.names import feature_names_of
from softclust.report.findings import outliers_of

CLEAR = 0.8  # membership from which a row is clearly in its cluster
NEARLY = 0.5  # of the greatest membership: with so much in a second cluster a row is in doubt


@dataclass(frozen=True, eq=False)
class Facts:
    """A model and the rows of its fit, and what follows from both.

    Parameters
    ----------
    model : fitted softclust estimator
        The estimator.
    X : array-like of shape (n, p)
        The rows of the fit, as the model saw them.
    names : sequence of str or None
        Names of the features; None takes those of the fit.
    scaling : ndarray of shape (2, p) or None
        Means and deviations by which the rows were standardised.
    labels, classes : array-like of shape (n,) or None
        Labels that the fit was told, and classes by which it is judged.
    row_names : RowNames
        Names of the rows.
    """

    model: Any
    X: Any
    names: Sequence[str] | None = None
    scaling: Any = None
    labels: Any = None
    classes: Any = None
    row_names: RowNames = field(default_factory=RowNames)

    @cached_property
    def points(self) -> np.ndarray:
        """(n, p) the rows as the model saw them."""
        return np.asarray(self.X, dtype=np.float64)

    @cached_property
    def values(self) -> np.ndarray:
        """(n, p) the rows in original units."""
        if self.scaling is None:
            return self.points
        return self.points * self.scaling[1] + self.scaling[0]

    @cached_property
    def features(self) -> list[str]:
        """Names of the features."""
        return feature_names_of(self.model, self.names, self.points.shape[1])

    @cached_property
    def has_features(self) -> bool:
        """Whether columns are features, not distances to other rows."""
        return not (
            isinstance(metric := getattr(self.model, "metric", ""), str) and metric == "precomputed"
        )

    @cached_property
    def clusters(self) -> list[str]:
        """Names of the clusters as a sentence says them."""
        return spoken_names(cluster_names(self.model))

    @cached_property
    def per_class(self) -> int:
        """Number of clusters of each class; without classes 1."""
        return int(getattr(self.model, "clusters_per_class_", 1))

    @cached_property
    def class_names(self) -> list[str]:
        """Names of the classes: the first cluster of a class has its name."""
        return self.clusters[:: self.per_class]

    @cached_property
    def sets(self) -> list[str]:
        """Names of the sets of clusters that carry masses."""
        return set_names(cluster_names(self.model), self.model.focal_sets_)

    @cached_property
    def memberships(self) -> np.ndarray:
        """(n, c) memberships."""
        return np.asarray(self.model.memberships_, dtype=np.float64)

    @cached_property
    def own(self) -> np.ndarray:
        """(n,) the cluster of each row."""
        return np.asarray(self.model.labels_)

    @cached_property
    def first(self) -> np.ndarray:
        """(n,) the greatest membership of each row."""
        return self.memberships.max(axis=1)

    @cached_property
    def rivals(self) -> np.ndarray:
        """(n,) the second cluster of each row; of one cluster, that cluster."""
        rest = self.memberships.copy()
        rest[np.arange(len(rest)), self.memberships.argmax(axis=1)] = -1.0
        return rest.argmax(axis=1)

    @cached_property
    def second(self) -> np.ndarray:
        """(n,) the second greatest membership of each row; 0 for one cluster."""
        if self.memberships.shape[1] == 1:
            return np.zeros(len(self.memberships))
        return self.memberships[np.arange(len(self.own)), self.rivals]

    @cached_property
    def doubts(self) -> np.ndarray:
        """(n,) the doubt about each row."""
        return margin(self.memberships)

    @cached_property
    def is_hard(self) -> bool:
        """Whether every row is in one cluster alone."""
        return bool((self.first == 1).all())

    @cached_property
    def outlying(self) -> np.ndarray:
        """(n,) whether a row belongs to no cluster."""
        return np.asarray(outliers_of(self.model))

    @cached_property
    def scores(self) -> np.ndarray | None:
        """(n,) outlier scores, if the model has any."""
        scores = getattr(self.model, "outlier_scores_", None)
        return None if scores is None else np.asarray(scores, dtype=np.float64)

    @cached_property
    def typicalities(self) -> np.ndarray | None:
        """(n, c) typicalities, if the model has any."""
        found = getattr(self.model, "typicalities_", None)
        return None if found is None else np.asarray(found, dtype=np.float64)

    @cached_property
    def masses(self) -> np.ndarray | None:
        """(n, f) masses of sets of clusters, if the model has any."""
        found = getattr(self.model, "masses_", None)
        return None if found is None else np.asarray(found, dtype=np.float64)

    @cached_property
    def inside(self) -> np.ndarray:
        """(n, c) whether a row is in a cluster and no outlier."""
        return (self.own[:, None] == np.arange(len(self.clusters))) & ~self.outlying[:, None]

    @cached_property
    def counts(self) -> np.ndarray:
        """(c,) number of rows in each cluster, without outliers."""
        return self.inside.sum(axis=0)

    @cached_property
    def in_doubt(self) -> np.ndarray:
        """(n,) whether a second cluster has at least half of the greatest membership; no outliers."""
        return (self.second >= NEARLY * self.first) & ~self.outlying

    @cached_property
    def most_doubtful(self) -> np.ndarray:
        """All rows but outliers, the most doubtful first."""
        order = np.argsort(-self.doubts, kind="stable")
        return order[~self.outlying[order]]

    @cached_property
    def farthest(self) -> np.ndarray:
        """The outliers, the farthest first."""
        rows = np.flatnonzero(self.outlying)
        return rows if self.scores is None else rows[np.argsort(-self.scores[rows], kind="stable")]

    @cached_property
    def means(self) -> np.ndarray:
        """(c, p) mean of the rows of each cluster, in original units; NaN for a cluster without rows."""
        return np.array([_mean(self.values[rows]) for rows in self.inside.T])

    @cached_property
    def distinction(self) -> np.ndarray:
        """(c, p) by how many deviations within clusters the mean of a cluster differs from the other rows.

        0 for a cluster without rows, without other rows, and for a feature that never changes.
        """
        low, span = self.values.min(axis=0), np.ptp(self.values, axis=0)
        Z = (self.values - low) / np.where(span > 0, span, 1.0)  # squares of large values might overflow
        found = np.zeros((len(self.clusters), Z.shape[1]))
        within = sum((((Z[rows] - _mean(Z[rows])) ** 2).sum(axis=0) for rows in self.inside.T), 0.0)
        deviation = np.sqrt(within / max(int(self.counts.sum()), 1))
        deviation = np.maximum(deviation, 1e-6)  # a feature may separate clusters completely
        for k, rows in enumerate(self.inside.T):
            others = self.inside.any(axis=1) & ~rows
            if rows.any() and others.any():
                found[k] = (_mean(Z[rows]) - _mean(Z[others])) / deviation
        return found

    @cached_property
    def telling(self) -> np.ndarray:
        """The features in the order in which they tell clusters apart."""
        return np.argsort(-np.abs(self.distinction).max(axis=0), kind="stable")

    @cached_property
    def explainer(self) -> Explainer:
        """What explains single rows."""
        return Explainer(
            self.model,
            self.X,
            y=self.labels,
            feature_names=self.features,
            row_names=self.row_names,
            scaling=self.scaling,
            of_fit=True,
        )

    @cached_property
    def distances(self) -> np.ndarray | None:
        """(n, c) distances to the clusters; None if the model measures none."""
        if not hasattr(self.model, "cluster_centers_"):
            return None
        return np.asarray(self.model.transform(self.X), dtype=np.float64)

    def typical(self, k: int, count: int) -> np.ndarray:
        """Return the rows of cluster k that are nearest to it, or most in it."""
        rows = np.flatnonzero(self.inside[:, k])
        far = -self.memberships[rows, k] if self.distances is None else self.distances[rows, k]
        return rows[np.argsort(far, kind="stable")[:count]]


def _mean(rows: np.ndarray) -> np.ndarray:
    """Return the mean of rows, NaN if there are none."""
    return rows.mean(axis=0) if len(rows) else np.full(rows.shape[1], np.nan)
