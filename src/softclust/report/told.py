"""Labels and pairs that the fit did not honour, and labels that the values contradict."""

from __future__ import annotations

from typing import Any

import numpy as np

from softclust.active.refits import class_shares
from softclust.knowledge.doubts import doubted_labels
from softclust.report.facts import Facts
from softclust.report.glossary import term
from softclust.report.html import Cell, Html, counted, joined, paragraph, section, table

_MOST_LINES = 100
_KINDS = {"must-link": "belong together", "cannot-link": "belong apart"}


def told(facts: Facts) -> Html:
    """Return the section of labels and pairs that were not honoured, or that look wrong."""
    parts = [*_unsatisfied(facts), *_doubted(facts)]
    if not parts:
        words = joined(["Nothing: no ", term("label"), " and no ", term("pair"), " was outweighed."])
        parts = [paragraph(words, class_="quiet")]
    return section("What was told and not honoured", *parts, id_="told")


def _unsatisfied(facts: Facts) -> list[Html]:
    """Return the labels and pairs that the data outweighed, worst first."""
    said = getattr(facts.model, "unsatisfied_", ())
    if len(said) == 0:
        return []
    names, named, cells = facts.clusters, facts.row_names, []
    for one in said[:_MOST_LINES]:
        row, other = int(one["row"]), int(one["other"])
        if one["kind"] == "label":
            line = [
                named.said(row),
                f"is {facts.class_names[one['wanted'] // facts.per_class]}",
                f"is in {names[one['found']]}",
            ]
        else:
            found = ", ".join(f"{named.said(i)} in {names[facts.own[i]]}" for i in (row, other))
            line = [f"{named.noun}s {named[row]} and {named[other]}", _KINDS[one["kind"]], found]
        cells.append([*line, _percent(one["shortfall"])])
    more = f"; the {_MOST_LINES} worst are listed." if len(said) > _MOST_LINES else "."
    words = joined([
        "The data outweighed ", term("label", "labels"), " or ", term("pair", "pairs"),
        f" in {counted(len(said), 'case')}{more} Look at them: they may be wrong, or the clusters may be.",
    ])  # fmt: skip
    return [paragraph(words), table(["which", "told", "found", "shortfall"], cells)]


def _doubted(facts: Facts) -> list[Html]:
    """Return the labels that another class fits better, by the values of the rows alone."""
    doubts = _doubts(facts)
    if doubts is None:
        return []
    doubts = doubts[doubts["doubt"] > 0.5]
    if len(doubts) == 0:
        return []
    names = facts.class_names
    cells = [
        [_row(facts, int(one["row"])), names[one["told"]], names[one["likely"]], _percent(one["doubt"])]
        for one in doubts[:_MOST_LINES]
    ]
    more = f"; the {_MOST_LINES} least credible are listed." if len(doubts) > _MOST_LINES else "."
    words = joined([
        f"In {counted(len(doubts), 'row')} another class is likelier than the ", term("label"),
        f", by the values of the row alone{more}",
    ])  # fmt: skip
    return [
        paragraph(words),
        table([facts.row_names.noun, "label", "likelier", "doubt about the label"], cells),
    ]


def _doubts(facts: Facts) -> Any:
    """Return what the model doubts of its labels, or what predictions say of labels that were given."""
    found = getattr(facts.model, "label_doubts_", None)
    if found is not None or facts.labels is None:
        return found
    labelled = {str(one) for one in np.asarray(facts.labels, dtype=object).ravel()} - {"None", "nan", "-1"}
    if labelled != {str(one) for one in facts.model.classes_}:
        return None  # clusters beyond the classes, or labels of another fit
    return doubted_labels(facts.labels, class_shares(facts.model.predict_proba(facts.X), facts.per_class))


def _row(facts: Facts, row: int) -> Cell:
    return Cell(facts.row_names[row], row)


def _percent(value: float) -> Cell:
    return Cell(f"{value:.0%}", float(value))
