"""`softclust plot`: a picture of a model and its rows."""

from __future__ import annotations

import softclust
from softclust.cli import show
from softclust.cli.fit import scaled_rows
from softclust.cli.tables import Output, image_kind
from softclust.report import findings

KINDS = {
    "map": "MembershipMapDisplay",
    "heatmap": "MembershipHeatmapDisplay",
    "silhouette": "FuzzySilhouetteDisplay",
    "convergence": "ConvergenceDisplay",
    "ternary": "TernaryDisplay",
    "typicality": "TypicalityDisplay",
    "credal": "CredalPartitionDisplay",
    "masses": "MassCurvesDisplay",
}


def run(model_path, data, kind, out, force):
    output = Output(out, force)
    image_kind(out)
    if kind not in KINDS:
        raise ValueError(f"--kind {kind} is not known; {', '.join(KINDS)} are.")
    model = softclust.load(model_path)
    X, names = scaled_rows(model, model_path, data)
    try:
        import matplotlib

        matplotlib.use("Agg")
        from softclust import plotting
    except ImportError:
        raise ValueError("Plots need matplotlib: pip install 'softclust[plot]'.") from None
    display = getattr(plotting, KINDS[kind])
    more = {"feature_names": names} if kind in ("map", "credal") else {}
    named = {"cluster_names": findings.names_of(model)} if kind != "convergence" else {}
    drawn = display.from_estimator(model, X, **more, **named)
    output.write(lambda path: drawn.figure_.savefig(path, format=image_kind(out), dpi=150))
    show.say(show.console(), f"{kind}: {out}")
