"""What a fitted estimator says of rows, and checks of what is given instead."""

from __future__ import annotations

import warnings

import numpy as np

from softclust.metrics.checks import check_memberships

_SAME = 1e-6


def check_fitted(estimator):
    """scikit-learn's sentence if it is not."""
    from sklearn.utils.validation import check_is_fitted

    check_is_fitted(estimator)


def ask(estimator, method, X):
    """The method's answer; a grid and a plane have no names of features, and need none."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="X does not have valid feature names")
        return getattr(estimator, method)(X)


def is_the_fit(estimator, X):
    """Whether X are the rows of the fit, of which the estimator knows more than of others.

    What labels and links say of a row is in the fitted attributes alone.  They name some rows; if most rows
    have the scores that they had in the fit, X are its rows.
    """
    if X is None:
        return True
    before = getattr(estimator, "outlier_scores_", None)
    if before is None or len(before) != len(X):
        return False
    return bool(np.mean(np.abs(ask(estimator, "outlier_score", X) - before) <= _SAME) > 0.5)


def values_of(estimator, X, attribute, method):
    """The fitted attribute if X are the rows of the fit, or None; else what the method says of X."""
    check_fitted(estimator)
    if not hasattr(estimator, method):
        return None
    if hasattr(estimator, attribute) and is_the_fit(estimator, X):
        return np.asarray(getattr(estimator, attribute))
    return None if X is None else ask(estimator, method, X)


def memberships_of(estimator, X):
    """(n, c) memberships; ones and zeros where the estimator has labels only."""
    U = values_of(estimator, X, "memberships_", "predict_proba")
    if U is not None:
        return check_memberships(U, "memberships")
    labels = values_of(estimator, X, "labels_", "predict")
    if labels is None:
        missing = "predicts nothing to draw" if X is not None else "keeps no memberships of its fit; give X"
        raise ValueError(f"{type(estimator).__name__} {missing}.")
    V = centers_of(estimator)
    return np.eye(int(labels.max()) + 1 if V is None else len(V))[labels]


def outliers_of(estimator, X):
    """(n,) bool, or None where the estimator has no such notion."""
    if not hasattr(estimator, "outlier_mask_"):
        return None
    if is_the_fit(estimator, X):
        return np.asarray(estimator.outlier_mask_)
    return estimator._is_outlier(estimator._assign(estimator._source(X)))


def covariances_of(estimator):
    """(c, p, p) covariances or shapes of shells, and how many of their radii to draw; or (None, 2)."""
    S = getattr(estimator, "covariances_", None)
    V = getattr(estimator, "cluster_centers_", getattr(estimator, "means_", None))
    if S is None or V is None:
        return None, 2.0
    c, p = V.shape
    kind = getattr(estimator, "covariance_type", "full")
    if kind == "tied":
        S = np.broadcast_to(S, (c, p, p))
    elif kind == "diag":
        S = S[:, :, None] * np.eye(p)
    elif kind == "spherical":
        S = S[:, None, None] * np.eye(p)
    return np.asarray(S, dtype=float), 1.0 if hasattr(estimator, "semi_axes_") else 2.0


def centers_of(estimator):
    """(c, p) centres, or None."""
    V = getattr(estimator, "cluster_centers_", getattr(estimator, "means_", None))
    return None if V is None else np.asarray(V, dtype=float)


def cluster_names_of(estimator, c):
    """The classes by which labels named the clusters; "cluster k" for the others."""
    classes = getattr(estimator, "classes_", None)
    if classes is None or len(classes) != c:
        return None
    if all(isinstance(name, int | np.integer) and name == k for k, name in enumerate(classes)):
        return None
    return [f"cluster {k}" if name is None else str(name) for k, name in enumerate(classes)]


def check_names(names, count, what):
    """One name for each cluster or feature: "cluster 0" and so on where none are given."""
    if names is None:
        return [f"{what} {k}" for k in range(count)]
    names = [str(name) for name in names]
    if len(names) != count:
        raise ValueError(f"There are {len(names)} names for {count} {what}s; one for each would fit.")
    return names


def check_degrees(T, name):
    """(n, c) numbers in [0, 1]."""
    T = np.asarray(T, dtype=float)
    if T.ndim != 2 or not T.size:
        raise ValueError(f"{name} has the shape {T.shape}, but a row per object is needed.")
    wrong = np.argwhere(~((T >= 0) & (T <= 1)))
    if len(wrong):
        i, k = wrong[0]
        raise ValueError(f"{name}[{i}, {k}] = {T[i, k]:g} is not a number between 0 and 1.")
    return T


def check_mask(mask, n, name):
    """(n,) bool; False everywhere where none is given."""
    if mask is None:
        return np.zeros(n, dtype=bool)
    mask = np.asarray(mask)
    if mask.shape != (n,) or mask.dtype != bool:
        raise ValueError(f"{name} is {mask.dtype} of shape {mask.shape}; a bool for each of {n} rows fits.")
    return mask


def check_shape(values, shape, name):
    """Finite numbers of that shape, or None where none are given."""
    if values is None:
        return None
    values = np.asarray(values, dtype=float)
    if values.shape != shape or not np.isfinite(values).all():
        raise ValueError(f"{name} has the shape {values.shape}; finite numbers of shape {shape} would fit.")
    return values
