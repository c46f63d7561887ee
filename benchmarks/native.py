"""The native library beside the JIT: first fits, passes and refits.

    python benchmarks/native.py

1. CPU seconds of the first fit of 300 x 4 rows in a fresh process, after scikit-learn's base is imported:
   native, JIT with all code on disk, and (with --cold) JIT with nothing on disk.  Promised: .15 s at most.
2. CPU ms of a pass on one thread, where the JIT and each level of the library that this processor has take
   turns in one process, and of a whole small fit; the best counts.  Promised of the median ratio of the
   best level to the JIT: at most 1.05 for float64, 1.3 for float32, and 1.1 for refits.  Single ratios
   scatter both ways on a shared machine.  `native/build.py --all-levels` builds all levels.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
import warnings
from importlib import import_module
from tempfile import TemporaryDirectory

import numpy as np

import softclust
from common import machine, median, parser, print_table, verdict
from softclust.grammar.sweep import sweep
from softclust.kernels import passes
from softclust.kernels.compiled import passes as compiled

FIRST = """
import sys, time, warnings, numpy as np
import sklearn.base, sklearn.utils.validation
warnings.simplefilter("ignore")
rng = np.random.default_rng(0)
X = np.concatenate([rng.normal(m, 1, (100, 4)) for m in (0, 4, 8)])
y = np.full(300, -1); y[::15] = np.arange(300)[::15] // 100
began = time.process_time()
import softclust as sc
model = {"FCM": sc.FuzzyCMeans, "GMM": sc.GaussianMixture, "FCM, labels": sc.FuzzyCMeans,
         "ECM": sc.EvidentialCMeans, "PAM": sc.KMedoids}[sys.argv[1]](3, random_state=0)
model.fit(X, y) if "labels" in sys.argv[1] else model.fit(X)
print(time.process_time() - began, int("numba" in sys.modules))
"""
REFITS = """
import json, time, warnings, numpy as np, softclust as sc
warnings.simplefilter("ignore")
rng, found = np.random.default_rng(0), {}
X = np.concatenate([rng.normal(m, 1, (50, 4)) for m in (0, 4, 8)])
for name in ("FuzzyCMeans", "EvidentialCMeans", "GaussianMixture", "HardCMeans"):
    model = getattr(sc, name)(3, random_state=0); times = []
    for _ in range(60):
        began = time.process_time(); model.fit(X); times.append(time.process_time() - began)
    found[f"refit {name}"] = 1e3 * min(times)
print(json.dumps(found))
"""
SHAPES = ((400_000, 16, 8), (400_000, 2, 3), (80_000, 64, 32))
MODELS = {
    "m = 2": softclust.FuzzyCMeans(m=2),
    "m = 1.7": softclust.FuzzyCMeans(m=1.7),
    "hard": softclust.HardCMeans(),
    "gmm": softclust.GaussianMixture(),
}


def levels() -> list[str]:
    """The levels of the library that this processor has, the best first."""
    return [name for name, runs in import_module("softclust.kernels._native").levels() if runs]


def pass_times(model, X: np.ndarray, V: np.ndarray, turns: int = 12) -> list[float]:
    """CPU ms of a sweep on one thread, by each level and by the JIT: the best of several, by turns."""
    model.set_params(n_clusters=len(V), init=V, n_jobs=1, growing_samples=False, max_iter=1).fit(X)
    source, fitted = model._source(X, None), model._fitted
    library = import_module("softclust.kernels._native")
    tiers = [*(library.passes(level)["passes.sweep"] for level in levels()), compiled.sweep]
    best = [np.inf] * len(tiers)
    for turn in range(len(tiers) * (turns + 1)):
        place = turn % len(tiers)
        passes._sweep = tiers[place]
        source = model._source(X, None)  # new rows: a block keeps the pass that it began with
        source.reduce(sweep, fitted.model, fitted.state)
        began = time.process_time()
        source.reduce(sweep, fitted.model, fitted.state)
        if turn >= len(tiers):
            best[place] = min(best[place], 1e3 * (time.process_time() - began))
    return best


def run(code: str, *arguments: str, **environment: str) -> str:
    """What a fresh process prints."""
    command = [sys.executable, "-c", code, *arguments]
    return subprocess.run(
        command, env=os.environ | environment, check=True, capture_output=True, text=True
    ).stdout


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--cold", action="store_true", help="also compile everything anew")
    arguments = options.parse_args()
    warnings.simplefilter("ignore")
    print(machine(), "\n")
    tiers, first, kept = {"native": "1", "JIT": "0"}, [], []
    for name in ("FCM", "GMM", "FCM, labels", "ECM", "PAM"):
        row, best = [name], {}
        for tier, switch in tiers.items():
            told = [run(FIRST, name, SOFTCLUST_NATIVE=switch).split() for _ in range(6)][1:]
            best[tier] = min(float(seconds) for seconds, _ in told)
            row += [f"{best[tier]:.3f}", "yes" if told[0][1] == "1" else "no"]
        if arguments.cold:
            with TemporaryDirectory() as empty:
                row.append(run(FIRST, name, SOFTCLUST_NATIVE="0", NUMBA_CACHE_DIR=empty).split()[0][:5])
        first.append(row)
        kept.append((f"first fit of {name} within .15 s of CPU, without Numba", best["native"], 0.15))
    print_table(
        ["first fit, CPU s", "native", "Numba?", "JIT, warm", "Numba?", *(["JIT, cold"] * arguments.cold)],
        first,
    )
    rows, ratios, found = [], {}, {}
    for n, p, c in SHAPES:
        X = np.random.default_rng(0).normal(size=(n, p))
        for name, model in MODELS.items():
            for dtype in ("f8", "f4") if name != "gmm" or p < 64 else ():
                found[f"{n:,} x {p}, {name}, {dtype}"] = pass_times(model, X.astype(dtype), X[:c].copy())
    turns = [
        [json.loads(run(REFITS, SOFTCLUST_NATIVE=switch)) for switch in tiers.values()] for _ in range(3)
    ]
    for name in turns[0][0]:
        native, jit = (min(turn[place][name] for turn in turns) for place in range(2))
        found[name] = [native, *[np.nan] * (len(levels()) - 1), jit]
    for name, times in found.items():
        kind = "refits" if "refit" in name else name[-2:]
        ratios.setdefault(kind, []).append(times[0] / times[-1])
        cells = ("" if np.isnan(time) else f"{time:.2f}" for time in times)
        rows.append([name, *cells, f"{times[0] / times[-1]:.2f}"])
    print()
    print_table(["CPU ms", *levels(), "JIT", "first / last"], rows)
    print()
    for kind, limit in {"f8": 1.05, "f4": 1.3, "refits": 1.1}.items():
        kept.append(
            (
                f"{kind}, native / JIT, median (greatest {max(ratios[kind]):.2f})",
                median(ratios[kind]),
                limit,
            )
        )
    results = [
        verdict(f"{promise} at most {limit}", f"{found:.3f}", found <= limit)
        for promise, found, limit in kept
    ]
    sys.exit(not all(results) and arguments.strict)


if __name__ == "__main__":
    main()
