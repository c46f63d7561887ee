"""How doubtful a fitted model is about each row."""

from __future__ import annotations

from typing import Any

import numpy as np

from softclust.credal import CredalPartition

KINDS = ("margin", "entropy", "nonspecificity", "discord", "klir")


def doubt(model: Any, kind: str = "auto") -> np.ndarray:
    """Measure how doubtful a fitted model is about each of its rows.

    A row far from every cluster is not doubtful but outlying; `outlying` tells those rows.

    Parameters
    ----------
    model : fitted softclust estimator
        An estimator with `memberships_`.
    kind : {"auto", "margin", "entropy", "nonspecificity", "discord", "klir"}, default="auto"
        "margin", which "auto" means: 1 - (u1 - u2), with u1 and u2 the two greatest memberships.
        "entropy": the entropy of the memberships over its maximum, log c.  "nonspecificity":
        sum_A m(A) log |A| over log c, for models with masses.  "discord": -sum_A m(A) log BetP(A) over
        log c, with BetP the memberships (Klir & Ramer 1990); without masses it is the entropy.  "klir": the
        sum of the last two.

    Returns
    -------
    doubt : ndarray of shape (n_samples,)
        In [0, 1]; 0 for a model of one cluster.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from softclust import FuzzyCMeans
    >>> from softclust.active import doubt
    >>> model = FuzzyCMeans(3, random_state=0).fit(load_iris().data)
    >>> print(doubt(model).argmax(), doubt(model).max().round(2))
    114 0.96
    """
    if kind != "auto" and kind not in KINDS:
        raise ValueError(f"kind={kind!r} is not known; {', '.join(('auto', *KINDS))} are.")
    U = memberships_of(model)
    if kind in ("auto", "margin"):
        return margin(U)
    if kind == "entropy":
        return entropy(U)
    partition = masses_of(model)
    if partition is None:
        if kind == "nonspecificity":
            raise ValueError(
                f"{type(model).__name__} gives no mass to sets of clusters; EvidentialCMeans does, and "
                "kind='margin' would fit."
            )
        return entropy(U)
    return credal_doubt(partition, kind)


def outlying(model: Any) -> np.ndarray:
    """Return how far each row of a fit is from every cluster.

    Parameters
    ----------
    model : fitted softclust estimator
        An estimator with `outlier_scores_`.

    Returns
    -------
    scores : ndarray of shape (n_samples,)
        0 for a row at a centre, towards 1 for a row far from all centres.

    Examples
    --------
    >>> from softclust import FuzzyCMeans
    >>> from softclust.active import outlying
    >>> model = FuzzyCMeans(2, random_state=0).fit([[0.0], [0.1], [5.0], [5.1], [60.0]])
    >>> print(outlying(model).argmax())
    4
    """
    scores = getattr(model, "outlier_scores_", None)
    if scores is None:
        raise ValueError(f"{type(model).__name__} has no outlier_scores_; the c-means estimators have.")
    return np.asarray(scores)


def memberships_of(model: Any) -> np.ndarray:
    """Return the memberships of the rows of a fit as an array in memory."""
    U = getattr(model, "memberships_", None)
    if U is None:
        raise ValueError(f"{type(model).__name__} has no memberships_ to ask about; fit it first.")
    return np.asarray(U, dtype=np.float64)


def masses_of(model: Any) -> CredalPartition | None:
    """Return the masses of the rows of a fit; None if the model has no masses."""
    masses = getattr(model, "masses_", None)
    return None if masses is None else CredalPartition(np.asarray(masses), model.focal_sets_)


def margin(U: np.ndarray) -> np.ndarray:
    """(n,) 1 - (u1 - u2), with u1 and u2 the two greatest memberships of a row."""
    if U.shape[1] < 2:
        return np.zeros(len(U))
    first, second = U[:, 0].copy(), np.zeros(len(U))
    for u in U.T[1:]:  # columns are long, rows are short
        np.maximum(second, np.minimum(u, first), out=second)
        np.maximum(first, u, out=first)
    return np.clip(1 - (first - second), 0.0, 1.0)


def two_greatest(U: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the columns of the two greatest memberships of each row; of equals, the first."""
    first = U.argmax(axis=1)
    rest = U.copy()
    rest[np.arange(len(U)), first] = -1.0
    return first, rest.argmax(axis=1)


def entropy(U: np.ndarray) -> np.ndarray:
    """(n,) -sum_k u_k log u_k over log c."""
    if U.shape[1] < 2:
        return np.zeros(len(U))
    surprise = -U * np.log(np.where(U > 0, U, 1.0))
    return np.clip(surprise.sum(axis=1) / np.log(U.shape[1]), 0.0, 1.0)


def credal_doubt(partition: CredalPartition, kind: str) -> np.ndarray:
    """(n,) nonspecificity, discord or their sum; masses are normalised first: the empty set is no doubt."""
    sets = partition.focal_sets
    c, sizes = sets.shape[1], sets.sum(axis=1)
    if c < 2:
        return np.zeros(len(partition))
    masses = partition.masses * (sizes > 0)
    total = masses.sum(axis=1, keepdims=True)
    masses = np.where(total > 0, masses / np.where(total > 0, total, 1.0), 0.0)
    found = np.zeros(len(masses))
    if kind in ("nonspecificity", "klir"):
        found += masses @ np.log(np.maximum(sizes, 1))
    if kind in ("discord", "klir"):
        pignistic = masses @ (sets / np.maximum(sizes, 1)[:, None]) @ sets.T
        found -= (masses * np.log(np.where(masses > 0, pignistic, 1.0))).sum(axis=1)
    return np.clip(found / np.log(c), 0.0, 1.0)
