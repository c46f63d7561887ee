"""Questions chosen by a strategy beside questions drawn by lot, asked of a simulated expert.

    python benchmarks/active.py [--repetitions N] [--strategies NAME ...] [--only PART]

The figures are areas under curves of accuracy, times 100: the strategy minus random, the mean over
repetitions with the same held rows, and below the mean over sets with a 95 % interval by Student's t.
`held`: accuracy on the 30 % of the rows that are never asked.  `given`: accuracy on all rows, the asked
rows with the expert's answer.  Sets marked * had no part in the choice of the default strategy.  Every
feature has mean 0 and deviation 1.
"""

from __future__ import annotations

import argparse
import time
import warnings

import numpy as np
from scipy import stats
from sklearn.metrics import roc_auc_score

from quality_sets import Set, bundled, generated, make_set
from softclust import EvidentialCMeans, FuzzyCMeans, FuzzyLabelSpreading, PossibilisticFuzzyCMeans
from softclust.active import Session, ask_rows, doubted_labels, simulate

SEEN = ("iris", "wine", "breast cancer", "ecoli", "letters IJL", "overlapping p=2 c=4",
        "unbalanced p=32 c=4", "uniform noise p=2 c=4", "glass", "digits", "unbalanced p=2 c=3",
        "uniform noise p=8 c=4")  # fmt: skip
NEW = ("moons", "spreads", "stretched p=8 c=4", "blobs p=16 c=12")
MOST_ROWS = 1000
FLIPPED = ("iris", "wine", "breast cancer", "ecoli", "letters IJL", "digits")


def sets() -> list[Set]:
    """The sets in the order of the lists, at most 1,000 rows each."""
    every = {one.name: one for one in (*bundled(), *generated())}
    found = [every[name] for name in (*SEEN, *NEW)]
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


def curves(asked: argparse.Namespace, noise: float) -> None:
    """Print a table of areas for each estimator."""
    compared = [name for name in asked.strategies if name != "random"]
    for name, make in ESTIMATORS.items():
        start = time.perf_counter()
        head = " | ".join(f"{s} {what}" for s in compared for what in ("held", "given"))
        print(f"\n{name}, {noise:.0%} of the answers wrong\n")
        print(f"| set | random held | {head} | classes seen, first 30: random | {' | '.join(compared)} "
              f"| on noise: random | {' | '.join(compared)} |")  # fmt: skip
        print(f"|---|---|{'---|' * (4 * len(compared) + 2)}")
        gains: dict[tuple[str, str, bool], list[float]] = {}
        for one in sets():
            found = simulate(make(one.clusters), one.X, one.y, strategies=("random", *compared),
                             label_noise=noise, repetitions=asked.repetitions)  # fmt: skip
            cells, seen, lost = [], [], []
            for strategy in ("random", *compared):
                told, classes = found.table(strategy, "classes")
                seen.append(f"{classes[:, told.searchsorted(30)].mean():.1f}")
                lost.append(f"{found.table(strategy, 'noise')[1][:, -1].mean():.1f}")
            for strategy in compared:
                for score in ("held", "given"):
                    area = found.area(score)
                    gain = 100 * float((area[strategy] - area["random"]).mean())
                    gains.setdefault((strategy, score, one.name in NEW), []).append(gain)
                    cells.append(f"{gain:+.1f}")
            share = 100 * found.area("held")["random"].mean()
            lost = lost if (one.y < 0).any() else [""] * len(lost)
            seen[0] += f" of {one.clusters}"
            mark = "*" if one.name in NEW else ""
            print(f"| {one.name}{mark} | {share:.1f} | {' | '.join((*cells, *seen, *lost))} |", flush=True)
        for what, groups in (("all", (False, True)), ("new*", (True,))):
            for strategy in compared:
                held, given = (
                    mean_with_interval([gain for g in groups for gain in gains[strategy, score, g]])
                    for score in ("held", "given")
                )
                print(f"{what} sets, {strategy}: held {held}, given {given}")
        print(f"({time.perf_counter() - start:.0f} s)")


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
    parser.add_argument("--strategies", nargs="*", default=["doubt-mix"])
    parser.add_argument("--only", choices=("curves", "noise", "labels", "speed"))
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    if asked.only in (None, "speed"):
        speed()
    if asked.only in (None, "labels"):
        wrong_labels(asked)
    if asked.only in (None, "curves"):
        curves(asked, 0.0)
    if asked.only in (None, "noise"):
        curves(asked, 0.1)


if __name__ == "__main__":
    main()
