"""The two compiled passes over a block for centres that are points: `sweep` and `assign`."""

import numpy as np

from softclust.kernels.blocks import squared_distances
from softclust.kernels.compiled import TILE, compiled, compiled_pass
from softclust.kernels.rules import influence, members
from softclust.kernels.tiles import accumulate, load_tile, load_weights
from softclust.kernels.vector_math import exp
from softclust.kernels.workspace import read_only, workspace
from softclust.loading import paused_at_first

_TINY = {np.dtype("f4"): 1e-30, np.dtype("f8"): 1e-300}  # least cost: its reciprocal has a float
_TINY_NARROW = {np.dtype("f4"): 1e-30, np.dtype("f8"): 2.0**-120}  # and the product of eight
_NONE = read_only(np.empty(0), np.float64)


@compiled
def _centre_density(d, weight, rate):
    """weight <- weight * sum_k exp(-rate d_k): Schneider's row weights, Xia 2011 eq. (5)."""
    for i in range(TILE):
        total = 0.0
        for k in range(d.shape[0]):
            total += exp(-rate * d[k, i])
        weight[i] *= total


@compiled
def _as_costs(d, factor, least):
    """d <- |A|^alpha d: what a set of clusters costs; nothing where all are singletons."""
    for k in range(factor.shape[0]):
        by, floor = factor[k], least[k]
        if by != 1.0 or floor > 0.0:
            for i in range(TILE):
                d[k, i] = max(d[k, i] * by, floor)


@compiled_pass
def _sweep(
    X, weight, units, V, factor, least, kind, parameters, scale, left_out, tiny, narrow,
    xt, d, w, other, spare, rows, sums, moment,
):  # fmt: skip
    c = V.shape[0]
    row_weight, loss = rows[0], rows[3]
    position = 0
    for start in range(0, X.shape[0], TILE):
        count = load_tile(X, start, units, xt)
        load_weights(weight, start, count, row_weight)
        squared_distances(xt, V, d)
        if parameters[6] > 0.0:
            _centre_density(d, row_weight, parameters[6])
        _as_costs(d, factor, least)
        influence(kind, parameters, scale, d, w, other, spare, rows, tiny, narrow)
        while position < left_out.shape[0] and left_out[position] < start + count:
            row_weight[left_out[position] - start] = 0.0
            position += 1
        total = 0.0
        for i in range(TILE):
            total += row_weight[i] * loss[i]
        sums[0] += total
        if (
            count < TILE or weight.shape[0] > 0 or left_out.shape[0] > 0 or parameters[6] > 0.0
        ):  # else all weigh 1
            for k in range(c):
                for i in range(TILE):
                    w[k, i] *= row_weight[i]
        accumulate(xt, d, w, sums[1 : c + 1], sums[c + 1 :], moment)


@compiled_pass
def _assign(
    X, units, V, factor, least, kind, parameters, scale, xt, d, u, t, spare, rows, U, T, label, score
):  # fmt: skip
    c = V.shape[0]
    for start in range(0, X.shape[0], TILE):
        count = load_tile(X, start, units, xt)
        squared_distances(xt, V, d)
        _as_costs(d, factor, least)
        members(kind, parameters, scale, d, u, t, spare, rows)
        for i in range(count):
            label[start + i] = int(rows[1, i])
            score[start + i] = rows[3, i]
            for k in range(c):
                U[start + i, k] = u[k, i]
            if T.shape[0] > 0:
                for k in range(c):
                    T[start + i, k] = t[k, i]


_run_sweep, _run_assign = paused_at_first(_sweep), paused_at_first(_assign)


def _inputs(X, units, V, scale):
    """The block, its units, the centres and their scales as the compiled passes take them."""
    return (
        read_only(X, X.dtype),
        read_only(units, X.dtype),
        read_only(V, X.dtype),
        read_only(scale, np.float64),
    )


def _costs(costs, dtype):
    """Factor and least cost of each column."""
    factor, least = (_NONE, _NONE) if costs is None else costs
    return read_only(factor, dtype), read_only(least, dtype)


_KNOWN_TYPES = np.int64, np.float64, np.float64  # positions, wanted degrees, strengths
_NOTHING_KNOWN = (read_only(_NONE, np.int64),)


def sweep(X, weight, units, narrow, V, costs, rule, parameters, scale, known=None):
    """Sums over a block: (loss, weight_k, scatter_k) in one vector, and the moments W'X."""
    c, p = V.shape
    X, units, V, scale = _inputs(X, units, V, scale)
    weight = _NONE if weight is None else read_only(weight, np.float64)
    rows, *said = _NOTHING_KNOWN if known is None else map(read_only, known, _KNOWN_TYPES)
    common = X, weight, units, V, *_costs(costs, X.dtype), rule.kind, parameters, scale, rows
    tiny = (_TINY_NARROW if narrow else _TINY)[X.dtype]
    sums, moment = np.zeros(2 * c + 1), np.zeros((c, p))
    _run_sweep(*common, tiny, narrow, *workspace(X.dtype, p, c), sums, moment)
    if said:
        from softclust.kernels.labels import sweep_known  # to declare its functions takes 10 ms

        sweep_known(*common, *said, sums, moment)
    return sums, moment


def assign(X, units, V, costs, rule, parameters, scale, U, T, label, score):
    """Memberships, typicalities (where T has rows), label and outlier score of each row of a block."""
    c, p = V.shape
    X, units, V, scale = _inputs(X, units, V, scale)
    _run_assign(
        X, units, V, *_costs(costs, X.dtype), rule.kind, parameters, scale,
        *workspace(X.dtype, p, c), U, T, label, score,
    )  # fmt: skip
