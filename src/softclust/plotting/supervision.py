"""Scores against the share of labelled rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike

from softclust.plotting.canvas import frame_off, legend_beside
from softclust.plotting.display import LegendDisplay
from softclust.plotting.palette import DASHES, MARKERS, theme_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class SupervisionCurveDisplay(LegendDisplay):
    """A score, such as the adjusted Rand index, against the share of rows that have a label.

    Each method has a line of means over repetitions, and a band: the confidence interval of the mean by
    Student's t.  A single repetition has no band.

    Use `from_predictions` to make one.  The scores come from repeated fits, each with newly drawn labels
    (`softclust.sample_supervision`).

    Parameters
    ----------
    shares : array-like of shape (s,)
        Shares of labelled rows in [0, 1], rising.
    scores : dict of str to array-like of shape (s, r)
        The scores of each method: r repetitions for each share; r may differ between methods.
    confidence : float, default=0.95
        Confidence level of the interval.
    score_name : str, default="adjusted Rand index"
        Name of the vertical axis.

    Attributes
    ----------
    lines_ : dict of str to Line2D
        The line of the means of each method.
    bands_ : dict of str to PolyCollection
        The intervals of each method with several repetitions.
    means_, half_widths_ : dict of str to ndarray of shape (s,)
        Means and half widths of the intervals; half widths are 0 for single repetitions.

    Examples
    --------
    >>> from softclust.plotting import SupervisionCurveDisplay
    >>> scores = {"sfcm": [[0.5, 0.7], [0.8, 1.0]], "fcm": [[0.6], [0.6]]}
    >>> display = SupervisionCurveDisplay.from_predictions([0.0, 0.1], scores)
    >>> display.lines_["sfcm"].get_ydata(), list(display.bands_)
    (array([0.6, 0.9]), ['sfcm'])
    """

    _size = (7.2, 4.4)

    def __init__(
        self,
        *,
        shares: ArrayLike,
        scores: Mapping[str, ArrayLike],
        confidence: float = 0.95,
        score_name: str = "adjusted Rand index",
    ) -> None:
        self.shares = _check_shares(shares)
        self.scores = _check_scores(scores, len(self.shares))
        if not isinstance(confidence, float) or not 0 < confidence < 1:
            raise ValueError(f"confidence={confidence!r} is not a number between 0 and 1.")
        self.confidence, self.score_name = float(confidence), score_name

    @classmethod
    def from_predictions(
        cls,
        shares: ArrayLike,
        scores: Mapping[str, ArrayLike],
        *,
        confidence: float = 0.95,
        score_name: str = "adjusted Rand index",
        ax: Axes | None = None,
    ) -> Self:
        """Draw given scores.

        Parameters
        ----------
        shares, scores, confidence, score_name
            As in the class.
        ax
            As in `plot`.

        Returns
        -------
        display : SupervisionCurveDisplay
            The curves of the methods, drawn.
        """
        display = cls(shares=shares, scores=scores, confidence=confidence, score_name=score_name)
        return display.plot(ax=ax)

    def _draw(self, ax: Any) -> None:
        from scipy.stats import t

        theme = theme_of(ax)
        self.lines_, self.bands_, self.means_, self.half_widths_ = {}, {}, {}, {}
        for j, (name, values) in enumerate(self.scores.items()):
            colour, repeats = theme.clusters(j + 1)[-1], values.shape[1]
            mean, half = values.mean(axis=1), np.zeros(len(values))
            if repeats > 1:
                quantile = t.ppf((1 + self.confidence) / 2, repeats - 1)
                half = quantile * values.std(axis=1, ddof=1) / np.sqrt(repeats)
                self.bands_[name] = ax.fill_between(
                    self.shares,
                    mean - half,
                    mean + half,
                    color=colour,
                    alpha=0.28 if theme.on_dark else 0.16,
                    lw=0,
                )
            (self.lines_[name],) = ax.plot(
                self.shares,
                mean,
                color=colour,
                marker=MARKERS[j % len(MARKERS)],
                ls=DASHES[j % len(DASHES)],
                ms=5,
                lw=1.7,
                label=name,
            )
            self.means_[name], self.half_widths_[name] = mean, half
        ax.xaxis.set_major_formatter(lambda share, _: f"{100 * share:g}%")
        ax.set(xlabel="rows with a label", ylabel=self.score_name)
        frame_off(ax)
        ax.grid(axis="y", color=theme.faint, lw=0.7)
        ax.set_axisbelow(True)

    def _add_legend(self) -> None:
        legend_beside(self, title=f"mean, {self.confidence:.0%} interval" if self.bands_ else None)


def _check_shares(shares: ArrayLike) -> np.ndarray:
    shares = np.asarray(shares, dtype=float)
    if shares.ndim != 1 or not len(shares):
        raise ValueError(f"shares has the shape {shares.shape}, but a list of numbers is needed.")
    wrong = np.flatnonzero(~((shares >= 0) & (shares <= 1)))
    if len(wrong):
        raise ValueError(f"shares[{wrong[0]}] = {shares[wrong[0]]:g} is not a share between 0 and 1.")
    if (np.diff(shares) <= 0).any():
        raise ValueError("shares do not rise from each to the next, as a curve needs.")
    return shares


def _check_scores(scores: Mapping[str, ArrayLike], count: int) -> dict[str, np.ndarray]:
    if not isinstance(scores, Mapping) or not scores:
        raise ValueError("scores is not a dict that gives each method its scores, a row for each share.")
    checked = {}
    for name, values in scores.items():
        values = np.asarray(values, dtype=float)
        values = values[:, None] if values.ndim == 1 else values
        if values.ndim != 2 or len(values) != count or not values.size or not np.isfinite(values).all():
            raise ValueError(
                f"scores[{name!r}] has the shape {values.shape}; finite numbers, a row for each of the "
                f"{count} shares, would fit."
            )
        checked[str(name)] = values
    return checked
