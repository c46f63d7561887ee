"""Credal partitions: the set of clusters on which each row has its greatest mass."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike

from softclust.credal import CredalPartition
from softclust.knowledge.labels import check_labels
from softclust.knowledge.pairs import check_pairs
from softclust.plotting import reading
from softclust.plotting.canvas import handle, legend_beside, marker_area, on_white
from softclust.plotting.display import LegendDisplay
from softclust.plotting.palette import CANNOT, INK, MARKERS, MUST, blend, cluster_colours, outline
from softclust.plotting.plane import draw_centers, draw_ellipses, draw_plane, limits, plane_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D
    from matplotlib.patches import Polygon

    from softclust.knowledge.supervision import Pairs


class CredalPartitionDisplay(LegendDisplay):
    """Rows marked by the set of clusters on which they have their greatest mass, with labels and pairs.

    The colour of a set is the mixture of its clusters' colours.  The marker shows the size of the set: a
    disc for one cluster, a square for two, a triangle for three and so on, a cross for the empty set.  A
    filled hull encloses the rows that surely belong to a cluster (lower approximation), a dashed hull the
    rows that may belong to the cluster (upper approximation).  Rows on one line have a hull without area,
    which is left out.  Must-links are solid green lines, cannot-links dashed magenta lines.  A ring around
    a labelled row has the colour of its label.

    Use `from_estimator` or `from_predictions` to make one.

    Parameters
    ----------
    X : ndarray of shape (n, p)
        Rows, p > 1; for p > 2 drawn in the plane of the first two principal components.
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
        Lines of the pairs.
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
        points, sets = self.plane.project(self.X), self.partition.focal_sets
        centers = None if self.centers is None else self.plane.project(self.centers)
        shapes = self.covariances if self.plane.is_whole and centers is not None else None
        low, high = limits(points, centers, shapes)
        clusters = cluster_colours(sets.shape[1])
        area, colours = marker_area(len(points)), blend(sets)
        self.lower_hulls_, self.upper_hulls_ = self._draw_hulls(ax, points, clusters) if hulls else ({}, {})
        self.scatters_ = {}
        for j in np.unique(self.partition.max_mass):
            at, size = points[self.partition.max_mass == j], int(sets[j].sum())
            look = (
                {"linewidths": 1.4}
                if size == 0
                else {"edgecolors": [outline(colours[j])], "linewidths": 0.7}
            )
            self.scatters_[int(j)] = ax.scatter(
                *at.T, s=area, marker=marker_of(size), color=[colours[j]], zorder=3, **look
            )
        self._draw_links(ax, points)
        self._draw_rings(ax, points, area)
        self.ellipses_ = [] if shapes is None else draw_ellipses(ax, centers, shapes, 2.0, clusters)
        self.centers_ = None if centers is None else draw_centers(ax, centers, clusters)
        draw_plane(ax, self.plane, low, high)

    def _add_legend(self) -> None:
        legend_beside(self, self._handles(blend(self.partition.focal_sets)))

    def _draw_hulls(
        self, ax: Axes, points: np.ndarray, colours: np.ndarray
    ) -> tuple[dict[int, Polygon], dict[int, Polygon]]:
        lower, upper = {}, {}
        for k, colour in enumerate(colours):
            sure = _hull(points[self.partition.lower_approximation[:, k]])
            maybe = _hull(points[self.partition.upper_approximation[:, k]])
            if sure is not None:
                lower[k] = ax.fill(*sure.T, fc=(*colour, 0.13), ec=(*colour, 0.9), lw=1.2, zorder=1)[0]
            if maybe is not None:
                upper[k] = ax.fill(*maybe.T, fc="none", ec=(*colour, 0.9), lw=1.2, ls="--", zorder=1)[0]
        return lower, upper

    def _draw_links(self, ax: Axes, points: np.ndarray) -> None:
        from matplotlib.collections import LineCollection

        self.must_links_ = self.cannot_links_ = None
        if self.pairs is None:
            return
        for is_must, colour, style in ((True, MUST, "solid"), (False, CANNOT, "dashed")):
            ends = self.pairs.ends[self.pairs.must == is_must]
            if len(ends):
                lines = LineCollection(
                    list(points[ends]), colors=colour, linestyles=style, lw=1.7, zorder=4
                )
                if is_must:  # white beneath a dashed line would show in its gaps
                    lines.set_path_effects(on_white(1.7))
                ax.add_collection(lines, autolim=False)
                setattr(self, "must_links_" if is_must else "cannot_links_", lines)

    def _draw_rings(self, ax: Any, points: np.ndarray, area: float) -> None:
        self.rings_ = None
        if self.labels is None:
            return
        degrees = np.nan_to_num(self.labels.degrees)
        c = self.partition.n_clusters
        told = np.zeros((len(degrees), max(c, degrees.shape[1])), dtype=bool)
        told[:, : degrees.shape[1]] = (degrees == degrees.max(axis=1, keepdims=True)) & (degrees > 0)
        self.rings_ = ax.scatter(
            *points[self.labels.rows].T,
            s=4.5 * area,
            facecolors="none",
            edgecolors=blend(told),
            linewidths=1.8,
            zorder=5,
            path_effects=on_white(1.8),
        )

    def _handles(self, colours: np.ndarray) -> list[Line2D]:
        handles = []
        for j in sorted(self.scatters_, key=lambda j: (self.partition.focal_sets[j].sum(), j)):
            members = self.partition.focal_sets[j]
            edge = INK if not members.any() else outline(colours[j])
            label, marker = set_name(members, self.cluster_names), marker_of(int(members.sum()))
            handles.append(handle(label, color=colours[j], marker=marker, edge=edge))
        if self.centers_ is not None:
            handles.append(handle("centre", color="white", marker="*", edge="black", size=11))
        if self.rings_ is not None:
            handles.append(handle("labelled", color=INK, size=10, fill=False))
        if self.must_links_ is not None:
            handles.append(handle("must-link", color=MUST, marker="", line="-"))
        if self.cannot_links_ is not None:
            handles.append(handle("cannot-link", color=CANNOT, marker="", line="--"))
        if self.lower_hulls_:
            handles.append(handle("surely in the cluster", color=INK, marker="", line="-", width=1.2))
        if self.upper_hulls_:
            handles.append(handle("perhaps in it", color=INK, marker="", line="--", width=1.2))
        return handles


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
    if all(name.startswith("cluster ") for name in names):
        return "clusters " + " or ".join(name.removeprefix("cluster ") for name in inside)
    return " or ".join(inside)


def _hull(points: np.ndarray) -> np.ndarray | None:
    """Return the corners of the convex hull, or None if the hull has no area."""
    from scipy.spatial import ConvexHull, QhullError

    if len(points) < 3:
        return None
    try:
        return points[ConvexHull(points).vertices]
    except QhullError:
        return None
