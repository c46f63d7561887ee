"""Axes, legends, aspect ratios and markers: helpers that all displays share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D
    from matplotlib.patheffects import AbstractPathEffect

_LEGEND_ROWS = 16
_LEGEND_WIDTH = 1.7  # inches for each further column
_FAIR = 2.0  # axes whose ranges differ at most by this factor get the same scale


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


def legend_beside(display: Any, handles: Sequence[Artist] | None = None, title: str | None = None) -> None:
    """Put a legend to the right of the axes, where it covers no data.

    A figure that the display made itself grows by the width of further columns of the legend.
    """
    ax, figure = display.ax_, display.figure_
    handles = ax.get_legend_handles_labels()[0] if handles is None else handles
    columns = -(-len(handles) // _LEGEND_ROWS)
    if display._has_own_figure:
        figure.set_figwidth(figure.get_figwidth() + _LEGEND_WIDTH * (columns - 1))
    ax.legend(
        handles=handles,
        title=title,
        loc="upper left",
        bbox_to_anchor=(1.01, 1.0),
        borderaxespad=0.0,
        ncols=columns,
        fontsize=9,
        frameon=False,
    )
    if display._has_own_figure and ax.get_aspect() != "auto":
        figure.draw_without_rendering()  # axes with a fixed aspect need two rounds of layout


def on_white(width: float) -> list[AbstractPathEffect]:
    """Return path effects that give a line of this width a white border."""
    from matplotlib.patheffects import withStroke

    return [withStroke(linewidth=width + 1.8, foreground="white")]


def fair_aspect(ax: Axes, low: np.ndarray, high: np.ndarray) -> None:
    """Use the same scale on both axes, unless the picture would become a narrow strip."""
    width, height = np.maximum(high - low, np.finfo(float).tiny)
    fair = 1 / _FAIR <= width / height <= _FAIR
    ax.set_aspect("equal" if fair else "auto", adjustable="box")


def marker_area(n: int) -> float:
    """Return the area of a marker in square points; it is smaller for more rows."""
    return float(np.clip(9000 / max(n, 1), 5, 36))


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
