"""Sums of a Gaussian kernel around each row: over other rows, or over cells of rows."""

import numpy as np

from softclust.kernels.codes import CELLS, GROUP, TILE
from softclust.kernels.tiers import load_pass
from softclust.kernels.workspace import read_only

_pair_sums = load_pass("density.pair_sums")
_into_cells = load_pass("density.into_cells")
_cell_sums = load_pass("density.cell_sums")


def boxes(refs):
    """Return (groups, p) least and (groups, p) greatest coordinates of each group of reference rows."""
    cuts = np.arange(0, len(refs), GROUP)
    return np.minimum.reduceat(refs, cuts), np.maximum.reduceat(refs, cuts)


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
        np.empty((p, TILE)), np.empty((GROUP, TILE)), np.empty(TILE), np.empty(p), np.empty(p), out,
    )  # fmt: skip


def into_cells(points, weight, widest, cut, cell, sums):
    """Compute cell <- the leaf of each row in a tree of cuts; add (w, w x, w x^2) to the leaf's sums.

    The cuts are a heap: node q, from 1 on, has the children 2 q (below its cut) and 2 q + 1.
    """
    _into_cells(*_inputs(points), weight, widest, cut, cell, sums)


def cell_sums(out, points, weight, cell, scale, origin, factor, share):
    """Compute out_i <- sum_g share_g 2^(-sum_j (scale_gj x_ij - origin_gj)^2).

    The row's own term is exact.  All but `weight` and `out` is in single precision, whose error is below
    that of cells in place of rows.
    """
    p = points.shape[1]
    spare = (np.empty(shape, np.float32) for shape in ((p, TILE), (CELLS, TILE), TILE))
    _cell_sums(
        *_inputs(points), weight, cell, scale, origin, factor, share,
        np.empty((p, TILE), points.dtype), *spare, out,
    )  # fmt: skip
