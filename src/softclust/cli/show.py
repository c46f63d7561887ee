"""What a fit found, as tables to read; and as columns to write."""

from __future__ import annotations

import numpy as np
from rich.console import Console
from rich.table import Table

from softclust.report import names_of, outliers_of


def console():
    """Words go to the standard error, so that data can be piped."""
    return Console(stderr=True)


def clusters(model, features):
    """Size, outliers and centre of each cluster."""
    table = Table(title="Clusters")
    for heading in ("cluster", "rows", "outliers", *features):
        first = heading == "cluster"
        table.add_column(str(heading), justify="left" if first else "right", no_wrap=first)
    outlying = outliers_of(model)
    centers = getattr(model, "cluster_centers_", None)
    for k, name in enumerate(names_of(model)):
        mine = model.labels_ == k
        centre = [] if centers is None else [f"{v:.4g}" for v in centers[k]]
        table.add_row(str(name), str((mine & ~outlying).sum()), str((mine & outlying).sum()), *centre)
    return table


def doubtful(model, count=5):
    """The rows that two clusters claim most equally, outliers left out; None for one cluster."""
    if model.memberships_.shape[1] < 2:
        return None
    top = np.sort(model.memberships_, axis=1)
    margin = np.where(outliers_of(model), np.inf, top[:, -1] - top[:, -2])
    table = Table(title=f"The {min(count, len(margin))} most doubtful rows")
    for heading in ("row", *map(str, names_of(model))):
        table.add_column(heading, justify="right")
    for row in np.argsort(margin, kind="stable")[:count]:
        table.add_row(str(row), *(f"{u:.0%}" for u in model.memberships_[row]))
    return table


def outliers(model, count=8, title=None):
    """The farthest of the outliers; None where there are none."""
    rows = np.flatnonzero(outliers_of(model))
    if len(rows) == 0:
        return None
    worst = rows[np.argsort(-model.outlier_scores_[rows], kind="stable")]
    table = Table(title=title or f"{len(rows)} outliers; the farthest")
    for heading in ("row", "score", "likeliest cluster"):
        table.add_column(heading, justify="right")
    names = names_of(model)
    for row in worst[:count]:
        table.add_row(str(row), f"{model.outlier_scores_[row]:.3f}", str(names[model.labels_[row]]))
    return table


def unsatisfied(model, count=8):
    """Labels and pairs that the data outweighed; None where all hold."""
    said = getattr(model, "unsatisfied_", np.empty(0))
    if len(said) == 0:
        return None
    names = names_of(model)
    table = Table(title=f"{len(said)} labels and pairs were not honoured; the worst")
    for heading in ("what", "row", "other row", "told", "found"):
        table.add_column(heading, justify="left" if heading == "what" else "right")
    for one in said[:count]:
        label = one["kind"] == "label"
        told, found = (str(names[one[key]]) if label else "" for key in ("wanted", "found"))
        table.add_row(str(one["kind"]), str(one["row"]), "" if label else str(one["other"]), told, found)
    return table


def columns(model):
    """What is told of each row, by the name of its column."""
    names = names_of(model)
    told = {"row": np.arange(len(model.labels_)), "cluster": [names[k] for k in model.labels_]}
    if hasattr(model, "outlier_mask_"):
        told["outlier"] = model.outlier_mask_.astype(int)
    if hasattr(model, "outlier_scores_"):
        told["outlier_score"] = model.outlier_scores_
    told |= {f"membership_{name}": u for name, u in zip(names, model.memberships_.T, strict=True)}
    if hasattr(model, "typicalities_"):
        told |= {f"typicality_{name}": t for name, t in zip(names, model.typicalities_.T, strict=True)}
    if hasattr(model, "masses_"):
        for mass, members_ in zip(model.masses_.T, model.focal_sets_, strict=True):
            inside = "+".join(name for name, is_in in zip(names, members_, strict=True) if is_in)
            told[f"mass_{inside or 'none'}"] = mass
    return told
