"""The indices by name, and all of them for a fitted estimator."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from softclust.metrics.checks import check_rows
from softclust.metrics.compactness import fukuyama_sugeno, kwon, tang, xie_beni
from softclust.metrics.memberships import (
    modified_partition_coefficient,
    nonspecificity,
    partition_coefficient,
    partition_entropy,
)
from softclust.metrics.silhouettes import fuzzy_silhouette, simplified_fuzzy_silhouette
from softclust.metrics.volumes import fuzzy_hypervolume, partition_density

# Geometries whose clusters surround their centres.
_ROUND = ("points", "ellipsoids", "mahalanobis", "gath-geva", "gaussians")
_EUCLIDEAN = ("euclidean", "l2", "sqeuclidean")


class Index(NamedTuple):
    """A validity index of one partition, which needs no classes to compare with."""

    function: Callable[..., float]
    greater_is_better: bool
    needs: tuple[str, ...]  # names of its arguments, all of which can be given by name
    quadratic: bool = False  # whether its time grows with the square of the number of rows

    @property
    def sign(self):
        """1 or -1: sign * value is to be made great."""
        return 1 if self.greater_is_better else -1


_OF_CENTRES = ("X", "U", "V", "m")

INDICES: dict[str, Index] = {
    "partition_coefficient": Index(partition_coefficient, True, ("U",)),
    "partition_entropy": Index(partition_entropy, False, ("U",)),
    "modified_partition_coefficient": Index(modified_partition_coefficient, True, ("U",)),
    "xie_beni": Index(xie_beni, False, _OF_CENTRES),
    "kwon": Index(kwon, False, _OF_CENTRES),
    "tang": Index(tang, False, _OF_CENTRES),
    "fukuyama_sugeno": Index(fukuyama_sugeno, False, _OF_CENTRES),
    "fuzzy_hypervolume": Index(fuzzy_hypervolume, False, _OF_CENTRES),
    "partition_density": Index(partition_density, True, _OF_CENTRES),
    "fuzzy_silhouette": Index(fuzzy_silhouette, True, ("X", "U", "alpha"), quadratic=True),
    "simplified_fuzzy_silhouette": Index(simplified_fuzzy_silhouette, True, ("X", "U", "V", "alpha")),
    "nonspecificity": Index(nonspecificity, False, ("partition",)),
}


def validity(estimator, X, *, m=2.0, alpha=1.0, sample_weight=None, most_quadratic_rows=20_000):
    """All indices of `INDICES` that apply to a fitted estimator, by name.

    Indices of distances apply where these are Euclidean and clusters surround their centres: not to shells,
    directions, geometries of one's own, or medoids in other metrics.  Nonspecificity applies to evidential
    models.

    Parameters
    ----------
    estimator : fitted softclust estimator
        Its `memberships_`, or its `labels_` where it is hard, and its `cluster_centers_` are read.
    X : array-like of shape (n, p)
        The rows it was fitted on.
    m : float, default=2.0
        Exponent of the memberships in the indices, whatever the estimator's own: to compare models, it has
        to be the same for all.
    alpha : float, default=1.0
        Exponent of the silhouettes' weights.
    sample_weight : array-like of shape (n,), default=None
        How many rows each row stands for.
    most_quadratic_rows : int, default=20_000
        Indices whose time grows with n^2 are left out above this number of rows.

    Returns
    -------
    dict of str to float

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from softclust import FuzzyCMeans
    >>> from softclust.metrics import validity
    >>> X = load_iris().data
    >>> indices = validity(FuzzyCMeans(n_clusters=3, random_state=0).fit(X), X)
    >>> round(indices["partition_coefficient"], 3), round(indices["xie_beni"], 3)
    (0.783, 0.137)
    """
    given = {**_read(estimator, X), "m": m, "alpha": alpha}
    quadratic = len(given["U"]) <= most_quadratic_rows
    return {
        name: index.function(**{need: given[need] for need in index.needs}, sample_weight=sample_weight)
        for name, index in INDICES.items()
        if all(need in given for need in index.needs) and (quadratic or not index.quadratic)
    }


def _read(estimator, X):
    """What a fitted estimator gives to indices, by the names of their arguments."""
    given = {"U": _memberships(estimator)}
    X = check_rows(X)
    if len(X) != len(given["U"]):
        raise ValueError(
            f"X has {len(X)} rows, but {type(estimator).__name__} was fitted on {len(given['U'])}; the "
            "rows of the fit are needed."
        )
    partition = getattr(estimator, "credal_partition_", None)
    if partition is not None:
        given["partition"] = partition
    if _is_euclidean(estimator):
        given["X"] = X
        if getattr(estimator, "cluster_centers_", None) is not None:
            given["V"] = estimator.cluster_centers_
    return given


def _memberships(estimator):
    U = getattr(estimator, "memberships_", None)
    if U is not None:
        return U
    labels = getattr(estimator, "labels_", None)
    if labels is None:
        raise ValueError(
            f"{type(estimator).__name__} has neither memberships_ nor labels_; a fitted estimator has."
        )
    centers = getattr(estimator, "cluster_centers_", None)
    c = getattr(estimator, "n_clusters_", len(centers) if centers is not None else int(np.max(labels)) + 1)
    return np.eye(c)[labels]


def _is_euclidean(estimator):
    geometry, metric = getattr(estimator, "geometry", "points"), getattr(estimator, "metric", "euclidean")
    named = isinstance(geometry, str) and isinstance(metric, str)
    return named and geometry in _ROUND and metric in _EUCLIDEAN
