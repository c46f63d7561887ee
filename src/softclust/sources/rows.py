"""Rows of data with their weights, labels and pairs, and the units to read them in."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from softclust.knowledge.graph import Graph, Links
from softclust.knowledge.labels import Known
from softclust.sources.units import Units, units_of
from softclust.values import Value, locked

_FEW = 1024  # rows of a block whose coordinates are kept from pass to pass: linked rows, small data


@dataclass(frozen=True)
class Rows(Value):
    """Rows of data with their weights, labels and pairs, and the units to read them in."""

    X: Any  # an array, or a `RemoteRows`
    units: Units
    weight: np.ndarray | None = None  # None = all 1
    products_fit: bool = False  # no coordinate beyond 2^NARROW_EXPONENT (kernels.codes), in loop units
    known: Known | None = None  # labels of these rows
    links: Links | None = None  # pairs among these rows
    graph: Graph | None = None  # the pairs of a block of linked rows, which are in the order of the graph

    def __len__(self) -> int:
        return len(self.X)

    @property
    def points(self) -> np.ndarray:
        """The rows in loop coordinates; the coordinates of few rows are kept."""
        return self._points if len(self.X) <= _FEW else self.units.to_loop(self.X)

    @cached_property
    def _points(self) -> np.ndarray:
        return locked(self.units.to_loop(self.X))

    @cached_property
    def labelled(self) -> tuple[np.ndarray, Rows] | None:
        """Positions of the labelled rows, and these rows as a block; None without labels."""
        return None if self.known is None else (self.known.rows, self.take(self.known.rows))

    @property
    def weights(self) -> np.ndarray:
        """(n,) weight of each row; ones if no weights were given."""
        return np.ones(len(self)) if self.weight is None else self.weight

    @property
    def total_weight(self) -> float:
        """Sum of the weights of all rows."""
        return float(len(self)) if self.weight is None else float(self.weight.sum())

    def take(self, which: slice | np.ndarray) -> Rows:
        """Return the rows at a slice or an array of positions, without pairs."""
        weight = None if self.weight is None else self.weight[which]
        known = None if self.known is None else self.known.take(which, len(self))
        return replace(self, X=self.X[which], weight=weight, known=known, links=None)

    def sampled(self, which: np.ndarray) -> Rows:
        """Return the rows at an array of positions, with the pairs among them."""
        links = None if self.links is None else self.links.take(which, len(self))
        return replace(self.take(which), links=links)

    @property
    def unlinked(self) -> Rows:
        """All rows, but linked rows have the weight 0: they are in the block `linked`."""
        if self.links is None:
            return self
        weight = np.ones(len(self)) if self.weight is None else self.weight.copy()
        weight[self.links.graph.rows] = 0.0
        return replace(self, weight=weight, links=None)

    @property
    def linked(self) -> Rows | None:
        """The linked rows as one block, or None without pairs."""
        if self.links is None:
            return None
        return replace(self.take(self.links.graph.rows), graph=self.links.graph)


def keys_of(points: np.ndarray) -> np.ndarray:
    """(n,) a number for each point, by which points are told apart and brought into an order of their own.

    It is the product with a fixed random vector: equal points have equal keys, wherever they stand, and the
    order of keys is the same in any unit and from any origin.
    """
    points = points.astype(np.float64, copy=False)
    return (points * np.random.default_rng(0).normal(size=points.shape[1])).sum(axis=1)


def rows_in_units(X: Any, weight: np.ndarray | None = None) -> Rows:
    """Return rows with the units that fit them."""
    units, products_fit, _ = units_of(X, weight)
    return Rows(X, units, weight, products_fit)


def rows_as_they_are(X: Any, weight: np.ndarray | None = None) -> Rows:
    """Return rows in the units of the data, for geometries that no shift or scaling may touch."""
    return Rows(X, Units(1.0, np.zeros(X.shape[1])), weight)
