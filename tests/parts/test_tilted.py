"""One row under a linear pressure: no point of the simplex is better."""

from itertools import permutations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import minimize

from oracles.evidential import row_masses_by_supports
from softclust.kernels.compiled.tilted import tilted_row

NOTHING = np.nan


def solved(cost, b, m, f=None, alpha=0.0):
    p, spare = np.empty(len(cost)), np.empty((2, len(cost)))
    tilted_row(cost, b, np.full(len(cost), NOTHING) if f is None else f, alpha, m, p, *spare)
    return p


def value(p, cost, b, m, f=None, alpha=0.0):
    gap = 0.0 if f is None else np.where(np.isnan(f), 0.0, p - np.nan_to_num(f)) ** 2
    return (cost * (p**m + alpha * gap) + b * p).sum()


def row(seed):
    rng = np.random.default_rng(seed)
    size = int(rng.integers(1, 9))
    return 10 ** rng.uniform(-3, 2, size), rng.normal(size=size) * 10 ** rng.uniform(-2, 2)


@pytest.mark.parametrize("seed", range(60))
def test_quadratic_rows_equal_the_best_of_all_supports(seed):
    cost, b = row(seed)
    assert_allclose(solved(cost, b, 2.0), row_masses_by_supports(cost, b), atol=1e-10)


@pytest.mark.parametrize("m", [1.2, 1.7, 2.0, 3.0, 6.0])
@pytest.mark.parametrize("seed", range(12))
def test_no_small_move_is_better(seed, m):
    """The problem is convex: a point that no move between two columns improves is the minimum."""
    cost, b = row(seed)
    rng = np.random.default_rng(seed)
    f = np.where(rng.random(len(cost)) < 0.5, rng.random(len(cost)), np.nan)
    for wish, alpha in ((None, 0.0), (f, 2.0)):
        p = solved(cost, b, m, wish, alpha)
        assert_allclose(p.sum(), 1.0, atol=1e-12)
        least = value(p, cost, b, m, wish, alpha)
        for i, j in permutations(range(len(p)), 2):
            for step in (1e-6, 1e-3):
                move = min(step, p[i]) * (np.eye(len(p))[j] - np.eye(len(p))[i])
                assert value(p + move, cost, b, m, wish, alpha) >= least - 1e-12 * (
                    abs(b).max() + cost.max()
                )


@pytest.mark.parametrize("tiny", [1e-280, 1e-100, 1e-20, 1e-9])
@pytest.mark.parametrize("m", [1.5, 2.0, 3.0])
def test_a_row_on_a_centre(m, tiny):
    """A cost of nearly nothing beside any pressure: the mass is what the other column leaves."""
    p = solved(np.array([1.0, tiny]), np.array([0.0, 1.0]), m)
    assert_allclose(p[0], (1 / m) ** (1 / (m - 1)), rtol=1e-7)
    p = solved(np.array([tiny, 1.0, 2.0]), np.array([-5.0, -5.0, 0.0]), m)
    assert_allclose(p, [1.0, 0.0, 0.0], atol=1e-4)


def test_a_general_solver_agrees():
    cost, b = np.array([0.5, 2.0, 1.0, 3.0]), np.array([0.3, -1.0, 0.2, -2.0])
    found = minimize(
        value, np.full(4, 0.25), (cost, b, 1.6), method="SLSQP", bounds=[(0, 1)] * 4,
        constraints={"type": "eq", "fun": lambda p: p.sum() - 1}, options={"ftol": 1e-15, "maxiter": 500},
    )  # fmt: skip
    assert_allclose(solved(cost, b, 1.6), found.x, atol=1e-6)
