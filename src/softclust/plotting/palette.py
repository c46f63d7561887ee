"""Colours that the colour-blind tell apart, their tints and their mixtures."""

from __future__ import annotations

import numpy as np

# Okabe & Ito (2008), in an order that keeps the first ones farthest apart; black comes last.
OKABE_ITO = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#F0E442", "#000000")
MARKERS = ("o", "s", "^", "D", "v", "P", "h", "p")
DASHES = ("-", "--", "-.", ":")
INK = "#333333"  # centres, outliers, lines that belong to no cluster
MUST, CANNOT = "#00A000", "#D000D0"  # links
_DARKER, _LIGHTER = 0.55, 0.5
_PALEST = 0.12  # of the full colour: a row that is torn evenly can still be seen


def cluster_colours(c):
    """(c, 3) red, green and blue in [0, 1].

    From the ninth cluster on the seven hues come back darker, then lighter, then as they were; the marker
    (`cluster_marker`) changes each time, so that no two of 56 clusters look alike.
    """
    base = np.array([[int(code[i : i + 2], 16) for i in (1, 3, 5)] for code in OKABE_ITO]) / 255
    hues = base[:-1]
    rounds = [base, hues * _DARKER, 1 - (1 - hues) * _LIGHTER]
    while sum(map(len, rounds)) < c:
        rounds.append(rounds[len(rounds) % 3][: len(hues)])
    return np.vstack(rounds)[:c]


def cluster_marker(k):
    """A disc for the first eight clusters, then another marker for each seven."""
    return MARKERS[0 if k < 8 else (1 + (k - 8) // 7) % len(MARKERS)]


def tint(colours, strength):
    """The colours themselves where strength is 1, nearly white where it is 0."""
    share = _PALEST + (1 - _PALEST) * np.asarray(strength)[..., None]
    return np.clip(1 - share * (1 - np.asarray(colours)), 0, 1)


def outline(colours):
    """The colours, darker: pale markers stand out by their edges."""
    return np.asarray(colours) * 0.7


def blend(sets):
    """(f, 3) the colours of sets of clusters mixed as light is; ink for the empty set.

    sets : (f, c) bool
    """
    sets = np.asarray(sets, dtype=bool)
    squares = cluster_colours(sets.shape[1]) ** 2
    sizes = sets.sum(axis=1, keepdims=True)
    mixed = np.sqrt(sets @ squares / np.maximum(sizes, 1))
    ink = np.array([int(INK[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    return np.where(sizes > 0, mixed, ink)


def certainty(U):
    """(n,) 0 where a row is torn evenly between all clusters, 1 where it has but one."""
    c = U.shape[1]
    return np.ones(len(U)) if c == 1 else np.clip((U.max(axis=1) - 1 / c) / (1 - 1 / c), 0, 1)
