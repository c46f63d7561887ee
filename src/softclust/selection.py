"""Choice of the number of clusters and of parameters: fit several settings and compare validity indices."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import clone

from softclust.metrics import INDICES, validity

if TYPE_CHECKING:
    import pandas as pd

_DEFAULT = "simplified_fuzzy_silhouette"


@dataclass(frozen=True)
class Selection:
    """The settings that were tried, and the value of each index for each setting.

    Attributes
    ----------
    settings : list of dict
        Parameters of each fit.
    values : dict of str to ndarray
        The values of each index, one per setting; NaN if the fit was refused or the index does not apply.
    estimators : list
        The fitted estimators, one per setting; None if the fit was refused.
    errors : dict of int to str
        Why a setting was refused, by the position of the setting.
    index : str
        Name of the index that decides.
    """

    settings: list[dict[str, Any]]
    values: dict[str, np.ndarray]
    estimators: list[Any]
    errors: dict[int, str]
    index: str

    def place(self, index: str | None = None) -> int:
        """Return the position of the best setting by an index.

        Parameters
        ----------
        index : str, default=None
            Name of the index.  None: the index that decides.

        Returns
        -------
        int
            The position in `settings`.
        """
        index = self.index if index is None else index
        if index not in self.values:
            raise ValueError(f"index={index!r} was not computed; {', '.join(self.values)} were.")
        merit = INDICES[index].sign * self.values[index]
        merit = np.where(np.isfinite(merit), merit, -np.inf)
        if not np.isfinite(merit).any():
            raise ValueError(f"index={index!r} has no finite value for any of the settings.")
        return int(merit.argmax())

    @property
    def best_params_(self) -> dict[str, Any]:
        """The best setting by the index that decides."""
        return self.settings[self.place()]

    @property
    def best_estimator_(self) -> Any:
        """The estimator fitted with `best_params_`."""
        return self.estimators[self.place()]

    def votes(self) -> np.ndarray:
        """Count the indices by which each setting is the best.

        Returns
        -------
        ndarray of shape (n_settings,)
        """
        counts = np.zeros(len(self.settings), dtype=np.int64)
        for name, values in self.values.items():
            if np.isfinite(values).any():
                counts[self.place(name)] += 1
        return counts

    def to_frame(self) -> pd.DataFrame:
        """Return a table with a row for each setting, and a column for each parameter and index.

        Returns
        -------
        pandas.DataFrame
        """
        import pandas as pd

        return pd.DataFrame(self.settings).assign(**self.values)


def select(
    estimator: Any,
    X: ArrayLike,
    y: ArrayLike | None = None,
    *,
    n_clusters: Sequence[int] = range(2, 9),
    parameters: Mapping[str, Sequence[Any]] | None = None,
    index: str = _DEFAULT,
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
        Labels of the rows, as in `fit`.
    n_clusters : sequence of int, default=range(2, 9)
        Numbers of clusters to try.
    parameters : dict of str to sequence, default=None
        Values of further parameters to try, in all combinations.
    index : str, default="simplified_fuzzy_silhouette"
        The index of `softclust.metrics.INDICES` that decides.  All indices that apply are computed.
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
    """
    settings = _settings(estimator, n_clusters, parameters)
    if index not in INDICES:
        raise ValueError(f"index={index!r} is not known; {', '.join(INDICES)} are.")
    tries = _tried(estimator, X, y, settings, sample_weight, n_jobs, progress, known)
    errors = {i: said for i, (_, _, said) in enumerate(tries) if said is not None}
    if len(errors) == len(settings):
        raise ValueError(f"No setting could be fitted. The first, {settings[0]}: {errors[0]}")
    names = [name for name in INDICES if any(name in values for _, values, _ in tries)]
    table = {name: np.array([values.get(name, np.nan) for _, values, _ in tries]) for name in names}
    if index not in table:
        raise ValueError(
            f"index={index!r} does not apply to {type(estimator).__name__}; {', '.join(names)} do."
        )
    return Selection(settings, table, [fitted for fitted, _, _ in tries], errors, index)


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


def _tried(
    estimator: Any,
    X: ArrayLike,
    y: ArrayLike | None,
    settings: list[dict[str, Any]],
    sample_weight: ArrayLike | None,
    n_jobs: int | None,
    progress: Callable[[int, int], object] | None,
    known: dict[str, Any],
) -> list[tuple[Any, dict[str, float], str | None]]:
    """Return (fitted estimator, values of the indices, error message) of each setting, in order."""
    from joblib import Parallel, delayed

    alone = {} if n_jobs is None else {"n_jobs": 1}
    works = Parallel(n_jobs=n_jobs or 1, prefer="threads", return_as="generator")(
        delayed(_fit)(clone(estimator).set_params(**setting, **alone), X, y, sample_weight, known)
        for setting in settings
    )
    tries = []
    for result in works:
        tries.append(result)
        if progress is not None:
            progress(len(tries), len(settings))
    return tries


def _fit(
    model: Any, X: ArrayLike, y: ArrayLike | None, sample_weight: ArrayLike | None, known: dict[str, Any]
) -> tuple[Any, dict[str, float], str | None]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # some of the settings that are tried fit badly
            model.fit(X, y, sample_weight=sample_weight, **known)
    except ValueError as error:
        return None, {}, str(error)
    return model, validity(model, X, sample_weight=sample_weight), None
