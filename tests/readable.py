"""What a reader of a picture would complain about: texts that are cut, covered or pale, and tiny axes."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from matplotlib.colors import to_rgb

_PIXEL = 1.5  # texts that touch by no more look apart
_LEAST_CONTRAST = 4.5  # of text on its paper (WCAG 2.1, level AA)


def complaints(figure, least_inches=(1.8, 1.2)) -> list[str]:
    """Return a sentence for each defect of a figure; an empty list for a picture that reads well."""
    figure.draw_without_rendering()
    boxes = [(text, text.get_window_extent()) for text in texts_of(figure)]
    return [*_cut(figure, boxes), *_covered(boxes), *_pale(figure, boxes), *_tiny(figure, least_inches)]


def texts_of(figure) -> list:
    """Return all texts that are drawn: titles, names, ticks, legends and notes."""
    found = [*figure.texts, figure._supxlabel, figure._supylabel, figure._suptitle]
    for ax in figure.axes:
        if not ax.get_visible():
            continue
        found += ax.texts
        if ax.axison:
            found += [ax.title, ax._left_title, ax._right_title]
            found += [text for axis in (ax.xaxis, ax.yaxis) for text in _texts_of_axis(axis)]
        if ax.get_legend() is not None:
            found += [*ax.get_legend().get_texts(), ax.get_legend().get_title()]
    seen = {id(text): text for text in found if text is not None}
    return [text for text in seen.values() if text.get_visible() and text.get_text().strip()]


def _texts_of_axis(axis) -> list:
    low, high = sorted(axis.get_view_interval())
    slack = 1e-9 * (high - low)
    ticks = [*axis.get_major_ticks(), *axis.get_minor_ticks()]
    shown = [tick for tick in ticks if low - slack <= tick.get_loc() <= high + slack]
    return [axis.label, axis.get_offset_text(), *(tick.label1 for tick in shown)]


def _cut(figure, boxes) -> list[str]:
    whole = figure.bbox
    return [
        f"{text.get_text()!r} is cut off"
        for text, box in boxes
        if box.x0 < whole.x0 - _PIXEL
        or box.y0 < whole.y0 - _PIXEL
        or box.x1 > whole.x1 + _PIXEL
        or box.y1 > whole.y1 + _PIXEL
    ]


def _covered(boxes) -> list[str]:
    return [
        f"{one.get_text()!r} covers {other.get_text()!r}"
        for (one, a), (other, b) in combinations(boxes, 2)
        if min(a.x1, b.x1) - max(a.x0, b.x0) > _PIXEL and min(a.y1, b.y1) - max(a.y0, b.y0) > _PIXEL
    ]


def _pale(figure, boxes) -> list[str]:
    paper = to_rgb(figure.get_facecolor())
    return [
        f"{text.get_text()!r} is too pale"
        for text, _ in boxes
        if _contrast(to_rgb(text.get_color()), paper) < _LEAST_CONTRAST
    ]


def _contrast(one, other) -> float:
    """The contrast of two colours by WCAG 2.1, written down anew."""
    lights = []
    for colour in (one, other):
        linear = [v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in colour]
        lights.append(0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2] + 0.05)
    return max(lights) / min(lights)


def _tiny(figure, least) -> list[str]:
    said = []
    for ax in figure.axes:
        if not ax.get_visible() or ax.get_label() == "<colorbar>":
            continue
        size = np.array(ax.get_window_extent().size) / figure.dpi
        if (size < least).any():
            said.append(f"the axes measure {size[0]:.2f} x {size[1]:.2f} inches")
    return said
