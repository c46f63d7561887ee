"""Check the attributes that a fit publishes: their shapes, ranges, and that they say what was fitted."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from softclust.estimators.anchor_graph import FittedSpreading
from softclust.estimators.readout import FittedCredal, FittedMixture
from softclust.estimators.sentence import area_units
from softclust.grammar.coherence import check_array
from softclust.storage.annotations import fits

# Shapes of fitted attributes: n rows, c clusters, p features, s sets of clusters with the empty set.
_SHAPES = {
    "cluster_centers_": "cp", "means_": "cp", "scale_": "c", "weights_": "c", "classes_": "c",
    "directions_": ("cp", "c2p"), "semi_axes_": "cp", "labels_": "n", "memberships_": "nc",
    "typicalities_": "nc", "masses_": "ns", "outlier_scores_": "n", "outlier_mask_": "n",
    "focal_sets_": "sc", "columns_": "p", "scaling_": "2p", "feature_names_in_": "p",
    "medoid_indices_": "c", "objective_history_": "h", "anchors_": "kp", "unsatisfied_": "u",
    "label_doubts_": "d",
}  # fmt: skip
_KINDS = {
    "labels_": "i", "medoid_indices_": "i", "classes_": "OUSbifu", "columns_": "U",
    "feature_names_in_": "O", "outlier_mask_": "b", "focal_sets_": "b",
    "unsatisfied_": "V", "label_doubts_": "V",
}  # fmt: skip
# Attributes between 0 and 1, and those among them whose rows sum to 1.
_SHARES = "memberships_", "typicalities_", "masses_", "outlier_scores_", "weights_"
_SUMMED = "memberships_", "masses_"
# The types of attributes that are numbers, as annotations say them; a float is never NaN.
_NUMBERS = {
    "objective_": "float", "lower_bound_": "float", "inertia_": "float", "noise_weight_": "float",
    "noise_distance_": "float", "m_": "float", "eta_": "float", "b_": "float", "beta_": "float",
    "cardinality_power_": "float", "n_iter_": "int", "n_samples_seen_": "int",
    "clusters_per_class_": "int", "converged_": "bool", "covariance_type_": "str",
    "label_strength_": "float | np.ndarray | None", "label_weight_": "float | None",
    "objective_terms_": "dict",
}  # fmt: skip
_ROUNDING = 1e-5  # of a sum of float32 shares


def check_attributes(estimator: Any, sizes: dict[str, int]) -> None:
    """Raise an error that names the first published attribute that no fit gives beside the others.

    `sizes` holds the numbers of clusters c and features p; other sizes are those of the first attribute.
    """
    state = vars(estimator)
    for name, kind in _NUMBERS.items():
        if name in state and not fits(state[name], kind):
            raise ValueError(f"{name} is {state[name]!r}; {kind} would fit")
    for name in _SHAPES.keys() & state.keys():
        if state[name] is not None:
            _check_shape(name, state[name], sizes)
    for name in state.keys() & set(_SHARES):
        _check_shares(name, state[name])
    _check_labels(state, sizes["c"])
    _check_classes(state)
    _check_history(state)
    if "scale_" in state and not (state["scale_"] >= 0).all():
        raise ValueError("scale_ has entries that are not squared distances")
    if not all(isinstance(name, str) for name in state.get("feature_names_in_", ())):
        raise ValueError("feature_names_in_ are not all strings")
    if state.get("scaling_") is not None:
        check_array(state["scaling_"], "scaling_", (2, sizes["p"]))
    if "_fitted" in state:
        _check_derived(state)
    if "_sums" in state and not isinstance(state["_fitted"], FittedMixture):
        _check_shapes_of_clusters(state["_fitted"], state)


def _check_shape(name: str, array: Any, sizes: dict[str, int]) -> None:
    """Check that an array agrees with the others on the numbers of rows, clusters and features."""
    letters = _SHAPES[name]
    forms = {len(form): form for form in ((letters,) if isinstance(letters, str) else letters)}
    if not isinstance(array, np.ndarray) or array.ndim not in forms:
        axes = " or ".join(map(str, forms))
        raise ValueError(f"{name} has shape {np.shape(array)}; {axes} axes would fit")
    pairs = zip(forms[array.ndim], array.shape, strict=True)
    shape = tuple(sizes.setdefault(letter, n) for letter, n in pairs)
    kinds = _KINDS.get(name, "f")
    if array.shape != shape or array.dtype.kind not in kinds:
        raise ValueError(f"{name} has shape {array.shape} of {array.dtype}; {shape} would fit")
    if kinds == "f" and array.itemsize not in (4, 8):
        raise ValueError(f"{name} is of the type {array.dtype}; float32 or float64 would fit")


def _check_shares(name: str, shares: np.ndarray) -> None:
    if not ((shares >= 0) & (shares <= 1 + _ROUNDING)).all():
        raise ValueError(f"{name} has entries that are not between 0 and 1")
    if name in _SUMMED and not (np.abs(shares.sum(axis=1) - 1) < _ROUNDING).all():
        raise ValueError(f"{name} has rows that do not sum to 1")


def _check_labels(state: dict[str, Any], c: int) -> None:
    """Check that labels are clusters, and those of the greatest memberships.

    With typicalities, some version took those of the greatest typicalities.
    """
    labels, memberships = state.get("labels_"), state.get("memberships_")
    if labels is None or not len(labels):
        return
    if not 0 <= labels.min() <= labels.max() < c:
        raise ValueError(f"labels_ are not clusters from 0 to {c - 1}")
    if memberships is not None and "typicalities_" not in state:
        own = np.take_along_axis(memberships, labels[:, None], axis=1)[:, 0]
        if (own < memberships.max(axis=1)).any():
            raise ValueError("labels_ are not the clusters of the greatest memberships")


def _check_classes(state: dict[str, Any]) -> None:
    """Check that no class has more clusters than it may have; clusters without a class are named None."""
    names = [name for name in state.get("classes_", np.empty(0)).tolist() if name is not None]
    if names and max(Counter(names).values()) > state.get("clusters_per_class_", 1):
        raise ValueError("classes_ has the same class twice")


def _check_history(state: dict[str, Any]) -> None:
    """Check that the last objective is the objective; J of rows of 1e200 has no float and is infinite."""
    history = state.get("objective_history_")
    if history is not None and (
        not len(history) or np.isnan(history).any() or history[-1] != state.get("objective_")
    ):
        raise ValueError("objective_history_ does not end at objective_")


# ---------------------------------------------------------------------- what follows from the fitted value
def _check_derived(state: dict[str, Any]) -> None:
    """Check that attributes that only repeat the fitted value, in units of the data, do repeat it."""
    for name, wanted in _derived(state["_fitted"]).items():
        if name not in state:
            continue
        with np.errstate(over="ignore"):  # doubles that no float32 row can have
            value, wanted = state[name], np.asarray(wanted).astype(np.asarray(state[name]).dtype)
        if not np.array_equal(value, wanted):
            raise ValueError(f"{name} is not what the fitted model says")


def _derived(fitted: Any) -> dict[str, Any]:
    """Attributes by name that follow from the value that a fitted estimator holds."""
    units = fitted.units
    if isinstance(fitted, FittedSpreading):
        first = fitted.graphs[0].anchors
        return {"anchors_": units.to_data(first.centers), "m_": first.m}
    model, state, c = fitted.model, fitted.state, fitted.model.n_clusters
    centers = units.to_data(state.centers)
    found = {"cluster_centers_": centers}
    if model.partition.has_typicalities:  # of others, some version published other widths
        areas = area_units(type(model.prototypes), units)
        found["scale_"] = areas.squares_to_data(state.scale[:c])
    if isinstance(fitted, FittedCredal):
        found["focal_sets_"] = np.vstack([np.zeros(c), model.frame.sets])
    if isinstance(fitted, FittedMixture):
        sigma = units.squares_to_data(state.theta[1])
        shaped = {"tied": sigma[0], "spherical": sigma[:, 0]}.get(model.prototypes.kind, sigma)
        found |= {"means_": centers, "weights_": state.theta[2], "covariances_": shaped}
    return found


def _check_shapes_of_clusters(fitted: Any, state: dict[str, Any]) -> None:
    """Check attributes of the geometry; linear algebra may give other bits on other machines."""
    found = fitted.model.prototypes.published(
        fitted.state.theta, state["_sums"], fitted.model.frame, fitted.units
    )
    for name in found.keys() & state.keys():
        value = state[name]
        if np.shape(value) != found[name].shape or value.dtype.kind != "f" or np.isnan(value).any():
            raise ValueError(f"{name} has shape {np.shape(value)}; {found[name].shape} would fit")
