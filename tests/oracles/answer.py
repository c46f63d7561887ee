"""What every oracle returns."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class Answer(NamedTuple):
    """The end of one alternating optimisation.

    ``history[t]`` is the objective J at the t-th centres (``history[0]`` at the start) with the
    row variables optimal for those centres; ``objective`` is its last entry. ``memberships`` and
    ``typicalities`` are those of the FINAL centres, None where the model has none. ``n_iter``
    counts centre updates, so ``len(history) == n_iter + 1``.
    """

    centers: np.ndarray
    memberships: np.ndarray | None
    typicalities: np.ndarray | None
    objective: float
    history: np.ndarray
    n_iter: int
