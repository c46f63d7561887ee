"""Where the centres start: (c, p) arrays in the units of the loop."""

from __future__ import annotations

import zlib
from dataclasses import dataclass

import numpy as np
from scipy.spatial.distance import cdist

from softclust._lazy import kernels

_SAMPLE = 20_000  # rows from which starts are drawn
_ROUNDS = 5  # of k-means||
_NOTHING = 1e-290  # a sum of squared distances of which no share can be taken


def drawing(init, source, c, rng, known=None, reach=np.inf):
    """A function that draws a start: `known` centres as they are (NaN rows = not known), the others by
    the rule `init`.  Rows whose squared distance exceeds `reach` are noise: they count as just as far, or
    a few of them would be where most centres start.
    """
    if known is None:
        known = np.full((c, source.rows.X.shape[1]), np.nan)
    missing = np.isnan(known).any(axis=1)
    draw = RULES[init](source, known[~missing], int(missing.sum()), rng, reach)

    def start():
        V = known.copy()
        V[missing] = draw()
        return V

    return start


def _squared_distances(points, V):
    """(k, n) squared distances to each centre, summed directly in one compiled pass."""
    return cdist(V, points, "sqeuclidean")


def _nearest(points, V):
    """(n,) squared distance to the nearest of the centres."""
    return np.min([_squared_distances(points, v[None])[0] for v in V], axis=0)


def _sampled_points(source, rng):
    small = source.sample(_SAMPLE, rng).in_memory().rows
    weight = np.ones(len(small)) if small.weight is None else small.weight / small.weight.max()
    return small.points.astype(np.float64), weight


def plus_plus(points, weight, known, count, rng, reach=np.inf):
    """k-means++ (Arthur & Vassilvitskii 2007): rows drawn by squared distance, best of a few trials."""
    trials, has_centre = 2 + int(np.log(len(known) + count)), len(known) > 0
    near = np.minimum(_nearest(points, known), reach) if has_centre else np.full(len(points), float(reach))
    draws = rng.random(trials * count if has_centre else 1 + trials * (count - 1))
    rows = kernels("plus_plus").chosen_rows(points, weight, near, has_centre, trials, draws, count)
    return points[rows]


def _plus_plus(source, known, count, rng, reach):
    points, weight = _sampled_points(source, rng)
    return lambda: plus_plus(points, weight, known, count, rng, reach)


def _random(source, known, count, rng, reach=np.inf):
    """Distinct rows, each with a chance in proportion to its weight."""
    points, weight = _sampled_points(source, rng)
    unique, inverse = np.unique(points, axis=0, return_inverse=True)
    mass = np.bincount(inverse.ravel(), weight)
    possible = int((mass > 0).sum())

    def draw():
        rows = rng.choice(len(unique), min(count, possible), replace=False, p=mass / mass.sum())
        return unique[np.resize(rows, count)]

    return draw


@dataclass(frozen=True)
class _Chosen:
    """Candidate rows; `+` joins them in block order."""

    points: np.ndarray

    def __add__(self, other):
        return _Chosen(np.concatenate([self.points, other.points]))


def _block_weight(rows):
    return np.ones(len(rows)) if rows.weight is None else rows.weight


def _potential(rows, V, reach):
    return float(_block_weight(rows) @ np.minimum(_nearest(rows.points.astype(np.float64), V), reach))


def _oversample(rows, V, rate, seed, reach):
    """Each row of a block by itself, with chance rate * weight * squared distance."""
    points = rows.points.astype(np.float64)
    rng = np.random.default_rng([seed, zlib.crc32(points[0].tobytes()), len(rows)])
    chance = rate * _block_weight(rows) * np.minimum(_nearest(points, V), reach)
    return _Chosen(points[rng.random(len(points)) < chance])


def _count_nearest(rows, V):
    points = rows.points.astype(np.float64)
    nearest = np.argmin([_squared_distances(points, v[None])[0] for v in V], axis=0)
    return np.bincount(nearest, _block_weight(rows), minlength=len(V))


def _parallel(source, known, count, rng, reach):
    """k-means|| (Bahmani 2012): a few passes that each draw about 2 c rows, then k-means++ on those."""

    def draw():
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


# (source, known centres, how many more, rng, reach) -> a function that draws those
RULES = {"k-means++": _plus_plus, "k-means||": _parallel, "random": _random}
