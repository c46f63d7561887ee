"""The step of centres that are points.

It is compiled: for a few centres, calling NumPy would take most of the time.
"""

import numpy as np

from softclust.kernels.compiled import compiled_pass
from softclust.kernels.workspace import plain

_DOUBLE = np.dtype("f8")


@compiled_pass
def _means(moment, weight, V, out):
    """Compute out <- moment / weight; a centre without weight keeps its place in V."""
    for k in range(V.shape[0]):
        for j in range(V.shape[1]):
            out[k, j] = moment[k, j] / weight[k] if weight[k] > 0.0 else V[k, j]


@compiled_pass
def _longest(x, y):
    """Return the greatest |x - y|, or NaN if there is any."""
    longest = 0.0
    for k in range(x.shape[0]):
        for j in range(x.shape[1]):
            gap = abs(x[k, j] - y[k, j])
            if gap > longest or gap != gap:  # NaN exceeds all: a loop with NaN must not end
                longest = gap
    return longest


def longest(x, y):
    """Return the greatest difference between a coordinate of x and of y."""
    return _longest(plain(x, _DOUBLE), plain(y, _DOUBLE))


def means(moment, weight, V):
    """Return (c, p) moment / weight; a centre without weight keeps its place in V."""
    out = np.empty(V.shape)
    _means(plain(moment, _DOUBLE), plain(weight, _DOUBLE), plain(V, _DOUBLE), out)
    return out
