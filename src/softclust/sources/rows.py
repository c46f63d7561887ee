"""Rows of data: what each one weighs, what is known of it, and the units to read it in."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from softclust.knowledge.graph import Graph, Links
from softclust.knowledge.labels import Known
from softclust.sources.units import Units, units_of
from softclust.values import Value, locked

_FEW = 1024  # rows of a block whose coordinates are kept from pass to pass: linked ones, small data


@dataclass(frozen=True)
class Rows(Value):
    """Rows of data, what each one weighs, what is known of some, and the units to read them in."""

    X: Any  # an array, or what stands for rows that are elsewhere
    units: Units
    weight: np.ndarray | None = None  # None = all 1
    products_fit: bool = False  # no coordinate beyond 2^NARROW_EXPONENT (kernels.codes), in loop units
    known: Known | None = None
    links: Links | None = None  # pairs among these rows
    graph: Graph | None = None  # of a block of linked rows, in the order of the graph

    def __len__(self):
        return len(self.X)

    @property
    def points(self):
        """The rows in the coordinates of the loop; of few rows they are kept."""
        return self._points if len(self.X) <= _FEW else self.units.to_loop(self.X)

    @cached_property
    def _points(self):
        return locked(self.units.to_loop(self.X))

    @cached_property
    def labelled(self):
        """Positions of the rows of which something is known, and these as a block; None where none are."""
        return None if self.known is None else (self.known.rows, self.take(self.known.rows))

    @property
    def weights(self):
        """(n,) the weight of each row, ones where none were given."""
        return np.ones(len(self)) if self.weight is None else self.weight

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


def rows_in_units(X, weight=None):
    """Rows with the units that fit them."""
    units, products_fit = units_of(X)
    return Rows(X, units, weight, products_fit)


def rows_as_they_are(X, weight=None):
    """Rows in the units of the data, for geometries that no shift or scaling may touch."""
    return Rows(X, Units(1.0, np.zeros(X.shape[1])), weight)
