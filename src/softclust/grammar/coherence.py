"""Check that the parts of a model, its state and its statistics fit together.

A fit makes parts that fit.  Files may hold anything, and compiled passes check no bounds, so whatever comes
from a file passes through here.  Each function raises a ValueError that names the part that does not fit.
"""

from __future__ import annotations

from dataclasses import fields
from math import inf
from typing import Any

import numpy as np

from softclust.grammar.frame import MOST_SETS, Frame
from softclust.grammar.model import Model
from softclust.grammar.prototypes.base import LOG_DENSITIES, Prototypes
from softclust.grammar.state import State, Stats
from softclust.sources.units import LARGEST_EXPONENT, Units

_EDGE = 2.0 ** (LARGEST_EXPONENT[np.dtype("f8")] + 1)  # no centre is farther from the origin of the loop
_LEAST_TOTAL = float(np.finfo(float).tiny)  # weight of all rows, by which sums are divided
_ABOVE_1 = float(np.nextafter(1.0, 2.0))
# Ranges of the numbers of partitions, by their names.
_RANGES = {
    "m": (_ABOVE_1, inf),
    "eta": (_ABOVE_1, inf),
    "a": (0.0, inf),
    "b": (0.0, inf),
    "beta": (0.0, 1.0),
    "noise": (-inf, inf),
}
_KINDS = "full", "tied", "diag", "spherical"  # of covariances


def check_array(
    array: Any, name: str, shape: tuple[int, ...], least: float = -inf, most: float = inf, kind: str = "f"
) -> None:
    """Raise an error unless an array has this shape, a dtype of this kind and finite entries in a range."""
    if not isinstance(array, np.ndarray) or array.shape != shape:
        raise ValueError(f"{name} has shape {np.shape(array)}; {shape} would fit")
    if array.dtype.kind not in kind or (kind == "f" and array.dtype != np.float64):
        raise ValueError(f"{name} is of the type {array.dtype}; {'float64' if kind == 'f' else kind} fits")
    if array.size and kind == "f" and not np.isfinite(array).all():
        raise ValueError(f"{name} has entries that are not finite")
    if array.size and not (least <= array.min() and array.max() <= most):
        raise ValueError(f"{name} has entries outside of {least:g} to {most:g}")


def check_number(value: Any, name: str, least: float = -inf, most: float = inf) -> None:
    """Raise an error unless a number is finite and in a range."""
    if not (np.isfinite(value) and least <= value <= most):
        raise ValueError(f"{name} is {value}; a finite number from {least:g} to {most:g} would fit")


def check_units(units: Units, p: int) -> None:
    """Check the units of rows with p features."""
    check_array(units.origin, "the origin", (p,), -_EDGE, _EDGE)
    check_number(units.factor, "the factor of units", 2.0**-1000, 2.0**1000)
    if np.frexp(units.factor)[0] != 0.5:
        raise ValueError(f"the factor of units is {units.factor}; a power of two would fit")
    check_number(units.spread, "the spread", 1e-300, 1.0)


def check_model(model: Model, p: int) -> None:
    """Check the parts of a model of rows with p features."""
    _check_frame(model.frame)
    _check_prototypes(model.prototypes, p)
    for field in fields(model.partition):
        value = getattr(model.partition, field.name)
        if value is not None and not isinstance(value, bool):
            check_number(value, f"{field.name} of the partition", *_RANGES[field.name])
    check_number(model.centre_density_rate, "the density rate", 0.0)
    is_entropic = model.partition.is_entropic
    if is_entropic != (model.prototypes.measure == LOG_DENSITIES):
        raise ValueError(
            f"{type(model.partition).__name__} does not go with {type(model.prototypes).__name__}"
        )
    if is_entropic and bool(model.frame.noise) != (getattr(model.partition, "noise", None) is not None):
        raise ValueError("the frame and the partition do not agree on noise")
    if model.frame.noise and not model.partition.has_noise:
        raise ValueError(f"{type(model.partition).__name__} has no noise")
    _check_term(model.labels)
    if model.separation is not None:
        _check_separation(model.separation, model.n_clusters)


def _check_separation(separation: Any, c: int) -> None:
    """Check that there is one strength of a separation, or one for each of c clusters."""
    strength = separation.strength
    if isinstance(strength, list | tuple):
        strength = np.array(strength, dtype=float)
    if isinstance(strength, np.ndarray):
        shape = (1,) if strength.shape == (1,) else (c,)
        check_array(strength, "the strengths of the separation", shape, 0.0)
    elif isinstance(strength, str):
        raise ValueError(f"the strength of the separation is {strength!r}; the number of a fit would fit")
    else:
        check_number(strength, "the strength of the separation", 0.0)


def _check_term(term: Any) -> None:
    """Check the strength of a label term, and the exponent of one that has an exponent."""
    for name in ("strength", "exponent"):
        value = getattr(term, name, 0.0)
        if not value >= 0:
            raise ValueError(f"the {name} of {type(term).__name__} is {value}; a number >= 0 would fit")


def _check_frame(frame: Frame) -> None:
    sets = frame.sets
    if not isinstance(sets, np.ndarray) or sets.ndim != 2 or not 1 <= sets.shape[1] <= len(sets):
        raise ValueError(f"the sets of clusters have shape {np.shape(sets)}; a row for each set would fit")
    K, c = sets.shape
    if K > max(MOST_SETS, c):
        raise ValueError(f"there are {K} sets of clusters; at most {MOST_SETS} would fit")
    check_array(sets, "the sets of clusters", (K, c), 0.0, 1.0)
    are_sets = ((sets == 0) | (sets == 1)).all() and sets.any(axis=1).all()
    if not are_sets or not (sets[:c] == np.eye(c)).all():
        raise ValueError("the sets of clusters are not 0 and 1 with the singletons first")
    check_number(frame.noise, "the noise of the frame", 0.0)
    check_number(frame.power, "the power of cardinalities", 0.0)
    with np.errstate(over="ignore"):
        if frame.factor is not None and not np.isfinite(frame.factor).all():
            raise ValueError(f"sets of {c} clusters to the power {frame.power} have no float")


def _check_prototypes(prototypes: Prototypes, p: int) -> None:
    """Check the fields of a geometry: arrays have p features along each axis, numbers are >= 0."""
    for field in fields(prototypes):
        value, name = getattr(prototypes, field.name), f"{field.name} of {type(prototypes).__name__}"
        if isinstance(value, np.ndarray):
            shape = (p,) if value.ndim == 1 else (p, p)
            check_array(value, name, shape, 0.0 if value.ndim == 1 else -inf)  # variances, deviations
        elif isinstance(value, str) and value not in _KINDS:
            raise ValueError(f"{name} is {value!r}; one of {', '.join(_KINDS)} would fit")
        elif isinstance(value, int | float | np.number):
            check_number(value, name, _LEAST_TOTAL if field.name == "total" else 0.0)


def check_state(model: Model, state: State, p: int, linked: tuple[int, int] | None = None) -> None:
    """Check a state of a model that was checked; `linked` is the shape of memberships of linked rows."""
    c, K = model.n_clusters, len(model.frame.sets)
    if not state.theta:
        raise ValueError("theta is empty; the centres would fit")
    far = inf if model.prototypes.in_data_units else _EDGE
    check_array(state.theta[0], "the array of centres", (c, p), -far, far)
    expected = model.prototypes.begin(np.zeros((c, p)))
    if len(state.theta) != len(expected):
        raise ValueError(f"theta has {len(state.theta)} arrays; {len(expected)} would fit")
    for number, (array, like) in enumerate(zip(state.theta, expected, strict=True)):
        check_array(array, f"array {number} of theta", like.shape)
    if state.scale is not None:
        check_array(state.scale, "the scales", (K,), 0.0)
    if state.linked is not None:
        if linked is None:
            raise ValueError("there are memberships of linked rows, but no linked rows")
        check_array(state.linked, "the memberships of linked rows", linked, 0.0)
    _try_distances(model, state)


def _try_distances(model: Model, state: State) -> None:
    """Check that the distances between the centres themselves are numbers."""
    try:
        with np.errstate(all="ignore"):
            D = model.prototypes.distances(state.theta[0][:2], state.theta, model.frame)
            if model.rule is not None:
                model.prototypes.columns(state.theta, model.frame)
    except Exception as error:  # of linear algebra: a metric that is not positive definite, or singular
        raise ValueError(f"the prototypes have no distances ({error})") from error
    if D.shape != (min(2, model.n_clusters), len(model.frame.sets)) or np.isnan(D).any():
        raise ValueError(f"{type(model.prototypes).__name__} gives distances that are not numbers")


def check_stats(model: Model, state: State, stats: Stats, linked: tuple[int, int] | None = None) -> None:
    """Check statistics of a sweep at a state that was checked."""
    K, p = len(model.frame.sets), state.theta[0].shape[1]
    check_number(stats.loss, "the loss")
    check_array(stats.weight, "the weights of clusters", (K,), 0.0)
    check_array(stats.scatter, "the scatters of clusters", (K,))
    expected = model.prototypes.moments(np.zeros((1, p)), np.zeros((1, K)), state.theta, model.frame)
    if len(stats.moments) != len(expected):
        raise ValueError(f"there are {len(stats.moments)} moments; {len(expected)} would fit")
    for number, (array, like) in enumerate(zip(stats.moments, expected, strict=True)):
        check_array(array, f"moment {number}", like.shape)
    if stats.linked is not None and linked is None:
        raise ValueError("there are memberships of linked rows, but no linked rows")
    if stats.linked is not None and linked is not None:
        check_array(stats.linked, "the memberships of linked rows", linked, 0.0)
