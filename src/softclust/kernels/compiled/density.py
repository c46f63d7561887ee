"""Sums of a Gaussian kernel around each row: over other rows, far groups skipped, or over cells of rows."""

import numpy as np

from softclust.kernels.codes import CELLS, EDGE, GROUP, LEAST_INFLUENCE, NEGLIGIBLE, TILE
from softclust.kernels.compiled.blocks import scaled_distances, squared_distances
from softclust.kernels.compiled.decorators import compiled_pass
from softclust.kernels.compiled.tiles import load_tile
from softclust.kernels.compiled.vector_math import exp_or_zero, rough_exp2


@compiled_pass("D2 D1 D2 D1 D2 D2 d D2 D2 D1 D1 D1 D1")
def pair_sums(points, units, refs, weight, ref_low, ref_high, rate, xt, d, total, low, high, out):
    """Compute the kernel's sums over reference rows, tile by tile.

    A group of reference rows is skipped if its box is so far from that of the tile that its terms are
    negligible.
    """
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
            first = g * GROUP
            group = refs[first : first + GROUP]
            squared_distances(xt, group, d[: group.shape[0]])
            for k in range(group.shape[0]):
                w = weight[first + k]
                for i in range(TILE):
                    total[i] += w * exp_or_zero(-rate * d[k, i], LEAST_INFLUENCE)
        for i in range(count):
            out[start + i] = total[i]


@compiled_pass("F2 F1 D1 L1 D1 H1 D2")
def into_cells(X, units, weight, widest, cut, cell, sums):
    """Walk each row down the tree of cuts and add it to the sums of its leaf."""
    n, p = X.shape
    leaves = sums.shape[0]
    for i in range(n):
        node = 1
        while node < leaves:
            j = widest[node]
            node = 2 * node + (1 if X[i, j] * units[0] - units[j + 2] >= cut[node] else 0)
        g = node - leaves
        cell[i] = g
        sums[g, 0] += weight[i]
        for j in range(p):
            x = min(max(np.float64(X[i, j] * units[0] - units[j + 2]), -EDGE), EDGE)
            sums[g, 1 + j] += weight[i] * x
            sums[g, 1 + p + j] += weight[i] * x * x


@compiled_pass("F2 F1 D1 H1 S2 S2 S1 S1 F2 S2 S2 S1 D1")
def cell_sums(X, units, weight, cell, scale, origin, factor, share, loaded, xt, d, total, out):
    """Compute the kernel's sums over cells, tile by tile."""
    p = X.shape[1]
    for start in range(0, X.shape[0], TILE):
        count = load_tile(X, start, units, loaded)
        for j in range(p):
            for i in range(TILE):
                xt[j, i] = min(max(loaded[j, i], -EDGE), EDGE)
        for i in range(TILE):
            total[i] = 0.0
        for first in range(0, scale.shape[0], CELLS):
            last = min(first + CELLS, scale.shape[0])
            scaled_distances(xt, origin[first:last], d[: last - first], scale[first:last])
            for g in range(first, last):
                near = d[g - first]
                for i in range(TILE):
                    total[i] += share[g] * rough_exp2(-near[i])
        for i in range(count):  # replace the row's share of its cell's distribution by its exact term
            g, own = cell[start + i], np.float32(0.0)
            for j in range(p):
                own += (scale[g, j] * xt[j, i] - origin[g, j]) ** 2
            out[start + i] = total[i] + weight[start + i] * (1.0 - factor[g] * rough_exp2(-own))
