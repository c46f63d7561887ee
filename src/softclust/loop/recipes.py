"""Recipes for fitting a model: which loops run, in which order, on how many of the rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from softclust.grammar.frame import Frame, mutual_pairs
from softclust.grammar.model import Model
from softclust.grammar.partitions import Fuzzy
from softclust.grammar.separation import NoMinimumError
from softclust.grammar.state import Fit, State, Stats
from softclust.grammar.sweep import assign_by_parts, sweep
from softclust.loop.engine import LoopState, Options, alternate, restart_from, resume
from softclust.loop.scales import Scaling, coincident, floored, gaps, natural_scale
from softclust.sources.local import SAMPLE_ROWS

if TYPE_CHECKING:
    from softclust.grammar.partitions import Partition
    from softclust.grammar.prototypes import Prototypes
    from softclust.grammar.prototypes.base import Theta
    from softclust.sources.rows import Rows


_GROWTH = 5  # each further stage sees this many times more rows
_COARSE_TOL = 1e-2
_COARSE_ITER = 50
_QUICK_TOL = 1e-3  # for fits that only tell whether clusters stay apart
_QUICK_ITER = 200
_LOWER = 1e-9  # share of J by which a fit must end lower to count
_MOST_HALVINGS = 20  # of an automatic strength of the separation


@dataclass(frozen=True)
class Start:
    """Where a fit begins: at `given` centres, or at the best of the centres that `draws` yields.

    If the scales come from an FCM run, that run begins here and the model goes on from its end, as in the
    papers.  Labels hold in the FCM run too, so that clusters keep their classes.
    """

    given: tuple[Any, ...] | None  # arguments of `Prototypes.begin`: centres, perhaps with shapes
    draws: Callable[[Any], Iterable[tuple[Any, ...]]] | None = None  # sample -> tuples as `given`
    sampled: bool = True  # whether draws compete on a sample, which then grows
    found: Fit | None = None  # a coarse fit, from whose end the fit goes on; `given` and `draws` are None


@dataclass(frozen=True)
class Outcome:
    """The result of a recipe: the model with all strengths as numbers, its fit, and natural scales.

    The natural scale of a cluster is gamma_k with K = 1: its own mean squared distance, whatever
    bandwidth the fit was asked to use.
    """

    model: Model
    fit: Fit
    natural_scale: np.ndarray
    source: Any  # the rows, with their labels and pairs
    kept: np.ndarray | None = None  # the clusters that merging has left, by their first numbers; None: all


def run(
    model: Model, source: Any, start: Start, scaling: Scaling, options: Options, rng: np.random.Generator
) -> Outcome:
    """Fit a model, which is a sentence of the grammar.

    If an automatic strength of the separation turns out too great, it is halved and the fit begins anew.
    """
    for halvings in range(_MOST_HALVINGS):
        try:
            return _run(model, source, start, scaling, options, rng, 0.5**halvings)
        except NoMinimumError:
            assert model.separation is not None  # no other part raises this error
            if not model.separation.is_automatic:
                raise
    return _run(replace(model, separation=None), source, start, scaling, options, rng, 0.0)


def _run(
    model: Model,
    source: Any,
    start: Start,
    scaling: Scaling,
    options: Options,
    rng: np.random.Generator,
    share: float,
) -> Outcome:
    """Fit a model with a share of the automatic strength of its separation.

    An FCM run comes first if the model needs scales, or centres to go on from.
    """
    uses_scale = model.partition.uses_scale
    theta: Theta | None = None if start.given is None else model.prototypes.begin(*start.given)
    scale = natural = scaling.value
    automatic = model.separation is not None and model.separation.is_automatic
    if (scale is None and (uses_scale or automatic)) or (theta is None and uses_scale):
        # PCM and its kin go on from the centres of an FCM run, as in the papers; without it a default fit
        # would collapse.
        # Noise takes part in it, or a far outlier would get a centre to itself there.
        noise = model.frame.noise if uses_scale else 0.0
        frame = Frame.singletons(model.n_clusters, noise or model.prototypes.fence)
        companion = Model(model.prototypes, Fuzzy(scaling.m), frame, labels=model.labels)
        fuzzy = _fit_plain(companion, source, start, options, rng)
        if scale is None:
            natural = natural_scale(companion, source, fuzzy, scaling.cut)
            scale = scaling.factor * natural
        theta = fuzzy.state.theta
    if scaling.tighten:
        assert theta is not None and scale is not None  # only partitions with scales are tightened
        model, scale = _widest(model, source, theta, scale, scaling.tighten, options, rng)
    sentence, model = model, _resolve(model, source, theta, scale, share)
    if not uses_scale or theta is None:
        fit = _fit_plain(model, source, start, options, rng)
        return Outcome(model, fit, floored(fit.stats.mean_distance, source.rows.units), source)
    fit = alternate(model, source, _begin(model, theta, scale), options)
    if scaling.value is None and scaling.passes == 2:
        again = replace(fit.state, scale=floored(fit.stats.mean_distance, source.rows.units))
        model = _resolve(sentence, source, again.theta, again.scale, share)
        second = alternate(model, source, again, options)
        fit = replace(second, n_iter=fit.n_iter + second.n_iter)
    assert natural is not None  # given, or found by the FCM run
    return Outcome(model, fit, natural, source)


@dataclass(frozen=True)
class _Remembering:
    """New rows, together with the statistics of earlier rows.

    `past` are the statistics of a sweep of the earlier rows with `prototypes` at `theta`.
    """

    source: Any
    past: Stats
    prototypes: Prototypes
    theta: Theta

    def __len__(self) -> int:
        return len(self.source)

    @property
    def rows(self) -> Rows:
        return self.source.rows

    def reduce(self, f: Callable[..., Any], *args: Any) -> Any:
        """Sum f over the new rows; statistics of a sweep include the earlier rows."""
        found = self.source.reduce(f, *args)
        if not isinstance(found, Stats):
            return found
        model, state = args
        return self.prototypes.moved(self.past, self.theta, state.theta, model.frame) + found


def go_on(model: Model, source: Any, state: State, past: Stats, options: Options) -> Outcome:
    """Fit to further rows; earlier rows keep the influence that they had."""
    part, rows = model.prototypes, _Remembering(source, past, model.prototypes, state.theta)
    model = replace(model, prototypes=part.with_more_rows(source.rows.total_weight))
    fit = alternate(model, rows, state, options)
    natural = floored(fit.stats.mean_distance, source.rows.units)
    return Outcome(
        model, fit, cast(np.ndarray, state.scale) if model.partition.uses_scale else natural, source
    )


def _widest(
    model: Model,
    source: Any,
    theta: Theta,
    scale: np.ndarray,
    tighten: Callable[[Model, np.ndarray, float], tuple[Model, np.ndarray]],
    options: Options,
    rng: np.random.Generator,
) -> tuple[Model, np.ndarray]:
    """Find the widest clusters that do not fall together: tau = 1, 2, 4, ... 64, on at most 20,000 rows.

    The search ends at the first tau at which every two centres end at least half as far apart as they
    start, and at 64 if there is no such tau.  Wider clusters are more robust, but a mode seeker lets
    neighbouring clusters fall into one.
    """
    small = source.sample(SAMPLE_ROWS, rng)
    quick = replace(
        options, tol=max(options.tol, _QUICK_TOL * source.rows.units.spread), max_iter=_QUICK_ITER
    )
    apart = gaps(theta[0])
    for tau in 2.0 ** np.arange(7):
        trial, width = tighten(model, scale, float(tau))
        resolved = _resolve(trial, small, theta, width)
        fit = alternate(resolved, small, _begin(resolved, theta, width), quick)
        if (gaps(fit.state.centers) >= 0.5 * apart).all():
            break
    return trial, width


def _resolve(
    model: Model, source: Any, theta: Theta | None, scale: np.ndarray | None, share: float = 1.0
) -> Model:
    """Return the model with the strength of its separation as numbers in loop units.

    An automatic strength is multiplied by `share`.
    """
    part = model.separation
    if part is None:
        return model
    if not part.is_automatic:
        part = part.in_units(model.n_clusters, source.rows.units)
    else:
        plain = replace(model, separation=None, frame=Frame.singletons(model.n_clusters, model.frame.noise))
        assert theta is not None and scale is not None  # from the FCM run before an automatic strength
        stats = source.reduce(sweep, plain, State(theta, scale))
        part = part.chosen(theta[0], stats.weight, scale, source.rows.total_weight)
        part = replace(part, strength=np.multiply(part.strength, share))
    return replace(model, separation=part)


def _begin(model: Model, theta: Theta, scale: np.ndarray | None = None) -> State:
    """Return the first state, with centres so far apart that J is finite."""
    if model.separation is not None:
        theta = (model.separation.apart(theta[0]), *theta[1:])
    return State(theta, scale)


def _fit_plain(model: Model, source: Any, start: Start, options: Options, rng: np.random.Generator) -> Fit:
    """Fit from the given start as it is, or from the best of the draws on a sample, then to all rows.

    The sample grows fivefold from stage to stage, so that few passes see all of the rows.
    """
    fit = _fit_once(model, source, start, options, rng)
    if options.acceleration is None:  # the loop as the papers print it
        return fit
    fit = _with_links_anew(model, source, fit, options)
    other = _with_links_late(model, source, start, options, rng)
    return fit if other is None or fit.history[-1] <= other.history[-1] else other


def _with_links_late(
    model: Model, source: Any, start: Start, options: Options, rng: np.random.Generator
) -> Fit | None:
    """Fit without pairs, and go on with pairs from the end; None where no such fit competes.

    Pairs hold rows of two clusters together while clusters have not found their shapes, and shapes that fit
    such a mixture are a minimum.  Centres without shapes seldom end lower this way (ECM: 5 of 96 fits).
    """
    drawn = start.given is None
    if model.links is None or not model.prototypes.has_shape or not drawn or options.observers.stopped:
        return None
    plain = _fit_once(replace(model, links=None), source, start, options, rng)
    fit = alternate(model, source, restart_from(plain), options)
    return _with_links_anew(model, source, fit, options)


def _with_links_anew(model: Model, source: Any, fit: Fit, options: Options) -> Fit:
    """Let linked rows begin anew at the end of a fit, and go on from there, for as long as J ends lower.

    Rows that begin anew try several starts, which may be better now that the centres have moved.
    """
    while fit.state.linked is not None and fit.converged and options.observers.stopped is None:
        state, least = restart_from(fit), fit.history[-1]
        stats = source.reduce(sweep, model, state)
        if abs(model.objective(state, stats) - least) <= _LOWER * abs(least):  # they are where they were
            break
        again = alternate(model, source, replace(state, linked=stats.linked), options)
        if not again.history[-1] < least - _LOWER * abs(least):
            break
        fit = replace(again, n_iter=fit.n_iter + again.n_iter)
    return fit


def _fit_once(model: Model, source: Any, start: Start, options: Options, rng: np.random.Generator) -> Fit:
    """Fit from the start; pairs are found once at the start, and followed from there."""
    if start.given is not None:
        return alternate(model, source, _begin(model, model.prototypes.begin(*start.given)), options)
    if start.found is not None:
        begin = _gone_on(start.found)
        if start.sampled:
            begin = _grown(model, source, restart_from(start.found), options, rng)
        return alternate(model, source, begin, options)
    small, drawn = _drawn(source, start, rng)
    starts = [_begin(model, model.prototypes.begin(*theta)) for theta in drawn]
    begin = starts[0]
    if len(starts) > 1 or small is not source:
        best = _best(model, small, starts, _coarse(options, source))
        begin = _gone_on(best)
        if small is not source:
            begin = _grown(model, source, restart_from(best), options, rng)
    return alternate(model, source, begin, options)


def _drawn(source: Any, start: Start, rng: np.random.Generator) -> tuple[Any, list[tuple[Any, ...]]]:
    """Return the rows on which starts compete, and arguments of `Prototypes.begin` for each start."""
    small = source.sample(SAMPLE_ROWS, rng) if start.sampled else source
    if start.given is not None:
        return small, [start.given]
    assert start.draws is not None  # a start is given or drawn
    return small, list(start.draws(small))


def _gone_on(fit: Fit) -> State | LoopState:
    """Return where a fit to the same rows goes on; linked rows begin anew, and try several starts."""
    return resume(fit) if fit.state.linked is None else restart_from(fit)


def _best(model: Model, small: Any, starts: list[State], coarse: Options) -> Fit:
    """Return the fit that ends lowest; linked rows make no more than one try in each."""
    if model.links is not None:
        model = replace(model, links=replace(model.links, is_thorough=False))
    return min(
        (alternate(model, small, state, coarse) for state in starts), key=lambda fit: fit.history[-1]
    )


def _coarse(options: Options, source: Any) -> Options:
    """Return the options of fits that only tell which start, or which model, is best."""
    tol = max(options.tol, _COARSE_TOL * source.rows.units.spread)
    return replace(options, tol=tol, max_iter=min(options.max_iter, _COARSE_ITER))


def _grown(model: Model, source: Any, state: State, options: Options, rng: np.random.Generator) -> State:
    """Fit to samples that grow fivefold, from the end of a fit to 20,000 rows."""
    size = SAMPLE_ROWS * _GROWTH
    while size < min(len(source), source.most_sampled):
        small = source.sample(size, rng)
        state = restart_from(alternate(model, small, state, _coarse(options, source)))
        size *= _GROWTH
    return state


def choose(
    rivals: list[Model],
    source: Any,
    start: Start,
    options: Options,
    rng: np.random.Generator,
    cost: Callable[[Model, Fit, Any], float],
) -> tuple[Model, Start]:
    """Fit each of the rivals coarsely to at most 20,000 rows; return the best one, and where it goes on.

    `cost` judges a fit to the sample.  All rivals start at the same draws, and the best one goes on from
    the end of its own fit; a given start stays the start.
    """
    small, begin = _drawn(source, start, rng)
    coarse, lowest = _coarse(options, source), np.inf
    less = small.rows.total_weight - source.rows.total_weight
    for model in rivals:
        part = model.prototypes
        trial = model if small is source else replace(model, prototypes=part.with_more_rows(less))
        starts = [_begin(trial, part.begin(*theta)) for theta in begin]
        fit = _best(trial, small, starts, coarse)
        value = cost(trial, fit, small)
        if value < lowest or lowest == np.inf:
            lowest, best, found = value, model, fit
    if start.given is not None:
        return best, start
    return best, Start(None, None, small is not source, found)


def coarse_fit(
    source: Any,
    prototypes: Prototypes,
    theta: Theta,
    partition: Partition,
    noise: float = 0.0,
    max_iter: int = _COARSE_ITER,
) -> Fit:
    """Fit quickly from theta, to find where another fit starts."""
    options = Options(max_iter, 0.1 * _COARSE_TOL * source.rows.units.spread)
    model = Model(prototypes, partition, Frame.singletons(len(theta[0]), noise))
    return alternate(model, source, State(theta), options)


def _shared_plausibility(rows: Rows, model: Model, state: State) -> np.ndarray:
    """(c, c) sum_i w_i pl_ik pl_il over a block."""
    shares, _, _, empty = assign_by_parts(rows, model, state)
    plausible = (shares * (1 - empty[:, None])) @ model.frame.sets
    weight = rows.weights[:, None]
    return (plausible * weight).T @ plausible


def neighbouring_pairs(outcome: Outcome) -> list[tuple[int, int]]:
    """Find pairs of clusters that are each other's nearest.

    The nearest cluster is the one that is most often plausible for the same row.
    """
    shared = outcome.source.reduce(_shared_plausibility, outcome.model, outcome.fit.state)
    return mutual_pairs(shared)


_MERGE_SHARE = 0.3  # centres of one mode differ a little if their scales do; centres of two modes, by more


def merge(outcome: Outcome, source: Any, scaling: Scaling, options: Options) -> Outcome:
    """Melt coincident centres into one and fit again, until no centres coincide.

    Each new fit has the scales of the fewer clusters.  PCM is a mode seeker (Ortiz): run with more
    clusters than there are modes, it tells their number.
    """
    model, fit, natural = outcome.model, outcome.fit, outcome.natural_scale
    kept = np.arange(model.n_clusters)
    while len(pairs := coincident(fit.state, cast(np.ndarray, fit.state.scale), _MERGE_SHARE)):
        assert fit.state.scale is not None  # only partitions with scales are merged
        keep = np.setdiff1d(np.arange(model.n_clusters), pairs[:, 1])
        state = State(tuple(x[keep] for x in fit.state.theta), fit.state.scale[keep])
        model, natural, kept = model.of_clusters(keep), natural[keep], kept[keep]
        if source.rows.known is not None:
            known = source.rows.known.merged(pairs, keep)
            source = replace(source, rows=replace(source.rows, known=known))
        if scaling.value is None:
            companion = Model(model.prototypes, Fuzzy(scaling.m), Frame.singletons(len(keep)))
            fuzzy = alternate(companion, source, State(state.theta), options)
            natural = natural_scale(companion, source, fuzzy, scaling.cut)
            state = State(fuzzy.state.theta, scaling.factor * natural)
        again = alternate(model, source, state, options)
        fit = replace(again, n_iter=fit.n_iter + again.n_iter)
    return Outcome(model, fit, natural, source, kept)
