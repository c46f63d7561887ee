"""Files with a right checksum and a wrong structure: they are refused, or what they hold can be used."""

import contextlib
import copy
import os
import select
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_iris

import softclust as sc
from crafted_models import MODELS, RESUMED
from crafting import closed, inside, mutated, opened, places
from softclust.loop import checkpoint

ROWS, CLASSES = (part[::3] for part in load_iris(return_X_y=True))
TESTS = Path(__file__).parents[1]
SEEDS = st.integers(0, 2**32 - 1)
QUIET = settings(
    derandomize=True,
    deadline=None,
    database=None,
    suppress_health_check=list(HealthCheck),
    max_examples=100,
)


class Child:
    """A process that uses files, so that a crash is an answer too."""

    def __init__(self):
        self.process = None

    def ask(self, *words):
        if self.process is None or self.process.poll() is not None:
            self.process = subprocess.Popen(
                [sys.executable, str(TESTS / "crafted_child.py")],
                env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
                text=True,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
            )
        self.process.stdin.write("\t".join(map(str, words)) + "\n")
        self.process.stdin.flush()
        if not select.select([self.process.stdout], [], [], 400)[0]:
            self.process.kill()
            return "wrong: it does not end"
        said = self.process.stdout.readline().strip()
        return said or f"wrong: signal {-self.process.wait()}"

    def close(self):
        if self.process is not None:
            self.process.communicate()


@pytest.fixture(scope="module")
def child():
    one = Child()
    yield one
    one.close()


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    """The header and the arrays of each model by name."""
    path, y, found = tmp_path_factory.mktemp("models") / "model", np.full(len(ROWS), -1), {}
    y[::5] = CLASSES[::5]
    for name, make in MODELS.items():
        model = make()
        X = np.abs(ROWS[:, :1] - ROWS[:, 0]) if "precomputed" in name else ROWS
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            sc.save(model.fit(X, y) if name == "spreading" else model.fit(X), path)
        found[name] = opened(path.read_bytes())
    return found


@pytest.fixture(scope="module")
def checkpoints(tmp_path_factory):
    """The header and the arrays of each checkpoint by name, finished and in the midst of a loop."""
    found = {}
    for name, make in RESUMED.items():
        for stop in (4, 10**9):
            path = tmp_path_factory.mktemp("checkpoints") / "c"
            patch = pytest.MonkeyPatch()
            if stop == 4:  # the others are read when they are finished alone
                patch.setattr(checkpoint, "_SHARE", np.inf)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                _fit_until(make().set_params(checkpoint=path), stop, patch)
            patch.undo()
            found[name, stop] = opened(path.read_bytes())
    return found


def _fit_until(model, stop, patch):
    """Fit, but fail at the given number of writes of the checkpoint, as a process that is killed does."""
    write, written = checkpoint.Journal.write, []

    def counted(journal):
        if len(written) >= stop:
            raise KeyboardInterrupt
        written.append(1)
        write(journal)

    patch.setattr(checkpoint.Journal, "write", counted)
    with contextlib.suppress(KeyboardInterrupt):
        model.fit(ROWS)


def test_unchanged_files_are_used(models, checkpoints, child, tmp_path):
    for name, parts in models.items():
        (tmp_path / "m").write_bytes(closed(*parts))
        assert child.ask(tmp_path / "m") == "used", name
    for (name, _), parts in checkpoints.items():
        (tmp_path / "c").write_bytes(closed(*parts))
        assert child.ask(tmp_path / "c", name) == "used", name


# A part of a file, and what no fit puts there.
IMPOSSIBLE = {
    "fuzzy memberships_": np.nan,
    "fuzzy outlier_scores_": 7.0,
    "fuzzy cluster_centers_": 1.0,
    "fuzzy objective_history_": np.nan,
    "fuzzy classes_": 1,
    "fuzzy labels_": 2,
    "fuzzy n_iter_": "x",
    "fuzzy _fitted.limits": -1.0,
    "fuzzy _fitted.tails": 7.0,
    "fuzzy _fitted.state.theta.0": 7.0,
    "fuzzy _fitted.units.origin": 7.0,
    "possibilistic-fuzzy typicalities_": -1.0,
    "possibilistic-fuzzy _fitted.state.scale": 1e300,
    "evidential masses_": 1.0,
    "evidential focal_sets_": True,
    "mixture covariances_": -1.0,
    "mixture _fitted.model.prototypes.size": -1.0,
    "lines directions_": np.nan,
    "medoids-mahalanobis _metric_parameters.dict.VI": -1.0,
    "repulsion _fitted.model.separation.strength": [],
    "spreading anchors_": 1.0,
    "mixture _fitted.model.prototypes.total": 0,
    "spreading _fitted.share": 1e-320,
}


@pytest.mark.parametrize(
    ("place", "impossible"), [*IMPOSSIBLE.items(), ("repulsion _fitted.model.separation.strength", "auto")]
)
def test_what_no_fit_gives_is_refused(place, impossible, models, tmp_path):
    name, _, words = place.partition(" ")
    header, arrays = copy.deepcopy(models[name])
    path = ["state", *words.split(".")]
    found = next(
        p for p in places(header) if [str(key) for key in p if key not in ("fields", "tuple")] == path
    )
    value = inside(header, found)
    if isinstance(value, dict):
        arrays[value["array"]] = np.full_like(arrays[value["array"]], impossible)
    else:
        inside(header, found[:-1])[found[-1]] = impossible
    (tmp_path / "m").write_bytes(closed(header, arrays))
    with pytest.raises(sc.ModelFileError, match="damaged"):
        sc.load(tmp_path / "m")


def _try_models(seed, models, child, folder):
    name = sorted(models)[seed % len(models)]
    raw, words = mutated(*models[name], seed)
    (folder / "m").write_bytes(raw)
    said = child.ask(folder / "m")
    assert not said.startswith("wrong"), f"{name}: {words}: {said}"


def _try_checkpoints(seed, checkpoints, child, folder):
    name, stop = sorted(checkpoints)[seed % len(checkpoints)]
    raw, words = mutated(*checkpoints[name, stop], seed)
    (folder / "c").write_bytes(raw)
    said = child.ask(folder / "c", name)
    assert not said.startswith("wrong"), f"{name} {stop}: {words}: {said}"


@QUIET
@given(seed=SEEDS)
def test_crafted_models(seed, models, child, tmp_path_factory):
    """Any array or field changed: ModelFileError, or predictions that are memberships."""
    _try_models(seed, models, child, tmp_path_factory.getbasetemp())


@QUIET
@given(seed=SEEDS)
def test_crafted_checkpoints(seed, checkpoints, child, tmp_path_factory):
    """Any array or field changed: CheckpointError, or a fit that ends."""
    _try_checkpoints(seed, checkpoints, child, tmp_path_factory.getbasetemp())


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:Generating overly large repr")  # it would hide the file that failed
@settings(QUIET, max_examples=2000)
@given(seed=SEEDS)
def test_many_crafted_models(seed, models, child, tmp_path_factory):
    _try_models(seed, models, child, tmp_path_factory.getbasetemp())


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:Generating overly large repr")  # it would hide the file that failed
@settings(QUIET, max_examples=2000)
@given(seed=SEEDS)
def test_many_crafted_checkpoints(seed, checkpoints, child, tmp_path_factory):
    _try_checkpoints(seed, checkpoints, child, tmp_path_factory.getbasetemp())
