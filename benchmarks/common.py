"""Helpers shared by the benchmarks: data, timing, tables, verdicts."""

from __future__ import annotations

import argparse
import os
import platform
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent


def make_data(n: int, p: int, c: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Overlapping blobs (n, p) in float64, and a start (c, p) that is no row of them.

    The blobs lie near a plane. In full dimension, clusters that overlap enough to keep k-means busy
    for 20 iterations make the centres of fuzzy c-means at m = 2 coincide; near a plane they do not.
    """
    rng = np.random.default_rng(seed)
    plane = np.linalg.qr(rng.normal(size=(p, 2)))[0].T
    means = 0.4 * rng.normal(size=(c, 2))

    def draw(rows: int) -> np.ndarray:
        X = (means[rng.integers(c, size=rows)] + rng.normal(size=(rows, 2))) @ plane
        X += 0.05 * rng.normal(size=(rows, p))
        return X

    return draw(n), draw(c)


def seconds(call: Callable[[], object]) -> float:
    """Wall time of one call."""
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def median(values: Iterable[float]) -> float:
    return statistics.median(values)


def parser(doc: str | None) -> argparse.ArgumentParser:
    """A parser that shows the script's docstring, with the option every benchmark has."""
    made = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument("--strict", action="store_true", help="exit with 1 if a promise is missed")
    return made


def machine() -> str:
    """One line: where and under what load the figures were taken."""
    load = os.getloadavg()[0]
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return f"Python {platform.python_version()}, {cores} cores, load average {load:.1f}"


def environment(venv: Path, packages: Sequence[str], base: str = sys.executable) -> Path:
    """The Python of an environment with these packages, which is made if it is not there."""
    python = venv / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    if not python.exists():
        print(f"making {venv.name} for {', '.join(packages)} ...", flush=True)
        try:
            subprocess.run([base, "-m", "venv", str(venv)], check=True)
            subprocess.run([str(python), "-m", "pip", "install", "--quiet", *packages], check=True)
        except BaseException:  # a half-made environment would be taken for a whole one next time
            shutil.rmtree(venv, ignore_errors=True)
            raise
    return python


def print_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Columns as wide as needed, the first one left-aligned."""
    widths = [max(len(row[j]) for row in [header, *rows]) for j in range(len(header))]
    for row in [header, ["-" * width for width in widths], *rows]:
        cells = [row[0].ljust(widths[0])]
        cells += [cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True)]
        print("  ".join(cells).rstrip())


def verdict(promise: str, measured: str, kept: bool) -> bool:
    """Print one promise and whether it is kept; NaN comparisons are False, hence a MISS."""
    print(f"{'PASS' if kept else 'MISS'}  {promise}: {measured}")
    return kept
