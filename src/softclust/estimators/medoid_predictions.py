"""What fitted medoids say of rows: the methods of `KMedoids` after the fit."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted, validate_data

from softclust.compat.numpy import usual_arithmetic
from softclust.estimators.predictions import Predictions
from softclust.knowledge.sample_weight import check_weight
from softclust.medoids.fitted import FittedMedoids
from softclust.medoids.inputs import check_distances, check_entries
from softclust.sources import is_remote, meta_of, n_threads, remote_rows, source_of
from softclust.sources.rows import Rows
from softclust.sources.units import Units

AS_FLOATS: dict[str, Any] = {"dtype": [np.float64, np.float32], "ensure_all_finite": False}


class MedoidPredictions(Predictions):
    """Predictions, distances and scores of medoids.

    With metric="precomputed", X[i, j] is the distance of row i to row j of the fit in all of them.
    """

    metric: Any
    cluster_centers_: np.ndarray | None
    medoid_indices_: np.ndarray
    _metric_parameters: dict[str, Any]

    def _is_given(self) -> bool:
        """Whether X holds distances in place of rows."""
        return isinstance(self.metric, str) and self.metric == "precomputed"

    @property
    def _fitted(self) -> FittedMedoids:
        parameters = {} if self._is_given() else self._metric_parameters
        return FittedMedoids(self.metric, parameters, self.cluster_centers_)

    def _source_of(self, X: Any) -> Any:
        """Rows, or distances to the medoids, as a source."""
        return source_of(Rows(X, Units(1.0, np.zeros(1))), n_threads(self.n_jobs))

    def _source(self, X: Any) -> Any:
        """New rows, checked; if distances are given, those to the medoids."""
        check_is_fitted(self)
        if is_remote(X):
            validate_data(self, meta_of(X), skip_check_array=True, reset=False)
            return self._source_of(remote_rows(X))
        if not self._is_given():
            X = validate_data(self, X, reset=False, **AS_FLOATS, order="C")
            check_entries(X)
            return self._source_of(X)
        X = validate_data(self, X, reset=False, dtype=AS_FLOATS["dtype"])
        d = np.ascontiguousarray(X[:, self.medoid_indices_])
        check_distances(d, self.medoid_indices_)
        return self._source_of(d)

    def predict_proba(self, X: Any) -> Any:
        """Predict memberships, which are hard.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows as in `predict`.

        Returns
        -------
        memberships : ndarray of shape (n_samples, n_clusters_)
            1 in the cluster of the nearest medoid, else 0.
        """
        return self._indicators(self.predict(X))

    def _indicators(self, labels: Any) -> Any:
        centers = self.cluster_centers_
        dtype = centers.dtype if centers is not None and centers.dtype.kind == "f" else np.float64
        if not is_remote(labels):
            return np.eye(self.n_clusters_, dtype=dtype)[labels]
        return (labels[:, None] == np.arange(self.n_clusters_)).astype(dtype)

    @usual_arithmetic
    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """Score the fitted medoids on X by minus the loss.

        The loss falls as the number of clusters grows, whether or not the clusters are better; to choose
        the number, use `softclust.select`.

        Parameters
        ----------
        X, y, sample_weight
            Rows as in `predict`; `y` is ignored; how many rows each row stands for.

        Returns
        -------
        score : float
            Minus the loss: greater is better.
        """
        source = self._source(X)
        least = self._fitted.nearest(source)[1]
        return -loss_of(least, check_weight(sample_weight, len(least)))

    @property
    def memberships_(self) -> Any:
        """1 in the cluster of each row of the fit, else 0."""
        check_is_fitted(self)
        return self._indicators(self.labels_)


def loss_of(least: np.ndarray, weight: np.ndarray | None) -> float:
    """What all rows pay to their nearest medoid."""
    with np.errstate(over="ignore"):
        return float(least.sum() if weight is None else weight @ least)
