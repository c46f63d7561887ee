"""Prove that a change of the code changes no result.

    python tools/golden.py write FOLDER     before the change
    python tools/golden.py check FOLDER     after it

`write` fits every configuration of the tests on several data sets and keeps the SHA-256 of every fitted
array and of what the model says of new rows, together with error messages, signatures and public names.
It also keeps models and checkpoints as files.  `check` does the same again and prints what differs; it
exits with 1 if anything does.  Digests hold for one machine and one set of installed packages, so they are
not committed.
"""

from __future__ import annotations

import hashlib
import inspect
import json
import os
import re
import shutil
import sys
import warnings
from functools import partial
from pathlib import Path

os.environ.setdefault("SCIPY_ARRAY_API", "1")
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

import numpy as np

import softclust
from configurations import configurations
from conftest import make_blobs

PUBLIC_MODULES = ("credal", "datasets", "experiments", "metrics", "plotting")
LINKS = {"must_link": [[0, 1], [2, 9, 0.5], [4, 7]], "cannot_link": [[0, 2], [5, 11]]}
LINKS = {name: [[*pair, 1.0][:3] for pair in pairs] for name, pairs in LINKS.items()}


def digest(value):
    """SHA-256 of a value of any kind that estimators publish."""
    if isinstance(value, (str, int, float, bool, type(None))):
        return repr(value)
    if isinstance(value, dict):
        return digest("|".join(f"{key}:{digest(value[key])}" for key in sorted(value)))
    array = np.asarray(value)
    if array.dtype.kind == "O":
        return digest(repr(array.tolist()))
    if array.dtype.names:
        return digest("|".join(digest(array[name]) for name in array.dtype.names))
    head = f"{array.dtype.str}{array.shape}".encode()
    return hashlib.sha256(head + np.ascontiguousarray(array).tobytes()).hexdigest()[:20]


def told(model, X):
    """Everything public that a fitted model says: its attributes, and its answers about rows."""
    found = {}
    for name in dir(model):
        if name.endswith("_") and not name.startswith("_"):
            try:
                value = getattr(model, name)
            except AttributeError:
                continue
            if type(value).__name__ != "CredalPartition":
                found[name] = digest(value)
    methods = "predict", "predict_proba", "predict_typicality", "predict_mass", "outlier_score", "transform"
    for name in (*methods, "score", "score_samples"):
        if hasattr(model, name):
            found[name] = digest(getattr(model, name)(X))
    return found


def attempt(make, X, new, **known):
    """What a fit gives: digests, warnings; or the error."""
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        try:
            model = make()
            model.fit(X, **known)
            found = told(model, new)
            if hasattr(model, "partial_fit") and set(known) <= {"y", "sample_weight"}:
                model.partial_fit(new)
                found |= {f"partial {k}": v for k, v in told(model, new).items()}
        except Exception as error:
            found = {"error": f"{type(error).__name__}: {error}"}
    found["warnings"] = repr([str(w.message) for w in heard])
    return found


def scenes():
    """(name, X, new rows, what is known) of small data."""
    from sklearn.datasets import load_iris

    iris, truth = load_iris(return_X_y=True)
    blobs, kind = make_blobs()
    new = make_blobs(seed=5, each=20)[0]
    rng = np.random.default_rng(3)
    some = np.where(np.arange(len(blobs)) % 4 == 0, kind, -1)
    soft = np.full((len(blobs), 3), np.nan)
    soft[::5] = [0.7, 0.2, np.nan]
    soft[1::5] = [1.0, 1.0, 0.0]
    weight = rng.uniform(0, 2, len(blobs))
    weight[3] = 0.0
    narrow = blobs.astype(np.float32), new.astype(np.float32)
    yield "iris", iris, iris[::7] + 0.1, {}
    yield "iris f4", iris.astype("f4"), iris[::7].astype("f4"), {}
    yield "iris labels", iris, iris[::7], {"y": np.where(np.arange(150) % 9 == 0, truth, -1)}
    yield "blobs f4 labels", *narrow, {"y": some}
    yield "blobs weights labels", blobs, new, {"y": some, "sample_weight": weight}
    yield "blobs soft labels", blobs, new, {"y": soft}
    yield "blobs pairs", blobs, new, LINKS
    yield "blobs all", blobs, new, {"y": some, "sample_weight": weight, **LINKS}


SHELLS = "shells", "afcs", "fces", "apcs", "pces"


def small():
    for scene, X, new, known in scenes():
        for name, make in configurations():
            if any(word in name for word in SHELLS) and scene not in ("iris", "blobs all"):
                continue  # seconds each
            yield f"{scene} / {name}", attempt(make, X, new, **known)


NOISY = ("HardCMeans", "FuzzyCMeans", "PossibilisticFuzzyCMeans", "ImprovedPossibilisticCMeans")


def noisy():
    blobs, kind = make_blobs()
    X = np.concatenate([blobs, [[60.0, 60.0], [-50.0, 3.0]]])
    y = np.where(np.arange(len(X)) % 5 == 0, np.append(kind, [0, 0]), -1)
    for name in NOISY:
        cls = getattr(softclust, name)
        for geometry in (
            "points",
            "ellipsoids",
            "mahalanobis",
            "mahalanobis-refit",
            "shells",
            "directions",
        ):
            for known in ({}, {"y": y}, LINKS):
                make = partial(cls, 3, noise_distance=3.0, geometry=geometry, random_state=0)
                yield f"noise / {name} {geometry} {sorted(known)}", attempt(make, X, blobs[:20], **known)


def medoids():
    X = make_blobs()[0]
    D = np.sqrt(((X[:, None] - X) ** 2).sum(axis=2))
    for method in ("pam", "clara", "clarans"):
        for metric in ("euclidean", "manhattan", "cosine", "chebyshev", "precomputed"):
            for init in ("build", "lab"):
                make = partial(
                    softclust.KMedoids,
                    3,
                    method=method,
                    metric=metric,
                    init=init,
                    sampling_size=40,
                    random_state=0,
                )
                rows = D if metric == "precomputed" else X
                yield f"medoids / {method} {metric} {init}", attempt(make, rows, rows)


LARGE = (
    "fcm", "kmeans", "pcm", "pfcm", "ipcm", "ecm", "gmm", "gk", "gg", "mfcm", "rpcm",
    "GaussianMixture-covariance_type=diag", "GaussianMixture-noise=True", "FuzzyCMeans-geometry=directions",
    "EvidentialCMeans-geometry=ellipsoids", "FuzzyCMeans-init=k-means||",
)  # fmt: skip


def large(folder):
    """Rows enough for several blocks: on one and two threads, from a file, and on Dask."""
    import dask
    import dask.array as da

    X, kind = make_blobs(seed=1, each=10_000, spread=2.0)
    y = np.where(np.arange(len(X)) % 1000 == 0, kind, -1)
    path = folder / "rows.npy"
    np.save(path, X)
    makers = dict(configurations())
    for name in LARGE:
        for known in ({}, {"y": y}, {"must_link": LINKS["must_link"], "cannot_link": LINKS["cannot_link"]}):
            about = f"large / {name} {sorted(known)}"
            for threads in (1, 2):
                yield (
                    f"{about} threads={threads}",
                    attempt(
                        partial(makers[name], n_jobs=threads),
                        X,
                        X[:99],
                        **known,
                    ),
                )
            yield f"{about} file", attempt(makers[name], str(path), X[:99], **known)
            with dask.config.set(scheduler="synchronous"):
                rows = da.from_array(X, chunks=(7000, 2))
                yield f"{about} dask", attempt(makers[name], rows, rows[:99], **known)
    with dask.config.set(scheduler="synchronous"):
        rows = da.from_array(X, chunks=(7000, 2))
        make = partial(softclust.KMedoids, 3, method="clara", random_state=0)
        yield "large / medoids dask", attempt(make, rows, rows[:99])


def public_face():
    """Names, signatures and the attributes of fitted estimators."""
    yield "softclust.__all__", {"names": " ".join(sorted(softclust.__all__))}
    for name in PUBLIC_MODULES:
        module = __import__(f"softclust.{name}", fromlist=["x"])
        yield f"softclust.{name}", {"names": " ".join(sorted(getattr(module, "__all__", dir(module))))}
    X, y = make_blobs()
    for name in softclust.estimators.__all__:
        cls = getattr(softclust, name)
        made = inspect.signature(cls).parameters.values()
        shown = sorted(f"{p.name}={p.default!r} {p.kind.name}" for p in made)
        yield f"{name} parameters", dict.fromkeys(shown, "there")
        methods = [m for m in dir(cls) if m[0] != "_" and callable(getattr(cls, m, None))]
        yield (
            f"{name} methods",
            {
                m: "; ".join(
                    f"{p.name} {p.default}" for p in inspect.signature(getattr(cls, m)).parameters.values()
                )
                for m in methods
            },
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if name == "FuzzyLabelSpreading":
                fitted = cls().fit(X, y)
            else:
                fitted = cls(3).fit(X) if name == "KMedoids" else cls(3).fit(X, np.where(y == 0, 0, -1))
        yield f"{name} fitted", {n: "there" for n in dir(fitted) if n[0] != "_"}


def saved(folder, write):
    """Models and checkpoints that were written before still load, and say the same."""
    X = make_blobs()[0]
    folder.mkdir(exist_ok=True)
    for name, make in configurations():
        stem = re.sub(r"[^\w=.-]+", "_", name)
        model, state = folder / f"{stem}.zip", folder / f"{stem}.fit"
        if not (write or model.exists()):
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if write:
                softclust.save(make().fit(X), model)
                make(checkpoint=str(state)).fit(X)
            found = {f"reloaded {key}": value for key, value in told(softclust.load(model), X).items()}
            try:
                resumed = told(make(checkpoint=str(state)).fit(X), X)
                found |= {f"resumed {key}": value for key, value in resumed.items()}
            except Exception as error:
                found |= {"error": f"{type(error).__name__}: {error}"}
        yield f"saved / {name}", found


def everything(folder, write):
    softclust.estimators  # noqa: B018
    yield from public_face()
    yield from small()
    yield from noisy()
    yield from medoids()
    yield from large(folder)
    yield from saved(folder / "files", write)


def main():
    action, folder = sys.argv[1], Path(sys.argv[2])

    if action == "write":
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        found = dict(everything(folder, True))
        (folder / "digests.json").write_text(json.dumps(found, indent=0))
        print(f"{len(found)} records written")
        return 0
    before = json.loads((folder / "digests.json").read_text())
    now = dict(everything(folder, False))
    different = 0
    for name, old in before.items():
        new = now.get(name, {})
        keys = [key for key in old if old[key] != new.get(key)]
        if keys:
            different += 1
            print(name, "differs in", ", ".join(keys))
            for key in keys[:3]:
                print("   before:", str(old[key])[:400])
                print("   now:   ", str(new.get(key))[:400])
    print(f"{len(now)} records, {different} differ")
    return int(different > 0)


if __name__ == "__main__":
    sys.exit(main())
