"""Labels that an expert probably got wrong, by a model that has not seen them."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.base import clone

from softclust.active.coverage import squared_distances
from softclust.knowledge.doubts import doubts_of
from softclust.knowledge.labels import Labels, read_labels

_NEAREST = 5  # labelled rows about a labelled row that vote
_BLOCK = 1024


def doubted_labels(model: Any, X: Any, y: Any, *, folds: int = 10) -> np.ndarray:
    """List the labels in `y`, the least credible first.

    Two voices say which class each labelled row has, neither of which knows its own label: the model,
    fitted with the label left out, and the five nearest labelled rows.  Each voice counts as far as it
    agrees with the labels more often than by chance.  The records, and the doubt (1 - p + r) / 2, are those
    of `softclust.doubted_labels`, which takes probabilities of your own.

    Parameters
    ----------
    model : softclust estimator
        The estimator; it is cloned and fitted `folds` times.
    X : array-like of shape (n_samples, n_features)
        The rows.
    y : array-like of shape (n_samples,) or (n_samples, n_classes)
        Labels as in `fit`; -1, None or NaN if the class of a row is not known.
    folds : int, default=10
        Number of parts into which the labels are divided; each is left out once.

    Returns
    -------
    doubts : structured ndarray with the fields row, told, likely and doubt
        One record for each labelled row: its position, the number of the class that the label names, the
        number of the likeliest class, and the doubt in [0, 1]; above 0.5 another class is likelier.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_iris
    >>> from softclust import FuzzyCMeans
    >>> from softclust.active import doubted_labels
    >>> X, truth = load_iris(return_X_y=True)
    >>> y = np.where(np.arange(150) % 3 == 0, truth, -1)
    >>> y[9] = 2  # a setosa that someone took for a virginica
    >>> int(doubted_labels(FuzzyCMeans(3, random_state=0), X, y)["row"][0])
    9
    """
    rows = np.asarray(X)
    labels = read_labels(y, len(rows))
    if len(labels.rows) < 2:
        raise ValueError(f"y has {len(labels.rows)} labels; two or more would fit.")
    if folds < 2:
        raise ValueError(f"folds={folds} leaves no label out; two or more would fit.")
    voices = [_foreseen(model, rows, labels, min(folds, len(labels.rows))), _neighbours(rows, labels)]
    weight = np.array([_skill(labels, voice) for voice in voices])
    weight = weight / weight.sum() if weight.sum() > 0 else np.full(2, 0.5)
    return doubts_of(labels, weight[0] * voices[0] + weight[1] * voices[1])


def _told(labels: Labels) -> np.ndarray:
    """(q, c) the labels as shares that sum to 1; a class of which nothing is said has none."""
    degrees = np.nan_to_num(labels.degrees)
    return degrees / np.maximum(degrees.sum(axis=1, keepdims=True), 1e-300)


def _skill(labels: Labels, proba: np.ndarray) -> float:
    """Return how far a voice agrees with the labels beyond chance, in [0, 1] (Cohen's kappa)."""
    told = _told(labels)
    found = np.eye(told.shape[1])[proba.argmax(axis=1)]
    agree, chance = (told * found).sum(axis=1).mean(), float(told.mean(axis=0) @ found.mean(axis=0))
    return max(0.0, float((agree - chance) / (1 - chance))) if chance < 1 else 0.0


def _foreseen(model: Any, X: np.ndarray, labels: Labels, folds: int) -> np.ndarray:
    """(q, c) shares of the classes in the labelled rows, from fits that have not seen their labels."""
    q, c = labels.degrees.shape
    order = np.argsort(np.nan_to_num(labels.degrees).argmax(axis=1), kind="stable")
    fold = np.empty(q, dtype=int)
    fold[order] = np.arange(q) % folds  # every class is spread over the folds
    proba = np.empty((q, c))
    for number in range(folds):
        left_out = fold == number
        y = np.full((len(X), c), np.nan)
        y[labels.rows[~left_out]] = labels.degrees[~left_out]
        found = _memberships(clone(model), X, y)[labels.rows[left_out], :c]
        proba[left_out] = found / np.maximum(found.sum(axis=1, keepdims=True), 1e-300)
    return proba


def _memberships(model: Any, X: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Fit the model to soft labels with a column for each cluster, and return its memberships."""
    clusters = model.get_params().get("n_clusters", y.shape[1])
    if clusters > y.shape[1]:
        y = np.column_stack([y, np.full((len(y), clusters - y.shape[1]), np.nan)])
    elif clusters < y.shape[1]:
        model.set_params(n_clusters=y.shape[1])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return np.asarray(model.fit(X, y).memberships_)
        except ValueError:  # label spreading with one class left: it has no voice
            return np.full(y.shape, 1.0 / y.shape[1])


def _neighbours(X: np.ndarray, labels: Labels) -> np.ndarray:
    """(q, c) the mean label of the five nearest other labelled rows."""
    told = _told(labels)
    Z = X[labels.rows].astype(np.float64)
    Z = Z - Z.mean(axis=0)
    k = min(_NEAREST, len(Z) - 1)
    votes = np.empty_like(told)
    for start in range(0, len(Z), _BLOCK):
        gaps = squared_distances(Z[start : start + _BLOCK], Z)
        here = np.arange(len(gaps))
        gaps[here, start + here] = np.inf
        near = np.argsort(gaps, axis=1, kind="stable")[:, :k]
        votes[start : start + _BLOCK] = told[near].mean(axis=1)
    return votes
