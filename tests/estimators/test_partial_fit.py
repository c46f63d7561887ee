"""Rows in batches: near the fit of all, by sums of those that have gone by."""

from functools import partial

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import multivariate_normal
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score

import softclust as sc
from configurations import ESTIMATORS as FAMILIES


@pytest.fixture
def stream():
    X, y = make_blobs(6000, n_features=3, centers=4, cluster_std=1.5, random_state=3)
    return X, y


def in_batches(model, X, count=12, **known):
    for part in np.array_split(np.arange(len(X)), count):
        model.partial_fit(X[part], **{name: value[part] for name, value in known.items()})
    return model


@pytest.mark.parametrize("family", FAMILIES)
def test_the_first_call_is_a_fit(family, stream):
    X, _ = stream
    one, two = family(4, random_state=0).partial_fit(X[:500]), family(4, random_state=0).fit(X[:500])
    assert_array_equal(one.memberships_, two.memberships_)
    assert one.n_samples_seen_ == 500


@pytest.mark.parametrize("family", FAMILIES)
def test_batches_find_the_clusters(family, stream):
    X, y = stream
    model = in_batches(family(4, random_state=0), X)
    assert model.n_samples_seen_ == len(X)
    assert len(model.labels_) == 500  # of the last batch
    assert adjusted_rand_score(y, model.predict(X)) > 0.9
    if family in (sc.PossibilisticCMeans, sc.ImprovedPossibilisticCMeans):
        # Modes of 500 rows are far from those of 6,000, and rows keep the influence that they had there.
        first = family(4, random_state=0).fit(X[:500])
        assert distance(model, X, y) < distance(first, X, y)
    else:
        full = family(4, random_state=0).fit(X)
        assert distance(model, X, y) < distance(full, X, y) + 0.1


def distance(model, X, y):
    """From the mean of each blob to the nearest centre, on average."""
    means = np.array([X[y == k].mean(axis=0) for k in range(4)])
    return np.linalg.norm(means[:, None] - model.cluster_centers_, axis=2).min(axis=1).mean()


@pytest.mark.parametrize(
    ("family", "excess"), [(sc.HardCMeans, 1e-4), (partial(sc.FuzzyCMeans, m=2.0), 1e-4)]
)
def test_one_pass_is_nearly_as_good_as_many(family, excess, stream):
    X, _ = stream
    full = family(4, random_state=0, n_init=5).fit(X)
    model = in_batches(family(4, random_state=0, n_init=5), X)
    assert full.score(X) >= model.score(X) >= (1 + excess) * full.score(X)


def test_centres_are_means_of_all_rows_by_their_influence(stream):
    """One turn a batch: sums of u^m and of u^m x, each at the centres of its time."""
    X, _ = stream
    V = X[:4] + 0.01
    model = sc.FuzzyCMeans(4, m=2.0, init=V, max_iter=1, tol=0, acceleration=None)
    weight, moment = np.zeros(4), np.zeros((4, 3))
    with pytest.warns(Warning):
        in_batches(model, X, 3)
    for part in np.array_split(X, 3):
        for turn in range(2):
            u = 1 / ((part[:, None] - V) ** 2).sum(axis=2)
            u = (u / u.sum(axis=1, keepdims=True)) ** 2
            if turn == 0:
                V = (moment + u.T @ part) / (weight + u.sum(axis=0))[:, None]
        weight, moment = weight + u.sum(axis=0), moment + u.T @ part
    assert_allclose(model.cluster_centers_, V, rtol=1e-10)


def test_labels_keep_their_clusters(stream):
    X, y = stream
    names = np.array(["d", "c", "b", "a"], dtype=object)[y]
    known = np.where(np.random.default_rng(0).random(len(y)) < 0.1, names, None)
    model = in_batches(sc.FuzzyCMeans(4), X, y=known)
    assert list(model.classes_) == ["a", "b", "c", "d"]
    assert (model.classes_[model.predict(X)] == names).mean() > 0.95
    model.partial_fit(X[:50])
    assert list(model.classes_) == ["a", "b", "c", "d"]
    few = np.full(50, None, dtype=object)
    few[7] = "b"
    model.partial_fit(X[:50], few)
    few[9] = "e"
    with pytest.raises(
        ValueError, match=r"y\[9\] is 'e', which no row before was; the classes are a, b, c, d"
    ):
        model.partial_fit(X[:50], few)
    degrees = np.full((50, 4), np.nan)
    degrees[3] = [0, 0, 1, 0]
    model.partial_fit(X[:50], degrees)
    with pytest.raises(ValueError, match="X has 50 rows"):
        model.partial_fit(X[:50], few[:20])


def test_weights_count(stream):
    X, _ = stream
    twice = in_batches(sc.FuzzyCMeans(4, init=X[:4]), np.repeat(X[:1200], 2, axis=0), 4)
    weighed = in_batches(sc.FuzzyCMeans(4, init=X[:4]), X[:1200], 4, sample_weight=np.full(1200, 2.0))
    assert_allclose(weighed.cluster_centers_, twice.cluster_centers_, rtol=1e-9)


def test_it_goes_on_after_a_fit_and_after_a_file(stream, tmp_path):
    X, _ = stream
    model = sc.FuzzyCMeans(4, random_state=0).fit(X[:3000])
    sc.save(model, tmp_path / "m")
    model.partial_fit(X[3000:])
    again = sc.load(tmp_path / "m").partial_fit(X[3000:])
    assert again.n_samples_seen_ == 6000
    assert_array_equal(again.cluster_centers_, model.cluster_centers_)
    model.fit(X[:10])
    assert model.n_samples_seen_ == 10


def test_geometries_whose_statistics_do_not_add_up_have_none():
    for geometry in ("shells", "radial-shells", "directions", "mahalanobis-refit"):
        assert not hasattr(sc.FuzzyCMeans(3, geometry=geometry), "partial_fit")
    assert not hasattr(sc.FuzzyCMeans(3, separation=sc.Repulsion()), "partial_fit")


@pytest.fixture
def long_stream():
    """Three blobs, long in different directions."""
    rng = np.random.default_rng(5)
    y = rng.integers(3, size=6000)
    shapes = np.array([[[3, 0], [0, 0.5]], [[0.5, 0], [0, 3]], [[2, 1.5], [1.5, 2]]])
    means = np.array([[0, 0], [9, 3], [-6, 6]])
    return means[y] + (shapes[y] @ rng.normal(size=(6000, 2, 1)))[:, :, 0], y


SHAPED = {
    "gk": partial(sc.FuzzyCMeans, geometry="ellipsoids"),
    "gath-geva": partial(sc.FuzzyCMeans, geometry="gath-geva", metric_reg=1e-6),
    "mahalanobis": partial(sc.FuzzyCMeans, geometry="mahalanobis"),
    "evidential": partial(sc.EvidentialCMeans, geometry="ellipsoids"),
    "hard": partial(sc.HardCMeans, geometry="ellipsoids"),
    "full": sc.GaussianMixture,
    "diag": partial(sc.GaussianMixture, covariance_type="diag"),
    "tied": partial(sc.GaussianMixture, covariance_type="tied"),
    "noise": partial(sc.GaussianMixture, noise=True),
}


@pytest.mark.parametrize("name", SHAPED)
def test_batches_find_shapes(name, long_stream):
    X, y = long_stream
    model = in_batches(SHAPED[name](3, random_state=0), X)
    full = SHAPED[name](3, random_state=0).fit(X)
    gap = np.linalg.norm(model.cluster_centers_[:, None] - full.cluster_centers_, axis=2).min(axis=1)
    assert gap.max() < 0.15
    ours, theirs = (adjusted_rand_score(y, one.predict(X)) for one in (model, full))
    assert ours > theirs - 0.01
    if hasattr(full, "covariances_"):
        ours, theirs = (np.sort(np.abs(one.covariances_).ravel()) for one in (model, full))
        assert_allclose(ours, theirs, rtol=0.15, atol=0.03 * theirs.max())
    if isinstance(full, sc.GaussianMixture):
        assert model.score(X) > full.score(X) - 0.01
        assert model.lower_bound_ == pytest.approx(full.lower_bound_, abs=0.05)


def test_a_mixture_has_the_moments_of_all_rows(long_stream):
    """One turn a batch: sums of r, r x and r x x', each with the chances r of its time."""
    X, _ = long_stream
    start = X[[0, 1, 2]], np.tile(np.eye(2) * 4, (3, 1, 1)), np.full(3, 1 / 3)
    plain = {"covariance_type": "full", "covariance_prior": 0}
    model = sc.GaussianMixture(3, init=start, max_iter=1, tol=0, acceleration=None, **plain)
    with pytest.warns(Warning):
        in_batches(model, X, 3)
    mu, sigma, pi = start
    s, first, second = np.zeros(3), np.zeros((3, 2)), np.zeros((3, 2, 2))
    for part in np.array_split(X, 3):
        for turn in range(2):
            r = np.column_stack(
                [p * multivariate_normal(m, S).pdf(part) for m, S, p in zip(mu, sigma, pi, strict=True)]
            )
            r /= r.sum(axis=1, keepdims=True)
            sums = s + r.sum(axis=0), first + r.T @ part, second + np.einsum("ik,ia,ib->kab", r, part, part)
            if turn == 0:
                mu = sums[1] / sums[0][:, None]
                sigma = sums[2] / sums[0][:, None, None] - mu[:, :, None] * mu[:, None, :]
                pi = sums[0] / sums[0].sum()
        s, first, second = sums
    assert_allclose(model.means_, mu, rtol=1e-8)
    assert_allclose(model.covariances_, sigma, rtol=1e-7)
    assert_allclose(model.weights_, pi, rtol=1e-8)


def test_other_features_are_refused(stream):
    X, _ = stream
    model = sc.FuzzyCMeans(4).partial_fit(X)
    before = model.cluster_centers_.copy()
    with pytest.raises(ValueError, match="features"):
        model.partial_fit(X[:, :2])
    with pytest.raises(ValueError, match="NaN"):
        model.partial_fit(np.full((5, 3), np.nan))
    assert_array_equal(model.cluster_centers_, before)
