"""Where a fit starts: at a given `init`, at labelled means, or at the best of some draws."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from softclust.compat.sklearn import InvalidParameterError
from softclust.estimators.class_forms import class_means
from softclust.estimators.sentence import is_compound
from softclust.grammar.partitions import Fuzzy, Hard
from softclust.grammar.prototypes import Points, RadialShells
from softclust.grammar.prototypes.base import AT_CENTRES, AT_CIRCLES, AT_HARD_CLUSTERS, AT_NEIGHBOURHOODS
from softclust.grammar.prototypes.bounded import DENSE_FEATURES
from softclust.grammar.prototypes.shells import room
from softclust.knowledge.numbers import as_floats
from softclust.loop import recipes
from softclust.loop.draws import drawing
from softclust.loop.recipes import Start
from softclust.loop.summaries import groups
from softclust.sources import is_remote
from softclust.sources.local import SAMPLE_ROWS
from softclust.sources.rows import Rows
from softclust.sources.spread import ALL_ALIKE, covariance

_SHELL_STARTS = 10
_WIDE_STARTS = 3  # with so many features that shells have far more unknowns than rows tell
_NEIGHBOURHOOD = 1 / 3  # of the mean weight of a cluster
# How near noise is, of the data's extent; how long each fit may be; how many of them go on.
_FENCES = ((0.1, 8, 4), (0.05, 12, 2), (0.02, 50, 1))

Theta = tuple[Any, ...]
Begin = Callable[[Any, Callable[[], np.ndarray], Any], Theta]  # source, draw, rng -> theta
Given = Callable[[Any, Any, int], Theta]  # init, source, c -> theta


def start_of(
    estimator: Any,
    source: Any,
    labels: Any,
    c: int,
    rng: Any,
    reach: float,
    begin: Begin,
    given: Given,
    draws_once: bool = False,
) -> Start:
    """The start that `init` asks for; labelled means come before draws.

    `begin` makes theta from drawn centres, `given` from an `init` that is not a name.
    """
    rows, init = source.rows, estimator.init
    if not isinstance(init, str):
        if callable(init):
            X = rows.X.collection if is_remote(rows.X) else rows.X
            init = init(X, c, random_state=int(rng.integers(2**31 - 1)))
        return Start(given(init, source, c))
    known = None if labels is None else class_means(source, labels, c, rng)
    if known is not None and not np.isnan(known).any():
        return Start(begin(source, lambda: known, rng))

    def draws(small: Any) -> Any:  # the rows on which starts compete
        draw = drawing(init, source if init == "k-means||" else small, c, rng, known, reach)
        for _ in range(1 if draws_once else estimator.n_init):
            yield begin(small, draw, rng)

    return Start(None, draws, estimator.growing_samples)


def given_centers(init: Any, rows: Rows, c: int) -> np.ndarray:
    """Centres that a user gave, checked, in loop units."""
    V = as_floats(init, "The centers of init")
    expected = (c, rows.X.shape[1])
    if V.shape != expected:
        raise ValueError(
            f"The shape of the initial centers {V.shape} does not match (n_clusters, n_features) "
            f"= {expected}."
        )
    if not np.isfinite(V).all():
        k, j = np.argwhere(~np.isfinite(V))[0]
        raise ValueError(f"init[{k}, {j}] is {V[k, j]}; centres must be finite.")
    return rows.units.to_loop(V)


def given_theta(init: Any, source: Any, c: int, geometry: Any, word: Any) -> Theta:
    """theta of a given start: centres; for geometries with a shape also (centres, matrices)."""
    rows = source.rows
    if not is_compound(init):
        return (given_centers(init, rows, c),)
    if not geometry.has_shape:
        raise InvalidParameterError(
            f"init is centres with matrices, of which geometry={word!r} has none; an array of "
            "centres would fit."
        )
    matrices = geometry.shape_given(init[1], rows.units, c, rows.X.shape[1])
    centers = given_centers(init[0], rows, c)
    return (centers,) if matrices is None else (centers, matrices)


# ---------------------------------------------------------------------- how geometries begin
def hard_start(source: Any, V: np.ndarray, rng: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Means, covariances and shares of a hard partition of at most 20,000 rows that starts at V."""
    small = source.sample(SAMPLE_ROWS, rng).in_memory()
    V = recipes.coarse_fit(small, Points(), (V,), Hard()).state.centers
    return hard_start_at(small, V)


def hard_start_at(source: Any, V: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Means, covariances and shares of the rows nearest to each of V."""
    c, p = V.shape
    share, means, sigma = groups(source, V)
    whole = covariance(source)
    for k in range(c):
        # A few rows have no full covariance: the whole data's stands behind them.
        own = sigma[k] if share[k] > 0 else whole
        sigma[k] = own + 1e-3 * whole + np.eye(p) * max(1e-9 * np.trace(whole), ALL_ALIKE)
    share = np.maximum(share, 1e-3 * share.sum())
    return means, sigma, share / share.sum()


def _neighbourhoods(source: Any, draw: Callable[[], np.ndarray], rng: Any) -> Theta:
    """Means and covariances of the rows about each drawn centre, of a sample of at most 20,000.

    They are the nearest third of what a cluster weighs in the mean.  A piece of a line tells its direction
    also if the line goes on beyond other lines, or beyond a gap; a hard cluster is cut off there.
    """
    small = source.sample(SAMPLE_ROWS, rng).in_memory().rows
    counts = small.weights > 0
    points, weight = small.points.astype(np.float64)[counts], small.weights[counts]
    V = draw()
    c, p = V.shape
    means, sigma = np.empty((c, p)), np.empty((c, p, p))
    for k, v in enumerate(V):
        distance = ((points - v) ** 2).sum(axis=1)
        order = np.argsort(distance, kind="stable")
        enough = _NEIGHBOURHOOD * weight.sum() / c
        near = order[: _count_of_nearest(distance[order], weight[order], enough, 2 * p)]
        means[k] = np.average(points[near], axis=0, weights=weight[near])
        Z = points[near] - means[k]
        sigma[k] = (weight[near, None] * Z).T @ Z / weight[near].sum()
    return means, sigma


def _count_of_nearest(distance: np.ndarray, weight: np.ndarray, enough: float, different: int) -> int:
    """Count the rows, sorted by distance, that weigh `enough` and lie at `different` distances.

    Rows at equal distances go together, so that a weight is a number of copies.
    """
    steps = np.unique(distance)
    heavy = distance[min(int(np.searchsorted(np.cumsum(weight), enough)), len(distance) - 1)]
    reach = max(heavy, steps[min(different, len(steps)) - 1])
    return int(np.searchsorted(distance, reach, side="right"))


def _first_shells(source: Any, draw: Callable[[], np.ndarray], rng: Any) -> Theta:
    """The best of ten fits of radial shells, with many features of three, to at most 20,000 rows.

    Rows far from all shells belong to noise, which comes nearer from fit to fit: an ellipse through rows of
    several shells, or one that grows to pass through outliers, does not look good for long.
    """
    small = source.sample(SAMPLE_ROWS, rng).in_memory()
    reach = room(small)
    part = RadialShells.within(reach)
    starts = _SHELL_STARTS if small.rows.X.shape[1] <= DENSE_FEATURES else _WIDE_STARTS
    thetas = [_circles(small, draw(), number) for number in range(starts)]
    for near, length, kept in _FENCES:
        fits = [
            recipes.coarse_fit(small, part, theta, Fuzzy(2.0), (near * reach) ** 2, length)
            for theta in thetas
        ]
        fits.sort(key=lambda fit: fit.history[-1])
        thetas = [fit.state.theta for fit in fits[:kept]]
    return thetas[0]


def _circles(small: Any, V: np.ndarray, number: int) -> Theta:
    """Circles about the centres of a fuzzy partition or, every third time, all about one centre.

    Rows lie on a shell, and its centre is none of them.
    """
    V = recipes.coarse_fit(small, Points(), (V,), Fuzzy(2.0)).state.centers
    c, p = V.shape
    points, weight = small.rows.points.astype(np.float64), small.rows.weights
    if number % 3 == 2:
        V = np.repeat(np.average(points, axis=0, weights=weight)[None], c, axis=0)
        radius = _quantiles(np.sqrt(((points - V[0]) ** 2).sum(axis=1)), weight, (np.arange(c) + 0.5) / c)
    else:
        D = ((points[:, None] - V) ** 2).sum(axis=2)
        mine = weight[:, None] * (D.argmin(axis=1)[:, None] == np.arange(c))
        radius = np.sqrt((mine * D).sum(axis=0) / np.maximum(mine.sum(axis=0), 1e-300))
    widest = room(small)
    radius = np.clip(radius, 1e-3 * widest, widest)
    return V, (1 / radius)[:, None, None] * np.eye(p)


def _quantiles(values: np.ndarray, weight: np.ndarray, shares: np.ndarray) -> np.ndarray:
    order = np.argsort(values, kind="stable")
    place = np.searchsorted(np.cumsum(weight[order]), shares * weight.sum())
    return values[order[np.minimum(place, len(order) - 1)]]


BEGINNINGS: dict[str, Begin] = {
    AT_CENTRES: lambda source, draw, rng: (draw(),),
    AT_HARD_CLUSTERS: lambda source, draw, rng: hard_start(source, draw(), rng)[:2],
    AT_CIRCLES: _first_shells,
    AT_NEIGHBOURHOODS: _neighbourhoods,
}
