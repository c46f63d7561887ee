"""All benchmarks, one after the other, and benchmarks/RESULTS.md with what they printed.

    python benchmarks/results.py [NAME ...]

With names (peers, growth, ...) only those are run, and the others keep what RESULTS.md has of them.
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
    "native": "The native library beside the JIT",
    "catalogue": "Every entry of the catalogue",
    "separations": "Clusters far apart and overlapping",
    "memory": "Working memory",
    "quality": "Quality of the answers with defaults",
    "labels": "Rows with labels",
    "active": "Questions to an expert beside questions drawn by lot",
    "evidential": "Evidential c-means beside evclust",
    "geometries": "Mixtures beside scikit-learn, ellipsoids",
    "medoids": "Medoids beside kmedoids",
    "scale": "Dask on two worker processes",
}
RESULTS = ROOT / "benchmarks" / "RESULTS.md"
PACKAGES = ("softclust", "numpy", "scipy", "numba", "scikit-learn")


def processor() -> str:
    """The processor's name where the system tells it."""
    info = Path("/proc/cpuinfo")
    found = re.search(r"model name\s*:\s*(.+)", info.read_text()) if info.exists() else None
    return found[1] if found else platform.processor() or "unknown processor"


def memory() -> str:
    pages = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return f"{pages / 2**30:.0f} GiB"


def run(name: str) -> tuple[str, str]:
    """Run one script and show what it prints; when and how long, and what that was."""
    print(f"\n=== {name}: {SCRIPTS[name]}", flush=True)
    began, lines = time.monotonic(), []
    command = [sys.executable, str(ROOT / "benchmarks" / f"{name}.py")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) as process:
        for line in process.stdout:
            print(line, end="", flush=True)
            lines.append(line)
    if process.returncode:
        lines.append(f"(ended with status {process.returncode})\n")
    return f"{date.today()}, {time.monotonic() - began:.0f} s", "".join(lines).strip()


def kept() -> dict[str, tuple[str, str]]:
    """The same of each script, as RESULTS.md has it."""
    found = re.findall(
        r"^`python benchmarks/(\w+)\.py`, ([^\n]+)\n\n```text\n(.*?)\n```$",
        RESULTS.read_text(),
        re.S | re.M,
    )
    return {name: (head, body) for name, head, body in found}


def page(printed: dict[str, tuple[str, str]]) -> str:
    """RESULTS.md from what the scripts printed."""
    sections, promises = [], []
    for name, title in SCRIPTS.items():
        if name not in printed:
            continue
        head, body = printed[name]
        sections.append(f"## {title}\n\n`python benchmarks/{name}.py`, {head}\n\n```text\n{body}\n```\n")
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
    printed = kept() if RESULTS.exists() else {}
    for name in names or SCRIPTS:
        printed[name] = run(name)
        RESULTS.write_text(page(printed))
    return 0


if __name__ == "__main__":
    sys.exit(main())
