"""Clusters with metrics of their own: squared distances, and first and second moments.

Rows are the vectorised index, as everywhere: a tile is turned once, and its differences from a place stay
in the first-level cache while they are combined, four features at a time so that each load serves.  The
passes of `passes.py` have a tile in hand; the functions of a block are for all else.
"""

import numpy as np

from softclust._lazy import paused_at_first
from softclust.kernels.compiled import TILE, compiled, compiled_pass


@compiled
def _turn(points, start, count, xt):
    """xt (p, TILE) <- rows of the tile as columns; 0 beyond the last."""
    for i in range(count):
        for j in range(points.shape[1]):
            xt[j, i] = points[start + i, j]
    for j in range(points.shape[1]):
        for i in range(count, TILE):
            xt[j, i] = 0.0


@compiled
def _combine(z, roots, q, out):
    """out <- sum_{j >= q} roots[j, q] z_j: S = L L', L lower triangular."""
    p = z.shape[0]
    j = q
    for i in range(TILE):
        out[i] = 0.0
    while j + 4 <= p:
        a, b, c, d = roots[j, q], roots[j + 1, q], roots[j + 2, q], roots[j + 3, q]
        for i in range(TILE):
            out[i] += a * z[j, i] + b * z[j + 1, i] + c * z[j + 2, i] + d * z[j + 3, i]
        j += 4
    while j < p:
        a = roots[j, q]
        for i in range(TILE):
            out[i] += a * z[j, i]
        j += 1


@compiled
def _away(xt, v, z):
    """z (p, TILE) <- the rows of a tile seen from a place."""
    for j in range(xt.shape[0]):
        at = v[j]
        for i in range(TILE):
            z[j, i] = xt[j, i] - at


@compiled
def metric_distances(xt, V, roots, z, one, d):
    """d[k, i] <- |L_k'(x_i - v_k)|^2; `z` (p, TILE) and `one` (TILE,) are spare."""
    for k in range(V.shape[0]):
        total = d[k]
        _away(xt, V[k], z)
        for i in range(TILE):
            total[i] = 0.0
        for q in range(xt.shape[0]):
            _combine(z, roots[k], q, one)
            for i in range(TILE):
                total[i] += one[i] * one[i]


@compiled_pass
def _squared_distances(points, V, roots, xt, z, one, d, D):
    n = points.shape[0]
    for start in range(0, n, TILE):
        count = min(TILE, n - start)
        _turn(points, start, count, xt)
        metric_distances(xt, V, roots, z, one, d)
        for k in range(V.shape[0]):
            for i in range(count):
                D[start + i, k] = d[k, i]


_run_distances = paused_at_first(_squared_distances)


def squared_distances(points, V, roots):
    """(n, K) of |L_k'(x - v_k)|^2, each row by itself: the bits do not depend on the other rows."""
    dtype, (n, p) = points.dtype, points.shape
    D, buffer = np.empty((n, len(V)), dtype), np.empty((2 * p + 1 + len(V), TILE), dtype)
    arrays = (np.ascontiguousarray(x, dtype) for x in (points, V, roots))
    _run_distances(*arrays, buffer[:p], buffer[p : 2 * p], buffer[2 * p], buffer[2 * p + 1 :], D)
    return D


@compiled
def _add_products(z, weighed, j, second):
    """second[j, q] += sum_i weighed_i z_qi for q <= j."""
    q = 0
    while q + 4 <= j + 1:
        a, b, c, d = 0.0, 0.0, 0.0, 0.0
        for i in range(TILE):
            w = weighed[i]
            a += w * z[q, i]
            b += w * z[q + 1, i]
            c += w * z[q + 2, i]
            d += w * z[q + 3, i]
        second[j, q] += a
        second[j, q + 1] += b
        second[j, q + 2] += c
        second[j, q + 3] += d
        q += 4
    while q <= j:
        a = 0.0
        for i in range(TILE):
            a += weighed[i] * z[q, i]
        second[j, q] += a
        q += 1


@compiled
def add_moments_about(xt, V, w, z, weighed, first, second):
    """first[k] += sum_i w_ki z_i and second[k] += sum_i w_ki z_i z_i', its lower triangle, z_i = x_i - v_k.

    The sums are doubles, and so is `weighed` (TILE,).
    """
    for k in range(V.shape[0]):
        wk = w[k]
        _away(xt, V[k], z)
        for j in range(xt.shape[0]):
            zj = z[j]
            total = 0.0
            for i in range(TILE):
                weighed[i] = np.float64(zj[i]) * wk[i]
                total += weighed[i]
            first[k, j] += total
            _add_products(z, weighed, j, second[k])


@compiled
def mirror(second):
    """The upper triangles, which are the lower ones."""
    for k in range(second.shape[0]):
        for j in range(second.shape[1]):
            for q in range(j):
                second[k, q, j] = second[k, j, q]


@compiled_pass
def _moments(points, V, W, xt, z, w, weighed, first, second):
    n = points.shape[0]
    for start in range(0, n, TILE):
        count = min(TILE, n - start)
        _turn(points, start, count, xt)
        for k in range(V.shape[0]):
            for i in range(TILE):
                w[k, i] = W[start + i, k] if i < count else 0.0
        add_moments_about(xt, V, w, z, weighed, first, second)
    mirror(second)


_run_moments = paused_at_first(_moments)


def moments(points, V, W):
    """sum_i W_ik z and sum_i W_ik z z' of each cluster, z = x_i - v_k, in double precision."""
    c, p = V.shape
    first, second = np.zeros((c, p)), np.zeros((c, p, p))
    points, V, W = (np.ascontiguousarray(x, np.float64) for x in (points, V, W))
    buffer = np.empty((2 * p + 1 + c, TILE))
    _run_moments(
        points, V, W, buffer[:p], buffer[p : 2 * p], buffer[2 * p + 1 :], buffer[2 * p], first, second
    )
    return first, second
