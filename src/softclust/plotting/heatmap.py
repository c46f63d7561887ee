"""The matrix of memberships as a picture."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike

from softclust.metrics.checks import check_memberships
from softclust.plotting import reading
from softclust.plotting.display import Display

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.colors import Colormap

_LETTER = 0.1  # inches, the width of a letter


class MembershipHeatmapDisplay(Display):
    """The matrix of memberships as a picture, with a column for each cluster.

    Rows are sorted by winning cluster, and within a cluster by membership, the greatest first.

    Use `from_estimator` or `from_predictions` to make one.

    Parameters
    ----------
    memberships : array-like of shape (n, c)
        Rows sum to 1.
    cluster_names : list of str, default=None
        Names for the columns.

    Attributes
    ----------
    order_ : ndarray of shape (n,)
        The rows in the order of the drawing, from the top.
    image_, colorbar_ : AxesImage and Colorbar
        The picture and its scale.
    lines_ : list of Line2D
        Borders between the rows of two clusters.

    Examples
    --------
    >>> from softclust.plotting import MembershipHeatmapDisplay
    >>> U = [[0.4, 0.6], [0.7, 0.3], [0.1, 0.9], [1.0, 0.0]]
    >>> display = MembershipHeatmapDisplay.from_predictions(U)
    >>> display.order_
    array([3, 1, 2, 0])
    """

    def __init__(self, *, memberships: ArrayLike, cluster_names: Sequence[str] | None = None) -> None:
        self.memberships = check_memberships(memberships, "memberships")
        c = self.memberships.shape[1]
        self.cluster_names = reading.check_names(cluster_names, c, "cluster")
        self._size = (min(3.6 + 0.7 * c, 9.0), 5.2)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: ArrayLike | None = None,
        *,
        cluster_names: Sequence[str] | None = None,
        ax: Axes | None = None,
    ) -> Self:
        """Draw the memberships of X, or of the rows of the fit.

        Parameters
        ----------
        estimator : object
            A fitted estimator with `predict_proba` or `predict`.
        X : array-like of shape (n, p), default=None
            Rows; None takes the rows of the fit.
        cluster_names, ax
            Names for the columns; None takes the classes of the labels.  `ax` as in `plot`.

        Returns
        -------
        display : MembershipHeatmapDisplay
            The heatmap of these rows, drawn.
        """
        U = reading.memberships_of(estimator, X)
        names = cluster_names or reading.cluster_names_of(estimator, U.shape[1])
        return cls(memberships=U, cluster_names=names).plot(ax=ax)

    @classmethod
    def from_predictions(
        cls, memberships: ArrayLike, *, cluster_names: Sequence[str] | None = None, ax: Axes | None = None
    ) -> Self:
        """Draw given memberships.

        Parameters
        ----------
        memberships, cluster_names, ax
            As in the class; `ax` as in `plot`.

        Returns
        -------
        display : MembershipHeatmapDisplay
            The heatmap, drawn.
        """
        return cls(memberships=memberships, cluster_names=cluster_names).plot(ax=ax)

    def plot(
        self, *, cmap: str | Colormap = "cividis", colorbar: bool = True, ax: Axes | None = None
    ) -> Self:
        """Draw the display.

        Parameters
        ----------
        cmap : str or Colormap, default="cividis"
            Colours of the memberships from 0 to 1.
        colorbar : bool, default=True
            Whether to add the scale of the colours.
        ax
            Axes, as in `Display.plot`.

        Returns
        -------
        self : MembershipHeatmapDisplay
            The display itself.
        """
        return self._plot(ax, cmap=cmap, colorbar=colorbar)

    def _draw(self, ax: Any, *, cmap: Any, colorbar: bool) -> None:
        c = self.memberships.shape[1]
        winners = self.memberships.argmax(axis=1)
        self.order_ = np.lexsort((-self.memberships.max(axis=1), winners))
        look = {"aspect": "auto", "interpolation": "nearest", "cmap": cmap, "vmin": 0, "vmax": 1}
        self.image_ = ax.imshow(self.memberships[self.order_], **look)
        borders = np.flatnonzero(np.diff(winners[self.order_])) + 0.5
        self.lines_ = [ax.axhline(border, color="white", lw=1.2) for border in borders]
        column = ax.get_position().width * ax.figure.get_figwidth() / c
        ax.set_xticks(range(c), self.cluster_names)
        if _LETTER * max(map(len, self.cluster_names)) > column:
            ax.tick_params(axis="x", rotation=35)
            for label in ax.get_xticklabels():
                label.set(ha="right", rotation_mode="anchor")
        ax.tick_params(axis="x", length=0)
        ax.set_ylabel("rows, by winning cluster and degree")
        ax.yaxis.get_major_locator().set_params(integer=True)
        self.colorbar_ = ax.figure.colorbar(self.image_, ax=ax, label="membership") if colorbar else None
