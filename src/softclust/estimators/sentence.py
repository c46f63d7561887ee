"""What an estimator says in the words of the grammar, and the model that this makes for given rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from softclust.compat.sklearn import InvalidParameterError
from softclust.errors import ConstraintConflictError, warn
from softclust.estimators.reading import Data
from softclust.grammar.frame import Frame
from softclust.grammar.model import Model
from softclust.grammar.partitions import Partition
from softclust.grammar.prototypes import Prototypes, Request
from softclust.grammar.prototypes.base import SQUARED_LENGTHS
from softclust.grammar.state import Fit
from softclust.knowledge.conflicts import conflict
from softclust.knowledge.label_strength import check_strength, reliable_strength
from softclust.knowledge.pairs import NamedPairs
from softclust.knowledge.penalties import LabelLikelihood, LabelPenalty, LinkPenalty
from softclust.loop import recipes
from softclust.loop.engine import Options
from softclust.loop.recipes import Outcome, Start
from softclust.loop.scales import Scaling
from softclust.loop.summaries import total_variance
from softclust.sources import is_remote
from softclust.sources.density import density_weights
from softclust.sources.rows import keys_of
from softclust.sources.units import Units

STRONGEST_LIKELIHOOD = 1e6  # of labels that multiply likelihoods: beyond, nothing changes


@dataclass(frozen=True)
class Density:
    """Rows in empty regions weigh less (Xia 2011): the rate alpha or "auto", and what tells the density."""

    rate: Any
    from_centers: bool = False


@dataclass(frozen=True)
class LinkWords:
    """What it costs to break a pair, in loop units, and which pairs must hold whatever it costs."""

    costs: Callable[[NamedPairs, Any, Frame], np.ndarray]
    must_hold: Callable[[NamedPairs], np.ndarray] | None = None
    penalty: LinkPenalty = field(default_factory=LinkPenalty)

    def bound(self, pairs: NamedPairs) -> np.ndarray:
        """Which pairs must hold."""
        return np.zeros(len(pairs.ends), dtype=bool) if self.must_hold is None else self.must_hold(pairs)


@dataclass(frozen=True)
class Rivals:
    """Prototypes that compete, made from the prototypes of the sentence, and what judges their fits."""

    prototypes: Callable[[Any], list[Any]]
    cost: Callable[[Model, Fit, Any], float]  # model, fit, the rows of the fit


@dataclass(frozen=True)
class Sentence:
    """The words that an estimator says.

    `prototypes` and `labels` are functions of the rows: prototypes may need their covariance, the term of
    labels their weight.
    """

    partition: Partition
    prototypes: Callable[[Any], Prototypes]  # of the source
    frame: Frame
    labels: Callable[
        [Any, Any, Frame], tuple[Any, Any]
    ]  # source, labels, frame -> source with labels, term of J
    links: LinkWords | None = None
    separation: Any = None
    scaling: Scaling = field(default_factory=Scaling)
    density: Density | None = None
    reach: float = np.inf  # squared distance beyond which rows are noise, for the choice of starts
    merges: bool = False  # whether coincident centres melt into one
    refined: Callable[[Outcome], Frame] | None = None  # the frame of a second fit, from the first
    rivals: Rivals | None = None  # prototypes that compete before the fit

    def weighed(self, data: Data) -> tuple[Any, float]:
        """Rows weighed by eq. (4) of Xia 2011, or the rate of its eq. (5) for the sweep to apply.

        Labelled rows weigh `label_weight` times as much.
        """
        source, rate = data.source, 0.0
        if self.density is not None:
            source, rate = _weighed_by_density(source, self.density)
        return data.with_heavier_labels(source), rate

    def model(self, source: Any, data: Data, centre_rate: float) -> tuple[Model, Any]:
        """The model of this sentence, and the rows with their labels and pairs."""
        labels = links = None
        if data.labels is not None and len(data.labels.rows):
            source, labels = self.labels(source, data.labels, self.frame)
        if data.pairs is not None and self.links is not None:
            source, links = _linked(source, data.pairs, self.frame, self.links)
        prototypes = self.prototypes(source)
        parts = prototypes, self.partition, self.frame, self.separation, centre_rate, labels, links
        return Model(*parts), source


def solve(
    sentence: Sentence,
    data: Data,
    source: Any,
    centre_rate: float,
    start: Start,
    options: Options,
    rng: Any,
) -> Outcome:
    """Fit the sentence; where it has a refined frame, fit that one from the end of the first."""
    model, known = sentence.model(source, data, centre_rate)
    if sentence.rivals is not None:
        models = [replace(model, prototypes=part) for part in sentence.rivals.prototypes(model.prototypes)]
        model, start = recipes.choose(models, known, start, options, rng, sentence.rivals.cost)
    outcome = recipes.run(model, known, start, sentence.scaling, options, rng)
    if sentence.merges:
        outcome = recipes.merge(outcome, known, sentence.scaling, options)
    if sentence.refined is None:
        return outcome
    again = replace(sentence, frame=sentence.refined(outcome), refined=None)
    begin = Start(outcome.model.prototypes.start(outcome.fit.state.theta))
    second = solve(again, data, source, centre_rate, begin, options, rng)
    return replace(second, fit=replace(second.fit, n_iter=outcome.fit.n_iter + second.fit.n_iter))


# ---------------------------------------------------------------------- exponents
LEAST_EXPONENT, MOST_EXPONENT = 1.01, 2.0


def exponent_of(value: float | str, data: Data) -> float:
    """The exponent m of memberships; "auto" is 1 + 2 / p_eff, within [1.01, 2].

    Memberships u_k ~ d_k^(-1/(m-1)) have the log-odds ln(u_k / u_l) = ln(d_l / d_k) / (m - 1).  Those of
    round Gaussians of width s in p directions are (d_l - d_k) / (2 s^2), and d is about p s^2, so that
    ln(d_l / d_k) is about (d_l - d_k) / (p s^2).  The two agree for m - 1 = 2 / p.  With m = 2 in many
    directions all memberships are nearly equal, and the centres fall together.
    """
    if not isinstance(value, str):
        return value
    if data.source.rows.X.shape[1] <= 2:  # spares a pass
        return MOST_EXPONENT
    return min(max(1 + 2 / data.freedom, LEAST_EXPONENT), MOST_EXPONENT)


# ---------------------------------------------------------------------- geometry and noise
def prototypes_for(estimator: Any, partition: Partition, data: Data) -> Callable[[Any], Prototypes]:
    """The geometry of an estimator as a function of the rows."""
    cls, word = data.geometry, estimator._geometry
    if cls.measure == "log densities" and not partition.is_entropic:
        raise InvalidParameterError(
            f"geometry={word!r} does not go with {type(estimator).__name__}: its distances are "
            "logarithms, of which FuzzyCMeans alone takes memberships. geometry='ellipsoids' would fit."
        )
    if estimator.separation is not None and not cls.takes_separation:
        raise InvalidParameterError(
            f"separation={estimator.separation!r} does not go with geometry={word!r}: its centres have no "
            "common distance. geometry='points' would fit."
        )
    init = estimator.init
    given = init[1] if cls.has_one_matrix and is_compound(init) else None
    return partial(cls.from_data, request=Request(word, data.n_clusters, estimator.metric_reg, given))


def is_compound(init: Any) -> bool:
    """Whether a start is centres and something more, not an array of centres."""
    return isinstance(init, tuple | list) and len(init) in (2, 3) and np.ndim(init[0]) == 2


def area_units(cls: type[Prototypes], units: Units) -> Units:
    """The units of squared distances in a geometry."""
    return units if cls.measure == SQUARED_LENGTHS else Units(1.0, np.zeros(1), units.spread)


def noise_for(estimator: Any, partition: Partition, areas: Units) -> float:
    """Squared distance of noise in loop units, 0 for none; or a sentence saying what would fit."""
    distance = estimator.noise_distance
    if distance is None:
        return 0.0
    if partition.is_entropic:
        raise InvalidParameterError(
            f"noise_distance={distance} does not go with geometry={estimator.geometry!r}, whose "
            "distances have no unit. GaussianMixture(noise=True) would fit."
        )
    if not partition.has_noise:
        raise InvalidParameterError(
            f"noise_distance={distance} does not go with {type(estimator).__name__}: "
            "its typicalities already fall to 0 far from every centre. Leave it None and read "
            "outlier_mask_, or use FuzzyCMeans, HardCMeans, PossibilisticFuzzyCMeans or "
            "ImprovedPossibilisticCMeans."
        )
    edge = distance * areas.factor
    return min(max(edge * edge, 1e-290), 1e290)


def _weighed_by_density(source: Any, density: Density) -> tuple[Any, float]:
    rows = source.rows
    if density.rate == "auto":
        variance = total_variance(source)
        rate = 10 / variance if variance > 1e-100 else 1.0  # identical rows: any rate will do
    else:
        rate = min(float(rows.units.squares_to_data(density.rate)), 1e290)
    if density.from_centers:
        return source, rate
    if is_remote(rows.X):
        raise ValueError(
            "density_rate compares all rows with each other, which needs them in memory; "
            "density_from='centers' would fit."
        )
    phi = density_weights(rows, rate, source.threads)
    weight = phi if rows.weight is None else phi * rows.weight
    return replace(source, rows=replace(rows, weight=weight)), 0.0


# ---------------------------------------------------------------------- labels
def degree_term(
    source: Any, labels: Any, frame: Frame, *, strength: Any, everyone: bool, printed_centers: bool
) -> tuple[Any, LabelPenalty]:
    """Rows pay for differing from the degrees that their labels want."""
    rows, n = source.rows, len(source)
    if isinstance(strength, str):
        alpha, confidence = reliable_strength(labels, rows), np.ones(n)
    else:
        alpha, confidence = check_strength(strength, labels, n)
    known = labels.known(frame.sets.shape[1], confidence, everyone=everyone)
    return source.with_known(known), LabelPenalty(alpha, printed_centers)


def likelihood_term(
    source: Any, labels: Any, frame: Frame, *, strength: Any
) -> tuple[Any, LabelLikelihood]:
    """Labels multiply the likelihoods of their rows."""
    given = 1.0 if isinstance(strength, str) else strength
    alpha, confidence = check_strength(given, labels, len(source))
    known = labels.known(frame.sets.shape[1], confidence)
    return source.with_known(known), LabelLikelihood(min(alpha, STRONGEST_LIKELIHOOD))


# ---------------------------------------------------------------------- pairs
def in_deviations(
    pairs: NamedPairs, source: Any, frame: Frame, *, strength: float, unit: str
) -> np.ndarray:
    """Costs of pairs in units of the data's mean squared deviation; 0 x inf is 0."""
    area = total_variance(source) or 1.0 if unit == SQUARED_LENGTHS else 1.0
    each = pairs.strength * (pairs.weights(source.rows) * area)
    with np.errstate(invalid="ignore"):
        return np.where((pairs.strength == 0) | (strength == 0), 0.0, strength * each)


def _linked(
    source: Any, pairs: NamedPairs, frame: Frame, words: LinkWords
) -> tuple[Any, LinkPenalty | None]:
    """The rows with their links, and the penalty for breaking those."""
    with np.errstate(over="ignore"):
        costs = words.costs(pairs, source, frame)
    links = pairs.links(costs, words.bound(pairs))
    if len(links.ends) == 0:
        return source, None
    links = links.in_order_of(keys_of(source.rows.take(links.linked).points))
    return replace(source, rows=replace(source.rows, links=links)), words.penalty


def check_pairs_fit(estimator: Any, sentence: Sentence, data: Data) -> None:
    """Refuse pairs that the model does not take or that cannot hold; warn of those that only cost."""
    pairs, name, n, c = data.pairs, type(estimator).__name__, len(data.source), data.n_clusters
    if pairs is None:
        return
    if sentence.links is None or not sentence.partition.takes_links:
        raise InvalidParameterError(
            f"{name} takes no must_link and cannot_link: the typicalities of a row do not depend on "
            "those of another. HardCMeans, FuzzyCMeans, EvidentialCMeans and GaussianMixture take them."
            if sentence.partition.has_typicalities
            else f"geometry={estimator.geometry!r} takes no must_link and cannot_link; "
            "GaussianMixture does."
        )
    bound = sentence.links.bound(pairs)
    if np.isinf(pairs.strength[~bound]).any():
        i, j = pairs.ends[~bound][np.isinf(pairs.strength[~bound])][0]
        raise ValueError(
            f"The pair of rows {i} and {j} has an infinite strength, but {name} weighs pairs against "
            "data; a finite one would fit, or HardCMeans."
        )
    counts = _counts(estimator.label_strength, n)
    active = data.labels and data.labels.of_rows_that_weigh(counts)
    if bound.any() and (broken := conflict(pairs.where(bound), active, n, c)):
        raise ConstraintConflictError(f"The constraints cannot all hold: {broken}")
    if not bound.all() and (clash := conflict(pairs.where(pairs.strength > 0), active, n, c, False)):
        warn(f"What is known cannot all hold: {clash} See unsatisfied_.", UserWarning)


def _counts(strength: Any, n: int) -> np.ndarray:
    """(n,) above 0 where labels count."""
    automatic = isinstance(strength, str)
    return np.broadcast_to(1.0 if automatic else np.asarray(strength, dtype=float), (n,))
