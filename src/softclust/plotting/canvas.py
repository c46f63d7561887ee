"""Axes, legends, aspect ratios and markers: helpers that all displays share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from softclust.plotting.words import wrapped

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.legend import Legend
    from matplotlib.lines import Line2D
    from matplotlib.patheffects import AbstractPathEffect

LETTER = 0.082  # inches, the mean width of a letter of 10 points
_LEGEND_LETTERS = 30  # in a line of the legend
_LEGEND_LINE = 0.215  # inches
_MOST_LINES = 18  # in a column of the legend
_MOST_ENTRIES = 48
_LEGEND_ROOM = 1.5  # inches: the part of a new figure's width that is meant for the legend
_WIDER = 1.06  # letters have whole pixels: at low resolution a legend is up to so much wider
_MOST_ROUNDS = 4  # of layout
_FAIR = 2.0  # axes whose ranges differ at most by this factor get the same scale
_MARGINS = np.array([1.0, 0.8])  # inches that ticks and names of axes take
_LONG_SIDE = 4.4  # inches, of axes with the same scale on both sides
MANY_ROWS = 2000  # above, markers have no edges and let those beneath shine through


def pyplot() -> Any:
    """Return matplotlib.pyplot; if it is missing, raise an ImportError that says how to install it."""
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        raise ImportError("Plots need matplotlib: pip install softclust[plot].") from None
    return plt


def begin(display: Any, ax: Axes | None, size: tuple[float, float] = (6.4, 4.8)) -> Axes:
    """Return the axes to draw on, new ones if `ax` is None; set `ax_` and `figure_` of the display."""
    plt = pyplot()
    display._has_own_figure = ax is None
    if ax is None:
        _, ax = plt.subplots(figsize=size, layout="constrained")
    display.ax_, display.figure_ = ax, ax.figure
    return ax


def frame_off(ax: Axes) -> None:
    """Hide the lines of the frame above and to the right."""
    ax.spines[["top", "right"]].set_visible(False)


def inches(display: Any) -> tuple[float, float]:
    """Return width and height in inches that the axes of a map will have beside names and legend."""
    if display._has_own_figure:
        width, height = display.figure_.get_size_inches() - _MARGINS
        return width - _LEGEND_ROOM, height
    box = display.ax_.get_window_extent()
    return box.width / display.figure_.dpi, box.height / display.figure_.dpi


def legend_beside(display: Any, handles: Sequence[Artist] | None = None, title: str | None = None) -> None:
    """Put a legend to the right of the axes, where it covers no data.

    Long names are wrapped.  A figure that the display made itself grows by the width of the legend, so that
    the axes keep theirs.  In a figure without a layout and without room, the legend goes onto the axes.
    """
    ax, figure = display.ax_, display.figure_
    handles = list(ax.get_legend_handles_labels()[0] if handles is None else handles)
    if len(handles) > _MOST_ENTRIES:
        more = len(handles) - _MOST_ENTRIES + 1
        handles = [*handles[: _MOST_ENTRIES - 1], handle(f"and {more} more", color="none")]
    labels = [wrapped(str(entry.get_label()), _LEGEND_LETTERS, 3) for entry in handles]
    legend = _add_legend(display, handles, labels, title)
    if display._has_own_figure:
        width = _WIDER * legend.get_window_extent().width / figure.dpi
        figure.set_figwidth(figure.get_figwidth() + max(0.0, width - _LEGEND_ROOM))
    if figure.get_layout_engine() is not None:
        if ax.get_aspect() != "auto":
            _settle(display, legend)
    elif legend.get_window_extent().x1 > figure.bbox.x1:
        legend.set(loc="best", frame_on=True)
        legend.set_bbox_to_anchor(None)


def _settle(display: Any, legend: Legend) -> None:
    """Lay a figure out until its legend is inside: axes with a fixed aspect need two rounds and more."""
    figure = display.figure_
    for _ in range(_MOST_ROUNDS):
        figure.figure.draw_without_rendering()
        beyond = legend.get_window_extent().x1 - figure.bbox.x1
        if beyond <= 0 or not display._has_own_figure:
            return
        figure.set_figwidth(figure.get_figwidth() + beyond / figure.dpi)


def _add_legend(display: Any, handles: list[Artist], labels: list[str], title: str | None) -> Legend:
    fitting = int(inches(display)[1] / _LEGEND_LINE) - (title is not None)
    lines = sum(label.count("\n") + 1 for label in labels)
    return display.ax_.legend(
        handles,
        labels,
        title=title,
        loc="upper left",
        bbox_to_anchor=(1.01, 1.0),
        borderaxespad=0.0,
        ncols=-(-lines // min(max(fitting, 4), _MOST_LINES)),
        fontsize=9,
        frameon=False,
    )


def haloed(width: float, paper: Any) -> list[AbstractPathEffect]:
    """Return path effects that give a line of this width a border in the colour of the paper."""
    from matplotlib.patheffects import withStroke

    return [withStroke(linewidth=width + 1.8, foreground=paper)]


def fair_aspect(ax: Axes, low: np.ndarray, high: np.ndarray) -> None:
    """Use the same scale on both axes, unless the picture would become a narrow strip."""
    width, height = np.maximum(high - low, np.finfo(float).tiny)
    fair = 1 / _FAIR <= width / height <= _FAIR
    ax.set_aspect("equal" if fair else "auto", adjustable="box")


def fit_figure(display: Any, low: np.ndarray, high: np.ndarray) -> None:
    """Give a new figure the shape of its window, so that axes with equal scales leave no empty margins."""
    if display._has_own_figure and display.ax_.get_aspect() != "auto":
        sides = (high - low) / (high - low).max() * _LONG_SIDE
        display.figure_.set_size_inches(sides + _MARGINS + [_LEGEND_ROOM, 0.0])
        display.ax_.set_anchor("W")  # room that is left over goes to the legend


def marker_area(n: int) -> float:
    """Return the area of a marker in square points; it is smaller for more rows."""
    if n > MANY_ROWS:
        return float(np.clip(40000 / n, 1.5, 6))
    return float(np.clip(9000 / max(n, 1), 5, 36))


def marker_look(n: int, edges: Any) -> dict[str, Any]:
    """Return the look of the markers of n rows.

    Few rows have edges.  Thousands of edges would hide the colours, so many rows have none; they let rows
    beneath shine through, and files keep them as one image.
    """
    if n > MANY_ROWS:
        return {"linewidths": 0, "alpha": 0.75, "rasterized": True}
    return {"edgecolors": edges, "linewidths": 0.7}


def doubt_on_top(rows: np.ndarray, certainty: np.ndarray) -> np.ndarray:
    """Return the places of the rows of a mask; of many rows, doubtful ones come last and lie on top."""
    places = np.flatnonzero(rows)
    return places[np.argsort(-certainty[places], kind="stable")] if len(rows) > MANY_ROWS else places


def handle(
    label: str,
    *,
    color: Any,
    marker: str = "o",
    edge: Any = None,
    line: Any = "none",
    size: float = 6.5,
    width: float = 1.6,
    fill: bool = True,
) -> Line2D:
    """Return an entry of a legend."""
    from matplotlib.lines import Line2D

    return Line2D(
        [],
        [],
        label=label,
        color=color,
        marker=marker,
        linestyle=line,
        linewidth=width,
        markersize=size,
        markerfacecolor=color if fill else "none",
        markeredgecolor=color if edge is None else edge,
    )
