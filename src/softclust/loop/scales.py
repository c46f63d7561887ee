"""The scales gamma_k of possibilistic models: where they come from, and when clusters coincide."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from softclust.grammar.partitions.fuzzy import fuzzy_memberships

if TYPE_CHECKING:
    from softclust.grammar.model import Model
    from softclust.grammar.partitions import Fuzzy, PossibilisticFuzzy
    from softclust.grammar.state import Fit, State
    from softclust.sources.rows import Rows
    from softclust.sources.units import Units

# A cluster of identical rows has scale 0; the floors below make it positive.
_LEAST_SCALE = 1e-10  # of the mean scale
_LEAST_RADIUS = 1e-10  # of the data's spread
_LEAST = 1e-250  # for when a far outlier has left the other rows no room


@dataclass(frozen=True)
class Scaling:
    """How the scales gamma_k of a possibilistic model are found."""

    value: np.ndarray | None = None  # given scales in loop units; None = from an FCM run
    factor: float = 1.0  # K of Antoine 2018 eq. (2)
    cut: float | None = None  # tau of Ortiz: only rows with u > tau count
    m: float = 2.0  # exponent of the FCM run
    passes: int = 1  # 2: fit, estimate the scales anew from the result, fit again
    # (model, scale, tau) -> both tau times tighter; if given, tau is searched for
    tighten: Callable[[Model, np.ndarray, float], tuple[Model, np.ndarray]] | None = None


def tighter_scale(model: Model, scale: np.ndarray, tau: float) -> tuple[Model, np.ndarray]:
    """Tighten the scales to gamma_k / tau."""
    return model, scale / tau


def tighter_typicalities(model: Model, scale: np.ndarray, tau: float) -> tuple[Model, np.ndarray]:
    """Set b = tau in PFCM, whose typicalities see gamma_k / b."""
    return replace(model, partition=replace(cast("PossibilisticFuzzy", model.partition), b=tau)), scale


def gaps(V: np.ndarray) -> np.ndarray:
    """Distances between the centres, each pair once."""
    k, other = np.triu_indices(len(V), 1)
    return np.sqrt(((V[k] - V[other]) ** 2).sum(axis=1))


@dataclass(frozen=True)
class _Cut:
    """Sums of weight and of weighed distance of the rows above the cut; `+` adds them."""

    weight: np.ndarray
    distance: np.ndarray

    def __add__(self, other: _Cut) -> _Cut:
        return _Cut(self.weight + other.weight, self.distance + other.distance)


def _cut_sums(rows: Rows, model: Model, state: State, tau: float) -> _Cut:
    """Sum weight and distance over the rows of a block with u > tau, for each cluster."""
    D = model.prototypes.distances(rows.points, state.theta, model.frame).astype(np.float64)
    U, _ = fuzzy_memberships(D, cast("Fuzzy", model.partition).m, 0.0)
    W = (tau < U) * rows.weights[:, None]
    return _Cut(W.sum(axis=0), (W * D).sum(axis=0))


def natural_scale(model: Model, source: Any, fuzzy: Fit, tau: float | None) -> np.ndarray:
    """Compute gamma_k = sum u^m d / sum u^m from an FCM fit (Antoine 2018 eq. (2)).

    With a cut tau, gamma_k is the mean d over rows with u > tau.  Ortiz prints u^q in the numerator of
    the cut, which would not be a mean.  A cluster in which no row passes the cut falls back on eq. (2).
    """
    scale = fuzzy.stats.mean_distance
    if tau is not None:
        cut = source.reduce(_cut_sums, model, fuzzy.state, tau)
        scale = np.where(cut.weight > 0, cut.distance / np.where(cut.weight > 0, cut.weight, 1), scale)
    return floored(scale, source.rows.units)


def floored(scale: np.ndarray, units: Units) -> np.ndarray:
    """Raise scales that are too small to divide by."""
    mean = float(scale.sum()) / len(scale)
    floor = max(_LEAST_SCALE * mean, (_LEAST_RADIUS * units.spread) ** 2, _LEAST)
    return np.maximum(scale, floor)


def coincident(state: State, scale: np.ndarray, share: float = 0.1) -> np.ndarray:
    """Find pairs of centres nearer than `share` of the smaller of their two radii sqrt(gamma)."""
    V = state.centers
    d = ((V[:, None] - V[None]) ** 2).sum(axis=2)
    near = d <= share**2 * np.minimum(scale[:, None], scale[None])
    if np.count_nonzero(near) <= len(V):  # as a rule each centre is near only to itself
        return np.empty((0, 2), np.intp)
    return np.argwhere(np.triu(near, 1))
