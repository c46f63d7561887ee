"""Learning curves of simulated experts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

RECORDS = np.dtype(
    [
        ("strategy", "U24"),
        ("repetition", "i8"),
        ("told", "i8"),
        ("held", "f8"),
        ("given", "f8"),
        ("held_ari", "f8"),
        ("given_ari", "f8"),
        ("classes", "i8"),
        ("noise", "i8"),
    ]
)
SCORES = ("held", "given", "held_ari", "given_ari")


@dataclass(frozen=True)
class Curves:
    """What strategies reach with a growing number of answers.

    Attributes
    ----------
    records : structured ndarray
        One record for each strategy, repetition and number of answers (`told`).  `held`: accuracy on the
        rows that are never asked, after the best matching of clusters and classes.  `given`: accuracy on
        all rows, the asked rows with the expert's answer.  `held_ari` and `given_ari`: the adjusted Rand
        index of the same.  `classes`: number of classes seen.  `noise`: questions about rows of no class.
    """

    records: np.ndarray

    @property
    def strategies(self) -> list[str]:
        """The names of the strategies."""
        return list(dict.fromkeys(self.records["strategy"].tolist()))

    def table(self, strategy: str, score: str = "held") -> tuple[np.ndarray, np.ndarray]:
        """Return the numbers of answers, (t,), and the scores, (repetitions, t).

        Parameters
        ----------
        strategy : str
            The strategy.
        score : str, default="held"
            A field of the records.

        Returns
        -------
        told, scores : ndarray
        """
        mine = self.records[self.records["strategy"] == strategy]
        told = np.unique(mine["told"])
        return told, mine[score].reshape(-1, len(told))

    def area(self, score: str = "held") -> dict[str, np.ndarray]:
        """Return the area under the curve of each repetition: the mean score over the numbers of answers.

        Parameters
        ----------
        score : {"held", "given", "held_ari", "given_ari"}, default="held"
            A field of the records.

        Returns
        -------
        areas : dict of str to ndarray of shape (repetitions,)
        """
        areas = {}
        for strategy in self.strategies:
            told, scores = self.table(strategy, score)
            width = max(int(told[-1] - told[0]), 1)
            areas[strategy] = np.trapezoid(scores, told, axis=1) / width if len(told) > 1 else scores[:, 0]
        return areas

    def saved(self, beside: str = "random", score: str = "held") -> dict[str, float]:
        """Return how many answers each strategy saves.

        The curve of `beside` reaches its last mean score at its last answer; the other strategies reach it
        earlier, or never (NaN).

        Parameters
        ----------
        beside : str, default="random"
            The strategy to compare with.
        score : {"held", "given", "held_ari", "given_ari"}, default="held"
            A field of the records.

        Returns
        -------
        saved : dict of str to float
        """
        told, scores = self.table(beside, score)
        goal = scores.mean(axis=0)[-1]
        out = {}
        for strategy in self.strategies:
            reached = np.flatnonzero(self.table(strategy, score)[1].mean(axis=0) >= goal)
            out[strategy] = float(told[-1] - told[reached[0]]) if len(reached) else float("nan")
        return out

    def plot(self, ax: Any = None, score: str = "held") -> Any:
        """Draw the mean curve of each strategy with a band of two standard errors; needs matplotlib.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; None makes a figure.
        score : str, default="held"
            A field of the records.

        Returns
        -------
        ax : matplotlib Axes
        """
        if ax is None:
            import matplotlib.pyplot as plt

            ax = plt.subplots()[1]
        for strategy in self.strategies:
            told, scores = self.table(strategy, score)
            mean = scores.mean(axis=0)
            half = 2 * scores.std(axis=0, ddof=1) / np.sqrt(len(scores)) if len(scores) > 1 else 0 * mean
            (line,) = ax.plot(told, mean, label=strategy)
            ax.fill_between(told, mean - half, mean + half, color=line.get_color(), alpha=0.15, lw=0)
        ax.set(xlabel="answers", ylabel=score.replace("_", " "))
        ax.legend(frameon=False)
        return ax
