"""Evidential c-means: beside Python evclust, with labels and pairs, and as the rows grow.

    python benchmarks/evidential.py [--rounds N] [--no-peer]

ECM on 2,000 x 16, c = 3, from the same start, in the same run as evclust (in .venv-evclust, made on the
first run): a whole fit, each to its own end, and an iteration.  LPECM on Iris with 15 labels, 15
must-links and 15 cannot-links, warm.  LPECM on 150,000 x 4, c = 3 with 50,000 linked rows, 20
iterations.  Time of 20 iterations as n grows: the exponent of n.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

import numpy as np
from sklearn.datasets import load_iris

from common import ROOT, environment, machine, median, parser, print_table, seconds, verdict
from softclust import EvidentialCMeans, sample_supervision

PEER = """
import json, sys, time, io, contextlib
import numpy as np
from evclust.ecm import ecm
X, V = np.load(sys.argv[1] + "/X.npy"), np.load(sys.argv[1] + "/V.npy")
said = io.StringIO()
start = time.perf_counter()
with contextlib.redirect_stdout(said):
    answer = ecm(X, len(V), g0=V, delta=10, disp=True)
took = time.perf_counter() - start
print(json.dumps({"seconds": took, "n_iter": said.getvalue().count("["), "centres": answer["g"].tolist()}))
"""
SIZES = (20_000, 60_000, 200_000, 600_000)


def blobs(n, p, seed=0):
    """Three overlapping blobs, their classes, and a start."""
    rng = np.random.default_rng(seed)
    means = 2 * rng.normal(size=(3, p))
    y = rng.integers(3, size=n)
    return means[y] + rng.normal(size=(n, p)), y, means + 0.5 * rng.normal(size=means.shape)


def linked(n, p, rows):
    """The same with `rows` linked rows, half of the pairs of each kind, and n/100 labels."""
    X, y, start = blobs(n, p)
    told = sample_supervision(y, labels=n // 100, random_state=0).y
    rng = np.random.default_rng(1)
    pairs = rng.permutation(n)[:rows].reshape(-1, 2)
    same = y[pairs[:, 0]] == y[pairs[:, 1]]
    return X, told, pairs[same], pairs[~same], start


def peer_run(python, X, V):
    with tempfile.TemporaryDirectory() as folder:
        np.save(Path(folder, "X.npy"), X)
        np.save(Path(folder, "V.npy"), V)
        said = subprocess.run(
            [str(python), "-c", PEER, folder], check=True, capture_output=True, text=True
        ).stdout
    return json.loads(said.splitlines()[-1])


def an_iteration(X, start, rounds):
    """Seconds of one iteration: of 41 against 1."""

    def fit(steps):
        model = EvidentialCMeans(
            3,
            beta=2.0,
            cardinality_power=1.0,
            noise_distance=10,
            init=start,
            tol=0.0,
            max_iter=steps,
            acceleration=None,
        )
        return seconds(lambda: model.fit(X))

    fit(1)
    return (min(fit(41) for _ in range(rounds)) - min(fit(1) for _ in range(rounds))) / 40


def against_peer(python, rounds):
    X, _, start = blobs(2000, 16)
    model = EvidentialCMeans(3, beta=2.0, cardinality_power=1.0, noise_distance=10, init=start)
    model.fit(X)
    theirs, ours = [], []
    for _ in range(3):  # side by side, for the machine has its moods
        theirs.append(peer_run(python, X, start))
        ours += [seconds(lambda: model.fit(X)) for _ in range(10 * rounds)]
    gap = np.abs(model.cluster_centers_ - np.array(theirs[0]["centres"])).max()
    one = an_iteration(X, start, rounds)
    their_one = min(run["seconds"] / run["n_iter"] for run in theirs)
    their_fit = median(run["seconds"] for run in theirs)
    header = ["ECM 2,000 x 16, c = 3", "evclust", "softclust", "ratio"]
    rows = [
        [
            "fit, ms",
            f"{1000 * their_fit:.0f}",
            f"{1000 * median(ours):.2f}",
            f"{their_fit / median(ours):.0f}",
        ],
        ["iteration, ms", f"{1000 * their_one:.0f}", f"{1000 * one:.3f}", f"{their_one / one:.0f}"],
        ["iterations", str(theirs[0]["n_iter"]), str(model.n_iter_), ""],
    ]
    print_table(header, rows)
    print(f"largest difference of a centre: {gap:.1e}\n")
    return [
        verdict(
            "a fit at least 1,000x evclust's",
            f"{their_fit / median(ours):.0f}x",
            their_fit >= 1000 * median(ours),
        ),
        verdict(
            "an iteration at least 1,000x evclust's", f"{their_one / one:.0f}x", their_one >= 1000 * one
        ),
    ]


def on_iris(rounds):
    X, y = load_iris(return_X_y=True)
    told = sample_supervision(y, 15, 15, 15, random_state=0)
    kept = []
    for geometry in ("points", "ellipsoids"):

        def fit(geometry=geometry):
            EvidentialCMeans(3, geometry=geometry, random_state=0).fit(
                X, told.y, must_link=told.must_link, cannot_link=told.cannot_link
            )

        fit()
        times = [1000 * seconds(fit) for _ in range(10 * rounds)]
        figures = f"median {median(times):.1f} ms, best {min(times):.1f}"
        kept.append(verdict(f"LPECM on Iris below 20 ms, {geometry}", figures, median(times) < 20))
    return kept


def many_links():
    X, y, must, cannot, start = linked(150_000, 4, 50_000)
    model = EvidentialCMeans(3, beta=2.0, cardinality_power=1.0, init=start, tol=0.0, max_iter=20)
    took = [seconds(lambda: model.fit(X, y, must_link=must, cannot_link=cannot)) for _ in range(3)]
    figures = f"{min(took):.2f} s to {max(took):.2f} s, {model.n_iter_} iterations"
    return [verdict("150,000 rows, 50,000 linked, 20 iterations below 10 s", figures, max(took) < 10)]


def growth():
    kept = []
    for name, share in (("ECM", 0.0), ("LPECM, a third of the rows linked", 1 / 3)):
        times = []
        for n in SIZES:
            X, y, must, cannot, start = linked(n, 4, 2 * int(share * n / 2))
            model = EvidentialCMeans(
                3, beta=2.0, cardinality_power=1.0, init=start, tol=0.0, max_iter=20, acceleration=None
            )
            known = {"y": y, "must_link": must, "cannot_link": cannot} if share else {}
            times.append(min(seconds(lambda: model.fit(X, **known)) for _ in range(2)))  # noqa: B023
        slope = np.polyfit(np.log(SIZES), np.log(times), 1)[0]
        figures = ", ".join(f"{n:,}: {t:.2f} s" for n, t in zip(SIZES, times, strict=True))
        kept.append(verdict(f"{name}: time linear in n", f"exponent {slope:.2f} ({figures})", slope < 1.1))
    return kept


def main():
    options = parser(__doc__)
    options.add_argument("--rounds", type=int, default=7)
    options.add_argument("--no-peer", action="store_true", help="leave evclust out")
    args = options.parse_args()
    warnings.simplefilter("ignore")
    print(machine() + "\n")
    kept = []
    if not args.no_peer:
        kept += against_peer(environment(ROOT / ".venv-evclust", ["evclust"]), args.rounds)
    kept += on_iris(args.rounds) + many_links() + growth()
    sys.exit(1 if args.strict and not all(kept) else 0)


if __name__ == "__main__":
    main()
