"""Credal partitions: the set of clusters on which each row has its greatest mass, and how great it is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike

from softclust.credal import CredalPartition
from softclust.knowledge.labels import check_labels
from softclust.knowledge.pairs import check_pairs
from softclust.plotting import reading
from softclust.plotting.canvas import (
    doubt_on_top,
    haloed,
    handle,
    legend_beside,
    marker_area,
    marker_look,
)
from softclust.plotting.display import LegendDisplay
from softclust.plotting.palette import CANNOT, MARKERS, MUST, Theme, theme_of
from softclust.plotting.plane import draw_centers, draw_ellipses, draw_plane, limits, plane_of
from softclust.plotting.words import shortened

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D
    from matplotlib.patches import Polygon

    from softclust.knowledge.supervision import Pairs

_MOST_LINKS = 60  # lines of a kind; more would hide the rows
_HALF = 0.5  # a greatest mass below has more belief against its set than for it
_PALE = 0.2  # mass of the pale entry in the legend
_LETTERS = 56  # in the name of a set of clusters


class CredalPartitionDisplay(LegendDisplay):
    """Rows marked by the set of clusters on which they have their greatest mass, with labels and pairs.

    The colour of a set is the mixture of its clusters' colours; it fades as the mass on the set falls.  The
    marker shows the size of the set: a disc for one cluster, a square for two, a triangle for three and so
    on, a cross for the empty set.  A filled hull encloses the rows whose greatest mass is on one cluster
    alone (lower approximation), a dashed hull the rows whose greatest mass is on a set with the cluster
    (upper approximation).  The greatest mass can be small: the legend counts the rows for which it is below
    0.5.  Rows on one line have a hull without area, which is left out.  Must-links are
    solid green lines, cannot-links dashed magenta lines; at most 60 of each are drawn, at even steps, and
    the legend tells how many there are.  A ring around a labelled row has the colour of its label.

    Use `from_estimator` or `from_predictions` to make one.

    Parameters
    ----------
    X : ndarray of shape (n, p)
        Rows; for p > 2 drawn in the plane of the first two principal components, for p = 1 in a strip, at
        heights that mean nothing.
    partition : CredalPartition
        Masses of the rows.
    y : array-like of shape (n,) or (n, c), default=None
        Labels of the rows, as in `fit`.
    must_link, cannot_link : array-like of shape (q, 2) or Pairs, default=None
        Pairs of rows, as in `fit`.
    centers : ndarray of shape (c, p), default=None
        Centres of the clusters.
    covariances : ndarray of shape (c, p, p), default=None
        Shapes of the clusters; drawn for p = 2 as ellipses of Mahalanobis distance 2.
    feature_names, cluster_names : list of str, default=None
        Names for the axes and the legend.

    Attributes
    ----------
    scatters_ : dict of int to PathCollection
        The markers of the rows whose greatest mass is on set j, by j.
    lower_hulls_, upper_hulls_ : dict of int to Polygon
        Hulls of the lower and the upper approximation of cluster k, by k.
    must_links_, cannot_links_ : LineCollection or None
        Lines of the pairs that are drawn.
    rings_, centers_ : PathCollection or None
        Rings around labelled rows, and stars at the centres.
    ellipses_ : list of Ellipse
        Shapes of the clusters.

    References
    ----------
    .. [1] Masson, Denoeux (2008), ECM: An evidential version of the fuzzy c-means algorithm, Pattern
       Recognition

    Examples
    --------
    >>> from softclust import EvidentialCMeans
    >>> from softclust.datasets import make_x12
    >>> from softclust.plotting import CredalPartitionDisplay
    >>> X, _ = make_x12()
    >>> model = EvidentialCMeans(n_clusters=2, random_state=0).fit(X, must_link=[(0, 10)])
    >>> display = CredalPartitionDisplay.from_estimator(model, X, must_link=[(0, 10)])
    >>> len(display.must_links_.get_segments()), display.cannot_links_
    (1, None)
    """

    _size = (7.2, 4.8)

    def __init__(
        self,
        *,
        X: ArrayLike,
        partition: CredalPartition,
        y: ArrayLike | None = None,
        must_link: ArrayLike | Pairs | None = None,
        cannot_link: ArrayLike | Pairs | None = None,
        centers: ArrayLike | None = None,
        covariances: ArrayLike | None = None,
        feature_names: Sequence[str] | None = None,
        cluster_names: Sequence[str] | None = None,
    ) -> None:
        self.X, self.plane = plane_of(X, feature_names)
        self.partition = partition
        (n, p), c = self.X.shape, partition.n_clusters
        reading.check_count(self.X, len(partition), "masses")
        self.labels = check_labels(y, n, c)[0]
        self.pairs = check_pairs(must_link, cannot_link, n)
        self.centers = reading.check_shape(centers, (c, p), "centers")
        self.covariances = reading.check_shape(covariances, (c, p, p), "covariances")
        self.cluster_names = reading.check_names(cluster_names, c, "cluster")

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: ArrayLike,
        y: ArrayLike | None = None,
        *,
        must_link: ArrayLike | Pairs | None = None,
        cannot_link: ArrayLike | Pairs | None = None,
        feature_names: Sequence[str] | None = None,
        cluster_names: Sequence[str] | None = None,
        hulls: bool = True,
        ax: Axes | None = None,
    ) -> Self:
        """Draw the masses of the rows X under a fitted EvidentialCMeans.

        Parameters
        ----------
        estimator : EvidentialCMeans
            A fitted estimator.
        X : array-like of shape (n, p)
            Rows of the fit, or other rows.
        y, must_link, cannot_link : array-like, default=None
            Labels and pairs, as given to `fit`.
        feature_names, cluster_names : list of str, default=None
            Names for the axes and the legend; None takes `feature_names_in_` and the classes of the labels.
        hulls, ax
            As in `plot`.

        Returns
        -------
        display : CredalPartitionDisplay
            The display, drawn.
        """
        partition = partition_of(estimator, X)
        display = cls(
            X=X,
            partition=partition,
            y=y,
            must_link=must_link,
            cannot_link=cannot_link,
            **reading.clusters_of(estimator, partition.n_clusters, feature_names, cluster_names),
        )
        return display.plot(hulls=hulls, ax=ax)

    @classmethod
    def from_predictions(
        cls,
        X: ArrayLike,
        masses: Any,
        focal_sets: Any,
        y: ArrayLike | None = None,
        *,
        must_link: ArrayLike | Pairs | None = None,
        cannot_link: ArrayLike | Pairs | None = None,
        centers: ArrayLike | None = None,
        covariances: ArrayLike | None = None,
        feature_names: Sequence[str] | None = None,
        cluster_names: Sequence[str] | None = None,
        hulls: bool = True,
        ax: Axes | None = None,
    ) -> Self:
        """Draw given masses.

        Parameters
        ----------
        X, y, must_link, cannot_link, centers, covariances, feature_names, cluster_names
            As in the class.
        masses : array-like of shape (n, f)
            Masses of the rows; rows sum to 1.
        focal_sets : array-like of shape (f, c)
            True where cluster k is in set j.
        hulls, ax
            As in `plot`.

        Returns
        -------
        display : CredalPartitionDisplay
            The display, drawn.
        """
        display = cls(
            X=X,
            partition=CredalPartition(masses, focal_sets),
            y=y,
            must_link=must_link,
            cannot_link=cannot_link,
            centers=centers,
            covariances=covariances,
            feature_names=feature_names,
            cluster_names=cluster_names,
        )
        return display.plot(hulls=hulls, ax=ax)

    def plot(self, *, hulls: bool = True, legend: bool = True, ax: Axes | None = None) -> Self:
        """Draw the display.

        Parameters
        ----------
        hulls : bool, default=True
            Whether to draw the hulls of the approximations.
        legend, ax
            As in `LegendDisplay.plot`.

        Returns
        -------
        self : CredalPartitionDisplay
            The display itself.
        """
        return self._plot(ax, legend=legend, hulls=hulls)

    def _draw(self, ax: Any, *, hulls: bool) -> None:
        points, theme = self.plane.scatter(self.X), theme_of(ax)
        centers = None if self.centers is None else self.plane.project(self.centers)
        shapes = self.covariances if self.plane.is_whole and centers is not None else None
        low, high = limits(points, centers, shapes)
        clusters, area = theme.clusters(self.partition.n_clusters), marker_area(len(points))
        with_hulls = hulls and not self.plane.is_strip  # heights in a strip mean nothing
        self.lower_hulls_, self.upper_hulls_ = (
            self._draw_hulls(ax, points, clusters) if with_hulls else ({}, {})
        )
        self._draw_rows(ax, points, area, theme)
        self._draw_links(ax, points, theme)
        self._draw_rings(ax, points, area, theme)
        self.ellipses_ = [] if shapes is None else draw_ellipses(ax, centers, shapes, 2.0, clusters)
        self.centers_ = None if centers is None else draw_centers(ax, centers, clusters)
        draw_plane(self, self.plane, low, high)

    def _add_legend(self) -> None:
        legend_beside(self, self._handles(theme_of(self.ax_)))

    def _draw_rows(self, ax: Any, points: np.ndarray, area: float, theme: Theme) -> None:
        sets, winners = self.partition.focal_sets, self.partition.max_mass
        masses, colours = self.partition.masses.max(axis=1), theme.blend(sets)
        self.scatters_ = {}
        for j in np.unique(winners):
            rows, size = doubt_on_top(winners == j, masses), int(sets[j].sum())
            look = (
                {"linewidths": 1.4} if size == 0 else marker_look(len(points), [theme.outline(colours[j])])
            )
            faded = theme.tint(np.broadcast_to(colours[j], (len(rows), 3)), masses[rows])
            self.scatters_[int(j)] = ax.scatter(
                *points[rows].T, s=area, marker=marker_of(size), c=faded, zorder=3, **look
            )

    def _draw_hulls(
        self, ax: Axes, points: np.ndarray, colours: np.ndarray
    ) -> tuple[dict[int, Polygon], dict[int, Polygon]]:
        lower, upper = {}, {}
        for k, colour in enumerate(colours):
            alone = _hull(points[self.partition.lower_approximation[:, k]])
            among = _hull(points[self.partition.upper_approximation[:, k]])
            if alone is not None:
                lower[k] = ax.fill(*alone.T, fc=(*colour, 0.13), ec=(*colour, 0.9), lw=1.2, zorder=1)[0]
            if among is not None:
                upper[k] = ax.fill(*among.T, fc="none", ec=(*colour, 0.9), lw=1.2, ls="--", zorder=1)[0]
        return lower, upper

    def _draw_links(self, ax: Axes, points: np.ndarray, theme: Theme) -> None:
        from matplotlib.collections import LineCollection

        self.must_links_ = self.cannot_links_ = None
        self._told: dict[str, str] = {}
        if self.pairs is None:
            return
        looks: dict[str, dict[str, Any]] = {
            "must": {"colors": MUST, "linestyles": "solid", "lw": 1.2, "alpha": 0.8, "zorder": 4},
            "cannot": {"colors": CANNOT, "linestyles": "dashed", "lw": 0.9, "alpha": 0.6, "zorder": 2},
        }
        for kind, look in looks.items():
            ends = self.pairs.ends[self.pairs.must == (kind == "must")]
            if not len(ends):
                continue
            drawn = np.unique(np.linspace(0, len(ends) - 1, min(len(ends), _MOST_LINKS)).astype(int))
            lines = LineCollection(list(points[ends[drawn]]), **look)
            if kind == "must":  # paper beneath a dashed line would show in its gaps
                lines.set_path_effects(haloed(1.2, theme.paper))
            ax.add_collection(lines, autolim=False)
            setattr(self, f"{kind}_links_", lines)
            less = "" if len(drawn) == len(ends) else f" ({len(drawn)} of {len(ends):,})"
            self._told[kind] = f"{kind}-link{less}"

    def _draw_rings(self, ax: Any, points: np.ndarray, area: float, theme: Theme) -> None:
        self.rings_ = None
        if self.labels is None:
            return
        degrees = np.nan_to_num(self.labels.degrees)
        c = self.partition.n_clusters
        told = np.zeros((len(degrees), max(c, degrees.shape[1])), dtype=bool)
        told[:, : degrees.shape[1]] = (degrees == degrees.max(axis=1, keepdims=True)) & (degrees > 0)
        self.rings_ = ax.scatter(
            *points[self.labels.rows].T,
            s=4.5 * max(area, 12.0),
            facecolors="none",
            edgecolors=theme.blend(told),
            linewidths=1.8,
            zorder=5,
            path_effects=haloed(1.8, theme.paper),
        )

    def _handles(self, theme: Theme) -> list[Line2D]:
        handles, colours = [], theme.blend(self.partition.focal_sets)
        for j in sorted(self.scatters_, key=lambda j: (self.partition.focal_sets[j].sum(), j)):
            members = self.partition.focal_sets[j]
            edge = theme.ink if not members.any() else theme.outline(colours[j])
            label, marker = set_name(members, self.cluster_names), marker_of(int(members.sum()))
            handles.append(handle(label, color=colours[j], marker=marker, edge=edge))
        if self.centers_ is not None:
            handles.append(handle("centre", color=theme.paper, marker="*", edge=theme.edge, size=11))
        if self.rings_ is not None:
            handles.append(handle("labelled", color=theme.ink, size=10, fill=False))
        if self.must_links_ is not None:
            handles.append(handle(self._told["must"], color=MUST, marker="", line="-"))
        if self.cannot_links_ is not None:
            handles.append(handle(self._told["cannot"], color=CANNOT, marker="", line="--"))
        if self.lower_hulls_:
            label = "greatest mass on the cluster alone"
            handles.append(handle(label, color=theme.ink, marker="", line="-", width=1.2))
        if self.upper_hulls_:
            label = "greatest mass on a set with the cluster"
            handles.append(handle(label, color=theme.ink, marker="", line="--", width=1.2))
        handles += self._handles_of_mass(theme)
        return handles

    def _handles_of_mass(self, theme: Theme) -> list[Line2D]:
        """Return a full and a pale entry; the pale one counts rows whose greatest mass is no majority."""
        masses, grey = self.partition.masses.max(axis=1), np.full(3, 0.5)
        count = int((masses < _HALF).sum())
        pale = f"mass {_PALE:g}"
        if count:
            pale = f"mass below {_HALF:g}: {count:,} of {len(masses):,}"
        edge = theme.outline(grey)
        return [
            handle("mass 1", color=theme.tint(grey, 1.0), edge=edge),
            handle(pale, color=theme.tint(grey, _PALE), edge=edge),
        ]


def partition_of(estimator: Any, X: Any) -> CredalPartition:
    """Return the masses of the rows with their sets; raise a ValueError if the estimator has none."""
    reading.check_fitted(estimator)
    if not hasattr(estimator, "masses_"):
        raise ValueError(f"{type(estimator).__name__} has no masses to draw; EvidentialCMeans has.")
    masses = reading.values_of(estimator, X, "masses_", "predict_mass")
    return CredalPartition(masses, estimator.focal_sets_)


def marker_of(size: int) -> str:
    """Return the marker of a set: a cross for the empty set, then a marker for each number of clusters."""
    return "x" if size == 0 else MARKERS[min(size, len(MARKERS)) - 1]


def set_name(members: np.ndarray, names: Sequence[str]) -> str:
    """Return the name of a set of clusters: one cluster, several, all or none."""
    inside = [name for name, is_member in zip(names, members, strict=True) if is_member]
    if not inside:
        return "empty set"
    if len(inside) == 1:
        return inside[0]
    if len(inside) == len(names) > 2:
        return "any cluster"
    numbers = [name.removeprefix("cluster ") for name in inside]
    if all(number.isdigit() for number in numbers):
        return "clusters " + " or ".join(numbers)
    return " or ".join(shortened(name, max(6, _LETTERS // len(inside))) for name in inside)


def _hull(points: np.ndarray) -> np.ndarray | None:
    """Return the corners of the convex hull, or None if the hull has no area."""
    from scipy.spatial import ConvexHull, QhullError

    if len(points) < 3:
        return None
    try:
        return points[ConvexHull(points).vertices]
    except QhullError:
        return None
