"""Sorted masses of each set of clusters."""

from __future__ import annotations

import numpy as np

from softclust.credal import CredalPartition
from softclust.plotting import reading
from softclust.plotting.canvas import begin, frame_off, legend_beside
from softclust.plotting.credal import masses_of, set_name
from softclust.plotting.palette import DASHES, blend


class MassCurvesDisplay:
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
    ax_, figure_ : Axes and Figure
        The axes and the figure of the drawing.
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

    def __init__(self, *, partition, cluster_names=None):
        self.partition = partition
        self.cluster_names = reading.check_names(cluster_names, partition.n_clusters, "cluster")

    @classmethod
    def from_estimator(cls, estimator, X=None, *, cluster_names=None, ax=None):
        """Draw the masses of X, or of the rows of the fit.

        Parameters
        ----------
        estimator : EvidentialCMeans
            A fitted estimator.
        X : array-like of shape (n, p), default=None
            Rows; None takes the rows of the fit.
        cluster_names : list of str, default=None
            Names for the legend; None takes the classes of the labels.
        ax : matplotlib Axes, default=None
            Axes to draw on; None makes new ones.

        Returns
        -------
        display : MassCurvesDisplay
            The display, drawn.
        """
        masses = masses_of(estimator, X)
        sets = estimator.focal_sets_
        names = cluster_names or reading.cluster_names_of(estimator, sets.shape[1])
        return cls(partition=CredalPartition(masses, sets), cluster_names=names).plot(ax=ax)

    @classmethod
    def from_predictions(cls, masses, focal_sets, *, cluster_names=None, ax=None):
        """Draw given masses.

        Parameters
        ----------
        masses : array-like of shape (n, f)
            Masses of the rows; rows sum to 1.
        focal_sets : array-like of shape (f, c)
            True where cluster k is in set j.
        cluster_names : list of str, default=None
            Names for the legend.
        ax : matplotlib Axes, default=None
            Axes to draw on; None makes new ones.

        Returns
        -------
        display : MassCurvesDisplay
            The display, drawn.
        """
        return cls(partition=CredalPartition(masses, focal_sets), cluster_names=cluster_names).plot(ax=ax)

    def plot(self, *, legend=True, ax=None):
        """Draw the display.

        Parameters
        ----------
        legend : bool, default=True
            Whether to add a legend beside the axes.
        ax : matplotlib Axes, default=None
            Axes to draw on; None makes new ones.

        Returns
        -------
        self : MassCurvesDisplay
            The display itself.
        """
        ax = begin(self, ax, (7.2, 4.4))
        sets = self.partition.focal_sets
        curves = -np.sort(-self.partition.masses, axis=0)
        ranks = np.arange(1, len(curves) + 1)
        self.lines_ = []
        for members, curve, colour in zip(sets, curves.T, blend(sets), strict=True):
            size = int(members.sum())
            dashes = DASHES[min(size, 3) - 1] if size else DASHES[3]
            label = set_name(members, self.cluster_names)
            self.lines_ += ax.plot(ranks, curve, color=colour, ls=dashes, lw=1.8, label=label)
        ax.set(xlabel="rows, sorted for each set", ylabel="mass", ylim=(-0.02, 1.02))
        frame_off(ax)
        if legend:
            legend_beside(self)
        return self
