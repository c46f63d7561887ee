"""What fitted medoids say of rows: the methods of `KMedoids` after the fit."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from softclust.knowledge.weights import check_weight
from softclust.medoids import fitted as readout
from softclust.medoids.fitted import FittedMedoids
from softclust.medoids.inputs import check_distances, check_entries
from softclust.sources import is_remote, meta_of, n_threads, remote_rows, source_of
from softclust.sources.rows import Rows
from softclust.sources.units import Units

AS_FLOATS: dict[str, Any] = {"dtype": [np.float64, np.float32], "ensure_all_finite": False}


class MedoidPredictions(ClassNamePrefixFeaturesOutMixin, TransformerMixin):
    """Predictions, distances and scores, all read from the one value `_fitted`."""

    metric: Any
    n_jobs: int | None
    n_clusters_: int
    cluster_centers_: np.ndarray | None
    medoid_indices_: np.ndarray
    labels_: Any
    _metric_parameters: dict[str, Any]

    def _is_given(self) -> bool:
        """Whether X holds distances in place of rows."""
        return isinstance(self.metric, str) and self.metric == "precomputed"

    @property
    def _fitted(self) -> FittedMedoids:
        parameters = {} if self._is_given() else self._metric_parameters
        return FittedMedoids(self.metric, parameters, self.cluster_centers_)

    def _source(self, X: Any) -> Any:
        """Checked rows, or distances to the medoids, as a source."""
        return source_of(Rows(X, Units(1.0, np.zeros(1))), n_threads(self.n_jobs))

    def _read(self, X: Any) -> Any:
        """New rows, checked; if distances are given, those to the medoids."""
        check_is_fitted(self)
        if is_remote(X):
            validate_data(self, meta_of(X), skip_check_array=True, reset=False)
            return self._source(remote_rows(X))
        if not self._is_given():
            X = validate_data(self, X, reset=False, **AS_FLOATS, order="C")
            check_entries(X)
            return self._source(X)
        X = validate_data(self, X, reset=False, dtype=AS_FLOATS["dtype"])
        d = np.ascontiguousarray(X[:, self.medoid_indices_])
        check_distances(d, self.medoid_indices_)
        return self._source(d)

    def predict(self, X: Any) -> Any:
        """Predict the nearest medoid of each row.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The rows; with "precomputed", X[i, j] is the distance of row i to row j of the fit.

        Returns
        -------
        labels : ndarray of shape (n_samples,)
            Cluster numbers 0..k-1; a lazy dask array where X is one.
        """
        return self._read(X).rowwise(readout.labels, self._fitted)

    def predict_proba(self, X: Any) -> Any:
        """Predict memberships: 1 in the cluster of each row, else 0.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The rows, as in `predict`.

        Returns
        -------
        memberships : ndarray of shape (n_samples, n_clusters_)
            Ones and zeros.
        """
        return self._indicators(self.predict(X))

    def _indicators(self, labels: Any) -> Any:
        centers = self.cluster_centers_
        dtype = centers.dtype if centers is not None and centers.dtype.kind == "f" else np.float64
        if not is_remote(labels):
            return np.eye(self.n_clusters_, dtype=dtype)[labels]
        return (labels[:, None] == np.arange(self.n_clusters_)).astype(dtype)

    def transform(self, X: Any) -> Any:
        """Measure the distance of each row to each medoid.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The rows, as in `predict`.

        Returns
        -------
        distances : ndarray of shape (n_samples, n_clusters_)
            Distances by `metric`.
        """
        return self._read(X).rowwise(readout.distances, self._fitted)

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """Score the fitted medoids on X.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The rows, as in `predict`.
        y : ignored
            There by convention.
        sample_weight : array-like of shape (n_samples,), default=None
            How many rows each row stands for.

        Returns
        -------
        score : float
            Minus the loss: greater is better.
        """
        source = self._read(X)
        least = self._fitted.nearest(source.rows.X, source.threads)[1]
        return -loss_of(least, check_weight(sample_weight, len(least)))

    @property
    def memberships_(self) -> Any:
        """1 in the cluster of each row of the fit, else 0."""
        check_is_fitted(self)
        return self._indicators(self.labels_)

    @property
    def _n_features_out(self) -> int:
        return self.n_clusters_


def loss_of(least: np.ndarray, weight: np.ndarray | None) -> float:
    with np.errstate(over="ignore"):
        return float(least.sum() if weight is None else weight @ least)
