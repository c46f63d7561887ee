"""How a named model is fitted: which loops run, in which order, on how many of the rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from softclust.grammar.frame import Frame, mutual_pairs
from softclust.grammar.model import Model
from softclust.grammar.partitions import Fuzzy
from softclust.grammar.separation import NoMinimumError
from softclust.grammar.state import Fit, State, Stats
from softclust.grammar.sweep import assign_by_parts, sweep
from softclust.loop.engine import Options, alternate, restart_from, resume
from softclust.loop.scales import coincident, floored, gaps, natural_scale

SAMPLE = 20_000  # rows on which starts compete


_GROWTH = 5  # each further stage sees this many times more rows


_COARSE_TOL = 1e-2


_COARSE_ITER = 50


_QUICK_TOL = 1e-3  # of fits that only tell whether clusters stay apart


_QUICK_ITER = 200


_MOST_HALVINGS = 20  # of an automatic strength


@dataclass(frozen=True)
class Start:
    """Where a fit begins: at `given` centres, or at the best of the centres that `draws` yields.

    Where the scales come from an FCM run, that run begins here and the model goes on from its end, as
    in the papers; labels hold that run too, so that clusters keep their classes.
    """

    given: tuple | None  # theta, or its first part: the centres
    draws: Callable | None = None  # of a sample; yields what the prototypes may begin with
    sampled: bool = True  # whether draws compete on a sample, which then grows


@dataclass(frozen=True)
class Outcome:
    """The model with all strengths as numbers, its fit, and the clusters' natural scales.

    The natural scale of a cluster is gamma_k with K = 1: its own mean squared distance, whatever
    bandwidth the fit was asked to use.
    """

    model: Model
    fit: Fit
    natural_scale: np.ndarray
    source: Any  # the rows, with what is known of them


def run(model, source, start, scaling, options, rng) -> Outcome:
    """Fit a sentence of the grammar.

    An automatic strength that turns out too great on the way is halved, and the fit begun anew.
    """
    for halvings in range(_MOST_HALVINGS):
        try:
            return _run(model, source, start, scaling, options, rng, 0.5**halvings)
        except NoMinimumError:
            if not model.separation.is_automatic:
                raise
    return _run(replace(model, separation=None), source, start, scaling, options, rng, 0.0)


def _run(model, source, start, scaling, options, rng, share):
    uses_scale = model.partition.uses_scale
    theta: tuple | None = None if start.given is None else model.prototypes.begin(*start.given)
    scale = natural = scaling.value
    automatic = model.separation is not None and model.separation.is_automatic
    if (scale is None and (uses_scale or automatic)) or (theta is None and uses_scale):
        # PCM and its kin go on from the centres of an FCM run: those of the papers do, and it is what
        # keeps a default fit from collapsing.
        frame = Frame.singletons(model.n_clusters, model.prototypes.fence)
        companion = Model(model.prototypes, Fuzzy(scaling.m), frame, labels=model.labels)
        fuzzy = _fit_plain(companion, source, start, options, rng)
        if scale is None:
            natural = natural_scale(companion, source, fuzzy, scaling.cut)
            scale = scaling.factor * natural
        theta = fuzzy.state.theta
    if scaling.tighten:
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
    return Outcome(model, fit, natural, source)


@dataclass(frozen=True)
class _Remembering:
    """Rows at hand, and the statistics of those that have gone by, from a sweep of prototypes at theta."""

    source: Any
    past: Stats
    prototypes: Any
    theta: tuple

    def __len__(self):
        return len(self.source)

    @property
    def rows(self):
        return self.source.rows

    def reduce(self, f, *args):
        found = self.source.reduce(f, *args)
        if not isinstance(found, Stats):
            return found
        model, state = args
        return self.prototypes.moved(self.past, self.theta, state.theta, model.frame) + found


def go_on(model, source, state, past, options) -> Outcome:
    """Fit to further rows: those that have gone by keep the influence that they had."""
    part, rows = model.prototypes, _Remembering(source, past, model.prototypes, state.theta)
    model = replace(model, prototypes=part.with_more_rows(source.rows.total_weight))
    fit = alternate(model, rows, state, options)
    natural = floored(fit.stats.mean_distance, source.rows.units)
    return Outcome(model, fit, state.scale if model.partition.uses_scale else natural, source)


def _widest(model, source, theta, scale, tighten, options, rng):
    """The widest clusters that do not fall together: tau = 1, 2, 4, ... 64, on at most 20,000 rows.

    The first tau at which every two centres end at least half as far apart as they start; wider
    clusters are more robust, but a mode seeker lets neighbours fall into one.  64 where none does.
    """
    small = source.sample(SAMPLE, rng)
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


def _resolve(model, source, theta, scale, share=1.0):
    """The model with the strength of its separation as numbers in loop units; a share of automatic ones."""
    part = model.separation
    if part is None:
        return model
    if not part.is_automatic:
        part = part.in_units(model.n_clusters, source.rows.units)
    else:
        plain = replace(model, separation=None, frame=Frame.singletons(model.n_clusters, model.frame.noise))
        stats = source.reduce(sweep, plain, State(theta, scale))
        part = part.chosen(theta[0], stats.weight, scale, source.rows.total_weight)
        part = replace(part, strength=np.multiply(part.strength, share))
    return replace(model, separation=part)


def _begin(model, theta, scale=None):
    """The first state, at which J is finite."""
    if model.separation is not None:
        theta = (model.separation.apart(theta[0]), *theta[1:])
    return State(theta, scale)


def _fit_plain(model, source, start, options, rng):
    """From the given start as it is; else the best of the draws on a sample, then all rows.

    The sample grows fivefold from stage to stage, so that few passes see all of the rows.
    """
    if start.given is not None:
        return alternate(model, source, _begin(model, model.prototypes.begin(*start.given)), options)
    small = source.sample(SAMPLE, rng) if start.sampled else source
    starts = [_begin(model, model.prototypes.begin(*drawn)) for drawn in start.draws(small)]
    begin = starts[0]
    if len(starts) > 1 or small is not source:
        coarse = replace(
            options,
            tol=max(options.tol, _COARSE_TOL * source.rows.units.spread),
            max_iter=min(options.max_iter, _COARSE_ITER),
        )
        fits = [alternate(model, small, state, coarse) for state in starts]
        best = min(fits, key=lambda fit: fit.history[-1])
        size = SAMPLE * _GROWTH
        while start.sampled and size < min(len(source), source.most_sampled):
            small = source.sample(size, rng)
            best = alternate(model, small, restart_from(best), coarse)
            size *= _GROWTH
        # Linked rows begin anew: their continuation then ends lower.
        begin = (resume if small is source and best.state.linked is None else restart_from)(best)
    return alternate(model, source, begin, options)


def coarse_fit(source, prototypes, theta, partition, noise=0.0):
    """A quick fit from theta, for where another one starts."""
    options = Options(_COARSE_ITER, 0.1 * _COARSE_TOL * source.rows.units.spread)
    model = Model(prototypes, partition, Frame.singletons(len(theta[0]), noise))
    return alternate(model, source, State(theta), options)


def _shared_plausibility(rows, model, state):
    """(c, c) sum_i pl_ik pl_il over a block."""
    shares, _, _, empty = assign_by_parts(rows, model, state)
    plausible = (shares * (1 - empty[:, None])) @ model.frame.sets
    weight = 1.0 if rows.weight is None else rows.weight[:, None]
    return (plausible * weight).T @ plausible


def neighbouring_pairs(outcome):
    """Pairs of clusters that are each other's nearest: that most often are both plausible for a row."""
    shared = outcome.source.reduce(_shared_plausibility, outcome.model, outcome.fit.state)
    return mutual_pairs(shared)


_MERGE_SHARE = 0.3  # modes of one bump differ with the scale that looks at them; of two, by more


def merge(outcome, source, scaling, options):
    """Melt coincident centres into one and fit again, with scales of the fewer clusters, until none do.

    PCM is a mode seeker (Ortiz): run with more clusters than there are modes, it tells their number.
    """
    model, fit, natural = outcome.model, outcome.fit, outcome.natural_scale
    while len(pairs := coincident(fit.state, fit.state.scale, _MERGE_SHARE)):
        keep = np.setdiff1d(np.arange(model.n_clusters), pairs[:, 1])
        state = State(tuple(x[keep] for x in fit.state.theta), fit.state.scale[keep])
        model, natural = model.of_clusters(keep), natural[keep]
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
    return Outcome(model, fit, natural, source)
