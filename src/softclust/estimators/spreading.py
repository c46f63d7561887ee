"""Label spreading over soft clusters."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from softclust.compat.numpy import usual_arithmetic
from softclust.compat.sklearn import Interval, InvalidParameterError, checks_parameters
from softclust.estimators.anchor_graph import (
    FittedSpreading,
    Graph,
    Scores,
    Spreader,
    anchor_sums,
    probabilities,
)
from softclust.estimators.anchors import find_anchors, most_anchors
from softclust.estimators.discriminant import class_moments, discriminant_axes
from softclust.estimators.predictions import Predictions
from softclust.estimators.reading import input_restored, rows_of
from softclust.estimators.readout import members
from softclust.knowledge.class_shares import ClassShares, class_shares
from softclust.knowledge.doubts import doubts_of
from softclust.knowledge.labels import Known, Labels, read_labels
from softclust.knowledge.sample_weight import check_weight
from softclust.sources import n_threads, single_threaded_blas, source_of
from softclust.sources.local import SAMPLE_ROWS
from softclust.sources.rows import Rows, rows_in_units

_PLACING_ROWS = 25  # rows for each anchor, by which anchors are placed
_LEAST_PLACING_ROWS = 5000  # in all
_ROUNDS = 10  # in which labels such as "A or B" are divided between A and B
_WIDEST_WEIGHT = 1e6  # greatest weights beyond this, or below its inverse, are divided by the greatest


@dataclass(eq=False, repr=False, kw_only=True)
class FuzzyLabelSpreading(Predictions, BaseEstimator):
    """Label spreading: a few labelled rows tell the classes of all rows, along soft clusters.

    Fuzzy c-means puts many centres, the anchors, among the rows.  Z holds the memberships of each row in
    its nearest anchors.  Rows that share anchors are neighbours in the graph W = Z diag(1/Z'1) Z', and the
    scores F = Z A of the rows follow the labels y_i and change little between neighbours (Liu, He & Chang
    2010): A minimises

        J(A) = sum_i w_i |z_i'A - y_i|^2 + gamma tr(A' Z'(I - W)Z A) + 1e-6 |A|^2,

    with the first sum over the labelled rows.  The columns of A are then multiplied so that each class has
    its share in the mean score of all rows.  The share comes from the labels, like three labels of each
    class, and from the rows: each anchor counts by the nearest labels.  (Liu, He & Chang take the labels
    alone, which misleads if they were not drawn by lot.)

    The solution is a closed form of sums over the rows, so it takes time in proportion to the rows, and
    rows may be in files or on a cluster.  A wrong label is outvoted by the labels about it, and
    `label_doubts_` names it.  All features count alike: scale them first if their units differ.

    Class values are in `classes_`: `predict` and `labels_` give class numbers, and `classes_[number]` is
    the class.

    Parameters
    ----------
    n_anchors : int, default=None
        Number of anchors, k.  None: 40 for each class, but at most 400, and one for every 5 distinct rows.
    m : float, default=None
        Exponent of the memberships in the anchors, above 1.  None: 1 + 4/p_eff, with p_eff the number of
        directions in which the rows spread.
    nearest : int, default=3
        Number of anchors that a row belongs to.
    gamma : float, default=1.0
        Strength of smoothness against labels: small values follow each label, large ones outvote it.
    n_rounds : int, default=2
        Number of graphs; probabilities are their mean.  1 is Liu, He & Chang (2010).  In each further graph
        distances also count the directions that separate the classes found so far (a linear discriminant
        of all rows), which helps where many features say little about the classes.
    random_state : int, RandomState instance or None, default=None
        Determines where the anchors start.
    n_jobs : int, default=None
        Threads.  None is all cores (or OMP_NUM_THREADS); the result has the same bits for any number.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Likeliest class of each row as a number 0..c-1, also for labelled rows, whose label may be wrong.
    memberships_ : ndarray of shape (n_samples, n_clusters_)
        Probability of each class; rows sum to 1.  Scores are clipped at 0, divided by their sum, and then
        squared and divided again, because smooth scores are too cautious.
    classes_ : ndarray of shape (n_clusters_,)
        The value of each class.
    n_clusters_ : int
        Number of classes, c.
    anchors_ : ndarray of shape (n_anchors, n_features)
        The anchors of the first graph.
    m_ : float
        The exponent that was used.
    label_doubts_ : structured ndarray
        The labelled rows, the least credible label first: `row`, the class number `told` by the label, the
        `likely` one without that label, and the `doubt` in [0, 1]; above 0.5 another class is likelier.

    References
    ----------
    .. [1] Liu, He & Chang (2010), Large graph construction for scalable semi-supervised learning.
    .. [2] Bezdek (1981), Pattern recognition with fuzzy objective function algorithms.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.preprocessing import scale
    >>> from softclust import FuzzyLabelSpreading
    >>> X, truth = load_wine(return_X_y=True)
    >>> y = np.where(np.arange(178) % 15 == 0, truth, -1)  # one label in fifteen
    >>> model = FuzzyLabelSpreading(random_state=0).fit(scale(X), y)
    >>> print((model.labels_ == truth).mean().round(1))
    1.0
    """

    n_anchors: int | None = None
    m: float | None = None
    nearest: int = 3
    gamma: float = 1.0
    n_rounds: int = 2
    random_state: Any = None
    n_jobs: int | None = None

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_anchors": [None, Interval(Integral, 1, None, closed="left")],
        "m": [None, Interval(Real, 1, None, closed="neither")],
        "nearest": [Interval(Integral, 1, None, closed="left")],
        "gamma": [Interval(Real, 0, None, closed="left")],
        "n_rounds": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state"],
        "n_jobs": [
            None,
            Interval(Integral, 1, None, closed="left"),
            Interval(Integral, None, -1, closed="right"),
        ],
    }

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
        """Spread the labels of some rows to all rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The rows, wherever they are: an array, a dask array or dataframe, the path of a .npy or .parquet
            file, or a function that gives an iterator over blocks of rows.
        y : array-like of shape (n_samples,) or (n_samples, n_classes)
            Labels.  1-D: a class for each row; -1, None or NaN if its class is not known.  2-D: a degree in
            [0, 1] for each class, NaN where nothing is said; zeros and several ones mean "one of these".
        sample_weight : array-like of shape (n_samples,), default=None
            How many rows each row stands for; 0 leaves a row out.
        must_link, cannot_link : None
            Label spreading knows of no pairs.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        if must_link is not None or cannot_link is not None:
            raise InvalidParameterError(
                "FuzzyLabelSpreading takes no must_link and cannot_link: it spreads labels. "
                "HardCMeans, FuzzyCMeans, EvidentialCMeans and GaussianMixture take them."
            )
        with input_restored(self):
            X = rows_of(self, X)
            weight = _in_range(check_weight(sample_weight, len(X)))
            labels, shares = _read(y, len(X), weight)
            rows = rows_in_units(X, weight)
            source = source_of(rows, n_threads(self.n_jobs))
            with single_threaded_blas(*rows.X.shape):
                fitted, doubts = self._spread(source, labels, shares)
                self._publish(source, labels, fitted)
                self.label_doubts_ = doubts
        return self

    def _spread(
        self, source: Any, labels: Labels, shares: ClassShares
    ) -> tuple[FittedSpreading, np.ndarray]:
        """Spread the labels over one graph after the other; also return what is in doubt."""
        rng = np.random.default_rng(check_random_state(self.random_state).randint(2**31 - 1))
        units, weight = source.rows.units, source.rows.weights[labels.rows]
        known = source.with_known(Known(labels.rows, shares.fixed, np.ones(len(labels.rows))))
        small = source.sample(SAMPLE_ROWS, rng).in_memory()
        k = self.n_anchors or most_anchors(small, len(labels.classes))
        small = small.sample(max(_PLACING_ROWS * k, _LEAST_PLACING_ROWS), rng)
        axes, fitted, left_out = None, FittedSpreading(units, (), np.zeros(0)), []
        for number in range(self.n_rounds):
            if number:
                axes = discriminant_axes(source.reduce(class_moments, fitted))
                if axes is None:
                    break
            anchors = find_anchors(small, k, self.m, self.nearest, axes, rng)
            sums = known.reduce(anchor_sums, anchors)
            spreader = Spreader(sums, weight, self.gamma, anchors.centers)
            Y, found = _settled(spreader, shares)
            fitted = FittedSpreading(units, (*fitted.graphs, Graph(anchors, found.anchors)), found.share)
            left_out.append(probabilities(spreader.left_out(Y, found), found.share))
        return fitted, doubts_of(labels, np.mean(left_out, axis=0))

    def _publish(self, source: Any, labels: Labels, fitted: FittedSpreading) -> None:
        """Set the fitted attributes: with `fit`, the only place that writes on self."""
        first = fitted.graphs[0].anchors
        self._fitted, self.m_ = fitted, first.m
        self.classes_, self.n_clusters_ = labels.classes, len(labels.classes)
        self.anchors_ = fitted.units.to_data(first.centers).astype(source.rows.X.dtype)
        read = source.rowwise(members, fitted)
        self.labels_, self.memberships_ = read.labels, read.memberships

    def _source(self, X: Any) -> Any:
        """New rows, checked, in the units of the fit."""
        check_is_fitted(self)
        rows = Rows(rows_of(self, X, reset=False), self._fitted.units)
        return source_of(rows, n_threads(self.n_jobs))

    @usual_arithmetic
    def transform(self, X: Any) -> Any:
        """Measure the distance of each row to each anchor.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        distances : ndarray of shape (n_samples, n_anchors)
            In the units of the data.
        """
        return super().transform(X)

    @property
    def _n_features_out(self) -> int:
        return len(self.anchors_)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags


def _in_range(weight: np.ndarray | None) -> np.ndarray | None:
    """Return weights beside which the ridge of J is neither lost nor felt."""
    if weight is None or 1 / _WIDEST_WEIGHT <= weight.max() <= _WIDEST_WEIGHT:
        return weight
    return weight / weight.max()


def _read(y: Any, n: int, weight: np.ndarray | None) -> tuple[Labels, ClassShares]:
    """Return the labels of rows that count, and the shares of classes that they tell."""
    if y is None:
        raise ValueError(
            "FuzzyLabelSpreading requires y to be passed, but the target y is None; "
            "a class for some rows and -1 for the others would fit."
        )
    labels, shares = class_shares(read_labels(y, n).of_rows_that_weigh(weight))
    if len(labels.rows) == 0:
        raise ValueError(f"y has no label of a row that counts among {n}; one of each class would fit.")
    named = labels.classes[shares.divided().any(axis=0)]
    if len(named) < 2:
        raise ValueError(f"y names one class only, {named[0]}; labels of two or more classes would fit.")
    return labels, shares


def _settled(spreader: Spreader, shares: ClassShares) -> tuple[np.ndarray, Scores]:
    """Spread the labels; what a label such as "A or B" leaves open is divided by the scores found."""
    Y = shares.divided()
    found = spreader.spread(Y)
    for _ in range(_ROUNDS if shares.rest.any() else 0):
        Y = shares.divided(np.maximum(spreader.sums.labelled.dot(found.anchors), 0.0))
        found = spreader.spread(Y)
    return Y, found
