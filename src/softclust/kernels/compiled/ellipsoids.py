"""Clusters with metrics of their own: squared distances, and first and second moments.

Rows are the vectorised index, as in all kernels.  A tile is transposed once, and its differences from a
place stay in the first-level cache while they are combined, four features at a time, so that one load
serves four products.  The passes of `passes.py` call the functions of a tile; all other code calls the
functions of a block, `squared_distances` and `moments`.
"""

import numpy as np

from softclust.kernels.codes import TILE
from softclust.kernels.compiled.blocks import add_products
from softclust.kernels.compiled.decorators import compiled, compiled_pass
from softclust.kernels.compiled.sums import total


@compiled
def _turn(points, start, count, xt):
    """Transpose a tile: xt (p, TILE) <- its rows as columns, 0 beyond the last row."""
    for i in range(count):
        for j in range(points.shape[1]):
            xt[j, i] = points[start + i, j]
    for j in range(points.shape[1]):
        for i in range(count, TILE):
            xt[j, i] = 0.0


@compiled
def _combine(z, roots, q, out):
    """Compute out <- sum_{j >= q} roots[j, q] z_j, for the metric S = L L' with L lower triangular."""
    p = z.shape[0]
    j = q
    for i in range(TILE):
        out[i] = 0.0
    while j + 4 <= p:
        a, b, c, d = roots[j, q], roots[j + 1, q], roots[j + 2, q], roots[j + 3, q]
        for i in range(TILE):
            x = (out[i] + a * z[j, i]) + b * z[j + 1, i]  # in this order: each is one operation
            out[i] = (x + c * z[j + 2, i]) + d * z[j + 3, i]
        j += 4
    while j < p:
        a = roots[j, q]
        for i in range(TILE):
            out[i] += a * z[j, i]
        j += 1


@compiled
def _away(xt, v, z):
    """Compute z (p, TILE) <- the rows of a tile minus the place v."""
    for j in range(xt.shape[0]):
        at = v[j]
        for i in range(TILE):
            z[j, i] = xt[j, i] - at


@compiled
def metric_distances(xt, V, roots, z, one, d):
    """Compute d[k, i] <- |L_k'(x_i - v_k)|^2; `z` (p, TILE) and `one` (TILE,) are spare buffers."""
    for k in range(V.shape[0]):
        square = d[k]
        _away(xt, V[k], z)
        for i in range(TILE):
            square[i] = 0.0
        for q in range(xt.shape[0]):
            _combine(z, roots[k], q, one)
            for i in range(TILE):
                square[i] += one[i] * one[i]


@compiled_pass("F2 F2 F3 F2 F2 F1 F2 F2")
def squared_distances(points, V, roots, xt, z, one, d, D):
    """Compute D[i, k] <- |L_k'(x_i - v_k)|^2 for a block, tile by tile."""
    n = points.shape[0]
    for start in range(0, n, TILE):
        count = min(TILE, n - start)
        _turn(points, start, count, xt)
        metric_distances(xt, V, roots, z, one, d)
        for k in range(V.shape[0]):
            for i in range(count):
                D[start + i, k] = d[k, i]


@compiled
def add_moments_about(xt, V, w, z, weighed, first, second):
    """Add first[k] += sum_i w_ki z_i and second[k] += sum_i w_ki z_i z_i', with z_i = x_i - v_k.

    Only the lower triangle of second[k] is right.  The sums are doubles, and so is the spare buffer
    `weighed` (p, TILE).
    """
    for k in range(V.shape[0]):
        wk = w[k]
        _away(xt, V[k], z)
        for j in range(xt.shape[0]):
            for i in range(TILE):
                weighed[j, i] = np.float64(z[j, i]) * wk[i]
            first[k, j] += total(weighed[j])
        add_products(z, weighed, second[k])


@compiled
def mirror(second):
    """Copy the lower triangles to the upper ones."""
    for k in range(second.shape[0]):
        for j in range(second.shape[1]):
            for q in range(j):
                second[k, q, j] = second[k, j, q]


@compiled_pass("D2 D2 D2 D2 D2 D2 D2 D2 D3")
def moments(points, V, W, xt, z, w, weighed, first, second):
    """Add the moments of a block about the places V, tile by tile."""
    n = points.shape[0]
    for start in range(0, n, TILE):
        count = min(TILE, n - start)
        _turn(points, start, count, xt)
        for k in range(V.shape[0]):
            for i in range(TILE):
                w[k, i] = W[start + i, k] if i < count else 0.0
        add_moments_about(xt, V, w, z, weighed, first, second)
    mirror(second)
