"""One page about a fit: a self-contained HTML file with its tables and pictures."""

from __future__ import annotations

import base64
import io
from collections.abc import Iterable, Iterator, Sequence
from html import escape
from typing import Any

import numpy as np

import softclust
from softclust.metrics import INDICES, validity
from softclust.report import findings
from softclust.report.findings import names_of, outliers_of

_STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; color: #222; max-width: 60rem; margin: 2rem auto;
  padding: 0 1rem; }
h1 { font-size: 1.6rem; } h2 { font-size: 1.2rem; margin-top: 2.2rem; }
table { border-collapse: collapse; font-size: .92rem; }
caption { text-align: left; color: #555; padding: .3rem 0; }
th, td { padding: .25rem .8rem; border-bottom: 1px solid #ddd; text-align: right; }
th:first-child, td:first-child { text-align: left; }
img { max-width: 100%; height: auto; } p.none { color: #555; } .wide { overflow-x: auto; }
"""
_MOST_ROWS = 12


def report(
    model: Any,
    X: Any,
    *,
    feature_names: Sequence[str] | None = None,
    title: str = "Clusters",
    notes: Sequence[str] = (),
) -> str:
    """Return an HTML page about a fitted estimator and the rows of its fit.

    Parameters
    ----------
    model : fitted softclust estimator
        The estimator that the page describes.
    X : array-like of shape (n, p)
        The rows of the fit.
    feature_names : sequence of str, default=None
        Names of the columns.
    title : str, default="Clusters"
        Heading of the page.
    notes : sequence of str
        Sentences to show first: warnings of the fit, the scaling of the rows.

    Returns
    -------
    str
        The page, with its pictures inside: it needs no other file and no network.
    """
    X = np.asarray(X, dtype=float)
    features = [f"feature {j}" for j in range(X.shape[1])] if feature_names is None else list(feature_names)
    parts = [
        _run(model, X),
        *(f"<p>{escape(note)}</p>" for note in notes),
        "<h2>Clusters</h2>",
        _clusters(model, X, features),
        *_pictures(model, X, features),
        "<h2>Rows in most doubt</h2>",
        _found(findings.doubtful(model, _MOST_ROWS), "There is one cluster only."),
        "<h2>Outliers</h2>",
        _found(findings.outliers(model, _MOST_ROWS), "None."),
        "<h2>What was told and not honoured</h2>",
        _found(findings.unsatisfied(model, _MOST_ROWS), "Nothing: all labels and pairs hold."),
        "<h2>Validity</h2>",
        _validity(model, X),
    ]
    head = f"<meta charset='utf-8'><title>{escape(title)}</title><style>{_STYLE}</style>"
    body = "\n".join([f"<h1>{escape(title)}</h1>", *parts])
    return f"<!doctype html><html lang='en'><head>{head}</head><body>{body}</body></html>"


def _table(headings: Iterable[Any], rows: Iterable[Iterable[Any]], caption: str | None = None) -> str:
    """Return a table as HTML."""
    head = "".join(f"<th>{escape(str(h))}</th>" for h in headings)
    body = "".join("<tr>" + "".join(f"<td>{escape(str(c))}</td>" for c in row) + "</tr>" for row in rows)
    words = f"<caption>{escape(caption)}</caption>" if caption else ""
    return f"<div class='wide'><table>{words}<tr>{head}</tr>{body}</table></div>"


def _run(model: Any, X: np.ndarray) -> str:
    """Return a paragraph about the run: changed parameters, size of the data, iterations and objective."""
    changed = ", ".join(
        f"{name}={value!r}"
        for name, value in model.get_params().items()
        if np.ndim(value) == 0 and not _is_default(model, name, value)
    )
    rest = "came to rest" if model.converged_ else "was stopped before it came to rest"
    return (
        f"<p>{type(model).__name__}({escape(changed)}) on {len(X)} rows and {X.shape[1]} columns; "
        f"it {rest} after {model.n_iter_} iterations with the objective {model.objective_:.6g}. "
        f"softclust {softclust.__version__}.</p>"
    )


def _is_default(model: Any, name: str, value: Any) -> bool:
    default = type(model)().get_params()[name]
    return value is default or (type(value) is type(default) and value == default)


def _clusters(model: Any, X: np.ndarray, features: list[str]) -> str:
    """Return a table of the clusters: number of rows and outliers, mean and deviation of each feature."""
    outlying, rows = outliers_of(model), []
    for k, name in enumerate(names_of(model)):
        mine = model.labels_ == k
        inside = X[mine & ~outlying]
        profile = (
            [f"{v.mean():.4g} ± {v.std():.2g}" for v in inside.T] if len(inside) else [""] * X.shape[1]
        )
        rows.append([name, (mine & ~outlying).sum(), (mine & outlying).sum(), *profile])
    return _table(["cluster", "rows", "outliers", *features], rows, "mean ± standard deviation of its rows")


def _pictures(model: Any, X: np.ndarray, features: list[str]) -> Iterator[str]:
    """Yield a heading and an embedded picture for each display that suits the model."""
    import matplotlib.pyplot as plt

    from softclust import plotting

    names = {"cluster_names": names_of(model)}
    evidential, possibilistic = hasattr(model, "masses_"), hasattr(model, "typicalities_")
    first = plotting.CredalPartitionDisplay if evidential else plotting.MembershipMapDisplay
    wanted: list[Any] = [("Map", first, {"feature_names": features, **names})] if X.shape[1] > 1 else []
    wanted += [("Memberships", plotting.MembershipHeatmapDisplay, names)]
    wanted += [("Typicalities", plotting.TypicalityDisplay, names)] if possibilistic else []
    if hasattr(model, "objective_history_") and len(model.objective_history_) > 1:
        wanted += [("Convergence", plotting.ConvergenceDisplay, {})]
    for title, display, more in wanted:
        drawn = display.from_estimator(model, X, **more)
        picture = io.BytesIO()
        drawn.figure_.savefig(picture, format="png", dpi=110)
        plt.close(drawn.figure_)
        data = base64.b64encode(picture.getvalue()).decode()
        yield f"<h2>{title}</h2><img alt='{title}' src='data:image/png;base64,{data}'>"


def _found(finding: findings.Finding | None, otherwise: str) -> str:
    """Return a finding as a table, or the sentence `otherwise` if the finding is None."""
    if finding is None:
        return f"<p class='none'>{escape(otherwise)}</p>"
    return _table(finding.headings, finding.cells, finding.title)


def _validity(model: Any, X: np.ndarray) -> str:
    """Return a table of validity indices."""
    values = validity(model, X)
    cells = [
        [name.replace("_", " "), f"{value:.4g}", "great" if INDICES[name].greater_is_better else "small"]
        for name, value in values.items()
    ]
    return _table(["index", "value", "good if"], cells)
