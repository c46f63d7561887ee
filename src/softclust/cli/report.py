"""`softclust report`: one page about a model and its rows."""

from __future__ import annotations

import softclust
from softclust.cli import show
from softclust.cli.fit import STANDARDIZED, scaled_rows
from softclust.cli.tables import Output


def write(model, X, names, output, *, title, notes=()):
    """Write the page; without matplotlib, raise a ValueError that says how to install it."""
    try:
        import matplotlib
    except ImportError:
        raise ValueError("The report needs matplotlib: pip install 'softclust[plot]'.") from None
    matplotlib.use("Agg")
    from softclust.report.page import report

    output.write_text(report(model, X, feature_names=names, title=title, notes=notes))


def run(model_path, data, out, force):
    output = Output(out, force)
    model = softclust.load(model_path)
    X, names = scaled_rows(model, model_path, data)
    if len(X) != len(model.labels_):
        raise ValueError(
            f"{data} has {len(X)} rows, but the model was fitted on {len(model.labels_)}: give those."
        )
    notes = () if model.scaling_ is None else (STANDARDIZED,)
    write(model, X, names, output, title=f"Clusters of {data.name}", notes=notes)
    show.say(show.console(), f"The report: {out}")
