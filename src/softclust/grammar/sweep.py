"""`sweep` and `assign` read a block of rows through a model.

`sweep` adds up the statistics from which the prototypes make their next step; `assign` writes the
memberships of each row.  Both use a compiled pass where the model has one.  `sweep_by_parts` and
`assign_by_parts` do the same with the NumPy functions of the parts, and define the meaning.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from softclust.grammar.model import Model
from softclust.grammar.partitions import Members
from softclust.grammar.partitions.members import tail_scores
from softclust.grammar.state import State, Stats
from softclust.kernels.codes import LEAST_INFLUENCE
from softclust.knowledge.linked import Linked
from softclust.knowledge.penalties import LabelLikelihood
from softclust.sources.rows import Rows
from softclust.values import cache_last

if TYPE_CHECKING:
    from softclust.knowledge.penalties import LabelPenalty, SubsetPenalty

    Known = tuple[np.ndarray, np.ndarray, np.ndarray]  # positions, wanted degrees, strengths

_LEAST_COST = 1e-280


def sweep(rows: Rows, model: Model, state: State) -> Stats:
    """Pass once over a block: distances -> memberships -> influence -> additive statistics.

    `state` holds the prototypes, and whatever else the model carries from one pass to the next.  The result
    has the sums over the rows of the block; the sums of several blocks add.
    """
    if rows.graph is not None and model.links is not None:
        return _sweep_linked(rows, model, state)
    if model.rule is None:
        return sweep_by_parts(rows, model, state)
    block, told = _block(rows, model)
    columns, frame = model.prototypes.columns(state.theta, model.frame), model.frame
    sums, moments = block.sweep(columns, model.scale(state.scale))
    K = len(columns[0])
    weight, scatter = sums[1 : K + 1], sums[K + 1 :]
    if not frame.is_singletons:  # the pass saw costs: the influence on distances is `factor` times as large
        assert frame.factor is not None
        weight = weight * frame.factor
        moments = tuple(m * frame.factor.reshape(-1, *[1] * (m.ndim - 1)) for m in moments)
    stats = Stats(float(sums[0]), weight, scatter, moments)
    return stats if told is None else stats + sweep_by_parts(told, model, state)


@cache_last
def _block(rows: Rows, model: Model) -> tuple[Any, Rows | None]:
    """Prepare a block for the compiled passes; also return its rows that no compiled pass can sweep.

    Such rows are the labelled rows of a `LabelLikelihood`; the compiled pass leaves them out.
    """
    told = rows.labelled if isinstance(model.labels, LabelLikelihood) else None
    known = model.known(rows) if told is None else told[:1]
    costs = None if model.frame.is_singletons else (model.frame.factor, model.frame.least[rows.X.dtype])
    block = model.prototypes.passes.Block(
        rows.X, rows.weight, rows.units.packed(rows.X.dtype),
        rows.products_fit and model.frame.products_fit, costs, model.rule, model.parameters, known,
        cast("LabelPenalty | SubsetPenalty", model.labels).kernel
        if known is not None and told is None else None,
    )  # fmt: skip
    return block, told and told[1]


@np.errstate(over="ignore")  # a distance without a float has no influence
def sweep_by_parts(rows: Rows, model: Model, state: State) -> Stats:
    """Make the same pass with the parts' NumPy functions, which define the meaning and run any model."""
    points, D, cost = _distances(rows, model, state)
    known = _charged(model, rows, cost)
    W, loss = model.partition.influence(cost, model.scale(state.scale), model.frame.noise)
    W[W < LEAST_INFLUENCE] = 0.0  # as the kernels do
    if known is not None:
        place = known[0]
        _, _, W[place], loss[place], _, _ = _solved(model, state, cost, known)
    weight = _weight(rows, model, D)
    return _sums(points, cost, W * weight[:, None], float(weight @ loss), model, state)


def _charged(model: Model, rows: Rows, cost: np.ndarray) -> Known | None:
    """Add the charges of a `LabelLikelihood` to the costs, in place; return the labels of other terms.

    The labels are positions, wanted degrees and strengths of the labelled rows, for `_solved`.  The
    result is None if there are no labels, or if the costs now contain them.
    """
    known = model.known(rows)
    if known is None or not isinstance(model.labels, LabelLikelihood):
        return known
    # No distance makes up for an excluded cluster, and sums of costs still have a float.
    dearest = float(np.finfo(cost.dtype).max) ** 0.9
    cost[known[0]] += np.minimum(model.labels.charges(*known[1:]), dearest)
    return None


def _weight(rows: Rows, model: Model, D: np.ndarray) -> np.ndarray:
    """Return the weights (n,) of the rows, times their density among the centres if the model uses it."""
    weight = rows.weights
    if model.centre_density_rate:
        weight = weight * np.exp(-model.centre_density_rate * D).sum(axis=1)
    return weight


def _distances(rows: Rows, model: Model, state: State) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the points of a block, and in float64 their squared distances and their costs."""
    points = rows.points
    D = model.prototypes.distances(points, state.theta, model.frame)
    return points, D.astype(np.float64), model.frame.costs(D).astype(np.float64)


def _sums(
    points: np.ndarray,
    cost: np.ndarray,
    W: np.ndarray,
    loss: float,
    model: Model,
    state: State,
    linked: np.ndarray | None = None,
) -> Stats:
    """Add up the statistics of a block from the influence W (n, K) of its rows on the costs."""
    scatter = (W * cost).sum(axis=0)
    if not model.frame.is_singletons:
        assert model.frame.factor is not None
        W = W * model.frame.factor
    moments = model.prototypes.moments(points, W, state.theta, model.frame)
    return Stats(loss, W.sum(axis=0), scatter, moments, linked)


@cache_last
def _told_of_linked(rows: Rows, model: Model) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the labels of linked rows: linear pressure b on a row of weight 1, degrees f, and alpha."""
    q, K = len(rows), len(model.frame.sets)
    shape = q, K + (model.noise_cost is not None)
    b, wanted, alpha = np.zeros(shape), np.full(shape, np.nan), np.zeros(q)
    known = model.known(rows)
    if known is None or model.partition.is_entropic:
        return b, wanted, alpha
    place, target, strength = known
    assert model.labels is not None
    if model.labels.is_linear:
        b[place] = strength[:, None]  # on masses that sum to 1; the empty set has t = 0
        b[place, :K] *= 1 - target
    else:
        wanted[place, :K], alpha[place] = target, strength
    return b, wanted, alpha


def _linked(rows: Rows, model: Model, cost: np.ndarray, weight: np.ndarray) -> Linked:
    """Return the terms of J that the linked rows of a block pay; noise is their last column."""
    if model.partition.is_entropic:
        _charged(model, rows, cost)
    if model.noise_cost is not None:
        cost = np.column_stack([cost, np.full(len(cost), model.noise_cost)])
    b, wanted, alpha = _told_of_linked(rows, model)
    if model.partition.is_entropic:
        cost, alpha = cost * weight[:, None], weight
    else:
        cost, b = np.maximum(cost * weight[:, None], _LEAST_COST), b * weight[:, None]
    assert rows.graph is not None and model.link_forms is not None and model.links is not None
    columns, tries = len(model.frame.sets), model.links.is_thorough
    return Linked(cost, b, wanted, alpha, rows.graph, model.link_forms, columns, tries)


def _sweep_linked(rows: Rows, model: Model, state: State) -> Stats:
    """Pass once over the block of linked rows, whose memberships are found together."""
    points, D, cost = _distances(rows, model, state)
    weight = _weight(rows, model, D)
    linked = _linked(rows, model, cost, weight)
    p, own = model.partition.settle(linked, state.linked)
    loss = float((linked.cost * own).sum() + (linked.b * p).sum()) + float(linked.paid(p).sum())
    if model.partition.is_entropic:
        loss += float(weight @ np.where(p > 0, p * np.log(np.maximum(p, 1e-300)), 0.0).sum(axis=1))
    if model.labels is not None and model.labels.printed_centers:
        own = model.partition.factor(p)
    return _sums(points, cost, own[:, : cost.shape[1]] * weight[:, None], loss, model, state, p)


def link_costs(rows: Rows, model: Model, state: State) -> tuple[float, float]:
    """Return the parts of J that must-links and cannot-links cost at a state.

    `rows` is the block of linked rows, `model` has a penalty of pairs, and `state` has memberships of the
    linked rows.
    """
    nothing = np.ones((len(rows), len(model.frame.sets)))
    assert state.linked is not None
    return _linked(rows, model, nothing, np.ones(len(rows))).pair_costs(state.linked)


def assign(rows: Rows, out: Members, model: Model, state: State, tails: np.ndarray | None = None) -> None:
    """Write memberships, typicalities, labels and outlier scores of a block into the arrays of `out`.

    Each array of `out` has a row for each row of the block; an array that is None or empty is left out.
    With `tails`, and without noise, the scores are those of `tail_scores`.
    """
    if rows.graph is not None and model.links is not None and state.linked is not None:
        _write(out, _assign_linked(rows, model, state, tails))
        return
    if model.rule is None:
        _write(out, assign_by_parts(rows, model, state, tails))
        return
    block, _ = _block(rows, model)
    columns = model.prototypes.columns(state.theta, model.frame)
    block.assign(columns, model.scale(state.scale), tails, *out)
    if (known := model.known(rows)) is not None:  # the compiled pass knows no labels; these rows are few
        _write(out, assign_by_parts(rows.take(known[0]), model, state, tails), known[0])


def _write(out: Members, members: Members, place: slice | np.ndarray = slice(None)) -> None:
    """Copy the members into the arrays of `out` at the positions `place`.

    Rounding to the arrays' type makes equals of memberships; the first of equals is the label.
    """
    for array, values in zip(out, members, strict=True):
        if array is not None and len(array) and values is not None:
            array[place] = values
    if not len(out.memberships):
        return
    U, labels = out.memberships[place], out.labels[place]
    is_greatest = np.take_along_axis(U, labels[:, None], axis=1)[:, 0] == U.max(axis=1)
    out.labels[place] = np.where(is_greatest, U.argmax(axis=1), labels)


@np.errstate(over="ignore")
def assign_by_parts(rows: Rows, model: Model, state: State, tails: np.ndarray | None = None) -> Members:
    """Return memberships, typicalities, labels and outlier scores by the parts' own NumPy functions.

    Pairs among the rows do not count.
    """
    cost = model.frame.costs(model.prototypes.distances(rows.points, state.theta, model.frame))
    known = _charged(model, rows, cost)
    members = model.partition.members(cost, model.scale(state.scale), model.frame.noise)
    if known is not None:
        U, T, _, _, share, labels = _solved(model, state, cost, known)
        Q = cost[known[0]] / model.scale(state.scale)
        U, labels = model.partition.labelled_members(U, Q, known[2], labels)
        members = members.with_known(known[0], U, T, labels, share if model.frame.noise else None)
    if tails is None or model.frame.noise or model.partition.is_entropic:
        return members
    return members._replace(scores=tail_scores(cost, tails))


def _assign_linked(rows: Rows, model: Model, state: State, tails: np.ndarray | None) -> Members:
    """Return the members of the block of linked rows, whose memberships the state already holds."""
    members = assign_by_parts(replace(rows, known=None), model, state, tails)
    K = len(model.frame.sets)
    assert state.linked is not None
    U = state.linked[:, :K]
    labels = np.where(U.sum(axis=1) > 0, U.argmax(axis=1), members.labels)
    if model.partition.relocates and model.frame.noise:  # labels of rows in noise must keep the pairs
        cost = model.frame.costs(model.prototypes.distances(rows.points, state.theta, model.frame))
        labels = _linked(rows, model, cost, np.ones(len(rows))).clusters(state.linked)
        U = np.eye(K)[labels]
    share = state.linked[:, K] if model.frame.noise else None
    return members.with_known(np.arange(len(rows)), U, None, labels, share)


def _solved(model: Model, state: State, cost: np.ndarray, known: Known) -> tuple[np.ndarray, ...]:
    """Solve the labelled rows: return their U, T, W, loss, share of noise, and label."""
    place, target, alpha = known
    return cast("LabelPenalty | SubsetPenalty", model.labels).solve(
        model, model.scale(state.scale), cost[place], target, alpha
    )
