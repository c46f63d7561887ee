"""The clusters: a card for each, and a map of the rows."""

from __future__ import annotations

import numpy as np

from softclust.explanation.names import listed, number
from softclust.report import charts
from softclust.report.facts import CLEAR, Facts
from softclust.report.glossary import term
from softclust.report.html import Cell, Html, counted, joined, paragraph, section, table, tag

_MOST_CARDS = 24
_MOST_FEATURES = 4  # on a card
_TYPICAL_ROWS = 3
_MOST_POINTS = 1500  # on the map
_SLIGHT = 0.5  # deviations: features that differ less do not distinguish a cluster


def clusters(facts: Facts) -> Html:
    """Return the section of the clusters."""
    order = np.argsort(-facts.counts, kind="stable")[:_MOST_CARDS]
    cards = tag("div", *(_card(facts, int(k)) for k in order), class_="cards")
    left = len(facts.clusters) - len(order)
    more = paragraph(f"{left} smaller clusters are not shown.", class_="quiet") if left else None
    words = paragraph(
        "The features in which each cluster differs most from the other rows. Grey bars are all rows, "
        "coloured ones the rows of the cluster, both drawn to their own height.",
        class_="quiet",
    )
    return section("Clusters", words if facts.has_features else None, cards, more, id_="clusters")


def _card(facts: Facts, k: int) -> Html:
    """Return what distinguishes a cluster, and its most typical rows."""
    count, outliers = int(facts.counts[k]), int((facts.outlying & (facts.own == k)).sum())
    words = [counted(count, "row")]
    if count and not facts.is_hard:
        clear = float((facts.first[facts.inside[:, k]] >= CLEAR).mean())
        words.append(f"{clear:.0%} of them clearly")
    if outliers:
        words.append(f"{counted(outliers, 'outlier')} nearby")
    heading = tag("h3", charts.swatch(k), " ", facts.clusters[k])
    body = [paragraph(", ".join(words), class_="quiet")]
    if count == 0:
        body.append(paragraph("No row is most at home here."))
    elif facts.has_features:
        chosen = _distinguishing(facts, k)
        body += [_feature(facts, k, int(j)) for j in chosen]
        body.append(_typical(facts, k, chosen))
    else:
        rows = facts.typical(k, _TYPICAL_ROWS).tolist()
        named = ", ".join(facts.row_names[i] for i in rows)
        body.append(paragraph(f"Typical rows: {facts.row_names.noun_for(len(rows))}{named}."))
    return tag("article", heading, *body, class_="card")


def _distinguishing(facts: Facts, k: int) -> np.ndarray:
    """Return the features in which a cluster differs most; at least one."""
    gaps = np.abs(facts.distinction[k])
    order = np.argsort(-gaps, kind="stable")[:_MOST_FEATURES]
    return order if len(facts.clusters) == 1 else order[: max(1, int((gaps[order] >= _SLIGHT).sum()))]


def _feature(facts: Facts, k: int, j: int) -> Html:
    """Return a feature of a card: its means in words, and its distribution."""
    name, mine = facts.features[j], facts.inside[:, k]
    gap, own = facts.distinction[k, j], number(facts.means[k, j])
    others = facts.inside.any(axis=1) & ~mine
    if others.any():
        rest = number(float(facts.values[others, j].mean()))
        side = "high" if gap > 0 else "low" if gap < 0 else "as everywhere"
        words = f"{side}: {own} on average, elsewhere {rest}"
    else:
        words = f"{own} on average"
    title = f"{name} of this cluster and of all rows"
    picture = charts.histogram(facts.values[:, j], mine, k, title)
    return tag("div", paragraph(tag("strong", name), " ", words), picture, class_="feature")


def _typical(facts: Facts, k: int, chosen: np.ndarray) -> Html:
    """Return the rows that are most typical of a cluster, with the features of its card."""
    rows, named = facts.typical(k, _TYPICAL_ROWS).tolist(), facts.row_names
    cells = [
        [Cell(named[i], i), *(Cell(number(v), v) for v in facts.values[i, chosen].tolist())] for i in rows
    ]
    return table([named.noun, *(facts.features[j] for j in chosen)], cells, "Typical rows")


def picture(facts: Facts) -> Html | None:
    """Return the section of the map; None for given distances and for one feature."""
    if not facts.has_features or facts.values.shape[1] < 2:
        return None
    rows = _drawn(facts)
    points, middles, axes = _plane(facts, rows)
    first = np.ones(len(rows)) if facts.is_hard else facts.first[rows]
    names = [facts.row_names.said(i) for i in rows.tolist()]
    drawn = charts.Map(points, names, facts.own[rows], first, facts.outlying[rows], middles)
    words = []
    if len(rows) < len(facts.own):
        words.append(f"{len(rows):,} of {len(facts.own):,} rows are drawn. ")
    words.append(axes)
    if not facts.is_hard:
        words += [" Pale rows are in ", term("doubt"), "."]
    if facts.outlying.any():
        words += [" Crosses are ", term("outlier", "outliers"), "; at the edge they lie still farther off."]
    legend = (
        tag("span", charts.swatch(k), " ", name) for k, name in enumerate(facts.clusters[:_MOST_CARDS])
    )
    return section(
        "Map",
        charts.scatter(drawn, facts.clusters),
        tag("p", *legend, class_="legend"),
        paragraph(*words, class_="quiet"),
        id_="map",
    )


def _drawn(facts: Facts) -> np.ndarray:
    """Return the rows of the map: all, or evenly spaced ones with the most doubtful and the farthest."""
    n = len(facts.own)
    if n <= _MOST_POINTS:
        return np.arange(n)
    some = np.linspace(0, n - 1, _MOST_POINTS - 100).astype(int)
    return np.unique(np.concatenate([some, facts.most_doubtful[:50], facts.farthest[:50]]))


def _plane(facts: Facts, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray, str]:
    """Return rows and middles of clusters in the plane of greatest spread, and what its axes are."""
    X, inner = facts.points, rows[~facts.outlying[rows]]
    inner = inner if len(inner) > 1 else rows
    size = np.abs(X).max() or 1.0  # no square overflows
    center = np.median(X[inner], axis=0) / size
    if X.shape[1] == 2:
        axes, words = np.eye(2), f"Across: {facts.features[0]}; upwards: {facts.features[1]}."
    else:
        gaps = X[inner] / size - center
        values, vectors = np.linalg.eigh(gaps.T @ gaps)
        axes = vectors[:, [-1, -2]]
        axes = axes * np.where(axes[np.abs(axes).argmax(axis=0), [0, 1]] < 0, -1, 1)
        share = np.clip(values[[-1, -2]], 0, None) / (max(values.sum(), 0.0) or 1.0)
        words = (
            f"Across: the direction of greatest spread ({share[0]:.0%} of it), mostly "
            f"{_named(facts, axes[:, 0])}; upwards: the second ({share[1]:.0%}), mostly "
            f"{_named(facts, axes[:, 1])}."
        )
    projected = (X[rows] / size - center) @ axes
    middles = np.array([
        np.median((X[mine] / size - center) @ axes, axis=0) if mine.any() else np.full(2, np.nan)
        for mine in facts.inside.T
    ])  # fmt: skip
    return projected, middles, words


def _named(facts: Facts, axis: np.ndarray) -> str:
    """Name the one or two features that a direction follows most."""
    order = np.argsort(-np.abs(axis))[:2]
    return listed([facts.features[j] for j in order if abs(axis[j]) >= 0.5 * abs(axis[order[0]])])


def sureness(facts: Facts) -> Html | None:
    """Return the section of how sure the memberships are; None for a hard partition."""
    if facts.is_hard or len(facts.clusters) == 1:
        return None
    inside = ~facts.outlying
    if not inside.any():
        return None
    drawn = charts.certainty(facts.first[inside], facts.own[inside], facts.clusters)
    words = joined(["Rows by their greatest ", term("membership"), ", outliers left out."])
    return section("How sure", drawn, paragraph(words, class_="quiet"), id_="sure")
