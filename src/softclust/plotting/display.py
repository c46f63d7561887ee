"""The base classes of displays: axes, legend and the one `plot` that most displays share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from softclust.plotting.canvas import begin, legend_beside

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


class Display:
    """A picture on one pair of axes.

    A subclass checks its arguments in `__init__` and draws in `_draw`.  Its class methods `from_estimator`
    and `from_predictions` make a display and draw it; they hand their argument `ax` to `plot`.

    Attributes
    ----------
    ax_, figure_ : Axes and Figure
        The axes and the figure of the drawing.
    """

    ax_: Axes
    figure_: Figure
    _has_own_figure: bool  # set when drawn
    _size: tuple[float, float] = (6.4, 4.8)  # inches, of a new figure

    def plot(self, *, ax: Axes | None = None) -> Self:
        """Draw the display.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Axes to draw on; None makes new ones.

        Returns
        -------
        self : Display
            The display itself.
        """
        return self._plot(ax)

    def _plot(self, ax: Axes | None, **options: Any) -> Self:
        """Draw on these or on new axes; `options` are the further arguments of the subclass's `plot`."""
        self._draw(begin(self, ax, self._size), **options)
        return self

    def _draw(self, ax: Any, *args: Any, **options: Any) -> None:
        """Draw on the axes and keep the matplotlib objects as attributes."""
        raise NotImplementedError


class LegendDisplay(Display):
    """A display whose `plot` can add a legend beside the axes."""

    def plot(self, *, legend: bool = True, ax: Axes | None = None) -> Self:
        """Draw the display.

        Parameters
        ----------
        legend : bool, default=True
            Whether to add a legend beside the axes.
        ax : matplotlib Axes, default=None
            As in `Display.plot`.

        Returns
        -------
        self : LegendDisplay
            The display itself.
        """
        return self._plot(ax, legend=legend)

    def _plot(self, ax: Axes | None, *, legend: bool = True, **options: Any) -> Self:
        super()._plot(ax, **options)
        if legend:
            self._add_legend()
        return self

    def _add_legend(self) -> None:
        """Add the legend; by default it lists all labelled parts of the drawing."""
        legend_beside(self)
