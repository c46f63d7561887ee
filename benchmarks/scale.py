"""Rows on a cluster of two worker processes, beside the same rows in this process.

    python benchmarks/scale.py

1. FCM on 2,000,000 x 16 with 8 clusters: time an iteration in this process on two threads, and on a
   LocalCluster of two processes of one thread, for 8, 64 and 256 blocks.  Promised: at most 1.35 times,
   and less than 50 ms more.
2. The same for rows that are made anew in each pass, 30 GB of them: memory of all processes together.
   Promised: below 4 GB.  With --long only, for it takes minutes.
"""

from __future__ import annotations

import time
import warnings

import dask.array as da
import numpy as np

from common import machine, parser, print_table, verdict
from softclust import FuzzyCMeans

ROWS, FEATURES, CLUSTERS = 2_000_000, 16, 8
LONG_ROWS = 240_000_000  # of 16 doubles: 30 GB


class Clock:
    """When each iteration ended."""

    def __init__(self):
        self.times = []

    def setup(self, estimator, context):
        pass

    teardown = on_fit_task_begin = setup

    def on_fit_task_end(self, estimator, context):
        if context.task_name == "iteration":
            self.times.append(time.perf_counter())


def made(n, seed):
    """Rows that take little time to make."""
    rng = np.random.default_rng(seed)
    centres = np.random.default_rng(0).normal(scale=3.0, size=(CLUSTERS, FEATURES))
    return centres[rng.integers(CLUSTERS, size=n)] + 4 * rng.random((n, FEATURES))


def rows(n, seed):
    rng = np.random.default_rng(seed)
    centres = np.random.default_rng(0).normal(scale=3.0, size=(CLUSTERS, FEATURES))
    return centres[rng.integers(CLUSTERS, size=n)] + rng.normal(size=(n, FEATURES))


def iteration_times(X, init, iterations):
    clock = Clock()
    model = FuzzyCMeans(CLUSTERS, m=2.0, init=init, max_iter=iterations, tol=0, acceleration=None, n_jobs=2)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.set_callbacks(clock).fit(X)
    return np.diff(clock.times)[1:], model


def in_memory(client, rounds, iterations):
    X = rows(ROWS, 1)
    init = X[:CLUSTERS].copy()
    lazy = {blocks: da.from_array(X, chunks=(ROWS // blocks, FEATURES)) for blocks in (8, 64, 256)}
    seen = {name: [] for name in ("in process", *lazy)}
    centres = {}
    for _ in range(rounds):  # interleaved, for the machine has its moods
        for name, data in {"in process": X, **lazy}.items():
            times, model = iteration_times(data, init, iterations)
            seen[name].append(np.median(times))
            centres[name] = model.cluster_centers_
    here = np.median(seen["in process"])
    table = []
    for name, values in seen.items():
        value = np.median(values)
        ratio, more = value / here, value - here
        gap = np.abs(centres[name] - centres["in process"]).max()
        where = name if name == "in process" else f"cluster, {name} blocks"
        table.append([where, f"{value * 1e3:.1f}", f"{ratio:.2f}", f"{more * 1e3:.1f}", f"{gap:.1e}"])
    print_table(["where", "ms an iteration", "ratio", "ms more", "centres differ by"], table)
    worst = max(np.median(values) for values in seen.values())
    verdict("at most 1.35 times", f"{worst / here:.2f}", worst <= 1.35 * here)
    verdict("less than 50 ms more", f"{(worst - here) * 1e3:.1f} ms", worst - here < 0.05)


def out_of_memory(client):
    import psutil

    blocks = LONG_ROWS // 500_000
    lengths = (500_000,) * blocks
    X = da.map_blocks(
        lambda block_info=None: made(500_000, block_info[None]["chunk-location"][0]),
        chunks=(lengths, (FEATURES,)),
        dtype=np.float64,
        meta=np.empty((0, 0)),
    )
    most = [0.0]

    class LoopState(Clock):
        def on_fit_task_end(self, estimator, context):
            super().on_fit_task_end(estimator, context)
            me = psutil.Process()
            family = [me, *me.children(recursive=True)]
            most[0] = max(most[0], sum(process.memory_info().rss for process in family))

    memory = LoopState()
    model = FuzzyCMeans(CLUSTERS, m=2.0, random_state=0, max_iter=3, tol=1e-3).set_callbacks(memory)
    begin = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(X)
    took = time.perf_counter() - begin
    print(f"{X.nbytes / 1e9:.1f} GB: {took:.0f} s, {most[0] / 1e9:.2f} GB of memory in all")
    verdict("below 4 GB of memory", f"{most[0] / 1e9:.2f} GB", most[0] < 4e9)


def main():
    arguments = parser(__doc__)
    arguments.add_argument("--rounds", type=int, default=3)
    arguments.add_argument("--iterations", type=int, default=25)
    arguments.add_argument("--long", action="store_true", help="also 30 GB that are made anew in each pass")
    options = arguments.parse_args()
    from distributed import Client

    print(machine())
    with Client(n_workers=2, threads_per_worker=1, dashboard_address=None) as client:
        in_memory(client, options.rounds, options.iterations)
        if options.long:
            out_of_memory(client)


if __name__ == "__main__":
    main()
