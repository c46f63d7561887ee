"""Label spreading beside scikit-learn's, and beside classifiers that see the labelled rows alone.

    python benchmarks/spreading.py battery.npz [--seeds N] [--half {0,1}]

The file has arrays names, groups, and X__name and y__name for each name; y is 0 for noise.  Every feature
has mean 0 and deviation 1.  Labels are drawn in each class, at least one.  The figures are the accuracy on
the unlabelled rows that are not noise, the mean over sets and draws, and the Brier score (lower is better).
`--half` takes every second set: choices were made on half 0.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections import defaultdict

import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.semi_supervised import LabelSpreading

from softclust import FuzzyLabelSpreading

SETTINGS = {"1 %": (0.01, 0.0), "5 %": (0.05, 0.0), "5 %, a fifth wrong": (0.05, 0.2)}
SUPERVISED = {
    "1 nearest neighbour": lambda: KNeighborsClassifier(1),
    "random forest": lambda: RandomForestClassifier(100, random_state=0),
    "logistic regression": lambda: LogisticRegression(max_iter=500),
}


def drawn(y, share, wrong, seed):
    """Labels of a share of each class, -1 for the others; some of them are changed to another class."""
    rng, told, classes = np.random.default_rng(seed), np.full(len(y), -1), np.unique(y[y > 0])
    for k in classes:
        rows = np.flatnonzero(y == k)
        told[rng.choice(rows, max(1, round(share * len(rows))), replace=False)] = k
    rows = np.flatnonzero(told > 0)
    for row in rng.choice(rows, round(wrong * len(rows)), replace=False):
        told[row] = rng.choice(classes[classes != told[row]])
    return told


def predictions(X, told):
    """(method, probabilities, classes, seconds) of every method."""
    labelled = told > 0
    start = time.perf_counter()
    model = FuzzyLabelSpreading(random_state=0, n_jobs=1).fit(X, told)
    yield "FuzzyLabelSpreading", model.memberships_, model.classes_, time.perf_counter() - start
    start = time.perf_counter()
    model = LabelSpreading(kernel="knn", n_neighbors=10, max_iter=100).fit(X, told)
    P = np.nan_to_num(model.label_distributions_, nan=0.0)
    yield "LabelSpreading, 10 neighbours", P, model.classes_, time.perf_counter() - start
    for name, make in SUPERVISED.items():
        start = time.perf_counter()
        model = make().fit(X[labelled], told[labelled])
        yield name, model.predict_proba(X), model.classes_, time.perf_counter() - start


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("battery")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--half", type=int, choices=(0, 1))
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    data = np.load(asked.battery, allow_pickle=False)
    chosen = slice(None) if asked.half is None else slice(asked.half, None, 2)
    found = defaultdict(list)
    for name, group in zip(data["names"][chosen], data["groups"][chosen], strict=True):
        X, y = data[f"X__{name}"].astype(float), data[f"y__{name}"].astype(int)
        X = (X - X.mean(axis=0)) / np.where(X.std(axis=0) > 0, X.std(axis=0), 1)
        for setting, (share, wrong) in SETTINGS.items():
            for seed in range(asked.seeds):
                told = drawn(y, share, wrong, seed)
                scored = (told < 0) & (y > 0)
                for method, P, classes, seconds in predictions(X, told):
                    right = (classes[P.argmax(axis=1)] == y)[scored].mean()
                    gap = (P - (y[:, None] == classes))[scored]
                    figures = right, (gap**2).sum(axis=1).mean(), seconds
                    found[setting, method, str(group)].append(figures)
                    found[setting, method, "all"].append(figures)
    groups = ["all", *sorted({group for *_, group in found} - {"all"})]
    print(f"| labels | method | {' | '.join(groups)} | Brier | ms |\n|---|---|{'---|' * (len(groups) + 2)}")
    for setting, method in dict.fromkeys(key[:2] for key in found):
        rights = [np.mean([f[0] for f in found[setting, method, group]]) for group in groups]
        _, brier, seconds = np.mean(found[setting, method, "all"], axis=0)
        cells = " | ".join(f"{right:.3f}" for right in rights)
        print(f"| {setting} | {method} | {cells} | {brier:.3f} | {1000 * seconds:.0f} |")


if __name__ == "__main__":
    main()
