"""From the outcome of a fit to the attributes of the estimator, and warnings about what went wrong."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from softclust.errors import DegenerateClusterWarning, warn
from softclust.estimators.reading import Data
from softclust.estimators.readout import Fitted, members, tails_of
from softclust.estimators.sentence import area_units
from softclust.grammar.prototypes.base import LOG_DENSITIES
from softclust.grammar.separation import Repulsion, pair_strengths
from softclust.grammar.state import State
from softclust.knowledge.numbers import subject
from softclust.knowledge.unsatisfied import unsatisfied, unsatisfied_pairs, worst_first
from softclust.loop.engine import Options
from softclust.loop.recipes import Outcome
from softclust.loop.scales import coincident


def publish(estimator: Any, data: Data, outcome: Outcome, options: Options) -> None:
    """Set the fitted attributes: the only place that writes on an estimator."""
    model, fit, source = outcome.model, outcome.fit, outcome.source
    units = source.rows.units
    scale = outcome.natural_scale if fit.state.scale is None else fit.state.scale
    fitted = estimator._readout(
        model, replace(fit.state, scale=scale), units, outcome.natural_scale / scale
    )
    if not model.frame.noise and not model.partition.is_entropic:
        shares = model.cluster_weight(fit.stats)
        fitted = replace(fitted, tails=tails_of(data.freedom, shares, outcome.natural_scale))
    read = source.rowwise(members, fitted)
    history = objective_in_data_units(np.array(fit.history), model, source.rows, of_all=True)
    c = len(fit.state.centers)
    found = {
        **attributes_at(fitted, source.rows.X.dtype),
        "scale_": area_units(type(model.prototypes), units).squares_to_data(scale[:c]),
        "objective_history_": history,
        "objective_": float(history[-1]),
        "_sums": replace(fit.stats, linked=None),
        "n_samples_seen_": len(source),
        "n_iter_": fit.n_iter,
        "converged_": fit.converged,
        "classes_": _classes(data, c, outcome.kept),
        "clusters_per_class_": 1 if data.labels is None else data.labels.per_class,
        "labels_": read.labels,
        "memberships_": read.memberships,
        "outlier_scores_": read.scores,
        "outlier_mask_": fitted.outliers(read),
        "label_strength_": None if model.labels is None else model.labels.strength,
        "label_weight_": None if model.labels is None else data.label_weight,
        "unsatisfied_": _unsatisfied(data, outcome, read),
    }
    if model.partition.has_typicalities:
        found["typicalities_"] = read.typicalities
    found |= model.prototypes.published(fit.state.theta, fit.stats, model.frame, units)
    estimator.__dict__.update(found)
    estimator._publish_more(read, outcome)
    warn_of_trouble(outcome, fitted, read, options)


def _classes(data: Data, c: int, kept: np.ndarray | None) -> np.ndarray:
    """Return the class of each of c clusters.  `kept` are the clusters that merging has left; None: all."""
    if data.labels is None:
        return np.arange(c)
    return data.labels.names(c) if kept is None else data.labels.names(data.n_clusters)[kept]


def attributes_at(fitted: Fitted, dtype: Any) -> dict[str, Any]:
    """The attributes that a prediction needs."""
    centers = fitted.units.to_data(fitted.state.centers).astype(dtype)
    return {"_fitted": fitted.without_links, "n_clusters_": len(centers), "cluster_centers_": centers}


def objective_in_data_units(objective: Any, model: Any, rows: Any, of_all: bool = False) -> Any:
    """J in the units of the data: a squared distance, or a sum of logarithms of densities.

    With `of_all` J is about all rows that the model was fitted to, not about `rows` alone.
    """
    if model.prototypes.measure == LOG_DENSITIES:
        total = model.prototypes.total if of_all else rows.total_weight
        return objective - total * rows.X.shape[1] * np.log(rows.units.factor)
    return area_units(type(model.prototypes), rows.units).squares_to_data(objective)


def _unsatisfied(data: Data, outcome: Outcome, read: Any) -> np.ndarray:
    """Labels and pairs that the fit did not honour, worst first."""
    acts = outcome.model.partition.labels_typicalities
    shares = read.typicalities if acts else read.memberships
    return worst_first(
        unsatisfied(outcome.source.rows.known, read.labels, shares),
        unsatisfied_pairs(data.pairs, read.labels, read.memberships),
    )


# ---------------------------------------------------------------------- warnings, each with its figures
def warn_of_trouble(outcome: Outcome, fitted: Fitted, read: Any, options: Options) -> None:
    """max_iter reached, coincident centres, clusters without rows, flat clusters, too much repulsion."""
    model, fit, state, units = outcome.model, outcome.fit, fitted.state, fitted.units
    if options.observers.stopped == "interrupt":
        warn(
            f"Interrupted after {fit.n_iter} iterations, of which the last moved a centre by "
            f"{fit.shift / units.spread:.3g} of the data's spread; these are the clusters found so far.",
            ConvergenceWarning,
        )
    elif not fit.converged and not options.observers.stopped and fit.n_iter < options.max_iter:
        warn(
            f"No part of the step after {fit.n_iter} iterations, which would move a cluster by "
            f"{fit.shift / units.spread:.3g} of the data's spread, lowers J; "
            f"tol={options.tol / units.spread:g}. Another init or random_state may end elsewhere.",
            ConvergenceWarning,
        )
    elif not fit.converged and not options.observers.stopped:
        warn(
            f"The last of max_iter={options.max_iter} iterations still moved a centre by "
            f"{fit.shift / units.spread:.3g} of the data's spread; tol={options.tol / units.spread:g}.",
            ConvergenceWarning,
        )
    told = not model.prototypes.may_coincide and _warn_of_coincidence(
        model, state, outcome.natural_scale, units.factor
    )
    for sentence in model.prototypes.complaints(state.theta, units):
        warn(sentence, DegenerateClusterWarning)
        told = True
    if not told:
        _warn_of_empty_clusters(read.labels, model)
    if isinstance(model.separation, Repulsion):
        _warn_of_repulsion(model.separation, model.cluster_weight(fit.stats), state)


def _warn_of_coincidence(model: Any, state: State, width: np.ndarray, factor: float) -> bool:
    """Name two clusters whose centres fell together, and what would keep them apart.

    Centres are near or far in units of the width of their clusters, not of their scales: those of
    possibilistic models may be far tighter.
    """
    pairs = coincident(state, width[: len(state.centers)])
    if not len(pairs):
        return False
    distinct = len(np.unique(state.centers, axis=0))
    if distinct < len(state.centers):
        warn(
            f"Number of distinct clusters ({distinct}) found smaller than n_clusters "
            f"({len(state.centers)}). Possibly due to duplicate points in X.",
            ConvergenceWarning,
        )
    k, other = (int(i) for i in pairs[0])
    gap = float(np.linalg.norm(state.centers[k] - state.centers[other])) / factor
    more = f" (and {len(pairs) - 1} more pairs)" if len(pairs) > 1 else ""
    cure = (
        "lower scale_factor, add separation=Repulsion(), or set merge_coincident=True"
        if model.partition.has_typicalities
        else model.prototypes.remedy
    )
    warn(
        f"The centres of clusters {k} and {other} coincide: they are {gap:.3g} apart{more}; {cure}.",
        DegenerateClusterWarning,
    )
    return True


def _warn_of_empty_clusters(labels: Any, model: Any) -> None:
    """Name the clusters that are the likeliest of no row; lazy labels are not looked at."""
    if not isinstance(labels, np.ndarray):
        return
    empty = np.flatnonzero(np.bincount(labels, minlength=model.n_clusters)[: model.n_clusters] == 0)
    left = model.n_clusters - len(empty)
    if len(empty):
        warn(
            f"{subject('Cluster', empty)} the likeliest of no row, so that only {left} of "
            f"{model.n_clusters} clusters have rows; fewer clusters would fit.",
            DegenerateClusterWarning,
        )


def _warn_of_repulsion(repulsion: Repulsion, weight: np.ndarray, state: State) -> None:
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
