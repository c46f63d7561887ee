"""Evidential c-means: beliefs about sets of clusters, with labels and pairs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from numbers import Real
from typing import Any, ClassVar

import numpy as np

from softclust.compat.sklearn import Interval, InvalidParameterError, StrOptions
from softclust.credal import CredalPartition
from softclust.errors import warn
from softclust.estimators.base import SoftClusterer
from softclust.estimators.cmeans import EXPONENT, SHAPED, density_of, shaped_start
from softclust.estimators.parameters import documented
from softclust.estimators.reading import Data
from softclust.estimators.readout import FittedCredal
from softclust.estimators.sentence import LinkWords, Sentence, exponent_of, noise_for, prototypes_for
from softclust.grammar.frame import FAMILIES, Frame, focal_sets, with_pairs
from softclust.grammar.partitions import Fuzzy
from softclust.grammar.separation import CentralDistance, Repulsion
from softclust.grammar.sweep import link_costs
from softclust.knowledge.label_strength import check_strength
from softclust.knowledge.pairs import NamedPairs
from softclust.knowledge.penalties import LinkPenalty, SubsetPenalty
from softclust.loop.recipes import Outcome, Start, neighbouring_pairs
from softclust.loop.scales import Scaling
from softclust.loop.summaries import total_variance
from softclust.sources.spread import middling_square

_OUTLYING = 10.0  # rho^2 in median squared deviations, where none is given
# The greatest |A|^power: costs of rows at the edge of the loop's range still have a float.
_MOST_FACTOR = {np.dtype("f4"): 1e30, np.dtype("f8"): 1e150}
_GREATEST_WEIGHT = 1e100  # of labels and pairs, in loop units, beside which nothing else counts


@documented
@dataclass(eq=False, repr=False, kw_only=True)
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
    focal_sets : {"auto", "simple", "pairs", "full"} or list of sets, default="auto"
        Sets that may carry belief, beside the empty set and the singletons.  "simple": the set of all
        clusters; "pairs": also all pairs; "full": all sets; a list such as [(0, 1), (0, 1, 2)].  "auto":
        full up to 4 clusters, pairs up to 6; above, the pairs of mutually nearest clusters of a first
        fit, since many far sets blur a partition.
    cardinality_power : float or "auto", default="auto"
        alpha: what belief in large sets costs.  "auto": 2 (beta - 1), with which the mass of a set A is
        divided by |A|^2 whatever beta is; found as `cardinality_power_`.
    beta : float or "auto", default="auto"
        Exponent of the masses, any number above 1.  "auto": 1 + 2 / p_eff, at most 2, with p_eff the
        number of directions in which rows differ, found as `beta_`: with the usual 2 clusters fall
        together where there are many features.
    noise_distance : float, default=None
        rho: a row farther than about this from every centre believes in the empty set.  None: sqrt(10)
        times the median distance of the rows from their median.
    geometry : {"points", "ellipsoids"}, default="points"
        "ellipsoids": each cluster adapts a metric of its own (Antoine et al. 2012).
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
    density_rate : float or "auto", default=None
        alpha of Xia 2011: rows weigh sum_k exp(-alpha |x_j - x_k|^2), so that rows in empty regions
        count for little.  "auto" is 10 / trace(covariance), the same for data in any unit.
    density_from : {"rows", "centers"}, default="rows"
        "rows": the density of rows, fixed before the fit.  "centers": sum_k exp(-alpha |x_j - v_k|^2),
        which follows the centres; J is then no longer one fixed function, and may rise.

    Attributes
    ----------
    masses_ : ndarray of shape (n_samples, n_sets)
        Mass of each set of `focal_sets_`; rows sum to 1.
    focal_sets_ : ndarray of bool of shape (n_sets, n_clusters_)
        The sets: row 0 is empty, rows 1 to c the singletons.
    noise_distance_ : float
        rho.
    beta_ : float
        Exponent of the masses.
    cardinality_power_ : float
        alpha: what belief in large sets costs.
    objective_terms_ : dict
        Parts of `objective_`, which is J/xi: "data", "labels", "must_link", "cannot_link", and "other" for
        regulariser and separation.
    covariances_ : ndarray of shape (n_clusters_, n_features, n_features)
        Of each cluster, with its regulariser, for adaptive geometries; (`cluster_centers_`,
        `covariances_`) is an `init` at the answer.

    References
    ----------
    .. [1] Masson & Denoeux (2008), ECM: an evidential version of the fuzzy c-means algorithm.
    .. [2] Antoine, Quost, Masson & Denoeux (2012), CECM: constrained evidential c-means algorithm.
    .. [3] Xie & Antoine, On a new evidential c-means algorithm with instance-level constraints.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from softclust import EvidentialCMeans
    >>> model = EvidentialCMeans(n_clusters=3, random_state=0).fit(load_iris().data)
    >>> model.masses_.shape
    (150, 8)
    >>> int((model.masses_.argmax(axis=1) > 3).sum())  # rows that believe most in a set of several
    6
    """

    focal_sets: Any = "auto"
    cardinality_power: float | str = "auto"
    beta: float | str = "auto"
    noise_distance: float | None = None
    geometry: str = "points"
    metric_reg: float = 1e-4
    separation: Repulsion | CentralDistance | None = None
    label_exponent: float = 0.0
    must_strength: float = 1.0
    cannot_strength: float = 1.0
    empty_satisfies_links: bool = True
    data_weight: float | str = "auto"
    density_rate: float | str | None = None
    density_from: str = "rows"
    n_init: int = 5

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **SoftClusterer._parameter_constraints,
        **SHAPED,
        "focal_sets": [StrOptions(set(FAMILIES)), "array-like"],
        "cardinality_power": [Interval(Real, 0, None, closed="left"), StrOptions({"auto"})],
        "beta": EXPONENT,
        "geometry": [StrOptions({"points", "ellipsoids", "mahalanobis"})],
        "label_exponent": [Interval(Real, 0, None, closed="left")],
        "must_strength": [Interval(Real, 0, None, closed="left")],
        "cannot_strength": [Interval(Real, 0, None, closed="left")],
        "empty_satisfies_links": ["boolean"],
        "data_weight": [StrOptions({"auto", "paper"}), Interval(Real, 0, None, closed="neither")],
    }

    # ------------------------------------------------------------------ the sentence
    def _sentence(self, data: Data) -> Sentence:
        if self.geometry == "mahalanobis":
            warn(
                'geometry="mahalanobis" means one metric for all clusters, but EvidentialCMeans adapts one '
                'for each; it is read as "ellipsoids", and will be refused later. Write "ellipsoids".',
                FutureWarning,
            )
        c, source = data.n_clusters, data.source
        beta = exponent_of(self.beta, data)
        power = 2 * (beta - 1) if isinstance(self.cardinality_power, str) else self.cardinality_power
        partition = Fuzzy(beta)
        asked = focal_sets(self.focal_sets, c)
        sets = with_pairs([], c) if asked is None else asked
        noise = noise_for(self, partition, source.rows.units) or _OUTLYING * middling_square(source)
        frame = Frame(sets, noise, power)
        _check_power(power, c, source.rows.X.dtype)
        return Sentence(
            partition,
            prototypes_for(self, partition, data),
            frame,
            self._plausible_labels,
            LinkWords(self._link_costs, penalty=LinkPenalty(self.empty_satisfies_links)),
            self.separation,
            Scaling(m=beta),
            density_of(self),
            noise,
            # Above six clusters "auto" fits singletons and the whole frame first, then nearest pairs.
            refined=partial(_with_neighbours, frame) if asked is None else None,
        )

    @property
    def _geometry(self) -> str:
        """The word of the grammar; "mahalanobis" was once another name of "ellipsoids" here."""
        return "ellipsoids" if self.geometry == "mahalanobis" else self.geometry

    def _start(self, source: Any, data: Data, sentence: Sentence, rng: Any) -> Start:
        return shaped_start(self, source, data, sentence, rng)

    def _knowledge_weight(self, source: Any, frame: Frame) -> float:
        """1/xi in loop units: what labels or pairs of strength 1 cost beside the data."""
        rows = source.rows
        if isinstance(self.data_weight, Real):
            return min(float(rows.units.squares_to_loop(1 / self.data_weight)), _GREATEST_WEIGHT)
        paper = self.data_weight == "paper"
        unit = rows.units.squares_to_loop(1.0) if paper else total_variance(source) or 1.0
        return min(float(rows.total_weight * (len(frame.sets) + 1) * unit), _GREATEST_WEIGHT)

    def _label_strength(self) -> Any:
        return 1.0 if isinstance(self.label_strength, str) else self.label_strength

    def _plausible_labels(self, source: Any, labels: Any, frame: Frame) -> tuple[Any, SubsetPenalty]:
        """Rows pay for the implausibility of their labels."""
        rows = source.rows
        strength, confidence = check_strength(self._label_strength(), labels, len(source))
        known = labels.known(frame.sets.shape[1], confidence)
        active = known.rows[known.confidence > 0]
        count = len(active) if rows.weight is None else rows.weight[active].sum()
        delta = strength * self._knowledge_weight(source, frame) / (count or 1.0)
        penalty = SubsetPenalty(float(delta), self.label_exponent)
        known = replace(known, columns=penalty.columns(known.target, frame))
        return source.with_known(known), penalty

    def _link_costs(self, pairs: NamedPairs, source: Any, frame: Frame) -> np.ndarray:
        unit, weight = self._knowledge_weight(source, frame), pairs.weights(source.rows)
        each = np.where(pairs.must, self.must_strength, self.cannot_strength) * pairs.strength
        for kind in (pairs.must, ~pairs.must):
            each[kind] *= unit * weight[kind] / (weight[kind].sum() or 1.0)
        return each

    # ------------------------------------------------------------------ read-outs
    def _readout(self, model: Any, state: Any, units: Any, width: Any = None) -> FittedCredal:
        return FittedCredal(model, state, units)

    def _publish_more(self, members: Any, outcome: Outcome) -> None:
        model, source = outcome.model, outcome.source
        units, frame = source.rows.units, model.frame
        assert isinstance(model.partition, Fuzzy)
        self.beta_, self.cardinality_power_ = float(model.partition.m), float(frame.power)
        self.masses_ = members.masses
        if model.labels is not None:
            strength = self._label_strength()
            self.label_strength_ = float(strength) if isinstance(strength, Real) else 1.0
        self.focal_sets_ = np.vstack([np.zeros(frame.sets.shape[1]), frame.sets]).astype(bool)
        self.noise_distance_ = float(np.sqrt(units.squares_to_data(frame.noise)))
        terms = _terms(members, outcome)
        values = units.squares_to_data(np.array([*terms.values()])).tolist()
        self.objective_terms_ = dict(zip(terms, values, strict=True))

    @property
    def credal_partition_(self) -> CredalPartition:
        """The masses as a `softclust.credal.CredalPartition`."""
        return CredalPartition(self.masses_, self.focal_sets_)

    def predict_mass(self, X: Any) -> Any:
        """Predict the masses of each row over `focal_sets_`.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        masses : ndarray of shape (n_samples, n_sets)
            Rows sum to 1.
        """
        return self._members(X).masses


def _with_neighbours(frame: Frame, outcome: Outcome) -> Frame:
    """The frame with the pairs of clusters that a first fit found to be each other's nearest."""
    return replace(frame, sets=with_pairs(neighbouring_pairs(outcome), frame.sets.shape[1]))


def _terms(members: Any, outcome: Outcome) -> dict[str, float]:
    """The parts of J in loop units, by name."""
    model, fit, rows = outcome.model, outcome.fit, outcome.source.rows
    terms = {"data": fit.history[-1], "labels": 0.0, "must_link": 0.0, "cannot_link": 0.0}
    if model.links is not None and rows.links is not None:
        terms["must_link"], terms["cannot_link"] = link_costs(rows.linked, model, fit.state)
    if (known := model.known(rows)) is not None:
        place, wanted, delta = known
        weight = rows.weights[place]
        terms["labels"] = float(
            (weight * delta * (1 - (wanted * np.asarray(members.masses[place])[:, 1:]).sum(axis=1))).sum()
        )
    terms["other"] = model.objective(fit.state, fit.stats) - fit.stats.loss
    terms["data"] -= sum(terms.values()) - terms["data"]
    return terms


def _check_power(power: float, c: int, dtype: Any) -> None:
    """Refuse a power by which the costs of the largest set have no float."""
    most = _MOST_FACTOR[dtype]
    if power * np.log(c) > np.log(most):
        raise InvalidParameterError(
            f"cardinality_power={power:g} multiplies the cost of a set of {c} clusters beyond {most:g}; "
            f"{np.floor(np.log(most) / np.log(c)):g} or less would fit."
        )
