"""The collector is paused while code is loaded, and only then."""

import gc

import numpy as np
import pytest

from softclust.loading import collector_paused, paused_at_first


def test_the_collector_is_as_it_was_afterwards():
    with pytest.raises(RuntimeError), collector_paused():
        assert not gc.isenabled()
        raise RuntimeError
    assert gc.isenabled()
    gc.disable()
    try:
        with collector_paused():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_only_the_first_call_of_a_type_is_paused():
    states = []
    kernel = paused_at_first(lambda X, shift: states.append(gc.isenabled()) or X + shift)
    for dtype in (np.float64, np.float32, np.float64, np.float32):
        np.testing.assert_array_equal(kernel(np.zeros(2, dtype), 1), [1, 1])
    assert states == [False, False, True, True]
