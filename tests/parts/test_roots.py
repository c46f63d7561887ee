"""Roots of rising functions, elementwise."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from softclust.grammar.partitions.roots import rising_root


@pytest.mark.parametrize("power", [0.05, 0.5, 1.0, 3.0, 40.0])
def test_powers(power):
    level = np.array([1e-3, 0.2, 0.7, 0.999])
    found = rising_root(lambda x: x**power - level, np.zeros(4), np.ones(4), 60)
    assert_allclose(found, level ** (1 / power), rtol=1e-12, atol=2.0**-58)


def test_one_sign_gives_the_end_where_it_is_nearest_to_0():
    found = rising_root(lambda x: x + np.array([2.0, 0.0, -2.0]), np.zeros(3), np.ones(3), 60)
    assert found.tolist() == [0.0, 0.0, 1.0]


def test_a_step_and_a_flat_stretch():
    """No slope helps here; the answer is the first point where the function is not negative."""
    step = rising_root(lambda x: np.where(x < 0.3, -1.0, 1e-9), np.zeros(1), np.ones(1), 60)
    assert_allclose(step, 0.3, rtol=1e-12)
    flat = rising_root(
        lambda x: np.maximum(x - 0.8, 0) + np.minimum(x - 0.2, 0), np.zeros(1), np.ones(1), 60
    )
    assert 0.2 <= flat[0] <= 0.8


def test_ten_evaluations_do():
    calls = []

    def smooth(x):
        calls.append(1)
        return np.exp(x) - 1.5

    assert_allclose(rising_root(smooth, np.zeros(3), np.ones(3), 60), np.log(1.5), rtol=1e-14)
    assert len(calls) < 14
