"""The report in a few plain sentences: what was found, how sure, and what to look at next."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from softclust.explanation.names import listed, share
from softclust.report.facts import CLEAR, Facts
from softclust.report.glossary import term
from softclust.report.html import Html, counted, joined, paragraph, tag

_MOST_NAMED = 6
_BLURRED = 0.5  # share of rows that are clear: with fewer, clusters overlap much


def summary(facts: Facts) -> Html:
    """Return the summary."""
    found = [_found(facts), _apart(facts), _sure(facts)]
    steps = [tag("li", step) for step in _next(facts)]
    return tag(
        "section",
        *(paragraph(one) for one in found if one),
        tag("h2", "What to look at next"),
        tag("ul", *steps),
        class_="summary",
        id="summary",
    )


def _found(facts: Facts) -> Html:
    """Say how many rows are in which cluster."""
    n, c, outside = len(facts.own), len(facts.clusters), int(facts.outlying.sum())
    if c == 1:
        said = f"{n - outside:,} of {n:,} rows are in one cluster."
    else:
        order = np.argsort(-facts.counts, kind="stable")
        words = [f"{facts.clusters[k]} ({facts.counts[k]:,})" for k in order[:_MOST_NAMED]]
        words += [f"{c - _MOST_NAMED} smaller ones"] if c > _MOST_NAMED else []
        said = f"{n:,} rows fall into {c} clusters: {listed(words)}."
    if not outside:
        return joined([said])
    rows, noun = counted(outside, "row"), term("outlier", "an outlier" if outside == 1 else "outliers")
    return joined([f"{said} {rows} {'is' if outside == 1 else 'are'} ", noun, ", in no cluster."])


def _apart(facts: Facts) -> str | None:
    """Name the features that tell the clusters apart."""
    if not facts.has_features or len(facts.clusters) == 1 or facts.values.shape[1] == 1:
        return None
    best = [facts.features[j] for j in facts.telling[:3] if np.abs(facts.distinction[:, j]).max() >= 1]
    if not best:
        return "No single feature tells the clusters apart; only several together do."
    return f"Clusters differ most in {listed(best)}."


def _sure(facts: Facts) -> Html | None:
    """Say how sure the fit is of the rows."""
    inside = ~facts.outlying
    if len(facts.clusters) == 1 or not inside.any():
        return None
    if facts.is_hard:
        return joined(["Every row is in one cluster alone; this method does not say how sure that is."])
    clear, total, count = (
        int((facts.first[inside] >= CLEAR).sum()),
        int(inside.sum()),
        int(facts.in_doubt.sum()),
    )
    said: list[object] = [
        f"{clear:,} of {total:,} rows ({clear / total:.0%}) are clearly in their cluster, with a ",
        term("membership"), f" of at least {share(CLEAR)}",
    ]  # fmt: skip
    if count == 0:
        said += [", and none is in ", term("doubt"), " between two."]
    else:
        verb = "is" if count == 1 else "are"
        said += [f"; {count:,} {verb} in ", term("doubt"), f" between two{_where(facts, count)}."]
    masses = facts.masses
    if masses is not None:
        several = int((facts.model.focal_sets_[masses.argmax(axis=1)].sum(axis=1) > 1).sum())
        verb = "has its" if several == 1 else "have their"
        said += [
            f" {counted(several, 'row')} {verb} greatest ",
            term("mass"),
            " on several clusters together.",
        ]
    return joined(said)


def _where(facts: Facts, count: int) -> str:
    """Name the two clusters that most doubtful rows are between."""
    rows = facts.in_doubt
    pairs = np.sort(np.column_stack([facts.own[rows], facts.rivals[rows]]), axis=1)
    (k, other), most = _commonest(pairs)
    if len(facts.clusters) == 2 or most < 0.5 * count or count < 3:
        return ""
    how = "all" if most == count else f"{most:,}"
    return f", {how} of them between {facts.clusters[k]} and {facts.clusters[other]}"


def _commonest(pairs: np.ndarray) -> tuple[np.ndarray, int]:
    """Return the pair that occurs most, and how often."""
    found, counts = np.unique(pairs, axis=0, return_counts=True)
    return found[counts.argmax()], int(counts.max())


def _next(facts: Facts) -> Iterator[Html]:
    """Yield what somebody should look at, the most urgent first."""
    model, inside = facts.model, ~facts.outlying
    if not getattr(model, "converged_", True):
        yield joined(["The fit was stopped before it came to rest: fit again with a greater max_iter."])
    empty = [facts.clusters[k] for k in np.flatnonzero(facts.counts == 0)]
    if empty:
        shown = listed(empty[:_MOST_NAMED])
        yield joined([f"No rows in {shown}: fewer clusters may do."])
    said = len(getattr(model, "unsatisfied_", ()))
    if said:
        what = counted(said, "label or pair", "labels or pairs")
        yield joined([_link("told", what), " that the fit did not honour."])
    if len(facts.clusters) > 1 and not facts.is_hard and inside.any():
        clear = float((facts.first[inside] >= CLEAR).mean())
        if clear < _BLURRED:
            yield joined(["Clusters overlap much: compare other numbers of clusters (softclust select)."])
        count = int(facts.in_doubt.sum())
        rows = facts.most_doubtful
        what = f"The {counted(count, 'row')} in doubt" if count else "The rows that come nearest to doubt"
        yield joined([_link("doubt", what), f", first of all {facts.row_names.said(int(rows[0]))}."])
    if facts.outlying.any():
        share = facts.outlying.mean()
        many = " They are many: the clusters may be too tight." if share > 0.2 else ""
        first = facts.row_names.said(int(facts.farthest[0]))
        yield joined([_link("outliers", "Outliers"), f", first of all {first}.", many])
    yield joined([_link("clusters", "The clusters"), ": do they mean something to you?"])


def _link(place: str, words: str) -> Html:
    return tag("a", words, href=f"#{place}")
