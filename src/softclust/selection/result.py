"""The result of a selection: settings, values, votes, and a recommendation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from softclust.selection.measures import MEASURES, is_flat, merit
from softclust.selection.recommendation import Recommendation, recommend

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Selection:
    """The settings that were tried, and the value of each index for each setting.

    Attributes
    ----------
    settings : list of dict
        Parameters of each fit.
    values : dict of str to ndarray
        The values of each index, one per setting; NaN if the fit was refused or the index does not apply.
        Beside the indices of `softclust.metrics.INDICES` there are "bic" and "aic" for mixtures,
        "stability" if it was asked for, "brier_skill" and "accuracy" if classes are known.
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
        merits = merit(index, self.values[index])
        if not np.isfinite(merits).any():
            raise ValueError(f"index={index!r} has no finite value for any of the settings.")
        return int(merits.argmax())

    @property
    def best_params_(self) -> dict[str, Any]:
        """The best setting by the index that decides."""
        return self.settings[self.place()]

    @property
    def best_estimator_(self) -> Any:
        """The estimator fitted with `best_params_`."""
        return self.estimators[self.place()]

    @property
    def greater_is_better(self) -> dict[str, bool]:
        """Whether a greater value is better, for each index."""
        return {name: MEASURES[name].greater_is_better for name in self.values}

    @property
    def flat(self) -> list[str]:
        """The indices whose finite values are all the same, or one at most; they do not vote."""
        return [name for name, values in self.values.items() if is_flat(values)]

    @property
    def voters(self) -> list[str]:
        """The indices that vote: all that are not flat and do not look at the classes."""
        flat = set(self.flat)
        return [name for name in self.values if name not in flat and not MEASURES[name].of_labels]

    def votes(self) -> np.ndarray:
        """Count the indices by which each setting is the best.

        Indices that are flat, and those that compare with known classes, have no vote.  A selection of one
        setting has no votes.

        Returns
        -------
        ndarray of shape (n_settings,)
        """
        places = np.array([self.place(name) for name in self.voters], dtype=np.int64)
        return np.bincount(places, minlength=len(self.settings)).astype(np.int64)

    def recommendation(self) -> Recommendation:
        """Recommend a setting, with the reasons in words.

        Known classes decide by the Brier skill; without classes BIC decides for mixtures; otherwise most
        votes decide, and of settings with as many votes the one that `index` prefers.

        Returns
        -------
        Recommendation
            The setting and the reasons; `print` shows them.
        """
        return recommend(self)

    def to_frame(self) -> pd.DataFrame:
        """Return a table with a row for each setting, and a column for each parameter and index.

        Returns
        -------
        pandas.DataFrame
        """
        import pandas as pd

        return pd.DataFrame(self.settings).assign(**self.values)
