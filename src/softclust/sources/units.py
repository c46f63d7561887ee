"""The coordinates of the loop, and how they are found from the data."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import frexp, ldexp
from typing import Any

import numpy as np

from softclust.kernels.codes import NARROW_EXPONENT
from softclust.sources.columns import column_range
from softclust.values import Value

_SAMPLE = 512
_FACTOR_EXPONENT = {np.dtype("f4"): 120, np.dtype("f8"): 1000}

# Loop coordinates stay within +-2^this, so that neither squared distances nor, in double precision, their
# products with each other and with weights overflow or vanish.
LARGEST_EXPONENT = {np.dtype("f4"): 50, np.dtype("f8"): 240}


@dataclass(frozen=True)
class Units(Value):
    """The coordinates of the loop: x * factor - origin, with factor a power of two.

    Scaling by a power of two is exact, so data of size 1e-200 or 1e+200 behave as data of size 1.
    Rows and centres beyond the range of squared distances are moved to its edge.
    """

    factor: float
    origin: np.ndarray  # (p,), already multiplied by the factor
    spread: float = 1.0  # of the data, in these units: 1, or less if an outlier is very far

    def to_loop(self, X: np.ndarray) -> np.ndarray:
        """Convert data coordinates to loop coordinates."""
        limit = 2.0 ** LARGEST_EXPONENT[X.dtype]
        with np.errstate(over="ignore"):
            points = X * X.dtype.type(self.factor)
            points -= self.origin.astype(X.dtype, copy=False)
        np.maximum(points, -limit, out=points)
        return np.minimum(points, limit, out=points)

    def to_data(self, V: np.ndarray) -> np.ndarray:
        """Convert loop coordinates to data coordinates."""
        return (V + self.origin) / self.factor

    def squares_to_loop(self, area: Any) -> Any:
        """Convert squared distances to loop units; no step overflows unless the result does."""
        with np.errstate(over="ignore", under="ignore"):
            return np.multiply(np.multiply(area, self.factor), self.factor)

    def squares_to_data(self, area: Any) -> Any:
        """Convert squared distances to data units; those too large for a float become infinite."""
        with np.errstate(over="ignore", under="ignore"):
            return np.divide(np.divide(area, self.factor), self.factor)

    def packed(self, dtype: np.dtype[Any]) -> np.ndarray:
        """Return factor, limit and origin as one array of this type, as compiled passes take them."""
        if dtype not in self._packed:
            limit = 2.0 ** LARGEST_EXPONENT[dtype]
            with np.errstate(over="ignore"):  # doubles that no float32 row can have
                units = np.concatenate(([self.factor, limit], self.origin)).astype(dtype)
            units.flags.writeable = False
            self._packed[dtype] = units
        return self._packed[dtype]

    @cached_property
    def _packed(self) -> dict[np.dtype[Any], np.ndarray]:
        return {}


def units_of(X: Any, weight: np.ndarray | None = None) -> tuple[Units, bool, tuple[int, int, float]]:
    """Return the units that fit the data, whether products of distances fit, and how features differ.

    The last is the feature that spreads widest, the one that spreads least, and how many times the former
    spreads as widely; features that hardly vary are left out.

    The origin is the median row, and the factor is a power of two that brings the spread to about 1.  Both
    come from at most 512 rows that weigh something, evenly spaced; an outlier moves neither.  The factor is
    lowered only if the farthest entry would otherwise leave the range of squared distances, and never so
    far that the squared distances of all other rows vanish: an entry beyond that is moved to the edge.
    """
    limit = _FACTOR_EXPONENT[X.dtype]
    low, high = (end.astype(np.float64) for end in column_range(X))
    first = -_exponent(max(-float(low.min()), float(high.max())), limit)
    unit = ldexp(1.0, first)  # in which |x| <= 1
    columns = np.array(X[_sampled(len(X), weight)].T, np.float64, order="C")
    columns *= unit
    middle = _middle(columns.copy())
    columns -= middle[:, None]
    np.abs(columns, out=columns)
    deviations = _middle(columns)
    spread = float(deviations.max()) or float(columns.mean(axis=1).max())
    farthest = float(np.maximum(high * unit - middle, middle - low * unit).max())
    wanted = -_exponent(spread, limit)
    edge = LARGEST_EXPONENT[X.dtype]
    lift = max(min(wanted, edge - _exponent(farthest, limit)), wanted - edge)
    exponent = min(max(first + lift, -limit), limit)
    origin = np.ldexp(middle, exponent - first)
    units = Units(ldexp(1.0, exponent), origin, ldexp(1.0, min(lift - wanted, 0)))
    products_fit = _exponent(farthest, limit) + lift <= NARROW_EXPONENT
    return units, products_fit, _contrast(deviations, columns)


def _contrast(deviations: np.ndarray, columns: np.ndarray) -> tuple[int, int, float]:
    """Return the features of greatest and least spread, and the ratio of their spreads.

    The median and the mean of the absolute deviations must both tell that they differ: the median of a
    feature with many equal values is small, and a single outlier makes the mean great.
    """
    widest = int(deviations.argmax())
    least = int(np.where(deviations > 0, deviations, np.inf).argmin())
    if not deviations[least] > 0:
        return 0, 0, 1.0
    with np.errstate(over="ignore"):
        medians = deviations[widest] / deviations[least]
        means = columns[widest].mean() / columns[least].mean()
    return widest, least, float(min(medians, means))


def _sampled(n: int, weight: np.ndarray | None) -> slice | np.ndarray:
    """Return the positions of at most 512 of n rows, evenly spaced among those with a weight above 0."""
    if weight is None or (weight > 0).all():
        return slice(None, None, -(-n // _SAMPLE))
    counts = np.flatnonzero(weight > 0)
    return counts[:: -(-len(counts) // _SAMPLE)]


def _middle(columns: np.ndarray) -> np.ndarray:
    """Return the middle entry of each feature and change the order of the entries.

    The middle is a value that occurs, so that nothing overflows.
    """
    half = columns.shape[1] // 2
    columns.partition(half, axis=1)
    return columns[:, half]


def _exponent(size: float, limit: int) -> int:
    """Return e with 2^(e-1) <= size < 2^e, within +-limit; 0 for size 0."""
    return min(max(frexp(size)[1], -limit), limit) if size > 0 else 0
