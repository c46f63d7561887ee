"""`softclust ask`: the rows that are most worth asking an expert, in plain words."""

from __future__ import annotations

import json

import numpy as np

import softclust
from softclust.active import ask_rows
from softclust.cli import show
from softclust.cli.rows import rows_of_model, scaled
from softclust.cli.tables import Output, check_apart

_REASONS = {
    "region": "nobody asked about rows like this",
    "doubt": "clusters compete here",
    "audit": "drawn by lot, to measure the accuracy",
}


def run(model_path, data, *, number, labels_column, key, sheet, strategy, audit, seed, out, as_json, force):
    """List the questions; `app.ask` documents the options."""
    if number < 1:
        raise ValueError(f"-n {number} does not fit; one question or more would.")
    output = None if out is None else Output.of_table(out, force)
    check_apart(output, inputs=[model_path, data])
    model = softclust.load(model_path)
    rows = rows_of_model(model, model_path, data, sheet=sheet, labels=labels_column, key=key)
    X = scaled(rows.X, model.scaling_)
    told = () if rows.labels is None else _labelled(rows.labels)
    asked = ask_rows(
        _Predicted(model, X), X, number, asked=told, strategy=strategy, audit=audit, random_state=seed
    )
    found = _columns(asked, show.names_of(model), rows)
    if output is not None:
        output.write_table(found)
    if as_json:
        print(json.dumps([dict(zip(found, row, strict=True)) for row in zip(*found.values(), strict=True)]))
        return
    words = show.console()
    show.notes(words, rows.notes)
    words.print(f"The {len(asked)} rows most worth asking an expert, the best first:", highlight=False)
    for line in _sentences(found, rows):
        words.print(line, highlight=False, markup=False, soft_wrap=True)
    if len(asked) < number:
        words.print(f"All {len(X)} rows have a label or are listed.", highlight=False)
    if out is not None:
        words.print(f"The questions: {out}", highlight=False)


class _Predicted:
    """A model as if it had been fitted on these rows, without their labels."""

    def __init__(self, model, X):
        self.memberships_ = model.predict_proba(X)
        if hasattr(model, "predict_mass"):
            self.masses_, self.focal_sets_ = model.predict_mass(X), model.focal_sets_


def _labelled(labels):
    """Return the rows that have a label."""
    return np.flatnonzero([value is not None for value in labels])


def _columns(asked, names, rows):
    """Return the questions as columns: place, why, the two likeliest clusters, then the row's values."""
    table, places = rows.table, rows.rows[asked["row"]].tolist()
    key = [] if rows.keys is None else [name for name, role in rows.roles.items() if role.role == "key"]
    told = {
        table.counted: [int(table.lines[row]) for row in places],
        **{name: [rows.keys[row] for row in places] for name in key},
        "why": [_REASONS[reason] for reason in asked["reason"]],
        "first": [names[k] for k in asked["first"]],
        "share": asked["share"].round(4).tolist(),
        "second": [names[k] if k >= 0 else "" for k in asked["second"]],
    }
    values = {name: table.columns[name].output() for name in rows.names}
    return told | {name: [cells[row].as_py() for row in places] for name, cells in values.items()}


def _sentences(found, rows):
    """Yield a line about each question."""
    counted = rows.table.counted
    key = next((name for name, role in rows.roles.items() if role.role == "key"), None)
    for i, line in enumerate(found[counted]):
        second = f", else {found['second'][i]}" if found["second"][i] else ""
        numbers = ((name, found[name][i]) for name in rows.names)
        values = (f"{name} {v:.4g}" if isinstance(v, float) else f"{name} {v}" for name, v in numbers)
        likely = f"{found['first'][i]} ({found['share'][i]:.0%}){second}"
        named = f" ({found[key][i]})" if key is not None else ""
        yield f"  {counted} {line}{named}: {likely}; {found['why'][i]}; {', '.join(values)}"
