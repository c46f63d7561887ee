"""The two compiled passes over a block, `sweep` and `assign`, for clusters that are points or have metrics.

Each pass is one function for both: a rule takes seconds to compile, and is compiled here once.
"""

from functools import partial

import numpy as np

from softclust._lazy import paused_at_first
from softclust.kernels.blocks import add_moments, squared_distances
from softclust.kernels.codes import NARROW_EXPONENT
from softclust.kernels.compiled import TILE, compiled, compiled_pass
from softclust.kernels.ellipsoids import add_moments_about, metric_distances, mirror
from softclust.kernels.memberships import members
from softclust.kernels.rules import influence
from softclust.kernels.tiles import accumulate, load_tile, load_weights
from softclust.kernels.vector_math import exp
from softclust.kernels.workspace import plain, read_only, workspace

_NARROW, _TINY_NARROW = 2.0**NARROW_EXPONENT, 2.0**-120
_NONE = read_only(np.empty(0), np.float64)
_TYPES = _, _DOUBLE = np.dtype("f4"), np.dtype("f8")
_NO_SHAPE = {dtype: (np.empty((0, 0, 0), dtype), np.empty(0, dtype)) for dtype in _TYPES}  # roots, levels
_NO_COSTS = {dtype: (read_only(np.empty(0), dtype),) * 2 for dtype in _TYPES}  # factors, least costs
_NO_SECOND = np.empty((0, 0, 0))  # moments


@compiled
def _centre_density(d, weight, rate):
    """Compute Schneider's row weights, Xia 2011 eq. (5): weight <- weight * sum_k exp(-rate d_k)."""
    for i in range(TILE):
        total = 0.0
        for k in range(d.shape[0]):
            total += exp(-rate * d[k, i])
        weight[i] *= total


@compiled
def _as_costs(d, factor, least):
    """Turn distances to sets of clusters into costs: d <- |A|^alpha d, but no less than `least`.

    If all sets are singletons, `factor` is empty and nothing changes.
    """
    for k in range(factor.shape[0]):
        by, floor = factor[k], least[k]
        if by != 1.0 or floor > 0.0:
            for i in range(TILE):
                d[k, i] = max(d[k, i] * by, floor)


@compiled
def _distances(xt, V, roots, level, z, one, d):
    """Compute d[k, i] <- |x_i - v_k|^2, or with roots |L_k'(x_i - v_k)|^2.

    With levels, d is half of that plus the cluster's level.
    """
    if roots.shape[0] == 0:
        squared_distances(xt, V, d)
    else:
        metric_distances(xt, V, roots, z, one, d)
    for k in range(level.shape[0]):
        above = level[k]
        for i in range(TILE):
            d[k, i] = 0.5 * d[k, i] + above


@compiled
def _are_within(V, limit):
    """Tell whether no coordinate lies beyond the limit."""
    for k in range(V.shape[0]):
        for j in range(V.shape[1]):
            if not -limit <= V[k, j] <= limit:
                return False
    return True


@compiled_pass
def _sweep(
    X, weight, units, narrow, factor, least, kind, parameters, left_out,
    xt, z, d, w, other, spare, rows, weighed, V, roots, level, scale, sums, moment, second,
):  # fmt: skip
    """Add a block's loss, weight_k and scatter_k to `sums`, and its moments to `moment` and `second`.

    `left_out` lists rows, in ascending order, that do not count.  The buffers are those of `workspace`.
    """
    c = V.shape[0]
    row_weight, loss = rows[0], rows[3]
    narrow = narrow and roots.shape[0] == 0 and _are_within(V, _NARROW)
    # The least cost: its reciprocal is finite; if all costs are narrow, so is that of a product of eight.
    tiny = 1e-30 if X.itemsize == 4 else (_TINY_NARROW if narrow else 1e-300)
    position = 0
    for start in range(0, X.shape[0], TILE):
        count = load_tile(X, start, units, xt)
        load_weights(weight, start, count, row_weight)
        _distances(xt, V, roots, level, z, rows[1], d)
        if parameters.density_rate > 0.0:
            _centre_density(d, row_weight, parameters.density_rate)
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
            count < TILE or weight.shape[0] > 0 or left_out.shape[0] > 0 or parameters.density_rate > 0.0
        ):  # otherwise each row weighs 1
            for k in range(c):
                for i in range(TILE):
                    w[k, i] *= row_weight[i]
        accumulate(d, w, sums[1 : c + 1], sums[c + 1 :])
        if roots.shape[0] == 0:
            add_moments(xt, w, moment)
        else:
            add_moments_about(xt, V, w, z, weighed, moment, second)
    mirror(second)


@compiled_pass
def _assign(
    X, units, V, roots, level, factor, least, kind, parameters, scale,
    xt, z, d, u, t, spare, rows, U, T, label, score,
):  # fmt: skip
    """Write memberships U, typicalities T (if T has rows), label and outlier score of each row."""
    c = V.shape[0]
    for start in range(0, X.shape[0], TILE):
        count = load_tile(X, start, units, xt)
        _distances(xt, V, roots, level, z, rows[1], d)
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


_KNOWN_TYPES = np.int64, np.float64, np.float64  # positions, wanted degrees, strengths
_NOTHING_KNOWN = (read_only(_NONE, np.int64),)


class Block:
    """A block of rows and the numbers of a model, in the form that the passes take.

    A block holds all that stays from one pass to the next while the prototypes move.

    Parameters
    ----------
    X : (n, p) rows, float32 or float64.
    weight : (n,) row weights, or None.
    units : (factor, limit, origin...), which convert rows to loop units.
    narrow : whether coordinates and factors of costs are so small that a product of eight costs is finite.
    costs : factors and least costs of the sets of clusters, or None if all sets are singletons.
    rule : `Rule` of the partition.
    parameters : `Parameters` of the model.
    known : positions of labelled rows, their wanted degrees and strengths; or None.  Positions alone: these
        rows are left out of the sums.
    solve : function that finds the memberships of labelled rows, `known_rows` or `subset_rows`.
    """

    def __init__(self, X, weight, units, narrow, costs, rule, parameters, known, solve=None):
        dtype = self.dtype = X.dtype
        self.X, self.units, self.narrow = read_only(X, dtype), read_only(units, dtype), narrow
        self.weight = _NONE if weight is None else read_only(weight, np.float64)
        costs = _NO_COSTS[dtype] if costs is None else (read_only(array, dtype) for array in costs)
        self.rule = *costs, rule.kind, parameters
        parts = _NOTHING_KNOWN if known is None else tuple(map(read_only, known, _KNOWN_TYPES))
        self.known, self.said, self.solve = parts[0], parts[1:], solve
        self.buffers, self.run = None, None

    def _sweep(self, buffers):
        """Return the pass with a thread's buffers, as a function of what changes between passes."""
        if self.buffers is not buffers:
            self.buffers, self.run = buffers, partial(
                _run_sweep, self.X, self.weight, self.units, self.narrow, *self.rule, self.known,
                *buffers,
            )  # fmt: skip
        return self.run

    def _columns(self, places):
        """Return places, roots of metrics and levels; an array that these prototypes lack is empty."""
        columns = [plain(array, self.dtype) for array in places]
        return *columns, *_NO_SHAPE[self.dtype][len(places) - 1 :]

    def sweep(self, places, scale):
        """Return the sums over the block: (loss, weight_k, scatter_k) in one vector, and the moments.

        The moments are W'X for points; with metrics they are first and second moments about the places.
        """
        columns = V, roots, _ = self._columns(places)
        c, p = V.shape
        scale, sums, moment = plain(scale, _DOUBLE), np.zeros(2 * c + 1), np.zeros((c, p))
        second = np.zeros((c, p, p)) if len(roots) else _NO_SECOND
        self._sweep(workspace(self.dtype, p, c))(*columns, scale, sums, moment, second)
        if self.said:
            from softclust.kernels.labels import sweep_known  # declaring its functions takes 10 ms

            sweep_known(
                self.solve, self.X, self.weight, self.units, V, roots, *self.rule, scale,
                self.known, *self.said, sums, moment, second,
            )  # fmt: skip
        return sums, (moment, second) if len(roots) else (moment,)

    def assign(self, places, scale, U, T, label, score):
        """Write memberships, typicalities (if T has rows), label and outlier score of each row."""
        columns = self._columns(places)
        c, p = columns[0].shape
        *buffers, _ = workspace(self.dtype, p, c)
        _run_assign(
            self.X, self.units, *columns, *self.rule, plain(scale, _DOUBLE), *buffers, U, T, label, score
        )  # fmt: skip
