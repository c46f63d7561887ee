"""Validity indices against the number of clusters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from softclust.plotting.canvas import LETTER, frame_off, pyplot
from softclust.plotting.palette import theme_of
from softclust.plotting.words import wrapped

if TYPE_CHECKING:
    from softclust.selection import Selection

_PANEL = (3.1, 2.3)  # inches
_WIDE = 1e3  # a value above, and so many times the least or the median, makes the scale logarithmic
_LONG = (1e-3, 1e5)  # numbers outside are written with powers of ten


class SelectionDisplay:
    """Validity indices against the number of clusters: a small plot for each, with the best value marked.

    The title of each plot says whether high or low values are good.  Values of very different size get a
    logarithmic scale.  Indices whose values are all the same have no mark.  The line above all plots is the
    recommendation.

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
        The number of clusters that each index chooses, if the index is not flat.

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
        self._numbers = np.array([setting["n_clusters"] for setting in found.settings])
        names = [name for name, values in found.values.items() if np.isfinite(values).any()]
        across = min(3, len(names))
        down = -(-len(names) // across)
        size = (_PANEL[0] * across, _PANEL[1] * down + 0.5)
        self.figure_, axes = plt.subplots(down, across, figsize=size, layout="constrained", squeeze=False)
        self.axes_: dict[str, Any] = {}
        self.best_: dict[str, int] = {}
        for name, ax in zip(names, axes.flat, strict=False):
            self.axes_[name] = ax
            self._draw(ax, name)
        for ax in axes.flat[len(names) :]:
            ax.set_visible(False)
        self.figure_.supxlabel("number of clusters", fontsize=9)
        words = wrapped(found.recommendation().sentences[0], int(0.9 * size[0] / LETTER))
        self.figure_.suptitle(words, fontsize=10)
        return self

    def _draw(self, ax: Any, name: str) -> None:
        """Draw the curve of an index, and a ring at its best value."""
        found, theme = self.selection, theme_of(ax)
        values, flat = found.values[name], name in found.flat
        ax.plot(self._numbers, values, color=theme.ink, marker="o", ms=3.5, lw=1.3)
        if not flat:
            place = found.place(name)
            ring = {"ms": 9, "mfc": "none", "mew": 2, "color": theme.clusters(2)[1]}
            ax.plot(self._numbers[place], values[place], "o", **ring)
            self.best_[name] = int(self._numbers[place])
        good = "high is good" if found.greater_is_better[name] else "low is good"
        title = f"{name.replace('_', ' ')}\n{'flat: no choice' if flat else good}"
        ax.set_title(title, fontsize=9, fontweight="bold" if name == found.index else "normal")
        _scale(ax, values[np.isfinite(values)])
        ax.xaxis.get_major_locator().set_params(integer=True)
        ax.tick_params(labelsize=8)
        frame_off(ax)


def _scale(ax: Any, values: np.ndarray) -> None:
    """Choose a scale on which all values can be told apart, and numbers that stay short."""
    sizes = np.abs(values)
    if values.min() > 0 and sizes.max() > _WIDE * max(values.min(), 1.0):
        ax.set_yscale("log")
        ax.yaxis.get_major_locator().set_params(numticks=5)
        ax.yaxis.set_minor_locator(pyplot().NullLocator())
        return
    if sizes.max() > _WIDE * max(np.median(sizes), 1.0):
        ax.set_yscale("symlog", linthresh=float(max(np.median(sizes), 1.0)))
        ax.yaxis.get_major_locator().set_params(numticks=5)
        return
    ax.yaxis.set_major_locator(pyplot().MaxNLocator(4))
    if sizes.max() and not _LONG[0] <= sizes.max() < _LONG[1]:
        ax.yaxis.set_major_formatter(lambda value, _: f"{value:.3g}")
    else:
        ax.ticklabel_format(axis="y", useOffset=False)
