"""A warning where distances see only the features that spread widely."""

import warnings

import dask.array as da
import numpy as np
import pytest
from sklearn.datasets import load_iris, load_wine
from sklearn.preprocessing import scale

import softclust as sc

WINE = load_wine(as_frame=True).data
POINTS = [
    sc.HardCMeans, sc.FuzzyCMeans, sc.PossibilisticCMeans, sc.PossibilisticFuzzyCMeans,
    sc.ImprovedPossibilisticCMeans, sc.EvidentialCMeans,
]  # fmt: skip


def warned(model, X):
    """Return the warnings on scales in a fit."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.fit(X)
    return [w for w in caught if issubclass(w.category, sc.FeatureScaleWarning)]


@pytest.mark.parametrize("estimator", POINTS)
def test_raw_wine_is_warned_of_once(estimator):
    (said,) = warned(estimator(3, random_state=0), WINE)
    assert "'proline' spreads 2,278 times as widely as 'nonflavanoid_phenols'" in str(said.message)
    assert "StandardScaler" in str(said.message)
    assert said.filename == __file__


@pytest.mark.parametrize("X", [scale(WINE), load_iris().data, WINE[["proline"]]])
def test_features_alike_are_not(X):
    assert not warned(sc.FuzzyCMeans(3, random_state=0), X)


@pytest.mark.parametrize(
    "model",
    [
        sc.FuzzyCMeans(3, geometry="mahalanobis", random_state=0),
        sc.FuzzyCMeans(3, geometry="ellipsoids", random_state=0),
        sc.GaussianMixture(3, random_state=0),
    ],
)
def test_shapes_that_adapt_are_not(model):
    assert not warned(model, WINE)


def test_rows_on_a_cluster_are_warned_of():
    rows = da.from_array(WINE.to_numpy(), chunks=(60, 13))
    (said,) = warned(sc.FuzzyCMeans(3, random_state=0), rows)
    assert "feature 12 spreads" in str(said.message)


def test_few_rows_tell_little():
    X = np.random.default_rng(0).normal(size=(19, 2)) * [1, 1e4]
    assert not warned(sc.FuzzyCMeans(2, random_state=0), X)
    assert warned(sc.FuzzyCMeans(2, random_state=0), np.vstack([X, X]))


def test_neither_an_outlier_nor_rare_values_are_a_difference_of_scale():
    X = np.random.default_rng(0).normal(size=(200, 3))
    X[5, 1] = 1e6
    X[:, 2] = np.arange(200) < 3  # one in a hundred differs
    assert not warned(sc.FuzzyCMeans(2, random_state=0), X)
