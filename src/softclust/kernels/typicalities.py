"""Typicalities near wanted degrees, for exponents that have no formula."""

import numpy as np

from softclust.kernels.codes import TILE
from softclust.kernels.tiers import load_pass
from softclust.kernels.workspace import read_only

_solve = load_pass("typicalities.solve")


def solve(D, scale, b, eta, target, alpha):
    """Return (q, c) t in [0, 1] that minimise b t^eta d + gamma (1 - t)^eta + alpha (t - f)^2 d.

    gamma is `scale` and f is `target`; the last term is left out where f is NaN.
    """
    given = (np.broadcast_to(array, D.shape) for array in (D, scale, target, alpha[:, None]))
    d, gamma, f, strength = (read_only(array, np.float64).reshape(-1) for array in given)
    work, out = tuple(np.empty((9, TILE))), np.empty(D.size)
    _solve(d, gamma, float(b), float(eta), f, strength, work, out)
    return out.reshape(D.shape)
