"""Density weights: exact where they say so, within the stated error elsewhere."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.spatial.distance import cdist

from oracles.fuzzy import density_weights as literal
from softclust.sources import density as weights
from softclust.sources.rows import Rows
from softclust.sources.units import Units


def rows_of(X, weight=None):
    return Rows(X, Units(1.0, np.zeros(X.shape[1])), weight)


def kernel(X, rate):
    """All terms of the oracle's sum in one array, for more rows than its loops can bear."""
    K = cdist(X, X, "sqeuclidean")
    K *= -rate
    return np.exp(K, out=K)


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
    assert_allclose(phi, kernel(X, 50.0).sum(axis=1), rtol=1e-8)


def relative_errors(monkeypatch, X, rate, weight=None, K=None):
    monkeypatch.setattr(weights, "EXACT_ROWS", 100)
    phi = weights.density_weights(rows_of(X, weight), rate, threads=2)
    K = kernel(X, rate) if K is None else K
    return np.abs(phi / (K.sum(axis=1) if weight is None else K @ weight) - 1)


@pytest.mark.parametrize(
    ("p", "rate", "typical"), [(2, 0.5, 0.001), (3, 0.02, 0.0005), (3, 0.2, 0.002), (16, 0.3, 0.05)]
)
def test_wide_kernels_keep_the_stated_error(monkeypatch, p, rate, typical):
    rng = np.random.default_rng(2)
    X = rng.normal(size=(6000, p)) + rng.choice([-2.0, 2.0], size=(6000, 1))
    K = kernel(X, rate)
    error = relative_errors(monkeypatch, X, rate, K=K)
    assert np.median(error) < typical
    assert np.quantile(error, 0.95) < 10 * typical
    weighed = relative_errors(monkeypatch, X, rate, rng.uniform(0, 2, 6000), K)
    assert np.median(weighed) < 1.5 * typical


@pytest.mark.parametrize(("p", "typical", "worst"), [(4, 0.05, 0.6), (8, 0.08, 0.6), (16, 0.05, 0.4)])
def test_heavy_tails_keep_the_stated_error(monkeypatch, p, typical, worst):
    """Cells are no normal distributions here; the exact sums of some rows tell by how much."""
    X = np.random.default_rng(6).standard_t(3, size=(6000, p))
    error = relative_errors(monkeypatch, X, 10 / X.var(axis=0).sum())
    assert np.median(error) < typical
    assert np.quantile(error, 0.99) < worst


def test_correlated_features_keep_the_stated_error(monkeypatch):
    rng = np.random.default_rng(7)
    X = rng.normal(size=(6000, 8)) @ (rng.normal(size=(8, 8)) * np.geomspace(1, 0.05, 8)[:, None])
    error = relative_errors(monkeypatch, X, 10 / X.var(axis=0).sum())
    assert np.median(error) < 0.02
    assert np.quantile(error, 0.99) < 0.2


def test_a_lone_row_keeps_its_own_weight(monkeypatch):
    """Where nobody is near, phi is the row's own term; a cell as wide as the gap does not add to it."""
    rng = np.random.default_rng(3)
    X = np.vstack([rng.normal(size=(4000, 2)), [[100.0, 100.0], [-300.0, 50.0]]])
    monkeypatch.setattr(weights, "EXACT_ROWS", 100)
    phi = weights.density_weights(rows_of(X), 0.5, threads=1)
    assert_allclose(phi[-2:], 1.0, atol=1e-2)
    assert np.median(phi) > 100


def test_rows_that_are_all_alike(monkeypatch):
    monkeypatch.setattr(weights, "EXACT_ROWS", 100)
    phi = weights.density_weights(rows_of(np.ones((500, 3))), 2.0, threads=1)
    assert_allclose(phi, 500.0, rtol=1e-6)


@pytest.mark.parametrize("far", [1e100, 1e150])
@pytest.mark.parametrize("rate", [1e-3, 1.0, 1e200])
def test_rows_beyond_measure(monkeypatch, far, rate):
    monkeypatch.setattr(weights, "EXACT_ROWS", 100)
    X = np.random.default_rng(5).normal(size=(2000, 3))
    X[7], X[11] = far, -far
    phi = weights.density_weights(rows_of(X), rate, threads=1)
    assert np.isfinite(phi).all()
    assert (phi >= 0.99).all()
    assert_allclose(phi[[7, 11]], 1.0, rtol=1e-6)


def test_threads_do_not_change_the_bits(monkeypatch):
    monkeypatch.setattr(weights, "EXACT_ROWS", 100)
    X = np.random.default_rng(4).normal(size=(30_000, 3))
    one, two = (weights.density_weights(rows_of(X), 0.5, threads) for threads in (1, 2))
    assert (one == two).all()


def test_memory_is_linear(monkeypatch):
    import tracemalloc

    X = np.random.default_rng(3).normal(size=(8000, 4))
    weights.density_weights(rows_of(X[:500]), 0.5, threads=1)
    tracemalloc.start()
    weights.density_weights(rows_of(X), 0.5, threads=1)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 30 * X.nbytes  # an n x n array would take 500 times as much
