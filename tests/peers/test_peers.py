"""The same start, the same answer as scikit-learn and scikit-fuzzy."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.cluster import KMeans
from sklearn.datasets import load_iris, load_wine, make_blobs

import softclust as sc

pytestmark = pytest.mark.filterwarnings("ignore::softclust.FeatureScaleWarning")  # raw wine

DATA = {
    "iris": load_iris().data,
    "wine": load_wine().data,
    "blobs": make_blobs(2000, n_features=8, centers=5, cluster_std=3.0, random_state=0)[0],
}


@pytest.fixture(params=DATA)
def X(request):
    return DATA[request.param]


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("c", [2, 5])
def test_k_means_equals_scikit_learn(X, c, weighted, seed):
    rng = np.random.default_rng(seed)
    init = X[rng.choice(len(X), c, replace=False)]
    weight = rng.uniform(0.1, 2, len(X)) if weighted else None
    theirs = KMeans(c, init=init, n_init=1, tol=0, max_iter=1000).fit(X, sample_weight=weight)
    ours = sc.HardCMeans(c, init=init, tol=0, max_iter=1000).fit(X, sample_weight=weight)
    assert_allclose(ours.cluster_centers_, theirs.cluster_centers_, rtol=1e-9, atol=1e-9)
    assert_allclose(ours.objective_, theirs.inertia_, rtol=1e-10)
    assert_array_equal(ours.labels_, theirs.labels_)
    assert_allclose(ours.transform(X), theirs.transform(X), rtol=1e-7, atol=1e-5)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.filterwarnings("ignore::softclust.DegenerateClusterWarning")
@pytest.mark.parametrize("m", [1.5, 2.0, 2.7])
@pytest.mark.parametrize("c", [2, 4])
def test_fcm_equals_scikit_fuzzy(X, c, m, seed):
    from skfuzzy import cmeans

    rng = np.random.default_rng(seed)
    U0 = rng.dirichlet(np.ones(c), len(X)).T
    # scikit-fuzzy starts from memberships and updates the centres first.
    theirs, _, _, _, _, iterations, _ = cmeans(X.T, c, m, error=0, maxiter=60, init=U0)
    W = U0**m
    init = (W @ X) / W.sum(axis=1, keepdims=True)
    ours = sc.FuzzyCMeans(c, m=m, init=init, max_iter=iterations - 1, tol=0, acceleration=None).fit(X)
    spread = X.std()
    assert_allclose(ours.cluster_centers_, theirs, atol=1e-8 * spread)
