"""softclust against its peers, side by side in one run.

    python benchmarks/peers.py [--quick] [--json PATH] [--strict]

Every contestant starts from the same centres on the same float64 rows. A fit is timed at a few and
at more iterations, and the difference, divided by the iterations truly run, is the time of one
iteration: what is done once a fit (checks, copies, final memberships) is in `once`. The contestants
take turns, round after round, so that a busy spell of the machine hits them all.

best      ms an iteration: least time of the long fit less least time of the short one
median    the same from the median times
once      ms a fit costs besides its iterations (best times)
fits      iterations of the short and of the long fit, as reported by the contestant
MB        the most that a long fit took beyond what was there, its results included
|dV|      largest difference of a centre from softclust's after the same number of iterations

Peers held to NumPy < 2 live in .venv-peers, made on the first run.
"""

from __future__ import annotations

import json
import math
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import numpy as np
from sklearn.cluster import KMeans

from common import ROOT, environment, machine, make_data, median, parser, print_table, verdict
from peak import Peak
from softclust import FuzzyCMeans, HardCMeans

# scikit-fuzzy imports the last two without requiring them.
PEER_PACKAGES = ("fuzzy-c-means", "scikit-fuzzy", "scipy", "packaging")
SHAPES = ((1_000_000, 16, 8), (1_000_000, 2, 3), (200_000, 64, 32))  # rows, features, clusters
FAST, SLOW = (1, 21), (1, 4)  # iterations of the short and the long fit
AGREE = 1e-6

FCM, FCM17 = "softclust FuzzyCMeans m=2", "softclust FuzzyCMeans m=1.7"
SKF, SKF17 = "scikit-fuzzy cmeans m=2", "scikit-fuzzy cmeans m=1.7"
FCMEANS = "fuzzy-c-means FCM m=2"
LLOYD, HARD = "scikit-learn KMeans lloyd", "softclust HardCMeans"


@dataclass
class Run:
    """One timed fit."""

    seconds: float
    n_iter: int
    centres: np.ndarray
    mb: float


@dataclass
class Contestant:
    """A way to fit for a given number of iterations, and the fits timed so far."""

    name: str
    fit: Callable[[int], Run]
    iterations: tuple[int, int] = FAST
    reference: str = ""  # the contestant whose centres these must equal
    short: list[Run] = field(default_factory=list)
    long: list[Run] = field(default_factory=list)

    def turn(self) -> None:
        """One short and one long fit, after one that is not counted.

        The threads of the contestant before spin for a while, its data fill the caches, and at
        first there is code to compile: without the pause and the first fit the short one would pay.
        """
        time.sleep(0.2)
        self.fit(self.iterations[0])
        self.short.append(self.fit(self.iterations[0]))
        self.long.append(self.fit(self.iterations[1]))

    def per_iteration(self, pick: Callable[[list[float]], float]) -> float:
        """Milliseconds an iteration; NaN if the long fit was no longer than the short one."""
        more = self.long[0].n_iter - self.short[0].n_iter
        gap = pick([r.seconds for r in self.long]) - pick([r.seconds for r in self.short])
        return 1e3 * gap / more if more > 0 and gap > 0 else math.nan

    def once(self) -> float:
        short = min(r.seconds for r in self.short)
        return 1e3 * short - self.short[0].n_iter * self.per_iteration(min)


def in_process(build: Callable[[int], object], X: np.ndarray) -> Callable[[int], Run]:
    def fit(iterations: int) -> Run:
        model = build(iterations)
        with Peak() as peak:
            start = time.perf_counter()
            model.fit(X)
            took = time.perf_counter() - start
        return Run(took, model.n_iter_, model.cluster_centers_, peak.rise)

    return fit


class PeerWorker:
    """peer_worker.py running in .venv-peers, answering one fit at a time."""

    def __init__(self, python: Path, X: np.ndarray, V0: np.ndarray):
        self.folder = tempfile.TemporaryDirectory()
        np.save(Path(self.folder.name, "X.npy"), X)
        np.save(Path(self.folder.name, "V0.npy"), V0)
        command = [str(python), str(Path(__file__).with_name("peer_worker.py")), self.folder.name]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.versions = self._answer()

    def fit(self, peer: str, m: float) -> Callable[[int], Run]:
        def fit(iterations: int) -> Run:
            order = {"peer": peer, "m": m, "iterations": iterations}
            self.process.stdin.write(json.dumps(order) + "\n")
            self.process.stdin.flush()
            answer = self._answer()
            return Run(answer["seconds"], answer["n_iter"], np.array(answer["centres"]), answer["mb"])

        return fit

    def _answer(self) -> dict:
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError(f"peer_worker.py ended with status {self.process.wait()}")
        return json.loads(line)

    def close(self) -> None:
        self.process.stdin.close()
        self.process.wait()
        self.folder.cleanup()


def race(contestants: list[Contestant], rounds: int) -> None:
    for _ in range(rounds):
        for one in contestants:
            one.turn()


def disagreement(one: Contestant, others: dict[str, Contestant]) -> float:
    """Largest difference of a centre from the reference after as many iterations."""
    ours = others[one.reference].fit(one.iterations[1])
    return float(np.abs(one.long[0].centres - ours.centres).max())


def report(contestants: list[Contestant]) -> dict[str, dict]:
    """Print the table of one data set; return its figures by contestant."""
    by_name = {one.name: one for one in contestants}
    results, rows = {}, []
    for one in contestants:
        best, mid = one.per_iteration(min), one.per_iteration(median)
        fits = (one.short[0].n_iter, one.long[0].n_iter)
        gap = disagreement(one, by_name) if one.reference else None
        early = "" if fits == one.iterations else " (!)"
        mb = max(r.mb for r in one.long)
        figures = [f"{best:.1f}", f"{mid:.1f}", f"{one.once():.0f}", f"{fits[0]}, {fits[1]}{early}"]
        figures.append(f"{mb:.0f}")
        rows.append([one.name, *figures, "-" if gap is None else f"{gap:.0e}"])
        results[one.name] = {
            "best_ms": best, "median_ms": mid, "once_ms": one.once(), "fits": fits, "mb": mb, "dV": gap,
            "short_s": [r.seconds for r in one.short], "long_s": [r.seconds for r in one.long],
        }  # fmt: skip
    print_table(["ms an iteration", "best", "median", "once", "fits", "MB", "|dV|"], rows)
    return results


def contestants_for(
    X: np.ndarray, V0: np.ndarray, n_jobs: int | None, worker: PeerWorker | None, m17: bool
) -> list[Contestant]:
    c = len(V0)
    ours = {"n_clusters": c, "init": V0, "n_init": 1, "tol": 0.0, "acceleration": None,
            "n_jobs": n_jobs}  # fmt: skip

    def fuzzy(m: float) -> Callable[[int], Run]:
        return in_process(lambda k: FuzzyCMeans(m=m, max_iter=k, **ours), X)

    def lloyd(k: int) -> KMeans:
        return KMeans(c, init=V0, n_init=1, max_iter=k, tol=0, algorithm="lloyd")

    lineup = [Contestant(FCM, fuzzy(2.0))]
    if m17:
        lineup.append(Contestant(FCM17, fuzzy(1.7)))
    if worker:
        lineup += [
            Contestant(SKF, worker.fit("scikit-fuzzy", 2.0), SLOW, FCM),
            Contestant(SKF17, worker.fit("scikit-fuzzy", 1.7), SLOW, FCM17),
            Contestant(FCMEANS, worker.fit("fuzzy-c-means", 2.0), SLOW, FCM),
        ]
    return [
        *lineup,
        Contestant(LLOYD, in_process(lloyd, X), reference=HARD),
        Contestant(HARD, in_process(lambda k: HardCMeans(max_iter=k, **ours), X)),
    ]


def promises(results: dict[str, dict[str, dict]]) -> bool:
    """Print PASS or MISS for each promise; judged on `best`, the median ratio beside it."""

    def at_least(place: int, ours: str, theirs: str, factor: float) -> bool:
        where, table = list(results.items())[place]
        speed = f"{factor:g}x as fast as" if factor >= 1 else f"within {1 / factor:g}x of"
        text = f"{where}: {ours} {speed} {theirs}".replace(" 1x", "")
        if theirs not in table:
            return verdict(text, "not run", False)
        best, mid = (table[theirs][k] / table[ours][k] for k in ("best_ms", "median_ms"))
        return verdict(text, f"{best:.2f}x (median {mid:.2f}x)", best >= factor)

    kept = [at_least(0, FCM, SKF, 15), at_least(0, FCM, FCMEANS, 8), at_least(0, FCM17, SKF17, 6)]
    kept += [at_least(0, FCM, LLOYD, 1), at_least(1, FCM, LLOYD, 1), at_least(2, FCM, LLOYD, 1 / 1.6)]
    rows = [row for table in results.values() for row in table.values()]
    gap = np.max([row["dV"] for row in rows if row["dV"] is not None])  # NaN stays NaN
    kept.append(verdict(f"centres agree to {AGREE:g}", f"{gap:.0e}", gap <= AGREE))
    return all(kept)


def package_version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"


def main() -> int:
    options = parser(__doc__)
    options.add_argument("--quick", action="store_true", help="a twentieth of the rows")
    options.add_argument("--json", type=Path, metavar="PATH", help="write all figures there")
    options.add_argument("--rounds", type=int, default=9)
    options.add_argument("--n-jobs", type=int, help="for softclust (default: its own default)")
    options.add_argument("--no-peers", action="store_true", help="leave .venv-peers out")
    options.add_argument("--peers-venv", type=Path, default=ROOT / ".venv-peers")
    options.add_argument(
        "--peers-python", default=sys.executable,
        help="the Python to make .venv-peers with (NumPy < 2 has official wheels up to 3.12)",
    )  # fmt: skip
    args = options.parse_args()
    warnings.simplefilter("ignore")  # every fit stops at max_iter, and says so

    python = None if args.no_peers else environment(args.peers_venv, PEER_PACKAGES, args.peers_python)
    versions = {name: package_version(name) for name in ("softclust", "scikit-learn", "numpy")}
    conditions = f"{machine()}, softclust n_jobs={args.n_jobs}"
    print(conditions)

    results: dict[str, dict[str, dict]] = {}
    for place, (n, p, c) in enumerate(SHAPES):
        n //= 20 if args.quick else 1
        X, V0 = make_data(n, p, c)
        worker = PeerWorker(python, X, V0) if python and place == 0 else None
        if worker:
            versions |= {f"{name} (peers)": v for name, v in worker.versions.items()}
        if place == 0:
            print(", ".join(f"{name} {v}" for name, v in versions.items()))
        contestants = contestants_for(X, V0, args.n_jobs, worker, m17=place == 0)
        try:
            race(contestants, args.rounds)
        finally:
            if worker:
                worker.close()
        print(f"\n{n:,} x {p}, c = {c}", flush=True)
        results[f"{n:,} x {p}, c = {c}"] = report(contestants)

    print()
    kept = promises(results)
    if args.quick:
        print("(--quick: the promises are about the full size)")
    if args.json:
        record = {"conditions": conditions, "versions": versions, "results": results}
        args.json.write_text(json.dumps(record, indent=2) + "\n")
    return int(args.strict and not kept)


if __name__ == "__main__":
    sys.exit(main())
