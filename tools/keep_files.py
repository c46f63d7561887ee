"""Write one model file of every kind, a checkpoint and a session, which every later version must read.

    python tools/keep_files.py

The files go to tests/storage/kept/VERSION with what the models say of some rows.  They are written once for
each version, before its release, and never again: `tests/storage/test_kept_files.py` reads all for ever.
"""

from __future__ import annotations

import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import load_iris

import softclust
from softclust.active import Session

KEPT = Path(__file__).resolve().parent.parent / "tests" / "storage" / "kept"


def models() -> dict[str, Any]:
    """Return a fitted model for each named algorithm, and those that have no name."""
    X, truth = load_iris(return_X_y=True)
    y = np.full(len(X), -1)
    y[::10] = truth[::10]
    pairs = {"must_link": np.array([[0, 1], [60, 61]]), "cannot_link": np.array([[0, 60]])}
    found = {}
    for name, entry in softclust.catalogue().items():
        model = softclust.make(name, n_clusters=3).set_params(random_state=0)
        links = pairs if {"cecm", "lpecm", "pckmeans", "pcca"} & {name} else {}
        found[name] = model.fit(X, None if entry.estimator == "KMedoids" else y, **links)
    for estimator in ("FuzzyCMeans", "EvidentialCMeans", "GaussianMixture", "PossibilisticFuzzyCMeans"):
        found[estimator] = getattr(softclust, estimator)(3, random_state=0).fit(X)
    found["FuzzyLabelSpreading"] = softclust.FuzzyLabelSpreading(random_state=0).fit(X, y)
    found["text-classes"] = softclust.FuzzyCMeans(3, random_state=0).fit(X, np.where(y < 0, None, "class"))
    return found


def main() -> None:
    folder = KEPT / softclust.__version__
    if folder.exists():
        sys.exit(f"{folder} is there already; kept files are never written again.")
    folder.mkdir(parents=True)
    X = load_iris().data
    answers = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # some methods do not suit this data, and say so
        for name, model in models().items():
            softclust.save(model, folder / f"{name}.zip")
            answers[name] = np.asarray(
                model.predict_proba(X[::7]) if hasattr(model, "predict_proba") else model.transform(X[::7])
            )
        softclust.FuzzyCMeans(3, random_state=0, checkpoint=folder / "checkpoint").fit(X)
    session = Session.start(X, softclust.FuzzyCMeans(3, random_state=0))
    session = session.tell(0, "setosa").tell(60, {"versicolor", "virginica"}).tell(70, {"versicolor": 0.75})
    session = session.tell(5, None).skip(3).link(1, 2, same=True).link(1, 80, same=False).undo()
    session.save(folder / "session.jsonl")
    np.savez_compressed(folder / "answers.npz", **answers)


if __name__ == "__main__":
    main()
