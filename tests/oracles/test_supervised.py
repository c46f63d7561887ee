"""Checks of the oracles with labels: objectives, descent, exact rows, stationary centres, limits."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize, minimize_scalar

from .fuzzy import fuzzy_c_means, fuzzy_memberships, noise_fuzzy_c_means, squared_distances
from .hard import k_means
from .possibilistic import (
    improved_possibilistic,
    possibilistic_c_means,
    possibilistic_entropy,
    possibilistic_fuzzy,
)
from .separated import central_distance_pcm, repulsive_pcm
from .supervised import (
    F12,
    X12,
    hard_row,
    improved_entry,
    semi_supervised_central_pcm,
    semi_supervised_fcm,
    semi_supervised_ipcm,
    semi_supervised_k_means,
    semi_supervised_pcm,
    semi_supervised_pfcm,
    semi_supervised_repulsive_pcm,
    simplex_row,
    typicality_entry,
)

NAN = np.nan
GAMMA = np.array([0.9, 1.4, 0.7])
ETA = np.array([2.0, 5.0, 11.0])
PFCM = {"a": 1.2, "b": 2.0, "m": 2.2, "scale": GAMMA}

# name: the fit, its parameters, the same fit without labels, its parameters
FITS = {
    "k-means": (semi_supervised_k_means, {}, k_means, {}),
    "fcm 2": (semi_supervised_fcm, {"m": 2.0}, fuzzy_c_means, {"m": 2.0}),
    "fcm 1.4": (semi_supervised_fcm, {"m": 1.4}, fuzzy_c_means, {"m": 1.4}),
    "fcm 2.7": (semi_supervised_fcm, {"m": 2.7}, fuzzy_c_means, {"m": 2.7}),
    "noise": (
        semi_supervised_fcm,
        {"m": 1.8, "noise_distance": 1.5},
        noise_fuzzy_c_means,
        {"m": 1.8, "noise_distance": 1.5},
    ),
    "pcm 2": (semi_supervised_pcm, {"scale": GAMMA}, possibilistic_c_means, {"m": 2, "scale": GAMMA}),
    "pcm 1.6": (
        semi_supervised_pcm,
        {"m": 1.6, "scale": GAMMA},
        possibilistic_c_means,
        {"m": 1.6, "scale": GAMMA},
    ),
    "pcm 2.5": (
        semi_supervised_pcm,
        {"m": 2.5, "scale": GAMMA},
        possibilistic_c_means,
        {"m": 2.5, "scale": GAMMA},
    ),
    "pcm zero": (semi_supervised_pcm, {"scale": GAMMA, "unlabelled": "zero"}, None, {}),
    "pcm entropy": (
        semi_supervised_pcm,
        {"scale": GAMMA, "penalty": "entropy"},
        possibilistic_entropy,
        {"scale": GAMMA},
    ),
    "srpcm": (
        semi_supervised_repulsive_pcm,
        {"scale": GAMMA, "strength": ETA},
        repulsive_pcm,
        {"m": 2, "scale": GAMMA, "strength": ETA},
    ),
    "spcm": (
        semi_supervised_central_pcm,
        {"scale": GAMMA, "strength": 0.05},
        central_distance_pcm,
        {"m": 2, "scale": GAMMA, "strength": 0.05},
    ),
    "spcm zero": (
        semi_supervised_central_pcm,
        {"scale": GAMMA, "strength": 0.05, "unlabelled": "zero"},
        None,
        {},
    ),
    "spfcm 2": (
        semi_supervised_pfcm,
        {**PFCM, "eta": 2.0},
        possibilistic_fuzzy,
        {**PFCM, "eta": 2.0},
    ),
    "spfcm 1.7": (
        semi_supervised_pfcm,
        {**PFCM, "eta": 1.7},
        possibilistic_fuzzy,
        {**PFCM, "eta": 1.7},
    ),
    "ipcm 1": (
        semi_supervised_ipcm,
        {"m": 2.0, "eta": 1.7, "scale": 3 * GAMMA},
        improved_possibilistic,
        {"m": 2.0, "eta": 1.7, "scale": 3 * GAMMA},
    ),
    "ipcm 2": (
        semi_supervised_ipcm,
        {"m": 1.8, "eta": 2.3, "scale": 3 * GAMMA, "variant": 2},
        improved_possibilistic,
        {"m": 1.8, "eta": 2.3, "scale": 3 * GAMMA, "variant": 2},
    ),
}
ON_MEMBERSHIPS = ("k-means", "fcm 2", "fcm 1.4", "fcm 2.7", "noise", "ipcm 1", "ipcm 2")
CLASSES = np.repeat(np.arange(3), 10)


def blobs():
    """Three overlapping clouds in the plane, a start on rows, and uneven integer weights."""
    rng = np.random.default_rng(3)
    means = np.array([[0.0, 0.0], [3.0, 0.5], [1.0, 3.0]])
    X = means[CLASSES] + 0.8 * rng.normal(size=(30, 2))
    return X, X[[0, 12, 25]], rng.integers(1, 4, size=30)


def labels():
    """Hard, soft, partial, excessive, empty and wrong labels, most rows without; uneven strengths."""
    F = np.full((30, 3), NAN)
    F[0] = [1, 0, 0]  # a row on its centre at the start
    F[12] = [0.7, NAN, 0.2]  # on centre 1, wanted elsewhere
    F[25] = [0.9, 0.8, 1.0]  # on centre 2, asks for more than one
    F[1] = [0.6, 0.3, 0.1]
    F[2] = [NAN, 0, NAN]
    F[3] = [0.9, NAN, 0.8]
    F[11] = [1, 1, 1]
    F[13] = [0, 0, 0]
    F[14] = [0.2, 0.1, NAN]
    F[21] = [1, 0, 0]  # of the third cloud
    F[22] = [0, 0.5, 0.5]
    alpha = np.linspace(0.3, 4.0, 30)
    alpha[22] = 0.0
    return F, alpha


def fit(name, X, V0, F, alpha, **others):
    function, parameters, _, _ = FITS[name]
    return function(X, V0, F=F, alpha=alpha, **parameters, **others)


def objective(name, X, V, U, T, F, alpha, w):
    """J of any row variables, written out once more. For the noise column U is completed to one."""
    p = {"m": 2.0, **FITS[name][1]}
    F = np.array(F, float)
    if p.get("unlabelled") == "zero":
        F[np.isnan(F).all(axis=1)] = 0
    f = np.nan_to_num(F)
    A = np.where(np.isnan(F), 0.0, (np.ones(len(X)) * alpha)[:, None])
    D = ((X[:, None, :] - V[None, :, :]) ** 2).sum(axis=2)
    m, g = p["m"], p.get("scale")
    if name == "k-means":
        row = D * (U + A * (U - f) ** 2)
    elif name.startswith("fcm"):
        row = D * (U**m + A * (U - f) ** 2)
    elif name == "noise":
        row = D * (U**m + A * (U - f) ** 2)
        row = row + (1.5**2 * np.abs(1 - U.sum(axis=1)) ** m / 3)[:, None]
    elif name == "pcm entropy":
        row = T * D + g * (T * np.log(T) - T) + A * (T - f) ** 2 * D
    elif name.startswith(("pcm", "srpcm", "spcm")):
        row = T**m * D + g * (1 - T) ** m + A * (T - f) ** 2 * D
    elif name.startswith("spfcm"):
        eta = p["eta"]
        row = (p["a"] * U**m + p["b"] * T**eta) * D + g * (1 - T) ** eta + A * (T - f) ** 2 * D
    elif name == "ipcm 1":
        eta = p["eta"]
        row = (U**m + A * (U - f) ** 2) * (T**eta * D + g * (1 - T) ** eta)
    else:
        row = (U**m + A * (U - f) ** 2) * (T * D + g * (T * np.log(T) - T + 1))
    gaps = ((V[:, None, :] - V[None, :, :]) ** 2).sum(axis=2)
    J = np.sum(np.asarray(w)[:, None] * row)
    if name == "srpcm":
        np.fill_diagonal(gaps, np.inf)
        J += np.sum(ETA[:, None] / gaps)
    if name.startswith("spcm"):
        J -= 0.05 * np.sum(gaps)
    return J


@pytest.fixture(scope="module", params=list(FITS))
def fitted(request):
    X, V0, w = blobs()
    F, alpha = labels()
    return request.param, X, V0, w, fit(request.param, X, V0, F, alpha, weights=w)


# The fits as a whole.


def test_history_falls_and_answer_is_consistent(fitted):
    name, X, V0, w, answer = fitted
    assert 1 < answer.n_iter < 5000
    assert len(answer.history) == answer.n_iter + 1
    assert answer.objective == answer.history[-1]
    assert np.isfinite(answer.history).all()
    rises = np.diff(answer.history) / np.abs(answer.history[:-1])
    assert rises.max() <= 1e-13
    for table in (answer.memberships, answer.typicalities):
        assert table is None or (table.shape == (30, 3) and table.min() >= 0 and table.max() <= 1)
    assert (answer.memberships is None) == name.startswith(("pcm", "srpcm", "spcm"))
    assert (answer.typicalities is None) == name.startswith(("k-means", "fcm", "noise"))
    if answer.memberships is not None:
        sums = answer.memberships.sum(axis=1)
        assert (sums < 1 + 1e-12).all() if name == "noise" else np.allclose(sums, 1, rtol=0, atol=1e-14)
    start = fit(name, X, V0, *labels(), weights=w, max_iter=0)
    for end in (start, answer):
        U, T = end.memberships, end.typicalities
        assert end.objective == pytest.approx(
            objective(name, X, end.centers, U, T, *labels(), w), rel=1e-12
        )
    assert start.objective == answer.history[0]


def test_centres_are_stationary(fitted):
    """Central differences of J in V, the row variables held fixed."""
    name, X, _, w, answer = fitted
    for c in range(3):
        for j in range(2):
            values = []
            for h in (1e-4, -1e-4):
                V = answer.centers.copy()
                V[c, j] += h
                values.append(objective(name, X, V, answer.memberships, answer.typicalities, *labels(), w))
            assert abs(values[0] - values[1]) / 2e-4 < 1e-6 * abs(answer.objective)


def test_the_centre_step_is_exact(fitted):
    """After one step from the start no change of the centres lowers J at the start's row variables."""
    name, X, V0, w, _ = fitted
    start = fit(name, X, V0, *labels(), weights=w, max_iter=0)
    V = fit(name, X, V0, *labels(), weights=w, max_iter=1).centers

    def J(V):
        return objective(name, X, V, start.memberships, start.typicalities, *labels(), w)

    rng = np.random.default_rng(1)
    for size in (1e-3, 1e-2, 1e-1):
        for _ in range(20):
            assert J(V + size * rng.normal(size=V.shape)) > J(V)


def test_rows_are_minimal(fitted):
    """J at the final centres with one row changed: to any unit vector, a little or much towards it,
    towards random points; and each typicality up and down."""
    name, X, _, w, answer = fitted
    V, U, T = answer.centers, answer.memberships, answer.typicalities
    J = objective(name, X, V, U, T, *labels(), w)
    rng = np.random.default_rng(2)
    targets = np.vstack([np.eye(3), rng.dirichlet(np.ones(3), size=4)])
    if name == "noise":
        targets = np.vstack([targets, np.zeros(3)])
    for i in range(30):
        if U is not None:
            for target in np.eye(3) if name == "k-means" else targets:
                for step in (1.0,) if name == "k-means" else (1e-4, 0.01, 0.3, 1.0):
                    changed = U.copy()
                    changed[i] += step * (target - U[i])
                    changed = changed.clip(0, 1)
                    assert objective(name, X, V, changed, T, *labels(), w) >= J - 1e-12 * abs(J)
        if T is not None:
            for k in range(3):
                for step in (-0.1, -1e-4, 1e-4, 0.1):
                    changed = T.copy()
                    changed[i, k] = np.clip(T[i, k] + step, 1e-12, 1)
                    assert objective(name, X, V, U, changed, *labels(), w) >= J - 1e-12 * abs(J)


def test_weights_are_repeated_rows(fitted):
    name, X, V0, w, answer = fitted
    F, alpha = labels()
    X, F, alpha = (np.repeat(rows, w, axis=0) for rows in (X, F, alpha))
    repeated = fit(name, X, V0, F, alpha, max_iter=8)
    assert repeated.history == pytest.approx(answer.history[: repeated.n_iter + 1], rel=1e-12)
    there = fit(name, X, answer.centers, F, alpha, max_iter=1)
    assert np.allclose(there.centers, answer.centers, rtol=0, atol=1e-11)


@pytest.mark.parametrize("silent", ["strength", "labels"])
@pytest.mark.parametrize("name", [name for name in FITS if FITS[name][2] is not None])
def test_without_labels_it_is_the_fit_without_labels(name, silent):
    X, V0, w = blobs()
    F, alpha = labels()
    F, alpha, most = (F, 0.0, 5000) if silent == "strength" else (np.full((30, 3), NAN), alpha, 5)
    answer = fit(name, X, V0, F, alpha, weights=w, max_iter=most)
    plain = FITS[name][2](X, V0, weights=w, max_iter=most, **FITS[name][3])
    assert np.allclose(answer.centers, plain.centers, rtol=0, atol=1e-9)
    assert answer.history[:5] == pytest.approx(plain.history[:5], rel=1e-12)
    assert answer.objective == pytest.approx(plain.objective, rel=1e-12)
    for table, expected in zip(answer[1:3], plain[1:3], strict=True):
        assert (table is None) == (expected is None)
        assert table is None or np.allclose(table, expected, rtol=0, atol=1e-9)


@pytest.mark.parametrize("name", [name for name in FITS if "zero" not in name])
def test_a_huge_strength_pins_full_labels(name):
    """Half of the rows carry a hard label, some of them a false one; one label is soft."""
    X, _, w = blobs()
    F = np.full((30, 3), NAN)
    F[::2] = np.eye(3)[CLASSES[::2]]
    F[4] = [0, 1, 0]
    F[26] = [0.2, 0.3, 0.5]
    V0 = np.array([X[CLASSES == k].mean(axis=0) for k in range(3)])
    answer = fit(name, X, V0, F, 1e8, weights=w, tol=1e-7)
    labelled = ~np.isnan(F).any(axis=1)
    table = answer.memberships if name in ON_MEMBERSHIPS else answer.typicalities
    if name == "k-means":
        F[26] = answer.memberships[26]  # no unit vector is near 0.2, 0.3, 0.5
    assert np.allclose(table[labelled], F[labelled], rtol=0, atol=1e-5)
    assert not np.allclose(table[~labelled].round(), table[~labelled]) or name == "k-means"


@pytest.mark.parametrize("name", ["k-means", "fcm 1.4", "pcm 2", "pcm entropy", "ipcm 1"])
def test_all_rows_pinned_leaves_class_means(name):
    X, _, w = blobs()
    F = np.eye(3)[CLASSES]
    V0 = np.array([X[CLASSES == k].mean(axis=0) for k in range(3)]) + 0.05
    V = fit(name, X, V0, F, 1e8, weights=w, tol=1e-9).centers
    for k in range(3):
        own = CLASSES == k
        if name == "ipcm 1":  # the mean within a class is IPCM's own, weighted by t^eta
            alone = possibilistic_c_means(X[own], V0[[k]], m=1.7, scale=3 * GAMMA[k], weights=w[own])
            assert np.allclose(V[k], alone.centers[0], rtol=0, atol=1e-5)
        else:
            assert np.allclose(V[k], np.average(X[own], axis=0, weights=w[own]), rtol=0, atol=1e-5)


def test_a_gentle_alpha_moves_between_the_two():
    X, V0, w = blobs()
    F = np.full((30, 3), NAN)
    F[[1, 21]] = [[0.0, 1.0, 0.0], [1.0, 0.0, 0.0]]
    for name, index in (("fcm 2", 1), ("pcm 2", 2), ("ipcm 2", 1), ("spfcm 1.7", 2)):
        degrees = []
        for alpha in (0.0, 0.3, 1.0, 5.0):
            table = fit(name, X, V0, F, alpha, weights=w, max_iter=0)[index]
            degrees.append([table[1, 1], table[21, 0]])
        assert (np.diff(degrees, axis=0) > 0).all()


# k-means.


def test_hard_rows():
    """f NaN, a label that loses against the distance, one that wins, one beyond alpha = 1."""
    d = np.array([1.0, 4.0, 9.0])
    assert hard_row(d, 5.0, [NAN] * 3).tolist() == [1, 0, 0]
    assert hard_row(d, 0.4, [0, 1, 0]).tolist() == [1, 0, 0]  # 1 + .4 (1 + 4) = 3 below 4
    assert hard_row(d, 0.7, [0, 1, 0]).tolist() == [0, 1, 0]  # 1 + .7 (1 + 4) = 4.5 above 4
    assert hard_row([0.0, 4.0, 9.0], 1.01, [0, 1, 0]).tolist() == [0, 1, 0]
    assert hard_row([0.0, 4.0, 9.0], 0.99, [0, 1, 0]).tolist() == [1, 0, 0]
    assert hard_row([0.0, 0.0, 9.0], 1.01, [0, 1, 0]).tolist() == [1, 0, 0]  # both free: the first
    assert hard_row([2.0, 2.0, 2.0], 1.0, [0.1, 0.2, NAN]).tolist() == [0, 0, 1]


def test_hard_labels_above_one_are_constrained_k_means():
    """Labelled rows never move, the others go to the nearest centre, centres are plain means."""
    X, V, w = blobs()
    F = np.full((30, 3), NAN)
    F[[1, 5, 13, 21, 27]] = np.eye(3)[[1, 0, 1, 0, 2]]
    answers = [fit("k-means", X, V, F, alpha, weights=w) for alpha in (1.01, 7.0, 1e8)]
    for _ in range(100):
        nearest = squared_distances(X, V).argmin(axis=1)
        nearest[[1, 5, 13, 21, 27]] = [1, 0, 1, 0, 2]
        V = np.array([np.average(X[nearest == k], axis=0, weights=w[nearest == k]) for k in range(3)])
    for answer in answers:
        assert np.allclose(answer.centers, V, rtol=0, atol=1e-13)
        assert np.array_equal(answer.memberships.argmax(axis=1), nearest)
        assert answer.objective == pytest.approx(answers[0].objective, rel=1e-13)


def test_an_empty_cluster_keeps_its_centre():
    X = np.array([[0.0], [1.0], [10.0]])
    V0 = [[0.0], [10.0], [99.0]]
    F = np.full((3, 3), NAN)
    assert np.array_equal(semi_supervised_k_means(X, V0, F=F, alpha=1).centers, [[0.5], [10.0], [99.0]])
    F[2, 2] = 0.0  # agrees with the answer: no weight
    assert semi_supervised_k_means(X, V0, F=F, alpha=1).centers[2] == 99.0
    F[2, 2] = 0.5  # disagrees: the label's weight moves the empty cluster
    assert semi_supervised_k_means(X, V0, F=F, alpha=1).centers[2] == 10.0


# Memberships on the simplex.


def bisected_row(cost, m, alpha, f):
    """The minimum by 200 halvings of lambda around 100 halvings of every entry. No zero costs."""
    a = np.where(np.isnan(f), 0.0, alpha)
    f = np.nan_to_num(f)

    def shares(multiplier):
        low, high = np.zeros(len(cost)), np.ones(len(cost))
        for _ in range(100):
            middle = (low + high) / 2
            below = cost * (m * middle ** (m - 1) + 2 * a * (middle - f)) < multiplier
            low, high = np.where(below, middle, low), np.where(below, high, middle)
        return high

    low, high = -2.0 * np.max(cost * a) - 1.0, np.max(cost * (m + 2 * a)) + 1.0
    for _ in range(200):
        middle = (low + high) / 2
        if middle in (low, high):
            break
        if shares(middle).sum() < 1:
            low = middle
        else:
            high = middle
    return shares(high)


def random_row(rng, c=4):
    """A row of costs over four decades, and labels of every kind."""
    cost = 10 ** rng.uniform(-2, 2, size=c)
    f = rng.choice([0.0, 1.0, NAN, rng.uniform()], size=c)
    return cost, rng.choice([1.2, 1.5, 2.0, 3.3]), 10 ** rng.uniform(-2, 2), f


def row_value(u, cost, m, alpha, f):
    a = np.where(np.isnan(f), 0.0, alpha)
    return np.sum(cost * (np.clip(u, 0, None) ** m + a * (u - np.nan_to_num(f)) ** 2))


def test_simplex_rows_by_halving():
    rng = np.random.default_rng(11)
    for _ in range(15):
        cost, m, alpha, f = random_row(rng)
        assert np.allclose(
            simplex_row(cost, m, alpha, f), bisected_row(cost, m, alpha, f), rtol=0, atol=1e-12
        )


def test_simplex_rows_by_slsqp():
    """Never above a general solver's minimum, and that is near."""
    rng = np.random.default_rng(12)
    for _ in range(25):
        cost, m, alpha, f = random_row(rng)
        u = simplex_row(cost, m, alpha, f)
        found = minimize(
            row_value,
            np.full(4, 0.25),
            args=(cost / cost.max(), m, alpha, f),
            method="SLSQP",
            bounds=[(0, 1)] * 4,
            constraints={"type": "eq", "fun": lambda u: u.sum() - 1},
            options={"ftol": 1e-14, "maxiter": 1000},
        ).x
        found = found.clip(0) / found.clip(0).sum()
        best, general = row_value(u, cost, m, alpha, f), row_value(found, cost, m, alpha, f)
        assert best <= general * (1 + 1e-12)
        assert general <= best * (1 + 1e-5)


def test_simplex_rows_satisfy_the_optimality_conditions():
    """The row's objective is convex: no vertex lies downhill from u."""
    rng = np.random.default_rng(13)
    for _ in range(200):
        cost, m, alpha, f = random_row(rng)
        u = simplex_row(cost, m, alpha, f)
        a = np.where(np.isnan(f), 0.0, alpha)
        slope = cost * (m * u ** (m - 1) + 2 * a * (u - np.nan_to_num(f)))
        assert u.min() >= 0
        assert u.sum() == pytest.approx(1, abs=1e-14)
        assert slope.min() >= slope @ u - 1e-11 * np.max(cost * (m + 2 * a))


@pytest.mark.parametrize("m", [1.1, 1.5, 2.0, 4.0])
def test_simplex_rows_without_labels_are_fuzzy(m):
    rng = np.random.default_rng(14)
    for _ in range(20):
        cost = 10 ** rng.uniform(-3, 3, size=4)
        expected = fuzzy_memberships(cost[None], m)[0]
        assert simplex_row(cost, m, 3.0, np.full(4, NAN)) == pytest.approx(expected, rel=1e-11)
        assert simplex_row(cost, m, 0.0, np.ones(4)) == pytest.approx(expected, rel=1e-11)
    for cost in ([0.0, 2.0, 0.0, 1.0], [0.0, 1.0, 2.0, 3.0], [0.0] * 4):
        expected = fuzzy_memberships(np.array([cost]), m)[0]
        assert np.array_equal(simplex_row(cost, m, 3.0, np.full(4, NAN)), expected)


def test_full_labels_that_sum_to_one_are_an_average():
    """m = 2: u = (u_FCM + alpha f) / (1 + alpha), row by row and in a whole fit."""
    X, V0, w = blobs()
    rng = np.random.default_rng(15)
    F = rng.dirichlet(np.full(3, 0.4), size=30)
    alpha = np.linspace(0, 5, 30)
    answer = semi_supervised_fcm(X, V0 + 0.01, F=F, alpha=alpha, m=2.0, weights=w)
    plain = fuzzy_memberships(squared_distances(X, answer.centers), 2.0)
    expected = (plain + alpha[:, None] * F) / (1 + alpha[:, None])
    assert np.allclose(answer.memberships, expected, rtol=0, atol=1e-13)


def test_labels_that_ask_for_too_much():
    """The multiplier is negative: entries without a label, or with f = 0, get nothing at all."""
    u = simplex_row([1.0, 1.0, 5.0, 5.0], 2.0, 100.0, [1.0, 1.0, NAN, 0.0])
    assert u == pytest.approx([0.5, 0.5, 0, 0], abs=1e-15)
    assert np.array_equal(u[2:], [0, 0])
    u = simplex_row([1.0, 2.0, 0.01], 2.0, 100.0, [0.9, 0.9, 0.05])  # cheap to disagree on the third
    assert u[2] == 0.0
    assert u[:2].sum() == pytest.approx(1)
    assert u[1] > u[0]  # and cheaper on the first than on the second


def test_rows_on_a_centre():
    """Free entries take what the labels of the others leave."""
    u = simplex_row([0.0, 3.0, 1.0], 2.0, 4.0, [NAN, 0.5, NAN])
    assert u == pytest.approx([0.6, 0.4, 0.0])  # u + 4 (u - 0.5) = 0
    assert simplex_row([0.0, 3.0, 1.0], 2.0, 4.0, [0.0, 0.5, NAN]) == pytest.approx(u)  # its own is void
    assert simplex_row([0.0, 3.0, 3.0], 2.0, 9.0, [NAN, 1.0, 1.0]) == pytest.approx([0, 0.5, 0.5])
    # two free entries share as the label says, without one equally
    assert simplex_row([0.0, 0.0, 1.0], 2.0, 3.0, [1.0, 0.0, NAN]) == pytest.approx([7 / 8, 1 / 8, 0])
    assert simplex_row([0.0, 0.0, 1.0], 2.0, 3.0, [NAN, NAN, 0.4]) == pytest.approx([0.35, 0.35, 0.3])
    rng = np.random.default_rng(16)
    for _ in range(25):  # the limit of small costs
        cost, m, alpha, f = random_row(rng)
        m = max(m, 1.5)
        cost[rng.choice(4, size=2, replace=False)] = 0.0
        near = simplex_row(np.where(cost == 0, 1e-13, cost), m, alpha, f)
        assert np.allclose(simplex_row(cost, m, alpha, f), near, rtol=0, atol=1e-5)


def test_a_noise_column_no_label_touches():
    X, V0, w = blobs()
    F, alpha = labels()
    answer = semi_supervised_fcm(X, V0, F=F, alpha=alpha, m=2.0, noise_distance=1.5, max_iter=0)
    d = np.hstack([squared_distances(X, V0), np.full((30, 1), 1.5**2)])
    for i in (11, 13):
        u = bisected_row(d[i], 2.0, alpha[i], np.append(F[i], NAN))
        assert answer.memberships[i] == pytest.approx(u[:3], abs=1e-12)
    assert answer.memberships[13].sum() < 0.5  # f = 0, 0, 0: noise is where such a row goes
    far = semi_supervised_fcm(X, V0, F=F, alpha=alpha, m=2.0, noise_distance=1e7, weights=w)
    none = semi_supervised_fcm(X, V0, F=F, alpha=alpha, m=2.0, weights=w)
    assert np.allclose(far.centers, none.centers, rtol=0, atol=1e-8)


# Typicalities.


def minimum_on_unit_interval(function):
    return minimize_scalar(function, bounds=(0, 1), method="bounded", options={"xatol": 1e-11}).x


@pytest.mark.parametrize("penalty", ["power", "entropy"])
@pytest.mark.parametrize("m", [1.3, 2.0, 3.5])
def test_typicality_entries(m, penalty):
    rng = np.random.default_rng(17)
    for _ in range(30):
        d, gamma, alpha = 10 ** rng.uniform(-1, 1, size=3)
        b, f = rng.uniform(0.5, 3), rng.choice([0.0, 1.0, NAN, rng.uniform()])

        def value(t, d=d, gamma=gamma, alpha=alpha, b=b, f=f):
            label = 0.0 if np.isnan(f) else alpha * (t - f) ** 2 * d
            if penalty == "power":
                return b * t**m * d + gamma * (1 - t) ** m + label
            return b * t * d + gamma * (t * np.log(t) - t) + label

        t = typicality_entry(d, gamma, m, alpha, f, b=b, penalty=penalty)
        assert 0 < t < 1
        assert value(t) <= value(minimum_on_unit_interval(value)) + 1e-14 * (d + gamma)
        assert t == pytest.approx(minimum_on_unit_interval(value), abs=3e-6)


def test_typicalities_by_hand():
    """The printed quotients, rows on a centre, and the unlabelled formulas from the root search."""
    assert typicality_entry(2.0, 1.0, 2.0, 3.0, 0.5) == pytest.approx((1 + 3) / (1 + 4 * 2))
    assert typicality_entry(2.0, 1.0, 2.0, 3.0, 0.5, b=2) == pytest.approx((1 + 3) / (2 * 2 + 1 + 3 * 2))
    assert typicality_entry(2.0, 1.0, 2.0, 3.0, NAN) == pytest.approx(1 / 3)
    for m in (1.3, 2.0, 3.5):
        assert typicality_entry(0.0, 1.0, m, 1e8, 0.0) == 1.0
        assert typicality_entry(2.0, 0.7, m, 3.0, NAN) == pytest.approx(
            1 / (1 + (2 / 0.7) ** (1 / (m - 1))), rel=1e-12
        )
        assert typicality_entry(2.0, 0.7, m, 1e8, 0.3) == pytest.approx(0.3, abs=1e-7)
        near = [typicality_entry(2.0, 0.7, 2 + h, 3.0, 0.4) for h in (-1e-7, 0, 1e-7)]
        assert near[1] == pytest.approx((near[0] + near[2]) / 2, abs=1e-13)
    assert typicality_entry(0.0, 1.0, 2.0, 5.0, 0.0, penalty="entropy") == 1.0
    assert typicality_entry(2.0, 0.7, 2.0, 5.0, NAN, penalty="entropy") == pytest.approx(np.exp(-2 / 0.7))
    assert typicality_entry(300.0, 0.7, 2.0, 0.0, 1.0, penalty="entropy") == pytest.approx(
        np.exp(-300 / 0.7), rel=1e-12
    )
    with pytest.raises(ValueError, match="penalty"):
        typicality_entry(1.0, 1.0, 2.0, 1.0, 0.5, penalty="cubic")


def test_improved_entries():
    for d in (0.0, 1e-12, 0.3, 4.0, 50.0):
        cost, t = improved_entry(d, 0.8, 2.0, 1)
        assert t == pytest.approx(0.8 / (0.8 + d))
        assert cost == pytest.approx(0.8 * d / (0.8 + d))  # below gamma
        cost, t = improved_entry(d, 0.8, 9.0, 2)
        assert t == pytest.approx(np.exp(-d / 0.8))
        assert cost == pytest.approx(t * d + 0.8 * (-t * d / 0.8 - t + 1), abs=1e-15)
    assert improved_entry(0.0, 0.8, 1.7, 1) == (0.0, 1.0)
    cost, t = improved_entry(2.0, 0.8, 1.7, 1)
    assert t == pytest.approx(
        minimum_on_unit_interval(lambda t: 2 * t**1.7 + 0.8 * (1 - t) ** 1.7), abs=1e-6
    )


@pytest.mark.parametrize("beta", [0.0, 0.1])
def test_spcm_zero_without_labels_is_pcm_with_a_smaller_scale(beta):
    """gamma / (1 + alpha), and beta / (1 + alpha): J divided by 1 + alpha."""
    X, V0, w = blobs()
    F, alpha = np.full((30, 3), NAN), 1.5
    options = {"F": F, "alpha": alpha, "scale": 3 * GAMMA, "unlabelled": "zero", "weights": w}
    answer = semi_supervised_central_pcm(X, V0, strength=beta, **options)
    plain = central_distance_pcm(
        X, V0, m=2, scale=3 * GAMMA / (1 + alpha), strength=beta / (1 + alpha), weights=w
    )
    assert np.allclose(answer.centers, plain.centers, rtol=0, atol=1e-9)
    assert np.allclose(answer.typicalities, plain.typicalities, rtol=0, atol=1e-9)
    assert answer.objective == pytest.approx((1 + alpha) * plain.objective)
    if beta == 0:
        alone = semi_supervised_pcm(X, V0, **options)
        plain = possibilistic_c_means(X, V0, m=2, scale=3 * GAMMA / (1 + alpha), weights=w)
        assert np.allclose(alone.centers, plain.centers, rtol=0, atol=1e-9)
        assert np.allclose(alone.centers, answer.centers, rtol=0, atol=1e-9)


def test_zero_spares_rows_that_say_something():
    X, V0, _ = blobs()
    F, alpha = labels()
    zero = fit("pcm zero", X, V0, F, alpha, max_iter=0).typicalities
    free = fit("pcm 2", X, V0, F, alpha, max_iter=0).typicalities
    silent = np.isnan(F).all(axis=1)
    assert np.array_equal(zero[~silent], free[~silent])
    assert (zero[silent] < free[silent]).all()
    with pytest.raises(ValueError, match="unlabelled"):
        semi_supervised_pcm(X, V0, F=F, alpha=1, scale=1, unlabelled="one")


# Separation, printed centres, the published table.


def test_separation_vanishes_with_its_strength():
    X, V0, w = blobs()
    F, alpha = labels()
    options = {"F": F, "alpha": alpha, "scale": GAMMA, "weights": w}
    pcm = semi_supervised_pcm(X, V0, **options)
    for other in (semi_supervised_repulsive_pcm, semi_supervised_central_pcm):
        answer = other(X, V0, strength=0.0, **options)
        assert np.allclose(answer.centers, pcm.centers, rtol=0, atol=1e-9)
        assert answer.objective == pytest.approx(pcm.objective)


def test_separation_refuses_what_has_no_minimum():
    X, V0, _ = blobs()
    F, alpha = labels()
    with pytest.raises(ValueError, match="unbounded"):
        semi_supervised_central_pcm(X, V0, F=F, alpha=alpha, scale=GAMMA, strength=100.0)
    with pytest.raises(ValueError, match="infinity"):
        semi_supervised_repulsive_pcm(X, V0, F=F * NAN, alpha=alpha, scale=GAMMA, strength=1000.0)


@pytest.mark.parametrize("name", ["fcm 1.4", "fcm 2", "pcm 1.6", "pcm entropy", "spcm", "spcm zero"])
def test_printed_centres_are_plain_weighted_means(name):
    """A fixed point of the plain mean, no stationary point of J; without labels the same fit."""
    X, V0, w = blobs()
    F, alpha = labels()
    answer = fit(name, X, V0, F, alpha, weights=w, printed_centers=True)
    assert answer.n_iter < 5000
    table = answer.memberships if "fcm" in name else answer.typicalities
    weight = w[:, None] * table ** {"fcm 1.4": 1.4, "pcm 1.6": 1.6, "pcm entropy": 1.0}.get(name, 2.0)
    A = np.diag(weight.sum(axis=0))
    if name.startswith("spcm"):
        A -= 2 * 0.05 * (3 * np.eye(3) - 1)
    assert np.allclose(A @ answer.centers, weight.T @ X, rtol=0, atol=1e-9)
    exact = fit(name, X, answer.centers, F, alpha, weights=w, max_iter=5)
    assert exact.history[-1] < answer.objective
    assert not np.allclose(answer.centers, exact.centers, rtol=0, atol=1e-3)
    F[:] = NAN
    if name != "spcm zero":
        answer = fit(name, X, V0, F, alpha, weights=w, printed_centers=True, max_iter=8)
        exact = fit(name, X, V0, F, alpha, weights=w, max_iter=8)
        assert np.array_equal(answer.history, exact.history)


def test_published_typicalities_of_the_twelve_points():
    """Table 4-1 of the sPCM paper within 0.015, with gamma = 2.75, beta = 0 and plain u^2 centres.

    Not so x11 in cluster 2, printed 0.08 for 0.28; and not with the paper's (3-3) and beta = 0.01.
    """
    published = [
        [0.76, 0.03],
        [0.30, 0.05],
        [0.79, 0.05],
        [0.30, 0.05],
        [0.22, 0.09],
        [0.04, 0.99],
        [0.02, 0.22],
        [0.03, 0.38],
        [0.02, 0.21],
        [0.01, 0.12],
        [0.08, 0.28],
        [0.01, 0.01],
    ]
    V0 = X12[[2, 7]]
    options = {"F": F12, "alpha": 1.0, "scale": 2.75, "unlabelled": "zero"}
    plain = semi_supervised_central_pcm(X12, V0, strength=0.0, printed_centers=True, **options)
    assert np.allclose(plain.typicalities, published, rtol=0, atol=0.015)
    exact = semi_supervised_central_pcm(X12, V0, strength=0.01, **options)
    assert np.max(np.abs(exact.typicalities - published)) > 0.5


def test_a_label_against_a_cluster_can_attract_its_centre():
    """f = 0 in k makes a row pull v_k MORE than no label wherever d < gamma / sqrt(1 + alpha)."""
    gamma, alpha = 4.0, 3.0
    for d, more in ((0.1, True), (1.9, True), (2.1, False), (30.0, False)):
        free, against = (typicality_entry(d, gamma, 2, alpha, f) for f in (NAN, 0.0))
        assert against < free
        assert ((1 + alpha) * against**2 > free**2) == more
    X, F = np.array([[-1.5], [-0.5], [0.5], [1.5]]), np.full((4, 1), NAN)
    assert semi_supervised_pcm(X, [[0.0]], F=F, alpha=alpha, scale=9.0).centers[0, 0] == pytest.approx(0)
    F[3] = 0.0
    assert semi_supervised_pcm(X, [[0.0]], F=F, alpha=alpha, scale=9.0).centers[0, 0] > 0.3
