"""Derivatives of the repulsion, by finite differences."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from differences import differences
from softclust.grammar.separation import Repulsion


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
