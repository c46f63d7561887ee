"""Swaps of medoids, and distances to medoids; `compiled/medoids.py` describes the arguments."""

import numpy as np

from softclust.kernels.tiers import load_pass

start = load_pass("medoids.start")
try_row = load_pass("medoids.try_row")
swap_pass = load_pass("medoids.swap_pass")
build = load_pass("medoids.build")
distances = load_pass("medoids.distances")
nearest = load_pass("medoids.nearest")
_inspect = load_pass("medoids.inspect")


def inspect(D):
    """Return row and column of an entry that is negative or not finite, and whether D is symmetric.

    Row and column are -1 if there is no such entry.
    """
    if D.flags.f_contiguous and not D.flags.c_contiguous:
        column, row, symmetric = _inspect(D.T)
        return row, column, symmetric
    return _inspect(np.ascontiguousarray(D))
