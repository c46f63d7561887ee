"""Classes of several clusters: `clusters_per_class`."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.datasets import make_blobs, make_moons

import configurations
import softclust as sc
from softclust.knowledge.labels import Labels

ESTIMATORS = [*configurations.ESTIMATORS, configurations.MIXTURE]


@pytest.fixture(scope="module")
def moons():
    X, truth = make_moons(600, noise=0.1, random_state=0)
    y = np.full(len(X), -1)
    y[:20] = truth[:20]
    return X, truth, y


def right(model, truth):
    return (model.classes_[model.labels_] == truth).mean()


@pytest.mark.parametrize("estimator", [sc.HardCMeans, sc.FuzzyCMeans, sc.GaussianMixture])
def test_bent_classes_are_learnt(estimator, moons):
    X, truth, y = moons
    one = estimator(2, random_state=0).fit(X, y)
    several = estimator(2, clusters_per_class=3, random_state=0).fit(X, y)
    assert right(several, truth) > max(0.94, right(one, truth) + 0.1)
    chosen = estimator(2, clusters_per_class="auto", random_state=0).fit(X, y)
    assert chosen.clusters_per_class_ == 3
    assert_array_equal(chosen.memberships_, several.memberships_)


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_what_is_published(estimator, moons):
    X, _, y = moons
    names = np.where(y < 0, None, np.where(y == 1, "upper", "lower"))
    model = estimator(2, clusters_per_class=2, random_state=0).fit(X, names)
    assert model.classes_.tolist() == ["lower", "lower", "upper", "upper"]
    assert model.n_clusters_ == 4
    assert model.memberships_.shape == (len(X), 4)
    assert_array_equal(model.predict(X)[20:], model.labels_[20:])


def test_one_cluster_suits_round_classes():
    X, truth = make_blobs(300, centers=3, random_state=1)
    y = np.where(np.arange(300) % 10 == 0, truth, -1)
    model = sc.FuzzyCMeans(3, clusters_per_class="auto", random_state=0).fit(X, y)
    assert model.clusters_per_class_ == 1
    assert_array_equal(model.memberships_, sc.FuzzyCMeans(3, random_state=0).fit(X, y).memberships_)


def test_without_labels_it_says_nothing(moons):
    X, _, _ = moons
    for form in (3, "auto"):
        model = sc.FuzzyCMeans(2, clusters_per_class=form, random_state=0).fit(X)
        assert (model.n_clusters_, model.clusters_per_class_) == (2, 1)


def test_few_labels_keep_one_cluster(moons):
    X, _, y = moons
    few = np.where(np.arange(len(X)) < 8, y, -1)
    model = sc.FuzzyCMeans(2, clusters_per_class="auto", random_state=0).fit(X, few)
    assert model.clusters_per_class_ == 1


def test_labels_of_classes_are_labels_of_sets_of_clusters():
    labels = Labels(np.array([0, 4]), np.array([[1.0, 0.0], [0.75, 0.25]]), np.array(["a", "b"])).split(2)
    assert labels.degrees.tolist() == [[1, 1, 0, 0], [0.375, 0.375, 0.125, 0.125]]
    assert labels.classes.tolist() == ["a", "a", "b", "b"]
    wanted = labels.known(4, np.ones(5)).target
    assert np.isnan(wanted[0, :2]).all()  # nothing is said between the clusters of a class
    assert wanted[0, 2:].tolist() == [0, 0]


def test_degrees_subsets_and_unnamed_clusters(moons):
    X, _, y = moons
    degrees = np.full((len(X), 3), np.nan)
    degrees[y == 0] = [1, 0, 0]
    degrees[y == 1] = [0, 1, 0]
    degrees[30] = [1, 1, 0]
    degrees[31] = [0.5, 0.5, 0]
    model = sc.FuzzyCMeans(3, clusters_per_class=2, random_state=0).fit(X, degrees)
    assert model.n_clusters_ == 6
    assert np.isfinite(model.memberships_).all()


def test_more_rows_and_files(moons, tmp_path):
    X, truth, y = moons
    model = sc.FuzzyCMeans(2, clusters_per_class=3, random_state=0).partial_fit(X[:300], y[:300])
    model.partial_fit(X[300:], np.where(np.arange(300) < 5, truth[300:], -1))
    assert model.n_clusters_ == 6
    sc.save(model, tmp_path / "model")
    again = sc.load(tmp_path / "model")
    assert_array_equal(again.predict(X), model.predict(X))
    assert again.clusters_per_class_ == 3
    assert (model.classes_[model.predict(X)] == truth).mean() > 0.94


def test_rows_in_blocks(moons):
    da = pytest.importorskip("dask.array")
    X, truth, y = moons
    model = sc.FuzzyCMeans(2, clusters_per_class="auto", random_state=0).fit(
        da.from_array(X, chunks=(200, 2)), y
    )
    assert model.clusters_per_class_ == 3
    assert (model.classes_[np.asarray(model.labels_)] == truth).mean() > 0.94


@pytest.mark.parametrize("wrong", [0, 1.5, "many"])
def test_wrong_numbers_are_refused(wrong, moons):
    X, _, y = moons
    with pytest.raises(ValueError, match="clusters_per_class"):
        sc.FuzzyCMeans(2, clusters_per_class=wrong).fit(X, y)
