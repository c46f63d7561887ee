"""Brier score, Brier skill and calibration: hand-computed values, limits, and scikit-learn's score."""

from itertools import permutations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_iris
from sklearn.metrics import brier_score_loss

from softclust import FuzzyCMeans
from softclust.metrics import (
    brier_score,
    brier_skill,
    calibration_table,
    expected_calibration_error,
    matched_accuracy,
)

MEASURES = [brier_score, brier_skill, expected_calibration_error]
seeds = st.integers(0, 2**32 - 1)


def draw(seed, n=40, c=3, classes=None):
    """Memberships, and classes of which each is met at least once."""
    rng = np.random.default_rng(seed)
    classes = c if classes is None else classes
    return rng.dirichlet(np.ones(c), size=n), rng.permutation(np.arange(n) % classes)


# ---------------------------------------------------------------------- values
def test_a_brier_score_by_hand():
    """((.4, .3, .1), (.2, .5, .3), (.3, .3, .6)) away: (.26 + .38 + .54) / 6; the shares score 1/3."""
    U = [[0.6, 0.3, 0.1], [0.2, 0.5, 0.3], [0.3, 0.3, 0.4]]
    assert_allclose(brier_score(U, [0, 1, 2]), (0.26 + 0.38 + 0.54) / 6)
    assert_allclose(brier_skill(U, [0, 1, 2]), 1 - 3 * (0.26 + 0.38 + 0.54) / 6)


def test_clusters_and_classes_in_unlike_numbers():
    """An unmatched cluster is a column without truth; an unmatched class a column without memberships."""
    U = [[0.6, 0.3, 0.1], [0.1, 0.8, 0.1]]
    assert_allclose(brier_score(U, ["a", "b"]), (0.16 + 0.09 + 0.01 + 0.01 + 0.04 + 0.01) / 4)
    assert_allclose(brier_score([[1.0], [1.0], [1.0]], [0, 0, 1]), (0 + 0 + 2) / 6)
    assert_allclose(brier_skill([[1.0], [1.0], [1.0]], [0, 0, 1]), 1 - (1 / 3) / (2 / 9))


def test_a_calibration_table_by_hand():
    U = [[0.9, 0.1], [0.8, 0.2], [0.4, 0.6], [0.55, 0.45], [0.0, 1.0]]
    table = calibration_table(U, [0, 0, 1, 1, 1], bins=5)
    assert_allclose(table.edges, [0, 0.2, 0.4, 0.6, 0.8, 1])
    assert_array_equal(table.count, [0, 0, 2, 1, 2])
    assert_allclose(table.confidence, [np.nan, np.nan, 0.575, 0.8, 0.95])
    assert_allclose(table.accuracy, [np.nan, np.nan, 0.5, 1, 1])
    assert_allclose(table.expected_calibration_error, (2 * 0.075 + 0.2 + 2 * 0.05) / 5)
    frame = table.to_frame()
    assert list(frame) == ["above", "to", "confidence", "accuracy", "count"]
    assert_array_equal(frame["count"], table.count)


@settings(max_examples=30)
@given(seed=seeds, c=st.integers(2, 6))
def test_scikit_learn_has_the_same_score(seed, c):
    U, y = draw(seed, c=c)
    weight = np.random.default_rng(seed).uniform(0.1, 3, len(y))
    ours = brier_score(U, y, match=False, sample_weight=weight)
    peer = brier_score_loss(y, U, sample_weight=weight, scale_by_half=True, labels=range(c))
    assert_allclose(ours, peer, rtol=1e-12)
    if c == 2:
        assert_allclose(ours, brier_score_loss(y, U[:, 1], sample_weight=weight), rtol=1e-12)


@settings(max_examples=30)
@given(seed=seeds, c=st.integers(1, 4))
def test_the_matching_has_the_least_score(seed, c):
    U, y = draw(seed, c=c)
    every = [brier_score(U[:, list(order)], y, match=False) for order in permutations(range(c))]
    assert_allclose(brier_score(U, y), min(every), rtol=1e-12)


# ---------------------------------------------------------------------- limits
@pytest.mark.parametrize("c", [2, 3, 7])
def test_ends_of_the_ranges(c):
    y = np.arange(5 * c) % c
    right, even = np.eye(c)[y], np.full((5 * c, c), 1 / c)
    assert [f(right, y) for f in MEASURES] == [0, 1, 0]
    assert brier_score(np.eye(c)[(y + 1) % c], y, match=False) == 1
    assert_allclose(brier_skill(even, y), 0, atol=1e-14)
    assert_allclose(expected_calibration_error(even, y), 0, atol=1e-14)


def test_memberships_equal_to_the_shares_have_no_skill():
    y = [0, 0, 0, 1, 2]
    assert_allclose(brier_skill(np.tile([0.6, 0.2, 0.2], (5, 1)), y), 0, atol=1e-14)


def test_one_class_has_a_perfect_reference():
    assert brier_skill([[1.0], [1.0]], ["a", "a"]) == 0
    assert brier_skill([[0.9, 0.1], [1.0, 0.0]], ["a", "a"]) == -np.inf


@settings(max_examples=30)
@given(seed=seeds, c=st.integers(1, 5), classes=st.integers(2, 5))
def test_bounds(seed, c, classes):
    U, y = draw(seed, c=c, classes=classes)
    for match in (True, False):
        assert 0 <= brier_score(U, y, match=match) <= 1
        assert brier_skill(U, y, match=match) <= 1
        assert 0 <= expected_calibration_error(U, y, match=match) <= 1
        assert calibration_table(U, y, match=match).count.sum() == len(y)


# ---------------------------------------------------------------------- what leaves them as they are
@pytest.mark.parametrize("measure", MEASURES)
@settings(max_examples=20)
@given(seed=seeds, classes=st.integers(2, 5))
def test_order_of_clusters_rows_and_classes(measure, seed, classes):
    U, y = draw(seed, classes=classes)
    rng = np.random.default_rng(seed)
    columns, rows, names = rng.permutation(3), rng.permutation(len(y)), rng.permutation(classes)
    expected = measure(U, y)
    assert_allclose(measure(U[:, columns], y), expected, rtol=1e-12)
    assert_allclose(measure(U[rows], y[rows]), expected, rtol=1e-12)
    assert_allclose(measure(U, names[y]), expected, rtol=1e-12)
    assert_allclose(measure(U, np.array(["a", "b", "c", "d", "e"])[y]), expected, rtol=1e-12)


@pytest.mark.parametrize("measure", MEASURES)
@settings(max_examples=20)
@given(seed=seeds)
def test_a_weight_is_a_number_of_copies(measure, seed):
    U, y = draw(seed)
    weight = np.random.default_rng(seed).integers(0, 4, len(y))
    weight[:3] = 1
    copied = measure(np.repeat(U, weight, axis=0), np.repeat(y, weight))
    assert_allclose(measure(U, y, sample_weight=weight), copied, rtol=1e-12)


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("missing", [-1, None, np.nan, pd.NA])
def test_rows_without_a_class_are_left_out(measure, missing):
    U, y = draw(0)
    weight = np.arange(1.0, 41)
    known = np.arange(40) % 4 > 0
    some = y.astype(object)
    some[~known] = missing
    expected = measure(U[known], y[known], sample_weight=weight[known])
    assert measure(U, some, sample_weight=weight) == expected
    assert measure(U, np.where(known, y, -1), sample_weight=weight) == expected
    assert measure(U, np.where(known, y, np.nan), sample_weight=weight) == expected


def test_columns_are_classes_by_name_or_by_place():
    """Without matching, classes among 0..c-1 name their columns; other classes have columns in order."""
    U = [[0.7, 0.2, 0.1], [0.1, 0.2, 0.7]]
    assert_allclose(brier_score(U, [0, 2], match=False), (0.09 + 0.04 + 0.01) / 2)
    assert_allclose(brier_score(U, ["a", "c"], match=False), (0.14 + 0.01 + 0.64 + 0.49) / 4)
    assert_allclose(brier_score([[1.0], [1.0]], ["a", "b"], match=False), (0 + 2) / 4)


def test_memberships_of_a_fit_have_more_skill_than_its_labels():
    X, y = load_iris(return_X_y=True)
    model = FuzzyCMeans(3, random_state=0).fit(X)
    hard = np.eye(3)[model.labels_]
    assert brier_skill(model.memberships_, y) > brier_skill(hard, y) > 0.6
    assert_allclose(calibration_table(hard, y).accuracy[-1], matched_accuracy(y, model.labels_))


# ---------------------------------------------------------------------- errors
@pytest.mark.parametrize("measure", [*MEASURES, calibration_table])
def test_errors_name_the_argument(measure):
    U, y = draw(0)
    with pytest.raises(ValueError, match=r"memberships\[0\] sums to 2"):
        measure(2 * U, y)
    with pytest.raises(ValueError, match=r"truth has the shape \(39,\), but a class for each of 40 rows"):
        measure(U, y[1:])
    with pytest.raises(ValueError, match="truth has the shape"):
        measure(U, U)
    with pytest.raises(ValueError, match="truth names no class"):
        measure(U, np.full(40, -1))
    with pytest.raises(ValueError, match="truth mixes labels that have no order"):
        measure(U, np.array(["a", 1] * 20, dtype=object))
    with pytest.raises(ValueError, match=r"sample_weight\.shape"):
        measure(U, y, sample_weight=[1.0])
    with pytest.raises(ValueError, match="sample_weight is 0 for every row with a class"):
        measure(U, np.where(np.arange(40) < 1, 0, -1), sample_weight=np.arange(40.0))


@pytest.mark.parametrize("bins", [0, 2.5, True, "ten", None, 10**7])
def test_errors_of_bins(bins):
    U, y = draw(0)
    with pytest.raises(ValueError, match=r"bins=.* does not fit; it is a whole number"):
        calibration_table(U, y, bins=bins)
