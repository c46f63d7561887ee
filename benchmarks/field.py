"""The rest of the field: every other peer beside softclust, in one run.

    python benchmarks/field.py [--rounds N] [--only WORD] [--strict]

scikit-fuzzy, fuzzy-c-means, scikit-learn, Python evclust and kmedoids are in other scripts. Here are
soft-clustering, prosemble (on JAX) and active-semi-supervised-clustering, in .venv-field, made on the
first run, and R's e1071 and evclust if there is an Rscript that has them. Peer and softclust, each in
a process of its own, take turns on the same rows: 4 blobs in 8 dimensions, well apart, or overlapping
where hard clusters would be found in one step.

ms        an iteration: a long fit less a short one, both from the same start and without a test of
          convergence, divided by the iterations between them (best times)
fit s     a whole fit as the package does it: own start, own end, defaults (best of 2; slow ones once)
steps     iterations of that fit
J         the objective at its end, the same function for both, from centres or memberships. Where it
          has scales (PCM and its kin) they are the peer's, and `ours` is what softclust comes to when
          it goes on from the peer's centres with these scales: equal if the peer found a minimum.
          PCK-means: 2 for a broken pair. GathGeva minimises nothing: minus the log-likelihood.
MB        rise of resident memory in that fit
faster by the peer's time divided by softclust's
!         an answer that is wrong or worse, a failure, or a fit that softclust does slower: see below
"""

from __future__ import annotations

import json
import math
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

import numpy as np

from common import ROOT, environment, machine, parser, print_table, verdict

VENV = ROOT / ".venv-field"
SOFT, PRO, ACTIVE = "soft-clustering", "prosemble", "active-semi-supervised-clustering"
PACKAGES = (SOFT, f"{PRO}[jax]", ACTIVE)  # prosemble does not import without JAX
P, C = 8, 4
NEAR = 1e-3  # share of J by which answers may differ
LIMIT = 90  # seconds an answer may take

R = r"""
told <- commandArgs(TRUE)
if (!requireNamespace(told[2], quietly = TRUE)) { cat('{"error": "not installed"}\n'); quit() }
cat(sprintf('{"%s (R)": "%s"}\n', told[2], packageVersion(told[2]))); flush(stdout())
numbers <- function(name) {
  path <- file.path(told[1], paste0(name, ".bin"))
  matrix(readBin(path, "double", file.size(path) / 8), ncol = P, byrow = TRUE)
}
X <- numbers("X"); V0 <- numbers("V0"); orders <- file("stdin", "r")
while (length(line <- readLines(orders, 1))) {
  k <- as.integer(line); set.seed(0); before <- Sys.time()
  if (told[2] == "e1071") {
    fit <- if (k > 0) e1071::cmeans(X, V0, iter.max = k, control = list(reltol = 1e-300))
           else e1071::cmeans(X, C)
    V <- fit$centers; n_iter <- fit$iter
  } else {  # no limit on iterations: the short fit has two
    log <- capture.output(fit <- if (k > 0) evclust::ecm(X, C, g0 = V0, epsi = if (k > 1) 1e-3 else 1e300)
                                 else evclust::ecm(X, C))
    V <- fit$g; n_iter <- length(log)
  }
  took <- as.numeric(Sys.time() - before, units = "secs")
  rows <- apply(V, 1, function(v) paste0("[", paste(sprintf("%.17g", v), collapse = ","), "]"))
  cat(sprintf('{"seconds": %f, "n_iter": %d, "centres": [%s]}\n', took, as.integer(n_iter),
              paste(rows, collapse = ","))); flush(stdout())
}
"""


@dataclass
class Data:
    """Rows, a start near the means, and pairs of rows of which each is in one pair at most."""

    X: np.ndarray
    V0: np.ndarray
    must: np.ndarray
    cannot: np.ndarray

    def save(self, folder: Path) -> None:
        for name, array in vars(self).items():
            np.save(folder / f"{name}.npy", array)
            if array.dtype == np.float64:
                array.tofile(folder / f"{name}.bin")  # for R


def blobs(rows: int, spread: float, dtype: str) -> Data:
    rng = np.random.default_rng(0)
    means = spread * rng.normal(size=(C, P))
    y = rng.integers(C, size=rows)
    X = (means[y] + rng.normal(size=(rows, P))).astype(dtype)
    V0 = (means + 0.5 * rng.normal(size=means.shape)).astype(dtype)
    pairs = rng.permutation(rows)[: rows // 5].reshape(-1, 2)
    same = y[pairs[:, 0]] == y[pairs[:, 1]]
    return Data(X, V0, pairs[same], pairs[~same])


# Objectives at the best memberships and typicalities for these centres; all exponents are 2.


def squares(data: Data, V: np.ndarray) -> np.ndarray:
    """Squared distances (n, k) of the rows from the centres."""
    return np.stack([((data.X - v) ** 2).sum(axis=1, dtype=np.float64) for v in V], axis=1)


def shared(costs: np.ndarray) -> float:
    """Least sum of u^2 costs with memberships u that sum to 1 in each row."""
    return float((1 / (1 / np.maximum(costs, 1e-300)).sum(axis=1)).sum())


def typical(d: np.ndarray, scale: np.ndarray) -> np.ndarray:
    """Least t^2 d + scale (1 - t)^2."""
    return scale * d / (scale + d)


def fcm_costs(data: Data, found: dict) -> np.ndarray:
    return squares(data, found["centres"])


def ipcm_costs(data: Data, found: dict) -> np.ndarray:
    return typical(squares(data, found["centres"]), found["scale"])


def ipcm2_costs(data: Data, found: dict) -> np.ndarray:
    return found["scale"] * -np.expm1(-squares(data, found["centres"]) / found["scale"])


COSTS = {"fcm": fcm_costs, "ipcm": ipcm_costs, "ipcm2": ipcm2_costs}


def fcm(data: Data, found: dict) -> float:
    return shared(fcm_costs(data, found))


def noise(data: Data, found: dict) -> float:
    d = squares(data, found["centres"])
    return shared(np.column_stack([d, np.full(len(d), 10.0**2)]))


def hcm(data: Data, found: dict) -> float:
    return float(squares(data, found["centres"]).min(axis=1).sum())


def pcm(data: Data, found: dict) -> float:
    return float(ipcm_costs(data, found).sum())


def pfcm(data: Data, found: dict) -> float:
    return fcm(data, found) + pcm(data, found)


def ipcm(data: Data, found: dict) -> float:
    return shared(ipcm_costs(data, found))


def ipcm2(data: Data, found: dict) -> float:
    return shared(ipcm2_costs(data, found))


def ecm(data: Data, found: dict) -> float:
    sets = [list(s) for size in range(1, C + 1) for s in combinations(range(C), size)]
    d = squares(data, np.array([found["centres"][s].mean(axis=0) for s in sets]))
    return shared(np.column_stack([d * [len(s) for s in sets], np.full(len(d), 10.0**2)]))


def gaussians(data: Data, W: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Weight, centre and covariance of each cluster from the rows' weights in it."""
    weights = W.sum(axis=0)
    V = W.T @ data.X / weights[:, None]
    covs = [(w[:, None] * (data.X - v)).T @ (data.X - v) / w.sum() for w, v in zip(W.T, V, strict=True)]
    return weights, V, np.array(covs)


def gk(data: Data, found: dict) -> float:
    weights, _, covs = gaussians(data, found["members"] ** 2)
    return float((weights * P * np.linalg.det(covs) ** (1 / P)).sum())


def likelihood(data: Data, W: np.ndarray) -> float:
    """Minus the log-likelihood of the mixture with these weights of the rows."""
    weights, V, covs = gaussians(data, W)
    logs = []
    for weight, v, cov in zip(weights / weights.sum(), V, covs, strict=True):
        y = np.linalg.solve(np.linalg.cholesky(cov), (data.X - v).T)
        logs.append(math.log(weight) - ((y**2).sum(axis=0) + np.linalg.slogdet(2 * np.pi * cov)[1]) / 2)
    return float(-np.logaddexp.reduce(logs).sum())


def gmm(data: Data, found: dict) -> float:
    return likelihood(data, found["members"])


def gg(data: Data, found: dict) -> float:
    return likelihood(data, found["members"] ** 2)


def broken(data: Data, labels: np.ndarray) -> tuple[int, int]:
    must, cannot = labels[data.must], labels[data.cannot]
    return int((must[:, 0] != must[:, 1]).sum()), int((cannot[:, 0] == cannot[:, 1]).sum())


def cop(data: Data, found: dict) -> float:
    labels = found["labels"]
    V = np.array([data.X[labels == k].mean(axis=0) for k in range(C)])
    return float(((data.X - V[labels]) ** 2).sum())


def pck(data: Data, found: dict) -> float:
    return cop(data, found) + 2 * sum(broken(data, found["labels"]))


@dataclass
class Job:
    """A peer's method and softclust's, for the same data."""

    package: str
    method: str
    ours: str  # as field_worker.py knows it
    objective: Callable[[Data, dict], float]
    note: str = ""
    long: int = 21  # iterations of the peer's long fit
    our_long: int = 101  # of softclust's
    once: bool = False  # a whole fit of the peer is slow: one will do
    rows: int = 20_000
    spread: float = 3.0  # of the blobs' means, whose rows have a spread of 1
    dtype: str = "float64"

    @property
    def name(self) -> str:
        single = " float32" if self.dtype == "float32" else ""
        return f"{self.package} {self.method}{single}".replace(ACTIVE, "active-semi-sup.")


PATCHED = "takes no start, for ms it was put in"
ONCE = "has no end but max_iter"
AGAIN = "compiles fuzzy c-means anew in every fit"
RESCALED = "takes new scales from its typicalities in every iteration"
JOBS = (
    Job(SOFT, "FCM", "fcm", fcm, PATCHED),
    Job(SOFT, "PCM", "pcm", pcm, f"{PATCHED}; {RESCALED}"),
    Job(SOFT, "PFCM", "pfcm", pfcm, f"{PATCHED}; new scales in every iteration"),
    Job(SOFT, "GK", "gk", gk, PATCHED, long=11, our_long=11, once=True),
    Job(SOFT, "GathGeva", "gg", gg, "own start, also for ms", long=4, our_long=11),
    Job(SOFT, "GMM", "gmm", gmm, PATCHED, our_long=11),
    Job(SOFT, "ECM", "noise", noise,
        f"{PATCHED}; has no sets of clusters: noise clustering, not evidential c-means", 11, rows=2000),
    Job(PRO, "FCM", "fcm", fcm, ONCE),
    Job(PRO, "FCM", "fcm", fcm, f"{ONCE}; float32 is its default", dtype="float32"),
    Job(PRO, "PCM", "pcm", pcm, f"{ONCE}; {AGAIN}; {RESCALED}"),
    Job(PRO, "PFCM", "pfcm", pfcm, f"{ONCE}; {AGAIN}; new scales in every iteration"),
    Job(PRO, "IPCM", "ipcm", ipcm, f"{AGAIN}; in its memberships the typicalities are upside down"),
    Job(PRO, "IPCM2", "ipcm2", ipcm2, f"{AGAIN}; its memberships have exponent 2/(m-1), not 1/(m-1)"),
    Job(PRO, "HCM", "hcm", hcm, f"{ONCE}; starts at rows drawn at random", spread=0.8),
    Job(ACTIVE, "PCKMeans", "pck", pck, f"{PATCHED}; rows take turns, in a new random order each time",
        6, rows=1000, spread=0.8, once=True),
    Job(ACTIVE, "COPKMeans", "cop", cop, f"{PATCHED}; lets must-links to cluster 0 pass",
        6, rows=1000, spread=0.8, once=True),
)  # fmt: skip
R_JOBS = (
    Job("e1071", "cmeans", "fcm", fcm, "compiled C, one thread"),
    Job("evclust", "ecm", "ecm", ecm, "no limit on iterations to give", rows=2000),
)


class Failure(Exception):
    """What a contestant said, or that it said nothing."""


class Worker:
    """A process that answers orders: see field_worker.py."""

    def __init__(self, command: list[str], name: str = ""):
        self.name = name
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )

    def __enter__(self) -> Worker:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.communicate()

    def hear(self) -> dict:
        timer = threading.Timer(LIMIT, self.process.kill)
        timer.start()
        line = self.process.stdout.readline()
        timer.cancel()
        said = json.loads(line) if line else {"error": f"died, or took longer than {LIMIT} s"}
        if "error" in said:
            raise Failure(self.name + said["error"])
        return said

    def ask(self, order: int) -> dict:
        try:
            self.process.stdin.write(f"{order}\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            raise Failure(f"{self.name}died") from None
        said = self.hear()
        return {key: np.array(v) if isinstance(v, list) else v for key, v in said.items()}


class Contestant:
    """A worker and its answers."""

    def __init__(self, worker: Worker, long: int):
        self.worker = worker
        self.orders = (1, long)
        self.runs: dict[int, list[dict]] = {1: [], long: [], 0: []}

    def turn(self) -> None:
        for order in self.orders:
            self.runs[order].append(self.worker.ask(order))

    def whole(self) -> None:
        self.runs[0].append(self.worker.ask(0))

    def best(self, order: int) -> float:
        return min(run["seconds"] for run in self.runs[order])

    def figures(self) -> dict:
        short, long = self.orders
        more = self.runs[long][0]["n_iter"] - self.runs[short][0]["n_iter"]
        gap = self.best(long) - self.best(short)
        first = self.runs[0][0]
        rises = [run["mb"] for run in self.runs[0] if run.get("mb") is not None]
        return {
            **first, "first": first["seconds"], "fit": self.best(0), "mb": min(rises, default=None),
            "ms": 1e3 * gap / more if more > 0 and gap > 0 else math.nan,
        }  # fmt: skip


def distinct(V: np.ndarray) -> int:
    """Centres that are not the same as one before."""
    apart = np.linalg.norm(V[:, None] - V, axis=2) > 0.1
    return sum(bool(apart[k, :k].all()) for k in range(len(V)))


def check(job: Job, data: Data, folder: Path, theirs: dict, ours: dict, worker: Worker) -> list[str]:
    """Evaluate J of both answers; what is wrong with the peer's."""
    V, scale = theirs["centres"], theirs.get("scale")
    if not np.isfinite(V).all():
        return ["NaN in its centres"]
    findings = []
    np.savez(folder / "go.npz", centres=V, scale=np.ones(C) if scale is None else scale)
    on = worker.ask(-1)
    if scale is not None:
        on["scale"] = scale
    theirs["J"], gone_on = job.objective(data, theirs), job.objective(data, on)
    ours["J"] = gone_on if scale is not None else job.objective(data, ours)
    if distinct(V) < distinct(ours["centres"]):
        findings.append(
            f"distinct centres: {distinct(V)}, in softclust's own fit {distinct(ours['centres'])}"
        )
    if job.ours in COSTS and theirs.get("members") is not None:
        best = 1 / np.maximum(COSTS[job.ours](data, theirs), 1e-300)
        off = np.abs(theirs["members"] - best / best.sum(axis=1, keepdims=True)).max()
        if not off <= 0.01:  # they may be of the centres one iteration before
            findings.append(f"memberships up to {off:.2f} from those that minimise J")
    if job.ours == "cop":
        must, cannot = broken(data, theirs["labels"])
        if must or cannot:
            total = len(data.must) + len(data.cannot)
            own = sum(broken(data, ours["labels"]))
            findings.append(f"breaks {must + cannot} of {total} pairs that must hold (softclust {own})")
    over = theirs["J"] / ours["J"] - 1
    if not over <= NEAR:
        left = 1 - gone_on / theirs["J"]
        kind = f"not a minimum: softclust lowers it by {left:.1%}" if left > NEAR else "a worse minimum"
        findings.append(f"J {over:.1%} above, {kind}")
    return findings


def run(job: Job, python: Path | None, rounds: int) -> dict:
    """Let both take turns; figures of both and findings, or why there are none."""
    data = blobs(job.rows, job.spread, job.dtype)
    with tempfile.TemporaryDirectory() as name:
        folder, script = Path(name), str(Path(__file__).with_name("field_worker.py"))
        data.save(folder)
        if python:
            peer = [str(python), script, name, job.package, job.method]
        else:
            folder.joinpath("field.R").write_text(f"P <- {P}; C <- {C}\n{R}")
            peer = ["Rscript", str(folder / "field.R"), name, job.package]
        try:
            us = [sys.executable, script, name, "softclust", job.ours]
            with Worker(peer) as they, Worker(us, "softclust: ") as we:
                versions = {**they.hear(), **we.hear()}
                sides = Contestant(they, job.long), Contestant(we, job.our_long)
                for side in sides:  # loads and compiles
                    side.turn()
                for _ in range(rounds):
                    for side in sides:
                        side.turn()
                for turn in range(2):
                    for side in sides[turn and job.once :]:
                        side.whole()
                theirs, ours = (side.figures() for side in sides)
                findings = check(job, data, folder, theirs, ours, we)
        except Failure as failure:
            return {"failure": str(failure)}
        except Exception as error:  # an answer of a kind not thought of
            return {"failure": f"{type(error).__name__}: {error}"}
    return {"theirs": theirs, "ours": ours, "findings": findings, "versions": versions}


def ratio(result: dict, key: str) -> float:
    return result["theirs"][key] / result["ours"][key]


def row(job: Job, result: dict) -> list[str]:
    """A line of the table, with a flag if there is something to say of it below."""
    if "failure" in result:
        fate = "not installed" if result["failure"] == "not installed" else "failed"
        return [f"{job.name} !", f"{job.rows:,}", fate, *[""] * 11]
    theirs, ours = result["theirs"], result["ours"]
    cells = []
    for key, form in (("ms", ".2f"), ("fit", ".3f"), ("n_iter", "d"), ("J", ".6g"), ("mb", ".0f")):
        for side in (theirs, ours):
            value = side.get(key)
            cells.append("-" if value is None or math.isnan(value) else format(value, form))
    speeds = [ratio(result, key) for key in ("ms", "fit")]
    flag = " !" if result["findings"] or min(speeds) < 1 else ""
    return [
        job.name + flag,
        f"{job.rows:,}",
        *cells,
        *("-" if math.isnan(speed) else f"{speed:.1f}x" for speed in speeds),
    ]


def remarks(job: Job, result: dict) -> str:
    """What was found, then what is known of the peer."""
    if "failure" in result:
        return result["failure"]
    said = list(result["findings"])
    said += [f"softclust slower, {what}" for key, what in (("ms", "an iteration"), ("fit", "a fit"))
             if ratio(result, key) < 1]  # fmt: skip
    first, fit = result["theirs"]["first"], result["theirs"]["fit"]
    known = [job.note] + [f"{first:.1f} s for the first fit of a model, compiled anew"] * (
        first - fit > 0.5
    )
    return "; ".join([*(["! " + "; ".join(said)] if said else []), *known])


def promise(results: dict[str, dict], key: str, what: str) -> bool:
    ratios = {name: ratio(result, key) for name, result in results.items() if "theirs" in result}
    ratios = {name: value for name, value in ratios.items() if not math.isnan(value)}
    text = f"softclust is faster than every peer here, {what}"
    if not ratios:
        return verdict(text, "no peer ran", False)
    worst, top = min(ratios, key=ratios.get), max(ratios, key=ratios.get)
    measured = (
        f"{ratios[worst]:.2f}x ({worst}) to {ratios[top]:.0f}x ({top}), {len(ratios)} of {len(results)}"
    )
    return verdict(text, measured, ratios[worst] > 1)


def peers_python() -> Path:
    """The Python of .venv-field; a package that does not install does not keep the others out."""
    fresh = not VENV.exists()
    python = environment(VENV, ["numpy"])
    for package in PACKAGES if fresh else ():
        print(f"adding {package} ...", flush=True)
        subprocess.run([str(python), "-m", "pip", "install", "--quiet", package], check=False)
    return python


def main() -> int:
    options = parser(__doc__)
    options.add_argument("--rounds", type=int, default=3, help="short and long fits of each")
    options.add_argument("--only", default="", metavar="WORD", help="methods with this in their name")
    args = options.parse_args()
    python = peers_python()
    lineup: list[tuple[Job, Path | None]] = [(job, python) for job in JOBS]
    with_r = shutil.which("Rscript") is not None
    lineup += [(job, None) for job in R_JOBS if with_r]
    print(machine())
    results, jobs, versions = {}, {}, {}
    for job, home in lineup:
        if args.only in job.name:
            jobs[job.name], results[job.name] = job, run(job, home, args.rounds)
            versions |= results[job.name].get("versions", {})
    print(", ".join(f"{name} {number}" for name, number in versions.items()))
    if not with_r:
        print("R is not here: no e1071 and no evclust of R")
    header = ["", "rows", "ms", "ours", "fit s", "ours", "steps", "ours", "J", "ours", "MB", "ours"]
    header += ["faster by: iteration", "fit"]
    print()
    print_table(header, [row(jobs[name], result) for name, result in results.items()])
    print()
    for name, result in results.items():
        print(f"{name}: {remarks(jobs[name], result)}")
    print()
    kept = [promise(results, "ms", "an iteration"), promise(results, "fit", "a whole fit")]
    return int(args.strict and not all(kept))


if __name__ == "__main__":
    sys.exit(main())
