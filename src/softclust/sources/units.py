"""The coordinates of the loop, and how they are found from the data."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import frexp, ldexp

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
    Rows and centres beyond the range of squared distances are taken at its edge.
    """

    factor: float
    origin: np.ndarray  # (p,), already multiplied by the factor
    spread: float = 1.0  # of the data, in these units: 1, or less where an outlier is very far

    def to_loop(self, X):
        """Data coordinates to loop coordinates."""
        limit = 2.0 ** LARGEST_EXPONENT[X.dtype]
        with np.errstate(over="ignore"):
            points = X * X.dtype.type(self.factor)
            points -= self.origin.astype(X.dtype, copy=False)
        np.maximum(points, -limit, out=points)
        return np.minimum(points, limit, out=points)

    def to_data(self, V):
        """Loop coordinates back to data coordinates."""
        return (V + self.origin) / self.factor

    def squares_to_loop(self, area):
        """Squared distances of the data in loop units; no step overflows where the result does not."""
        with np.errstate(over="ignore", under="ignore"):
            return np.multiply(np.multiply(area, self.factor), self.factor)

    def squares_to_data(self, area):
        """Squared distances back in data units; infinite where they have no float."""
        with np.errstate(over="ignore", under="ignore"):
            return np.divide(np.divide(area, self.factor), self.factor)

    def packed(self, dtype):
        """Factor, limit and origin as the one array that compiled passes take, for a type of rows."""
        if dtype not in self._packed:
            limit = 2.0 ** LARGEST_EXPONENT[dtype]
            with np.errstate(over="ignore"):  # of doubles that no float32 row can have
                units = np.concatenate(([self.factor, limit], self.origin)).astype(dtype)
            units.flags.writeable = False
            self._packed[dtype] = units
        return self._packed[dtype]

    @cached_property
    def _packed(self):
        return {}


def units_of(X):
    """Units, and whether products of distances fit: origin at the median row, factor a power of two that brings the spread to about 1.

    Both come from at most 512 rows, evenly spaced; an outlier moves neither.  The factor is lowered
    only where the farthest entry would otherwise leave the range of squared distances, and never so
    far that those of all others vanish: an entry beyond that is taken at the edge.
    """
    limit = _FACTOR_EXPONENT[X.dtype]
    low, high = (end.astype(np.float64) for end in column_range(X))
    first = -_exponent(max(-float(low.min()), float(high.max())), limit)
    unit = ldexp(1.0, first)  # in which |x| <= 1
    columns = np.array(X[:: -(-len(X) // _SAMPLE)].T, np.float64, order="C")
    columns *= unit
    middle = _middle(columns.copy())
    columns -= middle[:, None]
    np.abs(columns, out=columns)
    spread = float(_middle(columns).max()) or float(columns.mean(axis=1).max())
    farthest = float(np.maximum(high * unit - middle, middle - low * unit).max())
    wanted = -_exponent(spread, limit)
    edge = LARGEST_EXPONENT[X.dtype]
    lift = max(min(wanted, edge - _exponent(farthest, limit)), wanted - edge)
    exponent = min(max(first + lift, -limit), limit)
    origin = np.ldexp(middle, exponent - first)
    units = Units(ldexp(1.0, exponent), origin, ldexp(1.0, min(lift - wanted, 0)))
    products_fit = _exponent(farthest, limit) + lift <= NARROW_EXPONENT
    return units, products_fit


def _middle(columns):
    """The middle entry of each, a value that occurs, so that nothing overflows; changes their order."""
    half = columns.shape[1] // 2
    columns.partition(half, axis=1)
    return columns[:, half]


def _exponent(size, limit):
    """e with 2^(e-1) <= size < 2^e, 0 for size 0."""
    return min(max(frexp(size)[1], -limit), limit) if size > 0 else 0
