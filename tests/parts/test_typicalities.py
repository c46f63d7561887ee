"""Typicalities near wanted degrees: many at a time as one by one."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from oracles.supervised import typicality_entry
from softclust.kernels.typicalities import solve


@pytest.mark.parametrize("eta", [1.05, 1.2, 1.5, 1.9, 2.5, 3.0, 6.0])
@pytest.mark.parametrize("shape", [(1, 1), (43, 3), (64, 2)])
def test_as_one_by_one(eta, shape):
    rng = np.random.default_rng(0)
    D, scale = rng.exponential(2.0, shape), rng.uniform(0.1, 3.0, shape[1])
    D[rng.random(shape) < 0.1] = 0.0
    D[rng.random(shape) < 0.1] *= 1e-9
    D[rng.random(shape) < 0.1] *= 1e12
    target = rng.choice([0.0, 0.3, 1.0, np.nan], shape)
    alpha = rng.choice([0.0, 1e-3, 1.0, 50.0, 1e6], shape[0])
    found = solve(D, scale, 1.7, eta, target, alpha)
    wanted = [
        [typicality_entry(D[i, k], scale[k], eta, alpha[i], target[i, k], b=1.7) for k in range(shape[1])]
        for i in range(shape[0])
    ]
    assert ((found >= 0) & (found <= 1)).all()
    assert_allclose(found, wanted, rtol=1e-9, atol=1e-12)


def test_that_each_is_a_minimum():
    rng = np.random.default_rng(1)
    D, scale, alpha = rng.exponential(2.0, (200, 4)), rng.uniform(0.1, 3.0, 4), rng.uniform(0, 9, 200)
    target = rng.random((200, 4))

    def objective(t):
        return t**1.5 * D + scale * (1 - t) ** 1.5 + alpha[:, None] * (t - target) ** 2 * D

    t = solve(D, scale, 1.0, 1.5, target, alpha)
    for nearby in (0.999 * t, t + 0.001 * (1 - t)):
        assert (objective(t) < objective(nearby)).all()
