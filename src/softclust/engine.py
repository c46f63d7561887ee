"""The one loop: sweep the rows, step the prototypes, until they rest."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from softclust.acceleration import SCHEMES
from softclust.model import sweep
from softclust.records import Fit

_MOST_HALVINGS = 15  # of a step of rough prototypes
_ROUNDING = 1e-12  # J is a sum of many numbers: a rise below this share of it is rounding


@dataclass(frozen=True)
class Options:
    """When to stop, and how to hurry."""

    max_iter: int = 300
    tol: float = 1e-6  # largest step of a coordinate, in units of the data's spread
    acceleration: str | None = None


def step(model, state, stats):
    """The prototypes that minimise J for the memberships behind these statistics."""
    theta = model.prototypes.solve(stats, state.theta, model.frame, model.separation)
    return replace(state, theta=theta, linked=stats.linked)


def alternate(model, source, state, options):
    """Alternate sweeps and steps from a state; J of the accepted states never rises.

    Stops at the first state whose own step is not longer than `tol`; that state is the answer, so the
    statistics, J and memberships returned all belong to it.
    """
    scheme = SCHEMES[options.acceleration]() if options.acceleration else None
    history, best, plain, shift, n_iter = [], np.inf, None, np.inf, 0
    accepted, halvings = None, 0
    while True:
        stats = source.reduce(sweep, model, state)
        value = model.objective(state, stats)
        uphill = not value <= best + _ROUNDING * abs(best)
        if scheme and plain is not None and uphill:
            state, plain = plain, None  # the extrapolation went uphill: take the plain step
            scheme.restart()
            continue
        if uphill and accepted is not None and getattr(model.prototypes, "is_rough", False):
            halvings += 1
            if halvings > _MOST_HALVINGS:  # no part of the step lowers J: this is as low as it gets
                return Fit(*accepted, tuple(history), n_iter, True, 0.0)
            state = _halfway(model.prototypes, accepted[0], state)
            continue
        halvings = 0
        best = min(best, value)
        history.append(value)
        answer = replace(state, linked=stats.linked)
        accepted = answer, stats
        if n_iter >= options.max_iter:
            return Fit(answer, stats, tuple(history), n_iter, False, shift)
        n_iter += 1
        new = _relocate_empty(model, source, step(model, state, stats), stats)
        shift = model.prototypes.shift(new.theta, state.theta)
        if shift <= options.tol:
            return Fit(answer, stats, tuple(history), n_iter, True, shift)
        plain = new if scheme else None
        state = _extrapolate(scheme, model.prototypes, state, new) if scheme else new


def _halfway(prototypes, state, new):
    """The state in the middle between two."""
    point = 0.5 * (prototypes.packed(state.theta) + prototypes.packed(new.theta))
    return replace(new, theta=prototypes.unpacked(point, new.theta))


def _extrapolate(scheme, prototypes, state, new):
    """The state that the scheme proposes; `new` itself where that is not finite."""
    with np.errstate(over="ignore", invalid="ignore"):  # coordinates of any size: see the next line
        point = scheme.propose(prototypes.packed(state.theta), prototypes.packed(new.theta))
    if not np.isfinite(point).all():
        return new
    return replace(new, theta=prototypes.unpacked(point, new.theta))


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
    empty = np.flatnonzero(stats.weight <= 0)
    # Next to another centre a row may be the worst served and yet the worst place, under a separation.
    if not model.partition.relocates or model.separation is not None or len(empty) == 0:
        return state
    worst = source.reduce(farthest, model, state, len(empty))
    V = state.centers.copy()
    served = worst.distances > 0  # as many distinct rows as there are: the rest keep their place
    V[empty[served]] = worst.points[served]
    return replace(state, theta=(V, *state.theta[1:]))
