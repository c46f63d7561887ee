"""Checks of the oracles for the polynomial fuzzifier and for fuzzy c-varieties."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize

from . import polynomial as poly
from . import varieties as var
from .fuzzy import fuzzy_c_means, fuzzy_memberships, noise_fuzzy_c_means, squared_distances
from .hard import k_means

BETAS = [0.0, 0.1, 0.5, 0.9, 0.99]


def blobs():
    """Three overlapping clouds in the plane, a start, and uneven integer weights."""
    rng = np.random.default_rng(3)
    means = np.array([[0.0, 0.0], [3.0, 0.5], [1.0, 3.0]])
    X = np.vstack([mean + 0.8 * rng.normal(size=(10, 2)) for mean in means])
    return X, X[[0, 12, 25]] + 0.1, rng.integers(1, 4, size=len(X))


def random_rows(c, n=120):
    """Squared distances of very different spread, so that all sizes of the active set occur."""
    rng = np.random.default_rng(10 + c)
    return np.exp(np.geomspace(0.01, 4, n)[:, None] * rng.normal(size=(n, c)))


# ------------------------------------------------------------------------------- polynomial fuzzifier


def test_the_fuzzifier():
    for b in BETAS:
        assert poly.influence([0.0, 1.0], b) == pytest.approx([0, 1])
        assert poly.influence([0.3], b)[0] == pytest.approx(((1 - b) * 0.09 + 2 * b * 0.3) / (1 + b))
        h = 1e-6
        slopes = [(poly.influence([u + h], b) - poly.influence([u - h], b))[0] / (2 * h) for u in (0, 1)]
        assert slopes[0] / slopes[1] == pytest.approx(b, abs=1e-9)


def test_rows_by_hand():
    """b = 1/2, d = (1, 1.5, 10): l = 1.5/(1 + 2/3) = 0.9 < 10 b, so u = 2 (0.9 - b), 2 (0.6 - b), 0."""
    U, rest = poly.memberships([[1.0, 1.5, 10.0]], 0.5)
    assert U[0] == pytest.approx([0.8, 0.2, 0.0])
    assert U[0, 2] == 0 and rest[0] == 0
    U, rest = poly.memberships([[1.0, 10.0]], 0.5, noise=1.5)
    assert U[0] == pytest.approx([0.8, 0.0])
    assert rest[0] == pytest.approx(0.2)
    J = poly.objective([[1.0, 10.0]], U, rest, 0.5, 1.5, [2.0])
    assert J == pytest.approx(2 * ((0.64 + 2 * 0.8) / 3 + 1.5 * (0.04 + 2 * 0.2) / 3))


@pytest.mark.parametrize("b", [0.1, 0.5, 0.9])
def test_two_clusters_are_crisp_where_the_ratio_reaches_beta(b):
    U, _ = poly.memberships([[b * 2 * (1 - 1e-9), 2.0], [b * 2 * (1 + 1e-9), 2.0]], b)
    assert np.array_equal(U[0], [1.0, 0.0])
    assert 0 < U[1, 1] < 1e-6


@pytest.mark.parametrize("b", BETAS)
@pytest.mark.parametrize("c", [1, 2, 3, 4, 6])
def test_rows_satisfy_kkt(b, c):
    """d ((1 - b) u + b) is one number l on the active clusters, b d >= l on the others, and sum u = 1."""
    D = random_rows(c)
    U, rest = poly.memberships(D, b)
    sizes = set()
    for d, u in zip(D, U, strict=True):
        active = u > 0
        sizes.add(int(active.sum()))
        multiplier = d[active] * ((1 - b) * u[active] + b)
        assert np.ptp(multiplier) <= 1e-12 * multiplier.max()
        assert np.all(b * d[~active] >= multiplier.mean() * (1 - 1e-12))
        assert u.sum() == pytest.approx(1, abs=1e-12)
        assert u.min() >= 0
        assert np.max(d[active]) <= np.min(d[~active], initial=np.inf)
    assert not rest.any()
    if b in (0.1, 0.5):
        assert sizes == set(range(1, c + 1))


@pytest.mark.parametrize("b", BETAS)
@pytest.mark.parametrize("c", [1, 2, 3, 4])
def test_rows_agree_with_brute(b, c):
    D = random_rows(c)
    U, _ = poly.memberships(D, b)
    for d, u in zip(D, U, strict=True):
        assert u == pytest.approx(poly.brute(d, b), abs=1e-10)


@pytest.mark.parametrize("b", BETAS)
def test_brute_agrees_with_a_general_minimiser(b):
    for d in random_rows(4, 10):
        scaled = d / d.min()

        def value(u, d=scaled):
            return np.sum(poly.influence(u, b) * d)

        def slope(u, d=scaled):
            return 2 * ((1 - b) * u + b) / (1 + b) * d

        found = minimize(
            value,
            np.full(4, 0.25),
            jac=slope,
            method="SLSQP",
            bounds=[(0, 1)] * 4,
            constraints={"type": "eq", "fun": lambda u: u.sum() - 1, "jac": np.ones_like},
            options={"ftol": 1e-14, "maxiter": 500},
        )
        best = poly.brute(d, b)
        assert value(best) <= found.fun + 1e-10
        assert best == pytest.approx(found.x, abs=1e-5)


def test_no_random_point_of_the_simplex_is_better():
    rng = np.random.default_rng(0)
    points = rng.dirichlet(np.full(4, 0.4), size=2000)
    for b in BETAS:
        for d in random_rows(4, 10):
            u = poly.memberships([d], b)[0][0]
            least = np.sum(poly.influence(u, b) * d)
            assert np.all(poly.influence(points, b) @ d >= least * (1 - 1e-12))


@pytest.mark.parametrize("b", BETAS)
def test_equal_distances_and_scale(b):
    U, _ = poly.memberships([[2.0, 2.0, 2.0]], b)
    assert U[0] == pytest.approx([1 / 3] * 3)
    D = random_rows(4)
    assert poly.memberships(D, b)[0] == pytest.approx(poly.memberships(1e9 * D, b)[0], abs=1e-12)
    order = [2, 0, 3, 1]
    assert poly.memberships(D[:, order], b)[0] == pytest.approx(
        poly.memberships(D, b)[0][:, order], abs=1e-12
    )


@pytest.mark.parametrize("b", BETAS)
def test_rows_on_centres(b):
    D = np.array([[0.0, 1.0, 2.0], [0.0, 3.0, 0.0], [0.0, 0.0, 0.0], [1e-300, 1e300, 1.0]])
    for noise in (0.0, 0.5):
        U, rest = poly.memberships(D, b, noise)
        assert np.array_equal(U[:3], [[1, 0, 0], [0.5, 0, 0.5], [1 / 3, 1 / 3, 1 / 3]])
        assert U[3] == pytest.approx([1, 0, 0])
        assert np.array_equal(rest[:3], [0, 0, 0])
        assert poly.objective(D[:3], U[:3], rest[:3], b, noise) == 0
    for d in D[:3]:
        u = poly.brute(d, b)
        assert u.sum() == pytest.approx(1)
        assert np.sum(poly.influence(u, b) * d) == pytest.approx(0, abs=1e-15)


def test_what_is_refused():
    for b in (-0.1, 1.0):
        with pytest.raises(ValueError, match="beta"):
            poly.memberships([[1.0, 2.0]], b)
    with pytest.raises(ValueError, match="negative"):
        poly.memberships([[1.0, -2.0]], 0.5)
    with pytest.raises(ValueError, match="negative"):
        poly.memberships([[1.0, 2.0]], 0.5, noise=-1.0)


@pytest.mark.parametrize("noise", [0.0, 1.2])
def test_zero_beta_is_fcm_with_m_two(noise):
    X, V, w = blobs()
    D = squared_distances(X, V)
    U, rest = poly.memberships(D, 0.0, noise)
    table = np.column_stack([U, rest]) if noise else U
    columns = np.column_stack([D, np.full(len(D), noise)]) if noise else D
    assert table == pytest.approx(fuzzy_memberships(columns, 2.0), abs=1e-14)
    mine = poly.fit(X, V, 0.0, w, noise)
    if noise:
        other = noise_fuzzy_c_means(X, V, m=2.0, noise_distance=np.sqrt(noise), weights=w)
    else:
        other = fuzzy_c_means(X, V, m=2.0, weights=w)
    assert mine.centers == pytest.approx(other.centers, abs=1e-10)
    assert mine.memberships == pytest.approx(other.memberships, abs=1e-10)
    assert mine.objective == pytest.approx(other.objective, rel=1e-12)


def test_beta_near_one_is_k_means():
    X, V, w = blobs()
    mine, other = poly.fit(X, V, 1 - 1e-6, w), k_means(X, V, weights=w)
    assert np.array_equal(mine.memberships, other.memberships)
    assert mine.centers == pytest.approx(other.centers, abs=1e-10)
    assert mine.objective == pytest.approx(other.objective, rel=1e-10)


def test_a_large_noise_distance_is_no_noise():
    X, V, w = blobs()
    far, none = poly.fit(X, V, 0.4, w, noise=1e6), poly.fit(X, V, 0.4, w)
    assert np.array_equal(far.memberships, none.memberships)
    U, rest = poly.memberships(squared_distances(X, V), 0.4, noise=1e-12)
    assert not U.any() and np.array_equal(rest, np.ones(len(X)))


@pytest.mark.parametrize("noise", [0.0, 1.0])
@pytest.mark.parametrize("b", BETAS)
def test_polynomial_fit(b, noise):
    """J falls, the answer is consistent and stationary, and weights are repeated rows."""
    X, V, w = blobs()
    answer = poly.fit(X, V, b, w, noise)
    assert answer.n_iter < 5000 and len(answer.history) == answer.n_iter + 1
    assert answer.objective == answer.history[-1]
    assert np.max(np.diff(answer.history) / answer.history[:-1]) <= 1e-13
    D = squared_distances(X, answer.centers)
    U, rest = poly.memberships(D, b, noise)
    assert np.array_equal(U, answer.memberships)
    assert U.sum(axis=1) + rest == pytest.approx(np.ones(len(X)))
    assert poly.objective(D, U, rest, b, noise, w) == answer.objective
    if b > 0:
        assert np.any(U == 0) and np.any(U == 1)
    repeated = poly.fit(np.repeat(X, w, axis=0), V, b, noise=noise)
    assert repeated.centers == pytest.approx(answer.centers, abs=1e-10)
    assert repeated.objective == pytest.approx(answer.objective, rel=1e-12)
    h = 1e-6
    for k in range(3):
        for j in range(2):
            ends = []
            for side in (-h, h):
                moved = answer.centers.copy()
                moved[k, j] += side
                ends.append(poly.fit(X, moved, b, w, noise, steps=0).objective)
            assert abs(ends[1] - ends[0]) / (2 * h) < 1e-6 * answer.objective


def test_a_polynomial_cluster_without_rows_keeps_its_centre():
    X = np.array([[0.0], [1.0], [10.0]])
    answer = poly.fit(X, [[0.0], [10.0], [99.0]], 0.5)
    assert answer.centers[2, 0] == 99
    assert not answer.memberships[:, 2].any()
    assert np.isfinite(answer.objective)


# ------------------------------------------------------------------------------------------- varieties


def unit(*v):
    return np.array(v, float) / np.linalg.norm(v)


def crossing_lines(noise=0.0):
    """Two lines in space that cross at (1, 2, 0), the crossing itself left out, and a start near them."""
    rng = np.random.default_rng(1)
    point = np.array([1.0, 2.0, 0.0])
    truth = np.array([[unit(1, 1, 0.5)], [unit(1, -2, 1)]])
    t = np.linspace(-3, 3, 16)
    X = np.vstack([point + np.outer(t, s[0]) for s in truth])
    X = X + noise * rng.normal(size=X.shape)
    V = point + np.array([[0.2, -0.1, 0.1], [-0.1, 0.1, 0.2]])
    S = np.array([[unit(1, 0.8, 0.7)], [unit(0.8, -2, 1.3)]])
    return X, V, S, point, truth


def random_varieties(rng, c, r, p):
    V = rng.normal(size=(c, p))
    S = np.array([np.linalg.qr(rng.normal(size=(p, r)))[0].T for _ in range(c)])
    return V, S


@pytest.mark.parametrize("r", [0, 1, 2])
def test_variety_distances(r):
    """The printed formula, least squares on the basis, and indifference to the point and the basis."""
    rng = np.random.default_rng(r)
    X = rng.normal(size=(12, 3))
    V, S = random_varieties(rng, 2, r, 3)
    D = var.distances(X, V, S)
    for i in range(12):
        for k in range(2):
            z = X[i] - V[k]
            assert D[i, k] == pytest.approx(z @ z - sum((z @ s) ** 2 for s in S[k]))
            foot = S[k].T @ np.linalg.lstsq(S[k].T, z, rcond=None)[0] if r else np.zeros(3)
            assert D[i, k] == pytest.approx(np.sum((z - foot) ** 2))
    if r:
        along = np.array([V[k] + S[k].T @ rng.normal(size=r) for k in range(2)])
        turn = np.linalg.qr(rng.normal(size=(r, r)))[0]
        assert var.distances(X, along, turn @ S) == pytest.approx(D)
        assert var.projectors(turn @ S) == pytest.approx(var.projectors(S))
    else:
        assert D == pytest.approx(squared_distances(X, V))


def test_distances_by_hand():
    X = [[3.0, 4.0], [0.0, 0.0], [5.0, 0.0]]
    V = [[0.0, 0.0], [1.0, 0.0]]
    S = [[[1.0, 0.0]], [[0.0, 1.0]]]
    assert np.array_equal(var.distances(X, V, S), [[16, 4], [0, 1], [0, 16]])
    answer = var.fit(X, V, S, 1, 2.0, steps=0)
    assert answer.memberships == pytest.approx(np.array([[0.2, 0.8], [1, 0], [1, 0]]))
    assert answer.objective == pytest.approx(0.04 * 16 + 0.64 * 4)
    assert np.array_equal(var.fit([[1.0, 0.0]], V, S, 1, 2.0, steps=0).memberships, [[0.5, 0.5]])
    with pytest.raises(ValueError, match="orthonormal"):
        var.distances(X, V, [[[1.0, 1.0]], [[0.0, 1.0]]])
    with pytest.raises(ValueError, match="directions"):
        var.fit(X, V, S, 2, 2.0)


@pytest.mark.parametrize("r", [0, 1, 2])
def test_the_update_minimises_j(r):
    """J = the smallest eigenvalues of the scatter, and no other varieties, near or random, are better."""
    rng = np.random.default_rng(5)
    X, w, m = rng.normal(size=(20, 3)) * [3, 2, 1], rng.uniform(0.5, 2, size=20), 1.8
    U = rng.dirichlet(np.ones(2), size=20)
    V, S = var.update(X, U, r, m, w)
    J = var.objective(X, U, V, S, m, w)
    left = 0.0
    for k in range(2):
        a = w * U[:, k] ** m
        Z = (X - a @ X / a.sum()) * np.sqrt(a)[:, None]
        left += np.sum(np.sort(np.linalg.svd(Z, compute_uv=False) ** 2)[: 3 - r])
    assert J == pytest.approx(left, rel=1e-12)
    for size in (1e-3, 0.1, 10.0):
        for _ in range(50):
            moved = V + size * rng.normal(size=V.shape)
            turned = S + size * rng.normal(size=S.shape)
            turned = np.array([np.linalg.qr(s.T)[0].T for s in turned]).reshape(S.shape)
            assert var.objective(X, U, moved, turned, m, w) >= J * (1 - 1e-12)


@pytest.mark.parametrize("r, m", [(0, 2.0), (1, 1.5), (1, 2.0), (1, 3.0), (2, 2.0)])
def test_varieties_fit(r, m):
    """J falls, the answer is consistent, and weights are repeated rows."""
    rng = np.random.default_rng(8)
    X = crossing_lines(0.15)[0]
    w = rng.integers(1, 4, size=len(X))
    _, V, S, _, _ = crossing_lines()
    S = {0: S[:, :0], 1: S, 2: random_varieties(rng, 2, 2, 3)[1]}[r]
    answer = var.fit(X, V, S, r, m, w)
    assert answer.n_iter < 5000 and len(answer.history) == answer.n_iter + 1
    assert answer.objective == answer.history[-1]
    assert np.max(np.diff(answer.history) / answer.history[:-1]) <= 1e-12
    assert answer.directions.shape == (2, r, 3) and answer.typicalities is None
    assert answer.memberships.sum(axis=1) == pytest.approx(np.ones(len(X)))
    J = var.objective(X, answer.memberships, answer.centers, answer.directions, m, w)
    assert J == pytest.approx(answer.objective, rel=1e-14)
    V_new, S_new = var.update(X, answer.memberships, r, m, w)
    assert V_new == pytest.approx(answer.centers, abs=1e-11)
    assert var.projectors(S_new) == pytest.approx(var.projectors(answer.directions), abs=1e-11)
    repeated = var.fit(np.repeat(X, w, axis=0), V, S, r, m)
    assert repeated.centers == pytest.approx(answer.centers, abs=1e-9)
    assert repeated.objective == pytest.approx(answer.objective, rel=1e-11)


def test_varieties_without_directions_are_fcm():
    X, V, w = blobs()
    mine = var.fit(X, V, np.zeros((3, 0, 2)), 0, 1.7, w)
    other = fuzzy_c_means(X, V, m=1.7, weights=w)
    assert mine.centers == pytest.approx(other.centers, abs=1e-10)
    assert mine.memberships == pytest.approx(other.memberships, abs=1e-10)
    assert mine.history == pytest.approx(other.history, rel=1e-10)


def test_one_line_is_the_first_principal_axis():
    X = blobs()[0]
    answer = var.fit(X, X[:1], [[[1.0, 0.0]]], 1, 2.0)
    _, values, axes = np.linalg.svd(X - X.mean(axis=0))
    assert answer.centers[0] == pytest.approx(X.mean(axis=0))
    assert abs(answer.directions[0, 0] @ axes[0]) == pytest.approx(1)
    assert answer.objective == pytest.approx(values[1] ** 2)


@pytest.mark.parametrize("m", [1.5, 2.0])
def test_two_crossing_lines_are_recovered(m):
    X, V, S, point, truth = crossing_lines()
    answer = var.fit(X, V, S, 1, m, steps=200)
    assert answer.objective < 1e-24
    assert var.projectors(answer.directions) == pytest.approx(var.projectors(truth), abs=1e-12)
    assert var.distances(point[None], answer.centers, answer.directions) == pytest.approx(0, abs=1e-24)
    assert answer.memberships == pytest.approx(np.repeat(np.eye(2), 16, axis=0), abs=1e-12)
    assert answer.centers == pytest.approx(np.array([point, point]), abs=1e-10)


def test_two_planes_are_recovered():
    rng = np.random.default_rng(2)
    truth = np.array([[[1.0, 0, 0], [0, 1.0, 0]], [[1.0, 0, 0], [0, 0, 1.0]]])
    X = np.vstack([rng.uniform(-2, 2, size=(25, 2)) @ s for s in truth])
    S = np.array([np.linalg.qr((s + 0.15 * rng.normal(size=s.shape)).T)[0].T for s in truth])
    answer = var.fit(X, 0.1 * rng.normal(size=(2, 3)), S, 2, 2.0, steps=200)
    assert answer.objective < 1e-24
    assert var.projectors(answer.directions) == pytest.approx(var.projectors(truth), abs=1e-10)


def test_varieties_turn_with_the_data():
    """Rotation, translation and scale: the same memberships, the varieties moved along, J times scale^2."""
    X, V, S = crossing_lines(0.15)[0], *crossing_lines()[1:3]
    rng = np.random.default_rng(4)
    Q, shift, scale = np.linalg.qr(rng.normal(size=(3, 3)))[0], rng.normal(size=3), 2.5
    before = var.fit(X, V, S, 1, 2.0)
    after = var.fit(scale * X @ Q.T + shift, scale * V @ Q.T + shift, S @ Q.T, 1, 2.0)
    assert after.memberships == pytest.approx(before.memberships, abs=1e-9)
    assert after.centers == pytest.approx(scale * before.centers @ Q.T + shift, abs=1e-9)
    turned = Q @ var.projectors(before.directions) @ Q.T
    assert var.projectors(after.directions) == pytest.approx(turned, abs=1e-9)
    assert after.objective == pytest.approx(scale**2 * before.objective, rel=1e-10)


def test_the_polynomial_fit_turns_with_the_data():
    X, V, w = blobs()
    Q = np.array([[np.cos(0.7), -np.sin(0.7)], [np.sin(0.7), np.cos(0.7)]])
    before, after = poly.fit(X, V, 0.4, w), poly.fit(X @ Q.T + 5.0, V @ Q.T + 5.0, 0.4, w)
    assert after.memberships == pytest.approx(before.memberships, abs=1e-9)
    assert after.centers == pytest.approx(before.centers @ Q.T + 5.0, abs=1e-9)
    assert after.objective == pytest.approx(before.objective, rel=1e-10)
