"""Ranges of columns: many rows side by side give what NumPy gives row by row."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from softclust.sources.columns import column_range


@pytest.mark.parametrize("shape", [(0, 3), (1, 1), (7, 3), (1024, 2), (5000, 4), (2051, 7), (50, 600)])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("order", ["C", "F"])
def test_least_and_greatest(shape, dtype, order):
    X = np.asarray(np.random.default_rng(0).normal(size=shape), dtype, order=order)
    low, high = column_range(X)
    assert low.dtype == high.dtype == dtype
    assert_array_equal(low, X.min(axis=0, initial=np.inf))
    assert_array_equal(high, X.max(axis=0, initial=-np.inf))
