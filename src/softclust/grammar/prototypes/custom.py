"""Geometries that a user writes, and the built-in geometry "directions", which is written like one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from softclust._lazy import kernels
from softclust.grammar.prototypes.base import GEOMETRIES, PURE_NUMBERS, Prototypes, Request, Theta
from softclust.grammar.prototypes.parts import Parts

if TYPE_CHECKING:
    from softclust.grammar.frame import Frame
    from softclust.grammar.separation import CentralDistance, Repulsion
    from softclust.grammar.state import Stats


@dataclass(frozen=True)
class Custom(Prototypes):
    """A geometry made from a user's object with three methods: distances, additive moments, and solve.

    The object sees rows in the units of the data.  It sees theta as it returned it: a tuple of arrays with
    a row for each cluster, the centres first.

    - `distances(X, theta)` -> (n, c) dissimilarities >= 0; those of a row must not depend on other rows;
    - `moments(X, W, theta)` -> a tuple of sums over the rows, weighed by W (n, c);
    - `solve(weight, moments, theta)` -> a new theta, from the sums over all rows; weight is W's (c,) sum;
    - `begin(V)` -> theta from (c, p) centres; an object without this method starts at (V,).
    """

    part: Any  # the user's object

    measure: ClassVar[str] = PURE_NUMBERS
    in_data_units: ClassVar[bool] = True
    may_ascend: ClassVar[bool] = True  # nobody has proven that the object's `solve` lowers J
    stuck_is_rest: ClassVar[bool] = True  # J may have kinks, where the object's steps end

    @classmethod
    def from_data(cls, source: Any, request: Request) -> Self:
        return cls(request.geometry)

    def begin(self, V: np.ndarray, *more: Any) -> Theta:
        """Return theta at the start: that of the object's `begin`, else the centres and shapes as given."""
        if hasattr(self.part, "begin"):
            return _theta(self.part.begin(V, *more))
        return (np.array(V), *more)

    def distances(self, points: np.ndarray, theta: Theta, frame: Frame) -> np.ndarray:
        """Return the object's dissimilarities (n, c) after a check of their shape and sign."""
        D = np.asarray(self.part.distances(points, theta))
        if D.shape != (len(points), len(theta[0])):
            raise ValueError(
                f"distances of {type(self.part).__name__} has shape {D.shape}; "
                f"({len(points)}, {len(theta[0])}) would fit, a column for each cluster."
            )
        if not (D >= 0).all():
            i, k = np.argwhere(~(D >= 0))[0]
            raise ValueError(
                f"distances of {type(self.part).__name__} gives {D[i, k]} for row {i} of a block and "
                f"cluster {k}; dissimilarities are numbers >= 0."
            )
        return D.astype(points.dtype, copy=False)

    def moments(self, points: np.ndarray, W: np.ndarray, theta: Theta, frame: Frame) -> Theta:
        return tuple(np.asarray(x, dtype=np.float64) for x in self.part.moments(points, W, theta))

    def solve(
        self, stats: Stats, theta: Theta, frame: Frame, separation: Repulsion | CentralDistance | None
    ) -> Theta:
        """Return the object's new theta; a cluster without weight stays as it is."""
        new = _theta(self.part.solve(stats.weight, stats.moments, theta))
        held = stats.weight <= 0
        return tuple(
            np.where(held.reshape(-1, *[1] * (x.ndim - 1)), y, x) for x, y in zip(new, theta, strict=True)
        )

    def shift(self, theta: Theta, other: Theta) -> float:
        """Return the greatest change of an array, as a share of its greatest entry."""
        return max(
            float(np.abs(x - y).max() / (np.abs(y).max() or 1.0)) for x, y in zip(theta, other, strict=True)
        )


def geometry_of(word: Any) -> type[Prototypes]:
    """Return the class that a name stands for; an object that is no name is a `Custom`."""
    return GEOMETRIES[word] if isinstance(word, str) else Custom


def _theta(value: Any) -> Theta:
    """Return theta as a tuple of float64 arrays; a single array becomes a tuple of one."""
    return tuple(np.asarray(x, dtype=np.float64) for x in (value if isinstance(value, tuple) else (value,)))


@dataclass(frozen=True)
class Directions:
    """Clusters are directions: d_ik = 1 - cos(x_i, v_k), for texts and embeddings.

    d_ik is half the squared chord between unit vectors.  J is least at v_k = sum_i W_ik x_i/|x_i|, divided
    by its length.  A row of zeros has no direction: it is 1 from every centre and moves none.

    The methods are those that `Custom` expects of a user's object.
    """

    def begin(self, V: np.ndarray) -> Theta:
        """Return the centres, divided by their length."""
        return (_of_length_one(np.asarray(V, dtype=np.float64)),)

    def distances(self, X: np.ndarray, theta: Theta) -> np.ndarray:
        """Return 1 - cos (n, c) as half the squared chord, added up feature by feature."""
        units, D = _of_length_one(X), np.zeros((len(X), len(theta[0])), X.dtype)
        for x, v in zip(units.T, _of_length_one(theta[0]).T.astype(X.dtype), strict=True):
            D += (x[:, None] - v) ** 2
        nothing = (units == 0).all(axis=1)
        return np.where(nothing[:, None], 1.0, 0.5 * D).astype(X.dtype)

    def moments(self, X: np.ndarray, W: np.ndarray, theta: Theta) -> Theta:
        """Return the weighed sums (c, p) of the rows' unit vectors."""
        return (W.T @ _of_length_one(X).astype(np.float64),)

    def solve(self, weight: np.ndarray, moments: Theta, theta: Theta) -> Theta:
        """Return the directions of the sums; a sum of 0 has none, and its centre stays."""
        new = _of_length_one(moments[0])
        return (np.where((new == 0).all(axis=1, keepdims=True), theta[0], new),)


@dataclass(frozen=True)
class Cosines(Custom):
    """The geometry "directions": clusters are directions, with the distances 1 - cos(x_i, v_k)."""

    part: Any = Directions()

    name: ClassVar[str | None] = "directions"
    by_direction: ClassVar[bool] = True

    @property
    def passes(self) -> Any:
        return kernels("passes")

    def columns(self, theta: Theta, frame: Frame) -> tuple[np.ndarray, ...]:
        """Return unit vectors without metrics, and levels of 0: with levels, distances are halved."""
        V = _of_length_one(theta[0])
        return V, np.empty((0, 0, 0)), np.zeros(len(V))

    @classmethod
    def from_data(cls, source: Any, request: Request) -> Self:
        return cls()

    def parts(self, point: np.ndarray, theta: Theta) -> Parts:
        """Return half the squares of a chord's coordinates; a row of zeros is 1 from every centre."""
        V = _of_length_one(theta[0])
        if not point.any():
            return Parts(np.zeros_like(V), {"no direction": np.ones(len(V))})
        return Parts(0.5 * (_of_length_one(point[None]) - V) ** 2, {})


def _of_length_one(X: np.ndarray) -> np.ndarray:
    """Divide each row by its length; rows of zeros stay."""
    largest = np.abs(X).max(axis=1, keepdims=True)
    X = X / np.where(largest > 0, largest, 1.0)  # no square overflows
    length = np.sqrt((X**2).sum(axis=1, keepdims=True))
    return X / np.where(length > 0, length, 1.0)
