"""The contract of a geometry: facts with defaults, and the methods that a new geometry defines.

The loop calls a geometry in this order:

    theta = begin(V)                                 once, from centres V
    D = distances(points, theta, frame)              for each block of rows
        (the partition turns D into the influence W = dJ/dD)
    moments(points, W, theta, frame)                 for each block; the sums of the blocks add
    theta = solve(stats, theta, frame, separation)   from the sums alone; then `distances` again
    shift(new, old)                                  the loop stops when the shift is small

Shapes: n rows in a block, p features, c clusters, and K columns of the frame.  K = c unless sets of several
clusters have a column too.

The methods share these arguments: `points` (n, p), rows in loop units; `theta`, a tuple of arrays with the
parameters of the clusters; `frame`, the sets of clusters that own a column; `stats`, the sums over all rows
of `moments` and of the weights; `units`, the units of the loop.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from softclust.sources.spread import effective_dimension
from softclust.values import Value

if TYPE_CHECKING:
    from softclust.grammar.frame import Frame
    from softclust.grammar.prototypes.parts import Parts
    from softclust.grammar.separation import CentralDistance, Repulsion
    from softclust.grammar.state import Stats
    from softclust.sources.units import Units

Theta = tuple[np.ndarray, ...]

# Values of `measure`: distances are squares of lengths in the units of the data, numbers without a unit, or
# minus logarithms of densities.
SQUARED_LENGTHS, PURE_NUMBERS, LOG_DENSITIES = "squared lengths", "pure numbers", "log densities"

# Values of `starts`: prototypes start at centres, at hard clusters with their covariances, at circles, or
# at the rows about centres with their covariances.
AT_CENTRES, AT_HARD_CLUSTERS, AT_CIRCLES = "centres", "hard clusters", "circles"
AT_NEIGHBOURHOODS = "neighbourhoods"

GEOMETRIES: dict[str, type[Prototypes]] = {}  # every geometry that has a name


@dataclass(frozen=True)
class Request:
    """The parameters of an estimator that concern its geometry."""

    geometry: Any  # its name, or an object of the user's own
    n_clusters: int
    metric_reg: float = 0.0
    matrix: np.ndarray | None = None  # the one metric of all clusters, in the units of the data


class Prototypes(Value):
    """A geometry: how far is a row from a cluster?

    A geometry is a frozen dataclass that carries its distance in the docstring.  Its fields are fixed
    during a fit.  The parameters that a fit moves are theta: a tuple of arrays with a row for each cluster,
    the centres first.

    A new geometry defines `distances`, `moments`, `solve` and `shift`.  It also defines

    - `from_data`, if its fields depend on the rows or on the request;
    - `begin`, `start` and `shape_given`, if theta is more than the centres;
    - `parts`, if its distance is a sum over features;
    - `moved`, if its moments depend on theta and `is_additive` is true;
    - `passes` and `columns`, if a compiled pass exists for it.

    A class that sets `name` registers itself in `GEOMETRIES`; users may then give that name as `geometry`.
    Users who write a geometry of their own need less: see `Custom`.
    """

    # The word that users give as `geometry`; None for a geometry without a word.
    name: ClassVar[str | None] = None

    # What distances are: one of the three values above.
    measure: ClassVar[str] = SQUARED_LENGTHS

    # Where a fit starts: one of the four values above.
    starts: ClassVar[str] = AT_CENTRES

    # Whether the sums over past rows still tell where centres belong; `partial_fit` needs that.
    is_additive: ClassVar[bool] = False

    # Whether `init` may be a pair (centres, matrices).
    has_shape: ClassVar[bool] = False

    # Whether that pair is (centres, one matrix for all clusters).
    has_one_matrix: ClassVar[bool] = False

    # Whether different clusters may have the same centre; if not, coincident centres cause a warning.
    may_coincide: ClassVar[bool] = False

    # Whether `solve` may raise J; the loop then asks for `shorter` steps until J falls.
    may_ascend: ClassVar[bool] = False

    # Whether the loop has converged if no part of a step lowers J: nothing better is known of the geometry.
    stuck_is_rest: ClassVar[bool] = False

    # Whether the geometry sees rows as they are, not in loop units.
    in_data_units: ClassVar[bool] = False

    # Whether a feature counts by its spread in the data: distances see only features that spread widely.
    scales_matter: ClassVar[bool] = False

    # Whether compiled passes divide each row by its length.
    by_direction: ClassVar[bool] = False

    # Whether a separation may act on the centres: all of them share one distance.
    takes_separation: ClassVar[bool] = False

    # The advice in the warning about coincident centres, for partitions without typicalities.
    remedy: ClassVar[str] = "fewer clusters or a smaller m would keep them apart"

    def __init_subclass__(cls, **options: Any) -> None:
        """Register a subclass that has a name of its own."""
        super().__init_subclass__(**options)
        if "name" in vars(cls) and cls.name is not None:
            GEOMETRIES[cls.name] = cls

    @classmethod
    def from_data(cls, source: Any, request: Request) -> Self:
        """Make the geometry for the rows of a LocalSource or DaskSource.

        `source.reduce` adds up a function of the blocks of rows.
        """
        return cls()

    @classmethod
    def freedom(cls, source: Any) -> float:
        """Return the number of directions in which rows may differ from a cluster, as distances count them.

        m="auto" and outlier scores follow from it.
        """
        return effective_dimension(source)

    @property
    def passes(self) -> Any:
        """The module with the compiled `sweep` and `assign`; None to run the NumPy methods."""
        return None

    @property
    def fence(self) -> float:
        """Squared distance of noise in the fuzzy fit that finds the scales gamma_k; 0 for no noise."""
        return 0.0

    def columns(self, theta: Theta, frame: Frame) -> tuple[np.ndarray, ...]:
        """Return the arrays that the compiled passes take in place of theta, with a row for each column."""
        raise NotImplementedError

    def begin(self, V: np.ndarray, *shape: Any) -> Theta:
        """Return theta at the start of a fit, the centres V (c, p) first.

        `shape` holds the shapes of the clusters, if the geometry has shapes; by default clusters start with
        a plain shape.
        """
        return (V,)

    def start(self, theta: Theta) -> tuple[Any, ...]:
        """Return the arguments with which `begin` makes the theta of another fit.

        They are the centres and, if the geometry has them, the shapes.
        """
        return theta

    @classmethod
    def shape_given(cls, matrices: Any, units: Units, c: int, p: int) -> np.ndarray | None:
        """Check the matrices that a user gave in `init` and convert them for `begin`.

        The matrices are in the units of the data.  The result is the second argument of `begin`; None if
        `begin` takes the centres alone.
        """
        raise NotImplementedError

    def distances(self, points: np.ndarray, theta: Theta, frame: Frame) -> np.ndarray:
        """Return the squared distances (n, K) of rows to each cluster, or set of clusters, of the frame.

        Distances are of the kind that `measure` names, in the floating type of the points.  The distances
        of a row must not depend on the other rows of its block, down to the last bit.
        """
        raise NotImplementedError

    def parts(self, point: np.ndarray, theta: Theta) -> Parts | None:
        """Split the distances of one row (p,), in loop units, into parts by feature; see `Parts`.

        None if the distance is no sum over features.
        """
        return None

    def moments(self, points: np.ndarray, W: np.ndarray, theta: Theta, frame: Frame) -> Theta:
        """Add up the rows, weighed by their influence.  `solve` sees nothing else of the data.

        W (n, K) is the influence dJ/dd of each row on each column, found at theta.  The result is a tuple
        of sums over the rows, such that the sums of two blocks add.
        """
        raise NotImplementedError

    def moved(self, stats: Stats, theta: Theta, other: Theta, frame: Frame) -> Stats:
        """Convert the statistics of a sweep at theta into the form that a sweep at `other` gives them.

        `partial_fit` does so with the sums over past rows, which keep their influence while clusters move.
        The statistics stay as they are if the moments do not depend on theta.
        """
        return stats

    def solve(
        self, stats: Stats, theta: Theta, frame: Frame, separation: Repulsion | CentralDistance | None
    ) -> Theta:
        """Return the theta that minimises J for the memberships behind the statistics.

        The rows were swept at the old theta; the new theta has the shapes of the old one.  A cluster
        without weight stays where it is.  `separation` is a term of J in the centres, None unless
        `takes_separation` is true.
        """
        raise NotImplementedError

    def shorter(
        self,
        stats: Stats,
        theta: Theta,
        frame: Frame,
        separation: Repulsion | CentralDistance | None,
        times: int,
    ) -> Theta:
        """Return a step that is the shorter the more `times` the loop found that a step raised J.

        By default it is the step of `solve`, halved so many times.
        """
        full = self.solve(stats, theta, frame, separation)
        point, end = self.packed(theta), self.packed(full)
        return self.unpacked(point + 0.5**times * (end - point), full)

    def with_more_rows(self, weight: float) -> Self:
        """Return the geometry for the rows so far and further rows of this total weight."""
        return self

    def penalty(self, theta: Theta) -> float:
        """Return the term, in loop units, that the prototypes themselves add to J."""
        return 0.0

    def shift(self, theta: Theta, other: Theta) -> float:
        """Return how far the clusters moved from `other` to theta; the loop stops at `tol` or less.

        This is the longest move of a coordinate, in units of the data's spread.
        """
        raise NotImplementedError

    def packed(self, theta: Theta) -> np.ndarray:
        """Return theta as a vector of a space in which extrapolation makes sense.

        Every vector near it is a valid theta too.
        """
        return np.concatenate([x.ravel() for x in theta])

    def unpacked(self, point: np.ndarray, theta: Theta) -> Theta:
        """Return the theta of a vector that `packed` returned; any theta of this fit gives the shapes."""
        ends = np.cumsum([x.size for x in theta])[:-1]
        return tuple(part.reshape(x.shape) for part, x in zip(np.split(point, ends), theta, strict=True))

    def published(self, theta: Theta, stats: Stats, frame: Frame, units: Units) -> dict[str, np.ndarray]:
        """Return the fitted attributes that describe the shapes of the clusters.

        `stats` comes from a sweep at the fitted theta.  The result has arrays in the units of the data, by
        the name of the attribute.
        """
        return {}

    def complaints(self, theta: Theta, units: Units) -> Iterator[str]:
        """Yield a sentence for each cluster that has degenerated; the estimator warns with it."""
        yield from ()
