"""Fit several settings and compute what judges them."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import clone

from softclust.compat.numpy import usual_arithmetic
from softclust.metrics import validity
from softclust.selection.measures import MEASURES, check_classes, label_measures, likelihood_measures
from softclust.selection.result import Selection
from softclust.selection.stability import agreement, samples

_DEFAULT = "simplified_fuzzy_silhouette"


@usual_arithmetic
def select(
    estimator: Any,
    X: ArrayLike,
    y: ArrayLike | None = None,
    *,
    n_clusters: Sequence[int] = range(2, 9),
    parameters: Mapping[str, Sequence[Any]] | None = None,
    index: str = _DEFAULT,
    truth: ArrayLike | None = None,
    stability: int = 0,
    random_state: int = 0,
    sample_weight: ArrayLike | None = None,
    n_jobs: int | None = None,
    progress: Callable[[int, int], object] | None = None,
    **known: Any,
) -> Selection:
    """Fit an estimator with every number of clusters and combination of parameters; compare the fits.

    Parameters
    ----------
    estimator : softclust estimator
        The estimator, cloned for each setting.
    X : array-like of shape (n_samples, n_features)
        The rows.
    y : array-like, default=None
        Labels of the rows, as in `fit`.  If y has a class for each row, and -1, None or NaN where it is not
        known, the columns "brier_skill" and "accuracy" compare the clusters with these classes.  An
        estimator that learns from y has seen them; give `truth` for an honest comparison.
    n_clusters : sequence of int, default=range(2, 9)
        Numbers of clusters to try.
    parameters : dict of str to sequence, default=None
        Values of further parameters to try, in all combinations.
    index : str, default="simplified_fuzzy_silhouette"
        The index that decides `best_params_`: one of `softclust.metrics.INDICES`, "bic" or "aic" for
        mixtures, "stability", or "brier_skill" or "accuracy" with known classes.  All that apply are
        computed.
    truth : array-like of shape (n_samples,), default=None
        Classes of the rows that no fit sees, for "brier_skill" and "accuracy".  None: those of y.
    stability : int, default=0
        Number of samples of four fifths of the rows that each setting is fitted to again.  "stability" is
        the mean adjusted Rand index between any two of these partitions on their common rows [1]_.  Above
        5,000 rows, the samples are drawn from 5,000 of them.  0 leaves stability out.
    random_state : int, default=0
        Seed of the samples.
    sample_weight : array-like of shape (n_samples,), default=None
        How many rows each row stands for.
    n_jobs : int, default=None
        Number of fits at a time, each on one thread.  None: one fit after the other, each on all cores.
    progress : callable, default=None
        Called as progress(done, total) after each fit.
    **known
        The pairs `must_link` and `cannot_link`, as in `fit`.

    Returns
    -------
    Selection
        The settings, the fitted estimators, and the value of each index for each setting.
        `recommendation()` names a setting and the reasons in words.

    References
    ----------
    .. [1] Ben-Hur, Elisseeff, Guyon (2002). A stability based method for discovering structure in clustered
       data. Pacific Symposium on Biocomputing, 6-17.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from softclust import FuzzyCMeans
    >>> from softclust.selection import select
    >>> chosen = select(FuzzyCMeans(random_state=0), load_iris().data, n_clusters=range(2, 6))
    >>> chosen.best_params_
    {'n_clusters': 2}
    >>> chosen.votes().tolist()[:2]  # of two and of three clusters
    [8, 2]
    >>> print(chosen.recommendation())
    Recommended: 2 clusters, the choice of 8 of 11 indices.
    Most indices agree; votes for others: 3 clusters 2, 4 clusters 1.
    """
    settings = _settings(estimator, n_clusters, parameters)
    _check_choice(index, stability)
    classes = check_classes(truth, y, len(X))  # type: ignore[arg-type]
    count = _counter(len(settings) * (1 + stability), progress)
    tasks = [
        (_prepared(estimator, setting, n_jobs), X, y, sample_weight, known, classes) for setting in settings
    ]
    tries = list(count(_in_parallel(_judged, tasks, n_jobs)))
    errors = {i: tried.error for i, tried in enumerate(tries) if tried.error is not None}
    if len(errors) == len(settings):
        raise ValueError(f"No setting could be fitted. The first, {settings[0]}: {errors[0]}")
    names = [name for name in MEASURES if any(name in tried.values for tried in tries)]
    table = {name: np.array([tried.values.get(name, np.nan) for tried in tries]) for name in names}
    if stability:
        square = getattr(estimator, "metric", None) == "precomputed"
        drawn = samples(X, y, sample_weight, known, stability, random_state, square=square)
        again = [(_prepared(estimator, s, n_jobs), one) for s in settings for one in drawn]
        partitions = list(count(_in_parallel(_partition, again, n_jobs)))
        rounds = [partitions[i : i + stability] for i in range(0, len(partitions), stability)]
        table["stability"] = np.array(
            [np.nan if i in errors else agreement(one) for i, one in enumerate(rounds)]
        )
    if index not in table:
        raise ValueError(
            f"index={index!r} does not apply to {type(estimator).__name__}; {', '.join(table)} do."
        )
    return Selection(settings, table, [tried.model for tried in tries], errors, index)


def _check_choice(index: str, stability: int) -> None:
    if index not in MEASURES:
        raise ValueError(f"index={index!r} is not known; {', '.join(MEASURES)} are.")
    if not isinstance(stability, int | np.integer) or isinstance(stability, bool) or stability < 0:
        raise ValueError(f"stability={stability!r} does not fit; it is a number of samples, such as 10.")
    if stability == 1:
        raise ValueError("stability=1 compares nothing; two samples or more would fit.")
    if index == "stability" and not stability:
        raise ValueError("index='stability' needs samples; say stability=10, for example.")


def _settings(
    estimator: Any, n_clusters: Sequence[int], parameters: Mapping[str, Sequence[Any]] | None
) -> list[dict[str, Any]]:
    grid = {"n_clusters": list(n_clusters), **{k: list(v) for k, v in (parameters or {}).items()}}
    for name, values in grid.items():
        if name not in estimator.get_params():
            raise ValueError(f"{type(estimator).__name__} has no parameter {name!r}.")
        if not values:
            raise ValueError(f"There is no value of {name} to try.")
    return [dict(zip(grid, chosen, strict=True)) for chosen in product(*grid.values())]


class _Tried(NamedTuple):
    """A fitted estimator with its values, or the reason why the fit was refused."""

    model: Any
    values: dict[str, float]
    error: str | None


def _prepared(estimator: Any, setting: dict[str, Any], n_jobs: int | None) -> Any:
    """Return an unfitted estimator with the setting; side by side, each fit runs on one thread."""
    alone = {} if n_jobs is None else {"n_jobs": 1}
    return clone(estimator).set_params(**setting, **alone)


def _in_parallel(function: Callable[..., Any], tasks: list[Any], n_jobs: int | None) -> Iterable[Any]:
    """Yield the results of the tasks in their order."""
    from joblib import Parallel, delayed

    workers = Parallel(n_jobs=n_jobs or 1, prefer="threads", return_as="generator")
    return workers(delayed(function)(*task) for task in tasks)


def _counter(
    total: int, progress: Callable[[int, int], object] | None
) -> Callable[[Iterable[Any]], Iterable[Any]]:
    """Return a function that passes results on and reports how many there are so far."""
    done = 0

    def count(results: Iterable[Any]) -> Iterable[Any]:
        nonlocal done
        for result in results:
            done += 1
            if progress is not None:
                progress(done, total)
            yield result

    return count


@usual_arithmetic  # threads do not inherit it
def _judged(
    model: Any,
    X: ArrayLike,
    y: ArrayLike | None,
    sample_weight: ArrayLike | None,
    known: dict[str, Any],
    classes: np.ndarray | None,
) -> _Tried:
    try:
        _fit_quietly(model, X, y, sample_weight, known)
    except ValueError as error:
        return _Tried(None, {}, str(error))
    if getattr(model, "n_clusters_", 0) > model.n_clusters * getattr(model, "clusters_per_class_", 1):
        more = f"y has more than {model.n_clusters} classes, and each gets a cluster: there are"
        return _Tried(None, {}, f"{more} {model.n_clusters_} clusters.")
    values = validity(model, X, sample_weight=sample_weight)
    values |= likelihood_measures(model, X, sample_weight) | label_measures(model, classes, sample_weight)
    return _Tried(model, values, None)


def _partition(model: Any, sample: Any) -> tuple[np.ndarray, np.ndarray] | None:
    """Return the rows of a sample and their clusters; None if the fit was refused."""
    try:
        _fit_quietly(model, sample.X, sample.y, sample.sample_weight, sample.known)
    except ValueError:
        return None
    return sample.rows, np.asarray(model.labels_)


def _fit_quietly(model: Any, X: Any, y: Any, sample_weight: Any, known: dict[str, Any]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # some of the settings that are tried fit badly
        model.fit(X, y, sample_weight=sample_weight, **known)
