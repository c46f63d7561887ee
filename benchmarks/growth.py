"""How time grows with rows, clusters, features and threads; the largest fit; density weights.

    python benchmarks/growth.py [--quick] [--strict]

1. Milliseconds an iteration of FuzzyCMeans (m = 2, c = 8, 16 features, float32) for 1e4 to 1e7 rows, on
   one thread and on all: the exponent of n is the slope of log time on log rows.  A fit of many
   iterations less one of a single iteration, divided by the difference: the least of five.
2. The same for growing c and p at 200,000 rows.
3. A whole fit of the 1e7 x 16 float32 rows as a user would call it, in a process of its own: seconds, and
   the peak of resident memory beyond X.
4. Two threads against one on 1,000,000 x 16 float64 rows.
5. SWFCM, whose weights are sums over all pairs of rows as printed, against FCM on 100,000 rows: whole fits.
"""

from __future__ import annotations

import argparse
import gc
import json
import subprocess
import sys
import warnings
from functools import partial

import numpy as np

import softclust
from common import machine, median, parser, print_table, seconds, verdict
from peak import Peak
from softclust import FuzzyCMeans

SIZES = (10_000, 100_000, 1_000_000, 10_000_000)
SHAPES = ((8, 8), (8, 16), (8, 32), (8, 64), (4, 16), (16, 16), (32, 16))  # clusters, features
MOST_BEYOND = 2e3  # MB
REPEATS = 5
STEPS = 11  # of the long fit


def blobs(n: int, p: int, c: int, dtype: str) -> np.ndarray:
    """Overlapping blobs, made in parts: no second copy of many rows."""
    rng = np.random.default_rng(0)
    means = (0.7 * rng.normal(size=(c, p))).astype(dtype)
    X = np.empty((n, p), dtype)
    for first in range(0, n, 1_000_000):
        rows = X[first : first + 1_000_000]
        rng.standard_normal(out=rows, dtype=dtype)
        rows += means[rng.integers(c, size=len(rows))]
    return X


def an_iteration(X: np.ndarray, c: int, n_jobs: int | None) -> float:
    """Milliseconds of an iteration: least times of long and short fits, over the iterations truly run."""
    times, steps = {1: [], STEPS: []}, {}
    for _ in range(REPEATS + 1):
        for most, took in times.items():
            given = {"init": X[:c], "n_init": 1, "acceleration": None, "tol": 0.0}
            model = FuzzyCMeans(c, m=2.0, max_iter=most, n_jobs=n_jobs, **given)
            took.append(seconds(partial(model.fit, X)))
            steps[most] = model.n_iter_
    return 1e3 * (min(times[STEPS]) - min(times[1])) / (steps[STEPS] - steps[1])


def exponent(sizes, times) -> float:
    return float(np.polyfit(np.log(sizes), np.log(times), 1)[0])


def rows_grow(sizes) -> bool:
    table, times = [], {1: [], None: []}
    for n in sizes:
        X = blobs(n, 16, 8, "f4")
        for n_jobs, column in times.items():
            column.append(an_iteration(X, 8, n_jobs))
        table.append([f"{n:,}", *(f"{column[-1]:.3f}" for column in times.values())])
    print_table(["rows (x 16, float32, c = 8)", "one thread", "all"], table)
    found = {n_jobs: exponent(sizes, column) for n_jobs, column in times.items()}
    print(f"exponent of n: {found[1]:.3f} on one thread, {found[None]:.3f} on all")
    return verdict(
        "linear in n (exponent .95 to 1.05, one thread)", f"{found[1]:.3f}", 0.95 <= found[1] <= 1.05
    )


def shapes_grow(n: int) -> None:
    table = []
    for c, p in SHAPES:
        took = an_iteration(blobs(n, p, c, "f8"), c, None)
        table.append([f"c = {c}, p = {p}", f"{took:.2f}", f"{1e6 * took / (n * c * p):.3f}"])
    print_table([f"{n:,} rows, float64", "ms an iteration", "ns a row, cluster and feature"], table)


def largest_child(n: int) -> None:
    warnings.simplefilter("ignore")
    X = blobs(n, 16, 8, "f4")
    FuzzyCMeans(8, m=2.0, random_state=0).fit(X[:30_000])
    gc.collect()
    model = FuzzyCMeans(8, m=2.0, random_state=0)
    with Peak() as peak:
        took = seconds(lambda: model.fit(X))
    print(json.dumps({"seconds": took, "beyond": peak.rise, "steps": model.n_iter_}))


def largest(n: int) -> bool:
    command = [sys.executable, __file__, "--child", str(n)]
    answer = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    record = json.loads(answer.splitlines()[-1])
    print(f"{n:,} x 16 float32, c = 8: {record['seconds']:.1f} s, {record['steps']} iterations of all rows")
    beyond = record["beyond"]
    return verdict(f"within {MOST_BEYOND:,.0f} MB beyond X", f"{beyond:,.0f} MB", beyond < MOST_BEYOND)


def threads(n: int) -> bool:
    X = blobs(n, 16, 8, "f8")
    ratios = []
    for _ in range(REPEATS):
        one, two = an_iteration(X, 8, 1), an_iteration(X, 8, 2)
        ratios.append(one / two)
    found = median(ratios)
    return verdict(
        f"two threads 1.7x one on {n:,} x 16", f"{found:.2f}x (best {max(ratios):.2f}x)", found >= 1.7
    )


def densities(n: int) -> bool:
    kept = []
    for p, c in ((4, 3), (16, 8)):
        X = blobs(n, p, c, "f8")
        fits = {name: [] for name in ("fcm", "swfcm")}
        for seed in range(REPEATS + 1):
            for name, took in fits.items():
                model = softclust.make(name, n_clusters=c, random_state=seed)
                took.append(seconds(partial(model.fit, X)))
        plain, dense = (median(took[1:]) for took in fits.values())
        text = f"SWFCM within 2x of FCM, {n:,} x {p}, c = {c}"
        kept.append(
            verdict(
                text,
                f"{dense / plain:.2f}x ({1e3 * plain:.0f} and {1e3 * dense:.0f} ms)",
                dense <= 2 * plain,
            )
        )
    return all(kept)


def main() -> int:
    options = parser(__doc__)
    options.add_argument("--quick", action="store_true", help="a tenth of the rows")
    options.add_argument("--child", type=int, help=argparse.SUPPRESS)
    args = options.parse_args()
    warnings.simplefilter("ignore")
    if args.child:
        largest_child(args.child)
        return 0
    print(machine())
    part = 10 if args.quick else 1
    kept = [rows_grow(SIZES[: 3 if args.quick else 4])]
    print()
    shapes_grow(200_000 // part)
    print()
    kept += [largest(10_000_000 // part), threads(1_000_000 // part), densities(100_000 // part)]
    return int(args.strict and not all(kept))


if __name__ == "__main__":
    sys.exit(main())
