"""Row weights from the density around each row: Xia 2011, eq. (4)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.spatial import cKDTree
from scipy.spatial.distance import cdist

from softclust.kernels.codes import NEGLIGIBLE
from softclust.records import Rows, Units
from softclust.run import LocalSource

EXACT_ROWS = 20_000
NEAR_ROWS = 1024  # within the kernel's reach of a row: so few are summed however many there are
MOST_MET = 1 / 8  # of the pairs of cells within reach of each other, for that to save time
CELLS = 256
_ROWS_A_CELL = 16  # to find the cuts with
_BLOCK = 4096  # rows: each meets many others, so that small blocks pay and keep all threads busy
_EDGE = 1e18  # of single precision
_PROBES = 64, 1024  # rows whose distances tell how far the kernel reaches


class _Density(NamedTuple):
    phi: np.ndarray
    cell: np.ndarray
    weight: np.ndarray


def density_weights(rows, rate, threads, seed=0):
    """phi_j = sum_k w_k exp(-rate |x_j - x_k|^2), the k = j term included; rate in loop units.

    O(n) memory, always.  Up to 20,000 rows, and above for a kernel so local that it pays, the whole sum:
    in the order of a k-d tree, tiles of rows so far apart that no term exceeds exp(-32) are skipped, an
    error below 1e-8.  Else O(n) time: the rows are put into 256 cells, each taken for a normal
    distribution with the mean and the variances of its rows, over which the kernel is integrated
    exactly; the row's own term is exact.  Errors of a weight are 1 to 10 % as a rule, up to 40 % in many
    features with heavy tails; the centres of SWFCM move by 0.1 to 0.9 % of the spread.
    """
    points = rows.points.astype(np.float64, copy=False)
    weight = np.ones(len(points)) if rows.weight is None else rows.weight
    rng = np.random.default_rng(seed)
    with np.errstate(over="ignore"):  # an outlier that is infinitely far has no part in any sum but its own
        if len(points) > EXACT_ROWS:
            tree = _Cuts.of(points, rng)
            if _reached(points, rate, rng) > NEAR_ROWS or tree.met(rate) > MOST_MET:
                return _by_cells(points, weight, rate, threads, tree)
        return _by_pairs(points, weight, rate, threads)


def _by_pairs(points, weight, rate, threads):
    from softclust.kernels import density  # Numba is loaded when the first pass runs

    order = cKDTree(points, leafsize=64).indices
    refs, mass = np.ascontiguousarray(points[order]), weight[order]

    boxes = density.boxes(refs)

    def sums(block, out):
        density.pair_sums(block.X, refs, mass, boxes, rate, out.phi)

    phi = np.empty(len(points))
    phi[order] = _filled(sums, refs, mass, np.empty(0), threads)
    return phi


def _by_cells(points, weight, rate, threads, tree):
    from softclust.kernels import density

    p = points.shape[1]
    cell, mass = np.empty(len(points), np.uint16), np.zeros(CELLS)
    first, second = np.zeros((CELLS, p)), np.zeros((CELLS, p))
    density.into_cells(points, weight, tree.widest, tree.cut, cell, mass, first, second)
    safe = np.where(mass > 0, mass, 1.0)[:, None]
    mean = first / safe
    variance = np.maximum(second / safe - mean**2, 0.0)
    # Over a normal distribution the kernel's mean is the product over features of
    # (1 + 2 rate v)^(-1/2) exp(-rate (x - c)^2 / (1 + 2 rate v)).
    shrunk = 1 / (1 + 2 * rate * variance)
    factor = np.sqrt(shrunk.prod(axis=1))
    heaviest = max(mass.max(), 1e-300)
    cells = [_single(values) for values in (mean, rate * shrunk, factor, factor * (mass / heaviest))]

    def sums(block, out):
        density.cell_sums(out.phi, _single(block.X), out.weight, out.cell, *cells)

    return heaviest * _filled(sums, points, weight / heaviest, cell, threads)


def _single(values):
    """As float32, within what has a square there."""
    return np.clip(values, -_EDGE, _EDGE).astype(np.float32)


def _filled(sums, points, weight, cell, threads):
    """phi by blocks of rows."""
    out = _Density(np.empty(len(points)), cell, weight)
    rows = Rows(points, Units(1.0, np.zeros(points.shape[1])))
    LocalSource(rows, threads, _BLOCK).fill(sums, out)
    return out.phi


def _reached(points, rate, rng):
    """How many rows are within the kernel's reach of a row, about."""
    some, others = (points[rng.integers(len(points), size=count)] for count in _PROBES)
    return len(points) * float(np.mean(rate * cdist(some, others, "sqeuclidean") < NEGLIGIBLE))


def _variances(rows):
    """(k, p) of k groups of rows, but for a factor; in a third of the time that NumPy's take."""
    away = rows - rows.mean(axis=1, keepdims=True)
    return np.einsum("krp,krp->kp", away, away)


@dataclass(frozen=True)
class _Cuts:
    """A tree of cuts through the middle of the widest feature, found on a sample: a heap from node 1 on."""

    widest: np.ndarray
    cut: np.ndarray
    leaves: np.ndarray  # (CELLS, rows, p) of the sample

    @staticmethod
    def of(points, rng):
        rows = points[rng.integers(len(points), size=CELLS * _ROWS_A_CELL)][None]
        widest, cut = [np.zeros(1, np.int64)], [np.zeros(1)]
        while len(rows) < CELLS:
            feature = _variances(rows).argmax(axis=1)
            values = np.take_along_axis(rows, feature[:, None, None], axis=2)[:, :, 0]
            order = values.argsort(axis=1)
            middle = values.shape[1] // 2
            widest.append(feature)
            cut.append(np.take_along_axis(values, order[:, middle : middle + 1], axis=1)[:, 0])
            rows = np.take_along_axis(rows, order[:, :, None], axis=1).reshape(2 * len(rows), middle, -1)
        return _Cuts(np.concatenate(widest), np.concatenate(cut), rows)

    def met(self, rate):
        """Share of the pairs of leaves within the kernel's reach of each other, from some of them."""
        some = self.leaves[::4]
        low, high = some.min(axis=1), some.max(axis=1)
        apart = np.maximum(low[:, None] - high, low - high[:, None])
        return float(np.mean(rate * (np.maximum(apart, 0.0) ** 2).sum(axis=2) < NEGLIGIBLE))
