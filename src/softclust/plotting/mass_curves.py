"""Sorted masses of each set."""

from __future__ import annotations

import numpy as np

from softclust.credal import CredalPartition
from softclust.plotting import reading
from softclust.plotting.canvas import begin, frame_off, legend_beside
from softclust.plotting.credal import masses_of, set_name
from softclust.plotting.palette import DASHES, blend


class MassCurvesDisplay:
    """The masses of each set of clusters, from the greatest to the least: how much belief goes where.

    Lines of single clusters are solid, of pairs dashed, of larger sets dash-dotted, of the empty set
    dotted.

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
        Where it was drawn.
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
        """Draw the masses that a fitted EvidentialCMeans gives X, or gave the rows of its fit."""
        masses = masses_of(estimator, X)
        sets = estimator.focal_sets_
        names = cluster_names or reading.cluster_names_of(estimator, sets.shape[1])
        return cls(partition=CredalPartition(masses, sets), cluster_names=names).plot(ax=ax)

    @classmethod
    def from_predictions(cls, masses, focal_sets, *, cluster_names=None, ax=None):
        """Draw given masses (n, f) of sets (f, c)."""
        return cls(partition=CredalPartition(masses, focal_sets), cluster_names=cluster_names).plot(ax=ax)

    def plot(self, *, legend=True, ax=None):
        """Draw on the axes, or on new ones, and return the display."""
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
