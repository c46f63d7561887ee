"""Squared distances and moments of clusters with metrics of their own."""

import numpy as np

from softclust.kernels.codes import TILE
from softclust.kernels.tiers import load_pass

_squared_distances = load_pass("ellipsoids.squared_distances")
_moments = load_pass("ellipsoids.moments")


def squared_distances(points, V, roots):
    """Return (n, K) squared distances |L_k'(x - v_k)|^2.

    Each row is computed by itself: its bits do not depend on the other rows.
    """
    dtype, (n, p) = points.dtype, points.shape
    D, buffer = np.empty((n, len(V)), dtype), np.empty((2 * p + 1 + len(V), TILE), dtype)
    arrays = (np.ascontiguousarray(x, dtype) for x in (points, V, roots))
    _squared_distances(*arrays, buffer[:p], buffer[p : 2 * p], buffer[2 * p], buffer[2 * p + 1 :], D)
    return D


def moments(points, V, W):
    """Return sum_i W_ik z and sum_i W_ik z z' of each cluster, with z = x_i - v_k, in double precision."""
    c, p = V.shape
    first, second = np.zeros((c, p)), np.zeros((c, p, p))
    points, V, W = (np.ascontiguousarray(x, np.float64) for x in (points, V, W))
    xt, z, weighed, w = (np.empty((rows, TILE)) for rows in (p, p, p, c))
    _moments(points, V, W, xt, z, w, weighed, first, second)
    return first, second
