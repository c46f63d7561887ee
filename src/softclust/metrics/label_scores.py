"""A scorer for scikit-learn's searches: how well an estimator predicts labels that it has not seen."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from softclust.knowledge.labels import unlabelled
from softclust.metrics.checks import check_memberships, weights_of

_KINDS = ("accuracy", "log")
_LEAST = 1e-12  # probability that a class keeps in the log score, so that one wrong row costs 28, not all


def label_score(
    estimator: Any,
    X: Any,
    y: ArrayLike,
    *,
    kind: str = "accuracy",
    sample_weight: ArrayLike | None = None,
) -> float:
    """Score a fitted estimator by the labels of rows that it has not seen; greater is better.

    `estimator.score` is minus the objective, which falls with every further cluster and with greater `m`:
    a search that maximises it chooses the most clusters and the greatest `m`.  This scorer compares
    predictions with labels, so `GridSearchCV(estimator, grid, scoring=label_score).fit(X, y)` can choose
    `m`, `n_clusters`, `label_strength` and others.  Rows without a label help the fits, and are left out of
    the score.

    Parameters
    ----------
    estimator : fitted softclust estimator
        Fitted with labels, so that `classes_` says which class each cluster stands for.
    X : array-like of shape (n, p)
        Rows.
    y : array-like of shape (n,)
        Class of each row; -1, None or NaN if it is not known.
    kind : {"accuracy", "log"}, default="accuracy"
        "accuracy" is the share of labelled rows whose likeliest class is theirs.  "log" is the mean natural
        logarithm of the probability of a row's class; it also rewards memberships that tell how sure they
        are.  In a search, use `functools.partial(label_score, kind="log")`.
    sample_weight : array-like of shape (n,), default=None
        How many rows each row stands for.

    Returns
    -------
    float
        Between 0 and 1 for "accuracy", at most 0 for "log".

    Notes
    -----
    The probability of a class is the membership in its clusters.  The membership in a cluster without a
    class is shared evenly by all classes: the cluster tells nothing about them.  A class that the fit has
    not seen has probability 0, which counts as 1e-12 in the log score.

    Folds need labels.  If these are few, `StratifiedKFold` spreads them evenly; unlabelled rows, -1, are a
    class of their own to it.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.model_selection import GridSearchCV, StratifiedKFold
    >>> from softclust import FuzzyCMeans
    >>> from softclust.metrics import label_score
    >>> X, classes = load_iris(return_X_y=True)
    >>> y = np.where(np.arange(150) % 5 == 0, classes, -1)  # a fifth of the labels
    >>> grid = {"n_clusters": [3, 4, 6], "m": [1.5, 2.0, 3.0]}
    >>> folds = StratifiedKFold(3, shuffle=True, random_state=0)
    >>> search = GridSearchCV(FuzzyCMeans(random_state=0), grid, scoring=label_score, cv=folds)
    >>> search.fit(X, y).best_params_["n_clusters"]
    3
    """
    if kind not in _KINDS:
        raise ValueError(f"kind={kind!r} is not known; {' and '.join(_KINDS)} are.")
    y = np.asarray(y)
    if y.ndim != 1:
        raise ValueError(f"y has the shape {y.shape}, but a class for each row is needed.")
    rows = np.flatnonzero(~unlabelled(y))
    if not len(rows):
        raise ValueError(
            f"None of the {len(y)} rows has a label to score; StratifiedKFold gives labels to every fold."
        )
    classes, P = _class_probabilities(estimator, X, len(y))
    P, weight = P[rows], weights_of(sample_weight, len(y))[rows]
    hits = np.array([[told == name for name in classes] for told in y[rows]], dtype=bool)
    own = (P * hits).sum(axis=1)
    if kind == "log":
        return float(np.average(np.log(np.clip(own, _LEAST, 1.0)), weights=weight))
    right = np.take_along_axis(hits, P.argmax(axis=1)[:, None], axis=1)[:, 0]
    return float(np.average(right, weights=weight))


def _class_probabilities(estimator: Any, X: Any, n: int) -> tuple[list[Any], np.ndarray]:
    """Return the classes of the fit and the probability of each class for each row, (n, classes)."""
    if not hasattr(estimator, "classes_"):
        raise ValueError(
            f"{type(estimator).__name__} has no classes_ that say which class a cluster stands for."
        )
    U = check_memberships(estimator.predict_proba(X), "predict_proba(X)")
    if len(U) != n:
        raise ValueError(f"X has {len(U)} rows and y {n}; they need the same number.")
    names = list(estimator.classes_)
    classes = list(dict.fromkeys(name for name in names if name is not None))
    stands_for = np.array([[name is not None and name == one for one in classes] for name in names])
    nameless = U[:, ~stands_for.any(axis=1)].sum(axis=1, keepdims=True)
    return classes, U @ stands_for + nameless / len(classes)
