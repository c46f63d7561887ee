"""The values that move between the parts of the loop: a state in, statistics out, a fit at the end."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class State:
    """All that the next pass needs: saving it is a checkpoint."""

    theta: tuple[np.ndarray, ...]
    scale: np.ndarray | None = None  # gamma_k of the possibilistic partitions
    linked: np.ndarray | None = None  # (q, columns) memberships of the linked rows

    @property
    def centers(self):
        return self.theta[0]


@dataclass(frozen=True)
class Stats:
    """Additive summary of one pass: the only thing that a block sends back."""

    loss: float
    weight: np.ndarray  # (K,) sum of influence
    scatter: np.ndarray  # (K,) sum of influence * distance
    moments: tuple[np.ndarray, ...]
    linked: np.ndarray | None = None  # memberships of the linked rows, from the one block that has them

    def __add__(self, other):
        return Stats(
            self.loss + other.loss,
            self.weight + other.weight,
            self.scatter + other.scatter,
            tuple(a + b for a, b in zip(self.moments, other.moments, strict=True)),
            self.linked if other.linked is None else other.linked,
        )

    @property
    def mean_distance(self):
        """Influence-weighted mean distance of each cluster: eq. (2) of Antoine 2018 with K = 1."""
        return self.scatter / np.where(self.weight > 0, self.weight, 1.0)


@dataclass(frozen=True)
class Fit:
    """What the loop returns: `stats` and the last of `history` belong to `state`."""

    state: State
    stats: Stats
    history: tuple[float, ...]
    n_iter: int
    converged: bool
    shift: float  # largest coordinate of the last step, in loop units
    scheme: Any = None  # of the acceleration, with what it has learned
