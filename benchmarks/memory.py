"""Peak memory of a fit beyond X and the outputs.

    python benchmarks/memory.py [--rows 1000000]

A fresh process loads X (rows x 16, float64), fits FuzzyCMeans with 8 clusters on 1,000 rows to load
the compiled code, notes its resident memory, fits all rows for 5 iterations and takes the peak.

rise      peak during the fit less resident memory before it
outputs   the fitted arrays with one entry or line a row (memberships_, labels_, ...)
beyond    rise - outputs: the working memory of the fit; promised below 50 MB (MB = 10^6 bytes)
"""

from __future__ import annotations

import argparse
import gc
import json
import resource
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

import numpy as np

from common import machine, make_data, parser, print_table, verdict
from peak import MB, Peak

LIMIT = 50.0


def outputs(estimator: object, n: int) -> dict[str, float]:
    """MB of each fitted array with n lines; arrays that share memory count once."""
    sizes, seen = {}, set()
    for name, value in vars(estimator).items():
        if isinstance(value, np.ndarray) and value.ndim and len(value) == n:
            if (address := value.__array_interface__["data"][0]) not in seen:
                sizes[name] = value.nbytes / MB
            seen.add(address)
    return sizes


def child(folder: Path) -> None:
    from softclust import FuzzyCMeans

    warnings.simplefilter("ignore")  # max_iter is reached on purpose
    X, V0 = np.load(folder / "X.npy"), np.load(folder / "V0.npy")

    def model() -> FuzzyCMeans:
        return FuzzyCMeans(len(V0), m=2.0, init=V0, n_init=1, max_iter=5, tol=0.0, acceleration=None)

    model().fit(X[:1000])
    gc.collect()
    with Peak() as peak:
        fitted = model().fit(X)
    lifetime = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / MB
    record = {"before": peak.before, "peak": peak.mb, "method": peak.method, "lifetime": lifetime}
    print(json.dumps({**record, "n_iter": fitted.n_iter_, "outputs": outputs(fitted, len(X))}))


def main() -> int:
    options = parser(__doc__)
    options.add_argument("--rows", type=int, default=1_000_000)
    options.add_argument("--child", type=Path, help=argparse.SUPPRESS)
    args = options.parse_args()
    if args.child:
        child(args.child)
        return 0

    with tempfile.TemporaryDirectory() as folder:
        for name, array in zip(("X", "V0"), make_data(args.rows, 16, 8), strict=True):
            np.save(Path(folder, f"{name}.npy"), array)
        command = [sys.executable, __file__, "--child", folder]
        answer = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    record = json.loads(answer.splitlines()[-1])

    rise = record["peak"] - record["before"]
    held = sum(record["outputs"].values())
    print(f"{machine()}\nFuzzyCMeans, {args.rows:,} x 16, c = 8, {record['n_iter']} iterations\n")
    rows = [
        ["before the fit", f"{record['before']:.1f}"],
        [f"peak ({record['method']})", f"{record['peak']:.1f}"],
        ["rise", f"{rise:.1f}"],
        ["outputs", f"{held:.1f}"],
        *([f"  {name}", f"{size:.1f}"] for name, size in record["outputs"].items()),
        ["beyond", f"{rise - held:.1f}"],
        ["(ru_maxrss)", f"{record['lifetime']:.1f}"],
    ]
    print_table(["resident memory", "MB"], rows)
    print()
    beyond = rise - held
    kept = verdict(f"beyond X and outputs below {LIMIT:g} MB", f"{beyond:.1f} MB", beyond < LIMIT)
    return int(args.strict and not kept)


if __name__ == "__main__":
    sys.exit(main())
