"""Pictures of the report as inline SVG, whose colours follow the style of the page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from softclust.explanation.names import number, share
from softclust.report.html import Html, tag

COLOURS = 16  # classes k0 to k15 of the style; further clusters take them again
_BINS = 24
_SAMPLE = 10_000  # rows that tell whether a feature is rounded
_MOST_STEPS = 200  # steps of a rounded feature
_SHARES = 10
_WIDTH, _HEIGHT, _EDGE = 640, 420, 14  # of the map
_ROOM = 0.06  # about the rows of clusters, as a share of their range
_LETTER, _LINE = 11, 24  # width of a letter and height of a line on a small screen


def colour(k: int) -> str:
    """Return the class of the style that colours cluster k."""
    return f"k{k % COLOURS}"


def swatch(k: int) -> Html:
    """Return a small square in the colour of a cluster."""
    return svg(
        tag("rect", width=12, height=12, rx=2),
        width=12,
        height=12,
        class_=f"swatch {colour(k)}",
        aria_hidden="true",
    )


def svg(*children: Any, width: float, height: float, title: str | None = None, **attributes: Any) -> Html:
    """Return a picture; the title says in words what it shows."""
    role = {} if title is None else {"role": "img", "aria_label": title}
    return tag("svg", *children, viewBox=f"0 0 {width:g} {height:g}", **role, **attributes)


def stacked(values: np.ndarray, names: Sequence[str]) -> Html:
    """Return the memberships of a row as one bar."""
    words = ", ".join(f"{names[k]} {share(values[k])}" for k in np.argsort(-values)[:4])
    ends = np.concatenate([[0.0], np.cumsum(values)]) * 100
    parts = (
        tag("rect", x=ends[k], width=max(ends[k + 1] - ends[k], 0.0), height=8, class_=colour(k))
        for k in range(len(values))
        if values[k] >= 0.002
    )
    return svg(*parts, width=100, height=8, title=words, class_="stacked", preserveAspectRatio="none")


def diverging(part: float, k: int, rival: int) -> Html:
    """Return a bar from the middle: to the right for cluster k, to the left for the rival."""
    length = 50 * min(abs(part), 1.0)
    x, owner = (50, k) if part > 0 else (50 - length, rival)
    bar = tag("rect", x=float(x), y=1, width=float(length), height=8, class_=colour(owner))
    middle = tag("line", x1=50, x2=50, y1=0, y2=10)
    return svg(
        bar,
        middle,
        width=100,
        height=10,
        class_="diverging",
        preserveAspectRatio="none",
        aria_hidden="true",
    )


def histogram(values: np.ndarray, mine: np.ndarray, k: int, title: str) -> Html:
    """Return the distribution of a feature: all rows in grey, those of cluster k in its colour.

    Both are drawn to their own height: a small cluster would hardly be seen otherwise.
    """
    low, high = float(values.min()), float(values.max())
    if not high > low:
        return tag("p", f"All rows have {number(low)}.", class_="quiet")
    edges = _edges(values, low, high)
    everyone = np.histogram(values, edges)[0]
    own = np.histogram(values[mine], edges)[0]
    bars = _bars(everyone, "all", 1.0) + _bars(own, colour(k), 0.6)
    picture = svg(*bars, width=240, height=50, title=title, class_="histogram", preserveAspectRatio="none")
    ends = tag(
        "span", tag("span", number(low)), tag("span", number(high)), class_="ends", aria_hidden="true"
    )
    return tag("span", picture, ends, class_="figure")


def _edges(values: np.ndarray, low: float, high: float) -> np.ndarray:
    """Return the edges of the bins; of rounded values, each bin holds as many different ones."""
    distinct = np.unique(values[:: -(-len(values) // _SAMPLE)])
    step = float(np.diff(distinct).min()) if len(distinct) > 1 else 0.0
    steps = (high - low) / step if step > 0 else np.inf
    if steps > _MOST_STEPS:
        return np.linspace(low, high, _BINS + 1)
    width = step * max(1, round(steps / _BINS))
    return low - step / 2 + width * np.arange(int((high - low) / width + 1.5) + 1)


def _bars(counts: np.ndarray, class_: str, width: float) -> list[Html]:
    """Return bars that stand on the lower edge of a picture of 240 x 50, the greatest 48 high.

    `width` is the share of a bin that a bar takes.
    """
    step, most = 240 / len(counts), max(int(counts.max()), 1)
    left = (1 - width) / 2
    return [
        tag(
            "rect",
            x=(j + left) * step + 0.5,
            y=50 - 48 * h,
            width=width * step - 1,
            height=48 * h,
            class_=class_,
        )
        for j, h in enumerate((counts / most).tolist())
        if h > 0
    ]


def certainty(first: np.ndarray, own: np.ndarray, names: Sequence[str]) -> Html:
    """Return how many rows have which greatest membership, stacked by cluster, from the least one to 1."""
    place = np.clip((first * _SHARES).astype(int), 0, _SHARES - 1)
    least = int(place.min())
    counts = np.array([np.bincount(place[own == k], minlength=_SHARES)[least:] for k in range(len(names))])
    step, most = 600 / (_SHARES - least), counts.sum(axis=0).max()
    children: list[Html] = []
    for b, column in enumerate(counts.T):
        children += _pile(column / most * 150, b * step + 2, step - 4)
        top = 187.0 - 150.0 * column.sum() / most
        children.append(
            tag("text", _brief(int(column.sum())), x=(b + 0.5) * step, y=top, text_anchor="middle")
        )
        edge = f".{b + least}" if b + least else "0"
        children.append(tag("text", edge, x=b * step, y=218, text_anchor="middle" if b else "start"))
    children.append(tag("text", "1", x=600, y=218, text_anchor="end"))
    title = "Number of rows by their greatest membership"
    return svg(*children, width=600, height=224, title=title, class_="certainty")


def _brief(count: int) -> str:
    """Write a number in few letters: 73k."""
    return f"{count:,}" if count < 10_000 else f"{count / 1000:,.0f}k"


def _pile(heights: np.ndarray, x: float, width: float) -> Iterator[Html]:
    """Yield the bars of the clusters, one upon the other."""
    y = 192.0
    for k in np.flatnonzero(heights):
        y -= heights[k]
        yield tag("rect", x=x, y=y, width=width, height=heights[k], class_=colour(int(k)))


class Map(NamedTuple):
    """Rows in a plane: points (n, 2), names and what else is known; the middles (c, 2) of the clusters."""

    points: np.ndarray
    rows: Sequence[str]
    own: np.ndarray
    first: np.ndarray
    outlying: np.ndarray
    middles: np.ndarray


def scatter(drawn: Map, names: Sequence[str]) -> Html:
    """Return a map of rows: pale rows are in doubt, crosses belong to no cluster.

    The map has room for the rows of clusters; outliers beyond it are drawn at its edge.
    """
    inner = drawn.points[~drawn.outlying] if not drawn.outlying.all() else drawn.points
    low, span = inner.min(axis=0), np.ptp(inner, axis=0)
    low, span = low - _ROOM * span, (1 + 2 * _ROOM) * span
    place = _placed(drawn.points, low, span)
    groups = []
    for k, name in enumerate(names):
        mine = np.flatnonzero(drawn.own == k).tolist()
        marks = (
            _mark(place[i], drawn.rows[i], name, drawn.first[i], bool(drawn.outlying[i])) for i in mine
        )
        groups.append(tag("g", *marks, class_=colour(k)))
    known = np.flatnonzero(np.isfinite(drawn.middles).all(axis=1)).tolist()
    labels = _apart(_placed(drawn.middles[known], low, span), [names[k] for k in known])
    words = (
        tag("text", names[k], x=float(x), y=float(y), text_anchor="middle")
        for k, (x, y) in zip(known, labels, strict=True)
    )
    title = f"Map of {len(drawn.rows)} rows"
    return svg(*groups, *words, width=_WIDTH, height=_HEIGHT, title=title, class_="map")


def _placed(points: np.ndarray, low: np.ndarray, span: np.ndarray) -> np.ndarray:
    """Return points as places in the picture, moved to its edge if they are beyond it."""
    shares = np.clip((points - low) / np.where(span > 0, span, 1.0), 0, 1)
    shares = np.where(span > 0, shares, 0.5)
    size = np.array([_WIDTH, _HEIGHT]) - 2 * _EDGE
    place = shares * size + _EDGE
    return np.column_stack([place[:, 0], _HEIGHT - place[:, 1]])


def _apart(places: np.ndarray, words: Sequence[str]) -> np.ndarray:
    """Move labels down until no two of them overlap; none leaves the picture."""
    half = np.array([min(_LETTER * len(word) / 2, _WIDTH / 2) for word in words])
    x = np.clip(places[:, 0], half, _WIDTH - half)
    y = np.clip(places[:, 1], _LINE, _HEIGHT - 6)
    done: list[int] = []
    for i in np.argsort(y):
        for j in done:
            if abs(x[i] - x[j]) < half[i] + half[j] and abs(y[i] - y[j]) < _LINE:
                y[i] = y[j] + _LINE
        done.append(int(i))
    return np.column_stack([x, np.clip(y, _LINE, _HEIGHT - 6)])


def _mark(point: np.ndarray, row: str, name: str, first: float, is_outlier: bool) -> Html:
    """Return the mark of a row, with its name and membership as a tooltip."""
    x, y = (float(v) for v in point)
    if is_outlier:
        tip = tag("title", f"{row}: no cluster")
        d = f"M{x - 4:.1f} {y - 4:.1f}l8 8m0 -8l-8 8"
        return Html(f'<path d="{d}">{tip}</path>')
    tip, strength = tag("title", f"{row}: {name} {share(first)}"), 0.15 + 0.85 * first**2
    return Html(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill-opacity="{strength:.2f}">{tip}</circle>')
