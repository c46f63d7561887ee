"""Sorted masses of each set of clusters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike

from softclust.credal import CredalPartition
from softclust.plotting import reading
from softclust.plotting.canvas import frame_off
from softclust.plotting.credal import partition_of, set_name
from softclust.plotting.display import LegendDisplay
from softclust.plotting.palette import DASHES, theme_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class MassCurvesDisplay(LegendDisplay):
    """The masses of each set of clusters, sorted from the greatest to the least.

    Lines are solid for single clusters, dashed for sets of two, dash-dotted for larger sets, and dotted for
    the empty set.

    Use `from_estimator` or `from_predictions` to make one.

    Parameters
    ----------
    partition : CredalPartition
        Masses of the rows.
    cluster_names : list of str, default=None
        Names for the legend.

    Attributes
    ----------
    lines_ : list of Line2D
        The curve of each set, in the order of the sets.

    Examples
    --------
    >>> from softclust.plotting import MassCurvesDisplay
    >>> masses, sets = [[0.1, 0.7, 0.2], [0.0, 0.1, 0.9]], [[0, 0], [1, 0], [1, 1]]
    >>> display = MassCurvesDisplay.from_predictions(masses, sets)
    >>> [line.get_label() for line in display.lines_]
    ['empty set', 'cluster 0', 'clusters 0 or 1']
    >>> display.lines_[2].get_ydata()
    array([0.9, 0.2])
    """

    _size = (7.2, 4.4)

    def __init__(self, *, partition: CredalPartition, cluster_names: Sequence[str] | None = None) -> None:
        self.partition = partition
        self.cluster_names = reading.check_names(cluster_names, partition.n_clusters, "cluster")

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: ArrayLike | None = None,
        *,
        cluster_names: Sequence[str] | None = None,
        ax: Axes | None = None,
    ) -> Self:
        """Draw the masses of X, or of the rows of the fit.

        Parameters
        ----------
        estimator : EvidentialCMeans
            A fitted estimator.
        X : array-like of shape (n, p), default=None
            Rows; None takes the rows of the fit.
        cluster_names, ax
            Names of the clusters for the legend; None takes the classes of the labels.  `ax` as in `plot`.

        Returns
        -------
        display : MassCurvesDisplay
            The display, drawn.
        """
        partition = partition_of(estimator, X)
        names = cluster_names or reading.cluster_names_of(estimator, partition.n_clusters)
        return cls(partition=partition, cluster_names=names).plot(ax=ax)

    @classmethod
    def from_predictions(
        cls,
        masses: Any,
        focal_sets: Any,
        *,
        cluster_names: Sequence[str] | None = None,
        ax: Axes | None = None,
    ) -> Self:
        """Draw given masses.

        Parameters
        ----------
        masses : array-like of shape (n, f)
            Masses of the rows; rows sum to 1.
        focal_sets : array-like of shape (f, c)
            True where cluster k is in set j.
        cluster_names, ax
            As in the class; `ax` as in `plot`.

        Returns
        -------
        display : MassCurvesDisplay
            The sorted masses of each set, drawn.
        """
        return cls(partition=CredalPartition(masses, focal_sets), cluster_names=cluster_names).plot(ax=ax)

    def _draw(self, ax: Any) -> None:
        sets = self.partition.focal_sets
        curves = -np.sort(-self.partition.masses, axis=0)
        ranks = np.arange(1, len(curves) + 1)
        self.lines_ = []
        for members, curve, colour in zip(sets, curves.T, theme_of(ax).blend(sets), strict=True):
            size = int(members.sum())
            dashes = DASHES[min(size, 3) - 1] if size else DASHES[3]
            label = set_name(members, self.cluster_names)
            self.lines_ += ax.plot(ranks, curve, color=colour, ls=dashes, lw=1.8, label=label)
        ax.set(xlabel="rows, sorted for each set", ylabel="mass", ylim=(-0.02, 1.02))
        frame_off(ax)
