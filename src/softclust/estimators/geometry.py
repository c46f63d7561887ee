"""What the parameter `geometry` means: the prototypes that it names, and where they start."""

from __future__ import annotations

import numpy as np
from sklearn.utils._param_validation import HasMethods, InvalidParameterError, StrOptions

from softclust.grammar.partitions import Fuzzy, Hard
from softclust.grammar.prototypes import (
    Custom,
    Directions,
    Ellipsoids,
    FreeVolume,
    Gaussians,
    Points,
    RadialShells,
    SharedMetric,
    Shells,
    check_covariances,
)
from softclust.loop import recipes
from softclust.loop.summaries import groups
from softclust.sources.spread import covariance, extents, variances
from softclust.sources.units import Units

NAMES = (
    "points", "ellipsoids", "mahalanobis", "mahalanobis-refit", "shells", "radial-shells", "gath-geva",
    "directions",
)  # fmt: skip
CONSTRAINT = [StrOptions(set(NAMES)), HasMethods(["distances", "moments", "solve"])]
_WITH_SHAPE = NAMES[1:-1]  # for which init may be a pair (centres, matrices)
_SHELL_STARTS = 10
_FENCES = ((0.1, 4), (0.05, 2), (0.02, 1))  # how near noise is, of the data's extent; how many go on
_LEAST_AXIS = 1e-4  # of the extent of the data: the shortest semi-axis of a shell


def is_own(geometry):
    """Whether it sees rows as they are, in the units of the data."""
    return geometry == "directions" or not isinstance(geometry, str)


def is_unitless(geometry):
    """Whether its distances have no unit."""
    return geometry in ("shells", "mahalanobis", "mahalanobis-refit", "gath-geva") or is_own(geometry)


def area_units(geometry, units):
    """The units of its squared distances."""
    return Units(1.0, np.zeros(1), units.spread) if is_unitless(geometry) else units


def prototypes(geometry, metric_reg, separation, source, c, given=None):
    """The part of the grammar that a geometry names; `given` is the one matrix of "mahalanobis"."""
    if geometry == "points":
        return Points()
    if separation is not None:
        raise InvalidParameterError(
            f"separation={separation!r} does not go with geometry={geometry!r}: its centres have no common "
            "distance. geometry='points' would fit."
        )
    if geometry == "directions":
        return Custom(Directions())
    if not isinstance(geometry, str):
        return Custom(geometry)
    rows = source.rows
    if is_shell(geometry):
        reach = _extent(source)
        return (Shells if geometry == "shells" else RadialShells)(reach, _LEAST_AXIS * reach)
    if geometry == "mahalanobis":
        return SharedMetric.of_covariance(
            covariance(source) if given is None else rows.units.squares_to_loop(given)
        )
    variance = variances(source)
    variance = np.maximum(variance, 1e-9 * max(variance.mean(), 1e-280))
    if geometry == "gath-geva":
        reg = metric_reg * float(variance.mean())
        return Gaussians("full", reg, rows.total_weight, sizes(source))
    if geometry == "mahalanobis-refit":
        return FreeVolume(0.0, variance)
    return Ellipsoids(metric_reg, variance / c, rows.total_weight)


def sizes(source):
    """(p,) standard deviation of each feature in loop units, above 0."""
    values = variances(source)
    return np.sqrt(np.maximum(values, max(1e-9 * values.max(), 1e-200)))


def _extent(source):
    """The greatest extent of the data, in loop units."""
    return max(float(extents(source).max()), 1e-100)


def is_shell(geometry):
    return geometry in ("shells", "radial-shells")


def begin(geometry, source, draw, rng):
    """What the prototypes of a geometry begin with, at centres that `draw` gives."""
    if is_shell(geometry):
        return _first_shells(source, draw, rng)
    return hard_start(source, draw(), rng)[:2] if geometry == "gath-geva" else (draw(),)


def _first_shells(source, draw, rng):
    """The best of ten fits of radial shells to at most 20,000 rows.

    Rows far from all shells belong to noise, which comes nearer from fit to fit: an ellipse through rows of
    several shells, or one that grows to pass through outliers, does not look good for long.
    """
    small = source.sample(recipes.SAMPLE, rng).in_memory()
    reach = _extent(small)
    part = RadialShells(reach, _LEAST_AXIS * reach)
    thetas = [_circles(small, draw(), number, rng) for number in range(_SHELL_STARTS)]
    for near, kept in _FENCES:
        fits = [recipes.coarse_fit(small, part, theta, Fuzzy(2.0), (near * reach) ** 2) for theta in thetas]
        fits.sort(key=lambda fit: fit.history[-1])
        thetas = [fit.state.theta for fit in fits[:kept]]
    return thetas[0]


def _circles(small, V, number, rng):
    """About the centres of a fuzzy partition of the rows or, every third time, all about one.

    Rows lie on a shell, and its centre is none of them.
    """
    V = recipes.coarse_fit(small, Points(), (V,), Fuzzy(2.0)).state.centers
    c, p = V.shape
    points = small.rows.points.astype(np.float64)
    weight = np.ones(len(points)) if small.rows.weight is None else small.rows.weight
    if number % 3 == 2:
        V = np.repeat(np.average(points, axis=0, weights=weight)[None], c, axis=0)
        radius = _quantiles(np.sqrt(((points - V[0]) ** 2).sum(axis=1)), weight, (np.arange(c) + 0.5) / c)
    else:
        D = ((points[:, None] - V) ** 2).sum(axis=2)
        mine = weight[:, None] * (D.argmin(axis=1)[:, None] == np.arange(c))
        radius = np.sqrt((mine * D).sum(axis=0) / np.maximum(mine.sum(axis=0), 1e-300))
    radius = np.maximum(radius, 1e-3 * _extent(small))
    return V, (1 / radius)[:, None, None] * np.eye(p)


def _quantiles(values, weight, shares):
    order = np.argsort(values, kind="stable")
    place = np.searchsorted(np.cumsum(weight[order]), shares * weight.sum())
    return values[order[np.minimum(place, len(order) - 1)]]


def hard_start(source, V, rng):
    """Means, covariances and shares of a hard partition of at most 20,000 rows that starts at V."""
    small = source.sample(recipes.SAMPLE, rng).in_memory()
    V = recipes.coarse_fit(small, Points(), (V,), Hard()).state.centers
    return hard_start_at(small, V)


def hard_start_at(source, V):
    """Means, covariances and shares of the rows nearest to each of V."""
    c, p = V.shape
    share, means, sigma = groups(source, V)
    whole = covariance(source)
    for k in range(c):
        # A few rows have no full covariance: the whole data's stands behind them.
        own = sigma[k] if share[k] > 0 else whole
        sigma[k] = own + 1e-3 * whole + np.eye(p) * max(1e-9 * np.trace(whole), 1e-280)
    share = np.maximum(share, 1e-3 * share.sum())
    return means, sigma, share / share.sum()


def log_uniform_density(source):
    """Logarithm of 1/volume of the box of the rows, in loop units."""
    extent = extents(source)
    return -float(np.log(np.maximum(extent, 1e-6 * max(extent.max(), 1e-200))).sum())


def given_matrices(geometry, matrices, units, c, p):
    """What prototypes begin with, from matrices in the units of the data.

    Covariances; for shells those whose level 1 is the shell.
    """
    if geometry == "mahalanobis":
        check_covariances(np.asarray(matrices, dtype=np.float64)[None], 1, p)
        return None
    sigma = check_covariances(matrices, c, p)
    if not is_shell(geometry):
        return units.squares_to_loop(sigma) if geometry == "gath-geva" else sigma
    return np.linalg.inv(np.linalg.cholesky(sigma) * units.factor)


def is_compound(init):
    """Whether a start is centres and something more, not an array of centres."""
    return isinstance(init, tuple | list) and len(init) in (2, 3) and np.ndim(init[0]) == 2


def is_shaped(geometry):
    """Whether init may be a pair (centres, matrices)."""
    return geometry in _WITH_SHAPE
