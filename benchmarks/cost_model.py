"""How long an iteration takes on clusters that are not here: a simulation, from costs measured here.

    python benchmarks/cost_model.py               # measures, writes cost_model.json; about a minute
    python benchmarks/cost_model.py --from-file   # takes the costs of cost_model.json

1. Costs, on a LocalCluster of two worker processes of one thread, whose scheduler has a process of its own:
   CPU time of client, scheduler and workers as the tasks of a pass grow in number, and of a pass that asks
   two holders of small shards; a call of the scheduler to a worker; the compiled sweep; reading Parquet;
   folding.  The fixed cost is what a pass of two small tasks takes beyond those.  CPU times and the best of
   several wall times, for the machine may have other work.
2. Iterations of FCM on 2,000,000 x 16 with 8 clusters, and passes of many small tasks, as predicted and as
   measured.  No wall time of these goes into the costs.  Promised: within 35 %.
3. Predictions up to 1e10 rows and 1,000 workers of one thread, with 1,000 blocks at most, as many for
   each worker: rows held in memory, or read in each pass, and who is busy longest.

The simulation.  Rows that are read: the client makes all tasks; the scheduler, one server, takes them in;
workers draw the next; the scheduler hears of each that is done; when all are, it calls each worker for the
statistics, and the client folds them.  Rows that are held: the client asks each holder, and the
answers are the statistics; that more than 256 are asked by way of the scheduler is left out.  Blocks and
shards follow softclust.sources.remote.

Not in it: the bandwidth of network and storage, whose share is bytes by bytes a second; slow workers.
"""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
import tempfile
import time
import warnings
from collections import deque
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import date
from heapq import heapify, heappop, heappush
from itertools import groupby
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import patch

import dask.array as da
import numpy as np

from common import machine, parser, print_table, verdict
from scale import iteration_times, rows
from softclust.grammar.frame import Frame
from softclust.grammar.model import Model
from softclust.grammar.partitions import Fuzzy
from softclust.grammar.prototypes import Points
from softclust.grammar.state import State
from softclust.grammar.sweep import sweep
from softclust.sources import remote as far_away
from softclust.sources import source_of
from softclust.sources.local import fold
from softclust.sources.rows import rows_in_units

FILE = Path(__file__).with_suffix(".json")
ROWS, FEATURES, CLUSTERS = 2_000_000, 16, 8
ROW_BYTES = 8 * FEATURES
BLOCK_BYTES = 1e8  # that users are told to make
MOST_BLOCKS = 1000  # below far_away._MOST_BLOCKS, where blocks of rounded lengths would be joined in pairs
TASKS_AHEAD = 2  # that a thread has of those it draws: distributed's worker-saturation 1.1, rounded up
PARTS = 64  # files of the rows
SERVE = """
import sys
from distributed import LocalCluster
if __name__ == "__main__":
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        print(cluster.scheduler_address, flush=True)
        sys.stdin.read()
"""


# ---------------------------------------------------------------------- the model
@dataclass(frozen=True)
class Costs:
    """Seconds; where there are two, for a holder that is asked and for a task that reads its rows."""

    fixed: tuple[float, float]  # of a pass, beyond all below: messages that wait for each other
    client_task: tuple[float, float]
    scheduler_task: tuple[float, float]
    worker_task: tuple[float, float]  # beyond reading and sweeping
    shard: float  # that is held, beyond sweeping
    call: float  # of the scheduler to a worker, for the results of tasks
    sweep: float  # a row x feature x cluster
    read: float  # a byte
    block: float  # statistics of a block, unpacked and added on the client


@dataclass(frozen=True)
class Prediction:
    """Seconds of an iteration, and who was busy for how many of them."""

    seconds: float
    busy: dict[str, float]

    @property
    def bottleneck(self):
        return max(self.busy, key=self.busy.__getitem__)


class _Chunks:
    """As much of a dask array as `_merged` looks at."""

    def __init__(self, lengths):
        self.lengths, self.chunks, self.dtype = lengths, (lengths,), np.dtype("f8")
        self.shape = sum(lengths), FEATURES

    def rechunk(self, chunks):
        return _Chunks(chunks[0])


def chunks_of(n, workers):
    """Rows of each block, for users who follow the advice: 100 MB, as many blocks for each worker."""
    most = MOST_BLOCKS // workers * workers
    count = min(-(-int(n * ROW_BYTES / BLOCK_BYTES) // workers) * workers, most) or workers
    return tuple(np.diff(np.linspace(0, n, count + 1).astype(int)).tolist())


def tasks_of(lengths, workers, held):
    """(rows, blocks) of each task of a pass, by the rules of `_merged` and `RemoteRows.ranges`."""
    blocks = np.array(far_away._merged(_Chunks(lengths)).lengths)
    far = SimpleNamespace(n_blocks=len(blocks), is_held=held, size=int(blocks.sum()) * ROW_BYTES)
    with patch.object(far_away, "_threads", lambda: workers):
        ranges = far_away.RemoteRows.ranges.func(far)
    return [(int(blocks[a:b].sum()), b - a) for a, b in ranges]


def simulated(costs, tasks, workers, held):
    """One iteration, event by event."""
    kind = 0 if held else 1
    a_row = FEATURES * CLUSTERS * costs.sweep + (0 if held else ROW_BYTES * costs.read)
    takes = [n * a_row for n, _ in tasks]
    if held:  # a holder serves all its shards at once
        dealt = [takes[worker::workers] for worker in range(workers)]
        takes = [sum(mine) + len(mine) * costs.shard for mine in dealt if mine]
    takes = [costs.worker_task[kind] + seconds for seconds in takes]
    of_scheduler, count = costs.scheduler_task[kind], len(takes)
    begin = costs.fixed[kind] + count * (costs.client_task[kind] + of_scheduler / 2)
    waiting = deque(range(count))
    hands = [deque() for _ in range(workers)]
    for turn in range(count if held else TASKS_AHEAD * workers):
        if waiting:
            hands[turn % workers].append(waiting.popleft())
    working = [0.0] * workers
    events = [(begin + takes[hand[0]], worker, "done") for worker, hand in enumerate(hands) if hand]
    heapify(events)
    scheduler = begin  # free from then on
    while events:
        now, worker, what = heappop(events)
        hand = hands[worker]
        if what == "done":
            working[worker] += takes[hand.popleft()]
            if hand:
                heappush(events, (now + takes[hand[0]], worker, "done"))
            scheduler = max(scheduler, now) + of_scheduler / 2
            if waiting:
                heappush(events, (scheduler, worker, "given"))
        elif waiting:
            hand.append(waiting.popleft())
            if len(hand) == 1:
                heappush(events, (now + takes[hand[0]], worker, "done"))
    calls = 0.0 if held else sum(seconds > 0 for seconds in working) * costs.call
    folding = sum(blocks for _, blocks in tasks) * costs.block
    busy = {
        "workers": max(working),
        "scheduler": count * of_scheduler + calls,
        "client": count * costs.client_task[kind] + folding,
        "messages": costs.fixed[kind],
    }
    return Prediction(scheduler + calls + folding, busy)


# ---------------------------------------------------------------------- the costs
@contextmanager
def cluster():
    """A client of a scheduler that is in a process of its own, as elsewhere."""
    from distributed import Client

    command = [sys.executable, "-c", SERVE]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        with Client(server.stdout.readline().strip()) as client:
            client.wait_for_workers(2)
            yield client
        server.stdin.close()


def sentence(X):
    """FCM, and where its centres are."""
    rows_ = rows_in_units(X)
    state = State((rows_.units.to_loop(np.asarray(X[:CLUSTERS])),))
    return rows_, Model(Points(), Fuzzy(2.0), Frame.singletons(CLUSTERS)), state


@contextmanager
def a_task_for_each_block(held):
    """However small the blocks are; rows held or not, however much memory there is."""
    changes = {"_LEAST_BLOCK": 1, "_SHARD_BYTES": 1, "_LEAST_SHARD": 1, "_SHARDS_A_THREAD": 10**6}
    with patch.multiple(far_away, **changes), where_rows_are(held):
        yield


@contextmanager
def where_rows_are(held):
    with patch.object(far_away, "_memory", lambda: 1e18 if held else 0):
        yield


def small_passes(client, count, held, repeats):
    """Wall time of a pass of so many tasks of 16 rows, and CPU time of client, scheduler and workers."""
    X = da.from_array(rows(16 * count, 3), chunks=(16, FEATURES))
    with a_task_for_each_block(held):
        rows_, model, state = sentence(far_away.RemoteRows(X))
        source = source_of(rows_, 1)
        walls = []
        for turn in range(repeats + 1):
            if turn == 1:  # the first one reads the rows
                before = _clocks(client)
            begin = time.perf_counter()
            source.reduce(sweep, model, state)
            walls.append(time.perf_counter() - begin)
        after = _clocks(client)
    assert len(rows_.X.ranges) == count
    return min(walls[1:]), (after - before) / repeats


def _clocks(client):
    workers = sum(client.run(time.process_time).values())
    return np.array([time.process_time(), client.run_on_scheduler(time.process_time), workers])


async def _calls(dask_scheduler, key, repeats):
    """CPU seconds of the scheduler for a call to a worker."""
    from distributed.utils_comm import gather_from_workers

    worker = next(iter(dask_scheduler.tasks[key].who_has)).address
    await gather_from_workers({key: [worker]}, rpc=dask_scheduler.rpc)
    begin = time.process_time()
    for _ in range(repeats):
        await gather_from_workers({key: [worker]}, rpc=dask_scheduler.rpc)
    return (time.process_time() - begin) / repeats


def _read(paths):
    from pyarrow import parquet

    files = [parquet.read_table(path, use_threads=False) for path in paths]
    return np.concatenate([np.column_stack([column.to_numpy() for column in file]) for file in files])


def _work(paths):
    """Seconds of the sweep a row x feature x cluster, and of reading a byte."""
    X, reading, sweeping, now = _read(paths), [], [], time.process_time
    rows_, model, state = sentence(X)
    for _ in range(6):
        begin = now()
        sweep(rows_, model, state)
        middle = now()
        _read(paths)
        sweeping.append(middle - begin)
        reading.append(now() - middle)
    return float(np.median(sweeping[1:])) / (X.size * CLUSTERS), float(np.median(reading[1:])) / X.nbytes


def folding():
    """Seconds for the statistics of a block, unpacked and added."""
    stats = sweep(*sentence(rows(64, 0)))
    packed = [pickle.dumps(stats)] * 1024
    times = []
    for _ in range(5):
        begin = time.process_time()
        fold([pickle.loads(one) for one in packed])
        times.append(time.process_time() - begin)
    return float(np.median(times)) / 1024


def measured_costs(client, paths):
    """The costs; and passes of many small tasks, for the model to be held against."""
    part = len(paths) // 8
    work = [client.submit(_work, paths[i * part : (i + 1) * part], workers=[worker], pure=False)
            for i, worker in enumerate(client.nthreads())]  # fmt: skip
    of_sweep, of_read = np.mean(client.gather(work), axis=0).tolist()
    stats = client.submit(sweep, *sentence(rows(64, 0)))
    stats.result()
    call = client.run_on_scheduler(_calls, key=stats.key, repeats=200)
    block = folding()
    tasks = {}
    passes = []
    for held in (True, False):
        counts = {2: 24, 128: 4, 512: 2}
        seen = {count: small_passes(client, count, held, repeats) for count, repeats in counts.items()}
        slopes = (seen[512][1] - seen[2][1]) / 510
        if held:  # by two holders, however many shards
            shard, each = float(slopes[2]), seen[2][1] / 2
        else:
            each = slopes
        tasks[held] = [max(float(each[0]) - block, 0.0), float(each[1]), float(each[2])]
        tasks[held].append(seen[2][0])
        passes += [(held, count, seen[count][0]) for count in (128, 512)]
    pairs = list(zip(tasks[True], tasks[False], strict=True))
    free = Costs((0.0, 0.0), *pairs[:3], shard, call, of_sweep, of_read, block)
    fixed = tuple(
        max(0.0, wall - simulated(free, [(16, 1)] * 2, 2, held).seconds)
        for held, wall in zip((True, False), pairs[3], strict=True)
    )
    return Costs(**{**asdict(free), "fixed": fixed}), passes


# ---------------------------------------------------------------------- beside what is measured
def written(X, folder):
    """The rows as Parquet files."""
    import pyarrow as pa
    from pyarrow import parquet

    paths = []
    for i, part in enumerate(np.array_split(X, PARTS)):
        paths.append(str(Path(folder) / f"{i:02}.parquet"))
        parquet.write_table(pa.table({f"x{j}": part[:, j] for j in range(FEATURES)}), paths[-1])
    return paths


def of_files(paths, blocks):
    """A dask array whose blocks are read from files."""
    some = len(paths) // blocks

    def read(block_info=None):
        place = block_info[None]["chunk-location"][0]
        return _read(paths[place * some : (place + 1) * some])

    chunks = (ROWS // blocks,) * blocks, (FEATURES,)
    return da.map_blocks(read, chunks=chunks, dtype=np.float64, meta=np.empty((0, 0)))


def measured_fits(client, X, paths):
    """(held, blocks given, rows of each, seconds an iteration) of fits."""
    init = X[:CLUSTERS].copy()
    found = []
    for held, counts, iterations in ((True, (8, 64, 256), 16), (False, (8, 16, 64), 5)):
        for blocks in counts:
            lazy = da.from_array(X, chunks=(ROWS // blocks, FEATURES)) if held else of_files(paths, blocks)
            with where_rows_are(held):
                times, _ = iteration_times(lazy, init, iterations)
            best = float(min(times[:-1]))  # the last is the end of the fit, no iteration
            found.append((held, blocks, lazy.chunks[0], best))
    return found


def measure():
    with tempfile.TemporaryDirectory() as folder, cluster() as client, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        X = rows(ROWS, 1)
        paths = written(X, folder)
        costs, passes = measured_costs(client, paths)
        fits = measured_fits(client, X, paths)
    points = [
        (ROWS, held, blocks, tasks_of(lengths, 2, held), wall) for held, blocks, lengths, wall in fits
    ]
    points += [(16 * count, held, count, [(16, 1)] * count, wall) for held, count, wall in passes]
    names = "rows", "held", "blocks", "tasks", "measured"
    points = [dict(zip(names, point, strict=True)) for point in points]
    for point in points:  # equal ones once, with their number
        point["tasks"] = [(*task, len(list(same))) for task, same in groupby(point["tasks"])]
    return {"date": str(date.today()), "machine": where(), "costs": asdict(costs), "points": points}


def where():
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    name = next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "")
    return f"{machine()}{', ' + name if name else ''}"


# ---------------------------------------------------------------------- what is told
def tell_costs(costs):
    ms = lambda pair: [f"{1e3 * value:.2f}" for value in pair]  # noqa: E731
    table = [
        ["fixed, a pass", *ms(costs.fixed)],
        ["client, a holder or a task", *ms(costs.client_task)],
        ["scheduler, a holder or a task", *ms(costs.scheduler_task)],
        ["worker, a holder or a task", *ms(costs.worker_task)],
        ["worker, a shard", *ms([costs.shard]), "-"],
        ["scheduler, a worker", "-", *ms([costs.call])],
        ["client, a block", *[f"{1e3 * costs.block:.3f}"] * 2],
    ]
    print_table(["ms", "rows held", "rows read"], table)
    print(f"sweep: {1e9 * costs.sweep:.3f} ns a row x feature x cluster")
    print(f"reading Parquet that the system has in memory: {1e-6 / costs.read:.0f} MB/s a worker\n")


def tell_points(costs, points):
    table, worst = [], 1.0
    for point in points:
        tasks = [(n, blocks) for n, blocks, times in point["tasks"] for _ in range(times)]
        predicted = simulated(costs, tasks, 2, point["held"]).seconds
        ratio = predicted / point["measured"]
        worst = max(worst, ratio, 1 / ratio)
        table.append([
            f"{point['rows']:,}", "held" if point["held"] else "read", str(point["blocks"]),
            str(sum(blocks for _, blocks in tasks)), str(len(tasks)),
            f"{1e3 * predicted:.1f}", f"{1e3 * point['measured']:.1f}", f"{ratio:.2f}",
        ])  # fmt: skip
    header = ["rows", "are", "blocks given", "merged to", "tasks", "ms predicted", "ms measured", "ratio"]
    print_table(header, table)
    return verdict("predicted within 35 % of measured", f"a factor of {worst:.2f}", worst <= 1.35)


def tell_predictions(costs):
    table = []
    for n in (10**6, 10**7, 10**8, 10**9, 10**10):
        for workers in (1, 10, 100, 1000):
            lengths = chunks_of(n, workers)
            line = [f"{n:.0e}".replace("+", ""), str(workers)]
            for held in (True, False):
                tasks = tasks_of(lengths, workers, held)
                told = simulated(costs, tasks, workers, held)
                line += [str(len(tasks)), duration(told.seconds), told.bottleneck]
            needed = n * ROW_BYTES / far_away._SHARE_OF_MEMORY / workers
            table.append([*line, f"{needed / 1e9:.2g}"])
    header = ["rows", "workers", "tasks", "held, s", "busiest", "tasks", "read, s", "busiest"]
    print_table([*header, "GB a worker to hold"], table)
    n, workers = 10**9, 1000
    plain = (int(BLOCK_BYTES) // ROW_BYTES,) * int(n * ROW_BYTES / BLOCK_BYTES)
    tasks = tasks_of(plain, workers, True)
    told = simulated(costs, tasks, workers, True)
    print(f"\n{n:.0e} rows in {len(plain)} blocks of 100 MB, {workers} workers: {len(tasks)} tasks, "
          f"{duration(told.seconds)} s an iteration")  # fmt: skip


def duration(seconds):
    """Two digits."""
    return f"{seconds:.0f}" if seconds >= 10 else f"{seconds:.2g}"


def _lines(found):
    """JSON with a line for each cost and each point."""
    costs = ",\n".join(f"  {json.dumps(name)}: {json.dumps(cost)}" for name, cost in found["costs"].items())
    points = ",\n".join(f"  {json.dumps(point)}" for point in found["points"])
    head = ",\n".join(f" {json.dumps(name)}: {json.dumps(found[name])}" for name in ("date", "machine"))
    return f'{{\n{head},\n "costs": {{\n{costs}\n }},\n "points": [\n{points}\n ]\n}}\n'


def main():
    options = parser(__doc__)
    options.add_argument("--from-file", action="store_true", help="take the costs of cost_model.json")
    args = options.parse_args()
    if args.from_file:
        found = json.loads(FILE.read_text())
    else:
        found = measure()
        FILE.write_text(_lines(found))
    costs = Costs(**found["costs"])
    print(f"{found['date']}: {found['machine']}\n")
    tell_costs(costs)
    kept = tell_points(costs, found["points"])
    print()
    tell_predictions(costs)
    return int(args.strict and not kept)


if __name__ == "__main__":
    sys.exit(main())
