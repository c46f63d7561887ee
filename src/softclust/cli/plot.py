"""`softclust plot`: a picture of a model and its rows."""

from __future__ import annotations

import warnings

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
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        drawn = display.from_estimator(model, X, **more, **named)
        output.write(lambda path: drawn.figure_.savefig(path, format=image_kind(out), dpi=150))
    words = show.console()
    show.notes(words, _readable(str(w.message) for w in caught))
    show.say(words, f"{kind}: {out}")


def _readable(said):
    """Return what was warned of, each once; all letters that the font lacks are one sentence."""
    said = list(dict.fromkeys(said))
    others = [sentence for sentence in said if not sentence.startswith("Glyph ")]
    if len(others) < len(said):
        others.append("The font has no sign for some letters; they are drawn as boxes.")
    return others
