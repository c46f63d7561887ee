"""The main job on embedded data: a noisy Iris of which an expert knows a little."""

from __future__ import annotations

import csv

import numpy as np
from rich.console import Console
from rich.table import Table
from sklearn.datasets import load_iris

from softclust.estimators import FuzzyCMeans

NOISE_ROWS = 15
LABELS_A_CLASS = 3


def noisy_iris(seed):
    """Iris with uniform noise rows, and labels for a few of its rows (None = not known)."""
    iris = load_iris()
    rng = np.random.default_rng(seed)
    noise = rng.uniform(0, 10, (NOISE_ROWS, iris.data.shape[1]))
    known = np.full(len(iris.data) + NOISE_ROWS, None, dtype=object)
    for k, name in enumerate(iris.target_names):
        rows = np.flatnonzero(iris.target == k)
        known[rng.choice(rows, LABELS_A_CLASS, replace=False)] = str(name)
    return np.vstack([iris.data, noise]), known, iris.feature_names


def run(out, seed, force):
    if out.exists() and not force:
        raise ValueError(f"{out} exists; nothing was written. Use --force to replace it, or --out.")
    X, known, features = noisy_iris(seed)
    model = FuzzyCMeans(n_clusters=3, density_rate="auto", random_state=seed).fit(X, known)
    console = Console()
    console.print(
        f"Iris, 150 flowers, with {NOISE_ROWS} rows of noise; "
        f"{LABELS_A_CLASS} labels for each of the 3 species are known."
    )
    console.print(_clusters(model, features))
    console.print(_doubtful(model))
    console.print(_outliers(model))
    _write(out, model, known)
    console.print(f"Memberships and outlier scores of all {len(X)} rows: {out}")


def _clusters(model, features):
    table = Table(title="Clusters")
    for heading in ("cluster", "rows", "outliers", *(f"{name[:-5]}" for name in features)):
        first = heading == "cluster"
        table.add_column(heading, justify="left" if first else "right", no_wrap=first)
    for k, name in enumerate(model.classes_):
        mine = model.labels_ == k
        inside = mine & ~model.outlier_mask_
        centre = (f"{v:.2f}" for v in model.cluster_centers_[k])
        table.add_row(str(name), str(inside.sum()), str((mine & ~inside).sum()), *centre)
    return table


def _doubtful(model, count=5):
    """The rows that two clusters claim most equally, outliers left out."""
    top = np.sort(model.memberships_, axis=1)
    margin = np.where(model.outlier_mask_, np.inf, top[:, -1] - top[:, -2])
    table = Table(title=f"The {count} most doubtful rows")
    for heading in ("row", *map(str, model.classes_)):
        table.add_column(heading, justify="right")
    for row in np.argsort(margin)[:count]:
        table.add_row(str(row), *(f"{u:.0%}" for u in model.memberships_[row]))
    return table


def _outliers(model, count=8):
    rows = np.flatnonzero(model.outlier_mask_)
    worst = rows[np.argsort(-model.outlier_scores_[rows])]
    planted = int((rows >= len(model.labels_) - NOISE_ROWS).sum())
    table = Table(
        title=f"{len(rows)} outliers, {planted} of them among the {NOISE_ROWS} rows of noise; the farthest"
    )
    for heading in ("row", "score", "likeliest cluster"):
        table.add_column(heading, justify="right")
    for row in worst[:count]:
        name = str(model.classes_[model.labels_[row]])
        table.add_row(str(row), f"{model.outlier_scores_[row]:.3f}", name)
    return table


def _write(out, model, known):
    names = [str(name) for name in model.classes_]
    with open(out, "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(
            ["row", "known", "cluster", "outlier", "outlier_score"]
            + [f"membership_{name}" for name in names]
        )
        for i, label in enumerate(model.labels_):
            writer.writerow(
                [i, known[i] or "", names[label], int(model.outlier_mask_[i])]
                + [f"{model.outlier_scores_[i]:.6f}"]
                + [f"{u:.6f}" for u in model.memberships_[i]]
            )
