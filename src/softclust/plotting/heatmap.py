"""The matrix of memberships as a picture."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike

from softclust.metrics.checks import check_memberships
from softclust.plotting import reading
from softclust.plotting.canvas import LETTER
from softclust.plotting.display import Display
from softclust.plotting.words import wrapped

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.colors import Colormap

_LINES = 3  # of a name beneath its column
_UPRIGHT = 24  # letters in a line of a name that stands upright
_MOST_ROWS = 500  # in the picture; more would be thinner than a pixel


class MembershipHeatmapDisplay(Display):
    """The matrix of memberships as a picture, with a column for each cluster.

    Rows are sorted by winning cluster, and within a cluster by membership, the greatest first.  Names that
    are wider than their column are wrapped or stand upright.  Of more than 500 rows, neighbours in this
    order are averaged; they would be thinner than a pixel.

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
        self, *, cmap: str | Colormap = "inferno", colorbar: bool = True, ax: Axes | None = None
    ) -> Self:
        """Draw the display.

        Parameters
        ----------
        cmap : str or Colormap, default="inferno"
            Colours of the memberships from 0 to 1.  Of the maps that colour-blind readers can use, inferno
            separates memberships of 0.3 and 0.7 best.
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
        n, c = self.memberships.shape
        winners = self.memberships.argmax(axis=1)
        self.order_ = np.lexsort((-self.memberships.max(axis=1), winners))
        look = {"aspect": "auto", "interpolation": "nearest", "cmap": cmap, "vmin": 0, "vmax": 1}
        look["extent"] = (-0.5, c - 0.5, n - 0.5, -0.5)
        self.image_ = ax.imshow(_averaged(self.memberships[self.order_]), **look)
        borders = np.flatnonzero(np.diff(winners[self.order_])) + 0.5
        self.lines_ = [ax.axhline(border, color="white", lw=1.2) for border in borders]
        self._name_columns(ax)
        ax.set_ylabel("rows, by winning cluster and degree")
        ax.yaxis.get_major_locator().set_params(integer=True)
        self.colorbar_ = ax.figure.colorbar(self.image_, ax=ax, label="membership") if colorbar else None

    def _name_columns(self, ax: Any) -> None:
        """Write the names beneath the columns: in lines if these are few, upright otherwise."""
        names, c = self.cluster_names, len(self.cluster_names)
        letters = int(0.85 * ax.get_position().width * ax.figure.get_figwidth() / c / LETTER)
        longest = max(len(word) for name in [*names, ""] for word in (name.split() or [""]))
        lying = [wrapped(name, max(letters, 1), _LINES + 1) for name in names]
        if longest <= letters and all(name.count("\n") < _LINES for name in lying):
            ax.set_xticks(range(c), lying)
        else:
            upright = [wrapped(name, _UPRIGHT) for name in names]
            ax.set_xticks(range(c), upright, rotation=90)
            if self._has_own_figure:
                lines = max(line for name in upright for line in map(len, name.split("\n")))
                ax.figure.set_figheight(self._size[1] + LETTER * lines)
        ax.tick_params(axis="x", length=0)


def _averaged(U: np.ndarray) -> np.ndarray:
    """Return the means of neighbouring rows, as many as the picture can show."""
    if len(U) <= _MOST_ROWS:
        return U
    starts = np.linspace(0, len(U), _MOST_ROWS, endpoint=False).astype(int)
    return np.add.reduceat(U, starts) / np.diff(np.append(starts, len(U)))[:, None]
