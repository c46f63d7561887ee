"""Memberships of three clusters, drawn in a triangle."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike

from softclust.metrics.checks import check_memberships
from softclust.plotting import reading
from softclust.plotting.canvas import doubt_on_top, marker_area, marker_look
from softclust.plotting.display import Display
from softclust.plotting.palette import Theme, certainty, theme_of
from softclust.plotting.plane import draw_outliers
from softclust.plotting.words import wrapped

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_LETTERS = 20  # in a line of a corner's name
CORNERS = np.array([[0.0, 0.0], [1.0, 0.0], [0.5, np.sqrt(0.75)]])


class TernaryDisplay(Display):
    """Rows in a triangle whose corners are three clusters: the nearer a corner, the greater the membership.

    Grey lines mark memberships of 0.2, 0.4, 0.6 and 0.8.  The winning cluster changes at the dashed lines.

    Use `from_estimator` or `from_predictions` to make one.

    Parameters
    ----------
    memberships : array-like of shape (n, 3)
        Rows sum to 1.
    outliers : ndarray of bool of shape (n,), default=None
        Rows to cross out.
    cluster_names : list of str, default=None
        Names for the corners.

    Attributes
    ----------
    scatter_ : PathCollection
        The markers of the rows that are not outliers.
    outliers_ : PathCollection or None
        The crosses of the outliers.
    texts_ : list of Text
        Names of the corners.

    Examples
    --------
    >>> from softclust.plotting import TernaryDisplay
    >>> display = TernaryDisplay.from_predictions([[1.0, 0.0, 0.0], [0.0, 0.5, 0.5]])
    >>> display.scatter_.get_offsets().round(3).tolist()
    [[0.0, 0.0], [0.75, 0.433]]
    """

    _size = (5.6, 5.2)

    def __init__(
        self,
        *,
        memberships: ArrayLike,
        outliers: ArrayLike | None = None,
        cluster_names: Sequence[str] | None = None,
    ) -> None:
        self.memberships = check_memberships(memberships, "memberships")
        n, c = self.memberships.shape
        if c != 3:
            raise ValueError(
                f"A triangle has corners for 3 clusters, not {c}; MembershipHeatmapDisplay takes them."
            )
        self.outliers = reading.check_mask(outliers, n, "outliers")
        self.cluster_names = reading.check_names(cluster_names, c, "cluster")

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
            A fitted estimator of three clusters, with `predict_proba` or `predict`.
        X : array-like of shape (n, p), default=None
            Rows; None takes the rows of the fit.
        cluster_names, ax
            Names for the three corners; None takes the classes of the labels.  `ax` as in `plot`.

        Returns
        -------
        display : TernaryDisplay
            The triangle, drawn.
        """
        U = reading.memberships_of(estimator, X)
        names = cluster_names or reading.cluster_names_of(estimator, U.shape[1])
        display = cls(memberships=U, outliers=reading.outliers_of(estimator, X), cluster_names=names)
        return display.plot(ax=ax)

    @classmethod
    def from_predictions(
        cls,
        memberships: ArrayLike,
        *,
        outliers: ArrayLike | None = None,
        cluster_names: Sequence[str] | None = None,
        ax: Axes | None = None,
    ) -> Self:
        """Draw given memberships.

        Parameters
        ----------
        memberships : array-like of shape (n, 3)
            Rows sum to 1.
        outliers, cluster_names, ax
            As in the class; `ax` as in `plot`.

        Returns
        -------
        display : TernaryDisplay
            The triangle of the three clusters, drawn.
        """
        return cls(memberships=memberships, outliers=outliers, cluster_names=cluster_names).plot(ax=ax)

    def _draw(self, ax: Any) -> None:
        theme = theme_of(ax)
        colours = theme.clusters(3)
        _draw_frame(ax, theme)
        points, winners = self.memberships @ CORNERS, self.memberships.argmax(axis=1)
        area, sure = marker_area(len(points)), certainty(self.memberships)
        rows = doubt_on_top(~self.outliers, sure)
        self.scatter_ = ax.scatter(
            *points[rows].T,
            s=area,
            c=theme.tint(colours[winners[rows]], sure[rows]),
            zorder=3,
            clip_on=False,
            **marker_look(len(points), theme.outline(colours[winners[rows]])),
        )
        self.outliers_ = draw_outliers(ax, points[self.outliers], area) if self.outliers.any() else None
        self._name_corners(ax, theme)
        if self.outliers_ is not None:
            self.outliers_.set_label("outlier")
            ax.legend(loc="upper left", borderaxespad=0.0, frameon=False, fontsize=9)
        ax.set_aspect("equal")
        ax.set_xlim(-0.06, 1.06)
        ax.set_ylim(-0.04, 0.92)
        ax.axis("off")

    def _name_corners(self, ax: Any, theme: Theme) -> None:
        """Write the names: those below begin or end at the edge of the triangle, and so do not meet."""
        places = ((-16, -12, "left", "top"), (16, -12, "right", "top"), (0, 10, "center", "bottom"))
        self.texts_ = [
            ax.annotate(
                wrapped(name, _LETTERS), corner, (right, up), textcoords="offset points", ha=ha, va=va,
                fontsize=11, fontweight="bold", color=theme.text(colour),
            )
            for name, corner, colour, (right, up, ha, va) in zip(
                self.cluster_names, CORNERS, theme.clusters(3), places, strict=True
            )
        ]  # fmt: skip


def _draw_frame(ax: Axes, theme: Theme) -> None:
    """Draw the triangle, the lines of equal membership and the lines where the winning cluster changes."""
    ax.fill(*CORNERS.T, fc="none", ec=theme.ink, lw=1.2, zorder=2)
    for k in range(3):
        here, left, right = CORNERS[k], CORNERS[(k + 1) % 3], CORNERS[(k + 2) % 3]
        for u in (0.2, 0.4, 0.6, 0.8):
            ends = np.array([u * here + (1 - u) * left, u * here + (1 - u) * right])
            ax.plot(*ends.T, color=theme.faint, lw=0.7, zorder=1)
        middle = np.array([CORNERS.mean(axis=0), (left + right) / 2])
        ax.plot(*middle.T, color="#777777", lw=1.0, ls="--", zorder=1)
