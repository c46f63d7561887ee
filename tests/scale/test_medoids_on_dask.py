"""Medoids of rows on a cluster: few come here, of many CLARA sees samples."""

import dask.array as da
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import softclust as sc
from softclust.estimators import medoids


@pytest.fixture
def rows():
    rng = np.random.default_rng(0)
    centres = rng.normal(scale=6, size=(4, 3))
    return centres[rng.integers(4, size=5000)] + rng.normal(size=(5000, 3))


@pytest.mark.parametrize("method", ["pam", "clara", "clarans"])
def test_few_rows_are_as_in_memory(method, rows):
    X = rows[:1500]
    lazy = da.from_array(X, chunks=(400, 3))
    here = sc.KMedoids(4, method=method, sampling_size=500, random_state=0).fit(X)
    there = sc.KMedoids(4, method=method, sampling_size=500, random_state=0).fit(lazy)
    assert_array_equal(there.medoid_indices_, here.medoid_indices_)
    assert isinstance(there.labels_, da.Array)
    assert_array_equal(there.labels_.compute(), here.labels_)
    assert_allclose(there.inertia_, here.inertia_, rtol=1e-12)
    assert_array_equal(there.predict(lazy).compute(), here.labels_)
    assert_array_equal(there.predict(X), here.labels_)
    assert_array_equal(there.memberships_.compute(), here.memberships_)
    assert_array_equal(there.predict_proba(lazy).compute(), here.memberships_)
    far = there.transform(lazy)
    assert isinstance(far, da.Array)
    assert far.chunks == (lazy.chunks[0], (4,))
    assert_array_equal(far.compute(), here.transform(X))


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "cosine", "canberra"])
def test_many_rows_stay_where_they_are(metric, weighted, rows, monkeypatch):
    monkeypatch.setattr(medoids, "SAMPLE_BYTES", 0)  # as if they were many
    weight = np.random.default_rng(1).uniform(0.5, 2.0, len(rows)) if weighted else None
    lazy = da.from_array(rows, chunks=(700, 3))
    model = sc.KMedoids(4, method="clara", metric=metric, sampling_size=300, random_state=0)
    model.fit(lazy, sample_weight=weight)
    here = sc.KMedoids(4, metric=metric, init=model.medoid_indices_, max_iter=1)
    here.cluster_centers_ = rows[model.medoid_indices_]
    here.n_features_in_, here.n_clusters_, here._metric_parameters = 3, 4, {}
    assert_array_equal(model.labels_.compute(), here.predict(rows))
    assert_allclose(model.inertia_, -here.score(rows, sample_weight=weight), rtol=1e-12)
    best = sc.KMedoids(4, method="clara", metric=metric, sampling_size=300, random_state=0)
    best.fit(rows, sample_weight=weight)
    assert model.inertia_ <= 1.05 * best.inertia_


def test_what_needs_all_rows_says_so(rows, monkeypatch):
    monkeypatch.setattr(medoids, "SAMPLE_BYTES", 0)
    lazy = da.from_array(rows, chunks=(700, 3))
    with pytest.raises(ValueError, match="method='clara' does not"):
        sc.KMedoids(4).fit(lazy)
    with pytest.raises(ValueError, match="needs metric_params"):
        sc.KMedoids(4, method="clara", metric="seuclidean").fit(lazy)
    with pytest.raises(ValueError, match="leave them out"):
        sc.KMedoids(4, method="clara").fit(lazy, sample_weight=np.r_[0.0, np.ones(4999)])
    with pytest.raises(ValueError, match="precomputed"):
        sc.KMedoids(4, metric="precomputed").fit(lazy)
