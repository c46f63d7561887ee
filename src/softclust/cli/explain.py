"""`softclust explain`: why rows are in their clusters, in words and with bars."""

from __future__ import annotations

import json

import numpy as np
from rich.console import Console
from rich.table import Table
from rich.text import Text

import softclust
from softclust.active.doubts import margin
from softclust.cli import show
from softclust.cli.rows import row_of, rows_of_model, scaled
from softclust.explanation import Explainer
from softclust.explanation.names import number, share, spoken_names

_BY_VALUES = (
    "Rows are explained by their values alone. Where labels were told to the fit, its table may have a row "
    "in another cluster."
)
_WIDTH = 80
_MOST_PARTS = 12  # features with a line of their own
_MOST_SHARES = 6  # clusters or sets with a word of their own
_NAME, _NUMBER, _BAR = 22, 10, 10  # characters of a name, a number, and a bar on each side


def run(model_path, data, *, asked, doubtful, between, labels_column, key, sheet, missing, as_json):
    """Explain rows; `app.explain` documents the options."""
    if not asked and doubtful is None:
        raise ValueError("Which rows? Say --row 71, or --doubtful 5 for the five most doubtful rows.")
    if doubtful is not None and doubtful < 1:
        raise ValueError(f"--doubtful {doubtful} does not fit; one row or more would.")
    model = softclust.load(model_path)
    rows = rows_of_model(
        model, model_path, data, sheet=sheet, missing=missing, labels=labels_column, key=key
    )
    X = scaled(rows.X, model.scaling_)
    explainer = Explainer(
        model, X, y=rows.labels, feature_names=rows.names, row_names=show.row_names(rows),
        scaling=model.scaling_,
    )  # fmt: skip
    if hasattr(model, "classes_") and len(model.labels_) == len(X) and not explainer.of_fit:
        show.notes(show.console(), [_BY_VALUES])
    wanted = [row_of(rows, line) for line in asked or ()]
    chosen = dict.fromkeys([*wanted, *(_doubtful(explainer, doubtful) if doubtful else ())])
    told = [explainer.explain(row, clusters=between) for row in chosen]
    if as_json:
        print(json.dumps([one.to_dict() for one in told]))
        return
    console = Console(width=_WIDTH, highlight=False)
    for one in told:
        _print(one, console)
        console.print()


def _doubtful(explainer, count):
    """Return the rows that two clusters claim most equally, without outliers."""
    model, X = explainer.model, explainer.X
    memberships = model.memberships_ if explainer.of_fit else model.predict_proba(X)
    doubts = margin(np.asarray(memberships, dtype=np.float64))
    if hasattr(model, "outlier_mask"):
        doubts[model.outlier_mask_ if explainer.of_fit else model.outlier_mask(X)] = -1.0
    order = np.argsort(-doubts, kind="stable")[:count]
    return [int(row) for row in order if doubts[row] >= 0]


def _print(told, console):
    """Print the words, the memberships, and a table of the parts with bars."""
    console.print(_plain(str(told)))
    for what, names, values in _shares(told):
        shown = "; ".join(f"{name} {share(value)}" for name, value in _greatest(names, values))
        console.print(_plain(f"{what}: {shown}"))
    console.print(_table(told, "█" if console.encoding.startswith("utf") else "#"))


def _plain(words):
    """Return words without markup and without characters that a terminal would obey."""
    return Text("".join(letter if letter.isprintable() else "?" for letter in words))


def _shares(told):
    """Yield what the model says of the row: a title, names and values."""
    yield "Memberships", spoken_names(told.cluster_names), told.memberships
    if told.typicalities is not None:
        yield "Typicalities", spoken_names(told.cluster_names), told.typicalities
    if told.masses is not None:
        yield "Masses", [mass.name for mass in told.masses], [mass.mass for mass in told.masses]


def _greatest(names, values):
    """Return the greatest values with their names."""
    return sorted(zip(names, values, strict=True), key=lambda pair: -pair[1])[:_MOST_SHARES]


def _table(told, mark):
    """Return a table of the greatest parts; bars to the left speak for the rival."""
    compared = [told.cluster] if told.rival is None else [told.rival, told.cluster]
    spoken = spoken_names(told.cluster_names)
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("", max_width=_NAME, no_wrap=True)
    table.add_column("value", justify="right", no_wrap=True)
    for k in compared:
        table.add_column(_plain(show.short(spoken[k], _NUMBER)), justify="right", no_wrap=True)
    table.add_column(_plain(_heading(told)), max_width=2 * _BAR + 1, no_wrap=True)
    most = max(map(abs, [*told.contributions, *told.constants.values()])) or 1.0
    order = np.argsort(-np.abs(told.contributions), kind="stable")
    count = len(order) if len(order) <= _MOST_PARTS + 1 else _MOST_PARTS  # no line for one other feature
    left = order[count:]
    for j in order[:count]:
        numbers = [number(told.values[j]), *(number(told.centers[k][j]) for k in compared)]
        bar = _bar(told.contributions[j] / most, mark)
        table.add_row(_plain(told.feature_names[j]), *numbers, bar)
    blank = [""] * (1 + len(compared))
    if len(left) > 0:
        rest = told.contributions[left].sum() / most
        table.add_row(f"{len(left)} other features", *blank, _bar(rest, mark))
    for name, value in told.constants.items():
        table.add_row(name, *blank, _bar(value / most, mark))
    return table


def _heading(told):
    """Name the side of the bars for each cluster."""
    names = [show.short(name, _BAR) for name in spoken_names(told.cluster_names)]
    if told.rival is None:
        return "how far".rjust(_BAR + 1 + len("how far"))
    return f"{names[told.rival]:>{_BAR}}│{names[told.cluster]}"


def _bar(part, mark):
    """Return a bar for a part from -1 to 1 about a line in the middle."""
    length = round(min(abs(part), 1.0) * _BAR)
    bar = mark * length if length or part == 0 else "·"
    return f"{bar:>{_BAR}}│" if part < 0 else f"{'':>{_BAR}}│{bar}"
