"""The results of a fit, as tables to read and as columns to write."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import chain, count, pairwise

import numpy as np
from rich import box
from rich.cells import cell_len
from rich.console import Console, Group
from rich.table import Table
from rich.text import Text

from softclust.explanation import RowNames
from softclust.files import Scaling
from softclust.report import findings
from softclust.report.findings import names_of, outliers_of

MOST_FEATURES = 12  # lines of a table of centres
_NAME = 30  # letters of a feature's name in a table
_CLUSTER = 18  # letters of a cluster's name in a table
_GAP = 2  # spaces between two columns of a compact table


def console():
    """Return a console on standard error, so that the data on standard output can be piped."""
    return Console(stderr=True)


def say(words, sentence):
    """Print a sentence as it is: nothing in it is markup, and a long path stays on one line."""
    words.print(sentence, markup=False, highlight=False, soft_wrap=True)


def note(words, sentence):
    """Print a note; nothing in it is markup."""
    words.print(Text.assemble(("note:", "yellow"), " ", sentence), highlight=False, soft_wrap=True)


def notes(words, sentences):
    """Print several notes, each once."""
    for sentence in dict.fromkeys(sentences):
        note(words, sentence)


def compact():
    """Return an empty table with little between its columns."""
    return Table(box=box.SIMPLE_HEAD, show_edge=False, padding=(0, _GAP - 1, 0, 0), pad_edge=False)


def titled(title, tables, caption=None):
    """Return tables with a title above and a caption below; neither is cut to the width of a table."""
    below = [] if caption is None else [Text(caption, style="italic")]
    spaced = [part for table in tables for part in (table, Text())]
    return Group(Text(f"\n{title}", style="bold"), *spaced[:-1], *below)


def parts(widths, first, width, gap=_GAP):
    """Return ranges of columns, each of which fits beside a first column in the width of the terminal.

    The ranges are as few as can be, and about equally long.
    """
    n = len(widths)
    for pieces in range(1, n + 1):
        bounds = [round(i * n / pieces) for i in range(pieces + 1)]
        found = [range(start, end) for start, end in pairwise(bounds)]
        if all(first + sum(gap + widths[k] for k in part) <= width for part in found):
            return found
    return [range(k, k + 1) for k in range(n)]


def centres(model):
    """Return the centres in the units of the file, (c, p), or None if the model has none."""
    found = getattr(model, "cluster_centers_", None)
    scaling = getattr(model, "scaling_", None)
    if found is None or scaling is None:
        return found
    return Scaling.from_array(scaling).undo(np.asarray(found))


def clusters(model, features, X=None, width=80):
    """Return a table of the clusters: a column each, with its rows, its outliers and its centre."""
    outlying, names, tells_outliers = outliers_of(model), names_of(model), hasattr(model, "outlier_mask_")
    members = [model.labels_ == k for k in range(len(names))]
    head = [
        ["rows", *(f"{(mine & ~outlying).sum():,}" for mine in members)],
        *([["outliers", *(f"{(mine & outlying).sum():,}" for mine in members)]] if tells_outliers else []),
    ]
    lines, caption = centre_lines(model, features, X)
    return table_of_columns("Clusters", names, head, lines, caption, width)


def centre_lines(model, features, X=None):
    """Return a line of centres for each feature, in the units of the file, and a caption.

    The features that tell clusters apart most come first, and `MOST_FEATURES` of them at most.  Spreads of
    features come from the rows X in the same units, or else from the model's scaling.
    """
    V = centres(model)
    if V is None and X is not None:  # of label spreading, the means of the classes
        U = np.asarray(model.memberships_)
        V = (U / np.maximum(U.sum(axis=0), 1e-300)).T @ X
    if V is None:
        return [], None
    scaling = getattr(model, "scaling_", None)
    spread = np.ones(V.shape[1]) if scaling is None else scaling[1]
    order = distinctive(V, spread if X is None else _spreads(X))
    shown = order if len(order) <= MOST_FEATURES + 1 else order[:MOST_FEATURES]  # no word on one more
    lines = [[_cut(str(features[j]), _NAME), *(f"{value:.4g}" for value in V[:, j])] for j in shown]
    return lines, _more(len(order), len(shown))


def table_of_columns(title, names, head, lines, caption, width=80):
    """Return a table with these columns; the lines of `head` are set apart.

    A table that is wider than `width` is cut into several.
    """
    names = [short(str(name), _CLUSTER) for name in names]
    first = max((cell_len(line[0]) for line in (*head, *lines)), default=0)
    widths = [
        max(cell_len(name), *(cell_len(line[k + 1]) for line in (*head, *lines)))
        for k, name in enumerate(names)
    ]
    tables = []
    for part in parts(widths, first, width):
        table = compact()
        table.add_column("", no_wrap=True)
        for k in part:
            table.add_column(Text(names[k]), justify="right", no_wrap=True)
        for i, line in enumerate((*head, *lines)):
            last = i == len(head) - 1 and bool(lines)
            table.add_row(Text(line[0]), *(Text(line[k + 1]) for k in part), end_section=last)
        tables.append(table)
    return titled(title, tables, caption)


def distinctive(centers, spread):
    """Return the features, those first whose centres differ most in units of the feature's spread."""
    with np.errstate(over="ignore", invalid="ignore"):
        apart = np.std(centers / np.where(spread > 0, spread, 1.0), axis=0)
    return np.argsort(-apart, kind="stable").tolist()


def _spreads(X):
    """Return the standard deviation of each feature."""
    size = np.ldexp(1.0, np.frexp(np.abs(X).max(axis=0))[1] - 1)  # squares of huge values would overflow
    return np.std(X / size, axis=0) * size


def _more(features, shown):
    """Tell how many features a table of centres leaves out; None if it leaves out none."""
    if features <= shown:
        return None
    return f"The {shown} most distinctive of {features:,} columns; {features - shown:,} are not shown."


def _cut(text, most):
    return text if len(text) <= most else text[: most - 1] + "\N{HORIZONTAL ELLIPSIS}"


def short(name, most):
    """Return a name in so many letters; its end stays, by which `a (2)` differs from `a`."""
    return name if len(name) <= most else f"{name[: most - 5]}\N{HORIZONTAL ELLIPSIS}{name[-4:]}"


def table(finding, rows=None):
    """Return a finding as a table; words align left, numbers right.

    With the prepared rows, a row is named by its line in the file, and by its identifier.
    """
    headings, cells = finding.headings, finding.cells
    if rows is not None:
        headings, cells = _as_the_file_counts(finding, rows)
    shown = compact()
    for heading in headings:
        shown.add_column(Text(heading), justify="left" if heading == "what" else "right")
    for row in cells:
        shown.add_row(*(Text(_cut(str(cell), _NAME)) for cell in row))
    return titled(finding.title, [shown])


def doubtful(model, count, rows=None):
    """Return a table of the rows that two clusters claim most equally, or None for one cluster."""
    found = findings.doubtful(model, count)
    if found is None:
        return None
    names, cells = names_of(model), []
    for i in (line[0] for line in found.cells):
        first, second = np.argsort(-model.memberships_[i], kind="stable")[:2]
        shares = [f"{model.memberships_[i, k]:.0%}" for k in (first, second)]
        near, next_ = (short(names[k], _CLUSTER) for k in (first, second))
        cells.append([i, near, shares[0], next_, shares[1]])
    headings = ["row", "likeliest cluster", "share", "next cluster", "share"]
    return table(findings.Finding(found.title, headings, cells), rows)


def _as_the_file_counts(finding, rows):
    """Return headings and cells in which lines of the file stand for rows."""
    counted = rows.table.counted
    places = [i for i, heading in enumerate(finding.headings) if heading in ("row", "other row")]
    headings = [
        heading.replace("row", counted) if i in places else heading
        for i, heading in enumerate(finding.headings)
    ]
    cells = [list(line) for line in finding.cells]
    for line in cells:
        for i in places:
            if isinstance(line[i], int | np.integer):
                line[i] = row_name(rows, line[i])
    return headings, cells


def row_name(rows, i):
    """Return how people find row i of X: its line, its file if there are several, and its identifier."""
    row, table = int(rows.rows[i]), rows.table
    line = str(table.lines[row])
    if len(table.files) > 1:
        line += f" of {table.file_of(row)}"
    return line if rows.keys is None else f"{line} ({rows.keys[row]})"


def row_names(rows):
    """Return the names of all rows of X, for words and pages."""
    return RowNames(_Names(rows), rows.table.counted)


class _Names(Sequence):
    """The name of each row, made when it is asked for: a file may have millions of rows."""

    def __init__(self, rows):
        self.rows = rows

    def __len__(self):
        return len(self.rows.rows)

    def __getitem__(self, i):
        return row_name(self.rows, i)


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
