"""Starts compete on a sample that grows, unless they are told not to."""

import dask.array as da
import numpy as np
import pytest
from numpy.testing import assert_allclose

import softclust as sc
from softclust.loop import engine


@pytest.fixture
def blobs():
    rng = np.random.default_rng(0)
    means = np.array([[0.0, 0, 0], [4, 0, 0], [0, 4, 0], [0, 0, 4]])
    return means[rng.integers(4, size=60_000)] + rng.normal(size=(60_000, 3))


def rows_seen(monkeypatch, model, X):
    """Rows of all blocks that the loop has swept, and the fit."""
    seen = []
    sweep = engine.sweep

    def counted(rows, *arguments):
        seen.append(len(rows))
        return sweep(rows, *arguments)

    monkeypatch.setattr(engine, "sweep", counted)
    model.fit(X)
    monkeypatch.setattr(engine, "sweep", sweep)
    return sum(seen), model


@pytest.mark.parametrize("make", [sc.FuzzyCMeans, sc.HardCMeans, sc.GaussianMixture])
def test_same_end_with_fewer_rows_seen(monkeypatch, make, blobs):
    grown, one = rows_seen(monkeypatch, make(4, random_state=0), blobs)
    whole, two = rows_seen(monkeypatch, make(4, random_state=0, growing_samples=False), blobs)
    assert grown < whole
    # A mixture starts from hard partitions of at most 20,000 rows, in any case.
    assert whole % (20_000 if make is sc.GaussianMixture else len(blobs)) == 0
    assert_allclose(one.objective_, two.objective_, rtol=1e-6)


def test_few_rows_are_no_sample(blobs):
    few = blobs[:5000]
    one, two = (sc.FuzzyCMeans(4, random_state=0, growing_samples=on).fit(few) for on in (True, False))
    assert (one.memberships_ == two.memberships_).all()


@pytest.mark.parametrize("make", [sc.FuzzyCMeans, sc.GaussianMixture])
def test_far_rows(make, blobs):
    near = make(4, random_state=0, n_init=2, growing_samples=False).fit(blobs)
    far = make(4, random_state=0, n_init=2, growing_samples=False).fit(da.from_array(blobs, (20_000, 3)))
    assert_allclose(far.objective_, near.objective_, rtol=1e-9)
