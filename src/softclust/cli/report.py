"""`softclust report`: one page about a model and its rows."""

from __future__ import annotations

import softclust
from softclust.cli import show
from softclust.cli.fit import STANDARDIZED
from softclust.cli.rows import rows_of_model, scaled
from softclust.cli.tables import Output
from softclust.files.labels import labels_of


def write(model, X, names, output, *, title, notes=(), known=None, classes=None, row_names=None):
    """Write the page; `known` are labels that the fit was told, `classes` those that judge it."""
    from softclust.report import report

    scaling = getattr(model, "scaling_", None)
    output.write_text(
        report(
            model, X, feature_names=names, title=title, notes=notes, scaling=scaling, labels=known,
            classes=classes, row_names=row_names,
        )
    )  # fmt: skip


def run(model_path, data, out, *, labels_column, classes_column, key, sheet, missing, force):
    """Write the page; `app.report` documents the options."""
    output = Output(out, force)
    model = softclust.load(model_path)
    rows = rows_of_model(
        model, model_path, data, sheet=sheet, missing=missing, labels=labels_column, key=key
    )
    X, names = scaled(rows.X, model.scaling_), rows.names
    if len(X) != len(model.labels_):
        raise ValueError(
            f"{data} has {len(X)} rows, but the model was fitted on {len(model.labels_)}: give those."
        )
    classes = None
    if classes_column is not None:
        classes, _ = labels_of(rows.table, classes_column, rows.rows, option="--classes")
    notes = () if model.scaling_ is None else (STANDARDIZED,)
    write(
        model,
        X,
        names,
        output,
        title=f"Clusters of {data.name}",
        notes=notes,
        known=rows.labels,
        classes=classes,
        row_names=show.row_names(rows),
    )
    show.say(show.console(), f"The report: {out}")
