"""All benchmarks, one after the other, and benchmarks/RESULTS.md with what they printed.

    python benchmarks/results.py [NAME ...]

With names (peers, growth, ...) only those are run, and the others keep what they printed last.  What a
script prints is kept under .bench in the project root.
"""

from __future__ import annotations

import argparse
import os
import platform
import re
import subprocess
import sys
import time
from datetime import date
from importlib.metadata import version
from pathlib import Path

from common import ROOT

SCRIPTS = {
    "peers": "An iteration beside scikit-fuzzy, fuzzy-c-means and scikit-learn",
    "objective": "Time to the same objective",
    "field": "The other peers",
    "acceleration": "Passes with each acceleration",
    "growth": "Growth in rows, clusters, features and threads; the largest fit; density weights",
    "latency": "Small data and first fits",
    "memory": "Working memory",
    "labels": "Rows with labels",
    "evidential": "Evidential c-means beside evclust",
    "geometries": "Mixtures beside scikit-learn, ellipsoids",
    "medoids": "Medoids beside kmedoids",
    "scale": "Dask on two worker processes",
}
KEPT = ROOT / ".bench"
PACKAGES = ("softclust", "numpy", "scipy", "numba", "scikit-learn")


def processor() -> str:
    """The processor's name where the system tells it."""
    info = Path("/proc/cpuinfo")
    found = re.search(r"model name\s*:\s*(.+)", info.read_text()) if info.exists() else None
    return found[1] if found else platform.processor() or "unknown processor"


def memory() -> str:
    pages = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return f"{pages / 2**30:.0f} GiB"


def run(name: str) -> None:
    """Run one script, show what it prints, and keep it."""
    print(f"\n=== {name}: {SCRIPTS[name]}", flush=True)
    began, lines = time.monotonic(), []
    command = [sys.executable, str(ROOT / "benchmarks" / f"{name}.py")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) as process:
        for line in process.stdout:
            print(line, end="", flush=True)
            lines.append(line)
    if process.returncode:
        lines.append(f"(ended with status {process.returncode})\n")
    took = time.monotonic() - began
    KEPT.mkdir(exist_ok=True)
    (KEPT / f"{name}.txt").write_text(f"{date.today()}, {took:.0f} s\n{''.join(lines).strip()}\n")


def page() -> str:
    """RESULTS.md from what was kept."""
    sections, promises = [], []
    for name, title in SCRIPTS.items():
        kept = KEPT / f"{name}.txt"
        if not kept.exists():
            continue
        head, _, body = kept.read_text().partition("\n")
        sections.append(
            f"## {title}\n\n`python benchmarks/{name}.py`, {head}\n\n```text\n{body.strip()}\n```\n"
        )
        promises += [line for line in body.splitlines() if line.startswith(("PASS", "MISS"))]
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    versions = ", ".join(f"{name} {version(name)}" for name in PACKAGES)
    missed = sum(line.startswith("MISS") for line in promises)
    return "\n".join([
        "# Results\n",
        "Made by `make bench`; each section is what its script printed.  Contestants of a table ran in one",
        "run, taking turns.  The machine is shared and noisy: ratios carry over, milliseconds do not.\n",
        f"{processor()}, {cores} cores, {memory()}; Python {platform.python_version()}, {versions}.\n",
        f"{len(promises) - missed} of {len(promises)} promises kept:\n",
        "```text", *promises, "```\n", *sections,
    ])  # fmt: skip


def main() -> int:
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("names", nargs="*", metavar="NAME", help=", ".join(SCRIPTS))
    names = options.parse_args().names
    unknown = [name for name in names if name not in SCRIPTS]
    if unknown:
        options.error(f"there is no benchmark {unknown[0]!r}; there are {', '.join(SCRIPTS)}")
    for name in names or SCRIPTS:
        run(name)
    (ROOT / "benchmarks" / "RESULTS.md").write_text(page())
    return 0


if __name__ == "__main__":
    sys.exit(main())
