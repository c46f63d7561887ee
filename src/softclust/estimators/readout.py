"""What a fitted model says of rows: functions of one value, `Fitted`, wherever the rows are."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from scipy.special import chdtr

from softclust.grammar.frame import Frame
from softclust.grammar.model import Model
from softclust.grammar.partitions import CredalMembers, Members, Partition
from softclust.grammar.prototypes.base import LOG_DENSITIES, PURE_NUMBERS, SQUARED_LENGTHS
from softclust.grammar.prototypes.parts import BEYOND, Parts
from softclust.grammar.state import State
from softclust.grammar.sweep import assign
from softclust.sources.units import LARGEST_EXPONENT, Units
from softclust.values import Value


@dataclass(frozen=True)
class Fitted(Value):
    """All that a prediction needs: the model, its state, its units, and when a row is an outlier."""

    model: Model
    state: State
    units: Units
    limits: np.ndarray | None = None  # typicalities at and below which a row is no member of a cluster
    tails: np.ndarray | None = None  # of `tail_scores`, which are the outlier scores without noise

    @property
    def without_links(self) -> Fitted:
        """The same for rows of which no pairs are known."""
        return self if self.state.linked is None else replace(self, state=replace(self.state, linked=None))

    def members(self, source: Any) -> Any:
        """Memberships, typicalities, labels and outlier scores of each row in memory."""
        n, c, dtype = len(source), len(self.model.frame.sets), source.rows.X.dtype
        members = Members(
            np.empty((n, c), dtype),
            np.empty((n if self.model.partition.has_typicalities else 0, c), dtype),
            np.empty(n, np.int32),
            np.empty(n, dtype),
        )
        source.fill(assign, members, self.model, self.state, self.tails)
        return members

    def outliers(self, members: Any) -> Any:
        """(n,) rows that noise explains better than any cluster; without noise, rows typical of none."""
        if self.model.frame.noise:
            return members.scores > (1 - members.scores) * members.memberships.max(axis=1)
        if len(members.typicalities):
            return (members.typicalities <= self.limits).all(axis=1)
        assert self.limits is not None
        return 1 - members.scores <= self.limits[0]

    def distances(self, source: Any) -> np.ndarray:
        """(n, c) distances of each row to each cluster, in the units of the data where they have one."""
        out = _Distances(np.empty((len(source), self.model.n_clusters), source.rows.X.dtype))
        source.fill(_distances, out, self.model, self.state)
        return out.distances

    def parts(self, row: np.ndarray) -> Parts | None:
        """Exact parts of the distances of a row (p,), in the units of the data; None if there are none."""
        prototypes = self.model.prototypes
        point = self.units.to_loop(np.asarray(row, dtype=np.float64)[None])[0]
        parts = prototypes.parts(point, self.state.theta)
        if parts is None or prototypes.measure != SQUARED_LENGTHS:
            return parts
        features = self.units.squares_to_data(parts.features)
        if not np.isfinite(features).all() or (parts.features.any() and not features.any()):
            raise ValueError(BEYOND)
        return parts._replace(features=features)

    def log_densities(self, source: Any) -> np.ndarray:
        """(n,) log-density of each row of a mixture."""
        out = _LogDensities(np.empty(len(source)))
        source.fill(_log_densities, out, self.model, self.state)
        return out.values + source.rows.X.shape[1] * np.log(self.units.factor)


@dataclass(frozen=True)
class FittedCredal(Fitted):
    """The same of a credal partition: the columns are masses of sets of clusters."""

    def members(self, source: Any) -> Any:
        shares = super().members(source)
        empty = shares.scores[:, None]
        masses = np.concatenate([empty, shares.memberships * (1 - empty)], axis=1)
        # Row by row, in this order: BLAS looks at the other rows, and bits would depend on them.
        pignistic = np.zeros((self.model.n_clusters, len(masses)), masses.dtype)
        columns = np.ascontiguousarray(shares.memberships.T)
        for column, members in zip(columns, self.model.frame.mean.astype(masses.dtype), strict=True):
            for k in np.flatnonzero(members):
                pignistic[k] += column * members[k]
        labels = pignistic.argmax(axis=0).astype(np.int32)
        memberships = np.ascontiguousarray(pignistic.T)
        return CredalMembers(memberships, shares.typicalities, labels, shares.scores, masses)

    def outliers(self, members: Any) -> Any:
        """(n,) rows that believe most in the empty set."""
        return members.masses.argmax(axis=1) == 0


@dataclass(frozen=True)
class FittedMixture(Fitted):
    """The same of a mixture: `limits` holds the share of a component's rows that may lie farther off."""

    def members(self, source: Any) -> Any:
        members = super().members(source)
        if not self.model.frame.noise:
            near = _Nearest(np.empty(len(source)))
            source.fill(_nearest, near, self.model, self.state)
            members.scores[...] = chdtr(source.rows.X.shape[1], near.squares)
        return members

    def outliers(self, members: Any) -> Any:
        """(n,) rows that noise explains best; without noise, rows too far from every component."""
        if self.model.frame.noise:
            return super().outliers(members)
        assert self.limits is not None
        return members.scores > 1 - self.limits[0]


# Functions of a fitted value and a source, as sources take them: also on the workers of a cluster.
def members(fitted: Any, source: Any) -> Any:
    """Memberships, typicalities, labels and outlier scores of each row."""
    return fitted.members(source)


def distances(fitted: Any, source: Any) -> np.ndarray:
    """(n, c) distances of each row to each cluster."""
    return fitted.distances(source)


def distance_parts(estimator: Any, row: np.ndarray) -> Parts | None:
    """Exact parts of the distances of a row (p,) to each cluster; None if there are no exact parts."""
    parts = getattr(estimator._fitted, "parts", None)
    return None if parts is None else parts(row)


def log_densities(fitted: Fitted, source: Any) -> np.ndarray:
    """(n,) log-density of each row of a mixture."""
    return fitted.log_densities(source)


def typicality_limits(threshold: float | None, partition: Partition, width: np.ndarray) -> np.ndarray:
    """(c,) typicalities at and below which a row is no member of a cluster.

    Antoine 2018 takes t <= 0.1 with K = 1 and exponent 2, which is a squared distance of 9 natural
    scales.  `width` is the natural scale in units of gamma_k, so that tighter clusters, which find
    modes better, do not call most rows outliers.
    """
    if threshold is not None:
        return np.full(len(width), threshold)
    if not partition.has_typicalities:
        return np.full(len(width), 0.1)
    with np.errstate(over="ignore"):  # for exponents near 1 typicalities fall to 0 at once
        return partition.typicality(9 * width)


def tails_of(freedom: float, shares: np.ndarray, widths: np.ndarray) -> np.ndarray:
    """What `tail_scores` needs of clusters: (e, 1/s^2, ln pi_k ...), with e = (p_eff + 1)/2.

    pi_k are the `shares`, divided by the greatest: a row at the largest cluster has the score 0.  s^2 is
    the mean of the squared `widths`, weighed by the shares.  Clusters that all lost their rows have equal
    shares.
    """
    greatest = shares.max()
    shares = np.maximum(shares / greatest, 1e-12) if greatest > 0 else np.ones(len(shares))
    width = float(shares @ widths) / float(shares.sum())
    return np.array([(freedom + 1) / 2, 1 / max(width, 1e-290), *np.log(shares)])


class _Distances(NamedTuple):
    distances: np.ndarray


class _Nearest(NamedTuple):
    squares: np.ndarray


class _LogDensities(NamedTuple):
    values: np.ndarray


def _nearest(rows: Any, out: _Nearest, model: Any, state: State) -> None:
    out.squares[...] = model.prototypes.squared(rows.points, state.theta).min(axis=1)


def _log_densities(rows: Any, out: _LogDensities, model: Any, state: State) -> None:
    D = model.prototypes.distances(rows.points, state.theta, model.frame).astype(np.float64)
    _, loss = model.partition.influence(D, None, 0.0)
    out.values[...] = -loss - model.prototypes.noise_cost(state.theta) / model.prototypes.total


def _distances(rows: Any, out: _Distances, model: Any, state: State) -> None:
    points, units, measure = rows.points, rows.units, model.prototypes.measure
    if measure == LOG_DENSITIES:
        out.distances[...] = np.sqrt(model.prototypes.squared(points, state.theta))
        return
    D = model.prototypes.distances(points, state.theta, Frame.singletons(model.n_clusters))
    if measure == PURE_NUMBERS:
        out.distances[...] = np.sqrt(D)
        return
    out.distances[...] = np.sqrt(D) / units.factor
    edge = np.abs(points).max(axis=1) >= 2.0 ** LARGEST_EXPONENT[points.dtype]
    if edge.any():  # so far that a square has no float: the length itself still may
        gaps = np.abs(rows.X[edge].astype(np.float64)[:, None] - units.to_data(state.centers))
        largest = gaps.max(axis=2)
        with np.errstate(over="ignore"):
            out.distances[edge] = largest * np.sqrt(((gaps / largest[:, :, None]) ** 2).sum(axis=2))
