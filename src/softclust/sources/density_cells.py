"""Density weights of many rows: sums over cells of rows, corrected by the exact sums of a few rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from softclust._lazy import kernels
from softclust.kernels.codes import EDGE, NEGLIGIBLE
from softclust.sources.blas import one_blas_thread
from softclust.sources.local import LocalSource
from softclust.sources.rows import Rows

CELLS = 512
LEVELS = (1, 16, CELLS)  # numbers of cells whose sums tell how far the finest ones are wrong
ROWS_A_CELL = 8  # sampled rows for each cell, to find the cuts
_PROBES = 256  # rows whose sums are exact
_RIDGE = 1e-3
_GREATEST = 3.0  # logarithm of the greatest correction
_NOISE = 1e-5  # of sums in single precision: corrections that gain no more are left out
_FEW = 1e-3  # rows: so small a density beside the row's own weight has no say

Cells = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]  # scale, origin, factor and share


class _Filled(NamedTuple):
    """The arrays that a pass reads or fills, block by block."""

    phi: np.ndarray
    cell: np.ndarray
    weight: np.ndarray


@dataclass(frozen=True)
class _Split:
    """The cell of each row, one array for each block, and the sums of (w, w x, w x^2) over each cell."""

    cells: tuple[np.ndarray, ...]
    sums: np.ndarray

    def __add__(self, other: _Split) -> _Split:
        return _Split(self.cells + other.cells, self.sums + other.sums)


def by_cells(source: LocalSource, rate: float, sample: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Sum the kernel over cells, each taken for a normal distribution, and correct the sums.

    `sample` are points of random rows, from which axes and cells are found.
    """
    with one_blas_thread():
        axes = _axes(sample)
        cuts = Cuts.of(sample @ axes)
        whole = source.rows.weights
        heaviest = max(float(whole.sum()), 1e-300)
        found = source.reduce(_split, cuts, axes)
        cell, weight = np.concatenate(found.cells), whole / heaviest
        sums = _Sums(tuple(_normal_cells(found.sums, rate, heaviest, count) for count in LEVELS), axes)
        unit = heaviest / max(int((whole > 0).sum()), 1)  # the mean weight of a row
        probes = rng.choice(np.flatnonzero(whole > 0), _PROBES)
        rough = sums.of(source.rows.take(probes), cell[probes], weight[probes])
        exact = source.reduce(_exact_sums, _turned(source.rows.take(probes), axes), axes, rate, heaviest)
        correction = _Correction.of(rough, exact, weight[probes], unit / heaviest)

        def fill(block: Rows, out: _Filled) -> None:
            out.phi[:] = correction.applied(sums.of(block, out.cell, out.weight), out.weight)

        out = _Filled(np.empty(len(source)), cell, weight)
        source.fill(fill, out)
    return heaviest * out.phi


def _axes(points: np.ndarray) -> np.ndarray:
    """(p, p) principal axes: along these, features of a cell are least dependent on each other."""
    away = points - np.median(points, axis=0)
    far = np.abs(away).max(axis=0)
    away = away / max(float(far.max()), 1e-300)
    return np.linalg.eigh(away.T @ away)[1]


def _turned(rows: Rows, axes: np.ndarray) -> np.ndarray:
    """Return the points of rows along the axes."""
    return np.clip(rows.points, -EDGE, EDGE).astype(np.float64, copy=False) @ axes


def _split(block: Rows, cuts: Cuts, axes: np.ndarray) -> _Split:
    """Put the rows of a block into cells."""
    points = _turned(block, axes)
    cell, sums = np.empty(len(block), np.uint16), np.zeros((CELLS, 1 + 2 * points.shape[1]))
    kernels("density").into_cells(points, block.weights, cuts.widest, cuts.cut, cell, sums)
    return _Split((cell,), sums)


def _normal_cells(sums: np.ndarray, rate: float, heaviest: float, count: int) -> Cells:
    """Return normal distributions in place of so many cells, as `cell_sums` takes them.

    Over a normal distribution the kernel's mean is the product over features of
    (1 + 2 rate v)^(-1/2) exp(-rate (x - c)^2 / (1 + 2 rate v)).
    """
    p = sums.shape[1] // 2
    sums = sums.reshape(count, -1, sums.shape[1]).sum(axis=1)
    mass, first, second = sums[:, 0], sums[:, 1 : p + 1], sums[:, p + 1 :]
    safe = np.where(mass > 0, mass, 1.0)[:, None]
    mean = first / safe
    shrunk = 1 / (1 + 2 * rate * np.maximum(second / safe - mean**2, 0.0))
    factor = np.sqrt(shrunk.prod(axis=1))
    scale = np.sqrt(rate * shrunk / np.log(2))  # exp(-z^2) = 2^(-(z / sqrt(ln 2))^2)
    values = (scale, scale * mean, factor, factor * (mass / heaviest))
    scale, mean, factor, share = (np.clip(x, -EDGE, EDGE).astype(np.float32) for x in values)
    return scale, mean, factor, share


def _exact_sums(
    block: Rows, probes: np.ndarray, axes: np.ndarray, rate: float, heaviest: float
) -> np.ndarray:
    """Sum the kernel around the probes over all rows of a block: each row is a cell without extent."""
    points, out = _turned(block, axes), np.empty(len(probes))
    scale = np.full(points.shape, min(np.sqrt(rate / np.log(2)), EDGE), np.float32)
    origin = np.clip(scale * points, -EDGE, EDGE).astype(np.float32)
    one, share = np.ones(len(block), np.float32), (block.weights / heaviest).astype(np.float32)
    nobody = np.zeros(len(probes), np.uint16)
    kernels("density").cell_sums(out, probes, np.zeros(len(probes)), nobody, scale, origin, one, share)
    return out


@dataclass(frozen=True)
class _Sums:
    """The cells of every level."""

    levels: tuple[Cells, ...]
    axes: np.ndarray

    def of(self, block: Rows, cell: np.ndarray, weight: np.ndarray) -> np.ndarray:
        """(levels, n) the kernel's sums over the cells of each level."""
        points, out = _turned(block, self.axes), np.empty((len(self.levels), len(block)))
        for level, cells in enumerate(self.levels):
            mine = cell // np.uint16(CELLS // len(cells[0]))
            kernels("density").cell_sums(out[level], points, weight, mine, *cells)
        return out


@dataclass(frozen=True)
class _Correction:
    """The logarithm of exact over rough sums, a quadratic function of the rough sums of all levels.

    It is fitted to the rows whose exact sums are known.
    """

    unit: float  # the mean weight of a row
    middle: np.ndarray
    size: np.ndarray
    slopes: np.ndarray
    range: tuple[float, float]

    @classmethod
    def of(cls, rough: np.ndarray, exact: np.ndarray, weight: np.ndarray, unit: float) -> _Correction:
        """Fit the correction by least squares; a row counts as far as its weight depends on others."""
        least = _FEW * unit
        part = np.maximum(rough[-1] - weight, 0.0)
        wanted = np.log((np.maximum(exact - weight, 0.0) + least) / (part + least))
        wanted = np.clip(wanted, -_GREATEST, _GREATEST)
        count = part / np.maximum(rough[-1], 1e-300)
        terms = _terms(rough, weight, unit)
        middle, size = terms.mean(axis=0), terms.std(axis=0)
        size = np.where(size > 0, size, 1.0)
        middle[0] = 0.0
        terms = count[:, None] * ((terms - middle) / size)
        ridge = _RIDGE * len(wanted) * np.eye(terms.shape[1])
        slopes = np.linalg.solve(terms.T @ terms + ridge, terms.T @ (count * wanted))
        left = np.abs(count * wanted - terms @ slopes)
        if not np.median(left) < np.median(np.abs(count * wanted)) - _NOISE:
            slopes = np.zeros_like(slopes)  # the finest sums are better as they are
        return cls(unit, middle, size, slopes, (min(wanted.min(), 0.0), max(wanted.max(), 0.0)))

    def applied(self, rough: np.ndarray, weight: np.ndarray) -> np.ndarray:
        """(n,) the corrected sums; the row's own term stays as it is."""
        terms = (_terms(rough, weight, self.unit) - self.middle) / self.size
        factor = np.exp(np.clip(terms @ self.slopes, *self.range))
        return weight + np.maximum(rough[-1] - weight, 0.0) * factor


def _terms(rough: np.ndarray, weight: np.ndarray, unit: float) -> np.ndarray:
    """(n, terms) 1, logarithms of the sums without the row's own term, and their products."""
    finest, *others = np.log(np.maximum(rough - weight, 0.0) / unit + _FEW)[::-1]
    linear = [finest, *(other - finest for other in others)]
    products = [a * b for i, a in enumerate(linear) for b in linear[i:]]
    return np.column_stack([np.ones_like(finest), *linear, *products])


def _variances(rows: np.ndarray) -> np.ndarray:
    """Return the (k, p) variances of k groups of rows, up to a factor, in a third of NumPy's time."""
    away = rows - rows.mean(axis=1, keepdims=True)
    return np.einsum("krp,krp->kp", away, away)


@dataclass(frozen=True)
class Cuts:
    """A tree of cuts through the middle of the widest feature, found on a sample: a heap from node 1 on."""

    widest: np.ndarray
    cut: np.ndarray
    leaves: np.ndarray  # (cells, rows, p) of the sample

    @staticmethod
    def of(points: np.ndarray, cells: int = CELLS) -> Cuts:
        """Halve the points again and again, until there are so many groups."""
        rows = points[None]
        widest, cut = [np.zeros(1, np.int64)], [np.zeros(1)]
        while len(rows) < cells:
            groups, middle = np.arange(len(rows))[:, None], rows.shape[1] // 2
            feature = _variances(rows).argmax(axis=1)
            values = rows[groups, np.arange(2 * middle), feature[:, None]]
            order = values.argpartition(middle, axis=1)
            widest.append(feature)
            cut.append(values[groups[:, 0], order[:, middle]])
            rows = rows[groups, order].reshape(2 * len(rows), middle, -1)
        return Cuts(np.concatenate(widest), np.concatenate(cut), rows)

    def met(self, rate: float) -> float:
        """Estimate, from every fourth leaf, the share of pairs of leaves within the kernel's reach."""
        some = self.leaves[::4]
        low, high = some.min(axis=1), some.max(axis=1)
        apart = np.maximum(low[:, None] - high, low - high[:, None])
        return float(np.mean(rate * (np.maximum(apart, 0.0) ** 2).sum(axis=2) < NEGLIGIBLE))
