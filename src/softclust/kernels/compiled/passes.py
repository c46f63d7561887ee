"""The two compiled passes over a block, `sweep` and `assign`, for clusters that are points or have metrics.

Each pass is one function for both: a rule takes seconds to compile, and is compiled here once.
"""

from softclust.kernels.codes import HARD, MANY_CLUSTERS, MANY_COORDINATES, NARROW_EXPONENT, TILE
from softclust.kernels.compiled.blocks import add_moments, squared_distances
from softclust.kernels.compiled.decorators import compiled, compiled_pass
from softclust.kernels.compiled.ellipsoids import add_moments_about, metric_distances, mirror
from softclust.kernels.compiled.memberships import members
from softclust.kernels.compiled.rules import influence, least_influence
from softclust.kernels.compiled.sums import dot
from softclust.kernels.compiled.tiles import accumulate, add_rows, load_tile, load_weights, to_directions
from softclust.kernels.compiled.vector_math import exp_or_zero

_NARROW, _TINY_NARROW = 2.0**NARROW_EXPONENT, 2.0**-120


@compiled
def _centre_density(d, weight, rate):
    """Compute Schneider's row weights, Xia 2011 eq. (5): weight <- weight * sum_k exp(-rate d_k)."""
    least = least_influence(d)
    for i in range(TILE):
        total = 0.0
        for k in range(d.shape[0]):
            total += exp_or_zero(-rate * d[k, i], least)
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
def _tile_distances(xt, V, roots, level, parameters, z, rows, d):
    """Compute the distances of a tile; with `by_direction`, its rows are divided by their length first.

    A row of zeros has no direction: it is 1 from every cluster.
    """
    by_direction = parameters.by_direction != 0.0
    if by_direction:
        to_directions(xt, rows[1], rows[2])
    _distances(xt, V, roots, level, z, rows[1], d)
    if by_direction:
        for k in range(d.shape[0]):
            for i in range(TILE):
                d[k, i] = d[k, i] if rows[2, i] > 0.0 else 1.0


@compiled
def _are_within(V, limit):
    """Tell whether no coordinate lies beyond the limit."""
    for k in range(V.shape[0]):
        for j in range(V.shape[1]):
            if not -limit <= V[k, j] <= limit:
                return False
    return True


@compiled_pass(
    "F2 D1 F1 b F1 F1 l P L1",
    "F2 F2 F2 F2 F2 F2 F2 D2 F2 F3 F1 D1 D1 D2 D3",
)
def sweep(
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
    one_by_one = (
        kind == HARD
        and parameters.by_direction == 0.0
        and roots.shape[0] == 0
        and c >= MANY_CLUSTERS
        and c * X.shape[1] >= MANY_COORDINATES
    )
    position = 0
    for start in range(0, X.shape[0], TILE):
        count = load_tile(X, start, units, xt)
        load_weights(weight, start, count, row_weight)
        _tile_distances(xt, V, roots, level, parameters, z, rows, d)
        if parameters.density_rate > 0.0:
            _centre_density(d, row_weight, parameters.density_rate)
        _as_costs(d, factor, least)
        influence(kind, parameters, scale, d, w, other, spare, rows, tiny, narrow)
        while position < left_out.shape[0] and left_out[position] < start + count:
            row_weight[left_out[position] - start] = 0.0
            position += 1
        sums[0] += dot(row_weight, loss)
        if (
            count < TILE or weight.shape[0] > 0 or left_out.shape[0] > 0 or parameters.density_rate > 0.0
        ):  # otherwise each row weighs 1
            for k in range(c):
                for i in range(TILE):
                    w[k, i] *= row_weight[i]
        accumulate(d, w, sums[1 : c + 1], sums[c + 1 :])
        if one_by_one:
            add_rows(X, start, count, units, w, rows[1], row_weight, moment)
        elif roots.shape[0] == 0:
            add_moments(xt, w, moment)
        else:
            add_moments_about(xt, V, w, z, weighed, moment, second)
    mirror(second)


@compiled_pass(
    "F2 F1 F2 F3 F1 F1 F1 l P D1 D1",
    "F2 F2 F2 F2 F2 F2 F2 F2 F2 I1 F1",
)
def assign(
    X, units, V, roots, level, factor, least, kind, parameters, scale, tails,
    xt, z, d, u, t, spare, rows, U, T, label, score,
):  # fmt: skip
    """Write memberships U, typicalities T (if T has rows), label and outlier score of each row."""
    c = V.shape[0]
    for start in range(0, X.shape[0], TILE):
        count = load_tile(X, start, units, xt)
        _tile_distances(xt, V, roots, level, parameters, z, rows, d)
        _as_costs(d, factor, least)
        members(kind, parameters, scale, tails, d, u, t, spare, rows)
        for i in range(count):
            label[start + i] = int(rows[1, i])
            score[start + i] = rows[3, i]
            for k in range(c):
                U[start + i, k] = u[k, i]
            if T.shape[0] > 0:
                for k in range(c):
                    T[start + i, k] = t[k, i]
