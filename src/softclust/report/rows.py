"""Rows to look at: doubtful ones and outliers with their explanations, and a table of rows."""

from __future__ import annotations

from itertools import zip_longest
from typing import Any

import numpy as np

from softclust.explanation import Explanation
from softclust.explanation.names import number, share
from softclust.report import charts
from softclust.report.facts import Facts
from softclust.report.glossary import term
from softclust.report.html import Cell, Html, counted, joined, paragraph, section, table, tag

_MOST_EXPLAINED = 8
_MOST_PARTS = 6  # features of an explanation
_MOST_ROWS = 400  # of the table
_MOST_COLUMNS = 10  # features of the table


def doubtful(facts: Facts) -> Html:
    """Return the section of the most doubtful rows."""
    title = "Rows in most doubt"
    if len(facts.clusters) == 1:
        return section(title, paragraph("There is one cluster only.", class_="quiet"), id_="doubt")
    if facts.is_hard:
        words = "This method puts every row in one cluster; it does not tell its doubts."
        return section(title, paragraph(words, class_="quiet"), id_="doubt")
    count = int(facts.in_doubt.sum())
    rows = facts.most_doubtful[:_MOST_EXPLAINED]
    if count == 0:
        words = joined(["No row is in ", term("doubt"), " between two clusters; these come nearest to it."])
    else:
        words = joined([
            f"{counted(count, 'row')} {'is' if count == 1 else 'are'} in ", term("doubt"),
            ": a second cluster has at least half of the greatest ", term("membership"),
            f". The {len(rows)} most doubtful:",
        ])  # fmt: skip
    return section(title, paragraph(words), _explained(facts, rows), id_="doubt")


def outliers(facts: Facts) -> Html:
    """Return the section of the outliers."""
    rows = facts.farthest
    if not hasattr(facts.model, "outlier_mask_"):
        words = joined(["This method does not tell ", term("outlier", "outliers"), "."])
        return section("Outliers", paragraph(words, class_="quiet"), id_="outliers")
    if len(rows) == 0:
        words = joined(["None: every row is near some cluster; an ", term("outlier"), " is far from all."])
        return section("Outliers", paragraph(words, class_="quiet"), id_="outliers")
    shown = rows[:_MOST_EXPLAINED]
    words = joined([
        f"{counted(len(rows), 'row')} far from every cluster: ",
        term("outlier", "an outlier" if len(rows) == 1 else "outliers"), ".",
        f" The {len(shown)} farthest:" if len(shown) < len(rows) else "",
    ])  # fmt: skip
    return section("Outliers", paragraph(words), _explained(facts, shown), id_="outliers")


def _explained(facts: Facts, rows: np.ndarray) -> Html:
    """Return an item for each row; if the model has no exact parts, say so once."""
    told, words = [], None
    try:
        told = [facts.explainer.explain(int(row)) for row in rows]
    except ValueError as error:
        words = paragraph(str(error), class_="quiet")
    items = zip_longest(rows.tolist(), told)
    return joined([words, tag("div", *(_item(facts, row, one) for row, one in items), class_="items")])


def _item(facts: Facts, row: int, told: Explanation | None) -> Html:
    """Return a row: its memberships, its explanation in words, and the parts of the features on demand."""
    shares = charts.stacked(facts.memberships[row], facts.clusters)
    heading = tag("h3", facts.row_names.begun(row))
    if told is None:
        k, rival = int(facts.own[row]), int(facts.rivals[row])
        words = f"{facts.clusters[k]} {share(facts.first[row])}"
        if rival != k:
            words += f", {facts.clusters[rival]} {share(facts.second[row])}"
        return tag("article", heading, shares, paragraph(f"{words}."), class_="row")
    return tag("article", heading, shares, paragraph(str(told)), _parts(facts, told), class_="row")


def _parts(facts: Facts, told: Explanation) -> Html | None:
    """Return the features that speak for either cluster, with bars."""
    if told.rival is None:
        return None
    mine, other = facts.clusters[told.cluster], facts.clusters[told.rival]
    order = np.argsort(-np.abs(told.contributions), kind="stable")[:_MOST_PARTS]
    parts = [told.contributions[j] for j in order] + list(told.constants.values())
    most = max(map(abs, parts)) or 1.0
    bars = [Cell(charts.diverging(p / most, told.cluster, told.rival), float(p / most)) for p in parts]
    values = [[told.values[j], *told.centers[[told.rival, told.cluster], j]] for j in order]
    cells = [
        [told.feature_names[j], bar, *(Cell(number(v), float(v)) for v in three)]
        for j, three, bar in zip(order, values, bars, strict=False)
    ]
    cells += [[name, bar, "", "", ""] for name, bar in zip(told.constants, bars[len(order) :], strict=True)]
    sides = joined([
        "Bars to the left speak for ", charts.swatch(told.rival), " ", other, ", to the right for ",
        charts.swatch(told.cluster), " ", mine, ".",
    ])  # fmt: skip
    shown = table(["feature", "speaks for", "this row", other, mine], cells)
    title = tag("summary", "Which features speak for which cluster")
    return tag("details", title, paragraph(sides, class_="quiet"), shown)


def listing(facts: Facts) -> Html:
    """Return the section with a table of rows: all, or those that matter most."""
    n, rows = len(facts.own), _listed(facts)
    features = facts.telling[:_MOST_COLUMNS] if facts.has_features else np.empty(0, int)
    headings: list[Any] = [facts.row_names.noun, "cluster", term("membership")]
    several = len(facts.clusters) > 1 and not facts.is_hard
    headings += ["second", "its membership", term("doubt")] if several else []
    headings += [] if facts.typicalities is None else [term("typicality")]
    headings += [] if facts.masses is None else [term("mass", "greatest mass"), "its share"]
    headings += [] if facts.scores is None else [term("outlier score")]
    headings += [facts.features[j] for j in features]
    cells = [_row(facts, int(i), features, several) for i in rows]
    words = [f"All {n:,} rows."]
    if len(rows) < n:
        words = [
            f"{len(rows):,} of {n:,} rows, so that this file stays small: the most doubtful ones, the "
            "farthest outliers, the most typical ones, and others evenly spaced."
        ]
    if facts.has_features and len(features) < len(facts.features):
        words.append(
            f" The {len(features)} of {len(facts.features):,} features that tell clusters apart best."
        )
    return section("Rows", paragraph(*words, class_="quiet"), table(headings, cells), id_="rows")


def _row(facts: Facts, i: int, features: np.ndarray, several: bool) -> list[Any]:
    """Return the cells of a row."""
    none = bool(facts.outlying[i])
    name, cluster = Cell(facts.row_names[i], i), "none" if none else facts.clusters[facts.own[i]]
    cells: list[Any] = [name, cluster, _share(facts.first[i])]
    if several:
        cells += [facts.clusters[facts.rivals[i]], _share(facts.second[i]), _share(facts.doubts[i])]
    if facts.typicalities is not None:
        cells.append(_share(facts.typicalities[i].max()))
    if facts.masses is not None:
        cells += [facts.sets[facts.masses[i].argmax()], _share(facts.masses[i].max())]
    if facts.scores is not None:
        cells.append(_share(facts.scores[i]))
    return [*cells, *(Cell(number(v), v) for v in facts.values[i, features].tolist())]


def _share(value: float) -> Cell:
    return Cell(share(float(value)), float(value))


def _listed(facts: Facts) -> np.ndarray:
    """Return the rows of the table, in their order."""
    n = len(facts.own)
    if n <= _MOST_ROWS:
        return np.arange(n)
    quarter = _MOST_ROWS // 4
    each = max(1, quarter // len(facts.clusters))
    kept = [facts.most_doubtful[:quarter], facts.farthest[:quarter]]
    kept += [facts.typical(k, each) for k in range(min(len(facts.clusters), quarter))]
    chosen = np.unique(np.concatenate(kept))
    others = np.linspace(0, n - 1, _MOST_ROWS - len(chosen)).astype(int)
    return np.unique(np.concatenate([chosen, others]))
