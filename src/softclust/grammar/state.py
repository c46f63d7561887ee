"""The values that pass between the parts of the loop: a state in, statistics out, a fit at the end."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class State:
    """Everything that the next sweep needs besides the model and the rows; a checkpoint saves it."""

    theta: tuple[np.ndarray, ...]  # parameters of the prototypes, the centres first
    scale: np.ndarray | None = None  # gamma_k of the possibilistic partitions
    linked: np.ndarray | None = None  # (q, columns) memberships of the linked rows

    @property
    def centers(self) -> np.ndarray:
        """(c, p) centres, in loop units."""
        return self.theta[0]


@dataclass(frozen=True)
class Stats:
    """Sums over the rows of a sweep.  A block sends back nothing else, and the statistics of blocks add."""

    loss: float
    weight: np.ndarray  # (K,) sum of influence
    scatter: np.ndarray  # (K,) sum of influence * distance
    moments: tuple[np.ndarray, ...]
    linked: np.ndarray | None = None  # memberships of the linked rows; only their own block has them

    def __add__(self, other: Stats) -> Stats:
        """Return the statistics of the rows of both."""
        return Stats(
            self.loss + other.loss,
            self.weight + other.weight,
            self.scatter + other.scatter,
            tuple(a + b for a, b in zip(self.moments, other.moments, strict=True)),
            self.linked if other.linked is None else other.linked,
        )

    @property
    def mean_distance(self) -> np.ndarray:
        """(K,) influence-weighted mean distance of each cluster: eq. (2) of Antoine 2018 with K = 1."""
        return self.scatter / np.where(self.weight > 0, self.weight, 1.0)


@dataclass(frozen=True)
class Fit:
    """The result of the loop; `stats` and the last entry of `history` belong to `state`."""

    state: State
    stats: Stats
    history: tuple[float, ...]  # J after each iteration
    n_iter: int
    converged: bool
    shift: float  # largest coordinate of the last step, in loop units
    scheme: Any = None  # the acceleration, with everything that it has learned
