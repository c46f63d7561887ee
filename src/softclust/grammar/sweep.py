"""`sweep` and `assign` read a block of rows through a model."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from softclust.grammar.model import Model
from softclust.grammar.partitions import Members
from softclust.grammar.state import State, Stats
from softclust.knowledge.linked import Linked
from softclust.knowledge.penalties import LabelLikelihood
from softclust.sources.rows import Rows
from softclust.values import cache_last

_LEAST_COST = 1e-280


def sweep(rows: Rows, model: Model, state: State) -> Stats:
    """One pass over a block: distances -> memberships -> influence -> additive statistics."""
    if rows.graph is not None and model.links is not None:
        return _sweep_linked(rows, model, state)
    if model.rule is None:
        return sweep_by_parts(rows, model, state)
    block, told = _block(rows, model)
    columns, frame = model.prototypes.columns(state.theta, model.frame), model.frame
    sums, moments = block.sweep(columns, model.scale(state.scale))
    K = len(columns[0])
    weight, scatter = sums[1 : K + 1], sums[K + 1 :]
    if not frame.is_singletons:  # the pass has seen costs: the influence of a distance is greater
        weight = weight * frame.factor
        moments = tuple(m * frame.factor.reshape(-1, *[1] * (m.ndim - 1)) for m in moments)
    stats = Stats(float(sums[0]), weight, scatter, moments)
    return stats if told is None else stats + sweep_by_parts(told, model, state)


@cache_last
def _block(rows, model):
    """The block as compiled passes take it, and the rows of it for which there is no such pass."""
    told = rows.labelled if isinstance(model.labels, LabelLikelihood) else None
    known = model.known(rows) if told is None else told[:1]
    costs = None if model.frame.is_singletons else (model.frame.factor, model.frame.least[rows.X.dtype])
    block = model.prototypes.passes.Block(
        rows.X, rows.weight, rows.units.packed(rows.X.dtype), rows.products_fit and model.frame.products_fit, costs,
        model.rule, model.parameters, known, model.labels.kernel if known is not None and told is None else None,
    )  # fmt: skip
    return block, told and told[1]


@np.errstate(over="ignore")  # what has no float counts for nothing
def sweep_by_parts(rows: Rows, model: Model, state: State) -> Stats:
    """The same pass made of the parts' own functions: runs any sentence, and defines the meaning."""
    points, D, cost = _distances(rows, model, state)
    known = _charged(model, rows, cost)
    W, loss = model.partition.influence(cost, model.scale(state.scale), model.frame.noise)
    if known is not None:
        place = known[0]
        _, _, W[place], loss[place], _, _ = _solved(model, state, cost, known)
    weight = _weight(rows, model, D)
    return _sums(points, cost, W * weight[:, None], float(weight @ loss), model, state)


def _charged(model, rows, cost):
    """What is known of the rows; None where nothing is, or where it is in the costs now."""
    known = model.known(rows)
    if known is None or not isinstance(model.labels, LabelLikelihood):
        return known
    cost[known[0]] += model.labels.charges(*known[1:])
    return None


def _weight(rows, model, D):
    """(n,) what each row counts for, by its density among the centres where that was asked for."""
    weight = np.ones(len(D)) if rows.weight is None else rows.weight
    if model.centre_density_rate:
        weight = weight * np.exp(-model.centre_density_rate * D).sum(axis=1)
    return weight


def _distances(rows, model, state):
    """Points, squared distances and costs of a block, the latter in float64."""
    points = rows.points
    D = model.prototypes.distances(points, state.theta, model.frame)
    return points, D.astype(np.float64), model.frame.costs(D).astype(np.float64)


def _sums(points, cost, W, loss, model, state, linked=None):
    """The statistics of a block from its influence on the costs."""
    scatter = (W * cost).sum(axis=0)
    if not model.frame.is_singletons:
        W = W * model.frame.factor
    moments = model.prototypes.moments(points, W, state.theta, model.frame)
    return Stats(loss, W.sum(axis=0), scatter, moments, linked)


@cache_last
def _told_of_linked(rows, model):
    """What is known of the linked rows: linear pressure b of a row that weighs 1, f, and alpha."""
    q, K = len(rows), len(model.frame.sets)
    shape = q, K + (model.noise_cost is not None)
    b, wanted, alpha = np.zeros(shape), np.full(shape, np.nan), np.zeros(q)
    known = model.known(rows)
    if known is None or model.partition.is_entropic:
        return b, wanted, alpha
    place, target, strength = known
    if model.labels.is_linear:
        b[place] = strength[:, None]  # of masses that sum to 1; the empty set has t = 0
        b[place, :K] *= 1 - target
    else:
        wanted[place, :K], alpha[place] = target, strength
    return b, wanted, alpha


def _linked(rows, model, cost, weight):
    """What the linked rows of a block pay, noise being one more column."""
    if model.noise_cost is not None:
        cost = np.column_stack([cost, np.full(len(cost), model.noise_cost)])
    b, wanted, alpha = _told_of_linked(rows, model)
    if model.partition.is_entropic:
        _charged(model, rows, cost)
        cost, alpha = cost * weight[:, None], weight
    else:
        cost, b = np.maximum(cost * weight[:, None], _LEAST_COST), b * weight[:, None]
    return Linked(cost, b, wanted, alpha, rows.graph, model.link_forms, len(model.frame.sets))


def _sweep_linked(rows, model, state):
    """The pass over the block of linked rows, which find their memberships together."""
    points, D, cost = _distances(rows, model, state)
    weight = _weight(rows, model, D)
    linked = _linked(rows, model, cost, weight)
    p, own = model.partition.settle(linked, state.linked)
    loss = float((linked.cost * own).sum() + (linked.b * p).sum()) + float(linked.paid(p).sum())
    if model.partition.is_entropic:
        loss += float(weight @ np.where(p > 0, p * np.log(np.maximum(p, 1e-300)), 0.0).sum(axis=1))
    if model.labels is not None and model.labels.printed_centers:
        own = replace(linked, alpha=np.zeros(len(p))).own(p, model.partition.rule.m)
    return _sums(points, cost, own[:, : cost.shape[1]] * weight[:, None], loss, model, state, p)


def link_costs(rows: Rows, model: Model, state: State) -> tuple[float, float]:
    """What must- and cannot-links cost at a state, from the block of linked rows."""
    nothing = np.ones((len(rows), len(model.frame.sets)))
    return _linked(rows, model, nothing, np.ones(len(rows))).pair_costs(state.linked)


def assign(rows: Rows, out: Members, model: Model, state: State) -> None:
    """Write what the state says of each row of a block into the arrays of `out`."""
    if rows.graph is not None and model.links is not None and state.linked is not None:
        _write(out, _assign_linked(rows, model, state))
        return
    if model.rule is None:
        _write(out, assign_by_parts(rows, model, state))
        return
    block, _ = _block(rows, model)
    block.assign(model.prototypes.columns(state.theta, model.frame), model.scale(state.scale), *out)
    if (known := model.known(rows)) is not None:  # few rows, once: the pass itself knows no labels
        _write(out, assign_by_parts(rows.take(known[0]), model, state), known[0])


def _write(out, members, place=slice(None)):
    for array, values in zip(out, members, strict=True):
        if array is not None and len(array) and values is not None:
            array[place] = values


@np.errstate(over="ignore")
def assign_by_parts(rows: Rows, model: Model, state: State) -> Members:
    cost = model.frame.costs(model.prototypes.distances(rows.points, state.theta, model.frame))
    known = _charged(model, rows, cost)
    members = model.partition.members(cost, model.scale(state.scale), model.frame.noise)
    if known is None:
        return members
    U, T, _, _, share, labels = _solved(model, state, cost, known)
    return members.with_known(known[0], U, T, labels, share if model.frame.noise else None)


def _assign_linked(rows, model, state):
    members = assign_by_parts(replace(rows, known=None), model, state)
    K = len(model.frame.sets)
    U = state.linked[:, :K]
    labels = np.where(U.sum(axis=1) > 0, U.argmax(axis=1), members.labels)
    if model.partition.relocates and model.frame.noise:  # rows in noise have a label, which keeps links too
        cost = model.frame.costs(model.prototypes.distances(rows.points, state.theta, model.frame))
        labels = _linked(rows, model, cost, np.ones(len(rows))).clusters(state.linked)
    share = state.linked[:, K] if model.frame.noise else None
    return members.with_known(np.arange(len(rows)), U, None, labels, share)


def _solved(model, state, cost, known):
    """What the label term says of labelled rows: U, T, W, loss, noise's share and label."""
    place, target, alpha = known
    return model.labels.solve(model, model.scale(state.scale), cost[place], target, alpha)
