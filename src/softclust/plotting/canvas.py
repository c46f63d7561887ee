"""Axes to draw on, and what all pictures do with them."""

from __future__ import annotations

import numpy as np

_LEGEND_ROWS = 16
_LEGEND_WIDTH = 1.7  # inches that a further column takes
_FAIR = 2.0  # ranges of the axes that differ by less are drawn to the same scale


def pyplot():
    """matplotlib.pyplot, or a sentence saying how to get it."""
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        raise ImportError("Plots need matplotlib: pip install softclust[plot].") from None
    return plt


def begin(display, ax, size=(6.4, 4.8)):
    """The axes, new ones where none are given; the display remembers them and their figure."""
    plt = pyplot()
    display._has_own_figure = ax is None
    if ax is None:
        _, ax = plt.subplots(figsize=size, layout="constrained")
    display.ax_, display.figure_ = ax, ax.figure
    return ax


def frame_off(ax):
    """No lines above and to the right of curves."""
    ax.spines[["top", "right"]].set_visible(False)


def legend_beside(display, handles=None, title=None):
    """A legend to the right of the axes, where it covers no data; a figure of our own makes room for it."""
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
        figure.draw_without_rendering()  # the layout of axes that keep their proportions takes two rounds


def on_white(width):
    """Path effects that set a line of that width off from what is beneath it."""
    from matplotlib.patheffects import withStroke

    return [withStroke(linewidth=width + 1.8, foreground="white")]


def fair_aspect(ax, low, high):
    """The same scale on both axes, unless that would make a strip."""
    width, height = np.maximum(high - low, np.finfo(float).tiny)
    fair = 1 / _FAIR <= width / height <= _FAIR
    ax.set_aspect("equal" if fair else "auto", adjustable="box")


def marker_area(n):
    """Smaller markers for more rows, in square points."""
    return float(np.clip(9000 / max(n, 1), 5, 36))


def handle(label, *, color, marker="o", edge=None, line="none", size=6.5, width=1.6, fill=True):
    """An entry of a legend."""
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
