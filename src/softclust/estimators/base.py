"""What a user calls first: the parameters that estimators share, `fit` and `partial_fit`."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from numbers import Integral, Real
from os import PathLike
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils import check_random_state
from sklearn.utils.metaestimators import available_if

from softclust.compat.numpy import usual_arithmetic
from softclust.compat.sklearn import Interval, StrOptions, checks_parameters
from softclust.estimators.callbacks import WithCallbacks, observed
from softclust.estimators.class_forms import per_class_of
from softclust.estimators.predictions import LoopPredictions
from softclust.estimators.publish import publish
from softclust.estimators.reading import Data, check_parameters, input_restored, read
from softclust.estimators.readout import Fitted
from softclust.estimators.sentence import Sentence, check_pairs_fit, solve
from softclust.grammar.prototypes import geometry_of
from softclust.knowledge.labels import labels_of_classes
from softclust.loop import recipes
from softclust.loop.acceleration import SCHEMES
from softclust.loop.checkpoint import Journal, default_digests, identity
from softclust.loop.draws import RULES
from softclust.loop.engine import Options
from softclust.loop.observers import Observers
from softclust.sources import is_remote, single_threaded_blas
from softclust.sources.rows import Rows

_LEAST_TOL = {np.dtype("f4"): 1e-6, np.dtype("f8"): 0.0}  # a float32 centre does not rest below


def _seed(random_state: Any) -> int:
    """A number drawn from what scikit-learn takes for chance."""
    return _seed_of(int(random_state)) if isinstance(random_state, Integral) else _drawn(random_state)


@lru_cache
def _seed_of(number: int) -> int:  # seeding a RandomState takes a twentieth of a small fit
    return _drawn(number)


def _drawn(random_state: Any) -> int:
    return int(check_random_state(random_state).randint(2**31 - 1))


def _is_additive(estimator: Any) -> bool:
    """Whether sums of rows that have gone by still tell where centres belong."""
    asked = vars(estimator)
    additive = geometry_of(estimator._geometry).is_additive
    return additive and asked.get("separation") is None and not asked.get("merge_coincident")


@dataclass(eq=False, repr=False, kw_only=True)
class SoftClusterer(LoopPredictions, WithCallbacks, ClusterMixin, BaseEstimator):
    """Base of the estimators that the loop fits.

    A family says its sentence in `_sentence`.  It may also say where it starts (`_start`), what is read out
    (`_readout`) and which attributes it has beside the shared ones (`_publish_more`).

    Parameters
    ----------
    n_clusters : int, default=3
        Number of clusters, c.  More classes than that in `y` raise it, with a warning.
    label_weight : float or "auto", default=1.0
        How many rows a labelled row stands for, on top of `sample_weight`: few labels then move the
        clusters of many rows.  "auto": 0.1 n / (c p_eff), within [1, 20], with n the weight of all rows
        and p_eff the number of directions in which they differ.
    clusters_per_class : int or "auto", default=1
        Number of clusters of each class in `y`, for classes that are no single cloud.  There are then
        `n_clusters` times as many clusters, and `classes_[k]` is the class of cluster k as ever.  "auto": 1
        or 3, whichever foresees the labels better when a fifth of them is left out, in ten fits more.
        Without labels it says nothing.
    init : {"k-means++", "k-means||", "random"}, array-like or callable, default="k-means++"
        Where the centres start.  An array of shape (n_clusters, n_features) is used as it is:
        cluster k starts at row k.  A callable gets (X, n_clusters, random_state=...).  Labels in `y`
        come first: their clusters start at the labelled means.  If scales come from an FCM run,
        that run starts here, and the model goes on from its end.
    n_init : int, default=3
        Number of starts that compete, on a sample of the rows if there are many; the best goes on.
    max_iter : int, default=300
        Most iterations of the loop.
    tol : float, default=1e-6
        Stop when no coordinate of a centre would move by more than this, in units of the data's
        spread (float32 data: at least 1e-6).
    acceleration : {"lbfgs", "anderson", "squarem"} or None, default="lbfgs"
        Extrapolate the iteration; a step is only taken if it lowers the objective.  Over 35 pairs of
        data and method, "lbfgs" took 0.25 of the plain passes, "anderson" 0.31 and "squarem" 0.35, and
        "lbfgs" never ended higher than the plain loop.  None is the loop as the papers print it.
    growing_samples : bool, default=True
        Whether drawn starts compete on a sample of 20,000 rows, which then grows fivefold
        until it is all of them, so that few passes see all rows.  False: all rows from the first pass.
    random_state : int, RandomState instance or None, default=None
        Determines the starts.
    n_jobs : int, default=None
        Threads.  None is all cores (or OMP_NUM_THREADS); the result has the same bits for any number.
    verbose : int, default=0
        Above 0, a line is printed for each iteration.
    checkpoint : path-like, default=None
        A file that keeps the fit while it runs: the same call, made again after a crash, goes on from
        there and ends in the same bits.  A file of other parameters or data is refused.

    Attributes
    ----------
    cluster_centers_ : ndarray of shape (n_clusters_, n_features)
        The centres.
    labels_ : ndarray of shape (n_samples,)
        Likeliest cluster of each row, 0..c-1, also for outliers.  Equal to `predict(X)`, except in
        rows with labels or pairs.
    memberships_ : ndarray of shape (n_samples, n_clusters_)
        Memberships; rows sum to 1 (of a credal partition the pignistic ones).  Labels and pairs of a
        row are in them.
    outlier_scores_ : ndarray of shape (n_samples,)
        0 for a row at a centre, towards 1 far from all.
    outlier_mask_ : ndarray of shape (n_samples,)
        Rows that belong to no cluster.
    scale_ : ndarray of shape (n_clusters_,)
        gamma_k: squared radius of each cluster.
    objective_ : float
        J at the centres.
    objective_history_ : ndarray
        J after each iteration, never rising.
    n_iter_ : int
        Iterations.
    converged_ : bool
        Whether the centres came to rest within `max_iter`.
    n_clusters_ : int
        Number of clusters found.
    n_samples_seen_ : int
        Rows that `fit`, and `partial_fit` since then, have seen.
    clusters_per_class_ : int
        Number of clusters of each class; 1 without labels.
    label_strength_ : float or None
        alpha, if labels were given.
    label_weight_ : float or None
        How many rows a labelled row stood for, if labels were given.
    unsatisfied_ : structured ndarray
        Labels and pairs that the fit did not honour, worst first.  `kind` "label": `row`, the cluster
        `wanted` and the one `found`, and the `shortfall` of the wanted one's membership (or typicality).
        "must-link" and "cannot-link": `row` and `other`, and as shortfall the chance that the pair is not
        as told.
    classes_ : ndarray of shape (n_clusters_,)
        The class of each cluster, None for clusters beyond the classes in `y`; without `y` 0..c-1.
    """

    n_clusters: int = field(default=3, kw_only=False)
    label_strength: Any = "auto"
    label_weight: float | str = 1.0
    clusters_per_class: int | str = 1
    init: Any = "k-means++"
    n_init: int = 3
    max_iter: int = 300
    tol: float = 1e-6
    acceleration: str | None = "lbfgs"
    growing_samples: bool = True
    random_state: Any = None
    n_jobs: int | None = None
    verbose: int = 0
    checkpoint: str | PathLike[str] | None = None

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_clusters": [Interval(Integral, 1, None, closed="left")],
        "label_strength": [Interval(Real, 0, None, closed="both"), StrOptions({"auto"}), "array-like"],
        "label_weight": [Interval(Real, 0, None, closed="neither"), StrOptions({"auto"})],
        "clusters_per_class": [Interval(Integral, 1, None, closed="left"), StrOptions({"auto"})],
        "init": [StrOptions(set(RULES)), callable, "array-like"],
        "n_init": [Interval(Integral, 1, None, closed="left")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
        "acceleration": [StrOptions(set(SCHEMES)), None],
        "growing_samples": ["boolean"],
        "random_state": ["random_state"],
        "n_jobs": [
            None,
            Interval(Integral, 1, None, closed="left"),
            Interval(Integral, None, -1, closed="right"),
        ],
        "verbose": ["verbose"],
        "checkpoint": [None, str, PathLike],
    }

    @classmethod
    @cache
    def _get_param_names(cls) -> list[str]:
        """As scikit-learn finds them, once: reading a signature takes a tenth of a small fit."""
        return super()._get_param_names()

    def _validate_params(self) -> None:
        check_parameters(self)

    # ------------------------------------------------------------------ what a family says
    @property
    def _geometry(self) -> Any:
        """The word for the shape of clusters: mixtures, which have no such parameter, are Gaussians."""
        return "gath-geva"

    def _sentence(self, data: Data) -> Sentence:
        """The sentence of the grammar that the parameters say about these rows."""
        raise NotImplementedError

    def _start(self, source: Any, data: Data, sentence: Sentence, rng: Any) -> recipes.Start:
        """Where the fit starts."""
        raise NotImplementedError

    def _readout(self, model: Any, state: Any, units: Any, width: Any = None) -> Fitted:
        """The value that predictions read; `width` is the natural scale in units of gamma_k, if known."""
        raise NotImplementedError

    def _publish_more(self, members: Any, outcome: recipes.Outcome) -> None:
        """Set the attributes of a family's own."""

    # ------------------------------------------------------------------ fit
    __metadata_request__fit: ClassVar = {
        "must_link": True,
        "cannot_link": True,
    }  # they flow through pipelines

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
        """Find the clusters of X.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The rows.  float32 stays float32; a C-contiguous array or memory map is not copied.  Or a dask
            array or dataframe; the path of a .npy or .parquet file, which is read from disk in each pass;
            a function without arguments that gives an iterator over blocks of rows.
        y : array-like of shape (n_samples,) or (n_samples, n_clusters), default=None
            Labels.  1-D: a class for each row; -1, None or NaN if its class is not known.  2-D: a
            degree in [0, 1] for each cluster, NaN where nothing is said; zeros and several ones mean
            "one of these", and ones alone say nothing.  Cluster k starts at the mean of the labelled rows
            of class `classes_[k]`, and rows pay for differing from their labels (`label_strength`).
        sample_weight : array-like of shape (n_samples,), default=None
            How many rows each row stands for; 0 leaves a row out.
        must_link, cannot_link : array-like of shape (n_pairs, 2) or (n_pairs, 3), or Pairs, default=None
            Pairs of row positions that belong together, and apart; a third column is the strength of
            each pair, by which `link_strength` is multiplied.  `Pairs` stay right where rows are sliced,
            as in cross-validation.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        known = {"sample_weight": sample_weight, "must_link": must_link, "cannot_link": cannot_link}
        metadata = {name: value for name, value in known.items() if value is not None}
        with observed(self, X, y, metadata) as observers, input_restored(self):
            per_class = per_class_of(self, X, y, known)
            data = read(self, X, y, **known, geometry=geometry_of(self._geometry), per_class=per_class)
            source, rows = data.source, data.source.rows
            seed = _seed(self.random_state)
            with single_threaded_blas(*rows.X.shape):
                sentence = self._sentence(data)
                check_pairs_fit(self, sentence, data)
                if self.checkpoint is not None:
                    seed = self._journal(source, {"y": y, **known}, seed, observers)
                rng, options = np.random.default_rng(seed), self._options(rows, observers)
                source, centre_rate = sentence.weighed(data)
                start = self._start(source, data, sentence, rng)
                outcome = solve(sentence, data, source, centre_rate, start, options, rng)
                publish(self, data, outcome, options)
        return self

    def _options(self, rows: Rows, observers: Observers) -> Options:
        """When the loop stops, and how it hurries."""
        tol = max(self.tol, _LEAST_TOL[rows.X.dtype]) * rows.units.spread
        return Options(self.max_iter, tol, self.acceleration, observers)

    def _journal(self, source: Any, known: dict[str, Any], seed: int, observers: Observers) -> int:
        """Keep the fit in a file, or go on from there; the number that seeds chance."""
        assert self.checkpoint is not None
        mine, defaults = identity(self, source, known), default_digests(type(self))
        journal = Journal(self.checkpoint, mine, seed, defaults)
        observers.add(journal)
        if is_remote(source.rows.X):
            source.rows.X.checkpoint = self.checkpoint
        return journal.seed

    @available_if(_is_additive)
    @checks_parameters
    @usual_arithmetic
    def partial_fit(self, X: Any, y: Any = None, *, sample_weight: Any = None) -> Any:
        """Go on with further rows; the first call is a fit.

        Rows of earlier calls count through their sums, with the influence that they had then, so one
        pass over a stream ends near the fit of all rows.  The units and, where there are any, the scales,
        the fixed metric and the bounds of metrics are those of the first rows; `labels_`, `memberships_`
        and the like are of the last.  Possibilistic centres move slowly from where the first rows put them:
        let those be many.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Further rows.
        y : array-like of shape (n_samples,) or (n_samples, n_clusters), default=None
            Their labels; classes are those of the first call.
        sample_weight : array-like of shape (n_samples,), default=None
            How many rows each row stands for.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        metadata = {} if sample_weight is None else {"sample_weight": sample_weight}
        if not hasattr(self, "_sums"):
            return self.fit(X, y, **metadata)
        with observed(self, X, y, metadata) as observers:
            source, fitted = self._source(X, sample_weight), self._fitted
            per_class = self.clusters_per_class_
            labels = labels_of_classes(y, len(source), self.classes_[::per_class])
            labels = labels and labels.split(per_class)
            data = Data(source, labels, None, self.n_clusters_, geometry_of(self._geometry))
            data = data.weighing(self.label_weight_ or self.label_weight)
            known, term = data.with_heavier_labels(source), None
            if labels is not None:
                known, term = self._sentence(data).labels(known, labels, fitted.model.frame)
            model = replace(fitted.model, labels=term, links=None)
            # J of rows that have gone by is not known, so nothing is extrapolated.
            options = replace(self._options(source.rows, observers), acceleration=None)
            outcome = recipes.go_on(model, known, fitted.state, self._sums, options)
            seen, classes = self.n_samples_seen_, self.classes_
            publish(self, data, outcome, options)
            self.n_samples_seen_, self.classes_ = seen + len(source), classes
        return self
