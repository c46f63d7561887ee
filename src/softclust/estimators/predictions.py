"""What a fitted estimator says of rows: the methods that every estimator of the loop has."""

from __future__ import annotations

from typing import Any

from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from softclust.compat.numpy import usual_arithmetic
from softclust.estimators import readout
from softclust.estimators.publish import objective_in_data_units
from softclust.estimators.reading import rows_of
from softclust.estimators.readout import Fitted
from softclust.grammar.sweep import sweep
from softclust.knowledge.sample_weight import check_total, check_weight
from softclust.sources import n_threads, source_of
from softclust.sources.rows import Rows


class Predictions(ClassNamePrefixFeaturesOutMixin, TransformerMixin):
    """Predictions and distances, all read from the one value `_fitted`."""

    _fitted: Any
    n_jobs: int | None
    n_clusters_: int
    labels_: Any
    fit: Any

    def _source(self, X: Any) -> Any:
        """New rows, checked, as a source."""
        raise NotImplementedError

    @usual_arithmetic
    def _members(self, X: Any) -> Any:
        """What the fitted state says of each row; lazy where X is."""
        return self._source(X).rowwise(readout.members, self._fitted)

    def fit_predict(
        self,
        X: Any,
        y: Any = None,
        *,
        sample_weight: Any = None,
        must_link: Any = None,
        cannot_link: Any = None,
    ) -> Any:
        """Fit, and return `labels_`.

        Parameters
        ----------
        X, y, sample_weight, must_link, cannot_link
            As in `fit`.

        Returns
        -------
        labels : ndarray of shape (n_samples,)
            The likeliest cluster of each row.
        """
        self.fit(X, y, sample_weight=sample_weight, must_link=must_link, cannot_link=cannot_link)
        return self.labels_

    def predict(self, X: Any) -> Any:
        """Predict the likeliest cluster of each row: the most typical one where there are typicalities.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The rows; labels and pairs of a fit are not known of them.

        Returns
        -------
        labels : ndarray of shape (n_samples,)
            Cluster numbers 0..c-1; a lazy dask array where X is one.
        """
        return self._members(X).labels

    def predict_proba(self, X: Any) -> Any:
        """Predict the memberships of each row.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        memberships : ndarray of shape (n_samples, n_clusters_)
            Rows sum to 1; typicalities are divided by their row sum.
        """
        return self._members(X).memberships

    @usual_arithmetic
    def transform(self, X: Any) -> Any:
        """Measure the distance of each row to each cluster.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        distances : ndarray of shape (n_samples, n_clusters_)
            In the units of the data where the geometry's distances have a unit.
        """
        return self._source(X).rowwise(readout.distances, self._fitted)

    @property
    def _n_features_out(self) -> int:
        return self.n_clusters_


class LoopPredictions(Predictions):
    """What the estimators of the loop say beside that: outliers, and the objective of new rows."""

    _fitted: Fitted
    n_samples_seen_: int
    classes_: Any

    def _source(self, X: Any, sample_weight: Any = None) -> Any:
        """New rows, checked, in the units of the fit."""
        check_is_fitted(self)
        X = rows_of(self, X, reset=False)
        weight = None if sample_weight is None else check_weight(sample_weight, len(X))
        check_total(weight, X.dtype)
        return source_of(Rows(X, self._fitted.units, weight), n_threads(self.n_jobs))

    def outlier_score(self, X: Any) -> Any:
        """Score how far each row is from all clusters.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        scores : ndarray of shape (n_samples,)
            In [0, 1]: the noise membership with `noise_distance`, else 1 - the greatest typicality.
        """
        return self._members(X).scores

    def outlier_mask(self, X: Any) -> Any:
        """Tell which rows belong to no cluster, by the rule of `outlier_mask_`.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        mask : ndarray of bool of shape (n_samples,)
            True for outliers.
        """
        members = self._members(X)
        return self._fitted.outliers(members)

    @usual_arithmetic
    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """Score the fitted clusters on X by minus the objective J.

        Compare fits of one setting only: J falls as `m` or the number of clusters grows, whether or not the
        clusters are better.  To choose such parameters, use `softclust.select`, or
        `softclust.metrics.label_score` with some labels.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The rows.
        y : ignored
            There by convention.
        sample_weight : array-like of shape (n_samples,), default=None
            How many rows each row stands for.

        Returns
        -------
        score : float
            Minus the objective: greater is better.
        """
        source, fitted = self._source(X, sample_weight), self._fitted
        stats = source.reduce(sweep, fitted.model, fitted.state)
        objective = fitted.model.objective(fitted.state, stats)
        return -float(objective_in_data_units(objective, fitted.model, source.rows))
