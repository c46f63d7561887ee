"""Colours that colour-blind readers can tell apart, their tints and their mixtures."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

# Okabe & Ito (2008), in an order that keeps the first colours farthest apart; black comes last.
OKABE_ITO = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#F0E442", "#000000")
MARKERS = ("o", "s", "^", "D", "v", "P", "h", "p")
DASHES = ("-", "--", "-.", ":")
INK = "#333333"  # centres, outliers, lines that belong to no cluster
MUST, CANNOT = "#00A000", "#D000D0"  # links
_DARKER, _LIGHTER = 0.55, 0.5
_PALEST = 0.12  # share of the full colour: a row that belongs equally to all clusters stays visible


def cluster_colours(c: int) -> np.ndarray:
    """Return the colours of c clusters, (c, 3): red, green and blue in [0, 1].

    From the ninth cluster on, the seven hues come back darker, then lighter, then unchanged.  The marker
    (`cluster_marker`) changes each time, so that no two of 56 clusters look alike.
    """
    base = np.array([[int(code[i : i + 2], 16) for i in (1, 3, 5)] for code in OKABE_ITO]) / 255
    hues = base[:-1]
    rounds = [base, hues * _DARKER, 1 - (1 - hues) * _LIGHTER]
    while sum(map(len, rounds)) < c:
        rounds.append(rounds[len(rounds) % 3][: len(hues)])
    return np.vstack(rounds)[:c]


def cluster_marker(k: int) -> str:
    """Return the marker of cluster k: a disc for the first eight clusters, then one for every seven."""
    return MARKERS[0 if k < 8 else (1 + (k - 8) // 7) % len(MARKERS)]


def tint(colours: ArrayLike, strength: ArrayLike) -> np.ndarray:
    """Mix the colours with white: strength 1 keeps a colour, strength 0 makes it nearly white."""
    share = _PALEST + (1 - _PALEST) * np.asarray(strength)[..., None]
    return np.clip(1 - share * (1 - np.asarray(colours)), 0, 1)


def outline(colours: ArrayLike) -> np.ndarray:
    """Return darker colours for the edges of markers, so that pale markers stand out."""
    return np.asarray(colours) * 0.7


def blend(sets: ArrayLike) -> np.ndarray:
    """Return the colours of sets of clusters, (f, 3), mixed as light mixes; ink for the empty set.

    sets : (f, c) bool
    """
    sets = np.asarray(sets, dtype=bool)
    squares = cluster_colours(sets.shape[1]) ** 2
    sizes = sets.sum(axis=1, keepdims=True)
    mixed = np.sqrt(sets @ squares / np.maximum(sizes, 1))
    ink = np.array([int(INK[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    return np.where(sizes > 0, mixed, ink)


def certainty(U: np.ndarray) -> np.ndarray:
    """Return the certainty of each row, (n,): 0 if all memberships are equal, 1 if one of them is 1."""
    c = U.shape[1]
    return np.ones(len(U)) if c == 1 else np.clip((U.max(axis=1) - 1 / c) / (1 - 1 / c), 0, 1)
