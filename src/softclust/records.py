"""The values that move between the parts: rows in, statistics out, a state from pass to pass."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import cached_property, wraps
from operator import is_
from typing import Any

import numpy as np

from softclust.links import Graph, Links

# Loop coordinates stay within +-2^this, so that neither squared distances nor, in double precision, their
# products with each other and with weights overflow or vanish.
LARGEST_EXPONENT = {np.dtype("f4"): 50, np.dtype("f8"): 240}


def _locked(array):
    """The array, read-only: as compiled passes take it."""
    array.flags.writeable = False
    return array


@dataclass(frozen=True)
class Value:
    """A record that is stored as its fields; what was computed from them is computed again."""

    def __getstate__(self):
        return {field.name: getattr(self, field.name) for field in fields(self)}


def kept(method):
    """A function of a record that keeps its last answer there: passes ask for the same again and again."""
    name = f"_last_{method.__name__}"

    @wraps(method)
    def call(self, *arguments):
        last = self.__dict__.get(name)
        if last is None or not all(map(is_, last[0], arguments)):
            last = self.__dict__[name] = arguments, method(self, *arguments)
        return last[1]

    return call


@dataclass(frozen=True)
class Units(Value):
    """The coordinates of the loop: x * factor - origin, with factor a power of two.

    Scaling by a power of two is exact, so data of size 1e-200 or 1e+200 behave as data of size 1.
    Rows and centres beyond the range of squared distances are taken at its edge.
    """

    factor: float
    origin: np.ndarray  # (p,), already multiplied by the factor
    spread: float = 1.0  # of the data, in these units: 1, or less where an outlier is very far

    def enter(self, X):
        """Data coordinates to loop coordinates."""
        limit = 2.0 ** LARGEST_EXPONENT[X.dtype]
        with np.errstate(over="ignore"):
            points = X * X.dtype.type(self.factor)
            points -= self.origin.astype(X.dtype, copy=False)
        np.maximum(points, -limit, out=points)
        return np.minimum(points, limit, out=points)

    def leave(self, V):
        """Loop coordinates back to data coordinates."""
        return (V + self.origin) / self.factor

    def enter_square(self, area):
        """Squared distances of the data in loop units; no step overflows where the result does not."""
        with np.errstate(over="ignore", under="ignore"):
            return np.multiply(np.multiply(area, self.factor), self.factor)

    def leave_square(self, area):
        """Squared distances back in data units; infinite where they have no float."""
        with np.errstate(over="ignore", under="ignore"):
            return np.divide(np.divide(area, self.factor), self.factor)

    def packed(self, dtype):
        """Factor, limit and origin as the one array that compiled passes take, for a type of rows."""
        if dtype not in self._packed:
            limit = 2.0 ** LARGEST_EXPONENT[dtype]
            with np.errstate(over="ignore"):  # of doubles that no float32 row can have
                units = np.concatenate(([self.factor, limit], self.origin)).astype(dtype)
            units.flags.writeable = False
            self._packed[dtype] = units
        return self._packed[dtype]

    @cached_property
    def _packed(self):
        return {}


_FEW = 1024  # rows of a block whose coordinates are kept from pass to pass: linked ones, small data


@dataclass(frozen=True)
class Known(Value):
    """What is said of some rows: the degree f_ik wanted in each cluster, and how much it counts."""

    rows: np.ndarray  # (q,) positions, rising
    target: np.ndarray  # (q, c) in [0, 1], NaN where nothing is said
    confidence: np.ndarray  # (q,) multiplies the strength of the penalty
    columns: np.ndarray | None = None  # (q, K) the same of sets of clusters; None where they are singletons

    @kept
    def heard(self, penalty):
        """Positions, wanted degrees and strengths alpha_i of the rows that a penalty is about."""
        alpha = penalty.strength * self.confidence
        counts = slice(None) if (alpha > 0).all() else alpha > 0
        target = self.target if self.columns is None else self.columns
        return self.rows[counts], target[counts], alpha[counts]

    def take(self, which, n):
        """What is said of the rows at a slice or at an array of positions, of n rows."""
        if isinstance(which, slice) and which.step in (None, 1):
            start, stop, _ = which.indices(n)
            first, last = np.searchsorted(self.rows, [start, stop])
            kept, rows = slice(first, last), self.rows[first:last] - start
        else:
            wanted = np.arange(n)[which]
            place = np.minimum(np.searchsorted(self.rows, wanted), len(self.rows) - 1)
            rows = np.flatnonzero(self.rows[place] == wanted)
            kept = place[rows]
        if len(rows) == 0:
            return None
        columns = None if self.columns is None else self.columns[kept]
        return Known(rows, self.target[kept], self.confidence[kept], columns)

    def merged(self, pairs, keep):
        """What is said of the clusters to keep: for a cluster melted into another, of that other."""
        target = self.target.copy()
        for k, gone in pairs[::-1]:
            target[:, k] = np.fmax(target[:, k], target[:, gone])
        return replace(self, target=target[:, keep])


@dataclass(frozen=True)
class Rows(Value):
    """Rows of data, what each one weighs, what is known of some, and the units to read them in."""

    X: Any  # an array, or what stands for rows that are elsewhere
    units: Units
    weight: np.ndarray | None = None  # None = all 1
    narrow: bool = False  # no coordinate beyond 2^NARROW_EXPONENT (kernels.codes), in loop units
    known: Known | None = None
    links: Links | None = None  # pairs among these rows
    graph: Graph | None = None  # of a block of linked rows, in the order of the graph

    def __len__(self):
        return len(self.X)

    @property
    def points(self):
        """The rows in the coordinates of the loop; of few rows they are kept."""
        return self._points if len(self.X) <= _FEW else self.units.enter(self.X)

    @cached_property
    def _points(self):
        return _locked(self.units.enter(self.X))

    @cached_property
    def told(self):
        """Positions of the rows of which something is known, and these as a block; None where none are."""
        return None if self.known is None else (self.known.rows, self.take(self.known.rows))

    @property
    def total_weight(self):
        return float(len(self)) if self.weight is None else float(self.weight.sum())

    def take(self, which):
        """The rows at a slice or an array of positions."""
        weight = None if self.weight is None else self.weight[which]
        known = None if self.known is None else self.known.take(which, len(self))
        return replace(self, X=self.X[which], weight=weight, known=known, links=None)

    def sampled(self, which):
        """The rows at an array of positions, with the pairs among them."""
        links = None if self.links is None else self.links.take(which, len(self))
        return replace(self.take(which), links=links)

    @property
    def unlinked(self):
        """All rows, those that are linked with weight 0: they are in the block `linked`."""
        if self.links is None:
            return self
        weight = np.ones(len(self)) if self.weight is None else self.weight.copy()
        weight[self.links.graph.rows] = 0.0
        return replace(self, weight=weight, links=None)

    @property
    def linked(self):
        """The linked rows as one block, or None."""
        if self.links is None:
            return None
        return replace(self.take(self.links.graph.rows), graph=self.links.graph)


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


_NARROW_FACTOR = 2.0**20  # up to this a cost of a set still has its product with seven others

# A set of several clusters is never nearer than this: a row on a centre belongs to the singleton.
_LEAST_COMPOSITE = {np.dtype("f4"): 1e-25, np.dtype("f8"): 1e-33}


@dataclass(frozen=True)
class Frame(Value):
    """Which sets of clusters own a column, and the squared distance of noise to everything.

    A set A costs |A|^power d; noise is the empty set of a credal partition.
    """

    sets: np.ndarray  # (K, c) of 0 and 1, the singletons first
    noise: float = 0.0  # 0 = no noise column
    power: float = 0.0  # alpha of evidential c-means

    @classmethod
    def singletons(cls, c, noise=0.0):
        return cls(np.eye(c), noise)

    @cached_property
    def is_singletons(self):
        return len(self.sets) == self.sets.shape[1]

    @cached_property
    def cardinality(self):
        return self.sets.sum(axis=1)

    @cached_property
    def mean(self):
        """Rows that average the centres of each set."""
        return self.sets / self.cardinality[:, None]

    @cached_property
    def ties(self):
        """(K, c c) how much a set ties each two of its clusters together."""
        return (self.mean[:, :, None] * self.mean[:, None, :]).reshape(len(self.sets), -1)

    @cached_property
    def factor(self):
        """(K,) what multiplies the distances, None where nothing does."""
        return None if self.is_singletons else _locked(self.cardinality**self.power)

    @cached_property
    def least(self):
        """For each type of rows, (K,) the least cost of each set."""
        several = self.cardinality > 1
        return {dtype: _locked(np.where(several, least, 0.0)) for dtype, least in _LEAST_COMPOSITE.items()}

    @cached_property
    def is_narrow(self):
        """Whether products of eight costs have a float where those of squared distances have."""
        return self.is_singletons or bool(self.factor.max() <= _NARROW_FACTOR)

    def costs(self, D):
        """Squared distances -> what a unit of membership costs."""
        if self.is_singletons:
            return D
        return np.maximum(D * self.factor.astype(D.dtype), self.least[D.dtype].astype(D.dtype))


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
