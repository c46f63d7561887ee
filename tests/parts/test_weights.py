"""Density weights: exact where they say so, within the stated error elsewhere."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.spatial.distance import cdist

from oracles.fuzzy import density_weights as literal
from softclust import weights
from softclust.records import Rows, Units


def rows_of(X, weight=None):
    return Rows(X, Units(1.0, np.zeros(X.shape[1])), weight)


def plain(X, rate):
    """The oracle's sum in one array, for more rows than its loops can bear."""
    return np.exp(-rate * cdist(X, X, "sqeuclidean")).sum(axis=1)


@pytest.mark.parametrize(("n", "p"), [(1, 1), (37, 2), (300, 9)])
@pytest.mark.parametrize("rate", [1e-3, 0.5, 30.0])
def test_exact_below_the_limit(n, p, rate):
    rng = np.random.default_rng(0)
    X, weight = rng.normal(size=(n, p)), rng.uniform(0, 2, n)
    phi = weights.density_weights(rows_of(X, weight), rate, threads=1)
    assert_allclose(phi, literal(X, rate, weights=weight), rtol=1e-8, atol=1e-10)


def test_local_kernels_stay_exact_above_it(monkeypatch):
    monkeypatch.setattr(weights, "EXACT_ROWS", 100)
    X = np.random.default_rng(1).uniform(0, 100, size=(3000, 2))
    phi = weights.density_weights(rows_of(X), 50.0, threads=2)
    assert_allclose(phi, plain(X, 50.0), rtol=1e-8)


@pytest.mark.parametrize("rate", [0.02, 0.2])
def test_wide_kernels_keep_the_stated_error(monkeypatch, rate):
    monkeypatch.setattr(weights, "EXACT_ROWS", 100)
    monkeypatch.setattr(weights, "MOST_PAIRS", 1e5)
    monkeypatch.setattr(weights, "LEAST_REFERENCES", 500)
    n = 4000
    X = np.random.default_rng(2).normal(size=(n, 3))
    phi, exact = weights.density_weights(rows_of(X), rate, threads=2), plain(X, rate)
    error = np.abs(phi - exact) / exact
    stated = 1 / np.sqrt(500 * exact / n)
    assert (error < stated).mean() > 0.68  # a standard error, and in fact far below it
    assert np.median(error / stated) < 0.3


def test_memory_is_linear(monkeypatch):
    import tracemalloc

    X = np.random.default_rng(3).normal(size=(8000, 4))
    weights.density_weights(rows_of(X[:500]), 0.5, threads=1)
    tracemalloc.start()
    weights.density_weights(rows_of(X), 0.5, threads=1)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 30 * X.nbytes  # an n x n array would take 500 times as much
