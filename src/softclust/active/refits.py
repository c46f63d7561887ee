"""Fit an estimator again after an answer: from the last centres, with classes bound to cluster columns."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import has_fit_parameter

from softclust.active.coverage import squared_distances
from softclust.errors import DegenerateClusterWarning
from softclust.knowledge.label_strength import reliable_strength
from softclust.knowledge.labels import check_labels
from softclust.sources.rows import rows_in_units

_LITTLE = 1e-9  # membership by which a class without labels prefers to keep its column
COLD_EVERY = 10  # every tenth fit starts anew, so that early answers do not lock a bad optimum


@dataclass(frozen=True)
class Knowledge:
    """What a fit is told: degrees, pairs, strengths of labels, and the classes of the columns."""

    y: np.ndarray  # (n, columns), NaN where nothing is said
    must_link: np.ndarray
    cannot_link: np.ndarray
    strengths: np.ndarray | None  # (n,) of labels; None if all are 1
    classes: tuple[str, ...]
    per_class: int = 1  # columns of each class
    label_weight: float = 1.0  # rows that a labelled row stands for

    @cached_property
    def rows(self) -> np.ndarray:
        """Positions of the rows with a label; all their columns have a degree."""
        return np.flatnonzero(~np.isnan(self.y[:, 0]))

    def equals(self, other: Knowledge) -> bool:
        """Whether both say the same."""
        mine, theirs = ((one.classes, one.y.shape, one.label_weight) for one in (self, other))
        return mine == theirs and all(
            a is b if a is None or b is None else np.array_equal(a, b)
            for a, b in zip(self._arrays, other._arrays, strict=True)
        )

    @cached_property
    def seen(self) -> tuple[str, ...]:
        """Classes that some label names; each of them owns its cluster."""
        named = (self.y[self.rows] > 0).any(axis=0)[:: self.per_class]
        return tuple(name for name, is_seen in zip(self.classes, named, strict=False) if is_seen)

    @property
    def _arrays(self) -> tuple[np.ndarray | None, ...]:
        return self.rows, self.y[self.rows], self.must_link, self.cannot_link, self.strengths


@dataclass
class Memory:
    """What sessions that grew from one start remember: the last fit, and the questions that were asked."""

    model: Any = None
    knowledge: Knowledge | None = None
    settings: str = ""  # the parameters of the last fit
    fits: int = 0
    questions: dict[int, tuple[str, str | None]] = field(
        default_factory=dict
    )  # row: reason, foreseen class
    batches: list[np.ndarray] = field(default_factory=list)  # labels of the rows at the last batches
    answers: int = 0  # their number at the last batch
    forms: dict[int, Any] = field(default_factory=dict)  # a digest of labels, and the form they chose


def class_shares(memberships: Any, per_class: int) -> np.ndarray:
    """Add up the memberships of the clusters of each class.

    Parameters
    ----------
    memberships : array-like of shape (n_samples, n_clusters)
        Memberships; class k owns the columns k * per_class to (k + 1) * per_class - 1.
    per_class : int
        Number of clusters of each class.

    Returns
    -------
    shares : ndarray of shape (n_samples, n_classes)
        Rows sum to 1 where those of the memberships do.

    Examples
    --------
    >>> from softclust.active import class_shares
    >>> class_shares([[0.125, 0.25, 0.5, 0.125]], per_class=2)
    array([[0.375, 0.625]])
    """
    U = np.asarray(memberships)
    return U.reshape(len(U), -1, per_class).sum(axis=2)


def refit(estimator: Any, X: np.ndarray, told: Knowledge, seed: int, memory: Memory) -> Any:
    """Fit, from the last centres if there are any, and remember the fit."""
    settings = f"{type(estimator).__name__} {estimator.get_params()!r}"
    if memory.knowledge is not None and settings == memory.settings and memory.knowledge.equals(told):
        return memory.model
    model = _fresh(estimator, told, seed)
    fits = memory.fits
    start = _warm_start(model, told, memory) if fits % COLD_EVERY else {}
    if fits and not start and _can_start_warm(model, told, memory):  # a cold fit, whose J may be worse
        cold = _fitted(_fresh(estimator, told, seed), X, told)
        warm = _fitted(model.set_params(**_warm_start(model, told, memory)), X, told)
        comparable = "scale" not in model.get_params()  # scales are part of J
        model = warm if comparable and warm.objective_ <= cold.objective_ else cold
    else:
        model = _fitted(model.set_params(**start), X, told)
    memory.model, memory.knowledge, memory.settings, memory.fits = model, told, settings, fits + 1
    return model


def _fresh(estimator: Any, told: Knowledge, seed: int) -> Any:
    """Return an estimator without a fit, with as many clusters as there are columns.

    Label spreading needs two classes.  Before, fuzzy c-means stands in, so that there is something to ask.
    """
    model = clone(estimator)
    named = (told.y[told.rows] > 0).any(axis=0).sum()
    if "n_clusters" not in model.get_params() and named < 2:
        from softclust.estimators.fuzzy import FuzzyCMeans

        model = FuzzyCMeans(max(2, told.y.shape[1]))
    if "n_clusters" in model.get_params():
        model.set_params(n_clusters=max(told.y.shape[1], 1))
    return model.set_params(random_state=seed) if model.random_state is None else model


def _fitted(model: Any, X: np.ndarray, told: Knowledge) -> Any:
    """Fit the labels and pairs; warnings about clusters are left to a fit of the user's own."""
    known = {"must_link": told.must_link, "cannot_link": told.cannot_link}
    pairs = {name: value for name, value in known.items() if len(value)}
    y = told.y if len(told.rows) else None
    if y is not None and y.shape[1] < model.get_params().get("n_clusters", 0):
        y = np.column_stack([y, np.full((len(y), model.n_clusters - y.shape[1]), np.nan)])
    if told.strengths is not None and y is not None and "label_strength" in model.get_params():
        model.set_params(label_strength=_base_strength(model, X, y) * told.strengths)
    if told.per_class > 1 and isinstance(model.get_params().get("init"), str):
        model.set_params(init=_split_start(model, X, told))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DegenerateClusterWarning)
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(X, y, **pairs, **_weights(model, told))


def _weights(model: Any, told: Knowledge) -> dict[str, np.ndarray]:
    """Return the weights of the rows, if labelled rows stand for several and the fit takes weights.

    Where labels have no strength, rows with weaker labels weigh less.
    """
    strengths = None if "label_strength" in model.get_params() else told.strengths
    usual = told.label_weight == 1 and strengths is None
    if usual or not len(told.rows) or not has_fit_parameter(model, "sample_weight"):
        return {}
    weight = np.ones(len(told.y))
    weight[told.rows] = told.label_weight * (1.0 if strengths is None else strengths[told.rows])
    return {"sample_weight": weight}


def _base_strength(model: Any, X: np.ndarray, y: np.ndarray) -> Any:
    """Return the strength of a label of strength 1."""
    if not isinstance(model.label_strength, str):
        return np.asarray(model.label_strength)
    labels, _ = check_labels(y, len(X), y.shape[1])
    return 1.0 if labels is None else reliable_strength(labels, rows_in_units(X))


# ---------------------------------------------------------------------- warm starts
def _can_start_warm(model: Any, told: Knowledge, memory: Memory) -> bool:
    """Whether the last fit has centres of the same number of clusters."""
    last = memory.model
    return (
        last is not None
        and memory.knowledge is not None
        and type(last) is type(model)
        and hasattr(last, "cluster_centers_")
        and len(last.cluster_centers_) == model.get_params().get("n_clusters")
        and memory.knowledge.per_class == told.per_class
        and (told.per_class == 1 or memory.knowledge.classes == told.classes)
    )


def _warm_start(model: Any, told: Knowledge, memory: Memory) -> dict[str, Any]:
    """Return the parameters that start at the last centres; none if the last fit does not suit."""
    if not _can_start_warm(model, told, memory):
        return {}
    last, order = memory.model, _bound_columns(told, memory)
    start = {"init": last.cluster_centers_[order]}
    if "scale" in model.get_params():
        start["scale"] = last.scale_[order]
    return start


def _bound_columns(told: Knowledge, memory: Memory) -> np.ndarray:
    """(columns,) the cluster of the last fit that becomes each column.

    A class with labels keeps its cluster.  A class that gets its first labels takes the free cluster in
    which its rows have most membership, so that the start does not swap classes.
    """
    from scipy.optimize import linear_sum_assignment

    assert memory.knowledge is not None
    before, columns = memory.knowledge, told.y.shape[1]
    if told.per_class > 1:
        return np.arange(columns)
    order = np.full(columns, -1)
    for k, name in enumerate(told.classes):
        if name in before.seen:
            order[k] = before.classes.index(name)
    new = np.flatnonzero(order[: len(told.classes)] < 0)
    free = np.setdiff1d(np.arange(columns), order)
    U = np.asarray(memory.model.memberships_)
    belongs = told.y[np.ix_(told.rows, new)].T @ U[np.ix_(told.rows, free)]
    rows, chosen = linear_sum_assignment(belongs + _LITTLE * (new[:, None] == free), maximize=True)
    order[new[rows]] = free[chosen]
    stays = np.setdiff1d(np.flatnonzero(order < 0), order)  # clusters without a class keep their columns
    order[stays] = stays
    order[order < 0] = np.setdiff1d(np.arange(columns), order)
    return order


def _split_start(model: Any, X: np.ndarray, told: Knowledge) -> np.ndarray:
    """Return centres of several clusters for each class: k-means among the rows nearest to its labels."""
    from softclust.estimators.hard import HardCMeans

    nearest = _nearest_class(X, told)
    centers = []
    for k in range(told.y.shape[1] // told.per_class):
        rows = np.flatnonzero(nearest == k)
        if len(np.unique(X[rows], axis=0)) < told.per_class:  # nobody named this class yet
            rows = np.arange(len(X))
        parts = HardCMeans(told.per_class, random_state=model.random_state)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            centers.append(parts.fit(X[rows]).cluster_centers_)
    return np.concatenate(centers)


def _nearest_class(X: np.ndarray, told: Knowledge) -> np.ndarray:
    """(n,) the class of the nearest row whose label names a class; -1 if there is none."""
    degrees = told.y[told.rows][:, :: told.per_class]
    named = degrees.max(axis=1, initial=0.0) > 0
    rows, classes = told.rows[named], degrees[named].argmax(axis=1)
    if not len(rows):
        return np.full(len(X), -1)
    centre = X[rows].mean(axis=0)
    blocks = range(0, len(X), 4096)
    near = [squared_distances(X[i : i + 4096] - centre, X[rows] - centre).argmin(axis=1) for i in blocks]
    return classes[np.concatenate(near)]
