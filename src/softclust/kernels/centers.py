"""The step of centres that are points."""

import numpy as np

from softclust.kernels.tiers import load_pass
from softclust.kernels.workspace import plain

_DOUBLE = np.dtype("f8")

_means = load_pass("centers.means")
_longest = load_pass("centers.longest")


def longest(x, y):
    """Return the greatest difference between a coordinate of x and of y."""
    return _longest(plain(x, _DOUBLE), plain(y, _DOUBLE))


def means(moment, weight, V):
    """Return (c, p) moment / weight; a centre without weight keeps its place in V."""
    out = np.empty(V.shape)
    _means(plain(moment, _DOUBLE), plain(weight, _DOUBLE), plain(V, _DOUBLE), out)
    return out
