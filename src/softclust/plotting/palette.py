"""Colours that colour-blind readers can tell apart, their tints and mixtures, on light and dark paper."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Okabe & Ito (2008), in an order that keeps the first colours farthest apart; black comes last.
OKABE_ITO = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#F0E442", "#000000")
_LAST_ON_DARK = "#F2F2F2"  # in the place of black
MARKERS = ("o", "s", "^", "D", "v", "P", "h", "p")
DASHES = ("-", "--", "-.", ":")
INK = "#333333"  # centres, outliers, lines that belong to no cluster
INK_ON_DARK = "#DDDDDD"
MUST, CANNOT = "#00A000", "#D000D0"  # links
_DARKER, _LIGHTER = 0.55, 0.5
_DARKER_ON_DARK = 0.75
_PALEST = 0.12  # share of the full colour: a row that belongs equally to all clusters stays visible
_READS = 4.5  # contrast at which small text is easy to read (WCAG 2.1, level AA)
_MIDDLE = 0.18  # relative luminance that is as far from black as from white


def rgb(code: str) -> np.ndarray:
    """Return red, green and blue in [0, 1] of a code such as #0072B2."""
    return np.array([int(code[i : i + 2], 16) for i in (1, 3, 5)]) / 255


def cluster_colours(c: int, *, on_dark: bool = False) -> np.ndarray:
    """Return the colours of c clusters, (c, 3): red, green and blue in [0, 1].

    From the ninth cluster on, the seven hues come back darker, then lighter, then unchanged; on dark paper
    lighter, then darker.  The marker (`cluster_marker`) changes each time, so that no two of 56 clusters
    look alike.
    """
    base = np.array([rgb(code) for code in OKABE_ITO])
    hues = base[:-1]
    lighter = 1 - (1 - hues) * _LIGHTER
    rounds = [base, hues * _DARKER, lighter]
    if on_dark:
        rounds = [np.vstack([hues, rgb(_LAST_ON_DARK)]), lighter, hues * _DARKER_ON_DARK]
    while sum(map(len, rounds)) < c:
        rounds.append(rounds[len(rounds) % 3][: len(hues)])
    return np.vstack(rounds)[:c]


def cluster_marker(k: int) -> str:
    """Return the marker of cluster k: a disc for the first eight clusters, then one for every seven."""
    return MARKERS[0 if k < 8 else (1 + (k - 8) // 7) % len(MARKERS)]


def tint(colours: ArrayLike, strength: ArrayLike, paper: ArrayLike = 1.0) -> np.ndarray:
    """Mix the colours with the paper: strength 1 keeps a colour, strength 0 leaves nearly the paper."""
    share = _PALEST + (1 - _PALEST) * np.asarray(strength)[..., None]
    return np.clip(paper - share * (paper - np.asarray(colours)), 0, 1)


def outline(colours: ArrayLike, *, on_dark: bool = False) -> np.ndarray:
    """Return colours for the edges of markers, so that pale markers stand out: darker, on dark lighter."""
    return 1 - (1 - np.asarray(colours)) * 0.7 if on_dark else np.asarray(colours) * 0.7


def blend(sets: ArrayLike, *, on_dark: bool = False) -> np.ndarray:
    """Return the colours of sets of clusters, (f, 3), mixed as light mixes; ink for the empty set.

    sets : (f, c) bool
    """
    sets = np.asarray(sets, dtype=bool)
    squares = cluster_colours(sets.shape[1], on_dark=on_dark) ** 2
    sizes = sets.sum(axis=1, keepdims=True)
    mixed = np.sqrt(sets @ squares / np.maximum(sizes, 1))
    return np.where(sizes > 0, mixed, rgb(INK_ON_DARK if on_dark else INK))


def certainty(U: np.ndarray) -> np.ndarray:
    """Return the certainty of each row, (n,): 0 if all memberships are equal, 1 if one of them is 1."""
    c = U.shape[1]
    return np.ones(len(U)) if c == 1 else np.clip((U.max(axis=1) - 1 / c) / (1 - 1 / c), 0, 1)


def luminance(colours: ArrayLike) -> np.ndarray:
    """Return the relative luminance of colours (WCAG 2.1): 0 for black, 1 for white."""
    values = np.asarray(colours, dtype=float)
    linear = np.where(values <= 0.04045, values / 12.92, ((values + 0.055) / 1.055) ** 2.4)
    return linear @ np.array([0.2126, 0.7152, 0.0722])


def contrast(one: ArrayLike, other: ArrayLike) -> np.ndarray:
    """Return the contrast of two colours (WCAG 2.1): 1 for equal colours, 21 for black and white."""
    a, b = luminance(one), luminance(other)
    return (np.maximum(a, b) + 0.05) / (np.minimum(a, b) + 0.05)


@dataclass(frozen=True)
class Theme:
    """The colours of a drawing on its paper, which may be light or dark."""

    paper: tuple[float, float, float]

    @property
    def on_dark(self) -> bool:
        """Whether white stands out more than black."""
        return bool(luminance(self.paper) < _MIDDLE)

    @property
    def ink(self) -> str:
        """Lines and marks that belong to no cluster."""
        return INK_ON_DARK if self.on_dark else INK

    @property
    def edge(self) -> str:
        """Edges of the stars at centres."""
        return "white" if self.on_dark else "black"

    @property
    def faint(self) -> str:
        """Grids behind the data."""
        return "#454545" if self.on_dark else "#DEDEDE"

    @property
    def alarm(self) -> str:
        """The threshold of outliers."""
        return "#FF7A85" if self.on_dark else "#B00020"

    def clusters(self, c: int) -> np.ndarray:
        """Return the colours of c clusters, (c, 3)."""
        return cluster_colours(c, on_dark=self.on_dark)

    def tint(self, colours: ArrayLike, strength: ArrayLike) -> np.ndarray:
        """Fade the colours into the paper as the strength falls from 1 to 0."""
        return tint(colours, strength, np.asarray(self.paper))

    def outline(self, colours: ArrayLike) -> np.ndarray:
        """Return colours for the edges of markers."""
        return outline(colours, on_dark=self.on_dark)

    def blend(self, sets: ArrayLike) -> np.ndarray:
        """Return the colours of sets of clusters, (f, 3)."""
        return blend(sets, on_dark=self.on_dark)

    def text(self, colour: np.ndarray) -> np.ndarray:
        """Return the colour, moved towards black or white until text in it reads well on the paper."""
        end = np.ones(3) if self.on_dark else np.zeros(3)
        for share in np.linspace(0, 1, 21):
            mixed = (1 - share) * colour + share * end
            if contrast(mixed, self.paper) >= _READS:
                break
        return mixed


def theme_of(ax: Axes) -> Theme:
    """Return the theme that fits the face of the axes, or of the figure if the axes are transparent."""
    from matplotlib.colors import to_rgba

    for face in (ax.get_facecolor(), ax.figure.get_facecolor(), ax.figure.figure.get_facecolor()):
        red, green, blue, alpha = to_rgba(face)
        if alpha > 0.5:
            return Theme((red, green, blue))
    return Theme((1.0, 1.0, 1.0))
