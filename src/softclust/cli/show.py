"""The results of a fit, as tables to read and as columns to write."""

from __future__ import annotations

import json
from itertools import chain, count

import numpy as np
from rich.console import Console
from rich.table import Table
from rich.text import Text

from softclust.report.findings import names_of, outliers_of

MOST_FEATURES = (
    30  # columns of a table of centres: nobody reads more, and thousands take minutes to lay out
)


def console():
    """Return a console on standard error, so that the data on standard output can be piped."""
    return Console(stderr=True)


def more_features(features):
    """Tell how many features a table of centres leaves out; None if it leaves out none."""
    more = len(features) - MOST_FEATURES
    return f"{more:,} more columns are not shown." if more > 0 else None


def say(words, sentence):
    """Print a sentence as it is: nothing in it is markup, and a long path stays on one line."""
    words.print(sentence, markup=False, highlight=False, soft_wrap=True)


def note(words, sentence):
    """Print a warning; nothing in it is markup."""
    words.print(Text.assemble(("note:", "yellow"), " ", sentence), highlight=False)


def clusters(model, features):
    """Return a table of the clusters: rows that are not outliers, outliers, and centre."""
    shown = features[:MOST_FEATURES]
    table = Table(title="Clusters", caption=more_features(features))
    for heading in ("cluster", "rows", "outliers", *shown):
        first = heading == "cluster"
        table.add_column(Text(str(heading)), justify="left" if first else "right", no_wrap=first)
    outlying = outliers_of(model)
    centers = getattr(model, "cluster_centers_", None)
    for k, name in enumerate(names_of(model)):
        mine = model.labels_ == k
        centre = [] if centers is None else [f"{v:.4g}" for v in centers[k][: len(shown)]]
        table.add_row(Text(str(name)), str((mine & ~outlying).sum()), str((mine & outlying).sum()), *centre)
    return table


def table(finding):
    """Return a finding as a table; words align left, numbers right."""
    shown = Table(title=Text(finding.title))
    for heading in finding.headings:
        shown.add_column(Text(str(heading)), justify="left" if heading == "what" else "right")
    for row in finding.cells:
        shown.add_row(*(Text(str(cell)) for cell in row))
    return shown


def columns(model):
    """Return the results of each row: a dict of columns by name."""
    names = names_of(model)
    told = {"row": np.arange(len(model.labels_)), "cluster": [names[k] for k in model.labels_]}
    if hasattr(model, "outlier_mask_"):
        told["outlier"] = model.outlier_mask_.astype(int)
    if hasattr(model, "outlier_scores_"):
        told["outlier_score"] = model.outlier_scores_
    _add(told, "membership", names, model.memberships_)
    if hasattr(model, "typicalities_"):
        _add(told, "typicality", names, model.typicalities_)
    if hasattr(model, "masses_"):
        _add(told, "mass", set_names(names, model.focal_sets_), model.masses_)
    return told


def _add(told, word, names, values):
    """Add a column for each name; a name that is taken already gets a number behind it."""
    for name, column in zip(names, values.T, strict=True):
        wanted = f"{word}_{name}"
        names_left = chain([wanted], (f"{wanted}_{i}" for i in count(2)))
        told[next(key for key in names_left if key not in told)] = column


def set_names(names, sets):
    """Return a name for each set of clusters: p+q for two, none for the empty set.

    If two sets would have one name, because a cluster is called "none" or "p+q", clusters have quotes in
    all of these names.
    """
    plain = [_joined(names, members) for members in sets]
    if len(set(plain)) == len(plain):
        return plain
    quoted = [json.dumps(str(name), ensure_ascii=False) for name in names]
    return [_joined(quoted, members) for members in sets]


def _joined(names, members):
    return "+".join(str(name) for name, is_in in zip(names, members, strict=True) if is_in) or "none"
