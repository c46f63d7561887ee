"""Exact parts of the distances of one row, feature by feature, for explanations."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

# The error of rows whose squares have no float.
BEYOND = (
    "The squared distances of this row are beyond the range of floats; rows in a unit that brings them "
    "near 1 would fit."
)


class Parts(NamedTuple):
    """The distances of one row to each cluster, as sums of parts.

    `features` and all `constants` of a cluster add up to its squared distance; of a mixture, to -2 times
    the logarithm of the joint density of row and component, but for a term that all components share.
    """

    features: np.ndarray  # (c, p)
    constants: dict[str, np.ndarray]  # (c,) by name: what no feature has a share in


def quadratic_parts(gaps: np.ndarray, roots: np.ndarray) -> np.ndarray:
    """Return z_j (A z)_j (c, p), which add up to z'A z, with A = L L'.

    `gaps` holds z, the row minus each centre (c, p), and `roots` holds L (c, p, p).  L'z is found first:
    along a long axis the entries of A z cancel, and those of L'z cancel only once.
    """
    along = roots.transpose(0, 2, 1) @ gaps[:, :, None]
    return gaps * (roots @ along)[:, :, 0]
