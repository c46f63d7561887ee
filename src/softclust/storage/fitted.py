"""Check an estimator that comes from a file: its attributes, and all parts of its fitted value."""

from __future__ import annotations

from typing import Any

import numpy as np

from softclust.compat.sklearn import check_parameters
from softclust.estimators.anchor_graph import FittedSpreading, Graph
from softclust.estimators.medoids import KMedoids
from softclust.estimators.readout import Fitted, FittedCredal, FittedMixture
from softclust.estimators.typicality import TypicalityClusterer
from softclust.grammar.coherence import (
    check_array,
    check_model,
    check_number,
    check_state,
    check_stats,
    check_units,
)
from softclust.grammar.prototypes import Gaussians
from softclust.grammar.sweep import assign_by_parts
from softclust.sources.rows import Rows
from softclust.storage.published import check_attributes

# The value that a fitted estimator holds, by its class; all others hold `Fitted`.
_VALUES: dict[str, type[Any]] = {
    "EvidentialCMeans": FittedCredal,
    "GaussianMixture": FittedMixture,
    "FuzzyLabelSpreading": FittedSpreading,
}
_ROUNDING = 1e-6
_MOST_ROWS = 2**62
_LEAST_SHARE = -30.0  # logarithm of the share of a cluster beside that of the largest: 1e-12 at least
_LARGEST = 1e100  # entry of a matrix of a metric, of an axis, or score of an anchor
_FARTHEST = 1e150  # coordinate of an anchor in loop units: its square is a number


def check_estimator(estimator: Any) -> None:
    """Raise an error that names the first part of an estimator that does not fit the others."""
    cls, state = type(estimator), vars(estimator)
    parameters = cls._get_param_names()
    for name in state:
        if name not in parameters and (name.startswith("__") or hasattr(cls, name)):
            raise ValueError(f"{cls.__name__} has no attribute {name!r} of its own in a file")
    for name in parameters:
        getattr(estimator, name)  # an error if it is missing and has no default
    if not any(name.endswith("_") and not name.startswith("__") for name in state):
        return
    check_parameters(estimator, "n_jobs")
    p = _whole(estimator, "n_features_in_")
    sizes = {"p": p, "c": _whole(estimator, "n_clusters_"), "2": 2}
    if isinstance(estimator, KMedoids):
        _check_medoids(estimator, p)
    else:
        _check_fitted(estimator, p, sizes["c"])
    check_attributes(estimator, sizes)


def _whole(estimator: Any, name: str) -> int:
    """Return an attribute that is a number of things, 1 or more."""
    value = getattr(estimator, name)
    if not isinstance(value, int | np.integer) or isinstance(value, bool) or value < 1:
        raise ValueError(f"{name} is {value!r}; a whole number of 1 or more would fit")
    return int(value)


# ---------------------------------------------------------------------- estimators of the loop
def _check_fitted(estimator: Any, p: int, c: int) -> None:
    name = type(estimator).__name__
    fitted: Any = estimator._fitted
    wanted = _VALUES.get(name, Fitted)
    if type(estimator._fitted) is not wanted:
        raise ValueError(
            f"{name} holds a {type(estimator._fitted).__name__}; a {wanted.__name__} would fit"
        )
    check_units(fitted.units, p)
    if isinstance(fitted, FittedSpreading):
        _check_spreading(fitted, p, c)
        return
    model = fitted.model
    check_model(model, p)
    if model.n_clusters != c:
        raise ValueError(f"n_clusters_ is {c}, but the frame has {model.n_clusters} clusters")
    if model.partition.has_typicalities != isinstance(estimator, TypicalityClusterer):
        raise ValueError(f"{name} does not go with {type(model.partition).__name__}")
    if wanted is FittedMixture and not isinstance(model.prototypes, Gaussians):
        raise ValueError(f"a mixture does not go with {type(model.prototypes).__name__}")
    check_state(model, fitted.state, p)
    _check_limits(fitted, c)
    _try_rows(fitted)
    if "_sums" in vars(estimator):
        check_stats(model, fitted.state, estimator._sums)


def _check_limits(fitted: Fitted, c: int) -> None:
    """Check the limits of outliers and the numbers of outlier scores."""
    if fitted.limits is None:
        if not fitted.model.frame.noise and not isinstance(fitted, FittedCredal):
            raise ValueError("the limits of outliers are missing")
    else:
        shape = (1 if isinstance(fitted, FittedMixture) else c,)
        check_array(fitted.limits, "the limits of outliers", shape, 0.0, 1.0)
    if fitted.tails is not None:
        K = len(fitted.model.frame.sets)
        check_array(fitted.tails, "the tails", (K + 2,))
        check_array(fitted.tails[:2], "the exponent and the width of tails", (2,), 0.0)
        check_array(fitted.tails[2:], "the logarithms of shares", (K,), _LEAST_SHARE, 0.0)


def _try_rows(fitted: Fitted) -> None:
    """Check that rows at the centres get memberships that are numbers."""
    centers = fitted.units.to_data(fitted.state.centers[:2])
    with np.errstate(all="ignore"):
        found = assign_by_parts(Rows(centers, fitted.units), fitted.model, fitted.state, fitted.tails)
        sums = found.memberships.sum(axis=1)
    if not (np.abs(sums - 1) < _ROUNDING).all() or np.isnan(found.scores).any():
        raise ValueError("the memberships of the centres themselves are not numbers that sum to 1")


def _check_spreading(fitted: FittedSpreading, p: int, c: int) -> None:
    check_array(fitted.share, "the class shares", (c,), 0.0, 1.0)
    if not fitted.graphs or abs(fitted.share.sum() - 1) > _ROUNDING:
        raise ValueError("there are no anchor graphs with class shares that sum to 1")
    for graph in fitted.graphs:
        _check_graph(graph, p, c)


def _check_graph(graph: Graph, p: int, c: int) -> None:
    anchors, axes = graph.anchors, graph.anchors.axes
    if axes is not None:
        check_array(axes, "the axes", (p, axes.shape[1] if axes.ndim == 2 else 0), -_LARGEST, _LARGEST)
    if anchors.centers.ndim != 2 or not len(anchors.centers):
        raise ValueError(f"the anchors have shape {anchors.centers.shape}; a row for each would fit")
    k, wide = len(anchors.centers), p + (0 if axes is None else axes.shape[1])
    check_array(anchors.centers, "the array of anchors", (k, wide), -_FARTHEST, _FARTHEST)
    check_array(graph.scores, "the scores of anchors", (k, c), -_LARGEST, _LARGEST)
    check_number(anchors.m, "m of the anchors", np.nextafter(1.0, 2.0))
    check_number(anchors.nearest, "the number of nearest anchors", 1)


# ---------------------------------------------------------------------- medoids
def _check_medoids(estimator: KMedoids, p: int) -> None:
    """Check medoids, and that their metric gives distances between them."""
    check_parameters(estimator, "metric")
    c, centers, labels = estimator.n_clusters_, estimator.cluster_centers_, vars(estimator).get("labels_")
    is_given = estimator._is_given()
    rows = p if is_given else _MOST_ROWS if labels is None else len(labels)
    check_array(estimator.medoid_indices_, "the array of medoids' positions", (c,), 0, rows - 1, "i")
    if is_given != (centers is None):
        raise ValueError(f"metric={estimator.metric!r} does not go with these medoids")
    if centers is None:
        return
    if centers.dtype.kind != "f" or centers.itemsize not in (4, 8) or centers.shape != (c, p):
        raise ValueError(f"the medoids have shape {centers.shape} of {centers.dtype}; {(c, p)} would fit")
    if estimator.metric != "nan_euclidean" and not np.isfinite(centers).all():
        raise ValueError("the medoids have entries that are not finite")
    for name, value in estimator._metric_parameters.items():
        if isinstance(value, np.ndarray):  # SciPy does not look at the shape of a matrix
            check_array(value, f"{name} of the metric", (p,) * value.ndim, -_LARGEST, _LARGEST)
            _check_positive(value, f"{name} of the metric")
    near = np.concatenate([centers[:2], 0.5 * centers[:2]])  # of which some are apart
    estimator._fitted.distances(estimator._source_of(near))


def _check_positive(array: np.ndarray, name: str) -> None:
    """Check that weights are >= 0, and that a matrix gives no square below 0."""
    found = np.linalg.eigvalsh((array + array.T) / 2) if array.ndim == 2 else array
    if not found.min() >= -_ROUNDING * np.abs(found).max():
        raise ValueError(f"{name} gives squared distances below 0")
