"""Every model from a given start, against a literal transcription of its paper."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_iris, make_blobs

import softclust as sc
from oracles import fuzzy, hard, polynomial, possibilistic, separated
from softclust.experiments.measures import fuzzy_memberships

LITERAL = {"acceleration": None, "tol": 1e-13, "max_iter": 5000}


def blobs(seed):
    X, _ = make_blobs(90, n_features=3, centers=3, cluster_std=1.5, random_state=seed)
    rng = np.random.default_rng(seed)
    return X, X[rng.choice(len(X), 3, replace=False)] + 0.01, rng.uniform(0.2, 3.0, len(X))


def polynomial_c_means(X, V, weights=None, beta=0.5):
    return polynomial.fit(X, V, beta, weights)


SCALE = np.array([2.0, 3.0, 4.5])

# name: (estimator, its parameters, oracle, the oracle's parameters)
CASES = {
    "k-means": (sc.HardCMeans, {}, hard.k_means, {}),
    "fcm": (sc.FuzzyCMeans, {"m": 2.0}, fuzzy.fuzzy_c_means, {"m": 2.0}),
    "fcm m=1.3": (sc.FuzzyCMeans, {"m": 1.3}, fuzzy.fuzzy_c_means, {"m": 1.3}),
    "fcm m=3": (sc.FuzzyCMeans, {"m": 3.0}, fuzzy.fuzzy_c_means, {"m": 3.0}),
    "polynomial": (
        sc.FuzzyCMeans,
        {"fuzzifier": "polynomial", "crisp_ratio": 0.3},
        polynomial_c_means,
        {"beta": 0.3},
    ),
    "swfcm": (
        sc.FuzzyCMeans,
        {"m": 2.0, "density_rate": 0.1},
        fuzzy.sample_weighted_fcm,
        {"m": 2.0, "rate": 0.1},
    ),
    "schneider": (
        sc.FuzzyCMeans,
        {"m": 2.0, "density_rate": 0.05, "density_from": "centers"},
        fuzzy.schneider_fcm,
        {"m": 2.0, "rate": 0.05},
    ),
    "pcm": (
        sc.PossibilisticCMeans,
        {"m": 2.0, "scale": SCALE},
        possibilistic.possibilistic_c_means,
        {"m": 2.0, "scale": SCALE},
    ),
    "pcm m=1.5": (
        sc.PossibilisticCMeans,
        {"m": 1.5, "scale": SCALE},
        possibilistic.possibilistic_c_means,
        {"m": 1.5, "scale": SCALE},
    ),
    "pcm-entropy": (
        sc.PossibilisticCMeans,
        {"penalty": "entropy", "scale": SCALE},
        possibilistic.possibilistic_entropy,
        {"scale": SCALE},
    ),
    "pfcm": (
        sc.PossibilisticFuzzyCMeans,
        {"a": 1.5, "b": 2.0, "m": 2.0, "eta": 2.0, "scale": SCALE},
        possibilistic.possibilistic_fuzzy,
        {"a": 1.5, "b": 2.0, "m": 2.0, "eta": 2.0, "scale": SCALE},
    ),
    "pfcm m=1.6 eta=3": (
        sc.PossibilisticFuzzyCMeans,
        {"a": 1.0, "b": 0.5, "m": 1.6, "eta": 3.0, "scale": SCALE},
        possibilistic.possibilistic_fuzzy,
        {"a": 1.0, "b": 0.5, "m": 1.6, "eta": 3.0, "scale": SCALE},
    ),
    "ipcm": (
        sc.ImprovedPossibilisticCMeans,
        {"variant": 1, "m": 2.0, "eta": 2.0, "scale": SCALE},
        possibilistic.improved_possibilistic,
        {"variant": 1, "m": 2.0, "eta": 2.0, "scale": SCALE},
    ),
    "ipcm m=1.7 eta=2.5": (
        sc.ImprovedPossibilisticCMeans,
        {"variant": 1, "m": 1.7, "eta": 2.5, "scale": SCALE},
        possibilistic.improved_possibilistic,
        {"variant": 1, "m": 1.7, "eta": 2.5, "scale": SCALE},
    ),
    "ipcm2": (
        sc.ImprovedPossibilisticCMeans,
        {"variant": 2, "m": 2.0, "scale": SCALE},
        possibilistic.improved_possibilistic,
        {"variant": 2, "m": 2.0, "eta": 2.0, "scale": SCALE},
    ),
    "ipcm two passes": (
        sc.ImprovedPossibilisticCMeans,
        {"variant": 1, "m": 2.0, "eta": 2.0, "scale_factor": 1.0},
        possibilistic.improved_possibilistic_two_pass,
        {"variant": 1, "m": 2.0, "eta": 2.0},
    ),
    "rpcm": (
        sc.PossibilisticCMeans,
        {"m": 2.0, "scale": SCALE, "separation": sc.Repulsion(20.0)},
        separated.repulsive_pcm,
        {"m": 2.0, "scale": SCALE, "strength": 20.0},
    ),
    "rpcm, a strength each": (
        sc.PossibilisticCMeans,
        {"m": 2.0, "scale": SCALE, "separation": sc.Repulsion([5.0, 10.0, 20.0])},
        separated.repulsive_pcm,
        {"m": 2.0, "scale": SCALE, "strength": np.array([5.0, 10.0, 20.0])},
    ),
    "central distance": (
        sc.PossibilisticCMeans,
        {"m": 2.0, "scale": SCALE, "separation": sc.CentralDistance(0.05)},
        separated.central_distance_pcm,
        {"m": 2.0, "scale": SCALE, "strength": 0.05},
    ),
}


@pytest.mark.filterwarnings("ignore::softclust.DegenerateClusterWarning")  # PCM does collapse
@pytest.mark.parametrize(
    ("seed", "weighted"),
    [
        (0, False),
        (1, True),
        *(
            pytest.param(*case, marks=pytest.mark.slow)
            for case in [(0, True), (1, False), (2, False), (2, True)]
        ),
    ],
)
@pytest.mark.parametrize("name", CASES)
def test_fixed_point_equals_the_paper(name, seed, weighted):
    cls, parameters, oracle, settings = CASES[name]
    X, V0, weight = blobs(seed)
    weight = weight if weighted else None
    model = cls(3, init=V0, **parameters, **LITERAL).fit(X, sample_weight=weight)
    answer = oracle(X, V0, weights=weight, **settings)
    assert_allclose(model.cluster_centers_, answer.centers, atol=1e-8)
    assert_allclose(model.objective_, answer.objective, rtol=1e-10)
    if answer.typicalities is not None:
        assert_allclose(model.typicalities_, answer.typicalities, atol=1e-8)
    if answer.memberships is not None:
        assert_allclose(fuzzy_memberships(model), answer.memberships, atol=1e-8)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("m", [1.5, 2.0])
def test_noise_clustering_equals_the_paper(m, seed):
    X, V0, weight = blobs(seed)
    model = sc.FuzzyCMeans(3, m=m, noise_distance=3.0, init=V0, **LITERAL).fit(X, sample_weight=weight)
    answer = fuzzy.noise_fuzzy_c_means(X, V0, m=m, noise_distance=3.0, weights=weight)
    assert_allclose(model.cluster_centers_, answer.centers, atol=1e-8)
    assert_allclose(model.objective_, answer.objective, rtol=1e-10)
    assert_allclose(1 - model.outlier_scores_, answer.memberships.sum(axis=1), atol=1e-8)
    shares = model.memberships_ * (1 - model.outlier_scores_)[:, None]
    assert_allclose(shares, answer.memberships, atol=1e-8)


@pytest.mark.filterwarnings("ignore::softclust.DegenerateClusterWarning")
@pytest.mark.parametrize("tau", [None, 0.3, 0.6])
@pytest.mark.parametrize("factor", [1.0, 0.2])
def test_scale_from_an_fcm_run(tau, factor):
    X, V0, weight = blobs(0)
    model = sc.PossibilisticCMeans(3, m=2.0, scale_factor=factor, scale_cut=tau, init=V0, **LITERAL).fit(
        X, sample_weight=weight
    )
    run = fuzzy.fuzzy_c_means(X, V0, m=2.0, weights=weight)
    if tau is None:
        scale = possibilistic.scale_from_fuzzy(X, run.centers, run.memberships, 2.0, weights=weight)
    else:
        scale = possibilistic.scale_tau_cut(X, run.centers, run.memberships, tau, weights=weight)
    assert_allclose(model.scale_, factor * scale, rtol=1e-8)


@pytest.mark.parametrize("strength", [3.0, [1.0, 2.0, 5.0]])
def test_derivatives_of_repulsion(strength):
    V = np.random.default_rng(3).normal(size=(3, 2))
    part = sc.Repulsion(strength)
    assert_allclose(part.value(V), separated.repulsion_value(V, np.asarray(strength)), rtol=1e-12)
    numeric = np.zeros((3, 2))
    curvature = np.zeros((6, 6))
    for i in range(6):
        step = np.zeros(6)
        step[i] = 1e-6
        step = step.reshape(3, 2)
        numeric.flat[i] = (part.value(V + step) - part.value(V - step)) / 2e-6
        curvature[i] = ((part.gradient(V + step) - part.gradient(V - step)) / 2e-6).ravel()
    assert_allclose(part.gradient(V), numeric, rtol=1e-6)
    assert_allclose(part.hessian(V), curvature, rtol=1e-6, atol=1e-6 * np.abs(curvature).max())


def uci_iris():
    """UCI's iris.data, which differs from Fisher's in two rows."""
    X, y = load_iris(return_X_y=True)
    X[[34, 37]] = [4.9, 3.1, 1.5, 0.1]
    return X, y


def errors(labels, y):
    """Rows whose cluster's majority class is not theirs."""
    table = np.array([[np.sum((labels == k) & (y == j)) for j in range(3)] for k in range(3)])
    return int(len(y) - table.max(axis=1).sum())


@pytest.mark.parametrize(
    ("acronym", "parameters", "by_typicality", "by_membership"),
    [
        ("fcm", {}, None, 16),
        ("swfcm", {}, None, 12),
        ("pfcm", {}, 14, 13),
        ("ipcm", {}, 15, 71),
    ],
)
def test_table_1_of_xia_2011(acronym, parameters, by_typicality, by_membership):
    X, y = uci_iris()
    model = sc.make(acronym, 3, init=X[[0, 60, 120]], acceleration=None, **parameters).fit(X)
    assert errors(fuzzy_memberships(model).argmax(axis=1), y) == by_membership
    if by_typicality is not None:
        assert errors(model.typicalities_.argmax(axis=1), y) == by_typicality
        assert_array_equal(model.labels_, model.memberships_.argmax(axis=1))


def test_table_1_of_xia_2011_pcm_coincides():
    X, y = uci_iris()
    with pytest.warns(sc.DegenerateClusterWarning, match="clusters 1 and 2 coincide"):
        model = sc.make("pcm", 3, init=X[[0, 60, 120]], acceleration=None).fit(X)
    assert errors(model.typicalities_.argmax(axis=1), y) == 50
