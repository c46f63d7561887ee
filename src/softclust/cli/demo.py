"""`softclust demo`: the main task on built-in data, Iris with noise and a few labels."""

from __future__ import annotations

import numpy as np
from rich.console import Console
from sklearn.datasets import load_iris

from softclust.cli import show
from softclust.cli.report import write
from softclust.cli.tables import Output, check_apart
from softclust.estimators import FuzzyCMeans
from softclust.report import findings

NOISE_ROWS = 15
LABELS_A_CLASS = 3


def noisy_iris(seed):
    """Return Iris with rows of uniform noise, labels of a few rows (None = unknown), and feature names."""
    iris = load_iris()
    rng = np.random.default_rng(seed)
    noise = rng.uniform(0, 10, (NOISE_ROWS, iris.data.shape[1]))
    known = np.full(len(iris.data) + NOISE_ROWS, None, dtype=object)
    for k, name in enumerate(iris.target_names):
        rows = np.flatnonzero(iris.target == k)
        known[rng.choice(rows, LABELS_A_CLASS, replace=False)] = str(name)
    return np.vstack([iris.data, noise]), known, iris.feature_names


def run(out, page, seed, force):
    output, page = Output(out, force), Output(page, force)  # checked before any work
    check_apart(output, page)
    X, known, features = noisy_iris(seed)
    model = FuzzyCMeans(n_clusters=3, density_rate="auto", random_state=seed).fit(X, known)
    console = Console()
    console.print(
        f"Iris, 150 flowers, with {NOISE_ROWS} rows of noise; "
        f"{LABELS_A_CLASS} labels for each of the 3 species are known."
    )
    rows = np.flatnonzero(model.outlier_mask_)
    planted = int((rows >= len(X) - NOISE_ROWS).sum())
    title = f"{len(rows)} outliers, {planted} of them among the {NOISE_ROWS} rows of noise; the farthest"
    console.print(show.clusters(model, [name[:-5] for name in features], X, console.width))
    console.print(show.doubtful(model, 5))
    farthest = findings.outliers(model, 8)
    if farthest is not None:
        console.print(show.table(farthest._replace(title=title)))
    console.print()
    told = show.columns(model)
    output.write_table({"row": told.pop("row"), "known": [k or "" for k in known], **told})
    show.say(console, f"Memberships and outlier scores of all {len(X)} rows: {out}")
    names = [name[:-5] for name in features]
    notes = (
        f"150 flowers and {NOISE_ROWS} rows of noise; {LABELS_A_CLASS} labels of each species are known.",
    )
    try:
        write(model, X, names, page, title="Iris, with noise and a few labels", notes=notes)
        show.say(console, f"A page with pictures: {page.path}")
    except ValueError as error:
        show.say(console, str(error))
