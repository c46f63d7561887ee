"""Random fits, saves, loads, kills and resumes for a long time: nothing may grow, fail or differ.

    python tools/soak.py [--minutes 60] [--memory 2000] [--seed 0]

Every round draws an estimator and data, and does one of four things: fits and predicts; saves and loads;
learns from rows in batches; lets a child process fit with a checkpoint, kills it at a random moment, and
goes on from the file, to the bits of an unbroken fit.  The process may not use more than `--memory` MB.  At
the end it prints the slope of memory, after a fifth of the time, and how many files and threads were open.
Ends with status 1 if something failed; an objective without a minimum on the drawn rows is no failure.
"""

from __future__ import annotations

import argparse
import os
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import time
import warnings
from pathlib import Path

import numpy as np

import softclust
from softclust.grammar.separation import NoMinimumError

LABELLED = ("FuzzyCMeans", "HardCMeans", "PossibilisticFuzzyCMeans", "EvidentialCMeans", "GaussianMixture")
CHILD = """
import sys, warnings, numpy as np, softclust
warnings.simplefilter("ignore")
rng = np.random.default_rng(int(sys.argv[2]))
X = rng.normal(size=(4000, 6)) + 4 * rng.integers(0, 3, 4000)[:, None]
options = dict(random_state=0, tol=0.0, max_iter=400, acceleration=None)
model = getattr(softclust, sys.argv[1])(3, checkpoint=sys.argv[3] or None, **options).fit(X)
np.save(sys.argv[4], model.memberships_)
"""


def drawn(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Return rows of some blobs, and the labels of a few."""
    n, p, c = int(rng.integers(20, 3000)), int(rng.integers(1, 12)), int(rng.integers(2, 6))
    truth = rng.integers(0, c, n)
    X = rng.normal(size=(n, p)) + rng.uniform(-8, 8, (c, p))[truth]
    return X, np.where(rng.random(n) < 0.1, truth, -1)


def fit_and_predict(rng: np.random.Generator, folder: Path) -> None:
    X, y = drawn(rng)
    model = getattr(softclust, str(rng.choice(LABELLED)))(int(y.max()) + 2, random_state=0)
    model.fit(X, y if rng.random() < 0.5 and (y >= 0).any() else None)
    assert np.isfinite(model.memberships_).all()
    assert model.predict(X).shape == (len(X),)


def save_and_load(rng: np.random.Generator, folder: Path) -> None:
    X, _ = drawn(rng)
    name = str(rng.choice(sorted(softclust.catalogue())))
    if name in ("afcs", "apcs", "fces", "pces"):
        X = X[:200, :2]
    model = softclust.make(name, n_clusters=3).set_params(random_state=0).fit(X[:600])
    softclust.save(model, folder / "model.zip")
    assert np.array_equal(softclust.load(folder / "model.zip").predict(X[:600]), model.predict(X[:600]))


def learn_in_batches(rng: np.random.Generator, folder: Path) -> None:
    X, _ = drawn(rng)
    model = softclust.FuzzyCMeans(2, random_state=0)
    for part in np.array_split(X, 4):
        model.partial_fit(part)
    assert np.isfinite(model.cluster_centers_).all()


def kill_and_resume(rng: np.random.Generator, folder: Path) -> None:
    name, seed = str(rng.choice(LABELLED[:2])), str(rng.integers(2**31))
    kept, out, whole = folder / "checkpoint", folder / "resumed.npy", folder / "whole.npy"
    kept.unlink(missing_ok=True)
    command = [sys.executable, "-c", CHILD, name, seed]
    child = subprocess.Popen([*command, str(kept), str(out)])
    time.sleep(float(rng.uniform(0.3, 2.5)))
    child.send_signal(signal.SIGKILL)
    child.wait()
    subprocess.run([*command, str(kept), str(out)], check=True)
    subprocess.run([*command, "", str(whole)], check=True)
    assert np.array_equal(np.load(out), np.load(whole)), f"{name} {seed}"


JOBS = (fit_and_predict,) * 6 + (save_and_load,) * 3 + (learn_in_batches,) * 2 + (kill_and_resume,)


def resident() -> float:
    """Return the memory of this process now, in MB."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def opened() -> tuple[int, int]:
    """Return the numbers of open files and of threads."""
    return len(os.listdir("/proc/self/fd")), threading.active_count()


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    options.add_argument("--minutes", type=float, default=60)
    options.add_argument("--memory", type=int, default=2000)
    options.add_argument("--seed", type=int, default=0)
    given = options.parse_args()
    rng, failures, sizes, refused = np.random.default_rng(given.seed), [], [], 0
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        warnings.simplefilter("ignore")  # some methods do not suit some data, and say so
        fit_and_predict(rng, Path(folder))  # what is loaded once is there now
        space = int(Path("/proc/self/statm").read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE")
        limit = space + given.memory * 2**20
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
        first = opened()
        while time.monotonic() - began < 60 * given.minutes:
            job = JOBS[rng.integers(len(JOBS))]
            try:
                job(rng, Path(folder))
            except (
                NoMinimumError
            ):  # the objective of a paper that has no minimum on these rows, in a sentence
                refused += 1
            except Exception as error:
                failures.append(f"round {len(sizes)}, {job.__name__}: {error!r}")
            sizes.append(resident())
    rounds = np.arange(len(sizes))
    late = rounds >= len(sizes) // 5
    slope = np.polyfit(rounds[late], np.array(sizes)[late], 1)[0] * 1000 if late.sum() > 2 else float("nan")
    print(
        f"{len(sizes):,} rounds in {given.minutes:g} minutes, {len(failures)} failures, {refused} refused"
    )
    print(
        f"memory {sizes[0]:.0f} MB at first, {sizes[-1]:.0f} at the end, {slope:+.2f} MB a thousand rounds"
    )
    print(f"files and threads {first} at first, {opened()} at the end")
    for sentence in failures[:20]:
        print(sentence)
    sys.exit(bool(failures))


if __name__ == "__main__":
    main()
