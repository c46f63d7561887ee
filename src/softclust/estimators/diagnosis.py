"""Warnings about a finished fit, each with its figures."""

from __future__ import annotations

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from softclust.errors import DegenerateClusterWarning, warn
from softclust.grammar.prototypes import Ellipsoids, Gaussians
from softclust.grammar.separation import Repulsion, pair_strengths
from softclust.loop.recipes import coincident


def warn_of_trouble(estimator, model, fit, state, options):
    """max_iter reached, clusters without rows of their own, coincident centres, too much repulsion."""
    spread = estimator._units.spread
    if options.observers.stopped == "interrupt":
        warn(
            f"Interrupted after {fit.n_iter} iterations, of which the last moved a centre by "
            f"{fit.shift / spread:.3g} of the data's spread; these are the clusters found so far.",
            ConvergenceWarning,
        )
    elif not fit.converged and not options.observers.stopped:
        warn(
            f"The last of max_iter={options.max_iter} iterations still moved a centre by "
            f"{fit.shift / spread:.3g} of the data's spread; tol={options.tol / spread:g}.",
            ConvergenceWarning,
        )
    apart = not getattr(model.prototypes, "may_coincide", False)
    pairs = coincident(state, state.scale[: len(state.centers)]) if apart else np.empty((0, 2), int)
    if len(pairs):
        _warn_of_equal(state.centers)
        k, other = (int(i) for i in pairs[0])
        gap = float(np.linalg.norm(state.centers[k] - state.centers[other])) / estimator._units.factor
        more = f" (and {len(pairs) - 1} more pairs)" if len(pairs) > 1 else ""
        cure = (
            "lower scale_factor, add separation=Repulsion(), or set merge_coincident=True"
            if model.partition.has_typicalities
            else "a greater metric_reg would keep them apart"
            if isinstance(model.prototypes, Ellipsoids)
            else "fewer clusters or a smaller m would keep them apart"
        )
        warn(
            f"The centres of clusters {k} and {other} coincide: they are {gap:.3g} apart{more}; {cure}.",
            DegenerateClusterWarning,
        )
    if isinstance(model.prototypes, Ellipsoids):
        for k in model.prototypes.flat(state.theta):
            warn(
                f"Cluster {k} is flat: its scatter in one direction is less than a thousandth of that in "
                f"the mean direction; metric_reg={model.prototypes.reg:g} does not hold it. A greater one, "
                "fewer clusters or fewer features would.",
                DegenerateClusterWarning,
            )
    if isinstance(model.prototypes, Gaussians):
        for k, least, most in model.prototypes.flat(state.theta):
            least, most = least / estimator._units.factor, most / estimator._units.factor
            warn(
                f"Component {k} is flat: its standard deviation is from {least:.3g} to {most:.3g}. A "
                "greater regularisation, fewer clusters, fewer features or another shape would hold it.",
                DegenerateClusterWarning,
            )
    if isinstance(model.separation, Repulsion):
        _warn_of_repulsion(model.separation, model.cluster_weight(fit.stats), state)


def _warn_of_equal(centers):
    distinct = len(np.unique(centers, axis=0))
    if distinct < len(centers):
        warn(
            f"Number of distinct clusters ({distinct}) found smaller than n_clusters "
            f"({len(centers)}). Possibly due to duplicate points in X.",
            ConvergenceWarning,
        )


def _warn_of_repulsion(repulsion, weight, state):
    """A centre whose repulsion outweighs its rows (the paper relocates it) is named."""
    V = state.centers
    d = ((V[:, None] - V[None]) ** 2).sum(axis=2)
    np.fill_diagonal(d, np.inf)
    with np.errstate(over="ignore", divide="ignore"):
        push = (pair_strengths(repulsion.strength, len(V)) / d**2).sum(axis=1)
    for k in np.flatnonzero(push > weight):
        warn(
            f"The repulsion of cluster {k} ({push[k]:.3g}) exceeds the weight of its rows "
            f"({weight[k]:.3g}): its centre is held by the other centres, not by data; "
            "a smaller strength would bring it back.",
            DegenerateClusterWarning,
        )
