"""What all estimators share: input, the fit from a sentence, and the read-outs."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace
from functools import cache, lru_cache
from numbers import Integral, Real
from os import PathLike
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    ClusterMixin,
    TransformerMixin,
    _fit_context,
    clone,
)
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, InvalidParameterError, StrOptions
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from softclust.errors import ConstraintConflictError, warn
from softclust.estimators import geometry
from softclust.estimators.callbacks import Watched, watched
from softclust.estimators.diagnosis import warn_of_trouble
from softclust.estimators.reading import OF_THE_INPUT, check_parameters, rows_of
from softclust.grammar.frame import Frame
from softclust.grammar.model import Model
from softclust.grammar.partitions import Hard, Members
from softclust.grammar.prototypes import Ellipsoids, Gaussians, Points, RadialShells, Shells
from softclust.grammar.separation import CentralDistance, Repulsion
from softclust.grammar.state import State
from softclust.grammar.sweep import assign, sweep
from softclust.knowledge.labels import check_labels, check_strength, labels_of_classes, reliable_strength
from softclust.knowledge.pairs import check_pairs, conflict
from softclust.knowledge.penalties import LabelLikelihood, LabelPenalty, LinkPenalty
from softclust.knowledge.unsatisfied import unsatisfied, unsatisfied_pairs, worst_first
from softclust.knowledge.weights import check_weight
from softclust.loop import recipes
from softclust.loop.acceleration import SCHEMES
from softclust.loop.checkpoint import Journal, identity
from softclust.loop.draws import RULES, drawing
from softclust.loop.engine import Options
from softclust.sources import is_remote, n_threads, single_threaded_blas, source_of
from softclust.sources.density import density_weights
from softclust.sources.rows import Rows, rows_as_they_are, rows_in_units
from softclust.sources.units import LARGEST_EXPONENT

_OF_PREDICTION = ("_units", "_model", "_state", "n_clusters_", "cluster_centers_")
_ADDITIVE = ("points", "ellipsoids", "mahalanobis", "gath-geva", "gaussians")
_STRONGEST = 1e6  # of labels that multiply likelihoods: beyond, nothing changes
_LEAST_TOL = {np.dtype("f4"): 1e-6, np.dtype("f8"): 0.0}  # a float32 centre does not rest below


def _seed(random_state):
    """A number drawn from what scikit-learn takes for chance."""
    return _seed_of(int(random_state)) if isinstance(random_state, Integral) else _drawn(random_state)


@lru_cache
def _seed_of(number):  # seeding a RandomState takes a twentieth of a small fit
    return _drawn(number)


def _drawn(random_state):
    return int(check_random_state(random_state).randint(2**31 - 1))


def _is_additive(estimator):
    """Whether sums of rows that have gone by still tell where centres belong."""
    merges = getattr(estimator, "merge_coincident", False)
    return estimator.geometry in _ADDITIVE and estimator.separation is None and not merges


class SoftClusterer(
    Watched, ClassNamePrefixFeaturesOutMixin, TransformerMixin, ClusterMixin, BaseEstimator
):
    """Base of the estimators; a family gives its partition, and its scales if it has any."""

    _parameter_constraints = {
        "n_clusters": [Interval(Integral, 1, None, closed="left")],
        "geometry": geometry.CONSTRAINT,
        "metric_reg": [Interval(Real, 0, None, closed="left")],
        "separation": [None, Repulsion, CentralDistance],
        "noise_distance": [None, Interval(Real, 0, None, closed="neither")],
        "density_rate": [None, Interval(Real, 0, None, closed="neither"), StrOptions({"auto"})],
        "density_from": [StrOptions({"rows", "centers"})],
        "label_strength": [Interval(Real, 0, None, closed="both"), StrOptions({"auto"}), "array-like"],
        "unlabelled": [StrOptions({"free", "zero"})],
        "printed_centers": ["boolean"],
        "init": [StrOptions(set(RULES)), callable, "array-like"],
        "n_init": [Interval(Integral, 1, None, closed="left")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
        "acceleration": [StrOptions(set(SCHEMES)), None],
        "growing_samples": ["boolean"],
        "outlier_threshold": [None, Interval(Real, 0, 1, closed="both")],
        "random_state": ["random_state"],
        "n_jobs": [
            None,
            Interval(Integral, 1, None, closed="left"),
            Interval(Integral, None, -1, closed="right"),
        ],
        "verbose": ["verbose"],
        "checkpoint": [None, str, PathLike],
    }

    n_clusters: Any
    geometry: Any
    metric_reg: Any
    separation: Any
    noise_distance: Any
    density_rate: Any
    density_from: Any
    label_strength: Any
    unlabelled: Any
    printed_centers: Any
    init: Any
    n_init: Any
    max_iter: Any
    tol: Any
    acceleration: Any
    growing_samples: bool
    outlier_threshold: Any
    random_state: Any
    n_jobs: Any
    verbose: Any
    checkpoint: Any
    n_samples_seen_: int
    classes_: Any

    def __init__(self, **parameters):
        self.__dict__.update(parameters)  # scikit-learn reads their names from the families' signatures

    @classmethod
    @cache
    def _get_param_names(cls):
        """As scikit-learn finds them, once: reading a signature takes a tenth of a small fit."""
        return super()._get_param_names()

    def _validate_params(self):
        check_parameters(self)

    # ------------------------------------------------------------------ the words of a family
    @abstractmethod
    def _partition(self):
        """The partition, a part of the grammar."""

    def _scaling(self, c, units):
        """Where the scales come from; models without scales take them for `separation="auto"` only."""
        return recipes.Scaling()

    def _merges(self):
        return False

    def _link_strength(self, pairs, source, frame):
        """What it costs to break each pair, in loop units; None where the family has no links."""
        return None

    # ------------------------------------------------------------------ fit
    __metadata_request__fit = {"must_link": True, "cannot_link": True}  # they flow through pipelines

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y=None, *, sample_weight=None, must_link=None, cannot_link=None):
        """Find the clusters of X.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The rows.  float32 stays float32; a C-contiguous array or memory map is not copied.  Or a dask
            array or dataframe; the path of a .npy or .parquet file, which is read from disk in each pass;
            a function without arguments that gives an iterator over blocks of rows.
        y : array-like of shape (n_samples,) or (n_samples, n_clusters), default=None
            What is known.  1-D: a class for each row; -1, None or NaN where none is known.  2-D: a
            degree in [0, 1] for each cluster, NaN where nothing is said; zeros and several ones mean
            "one of these".  Cluster k starts at the mean of what is known of class `classes_[k]`, and
            rows pay for differing from what is said of them (`label_strength`).
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
        return watched(self, lambda observers: self._fit(X, y, observers, **known), X, y, metadata)

    @available_if(_is_additive)
    @_fit_context(prefer_skip_nested_validation=True)
    def partial_fit(self, X, y=None, *, sample_weight=None):
        """Go on with further rows; the first call is a fit.

        Rows that have gone by count through their sums, with the influence that they had then, so one
        pass over a stream ends near the fit of all rows.  The units and, where there are any, the scales,
        the fixed metric and the bounds of metrics are those of the first rows; `labels_`, `memberships_`
        and the like are of the last.  Possibilistic centres move slowly from where the first rows put them:
        let those be many.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Further rows.
        y : array-like of shape (n_samples,) or (n_samples, n_clusters), default=None
            What is known of them; classes are those of the first call.
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
        return watched(self, lambda observers: self._go_on(X, y, sample_weight, observers), X, y, metadata)

    def _go_on(self, X, y, sample_weight, observers):
        source, past = self._source(X, sample_weight), self._sums
        labels = labels_of_classes(y, len(source), self.classes_)
        told, penalty = self._tell(source, labels, self._model.frame)
        model = replace(self._model, labels=penalty, links=None)
        tol = max(self.tol, _LEAST_TOL[source.rows.X.dtype]) * self._units.spread
        options = Options(self.max_iter, tol, None, observers)  # J of rows that have gone by is not known
        outcome = recipes.go_on(model, told, self._state, past, options)
        seen, classes = self.n_samples_seen_, self.classes_
        self._publish(labels, None, outcome, options)
        self.n_samples_seen_, self.classes_ = seen + len(source), classes
        return self

    def _fit(self, X, y, observers, *, sample_weight, must_link, cannot_link):
        before = {name: vars(self)[name] for name in OF_THE_INPUT if name in vars(self)}
        try:
            source, labels, c = self._read(X, y, sample_weight)
            pairs = self._read_pairs(must_link, cannot_link, source, labels, c)
        except Exception:  # what scikit-learn wrote of an input that was refused
            for name in OF_THE_INPUT:
                self.__dict__.pop(name, None) if name not in before else setattr(self, name, before[name])
            raise
        seed = _seed(self.random_state)
        if self.checkpoint is not None:
            known = {"y": y, "sample_weight": sample_weight}
            known |= {"must_link": must_link, "cannot_link": cannot_link}
            seed = self._resume(source, known, seed, observers)
        rng = np.random.default_rng(seed)
        tol = max(self.tol, _LEAST_TOL[source.rows.X.dtype]) * source.rows.units.spread
        options = Options(self.max_iter, tol, self.acceleration, observers)
        with single_threaded_blas(*source.rows.X.shape):
            frame = self._frame(c, source)
            source, centre_rate = self._weigh_by_density(source)
            start = self._start(source, labels, c, rng, self._reach(frame, source.rows.units))
            outcome = self._solve(source, labels, pairs, frame, centre_rate, start, options, rng)
            self._publish(labels, pairs, outcome, options)
        return self

    def _resume(self, source, known, seed, observers):
        """Have the fit kept in a file, or go on from there; the number that seeds chance."""
        journal = Journal(self.checkpoint, identity(self, source, known), seed)
        observers.add(journal)
        if is_remote(source.rows.X):
            source.rows.X.checkpoint = self.checkpoint
        return journal.seed

    def _solve(self, source, labels, pairs, frame, centre_rate, start, options, rng):
        """Fit the sentence that the parameters say, on one frame."""
        source, penalty = self._tell(source, labels, frame)
        source, link_penalty = self._join(source, pairs, frame)
        prototypes, partition = self._sentence(source, frame)
        model = Model(prototypes, partition, frame, self.separation, centre_rate, penalty, link_penalty)
        scaling = self._scaling(model.n_clusters, self._areas(source.rows.units))
        outcome = recipes.run(model, source, start, scaling, options, rng)
        return recipes.merge(outcome, source, scaling, options) if self._merges() else outcome

    def _read(self, X, y, sample_weight):
        """Checked rows in their units, what is known of them, and the number of clusters."""
        X = rows_of(self, X)
        labels, c = check_labels(y, len(X), self.n_clusters)
        weight = check_weight(sample_weight, len(X))
        if len(X) < c:
            raise ValueError(f"n_samples={len(X)} should be >= n_clusters={c}.")
        rows = (rows_as_they_are if geometry.is_own(self.geometry) else rows_in_units)(X, weight)
        labels = labels and labels.of_rows_that_weigh(weight)
        return source_of(rows, n_threads(self.n_jobs)), labels, c

    def _read_pairs(self, must_link, cannot_link, source, labels, c):
        """Checked pairs, or None; those that cannot all hold are refused or, where they only cost, told."""
        n, name = len(source), type(self).__name__
        pairs = check_pairs(must_link, cannot_link, n)
        if pairs is None:
            return None
        if getattr(self._partition(), "settle", None) is None:
            raise InvalidParameterError(
                f"{name} takes no must_link and cannot_link: the typicalities of a row do not depend on "
                "those of another. HardCMeans, FuzzyCMeans, EvidentialCMeans and GaussianMixture take them."
                if self._partition().has_typicalities
                else f"geometry={self.geometry!r} takes no must_link and cannot_link; GaussianMixture does."
            )
        pairs = pairs.of_rows_that_weigh(source.rows.weight)
        bound = self._is_bound(pairs)
        if np.isinf(pairs.strength[~bound]).any():
            i, j = pairs.ends[~bound][np.isinf(pairs.strength[~bound])][0]
            raise ValueError(
                f"The pair of rows {i} and {j} has an infinite strength, but {name} weighs pairs against "
                "data; a finite one would fit, or HardCMeans."
            )
        heard = labels and labels.of_rows_that_weigh(self._heard(n))
        if bound.any() and (broken := conflict(pairs.where(bound), heard, n, c)):
            raise ConstraintConflictError(f"The constraints cannot all hold: {broken}")
        if not bound.all() and (sentence := conflict(pairs.where(pairs.strength > 0), heard, n, c, False)):
            warn(f"What is known cannot all hold: {sentence} See unsatisfied_.", UserWarning)
        return pairs

    def _heard(self, n):
        """(n,) above 0 where labels count."""
        automatic = isinstance(self.label_strength, str)
        return np.broadcast_to(1.0 if automatic else np.asarray(self.label_strength, dtype=float), (n,))

    def _is_bound(self, pairs):
        """Which pairs must hold, whatever it costs."""
        return np.zeros(len(pairs.ends), dtype=bool)

    def _join(self, source, pairs, frame):
        """The rows with their links, and the penalty for leaving those unheeded."""
        if pairs is None:
            return source, None
        with np.errstate(over="ignore"):
            strength = self._link_strength(pairs, source, frame)
        links = pairs.links(strength, self._is_bound(pairs))
        if len(links.ends) == 0:
            return source, None
        return replace(source, rows=replace(source.rows, links=links)), LinkPenalty()

    def _tell(self, source, labels, frame):
        """The rows with what is known of them, and the penalty for leaving it unheeded."""
        if labels is None or len(labels.rows) == 0:
            return source, None
        rows, n = source.rows, len(source)
        if self._partition().is_entropic:
            given = 1.0 if isinstance(self.label_strength, str) else self.label_strength
            strength, confidence = check_strength(given, labels, n)
            known = labels.known(frame.sets.shape[1], confidence)
            return source.with_known(known), LabelLikelihood(min(strength, _STRONGEST))
        if isinstance(self.label_strength, str):
            strength, confidence = reliable_strength(labels, rows), np.ones(n)
        else:
            strength, confidence = check_strength(self.label_strength, labels, n)
        known = labels.known(frame.sets.shape[1], confidence, everyone=self.unlabelled == "zero")
        penalty = LabelPenalty(strength, self.printed_centers)
        return source.with_known(known), penalty

    def _weigh_by_density(self, source):
        """Rows weighed by eq. (4) of Xia 2011, or the rate of its eq. (5) for the sweep to apply."""
        if self.density_rate is None:
            return source, 0.0
        rows = source.rows
        if self.density_rate == "auto":
            variance = total_variance(source)
            rate = 10 / variance if variance > 1e-100 else 1.0  # identical rows: any rate will do
        else:
            rate = min(float(rows.units.squares_to_data(self.density_rate)), 1e290)
        if self.density_from == "centers":
            return source, rate
        if is_remote(rows.X):
            raise ValueError(
                "density_rate compares all rows with each other, which needs them in memory; "
                "density_from='centers' would fit."
            )
        phi = density_weights(rows, rate, source.threads)
        weight = phi if rows.weight is None else phi * rows.weight
        return replace(source, rows=replace(rows, weight=weight)), 0.0

    def _frame(self, c, source):
        """The columns of the partition: a cluster each, and noise where it was asked for."""
        return Frame.singletons(c, self._noise(source.rows.units))

    def _noise(self, units):
        """Squared distance of noise in loop units, 0 for none; or a sentence saying what would fit."""
        if self.noise_distance is None:
            return 0.0
        if self._partition().is_entropic:
            raise InvalidParameterError(
                f"noise_distance={self.noise_distance} does not go with geometry={self.geometry!r}, whose "
                "distances have no unit. GaussianMixture(noise=True) would fit."
            )
        if not self._partition().has_noise:
            raise InvalidParameterError(
                f"noise_distance={self.noise_distance} does not go with {type(self).__name__}: "
                "its typicalities already fall to 0 far from every centre. Leave it None and read "
                "outlier_mask_, or use FuzzyCMeans, HardCMeans, PossibilisticFuzzyCMeans or "
                "ImprovedPossibilisticCMeans."
            )
        edge = self.noise_distance * self._areas(units).factor
        return min(max(edge * edge, 1e-290), 1e290)

    def _sentence(self, source, frame):
        """The prototypes and the partition."""
        return self._prototypes(source, frame), self._partition()

    def _prototypes(self, source, frame):
        if self.geometry == "gath-geva" and not self._partition().is_entropic:
            raise InvalidParameterError(
                f"geometry='gath-geva' does not go with {type(self).__name__}: its distances are "
                "logarithms, of which FuzzyCMeans alone takes memberships. geometry='ellipsoids' would fit."
            )
        c = frame.sets.shape[1]
        given = self.init[1] if self.geometry == "mahalanobis" and geometry.is_compound(self.init) else None
        return geometry.prototypes(self.geometry, self.metric_reg, self.separation, source, c, given)

    def _areas(self, units):
        """The units of squared distances."""
        return geometry.area_units(self.geometry, units)

    def _reach(self, frame, units):
        """Squared distance beyond which rows are noise, for the choice of starts; infinite without."""
        is_distance = frame.noise and not self._partition().is_entropic and self._areas(units) is units
        return frame.noise if is_distance else np.inf

    def _start(self, source, labels, c, rng, reach):
        rows = source.rows
        if not isinstance(self.init, str):
            init = self.init
            if callable(init):
                X = rows.X.collection if is_remote(rows.X) else rows.X
                init = init(X, c, random_state=int(rng.integers(2**31 - 1)))
            return recipes.Start(self._given(init, source, c))
        known = None if labels is None else labels.means(rows, c)
        if known is not None and not np.isnan(known).any():
            return recipes.Start(self._begin(source, lambda: known, rng))

        def draws(small):  # the rows on which starts compete
            rows = source if self.init == "k-means||" else small
            draw = drawing(self.init, rows, c, rng, known, reach)
            for _ in range(1 if geometry.is_shell(self.geometry) else self.n_init):
                yield self._begin(small, draw, rng)

        return recipes.Start(None, draws, self.growing_samples)

    def _begin(self, source, draw, rng):
        """What the prototypes begin with, at centres that `draw` gives."""
        return geometry.begin(self.geometry, source, draw, rng)

    def _given(self, init, source, c):
        """theta of a given start: centres; for geometries with a shape also (centres, matrices)."""
        rows = source.rows
        if not geometry.is_compound(init):
            return (self._given_centers(init, rows, c),)
        if not geometry.is_shaped(self.geometry):
            raise InvalidParameterError(
                f"init is centres with matrices, of which geometry={self.geometry!r} has none; an array of "
                "centres would fit."
            )
        centers, matrices = init
        matrices = geometry.given_matrices(self.geometry, matrices, rows.units, c, rows.X.shape[1])
        centers = self._given_centers(centers, rows, c)
        return (centers,) if matrices is None else (centers, matrices)

    def _given_centers(self, init, rows, c):
        V = np.array(init, dtype=np.float64)
        expected = (c, rows.X.shape[1])
        if V.shape != expected:
            raise ValueError(
                f"The shape of the initial centers {V.shape} does not match (n_clusters, n_features) "
                f"= {expected}."
            )
        if not np.isfinite(V).all():
            k, j = np.argwhere(~np.isfinite(V))[0]
            raise ValueError(f"init[{k}, {j}] is {V[k, j]}; centres must be finite.")
        return rows.units.to_loop(V)

    def _attributes_at(self, model, state, rows):
        """What a prediction needs, of a fit that is under way."""
        centers = rows.units.to_data(state.centers).astype(rows.X.dtype)
        return {
            "_units": rows.units,
            "_model": model,
            "_state": replace(state, linked=None),
            "n_clusters_": len(centers),
            "cluster_centers_": centers,
        }

    def _publish(self, labels, pairs, outcome, options):
        """Set the fitted attributes: the only place that writes on self."""
        model, fit, source = outcome.model, outcome.fit, outcome.source
        units = source.rows.units
        areas = self._areas(units)
        scale = outcome.natural_scale if fit.state.scale is None else fit.state.scale
        state = replace(fit.state, scale=scale)
        self.__dict__.update(self._attributes_at(model, state, source.rows))
        self.scale_ = areas.squares_to_data(scale[: self.n_clusters_])
        total = getattr(model.prototypes, "total", None)
        self.objective_history_ = self._objective_in_data_units(
            np.array(fit.history), model, source.rows, total
        )
        self.objective_ = float(self.objective_history_[-1])
        self._sums, self.n_samples_seen_ = replace(fit.stats, linked=None), len(source)
        self.n_iter_ = fit.n_iter
        self.converged_ = fit.converged
        self.classes_ = np.arange(self.n_clusters_) if labels is None else labels.names(self.n_clusters_)
        self._outlier_limits = self._limits(model.partition, outcome.natural_scale / scale)
        members = source.rowwise(self, "_assign", state)
        self.labels_, self.memberships_ = members.labels, members.memberships
        self.outlier_scores_ = members.scores
        self.outlier_mask_ = self._is_outlier(members)
        if model.partition.has_typicalities:
            self.typicalities_ = members.typicalities
        shares = members.typicalities if len(members.typicalities) else members.memberships
        self.label_strength_ = None if model.labels is None else model.labels.strength
        self.unsatisfied_ = worst_first(
            unsatisfied(source.rows.known, members.labels, shares),
            unsatisfied_pairs(pairs, members.labels, members.memberships),
        )
        self._publish_shapes(model, fit, units)
        self._publish_more(members, outcome)
        warn_of_trouble(self, model, fit, state, options)

    def _publish_shapes(self, model, fit, units):
        """Covariances of ellipsoids, semi-axes of shells."""
        part, theta = model.prototypes, fit.state.theta
        if isinstance(part, Ellipsoids):
            self.covariances_ = units.squares_to_data(part.covariances(fit.stats, model.frame))
        elif isinstance(part, Gaussians):
            self.covariances_ = units.squares_to_data(theta[1])
            self.scale_ = units.squares_to_data(part.traces(theta))
        elif isinstance(part, Shells | RadialShells):
            self.covariances_ = units.squares_to_data(part.shapes(theta))
            self.semi_axes_ = part.semi_axes(theta) / units.factor

    def _publish_more(self, members, outcome):
        """Attributes of a family's own."""

    # ------------------------------------------------------------------ read-outs
    def _assign(self, source, state):
        """What a state says of each row in memory; one with linked rows tells of those as well."""
        n, c, dtype = len(source), len(self._model.frame.sets), source.rows.X.dtype
        has_typicalities = self._model.partition.has_typicalities
        members = Members(
            np.empty((n, c), dtype),
            np.empty((n if has_typicalities else 0, c), dtype),
            np.empty(n, np.int32),
            np.empty(n, dtype),
        )
        source.fill(assign, members, self._model, state)
        return members

    def _limits(self, partition, width):
        """Typicalities at and below which a row is no member of a cluster.

        Antoine 2018 takes t <= 0.1 with K = 1 and exponent 2, which is a squared distance of 9 natural
        scales.  `width` is the natural scale in units of gamma_k, so that tighter clusters, which find
        modes better, do not call most rows outliers.
        """
        if self.outlier_threshold is not None:
            return np.full(len(width), self.outlier_threshold)
        if not partition.has_typicalities:
            return np.full(len(width), 0.1)
        with np.errstate(over="ignore"):  # for exponents near 1 typicalities fall to 0 at once
            return partition.typicality(9 * width)

    def _is_outlier(self, members):
        """Noise: likelier than every cluster; else not typical of any."""
        if self._model.frame.noise:
            return members.scores > (1 - members.scores) * members.memberships.max(axis=1)
        if len(members.typicalities):
            return (members.typicalities <= self._outlier_limits).all(axis=1)
        return 1 - members.scores <= self._outlier_limits[0]

    def _source(self, X, sample_weight=None):
        check_is_fitted(self)
        X = rows_of(self, X, reset=False)
        weight = None if sample_weight is None else check_weight(sample_weight, len(X))
        return source_of(Rows(X, self._units, weight), n_threads(self.n_jobs))

    def fit_predict(self, X, y=None, *, sample_weight=None, must_link=None, cannot_link=None):
        """Fit, and return `labels_`; what is known is used."""
        self.fit(X, y, sample_weight=sample_weight, must_link=must_link, cannot_link=cannot_link)
        return self.labels_

    def predict(self, X):
        """The likeliest cluster of each row, 0..c-1: the most typical one where there are typicalities."""
        return self._told(X).labels

    def predict_proba(self, X):
        """Memberships of each row; rows sum to 1 (typicalities are divided by their row sum)."""
        return self._told(X).memberships

    def outlier_score(self, X):
        """In [0, 1]: the noise membership with `noise_distance`, else 1 - the greatest typicality."""
        return self._told(X).scores

    def _told(self, X, name="_assign"):
        """What the fitted state says of each row; lazy where X is."""
        source = self._source(X)
        return source.rowwise(self, name, self._state)

    def without_rows(self):
        """What predictions need of this estimator: nothing that is as long as the data."""
        reader = clone(self)
        reader.__dict__.pop("_skl_callbacks", None)  # they may hold what cannot be sent
        reader.__dict__.update(self._of_prediction())
        return reader

    def _of_prediction(self):
        return {
            name: getattr(self, name) for name in (*_OF_PREDICTION, *OF_THE_INPUT) if hasattr(self, name)
        }

    def transform(self, X):
        """Distances of each row to each cluster, in the units of the data where they have one."""
        return self._told(X, "_distances")

    def _distances(self, source, state):
        out = _Distances(np.empty((len(source), self.n_clusters_), source.rows.X.dtype))
        source.fill(_distances, out, self._model, state)
        return out.distances

    def score(self, X, y=None, sample_weight=None):
        """Minus the objective of the fitted clusters on X: greater is better."""
        source = self._source(X, sample_weight)
        stats = source.reduce(sweep, self._model, self._state)
        return -float(
            self._objective_in_data_units(
                self._model.objective(self._state, stats), self._model, source.rows
            )
        )

    def _objective_in_data_units(self, objective, model, rows, total=None):
        """J in the units of the data: a squared distance, or a sum of logarithms of densities.

        `total` is the weight of all rows that it is about, where those are not `rows` alone.
        """
        if getattr(model.prototypes, "is_log_density", False):
            total = rows.total_weight if total is None else total
            return objective - total * rows.X.shape[1] * np.log(rows.units.factor)
        return self._areas(rows.units).squares_to_data(objective)

    @property
    def _n_features_out(self):
        return self.n_clusters_


class _Distances(NamedTuple):
    distances: np.ndarray


def _distances(rows, out, model, state):
    points, units = rows.points, rows.units
    if getattr(model.prototypes, "is_log_density", False):
        out.distances[...] = np.sqrt(model.prototypes.squared(points, state.theta))
        return
    D = model.prototypes.distances(points, state.theta, Frame.singletons(model.n_clusters))
    if getattr(model.prototypes, "is_unitless", False):
        out.distances[...] = np.sqrt(D)
        return
    out.distances[...] = np.sqrt(D) / units.factor
    edge = np.abs(points).max(axis=1) >= 2.0 ** LARGEST_EXPONENT[points.dtype]
    if edge.any():  # so far that a square has no float: the length itself still may
        gaps = np.abs(rows.X[edge].astype(np.float64)[:, None] - units.to_data(state.centers))
        largest = gaps.max(axis=2)
        with np.errstate(over="ignore"):
            out.distances[edge] = largest * np.sqrt(((gaps / largest[:, :, None]) ** 2).sum(axis=2))


def deviation_strength(estimator, pairs, source):
    """Strengths of pairs in units of the data's mean squared deviation; 0 x inf is 0."""
    strength = estimator.link_strength
    unit = 1.0 if geometry.is_unitless(estimator.geometry) else total_variance(source) or 1.0
    each = pairs.strength * (pairs.weights(source.rows) * unit)
    with np.errstate(invalid="ignore"):
        return np.where((pairs.strength == 0) | (strength == 0), 0.0, strength * each)


def total_variance(source):
    """Trace of the covariance in loop units, from one sweep with a single centre at the origin."""
    p = source.rows.X.shape[1]
    one = Model(Points(), Hard(), Frame.singletons(1))
    stats = source.reduce(sweep, one, State((np.zeros((1, p)),)))
    mean = stats.moments[0][0] / stats.weight[0]
    return float(stats.mean_distance[0] - mean @ mean)
