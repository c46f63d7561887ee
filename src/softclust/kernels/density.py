"""Sums of a Gaussian kernel around each row: over other rows, far groups skipped, or over cells of rows."""

import numpy as np

from softclust.kernels.blocks import scaled_distances, squared_distances
from softclust.kernels.codes import NEGLIGIBLE
from softclust.kernels.compiled import TILE, compiled_pass
from softclust.kernels.tiles import load_tile
from softclust.kernels.vector_math import exp, rough_exp2
from softclust.kernels.workspace import read_only

EDGE = 1e18  # coordinates within +-EDGE have a finite square in single precision
_GROUP = 32  # reference rows that are skipped or summed together
_CELLS = 8  # cells at a time: their distances stay in the first-level cache


def boxes(refs):
    """Return (groups, p) least and (groups, p) greatest coordinates of each group of reference rows."""
    cuts = np.arange(0, len(refs), _GROUP)
    return np.minimum.reduceat(refs, cuts), np.maximum.reduceat(refs, cuts)


@compiled_pass
def _pair_sums(points, units, refs, weight, ref_low, ref_high, rate, xt, d, total, low, high, out):
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
    """Return rows, and units that leave them as they are, in the form that `load_tile` takes."""
    units = np.concatenate(([1.0, np.inf], np.zeros(points.shape[1])))
    return read_only(points, points.dtype), read_only(units, points.dtype)


def pair_sums(points, refs, weight, boxes, rate, out):
    """Compute out_i <- sum_j weight_j exp(-rate |points_i - refs_j|^2).

    It is fast if rows that are near each other are also stored near each other.
    """
    p = points.shape[1]
    _pair_sums(
        *_inputs(points), read_only(refs, np.float64), weight, *boxes, rate,
        np.empty((p, TILE)), np.empty((_GROUP, TILE)), np.empty(TILE), np.empty(p), np.empty(p), out,
    )  # fmt: skip


@compiled_pass
def _into_cells(X, units, weight, widest, cut, cell, sums):
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


def into_cells(X, units, weight, widest, cut, cell, sums):
    """Compute cell <- the leaf of each row in a tree of cuts; add (w, w x, w x^2) to the leaf's sums.

    The cuts are a heap: node q, from 1 on, has the children 2 q (below its cut) and 2 q + 1.
    """
    _into_cells(read_only(X, X.dtype), read_only(units, X.dtype), weight, widest, cut, cell, sums)


@compiled_pass
def _cell_sums(X, units, weight, cell, scale, origin, factor, share, loaded, xt, d, total, out):
    """Compute the kernel's sums over cells, tile by tile."""
    p = X.shape[1]
    for start in range(0, X.shape[0], TILE):
        count = load_tile(X, start, units, loaded)
        for j in range(p):
            for i in range(TILE):
                xt[j, i] = min(max(loaded[j, i], -EDGE), EDGE)
        for i in range(TILE):
            total[i] = 0.0
        for first in range(0, scale.shape[0], _CELLS):
            last = min(first + _CELLS, scale.shape[0])
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


def cell_sums(out, X, units, weight, cell, scale, origin, factor, share):
    """Compute out_i <- sum_g share_g 2^(-sum_j (scale_gj x_ij - origin_gj)^2).

    The row's own term is exact.  All but `weight` and `out` is in single precision, whose error is below
    that of cells in place of rows.
    """
    p = X.shape[1]
    spare = (np.empty(shape, np.float32) for shape in ((p, TILE), (_CELLS, TILE), TILE))
    _cell_sums(
        read_only(X, X.dtype), read_only(units, X.dtype), weight, cell, scale, origin, factor, share,
        np.empty((p, TILE), X.dtype), *spare, out,
    )  # fmt: skip
