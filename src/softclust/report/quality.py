"""How good the clusters are: against known classes, and by validity indices."""

from __future__ import annotations

import numpy as np

from softclust.active.refits import class_shares
from softclust.explanation.names import number
from softclust.metrics import INDICES, brier_skill, calibration_table, validity
from softclust.metrics.calibration import CalibrationTable
from softclust.report.facts import Facts
from softclust.report.glossary import term
from softclust.report.html import Cell, Html, joined, paragraph, section, table

_FEW = 10  # rows of a bin: with fewer its accuracy says little
_AGREE = 0.05  # mean gap of memberships and accuracy that is no fault

_MEANINGS = {
    "partition_coefficient": "how crisp memberships are",
    "partition_entropy": "how blurred memberships are",
    "modified_partition_coefficient": "how crisp, whatever the number of clusters",
    "xie_beni": "compact clusters far apart",
    "kwon": "the same, with a fine for many clusters",
    "tang": "the same, with another fine",
    "fukuyama_sugeno": "compact clusters far from the middle",
    "fuzzy_hypervolume": "small clusters",
    "partition_density": "dense clusters",
    "fuzzy_silhouette": "rows nearer to their own cluster than to the next",
    "simplified_fuzzy_silhouette": "the same, measured to the centres",
    "nonspecificity": "belief in single clusters, not in sets",
}


def agreement(facts: Facts) -> Html | None:
    """Return the section that compares memberships with known classes; None without classes."""
    if facts.classes is None:
        return None
    classes = np.asarray(facts.classes, dtype=object)
    known = np.array([_is_known(one) for one in classes])
    untold = known & ~np.array([_is_known(one) for one in _labels(facts, len(classes))])
    fresh = facts.labels is not None and untold.any()
    used = untold if fresh else known
    if len(set(classes[used].tolist())) < 2:
        words = "Fewer than two classes are known: there is nothing to compare."
        return section("Known classes", paragraph(words, class_="quiet"), id_="classes")
    U, truth = class_shares(facts.memberships[used], facts.per_class), classes[used]
    skill, bins = brier_skill(U, truth), calibration_table(U, truth)
    right = float(np.nansum(bins.accuracy * bins.count) / bins.count.sum())
    sure = float(np.nansum(bins.confidence * bins.count) / bins.count.sum())
    which = f"{used.sum():,} rows whose class is known"
    which += " and was not told to the fit" if fresh else ""
    parts = [
        paragraph(
            f"Of {which}, {right:.0%} are in the cluster of their class. The ", term("Brier skill"),
            f" is {skill:.2f}: {_skill(skill)}.",
        ),
        paragraph(_calibration(bins.expected_calibration_error, sure, right)),
        _bins(bins),
    ]  # fmt: skip
    return section("Known classes", *parts, id_="classes")


def _labels(facts: Facts, n: int) -> np.ndarray:
    if facts.labels is None or np.ndim(facts.labels) != 1:
        return np.full(n, None)
    return np.asarray(facts.labels, dtype=object)


def _is_known(value: object) -> bool:
    """Tell whether a class is known: not None, not NaN, not -1."""
    return value is not None and value == value and value != -1


def _skill(skill: float) -> str:
    """Say a Brier skill in words."""
    if skill >= 0.8:
        return "memberships foretell the classes very well"
    if skill >= 0.4:
        return "memberships foretell the classes well, with errors"
    if skill > 0.05:
        return "memberships foretell the classes a little"
    return "memberships foretell the classes no better than the class shares"


def _calibration(error: float, sure: float, right: float) -> str:
    """Say in words whether memberships can be read as chances."""
    words = (
        f"The greatest membership is {sure:.2f} on average; the cluster is right for {right:.0%} of rows"
    )
    if error <= _AGREE:
        return f"{words}: memberships can be read as chances (they are off by {error:.2f} on average)."
    side = "too cautious: rows are surer than they say" if right > sure else "too sure of themselves"
    return f"{words}: memberships are {side} (off by {error:.2f} on average)."


def _bins(bins: CalibrationTable) -> Html:
    """Return the rows by their greatest membership, with the share that is right."""
    cells = []
    for b in np.flatnonzero(bins.count):
        low, high, count = float(bins.edges[b]), float(bins.edges[b + 1]), int(bins.count[b])
        sure, right = float(bins.confidence[b]), float(bins.accuracy[b])
        few = " (few rows)" if count < _FEW else ""
        cells.append([
            Cell(f"{low:.1f} to {high:.1f}", low), count, Cell(f"{sure:.2f}", sure),
            Cell(f"{right:.0%}{few}", right),
        ])  # fmt: skip
    return table(["greatest membership", "rows", "on average", "right"], cells)


def indices(facts: Facts) -> Html:
    """Return the validity indices, with the side that is good."""
    values = validity(facts.model, facts.points)
    rows = [
        [
            name.replace("_", " "),
            Cell(number(value), float(value)),
            "high" if INDICES[name].greater_is_better else "low",
            _MEANINGS.get(name, ""),
        ]
        for name, value in values.items()
    ]
    words = joined([
        "Numbers to compare fits of the same rows with, such as different numbers of clusters; by "
        "themselves they say little. They read ", term("membership", "memberships"), " and distances.",
    ])  # fmt: skip
    shown = table(["index", "value", "good is", "what it rewards"], rows)
    return section("Validity", paragraph(words, class_="quiet"), shown, id_="validity")
