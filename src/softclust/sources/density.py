"""Row weights from the density around each row: Xia 2011, eq. (4)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.spatial import cKDTree
from scipy.spatial.distance import cdist

from softclust._lazy import kernels
from softclust.kernels.codes import NEGLIGIBLE
from softclust.sources import LocalSource
from softclust.sources.density_cells import CELLS, ROWS_A_CELL, Cuts, by_cells
from softclust.sources.rows import Rows
from softclust.sources.units import Units

EXACT_ROWS = 20_000
NEAR_ROWS = 1024  # within the kernel's reach of a row: so few are summed exactly, whatever n is
MOST_MET = 1 / 8  # share of the pairs of cells within reach of each other, up to which exact sums save time
_TELLING_CELLS = 256  # whose distances tell whether exact sums save time
_BLOCK = 4096  # rows: each row meets many others, so small blocks pay off and keep all threads busy
_PROBES = 64, 1024  # rows whose distances tell how far the kernel reaches


class _Density(NamedTuple):
    """Density of each row, which a pass fills block by block."""

    phi: np.ndarray


def density_weights(rows: Rows, rate: float, threads: int, seed: int = 0) -> np.ndarray:
    """Return the density around each row, phi_j = sum_k w_k exp(-rate |x_j - x_k|^2); rate in loop units.

    The sum includes the term k = j.  Memory is always O(n).

    Up to 20,000 rows, and above for a kernel so local that it pays, the whole sum is computed.  In the
    order of a k-d tree, tiles of rows so far apart that no term exceeds exp(-32) are skipped, an error
    below 1e-8.

    Otherwise the time is O(n).  The rows are put into 512 cells, and each cell is taken for a normal
    distribution with the mean and the variances of its rows, over which the kernel is integrated exactly;
    the row's own term is exact.  What is then still wrong is learnt from 256 rows whose whole sums are
    computed (`density_cells`).  With 20,001 to 1,000,000 rows at the automatic rate, the error of a weight
    stayed below two figures, the first for half of the rows and the second for 99 % of them: 2 and 8 % for
    blobs in 2 to 16 features, 5 and 25 % for strongly correlated features, 9 and 80 % for heavy tails
    (Student's t, 3 degrees of freedom).
    """
    weight = rows.weights
    rows = Rows(rows.X, rows.units, weight)
    rng = np.random.default_rng(seed)
    with np.errstate(over="ignore"):  # an outlier that is infinitely far has no part in any sum but its own
        if len(rows) > EXACT_ROWS:
            sample = _some(rows, CELLS * ROWS_A_CELL, rng)
            if _reached(rows, rate, rng) > NEAR_ROWS or _share_met(sample, rate) > MOST_MET:
                return by_cells(LocalSource(rows, threads, _BLOCK), rate, sample, rng)
        return _by_pairs(rows, rate, threads)


def _some(rows: Rows, count: int, rng: np.random.Generator) -> np.ndarray:
    """Return the points of `count` random rows."""
    return rows.take(rng.integers(len(rows), size=count)).points.astype(np.float64, copy=False)


def _by_pairs(rows: Rows, rate: float, threads: int) -> np.ndarray:
    """Sum the kernel over pairs of rows; skip tiles of rows that are far apart."""
    density = kernels("density")
    assert rows.weight is not None
    points = rows.points.astype(np.float64, copy=False)
    order = cKDTree(points, leafsize=64).indices
    refs, mass = np.ascontiguousarray(points[order]), rows.weight[order]
    boxes = density.boxes(refs)

    def sums(block: Rows, out: _Density) -> None:
        density.pair_sums(block.X, refs, mass, boxes, rate, out.phi)

    out, phi = _Density(np.empty(len(points))), np.empty(len(points))
    reader = LocalSource(Rows(refs, Units(1.0, np.zeros(refs.shape[1]))), threads, _BLOCK)
    reader.fill(sums, out)
    phi[order] = out.phi
    return phi


def _reached(rows: Rows, rate: float, rng: np.random.Generator) -> float:
    """Estimate how many rows are within the kernel's reach of a row."""
    some, others = (_some(rows, count, rng) for count in _PROBES)
    return len(rows) * float(np.mean(rate * cdist(some, others, "sqeuclidean") < NEGLIGIBLE))


def _share_met(sample: np.ndarray, rate: float) -> float:
    """Estimate the share of pairs of cells within the kernel's reach of each other."""
    return Cuts.of(sample[: _TELLING_CELLS * ROWS_A_CELL], _TELLING_CELLS).met(rate)
