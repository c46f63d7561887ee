"""Bring columns to one scale, and back to their own units."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

# Standard deviations per robust one from which far rows decide the former: 1 for a normal column, 1.2 for
# an exponential one; one row in a thousand at 100 deviations gives 3.3.
_FAR_ROWS = 3.0
_FEWEST_ROWS = 30  # quartiles of fewer say little
_NORMAL_QUARTILES = 1.3489795003921634  # between the quartiles of a normal column of deviation 1


@dataclass(frozen=True)
class Scaling:
    """A centre and a divisor for each column.

    A column is standardised to mean 0 and standard deviation 1.  If a few far rows make up most of its
    standard deviation, its median and its quartiles take their place.

    Attributes
    ----------
    center, scale : ndarray of shape (p,)
        `apply` subtracts the centre and divides by the scale, which is above 0.
    robust : ndarray of bool of shape (p,)
        Columns whose centre is the median and whose scale comes from the quartiles.

    Examples
    --------
    >>> import numpy as np
    >>> scaling = Scaling.of(np.array([[1.0, 10.0], [3.0, 30.0]]))
    >>> scaling.apply(np.array([[1.0, 30.0]]))
    array([[-1.,  1.]])
    >>> scaling.undo(np.array([[-1.0, 1.0]]))
    array([[ 1., 30.]])
    """

    center: np.ndarray
    scale: np.ndarray
    robust: np.ndarray

    @classmethod
    def of(cls, X: np.ndarray) -> Scaling:
        """Return the scaling of the rows X, (n, p)."""
        largest = np.maximum(np.abs(X).max(axis=0), 1e-300)  # squares of huge values would overflow
        unit = X / largest
        mean, deviation = unit.mean(axis=0), unit.std(axis=0)
        low, middle, high = np.quantile(unit, [0.25, 0.5, 0.75], axis=0)
        quartiles = (high - low) / _NORMAL_QUARTILES
        robust = (len(X) >= _FEWEST_ROWS) & (quartiles > 0) & (deviation > _FAR_ROWS * quartiles)
        scale = np.where(robust, quartiles, np.where(deviation > 0, deviation, 1.0 / largest))
        return cls(np.where(robust, middle, mean) * largest, scale * largest, robust)

    @classmethod
    def from_array(cls, array: Any) -> Scaling:
        """Return the scaling that a model keeps as (2, p): centres, then scales."""
        return cls(array[0], array[1], np.zeros(len(array[0]), dtype=bool))

    def as_array(self) -> np.ndarray:
        """Return centres and scales as (2, p), as a model file keeps them."""
        return np.vstack([self.center, self.scale])

    def apply(self, X: np.ndarray) -> np.ndarray:
        """Return rows on the common scale."""
        return (X - self.center) / self.scale

    def undo(self, X: np.ndarray) -> np.ndarray:
        """Return rows, or centres, in the columns' own units."""
        return X * self.scale + self.center

    @property
    def differ(self) -> float:
        """How many times the greatest scale is the smallest."""
        return float(self.scale.max() / self.scale.min())

    def words(self, names: Sequence[str]) -> str:
        """Return what was done to the columns, in one sentence."""
        said = "Columns are standardised: mean 0, standard deviation 1"
        rough = [f"'{name}'" for name, is_robust in zip(names, self.robust, strict=True) if is_robust]
        if rough:
            listed = ", ".join(rough[:6]) + (f" and {len(rough) - 6} more" if len(rough) > 6 else "")
            said += f"; {listed} by median and quartiles, because of values far from all others"
        return said + "."
