"""Rows on a cluster of two processes: the bits of an undisturbed fit, also where workers die on the way."""

import os
import pickle
import signal
import time

import dask
import dask.array as da
import numpy as np
import pytest
from distributed import Client, LocalCluster
from distributed.actor import ProxyRPC
from numpy.testing import assert_allclose, assert_array_equal

import softclust as sc
from conftest import make_blobs
from killed import killed_and_let_be
from onlookers import AtTurns
from softclust.errors import DataLostError
from softclust.kernels.tiers import tier
from softclust.sources import local, remote_rows, workers
from softclust.sources import remote as far_away
from softclust.sources.workers import Holder

# Of connections to workers that were killed; distributed leaves some of them to the collector.
pytestmark = [
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
    pytest.mark.filterwarnings("ignore:Sending large graph:UserWarning"),
]

X, Y = make_blobs(each=200)
WEIGHT = np.random.default_rng(0).random(len(X))
MOST_SECONDS = 60


@pytest.fixture(scope="module")
def client():
    # LocalCluster gives up a worker that is away 15 s after it was lost, be it for the second time.
    with (
        dask.config.set({"distributed.deploy.lost-worker-timeout": "1 hour"}),
        LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            host="127.0.0.1",
            dashboard_address="127.0.0.1:0",  # None is port 8787, which another cluster may have
            silence_logs=50,
        ) as cluster,
        Client(cluster) as client,
    ):
        if not tier().startswith("native"):
            # Code that two processes compile by themselves may differ in the last bit, for sets of names
            # are in another order there: what is compiled now all read from the cache after the restart.
            for name in ("fcm", "ecm", "gmm", "gk"):
                sc.make(name, n_clusters=3, random_state=0).fit(far())
            client.restart()
        yield client


@pytest.fixture(autouse=True)
def _two_workers_and_small_blocks(client, monkeypatch):
    client.wait_for_workers(2, timeout=MOST_SECONDS)
    monkeypatch.setattr(far_away, "_FIRST_PAUSE", 0.01)
    monkeypatch.setattr(far_away, "_LEAST_BLOCK", 1)
    monkeypatch.setattr(local, "_LEAST_ROWS", 50)  # in memory as well, for the same bits
    monkeypatch.setattr(local, "_BLOCK_BYTES", 1)
    monkeypatch.setattr(local, "_MOST_BLOCKS", 10**6)


@pytest.fixture(autouse=True)
def _no_longer_than():
    """A fit that waits for a worker that is gone would wait for ever."""

    def give_up(*_):
        pytest.fail(f"still running after {MOST_SECONDS} s")  # no Exception: a fit would try again

    before = signal.signal(signal.SIGALRM, give_up)
    signal.setitimer(signal.ITIMER_REAL, MOST_SECONDS)
    yield
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


def far():
    return da.from_array(X, chunks=(50, 2))


def make(**parameters):
    return sc.FuzzyCMeans(3, init=X[[0, 1, 4]], acceleration=None, tol=1e-10, **parameters)


def assert_same(one, two):
    """To rounding: the workers need not run the very code that this process has compiled."""
    assert one.n_iter_ == two.n_iter_
    assert_allclose(two.cluster_centers_, one.cluster_centers_, rtol=0, atol=1e-12 * np.abs(X).max())
    assert_allclose(two.objective_history_, one.objective_history_, rtol=1e-12)
    assert_allclose(np.asarray(two.memberships_), np.asarray(one.memberships_), rtol=0, atol=1e-12)


def kill(client, count):
    """Of the workers of this cluster, whose processes are children of this one, if they can answer."""
    pids: list[int] = []
    while len(pids) < count:
        pids = list(client.run(os.getpid, on_error="ignore").values())
    for pid in pids[:count]:
        os.kill(pid, signal.SIGKILL)


def wait_until(condition):
    while not condition():  # no longer than a test may take
        time.sleep(0.05)


# ---------------------------------------------------------------------- the same answer
@pytest.mark.parametrize(
    "name",
    [
        "hcm",
        "ecm",
        "gmm",
        *(pytest.param(n, marks=pytest.mark.slow) for n in ("fcm", "gk", "pcm", "pfcm", "ipcm2")),
    ],
)
def test_figures_are_those_of_rows_in_memory(name, client):
    one = sc.make(name, random_state=0).fit(X, sample_weight=WEIGHT)
    two = sc.make(name, random_state=0).fit(far(), sample_weight=WEIGHT)
    assert_same(one, two)


@pytest.mark.parametrize("others", [1, 2])
def test_workers_with_other_code_are_refused(others, client):
    """Be it one of them: its sums would be added to those of this version."""

    def patch(back):
        from softclust.sources import shards

        if back:
            shards.source_digest = shards.kept
        else:
            shards.kept, shards.source_digest = shards.source_digest, lambda: "of another version"

    chosen = sorted(client.run(os.getpid))[:others]
    client.run(patch, False, workers=chosen)
    try:
        with pytest.raises(ValueError, match=r"has softclust .* with other compiled passes"):
            make().fit(far())
    finally:
        client.run(patch, True, workers=chosen)
    assert make().fit(far()).converged_


@pytest.mark.parametrize("cls", [sc.FuzzyCMeans, sc.EvidentialCMeans])
def test_labels_and_weights(cls, client):
    known = np.where(np.arange(len(X)) % 9 == 0, Y, -1)
    one = cls(3, random_state=0).fit(X, known, sample_weight=WEIGHT)
    two = cls(3, random_state=0).fit(far(), da.from_array(known, chunks=70), sample_weight=WEIGHT)
    assert_same(one, two)


@pytest.mark.parametrize("held", [True, False], ids=["held", "not held"])
@pytest.mark.parametrize("kind", ["persisted", "shared", "made", "future"])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_rows_from_anywhere(kind, held, client, monkeypatch):
    if not held:
        monkeypatch.setattr(far_away, "_memory", lambda: 0)
    factor = client.submit(np.full, (1, 2), 2.0)
    lazy = {
        "persisted": lambda: far().persist(),
        "shared": lambda: far() - far().mean(axis=0),
        "made": lambda: far().map_blocks(lambda block: 2 * block),
        "future": lambda: far() * da.from_delayed(factor, (1, 2), float),
    }[kind]()
    assert remote_rows(lazy).is_held == held
    rows = lazy.compute()
    most = {} if held else {"max_iter": 5}  # a few passes over rows that are read anew
    one = sc.FuzzyCMeans(3, random_state=0, **most).fit(rows)
    assert_same(one, sc.FuzzyCMeans(3, random_state=0, **most).fit(lazy))


def _noting(block, path):
    with open(os.path.join(path, str(time.time_ns())), "w"):
        pass
    return block


@pytest.mark.parametrize("held", [True, False], ids=["held", "not held"])
def test_how_often_rows_are_read(held, client, monkeypatch, tmp_path):
    if not held:
        monkeypatch.setattr(far_away, "_memory", lambda: 0)
    lazy = far().map_blocks(_noting, str(tmp_path), dtype=float, meta=np.empty((0, 0)))
    model = make().fit(lazy)
    reads = len(list(tmp_path.iterdir()))
    assert (reads == 12) if held else (reads >= 12 * model.n_iter_)


def test_nothing_is_left_on_the_cluster(client):
    before = set(client.who_has())
    model = make().fit(far(), sample_weight=WEIGHT)
    wait_until(lambda: set(client.who_has()) <= before)
    assert_array_equal(model.predict(far()).compute(), model.labels_.compute())


def test_predictions(client):
    model = make().fit(X)
    for name in ("predict", "predict_proba", "transform", "outlier_score"):
        here = getattr(model, name)(X)
        assert_allclose(getattr(model, name)(far()).compute(), here, rtol=1e-12)
        assert_allclose(getattr(model, name)(far().persist()).compute(), here, rtol=1e-12)
    assert model.score(far()) == pytest.approx(model.score(X), rel=1e-12)
    weighed = model.score(X, sample_weight=WEIGHT)
    assert model.score(far(), sample_weight=WEIGHT) == pytest.approx(weighed, rel=1e-12)


def test_a_fitted_model_is_stored_without_rows(client, tmp_path):
    model = make().fit(far().persist())
    sc.save(model, tmp_path / "model")
    assert_array_equal(sc.load(tmp_path / "model").predict(X), model.labels_.compute())
    again = pickle.loads(pickle.dumps(model))
    assert_array_equal(again.predict(X), model.labels_.compute())


def test_those_who_look_on_do_not_travel(client):
    """A callback may hold what cannot be sent: a file, a window, the client."""
    model = make().set_callbacks(AtTurns(lambda: None)).fit(far())
    assert_allclose(model.memberships_.compute(), make().fit(X).memberships_, rtol=0, atol=1e-12)


# ---------------------------------------------------------------------- faults
FAULTS = {"one": (1, (3,)), "both": (2, (3,)), "four in a row": (1, (2, 4, 6, 8))}


@pytest.mark.parametrize(
    "fault", [pytest.param(name, marks=() if name == "one" else pytest.mark.slow) for name in FAULTS]
)
@pytest.mark.parametrize("kind", ["rows", pytest.param("weights", marks=pytest.mark.slow)])
def test_workers_that_die_change_nothing(fault, kind, client):
    count, turns = FAULTS[fault]
    weight = WEIGHT if kind == "weights" else None
    one = make().fit(far(), sample_weight=weight)
    assert one.n_iter_ > max(turns)
    killer = AtTurns(lambda: kill(client, count), *turns)
    two = make().set_callbacks(killer).fit(far(), sample_weight=weight).set_callbacks()
    assert killer.done == len(turns)
    assert two.n_iter_ == one.n_iter_
    assert_array_equal(two.cluster_centers_, one.cluster_centers_)
    assert_array_equal(two.objective_history_, one.objective_history_)


@pytest.mark.slow
@pytest.mark.parametrize("held", [True, False], ids=["held", "not held"])
def test_workers_that_die_with_persisted_rows(held, client, monkeypatch):
    """Tasks that made them run again."""
    lazy = far().persist() if held else far()
    if not held:
        monkeypatch.setattr(far_away, "_memory", lambda: 0)
    one = make().fit(far())
    two = make().set_callbacks(AtTurns(lambda: kill(client, 2), 3)).fit(lazy)
    assert_array_equal(two.cluster_centers_, one.cluster_centers_)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["rows", "weights"])
def test_a_cluster_that_starts_again(kind, client):
    """All that workers held is given up, and read anew."""
    weight = WEIGHT if kind == "weights" else None
    one = make().fit(far(), sample_weight=weight)
    two = make().set_callbacks(AtTurns(client.restart, 3)).fit(far(), sample_weight=weight)
    assert_array_equal(two.cluster_centers_, one.cluster_centers_)


def _lost(block):
    raise OSError("no such disk")


def _mistaken(block):
    raise ValueError("my own mistake")


def test_rows_that_are_lost_for_good(client):
    lazy = far().map_blocks(_lost, dtype=float, meta=np.empty((0, 0)))
    with pytest.raises(DataLostError, match=r"4 tries; .* OSError: block \d: no such disk"):
        make().fit(lazy)


def test_an_error_of_the_blocks_own_passes_through(client):
    lazy = far().map_blocks(_mistaken, dtype=float, meta=np.empty((0, 0)))
    with pytest.raises(ValueError, match=r"^my own mistake$"):
        make().fit(lazy)


def test_what_is_no_number_is_named(client):
    bad = X.copy()
    bad[333, 1] = np.nan
    with pytest.raises(ValueError, match=r"^Input X contains NaN: row 333, feature 1\.$"):
        make().fit(da.from_array(bad, chunks=(50, 2)))


# ---------------------------------------------------------------------- the client dies
CLIENT = """
import sys
import dask.array as da
import numpy as np
from distributed import Client
import softclust as sc

if __name__ == "__main__":
    rng = np.random.default_rng(0)
    X = rng.normal(scale=4, size=(5, 6))[rng.integers(5, size=200_000)] + 3 * rng.normal(size=(200_000, 6))
    with Client(n_workers=2, threads_per_worker=1, dashboard_address="127.0.0.1:0"):
        model = sc.FuzzyCMeans(5, init=X[:5], tol=1e-13, max_iter=60, checkpoint=sys.argv[1])
        model.set_params(acceleration=None).fit(da.from_array(X, chunks=(20_000, 6)))
    np.savez(sys.argv[2], V=model.cluster_centers_, J=model.objective_history_)
"""


@pytest.mark.slow
def test_a_client_that_dies_goes_on(tmp_path):
    """Another process, another cluster, the same bits."""
    out, peace = tmp_path / "out.npz", tmp_path / "peace.npz"
    killed_and_let_be(CLIENT, tmp_path / "kept", out, times=2, linger=0.5)
    killed_and_let_be(CLIENT, tmp_path / "other", peace, times=0)
    with np.load(out) as a, np.load(peace) as b:
        assert len(b["J"]) > 50
        assert_array_equal(a["V"], b["V"])
        assert_array_equal(a["J"], b["J"])


# ---------------------------------------------------------------------- those who hold shards
def _told(detail, shard, weights):
    return detail, shard, weights


@pytest.mark.parametrize("threads", [1, 2])
def test_a_holder_serves_its_shards_in_order(threads):
    holder = Holder(threads, ["a", "b", "c"], [None, 1, 2])
    answer = holder.serve(pickle.dumps(_told), pickle.dumps([7, 8, 9]))
    assert pickle.loads(answer) == [(7, "a", None), (8, "b", 1), (9, "c", 2)]


@pytest.mark.parametrize("near", [True, False])
def test_holders_are_asked_by_the_shortest_way(near, client, monkeypatch):
    """By the client itself where it can reach their workers, and otherwise by the scheduler."""
    client.wait_for_workers(2)  # a test before this one may have killed some
    monkeypatch.setattr(workers, "_MOST_DIRECT", 256 if near else 0)
    begin, asked = ProxyRPC.__init__, []

    def noting(self, rpc, address):
        asked.append(address)
        begin(self, rpc, address)

    monkeypatch.setattr(ProxyRPC, "__init__", noting)
    assert_same(make().fit(X), make().fit(far()))
    assert bool(asked) != near


def test_workers_that_are_not_there_are_not_near(client, monkeypatch):
    monkeypatch.setattr(workers, "_PATIENCE", 0.3)
    assert not client.sync(workers._is_near, client, ["tcp://127.0.0.1:9"])


def test_answers_of_a_worker_of_this_process_are_not_waited_for(monkeypatch):
    """A client that only knows the address has a loop of its own."""
    monkeypatch.setattr(workers, "_PATIENCE", 60.0)
    with (
        LocalCluster(1, processes=False, dashboard_address="127.0.0.1:0", silence_logs=50) as cluster,
        Client(cluster.scheduler_address),
    ):
        began = time.monotonic()
        assert_same(make().fit(X), make().fit(far()))
        assert time.monotonic() - began < 10  # a second or two; 17 while answers were not heard


def test_workers_with_several_threads(monkeypatch):
    """One that asks its own threads to sweep."""
    monkeypatch.setattr(far_away, "_SHARD_BYTES", 1)
    with (
        LocalCluster(
            n_workers=1,
            threads_per_worker=2,
            processes=False,
            dashboard_address="127.0.0.1:0",
            silence_logs=50,
        ) as cluster,
        Client(cluster),
    ):
        assert_same(make().fit(X), make().fit(far()))
