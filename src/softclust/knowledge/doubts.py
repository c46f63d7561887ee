"""Labels that are probably wrong."""

from __future__ import annotations

from typing import Any

import numpy as np

from softclust.knowledge.labels import Labels, read_labels

DOUBTS = np.dtype([("row", "i8"), ("told", "i8"), ("likely", "i8"), ("doubt", "f8")])


def doubted_labels(y: Any, proba: Any) -> np.ndarray:
    """List the labels in `y`, the least credible first.

    The doubt about a label is (1 - p + r) / 2: p is the probability of the class that the label names, and
    r is the greatest probability of another class.  A doubt above 0.5 means that another class is likelier.

    Parameters
    ----------
    y : array-like of shape (n_samples,) or (n_samples, n_classes)
        Labels as in `fit`; -1, None or NaN if the class of a row is not known.
    proba : array-like of shape (n_samples, n_classes)
        Probabilities of the classes in rising order.  They should come from a model that has not seen the
        row's own label, as those of `sklearn.model_selection.cross_val_predict`.

    Returns
    -------
    doubts : structured ndarray with the fields row, told, likely and doubt
        One record for each labelled row: its position, the number of the class that the label names, the
        number of the likeliest class, and the doubt in [0, 1].
    """
    proba = np.asarray(proba, dtype=np.float64)
    if proba.ndim != 2:
        raise ValueError(f"proba is {proba.ndim}d; one column for each class would fit.")
    labels = read_labels(y, len(proba))
    if labels.degrees.shape[1] != proba.shape[1]:
        raise ValueError(
            f"y names {labels.degrees.shape[1]} classes; proba has {proba.shape[1]} columns, "
            "and one for each class would fit."
        )
    return doubts_of(labels, proba[labels.rows])


def doubts_of(labels: Labels, proba: np.ndarray) -> np.ndarray:
    """Return `DOUBTS` of the labelled rows; `proba` has their probabilities, found without their labels.

    A label that allows several classes, such as "A or B", names the likeliest of them.
    """
    degrees = np.nan_to_num(labels.degrees, nan=1.0)  # a class of which nothing is said is allowed
    allowed = degrees == degrees.max(axis=1, keepdims=True)
    told = np.where(allowed, proba, -1.0).argmax(axis=1)
    other = np.where(allowed, 0.0, proba).max(axis=1)
    out = np.empty(len(told), DOUBTS)
    out["row"], out["told"], out["likely"] = labels.rows, told, proba.argmax(axis=1)
    out["doubt"] = (1 - proba[np.arange(len(told)), told] + other) / 2
    return out[np.argsort(-out["doubt"], kind="stable")]
