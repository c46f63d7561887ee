"""Models that contain one another: each limit, exactly."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import softclust as sc
from oracles.fuzzy import density_weights

pytestmark = pytest.mark.filterwarnings(
    "ignore::softclust.DegenerateClusterWarning", "ignore::sklearn.exceptions.ConvergenceWarning"
)
PLAIN = {"acceleration": None, "tol": 1e-10, "max_iter": 3000}


@pytest.fixture
def X(iris):
    return iris[0]


@pytest.fixture
def init(X):
    return X[[0, 60, 120]]


def same(one, two, atol=1e-9):
    assert_allclose(one.cluster_centers_, two.cluster_centers_, atol=atol)
    assert_allclose(one.objective_, two.objective_, rtol=1e-9)


def test_pfcm_without_typicalities_is_fcm(X, init):
    scale = [1.0, 2.0, 3.0]
    one = sc.PossibilisticFuzzyCMeans(3, a=1.0, b=0.0, scale=scale, init=init, **PLAIN).fit(X)
    two = sc.FuzzyCMeans(3, init=init, **PLAIN).fit(X)
    same(one, two)
    assert_allclose(one.memberships_, two.memberships_, atol=1e-9)


def test_pfcm_without_memberships_is_pcm(X, init):
    scale = [0.2, 0.3, 0.4]
    one = sc.PossibilisticFuzzyCMeans(3, a=0.0, b=1.0, eta=2.0, scale=scale, init=init, **PLAIN).fit(X)
    two = sc.PossibilisticCMeans(3, m=2.0, scale=scale, init=init, **PLAIN).fit(X)
    same(one, two)
    assert_allclose(one.typicalities_, two.typicalities_, atol=1e-9)


@pytest.mark.parametrize("separation", [sc.Repulsion(0.0), sc.CentralDistance(0.0)])
def test_separation_of_strength_0_is_none(X, init, separation):
    given = {"m": 2.0, "scale": [0.2, 0.3, 0.4], "init": init, **PLAIN}
    one = sc.PossibilisticCMeans(3, separation=separation, **given).fit(X)
    same(one, sc.PossibilisticCMeans(3, **given).fit(X))


def test_swfcm_is_fcm_weighed_by_density(X, init):
    one = sc.make("swfcm", 3, init=init, **PLAIN).fit(X)
    two = sc.FuzzyCMeans(3, init=init, **PLAIN).fit(X, sample_weight=density_weights(X, 2.5))
    same(one, two)


def test_fcm_with_m_near_1_is_k_means(X, init):
    one = sc.FuzzyCMeans(3, m=1.001, init=init, **PLAIN).fit(X)
    two = sc.HardCMeans(3, init=init, **PLAIN).fit(X)
    assert_array_equal(one.labels_, two.labels_)


def test_noise_infinitely_far_is_none(X, init):
    for cls in (sc.HardCMeans, sc.FuzzyCMeans, sc.PossibilisticFuzzyCMeans):
        one = cls(3, noise_distance=1e9, init=init, **PLAIN).fit(X)
        same(one, cls(3, init=init, **PLAIN).fit(X), atol=1e-7)


@pytest.mark.parametrize("cls", [sc.HardCMeans, sc.FuzzyCMeans])
def test_one_cluster_is_the_weighted_mean(X, cls):
    weight = np.linspace(0.1, 2, len(X))
    model = cls(1).fit(X, sample_weight=weight)
    assert_allclose(model.cluster_centers_[0], weight @ X / weight.sum(), atol=1e-12)


def test_all_distances_equal_share_the_row():
    X = np.array([[-1.0], [0.0], [1.0]])
    model = sc.FuzzyCMeans(2, init=[[-1.0], [1.0]], **PLAIN).fit(X)
    assert_allclose(model.memberships_[1], [0.5, 0.5])


@pytest.mark.parametrize("m", [1.5, 2.0, 4.0])
def test_a_row_on_two_centres_is_shared(m):
    X = np.array([[0.0], [0.0], [5.0], [5.0], [9.0]])
    model = sc.FuzzyCMeans(3, m=m, init=[[0.0], [0.0], [5.0]], max_iter=1, tol=1e9).fit(X)
    assert_allclose(model.predict_proba([[0.0]]), [[0.5, 0.5, 0.0]], atol=1e-12)
