"""Squared distances to clusters with metrics of their own."""

import numpy as np

from softclust.kernels.compiled import TILE, compiled_pass
from softclust.loading import paused_at_first


@compiled_pass
def _squared_distances(points, V, roots, z, D):
    n, p = points.shape
    for start in range(0, n, TILE):
        count = min(TILE, n - start)
        for k in range(V.shape[0]):
            for i in range(count):
                for j in range(p):
                    z[j, i] = points[start + i, j] - V[k, j]
                D[start + i, k] = 0.0
            for q in range(p):
                for i in range(count):
                    z[p, i] = 0.0
                for j in range(q, p):  # S = L L', L lower triangular
                    factor = roots[k, j, q]
                    for i in range(count):
                        z[p, i] += factor * z[j, i]
                for i in range(count):
                    D[start + i, k] += z[p, i] * z[p, i]


_run = paused_at_first(_squared_distances)


def squared_distances(points, V, roots):
    """(n, K) of |L_k'(x - v_k)|^2, each row by itself: the bits do not depend on the other rows."""
    dtype, (n, p) = points.dtype, points.shape
    D = np.empty((n, len(V)), dtype)
    arrays = (np.ascontiguousarray(x, dtype) for x in (points, V, roots))
    _run(*arrays, np.empty((p + 1, TILE), dtype), D)
    return D


@compiled_pass
def _moments(points, V, W, z, first, second):
    n, p = points.shape
    for start in range(0, n, TILE):
        count = min(TILE, n - start)
        for k in range(V.shape[0]):
            for i in range(count):
                for j in range(p):
                    z[j, i] = points[start + i, j] - V[k, j]
            for j in range(p):
                total = 0.0
                for i in range(count):
                    z[p, i] = z[j, i] * W[start + i, k]
                    total += z[p, i]
                first[k, j] += total
                for q in range(j + 1):
                    total = 0.0
                    for i in range(count):
                        total += z[p, i] * z[q, i]
                    second[k, j, q] += total
    for k in range(V.shape[0]):
        for j in range(p):
            for q in range(j):
                second[k, q, j] = second[k, j, q]


_run_moments = paused_at_first(_moments)


def moments(points, V, W):
    """sum_i W_ik z and sum_i W_ik z z' of each cluster, z = x_i - v_k, in double precision."""
    c, p = V.shape
    first, second = np.zeros((c, p)), np.zeros((c, p, p))
    points, V, W = (np.ascontiguousarray(x, np.float64) for x in (points, V, W))
    _run_moments(points, V, W, np.empty((p + 1, TILE)), first, second)
    return first, second
