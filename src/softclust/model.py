"""A model is a sentence of the grammar; `sweep` and `assign` read a block of rows through it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from softclust.partitions import Members
from softclust.records import NARROW_EXPONENT, Frame, Rows, State, Stats
from softclust.terms import LabelPenalty


@dataclass(frozen=True)
class Model:
    """J = sum_i w_i [fit(p_i, d_i) + labels(p_i, d_i, f_i)] + separation(V), in the units of the loop."""

    prototypes: Any
    partition: Any
    frame: Frame
    separation: Any = None
    centre_density_rate: float = 0.0  # Schneider's row weights sum_k exp(-rate d_ik); 0 = none
    labels: LabelPenalty | None = None

    @property
    def n_clusters(self):
        return self.frame.sets.shape[1]

    @property
    def is_compiled(self):
        return self.prototypes.passes and self.partition.rule and self.frame.is_singletons

    def of_clusters(self, keep):
        """The same sentence about some of the clusters."""
        separation = self.separation and self.separation.of_clusters(keep, self.n_clusters)
        frame = Frame.singletons(len(keep), self.frame.noise)
        return replace(self, frame=frame, separation=separation)

    def objective(self, state, stats):
        """J of a state, from the statistics of a sweep at it."""
        return stats.loss + (self.separation.value(state.centers) if self.separation else 0.0)

    def parameters(self):
        printed = self.labels is not None and self.labels.printed_centers
        return self.partition.rule.parameters(self.frame.noise, self.centre_density_rate, printed)

    def known(self, rows):
        """Positions, wanted degrees and strengths alpha_i of the rows that the penalty is about."""
        if self.labels is None or rows.known is None:
            return None
        alpha = self.labels.strength * rows.known.confidence
        counts = slice(None) if (alpha > 0).all() else alpha > 0
        return rows.known.rows[counts], rows.known.target[counts], alpha[counts]

    def scale(self, state):
        return np.ones(len(state.centers)) if state.scale is None else state.scale


def sweep(rows: Rows, model: Model, state: State) -> Stats:
    """One pass over a block: distances -> memberships -> influence -> additive statistics."""
    if not model.is_compiled:
        return sweep_by_parts(rows, model, state)
    narrow = rows.narrow and bool(np.abs(state.centers).max() <= 2.0**NARROW_EXPONENT)
    sums, moment = model.prototypes.passes.sweep(
        rows.X, rows.weight, rows.units.packed(rows.X.dtype), narrow, state.centers,
        model.partition.rule, model.parameters(), model.scale(state), model.known(rows),
    )  # fmt: skip
    c = len(moment)
    return Stats(float(sums[0]), sums[1 : c + 1], sums[c + 1 :], (moment,))


def sweep_by_parts(rows: Rows, model: Model, state: State) -> Stats:
    """The same pass made of the parts' own functions: runs any sentence, and defines the meaning."""
    points = rows.points
    D = model.prototypes.distances(points, state.theta, model.frame).astype(np.float64)
    W, loss = model.partition.influence(D, model.scale(state), model.frame.noise)
    if (known := model.known(rows)) is not None:
        place = known[0]
        _, _, W[place], loss[place], _, _ = _known_rows(model, state, D, known)
    weight = np.ones(len(D)) if rows.weight is None else rows.weight
    if model.centre_density_rate:
        weight = weight * np.exp(-model.centre_density_rate * D).sum(axis=1)
    W = W * weight[:, None]
    moments = model.prototypes.moments(points, W, state.theta, model.frame)
    return Stats(float(weight @ loss), W.sum(axis=0), (W * D).sum(axis=0), moments)


def assign(rows: Rows, out: Members, model: Model, state: State) -> None:
    """Write what the state says of each row of a block into the arrays of `out`."""
    if not model.is_compiled:
        for array, values in zip(out, assign_by_parts(rows, model, state), strict=True):
            if array is not None and values is not None:
                array[...] = values
        return
    model.prototypes.passes.assign(
        rows.X, rows.units.packed(rows.X.dtype), state.centers,
        model.partition.rule, model.parameters(), model.scale(state), *out, model.known(rows),
    )  # fmt: skip


def assign_by_parts(rows: Rows, model: Model, state: State) -> Members:
    D = model.prototypes.distances(rows.points, state.theta, model.frame)
    members = model.partition.members(D, model.scale(state), model.frame.noise)
    if (known := model.known(rows)) is None:
        return members
    U, T, _, _, share, labels = _known_rows(model, state, D, known)
    return members.with_known(known[0], U, T, labels, share if model.frame.noise else None)


def _known_rows(model, state, D, known):
    from softclust.kernels.labels import known_rows  # Numba is loaded when the first pass runs

    place, target, alpha = known
    return known_rows(model.partition.rule, model.parameters(), model.scale(state), D[place], target, alpha)
