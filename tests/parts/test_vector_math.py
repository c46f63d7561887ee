"""exp, log and power against the C library."""

import numba
import numpy as np
import pytest
from numpy.testing import assert_allclose

from softclust.kernels.codes import TILE
from softclust.kernels.compiled import vector_math


@numba.njit
def _each(x, e, exps, logs, powers):
    for i in range(len(x)):
        exps[i] = vector_math.exp(np.log(x[i]))
        logs[i] = vector_math.log(x[i])
        powers[i] = vector_math.power(x[i], e)


def test_against_the_c_library():
    x = np.concatenate([np.geomspace(1e-300, 1e300, 20_001), 1 + np.linspace(-1e-3, 1e-3, 2001)])
    exps, logs, powers = (np.empty_like(x) for _ in range(3))
    _each(x, 0.3, exps, logs, powers)
    assert_allclose(logs, np.log(x), rtol=1e-15, atol=1e-16)
    assert_allclose(exps, np.exp(np.log(x)), rtol=1e-15)
    assert_allclose(powers, x**0.3, rtol=1e-13)


@numba.njit
def _edges():
    return (
        vector_math.exp(-1e9),
        vector_math.exp(1e9),
        vector_math.power(0.0, 0.01),
        vector_math.power(1.0, 1e6),
        vector_math.power(0.5, 1e9),
    )


def test_edges_are_finite():
    smallest, largest, zero, one, tiny = _edges()
    assert 0 < smallest < 1e-300
    assert 1e300 < largest < np.inf
    assert zero == 0.0
    assert one == 1.0
    assert 0 <= tiny < 1e-300


def test_the_rough_exponential():
    x = np.linspace(-125, 0, 2003, dtype=np.float32)
    rough = np.array([vector_math.rough_exp2(value) for value in x])
    np.testing.assert_allclose(rough, np.exp2(x.astype(np.float64)), rtol=3e-6)
    for far in (-1e9, -np.inf):
        assert 0 < vector_math.rough_exp2(np.float32(far)) < 1e-37
    assert vector_math.rough_exp2(np.float32(0.0)) == 1.0


@pytest.mark.parametrize("e", [1.0, 2.0, 0.5, 0.3, 2.7, -1.0, -2.0, -0.5, -0.3])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_powers_of_a_row(dtype, e):
    """The usual exponents take another way, to the same numbers."""
    x = np.geomspace(1.0 if e < 0 else 1e-10, 1e10, TILE).astype(dtype)
    row = x.copy()
    vector_math.raise_row(row, e)
    assert row.dtype == dtype
    assert_allclose(row, x.astype(np.float64) ** e, rtol={np.float64: 1e-13, np.float32: 5e-7}[dtype])


def test_zero_to_a_power_is_zero():
    for e in (1.0, 2.0, 0.5, 0.3):
        row = np.zeros(TILE)
        vector_math.raise_row(row, e)
        assert (row == 0).all()
