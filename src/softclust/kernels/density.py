"""Sums of exp(-rate |x_i - r_j|^2) over reference rows, tile by tile, far tiles skipped."""

import numpy as np

from softclust.kernels.compiled import TILE, compiled_pass
from softclust.kernels.tiles import load_tile, squared_distances
from softclust.kernels.vector_math import exp
from softclust.kernels.workspace import read_only

NEGLIGIBLE = 32.0  # a term below exp(-32) = 1.3e-14 is left out: 1e-8 in all for a million rows
_GROUP = 32  # reference rows a tile


def boxes(points, size):
    """(tiles, p) least and greatest coordinates of each run of `size` rows."""
    cuts = np.arange(0, len(points), size)
    return np.minimum.reduceat(points, cuts), np.maximum.reduceat(points, cuts)


def kept_share(points, refs, rate):
    """Share of the pairs of tiles that `density_sums` would visit, from at most 64 query tiles."""
    low, high = boxes(points, TILE)
    ref_low, ref_high = boxes(refs, _GROUP)
    some = slice(None, None, -(-len(low) // 64))
    tiles = zip(low[some], high[some], strict=True)
    return float(np.mean([_gap(*tile, ref_low, ref_high) * rate < NEGLIGIBLE for tile in tiles]))


def _gap(low, high, ref_low, ref_high):
    apart = np.maximum(np.maximum(ref_low - high, low - ref_high), 0.0)
    return (apart**2).sum(axis=1)


@compiled_pass
def _density_sums(points, units, refs, weight, ref_low, ref_high, rate, xt, d, total, low, high, out):
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


def density_sums(points, refs, weight, rate, out):
    """out_i = sum_j weight_j exp(-rate |points_i - refs_j|^2); fast where near rows stand together."""
    p = points.shape[1]
    units = np.concatenate(([1.0, np.inf], np.zeros(p)))
    points, units, refs = (read_only(array, np.float64) for array in (points, units, refs))
    _density_sums(
        points, units, refs, weight, *boxes(refs, _GROUP), rate,
        np.empty((p, TILE)), np.empty((_GROUP, TILE)), np.empty(TILE), np.empty(p), np.empty(p), out,
    )  # fmt: skip
