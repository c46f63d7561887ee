"""Checks of the evidential and linked oracles by themselves: sums, minima, gradients, descent, limits."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy.optimize import minimize

from . import evidential as ev
from . import linked as ln
from .fuzzy import fuzzy_c_means, fuzzy_memberships, noise_fuzzy_c_means, squared_distances
from .hard import k_means
from .supervised import semi_supervised_fcm, semi_supervised_k_means

KINDS = ["full", "pairs", "simple"]


def blobs(seed=0, n=24, c=3, p=2, spread=0.7):
    """n rows in c blobs of unequal shape, weights, and c starting centres near the blobs."""
    rng = np.random.default_rng(seed)
    middles = 3.0 * np.array([[0.0, 0.0, 0.3], [1.0, 0.2, 0.0], [0.3, 1.1, 0.6], [1.2, 1.3, 0.1]])[:c, :p]
    shape = rng.normal(size=(c, p, p)) * spread
    X = np.array([middles[i % c] + shape[i % c] @ rng.normal(size=p) for i in range(n)])
    return X, rng.uniform(0.5, 2.0, n), middles + rng.normal(size=(c, p)) * 0.2


def random_masses(n, f, seed=0):
    return np.random.default_rng(seed).dirichlet(np.ones(f), n)


def random_metrics(c, p, seed=0):
    """c symmetric positive definite matrices of determinant one."""
    rng = np.random.default_rng(seed)
    S = np.zeros((c, p, p))
    for k in range(c):
        A = rng.normal(size=(p, p))
        A = A @ A.T + 0.3 * np.eye(p)
        S[k] = A / np.linalg.det(A) ** (1.0 / p)
    return S


def penalties(empty_satisfies=True, c=3):
    """Links (one of them chained, one doubled) and labels, one of a subset, one on a linked row."""
    return {
        "xi": 0.3,
        "gamma": 0.7,
        "eta": 0.4,
        "delta": 0.6,
        "r": 1.0,
        "must": [(0, 3), (3, 7), (5, 4)],
        "cannot": [(0, 1), (2, 6), (2, 6)],
        "must_strength": [1.0, 0.5, 2.0],
        "cannot_strength": [1.5, 0.2, 0.9],
        "labels": {0: {0}, 9: {1, 2} if c > 2 else {1}, 10: {1}},
        "label_weight": {0: 0.8, 9: 1.7, 10: 0.4},
        "empty_satisfies": empty_satisfies,
    }


def without_rise(history):
    """J never rises, up to rounding, and falls altogether."""
    slack = 1e-12 * (1.0 + np.max(np.abs(history)))
    return bool(np.all(np.diff(history) <= slack) and history[-1] < history[0] - 1e-6)


def brute_row(value, f, seed=0):
    """The least of value(m) over the simplex by SLSQP from several starts: a point and its value."""
    best = None
    for start in np.vstack([np.full(f, 1.0 / f), np.random.default_rng(seed).dirichlet(np.ones(f), 2)]):
        result = minimize(
            value,
            start,
            bounds=[(0.0, 1.0)] * f,
            constraints={"type": "eq", "fun": lambda m: np.sum(m) - 1.0},
            method="SLSQP",
            options={"ftol": 1e-15, "maxiter": 500},
        )
        m = np.maximum(result.x, 0.0)
        m /= m.sum()
        if best is None or value(m) < best[1]:
            best = m, value(m)
    return best


def gradient(function, x, step=1e-5):
    """Central differences."""
    x = np.array(x, float)
    slope = np.zeros(x.shape)
    for index in np.ndindex(x.shape):
        up, down = x.copy(), x.copy()
        up[index] += step
        down[index] -= step
        slope[index] = (function(up) - function(down)) / (2 * step)
    return slope


# Sets, distances, sums.


def test_the_sets_and_their_order():
    full = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 0], [1, 0, 1], [0, 1, 1], [1, 1, 1]]
    assert ev.focal_sets(3, "full").tolist() == full
    assert ev.focal_sets(3, "pairs").tolist() == full
    assert ev.focal_sets(3, "simple").tolist() == [*full[:4], full[7]]
    sets = ev.focal_sets(4, "pairs")
    members = ["".join(str(k) for k in range(4) if row[k]) for row in sets]
    assert members == ["", "0", "1", "2", "3", "01", "02", "03", "12", "13", "23", "0123"]
    assert [len(ev.focal_sets(c, "full")) for c in (1, 2, 4, 5)] == [2, 4, 16, 32]
    assert [ev.focal_sets(2, kind).tolist() for kind in KINDS] == [[[0, 0], [1, 0], [0, 1], [1, 1]]] * 3


def test_distances_go_to_the_mean_centre_under_the_mean_metric():
    X, _, V = blobs(p=3)
    sets = ev.focal_sets(3, "full")
    S = random_metrics(3, 3)
    D = ev.distances(X, V, sets, S)
    assert D.shape == (24, 7)
    e = X[5] - (V[0] + V[2]) / 2  # the sixth set is {0, 2}
    assert np.isclose(D[5, 4], e @ ((S[0] + S[2]) / 2) @ e, rtol=1e-13)
    assert np.isclose(D[5, 0], (X[5] - V[0]) @ S[0] @ (X[5] - V[0]), rtol=1e-13)
    plain = ev.distances(X, V, sets)
    assert np.allclose(plain, ev.distances(X, V, sets, [np.eye(3)] * 3), rtol=1e-13)
    assert np.allclose(plain[:, :3], squared_distances(X, V), rtol=1e-13)
    for j in range(1, 8):  # mean over members minus inertia
        inside = sets[j] == 1
        inertia = np.mean(np.sum(V[inside] ** 2, axis=1)) - np.sum(np.mean(V[inside], axis=0) ** 2)
        assert np.allclose(plain[:, j - 1], plain[:, :3][:, inside].mean(axis=1) - inertia)


@pytest.mark.parametrize("empty_satisfies", [True, False])
@pytest.mark.parametrize("kind", KINDS)
def test_the_sums_of_links_are_quadratic_forms(kind, empty_satisfies):
    sets = ev.focal_sets(4, kind)
    P_M, P_C = ev.link_matrices(sets, empty_satisfies)
    assert np.array_equal(P_M, P_M.T) and np.array_equal(P_C, P_C.T)
    for m_i, m_j in random_masses(10, len(sets)).reshape(5, 2, -1):
        assert np.isclose(ev.not_same(m_i, m_j, sets, empty_satisfies), m_i @ P_M @ m_j, rtol=1e-13)
        assert np.isclose(ev.same(m_i, m_j, sets, empty_satisfies), m_i @ P_C @ m_j, rtol=1e-13)


@pytest.mark.parametrize("kind", KINDS)
def test_the_sums_of_links_are_plausibilities_in_the_product_frame(kind):
    """pl(E) = the mass of the A x B that meet E, E a set of pairs of clusters: equation (7)."""
    c = 3
    sets = ev.focal_sets(c, kind)
    events = {ev.same: [(k, k) for k in range(c)]}
    events[ev.not_same] = [pair for pair in itertools.product(range(c), repeat=2) if pair[0] != pair[1]]
    for m_i, m_j in random_masses(8, len(sets), 3).reshape(4, 2, -1):
        for function, event in events.items():
            plausibility = 0.0
            for a, b in itertools.product(range(len(sets)), repeat=2):
                if any(sets[a, k] and sets[b, h] for k, h in event):
                    plausibility += m_i[a] * m_j[b]
            assert np.isclose(function(m_i, m_j, sets), plausibility, rtol=1e-13)


def test_links_between_sure_rows():
    """Unit masses: empty, {0}, {1}, Omega. What breaks a link is seen at once."""
    sets = ev.focal_sets(2, "full")
    must = [[0, 0, 0, 0], [0, 0, 1, 1], [0, 1, 0, 1], [0, 1, 1, 1]]
    cannot = [[0, 0, 0, 0], [0, 1, 0, 1], [0, 0, 1, 1], [0, 1, 1, 1]]
    unit = np.eye(4)
    for k, h in itertools.product(range(4), repeat=2):
        empty = k == 0 or h == 0
        assert ev.not_same(unit[k], unit[h], sets) == must[k][h]
        assert ev.same(unit[k], unit[h], sets) == cannot[k][h]
        assert ev.not_same(unit[k], unit[h], sets, False) == (1 if empty else must[k][h])
        assert ev.same(unit[k], unit[h], sets, False) == (1 if empty else cannot[k][h])


def test_labels_reward_sets_that_meet_them():
    sets = ev.focal_sets(3, "full")
    unit = np.eye(8)
    # empty, 0, 1, 2, 01, 02, 12, 012; label {0, 1}
    wanted = [0, 1, 1, 0, 2**0.75 / 2**1.5, 1 / 2**1.5, 1 / 2**1.5, 2**0.75 / 3**1.5]
    assert np.allclose([1 - ev.off_label(unit[h], {0, 1}, sets, 1.5) for h in range(8)], wanted, rtol=1e-14)
    assert np.allclose(ev.label_vector({0, 1}, sets, 1.5), wanted, rtol=1e-14)
    assert ev.label_vector({2}, sets, 0).tolist() == [0, 0, 0, 1, 0, 1, 1, 1]
    m = random_masses(1, 8)[0]
    assert np.isclose(ev.off_label(m, {2}, sets, 0), 1 - m[[3, 5, 6, 7]].sum(), rtol=1e-13)


def test_the_objective_by_hand():
    """One row at 0, one at 4; centres 0 and 2; sets empty, {0}, {1}, {0, 1}."""
    X, V = np.array([[0.0], [4.0]]), np.array([[0.0], [2.0]])
    M = np.array([[0.1, 0.2, 0.3, 0.4], [0.4, 0.3, 0.1, 0.2]])
    sets = ev.focal_sets(2, "full")
    model = {"alpha": 1.0, "beta": 2.0, "rho2": 5.0}
    links = {"must": [(0, 1)], "cannot": [(0, 1)], "labels": {1: {0}}, "r": 2.0}
    J, terms = ev.objective(
        X, M, V, sets, **model, xi=0.5, gamma=3.0, eta=7.0, delta=11.0, weight=[1.0, 2.0], **links
    )
    first = 5 * 0.01 + 0.04 * 0 + 0.09 * 4 + 2 * 0.16 * 1
    second = 5 * 0.16 + 0.09 * 16 + 0.01 * 4 + 2 * 0.04 * 9
    assert np.isclose(terms["ecm"], first + 2 * second, rtol=1e-13)
    assert np.isclose(terms["must"], 0.9 * 0.6 - 0.2 * 0.3 - 0.3 * 0.1, rtol=1e-13)
    assert np.isclose(terms["cannot"], 0.9 * 0.6 - 0.2 * 0.1 - 0.3 * 0.3, rtol=1e-13)
    assert np.isclose(terms["labels"], 1 - 0.3 - 0.2 / 4, rtol=1e-13)
    assert terms["metric"] == 0
    total = 0.5 * terms["ecm"] + 3 * terms["must"] + 7 * terms["cannot"] + 11 * terms["labels"]
    assert np.isclose(J, total, rtol=1e-14)
    S = np.array([[[2.0]], [[4.0]]])  # no determinant here: the sum is what is checked
    J, terms = ev.objective(X, M, V, sets, **model, xi=0.5, S=S, metric_reg=0.1, target=[3.0])
    first = 5 * 0.01 + 0.09 * 4 * 4 + 2 * 0.16 * 3
    second = 5 * 0.16 + 0.09 * 16 * 2 + 0.01 * 4 * 4 + 2 * 0.04 * 9 * 3
    assert np.isclose(terms["ecm"], first + second, rtol=1e-13)
    assert np.isclose(terms["metric"], 0.1 * 3 * 6, rtol=1e-13)
    assert np.isclose(J, 0.5 * (first + second + 1.8), rtol=1e-13)


@pytest.mark.parametrize("beta", [2.0, 1.6])
@pytest.mark.parametrize("empty_satisfies", [True, False])
def test_the_mass_problem_is_the_objective(empty_satisfies, beta):
    X, w, V = blobs()
    sets = ev.focal_sets(3, "full")
    M = random_masses(24, 8)
    model = {"alpha": 1.3, "rho2": 4.0, "weight": w, **penalties(empty_satisfies)}
    a, b, pairs, constant = ev.mass_problem(ev.distances(X, V, sets), sets, **model)
    J, _ = ev.objective(X, M, V, sets, beta=beta, **model)
    assert np.isclose(ev.problem_value(M, a, b, pairs, beta) + constant, J, rtol=1e-13)
    if beta == 2:
        quadratic = 0.5 * M.ravel() @ ev.hessian(a, pairs) @ M.ravel() + b.ravel() @ M.ravel()
        assert np.isclose(quadratic + constant, J, rtol=1e-13)


# The masses of one row.


@pytest.mark.parametrize("beta", [2.0, 1.1, 1.5, 3.0, 5.0])
def test_the_closed_form_is_the_minimum(beta):
    X, _, V = blobs(n=6)
    sets = ev.focal_sets(3, "full")
    D = ev.distances(X, V, sets)
    M = ev.ecm_masses(D, sets, 1.4, beta, 3.0)
    assert np.allclose(M.sum(axis=1), 1.0, atol=1e-14)
    size = sets.sum(axis=1)
    for i in range(6):
        a = np.concatenate([[3.0], size[1:] ** 1.4 * D[i]])
        printed = a ** (-1 / (beta - 1)) / np.sum(a ** (-1 / (beta - 1)))
        assert np.allclose(M[i], printed, rtol=1e-10)
        assert np.allclose(M[i], ev.row_masses(a, np.zeros(8), beta), rtol=1e-11, atol=1e-14)
        least = np.sum(a ** (-1 / (beta - 1))) ** -(beta - 1)  # J_i at the optimum
        assert np.isclose(np.sum(a * M[i] ** beta), least, rtol=1e-11)
        if i < 1:
            m, value = brute_row(lambda m, a=a: np.sum(a * m**beta), 8)
            assert np.isclose(value, least, rtol=1e-6) and value >= least * (1 - 1e-12)
            assert np.allclose(m, M[i], atol=1e-2)


def test_the_closed_form_near_beta_one_and_at_a_centre():
    V = np.array([[0.0], [2.0], [5.0]])
    sets = ev.focal_sets(3, "full")
    X = np.array([[2.0], [1.0], [0.7]])
    M = ev.ecm_masses(ev.distances(X, V, sets), sets, 1.0, 2.0, 10.0)
    assert M[0].tolist() == [0, 0, 1, 0, 0, 0, 0, 0]  # on v_1
    assert M[1].tolist() == [0, 0, 0, 0, 1, 0, 0, 0]  # on the middle of {0, 1}
    assert np.all(M[2] > 0)
    D = ev.distances(X[2:], V, sets)
    sharp = ev.ecm_masses(D, sets, 1.0, 1.0001, 10.0)[0]
    assert np.isclose(sharp.sum(), 1.0) and sharp[4] > 0.99  # 2 * 0.3^2 is the least cost
    twice = ev.ecm_masses(np.array([[0.0, 0.0, 0.0]]), ev.focal_sets(2, "full"), 1.0, 2.0, 1.0)[0]
    assert twice.tolist() == [0, 0.5, 0.5, 0]  # coincident centres: the singletons share
    again = ev.row_masses([1.0, 0.0, 0.0, 0.0], np.zeros(4), 2.0, ev.focal_sets(2, "full").sum(axis=1))
    assert again.tolist() == twice.tolist()


@pytest.mark.parametrize("beta", [2.0, 1.3, 1.8, 3.5])
def test_row_masses_satisfy_the_conditions_of_a_minimum(beta):
    rng = np.random.default_rng(4)
    cut = 0
    for trial in range(30):
        f = int(rng.integers(2, 9))
        a, b = np.exp(rng.normal(size=f) * 2), rng.normal(size=f) * 10.0 ** rng.integers(-2, 3)
        m = ev.row_masses(a, b, beta)
        slopes = beta * a * m ** (beta - 1) + b
        scale = np.max(np.abs(slopes))
        inside = m > 0
        assert np.isclose(m.sum(), 1.0, atol=1e-14) and np.all(m >= 0)
        assert np.ptp(slopes[inside]) <= 1e-10 * scale
        assert np.all(slopes >= np.min(slopes[inside]) - 1e-10 * scale)
        cut += not inside.all()
        value = np.sum(a * m**beta + b * m)
        for other in np.vstack(
            [rng.dirichlet(np.ones(f), 50), 0.99 * m + 0.01 * rng.dirichlet(np.ones(f), 50)]
        ):
            assert np.sum(a * other**beta + b * other) >= value - 1e-12 * scale
        if trial < 4:
            best = brute_row(lambda x, a=a, b=b: np.sum(a * x**beta + b * x), f)[1]
            assert value <= best + 1e-12 * scale and np.isclose(value, best, rtol=1e-6, atol=1e-8 * scale)
    assert cut > 5  # zeros do occur


def test_supports_and_bisection_agree():
    rng = np.random.default_rng(5)
    for _ in range(40):
        f = int(rng.integers(1, 11))
        a, b = np.exp(rng.normal(size=f) * 3), rng.normal(size=f) * 10.0 ** rng.integers(-2, 4)
        by_supports = ev.row_masses_by_supports(a, b)
        assert np.allclose(by_supports, ev.row_masses_by_bisection(a, b, 2.0), rtol=1e-9, atol=1e-13)
        # no feasible support is cheaper
        value = np.sum(a * by_supports**2 + b * by_supports)
        for inside in ev.supports(f)[:: max(1, 2**f // 50)]:
            lam = (1 + np.sum((b / (2 * a))[inside])) / np.sum((1 / (2 * a))[inside])
            m = np.where(inside, (lam - b) / (2 * a), 0.0)
            if np.all(m >= 0):
                assert np.sum(a * m**2 + b * m) >= value - 1e-10 * (1 + abs(value))


@pytest.mark.parametrize("beta", [2.0, 1.5])
def test_row_masses_with_free_entries_are_the_limit_of_small_costs(beta):
    b = np.array([0.0, 0.3, 0.2, 0.6])
    m = ev.row_masses([1.0, 0.0, 2.0, 0.0], b, beta)
    assert m[3] == 0 and m[1] > 0.5
    assert np.allclose(m, ev.row_masses([1.0, 1e-9, 2.0, 1e-9], b, beta), atol=1e-6)
    b = np.array([0.0, 5.3, 0.2, 5.6])  # too dear for the free ones
    m = ev.row_masses([0.1, 0.0, 2.0, 0.0], b, beta)
    assert m[1] == m[3] == 0
    assert np.allclose(m, ev.row_masses([0.1, 1e-9, 2.0, 1e-9], b, beta), atol=1e-9)


# All rows at once.


def small_problem(strength, seed=0, n=3, c=2, empty_satisfies=True):
    X, w, V = blobs(seed, n=n, c=c)
    sets = ev.focal_sets(c, "full")
    must, cannot = [(0, 1)], [(1, 2), (0, 2)]
    return ev.mass_problem(
        ev.distances(X, V, sets),
        sets,
        alpha=1.0,
        rho2=6.0,
        gamma=strength,
        eta=strength,
        delta=strength,
        r=1.0,
        must=must,
        cannot=cannot,
        labels={0: {1}},
        weight=w,
        empty_satisfies=empty_satisfies,
    )[:3]


@pytest.mark.parametrize("empty_satisfies", [True, False])
@pytest.mark.parametrize("seed", range(3))
def test_convex_joint_masses_are_one_minimum(seed, empty_satisfies):
    """Weak links: SLSQP, the cyclic rows from several starts and every support agree."""
    a, b, pairs = small_problem(0.02, seed, empty_satisfies=empty_satisfies)
    assert ev.is_convex(a, pairs) and ev.least_curvature(a, pairs) > 0
    best, least = ev.joint_best(a, b, pairs)
    M, J = ev.joint_masses(a, b, pairs, np.full((3, 4), 0.25))
    assert np.isclose(J, least, rtol=1e-12) and J >= least - 1e-13
    assert np.allclose(M, best, atol=1e-6)
    for start in random_masses(9, 4, seed).reshape(3, 3, 4):
        cyclic = ev.cyclic_masses(start, a, b, pairs, 2.0)
        assert np.allclose(cyclic, best, atol=1e-10)


def test_strong_links_are_not_convex_and_the_global_minimum_is_the_least():
    missed = 0
    for seed in range(4):
        a, b, pairs = small_problem(30.0, seed)
        assert not ev.is_convex(a, pairs) and ev.least_curvature(a, pairs) < 0
        best, least = ev.joint_best(a, b, pairs)
        assert np.allclose(best.sum(axis=1), 1.0) and np.all(best >= 0)
        assert np.isclose(ev.problem_value(best, a, b, pairs), least, rtol=1e-13)
        assert np.allclose(ev.cyclic_masses(best, a, b, pairs, 2.0), best, atol=1e-9)
        for start in random_masses(12, 4, seed).reshape(4, 3, 4):
            M = ev.cyclic_masses(start, a, b, pairs, 2.0)
            ends = [ev.problem_value(M, a, b, pairs), ev.joint_masses(a, b, pairs, start)[1]]
            assert min(ends) >= least - 1e-10
            missed += ends[0] > least + 1e-6
    assert missed > 0  # local minima do occur


def test_the_tangent_space_decides_convexity():
    """P = ones: m_i' P m_j = 1 on the simplices whatever its eigenvalues; P = I against small a is not."""
    a = np.full((2, 3), 0.1)
    assert ev.is_convex(a, [(0, 1, np.ones((3, 3)))])
    assert np.linalg.eigvalsh(ev.hessian(a, [(0, 1, np.ones((3, 3)))]))[0] < 0
    assert not ev.is_convex(a, [(0, 1, np.eye(3))])
    assert np.isclose(ev.least_curvature(a, [(0, 1, np.eye(3))]), 0.2 - 1.0)


# Centres and metrics.


@pytest.mark.parametrize("beta", [2.0, 1.5])
@pytest.mark.parametrize("metric", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_the_gradient_vanishes_at_the_centres(kind, metric, beta):
    X, w, V0 = blobs(n=15, p=3)
    sets = ev.focal_sets(3, kind)
    M = random_masses(15, len(sets))
    S = random_metrics(3, 3) if metric else None
    model = {"alpha": 1.7, "beta": beta, "S": S, "weight": w}
    V = ev.centers(X, M, sets, **model)

    def J(V):
        return ev.objective(X, M, V, sets, rho2=2.0, **model)[0]

    assert np.max(np.abs(gradient(J, V))) < 1e-7 * J(V)
    assert np.max(np.abs(gradient(J, V0))) > 1e-2 * J(V)
    rng = np.random.default_rng(1)
    for _ in range(5):
        assert J(V + 0.1 * rng.normal(size=V.shape)) > J(V)


def test_the_centres_as_least_squares():
    """The rows sqrt(w |A|^alpha m^beta) R (x_i - vbar_j), R'R = Sbar_j, solved by lstsq."""
    X, w, _ = blobs(n=12, p=2)
    sets = ev.focal_sets(3, "full")
    M = random_masses(12, 8)
    S = random_metrics(3, 2)
    A, y = [], []
    for i in range(12):
        for j in range(1, 8):
            members = sets[j] / sets[j].sum()
            R = np.linalg.cholesky(np.einsum("k,kab->ab", members, S)).T
            R = R * np.sqrt(w[i] * sets[j].sum() ** 1.2 * M[i, j] ** 2)
            A.append(np.kron(members, R))
            y.append(R @ X[i])
    V = np.linalg.lstsq(np.vstack(A), np.concatenate(y))[0].reshape(3, 2)
    assert np.allclose(ev.centers(X, M, sets, alpha=1.2, beta=2.0, S=S, weight=w), V, atol=1e-11)
    assert not np.allclose(ev.centers(X, M, sets, alpha=1.2, beta=2.0, weight=w), V, atol=1e-3)


@pytest.mark.parametrize("metric_reg", [0.0, 0.3])
@pytest.mark.parametrize("beta", [2.0, 1.5])
def test_no_other_metric_of_determinant_one_is_better(beta, metric_reg):
    X, w, V = blobs(n=15, p=3)
    sets = ev.focal_sets(3, "full")
    M = random_masses(15, 8)
    model = {"alpha": 0.6, "beta": beta, "weight": w, "metric_reg": metric_reg, "target": [1.0, 4.0, 0.5]}
    S = ev.metrics(X, M, V, sets, **model)
    assert np.allclose(np.linalg.det(S), 1.0, rtol=1e-12) and np.allclose(S, S.transpose(0, 2, 1), atol=0)

    def J(S):
        return ev.objective(X, M, V, sets, rho2=2.0, xi=0.7, S=S, **model)[0]

    rng = np.random.default_rng(2)
    for k, size in itertools.product(range(3), [1e-3, 0.1]):
        # S_k^(1/2) exp(E) S_k^(1/2) with tr E = 0 stays symmetric, positive definite, determinant one
        E = rng.normal(size=(3, 3))
        E = E + E.T
        E = size * (E - np.trace(E) / 3 * np.eye(3))
        values, vectors = np.linalg.eigh(E)
        root = np.linalg.cholesky(S[k])
        ends = []
        for sign in (1, -1):
            other = S.copy()
            other[k] = root @ (vectors * np.exp(sign * values)) @ vectors.T @ root.T
            assert np.isclose(np.linalg.det(other[k]), 1.0)
            ends.append(J(other))
        assert min(ends) > J(S)
        if size == 1e-3:  # the slope vanishes, the curvature does not
            assert abs(ends[0] - ends[1]) < 0.05 * (ends[0] + ends[1] - 2 * J(S))
    Sigma = ev.scatters(X, M, V, sets, **model)
    empty = 2.0 * np.sum(w * M[:, 0] ** beta)
    assert np.isclose(J(S), 0.7 * (empty + np.einsum("kab,kab->", S, Sigma)), rtol=1e-12)


# The fit.


@pytest.mark.parametrize(
    ("c", "adaptive", "beta", "empty_satisfies"),
    [
        (3, False, 2.0, True),
        (3, True, 2.0, False),
        (2, False, 2.0, False),
        (2, True, 2.0, True),
        (2, False, 1.7, True),
        (2, True, 1.7, False),
    ],
)
def test_the_fit_descends_to_a_fixed_point(c, adaptive, beta, empty_satisfies):
    X, w, V0 = blobs(n=18, c=c)
    sets = ev.focal_sets(c, "full")
    model = {"alpha": 1.0, "beta": beta, "rho2": 8.0, "weight": w}
    regular = {"metric_reg": 0.01, "target": 18 / c * np.var(X, axis=0)} if adaptive else {}
    extra = penalties(empty_satisfies, c)
    M, V, S, history = ev.fit(
        X, V0, sets, adaptive=adaptive, tol=1e-6, max_iter=400, **model, **regular, **extra
    )
    assert without_rise(history)
    assert (len(history) - 1) % (3 if adaptive else 2) == 0 and len(history) < 800
    assert np.allclose(M.sum(axis=1), 1.0) and np.all(M >= 0)
    J, _ = ev.objective(X, M, V, sets, S=S, **model, **regular, **extra)
    assert J == history[-1]
    assert np.allclose(ev.centers(X, M, sets, alpha=1.0, beta=beta, S=S, weight=w), V, atol=1e-5)
    # no row can be moved with profit
    problem = ev.mass_problem(ev.distances(X, V, sets, S), sets, alpha=1.0, rho2=8.0, weight=w, **extra)
    a, b, pairs, _ = problem
    for i in range(18):
        m = ev.row_masses(a[i], ev.row_slope(i, M, b, pairs), beta)
        assert np.allclose(m, M[i], atol=1e-9)
    if adaptive:
        again = ev.metrics(X, M, V, sets, alpha=1.0, beta=beta, weight=w, **regular)
        assert np.allclose(again, S, atol=1e-4) and not np.allclose(S, np.eye(2), atol=0.05)
    else:
        assert S is None


def test_penalties_do_what_they_say():
    """Without: the penalties are large. With strong ones they are small, unless the empty set helps."""
    X, _, V0 = blobs(n=18)
    sets = ev.focal_sets(3, "full")
    model = {"alpha": 1.0, "beta": 2.0, "rho2": 8.0}
    said = {"must": [(0, 1)], "cannot": [(3, 6)], "labels": {8: {0}}, "r": 1.0}
    M, V, _, _ = ev.fit(X, V0, sets, tol=1e-4, **model)
    _, loose = ev.objective(X, M, V, sets, **model, **said)
    strong = {"gamma": 50.0, "eta": 50.0, "delta": 50.0}
    for empty_satisfies in (True, False):
        M, V, _, _ = ev.fit(
            X, V0, sets, tol=1e-4, **model, **said, **strong, empty_satisfies=empty_satisfies
        )
        _, terms = ev.objective(X, M, V, sets, **model, **said, empty_satisfies=empty_satisfies)
        for name in ("must", "cannot", "labels"):
            assert terms[name] < 0.15 < loose[name]
        if not empty_satisfies:
            assert np.max(M[[0, 1, 3, 6], 0]) < 0.1


def test_a_weight_of_two_is_two_rows():
    X, _, V0 = blobs(n=12)
    sets = ev.focal_sets(3, "pairs")
    model = {"alpha": 1.0, "beta": 2.0, "rho2": 8.0, "adaptive": True, "tol": 1e-9}
    w = np.ones(12)
    w[[2, 5]] = 2.0
    M, V, S, history = ev.fit(X, V0, sets, weight=w, **model)
    doubled = ev.fit(np.vstack([X, X[[2, 5]]]), V0, sets, **model)
    assert np.allclose(V, doubled[1], atol=1e-7) and np.allclose(S, doubled[2], atol=1e-6)
    assert np.allclose(M, doubled[0][:12], atol=1e-7) and np.isclose(history[-1], doubled[3][-1])


def test_singletons_alone_are_fuzzy_c_means_with_noise():
    X, w, V0 = blobs()
    sets = ev.focal_sets(3, "full")[:4]
    for beta in (2.0, 1.6):
        M, V, _, history = ev.fit(X, V0, sets, alpha=1.0, beta=beta, rho2=2.25, weight=w)
        answer = noise_fuzzy_c_means(X, V0, m=beta, noise_distance=1.5, weights=w)
        assert np.allclose(V, answer.centers, atol=1e-8)
        assert np.allclose(M[:, 1:], answer.memberships, atol=1e-8)
        assert np.isclose(history[-1], answer.objective, rtol=1e-10)


def test_the_start_of_the_linked_rows_can_be_given():
    """Two equal rows that must part: who goes where is the start's choice, and J the same."""
    X = np.array([[0.0], [0.0], [-3.0], [3.0], [-3.1], [3.1]])
    sets = ev.focal_sets(2, "full")[:3]
    M0 = np.full((6, 3), 1 / 3)
    M0[:2] = [[0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
    ends = []
    for start in (M0, M0[[1, 0, 2, 3, 4, 5]]):
        M, _, _, history = ev.fit(
            X, [[-3.0], [3.0]], sets, alpha=1.0, beta=2.0, rho2=100.0, eta=40.0, cannot=[(0, 1)], M0=start
        )
        ends.append((M[0, 1] > 0.8, M[1, 2] > 0.8, history[-1]))
    assert ends[0][:2] == (True, True) and ends[1][:2] == (False, False)
    assert np.isclose(ends[0][2], ends[1][2], rtol=1e-9)


# Links on fuzzy and hard partitions.

LINKS = {
    "must": [(0, 3), (3, 7), (5, 4)],
    "cannot": [(0, 1), (2, 6), (2, 6)],
    "must_strength": [1.0, 0.5, 2.0],
    "cannot_strength": [1.5, 0.2, 0.9],
}


def targets(n):
    F = np.full((n, 3), np.nan)
    F[0] = [0.8, 0.2, 0.0]
    F[5, 1] = 0.9
    F[9] = [0.0, 0.0, 1.0]
    return F


@pytest.mark.parametrize("empty_satisfies", [True, False])
def test_fuzzy_links_are_the_evidential_ones_on_singletons(empty_satisfies):
    X, w, V = blobs(n=12)
    sets = ev.focal_sets(3, "full")[:4]
    U = random_masses(12, 4)
    D = squared_distances(X, V)
    said = {"empty_satisfies": empty_satisfies, **LINKS}
    J = ln.fuzzy_objective(D, U, m=1.8, noise=2.5, weights=w, **said)
    terms = {"alpha": 1.0, "beta": 1.8, "rho2": 2.5, "weight": w, "gamma": 1.0, "eta": 1.0}
    assert np.isclose(J, ev.objective(X, U, V, sets, **terms, **said)[0], rtol=1e-13)
    bare = random_masses(12, 3)  # without a noise column: an empty set without mass
    padded = np.hstack([np.zeros((12, 1)), bare])
    J = ln.fuzzy_objective(D, bare, m=1.8, weights=w, **said)
    assert np.isclose(J, ev.objective(X, padded, V, sets, **terms, **said)[0], rtol=1e-13)
    for i in (0, 2, 3, 8):  # what a row's links pay is linear in the row
        b = ln.link_slopes(i, U, noise=True, **said)
        zero = U.copy()
        zero[i] = 0.0
        pays = [ln.link_cost(A, noise=True, **said) for A in (U, zero)]
        assert np.isclose(b @ U[i], pays[0] - pays[1], atol=1e-13)


@pytest.mark.parametrize("m", [2.0, 1.5, 3.0])
def test_fuzzy_rows_are_minima(m):
    rng = np.random.default_rng(7)
    for trial in range(12):
        a, b = rng.uniform(0.1, 4.0, 4), rng.normal(size=4) * 3
        q = np.where(rng.random(4) < 0.6, 2.0 * a, 0.0)
        f = rng.random(4)
        u = ln.fuzzy_row(a, b, m, q, f)

        def J(u, a=a, b=b, q=q, f=f):
            return np.sum(a * u**m + b * u + q * (u - f) ** 2)

        slopes = a * m * u ** (m - 1) + b + 2 * q * (u - f)
        assert np.isclose(u.sum(), 1.0) and np.all(u >= 0)
        assert np.all(slopes >= np.min(slopes) - 1e-9) and np.ptp(slopes[u > 1e-9]) < 1e-8
        assert np.all(slopes >= np.max(slopes[u > 1e-9]) - 1e-8)
        if trial < 4:
            best = brute_row(J, 4)[1]
            assert J(u) <= best + 1e-12 and np.isclose(J(u), best, rtol=1e-6, atol=1e-8)
        assert np.allclose(ln.fuzzy_row(a, b, m), ev.row_masses(a, b, m), rtol=1e-10)
    free = ln.fuzzy_row([1.0, 0.0, 2.0], [0.0, 0.3, 0.2], m, [1.0, 0.0, 0.0], [0.5, 0.0, 0.0])
    near = ln.fuzzy_row([1.0, 1e-9, 2.0], [0.0, 0.3, 0.2], m, [1.0, 0.0, 0.0], [0.5, 0.0, 0.0])
    assert np.allclose(free, near, atol=1e-6) and free[1] > 0.2


@pytest.mark.parametrize("noise", [None, 3.0])
@pytest.mark.parametrize("m", [2.0, 1.6])
@pytest.mark.parametrize("labelled", [False, True])
def test_linked_fcm_descends(labelled, m, noise):
    X, w, V0 = blobs(n=12)
    said = {"F": targets(12), "alpha": np.linspace(0.5, 2.0, 12)} if labelled else {}
    for empty_satisfies in (True, False) if noise and not labelled else (True,):
        model = {"m": m, "noise": noise, "weights": w, "empty_satisfies": empty_satisfies, **said, **LINKS}
        U, V, history = ln.linked_fcm(X, V0, tol=1e-5, **model)
        assert without_rise(history)
        D = squared_distances(X, V)
        assert ln.fuzzy_objective(D, U, **model) == history[-1]

        def J(V, U=U, model=model):
            return ln.fuzzy_objective(squared_distances(X, V), U, **model)

        assert np.max(np.abs(gradient(J, V))) < 1e-3 < np.max(np.abs(gradient(J, V0)))
        rng = np.random.default_rng(8)
        for i in range(12):  # no row can be moved with profit
            for u in rng.dirichlet(np.ones(U.shape[1]), 5):
                other = U.copy()
                other[i] = 0.9 * U[i] + 0.1 * u
                assert ln.fuzzy_objective(D, other, **model) >= history[-1] - 1e-12


def test_without_links_it_is_the_unlinked_model():
    X, w, V0 = blobs()
    F = targets(24)
    U, V, history = ln.linked_fcm(X, V0, m=1.7, weights=w)
    answer = fuzzy_c_means(X, V0, m=1.7, weights=w)
    assert np.allclose(V, answer.centers, atol=1e-8) and np.allclose(U, answer.memberships, atol=1e-8)
    assert np.isclose(history[-1], answer.objective, rtol=1e-10)
    U, V, history = ln.linked_fcm(X, V0, m=1.7, noise=1.44, weights=w, F=F, alpha=2.0)
    answer = semi_supervised_fcm(X, V0, m=1.7, noise_distance=1.2, weights=w, F=F, alpha=2.0)
    assert np.allclose(V, answer.centers, atol=1e-7) and np.allclose(
        U[:, 1:], answer.memberships, atol=1e-7
    )
    assert np.isclose(history[-1], answer.objective, rtol=1e-10)
    labels, V, history = ln.linked_k_means(X, V0, weights=w)
    answer = k_means(X, V0, weights=w)
    assert np.allclose(V, answer.centers, atol=1e-12)
    assert labels.tolist() == np.argmax(answer.memberships, axis=1).tolist()
    assert np.isclose(history[-1], answer.objective, rtol=1e-12)
    labels, V, history = ln.linked_k_means(X, V0, weights=w, F=F, alpha=0.7)
    answer = semi_supervised_k_means(X, V0, weights=w, F=F, alpha=0.7)
    assert np.allclose(V, answer.centers, atol=1e-12) and np.isclose(history[-1], answer.objective)


@pytest.mark.parametrize("empty_satisfies", [True, False])
@pytest.mark.parametrize("noise", [None, 2.0])
def test_hard_links_are_fuzzy_links_of_unit_rows(noise, empty_satisfies):
    X, w, V = blobs(n=12)
    D = squared_distances(X, V)
    rng = np.random.default_rng(9)
    said = {"F": targets(12), "alpha": 1.3, "weights": w, "noise": noise}
    cost, noise_cost = ln.hard_costs(D, **said)
    for _ in range(10):
        labels = rng.integers(0 if noise is None else -1, 3, 12)
        U = np.eye(4)[labels + 1]
        J = ln.hard_objective(cost, labels, noise_cost=noise_cost, empty_satisfies=empty_satisfies, **LINKS)
        if noise is None:
            U = U[:, 1:]
        soft = ln.fuzzy_objective(D, U, m=1.4, empty_satisfies=empty_satisfies, **said, **LINKS)
        assert np.isclose(J, soft, rtol=1e-13)


def test_hard_links_by_hand():
    cost = np.array([[0.0, 1.0], [0.0, 3.0], [2.0, 0.0]])
    assert ln.hard_objective(cost, [0, 0, 1]) == 0
    assert ln.hard_objective(cost, [0, 1, 1], [(0, 1), (1, 2)], [(1, 2)], must_strength=[5.0, 7.0]) == 9
    best, J = ln.hard_best(cost, [(0, 2)], [(0, 1)], must_strength=[4.0], cannot_strength=[0.5])
    assert best.tolist() == [1, 0, 1] and J == 1.0
    best, J = ln.hard_best(cost, [(0, 2)], [(0, 1)], must_strength=[0.3], cannot_strength=[0.5])
    assert best.tolist() == [0, 0, 1] and J == 0.8
    best, J = ln.hard_best(cost, [(1, 2)], noise_cost=np.full(3, 0.25), must_strength=[9.0])
    assert best.tolist() == [0, -1, 1] and J == 0.25
    best, J = ln.hard_best(
        cost, [(1, 2)], noise_cost=np.full(3, 0.25), must_strength=[9.0], empty_satisfies=False
    )
    assert best.tolist() == [0, 0, 0] and J == 2.0


@pytest.mark.parametrize("noise", [None, 2.0])
def test_linked_k_means_descends_and_the_exhaustive_rows_are_the_least(noise):
    for seed in range(3):
        X, w, V0 = blobs(seed, n=7, spread=2.0)
        links = {"must": [(0, 1), (1, 5)], "cannot": [(0, 3), (2, 4)], "must_strength": [3.0, 2.0]}
        model = {"noise": noise, "weights": w, **links}
        labels, V, history = ln.linked_k_means(X, V0, **model)
        assert np.all(np.diff(history) <= 1e-12 * history[0])
        cost, noise_cost = ln.hard_costs(squared_distances(X, V), noise=noise, weights=w)
        J = ln.hard_objective(cost, labels, noise_cost=noise_cost, **links)
        assert J == history[-1]
        for i in range(7):
            assert ln.hard_row(i, labels, cost, noise_cost=noise_cost, **links) == labels[i]
        best, least = ln.hard_best(cost, noise_cost=noise_cost, **links)
        assert least <= J and least == ln.hard_objective(cost, best, noise_cost=noise_cost, **links)
        if noise is None:
            assert np.all(np.diff(ln.linked_k_means(X, V0, exhaustive=True, **model)[2]) <= 1e-12 * J)


def test_row_by_row_is_stuck_where_the_exhaustive_search_is_not():
    """A strong chain in the wrong cluster: no row leaves alone."""
    cost, chain = np.array([[1.0, 0.0]] * 3), [(0, 1), (1, 2)]
    strong = {"must": chain, "must_strength": [9.0, 9.0]}
    assert ln.hard_rows(cost, [0, 0, 0], **strong).tolist() == [0, 0, 0]
    assert ln.hard_best(cost, **strong)[0].tolist() == [1, 1, 1]
    assert ln.hard_rows(cost, [0, 0, 0], chain, must_strength=[0.9, 0.9]).tolist() == [1, 1, 1]


def test_best_feasible_breaks_nothing():
    cost = np.array([[0.0, 1.0], [0.0, 3.0], [2.0, 0.0]])
    assert ln.best_feasible(cost, [(0, 2)], []).tolist() == [1, 0, 1]
    assert ln.best_feasible(cost, [], [(0, 1)]).tolist() == [1, 0, 1]
    assert ln.best_feasible(cost, [], [(0, 1), (1, 2), (0, 2)]) is None  # a triangle, two clusters
    assert ln.best_feasible(np.hstack([cost, cost + 1]), [], [(0, 1), (1, 2), (0, 2)]) is not None
    assert ln.best_feasible(cost, [(0, 1), (1, 2)], [(0, 2)]) is None
    rng = np.random.default_rng(10)
    for _ in range(5):  # the limit of strong penalties
        cost = rng.random((6, 3))
        must, cannot = [(0, 1), (2, 3)], [(1, 2), (4, 5), (0, 4)]
        strong = {"must_strength": [100.0] * 2, "cannot_strength": [100.0] * 3}
        labels = ln.best_feasible(cost, must, cannot)
        assert ln.is_feasible(labels, must, cannot)
        assert labels.tolist() == ln.hard_best(cost, must, cannot, **strong)[0].tolist()


def test_feasible_k_means_descends():
    X, w, V0 = blobs(1, n=8, spread=2.0)
    labels, V, history = ln.feasible_k_means(X, V0, [(0, 1)], [(0, 3), (2, 5)], weights=w)
    assert ln.is_feasible(labels, [(0, 1)], [(0, 3), (2, 5)]) and without_rise(history)
    for k in range(3):
        inside = labels == k
        assert np.allclose(V[k], np.average(X[inside], axis=0, weights=w[inside]))
    plain = k_means(X, V0, weights=w)
    unlinked = ln.feasible_k_means(X, V0, [], [], weights=w)
    assert np.allclose(unlinked[1], plain.centers) and np.isclose(unlinked[2][-1], plain.objective)
    with pytest.raises(ValueError, match="no assignment"):
        ln.feasible_k_means(X, V0, [(0, 1)], [(0, 1)])


def test_the_global_minimum_of_a_fuzzy_problem_comes_from_the_same_enumeration():
    """PCCA's penalty at m = 2 is a mass problem on singletons: every support, and never beaten."""
    X, w, V = blobs(3, n=3)
    D = squared_distances(X, V)
    links = {"must": [(0, 1)], "cannot": [(1, 2)], "must_strength": [6.0], "cannot_strength": [4.0]}
    matrices = ev.link_matrices(ev.focal_sets(3, "full")[1:4])
    pairs = [(0, 1, 6.0 * matrices[0]), (1, 2, 4.0 * matrices[1])]
    best, least = ev.joint_best(w[:, None] * D, np.zeros((3, 3)), pairs)
    assert np.isclose(ln.fuzzy_objective(D, best, m=2.0, weights=w, **links), least, rtol=1e-12)
    model = {"m": 2.0, "noise": None, "weights": w, "F": None, "alpha": 0.0, **links}
    for start in [fuzzy_memberships(D, 2.0), *random_masses(9, 3).reshape(3, 3, 3)]:
        U = ln.fuzzy_rows(D, start, **model)
        assert ln.fuzzy_objective(D, U, m=2.0, weights=w, **links) >= least - 1e-10
    assert np.allclose(ln.fuzzy_rows(D, best, **model), best, atol=1e-9)
