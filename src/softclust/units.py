"""Find the units in which the loop sees the data."""

from math import frexp, ldexp

import numpy as np

from softclust.columns import column_range
from softclust.records import LARGEST_EXPONENT, NARROW_EXPONENT, Rows, Units

_SAMPLE = 512
_FACTOR_EXPONENT = {np.dtype("f4"): 120, np.dtype("f8"): 1000}


def rows_in_units(X, weight=None):
    """Rows with units: origin at the median row, factor a power of two that brings the spread to about 1.

    Both come from at most 512 rows, evenly spaced; an outlier moves neither.  The factor is lowered
    only where the farthest entry would otherwise leave the range of squared distances, and never so
    far that those of all others vanish: an entry beyond that is taken at the edge.
    """
    low, high = (end.astype(np.float64) for end in column_range(X))
    limit = _FACTOR_EXPONENT[X.dtype]
    first = -_exponent(max(-low.min(), high.max()), limit)
    sample = X[:: -(-len(X) // _SAMPLE)].astype(np.float64) * ldexp(1.0, first)  # |x| <= 1
    middle = _middle(sample)
    spread = _middle(np.abs(sample - middle)).max()
    if spread == 0:
        spread = np.abs(sample - middle).mean(axis=0).max()
    farthest = max((np.ldexp(high, first) - middle).max(), (middle - np.ldexp(low, first)).max())
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


def _middle(sample):
    """The middle entry of each column: a value that occurs, so that nothing overflows."""
    return np.partition(sample, len(sample) // 2, axis=0)[len(sample) // 2]


def _exponent(size, limit):
    """e with 2^(e-1) <= size < 2^e, 0 for size 0."""
    return min(max(frexp(size)[1], -limit), limit) if size > 0 else 0
