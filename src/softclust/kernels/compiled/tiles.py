"""Load a tile of rows and sum over it.  Arrays are (features, TILE) and (clusters, TILE)."""

from math import sqrt

import numpy as np

from softclust.kernels.codes import FEATURES, TILE
from softclust.kernels.compiled.decorators import compiled
from softclust.kernels.compiled.sums import dot, total
from softclust.kernels.compiled.transpose import load_pairs, load_square, prefetch


@compiled
def load_tile(X, start, units, xt):
    """Transpose the rows of X from `start` on into xt and return their number.

    `units` is (factor, limit, origin...): coordinates are converted to loop units, x * factor - origin, and
    held within +-limit.  Rows beyond the last one are 0.
    """
    p = X.shape[1]
    rows = min(TILE, X.shape[0] - start)
    whole = (p if p == 2 else p - p % 4) if rows == TILE else 0
    for first in range(0, p, FEATURES):
        last = min(first + FEATURES, p)
        for i in range(0, TILE, 4):
            _prefetch_rows(X, start + TILE + i, first, last)  # the same place in the next tile
            if whole == 2:
                load_pairs(X, start + i, 0, units, xt, i)
                continue
            for j in range(first, min(last, whole), 4):
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
def _prefetch_rows(X, row, first, last):
    """Ask the processor for features first .. last - 1 of four rows."""
    p, line = X.shape[1], 64 // X.itemsize
    if p <= FEATURES:  # the rows lie side by side
        for n in range(row * p, (row + 4) * p, line):
            prefetch(X, n)
        return
    for r in range(row, row + 4):
        for n in range(r * p + first, r * p + last, line):
            prefetch(X, n)


@compiled
def to_directions(xt, largest, length):
    """Divide the rows of a tile by their length; `length` is 0 for a row of zeros, which stays."""
    for i in range(TILE):
        largest[i] = 0.0
        length[i] = 0.0
    for j in range(xt.shape[0]):
        for i in range(TILE):
            largest[i] = max(largest[i], abs(xt[j, i]))
    for i in range(TILE):
        largest[i] = 1.0 / largest[i] if largest[i] > 0.0 else 0.0  # no square overflows
    for j in range(xt.shape[0]):
        for i in range(TILE):
            x = xt[j, i] * largest[i]
            xt[j, i] = x
            length[i] += x * x
    for i in range(TILE):
        largest[i] = 1.0 / sqrt(length[i]) if length[i] > 0.0 else 0.0
    for j in range(xt.shape[0]):
        for i in range(TILE):
            xt[j, i] *= largest[i]


@compiled
def load_weights(weight, start, rows, out):
    """Load the row weights of a tile: all 1 if none are given, and 0 for the padding."""
    if weight.shape[0] == 0:
        for i in range(rows):
            out[i] = 1.0
    else:
        for i in range(rows):
            out[i] = weight[start + i]
    for i in range(rows, TILE):
        out[i] = 0.0


@compiled
def add_rows(X, start, count, units, w, label, weight, moment):
    """Add each row of a tile to the moment of its only cluster: n p additions, not n p c.

    w is the influence of a hard partition; rows without any are noise.  Rows are read as they are stored,
    and converted as `load_tile` does.  `label` is a spare buffer.
    """
    for i in range(TILE):
        label[i] = -1.0
    for k in range(w.shape[0]):
        for i in range(TILE):
            label[i] = float(k) if w[k, i] > 0.0 else label[i]
    factor, limit = units[0], units[1]
    for i in range(count):
        k, share = int(label[i]), np.float64(weight[i])
        if k >= 0 and share != 0.0:
            row, out = X[start + i], moment[k]
            for j in range(X.shape[1]):
                out[j] += share * min(max(row[j] * factor - units[j + 2], -limit), limit)


@compiled
def accumulate(d, w, weight, scatter):
    """Add sum_i w and sum_i w d of each cluster to the running sums `weight` and `scatter`."""
    for k in range(w.shape[0]):
        weight[k] += total(w[k])
        scatter[k] += dot(w[k], d[k])
