"""The repulsion, by finite differences, and the automatic strength of the central distance."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from differences import differences
from softclust.grammar.separation import CentralDistance, Repulsion


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("strength", [1.7, [0.5, 2.0, 0.0, 3.0]], ids=str)
def test_gradient_and_hessian_of_the_repulsion(strength, seed):
    V = np.random.default_rng(seed).normal(size=(4, 3))
    part = Repulsion(strength)
    shape, v = V.shape, V.ravel()
    size = np.abs(part.hessian(V)).max()
    gradient = differences(lambda x: part.value(x.reshape(shape)), v)
    assert_allclose(part.gradient(V).ravel(), gradient, rtol=1e-6, atol=1e-6 * np.abs(gradient).max())
    hessian = differences(lambda x: part.gradient(x.reshape(shape)).ravel(), v)
    assert_allclose(np.reshape(part.hessian(V), (v.size, v.size)), hessian, rtol=1e-6, atol=1e-6 * size)


@pytest.mark.parametrize("weight, scale, share", [(1.0, 0.25, 0.025), (3.0, 0.25, 0.025), (1.0, 16.0, 0.1)])
def test_the_automatic_central_distance_takes_a_tenth_of_what_holds_the_centres_at_most(
    weight, scale, share
):
    """Two centres hold each other by w |v|^2 in the direction in which the term pulls most."""
    V = np.array([[-2.0, 0.0], [2.0, 0.0]])
    part = CentralDistance().chosen(V, np.full(2, weight), np.array([scale, 99.0]), total=1.0)
    assert -part.value(V) / (weight * (V**2).sum()) == pytest.approx(share, rel=1e-12)
    assert part.chosen(0 * V, np.ones(2), np.ones(2), total=1.0).strength == 0
