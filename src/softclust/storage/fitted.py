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

# The value that a fitted estimator holds, by its class; all others hold `Fitted`.
_VALUES: dict[str, type[Any]] = {
    "EvidentialCMeans": FittedCredal,
    "GaussianMixture": FittedMixture,
    "FuzzyLabelSpreading": FittedSpreading,
}
# Shapes of fitted attributes: n rows, c clusters, p features, s sets of clusters with the empty set.
_SHAPES = {
    "cluster_centers_": "cp", "means_": "cp", "scale_": "c", "weights_": "c", "classes_": "c",
    "directions_": ("cp", "c2p"), "labels_": "n", "memberships_": "nc", "typicalities_": "nc",
    "masses_": "ns",
    "outlier_scores_": "n", "outlier_mask_": "n", "focal_sets_": "sc", "columns_": "p", "scaling_": "2p",
    "feature_names_in_": "p", "medoid_indices_": "c", "objective_history_": "h",
}  # fmt: skip
_NUMBERS = "bifu"  # kinds of dtype
_KINDS = {"labels_": "i", "medoid_indices_": "i", "classes_": "OUSbifu", "columns_": "U", "scaling_": "f"}
_KINDS |= {"feature_names_in_": "O"}
_ROUNDING = 1e-6
_MOST_ROWS = 2**62
_LARGEST = 1e100  # entry of a matrix of a metric


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
    _check_attributes(state, sizes)


def _whole(estimator: Any, name: str) -> int:
    """Return an attribute that is a number of things, 1 or more."""
    value = getattr(estimator, name)
    if not isinstance(value, int | np.integer) or isinstance(value, bool) or value < 1:
        raise ValueError(f"{name} is {value!r}; a whole number of 1 or more would fit")
    return int(value)


def _check_attributes(state: dict[str, Any], sizes: dict[str, int]) -> None:
    """Check that published arrays agree on the numbers of rows, clusters and features."""
    for name, letters in _SHAPES.items():
        array = state.get(name)
        if array is None:
            continue
        forms = {len(form): form for form in ((letters,) if isinstance(letters, str) else letters)}
        if not isinstance(array, np.ndarray) or array.ndim not in forms:
            axes = " or ".join(map(str, forms))
            raise ValueError(f"{name} has shape {np.shape(array)}; {axes} axes would fit")
        pairs = zip(forms[array.ndim], array.shape, strict=True)
        shape = tuple(sizes.setdefault(letter, n) for letter, n in pairs)
        kinds = _KINDS.get(name, _NUMBERS)
        if array.shape != shape or array.dtype.kind not in kinds:
            raise ValueError(f"{name} has shape {array.shape} of {array.dtype}; {shape} would fit")
    labels = state.get("labels_")
    if labels is not None and len(labels) and not 0 <= labels.min() <= labels.max() < sizes["c"]:
        raise ValueError(f"labels_ are not clusters from 0 to {sizes['c'] - 1}")
    if not all(isinstance(name, str) for name in state.get("feature_names_in_", ())):
        raise ValueError("feature_names_in_ are not all strings")
    if state.get("scaling_") is not None:
        check_array(state["scaling_"], "scaling_", (2, sizes["p"]))


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
        check_array(
            fitted.limits, "the limits of outliers", (1 if isinstance(fitted, FittedMixture) else c,)
        )
    if fitted.tails is not None:
        check_array(fitted.tails, "the tails", (len(fitted.model.frame.sets) + 2,))


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
    if not fitted.graphs or not fitted.share.any():
        raise ValueError("there are no anchor graphs with class shares")
    for graph in fitted.graphs:
        _check_graph(graph, p, c)


def _check_graph(graph: Graph, p: int, c: int) -> None:
    anchors, axes = graph.anchors, graph.anchors.axes
    if axes is not None:
        check_array(axes, "the axes", (p, axes.shape[1] if axes.ndim == 2 else 0))
    if anchors.centers.ndim != 2 or not len(anchors.centers):
        raise ValueError(f"the anchors have shape {anchors.centers.shape}; a row for each would fit")
    k, wide = len(anchors.centers), p + (0 if axes is None else axes.shape[1])
    check_array(anchors.centers, "the array of anchors", (k, wide))
    check_array(graph.scores, "the scores of anchors", (k, c))
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
    estimator._fitted.distances(estimator._source_of(centers[:2]))
