"""BLAS has one thread while rows are worked on, and afterwards as many as before."""

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from softclust import FuzzyCMeans
from softclust.sources import LocalSource, single_threaded_blas
from softclust.sources.rows import rows_in_units


def blas_threads():
    return {library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"}


@pytest.fixture
def two():
    with threadpool_limits(2, "blas"):
        yield
        assert blas_threads() == {2}


@pytest.fixture
def rows():
    return np.random.default_rng(0).normal(size=(5000, 3))


@pytest.mark.parametrize(("shape", "expected"), [((5000, 3), 1), ((500, 64), 1), ((500, 3), 2)])
def test_only_large_work_is_kept_undisturbed(two, shape, expected):
    with single_threaded_blas(*shape):
        assert blas_threads() == {expected}


def test_passes_of_several_threads(two, rows):
    source = LocalSource(rows_in_units(rows, None), threads=2, block_rows=1000)
    assert source.reduce(lambda block: sum(blas_threads())) == 5


def test_a_fit_that_fails_gives_the_threads_back(two, rows):
    model = FuzzyCMeans(3, init=rows[:3])
    model._publish_more = lambda *args: 1 / 0
    with pytest.raises(ZeroDivisionError):
        model.fit(rows)
