"""The studio at 50,000 rows of 10 columns, 5 clusters: CPU milliseconds of what an expert waits for.

    python benchmarks/studio.py

Limits are those of the design; a line ends in "slow" if its time is above them.
"""

import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa

import softclust
from softclust.active import Session
from softclust.active.journal import Writer
from softclust.studio import summary
from softclust.studio.data import Column, StudioData
from softclust.studio.desk import Desk

N, P, C = 50_000, 10, 5
ANSWERS = 12  # every tenth fit also starts anew
LIMITS = {"FuzzyCMeans": 25, "PossibilisticFuzzyCMeans": 40, "EvidentialCMeans": 80, "GaussianMixture": 150}


def blobs():
    rng = np.random.default_rng(0)
    truth = rng.integers(C, size=N)
    return rng.normal(size=(C, P))[truth] * 3 + rng.normal(size=(N, P)), truth


def line(what, times, limit):
    middle, worst = np.median(times) * 1000, np.max(times) * 1000
    print(f"{what:46} {middle:8.1f} {worst:8.1f} {limit:6}  {'slow' if middle > limit else ''}")


def cpu(job):
    """Return the CPU seconds of all threads of this process, and the result."""
    began = time.process_time()
    found = job()
    return time.process_time() - began, found


def refits(X, truth, name, limit):
    session = Session.start(X, getattr(softclust, name)(C, random_state=0))
    session.fit()
    times = []
    for row in range(ANSWERS):
        session = session.tell(row, f"class {truth[row]}")
        times.append(cpu(session.fit)[0])
    line(f"refit after an answer, {name}", times, limit)
    return session


def main():
    X, truth = blobs()
    print(f"{N:,} rows x {P} columns, {C} clusters; {'':20}  median    worst  limit (CPU ms)")
    for name, limit in LIMITS.items():
        refits(X, truth, name, limit)
    with tempfile.TemporaryDirectory() as folder:
        studio(X, truth, Path(folder))
        journal(X, Path(folder))


def studio(X, truth, folder):
    names = [f"x{j}" for j in range(P)]
    data = StudioData(
        "rows",
        pa.table(dict(zip(names, X.T, strict=True))),
        X,
        np.arange(N),
        tuple(Column(n, "feature") for n in names),
    )
    session = Session.start(X, softclust.FuzzyCMeans(C, random_state=0))
    desk = Desk(data, session, Writer(folder / "s.jsonl", session.header.record(), ()))
    asked, members, states, changes = [], [], [], []
    for row in range(ANSWERS):
        changes.append(
            wall(lambda row=row: desk.change(desk.rev, lambda s: s.tell(row, f"class {truth[row]}")))
        )
        desk.submit(desk.newest).result()
        asked.append(desk.submit(lambda: cpu(lambda: desk.ask(5, "rows"))[0]).result())
        members.append(cpu(desk.members)[0])
        states.append(cpu(lambda: summary.state(desk))[0])
    line("five questions", asked, 100)
    line("members: 3 bytes a row", members, 20)
    line("state", states, 20)
    line("an answer, until it is on the disk (wall)", changes, 50)
    desk.close()


def journal(X, folder):
    session = Session.start(X[:100], softclust.FuzzyCMeans(C, random_state=0))
    for row in range(10_000):
        session = session.tell(row % 100, "a")
    writer = Writer(folder / "long.jsonl", session.header.record(), session.events)
    times = []
    for row in range(20):
        session = session.tell(row, "b")
        times.append(cpu(lambda s=session: writer.append(s.events[-1:]))[0])
    writer.close()
    line("append after 10,000 events", times, 1)
    line("the same by Session.save", [cpu(lambda: session.save(folder / "long.jsonl"))[0]], 1_000)


def wall(job):
    began = time.perf_counter()
    job()
    return time.perf_counter() - began


if __name__ == "__main__":
    main()
