"""The one loop: sweep the rows, step the prototypes, until they rest."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from softclust.grammar.state import Fit, State, Stats
from softclust.grammar.sweep import sweep
from softclust.loop.acceleration import SCHEMES
from softclust.loop.observers import Observers

_MOST_HALVINGS = 15  # of a step of rough prototypes
_ROUNDING = 1e-12  # J is a sum of many numbers: a rise below this share of it is rounding


@dataclass(frozen=True)
class Options:
    """When to stop, and how to hurry."""

    max_iter: int = 300
    tol: float = 1e-6  # largest step of a coordinate, in units of the data's spread
    acceleration: str | None = None
    observers: Observers = field(default_factory=Observers)


def step(model, state, stats):
    """The prototypes that minimise J for the memberships behind these statistics."""
    theta = model.prototypes.solve(stats, state.theta, model.frame, model.separation)
    return State(theta, state.scale, stats.linked)


@dataclass
class LoopState:
    """What a loop knows between two turns: with the rows and the options, all that follows from it."""

    state: State  # where the next sweep looks
    scheme: Any = None  # of the acceleration
    swept: Stats | None = None  # statistics at that state, where a loop before has been there
    plain: State | None = None  # the plain step, should the extrapolated state lie higher
    answer: State | None = None  # the last accepted state, and its statistics
    stats: Stats | None = None
    history: list[float] = field(default_factory=list)
    best: float = np.inf
    shift: float = np.inf
    n_iter: int = 0

    def fit(self, converged):
        """The last accepted state as the answer."""
        assert self.answer is not None and self.stats is not None
        history = tuple(self.history)
        return Fit(self.answer, self.stats, history, self.n_iter, converged, self.shift, self.scheme)


def resume(fit):
    """Where a loop begins that goes on from the end of another, on the same rows."""
    return LoopState(fit.state, copy(fit.scheme), fit.stats)


def restart_from(fit):
    """Where a loop on other rows begins: without what was said of rows that they do not have."""
    return replace(fit.state, linked=None)


def alternate(model, source, start, options):
    """Alternate sweeps and steps from a state, or from the end of another loop; J never rises.

    Stops at the first state whose own step is not longer than `tol`; that state is the answer, so the
    statistics, J and memberships returned all belong to it.  Interrupted, or asked by one who looks on,
    it gives the last state that it accepted.
    """
    observers = options.observers
    kept = observers.begin(model, source, options) if observers.stopped is None else None
    if isinstance(kept, Fit):
        return kept
    memory = start if kept is None else kept
    if not isinstance(memory, LoopState):
        memory = LoopState(start, SCHEMES[options.acceleration]() if options.acceleration else None)
    try:
        while True:
            is_last = _turn(model, source, options, memory)
            if observers.on_iteration(memory) or is_last:
                break
    except KeyboardInterrupt:
        if memory.answer is None:
            raise
        observers.stopped = "interrupt"
    except Exception:
        observers.end(None)
        raise
    fit = memory.fit(bool(memory.shift <= options.tol))
    if observers.stopped is None:
        observers.end(fit)
    return fit


def _turn(model, source, options, memory):
    """A sweep of a state that is accepted, and a step from it; whether this was the last turn."""
    stats = _sweep_downhill(model, source, memory)
    if stats is None:
        memory.shift = 0.0
        return True
    state = memory.state
    memory.answer, memory.stats = _of(state, stats), stats
    if memory.n_iter >= options.max_iter:
        return True
    memory.n_iter += 1
    new = _relocate_empty(model, source, step(model, state, stats), stats)
    memory.shift = model.prototypes.shift(new.theta, state.theta)
    if memory.shift <= options.tol:
        return True
    memory.plain = new if memory.scheme else None
    memory.state = _extrapolate(memory.scheme, model.prototypes, state, new) if memory.scheme else new
    return False


def _sweep_downhill(model, source, memory):
    """Statistics at a state that is no higher than those before; None where there is none on the way."""
    halvings = 0
    while True:
        stats, memory.swept = memory.swept or source.reduce(sweep, model, memory.state), None
        value = model.objective(memory.state, stats)
        downhill = value <= memory.best + _ROUNDING * abs(memory.best)
        if downhill or (memory.plain is None and not _may_be_halved(model, memory)):
            memory.best = min(memory.best, value)
            memory.history.append(value)
            return stats
        if memory.plain is not None:
            memory.state, memory.plain = memory.plain, None  # the extrapolation went uphill
            memory.scheme.restart()
            continue
        halvings += 1
        if halvings > _MOST_HALVINGS:  # no part of the step lowers J: this is as low as it gets
            return None
        memory.state = _halfway(model.prototypes, memory.answer, memory.state)


def _may_be_halved(model, memory):
    """Whether the step that led to a state may be too long, and where it began is known."""
    return model.prototypes.may_ascend and memory.answer is not None


def _of(state, stats):
    """The state with the memberships of linked rows that its sweep found."""
    return state if stats.linked is None else replace(state, linked=stats.linked)


def _halfway(prototypes, state, new):
    """The state in the middle between two."""
    point = 0.5 * (prototypes.packed(state.theta) + prototypes.packed(new.theta))
    return replace(new, theta=prototypes.unpacked(point, new.theta))


def _extrapolate(scheme, prototypes, state, new):
    """The state that the scheme proposes; `new` where it has no better one."""
    image = prototypes.packed(new.theta)
    point = scheme.propose(prototypes.packed(state.theta), image)
    if point is image:
        return new
    return State(prototypes.unpacked(point, new.theta), new.scale, new.linked)


@dataclass(frozen=True)
class Farthest:
    """The worst served rows seen so far; `+` keeps the worst of both."""

    distances: np.ndarray
    points: np.ndarray

    def __add__(self, other):
        distances = np.concatenate([self.distances, other.distances])
        order = np.argsort(-distances, kind="stable")[: len(self.distances)]
        return Farthest(distances[order], np.concatenate([self.points, other.points])[order])


def farthest(rows, model, state, count):
    """The `count` distinct rows of a block that are farthest from their nearest prototype."""
    points = rows.points
    D = model.prototypes.distances(points, state.theta, model.frame).min(axis=1).astype(np.float64)
    if rows.weight is not None:
        D[rows.weight == 0] = 0.0
    if rows.graph is not None:  # a linked row need not come to a centre on its place
        D[:] = 0.0
    order = np.argsort(-D, kind="stable")[: 8 * count]
    _, first = np.unique(points[order], axis=0, return_index=True)
    order = order[np.sort(first)][:count]
    short = count - len(order)
    order = np.concatenate([order, np.repeat(order[-1:], short)])
    distances = np.concatenate([D[order[: count - short]], np.zeros(short)])
    return Farthest(distances, points[order].astype(np.float64))


def _relocate_empty(model, source, state, stats):
    """Where the partition asks for it, move clusters without rows to the worst served rows."""
    # Next to another centre a row may be the worst served and yet the worst place, under a separation.
    if not model.partition.relocates or model.separation is not None or stats.weight.min() > 0:
        return state
    empty = np.flatnonzero(stats.weight <= 0)
    worst = source.reduce(farthest, model, state, len(empty))
    V = state.centers.copy()
    served = worst.distances > 0  # as many distinct rows as there are: the rest keep their place
    V[empty[served]] = worst.points[served]
    return replace(state, theta=(V, *state.theta[1:]))
