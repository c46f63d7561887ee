"""k-means++: the rows that become centres."""

import numpy as np

from softclust.kernels.tiers import load_pass
from softclust.kernels.workspace import read_only

_DOUBLE = np.dtype("f8")

_choose = load_pass("plus_plus.choose")


def chosen_rows(points, weight, near, has_centre, trials, draws, count):
    """Return the rows that become centres: each is the best of a few trials.

    Trials are drawn by weight and squared distance.  `near` holds the squared distances to the existing
    centres and is overwritten.  Without any centre, `near` is the greatest squared distance that counts,
    and the first centre is drawn by weight alone, in one trial.
    """
    spare, rows = np.empty((3, len(points))), np.zeros(count, np.int64)
    points, weight, draws = (read_only(array, _DOUBLE) for array in (points, weight, draws))
    _choose(points, weight, near, has_centre, trials, draws, spare, rows)
    return rows
