"""`softclust select` and `methods`: how many clusters, and which method."""

from __future__ import annotations

import json
import sys

import numpy as np
from rich.console import Console
from rich.table import Table

import softclust
from softclust.cli import show
from softclust.cli.models import DEFAULT_METHOD, make_model
from softclust.cli.rows import scaling_of
from softclust.cli.tables import Output


def select(data, choice, *, clusters, method, index, standardize, settings, seed, out, as_json, force):
    """Compare numbers of clusters by validity indices."""
    output = None if out is None else Output.of_table(out, force)
    rows = choice.read([data])
    numbers = _range(clusters)
    model = make_model(method, numbers[0], None, settings, seed)
    scaling, words_on_scale = scaling_of(rows.X, rows.names, standardize)
    words = show.console()
    with words.status("") as status:
        found = softclust.select(
            model,
            rows.X if scaling is None else scaling.apply(rows.X),
            n_clusters=numbers,
            index=index,
            progress=lambda done, total: status.update(f"{done} of {total} fits"),
        )
    columns: dict[str, list[int] | np.ndarray] = {
        "clusters": [s["n_clusters"] for s in found.settings],
        **found.values,
        "votes": found.votes(),
    }
    if output is not None:
        output.write_table(columns)
    best = found.best_params_["n_clusters"]
    if as_json:
        table = {name: [None if v != v else float(v) for v in values] for name, values in columns.items()}
        print(json.dumps({"best": best, "index": index, "table": table}))
        return
    show.notes(words, (*rows.notes, words_on_scale))
    words.print(_compared(columns, found.place(), words.width))
    words.print()
    show.say(words, f"{index} chooses {best} clusters; the last line counts the indices that choose each.")
    for place, sentence in found.errors.items():
        show.note(words, f"{found.settings[place]['n_clusters']} clusters: {sentence}")


def _range(text):
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


def _compared(columns, best, width):
    """Return a table with a row for each index and a column for each number of clusters.

    The choice of each index is bold; the column that the deciding index chooses is in reverse video.  On a
    narrow terminal the table is cut into several.
    """
    cells = {name: _cells(name, values) for name, values in columns.items() if name != "clusters"}
    headings = [str(number) for number in columns["clusters"]]
    widths = [
        max(len(heading), *(len(texts[i][0]) for texts in cells.values()))
        for i, heading in enumerate(headings)
    ]
    first = max(len(name) for name in cells)
    tables = []
    for part in show.parts(widths, first, width):
        table = show.compact()
        table.add_column("index", no_wrap=True)
        for i in part:
            table.add_column(
                headings[i], justify="right", no_wrap=True, style="reverse" if i == best else None
            )
        for name, texts in cells.items():
            shown = [f"[bold]{text}[/]" if chosen else text for text, chosen in (texts[i] for i in part)]
            table.add_row(name.replace("_", " "), *shown, end_section=name == list(columns)[-2])
        tables.append(table)
    return show.titled("Numbers of clusters", tables)


def _cells(name, values):
    """Return the text of each value, and whether the index chooses it."""
    from softclust.metrics import INDICES

    merit = INDICES[name].sign * values if name in INDICES else values.astype(float)
    chosen = int(np.where(np.isfinite(merit), merit, -np.inf).argmax())
    return [(_short(float(value)), i == chosen) for i, value in enumerate(values)]


def _short(value):
    """Return three digits, or as many as five letters hold."""
    text = f"{value:.3g}"
    if len(text) <= 5 or not abs(value) < 1e6:
        return text
    if abs(value) >= 1:
        return f"{value:,.0f}"
    return f"{value:.3f}" if abs(value) >= 0.001 else f"{value:.0e}"


def methods(as_json):
    """Print the named methods."""
    entries = softclust.catalogue()
    if as_json:
        listed = [
            {"method": key, "name": e.name, "estimator": e.estimator, "paper": e.paper}
            for key, e in entries.items()
        ]
        json.dump(listed, sys.stdout)
        print()
        return
    table = Table(title="Methods, for softclust fit --method")
    for heading in ("method", "name", "paper"):
        table.add_column(heading, no_wrap=heading == "method")
    for key, entry in entries.items():
        table.add_row(key, entry.name, entry.paper)
    console = Console()
    console.print(table)
    console.print(
        "These keep the values of their papers. The name of an estimator, such as "
        f"{DEFAULT_METHOD} (the default), takes the values that work best.",
        highlight=False,
    )
