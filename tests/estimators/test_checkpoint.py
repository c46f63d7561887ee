"""A fit kept in a file: resumed anywhere it ends in the same bits; a file of another fit is refused."""

import shutil
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning

import softclust as sc
from killed import killed_and_let_be
from onlookers import AtTurns, Crash, crash
from softclust.loop import checkpoint
from softclust.sources import LocalSource
from softclust.sources.rows import rows_in_units

MODELS = {
    "fcm": {},
    "kmeans": {},
    "pcm": {},
    "rpcm": {},
    "spcm": {},
    "pfcm": {},
    "ipcm": {},
    "gk": {},
    "gmm": {},
    "ecm": {},
    "lpecm": {},
    "afcs": {"max_iter": 20},
    "fcm squarem": {"acceleration": "squarem"},
    "fcm anderson": {"acceleration": "anderson"},
    "fcm plain": {"acceleration": None},
}
EVERY = ("fcm", "ipcm", "gmm", "lpecm", "fcm squarem", "fcm anderson")  # those stop wherever a fit can

pytestmark = [
    pytest.mark.usefixtures("few_starts_of_shells"),
    pytest.mark.filterwarnings(
        "ignore::softclust.DegenerateClusterWarning", "ignore::sklearn.exceptions.ConvergenceWarning"
    ),
]


@pytest.fixture(autouse=True)
def _every_turn(monkeypatch):
    monkeypatch.setattr(checkpoint, "_SHARE", np.inf)  # small fits are written at every turn


def made(name, path, **more):
    return sc.make(name.split()[0], n_clusters=3, checkpoint=path, **MODELS[name], **more)


def attributes(model):
    return {k: v for k, v in vars(model).items() if isinstance(v, np.ndarray) and k.endswith("_")}


@pytest.mark.parametrize("name", MODELS)
def test_resumed_at_any_turn_it_ends_in_the_same_bits(name, iris, tmp_path):
    X, y = iris
    known = {}
    if name == "lpecm":
        said = sc.sample_supervision(y, labels=15, must_link=15, cannot_link=15, random_state=0)
        known = {"y": said.y, "must_link": said.must_link, "cannot_link": said.cannot_link}
    whole = made(name, None, random_state=5).fit(X, **known)
    for turn in (1, 2, 5, 9, 14) if name in EVERY else (2, 9):
        path = tmp_path / f"{turn}"
        model = made(name, path, random_state=5)
        try:
            model.set_callbacks(AtTurns(crash, turn)).fit(X, **known)
        except Crash:
            assert path.exists() or turn == 1
        model = made(name, path, random_state=5).fit(X, **known)
        assert model.n_iter_ == whole.n_iter_
        assert_array_equal(model.objective_history_, whole.objective_history_)
        for key, value in attributes(whole).items():
            assert_array_equal(getattr(model, key), value, err_msg=key)


def test_a_fit_that_ends_in_an_error_goes_on_from_its_last_turn(iris, tmp_path):
    X, _ = iris
    options = {"random_state": 0, "tol": 0, "max_iter": 60, "acceleration": None, "growing_samples": False}
    path = tmp_path / "f"
    with pytest.raises(Crash):
        sc.FuzzyCMeans(3, **options, checkpoint=path).set_callbacks(AtTurns(crash, 40)).fit(X)
    rest, whole = AtTurns(crash, 999), AtTurns(crash, 999)
    sc.FuzzyCMeans(3, **options, checkpoint=path).set_callbacks(rest).fit(X)
    sc.FuzzyCMeans(3, **options).set_callbacks(whole).fit(X)
    assert rest.turn < whole.turn - 20


def test_the_seed_is_kept(iris, tmp_path):
    """random_state=None draws another seed each time, but a resumed fit goes on with its own."""
    X, _ = iris
    path = tmp_path / "f"
    model = sc.FuzzyCMeans(3, init="random", checkpoint=path)
    with pytest.raises(Crash):
        model.set_callbacks(AtTurns(crash, 9)).fit(X)
    ends = []
    for copy in ("a", "b"):
        shutil.copy(path, tmp_path / copy)
        ends.append(sc.FuzzyCMeans(3, init="random", checkpoint=tmp_path / copy).fit(X))
    assert_array_equal(ends[0].memberships_, ends[1].memberships_)


def test_a_finished_fit_is_given_back(iris, tmp_path):
    X, _ = iris
    first = sc.FuzzyCMeans(3, random_state=0, checkpoint=tmp_path / "f").fit(X)
    recorder = AtTurns(crash, 99)
    again = sc.FuzzyCMeans(3, random_state=0, checkpoint=tmp_path / "f").set_callbacks(recorder).fit(X)
    assert recorder.turn == 1  # a task that was begun and is closed: no turn was made
    assert_array_equal(first.memberships_, again.memberships_)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"m": 1.9}, r"other parameters \(m\)"),
        ({"n_clusters": 4}, r"other parameters \(n_clusters\)"),
        ({"random_state": 1}, r"other parameters \(random_state\)"),
        ({"init": np.zeros((3, 4))}, r"other parameters \(init\)"),
        ({"separation": sc.Repulsion(1.0)}, r"other parameters \(separation\)"),
    ],
)
def test_other_parameters_are_refused(change, sentence, iris, tmp_path):
    X, _ = iris
    path = tmp_path / "f"
    sc.FuzzyCMeans(3, random_state=0, checkpoint=path).fit(X)
    before = path.read_bytes()
    with pytest.raises(sc.CheckpointError, match=sentence):
        sc.FuzzyCMeans(**{"n_clusters": 3, "random_state": 0, "checkpoint": path, **change}).fit(X)
    assert path.read_bytes() == before


def test_one_other_entry_among_many_rows_is_seen(tmp_path):
    rng = np.random.default_rng(0)
    for dtype in (np.float64, np.float32):
        X, path = rng.normal(size=(5000, 3)).astype(dtype), tmp_path / np.dtype(dtype).name
        sc.FuzzyCMeans(3, random_state=0, checkpoint=path).fit(X)
        for _ in range(10):
            other = X.copy()
            row, column = rng.integers(5000), rng.integers(3)
            other[row, column] = np.nextafter(other[row, column], dtype(9))
            with pytest.raises(sc.CheckpointError, match=r"other data \(X\)"):
                sc.FuzzyCMeans(3, random_state=0, checkpoint=path).fit(other)
            swapped = X.copy()
            i, j = rng.choice(5000, 2, replace=False)
            swapped[[i, j]] = swapped[[j, i]]
            with pytest.raises(sc.CheckpointError, match=r"other data \(X\)"):
                sc.FuzzyCMeans(3, random_state=0, checkpoint=path).fit(swapped)


def test_the_fingerprint_of_rows_does_not_depend_on_their_blocks():
    rows = rows_in_units(np.random.default_rng(0).normal(size=(1000, 3)), None)
    whole = LocalSource(rows, 1, 1000).reduce(checkpoint._fingerprint)
    for size in (1, 7, 128, 999):
        assert LocalSource(rows, 2, size).reduce(checkpoint._fingerprint) == whole


def test_other_functions_are_seen(iris, tmp_path):
    X, path = iris[0], tmp_path / "f"
    shift = 1

    def fit(init):
        return sc.FuzzyCMeans(3, init=init, random_state=0, checkpoint=path).fit(X)

    fit(lambda X, c, random_state: X[:c] + shift)
    fit(lambda X, c, random_state: X[:c] + shift)
    with pytest.raises(sc.CheckpointError, match="init"):
        fit(lambda X, c, random_state: X[-c:] + shift)
    shift = 2
    with pytest.raises(sc.CheckpointError, match="init"):
        fit(lambda X, c, random_state: X[:c] + shift)


def test_other_data_are_refused(iris, tmp_path):
    X, y = iris
    path = tmp_path / "f"
    model = sc.FuzzyCMeans(3, random_state=0, checkpoint=path).fit(X)
    for other, known, name in [
        (X + 1e-9, {}, "X"),
        (X[:-1], {}, "X"),
        (X.astype(np.float32), {}, "X"),
        (X, {"y": y}, "y"),
        (X, {"sample_weight": np.ones(150)}, "sample_weight"),
        (X, {"must_link": [[0, 1]]}, "must_link"),
    ]:
        with pytest.raises(sc.CheckpointError, match=rf"other data \({name}\)"):
            model.fit(other, **known)
    model.set_params(n_jobs=1, verbose=0).fit(X)  # what does not change the result may change


@settings(max_examples=60)
@given(data=st.data())
def test_damage_is_refused(data, tmp_path_factory):
    X = load_iris().data
    path = tmp_path_factory.mktemp("damage") / "f"
    model = sc.FuzzyCMeans(3, random_state=0, checkpoint=path, n_init=1, max_iter=5)
    model.fit(X)
    raw = bytearray(path.read_bytes())
    at = data.draw(st.integers(0, len(raw) - 1))
    kind = data.draw(st.sampled_from(["flip", "cut", "delete"]))
    if kind == "flip":
        raw[at] ^= data.draw(st.integers(1, 255))
    else:
        del raw[at : at + (data.draw(st.integers(1, 64)) if kind == "delete" else len(raw))]
    path.write_bytes(raw)
    try:
        again = sc.FuzzyCMeans(3, random_state=0, checkpoint=path, n_init=1, max_iter=5).fit(X)
    except sc.CheckpointError:
        return
    assert_array_equal(again.memberships_, model.memberships_)


def test_no_file_no_fit(iris, tmp_path):
    X, _ = iris
    with pytest.raises(FileNotFoundError):
        sc.FuzzyCMeans(3, checkpoint=tmp_path / "nowhere" / "f").fit(X)
    with pytest.raises(ValueError, match="checkpoint"):
        sc.FuzzyCMeans(3, checkpoint=3).fit(X)


def test_an_interrupted_fit_goes_on(iris, tmp_path):
    X, _ = iris
    path = tmp_path / "f"

    def press():
        raise KeyboardInterrupt

    options = {"n_clusters": 3, "random_state": 0, "tol": 1e-12, "checkpoint": path}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = sc.FuzzyCMeans(**options).set_callbacks(AtTurns(press, 6)).fit(X)
    assert any(issubclass(w.category, ConvergenceWarning) for w in caught)
    assert not model.converged_
    resumed = sc.FuzzyCMeans(**options).fit(X)
    whole = sc.FuzzyCMeans(**{**options, "checkpoint": None}).fit(X)
    assert_array_equal(resumed.objective_history_, whole.objective_history_)


KILLED = """
import sys, numpy as np
from sklearn.datasets import make_blobs
import softclust as sc
X, _ = make_blobs(20_000, n_features=6, centers=5, cluster_std=4.0, random_state=0)
model = sc.FuzzyCMeans(5, random_state=0, tol=1e-13, max_iter=400, checkpoint=sys.argv[1])
model.set_params(acceleration=None)
model.fit(X)
np.savez(sys.argv[2], V=model.cluster_centers_, J=model.objective_history_)
"""


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_a_killed_process_goes_on(tmp_path, monkeypatch):
    """Killed twice wherever it was, the fit ends as one that was left in peace."""
    out, peace = tmp_path / "out.npz", tmp_path / "peace.npz"
    killed_and_let_be(KILLED, tmp_path / "kept", out, times=2)
    monkeypatch.setattr("sys.argv", ["-c", str(tmp_path / "other"), str(peace)])
    exec(KILLED, {})  # in peace: here, for a process takes a second to begin
    with np.load(out) as a, np.load(peace) as b:
        assert_array_equal(a["V"], b["V"])
        assert_array_equal(a["J"], b["J"])


def test_a_loop_that_fails_again_is_recorded_once(tmp_path):
    path = tmp_path / "fit"
    for _turn in range(3):  # the fit and two resumptions of it
        journal = checkpoint.Journal(path, {}, 0)
        for _ in range(3):
            if journal.begin(None, None, None) is None:
                journal.end(None)
        assert journal.place == 3
        assert journal.loops == [None] * 3


def test_a_file_from_before_a_parameter_existed_has_its_default(tmp_path):
    path = tmp_path / "fit"
    checkpoint.Journal(path, {"m": "2"}, 0).write()
    checkpoint.Journal(path, {"m": "2", "fuzzifier": "power"}, 0, {"m": "2", "fuzzifier": "power"})
    with pytest.raises(sc.CheckpointError, match="other parameters"):
        checkpoint.Journal(path, {"m": "2", "fuzzifier": "other"}, 0, {"m": "2", "fuzzifier": "power"})
