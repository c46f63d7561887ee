"""Sums of a Gaussian kernel around each row: over other rows, far tiles skipped, or over cells of them."""

import numpy as np

from softclust.kernels.blocks import squared_distances
from softclust.kernels.codes import NEGLIGIBLE
from softclust.kernels.compiled import TILE, compiled, compiled_pass
from softclust.kernels.tiles import load_tile
from softclust.kernels.vector_math import exp, rough_exp
from softclust.kernels.workspace import read_only

_GROUP = 32  # reference rows a tile


def boxes(refs):
    """(groups, p) least and greatest coordinates of each group of reference rows."""
    cuts = np.arange(0, len(refs), _GROUP)
    return np.minimum.reduceat(refs, cuts), np.maximum.reduceat(refs, cuts)


@compiled_pass
def _pair_sums(points, units, refs, weight, ref_low, ref_high, rate, xt, d, total, low, high, out):
    p = points.shape[1]
    for start in range(0, points.shape[0], TILE):
        count = load_tile(points, start, units, xt)
        for i in range(TILE):
            total[i] = 0.0
        for j in range(p):
            low[j] = high[j] = xt[j, 0]
            for i in range(count):
                low[j], high[j] = min(low[j], xt[j, i]), max(high[j], xt[j, i])
        for g in range(ref_low.shape[0]):
            gap = 0.0
            for j in range(p):
                apart = max(max(ref_low[g, j] - high[j], low[j] - ref_high[g, j]), 0.0)
                gap += apart * apart
            if gap * rate >= NEGLIGIBLE:
                continue
            first = g * _GROUP
            group = refs[first : first + _GROUP]
            squared_distances(xt, group, d[: group.shape[0]])
            for k in range(group.shape[0]):
                w = weight[first + k]
                for i in range(TILE):
                    total[i] += w * exp(-rate * d[k, i])
        for i in range(count):
            out[start + i] = total[i]


def _inputs(points):
    """Rows and units as `load_tile` takes them everywhere."""
    units = np.concatenate(([1.0, np.inf], np.zeros(points.shape[1])))
    return read_only(points, points.dtype), read_only(units, points.dtype)


def pair_sums(points, refs, weight, boxes, rate, out):
    """out_i = sum_j weight_j exp(-rate |points_i - refs_j|^2); fast where near rows stand together."""
    p = points.shape[1]
    _pair_sums(
        *_inputs(points), read_only(refs, np.float64), weight, *boxes, rate,
        np.empty((p, TILE)), np.empty((_GROUP, TILE)), np.empty(TILE), np.empty(p), np.empty(p), out,
    )  # fmt: skip


@compiled_pass
def into_cells(points, weight, widest, cut, cell, mass, first, second):
    """cell <- the leaf of each row in a tree of cuts, and the leaves' sums of w, w x and w x^2.

    The cuts are a heap: node q, from 1 on, has the nodes 2 q (below its cut) and 2 q + 1.
    """
    n, p = points.shape
    leaves = mass.shape[0]
    for i in range(n):
        node = 1
        while node < leaves:
            node = 2 * node + (1 if points[i, widest[node]] >= cut[node] else 0)
        g = node - leaves
        cell[i] = g
        mass[g] += weight[i]
        for j in range(p):
            share = weight[i] * points[i, j]
            first[g, j] += share
            second[g, j] += share * points[i, j]


@compiled
def _scaled_distances(xt, mean, rate, d):
    """d_i = sum_j rate_j (x_ij - mean_j)^2, four features at a time."""
    p = xt.shape[0]
    whole = p - p % 4
    for i in range(TILE):
        d[i] = 0.0
    for j in range(0, whole, 4):
        x0, x1, x2, x3 = xt[j], xt[j + 1], xt[j + 2], xt[j + 3]
        c0, c1, c2, c3 = mean[j], mean[j + 1], mean[j + 2], mean[j + 3]
        r0, r1, r2, r3 = rate[j], rate[j + 1], rate[j + 2], rate[j + 3]
        for i in range(TILE):
            z0, z1, z2, z3 = x0[i] - c0, x1[i] - c1, x2[i] - c2, x3[i] - c3
            d[i] += r0 * z0 * z0 + r1 * z1 * z1 + r2 * z2 * z2 + r3 * z3 * z3
    for j in range(whole, p):
        x, c, r = xt[j], mean[j], rate[j]
        for i in range(TILE):
            d[i] += r * (x[i] - c) * (x[i] - c)


@compiled_pass
def _cell_sums(points, units, weight, cell, mean, rate, factor, share, xt, d, total, out):
    p = points.shape[1]
    for start in range(0, points.shape[0], TILE):
        count = load_tile(points, start, units, xt)
        for i in range(TILE):
            total[i] = 0.0
        for g in range(mean.shape[0]):
            _scaled_distances(xt, mean[g], rate[g], d)
            for i in range(TILE):
                total[i] += share[g] * rough_exp(-d[i])
        for i in range(count):  # the row itself is no part of a distribution
            g, own = cell[start + i], np.float32(0.0)
            for j in range(p):
                own += rate[g, j] * (xt[j, i] - mean[g, j]) ** 2
            out[start + i] = total[i] + weight[start + i] * (1.0 - factor[g] * rough_exp(-own))


def cell_sums(out, points, weight, cell, mean, rate, factor, share):
    """out_i = sum_g share_g exp(-sum_j rate_gj (x_ij - mean_gj)^2), the row's own term exact.

    All but `weight` and `out` in single precision, which is more than cells for rows leave.
    """
    p = points.shape[1]
    tile, rows = np.empty((p, TILE), np.float32), np.empty((2, TILE), np.float32)
    _cell_sums(*_inputs(points), weight, cell, mean, rate, factor, share, tile, *rows, out)
