"""Draws of the centres at which a fit starts: (c, p) arrays in loop units."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.spatial.distance import cdist

from softclust._lazy import kernels
from softclust.sources.local import SAMPLE_ROWS
from softclust.sources.rows import keys_of

if TYPE_CHECKING:
    from softclust.sources.rows import Rows

_ROUNDS = 5  # passes of k-means||
_NOTHING = 1e-290  # a sum of squared distances too small to divide by


def drawing(
    init: str,
    source: Any,
    c: int,
    rng: np.random.Generator,
    known: np.ndarray | None = None,
    reach: float = np.inf,
) -> Callable[[], np.ndarray]:
    """Return a function that draws the centres of a start by the rule `init`.

    The centres in `known` stay as they are, and its NaN rows are drawn.  Rows whose squared distance
    exceeds `reach` are noise.  Their squared distance counts as `reach`, or a few of them would attract
    most centres.
    """
    if known is None:
        known = np.full((c, source.rows.X.shape[1]), np.nan)
    missing = np.isnan(known).any(axis=1)
    draw = RULES[init](source, known[~missing], int(missing.sum()), rng, reach)

    def start() -> np.ndarray:
        """Draw the missing centres, and put them beside the known ones."""
        V = known.copy()
        V[missing] = draw()
        return V

    return start


def _squared_distances(points: np.ndarray, V: np.ndarray) -> np.ndarray:
    """(k, n) squared distances of the points to each centre, summed directly in one compiled pass."""
    return cdist(V, points, "sqeuclidean")


def _nearest(points: np.ndarray, V: np.ndarray) -> np.ndarray:
    """(n,) squared distance of each point to its nearest centre."""
    return np.min([_squared_distances(points, v[None])[0] for v in V], axis=0)


def _sampled_points(source: Any, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Return the points and weights of at most 20,000 rows; the greatest weight is 1."""
    small = source.sample(SAMPLE_ROWS, rng).in_memory().rows
    if small.links is not None:  # a start that depends on the order of rows would undo that of the links
        small = small.take(np.argsort(keys_of(small.points), kind="stable"))
    weight = np.ones(len(small)) if small.weight is None else small.weight / small.weight.max()
    return small.points.astype(np.float64), weight


def plus_plus(
    points: np.ndarray,
    weight: np.ndarray,
    known: np.ndarray,
    count: int,
    rng: np.random.Generator,
    reach: float = np.inf,
) -> np.ndarray:
    """Draw `count` centres by k-means++ (Arthur & Vassilvitskii 2007).

    Rows are drawn with chances in proportion to squared distance; the best of a few trials is kept.
    """
    trials, has_centre = 2 + int(np.log(len(known) + count)), len(known) > 0
    near = np.minimum(_nearest(points, known), reach) if has_centre else np.full(len(points), float(reach))
    draws = rng.random(trials * count if has_centre else 1 + trials * (count - 1))
    rows = kernels("plus_plus").chosen_rows(points, weight, near, has_centre, trials, draws, count)
    return points[rows]


def _plus_plus(
    source: Any, known: np.ndarray, count: int, rng: np.random.Generator, reach: float
) -> Callable[[], np.ndarray]:
    """Return a function that draws by k-means++ from a sample."""
    points, weight = _sampled_points(source, rng)
    return lambda: plus_plus(points, weight, known, count, rng, reach)


def _random(
    source: Any, known: np.ndarray, count: int, rng: np.random.Generator, reach: float = np.inf
) -> Callable[[], np.ndarray]:
    """Return a function that draws distinct rows, each with a chance in proportion to its weight."""
    points, weight = _sampled_points(source, rng)
    unique, inverse = np.unique(points, axis=0, return_inverse=True)
    mass = np.bincount(inverse.ravel(), weight)
    possible = int((mass > 0).sum())

    def draw() -> np.ndarray:
        rows = rng.choice(len(unique), min(count, possible), replace=False, p=mass / mass.sum())
        return unique[np.resize(rows, count)]

    return draw


@dataclass(frozen=True)
class _Chosen:
    """Candidate rows of k-means||; `+` joins them in block order."""

    points: np.ndarray

    def __add__(self, other: _Chosen) -> _Chosen:
        return _Chosen(np.concatenate([self.points, other.points]))


def _potential(rows: Rows, V: np.ndarray, reach: float) -> float:
    """Sum weight times squared distance to the nearest of V over a block."""
    return float(rows.weights @ np.minimum(_nearest(rows.points.astype(np.float64), V), reach))


def _oversample(rows: Rows, V: np.ndarray, rate: float, seed: int, reach: float) -> _Chosen:
    """Draw each row of a block by itself, with chance rate * weight * squared distance."""
    counts = rows.weights > 0  # chance is the same whether or not rows without weight are there
    points, weight = rows.points.astype(np.float64)[counts], rows.weights[counts]
    rng = np.random.default_rng([seed, zlib.crc32(points[:1].tobytes()), len(points)])
    chance = rate * weight * np.minimum(_nearest(points, V), reach)
    return _Chosen(points[rng.random(len(points)) < chance])


def _count_nearest(rows: Rows, V: np.ndarray) -> np.ndarray:
    """(k,) weight of the rows of a block that are nearest to each of V."""
    points = rows.points.astype(np.float64)
    nearest = np.argmin([_squared_distances(points, v[None])[0] for v in V], axis=0)
    return np.bincount(nearest, rows.weights, minlength=len(V))


def _parallel(
    source: Any, known: np.ndarray, count: int, rng: np.random.Generator, reach: float
) -> Callable[[], np.ndarray]:
    """Return a function that draws by k-means|| (Bahmani 2012).

    A few passes each draw about 2 c rows, from which k-means++ then draws the centres.
    """

    def draw() -> np.ndarray:
        """Draw the missing centres."""
        V = known if len(known) else _random(source, known, 1, rng)()
        for _ in range(_ROUNDS):
            total = source.reduce(_potential, V, reach)
            if total <= _NOTHING:
                break
            rate = 2 * (len(known) + count) / total
            picked = source.reduce(_oversample, V, rate, int(rng.integers(2**31)), reach)
            V = np.concatenate([V, picked.points])
        weight = source.reduce(_count_nearest, V)
        return plus_plus(V, weight, known, count, rng, reach)

    return draw


# (source, known centres, number of missing centres, rng, reach) -> a function that draws the missing ones
RULES: dict[str, Callable[..., Callable[[], np.ndarray]]] = {
    "k-means++": _plus_plus,
    "k-means||": _parallel,
    "random": _random,
}
