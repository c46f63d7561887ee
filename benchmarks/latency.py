"""How long small fits take: in a warm process, in a fresh one, and the import alone.

    python benchmarks/latency.py

1. Warm fits of iris with 3 clusters, 200 after 5 not counted: median, best and 95th percentile, ms.
   Promised: FuzzyCMeans below 2 ms, from three starts, and faster than scikit-fuzzy from one.
2. Fresh processes in an environment with softclust and its dependencies alone (.venv-core, made on
   the first run; with pandas installed, scikit-learn imports it too), with Numba's cache warm, rounds
   interleaved: wall time in s of the whole process, start and end of Python included.
3. Where the first fit of such a process spends its time, told by the process itself, with the rows read
   from a file.  Promised: all imports and the first fit together below 1.5 s (median).  scikit-learn comes
   with our first estimator; `load_iris` above loads more of it, and of scipy, than a fit does.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import warnings
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from skfuzzy import cmeans
from sklearn.datasets import load_iris

import softclust
from common import ROOT, environment, machine, median, parser, print_table, seconds, verdict

ESTIMATORS = (
    "FuzzyCMeans",
    "PossibilisticCMeans",
    "PossibilisticFuzzyCMeans",
    "ImprovedPossibilisticCMeans",
    "HardCMeans",
)
PEER = "skfuzzy.cmeans, one start"
FIRST_FIT = (
    "from sklearn.datasets import load_iris; from softclust import FuzzyCMeans;"
    "FuzzyCMeans(n_clusters=3, random_state=0).fit(load_iris().data)"
)
PROCESSES = {
    "empty process": "pass",
    "import numpy": "import numpy",
    "import sklearn.base": "import sklearn.base",
    "load_iris": "from sklearn.datasets import load_iris; load_iris()",
    "import numba": "import numba",
    "import softclust": "import softclust",
    "first fit of iris": FIRST_FIT,
}
STAGES = """
import json, sys, time
marks = [("", time.perf_counter())]
def mark(stage): marks.append((stage, time.perf_counter()))
import numpy; mark("import numpy")
X = numpy.load(sys.argv[1]); mark("rows from a file")
import softclust; mark("import softclust")
model = softclust.FuzzyCMeans(n_clusters=3, random_state=0); mark("FuzzyCMeans, scikit-learn")
model.fit(X); mark("first fit")
model.fit(X); mark("second fit")
print(json.dumps([(s, t - marks[i][1]) for i, (s, t) in enumerate(marks[1:])]))
"""


def warm_fits(name: str, X: np.ndarray, repeats: int) -> np.ndarray:
    """Milliseconds of each fit."""
    if name == PEER:
        fit = partial(cmeans, X.T, 3, 2, error=1e-6, maxiter=1000, seed=0)
    else:
        fit = partial(getattr(softclust, name)(n_clusters=3, random_state=0).fit, X)
    for _ in range(5):
        fit()
    return np.array([1e3 * seconds(fit) for _ in range(repeats)])


def python(interpreter: Path, code: str, *arguments: str) -> str:
    """What the code prints; with bytecode, as an installed package has it."""
    command = [str(interpreter), "-W", "ignore", "-c", code, *arguments]
    usual = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, env=usual).stdout


def main() -> int:
    options = parser(__doc__)
    options.add_argument("--fits", type=int, default=200)
    options.add_argument("--processes", type=int, default=5)
    args = options.parse_args()
    warnings.simplefilter("ignore")
    print(machine() + "\n")

    X = load_iris().data
    fits = {name: warm_fits(name, X, args.fits) for name in (*ESTIMATORS, PEER)}
    rows = [
        [name, f"{np.median(t):.2f}", f"{t.min():.2f}", f"{np.quantile(t, 0.95):.2f}"]
        for name, t in fits.items()
    ]
    print_table(["warm fit of iris, ms", "median", "best", "95 %"], rows)

    core = environment(ROOT / ".venv-core", ["--editable", str(ROOT)])
    python(core, FIRST_FIT)  # fills Numba's cache
    walls: dict[str, list[float]] = {name: [] for name in PROCESSES}
    for _ in range(args.processes):
        for name, code in PROCESSES.items():
            walls[name].append(seconds(partial(python, core, code)))
    empty = median(walls["empty process"])
    rows = [
        [name, f"{min(t):.3f}", f"{median(t):.3f}", f"{median(t) - empty:.3f}"] for name, t in walls.items()
    ]
    print()
    print_table(["fresh process, s", "best", "median", "beyond Python"], rows)

    with TemporaryDirectory() as folder:
        path = Path(folder, "iris.npy")
        np.save(path, X)
        told = [json.loads(python(core, STAGES, str(path))) for _ in range(2 * args.processes)]
    rows = [[stages[0][0], f"{median(s for _, s in stages):.4f}"] for stages in zip(*told, strict=True)]
    print()
    print_table(["stages of a first fit, s", "median"], rows)

    print()
    warm = float(np.median(fits["FuzzyCMeans"]))
    first = median(sum(s for stage, s in stages if stage != "second fit") for stages in told)
    theirs = float(np.median(fits[PEER]))
    kept = verdict("warm FuzzyCMeans on iris below 2 ms", f"{warm:.2f} ms", warm < 2)
    kept &= verdict("and faster than scikit-fuzzy, one start", f"{theirs / warm:.1f}x", warm < theirs)
    kept &= verdict("imports and first fit in a fresh process below 1.5 s", f"{first:.2f} s", first < 1.5)
    return int(args.strict and not kept)


if __name__ == "__main__":
    sys.exit(main())
