"""Validity indices against the number of clusters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

import numpy as np

from softclust.plotting.canvas import frame_off, pyplot
from softclust.plotting.palette import cluster_colours

if TYPE_CHECKING:
    from softclust.selection import Selection


class SelectionDisplay:
    """Validity indices against the number of clusters: a small plot for each, with the best value marked.

    Parameters
    ----------
    selection : Selection
        The result of `softclust.select`, with the number of clusters as its only parameter.

    Attributes
    ----------
    figure_ : Figure
        The figure of the drawing.
    axes_ : dict of str to Axes
        The axes of each index.
    best_ : dict of str to int
        The number of clusters that each index chooses.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from softclust import FuzzyCMeans, select
    >>> from softclust.plotting import SelectionDisplay
    >>> chosen = select(FuzzyCMeans(random_state=0), load_iris().data, n_clusters=[2, 3, 4])
    >>> SelectionDisplay.from_selection(chosen).best_["xie_beni"]
    2
    """

    def __init__(self, *, selection: Selection) -> None:
        if any(set(setting) != {"n_clusters"} for setting in selection.settings):
            raise ValueError(
                "SelectionDisplay draws numbers of clusters alone; other parameters were tried too."
            )
        self.selection = selection

    @classmethod
    def from_selection(cls, selection: Selection) -> Self:
        """Draw the result of `softclust.select`.

        Parameters
        ----------
        selection : Selection
            The result of `softclust.select`, with the number of clusters as its only parameter.

        Returns
        -------
        display : SelectionDisplay
            The display, drawn.
        """
        return cls(selection=selection).plot()

    def plot(self) -> Self:
        """Draw the display on a new figure.

        Returns
        -------
        self : SelectionDisplay
            The display itself.
        """
        plt, found = pyplot(), self.selection
        numbers = np.array([setting["n_clusters"] for setting in found.settings])
        names = [name for name, values in found.values.items() if np.isfinite(values).any()]
        across = min(3, len(names))
        down = -(-len(names) // across)
        self.figure_, axes = plt.subplots(
            down,
            across,
            figsize=(3.1 * across, 2.1 * down),
            layout="constrained",
            sharex=True,
            squeeze=False,
        )
        self.axes_, self.best_ = {}, {}
        for name, ax in zip(names, axes.flat, strict=False):
            values, place = found.values[name], found.place(name)
            decides = name == found.index
            ax.plot(numbers, values, color="0.35", marker="o", ms=3.5, lw=1.3)
            ax.plot(
                numbers[place], values[place], "o", ms=9, mfc="none", mew=2, color=cluster_colours(2)[1]
            )
            ax.set_title(name.replace("_", " "), fontsize=9, fontweight="bold" if decides else "normal")
            ax.xaxis.get_major_locator().set_params(integer=True)
            ax.tick_params(labelsize=8)
            frame_off(ax)
            self.axes_[name], self.best_[name] = ax, int(numbers[place])
        for ax in axes.flat[len(names) :]:
            ax.set_visible(False)
        self.figure_.supxlabel("number of clusters", fontsize=9)
        return self
