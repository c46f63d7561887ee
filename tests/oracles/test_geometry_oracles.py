"""Checks of the geometry oracles by themselves: sums, descent, minima, equivariance, scikit-learn."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy.linalg import expm, sqrtm
from scipy.optimize import minimize
from sklearn.exceptions import ConvergenceWarning
from sklearn.mixture import GaussianMixture

from . import geometries as geo
from .fuzzy import fuzzy_c_means

KINDS = ["full", "tied", "diag", "spherical"]
TINY = 1e-10  # of |J|: what rounding may raise


def blobs(seed=0, n=36, c=3, p=2):
    """n rows in c stretched blobs, row weights, and c starting centres near the blobs."""
    rng = np.random.default_rng(seed)
    middles = 3.0 * np.array([[0.0, 0.0, 0.3], [1.0, 0.2, 0.0], [0.3, 1.1, 0.6]])[:c, :p]
    shape = rng.normal(size=(c, p, p)) * 0.7
    X = np.array([middles[i % c] + shape[i % c] @ rng.normal(size=p) for i in range(n)])
    return X, rng.uniform(0.5, 2.0, n), middles + rng.normal(size=(c, p)) * 0.2


def rings(seed=0, n=40):
    """n rows near two ellipses, row weights, and rough L, h (shells) for them."""
    rng = np.random.default_rng(seed)
    angle = rng.uniform(0, 2 * np.pi, n)
    circle = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    axes = np.array([[[2.0, 0.0], [0.3, 1.0]], [[1.0, 0.2], [0.0, 1.6]]])
    middles = np.array([[0.0, 0.0], [3.5, 1.0]])
    X = (
        np.array([middles[i % 2] + axes[i % 2] @ circle[i] for i in range(n)])
        + rng.normal(size=(n, 2)) * 0.08
    )
    L = np.array([np.eye(2) / 1.4, np.eye(2) / 1.3])
    centres = middles + rng.normal(size=(2, 2)) * 0.2
    return X, rng.uniform(0.5, 2.0, n), L, np.array([L[k] @ centres[k] for k in range(2)])


def unit_metrics(c, p, seed=0):
    """c symmetric positive definite matrices of determinant one."""
    rng = np.random.default_rng(seed)
    S = np.zeros((c, p, p))
    for k in range(c):
        B = rng.normal(size=(p, p))
        S[k] = geo.unit_volume_metric(B @ B.T + 0.5 * np.eye(p))
    return S


def traceless(p, rng):
    """A random symmetric matrix of trace zero: a direction along det = 1."""
    E = rng.normal(size=(p, p))
    E = E + E.T
    return E - np.trace(E) / p * np.eye(p)


def random_memberships(n, c, seed=0):
    return np.random.default_rng(seed).dirichlet(np.ones(c), n)


def mixture_start(X, V, kind):
    """Means, covariances in scikit-learn's layout, weights, precisions."""
    c, p = V.shape
    rng = np.random.default_rng(5)
    full = np.array([np.cov(X.T) / 4 + np.diag(rng.uniform(0.1, 0.5, p)) for _ in range(c)])
    covariances = {
        "full": full,
        "tied": full[0],
        "diag": np.array([np.diag(f) for f in full]),
        "spherical": np.array([np.trace(f) / p for f in full]),
    }[kind]
    precisions = np.linalg.inv(covariances) if kind in ("full", "tied") else 1.0 / covariances
    return V, covariances, np.arange(1.0, c + 1) / np.sum(np.arange(1.0, c + 1)), precisions


def falls(values):
    values = np.array(values)
    return np.all(np.diff(values) <= TINY * np.abs(values[:-1]).max())


# ------------------------------------------------------------------------------------------- helpers


@pytest.mark.parametrize("m", [1.05, 1.5, 2.0, 3.7])
def test_memberships_are_the_minimum_on_the_simplex(m):
    d = np.random.default_rng(0).uniform(0.1, 5.0, (6, 3))
    U = geo.fcm_memberships(d, m)
    np.testing.assert_allclose(U.sum(1), 1.0, rtol=1e-14)
    np.testing.assert_allclose(U, geo.fcm_memberships_from_logarithms(np.log(d), m), rtol=1e-9, atol=1e-15)
    for V in (random_memberships(6, 3, s) for s in range(20)):
        assert np.all(np.sum(U**m * d, 1) <= np.sum(V**m * d, 1) + 1e-14)
        near = 0.99 * U + 0.01 * V
        assert np.all(np.sum(U**m * d, 1) <= np.sum(near**m * d, 1) + 1e-14)
    with np.errstate(under="ignore"):
        literal = [[1.0 / np.sum((row[k] / row) ** (1 / (m - 1))) for k in range(3)] for row in d]
    np.testing.assert_allclose(U, literal, rtol=1e-10, atol=1e-300)


def test_memberships_at_distance_zero():
    d = np.array([[0.0, 1.0, 0.0], [0.0, 2.0, 1e-300], [1e-300, 1e300, 1.0], [4.0, 4.0, 4.0]])
    U = geo.fcm_memberships(d, 1.5)
    np.testing.assert_array_equal(U[0], [0.5, 0.0, 0.5])
    np.testing.assert_array_equal(U[1], [1.0, 0.0, 0.0])
    np.testing.assert_array_equal(U[2], [1.0, 0.0, 0.0])
    np.testing.assert_allclose(U[3], 1 / 3)
    with pytest.raises(ValueError, match="negative"):
        geo.fcm_memberships(-d, 2.0)


@pytest.mark.parametrize("m", [1.3, 2.0, 3.0])
def test_typicalities_minimise(m):
    scale = np.array([0.4, 2.0])
    d = np.random.default_rng(1).uniform(0.1, 4.0, (5, 2))
    T = geo.typicalities(d, scale, m)
    grid = np.linspace(0, 1, 2001)
    for i in range(5):
        for k in range(2):
            values = grid**m * d[i, k] + scale[k] * (1 - grid) ** m
            at_t = T[i, k] ** m * d[i, k] + scale[k] * (1 - T[i, k]) ** m
            assert at_t <= values.min() + 1e-12
    np.testing.assert_array_equal(geo.typicalities(np.array([[0.0, 0.4]]), [1.0, 0.4], m), [[1.0, 0.5]])


# ---------------------------------------------------------------------------------------- ellipsoids


@pytest.mark.parametrize("m", [1.4, 2.0, 3.0])
@pytest.mark.parametrize("reg", [0.0, 0.7])
def test_gk_never_rises(m, reg):
    X, w, V = blobs(1)
    target = np.array([1.0, 0.4])
    U, V, S, history = geo.gk(X, V, unit_metrics(3, 2), m, w, reg, target, iterations=20)
    assert len(history) == 21 and falls(history)
    np.testing.assert_allclose(U.sum(1), 1.0, rtol=1e-13)
    np.testing.assert_allclose(np.linalg.det(S), 1.0, rtol=1e-10)


@pytest.mark.parametrize("reg", [0.0, 0.7])
def test_pgk_never_rises(reg):
    X, w, V = blobs(2)
    _, V, S, _ = geo.gk(X, V, unit_metrics(3, 2), 2.0, w, reg, iterations=5)
    T, V, S, history = geo.pgk(X, V, S, np.array([0.8, 1.0, 1.3]), 1.6, w, reg, iterations=20)
    assert falls(history) and history[-1] < history[0]
    assert np.all((T > 0) & (T <= 1))
    np.testing.assert_allclose(np.linalg.det(S), 1.0, rtol=1e-10)


@pytest.mark.parametrize(("p", "reg"), [(2, 0.0), (3, 0.0), (3, 0.5)])
@pytest.mark.parametrize("possibilistic", [False, True])
def test_gk_update_is_a_minimum(p, reg, possibilistic):
    """Of J at fixed U: zero slope by centres and along det S = 1, and higher everywhere around."""
    X, w, V = blobs(3, p=p)
    rng = np.random.default_rng(0)
    m, target, scale = 1.8, np.arange(1.0, p + 1), np.array([1.0, 2.0, 0.7])
    start = (X, V, unit_metrics(3, p))
    if possibilistic:
        U, V, S, J_before = geo.pgk_iteration(*start, scale, m, w, reg, target)
    else:
        U, V, S, J_before = geo.gk_iteration(*start, m, w, reg, target)

    def J(V, S):
        if possibilistic:
            return geo.pgk_objective(X, U, V, S, scale, m, w, reg, target)
        return geo.gk_objective(X, U, V, S, m, w, reg, target)

    lowest = J(V, S)
    assert lowest < J_before
    slope = geo.difference_gradient(lambda v: J(v.reshape(V.shape), S), V.ravel(), 1e-5)
    assert np.max(np.abs(slope)) < 1e-6 * lowest
    roots = [np.real(sqrtm(S[k])) for k in range(3)]
    for _ in range(4):
        E = [traceless(p, rng) for _ in range(3)]

        def along(t, E=E):
            return J(V, np.array([roots[k] @ expm(t * E[k]) @ roots[k] for k in range(3)]))

        assert abs(along(1e-5) - along(-1e-5)) / 2e-5 < 1e-5 * lowest
        assert min(along(0.1), along(-0.1)) > lowest
        V_moved = V + 0.05 * rng.normal(size=V.shape)
        assert J(V_moved, S) > lowest


def test_gk_against_a_general_minimiser():
    """The minimum of one step over (v, S), found blindly: S = R'R / det(R)^(2/p)."""
    X, w, V = blobs(4)
    U, V1, S1, _ = geo.gk_iteration(X, V, unit_metrics(3, 2), 2.0, w, 0.3)

    def unpack(theta):
        R = theta[2:].reshape(2, 2)
        S = R.T @ R
        return theta[:2][None], (S / np.sqrt(np.linalg.det(S)))[None]

    for k in range(3):
        theta = np.append(V[k], np.eye(2))
        answer = minimize(lambda t, k=k: geo.gk_objective(X, U[:, [k]], *unpack(t), 2.0, w, 0.3), theta)
        v, S = unpack(answer.x)
        np.testing.assert_allclose(v[0], V1[k], atol=1e-4)
        np.testing.assert_allclose(S[0], S1[k], atol=1e-4)


@pytest.mark.parametrize("p", [2, 3])
def test_gk_is_equivariant(p):
    """X -> X M': centres follow, S -> |det M|^(2/p) M^-T S M^-1, memberships stay, J scales."""
    X, w, V = blobs(5, p=p)
    S = unit_metrics(3, p)
    M = np.random.default_rng(9).normal(size=(p, p)) + 0.5 * np.eye(p)
    size, inverse = abs(np.linalg.det(M)) ** (2 / p), np.linalg.inv(M)

    def moved(S):
        return np.array([size * inverse.T @ s @ inverse for s in S])

    U1, V1, S1, J1 = geo.gk(X, V, S, 2.0, w, iterations=8)
    U2, V2, S2, J2 = geo.gk(X @ M.T, V @ M.T, moved(S), 2.0, w, iterations=8)
    np.testing.assert_allclose(U2, U1, atol=1e-8)
    np.testing.assert_allclose(V2, V1 @ M.T, atol=1e-8)
    np.testing.assert_allclose(S2, moved(S1), rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(J2, size * J1, rtol=1e-9)


def test_fuzzy_covariance():
    X, w, V = blobs(6)
    F = geo.fuzzy_covariance(X, w, V[0])
    np.testing.assert_allclose(F, (X - V[0]).T @ np.diag(w) @ (X - V[0]), rtol=1e-12)
    G = geo.fuzzy_covariance(X, w, V[0], normalised=True)
    np.testing.assert_allclose(G * w.sum(), F, rtol=1e-12)
    np.testing.assert_allclose(geo.unit_volume_metric(F), geo.unit_volume_metric(G), rtol=1e-12)


def test_mahalanobis_fcm_is_fcm_on_whitened_rows():
    X, w, V = blobs(7)
    A = np.linalg.inv(np.cov(X.T))
    R = np.linalg.cholesky(A)
    U, centres, history = geo.mahalanobis_fcm(X, V, A, 1.7, w, iterations=12)
    white = fuzzy_c_means(X @ R, V @ R, m=1.7, weights=w, tol=0.0, max_iter=12)
    assert falls(history)
    np.testing.assert_allclose(history, white.history, rtol=1e-10)
    np.testing.assert_allclose(centres @ R, white.centers, atol=1e-10)
    np.testing.assert_allclose(U, white.memberships, atol=1e-10)


def test_mahalanobis_refit_has_a_constant_objective():
    X, w, V = blobs(8)
    A = np.array([np.linalg.inv(np.cov(X.T))] * 3)
    for step in range(4):
        U, V, A, J = geo.mahalanobis_refit(X, V, A, 2.0, w)
        after = geo.fuzzy_part(geo.ellipsoid_distances(X, V, A), U, 2.0, w)
        assert after == pytest.approx(3 * 2, rel=1e-9)
        assert step == 0 or J <= 3 * 2 + 1e-9  # U alone still descends from c p


# --------------------------------------------------------------------------- Gath-Geva and mixtures


def test_gath_geva_at_two_is_the_posterior():
    X, w, V = blobs(9)
    means, covariances, weights, _ = mixture_start(X, V, "full")
    U, V1, F1, P1 = geo.gath_geva_iteration(X, means, covariances, weights, 2.0, w)
    R = geo.gmm_em_iteration(X, means, covariances, weights, "full", 0.0, w)[0]
    np.testing.assert_allclose(U, R, rtol=1e-11, atol=1e-300)
    np.testing.assert_allclose(U.sum(1), 1.0, rtol=1e-13)
    a = w[:, None] * U**2
    np.testing.assert_allclose(P1, a.sum(0) / a.sum(), rtol=1e-12)
    for k in range(3):
        np.testing.assert_allclose(V1[k], np.average(X, axis=0, weights=a[:, k]), rtol=1e-12)
        np.testing.assert_allclose(F1[k], np.cov(X.T, aweights=a[:, k], ddof=0), rtol=1e-10)


@pytest.mark.parametrize("m", [1.5, 2.0])
def test_gath_geva_literal_and_far_away(m):
    X, w, V = blobs(10)
    _, F, P, _ = mixture_start(X, V, "full")
    U = geo.gath_geva_iteration(X, V, F, P, m, w)[0]
    d = np.zeros((len(X), 3))
    for k in range(3):
        z = X - V[k]
        d[:, k] = np.sqrt(np.linalg.det(F[k])) / P[k] * np.exp(0.5 * np.sum(z @ np.linalg.inv(F[k]) * z, 1))
    np.testing.assert_allclose(U, geo.fcm_memberships(d, m), rtol=1e-9, atol=1e-300)
    far = geo.gath_geva_iteration(np.vstack([X, [300.0, -200.0]]), V, F, P, m)[0]
    assert np.all(np.isfinite(far)) and far[-1].sum() == pytest.approx(1.0)


@pytest.mark.parametrize("p", [2, 3])
@pytest.mark.parametrize("reg_covar", [0.0, 1e-6, 0.1])
@pytest.mark.parametrize("kind", KINDS)
def test_em_is_scikit_learns(kind, reg_covar, p):
    X, _, V = blobs(11, p=p)
    means, covariances, weights, precisions = mixture_start(X, V, kind)
    peer = GaussianMixture(
        3,
        covariance_type=kind,
        reg_covar=reg_covar,
        tol=0.0,
        max_iter=5,
        means_init=means,
        weights_init=weights,
        precisions_init=precisions,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        peer.fit(X)
    assert peer.n_iter_ == 5
    likelihoods = []
    for _ in range(5):
        R, means, covariances, weights, value = geo.gmm_em_iteration(
            X, means, covariances, weights, kind, reg_covar
        )
        likelihoods.append(value / len(X))
    np.testing.assert_allclose(likelihoods, peer.lower_bounds_, rtol=0, atol=1e-10)
    np.testing.assert_allclose(means, peer.means_, rtol=0, atol=1e-10)
    np.testing.assert_allclose(covariances, peer.covariances_, rtol=0, atol=1e-10)
    np.testing.assert_allclose(weights, peer.weights_, rtol=0, atol=1e-10)
    R = geo.gmm_em_iteration(X, means, covariances, weights, kind)[0]
    np.testing.assert_allclose(R, peer.predict_proba(X), rtol=0, atol=1e-10)
    np.testing.assert_allclose(R.sum(1), 1.0, rtol=1e-12)
    total = geo.gmm_log_likelihood(X, means, covariances, weights, kind)
    assert total / len(X) == pytest.approx(peer.score(X), abs=1e-10)


@pytest.mark.parametrize("kind", KINDS)
def test_em_never_falls(kind):
    X, w, V = blobs(12)
    means, covariances, weights, _ = mixture_start(X, V, kind)
    f = soft_labels(len(X))
    for labels in (None, f):
        state, history = (means, covariances, weights), []
        for _ in range(20):
            _, *state, value = geo.gmm_em_labelled_iteration(X, *state, labels, kind, 0.0, w)
            history.append(-value)
        assert falls(history) and history[-1] < history[0]


def test_tied_ridge_is_a_fixed_penalty():
    X, w, V = blobs(12)
    means, Sigma, weights, _ = mixture_start(X, V, "tied")
    history = []
    for _ in range(20):
        penalty = 0.5 * 0.3 * w.sum() * np.trace(np.linalg.inv(Sigma))
        _, means, Sigma, weights, value = geo.gmm_em_iteration(X, means, Sigma, weights, "tied", 0.3, w)
        history.append(penalty - value)
    assert falls(history)


@pytest.mark.parametrize("kind", KINDS)
def test_em_update_is_stationary(kind):
    """The M step maximises sum a_ik log(pi_k N_k): slopes by finite differences, pi by softmax."""
    X, w, V = blobs(13)
    R, means, covariances, weights, _ = geo.gmm_em_iteration(
        X, *mixture_start(X, V, kind)[:3], kind, 0.0, w
    )
    sizes = [means.size, covariances.size]

    def expected(theta):
        mu, sigma, logits = np.split(theta, np.cumsum(sizes))
        sigma = sigma.reshape(covariances.shape)
        if kind in ("full", "tied"):
            sigma = (sigma + np.swapaxes(sigma, -1, -2)) / 2
        pi = np.exp(logits) / np.sum(np.exp(logits))
        return np.sum(w[:, None] * R * geo.gmm_log_joint(X, mu.reshape(means.shape), sigma, pi, kind))

    theta = np.concatenate([means.ravel(), covariances.ravel(), np.log(weights)])
    slope = geo.difference_gradient(expected, theta, 1e-6)
    assert np.max(np.abs(slope)) < 1e-5
    for seed in range(5):
        moved = theta + 1e-2 * np.random.default_rng(seed).normal(size=len(theta))
        assert expected(moved) < expected(theta)


@pytest.mark.parametrize("p", [2, 3])
def test_full_em_is_equivariant(p):
    X, w, V = blobs(14, p=p)
    M = np.random.default_rng(9).normal(size=(p, p)) + 0.5 * np.eye(p)
    means, covariances, weights, _ = mixture_start(X, V, "full")
    one = (means, covariances, weights)
    two = (means @ M.T, np.array([M @ s @ M.T for s in covariances]), weights)
    for _ in range(6):
        R1, *one, value1 = geo.gmm_em_iteration(X, *one, "full", 0.0, w)
        R2, *two, value2 = geo.gmm_em_iteration(X @ M.T, *two, "full", 0.0, w)
        np.testing.assert_allclose(R2, R1, atol=1e-9)
        assert value2 == pytest.approx(value1 - w.sum() * np.log(abs(np.linalg.det(M))), rel=1e-10)
    np.testing.assert_allclose(two[0], one[0] @ M.T, atol=1e-8)
    np.testing.assert_allclose(two[1], np.array([M @ s @ M.T for s in one[1]]), atol=1e-8)


def soft_labels(n):
    """Rows of NaN, crisp rows, soft rows and rows of ones, in turn."""
    f = np.full((n, 3), np.nan)
    for i in range(n):
        if i % 4 == 1:
            f[i] = np.eye(3)[i % 3]
        elif i % 4 == 2:
            f[i] = [0.2, 0.5, 0.3]
        elif i % 8 == 3:
            f[i] = 1.0
    return f


def test_labels_in_em():
    X, w, V = blobs(15)
    start = mixture_start(X, V, "full")[:3]
    f = soft_labels(len(X))
    R, *_, value = geo.gmm_em_labelled_iteration(X, *start, f, "full", 0.0, w)
    free, *_, free_value = geo.gmm_em_iteration(X, *start, "full", 0.0, w)
    np.testing.assert_allclose(R.sum(1), 1.0, rtol=1e-12)
    for i in range(len(X)):
        if i % 4 == 1:
            np.testing.assert_allclose(R[i], np.eye(3)[i % 3], rtol=1e-12)
        elif i % 4 == 2:
            np.testing.assert_allclose(R[i], free[i] * f[i] / np.sum(free[i] * f[i]), rtol=1e-10)
        else:
            np.testing.assert_allclose(R[i], free[i], rtol=1e-12)
    assert value == pytest.approx(geo.gmm_log_likelihood(X, *start, "full", w, f), rel=1e-12)
    nothing = geo.gmm_em_labelled_iteration(X, *start, np.full_like(f, np.nan), "full", 0.0, w)[-1]
    assert nothing == pytest.approx(free_value, rel=1e-13)
    doubled = geo.gmm_em_labelled_iteration(X, *start, 2 * f, "full", 0.0, w)
    np.testing.assert_allclose(doubled[0], R, atol=1e-12)
    assert doubled[-1] == pytest.approx(value + np.log(2) * w[~np.isnan(f[:, 0])].sum(), rel=1e-12)
    for bad in ([0.0, 0.0, 0.0], [np.nan, 1.0, 0.0], [-1.0, 1.0, 1.0]):
        wrong = f.copy()
        wrong[0] = bad
        with pytest.raises(ValueError, match="labels"):
            geo.gmm_em_labelled_iteration(X, *start, wrong)


# --------------------------------------------------------------------------- weights count as copies


def steps_under_test():
    """name -> (rows, step(X, w) -> tuple whose first entry has one row for each row of X)."""
    X, _, V = blobs(16)
    ring, _, L, h = rings(1)
    C = np.array([np.linalg.solve(L[k], h[k]) for k in range(2)])
    S, scale = unit_metrics(3, 2), np.array([0.5, 1.0, 1.5])
    full = mixture_start(X, V, "full")[:3]
    steps = {
        "gk": (X, lambda X, w: geo.gk_iteration(X, V, S, 1.8, w, 0.2)),
        "pgk": (X, lambda X, w: geo.pgk_iteration(X, V, S, scale, 1.8, w, 0.2)),
        "refit": (X, lambda X, w: geo.mahalanobis_refit(X, V, S, 1.8, w)),
        "mahalanobis": (X, lambda X, w: geo.mahalanobis_fcm(X, V, S[0], 1.8, w, 3)),
        "gath_geva": (X, lambda X, w: geo.gath_geva_iteration(X, *full, 1.8, w)),
        "afcs": (ring, lambda X, w: geo.afcs_iteration(X, L, h, 1.8, w)),
        "apcs": (ring, lambda X, w: geo.apcs_iteration(X, L, h, scale[:2], 1.8, w)),
        "fces": (ring[:20], lambda X, w: (*geo.fces_iteration(X, C, L, 2.0, w)[::3],)),
        "directions": (X, lambda X, w: geo.spherical_directions_iteration(X, V + 5.0, 1.8, w)),
    }
    for kind in KINDS:
        start = mixture_start(X, V, kind)[:3]
        steps[kind] = (X, lambda X, w, s=start, kind=kind: geo.gmm_em_iteration(X, *s, kind, 1e-3, w))
    return steps


@pytest.mark.parametrize("name", list(steps_under_test()))
def test_a_weight_is_so_many_copies(name):
    X, step = steps_under_test()[name]
    copies = np.arange(len(X)) % 3 + 1
    first, *rest = step(X, copies)
    first_copied, *rest_copied = step(np.repeat(X, copies, axis=0), None)
    np.testing.assert_allclose(np.repeat(first, copies, axis=0), first_copied, atol=1e-9)
    for a, b in zip(rest, rest_copied, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-8, atol=1e-9)


# ------------------------------------------------------------- typicalities belong to their objectives


def test_typicalities_are_stationary_for_every_possibilistic_objective():
    """dJ/dt = 0 at the t each step returns, at the parameters it was given, and J is what it returned."""
    X, w, V = blobs(17, n=12)
    ring, ring_w, L, h = rings(11, n=12)
    C, A = np.array([np.linalg.solve(L[k], h[k]) for k in range(2)]), np.array([a.T @ a for a in L])
    S, scale, m = unit_metrics(3, 2), np.array([0.5, 1.0, 1.5]), 1.8
    T, _, _, J = geo.pgk_iteration(X, V, S, scale, m, w, 0.2)
    cases = [(T, J, lambda T: geo.pgk_objective(X, T, V, S, scale, m, w, 0.2))]
    T, _, _, J = geo.apcs_iteration(ring, L, h, scale[:2], m, ring_w)
    cases.append((T, J, lambda T: geo.apcs_objective(ring, T, L, h, scale[:2], m, ring_w)))
    T, _, _, J = geo.pces_iteration(ring, C, L, scale[:2], m, ring_w)
    cases.append((T, J, lambda T: geo.pces_objective(ring, T, C, A, scale[:2], m, ring_w)))
    for T, J, objective in cases:
        assert objective(T) == pytest.approx(J, rel=1e-12)
        inside = np.clip(T, 1e-4, 1 - 1e-4)  # a row on a shell has t = 1, where t cannot go up
        slope = geo.difference_gradient(lambda t, f=objective, T=T: f(t.reshape(T.shape)), inside.ravel())
        assert np.max(np.abs(slope[(inside == T).ravel()])) < 1e-6
        assert (inside == T).mean() > 0.5
    parts = [scale[k] * w[i] * (1 - 0.3) ** m for i in range(12) for k in range(3)]
    assert geo.possibilistic_part(np.full((12, 3), 0.3), scale, m, w) == pytest.approx(
        sum(parts), rel=1e-12
    )


# -------------------------------------------------------------------------------------------- shells


@pytest.mark.parametrize("m", [1.5, 2.0])
def test_afcs_never_rises(m):
    for seed in range(3):
        X, w, L, h = rings(seed)
        history = []
        for _ in range(20):
            U, L_new, h_new, J = geo.afcs_iteration(X, L, h, m, w)
            np.testing.assert_allclose(U.sum(1), 1.0, rtol=1e-13)
            assert geo.afcs_objective(X, U, L_new, h_new, m, w) <= J * (1 + TINY)  # the step alone
            L, h = L_new, h_new
            history.append(J)
        assert falls(history) and history[-1] < 0.5 * history[0]


def test_apcs_never_rises():
    X, w, L, h = rings(3)
    scale, history = np.array([0.05, 0.1]), []
    for _ in range(20):
        _, L, h, J = geo.apcs_iteration(X, L, h, scale, 2.0, w)
        history.append(J)
    assert falls(history) and history[-1] < history[0]


def test_shell_majoriser():
    """It touches (|z| - 1)^2 at the current shell, lies above it elsewhere, and the step is its minimum."""
    X, w, L, h = rings(4)
    L, h = L[0], h[0]
    rng = np.random.default_rng(0)
    Z = X @ L.T - h
    E = Z / np.linalg.norm(Z, axis=1, keepdims=True)

    def above(L, h):
        return np.sum(w * np.sum((X @ L.T - h - E) ** 2, 1))

    def J(L, h):
        return sum(w[i] * geo.shell_distance(X[i], L, h) for i in range(len(X)))

    assert above(L, h) == pytest.approx(J(L, h), rel=1e-12)
    L1, h1 = geo.shell_update(X, w, L, h)
    for _ in range(10):
        dL, dh = rng.normal(size=(2, 2)), rng.normal(size=2)
        assert above(L + dL, h + dh) >= J(L + dL, h + dh)
        assert above(L1 + 0.1 * dL, h1 + 0.1 * dh) > above(L1, h1)
    slope = geo.difference_gradient(lambda t: above(t[:4].reshape(2, 2), t[4:]), np.append(L1, h1), 1e-5)
    assert np.max(np.abs(slope)) < 1e-6 * above(L1, h1)


def test_afcs_ends_where_the_gradient_is_zero():
    """Repeated steps at fixed influence reach a stationary point of J that a general minimiser keeps."""
    X, w, L, h = rings(5, n=30)
    U = geo.afcs_iteration(X, L, h, 2.0, w)[0]
    a = w * U[:, 0] ** 2
    L, h = L[0], h[0]
    for _ in range(300):
        L, h = geo.shell_update(X, a, L, h)

    def J(theta):
        L, h = theta[:4].reshape(2, 2), theta[4:]
        return sum(a[i] * geo.shell_distance(X[i], L, h) for i in range(len(X)))

    theta = np.append(L, h)
    assert np.max(np.abs(geo.difference_gradient(J, theta))) < 1e-4 * J(theta)
    assert minimize(J, theta).fun == pytest.approx(J(theta), rel=1e-6)


def test_shell_is_its_centre_and_shape():
    """d = (sqrt((x - c)' A (x - c)) - 1)^2, and rotating (L, h) changes nothing but the rotation."""
    X, w, L, h = rings(6)
    L = L + 0.2 * np.random.default_rng(1).normal(size=L.shape)
    for k in range(2):
        c, A = geo.shell_centre_and_shape(L[k], h[k])
        for x in X:
            d = (np.sqrt((x - c) @ A @ (x - c)) - 1) ** 2
            assert geo.shell_distance(x, L[k], h[k]) == pytest.approx(d, rel=1e-9, abs=1e-14)
    Q = np.array([[np.cos(0.7), -np.sin(0.7)], [np.sin(0.7), np.cos(0.7)]])
    U1, L1, h1, J1 = geo.afcs_iteration(X, L, h, 2.0, w)
    U2, L2, h2, J2 = geo.afcs_iteration(X, Q @ L, h @ Q.T, 2.0, w)
    np.testing.assert_allclose(U2, U1, atol=1e-10)
    np.testing.assert_allclose(L2, Q @ L1, atol=1e-10)
    np.testing.assert_allclose(h2, h1 @ Q.T, atol=1e-10)
    assert J2 == pytest.approx(J1, rel=1e-12)


def test_shells_are_equivariant():
    """AFCS's d is in units of the ellipsoid: a nonsingular map X M' + b leaves it, and its step, alone."""
    X, w, L, h = rings(7)
    M, b = np.array([[1.5, 0.4], [-0.3, 0.8]]), np.array([0.5, -1.0])
    moved_L = L @ np.linalg.inv(M)
    U1, L1, h1, J1 = geo.afcs_iteration(X, L, h, 2.0, w)
    U2, L2, h2, J2 = geo.afcs_iteration(X @ M.T + b, moved_L, h + moved_L @ b, 2.0, w)
    np.testing.assert_allclose(U2, U1, atol=1e-9)
    np.testing.assert_allclose(L2, L1 @ np.linalg.inv(M), atol=1e-9)
    np.testing.assert_allclose(h2, h1 + L2 @ b, atol=1e-9)
    assert J2 == pytest.approx(J1, rel=1e-10)


def test_a_row_on_the_centre_of_a_shell():
    X, _, L, _ = rings(8)
    h = np.array([L[0] @ X[0], L[1] @ X[1]])
    assert geo.shell_distance(X[0], L[0], h[0]) == 1.0
    U, L1, h1, J = geo.afcs_iteration(X, L, h)
    assert np.all(np.isfinite(L1)) and geo.afcs_objective(X, U, L1, h1) <= J


def test_radial_distance():
    """|x - s|^2 with s on the ellipsoid and on the ray; for a sphere (|x - c| - R)^2; nearest axis at c."""
    rng = np.random.default_rng(2)
    A = np.array([[0.5, 0.1], [0.1, 2.0]])
    c = np.array([1.0, -0.5])
    for x in rng.normal(size=(10, 2)) * 2:
        s = c + (x - c) / np.sqrt((x - c) @ A @ (x - c))
        assert (s - c) @ A @ (s - c) == pytest.approx(1.0)
        assert geo.radial_distance(x, c, A) == pytest.approx(np.sum((x - s) ** 2))
        ball = geo.radial_distance(x, c, np.eye(2) / 1.7**2)
        assert ball == pytest.approx((np.linalg.norm(x - c) - 1.7) ** 2)
        assert geo.radial_distance(s, c, A) == pytest.approx(0.0, abs=1e-28)
    values, vectors = np.linalg.eigh(A)
    near = geo.radial_distance(c + 1e-9 * vectors[:, -1], c, A)
    assert geo.radial_distance(c, c, A) == pytest.approx(near, rel=1e-6)
    assert geo.radial_distance(c, c, A) == pytest.approx(1 / values[-1])


def test_radial_gradient():
    rng = np.random.default_rng(3)
    for p in (2, 3):
        X, w = rng.normal(size=(12, p)) * 2, rng.uniform(0.5, 2, 12)
        theta = np.concatenate(
            [rng.normal(size=p) * 0.1, (np.eye(p) + 0.2 * rng.normal(size=(p, p))).ravel()]
        )
        gap = geo.gradient_gap(
            lambda t, X=X, w=w: geo.radial_shell_objective(t, X, w),
            lambda t, X=X, w=w: geo.radial_shell_gradient(t, X, w),
            theta,
        )
        assert gap < 1e-7


def test_fces_minimiser():
    """It ends at zero slope, no blind search beats it, and it finds true ellipses."""
    X, w, L, h = rings(9, n=30)
    C = np.array([np.linalg.solve(L[k], h[k]) for k in range(2)])
    U = geo.fcm_memberships(geo.radial_distances(X, C, np.array([a.T @ a for a in L])), 2.0)
    C1, L1, J1, slope = geo.fces_minimiser(X, U, C, L, 2.0, w)
    A1 = np.array([a.T @ a for a in L1])
    assert J1 == pytest.approx(geo.fces_objective(X, U, C1, A1, 2.0, w), rel=1e-10)
    assert J1 < geo.fces_objective(X, U, C, np.array([a.T @ a for a in L]), 2.0, w)
    assert slope < 1e-6
    a = w * U[:, 0] ** 2
    start = np.append(C1[0], L1[0]) + 0.02
    blind = minimize(
        geo.radial_shell_objective,
        start,
        args=(X, a),
        method="Nelder-Mead",
        options={"maxfev": 1500, "fatol": 1e-12, "xatol": 1e-9},
    )
    found = geo.radial_shell_objective(np.append(C1[0], L1[0]), X, a)
    assert found <= blind.fun * (1 + 1e-6)

    angle = np.linspace(0, 2 * np.pi, 25)[:-1]
    ellipse = np.array([1.0, -1.0]) + np.stack([2 * np.cos(angle), np.sin(angle)], 1)
    C, L, J, _ = geo.fces_minimiser(
        ellipse, np.ones((24, 1)), np.array([[0.7, -0.8]]), np.eye(2)[None] / 1.3
    )
    assert J < 1e-12
    np.testing.assert_allclose(C[0], [1.0, -1.0], atol=1e-6)
    np.testing.assert_allclose(L[0].T @ L[0], np.diag([0.25, 1.0]), atol=1e-6)


@pytest.mark.parametrize("scale", [None, np.array([0.05, 0.1])])
def test_fces_and_pces_never_rise(scale):
    X, w, L, h = rings(10, n=24)
    C = np.array([np.linalg.solve(L[k], h[k]) for k in range(2)])
    history = []
    for _ in range(5):
        if scale is None:
            U, C, L, J = geo.fces_iteration(X, C, L, 2.0, w)
            np.testing.assert_allclose(U.sum(1), 1.0, rtol=1e-13)
        else:
            _, C, L, J = geo.pces_iteration(X, C, L, scale, 2.0, w)
        history.append(J)
    assert falls(history) and history[-1] < history[0]


# ---------------------------------------------------------------------------------------- directions


@pytest.mark.parametrize("m", [1.4, 2.0])
def test_directions(m):
    rng = np.random.default_rng(4)
    X, w = rng.normal(size=(30, 3)) + 2 * np.eye(3)[np.arange(30) % 3], rng.uniform(0.5, 2, 30)
    V, history = rng.normal(size=(3, 3)), []
    for _ in range(20):
        U, V_new, J = geo.spherical_directions_iteration(X, V, m, w)
        np.testing.assert_allclose(U.sum(1), 1.0, rtol=1e-13)
        np.testing.assert_allclose(np.linalg.norm(V_new, axis=1), 1.0, rtol=1e-14)
        lowest = geo.spherical_directions_objective(X, U, V_new, m, w)
        slope = geo.difference_gradient(
            lambda v, U=U: geo.spherical_directions_objective(X, U, v.reshape(3, 3), m, w), V_new.ravel()
        )  # J scales the centres itself, so this is the slope along the sphere
        assert np.max(np.abs(slope)) < 1e-6
        away = V_new + 0.1 * rng.normal(size=(3, 3))
        assert geo.spherical_directions_objective(X, U, away, m, w) > lowest
        V = V_new
        history.append(J)
    assert falls(history) and history[-1] < history[0]


def test_directions_ignore_lengths_and_follow_rotations():
    rng = np.random.default_rng(5)
    X, V = rng.normal(size=(15, 3)), rng.normal(size=(2, 3))
    Q = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    U1, V1, J1 = geo.spherical_directions_iteration(X, V)
    U2, V2, J2 = geo.spherical_directions_iteration(rng.uniform(0.1, 9, (15, 1)) * X @ Q, 3.0 * V @ Q)
    np.testing.assert_allclose(U2, U1, atol=1e-12)
    np.testing.assert_allclose(V2, V1 @ Q, atol=1e-12)
    assert J2 == pytest.approx(J1)
    y = X / np.linalg.norm(X, axis=1, keepdims=True)
    cosine = y @ (V / np.linalg.norm(V, axis=1, keepdims=True)).T
    np.testing.assert_allclose(geo.direction_distances(X, V), 1 - cosine, atol=1e-14)
    with pytest.raises(ValueError, match="direction"):
        geo.unit_rows(np.zeros((1, 2)))
