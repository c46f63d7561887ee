"""The geometries against literal transcriptions: the same steps from the same start, and resting points."""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.exceptions import ConvergenceWarning

import softclust as sc
from oracles import geometries as oracle
from softclust.datasets import make_ellipses

KINDS = ("full", "tied", "diag", "spherical")


@pytest.fixture
def start(iris):
    X, _ = iris
    return X, X[[0, 60, 120]]


@pytest.fixture(params=[None, 7], ids=["alike", "weighed"])
def weight(request):
    return None if request.param is None else np.random.default_rng(request.param).uniform(0.2, 2.0, 150)


def after(model, X, steps, **known):
    """The model after so many plain steps."""
    model.set_params(max_iter=steps, tol=0.0, acceleration=None)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(X, **known)


def target_of(X, weight):
    """What `metric_reg` is a share of: the variances, times the weight of a cluster."""
    w = np.ones(len(X)) if weight is None else weight
    mean = np.average(X, axis=0, weights=w)
    return w.sum() / 3 * np.average((X - mean) ** 2, axis=0, weights=w)


@pytest.mark.parametrize("m", [2.0, 1.6])
@pytest.mark.parametrize("reg", [0.0, 0.01])
def test_gustafson_kessel(start, weight, m, reg):
    X, V = start
    identity = np.tile(np.eye(4), (3, 1, 1))
    U, V1, S, history = oracle.gk(X, V, identity, m, weight, reg, target_of(X, weight), iterations=6)
    model = sc.FuzzyCMeans(3, m=m, geometry="ellipsoids", metric_reg=reg, init=V)
    after(model, X, 6, sample_weight=weight)
    assert_allclose(model.cluster_centers_, V1, rtol=0, atol=1e-8)
    assert_allclose(model.memberships_, U, rtol=0, atol=1e-8)
    assert_allclose(model.objective_history_, history, rtol=1e-10)
    metrics = oracle.ellipsoid_distances(X, V1, S)
    assert_allclose(model.transform(X) ** 2, metrics, rtol=1e-8)


@pytest.mark.filterwarnings("ignore:.*the likeliest of no row")  # six iterations of PCM
@pytest.mark.parametrize("m", [2.0, 1.5])
def test_possibilistic_gustafson_kessel(start, weight, m):
    X, V = start
    identity, scale = np.tile(np.eye(4), (3, 1, 1)), np.array([0.3, 0.5, 0.8])
    T, V1, _, history = oracle.pgk(
        X, V, identity, scale, m, weight, 0.01, target_of(X, weight), iterations=6
    )
    model = sc.PossibilisticCMeans(3, m=m, geometry="ellipsoids", scale=scale, init=V)
    after(model, X, 6, sample_weight=weight)
    assert_allclose(model.cluster_centers_, V1, rtol=0, atol=1e-8)
    assert_allclose(model.typicalities_, T, rtol=0, atol=1e-8)
    assert_allclose(model.objective_history_, history, rtol=1e-10)


def test_mahalanobis(start, weight):
    X, V = start
    w = np.ones(150) if weight is None else weight
    A = np.linalg.inv(np.cov(X.T, aweights=w, bias=True))
    U, V1, history = oracle.mahalanobis_fcm(X, V, A, 2.0, weight, iterations=6)
    model = after(sc.make("mfcm", 3, init=V), X, 6, sample_weight=weight)
    assert_allclose(model.cluster_centers_, V1, rtol=0, atol=1e-8)
    assert_allclose(model.memberships_, U, rtol=0, atol=1e-8)
    assert_allclose(model.objective_history_, history, rtol=1e-10)


def test_mahalanobis_with_a_given_matrix(start):
    X, V = start
    sigma = np.diag([1.0, 2.0, 0.5, 0.1])
    U, V1, _ = oracle.mahalanobis_fcm(X, V, np.linalg.inv(sigma), iterations=6)
    model = after(sc.make("mfcm", 3, init=(V, sigma)), X, 6)
    assert_allclose(model.cluster_centers_, V1, rtol=0, atol=1e-8)
    assert_allclose(model.memberships_, U, rtol=0, atol=1e-8)


@pytest.mark.filterwarnings("ignore:.*the likeliest of no row")  # five iterations
def test_mahalanobis_as_printed(start):
    """J = c p after every step, and metrics that turn singular."""
    X, V = start
    model = after(sc.FuzzyCMeans(3, m=2.0, geometry="mahalanobis-refit", init=V), X, 5)
    A = np.tile(np.eye(4), (3, 1, 1))
    for _ in range(5):
        _, V, A, _ = oracle.mahalanobis_refit(X, V, A)
    U, *_ = oracle.mahalanobis_refit(X, V, A)
    assert_allclose(model.cluster_centers_, V, rtol=0, atol=1e-6)
    assert_allclose(model.memberships_, U, rtol=0, atol=1e-6)
    assert model.objective_history_[-1] <= 12 + 1e-9  # memberships are fitted once more
    with pytest.warns(sc.DegenerateClusterWarning, match="flat|coincide"):
        sc.FuzzyCMeans(3, m=2.0, geometry="mahalanobis-refit", init=X[[0, 60, 120]], max_iter=1000).fit(X)


@pytest.mark.parametrize("m", [2.0, 1.5])
def test_gath_geva(start, weight, m):
    X, V = start
    F, P = np.tile(0.5 * np.eye(4), (3, 1, 1)), np.full(3, 1 / 3)
    model = sc.FuzzyCMeans(3, m=m, geometry="gath-geva", metric_reg=0.0, init=(V, F))
    after(model, X, 5, sample_weight=weight)
    for _ in range(5):
        _, V, F, P = oracle.gath_geva_iteration(X, V, F, P, m, weight)
    U, *_ = oracle.gath_geva_iteration(X, V, F, P, m, weight)
    assert_allclose(model.cluster_centers_, V, rtol=0, atol=1e-8)
    assert_allclose(model.covariances_, F, rtol=0, atol=1e-8)
    assert_allclose(model.memberships_, U, rtol=0, atol=1e-8)


def shapes(kind):
    sizes = {"full": np.tile(0.4 * np.eye(4), (3, 1, 1)), "tied": 0.4 * np.eye(4)}
    return sizes | {"diag": np.full((3, 4), 0.4), "spherical": np.full(3, 0.4)}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("labelled", [False, True], ids=["alone", "labelled"])
def test_mixture(start, weight, kind, labelled):
    X, means = start
    covariances, shares = shapes(kind)[kind], np.array([0.5, 0.3, 0.2])
    f = np.full((150, 3), np.nan)
    if labelled:
        rng = np.random.default_rng(0)
        f[rng.choice(150, 20, replace=False)] = rng.dirichlet(np.ones(3), 20)
        f[5], f[140] = [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]
    plain = {"covariance_prior": 0, "reg_covar": 1e-6}
    model = sc.GaussianMixture(3, covariance_type=kind, init=(means, covariances, shares), **plain)
    after(model, X, 6, y=f if labelled else None, sample_weight=weight)
    history = []
    for _ in range(7):
        before = means, covariances, shares
        R, means, covariances, shares, likelihood = oracle.gmm_em_labelled_iteration(
            X, means, covariances, shares, f, kind, 1e-6, weight
        )
        history.append(-likelihood)
    assert_allclose(model.means_, before[0], rtol=0, atol=1e-8)
    assert_allclose(model.covariances_, before[1], rtol=0, atol=1e-8)
    assert_allclose(model.weights_, before[2], rtol=0, atol=1e-8)
    assert_allclose(model.memberships_, R, rtol=0, atol=1e-8)
    assert_allclose(model.objective_history_, history, rtol=1e-9)


@pytest.fixture
def ellipses():
    X, _ = make_ellipses(200, noise=0.1, random_state=0)
    V = np.array([[-1.5, 0.3], [2.5, 1.2]])
    return X, V, np.array([np.diag([6.0, 3.0]), np.diag([2.0, 4.0])])


@pytest.mark.parametrize("possibilistic", [False, True], ids=["afcs", "apcs"])
def test_adaptive_shells(ellipses, possibilistic):
    X, V, sigma = ellipses
    L = np.linalg.inv(np.linalg.cholesky(sigma))
    h = np.einsum("kab,kb->ka", L, V)
    scale = np.array([0.02, 0.05])
    if possibilistic:
        model = sc.PossibilisticCMeans(2, m=2.0, geometry="shells", scale=scale, init=(V, sigma))
    else:
        model = sc.FuzzyCMeans(2, geometry="shells", init=(V, sigma))
    after(model, X, 8)
    history = []
    for _ in range(9):
        before = L, h
        if possibilistic:
            U, L, h, J = oracle.apcs_iteration(X, L, h, scale)
        else:
            U, L, h, J = oracle.afcs_iteration(X, L, h)
        history.append(J)
    assert_allclose(model.objective_history_, history, rtol=1e-6)
    for k in range(2):
        centre, A = oracle.shell_centre_and_shape(before[0][k], before[1][k])
        assert_allclose(model.cluster_centers_[k], centre, rtol=0, atol=1e-6)
        assert_allclose(np.linalg.inv(model.covariances_[k]), A, rtol=0, atol=1e-6)
    assert_allclose(model.typicalities_ if possibilistic else model.memberships_, U, rtol=0, atol=1e-6)


@pytest.mark.parametrize("name", ["fces", "pces"])
def test_radial_shells_rest_where_the_gradient_vanishes(ellipses, name):
    X, V, sigma = ellipses
    model = sc.make(name, 2, init=(V, sigma), tol=1e-10, max_iter=3000).fit(X)
    W = (model.typicalities_ if name == "pces" else model.memberships_) ** 2
    D = np.array([[oracle.radial_distance(x, c, np.linalg.inv(B)) for c, B in shells(model)] for x in X])
    assert_allclose(model.transform(X) ** 2, D, rtol=1e-8, atol=1e-12)
    if name == "fces":
        assert_allclose((W * D).sum(), model.objective_, rtol=1e-8)
    for k, (centre, B) in enumerate(shells(model)):
        theta = np.concatenate([centre, np.linalg.cholesky(np.linalg.inv(B)).T.ravel()])
        gradient = oracle.radial_shell_gradient(theta, X, W[:, k])
        assert np.abs(gradient).max() <= 1e-6
    U = model.typicalities_ if name == "pces" else model.memberships_
    L = np.array([np.linalg.cholesky(np.linalg.inv(B)).T for _, B in shells(model)])
    centres, L, _, _ = oracle.fces_minimiser(X, U, model.cluster_centers_, L)
    assert_allclose(model.cluster_centers_, centres, rtol=0, atol=1e-6)
    assert_allclose(np.linalg.inv(model.covariances_), L.transpose(0, 2, 1) @ L, rtol=0, atol=1e-6)


def shells(model):
    return list(zip(model.cluster_centers_, model.covariances_, strict=True))


def test_directions(start, weight):
    X, V = start
    model = after(sc.FuzzyCMeans(3, geometry="directions", init=V), X, 6, sample_weight=weight)
    V, history = oracle.unit_rows(V), []
    for _ in range(7):
        before = V
        U, V, J = oracle.spherical_directions_iteration(X, V, 2.0, weight)
        history.append(J)
    assert_allclose(model.cluster_centers_, before, rtol=0, atol=1e-10)
    assert_allclose(model.memberships_, U, rtol=0, atol=1e-8)
    assert_allclose(model.objective_history_, history, rtol=1e-9)
