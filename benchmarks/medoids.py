"""k-medoids: PAM beside the package kmedoids from the same start, and CLARA on a million rows.

    python benchmarks/medoids.py [--rounds N] [--no-peer]

FasterPAM on the distances of 5,000 x 8 rows in ten overlapping blobs, from the same random medoids, in the
same run as kmedoids (GPL: in .venv-kmedoids, made on the first run), one thread each.  BUILD of both is
shown.  Promised: the same loss in at most 1.5 times its time.  CLARA on 1,000,000 x 8, k = 10 with its
defaults, in a process of its own: promised below 30 s and 1 GB, data and outputs included.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from scipy.spatial.distance import cdist

from common import ROOT, environment, machine, parser, print_table, seconds, verdict

N, P, BLOBS, MOST = 5000, 8, 10, 1.5
LARGE, MOST_SECONDS, MOST_MB = 1_000_000, 30, 1000
CASES = [(dtype, k) for dtype in ("float32", "float64") for k in (5, 10, 50)]
PEER = """
import json, sys, time
import numpy as np
import kmedoids
D, start, rounds = np.load(sys.argv[1] + "/D.npy"), np.load(sys.argv[1] + "/start.npy"), int(sys.argv[2])
def timed(call):
    begin = time.perf_counter()
    answer = call()
    return time.perf_counter() - begin, answer
runs = [timed(lambda: kmedoids.fasterpam(D, start.astype(np.uint64), n_cpu=1)) for _ in range(rounds)]
build, _ = timed(lambda: kmedoids.pam_build(D, len(start)))
print(json.dumps({"seconds": min(t for t, _ in runs), "loss": float(runs[0][1].loss), "build": build}))
"""


def blobs(n, seed=0):
    rng = np.random.default_rng(seed)
    means = 4 * rng.normal(size=(BLOBS, P))
    return means[rng.integers(BLOBS, size=n)] + 2 * rng.normal(size=(n, P))


def peer_run(python, D, start, rounds):
    with tempfile.TemporaryDirectory() as folder:
        np.save(Path(folder, "D.npy"), D)
        np.save(Path(folder, "start.npy"), start)
        command = [str(python), "-c", PEER, folder, str(rounds)]
        said = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return json.loads(said.splitlines()[-1])


def against_peer(python, rounds):
    """The swaps alone: both are given the matrix and the start."""
    from softclust.medoids.search import build, pam, scaled

    X, weight = blobs(N), scaled(None, N)
    table, kept = [], []
    for dtype, k in CASES:
        D = cdist(X, X).astype(dtype)
        start = np.random.default_rng(k).choice(N, k, replace=False)
        end = pam(D, weight, start, 300)  # compiles
        build(D, weight, k)
        ours = min(seconds(lambda: pam(D, weight, start, 300)) for _ in range(rounds))  # noqa: B023
        our_build = min(seconds(lambda: build(D, weight, k)) for _ in range(rounds))  # noqa: B023
        theirs = peer_run(python, D, start, rounds)
        loss = float(D[end.rows].min(axis=0).sum(dtype=np.float64))
        same = bool(np.isclose(loss, theirs["loss"], rtol=1e-6 if dtype == "float32" else 1e-12))
        ratio = ours / theirs["seconds"]
        figures = (1000 * t for t in (theirs["seconds"], ours, theirs["build"], our_build))
        table.append([f"{dtype}, k = {k}", *(f"{ms:.0f}" for ms in figures), f"{ratio:.2f}", f"{loss:.6g}"])
        kept.append((f"{dtype}, k = {k}", same, ratio))
    header = [f"{N:,} rows, ms", "kmedoids", "softclust", "its BUILD", "our BUILD", "ratio", "loss"]
    print_table(header, table)
    print()
    return [
        verdict(
            f"{name}: the same loss within {MOST}x",
            f"{ratio:.2f}x, {'same' if same else 'ANOTHER'} loss",
            same and ratio <= MOST,
        )
        for name, same, ratio in kept
    ]


def child():
    """CLARA, or CLARANS, in a process whose peak memory is its own."""
    from softclust.estimators.medoids import KMedoids

    X = blobs(LARGE)
    KMedoids(3, method="clara", random_state=0).fit(X[:5000])  # loads the compiled code
    model = KMedoids(10, method="clara", random_state=0)
    took = seconds(lambda: model.fit(X))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6
    few = KMedoids(10, method="clarans", random_state=0)
    clarans = seconds(lambda: few.fit(X[:20_000]))
    same = KMedoids(10, method="clara", random_state=0).fit(X[:20_000])
    answer = {"seconds": took, "mb": peak, "loss": model.inertia_ / LARGE, "clarans": clarans}
    print(json.dumps({**answer, "ratio": few.inertia_ / same.inertia_}))


def large():
    said = subprocess.run(
        [sys.executable, __file__, "--child"], check=True, stdout=subprocess.PIPE, text=True
    )
    record = json.loads(said.stdout.splitlines()[-1])
    print(
        f"CLARANS on 20,000 x {P}, k = 10: {record['clarans']:.2f} s, "
        f"loss {record['ratio']:.3f} times that of CLARA\n"
    )
    figures = f"{record['seconds']:.2f} s, {record['mb']:.0f} MB, mean distance {record['loss']:.4f}"
    small = record["seconds"] < MOST_SECONDS and record["mb"] < MOST_MB
    promise = f"CLARA on {LARGE:,} x {P}, k = 10 below {MOST_SECONDS} s and {MOST_MB} MB"
    return [verdict(promise, figures, small)]


def main():
    options = parser(__doc__)
    options.add_argument("--rounds", type=int, default=5)
    options.add_argument("--no-peer", action="store_true", help="leave kmedoids out")
    options.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    args = options.parse_args()
    if args.child:
        child()
        return
    print(machine() + "\n")
    kept = []
    if not args.no_peer:
        python = environment(ROOT / ".venv-kmedoids", ["kmedoids", "numpy"])
        kept += against_peer(python, args.rounds)
    kept += large()
    sys.exit(1 if args.strict and not all(kept) else 0)


if __name__ == "__main__":
    main()
