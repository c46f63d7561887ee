"""The results of a fit, as tables to read and as columns to write."""

from __future__ import annotations

import numpy as np
from rich.console import Console
from rich.table import Table

from softclust.report.findings import names_of, outliers_of


def console():
    """Return a console on standard error, so that the data on standard output can be piped."""
    return Console(stderr=True)


def clusters(model, features):
    """Return a table of the clusters: rows that are not outliers, outliers, and centre."""
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


def table(finding):
    """Return a finding as a table; words align left, numbers right."""
    shown = Table(title=finding.title)
    for heading in finding.headings:
        shown.add_column(heading, justify="left" if heading == "what" else "right")
    for row in finding.cells:
        shown.add_row(*map(str, row))
    return shown


def columns(model):
    """Return the results of each row: a dict of columns by name."""
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
