"""`softclust plot`: a picture of a model and its rows."""

from __future__ import annotations

import softclust
from softclust.cli import show
from softclust.cli.fit import scaled_rows
from softclust.cli.tables import Output, image_kind

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
    named = {"cluster_names": show.classes_of(model)} if kind != "convergence" else {}
    drawn = display.from_estimator(model, X, **more, **named)
    temporary = output.path.with_name(f".{output.path.name}.part")
    try:
        drawn.figure_.savefig(temporary, format=image_kind(out), dpi=150)
        temporary.replace(output.path)
    finally:
        temporary.unlink(missing_ok=True)
    show.console().print(f"{kind}: {out}", highlight=False)
