"""Check the loops that a checkpoint file holds against the fit that wants to go on from them."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any

import numpy as np

from softclust.grammar.coherence import check_state, check_stats
from softclust.grammar.state import Fit
from softclust.loop.acceleration import SCHEMES, Anderson, QuasiNewton, Squarem
from softclust.loop.engine import LoopState

if TYPE_CHECKING:
    from softclust.grammar.model import Model
    from softclust.loop.engine import Options


def check_kept(kept: Fit | LoopState, model: Model, source: Any, options: Options) -> None:
    """Raise a ValueError that names the first part of a kept loop that does not fit its model and rows."""
    p, linked = source.rows.X.shape[1], _linked_shape(model, source)
    states = [kept.state] if isinstance(kept, Fit) else [kept.state, kept.plain, kept.answer]
    for state in states:
        if state is not None:
            check_state(model, state, p, linked)
    at = kept.state if isinstance(kept, Fit) or kept.answer is None else kept.answer
    for stats in (kept.stats, None if isinstance(kept, Fit) else kept.swept):
        if stats is not None:
            check_stats(model, at, stats, linked)
    if kept.stats is not None:  # an error if the shapes of these clusters cannot be told
        model.prototypes.published(at.theta, kept.stats, model.frame, source.rows.units)
    if isinstance(kept, LoopState) and (kept.answer is None) != (kept.stats is None):
        raise ValueError("the memory of a loop has statistics without their state")
    if kept.n_iter < 0 or not np.isfinite(list(kept.history)).all() or not kept.shift >= 0:
        raise ValueError("the counts of a loop are not those of a loop")
    if isinstance(kept, Fit) and not kept.history:
        raise ValueError("a finished loop has no objective")
    _check_scheme(kept.scheme, model.prototypes.packed(kept.state.theta).size, options)


def _linked_shape(model: Model, source: Any) -> tuple[int, int] | None:
    """Return the shape of the memberships of linked rows; None without pairs."""
    links = source.rows.links
    if links is None or model.links is None:
        return None
    columns = len(model.frame.sets) + (model.noise_cost is not None)
    return len(np.unique(links.ends)), columns


def _check_scheme(scheme: Any, size: int, options: Options) -> None:
    """Check that a scheme is that of the options, and that all of its vectors have this size."""
    if scheme is None:
        return
    if options.acceleration is None or type(scheme) is not SCHEMES[options.acceleration]:
        raise ValueError(f"the acceleration is {type(scheme).__name__}, not {options.acceleration}")
    if isinstance(scheme, QuasiNewton) and not -1 <= scheme.count < 2**40:
        raise ValueError(f"the acceleration has learned {scheme.count} pairs")
    if isinstance(scheme, Anderson) and not (
        len(scheme.steps) == len(scheme.changes) <= scheme.window and (scheme.last or not scheme.steps)
    ):
        raise ValueError("the acceleration has not as many steps as changes")
    if isinstance(scheme, Squarem) and len(scheme.points) > 1:
        raise ValueError("the acceleration has more than one point")
    for field in fields(scheme):
        value = getattr(scheme, field.name)
        for array in value if isinstance(value, list | tuple) else [value]:
            if isinstance(array, np.ndarray):
                _check_vectors(array, size, scheme)


def _check_vectors(array: np.ndarray, size: int, scheme: Any) -> None:
    shapes: list[tuple[int, ...]] = [(size,)]
    if isinstance(scheme, QuasiNewton):
        window = scheme.window
        shapes = [(0, 0), (2 + 2 * window, size), (2, window)]
    if array.shape not in shapes or array.dtype != np.float64 or not np.isfinite(array).all():
        raise ValueError(f"the acceleration holds an array of shape {array.shape}; {shapes[-1]} would fit")
