"""Fits that random sentences of the grammar found broken, each told in a few lines."""

import numpy as np
import pytest

import softclust as sc
from conftest import make_blobs

pytestmark = pytest.mark.filterwarnings(
    "ignore::softclust.DegenerateClusterWarning", "ignore::sklearn.exceptions.ConvergenceWarning"
)


def test_a_labelled_row_with_a_pair_in_a_mixture_with_noise(blobs):
    X, truth = blobs
    y = np.where(np.arange(len(X)) < 9, truth, -1)
    model = sc.GaussianMixture(3, noise=True, random_state=0).fit(X, y, must_link=[(0, 30), (1, 40)])
    assert model.memberships_[0].argmax() == y[0]
    assert np.isfinite(model.objective_history_).all()


def test_a_mixture_starts_where_a_component_has_no_weight(blobs):
    X, _ = blobs
    first = sc.GaussianMixture(2, random_state=0).fit(X)
    means = np.vstack([first.means_, [[1e3, 1e3]]])
    covariances = np.concatenate([first.covariances_, np.eye(2)[None]])
    init = means, covariances, np.append(first.weights_, 0.0)
    model = sc.GaussianMixture(3, init=init).fit(X)
    assert model.weights_[2] == 0
    np.testing.assert_allclose(model.weights_[:2], first.weights_, atol=1e-4)


def test_weights_of_a_start_are_not_negative(blobs):
    X, _ = blobs
    init = X[:2], np.array([np.eye(2)] * 2), [-0.5, 1.5]
    with pytest.raises(ValueError, match="2 numbers of 0 or more that sum to 1 would fit"):
        sc.GaussianMixture(2, init=init).fit(X)


def test_planes_come_back_from_a_file(tmp_path):
    X = np.random.default_rng(0).normal(size=(60, 4)) * [5.0, 3.0, 1.0, 0.2]
    model = sc.FuzzyCMeans(2, geometry="planes", random_state=0).fit(X)
    sc.save(model, tmp_path / "planes.zip")
    again = sc.load(tmp_path / "planes.zip")
    np.testing.assert_array_equal(again.directions_, model.directions_)
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))


def test_a_linked_row_on_a_centre_with_the_polynomial_fuzzifier():
    """The row's cost in that cluster is nothing beside the pressure of its pair."""
    X, _ = make_blobs(each=10)
    model = sc.FuzzyCMeans(3, fuzzifier="polynomial", init=X[:3], max_iter=1)
    model.fit(X, must_link=[(0, 3), (1, 4)], cannot_link=[(2, 5)])
    assert np.isfinite(model.objective_history_).all()
    np.testing.assert_allclose(model.memberships_.sum(axis=1), 1.0)


def test_clusters_that_all_lost_their_rows_have_scores(tmp_path):
    X = np.random.default_rng(0).normal(size=(30, 1))
    model = sc.ImprovedPossibilisticCMeans(3, separation=sc.Repulsion(1e9), scale=1e-3, random_state=0).fit(
        X
    )
    assert np.abs(model.cluster_centers_).max() > 10  # none of the rows is near
    assert np.isfinite(model.outlier_scores_).all()
    sc.save(model, tmp_path / "far.zip")
    sc.load(tmp_path / "far.zip")


@pytest.mark.parametrize("seed", range(4))
def test_the_noise_distance_of_weights_is_that_of_copies(seed):
    """The weights of the nearer half are half of all weights, but for rounding."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(40, 2))
    copies = rng.permutation(np.tile([1, 1, 2, 3], 10))
    for order in (np.arange(40), rng.permutation(40)):
        one = sc.EvidentialCMeans(2, init=X[:2]).fit(X[order], sample_weight=copies[order] / 7)
        two = sc.EvidentialCMeans(2, init=X[:2]).fit(np.repeat(X, copies, axis=0))
        np.testing.assert_allclose(one.noise_distance_, two.noise_distance_, rtol=1e-9)


def test_rows_of_weight_0_do_not_choose_the_units():
    """Most rows are absent and far away: neither origin nor spread of the loop's units is theirs."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3)) + 4 * rng.integers(0, 2, (60, 1))
    absent = 1e12 + 1e4 * rng.normal(size=(100, 3))
    words = {"geometry": "ellipsoids", "init": X[:3], "random_state": 0}
    one = sc.ImprovedPossibilisticCMeans(3, **words).fit(X)
    two = sc.ImprovedPossibilisticCMeans(3, **words)
    two.fit(np.vstack([absent, X]), sample_weight=np.r_[np.zeros(100), np.ones(60)])
    np.testing.assert_allclose(two.objective_, one.objective_, rtol=1e-9)
    np.testing.assert_allclose(two.cluster_centers_, one.cluster_centers_, atol=1e-6)


@pytest.mark.parametrize("far", [1e3, 1e4, 1e6])
@pytest.mark.parametrize("cls", [sc.PossibilisticFuzzyCMeans, sc.ImprovedPossibilisticCMeans])
def test_noise_keeps_centres_off_a_far_outlier(cls, far, blobs):
    """Also in the run of FCM from which scales and centres come."""
    X, _ = blobs
    model = cls(3, noise_distance=3.0, random_state=0).fit(np.vstack([X, [[far, far]]]))
    assert np.abs(model.cluster_centers_).max() < 20


def test_rows_of_weight_0_tell_no_plane_its_direction():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 4)) * [5.0, 3.0, 0.2, 0.1]
    absent = X[rng.integers(30, size=40)] + 0.01 * rng.normal(size=(40, 4)) * [0.0, 0.0, 9.0, 9.0]
    words = {"geometry": "planes", "random_state": 0, "max_iter": 1, "n_init": 1}
    y = np.r_[0, 1, np.full(28, -1)]  # where the planes start
    one = sc.FuzzyCMeans(2, **words).fit(X, y)
    two = sc.FuzzyCMeans(2, **words)
    weight = np.r_[np.ones(30), np.zeros(40)]
    two.fit(np.vstack([X, absent]), np.r_[y, np.full(40, -1)], sample_weight=weight)
    np.testing.assert_allclose(two.objective_, one.objective_, rtol=1e-9)


@pytest.mark.parametrize("geometry", ["lines", "planes"])
def test_a_fit_starts_where_a_variety_has_no_direction(geometry):
    """A cluster that never had rows has no direction, and no start nor extrapolation gives it one."""
    X = np.random.default_rng(0).normal(size=(40, 4)) * [5.0, 1.0, 0.2, 0.1]
    V = np.array([X.mean(axis=0), np.full(4, 1e6)])
    words = {"geometry": geometry, "fuzzifier": "polynomial", "crisp_ratio": 0.4}
    first = sc.FuzzyCMeans(2, init=V, **words).fit(X)
    assert not first.directions_[1].any()
    second = sc.FuzzyCMeans(2, init=(first.cluster_centers_, first.covariances_), **words).fit(X)
    np.testing.assert_allclose(second.objective_, first.objective_, rtol=1e-9)
    assert not second.directions_[1].any()


def test_a_linked_row_in_noise_has_the_memberships_of_its_label(tmp_path):
    """Two rows in noise are one pair, and their nearest clusters differ: labels keep the pair."""
    X, _ = make_blobs(each=10)
    X = np.vstack([X, [[100.0, 0.0], [-100.0, 0.0]]])
    words = {"init": X[[0, 10, 20]], "noise_distance": 3.0}
    assert len(set(sc.HardCMeans(3, **words).fit(X).labels_[-2:])) == 2
    model = sc.HardCMeans(3, **words).fit(X, must_link=[(30, 31)])
    assert (model.outlier_scores_[-2:] == 1).all()
    np.testing.assert_array_equal(model.memberships_.argmax(axis=1), model.labels_)
    sc.save(model, tmp_path / "noise.zip")
    sc.load(tmp_path / "noise.zip")


def test_a_labelled_row_far_from_all_clusters_is_shared_as_its_neighbour():
    """Typicalities of both rows are below the least float; a label without strength changes nothing."""
    X, _ = make_blobs(each=10)
    X = np.vstack([X, [[300.0, 0.0], [300.0, 0.0]]])
    y = np.full(len(X), -1)
    y[-1] = 0
    words = {"init": X[[0, 10, 20]], "scale": 1.0, "variant": 2, "label_strength": 1e-12}
    model = sc.ImprovedPossibilisticCMeans(3, **words).fit(X, y)
    assert (model.typicalities_[-2:] < 1e-300).all()
    np.testing.assert_allclose(model.memberships_[-1], model.memberships_[-2], atol=1e-9)


def test_free_volumes_of_copied_rows_have_a_root():
    """An extrapolated metric is longer in one direction than floats tell beside the others."""
    rng = np.random.default_rng(5)
    X = rng.normal(size=(5, 5))[rng.integers(5, size=30)]
    model = sc.FuzzyCMeans(3, m=2, geometry="mahalanobis-refit", random_state=0).fit(X)
    np.testing.assert_allclose(model.memberships_.sum(axis=1), 1.0)


def test_a_free_volume_of_one_row_fits_into_float32():
    """A cluster without extent has the greatest metric, which is still a float32."""
    X = np.array([[0.1], [0.3], [0.7], [0.8]], np.float32)
    model = sc.HardCMeans(3, geometry="mahalanobis-refit", random_state=0).fit(X)
    assert np.isfinite(model.objective_history_).all()
    assert np.isfinite(model.transform(X)).all()


def test_the_first_of_memberships_that_round_to_equals_is_the_label():
    """Both centres fall together, so that memberships are one half each in float32, but not in float64."""
    X = np.random.default_rng(0).normal(size=(60, 2)).astype(np.float32)
    model = sc.PossibilisticCMeans(2, penalty="entropy", geometry="mahalanobis", scale=4.0, random_state=0)
    model.fit(X)
    np.testing.assert_array_equal(model.labels_, model.memberships_.argmax(axis=1))
    np.testing.assert_array_equal(model.predict(X), model.predict_proba(X).argmax(axis=1))


@pytest.mark.parametrize("geometry", ["lines", "planes"])
def test_drawn_lines_and_planes_take_a_weight_for_a_number_of_copies(geometry):
    """The rows about a drawn centre, which tell its direction, are no fewer because one stands for many."""
    rng = np.random.default_rng(69)
    X = rng.normal(size=(35, 4)) * [5.0, 3.0, 1.0, 0.5]
    copies = rng.integers(0, 4, len(X))
    model = sc.FuzzyCMeans(3, geometry=geometry, max_iter=4, random_state=0)
    one = model.fit(X, sample_weight=copies).objective_
    two = model.fit(np.repeat(X, copies, axis=0)).objective_
    np.testing.assert_allclose(one, two, rtol=1e-9)


@pytest.mark.parametrize("kind", ["full", "tied", "diag", "spherical"])
def test_a_mixture_of_equal_float32_rows(kind):
    """The variance of rows without a spread is above 0, and its inverse is still a float32."""
    X = np.ones((40, 4), np.float32)
    model = sc.GaussianMixture(2, covariance_type=kind, random_state=0).fit(X)
    assert np.isfinite(model.objective_)
    np.testing.assert_allclose(model.predict_proba(X - 0.5).sum(axis=1), 1.0)
