"""A map of rows, coloured by their memberships."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike

from softclust.metrics.checks import check_memberships
from softclust.plotting import reading
from softclust.plotting.canvas import doubt_on_top, handle, legend_beside, marker_area, marker_look
from softclust.plotting.display import LegendDisplay
from softclust.plotting.palette import Theme, certainty, cluster_marker, theme_of
from softclust.plotting.plane import (
    draw_centers,
    draw_ellipses,
    draw_outliers,
    draw_plane,
    limits,
    plane_of,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

_GROUND = 0.3  # strength of the colours behind the rows


class MembershipMapDisplay(LegendDisplay):
    """Rows in the colour of their cluster; a paler colour means more doubt.

    With two features, the map also colours the background by the memberships there.  It draws lines where
    the membership of the winning cluster equals one of `levels`, and the ellipses or shells of the clusters
    that have them.  With one feature, rows lie in a strip, at heights that mean nothing.  With more than
    two, rows are drawn in the plane of the first two principal components, without a background.  Outliers
    are crosses, centres are stars.

    Use `from_estimator` or `from_predictions` to make one.

    Parameters
    ----------
    X : ndarray of shape (n, p)
        Rows.
    memberships : ndarray of shape (n, c)
        Rows sum to 1.
    centers : ndarray of shape (c, p), default=None
        Centres of the clusters.
    covariances : ndarray of shape (c, p, p), default=None
        Shapes of the clusters; drawn for p = 2.
    radius : float, default=2.0
        Mahalanobis distance from the centre at which ellipses are drawn; 1 for shells.
    outliers : ndarray of bool of shape (n,), default=None
        Rows to cross out.
    feature_names, cluster_names : list of str, default=None
        Names for the axes and the legend.
    predict_proba : callable, default=None
        Returns the memberships of any rows; it colours the background.

    Attributes
    ----------
    scatters_ : list of PathCollection
        Rows of each cluster that are not outliers.
    outliers_, centers_ : PathCollection or None
        Crosses of the outliers and stars of the centres.
    ground_ : AxesImage or None
        The background behind the rows.
    contours_ : list of QuadContourSet
        Lines of equal membership: a set for each cluster that has lines.
    ellipses_ : list of Ellipse
        Ellipses or shells of the clusters.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from softclust import FuzzyCMeans
    >>> from softclust.plotting import MembershipMapDisplay
    >>> X = load_iris().data[:, 2:]
    >>> model = FuzzyCMeans(n_clusters=3, random_state=0).fit(X)
    >>> display = MembershipMapDisplay.from_estimator(model, X, feature_names=["length", "width"])
    >>> display.ax_.get_xlabel(), len(display.scatters_), len(display.contours_)
    ('length', 3, 3)
    """

    def __init__(
        self,
        *,
        X: ArrayLike,
        memberships: ArrayLike,
        centers: ArrayLike | None = None,
        covariances: ArrayLike | None = None,
        radius: float = 2.0,
        outliers: ArrayLike | None = None,
        feature_names: Sequence[str] | None = None,
        cluster_names: Sequence[str] | None = None,
        predict_proba: Callable[[np.ndarray], np.ndarray] | None = None,
    ) -> None:
        self.X, self.plane = plane_of(X, feature_names)
        self.memberships = check_memberships(memberships, "memberships")
        n, c = self.memberships.shape
        reading.check_count(self.X, n, "memberships")
        p = self.X.shape[1]
        self.centers = reading.check_shape(centers, (c, p), "centers")
        self.covariances = reading.check_shape(covariances, (c, p, p), "covariances")
        self.radius = radius
        self.outliers = reading.check_mask(outliers, n, "outliers")
        self.cluster_names = reading.check_names(cluster_names, c, "cluster")
        self.predict_proba: Any = predict_proba

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: ArrayLike,
        *,
        feature_names: Sequence[str] | None = None,
        cluster_names: Sequence[str] | None = None,
        levels: Sequence[float] = (0.5, 0.7, 0.9),
        ax: Axes | None = None,
    ) -> Self:
        """Draw the memberships of the rows X under a fitted estimator.

        Parameters
        ----------
        estimator : object
            A fitted estimator with `predict_proba` or `predict`.
        X : array-like of shape (n, p)
            Rows of the fit, or other rows.
        feature_names, cluster_names : list of str, default=None
            Names for the axes and the legend; None takes `feature_names_in_` and the classes of the labels.
        levels, ax
            As in `plot`.

        Returns
        -------
        display : MembershipMapDisplay
            The map, drawn.
        """
        reading.check_fitted(estimator)
        _refuse_distances(estimator)
        U = reading.memberships_of(estimator, X)
        display = cls(
            X=X,
            memberships=U,
            radius=reading.covariances_of(estimator)[1],
            outliers=reading.outliers_of(estimator, X),
            predict_proba=lambda rows: _memberships_of_others(estimator, rows, U.shape[1]),
            **reading.clusters_of(estimator, U.shape[1], feature_names, cluster_names),
        )
        return display.plot(levels=levels, ax=ax)

    @classmethod
    def from_predictions(
        cls,
        X: ArrayLike,
        memberships: ArrayLike,
        *,
        centers: ArrayLike | None = None,
        covariances: ArrayLike | None = None,
        radius: float = 2.0,
        outliers: ArrayLike | None = None,
        feature_names: Sequence[str] | None = None,
        cluster_names: Sequence[str] | None = None,
        ax: Axes | None = None,
    ) -> Self:
        """Draw given memberships, without a background.

        Parameters
        ----------
        X, memberships, centers, covariances, radius, outliers, feature_names, cluster_names, ax
            As in the class; `ax` as in `plot`.

        Returns
        -------
        display : MembershipMapDisplay
            The map without a background, drawn.
        """
        display = cls(
            X=X,
            memberships=memberships,
            centers=centers,
            covariances=covariances,
            radius=radius,
            outliers=outliers,
            feature_names=feature_names,
            cluster_names=cluster_names,
        )
        return display.plot(ax=ax)

    def plot(
        self,
        *,
        levels: Sequence[float] = (0.5, 0.7, 0.9),
        resolution: int = 200,
        legend: bool = True,
        ax: Axes | None = None,
    ) -> Self:
        """Draw the display.

        Parameters
        ----------
        levels : sequence of float, default=(0.5, 0.7, 0.9)
            Memberships at which lines are drawn, in [0.5, 1).  Below 0.5 a cluster need not be the winner.
        resolution : int, default=200
            Points of the background along each side.
        legend, ax
            As in `LegendDisplay.plot`.

        Returns
        -------
        self : MembershipMapDisplay
            The display itself.
        """
        return self._plot(ax, legend=legend, levels=_check_levels(levels), resolution=resolution)

    def _draw(self, ax: Any, *, levels: list[float], resolution: int) -> None:
        points, n, theme = self.plane.scatter(self.X), len(self.X), theme_of(ax)
        centers = None if self.centers is None else self.plane.project(self.centers)
        shapes = self.covariances if self.plane.is_whole and centers is not None else None
        low, high = limits(points, centers, shapes, self.radius)
        colours = theme.clusters(self.memberships.shape[1])
        self.ground_ = None
        self.contours_: list[Any] = []
        self._styles: dict[float, str] = {}
        if self.plane.has_ground and self.predict_proba is not None:
            self._draw_ground(ax, low, high, theme, levels, resolution)
        area, winners, sure = marker_area(n), self.memberships.argmax(axis=1), certainty(self.memberships)
        self.scatters_ = []
        for k, colour in enumerate(colours):
            rows = doubt_on_top((winners == k) & ~self.outliers, sure)
            look = {"marker": cluster_marker(k), **marker_look(n, [theme.outline(colour)])}
            faded = theme.tint(colour, sure[rows])
            self.scatters_.append(ax.scatter(*points[rows].T, s=area, c=faded, zorder=2.5, **look))
        self.outliers_ = draw_outliers(ax, points[self.outliers], area) if self.outliers.any() else None
        self.ellipses_ = [] if shapes is None else draw_ellipses(ax, centers, shapes, self.radius, colours)
        self.centers_ = None if centers is None else draw_centers(ax, centers, colours)
        draw_plane(self, self.plane, low, high)

    def _add_legend(self) -> None:
        legend_beside(self, self._handles(theme_of(self.ax_)))

    def _draw_ground(
        self,
        ax: Any,
        low: np.ndarray,
        high: np.ndarray,
        theme: Theme,
        levels: list[float],
        resolution: int,
    ) -> None:
        across, up = (np.linspace(low[j], high[j], resolution) for j in (0, 1))
        grid = np.column_stack([axis.ravel() for axis in np.meshgrid(across, up)])
        U = self.predict_proba(grid[:, : self.X.shape[1]])
        colours, paper = theme.clusters(U.shape[1]), np.array(theme.paper)
        behind = theme.tint(colours[U.argmax(axis=1)], certainty(U))
        picture = (paper - _GROUND * (paper - behind)).reshape(resolution, resolution, 3)
        half = (high - low) / (2 * (resolution - 1))
        window = (low[0] - half[0], high[0] + half[0], low[1] - half[1], high[1] + half[1])
        self.ground_ = ax.imshow(picture, extent=window, origin="lower", aspect="auto", zorder=0)
        if ((U == 0) | (U == 1)).all():  # hard memberships: the lines of all levels coincide
            levels = [0.5]
        styles = dict(zip(levels, _line_styles(len(levels)), strict=True))
        for u, colour in zip(U.T, colours, strict=True):
            crossed = [level for level in levels if u.min() < level < u.max()]
            if crossed:
                u = u.reshape(resolution, resolution)
                look = {
                    "linestyles": [styles[level] for level in crossed],
                    "colors": [theme.outline(colour)],
                }
                lines = ax.contour(across, up, u, levels=crossed, linewidths=1.0, zorder=1, **look)
                self.contours_.append(lines)
        self._styles = styles

    def _handles(self, theme: Theme) -> list[Line2D]:
        colours = theme.clusters(self.memberships.shape[1])
        handles = [
            handle(name, color=colour, marker=cluster_marker(k), edge=theme.outline(colour))
            for k, (name, colour) in enumerate(zip(self.cluster_names, colours, strict=True))
        ]
        handles.append(handle("in doubt", color=theme.tint(0.5 * np.ones(3), 0.0), edge=theme.ink))
        if self.centers_ is not None:
            handles.append(handle("centre", color=theme.paper, marker="*", edge=theme.edge, size=11))
        if self.outliers_ is not None:
            handles.append(handle("outlier", color=theme.ink, marker="x"))
        for level, style in self._styles.items():
            handles.append(
                handle(f"membership {level:g}", color=theme.ink, marker="", line=style, width=1.0)
            )
        return handles


def _check_levels(levels: ArrayLike) -> list[float]:
    levels = sorted(float(level) for level in np.atleast_1d(levels))
    wrong = [level for level in levels if not 0.5 <= level < 1]
    if wrong:
        raise ValueError(f"levels has {wrong[0]:g}; lines are drawn at memberships in [0.5, 1).")
    return levels


def _line_styles(count: int) -> list[str]:
    """Return line styles: solid for the highest level, dashed for the next, dotted for the others."""
    return [":"] * (count - 2) + ["--", "-"][-count:]


def _refuse_distances(estimator: Any) -> None:
    if getattr(estimator, "metric", None) == "precomputed":
        raise ValueError(
            f"{type(estimator).__name__} was fitted to distances: there are no features to draw."
        )


def _memberships_of_others(estimator: Any, rows: np.ndarray, c: int) -> np.ndarray:
    if hasattr(estimator, "predict_proba"):
        return np.asarray(reading.ask(estimator, "predict_proba", rows), dtype=float)
    return np.eye(c)[reading.ask(estimator, "predict", rows)]
