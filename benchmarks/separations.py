"""Time of a sweep, from clusters that lie far apart to clusters that overlap.

    python benchmarks/separations.py

Far clusters have memberships near 0.  On some processors arithmetic on subnormal numbers takes a hundred
times as long as on others, so a pass must not meet any.  Each entry is fitted from the true centres to
40,000 x 16 rows in eight blobs.  Their standard deviation goes from .2 to 8; the centres are some 20 apart.
Times are CPU ms of one sweep on one thread, the best of six; the last column is the greatest of them over
the least.  Processors of AMD hide the cost of subnormal numbers: there the ratio is small in any case.
Promised: below 2 for every entry with compiled passes.
"""

from __future__ import annotations

import sys
import time
import warnings

import numpy as np
from sklearn.datasets import make_blobs

import softclust
from common import machine, parser, print_table, verdict
from softclust.grammar.sweep import sweep

SPREADS = (0.2, 0.5, 1.0, 2.0, 4.0, 8.0)
ENTRIES = {
    "hcm": {}, "fcm": {}, "fcm, m = 1.7": {"m": 1.7}, "fcm, m = 1.1": {"m": 1.1}, "pcm": {},
    "pcm-entropy": {}, "pfcm": {}, "ipcm": {}, "ipcm2": {}, "gk": {}, "gg": {}, "pgk": {}, "ecm": {},
    "gmm": {}, "gmm, tied": {"covariance_type": "tied"}, "gmm, diag": {"covariance_type": "diag"},
}  # fmt: skip
MOST = 2.0
BY_PARTS = ("gmm, diag",)  # in NumPy
NAME = "greatest / least"


def milliseconds(name: str, parameters: dict, X: np.ndarray, V: np.ndarray) -> float:
    """CPU ms of a sweep of a model that was fitted from the true centres."""
    model = softclust.make(name.partition(",")[0], n_clusters=len(V), max_iter=5, **parameters)
    model.set_params(init=V, n_jobs=1, growing_samples=False).fit(X)
    source, fitted = model._source(X, None), model._fitted

    def spent() -> float:
        began = time.process_time()
        source.reduce(sweep, fitted.model, fitted.state)
        return time.process_time() - began

    return 1e3 * min(spent() for _ in range(6))


def main() -> None:
    arguments = parser(__doc__).parse_args()
    warnings.simplefilter("ignore")
    print(machine(), "\n")
    rows, worst = [], (0.0, "")
    for name, parameters in ENTRIES.items():
        times = []
        for spread in SPREADS:
            X, _, V = make_blobs(
                40_000, 16, centers=8, cluster_std=spread, random_state=0, return_centers=True
            )
            times.append(milliseconds(name, parameters, X, V))
        ratio = max(times) / max(min(times), 1e-3)
        if name not in BY_PARTS:
            worst = max(worst, (ratio, name))
        rows.append([name, *(f"{t:.2f}" for t in times), f"{ratio:.2f}"])
    print_table(["CPU ms", *(f"std {spread:g}" for spread in SPREADS), NAME], rows)
    print()
    kept = verdict(
        f"{NAME} below {MOST:g} for compiled entries", f"{worst[0]:.2f} ({worst[1]})", worst[0] < MOST
    )
    sys.exit(not kept and arguments.strict)


if __name__ == "__main__":
    main()
