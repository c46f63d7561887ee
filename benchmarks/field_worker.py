"""Runs one method of one package for field.py: softclust's, or a peer's in .venv-field.

    python benchmarks/field_worker.py FOLDER PACKAGE METHOD

FOLDER holds X.npy, V0.npy (a start), must.npy and cannot.npy (pairs of rows). The first line printed is
the versions. Then each line read is an order, answered by one line of JSON:

 k    fit k iterations from V0 with the convergence test off
 0    a whole fit as the package would do it: its own start, its own end
-1    (softclust) go on from the centres and scales in FOLDER/go.npz

An answer has "seconds", "n_iter", "centres"; for 0 and -1 also what there is of "scale", "members" and
"labels", and "mb": how far resident memory rose above that before the fit. A failure is an "error".
"""

import ctypes
import json
import os
import sys
import time
import warnings
from functools import cache
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import numpy as np

FOLDER, PACKAGE, METHOD = Path(sys.argv[1]), *sys.argv[2:4]
X, V0, MUST, CANNOT = (np.load(FOLDER / f"{name}.npy") for name in ("X", "V0", "must", "cannot"))
C = len(V0)
UNIT = float(X.var(axis=0).sum())
SCALED = ("pcm", "pfcm", "ipcm", "ipcm2")


def softclust(order):
    """The method by its name in the catalogue, or one of those that have none."""
    from softclust import make

    variants = {
        "noise": ("fcm", {"noise_distance": 10.0}),
        # The peer pays 1 for a broken pair beside |x - v|^2 / 2: here that is 2 beside |x - v|^2.
        "pck": ("hcm", {"link_strength": 2 / UNIT}),
        "cop": ("hcm", {"link_strength": np.inf}),
    }
    name, chosen = variants.get(METHOD, (METHOD, {}))
    if order > 0:
        chosen = {**chosen, "init": V0, "n_init": 1, "tol": 0.0, "acceleration": None, "max_iter": order}
        if METHOD in SCALED:
            chosen["scale"] = UNIT / C  # given, so that no fuzzy c-means run comes before
    elif order < 0:
        with np.load(FOLDER / "go.npz") as go:
            chosen = {**chosen, "init": go["centres"].astype(X.dtype), "n_init": 1}
            if METHOD in SCALED:
                chosen["scale"] = go["scale"]
    model = make(name, n_clusters=C, random_state=0, **chosen)
    links = {"must_link": MUST, "cannot_link": CANNOT} if METHOD in ("pck", "cop") else {}

    def read():
        found = {"n_iter": model.n_iter_, "centres": model.cluster_centers_, "labels": model.labels_}
        return {**found, "members": model.memberships_, "scale": getattr(model, "scale_", None)}

    return lambda: model.fit(X, **links), read


def tap(owner, name, before):
    """Call `before` ahead of the function; what it returns, if not None, is returned instead."""
    inner = getattr(owner, name)

    def outer(*args, **more):
        answer = before(*args)
        return inner(*args, **more) if answer is None else answer

    setattr(owner, name, outer)


@cache
def soft_clustering_class():
    """The class, made to start from V0 where told to (no method has an argument for it) and to count."""
    module = import_module("soft_clustering")
    estimator = getattr(module, METHOD)
    home = import_module(estimator.__module__)
    state = {"given": False, "n_iter": 0}

    def start(*args):
        return V0.copy() if state["given"] else None

    def start_in(attribute):
        def start(self, *args):
            if state["given"]:
                setattr(self, attribute, V0.copy())
            return state["given"] or None

        return start

    def count(*args):
        state["n_iter"] += 1

    if METHOD == "PFCM":
        tap(estimator, "_initialize_centroids", start_in("cluster_centroids"))
        tap(estimator, "_update_centroids", count)
    elif METHOD == "ECM":
        tap(estimator, "_initialize_prototypes", start_in("prototypes"))
        tap(estimator, "_compute_distances", count)
    elif METHOD != "GathGeva":  # which starts from 20 iterations of its own fuzzy c-means
        tap(home, "_kmeanspp_init" if METHOD in ("GK", "GMM") else "_init_centers_kpp", start)
    return estimator, state


def soft_clustering(order):
    estimator, state = soft_clustering_class()
    state.update(given=order > 0, n_iter=0)
    chosen = {"max_iter": order, "tol": 0.0} if order > 0 else {}
    if METHOD != "ECM":  # which has no seed of its own
        chosen["random_state"] = 0
    model = estimator(n_clusters=C, **chosen)

    def read():
        steps = getattr(model, "objective_trajectory_", None)
        n_iter = state["n_iter"] or (model.n_iter_ if steps is None else len(steps))
        scale = getattr(model, "etas_", getattr(model, "gamma", None))
        return {"n_iter": n_iter, "centres": model.centers_, "members": model.memberships_, "scale": scale}

    return lambda: model.fit(X), read


@cache
def prosemble_model(order):
    """Kept, since every new model is compiled anew."""
    import jax

    jax.config.update("jax_enable_x64", X.dtype == np.float64)  # else it works in float32
    estimator = getattr(import_module("prosemble.models"), METHOD)
    return estimator(n_clusters=C, **({"max_iter": order, "epsilon": 1e-300} if order > 0 else {}))


def prosemble(order):
    model = prosemble_model(order)

    def fit():
        model.fit(X, initial_centroids=V0 if order > 0 else None)
        np.asarray(model.centroids_)  # waits for the answer

    def read():
        phases = METHOD.startswith("IPCM")  # whose n_iter_ is that of the second of two
        n_iter = len(model.objective_history_) - 2 if phases else int(model.n_iter_)
        found = {
            name: getattr(model, f"{key}_", None) for name, key in (("scale", "gamma"), ("members", "U"))
        }
        return {"n_iter": n_iter, "centres": model.centroids_, **found}

    return fit, read


def active_semi(order):
    module = import_module("active_semi_clustering")
    state = {"n_iter": 0}

    class Started(getattr(module, METHOD)):
        """Starts from V0 where told to; counts iterations."""

        def _init_cluster_centers(self, X):
            return V0.copy() if order > 0 else super()._init_cluster_centers(X)

        def _initialize_cluster_centers(self, X, neighborhoods):
            return V0.copy() if order > 0 else super()._initialize_cluster_centers(X, neighborhoods)

        def _get_cluster_centers(self, X, labels):
            state["n_iter"] += 1
            return super()._get_cluster_centers(X, labels)

    model = Started(n_clusters=C, **({"max_iter": order} if order > 0 else {}))
    must, cannot = MUST.tolist(), CANNOT.tolist()

    def read():
        return {**state, "centres": model.cluster_centers_, "labels": model.labels_}

    return lambda: model.fit(X, ml=must, cl=cannot), read


# What makes a fit, the module to import, and what else has a version to tell.
PACKAGES = {
    "softclust": (softclust, "softclust", "numba"),
    "soft-clustering": (soft_clustering, "soft_clustering", "numpy"),
    "prosemble": (prosemble, "prosemble.models", "jax"),
    "active-semi-supervised-clustering": (active_semi, "active_semi_clustering", "numpy"),
}


def resident(key):
    """A size from /proc/self/status in MB, where there is such a file."""
    try:
        lines = Path("/proc/self/status").read_text().splitlines()
        return next(int(line.split()[1]) * 1024 / 1e6 for line in lines if line.startswith(key))
    except OSError:
        return None


def rise(fit):
    """Run the fit; MB its peak lies above resident memory before, if the peak can be reset."""
    try:
        ctypes.CDLL(None).malloc_trim(0)  # memory freed by fits before, but kept, would hide the rise
        Path("/proc/self/clear_refs").write_text("5")
    except (OSError, AttributeError):
        fit()
        return None
    before = resident("VmRSS")
    fit()
    return resident("VmHWM") - before


def answer(order):
    np.random.seed(0)  # noqa: NPY002 - peers without a seed draw from this
    fit, read = PACKAGES[PACKAGE][0](order)
    took = []

    def timed():
        before = time.perf_counter()
        fit()
        took.append(time.perf_counter() - before)

    mb = rise(timed)
    found = read()
    if order > 0:
        found = {key: found[key] for key in ("n_iter", "centres")}
    lists = {key: None if value is None else np.asarray(value).tolist() for key, value in found.items()}
    return {"seconds": took[0], "mb": mb, **lists}


def failure(error):
    return {"error": f"{type(error).__name__}: {error}".splitlines()[0][:100]}


def main():
    told = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what a peer prints is no answer
    warnings.simplefilter("ignore")
    try:
        first = {name: version(name) for name in (PACKAGE, PACKAGES[PACKAGE][2])}
        import_module(PACKAGES[PACKAGE][1])
    except PackageNotFoundError:
        first = {"error": "not installed"}
    except Exception as error:
        first = failure(error)
    print(json.dumps(first), file=told, flush=True)
    for line in sys.stdin:
        try:
            said = answer(int(line))
        except Exception as error:
            said = failure(error)
        print(json.dumps(said), file=told, flush=True)


if __name__ == "__main__":
    main()
