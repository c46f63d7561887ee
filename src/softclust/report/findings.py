"""Findings of a fit that someone should look at: doubtful rows, outliers, labels and pairs not honoured."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from softclust.explanation import cluster_names


class Finding(NamedTuple):
    """A small table with a title."""

    title: str
    headings: list[str]
    cells: list[list[Any]]


def names_of(model: Any) -> list[str]:
    """Return the names of the clusters: the classes of the labels, or numbers; no two are equal."""
    return cluster_names(model)


def outliers_of(model: Any) -> np.ndarray:
    """Return for each row whether it belongs to no cluster, (n,); all False if the model does not say."""
    return getattr(model, "outlier_mask_", np.zeros(len(model.labels_), dtype=bool))


def doubtful(model: Any, count: int) -> Finding | None:
    """Return the rows that two clusters claim most equally, without outliers; None for one cluster."""
    if model.memberships_.shape[1] < 2:
        return None
    top = np.sort(model.memberships_, axis=1)
    margin = np.where(outliers_of(model), np.inf, top[:, -1] - top[:, -2])
    rows = np.argsort(margin, kind="stable")[:count]
    cells = [[i, *(f"{u:.0%}" for u in model.memberships_[i])] for i in rows]
    return Finding(f"The {len(rows)} most doubtful rows", ["row", *names_of(model)], cells)


def outliers(model: Any, count: int) -> Finding | None:
    """Return the farthest outliers; None if there are no outliers."""
    rows = np.flatnonzero(outliers_of(model))
    if len(rows) == 0:
        return None
    names = names_of(model)
    worst = rows[np.argsort(-model.outlier_scores_[rows], kind="stable")][:count]
    cells = [[i, f"{model.outlier_scores_[i]:.3f}", names[model.labels_[i]]] for i in worst]
    return Finding(f"{len(rows)} outliers; the farthest", ["row", "score", "likeliest cluster"], cells)


def unsatisfied(model: Any, count: int) -> Finding | None:
    """Return the labels and pairs that the data outweighed; None if all labels and pairs hold."""
    said = getattr(model, "unsatisfied_", ())
    if len(said) == 0:
        return None
    names, cells = names_of(model), []
    for one in said[:count]:
        label = one["kind"] == "label"
        told, found = (names[one[key]] if label else "" for key in ("wanted", "found"))
        cells.append([one["kind"], one["row"], "" if label else one["other"], told, found])
    title = f"{len(said)} labels and pairs were not honoured; the worst"
    return Finding(title, ["what", "row", "other row", "told", "found"], cells)
