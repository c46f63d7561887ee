"""What every geometry has: facts with defaults, and the functions that a new one must define."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from softclust.values import Value

if TYPE_CHECKING:
    from softclust.grammar.frame import Frame
    from softclust.grammar.state import Stats
    from softclust.sources.units import Units

Theta = tuple[np.ndarray, ...]

# What distances are: squares of lengths in the units of the data, numbers without a unit, or minus logarithms of densities.
SQUARED_LENGTHS, PURE_NUMBERS, LOG_DENSITIES = "squared lengths", "pure numbers", "log densities"

# Where prototypes start: at centres, at hard clusters with their covariances, at circles.
AT_CENTRES, AT_HARD_CLUSTERS, AT_CIRCLES = "centres", "hard clusters", "circles"

GEOMETRIES: dict[str, type[Prototypes]] = {}


@dataclass(frozen=True)
class Request:
    """What a user asks of a geometry."""

    geometry: Any  # its name, or an object of the user's own
    n_clusters: int
    metric_reg: float = 0.0
    matrix: np.ndarray | None = None  # the one metric of all clusters, in the units of the data


class Prototypes(Value):
    """How far is a row from a cluster?

    A geometry is a frozen dataclass with its distance in the docstring.  theta is a tuple of arrays with a row for
    each cluster, the centres first.  A class with a `name` is a word that users may give as `geometry`.
    """

    name: ClassVar[str | None] = None
    measure: ClassVar[str] = SQUARED_LENGTHS
    starts: ClassVar[str] = AT_CENTRES
    is_additive: ClassVar[bool] = (
        False  # whether sums of rows that have gone by still tell where centres belong
    )
    has_shape: ClassVar[bool] = False  # whether `init` may be a pair (centres, matrices)
    has_one_matrix: ClassVar[bool] = False  # whether that pair is (centres, one matrix for all clusters)
    may_coincide: ClassVar[bool] = False  # whether different clusters may have one centre
    may_ascend: ClassVar[bool] = False  # whether `solve` may raise J; the loop then halves its steps
    in_data_units: ClassVar[bool] = False  # whether it sees rows as they are, not in loop units
    takes_separation: ClassVar[bool] = False  # whether centres have a common distance
    remedy: ClassVar[str] = "fewer clusters or a smaller m would keep them apart"  # of coincident centres

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "name" in vars(cls) and cls.name is not None:
            GEOMETRIES[cls.name] = cls

    @classmethod
    def from_data(cls, source: Any, request: Request) -> Prototypes:
        """The geometry for these rows."""
        return cls()

    @property
    def passes(self) -> Any:
        """The module with the compiled sweep and assign, or None."""
        return None

    @property
    def fence(self) -> float:
        """Squared distance of noise while scales are looked for, 0 for none."""
        return 0.0

    def columns(self, theta: Theta, frame: Frame) -> tuple[np.ndarray, ...]:
        """What the compiled passes see of theta."""
        raise NotImplementedError

    def begin(self, V: np.ndarray, *shape: Any) -> Theta:
        """theta at the start, from centres and, where the geometry has one, a shape."""
        return (V,)

    def start(self, theta: Theta) -> tuple[Any, ...]:
        """What `begin` takes to begin at theta."""
        return theta

    @classmethod
    def shape_given(cls, matrices: Any, units: Units, c: int, p: int) -> np.ndarray | None:
        """What `begin` takes beside centres, from matrices in the units of the data; None for nothing."""
        raise NotImplementedError

    def distances(self, points: np.ndarray, theta: Theta, frame: Frame) -> np.ndarray:
        """(n, K) squared distances of rows to the clusters, or sets of clusters, of the frame."""
        raise NotImplementedError

    def moments(self, points: np.ndarray, W: np.ndarray, theta: Theta, frame: Frame) -> Theta:
        """Sums over rows, weighed by their influence W (n, K): all that `solve` sees of the data."""
        raise NotImplementedError

    def moved(self, stats: Stats, theta: Theta, other: Theta, frame: Frame) -> Stats:
        """Statistics of a sweep at theta as one at `other` has them."""
        return stats

    def solve(self, stats: Stats, theta: Theta, frame: Frame, separation: Any) -> Theta:
        """theta that minimises J for the memberships behind these statistics."""
        raise NotImplementedError

    def with_more_rows(self, weight: float) -> Prototypes:
        """The geometry when rows of this weight come to those that it was made for."""
        return self

    def penalty(self, theta: Theta) -> float:
        """What the prototypes themselves add to J."""
        return 0.0

    def shift(self, theta: Theta, other: Theta) -> float:
        """The longest move of a coordinate between two states, in units of the data's spread."""
        raise NotImplementedError

    def packed(self, theta: Theta) -> np.ndarray:
        """theta as a vector of a space in which extrapolation makes sense."""
        return np.concatenate([x.ravel() for x in theta])

    def unpacked(self, point: np.ndarray, theta: Theta) -> Theta:
        """theta from such a vector; `theta` has the shapes."""
        ends = np.cumsum([x.size for x in theta])[:-1]
        return tuple(part.reshape(x.shape) for part, x in zip(np.split(point, ends), theta, strict=True))

    def published(self, theta: Theta, stats: Stats, frame: Frame, units: Units) -> dict[str, np.ndarray]:
        """Fitted attributes of the shapes, in the units of the data."""
        return {}

    def complaints(self, theta: Theta, units: Units) -> Iterator[str]:
        """A sentence for each cluster that has degenerated."""
        yield from ()
