"""Table of the validity indices by name, and `validity`, which computes them for a fitted estimator."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from softclust.compat.numpy import usual_arithmetic
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

# Geometries whose clusters surround their centres: indices of distances apply to these only.
_ROUND = ("points", "ellipsoids", "mahalanobis", "gath-geva", "gaussians")
_EUCLIDEAN = ("euclidean", "l2", "sqeuclidean")


class Index(NamedTuple):
    """Validity index of one partition; it needs no classes.

    Parameters
    ----------
    function : callable
        The index.
    greater_is_better : bool
        Whether a greater value means a better partition.
    needs : tuple of str
        Names of the arguments of `function`, all of which can be given by name.
    quadratic : bool, default=False
        Whether the time of `function` grows with the square of the number of rows.
    """

    function: Callable[..., float]
    greater_is_better: bool
    needs: tuple[str, ...]
    quadratic: bool = False

    @property
    def sign(self) -> int:
        """1 if greater is better, otherwise -1; the best partition has the greatest sign * value."""
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


@usual_arithmetic
def validity(
    estimator: Any,
    X: ArrayLike,
    *,
    m: float = 2.0,
    alpha: float = 1.0,
    sample_weight: ArrayLike | None = None,
    most_quadratic_rows: int = 20_000,
) -> dict[str, float]:
    """Compute all indices of `INDICES` that apply to a fitted estimator.

    Indices of distances apply if the distances are Euclidean and clusters surround their centres.  These
    indices do not apply to shells, directions, user-defined geometries, or medoids in other metrics.
    Nonspecificity applies to evidential models.

    Parameters
    ----------
    estimator : fitted softclust estimator
        `memberships_`, or `labels_` of a hard estimator, and `cluster_centers_` are read.
    X : array-like of shape (n, p)
        The rows that the estimator was fitted on.
    m : float, default=2.0
        Exponent of the memberships in the indices, independent of the estimator's own exponent.  Use the
        same m for all models that are compared.
    alpha : float, default=1.0
        Exponent of the weights in the silhouettes.
    sample_weight : array-like of shape (n,), default=None
        How many rows each row stands for.
    most_quadratic_rows : int, default=20_000
        Largest number of rows for which the indices whose time grows with n^2 are computed.

    Returns
    -------
    dict of str to float
        The value of each index, by name.

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


def _read(estimator: Any, X: ArrayLike) -> dict[str, Any]:
    """Return the arguments of the indices that a fitted estimator provides, by name."""
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


def _memberships(estimator: Any) -> np.ndarray:
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


def _is_euclidean(estimator: Any) -> bool:
    geometry, metric = getattr(estimator, "geometry", "points"), getattr(estimator, "metric", "euclidean")
    named = isinstance(geometry, str) and isinstance(metric, str)
    return named and geometry in _ROUND and metric in _EUCLIDEAN
