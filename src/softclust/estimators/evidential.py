"""Evidential c-means: beliefs about sets of clusters, with labels and pairs."""

from __future__ import annotations

from dataclasses import replace
from numbers import Real

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

from softclust.credal import CredalPartition
from softclust.estimators import geometry
from softclust.estimators.base import SoftClusterer, total_variance
from softclust.estimators.parameters import document
from softclust.grammar.frame import FAMILIES, Frame, focal_sets, with_pairs
from softclust.grammar.partitions import CredalMembers, Fuzzy
from softclust.grammar.prototypes import check_covariances
from softclust.grammar.sweep import link_costs
from softclust.knowledge.labels import check_strength
from softclust.knowledge.penalties import LinkPenalty, SubsetPenalty
from softclust.loop import recipes

_OUTLYING = 10.0  # rho^2 in median squared deviations, where none is given
_GREATEST_WEIGHT = 1e100  # of what is known, in loop units, beside which nothing else counts


@document(n_init=5)
class EvidentialCMeans(SoftClusterer):
    """Evidential c-means: each row spreads a mass of belief over sets of clusters and the empty set.

    Minimises J = sum_i w_i [rho^2 m_i0^beta + sum_j |A_j|^alpha m_ij^beta d_ij^2] with masses that sum to
    one (ECM, Masson & Denoeux 2008; Xie & Antoine eq. (3)).  A row between two clusters believes in the
    pair of them, a row far from all in the empty set.  Labels in `y`, also sets of classes ("A or B"),
    make it SECM; pairs in `must_link` and `cannot_link` CECM; both LPECM (Xie & Antoine eq. (9)):

    xi J + gamma sum_must pl(not same) + eta sum_cannot pl(same) + delta sum_labelled (1 - pl(label)),

    with gamma = `must_strength`/|M|, eta = `cannot_strength`/|C|, delta = `label_strength`/|L|.

    Parameters
    ----------
    {n_clusters}
    focal_sets : {"auto", "simple", "pairs", "full"} or list of sets, default="auto"
        Sets that may carry belief, beside the empty set and the singletons.  "simple": the set of all
        clusters; "pairs": also all pairs; "full": all sets; a list such as [(0, 1), (0, 1, 2)].  "auto":
        full up to 4 clusters, pairs up to 6; above, the pairs of mutually nearest clusters of a first
        fit, since many far sets blur a partition.
    cardinality_power : float, default=1.0
        alpha: what belief in large sets costs.
    beta : float, default=2.0
        Exponent of the masses, any number above 1.
    noise_distance : float, default=None
        rho: a row farther than about this from every centre believes in the empty set.  None: sqrt(10)
        times the median distance of the rows from their median.
    geometry : {"points", "ellipsoids", "mahalanobis"}, default="points"
        "ellipsoids" and "mahalanobis": each cluster adapts a metric of its own (Antoine et al. 2012).
    metric_reg : float, default=1e-4
        kappa: J += kappa sum_k tr(S_k T), T = (n/c) diag(var X), which keeps metrics from degenerating.
    separation : Repulsion or CentralDistance, default=None
        A term that keeps the centres apart (geometry "points").
    label_strength : float, "auto" or array-like of shape (n_samples,), default="auto"
        What labels count for together, beside the data; one for each row multiplies that row's.  "auto"
        is 1, as much as the data.
    label_exponent : float, default=0.0
        r: a label is a plausibility in which a set A counts |A n L|^(r/2)/|A|^r.  0: the plausibility
        itself; greater values ask for small sets.
    must_strength : float, default=1.0
        What the must-links count for together, beside the data.
    cannot_strength : float, default=1.0
        What the cannot-links count for together.
    empty_satisfies_links : bool, default=True
        Whether belief in the empty set honours any pair, as in the paper.  False closes that loophole.
    data_weight : {"auto", "paper"} or float, default="auto"
        xi.  "paper": 1/(n f), f the number of sets with the empty one (1/(n 2^c) for "full"), so that the
        weight of what is known depends on the unit of the data.  "auto": that, divided by the mean
        squared deviation of the rows from their mean: the same answer in every unit.
    {density}
    {loop}

    Attributes
    ----------
    masses_ : ndarray of shape (n_samples, n_sets)
        Mass of each set of `focal_sets_`; rows sum to 1.
    focal_sets_ : ndarray of bool of shape (n_sets, n_clusters_)
        The sets: row 0 is empty, rows 1 to c the singletons.
    noise_distance_ : float
        rho.
    objective_terms_ : dict
        Parts of `objective_`, which is J/xi: "data", "labels", "must_link", "cannot_link", and "other" for
        regulariser and separation.
    covariances_ : ndarray of shape (n_clusters_, n_features, n_features)
        Of each cluster, with its regulariser, for adaptive geometries; (`cluster_centers_`,
        `covariances_`) is an `init` at the answer.
    {attributes}

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from softclust import EvidentialCMeans
    >>> model = EvidentialCMeans(n_clusters=3, random_state=0).fit(load_iris().data)
    >>> model.masses_.shape
    (150, 8)
    >>> int((model.masses_.argmax(axis=1) > 3).sum())  # rows that believe most in a set of several
    32
    """

    _parameter_constraints = {
        **{
            key: value
            for key, value in SoftClusterer._parameter_constraints.items()
            if key not in ("unlabelled", "printed_centers", "outlier_threshold")
        },
        "focal_sets": [StrOptions(set(FAMILIES)), "array-like"],
        "cardinality_power": [Interval(Real, 0, None, closed="left")],
        "beta": [Interval(Real, 1, None, closed="neither")],
        "geometry": [StrOptions({"points", "ellipsoids", "mahalanobis"})],
        "label_exponent": [Interval(Real, 0, None, closed="left")],
        "must_strength": [Interval(Real, 0, None, closed="left")],
        "cannot_strength": [Interval(Real, 0, None, closed="left")],
        "empty_satisfies_links": ["boolean"],
        "data_weight": [StrOptions({"auto", "paper"}), Interval(Real, 0, None, closed="neither")],
    }

    def __init__(
        self,
        n_clusters=3,
        *,
        focal_sets="auto",
        cardinality_power=1.0,
        beta=2.0,
        noise_distance=None,
        geometry="points",
        metric_reg=1e-4,
        separation=None,
        label_strength="auto",
        label_exponent=0.0,
        must_strength=1.0,
        cannot_strength=1.0,
        empty_satisfies_links=True,
        data_weight="auto",
        density_rate=None,
        density_from="rows",
        init="k-means++",
        n_init=5,
        max_iter=300,
        tol=1e-6,
        acceleration="lbfgs",
        growing_samples=True,
        random_state=None,
        n_jobs=None,
        verbose=0,
        checkpoint=None,
    ):
        super().__init__(
            n_clusters=n_clusters,
            geometry=geometry,
            metric_reg=metric_reg,
            separation=separation,
            noise_distance=noise_distance,
            density_rate=density_rate,
            density_from=density_from,
            label_strength=label_strength,
            init=init,
            n_init=n_init,
            max_iter=max_iter,
            tol=tol,
            acceleration=acceleration,
            growing_samples=growing_samples,
            random_state=random_state,
            n_jobs=n_jobs,
            verbose=verbose,
            checkpoint=checkpoint,
        )
        self.focal_sets = focal_sets
        self.cardinality_power = cardinality_power
        self.beta = beta
        self.label_exponent = label_exponent
        self.must_strength = must_strength
        self.cannot_strength = cannot_strength
        self.empty_satisfies_links = empty_satisfies_links
        self.data_weight = data_weight

    # ------------------------------------------------------------------ the sentence
    def _partition(self):
        return Fuzzy(self.beta)

    def _scaling(self, c, units):
        return recipes.Scaling(m=self.beta)

    def _frame(self, c, source):
        sets = focal_sets(self.focal_sets, c)
        sets = focal_sets("simple", c) if sets is None else sets
        noise = self._noise(source.rows.units) or _outlying(source)
        return Frame(sets, noise, self.cardinality_power)

    def _prototypes(self, source, frame):
        named = "ellipsoids" if self.geometry == "mahalanobis" else self.geometry
        c = frame.sets.shape[1]
        return geometry.prototypes(named, self.metric_reg, self.separation, source, c)

    def _solve(self, source, labels, pairs, frame, centre_rate, start, options, rng):
        """Above six clusters "auto" fits singletons and the whole frame first, then nearest pairs."""
        fit = super()._solve
        first = fit(source, labels, pairs, frame, centre_rate, start, options, rng)
        c = frame.sets.shape[1]
        if focal_sets(self.focal_sets, c) is not None:
            return first
        found = recipes.neighbouring_pairs(first)
        again = recipes.Start(first.model.prototypes.start(first.fit.state.theta))
        second = fit(
            source,
            labels,
            pairs,
            replace(frame, sets=with_pairs(found, c)),
            centre_rate,
            again,
            options,
            rng,
        )
        steps = first.fit.n_iter + second.fit.n_iter
        return replace(second, fit=replace(second.fit, n_iter=steps))

    def _knowledge_weight(self, source, frame):
        """1/xi in loop units: what a weight of 1 of what is known costs beside the data."""
        rows = source.rows
        if isinstance(self.data_weight, Real):
            return min(float(rows.units.squares_to_loop(1 / self.data_weight)), _GREATEST_WEIGHT)
        unit = (
            rows.units.squares_to_loop(1.0)
            if self.data_weight == "paper"
            else total_variance(source) or 1.0
        )
        return min(float(rows.total_weight * (len(frame.sets) + 1) * unit), _GREATEST_WEIGHT)

    def _label_strength(self):
        return 1.0 if isinstance(self.label_strength, str) else self.label_strength

    def _tell(self, source, labels, frame):
        if labels is None or len(labels.rows) == 0:
            return source, None
        rows = source.rows
        strength, confidence = check_strength(self._label_strength(), labels, len(source))
        known = labels.known(frame.sets.shape[1], confidence)
        heard = known.rows[known.confidence > 0]
        count = len(heard) if rows.weight is None else rows.weight[heard].sum()
        delta = strength * self._knowledge_weight(source, frame) / (count or 1.0)
        penalty = SubsetPenalty(float(delta), self.label_exponent)
        known = replace(known, columns=penalty.columns(known.target, frame))
        return source.with_known(known), penalty

    def _join(self, source, pairs, frame):
        source, penalty = super()._join(source, pairs, frame)
        return source, penalty and LinkPenalty(self.empty_satisfies_links)

    def _link_strength(self, pairs, source, frame):
        unit, weight = self._knowledge_weight(source, frame), pairs.weights(source.rows)
        each = np.where(pairs.must, self.must_strength, self.cannot_strength) * pairs.strength
        for kind in (pairs.must, ~pairs.must):
            each[kind] *= unit * weight[kind] / (weight[kind].sum() or 1.0)
        return each

    def _areas(self, units):
        return units

    # ------------------------------------------------------------------ read-outs
    def _limits(self, partition, width):
        return None

    def _assign(self, source, state):
        shares = super()._assign(source, state)
        empty = shares.scores[:, None]
        masses = np.concatenate([empty, shares.memberships * (1 - empty)], axis=1)
        # Row by row, in this order: BLAS looks at the other rows, and bits would depend on them.
        pignistic = np.zeros((self.n_clusters_, len(masses)), masses.dtype)
        columns = np.ascontiguousarray(shares.memberships.T)
        for column, members in zip(columns, self._model.frame.mean.astype(masses.dtype), strict=True):
            for k in np.flatnonzero(members):
                pignistic[k] += column * members[k]
        labels = pignistic.argmax(axis=0).astype(np.int32)
        memberships = np.ascontiguousarray(pignistic.T)
        return CredalMembers(memberships, shares.typicalities, labels, shares.scores, masses)

    def _is_outlier(self, members):
        """Rows that believe most in the empty set."""
        return members.masses.argmax(axis=1) == 0

    def _publish_more(self, members, outcome):
        model, source = outcome.model, outcome.source
        units, frame = source.rows.units, model.frame
        self.masses_ = members.masses
        if model.labels is not None:
            strength = self._label_strength()
            self.label_strength_ = float(strength) if isinstance(strength, Real) else 1.0
        self.focal_sets_ = np.vstack([np.zeros(frame.sets.shape[1]), frame.sets]).astype(bool)
        self.noise_distance_ = float(np.sqrt(units.squares_to_data(frame.noise)))
        terms = _terms(members, outcome)
        values = units.squares_to_data(np.array([*terms.values()])).tolist()
        self.objective_terms_ = dict(zip(terms, values, strict=True))

    def _given(self, init, source, c):
        if self.geometry == "points" or not geometry.is_compound(init):
            return super()._given(init, source, c)
        (centers, matrices), rows = init, source.rows
        return self._given_centers(centers, rows, c), check_covariances(matrices, c, rows.X.shape[1])

    @property
    def credal_partition_(self):
        """The masses as a `softclust.credal.CredalPartition`."""
        return CredalPartition(self.masses_, self.focal_sets_)

    def predict_mass(self, X):
        """Masses of each row over `focal_sets_`; rows sum to 1."""
        return self._told(X).masses


def _outlying(source):
    """rho^2 in loop units: ten times the median squared distance from the spatial median.

    The spatial median (Weiszfeld's iteration) turns with the data, and no outlier moves it far.
    """
    rows = source.sample(20_000, np.random.default_rng(0)).in_memory().rows
    points, weight = rows.points.astype(np.float64), np.ones(len(rows))
    if rows.weight is not None:
        counts = rows.weight > 0
        points, weight = points[counts], rows.weight[counts] / rows.weight.max()
    centre = weight @ points / weight.sum()
    for _ in range(100):
        distance = np.sqrt(_squares(points - centre))
        pull = weight / np.maximum(distance, 1e-9 * distance.max() + 1e-150)
        before, centre = centre, pull @ points / pull.sum()
        if np.abs(centre - before).max() <= 1e-4 * distance.mean():
            break
    squares = _squares(points - centre)
    order = np.argsort(squares)
    half = np.searchsorted(np.cumsum(weight[order]), 0.5 * weight.sum())
    middle = float(squares[order[half]])
    return _OUTLYING * (middle or float(weight @ squares / weight.sum()) or 1.0)


def _squares(gaps):
    return np.einsum("ij,ij->i", gaps, gaps)


def _terms(members, outcome):
    """The parts of J in loop units, by name."""
    model, fit, rows = outcome.model, outcome.fit, outcome.source.rows
    terms = {"data": fit.history[-1], "labels": 0.0, "must_link": 0.0, "cannot_link": 0.0}
    if model.links is not None and rows.links is not None:
        terms["must_link"], terms["cannot_link"] = link_costs(rows.linked, model, fit.state)
    if (known := model.known(rows)) is not None:
        place, wanted, delta = known
        weight = 1.0 if rows.weight is None else rows.weight[place]
        terms["labels"] = float(
            (weight * delta * (1 - (wanted * np.asarray(members.masses[place])[:, 1:]).sum(axis=1))).sum()
        )
    terms["other"] = model.objective(fit.state, fit.stats) - fit.stats.loss
    terms["data"] -= sum(terms.values()) - terms["data"]
    return terms
