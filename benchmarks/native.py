"""The native library beside the JIT: first fits, passes and refits.

    python benchmarks/native.py

1. CPU seconds of the first fit of 300 x 4 rows in a fresh process, after scikit-learn's base is imported:
   native, JIT with all code on disk, and (with --cold) JIT with nothing on disk.  Promised: .15 s at most.
2. CPU ms of a pass on one thread, and of a whole small fit, in each tier; processes take turns and the best
   counts.  Promised of the median ratio, native / JIT: at most 1.05 for float64, 1.3 for float32, and 1.1
   for refits.  Single ratios scatter both ways on a shared machine.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from tempfile import TemporaryDirectory

from common import machine, median, parser, print_table, verdict

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
PASSES = """
import json, time, warnings, numpy as np, softclust as sc
warnings.simplefilter("ignore")
found = {}
def best(model, X, *more):
    def spent(most):
        model.set_params(max_iter=most); began = time.process_time(); model.fit(X)
        return time.process_time() - began
    spent(1)
    return 1e3 * (min(spent(6) for _ in range(4)) - min(spent(1) for _ in range(4))) / 5
for n, p, c in ((400_000, 16, 8), (400_000, 2, 3), (80_000, 64, 32)):
    rows = np.random.default_rng(0).normal(size=(n, p)); V = rows[:c].copy()
    for dtype in ("f8", "f4"):
        X = rows.astype(dtype)
        for name, model in {"m = 2": sc.FuzzyCMeans(c), "m = 1.7": sc.FuzzyCMeans(c, m=1.7),
                            "hard": sc.HardCMeans(c), "gmm": sc.GaussianMixture(c)}.items():
            if name == "gmm" and p == 64: continue
            model.set_params(init=V, n_jobs=1, growing_samples=False, acceleration=None, tol=0)
            found[f"{n:,} x {p}, {name}, {dtype}"] = best(model, X)
rng = np.random.default_rng(0)
X = np.concatenate([rng.normal(m, 1, (50, 4)) for m in (0, 4, 8)])
for name in ("FuzzyCMeans", "EvidentialCMeans", "GaussianMixture", "HardCMeans"):
    model = getattr(sc, name)(3, random_state=0); times = []
    for _ in range(60):
        began = time.process_time(); model.fit(X); times.append(time.process_time() - began)
    found[f"refit {name}"] = 1e3 * min(times)
print(json.dumps(found))
"""


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
    turns: dict[str, list] = {tier: [] for tier in tiers}
    for _ in range(3):
        for tier, switch in tiers.items():
            turns[tier].append(json.loads(run(PASSES, SOFTCLUST_NATIVE=switch)))
    rows, ratios = [], {}
    for name in turns["JIT"][0]:
        native, jit = (min(turn[name] for turn in turns[tier]) for tier in tiers)
        kind = "refits" if "refit" in name else name[-2:]
        ratios.setdefault(kind, []).append(native / jit)
        rows.append([name, f"{native:.2f}", f"{jit:.2f}", f"{native / jit:.2f}"])
    print()
    print_table(["CPU ms", "native", "JIT", "ratio"], rows)
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
