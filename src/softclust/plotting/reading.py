"""Memberships, outliers, centres and names from a fitted estimator, and checks of given arrays."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from softclust.metrics.checks import check_memberships

_SAME = 1e-6  # outlier scores that differ by no more are equal


def check_fitted(estimator: Any) -> None:
    """Raise scikit-learn's NotFittedError if the estimator is not fitted."""
    from sklearn.utils.validation import check_is_fitted

    check_is_fitted(estimator)


def ask(estimator: Any, method: str, X: Any) -> Any:
    """Call a method of the estimator without scikit-learn's warning about missing feature names.

    The points of a grid or a plane have no feature names, and need none.
    """
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="X does not have valid feature names")
        return getattr(estimator, method)(X)


def is_the_fit(estimator: Any, X: Any) -> bool:
    """Whether X holds the rows of the fit, about which the estimator knows more than about other rows.

    The label and the links of a row show in the fitted attributes only.  As usually only some rows have
    labels or links, X counts as the rows of the fit if most outlier scores are the same as in the fit.
    """
    if X is None:
        return True
    before = getattr(estimator, "outlier_scores_", None)
    if before is None or len(before) != len(X):
        return False
    return bool(np.mean(np.abs(ask(estimator, "outlier_score", X) - before) <= _SAME) > 0.5)


def values_of(estimator: Any, X: ArrayLike | None, attribute: str, method: str) -> Any:
    """Return the fitted attribute if X holds the rows of the fit or is None, else the method's answer.

    Return None if the estimator lacks the method, or if X is None and the attribute is missing.
    """
    check_fitted(estimator)
    if not hasattr(estimator, method):
        return None
    if hasattr(estimator, attribute) and is_the_fit(estimator, X):
        return np.asarray(getattr(estimator, attribute))
    return None if X is None else ask(estimator, method, X)


def memberships_of(estimator: Any, X: ArrayLike | None) -> np.ndarray:
    """Return the memberships, (n, c); ones and zeros if the estimator predicts labels only."""
    U = values_of(estimator, X, "memberships_", "predict_proba")
    if U is not None:
        return check_memberships(U, "memberships")
    labels = values_of(estimator, X, "labels_", "predict")
    if labels is None:
        missing = "predicts nothing to draw" if X is not None else "keeps no memberships of its fit; give X"
        raise ValueError(f"{type(estimator).__name__} {missing}.")
    V = centers_of(estimator)
    return np.eye(int(labels.max()) + 1 if V is None else len(V))[labels]


def outliers_of(estimator: Any, X: Any) -> np.ndarray | None:
    """Return which rows are outliers, (n,) bool, or None if the estimator does not detect outliers."""
    if not hasattr(estimator, "outlier_mask_"):
        return None
    if is_the_fit(estimator, X):
        return np.asarray(estimator.outlier_mask_)
    return np.asarray(ask(estimator, "outlier_mask", X))


def covariances_of(estimator: Any) -> tuple[np.ndarray | None, float]:
    """Return covariances or shapes of shells, (c, p, p), and the Mahalanobis distance to draw.

    The distance is 1 for shells and 2 for other clusters.  Return (None, 2) if the estimator has no shapes.
    """
    S = getattr(estimator, "covariances_", None)
    V = getattr(estimator, "cluster_centers_", getattr(estimator, "means_", None))
    if S is None or V is None:
        return None, 2.0
    c, p = V.shape
    kind = getattr(estimator, "covariance_type_", getattr(estimator, "covariance_type", "full"))
    if kind == "tied":
        S = np.broadcast_to(S, (c, p, p))
    elif kind == "diag":
        S = S[:, :, None] * np.eye(p)
    elif kind == "spherical":
        S = S[:, None, None] * np.eye(p)
    return np.asarray(S, dtype=float), 1.0 if hasattr(estimator, "semi_axes_") else 2.0


def centers_of(estimator: Any) -> np.ndarray | None:
    """Return the centres, (c, p), or None if the estimator has none."""
    V = getattr(estimator, "cluster_centers_", getattr(estimator, "means_", None))
    return None if V is None else np.asarray(V, dtype=float)


def cluster_names_of(estimator: Any, c: int) -> list[str] | None:
    """Return the classes of the labels as names of the clusters; "cluster k" for a cluster without a class.

    Return None if there are no classes, or if the classes are the numbers 0, 1, .. of the clusters.
    """
    classes = getattr(estimator, "classes_", None)
    if classes is None or len(classes) != c:
        return None
    if all(isinstance(name, int | np.integer) and name == k for k, name in enumerate(classes)):
        return None
    return [f"cluster {k}" if name is None else str(name) for k, name in enumerate(classes)]


def clusters_of(
    estimator: Any, c: int, feature_names: Sequence[str] | None, cluster_names: Sequence[str] | None
) -> dict[str, Any]:
    """Return centres, covariances and names of a fitted estimator, as keywords for a display in a plane.

    Given names come first; None takes `feature_names_in_` and the classes of the labels.
    """
    if feature_names is None:
        feature_names = getattr(estimator, "feature_names_in_", None)
    return {
        "centers": centers_of(estimator),
        "covariances": covariances_of(estimator)[0],
        "feature_names": feature_names,
        "cluster_names": cluster_names or cluster_names_of(estimator, c),
    }


def check_names(names: Sequence[str] | None, count: int, what: str) -> list[str]:
    """Return one name for each cluster or feature; the default is "cluster 0", "cluster 1" and so on."""
    if names is None:
        return [f"{what} {k}" for k in range(count)]
    names = [str(name) for name in names]
    if len(names) != count:
        raise ValueError(f"There are {len(names)} names for {count} {what}s; one for each would fit.")
    return names


def check_degrees(T: ArrayLike, name: str) -> np.ndarray:
    """Check that T holds numbers in [0, 1], and return it as an array of shape (n, c)."""
    T = np.asarray(T, dtype=float)
    if T.ndim != 2 or not T.size:
        raise ValueError(f"{name} has the shape {T.shape}, but a row per object is needed.")
    wrong = np.argwhere(~((T >= 0) & (T <= 1)))
    if len(wrong):
        i, k = wrong[0]
        raise ValueError(f"{name}[{i}, {k}] = {T[i, k]:g} is not a number between 0 and 1.")
    return T


def check_count(X: np.ndarray, n: int, name: str) -> None:
    """Check that X has n rows, as many as the array of this name."""
    if len(X) != n:
        raise ValueError(f"X has {len(X)} rows and {name} {n}; they need the same number.")


def check_mask(mask: ArrayLike | None, n: int, name: str) -> np.ndarray:
    """Check a mask of n rows and return it; None means False for every row."""
    if mask is None:
        return np.zeros(n, dtype=bool)
    mask = np.asarray(mask)
    if mask.shape != (n,) or mask.dtype != bool:
        raise ValueError(f"{name} is {mask.dtype} of shape {mask.shape}; a bool for each of {n} rows fits.")
    return mask


def check_shape(values: ArrayLike | None, shape: tuple[int, ...], name: str) -> Any:
    """Check that the values are finite and have this shape, and return an array; None stays None."""
    if values is None:
        return None
    values = np.asarray(values, dtype=float)
    if values.shape != shape or not np.isfinite(values).all():
        raise ValueError(f"{name} has the shape {values.shape}; finite numbers of shape {shape} would fit.")
    return values
