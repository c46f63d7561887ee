"""Blocks, threads and memory maps: the same bits whoever does the work."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import make_blobs

import softclust as sc
from configurations import WITH_DEGREES as ESTIMATORS
from softclust.grammar.frame import Frame
from softclust.grammar.model import Model
from softclust.grammar.partitions import Fuzzy
from softclust.grammar.prototypes import Points
from softclust.grammar.state import State
from softclust.grammar.sweep import sweep
from softclust.sources import LocalSource, n_threads
from softclust.sources.local import fold
from softclust.sources.rows import rows_in_units


@pytest.fixture(scope="module")
def large():
    return make_blobs(30_000, n_features=5, centers=4, random_state=0)[0]


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("cls", ESTIMATORS)
def test_bits_do_not_depend_on_the_threads(large, cls, dtype):
    X = large.astype(dtype)
    one = cls(4, random_state=0, n_jobs=1).fit(X)
    for n_jobs in (2, 3, 7):
        other = cls(4, random_state=0, n_jobs=n_jobs).fit(X)
        assert_array_equal(other.cluster_centers_, one.cluster_centers_)
        assert_array_equal(other.memberships_, one.memberships_)
        assert_array_equal(other.objective_history_, one.objective_history_)


@pytest.mark.parametrize("block_rows", [1, 100, 128, 1000, 100_000])
def test_block_size_matters_to_rounding_only(large, block_rows):
    X = large[:2000]
    rows = rows_in_units(X)
    state = State((rows.units.to_loop(X[:4]),))
    model = Model(Points(), Fuzzy(2.0), Frame.singletons(4))
    whole = sweep(rows, model, state)
    parts = LocalSource(rows, 2, block_rows).reduce(sweep, model, state)
    assert_allclose(parts.loss, whole.loss, rtol=1e-12)
    assert_allclose(parts.moments[0], whole.moments[0], rtol=1e-10, atol=1e-10)


def test_memory_map(large, tmp_path):
    np.save(tmp_path / "rows.npy", large)
    mapped = np.load(tmp_path / "rows.npy", mmap_mode="r")
    one = sc.FuzzyCMeans(4, random_state=0).fit(large)
    two = sc.FuzzyCMeans(4, random_state=0).fit(mapped)
    assert_array_equal(two.memberships_, one.memberships_)


def test_fold_is_a_tree_of_fixed_shape():
    class Word(str):
        def __add__(self, other):
            return Word(f"({self!s}{other!s})")

    assert fold([Word(x) for x in "abcde"]) == "(((ab)(cd))e)"
    assert fold([Word("a")]) == "a"


def test_growing_samples_end_at_the_same_answer():
    """Above the sample size, restarts and first iterations see some of the rows only."""
    X = make_blobs(60_000, n_features=3, centers=3, cluster_std=2.0, random_state=1)[0]
    one = sc.FuzzyCMeans(3, random_state=0, tol=1e-9).fit(X)
    two = sc.FuzzyCMeans(3, init=X[:3], tol=1e-9, max_iter=2000).fit(X)
    assert_allclose(one.objective_, two.objective_, rtol=1e-9)


def test_number_of_threads(monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    assert n_threads(None) == 1
    monkeypatch.delenv("OMP_NUM_THREADS")
    assert n_threads(None) >= 1
    assert n_threads(3) == 3
    assert n_threads(-1) == n_threads(None)


def test_sampling_leaves_out_rows_of_weight_0():
    X = np.arange(50.0)[:, None]
    weight = np.r_[np.zeros(25), np.ones(25)]
    source = LocalSource(rows_in_units(X, weight))
    sample = source.sample(10, np.random.default_rng(0))
    assert len(sample) == 10
    assert (sample.rows.X >= 25).all()
