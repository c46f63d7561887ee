"""The one loop: sweep the rows and step the prototypes until the prototypes rest."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from softclust.grammar.separation import NoMinimumError
from softclust.grammar.state import Fit, State, Stats
from softclust.grammar.sweep import sweep
from softclust.loop.acceleration import SCHEMES
from softclust.loop.observers import Observers

if TYPE_CHECKING:
    from softclust.grammar.model import Model
    from softclust.grammar.prototypes import Prototypes
    from softclust.sources.rows import Rows

_MOST_TRIES = 15  # of one step, for prototypes whose steps may raise J
_ROUNDING = 1e-12  # J is a sum of many numbers: a rise below this share of J is rounding


@dataclass(frozen=True)
class Options:
    """When the loop stops, how it is accelerated, and who observes it."""

    max_iter: int = 300
    tol: float = 1e-6  # largest step of a coordinate, in units of the data's spread
    acceleration: str | None = None
    observers: Observers = field(default_factory=Observers)


def step(model: Model, state: State, stats: Stats) -> State:
    """Return the state whose prototypes minimise J for the memberships behind these statistics."""
    theta = model.prototypes.solve(stats, state.theta, model.frame, model.separation)
    return State(theta, state.scale, stats.linked)


def _shorter(model: Model, state: State, stats: Stats, times: int) -> State:
    """Return a state on a shorter step, after so many steps from this state, or the one before, failed."""
    theta = model.prototypes.shorter(stats, state.theta, model.frame, model.separation, times)
    return State(theta, state.scale, stats.linked)


@dataclass
class LoopState:
    """The state of the loop between two iterations.

    Together with the rows and the options it determines the rest of the loop.
    """

    state: State  # the state that the next sweep reads
    scheme: Any = None  # of the acceleration, with what it has learned
    swept: Stats | None = None  # statistics at `state`, if an earlier loop has swept it
    plain: State | None = None  # the plain step, for when J is higher at an extrapolated `state`
    answer: State | None = None  # the last accepted state
    stats: Stats | None = None  # statistics at `answer`
    history: list[float] = field(default_factory=list)
    best: float = np.inf
    shift: float = np.inf
    n_iter: int = 0
    caution: int = 0  # for steps that may raise J: the number of failures with which the next step begins

    def fit(self, converged: bool) -> Fit:
        """Return the last accepted state as the answer."""
        assert self.answer is not None and self.stats is not None
        history = tuple(self.history)
        return Fit(self.answer, self.stats, history, self.n_iter, converged, self.shift, self.scheme)


def resume(fit: Fit) -> LoopState:
    """Resume from `fit` on the same rows, keeping what the acceleration has learned."""
    return LoopState(fit.state, copy(fit.scheme), fit.stats)


def restart_from(fit: Fit) -> State:
    """Return the state of `fit` for other rows, without the memberships of linked rows."""
    return replace(fit.state, linked=None)


def alternate(model: Model, source: Any, start: State | LoopState, options: Options) -> Fit:
    """Alternate sweeps and steps from a state, or from the end of another loop; J never rises.

    The loop stops at the first state whose own step is not longer than `tol`.  That state is the answer,
    so the statistics, J and memberships returned all belong to it.  A loop that is interrupted, or that
    an observer asks to end, returns the last accepted state.
    """
    observers = options.observers
    kept = observers.begin(model, source, options) if observers.stopped is None else None
    if isinstance(kept, Fit):
        return kept
    memory = start if kept is None else kept
    if not isinstance(memory, LoopState):
        memory = LoopState(
            cast(State, start), SCHEMES[options.acceleration]() if options.acceleration else None
        )
    try:
        while True:
            is_last = _turn(model, source, options, memory)
            if observers.on_iteration(memory) or is_last:
                break
    except KeyboardInterrupt:
        if memory.answer is None:
            raise
        observers.stopped = "interrupt"
    except NoMinimumError:  # this start has no end; the other starts go on
        observers.end(None)
        raise
    fit = memory.fit(bool(memory.shift <= options.tol))
    if observers.stopped is None:
        observers.end(fit)
    return fit


def _turn(model: Model, source: Any, options: Options, memory: LoopState) -> bool:
    """Sweep until a state is accepted, and step from it; return whether this iteration was the last."""
    stats = _sweep_downhill(model, source, memory)
    if stats is None:  # `shift` is still the length of the step that failed: the loop has not converged
        if model.prototypes.stuck_is_rest:
            memory.shift = 0.0
        return True
    state = memory.state
    memory.answer, memory.stats = _of(state, stats), stats
    if memory.n_iter >= options.max_iter:
        return True
    memory.n_iter += 1
    new = _shorter(model, state, stats, memory.caution) if memory.caution else step(model, state, stats)
    memory.shift = model.prototypes.shift(new.theta, state.theta)
    if memory.caution and memory.shift <= options.tol:  # a damped step that is short proves nothing
        memory.caution = 0
        new = step(model, state, stats)
        memory.shift = model.prototypes.shift(new.theta, state.theta)
    if (moved := _relocate_empty(model, source, new, stats)) is not new:
        new, memory.shift = moved, model.prototypes.shift(moved.theta, state.theta)
    if memory.shift <= options.tol:
        return True
    memory.plain = new if memory.scheme else None
    memory.state = _extrapolate(memory.scheme, model.prototypes, state, new) if memory.scheme else new
    return False


def _sweep_downhill(model: Model, source: Any, memory: LoopState) -> Stats | None:
    """Sweep states until one has a J no higher than before, and return its statistics.

    Returns None if no state along the step has such a J.
    """
    failures = memory.caution
    while True:
        stats, memory.swept = memory.swept or source.reduce(sweep, model, memory.state), None
        value = model.objective(memory.state, stats)
        downhill = value <= memory.best + _ROUNDING * abs(memory.best)
        if downhill or (memory.plain is None and not _may_be_shortened(model, memory)):
            memory.best = min(memory.best, value)
            memory.history.append(value)
            memory.caution = max(failures - 1, 0)
            return stats
        if memory.plain is not None:
            memory.state, memory.plain = memory.plain, None  # the extrapolation raised J
            memory.scheme.restart()
            continue
        failures += 1
        if failures > _MOST_TRIES:
            return None
        assert memory.answer is not None and memory.stats is not None  # `_may_be_shortened` has checked it
        memory.state = _shorter(model, memory.answer, memory.stats, failures)


def _may_be_shortened(model: Model, memory: LoopState) -> bool:
    """Whether the last step may be too long, and the state where it began is known."""
    return model.prototypes.may_ascend and memory.answer is not None


def _of(state: State, stats: Stats) -> State:
    """Return the state with the memberships of linked rows that its sweep found."""
    return state if stats.linked is None else replace(state, linked=stats.linked)


def _extrapolate(scheme: Any, prototypes: Prototypes, state: State, new: State) -> State:
    """Return the state that the scheme proposes, or `new` if the scheme has no better one."""
    image = prototypes.packed(new.theta)
    point = scheme.propose(prototypes.packed(state.theta), image)
    if point is image:
        return new
    return State(prototypes.unpacked(point, new.theta), new.scale, new.linked)


@dataclass(frozen=True)
class Farthest:
    """The rows farthest from their nearest prototype so far; `+` keeps the farthest of both."""

    distances: np.ndarray
    points: np.ndarray

    def __add__(self, other: Farthest) -> Farthest:
        """Keep the farthest rows of both, as many as this one has."""
        distances = np.concatenate([self.distances, other.distances])
        order = np.argsort(-distances, kind="stable")[: len(self.distances)]
        return Farthest(distances[order], np.concatenate([self.points, other.points])[order])


def farthest(rows: Rows, model: Model, state: State, count: int) -> Farthest:
    """Find the `count` distinct rows of a block that are farthest from their nearest prototype."""
    points = rows.points
    D = model.prototypes.distances(points, state.theta, model.frame).min(axis=1).astype(np.float64)
    if rows.weight is not None:
        D[rows.weight == 0] = 0.0
    if rows.graph is not None:  # a linked row need not join a centre that is placed on it
        D[:] = 0.0
    order = np.argsort(-D, kind="stable")[: 8 * count]
    _, first = np.unique(points[order], axis=0, return_index=True)
    order = order[np.sort(first)][:count]
    short = count - len(order)
    order = np.concatenate([order, np.repeat(order[-1:], short)])
    distances = np.concatenate([D[order[: count - short]], np.zeros(short)])
    return Farthest(distances, points[order].astype(np.float64))


def _relocate_empty(model: Model, source: Any, state: State, stats: Stats) -> State:
    """Move clusters without rows to the worst served rows, if the partition asks for it."""
    # Under a separation the worst served row may be next to another centre, which is the worst place.
    if not model.partition.relocates or model.separation is not None or stats.weight.min() > 0:
        return state
    empty = np.flatnonzero(stats.weight <= 0)
    worst = source.reduce(farthest, model, state, len(empty))
    V = state.centers.copy()
    served = worst.distances > 0  # with too few distinct rows, the other clusters keep their place
    V[empty[served]] = worst.points[served]
    return replace(state, theta=(V, *state.theta[1:]))
