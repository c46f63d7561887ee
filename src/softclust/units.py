"""Find the units in which the loop sees the data."""

from math import frexp, ldexp

import numpy as np

from softclust.columns import column_range
from softclust.kernels.codes import NARROW_EXPONENT
from softclust.records import LARGEST_EXPONENT, Rows, Units

_SAMPLE = 512
_FACTOR_EXPONENT = {np.dtype("f4"): 120, np.dtype("f8"): 1000}


def rows_in_units(X, weight=None):
    """Rows with units: origin at the median row, factor a power of two that brings the spread to about 1.

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
    narrow = _exponent(farthest, limit) + lift <= NARROW_EXPONENT
    return Rows(X, units, weight, narrow)


def rows_as_they_are(X, weight=None):
    """Rows in the units of the data, for geometries that no shift or scaling may touch."""
    return Rows(X, Units(1.0, np.zeros(X.shape[1])), weight)


def _middle(columns):
    """The middle entry of each, a value that occurs, so that nothing overflows; changes their order."""
    half = columns.shape[1] // 2
    columns.partition(half, axis=1)
    return columns[:, half]


def _exponent(size, limit):
    """e with 2^(e-1) <= size < 2^e, 0 for size 0."""
    return min(max(frexp(size)[1], -limit), limit) if size > 0 else 0
