"""A proposal of L-BFGS."""

import numpy as np

from softclust.kernels.tiers import load_pass
from softclust.kernels.workspace import plain

_DOUBLE = np.dtype("f8")

_two_loops = load_pass("quasi_newton.two_loops")


def propose(x, image, kept, products, count):
    """Return x + H (image - x), with the inverse Hessian H of the pairs, and the new number of pairs.

    The rows of `kept` are the last point, its plain step, the steps, and the bends: how the plain step has
    bent along each step.  There have been `count` such pairs, the n-th in place n modulo the window; a
    count below 0 means that there is not even a point.  Without pairs, or if the proposal leaves the range
    of floats, the image itself is returned.
    """
    way = np.empty(len(x))
    count = _two_loops(plain(x, _DOUBLE), plain(image, _DOUBLE), kept, products, count, way)
    return way if count > 0 else image, count
