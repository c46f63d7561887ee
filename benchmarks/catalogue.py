"""Every entry of the catalogue on five sets of data, with defaults and the true number of clusters.

    python benchmarks/catalogue.py [NAME ...]

Each entry has a process of its own.  `cold` is the CPU time of its first fit, of iris, after scikit-learn
is imported.  Then come the wall times of a fit of each set, the best of three for fits below a second:
iris, wine (standardised), the first 300 digits, all 1,797 digits, and 20,000 x 16 (eight blobs).  A star
means that the fit did not converge, `n` that the entry takes other data; iterations are those of the fit
to 300 digits.  A fit that takes more than 10 s is given up.  Peers: the nearest algorithms of scikit-learn
and scikit-fuzzy.
Promised: no entry above 3 s on 300 digits, unless the reason is printed.
"""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
import warnings

import numpy as np

from common import machine, parser, print_table, verdict

LIMIT, SLOW = 10, 3.0
SETS = ("iris", "wine", "300 digits", "digits", "20,000 x 16")
NEEDS_LABELS = ("skmeans", "sfcm", "srpcm", "spcm", "spfcm", "secm", "cecm", "lpecm")
PEERS = {"kmeans": "KMeans", "gmm": "GaussianMixture", "fcm": "skfuzzy"}
REASONS = {  # of entries that take longer than SLOW on 300 digits
    "ecm-mahalanobis": "56 sets with 64 x 64 metrics; each step solves for 640 tied coordinates",
    "afcs": "a shell in 64 dimensions has 4,160 unknowns, for 300 rows",
    "fces": "as afcs",
    "apcs": "as afcs",
    "pces": "as afcs",
}


def data(name: str) -> tuple[np.ndarray, np.ndarray]:
    """Rows and classes."""
    from sklearn.datasets import load_digits, load_iris, load_wine, make_blobs
    from sklearn.preprocessing import scale

    if name == "20,000 x 16":
        return make_blobs(20_000, 16, centers=8, random_state=0)
    X, y = {"iris": load_iris, "wine": load_wine}.get(name, load_digits)(return_X_y=True)
    if name == "wine":
        X = scale(X)
    return (X[:300], y[:300]) if name == "300 digits" else (X, y)


class OutOfTime(Exception):
    """A fit took longer than LIMIT."""


def _give_up(*_: object) -> None:
    raise OutOfTime


def entry(name: str, c: int, X: np.ndarray, y: np.ndarray):
    """A function that fits an entry of the catalogue, or a peer, and returns (iterations, converged)."""
    if name == "KMeans" or name == "GaussianMixture":
        from sklearn.cluster import KMeans
        from sklearn.mixture import GaussianMixture

        def fit():
            hard = name == "KMeans"
            model = KMeans(c, n_init=3, random_state=0) if hard else GaussianMixture(c, random_state=0)
            model.fit(X)
            return model.n_iter_, getattr(model, "converged_", True)

        return fit
    if name == "skfuzzy":
        from skfuzzy import cmeans

        return lambda: (cmeans(X.T, c, 2.0, 1e-6, 300, seed=0)[5], True)
    import softclust

    def fit():
        model = softclust.make(name, n_clusters=c, random_state=0)
        if name in NEEDS_LABELS:
            some = np.full(len(X), -1)
            some[: len(X) // 10 * 10 : 10] = y[: len(X) // 10 * 10 : 10]
            model.fit(X, some)
        else:
            model.fit(X)
        return model.n_iter_, model.converged_

    return fit


def measure(name: str) -> dict[str, object]:
    """Times of one entry, in this process."""
    import sklearn.base
    import sklearn.utils.validation  # noqa: F401

    warnings.simplefilter("ignore")
    signal.signal(signal.SIGALRM, _give_up)
    found: dict[str, object] = {}
    for which in SETS:
        X, y = data(which)
        fit = entry(name, len(np.unique(y)), X, y)
        signal.alarm(LIMIT)
        try:
            if "cold" not in found:
                began = time.process_time()
                fit()
                found["cold"] = time.process_time() - began
            times: list[float] = []
            while not times or (len(times) < 3 and times[0] < 1):
                began = time.perf_counter()
                n_iter, converged = fit()
                times.append(time.perf_counter() - began)
            found[which] = [min(times), int(n_iter), bool(converged)]
        except OutOfTime:
            found[which] = None
        except Exception as error:  # an entry that takes other data
            found[which] = str(error)[:60]
        signal.alarm(0)
    return found


def shown(value: object) -> str:
    """A time in the table."""
    if value is None:
        return f"> {LIMIT}"
    if isinstance(value, str):
        return "n"
    seconds, _, converged = value
    return f"{seconds:.3f}" + ("" if converged else "*")


def main() -> None:
    options = parser(__doc__)
    options.add_argument("names", nargs="*")
    options.add_argument("--one", help="measure one entry in this process and print JSON")
    arguments = options.parse_args()
    if arguments.one:
        print(json.dumps(measure(arguments.one)))
        return
    import softclust
    from softclust.kernels.tiers import tier

    print(f"{machine()}; passes: {tier()}\n")
    rows, slow = [], []
    names = arguments.names or [*softclust.catalogue(), *PEERS.values()]
    for name in names:
        done = subprocess.run([sys.executable, __file__, "--one", name], capture_output=True, text=True)
        if done.returncode:
            rows.append([name, "failed", *[""] * (len(SETS) + 1)])
            slow.append(name)
            continue
        found = json.loads(done.stdout)
        some = found["300 digits"]
        if name not in PEERS.values() and not isinstance(some, str) and (some is None or some[0] > SLOW):
            slow.append(name)
        iterations = str(some[1]) if isinstance(some, list) else ""
        rows.append([name, f"{found['cold']:.3f}", *(shown(found[which]) for which in SETS), iterations])
    print_table(["s", "cold", *SETS, "iterations"], rows)
    print()
    for name in slow:
        print(f"{name} takes more than {SLOW:g} s on 300 digits: {REASONS.get(name, 'no reason is known')}")
    known = [name for name in slow if name in REASONS]
    kept = verdict(
        "no entry above 3 s on 300 digits without a reason",
        f"{len(slow)} above, {len(known)} with a reason",
        known == slow,
    )
    sys.exit(not kept and arguments.strict)


if __name__ == "__main__":
    main()
