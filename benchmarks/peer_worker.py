"""Runs scikit-fuzzy and fuzzy-c-means for peers.py, inside .venv-peers (they need NumPy < 2 there).

    .venv-peers/bin/python benchmarks/peer_worker.py FOLDER

FOLDER holds X.npy and V0.npy. The first line printed is the versions; then each line read,
``{"peer": "scikit-fuzzy", "m": 2.0, "iterations": 4}``, is answered by one line
``{"seconds": .., "n_iter": .., "mb": .., "centres": [[..]]}``. Both peers start from memberships, so the
memberships of V0 are worked out beforehand and are not timed: iteration 1 is the first new centres.
"""

import json
import sys
import time
from functools import cache
from importlib.metadata import version
from pathlib import Path

import numpy as np
from fcmeans import FCM
from skfuzzy.cluster import cmeans

from peak import Peak

FOLDER = Path(sys.argv[1])
X, V0 = np.load(FOLDER / "X.npy"), np.load(FOLDER / "V0.npy")


@cache
def start(m: float) -> np.ndarray:
    """Memberships (n, c) of the rows in the clusters around V0."""
    d = np.stack([((X - v) ** 2).sum(axis=1) for v in V0], axis=1)
    w = d ** (-1 / (m - 1))
    return w / w.sum(axis=1, keepdims=True)


class StartedFCM(FCM):
    """FCM has no argument for the start: give it where it would draw one. Counts iterations."""

    def _init_u(self, X):
        self.u = start(self.m)
        self.n_iter = 0

    def _update_centers(self, X):
        super()._update_centers(X)
        self.n_iter += 1


def fuzzy_c_means(m: float, iterations: int):
    model = StartedFCM(n_clusters=len(V0), m=m, max_iter=iterations, error=1e-9)
    model.fit(X)
    return model.centers, model.n_iter


def scikit_fuzzy(m: float, iterations: int):
    # cmeans wants features x rows and transposes back: X.T is the layout that suits it best.
    result = cmeans(X.T, len(V0), m, error=0, maxiter=iterations, init=start(m).T)
    return result[0], result[5]


PEERS = {"scikit-fuzzy": scikit_fuzzy, "fuzzy-c-means": fuzzy_c_means}

print(json.dumps({name: version(name) for name in ("numpy", *PEERS)}), flush=True)
for line in sys.stdin:
    order = json.loads(line)
    start(order["m"])  # worked out outside the timing
    with Peak() as peak:
        before = time.perf_counter()
        centres, n_iter = PEERS[order["peer"]](order["m"], order["iterations"])
        took = time.perf_counter() - before
    answer = {"seconds": took, "n_iter": n_iter, "mb": peak.rise}
    print(json.dumps({**answer, "centres": centres.tolist()}), flush=True)
