"""How good the answers are, with the defaults of every estimator, beside scikit-learn and scikit-fuzzy.

    python benchmarks/quality.py [--only clusters|labels|outliers] [--seeds N] [--quick]
                                 [--battery PATH] [--sets bundled generated battery]

Sets: those of scikit-learn and softclust (bundled), generated ones, and those of an .npz file (battery)
with the arrays `names`, `groups`, and for each name X__name and y__name, where 0 = noise.  Every feature is
z-scored, and a set has at most 6,000 rows.  Noise rows are fitted, but are left out of every score.

clusters: the true number of clusters is given.  ARI is the mean over sets of the adjusted Rand index of
the labels, with its 95 % interval; `p >= 8` is the same for sets with 8 features or more.  `collapsed` is
the share of fits with two centres nearer than .05 of the rms distance of rows to their nearest centre;
`few` the share of fits with fewer labels than clusters asked for; `silent` the share of the fits of both
kinds that gave no warning at all.  `Brier` is the mean Brier skill of the memberships; `s` the median time
of a fit.
labels: accuracy on the unlabelled rows with 1, 5 and 10 % of the rows labelled, one of each class at least;
with 5 %, of which a fifth is wrong; and with 5 % and a fifth of further rows, uniform noise.
outliers: area under the ROC curve of `outlier_scores_`, by kind of outlier, and on noise rows of the sets.
A fit above 60 s is given up; a note says so, and the means leave it out.
Promised: with defaults no fit of FCM, PFCM, IPCM and ECM collapses.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy.spatial.distance import cdist, pdist
from sklearn.metrics import adjusted_rand_score, roc_auc_score

import quality_sets
import softclust
from common import machine, parser, print_table, verdict
from quality_runs import Contestant, Run, interval, mean, share
from quality_sets import LabelledSet, Set
from softclust.metrics import brier_skill

NEAR, WIDE, QUICK_ROWS = 0.05, 8, 1_000
COLLECTIONS, PARTS = ("bundled", "generated", "battery"), ("clusters", "labels", "outliers")
PEERS = ("scikit-learn KMeans", "scikit-learn GaussianMixture", "scikit-fuzzy cmeans")
OURS = (
    "FuzzyCMeans",
    "PossibilisticCMeans",
    "PossibilisticFuzzyCMeans",
    "ImprovedPossibilisticCMeans",
    "EvidentialCMeans",
    "GaussianMixture",
    "HardCMeans",
    "KMedoids",
)
PROMISED = {
    "FuzzyCMeans": "FCM",
    "PossibilisticFuzzyCMeans": "PFCM",
    "ImprovedPossibilisticCMeans": "IPCM",
    "EvidentialCMeans": "ECM",
}
LABELLED = {  # column: share of labels, share of wrong labels, share of noise rows
    "1 %": (0.01, 0.0, 0.0),
    "5 %": (0.05, 0.0, 0.0),
    "10 %": (0.1, 0.0, 0.0),
    "5 %, wrong": (0.05, 0.2, 0.0),
    "5 %, noise": (0.05, 0.0, 0.2),
}
SCORERS = ("IsolationForest", "LocalOutlierFactor", "10th neighbour")


# ---------------------------------------------------------------------- clusters
class Clustering(NamedTuple):
    """The answer of one fit."""

    labels: np.ndarray
    memberships: np.ndarray
    centers: np.ndarray


def clustering(name: str, X: np.ndarray, c: int, seed: int) -> Clustering:
    """Fit a contestant with its defaults."""
    if name == "scikit-learn KMeans":
        from sklearn.cluster import KMeans

        model = KMeans(c, random_state=seed).fit(X)
        return Clustering(model.labels_, np.eye(c)[model.labels_], model.cluster_centers_)
    if name == "scikit-learn GaussianMixture":
        from sklearn.mixture import GaussianMixture

        model = GaussianMixture(c, random_state=seed).fit(X)
        U = model.predict_proba(X)
        return Clustering(U.argmax(axis=1), U, model.means_)
    if name == "scikit-fuzzy cmeans":
        from skfuzzy import cmeans

        centers, U, *_ = cmeans(X.T, c, 2.0, 1e-5, 300, seed=seed)
        return Clustering(U.argmax(axis=0), U.T, centers)
    model = getattr(softclust, name)(c, random_state=seed).fit(X)
    return Clustering(model.labels_, model.memberships_, model.cluster_centers_)


def clusters_part(sets: Sequence[Set], seeds: int) -> dict[str, list[float]]:
    """Print the table of clusterings; return for each contestant which of its fits collapsed."""
    wide = [one for one in sets if one.X.shape[1] >= WIDE]
    everyone = [Contestant(name) for name in (*PEERS, *OURS)]
    table = []
    for one in everyone:
        measure_clusterings(one, sets, seeds)
        table.append([
            one.name, interval(one.of_sets(["ari"], sets)), interval(one.of_sets(["ari"], wide)),
            mean(one.of_sets(["collapsed"], sets)), mean(one.of_sets(["few"], sets)),
            share(one.all_values("silent")), mean(one.of_sets(["brier"], sets)), one.seconds(),
        ])  # fmt: skip
    print_table(["", "ARI", f"p >= {WIDE}", "collapsed", "few", "silent", "Brier", "s"], table)
    for one in everyone:
        one.show_lost()
    return {one.name: one.all_values("collapsed") for one in everyone}


def measure_clusterings(contestant: Contestant, sets: Sequence[Set], seeds: int) -> None:
    """Fit every set with every seed."""
    calls = (
        (one, partial(clustering, contestant.name, one.X, one.clusters, seed))
        for one in sets
        for seed in range(seeds)
    )
    for one, run in contestant.runs(calls):
        for column, value in clustering_scores(one, run).items():
            contestant.add(column, one, value)


def clustering_scores(one: Set, run: Run) -> dict[str, float]:
    """Scores of one fit; `silent` only if the fit collapsed or has too few labels."""
    known, answer = one.known, run.answer
    collapsed = is_collapsed(one.X, answer.centers)
    few = len(np.unique(answer.labels)) < one.clusters
    scores = {
        "ari": adjusted_rand_score(one.y[known], answer.labels[known]),
        "brier": brier_skill(answer.memberships[known], one.y[known]),
        "collapsed": collapsed,
        "few": few,
    }
    return {**scores, "silent": not run.warned} if collapsed or few else scores


def is_collapsed(X: np.ndarray, centers: np.ndarray) -> bool:
    """Whether two centres are nearer than NEAR times the rms distance of rows to their nearest centre."""
    if len(centers) < 2:
        return False
    rms = np.sqrt((cdist(X, centers).min(axis=1) ** 2).mean())
    return bool(pdist(centers).min() < NEAR * rms)


# ---------------------------------------------------------------------- labels
def labelled_models() -> dict[str, Callable[[LabelledSet], np.ndarray]]:
    """Functions of a set with some labels, which return the class of each row."""
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.semi_supervised import LabelSpreading

    def ours(name: str, one: LabelledSet) -> np.ndarray:
        model = getattr(softclust, name)(one.clusters, random_state=one.seed)
        return model.fit(one.X, one.given).labels_

    def spread(model: Any, one: LabelledSet) -> np.ndarray:
        return model.fit(one.X, one.given).predict(one.X)

    def supervised(model: Any, one: LabelledSet) -> np.ndarray:
        told = one.given >= 0
        return model.fit(one.X[told], one.given[told]).predict(one.X)

    models = {name: partial(ours, name) for name in ("FuzzyCMeans", "HardCMeans", "GaussianMixture")}
    if hasattr(softclust, "FuzzyLabelSpreading"):
        models["FuzzyLabelSpreading"] = lambda one: spread(seeded_label_spreading(one.seed), one)
    models["1 nearest neighbour"] = partial(supervised, KNeighborsClassifier(1))
    models["LabelSpreading, 10 neighbours"] = partial(spread, LabelSpreading(kernel="knn", n_neighbors=10))
    models["LogisticRegression"] = partial(supervised, LogisticRegression(max_iter=1000))
    models["RandomForest"] = lambda one: supervised(RandomForestClassifier(random_state=one.seed), one)
    return models


def seeded_label_spreading(seed: int) -> Any:
    """FuzzyLabelSpreading with its defaults, and with the seed if it has one."""
    model = softclust.FuzzyLabelSpreading()
    return model.set_params(random_state=seed) if "random_state" in model.get_params() else model


def labels_part(sets: Sequence[Set], seeds: int) -> None:
    """Print the accuracy on unlabelled rows, with a column for each entry of LABELLED."""
    models = labelled_models()
    everyone = {name: Contestant(name) for name in models}
    for column, shares in LABELLED.items():
        hidden = [quality_sets.labelled(one, *shares, seed) for one in sets for seed in range(seeds)]
        for name, model in models.items():
            for one, run in everyone[name].runs((one, partial(model, one)) for one in hidden):
                everyone[name].add(column, one, (run.answer == one.y)[one.scored].mean())
    table = [
        [name, *(mean(one.of_sets([column], sets)) for column in LABELLED), one.seconds()]
        for name, one in everyone.items()
    ]
    print_table(["accuracy", *LABELLED, "s"], table)
    for one in everyone.values():
        one.show_lost()


# ---------------------------------------------------------------------- outliers
def outlier_scores(name: str, X: np.ndarray, c: int, seed: int) -> np.ndarray:
    """(n,) scores of a contestant; greater is more outlying."""
    if name == "IsolationForest":
        from sklearn.ensemble import IsolationForest

        return -IsolationForest(random_state=seed).fit(X).score_samples(X)
    if name == "LocalOutlierFactor":
        from sklearn.neighbors import LocalOutlierFactor

        return -LocalOutlierFactor().fit(X).negative_outlier_factor_
    if name == "10th neighbour":
        from sklearn.neighbors import NearestNeighbors

        return NearestNeighbors(n_neighbors=10).fit(X).kneighbors()[0][:, -1]
    return getattr(softclust, name)(c, random_state=seed).fit(X).outlier_scores_


def outliers_part(sets: Sequence[Set], seeds: int) -> None:
    """Print the area under the ROC curve, with a column for each kind of outlier."""
    kinds = list(dict.fromkeys(one.group for one in sets))
    ours = [name for name in OURS if name != "KMedoids"]  # KMedoids has no outlier_scores_
    everyone = [Contestant(name) for name in (*SCORERS, *ours)]
    table = []
    for one in everyone:
        calls = (
            (rows, partial(outlier_scores, one.name, rows.X, rows.clusters, seed))
            for rows in sets
            for seed in range(seeds)
        )
        for rows, run in one.runs(calls):
            one.add(rows.group, rows, roc_auc_score(~rows.known, run.answer))
        cells = [mean(one.of_sets([kind], sets)) for kind in kinds]
        table.append([one.name, *cells, mean(one.of_sets(kinds, sets)), one.seconds()])
    counts = [f"{kind} ({sum(rows.group == kind for rows in sets)})" for kind in kinds]
    print_table(["ROC-AUC", *counts, "all", "s"], table)
    for one in everyone:
        one.show_lost()


# ---------------------------------------------------------------------- all parts
def collections(wanted: Sequence[str], path: Path | None, quick: bool) -> dict[str, list[Set]]:
    """The sets of each collection."""
    made: dict[str, Iterable[Set]] = {
        "bundled": quality_sets.bundled(),
        "generated": quality_sets.generated(),
    }
    if path is not None:
        made["battery"] = quality_sets.battery(path)
    return {name: shortened(list(sets), quick) for name, sets in made.items() if name in wanted}


def shortened(sets: list[Set], quick: bool) -> list[Set]:
    """All sets; if `quick`, a third of them, and at most QUICK_ROWS rows of each."""
    if not quick:
        return sets
    return [quality_sets.make_set(one.name, one.group, one.X, one.y, QUICK_ROWS) for one in sets[::3]]


def noisy_sets(found: dict[str, list[Set]], quick: bool) -> list[Set]:
    """Sets with added outliers, unless only a battery is measured, and all sets that have noise rows."""
    made = shortened(list(quality_sets.outlier_sets()), quick) if found.keys() - {"battery"} else []
    for name, sets in found.items():
        made += [Set(one.name, f"{name}, noise", one.X, one.y) for one in sets if not one.known.all()]
    return made


def promises(collapsed: dict[str, list[float]]) -> list[bool]:
    """Print a verdict for each estimator whose fits must not collapse."""
    return [
        verdict(
            f"{short} with defaults: no fit collapses", share(collapsed[name]), not any(collapsed[name])
        )
        for name, short in PROMISED.items()
        if name in collapsed
    ]


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--only", choices=PARTS, help="one part (all)")
    options.add_argument("--seeds", type=int, default=3, help="number of seeds of every fit (3)")
    options.add_argument("--quick", action="store_true", help="a third of the sets, 1,000 rows, one seed")
    options.add_argument("--battery", type=Path, help=".npz file of further sets")
    options.add_argument("--sets", nargs="+", default=COLLECTIONS, choices=COLLECTIONS, help="(all)")
    args = options.parse_args()
    seeds = 1 if args.quick else args.seeds
    parts = (args.only,) if args.only else PARTS
    found = collections(args.sets, args.battery, args.quick)
    print(f"{machine()}; seeds: {seeds}", flush=True)
    collapsed: dict[str, list[float]] = defaultdict(list)
    for name, sets in found.items():
        if "clusters" in parts:
            print(f"\nclusters, {name}: {len(sets)} sets", flush=True)
            for model, values in clusters_part(sets, seeds).items():
                collapsed[model] += values
        if "labels" in parts:
            print(f"\nlabels, {name}: {len(sets)} sets", flush=True)
            labels_part(sets, seeds)
    noisy = noisy_sets(found, args.quick) if "outliers" in parts else []
    if noisy:
        print(f"\noutliers: {len(noisy)} sets", flush=True)
        outliers_part(noisy, seeds)
    print()
    kept = promises(collapsed)
    sys.exit(args.strict and not all(kept))


if __name__ == "__main__":
    main()
