"""The scales gamma_k of possibilistic models: where they come from, and when clusters fall together."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from softclust.grammar.partitions.fuzzy import fuzzy_memberships

# A cluster of identical rows has scale 0: at least this much of the mean scale, and of the data's spread.
_LEAST_SCALE = 1e-10


_LEAST_RADIUS = 1e-10


_LEAST = 1e-250  # where a far outlier has left the other rows no room


@dataclass(frozen=True)
class Scaling:
    """How the scales gamma_k of a possibilistic model come about."""

    value: np.ndarray | None = None  # given, in loop units; None = from an FCM run
    factor: float = 1.0  # K of Antoine 2018 eq. (2)
    cut: float | None = None  # tau of Ortiz: only rows with u > tau count
    m: float = 2.0  # exponent of the FCM run
    passes: int = 1  # 2: fit, estimate the scales anew from the result, fit again
    tighten: Callable | None = None  # (model, scale, tau) -> both tau times tighter: search for tau


def tighter_scale(model, scale, tau):
    """gamma_k / tau."""
    return model, scale / tau


def tighter_typicalities(model, scale, tau):
    """b = tau in PFCM, whose typicalities see gamma_k / b."""
    return replace(model, partition=replace(model.partition, b=tau)), scale


def gaps(V):
    """Distances between the centres, each pair once."""
    k, other = np.triu_indices(len(V), 1)
    return np.sqrt(((V[k] - V[other]) ** 2).sum(axis=1))


@dataclass(frozen=True)
class _Cut:
    """Weight and distance of the rows above the cut; `+` adds them."""

    weight: np.ndarray
    distance: np.ndarray

    def __add__(self, other):
        return _Cut(self.weight + other.weight, self.distance + other.distance)


def _cut_sums(rows, model, state, tau):
    D = model.prototypes.distances(rows.points, state.theta, model.frame).astype(np.float64)
    U, _ = fuzzy_memberships(D, model.partition.m, 0.0)
    W = (tau < U) * (1.0 if rows.weight is None else rows.weight[:, None])
    return _Cut(W.sum(axis=0), (W * D).sum(axis=0))


def natural_scale(model, source, fuzzy, tau):
    """gamma_k = sum u^m d / sum u^m (Antoine 2018 eq. (2)); with a cut, the mean d over rows with u > tau.

    Ortiz prints u^q in the numerator of the cut, which would not be a mean; a cluster in which no
    row passes the cut falls back on eq. (2).
    """
    scale = fuzzy.stats.mean_distance
    if tau is not None:
        cut = source.reduce(_cut_sums, model, fuzzy.state, tau)
        scale = np.where(cut.weight > 0, cut.distance / np.where(cut.weight > 0, cut.weight, 1), scale)
    return floored(scale, source.rows.units)


def floored(scale, units):
    """Scales by which one can divide."""
    mean = float(scale.sum()) / len(scale)
    floor = max(_LEAST_SCALE * mean, (_LEAST_RADIUS * units.spread) ** 2, _LEAST)
    return np.maximum(scale, floor)


def coincident(state, scale, share=0.1):
    """Pairs of centres nearer than `share` of the smaller of their two radii sqrt(gamma)."""
    V = state.centers
    d = ((V[:, None] - V[None]) ** 2).sum(axis=2)
    near = d <= share**2 * np.minimum(scale[:, None], scale[None])
    if np.count_nonzero(near) <= len(V):  # each only to itself, as a rule
        return np.empty((0, 2), np.intp)
    return np.argwhere(np.triu(near, 1))
