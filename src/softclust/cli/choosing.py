"""`softclust select` and `methods`: how many clusters, and which method."""

from __future__ import annotations

import json
import math
import sys
from dataclasses import replace

import numpy as np
from rich.console import Console
from rich.table import Table
from rich.text import Text

import softclust
from softclust.acronyms import families
from softclust.cli import show
from softclust.cli.models import DEFAULT_METHOD, make_model
from softclust.cli.rows import scaling_of
from softclust.cli.tables import Output
from softclust.files.labels import labels_of

_FEW_ROWS = 5000  # up to which stability is computed unasked: it takes seconds
_SAMPLES = 10
_PLAIN = (1000, 100_000)  # numbers that are written without a fraction


def select(
    data, choice, *, clusters, method, index, stability, classes_column, standardize, settings, seed, out,
    as_json, force,
):  # fmt: skip
    """Compare numbers of clusters, print the table and a recommendation; `app.select` has the options."""
    output = None if out is None else Output.of_table(out, force)
    rows, classes = _read(data, choice, classes_column)
    numbers = numbers_of(clusters)
    model = make_model(method, numbers[0], None, settings, seed)
    if rows.labels is not None and not hasattr(model, "label_strength"):
        raise ValueError(f"{type(model).__name__} takes no labels: say --classes {choice.labels}.")
    scaling, words_on_scale = scaling_of(rows.X, rows.names, standardize)
    X, y = rows.X if scaling is None else scaling.apply(rows.X), rows.labels
    words = show.console()
    with words.status("") as status:
        found = softclust.select(
            model,
            X,
            y,
            n_clusters=numbers,
            index=index,
            truth=classes,
            stability=(_SAMPLES if len(X) <= _FEW_ROWS else 0) if stability is None else stability,
            random_state=seed,
            progress=lambda done, total: status.update(f"{done} of {total} fits"),
        )
    columns_ = {
        "clusters": [s["n_clusters"] for s in found.settings],
        **found.values,
        "votes": found.votes(),
    }
    if output is not None:
        output.write_table(columns_)
    said = found.recommendation()
    if as_json:
        print(json.dumps(_summary(found, said, columns_)))
        return
    show.notes(words, (*rows.notes, words_on_scale))
    _print_tables(words, found, said)
    for sentence in said.sentences:
        words.print(sentence, markup=False, highlight=False)
    if y is not None and classes is None:
        words.print("The fits learned from these labels, so the agreement with them is flattering.")
    for place, sentence in found.errors.items():
        show.note(words, f"{found.settings[place]['n_clusters']} clusters: {sentence}")


def _read(data, choice, classes_column):
    """Return the rows to cluster, and the classes with which the clusters are compared, or None."""
    if classes_column is None:
        return choice.read([data]), None
    rows = replace(choice, drop=[*(choice.drop or ()), classes_column]).read([data])
    return rows, labels_of(rows.table, classes_column, rows.rows, many_classes=True)[0]


def numbers_of(text):
    """Parse 2-8 or 2,3,5 into a list of numbers."""
    try:
        if "-" in text:
            first, last = (int(part) for part in text.split("-"))
            numbers = list(range(first, last + 1))
        else:
            numbers = [int(part) for part in text.split(",")]
    except ValueError:
        numbers = []
    if not numbers or min(numbers) < 1:
        raise ValueError(f"--clusters {text} does not fit; write 2-8 or 2,3,5.")
    return numbers


def _summary(found, said, columns):
    """Return the table and the recommendation that --json prints, for programs."""
    return {
        "best": found.best_params_["n_clusters"],
        "index": found.index,
        "table": {
            name: [float(v) if math.isfinite(v) else None for v in values]
            for name, values in columns.items()
        },
        "greater_is_better": found.greater_is_better,
        "flat": found.flat,
        "recommended": said.params["n_clusters"],
        "reasons": list(said.sentences),
    }


def _print_tables(words, found, said):
    """Print the values, in as many tables as the width of the terminal needs.

    A star marks the choice of each index; the recommended column is in reverse video.
    """
    headings = [f"{setting['n_clusters']} " for setting in found.settings]
    lines = list(_lines(found))
    first = max(len(name) + 1 + len(good) for name, good, _ in lines)
    widths = [max(len(heading), *(len(line[2][i]) for line in lines)) for i, heading in enumerate(headings)]
    for places in show.parts(widths, first, words.width, gap=1):
        table = Table(title="Numbers of clusters", box=None, padding=(0, 1, 0, 0), pad_edge=False)
        table.add_column("index", no_wrap=True)
        table.add_column("good", no_wrap=True)
        for i in places:
            style = "reverse" if i == said.place else None
            table.add_column(headings[i], justify="right", style=style, no_wrap=True)
        for name, good, cells in lines:
            table.add_row(name, good, *(cells[i] for i in places))
        words.print(table)
    show.say(words, "* the best value of each index\n")


def _lines(found):
    """Yield for each index its name, which values are good, and a cell for each setting."""
    for name, values in found.values.items():
        flat = name in found.flat
        good = "flat" if flat else "high" if found.greater_is_better[name] else "low"
        best = None if flat else found.place(name)
        yield name.replace("_", " "), good, [_cell(v, i == best) for i, v in enumerate(values)]
    votes = found.votes()
    best = int(votes.argmax()) if votes.any() else None
    yield "votes", "high", [_cell(v, i == best) for i, v in enumerate(votes)]


def _cell(value, is_best):
    return Text(_short(value) + ("*" if is_best else " "), style="bold" if is_best else "")


def _short(value):
    """Return a number with about three digits in few letters: .894, 21.8, 2e-5."""
    if not math.isfinite(value):
        return "-"
    if isinstance(value, int | np.integer) or _PLAIN[0] <= abs(value) < _PLAIN[1]:
        return f"{value:.0f}"
    if abs(value) >= 0.9995:
        return f"{value:.3g}".replace("e+0", "e").replace("e+", "e")
    text = f"{value:.3f}" if abs(value) >= 0.01 else f"{value:.2g}"
    return text.replace("e-0", "e-").replace("0.", ".", 1)


def methods(papers, as_json):
    """Print the named methods: when to use each, or the paper of each."""
    if as_json:
        listed = [
            {
                "method": e.acronym, "name": e.name, "estimator": e.estimator, "paper": e.paper,
                "when": e.when, "family": e.family,
            }
            for e in softclust.catalogue().values()
        ]  # fmt: skip
        json.dump(listed, sys.stdout)
        print()
        return
    words = Console()
    if papers:
        words.print(_papers())
        return
    width = max(map(len, softclust.catalogue()))
    for family, entries in families().items():
        words.print(Text(family, style="bold"))
        for entry in entries:
            line = Text.assemble(f"  {entry.acronym:{width}}  ", entry.when)
            words.print(line, highlight=False, soft_wrap=True)
        words.print()
    show.say(words, "Use one with softclust fit --method fcm; see the papers with --papers.")
    words.print(
        f"These keep the values of their papers. An estimator's name, such as {DEFAULT_METHOD} (the "
        "default), takes the values that work best.",
        highlight=False,
    )


def _papers():
    """Return a table of the methods with their papers."""
    table = Table(title="Methods, for softclust fit --method")
    for heading in ("method", "name", "paper"):
        table.add_column(heading, no_wrap=heading == "method")
    for key, entry in softclust.catalogue().items():
        table.add_row(key, entry.name, entry.paper)
    return table
