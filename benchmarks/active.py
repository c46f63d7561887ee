"""Questions chosen by a strategy beside questions drawn by lot, asked of a simulated expert.

    python benchmarks/active.py [--repetitions N] [--parts PART ...] [--battery FILE]

The figures are areas under curves, times 100: the strategy minus random, the mean over repetitions with
the same held rows, and below the mean over sets with a 95 % interval by Student's t. 60 answers in
batches of 5. `held`: the 30 % of the rows that are never asked. `given`: all rows, the asked rows with
the expert's answer. acc is accuracy after the best matching, ARI the adjusted Rand index; promises are
about ARI. Sets marked * had no part in the choice of the strategy. Every feature has mean 0 and
deviation 1. Sets on which random questions reach an ARI above .999 have no room for a gain: they are
printed, but not counted. `room` is what the held ARI would gain beside random questions if every row that
may be asked were told: where it is below 3, no strategy can gain 3.
"""

from __future__ import annotations

import argparse
import time
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy import stats
from sklearn.metrics import roc_auc_score

from quality_sets import Set, battery, bundled, generated, make_set
from softclust import (
    EvidentialCMeans,
    FuzzyCMeans,
    FuzzyLabelSpreading,
    GaussianMixture,
    PossibilisticFuzzyCMeans,
)
from softclust.active import Session, ask_rows, doubted_labels, simulate

SEEN = ("iris", "wine", "breast cancer", "ecoli", "letters IJL", "overlapping p=2 c=4",
        "unbalanced p=32 c=4", "uniform noise p=2 c=4", "glass", "digits", "unbalanced p=2 c=3",
        "uniform noise p=8 c=4", "moons", "spreads", "stretched p=8 c=4", "blobs p=16 c=12",
        "overlapping p=8 c=4", "stretched p=2 c=4", "unbalanced p=8 c=2",
        "uniform noise p=32 c=4")  # fmt: skip
NEW = ("blobs p=4 c=5", "blobs p=32 c=20", "blobs p=64 c=10", "overlapping p=32 c=6",
       "unbalanced p=64 c=2", "stretched p=32 c=4", "circles", "rings", "x2000", "gauss k2")  # fmt: skip
MOST_ROWS = 400
NO_ROOM = 0.999  # ARI of random questions above which nothing is left to gain
FLIPPED = ("iris", "wine", "breast cancer", "ecoli", "letters IJL", "digits")
SCORES = {"held": "held acc", "held_ari": "held ARI", "given": "given acc", "given_ari": "given ARI"}
PARTS = ("models", "curves", "noise", "labels", "speed")
BUDGETS = (0, 10, 20, 40, 60)


def sets(path: Path | None = None) -> list[Set]:
    """The sets in the order of the lists, or those of a file that the lists do not name."""
    every = {one.name: one for one in (*bundled(), *generated())}
    found = [every[name] for name in (*SEEN, *NEW)]
    if path is not None:
        found = [one for one in battery(path) if one.group == "real" and one.name not in (*SEEN, "cancer")]
    return [make_set(one.name, "", one.X, one.y, MOST_ROWS) for one in found]


def mean_with_interval(values: list[float]) -> str:
    """A mean, and its 95 % interval."""
    values = np.asarray(values)
    half = stats.t.ppf(0.975, len(values) - 1) * stats.sem(values) if len(values) > 1 else np.nan
    return f"{values.mean():+.1f} [{values.mean() - half:+.1f}, {values.mean() + half:+.1f}]"


ESTIMATORS = {
    "FuzzyCMeans": lambda c: FuzzyCMeans(c, n_jobs=1),
    "FuzzyLabelSpreading": lambda c: FuzzyLabelSpreading(n_jobs=1),
}
WEIGHTED, SEVERAL = "FCM, labels weigh 5 rows", "FCM, 3 clusters a class"
TIED = "tied mixture, labels weigh 5 rows"
FORMS: dict[str, tuple[Any, dict[str, Any]]] = {
    WEIGHTED: (ESTIMATORS["FuzzyCMeans"], {"label_weight": 5.0}),
    SEVERAL: (ESTIMATORS["FuzzyCMeans"], {"clusters_per_class": 3}),
    TIED: (lambda c: GaussianMixture(c, covariance_type="tied", n_jobs=1), {"label_weight": 5.0}),
    "FuzzyLabelSpreading": (ESTIMATORS["FuzzyLabelSpreading"], {}),
    "FCM, labels may spread": (ESTIMATORS["FuzzyCMeans"], {"spreading": "auto"}),
}


MODELS = {
    "FuzzyCMeans": (ESTIMATORS["FuzzyCMeans"], {}),
    WEIGHTED: FORMS[WEIGHTED],
    SEVERAL: FORMS[SEVERAL],
    "full mixture": (lambda c: GaussianMixture(c, n_jobs=1), {}),
    TIED: FORMS[TIED],
    "FuzzyLabelSpreading": FORMS["FuzzyLabelSpreading"],
    "FCM, labels may spread": FORMS["FCM, labels may spread"],
}


@dataclass(frozen=True)
class Row:
    """What doubt-mix gained on one set, and what its questions met."""

    one: Set
    gains: dict[str, float]
    has_room: bool
    room: float  # of the held ARI
    random_ari: float
    classes: dict[str, np.ndarray]  # seen after the last answer, of each repetition
    noise: dict[str, float]


def measured(form: str, one: Set, repetitions: int, wrong: float) -> Row:
    """Simulate one set."""
    make, options = FORMS[form]
    found = simulate(make(one.clusters), one.X, one.y, strategies=("doubt-mix", "random"),
                     label_noise=wrong, repetitions=repetitions, n_jobs=-1, **options)  # fmt: skip
    n = len(one.y)
    whole = simulate(make(one.clusters), one.X, one.y, strategies=["random"], budget=n, batch=n,
                     label_noise=wrong, repetitions=repetitions, n_jobs=-1, **options)  # fmt: skip
    areas = {score: found.area(score) for score in SCORES}
    gains = {score: 100 * float((a["doubt-mix"] - a["random"]).mean()) for score, a in areas.items()}
    last = {
        what: {s: found.table(s, what)[1][:, -1] for s in found.strategies} for what in ("classes", "noise")
    }
    reached = float(areas["given_ari"]["random"].mean())
    most = float(whole.table("random", "held_ari")[1][:, -1].mean())
    room = 100 * (most - float(areas["held_ari"]["random"].mean()))
    noise = {s: float(values.mean()) for s, values in last["noise"].items()}
    return Row(one, gains, reached <= NO_ROOM, room, 100 * reached, last["classes"], noise)


def curves(asked: argparse.Namespace, form: str, wrong: float) -> list[Row]:
    """Print the table of one form, and return its rows."""
    print(f"\n{form}, {wrong:.0%} of the answers wrong: doubt-mix minus random\n")
    headings = ("set", "random given ARI", "room", *SCORES.values(), "classes seen", "on noise, by lot")
    print(f"| {' | '.join(headings)} |")
    print("|---|---|---|---|---|---|---|---|---|")
    rows = []
    for one in sets(asked.battery):
        rows.append(row := measured(form, one, asked.repetitions, wrong))
        cells = " | ".join(f"{gain:+.1f}" for gain in row.gains.values())
        noisy = f"{row.noise['doubt-mix']:.1f}, {row.noise['random']:.1f}" if (one.y < 0).any() else ""
        mark = "" if one.name in SEEN else "*"
        seen = f"{row.classes['doubt-mix'].mean():.1f} of {one.clusters}"
        print(
            f"| {one.name}{mark} | {row.random_ari:.1f} | {row.room:+.1f} | {cells} | {seen} | {noisy} |",
            flush=True,
        )
    for what, some in (("all", rows), ("new*", [row for row in rows if row.one.name not in SEEN])):
        words = [f"{SCORES[score]} {summary(some, score)}" for score in SCORES]
        print(f"{what}: {'; '.join(words)}")
    return rows


def gained(rows: list[Row], score: str) -> list[float]:
    """The gains on the sets where there is room for one."""
    return [row.gains[score] for row in rows if row.has_room]


def summary(rows: list[Row], score: str) -> str:
    """The mean gain with its interval, and on how many sets it is above 0."""
    gains = gained(rows, score)
    return f"{mean_with_interval(gains)} ({sum(gain > 0 for gain in gains)} of {len(gains)} above)"


def promise(holds: bool, words: str) -> None:
    print(f"{'PASS' if holds else 'MISS'}  {words}", flush=True)


def judge(form: str, rows: list[Row]) -> None:
    """Say which promises one form keeps with right answers."""
    new = [row for row in rows if row.one.name not in SEEN]
    if form != TIED:
        for what, some in (("all sets", rows), ("sets without a part in the choice", new)):
            gains = gained(some, "given_ari")
            above = sum(gain > 0 for gain in gains) / max(len(gains), 1)
            words = f"given above random on 8 of 9, {what}: {summary(some, 'given_ari')}"
            promise(above >= 8 / 9, f"{form}: {words}")
    if form in (TIED, SEVERAL):
        held = float(np.mean(gained(rows, "held_ari")))
        promise(held >= 3, f"{form}: held at least +3: {summary(rows, 'held_ari')}")
        roomy = [row for row in rows if row.room >= 3]
        held = float(np.mean(gained(roomy, "held_ari")))
        words = f"held at least +3 where all labels would give 3: {summary(roomy, 'held_ari')}"
        promise(held >= 3, f"{form}: {words}")
    lost = [row.noise["doubt-mix"] for row in rows if (row.one.y < 0).any()]
    if lost:
        words = f"{', '.join(f'{count:.1f}' for count in lost)}; {np.mean(lost):.1f} in the mean"
        promise(max(lost) <= 8, f"{form}: at most 8 of 60 questions on noise, every set: {words}")
        by_lot = [row.noise["random"] for row in rows if (row.one.y < 0).any()]
        fewer = all(mine < lot for mine, lot in zip(lost, by_lot, strict=True))
        words = ", ".join(f"{count:.1f}" for count in by_lot)
        promise(fewer, f"{form}: fewer questions on noise than by lot, every set: by lot {words}")
    uneven = [row for row in rows if row.one.name.startswith("unbalanced")]
    if uneven:
        whole = [float((row.classes["doubt-mix"] == row.one.clusters).mean()) for row in uneven]
        words = ", ".join(f"{share:.0%}" for share in whole)
        promise(min(whole) == 1, f"{form}: all classes of unbalanced sets seen, share of runs: {words}")


def judge_noisy(form: str, rows: list[Row]) -> None:
    """Say whether questions still pay if one answer in ten is wrong."""
    above = float(np.mean(gained(rows, "given_ari"))) > 0
    promise(above, f"{form}, 10 % wrong: given above random in the mean: {summary(rows, 'given_ari')}")


def models(asked: argparse.Namespace) -> None:
    """Print what each model makes of the answers to doubt-mix."""
    print("\nARI x 100 on rows that are never asked, after so many answers: the mean over the sets\n")
    print(f"| sets | model | {' | '.join(map(str, BUDGETS))} |\n|---|---|{'---|' * len(BUDGETS)}")
    groups = {
        "seen": [one for one in sets() if one.name in SEEN],
        "new": [one for one in sets() if one.name in NEW],
    }
    if asked.battery is not None:
        groups = {"file": sets(asked.battery)}
    for group, some in groups.items():
        for name, (make, options) in MODELS.items():
            reached = []
            for one in some:
                found = simulate(make(one.clusters), one.X, one.y, strategies=["doubt-mix"], n_jobs=-1,
                                 repetitions=asked.repetitions, **options)  # fmt: skip
                at, values = found.table("doubt-mix", "held_ari")
                reached.append([100 * values[:, list(at).index(budget)].mean() for budget in BUDGETS])
            cells = " | ".join(f"{mean:.1f}" for mean in np.mean(reached, axis=0))
            print(f"| {group} | {name} | {cells} |", flush=True)


def wrong_labels(asked: argparse.Namespace) -> None:
    """Print how well `doubted_labels` finds labels that were flipped."""
    print("\nAUC of doubted_labels, 10 % of the labels of 30 % of the rows flipped uniformly\n")
    print(f"| set | {' | '.join(ESTIMATORS)} |\n|---|---|---|")
    scores: dict[str, list[float]] = {name: [] for name in ESTIMATORS}
    for one in sets():
        if one.name not in FLIPPED:
            continue
        cells = []
        for name, make in ESTIMATORS.items():
            found = []
            for seed in range(asked.repetitions):
                rng = np.random.default_rng(seed)
                rows = rng.permutation(len(one.y))[: round(0.3 * len(one.y))]
                y = np.full(len(one.y), -1)
                y[rows] = one.y[rows]
                wrong = rng.choice(rows, max(1, round(0.1 * len(rows))), replace=False)
                y[wrong] = (y[wrong] + rng.integers(1, one.clusters, len(wrong))) % one.clusters
                doubts = doubted_labels(make(one.clusters).set_params(random_state=seed), one.X, y)
                found.append(roc_auc_score(np.isin(doubts["row"], wrong), doubts["doubt"]))
            scores[name].append(float(np.mean(found)))
            cells.append(f"{np.mean(found):.3f}")
        print(f"| {one.name} | {' | '.join(cells)} |", flush=True)
    print(f"| mean | {' | '.join(f'{np.mean(found):.3f}' for found in scores.values())} |")


def speed() -> None:
    """Print CPU milliseconds of questions and of refits at 50,000 x 10, c = 5."""
    rng = np.random.default_rng(0)
    truth = rng.integers(5, size=50_000)
    X = rng.normal(size=(5, 10))[truth] * 4 + 3 * rng.normal(size=(50_000, 10))
    print("\nCPU ms at 50,000 x 10, c = 5: the median and the least of nine\n")
    print("| what | median | least |\n|---|---|---|")
    for make in (FuzzyCMeans, PossibilisticFuzzyCMeans, EvidentialCMeans):
        session = Session.start(X, make(5, n_jobs=1, random_state=0))
        fits, questions = [], []
        for row in rng.choice(len(X), 10, replace=False):
            session = session.tell(int(row), truth[row])
            start = time.process_time()
            model = session.fit()
            fits.append(1000 * (time.process_time() - start))
            start = time.process_time()
            ask_rows(model, X, 5, asked=session.asked, random_state=0)
            questions.append(1000 * (time.process_time() - start))
        for what, spent in (("refit after an answer", fits[1:]), ("five questions", questions[1:])):
            print(f"| {make.__name__}, {what} | {np.median(spent):.0f} | {min(spent):.0f} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--repetitions", type=int, default=10)
    parser.add_argument("--forms", nargs="*", default=list(FORMS), choices=list(FORMS))
    parser.add_argument("--parts", nargs="*", default=["models", "curves", "noise"], choices=PARTS)
    parser.add_argument("--battery", type=Path, help="an .npz file of sets, as quality.py reads it")
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    if "speed" in asked.parts:
        speed()
    if "models" in asked.parts:
        models(asked)
    if "labels" in asked.parts:
        wrong_labels(asked)
    for form in asked.forms:
        if "curves" in asked.parts:
            judge(form, curves(asked, form, 0.0))
        if "noise" in asked.parts and form in (WEIGHTED, SEVERAL):
            judge_noisy(form, curves(asked, form, 0.1))


if __name__ == "__main__":
    main()
