"""Row weights from the density around each row: Xia 2011, eq. (4)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.spatial import cKDTree

from softclust.records import Rows, Units
from softclust.run import LocalSource

EXACT_ROWS = 20_000
MOST_PAIRS = 4e9  # of rows to compare: some ten seconds on two cores
LEAST_REFERENCES = 4096


class _Density(NamedTuple):
    phi: np.ndarray


def density_weights(rows, rate, threads, seed=0):
    """phi_j = sum_k w_k exp(-rate |x_j - x_k|^2), the k = j term included; rate in loop units.

    O(n) memory, always.  The rows are put in the order of a k-d tree, and tiles of rows so far apart
    that no term exceeds exp(-32) are skipped: an error below 1e-8.  That is the whole sum for up to
    20,000 rows, and above wherever the kernel is local enough for 4e9 comparisons.  A wider kernel is
    summed over a sample of at least 4,096 rows instead, one from each cell of the tree, with the row's
    own term exact.  A standard error of at most 1/sqrt(s phi_j / n) of phi_j for s sampled rows remains:
    the wider the kernel, the smaller.
    """
    points = rows.points.astype(np.float64)
    weight = np.ones(len(points)) if rows.weight is None else rows.weight
    order = cKDTree(points, leafsize=64).indices
    points, weight = np.ascontiguousarray(points[order]), weight[order]
    phi = np.empty(len(points))
    phi[order] = _sums(points, weight, rate, threads, seed)
    return phi


def _sums(points, weight, rate, threads, seed):
    from softclust.kernels import density

    n = len(points)
    pairs = n * n * density.kept_share(points, points, rate) if n > EXACT_ROWS else 0
    refs, mass, own = points, weight, 0.0
    if pairs > MOST_PAIRS:
        count = int(max(LEAST_REFERENCES, n * MOST_PAIRS / pairs))
        edges = np.linspace(0, n, count + 1).astype(int)
        rng = np.random.default_rng(seed)
        chosen = edges[:-1] + (rng.random(count) * np.diff(edges)).astype(int)
        mass = np.add.reduceat(weight, edges[:-1])
        refs = np.ascontiguousarray(points[chosen])
        own = weight.copy()
        own[chosen] -= mass  # a sampled row has met itself, with the weight of its cell

    def sums(block, out):
        density.density_sums(block.X, refs, mass, rate, out.phi)

    units = Units(1.0, np.zeros(points.shape[1]))
    out = _Density(np.empty(n))
    LocalSource(Rows(points, units), threads).fill(sums, out)
    return out.phi + own
