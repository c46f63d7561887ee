"""Reads the names of crafted files from standard input, uses each, and tells in a line what happened."""

import sys
import warnings

import numpy as np
from sklearn.datasets import load_iris

import softclust as sc
from crafted_models import RESUMED

X = load_iris().data[::3]


def check_members(P, labels):
    assert P.ndim == 2 and len(P) == len(labels), P.shape
    assert np.isfinite(P).all() and np.abs(P.sum(axis=1) - 1).max() < 1e-5, "memberships"
    assert 0 <= labels.min() and labels.max() < P.shape[1], "labels"


def use_model(path):
    try:
        model = sc.load(path)
    except sc.ModelFileError:
        return "refused"
    if not hasattr(model, "n_features_in_"):
        return "not fitted"
    given = type(model) is sc.KMedoids and model.metric == "precomputed"
    rows = np.abs(X[:, :1] - X[:, 0]) if given else X
    check_members(model.predict_proba(rows), model.predict(rows))
    for method in (
        "transform",
        "outlier_score",
        "outlier_mask",
        "predict_typicality",
        "predict_mass",
        "score",
    ):
        if hasattr(model, method):
            getattr(model, method)(rows)
    return "used"


def use_checkpoint(path, name):
    try:
        model = RESUMED[name]().set_params(checkpoint=path).fit(X)
    except sc.CheckpointError:
        return "refused"
    check_members(model.memberships_, model.labels_)
    return "used"


def answer(line):
    warnings.simplefilter("ignore")
    try:
        path, _, name = line.partition("\t")
        return use_checkpoint(path, name) if name else use_model(path)
    except BaseException as error:
        return f"wrong: {type(error).__name__}: {str(error)[:200]}"


if __name__ == "__main__":
    for line in sys.stdin:
        print(answer(line.rstrip("\n")).replace("\n", " "), flush=True)
