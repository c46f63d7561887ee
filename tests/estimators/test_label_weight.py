"""How many rows a labelled row stands for: `label_weight`."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_wine

import configurations
import softclust as sc
from conftest import make_blobs
from softclust.sources.local import LocalSource
from softclust.sources.rows import rows_in_units
from softclust.sources.spread import effective_dimension

ESTIMATORS = [*configurations.ESTIMATORS, configurations.MIXTURE]


@pytest.fixture(scope="module")
def told():
    X, truth = make_blobs(each=60, spread=1.0)
    y = np.full(len(X), -1)
    y[::12] = truth[::12]
    return X, truth, y


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_it_is_a_weight_of_labelled_rows(estimator, told):
    X, _, y = told
    words = {"random_state": 0}
    if estimator is sc.EvidentialCMeans:  # by default it follows the weights of the rows alone
        words["noise_distance"] = 5.0
    heavy = estimator(3, label_weight=4.0, **words).fit(X, y)
    given = estimator(3, **words).fit(X, y, sample_weight=np.where(y >= 0, 4.0, 1.0))
    assert heavy.label_weight_ == 4.0
    assert_allclose(heavy.objective_, given.objective_, rtol=1e-10)
    assert_allclose(heavy.memberships_, given.memberships_, atol=1e-8)


def test_it_multiplies_other_weights(told):
    X, _, y = told
    weight = np.random.default_rng(0).uniform(0.5, 2, len(X))
    heavy = sc.FuzzyCMeans(3, label_weight=3, random_state=0).fit(X, y, sample_weight=weight)
    given = sc.FuzzyCMeans(3, random_state=0).fit(X, y, sample_weight=weight * np.where(y >= 0, 3, 1))
    assert_array_equal(heavy.cluster_centers_, given.cluster_centers_)


def test_auto_follows_rows_clusters_and_directions():
    X = load_wine().data
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    y = np.full(len(X), -1)
    y[:3] = 0
    directions = effective_dimension(LocalSource(rows_in_units(X)))
    model = sc.HardCMeans(2, label_weight="auto", random_state=0).fit(X, y)
    assert model.label_weight_ == pytest.approx(0.1 * len(X) / (2 * directions))
    assert model.label_weight_ > 1
    few = sc.HardCMeans(2, label_weight="auto", random_state=0).fit(X[:40], y[:40])
    assert few.label_weight_ == 1
    many = sc.HardCMeans(2, label_weight="auto", random_state=0).fit(X, y, sample_weight=np.full(178, 1e3))
    assert many.label_weight_ == 20


def test_labels_leave_the_exponent_alone():
    X, truth = load_wine(return_X_y=True)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    heavy = sc.FuzzyCMeans(3, label_weight=20, random_state=0).fit(X, np.where(truth == 0, 0, -1))
    assert heavy.m_ == sc.FuzzyCMeans(3, random_state=0).fit(X).m_


def test_without_labels_it_says_nothing(told):
    X, *_ = told
    model = sc.FuzzyCMeans(3, label_weight=5.0, random_state=0).fit(X)
    assert model.label_weight_ is None
    assert_array_equal(model.memberships_, sc.FuzzyCMeans(3, random_state=0).fit(X).memberships_)


def test_blocks_batches_and_files(told, tmp_path):
    da = pytest.importorskip("dask.array")
    X, truth, y = told
    model = sc.FuzzyCMeans(3, label_weight=4.0, random_state=0).fit(X, y)
    far = sc.FuzzyCMeans(3, label_weight=4.0, random_state=0).fit(da.from_array(X, chunks=(50, 2)), y)
    assert_allclose(far.cluster_centers_, model.cluster_centers_, rtol=1e-8)
    sc.save(model, tmp_path / "model")
    assert sc.load(tmp_path / "model").label_weight_ == 4.0
    stream = sc.FuzzyCMeans(3, label_weight="auto", random_state=0).partial_fit(X, y)
    first = stream.label_weight_
    stream.partial_fit(X[:30], truth[:30])
    assert stream.label_weight_ == first
