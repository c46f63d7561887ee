"""What a setting is judged by beside the validity indices, and which values are good."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from softclust.knowledge.labels import unlabelled
from softclust.metrics import INDICES, brier_skill, matched_accuracy

_FLAT = 1e-6  # relative difference below which all values of an index are the same


class Measure(NamedTuple):
    """A number that judges a setting.

    Parameters
    ----------
    greater_is_better : bool
        Whether a greater value is better.
    of_labels : bool, default=False
        Whether the measure compares the clusters with known classes.
    """

    greater_is_better: bool
    of_labels: bool = False


MEASURES: dict[str, Measure] = {
    **{name: Measure(index.greater_is_better) for name, index in INDICES.items()},
    "bic": Measure(False),
    "aic": Measure(False),
    "stability": Measure(True),
    "brier_skill": Measure(True, of_labels=True),
    "accuracy": Measure(True, of_labels=True),
}


def merit(name: str, values: np.ndarray) -> np.ndarray:
    """Return the values with a sign that makes greater ones better; -inf in the place of NaN."""
    signed = values if MEASURES[name].greater_is_better else -values
    return np.where(np.isfinite(signed), signed, -np.inf)


def is_flat(values: np.ndarray) -> bool:
    """Whether the finite values are all the same, or fewer than two: then they favour no setting."""
    finite = values[np.isfinite(values)]
    return len(finite) < 2 or bool(np.ptp(finite) <= _FLAT * np.abs(finite).max())


def likelihood_measures(model: Any, X: Any, sample_weight: ArrayLike | None) -> dict[str, float]:
    """Return BIC and AIC of a fitted mixture; nothing for other models."""
    if not hasattr(model, "bic"):
        return {}
    bic, aic = model.bic(X), model.aic(X)
    if sample_weight is not None:  # a row of weight w counts as w rows
        logs, weight = np.asarray(model.score_samples(X)), np.asarray(sample_weight, dtype=float)
        n_parameters = aic / 2 + logs.sum()
        aic = 2 * n_parameters - 2 * float(weight @ logs)
        bic = aic + n_parameters * (np.log(weight.sum()) - 2)
    return {"bic": float(bic), "aic": float(aic)}


def label_measures(
    model: Any, truth: ArrayLike | None, sample_weight: ArrayLike | None
) -> dict[str, float]:
    """Return the agreement of the fitted clusters with known classes; nothing without classes.

    Clusters and classes are matched one to one, so more clusters than classes are not rewarded.  Several
    clusters of one class count as one.
    """
    if truth is None:
        return {}
    truth = np.asarray(truth)
    known = ~unlabelled(truth)
    weight = None if sample_weight is None else np.asarray(sample_weight)[known]
    per_class = getattr(model, "clusters_per_class_", 1)
    labels = np.asarray(model.labels_)[known] // per_class
    memberships = np.asarray(model.memberships_)[known]
    memberships = memberships.reshape(len(memberships), -1, per_class).sum(axis=2)
    return {
        "brier_skill": brier_skill(memberships, truth[known], sample_weight=weight),
        "accuracy": matched_accuracy(truth[known], labels, sample_weight=weight),
    }


def check_classes(truth: ArrayLike | None, y: ArrayLike | None, n: int) -> np.ndarray | None:
    """Return the known classes: `truth`, else `y` if it has a class for each row; None if none is known."""
    if truth is None:
        y = None if y is None else np.asarray(y)
        return None if y is None or y.ndim != 1 or unlabelled(y).all() else y
    truth = np.asarray(truth)
    if truth.shape != (n,):
        raise ValueError(f"truth has the shape {truth.shape}, but a class for each of {n} rows is needed.")
    if unlabelled(truth).all():
        raise ValueError("truth names no class: every row is -1, None or NaN, but one class is needed.")
    return truth
