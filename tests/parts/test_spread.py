"""The number of directions in which rows spread."""

import numpy as np
import pytest

from softclust.sources import LocalSource
from softclust.sources.rows import rows_in_units
from softclust.sources.spread import effective_dimension


def source_of(X, weight=None, block_rows=None):
    return LocalSource(rows_in_units(np.ascontiguousarray(X, dtype=float), weight), 1, block_rows)


def literal(X, centre):
    """1 / tr(F^2) as it is defined, row by row."""
    F = np.zeros((X.shape[1], X.shape[1]))
    for x in X:
        z = x - centre
        F += np.outer(z, z) / (z @ z) / len(X)
    return 1 / np.trace(F @ F)


def test_round_clouds_spread_in_all_directions():
    X = np.random.default_rng(0).normal(size=(4000, 6))
    found = effective_dimension(source_of(X))
    assert found == pytest.approx(literal(X, np.zeros(6)), rel=5e-3)
    assert 5.9 < found <= 6


def test_a_line_and_a_flat_cloud():
    rng = np.random.default_rng(1)
    assert effective_dimension(source_of(np.outer(np.arange(50.0), [1, 2, 3]))) == pytest.approx(1)
    flat = rng.normal(size=(3000, 2)) @ rng.normal(size=(2, 9))
    assert 1 <= effective_dimension(source_of(flat)) <= 2 + 1e-9


def test_it_lies_between_one_and_p_and_has_no_unit():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(500, 4)) * [1, 2, 5, 0.1]
    found = effective_dimension(source_of(X))
    assert 1 <= found <= 4
    assert effective_dimension(source_of(1e-200 * X)) == pytest.approx(found, rel=1e-9)
    assert effective_dimension(source_of(1e150 * X)) == pytest.approx(found, rel=1e-9)
    assert effective_dimension(source_of(X + 1e3)) == pytest.approx(found, rel=1e-6)


def test_an_outlier_counts_as_one_row():
    X = np.random.default_rng(3).normal(size=(1000, 3))
    far = np.vstack([X, [[1e9, 0, 0]]])
    assert effective_dimension(source_of(far)) == pytest.approx(effective_dimension(source_of(X)), rel=1e-2)


def test_weights_count_as_repeated_rows():
    rng = np.random.default_rng(4)
    X, weight = rng.normal(size=(60, 3)) * [1, 3, 9], rng.integers(0, 4, 60)
    repeated = effective_dimension(source_of(np.repeat(X, weight, axis=0)))
    assert effective_dimension(source_of(X, weight.astype(float))) == pytest.approx(repeated, rel=1e-9)


def test_rows_in_one_place_have_one_direction():
    assert effective_dimension(source_of(np.ones((7, 3)))) == 1.0
    assert effective_dimension(source_of([[3.0, 4.0]])) == 1.0


def test_blocks_change_nothing_but_rounding():
    X = np.random.default_rng(5).normal(size=(1000, 5)) * [1, 2, 3, 4, 5]
    whole = effective_dimension(source_of(X))
    assert effective_dimension(source_of(X, block_rows=77)) == pytest.approx(whole, rel=1e-12)
