"""k-medoids: clusters around rows of the data."""

from __future__ import annotations

from dataclasses import dataclass, field
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_array, check_random_state
from sklearn.utils.validation import validate_data

from softclust.compat.numpy import usual_arithmetic
from softclust.compat.sklearn import Interval, InvalidParameterError, StrOptions, checks_parameters
from softclust.errors import warn
from softclust.estimators.medoid_predictions import AS_FLOATS, MedoidPredictions, loss_of
from softclust.estimators.readout import members
from softclust.knowledge.sample_weight import check_weight
from softclust.medoids.inputs import (
    candidates,
    check_entries,
    completed,
    given_medoids,
    paid,
)
from softclust.medoids.metrics import metric_for
from softclust.medoids.search import Found, Search, clara, clarans, scaled
from softclust.medoids.spaces import Matrix, RemoteVectors, Vectors
from softclust.sources import is_remote, meta_of, n_threads, remote_rows
from softclust.sources.files import is_file
from softclust.sources.local import SAMPLE_BYTES

_COUNT = Interval(Integral, 1, None, closed="left")
# Those of sklearn.metrics.pairwise_distances, which would take a quarter of a second to load.
_METRICS = {
    "braycurtis", "canberra", "chebyshev", "cityblock", "correlation", "cosine", "dice", "euclidean",
    "hamming", "haversine", "jaccard", "l1", "l2", "mahalanobis", "manhattan", "minkowski", "nan_euclidean",
    "precomputed", "rogerstanimoto", "russellrao", "seuclidean", "sokalsneath", "sqeuclidean", "yule",
}  # fmt: skip
_LEAST_SAMPLE = 2000


@dataclass(eq=False, repr=False, kw_only=True)
class KMedoids(MedoidPredictions, ClusterMixin, BaseEstimator):
    """k-medoids: each row belongs to the nearest of `n_clusters` rows, for any distance.

    Minimises L = sum_i w_i min_k d(x_i, m_k) over medoids m_k that are rows of X, by swaps of a medoid
    for another row (Kaufman & Rousseeuw 1990).

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters, k.
    method : {"pam", "clara", "clarans"}, default="pam"
        "pam": FasterPAM (Schubert & Rousseeuw 2021), on all n^2 distances; no single swap lowers L in the
        end.  "clara": PAM on samples of `sampling_size` rows, of which the best for all rows is kept; for
        data whose n^2 distances have no room.  "clarans": swaps with random rows (Ng & Han 2002), in
        memory for k n distances.
    metric : str or callable, default="euclidean"
        A metric of `sklearn.metrics.pairwise_distances`, a function of two rows (taken to be symmetric), or
        "precomputed": X holds the distances, X[i, j] >= 0 being what row i pays if row j is its medoid.
        They need not be symmetric, nor be 0 on the diagonal, nor fulfil the triangle inequality.
        "euclidean", "sqeuclidean", "manhattan" and "cosine" are compiled.
    metric_params : dict, default=None
        Further arguments of the metric.
    init : {"build", "lab", "random"} or array-like of shape (n_clusters,), default="build"
        Where the medoids start.  "build": one after the other, each the row that lowers L most.  "lab":
        the same, judged by 10 + sqrt(n) rows each time.  "random": any rows.  An array: these rows.
        CLARANS, which never sees all distances, takes "build" for "random".
    n_init : int, default=1
        Starts by chance ("lab", "random") of which PAM keeps the best, in CLARA for each sample.
    max_iter : int, default=300
        Most passes; in a pass every row is tried once as a medoid.
    n_samplings : int, default=5
        Samples of CLARA; each but the first contains the best medoids so far.
    sampling_size : int, default=None
        Rows of a sample of CLARA, at least `n_clusters`; from n on the result is that of PAM.  None:
        max(2000, 80 + 4 k).
    max_neighbours : int, default=None
        Swaps in a row that CLARANS tries in vain before it stops.  None: max(250, 1.25 % of k (n - k)).
        From k (n - k) on no single swap lowers L in the end.
    n_local : int, default=2
        Starts of CLARANS, of which it keeps the best.
    random_state : int, RandomState instance or None, default=None
        Determines starts by chance, samples and the order of candidates.
    n_jobs : int, default=None
        Threads that find distances.  None is all cores (or OMP_NUM_THREADS); the result has the same bits
        for any.

    Attributes
    ----------
    medoid_indices_ : ndarray of shape (n_clusters,)
        The medoids, as positions of rows.
    cluster_centers_ : ndarray of shape (n_clusters, n_features) or None
        The medoids; None where distances were given.
    labels_ : ndarray of shape (n_samples,)
        Nearest medoid of each row, 0..k-1; the first of equals.
    memberships_ : ndarray of shape (n_samples, n_clusters)
        1 in the cluster of a row, else 0.
    inertia_ : float
        L.
    objective_ : float
        L too.
    n_iter_ : int
        Passes of the search that won.
    converged_ : bool
        Whether it came to rest within `max_iter`.
    n_clusters_ : int
        Number of clusters.

    References
    ----------
    .. [1] Kaufman & Rousseeuw (1990), Finding groups in data: an introduction to cluster analysis.
    .. [2] Schubert & Rousseeuw (2021), Fast and eager k-medoids clustering.
    .. [3] Ng & Han (2002), CLARANS: a method for clustering objects for spatial data mining.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from softclust import KMedoids
    >>> model = KMedoids(n_clusters=3).fit(load_iris().data)
    >>> print(model.medoid_indices_, round(model.inertia_, 2))
    [ 78   7 112] 98.13
    """

    n_clusters: int = field(default=8, kw_only=False)
    method: str = "pam"
    metric: Any = "euclidean"
    metric_params: dict[str, Any] | None = None
    init: Any = "build"
    n_init: int = 1
    max_iter: int = 300
    n_samplings: int = 5
    sampling_size: int | None = None
    max_neighbours: int | None = None
    n_local: int = 2
    random_state: Any = None
    n_jobs: int | None = None

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_clusters": [_COUNT],
        "method": [StrOptions({"pam", "clara", "clarans"})],
        "metric": [StrOptions(_METRICS), callable],
        "metric_params": [dict, None],
        "init": [StrOptions({"build", "lab", "random"}), "array-like"],
        "n_init": [_COUNT],
        "max_iter": [_COUNT],
        "n_samplings": [_COUNT],
        "sampling_size": [None, _COUNT],
        "max_neighbours": [None, _COUNT],
        "n_local": [_COUNT],
        "random_state": ["random_state"],
        "n_jobs": [None, _COUNT, Interval(Integral, None, -1, closed="right")],
    }

    # ------------------------------------------------------------------ fit
    @checks_parameters
    @usual_arithmetic
    def fit(
        self,
        X: Any,
        y: Any = None,
        *,
        sample_weight: Any = None,
        must_link: Any = None,
        cannot_link: Any = None,
    ) -> Any:
        """Find the medoids of X.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), or (n_samples, n_samples) for "precomputed"
            The rows, or their distances.  float32 stays float32.  A matrix of distances is not copied if
            it is symmetric or in Fortran order.
        y : ignored
            There by convention.
        sample_weight : array-like of shape (n_samples,), default=None
            How many rows each row stands for; 0 leaves a row out.
        must_link, cannot_link : None
            Medoids know of no pairs.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        if must_link is not None or cannot_link is not None:
            raise InvalidParameterError(
                "KMedoids takes no must_link and cannot_link: each row goes to its nearest medoid. "
                "HardCMeans, FuzzyCMeans, EvidentialCMeans and GaussianMixture take them."
            )
        rows = self._rows(X)
        n, k = len(rows), self.n_clusters
        weight = check_weight(sample_weight, n)
        if n < k:
            raise ValueError(f"n_samples={n} should be >= n_clusters={k}.")
        init = given_medoids(self.init, k, n, weight)
        space = self._space(rows)
        merges = not self._is_given() and self._by_chance(
            init, n if weight is None else int(np.count_nonzero(weight))
        )
        pool, mass = candidates(rows, weight, k, merges)
        if pool is None:
            weighs = None if is_remote(rows) and mass is None else scaled(mass, n)
            found = self._solve(space, weighs, init)
            medoids = found.rows
        else:
            init = init if isinstance(init, str) else np.searchsorted(pool, init)
            found = self._solve(space.take(pool), scaled(mass, len(pool)), init)
            medoids = pool[found.rows]
        # n_features_in_, now that nothing was refused
        validate_data(self, meta_of(X) if is_remote(X) else X, skip_check_array=True)
        if is_remote(X):
            self._publish_remote(remote_rows(X) if not is_remote(rows) else rows, medoids, weight, found)
        else:
            self._publish(rows, space, medoids, weight, found)
        return self

    def _rows(self, X: Any) -> Any:
        """The rows, checked: an array, or remote rows if they are too many to be brought here."""
        if is_remote(X):
            remote = remote_rows(X)
            if self._is_given():
                raise ValueError("metric='precomputed' takes distances in memory; X is on a cluster.")
            if len(remote) * remote.n_features * remote.dtype.itemsize <= SAMPLE_BYTES:
                return remote[:]
            if self.method != "clara":
                raise ValueError(
                    f"method={self.method!r} needs all {len(remote)} rows in memory; "
                    "method='clara' does not."
                )
            return remote
        if is_file(X):
            raise ValueError(
                "KMedoids takes rows in memory or on a cluster, no paths and no functions; "
                "np.load(path, mmap_mode='r') or a dask collection would fit."
            )
        order = None if self._is_given() else "C"
        return check_array(X, estimator=self, input_name="X", order=order, **AS_FLOATS)

    def _by_chance(self, init: Any, n: int) -> bool:
        """Whether the result depends on chance."""
        if not isinstance(init, str):
            return False
        sampled = self.method == "clara" and self._sampling_size() < n
        return self.method == "clarans" or sampled or init != "build"

    def _sampling_size(self) -> int:
        k = self.n_clusters
        return max(_LEAST_SAMPLE, 80 + 4 * k) if self.sampling_size is None else self.sampling_size

    def _space(self, rows: Any) -> Any:
        """Where distances come from."""
        if self._is_given():
            return Matrix(paid(rows))
        if is_remote(rows):
            if self.metric in ("seuclidean", "mahalanobis") and not self.metric_params:
                raise ValueError(f"metric={self.metric!r} needs metric_params for rows on a cluster.")
            metric = metric_for(self.metric, dict(self.metric_params or {}), rows)
            return RemoteVectors(metric, rows, n_threads(self.n_jobs))
        check_entries(rows)
        metric = metric_for(self.metric, completed(self.metric, self.metric_params, rows), rows)
        return Vectors(metric, metric.prepare(rows), rows.dtype, n_threads(self.n_jobs))

    def _solve(self, space: Any, weight: Any, init: Any) -> Found:
        """Search for medoids by the method that was asked for."""
        n, k = len(space), self.n_clusters
        rng = np.random.default_rng(check_random_state(self.random_state).randint(2**31 - 1))
        search = Search(k, init, self.n_init, self.max_iter)
        if self.method == "clara":
            if self._sampling_size() < k:
                raise ValueError(f"sampling_size={self.sampling_size} should be >= n_clusters={k}.")
            if is_remote(getattr(space, "X", None)) and self._sampling_size() >= n:
                raise ValueError(f"sampling_size={self.sampling_size} takes all {n} rows; fewer would fit.")
            return clara(space, weight, search, self.n_samplings, self._sampling_size(), rng)
        if self.method == "clarans":
            most = self.max_neighbours or max(250, int(0.0125 * k * (n - k)))
            return clarans(space, weight, search, most, self.n_local, rng)
        return search.run(space, weight, rng)

    def _publish(self, rows: Any, space: Any, medoids: np.ndarray, weight: Any, found: Found) -> None:
        """Set the fitted attributes: this, `_publish_remote` and `_publish_end` alone write on self."""
        self.labels_, least = space.nearest(medoids)
        self.medoid_indices_, self.n_clusters_ = medoids, len(medoids)
        if self._is_given():
            self.cluster_centers_ = None
        else:
            self.cluster_centers_ = rows[medoids]
            self._metric_parameters = getattr(space.metric, "parameters", {})
            least = space.metric.to_data(least)
        self.inertia_ = self.objective_ = loss_of(least, weight)
        distinct = len(np.unique(self.labels_ if weight is None else self.labels_[weight > 0]))
        self._publish_end(found, distinct)

    def _publish_remote(self, rows: Any, medoids: np.ndarray, weight: Any, found: Found) -> None:
        """The same of rows on a cluster: labels are lazy."""
        self.medoid_indices_, self.n_clusters_ = medoids, len(medoids)
        self.cluster_centers_ = rows[medoids]
        self._metric_parameters = dict(self.metric_params or {})
        metric = metric_for(self.metric, self._metric_parameters, rows)
        loss, sizes = RemoteVectors(metric, rows).tally(medoids, weight)
        self.inertia_ = self.objective_ = float(metric.to_data(loss))
        self.labels_ = self._source_of(rows).rowwise(members, self._fitted).labels
        self._publish_end(found, int((sizes > 0).sum()))

    def _publish_end(self, found: Found, distinct: int) -> None:
        self.n_iter_ = found.n_iter
        self.converged_ = found.converged
        if not found.converged:
            warn(
                f"The last of max_iter={self.max_iter} passes still swapped medoids; "
                "the loss may fall further.",
                ConvergenceWarning,
            )
        if distinct < self.n_clusters_:
            warn(
                f"Number of distinct clusters ({distinct}) found smaller than n_clusters "
                f"({self.n_clusters_}). Possibly due to duplicate points in X.",
                ConvergenceWarning,
            )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = tags.input_tags.positive_only = self._is_given()
        return tags
