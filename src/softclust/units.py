"""Find the units in which the loop sees the data."""

import numpy as np

from softclust.records import Units

_SAMPLE = 2048
# After scaling, coordinates stay below 2^this, so that squared distances neither overflow nor vanish.
_LARGEST_EXPONENT = {np.dtype("f4"): 50, np.dtype("f8"): 400}
_FACTOR_EXPONENT = {np.dtype("f4"): 120, np.dtype("f8"): 1000}


def find_units(X):
    """Origin at the median row, factor a power of two that brings the spread to about 1.

    Both come from at most 2048 rows, evenly spaced; an outlier moves neither.  The factor is lowered
    only where the largest entry would otherwise leave the range of squared distances.
    """
    largest = float(max(abs(X.max()), abs(X.min())))
    limit = _FACTOR_EXPONENT[X.dtype]
    first = -int(np.clip(np.frexp(largest)[1], -limit, limit)) if largest > 0 else 0
    sample = np.ldexp(X[:: -(-len(X) // _SAMPLE)].astype(np.float64), first)  # |x| <= 1
    middle = np.partition(sample, len(sample) // 2, axis=0)[len(sample) // 2]
    away = np.abs(sample - middle)
    spread = np.partition(away, len(away) // 2, axis=0)[len(away) // 2].max()
    if spread == 0:
        spread = away.mean(axis=0).max()
    lift = -int(np.frexp(spread)[1]) if spread > 0 else 0
    lift = min(lift, _LARGEST_EXPONENT[X.dtype])
    exponent = int(np.clip(first + lift, -limit, limit))
    return Units(float(np.ldexp(1.0, exponent)), np.ldexp(middle, exponent - first))
