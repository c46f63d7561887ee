"""The sentences of an explanation."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from softclust.explanation.names import RowNames, begun, listed, number, share, spoken_names

if TYPE_CHECKING:
    from softclust.explanation.value import Explanation

_NEARLY = 0.5  # of the membership in its cluster: with so much in another one a row is nearly in that too
_NOTABLE = 0.5  # of the greatest part: parts below are not worth a word
_SMALL = 0.25  # of the greatest part: a side whose parts are all much smaller has nothing to say
_MOST_WORDS = 2  # features named for each side

# What a constant part of a mixture says in favour of a component.
_CONSTANTS = {"log determinant": "is more compact", "log weight": "has more rows"}


def sentence(told: Explanation) -> str:
    """Return the explanation in one sentence."""
    names = spoken_names(told.cluster_names)
    mine = names[told.cluster]
    if told.rival is None:
        farthest = _named(told, told.offsets, told.cluster)
        return f"{begun(told.name)} is in the only cluster" + (f"; {farthest}." if farthest else ".")
    if told.is_outlier:
        farthest = _named(told, told.offsets, told.cluster)
        return f"{begun(told.name)} belongs to no cluster" + (
            f": even from {mine}, the likeliest, {farthest}." if farthest else "."
        )
    reasons = _reasons(told, mine, names[told.rival])
    return f"{_place(told, mine, names[told.rival])}: {reasons}."


def _place(told: Explanation, mine: str, other: str) -> str:
    """Say in which clusters the row is, and how much."""
    assert told.rival is not None
    first, second = told.memberships[told.cluster], told.memberships[told.rival]
    if told.memberships.argmax() != told.cluster:
        return f"{begun(told.name)} is by {share(first)} in {mine} and by {share(second)} in {other}"
    if first == 1 and second == 0:
        return f"{begun(told.name)} is in {mine}, and {other} is the next"
    placed = f"{begun(told.name)} is in {mine} ({share(first)})"
    if second >= _NEARLY * first:
        return f"{placed} and nearly in {other} ({share(second)})"
    return f"{placed}, before {other} ({share(second)})"


def _reasons(told: Explanation, mine: str, other: str) -> str:
    """Say which features speak for which cluster; the weightier side first."""
    most = float(np.abs([*told.contributions, *told.constants.values()]).max())
    if most == 0:
        return "both are equally far in every feature"
    sides = [(mine, 1), (other, -1)]
    if -told.contributions.min() > told.contributions.max():
        sides.reverse()
    said, has_verb = "", False
    for name, sign in sides:
        words, facts = _features(told, sign, most), _facts(told, sign, most)
        if words:
            verb = "" if has_verb else " speaks" if len(words) == 1 else " speak"
            has_verb = True
            said += f"{', ' if said else ''}{listed(words)}{verb} for {name}"
            said += f", which {listed(facts)}" if facts else ""
        elif facts:
            said += f"{', and ' if said else ''}{name} {listed(facts)}"
    return said


def _features(told: Explanation, sign: int, most: float) -> list[str]:
    """Name the features that speak for one side: `sign` is 1 for the row's own cluster.

    A part is named if it is at least half of the side's greatest and an eighth of the greatest of all.
    """
    parts = sign * told.contributions
    least = _NOTABLE * max(float(parts.max()), _SMALL * most)
    return [
        f"its {told.feature_names[j]} of {number(told.values[j])}"
        for j in np.argsort(-parts, kind="stable")[:_MOST_WORDS]
        if parts[j] >= least
    ]


def _facts(told: Explanation, sign: int, most: float) -> list[str]:
    """Say what speaks for one side beside the features."""
    return [
        _CONSTANTS[part]
        for part, value in told.constants.items()
        if part in _CONSTANTS and sign * value >= _NOTABLE * most
    ]


def _named(told: Explanation, parts: np.ndarray, k: int) -> str:
    """Name the features in which the row is farthest from the centre of cluster k."""
    most = parts.max()
    far = [j for j in np.argsort(-parts, kind="stable")[:_MOST_WORDS] if parts[j] > 0]
    words = [
        f"its {told.feature_names[j]} of {number(told.values[j])} is far from {number(told.centers[k][j])}"
        for j in far
        if parts[j] >= _NOTABLE * most
    ]
    return listed(words)


def remarks(told: Explanation, model: Any, rows: RowNames) -> Iterator[str]:
    """Yield further sentences: what outweighed the values, sets of clusters, and labelled neighbours."""
    names = spoken_names(told.cluster_names)
    alone, found = int(told.predicted.argmax()), int(told.memberships.argmax())
    if alone != found:
        yield (
            f"By its values alone it would be in {names[alone]} ({share(told.predicted[alone])}); "
            f"labels or pairs of the fit put it in {names[found]}."
        )
    elif told.rival is not None and told.difference < 0 and told.cluster == alone:
        yield _nearer(names[told.cluster], names[told.rival], told, model)
    if told.masses is not None:
        largest = told.masses[0]
        if len(largest.clusters) > 1:
            yield f"Its greatest belief ({share(largest.mass)}) is that it may be {largest.name}."
    if told.neighbors:
        near = [_with(rows[n.row], n.label) for n in told.neighbors]
        verb = "rows are" if len(near) > 1 else "row is"
        yield f"Nearest labelled {verb} {rows.noun_for(len(near))}{listed(near)}."


def _with(name: str, label: str) -> str:
    """Return a name with a label in brackets; a name that ends in brackets takes the label into them."""
    return f"{name[:-1]}, {label})" if name.endswith(")") else f"{name} ({label})"


def _nearer(mine: str, other: str, told: Explanation, model: Any) -> str:
    """Say why a row is not in the nearest cluster."""
    scales = getattr(model, "scale_", None)
    if told.typicalities is not None and scales is not None and scales[told.cluster] > scales[told.rival]:
        return f"It lies nearer to {other}, but {mine} reaches farther."
    return f"It lies nearer to {other} all the same."
