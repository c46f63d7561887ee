"""Try an installed softclust: every estimator, every named algorithm, files, the command line, plots.

    python tools/smoke.py

Ends with status 0 and one line if all of it works.  Needs the extras `cli` and `plot`.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

import numpy as np
from sklearn.datasets import load_iris

import softclust
from softclust.versions import version_line

NEEDS = {  # what named algorithms cannot do without
    "labels": {"skmeans", "sfcm", "srpcm", "spcm", "spfcm", "secm", "lpecm"},
    "pairs": {"pckmeans", "cop-kmeans", "pcca", "cecm", "lpecm"},
}


def fits(X: np.ndarray, truth: np.ndarray) -> int:
    """Fit and predict with every named algorithm; return how many there are."""
    y = np.full(len(X), -1)
    y[::10] = truth[::10]
    pairs = {"must_link": np.array([[0, 1], [60, 61]]), "cannot_link": np.array([[0, 60]])}
    names = softclust.catalogue()
    for name in names:
        model = softclust.make(name, n_clusters=3).set_params(random_state=0)
        links = pairs if name in NEEDS["pairs"] else {}
        model.fit(X, y if name in NEEDS["labels"] else None, **links)
        found = model.predict(X)
        assert found.shape == (len(X),), name
        assert set(found) <= {-1, 0, 1, 2}, name
    return len(names)


def files(X: np.ndarray, folder: Path) -> None:
    """Save and load a model."""
    model = softclust.FuzzyCMeans(3, random_state=0).fit(X)
    softclust.save(model, folder / "saved.zip")
    assert np.array_equal(softclust.load(folder / "saved.zip").predict(X), model.labels_)


def command_line(X: np.ndarray, folder: Path) -> None:
    """Cluster a file, predict, draw, report."""
    lines = ["a,b,c,d", *(",".join(map(str, row)) for row in X)]
    (folder / "rows.csv").write_text("\n".join(lines) + "\n")
    for command in (
        "fit rows.csv --clusters 3 --out memberships.csv --model rows.zip --report report.html",
        "predict rows.zip rows.csv --out again.csv",
        "plot rows.zip rows.csv --out map.png",
        "methods",
    ):
        whole = [sys.executable, "-m", "softclust", *command.split()]
        done = subprocess.run(whole, cwd=folder, capture_output=True, text=True)
        assert done.returncode == 0, f"softclust {command}\n{done.stdout}{done.stderr}"
    for name in ("memberships.csv", "rows.zip", "report.html", "again.csv", "map.png"):
        assert (folder / name).stat().st_size > 100, name


def main() -> None:
    X, truth = load_iris(return_X_y=True)
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # some methods do not suit this data, and say so
        number = fits(X, truth)
        files(X, Path(folder))
        command_line(X, Path(folder))
    print(f"{number} algorithms, files, the command line and plots work: {version_line()}")


if __name__ == "__main__":
    main()
