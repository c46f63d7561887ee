"""Time to the same objective: fuzzy c-means on 1,000,000 x 16, c = 8, side by side in one run.

    python benchmarks/objective.py [--quick] [--rounds N] [--no-peers] [--strict]

softclust and scikit-learn's KMeans(n_init=1) run as a user would call them, to their own end: draws,
growing samples and final memberships included.  scikit-fuzzy and fuzzy-c-means start at rows drawn at
random (closer to an end than the random memberships they would draw) and run as many iterations as the
plain loop needs from there to the J of softclust within 1e-6; that number is found beforehand.

fit      seconds of the whole fit (the median of the rounds; peers once)
steps    iterations
J        sum u^2 d^2 at the centres found, over that of softclust, less 1

"overlapping": blobs around means 4 standard deviations apart, an error rate of a tenth.  "slow valley":
blobs that lie on each other near a plane, where the plain loop takes hundreds of passes; the time of the
peers there is estimated from their time an iteration, and marked with ~.
"""

from __future__ import annotations

import sys
import warnings
from functools import partial

import numpy as np
from sklearn.cluster import KMeans

from common import ROOT, environment, machine, make_data, median, parser, print_table, seconds, verdict
from peers import PEER_PACKAGES, PeerWorker
from softclust import FuzzyCMeans

ROWS, FEATURES, CLUSTERS = 1_000_000, 16, 8
NEAR = 1e-6  # relative, of J
MOST_STEPS = 60  # of a peer; more are estimated
PEERS = ("scikit-fuzzy", "fuzzy-c-means")
OURS, KMEANS = "softclust FuzzyCMeans", "scikit-learn KMeans"


def overlapping(n: int) -> np.ndarray:
    rng = np.random.default_rng(0)
    means = 0.7 * rng.normal(size=(CLUSTERS, FEATURES))
    return means[rng.integers(CLUSTERS, size=n)] + rng.normal(size=(n, FEATURES))


def objective(X: np.ndarray, V: np.ndarray) -> float:
    """J of fuzzy c-means at its best memberships: sum over rows of 1/sum_k 1/d_k."""
    total = 0.0
    for rows in np.array_split(X, max(1, len(X) // 20_000)):
        d = np.stack([((rows - v) ** 2).sum(axis=1) for v in V])
        total += float((1 / (1 / np.maximum(d, 1e-300)).sum(axis=0)).sum())
    return total


def steps_needed(X: np.ndarray, start: np.ndarray, goal: float) -> int:
    """Iterations of the plain loop from `start` to a J below `goal`."""
    model = FuzzyCMeans(CLUSTERS, init=start, n_init=1, acceleration=None, tol=0.0, max_iter=2000)
    reached = np.flatnonzero(model.fit(X).objective_history_ <= goal)
    return int(reached[0]) if len(reached) else -1


def run(X: np.ndarray, rounds: int, python) -> dict[str, dict]:
    """Figures of all contestants on one data set."""
    figures = {name: {"fits": [], "steps": 0, "J": 0.0, "estimated": False} for name in (OURS, KMEANS)}
    FuzzyCMeans(CLUSTERS, random_state=0).fit(X[:50_000])  # compiled
    for seed in range(rounds):
        models = {
            OURS: FuzzyCMeans(CLUSTERS, random_state=seed),
            KMEANS: KMeans(CLUSTERS, n_init=1, random_state=seed),
        }
        for name, model in models.items():
            figures[name]["fits"].append(seconds(partial(model.fit, X)))
            figures[name]["steps"] = model.n_iter_
            if name == OURS:
                figures[name]["J"] = max(figures[name]["J"], model.objective_)
    if python is None:
        return figures
    start = X[np.random.default_rng(1).choice(len(X), CLUSTERS, replace=False)]
    steps = steps_needed(X, start, figures[OURS]["J"] * (1 + NEAR))
    worker = PeerWorker(python, X, start)
    try:
        for name in PEERS:
            fit = worker.fit(name, 2.0)
            runs = steps if 0 < steps <= MOST_STEPS else 6
            fit(1)
            found = fit(runs)
            took = found.seconds * (steps / runs if steps > 0 else np.nan)
            figures[name] = {
                "fits": [took], "steps": steps, "J": objective(X, found.centres), "estimated": runs != steps
            }  # fmt: skip
    finally:
        worker.close()
    return figures


def report(title: str, figures: dict[str, dict]) -> list[bool]:
    goal = figures[OURS]["J"]
    rows = []
    for name, figure in figures.items():
        gap = "-" if name == KMEANS or figure["estimated"] else f"{figure['J'] / goal - 1:.0e}"
        fits = f"{'~' if figure['estimated'] else ''}{median(figure['fits']):.2f}"
        rows.append([name, fits, str(figure["steps"]), gap])
    print(f"\n{title}")
    print_table(["seconds", "fit", "steps", "J"], rows)
    ours = median(figures[OURS]["fits"])
    kept = []
    for name, factor in {**dict.fromkeys(PEERS, 40.0), KMEANS: 1.0}.items():
        if name in figures:
            ratio = median(figures[name]["fits"]) / ours
            asked = f"{factor:g}x as fast as {name}" if factor > 1 else f"no slower than {name}(n_init=1)"
            kept.append(verdict(f"{title}: {asked}", f"{ratio:.2f}x", ratio >= factor))
    return kept


def main() -> int:
    options = parser(__doc__)
    options.add_argument("--quick", action="store_true", help="a twentieth of the rows")
    options.add_argument("--rounds", type=int, default=5)
    options.add_argument("--no-peers", action="store_true", help="leave .venv-peers out")
    args = options.parse_args()
    warnings.simplefilter("ignore")
    print(machine())
    n = ROWS // 20 if args.quick else ROWS
    python = None if args.no_peers else environment(ROOT / ".venv-peers", PEER_PACKAGES)
    sets = {"overlapping": overlapping(n), "slow valley": make_data(n, FEATURES, CLUSTERS)[0]}
    kept = [report(title, run(X, args.rounds, python)) for title, X in sets.items()]
    return int(args.strict and not all(kept[0]))


if __name__ == "__main__":
    sys.exit(main())
