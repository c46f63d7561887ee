"""A tile: load, distances, sums.  Arrays are (features, TILE) and (clusters, TILE)."""

from softclust.kernels.compiled import TILE, compiled
from softclust.kernels.transpose import load_pairs, load_square, prefetch


@compiled
def load_tile(X, start, units, xt):
    """Transpose rows start.. of X into xt, in loop units: x * factor - origin, within +-limit."""
    p = X.shape[1]
    rows = min(TILE, X.shape[0] - start)
    whole = (p if p == 2 else p - p % 4) if rows == TILE else 0
    line = 64 // X.itemsize
    for i in range(0, TILE, 4):
        ahead = (start + TILE + i) * p
        for n in range(ahead, ahead + 4 * p, line):
            prefetch(X, n)  # the same rows of the next tile
        if whole == 2:
            load_pairs(X, start + i, 0, units, xt, i)
            continue
        for j in range(0, whole, 4):
            load_square(X, start + i, j, units, xt, i)
    factor, limit = units[0], units[1]
    for j in range(whole, p):
        column, origin = xt[j], units[j + 2]
        for i in range(rows):
            column[i] = min(max(X[start + i, j] * factor - origin, -limit), limit)
    for i in range(rows, TILE):
        for j in range(p):
            xt[j, i] = 0.0
    return rows


@compiled
def load_weights(weight, start, rows, out):
    """Row weights of a tile (all 1 where none are given); 0 for the padding."""
    if weight.shape[0] == 0:
        for i in range(rows):
            out[i] = 1.0
    else:
        for i in range(rows):
            out[i] = weight[start + i]
    for i in range(rows, TILE):
        out[i] = 0.0


@compiled
def squared_distances(xt, V, d):
    """d[k, i] = |x_i - v_k|^2, summed directly: no cancellation, whatever the offset.

    Two clusters and four features at a time: few loads and stores for each multiplication.
    """
    p, c = xt.shape[0], V.shape[0]
    for k in range(c):
        for i in range(TILE):
            d[k, i] = 0.0
    whole = p - p % 4
    for k in range(0, c - 1, 2):
        d0, d1 = d[k], d[k + 1]
        for j in range(0, whole, 4):
            a0, a1, a2, a3 = V[k, j], V[k, j + 1], V[k, j + 2], V[k, j + 3]
            b0, b1, b2, b3 = V[k + 1, j], V[k + 1, j + 1], V[k + 1, j + 2], V[k + 1, j + 3]
            x0, x1, x2, x3 = xt[j], xt[j + 1], xt[j + 2], xt[j + 3]
            for i in range(TILE):
                y0, y1, y2, y3 = x0[i], x1[i], x2[i], x3[i]
                d0[i] += (
                    (y0 - a0) * (y0 - a0)
                    + (y1 - a1) * (y1 - a1)
                    + (y2 - a2) * (y2 - a2)
                    + (y3 - a3) * (y3 - a3)
                )
                d1[i] += (
                    (y0 - b0) * (y0 - b0)
                    + (y1 - b1) * (y1 - b1)
                    + (y2 - b2) * (y2 - b2)
                    + (y3 - b3) * (y3 - b3)
                )
    if c % 2 == 1:
        d0 = d[c - 1]
        for j in range(0, whole, 4):
            a0, a1, a2, a3 = V[c - 1, j], V[c - 1, j + 1], V[c - 1, j + 2], V[c - 1, j + 3]
            x0, x1, x2, x3 = xt[j], xt[j + 1], xt[j + 2], xt[j + 3]
            for i in range(TILE):
                d0[i] += (
                    (x0[i] - a0) * (x0[i] - a0)
                    + (x1[i] - a1) * (x1[i] - a1)
                    + (x2[i] - a2) * (x2[i] - a2)
                    + (x3[i] - a3) * (x3[i] - a3)
                )
    for j in range(whole, p):
        xj = xt[j]
        for k in range(c):
            dk, v = d[k], V[k, j]
            for i in range(TILE):
                dk[i] += (xj[i] - v) * (xj[i] - v)


@compiled
def accumulate(xt, d, w, weight, scatter, moment):
    """Add sum_i w, sum_i w d and sum_i w x to the running sums of each cluster.

    Four clusters and two features at a time, in registers; the last clusters one by one.
    """
    p, c = xt.shape[0], w.shape[0]
    whole_c, whole_p = c - c % 4, p - p % 2
    for k in range(whole_c):
        dk, wk = d[k], w[k]
        total, spread = 0.0, 0.0
        for i in range(TILE):
            total += wk[i]
            spread += wk[i] * dk[i]
        weight[k] += total
        scatter[k] += spread
    for k in range(0, whole_c, 4):
        w0, w1, w2, w3 = w[k], w[k + 1], w[k + 2], w[k + 3]
        for j in range(0, whole_p, 2):
            x0, x1 = xt[j], xt[j + 1]
            s0 = s1 = s2 = s3 = r0 = r1 = r2 = r3 = 0.0
            for i in range(TILE):
                y0, y1 = x0[i], x1[i]
                q0, q1, q2, q3 = w0[i], w1[i], w2[i], w3[i]
                s0 += q0 * y0
                s1 += q1 * y0
                s2 += q2 * y0
                s3 += q3 * y0
                r0 += q0 * y1
                r1 += q1 * y1
                r2 += q2 * y1
                r3 += q3 * y1
            moment[k, j] += s0
            moment[k + 1, j] += s1
            moment[k + 2, j] += s2
            moment[k + 3, j] += s3
            moment[k, j + 1] += r0
            moment[k + 1, j + 1] += r1
            moment[k + 2, j + 1] += r2
            moment[k + 3, j + 1] += r3
        if whole_p < p:
            for q in range(k, k + 4):
                _accumulate_features(xt, w[q], moment[q], p - 1)
    for k in range(whole_c, c):
        _accumulate_cluster(xt, d[k], w[k], weight, scatter, moment[k], k)


@compiled
def _accumulate_cluster(xt, dk, wk, weight, scatter, moment, k):
    """All sums of one cluster, its first two features in the same loop as its weight."""
    second = min(1, xt.shape[0] - 1)
    x0, x1 = xt[0], xt[second]
    total = spread = s0 = s1 = 0.0
    for i in range(TILE):
        q = wk[i]
        total += q
        spread += q * dk[i]
        s0 += q * x0[i]
        s1 += q * x1[i]
    weight[k] += total
    scatter[k] += spread
    moment[0] += s0
    if second == 1:
        moment[1] += s1
    _accumulate_features(xt, wk, moment, 2)


@compiled
def _accumulate_features(xt, wk, moment, first):
    for j in range(first, xt.shape[0]):
        x = xt[j]
        s = 0.0
        for i in range(TILE):
            s += wk[i] * x[i]
        moment[j] += s
