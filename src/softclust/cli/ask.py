"""`softclust ask`: the rows that are most worth asking an expert, in plain words."""

from __future__ import annotations

import json

import numpy as np

import softclust
from softclust.active import ask_rows
from softclust.cli import show
from softclust.cli.fit import scaled_rows
from softclust.cli.tables import Output, labels, read_table
from softclust.report.findings import names_of

_REASONS = {
    "region": "nobody asked about rows like this",
    "doubt": "clusters compete here",
    "audit": "drawn by lot, to measure the accuracy",
}


def run(model_path, data, *, number, labels_column, strategy, audit, seed, out, as_json, force):
    """List the questions; `app.ask` documents the options."""
    if number < 1:
        raise ValueError(f"-n {number} does not fit; one question or more would.")
    output = None if out is None else Output(out, force)
    model = softclust.load(model_path)
    X, names = scaled_rows(model, model_path, data)
    table = read_table(data)
    told = () if labels_column is None else _labelled(table, labels_column, data)
    asked = ask_rows(
        _Predicted(model, X), X, number, asked=told, strategy=strategy, audit=audit, random_state=seed
    )
    found = _columns(asked, names_of(model), {name: table.column(name) for name in names})
    if output is not None:
        output.write_table(found)
    if as_json:
        print(json.dumps([dict(zip(found, row, strict=True)) for row in zip(*found.values(), strict=True)]))
        return
    words = show.console()
    words.print(f"The {len(asked)} rows most worth asking an expert, the best first:", highlight=False)
    for line in _sentences(found, names):
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


def _labelled(table, column, path):
    """Return the rows that have a label."""
    return np.flatnonzero([value is not None for value in labels(table, column, path)])


def _columns(asked, names, features):
    """Return the questions as columns: row, why, the two likeliest clusters, then the values."""
    rows = asked["row"].tolist()
    return {
        "row": rows,
        "why": [_REASONS[reason] for reason in asked["reason"]],
        "first": [names[k] for k in asked["first"]],
        "share": asked["share"].round(4).tolist(),
        "second": [names[k] if k >= 0 else "" for k in asked["second"]],
        **{name: [values[row].as_py() for row in rows] for name, values in features.items()},
    }


def _sentences(found, features):
    """Yield a line about each question."""
    for i, row in enumerate(found["row"]):
        second = f", else {found['second'][i]}" if found["second"][i] else ""
        numbers = ((name, found[name][i]) for name in features)
        values = (f"{name} {v:.4g}" if isinstance(v, float) else f"{name} {v}" for name, v in numbers)
        likely = f"{found['first'][i]} ({found['share'][i]:.0%}){second}"
        yield f"  row {row}: {likely}; {found['why'][i]}; {', '.join(values)}"
