"""What every oracle returns, and the alternation that most oracles share."""

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


def alternate(V0, rows, centres, tol, max_iter) -> Answer:
    """rows(V) -> (U, T, J) and centres(V, U, T) -> V in turn until the centres stand still."""
    V = np.array(V0, float)
    U, T, J = rows(V)
    history = [J]
    n_iter = 0
    while n_iter < max_iter:
        n_iter += 1
        V_new = centres(V, U, T)
        shift = np.max(np.abs(V_new - V))
        V = V_new
        U, T, J = rows(V)
        history.append(J)
        if shift <= tol:
            break
    return Answer(V, U, T, J, np.array(history), n_iter)
