"""Sorted typicalities, with the threshold at and below which rows are outliers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike

from softclust.plotting import reading
from softclust.plotting.canvas import frame_off
from softclust.plotting.display import LegendDisplay
from softclust.plotting.palette import DASHES, Theme, theme_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_LOW = 0.02  # thresholds below are drawn on a logarithmic scale


class TypicalityDisplay(LegendDisplay):
    """The typicalities of each cluster, and the greatest typicality of each row.

    Every curve is sorted from the greatest to the least.  A row is an outlier, typical of no cluster, if
    all its typicalities are at or below the threshold.

    Use `from_estimator` or `from_predictions` to make one.

    Parameters
    ----------
    typicalities : array-like of shape (n, c)
        Numbers in [0, 1].
    threshold : float or array-like of shape (c,), default=0.1
        Typicality at and below which a row is an outlier, for all clusters or for each.
    cluster_names : list of str, default=None
        Names for the legend.

    Attributes
    ----------
    lines_ : list of Line2D
        The curve of each cluster.
    greatest_ : Line2D
        The curve of the greatest typicality of each row.
    threshold_lines_ : list of Line2D
        The line of the threshold; a line for each cluster if thresholds differ.

    Examples
    --------
    >>> from softclust.plotting import TypicalityDisplay
    >>> display = TypicalityDisplay.from_predictions([[0.9, 0.2], [0.05, 0.02], [0.1, 0.7]])
    >>> display.greatest_.get_ydata()
    array([0.9 , 0.7 , 0.05])
    >>> display.threshold_lines_[0].get_label()
    'at most 0.1: 1 of 3 rows'
    """

    _size = (7.2, 4.4)

    def __init__(
        self,
        *,
        typicalities: ArrayLike,
        threshold: ArrayLike = 0.1,
        cluster_names: Sequence[str] | None = None,
    ) -> None:
        self.typicalities = reading.check_degrees(typicalities, "typicalities")
        c = self.typicalities.shape[1]
        limits = np.asarray(threshold, dtype=float)
        if limits.shape not in ((), (c,)) or not ((limits >= 0) & (limits <= 1)).all():
            raise ValueError(f"threshold={threshold!r} is not a number between 0 and 1, or {c} of them.")
        self.threshold = np.broadcast_to(limits, (c,))
        self.cluster_names = reading.check_names(cluster_names, c, "cluster")

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: ArrayLike | None = None,
        *,
        threshold: ArrayLike | None = None,
        cluster_names: Sequence[str] | None = None,
        ax: Axes | None = None,
    ) -> Self:
        """Draw the typicalities of X, or of the rows of the fit.

        Parameters
        ----------
        estimator : object
            A fitted estimator with `typicalities_`.
        X : array-like of shape (n, p), default=None
            Rows; None takes the rows of the fit.
        threshold : float or array-like of shape (c,), default=None
            Typicality at and below which a row is an outlier.  None takes the estimator's own threshold,
            which is 0.1 for scales as in the papers and lower for narrower scales.
        cluster_names, ax
            Names for the legend; None takes the classes of the labels.  `ax` as in `plot`.

        Returns
        -------
        display : TypicalityDisplay
            The curves, drawn.
        """
        reading.check_fitted(estimator)
        if not hasattr(estimator, "typicalities_"):
            raise ValueError(
                f"{type(estimator).__name__} has no typicalities to draw; PossibilisticCMeans has."
            )
        T = reading.values_of(estimator, X, "typicalities_", "predict_typicality")
        if threshold is None:
            threshold = getattr(estimator, "outlier_limits_", 0.1)
        names = cluster_names or reading.cluster_names_of(estimator, T.shape[1])
        return cls(typicalities=T, threshold=threshold, cluster_names=names).plot(ax=ax)

    @classmethod
    def from_predictions(
        cls,
        typicalities: ArrayLike,
        *,
        threshold: ArrayLike = 0.1,
        cluster_names: Sequence[str] | None = None,
        ax: Axes | None = None,
    ) -> Self:
        """Draw given typicalities.

        Parameters
        ----------
        typicalities, threshold, cluster_names, ax
            As in the class; `ax` as in `plot`.

        Returns
        -------
        display : TypicalityDisplay
            The curves and the threshold, drawn.
        """
        return cls(typicalities=typicalities, threshold=threshold, cluster_names=cluster_names).plot(ax=ax)

    def _draw(self, ax: Any) -> None:
        T, theme = self.typicalities, theme_of(ax)
        ranks, colours = np.arange(1, len(T) + 1), theme.clusters(T.shape[1])
        self.lines_ = []
        for k, (name, colour) in enumerate(zip(self.cluster_names, colours, strict=True)):
            curve = -np.sort(-T[:, k])
            self.lines_ += ax.plot(ranks, curve, color=colour, ls=DASHES[k // 8 % 4], lw=1.6, label=name)
        best = -np.sort(-T.max(axis=1))
        (self.greatest_,) = ax.plot(ranks, best, color=theme.ink, lw=2.4, label="greatest of the row")
        self._draw_threshold(ax, theme)
        ax.set(xlabel="rows, sorted for each curve", ylabel="typicality", ylim=(-0.02, 1.02))
        least = self.threshold.min()
        if 0 < least < _LOW:  # a line so near 0 shows on a logarithmic scale only
            ax.set_yscale("log")
            ax.set_ylim(least / 20, 1.4)
        frame_off(ax)

    def _draw_threshold(self, ax: Axes, theme: Theme) -> None:
        T, limits = self.typicalities, self.threshold
        told = f"{int((T <= limits).all(axis=1).sum())} of {len(T)} rows"
        if np.ptp(limits) <= 1e-6 * limits.max():
            label = f"at most {limits[0]:.3g}: {told}"
            self.threshold_lines_ = [ax.axhline(limits[0], color=theme.alarm, ls="--", lw=1.2, label=label)]
            return
        label = f"at most these: {told}"
        self.threshold_lines_ = [
            ax.axhline(limit, color=colour, ls="--", lw=1.0, label=None if k else label)
            for k, (limit, colour) in enumerate(zip(limits, theme.clusters(len(limits)), strict=True))
        ]
