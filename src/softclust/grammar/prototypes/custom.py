"""A geometry of the user's own, and one that is built in as such: directions."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from softclust.grammar.prototypes.base import GEOMETRIES, PURE_NUMBERS, Prototypes


@dataclass(frozen=True)
class Custom(Prototypes):
    """The words of the loop for a part that knows three: distances, additive moments, solve.

    The part sees rows in the units of the data, and theta as it returned it: a tuple of arrays with a row
    for each cluster, the centres first.

    - `distances(X, theta)` -> (n, c) dissimilarities >= 0, each row by itself;
    - `moments(X, W, theta)` -> a tuple of sums over the rows, weighed by W (n, c);
    - `solve(weight, moments, theta)` -> a new theta, from the sums over all rows; weight is W's (c,) sum;
    - `begin(V)` -> theta from (c, p) centres; (V,) where the part has none.
    """

    part: Any

    measure: ClassVar[str] = PURE_NUMBERS
    in_data_units: ClassVar[bool] = True
    may_ascend: ClassVar[bool] = True  # whether its solve lowers J, no one has proven

    @classmethod
    def from_data(cls, source, request):
        return cls(request.geometry)

    def begin(self, V, *more):
        if hasattr(self.part, "begin"):
            return _theta(self.part.begin(V, *more))
        return (np.array(V), *more)

    def distances(self, points, theta, frame):
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

    def moments(self, points, W, theta, frame):
        return tuple(np.asarray(x, dtype=np.float64) for x in self.part.moments(points, W, theta))

    def solve(self, stats, theta, frame, separation):
        new = _theta(self.part.solve(stats.weight, stats.moments, theta))
        held = stats.weight <= 0
        return tuple(
            np.where(held.reshape(-1, *[1] * (x.ndim - 1)), y, x) for x, y in zip(new, theta, strict=True)
        )

    def shift(self, theta, other):
        """The greatest change of an array, as a share of its greatest entry."""
        return max(
            float(np.abs(x - y).max() / (np.abs(y).max() or 1.0)) for x, y in zip(theta, other, strict=True)
        )


def geometry_of(word):
    """The class that a name stands for; an object of the user's own is a `Custom`."""
    return GEOMETRIES[word] if isinstance(word, str) else Custom


def _theta(value):
    return tuple(np.asarray(x, dtype=np.float64) for x in (value if isinstance(value, tuple) else (value,)))


@dataclass(frozen=True)
class Directions:
    """d_ik = 1 - cos(x_i, v_k), half the squared chord between unit vectors: for texts and embeddings.

    J is least at v_k = sum_i W_ik x_i/|x_i|, divided by its length.  A row of zeros has no direction: it is
    1 from every centre and moves none.
    """

    def begin(self, V):
        return (_of_length_one(np.asarray(V, dtype=np.float64)),)

    def distances(self, X, theta):
        units, D = _of_length_one(X), np.zeros((len(X), len(theta[0])), X.dtype)
        for x, v in zip(units.T, _of_length_one(theta[0]).T.astype(X.dtype), strict=True):
            D += (x[:, None] - v) ** 2
        nothing = (units == 0).all(axis=1)
        return np.where(nothing[:, None], 1.0, 0.5 * D).astype(X.dtype)

    def moments(self, X, W, theta):
        return (W.T @ _of_length_one(X).astype(np.float64),)

    def solve(self, weight, moments, theta):
        new = _of_length_one(moments[0])
        return (np.where((new == 0).all(axis=1, keepdims=True), theta[0], new),)


@dataclass(frozen=True)
class Cosines(Custom):
    """The geometry "directions": clusters are directions, and distances 1 - cos(x_i, v_k)."""

    part: Any = Directions()

    name: ClassVar[str | None] = "directions"

    @classmethod
    def from_data(cls, source, request):
        return cls()


def _of_length_one(X):
    """Rows divided by their length; rows of zeros stay."""
    largest = np.abs(X).max(axis=1, keepdims=True)
    X = X / np.where(largest > 0, largest, 1.0)  # no square overflows
    length = np.sqrt((X**2).sum(axis=1, keepdims=True))
    return X / np.where(length > 0, length, 1.0)
