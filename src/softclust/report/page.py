"""One page about a fit: a self-contained HTML file with its words, tables and pictures."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from importlib.resources import files
from typing import Any

import numpy as np

import softclust
from softclust.explanation.names import RowNames, number
from softclust.report import clusters, quality, rows, told
from softclust.report.facts import Facts
from softclust.report.glossary import GLOSSARY, anchor, glossary
from softclust.report.html import Html, joined, paragraph, section, tag
from softclust.report.summary import summary

_CONTENTS = {
    "clusters": "Clusters",
    "map": "Map",
    "sure": "How sure",
    "doubt": "Doubt",
    "outliers": "Outliers",
    "told": "Labels and pairs",
    "rows": "Rows",
    "classes": "Known classes",
    "validity": "Validity",
    "fit": "The fit",
}


def report(
    model: Any,
    X: Any,
    *,
    feature_names: Sequence[str] | None = None,
    row_names: RowNames | Sequence[Any] | None = None,
    title: str = "Clusters",
    notes: Sequence[str] = (),
    scaling: Any = None,
    labels: Any = None,
    classes: Any = None,
) -> str:
    """Return an HTML page about a fitted estimator and the rows of its fit.

    Parameters
    ----------
    model : fitted softclust estimator
        The estimator that the page describes.
    X : array-like of shape (n, p)
        The rows of the fit.
    feature_names : sequence of str, default=None
        Names of the columns; None takes those that the model knows from its fit.
    row_names : sequence of length n, default=None
        Names of the rows; None are positions from 0.  `softclust.explanation.RowNames` have a noun of their
        own too, such as "line".
    title : str, default="Clusters"
        Heading of the page.
    notes : sequence of str
        Sentences to show first: warnings of the fit, the scaling of the rows.
    scaling : array-like of shape (2, p), default=None
        Means and deviations by which the rows were standardised: the page is then in units before that.
    labels : array-like of shape (n,) or (n, c), default=None
        The labels that the fit was told, to name the nearest labelled rows and labels that look wrong.
    classes : array-like of shape (n,), default=None
        The true classes, as far as known, to compare memberships with; -1, None or NaN if not known.

    Returns
    -------
    str
        The page: it needs no other file, no network and no script from elsewhere.  Its size hardly grows
        with the number of rows.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from softclust import FuzzyCMeans
    >>> from softclust.report import report
    >>> iris = load_iris()
    >>> page = report(FuzzyCMeans(3, random_state=0).fit(iris.data), iris.data, title="Iris")
    >>> "150 rows fall into 3 clusters" in page
    True
    """
    scaling = None if scaling is None else np.asarray(scaling, dtype=np.float64)
    named = RowNames.of(row_names, len(model.labels_))
    facts = Facts(model, X, feature_names, scaling, labels, classes, named)
    if len(facts.points) != len(facts.own):
        raise ValueError(
            f"X has {len(facts.points)} rows, but the model was fitted on {len(facts.own)}: give those."
        )
    sections = [
        clusters.clusters(facts),
        clusters.picture(facts),
        clusters.sureness(facts),
        rows.doubtful(facts),
        rows.outliers(facts),
        told.told(facts),
        rows.listing(facts),
        quality.agreement(facts),
        quality.indices(facts),
        _fit(facts),
    ]
    said = joined([summary(facts), *(paragraph(note, class_="note") for note in notes)])
    body = [tag("header", tag("h1", title)), said, _contents(sections), *sections]
    body.append(glossary([word for word in GLOSSARY if f"#{anchor(word)}" in "".join(map(str, body))]))
    return _document(title, tag("main", *body))


def _contents(sections: Sequence[Html | None]) -> Html:
    """Return links to the sections."""
    page = joined(sections)
    links = (tag("a", words, href=f"#{id_}") for id_, words in _CONTENTS.items() if f'id="{id_}"' in page)
    return tag("nav", *links, aria_label="Contents")


def _fit(facts: Facts) -> Html:
    """Return the section about the run: changed parameters, size of the data, iterations and objective."""
    model, (n, p) = facts.model, facts.points.shape
    defaults = type(model)().get_params()
    changed = ", ".join(
        f"{name}={value!r}"
        for name, value in model.get_params().items()
        if np.ndim(value) == 0 and not _is_same(value, defaults[name])
    )
    said = [f"{type(model).__name__}({changed}) on {n:,} rows and {p:,} columns."]
    if hasattr(model, "n_iter_"):
        rest = "came to rest" if model.converged_ else "was stopped before it came to rest"
        end = f" with the objective {number(float(model.objective_))}"
        said.append(f" It {rest} after {model.n_iter_} iterations{end}.")
    return section("The fit", paragraph(*said, f" softclust {softclust.__version__}."), id_="fit")


def _is_same(value: Any, default: Any) -> bool:
    return value is default or (type(value) is type(default) and value == default)


def _document(title: str, body: Html) -> str:
    """Return the whole document; its policy allows its own style and script, and nothing else."""
    style, script = (_static(name) for name in ("page.css", "page.js"))
    policy = (
        f"default-src 'none'; style-src {_digest(style)}; script-src {_digest(script)}; "
        "base-uri 'none'; form-action 'none'"
    )
    head = [
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=policy),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("title", title),
        tag("style", style),
    ]
    end = tag("script", script)
    page = tag("html", tag("head", *head), tag("body", body, end), lang="en")
    return f"<!doctype html>\n{page}\n"


def _static(name: str) -> Html:
    """Return a file of this package, which needs no escaping."""
    return Html(files("softclust.report").joinpath(name).read_text(encoding="utf-8"))


def _digest(text: str) -> str:
    """Return the digest by which a policy allows a style or a script."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
