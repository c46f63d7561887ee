"""Choosing the number of clusters and parameters."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from configurations import EVIDENTIAL, FUZZY, HARD, MIXTURE, POSSIBILISTIC
from softclust import KMedoids
from softclust.metrics import INDICES, brier_skill, validity
from softclust.selection import Selection, select


@pytest.mark.parametrize("cls", [HARD, FUZZY, EVIDENTIAL, MIXTURE, KMedoids], ids=lambda c: c.__name__)
def test_three_blobs_are_three(cls, blobs):
    X, _ = blobs
    found = select(cls(random_state=0), X, n_clusters=range(2, 7))
    assert found.best_params_ == {"n_clusters": 3}
    assert found.votes().argmax() == 1
    assert len(np.unique(found.best_estimator_.labels_)) == 3
    assert found.recommendation().params == {"n_clusters": 3}
    for name, value in validity(found.estimators[1], X).items():
        assert_array_equal(found.values[name][1], value)


def test_parameters_are_tried_in_all_combinations(blobs):
    X, _ = blobs
    told = []
    found = select(
        FUZZY(random_state=0), X, n_clusters=[2, 3], parameters={"m": [1.5, 2.0, 3.0]},
        progress=lambda done, total: told.append((done, total)), index="xie_beni",
    )  # fmt: skip
    assert len(found.settings) == 6
    assert told == [(i, 6) for i in range(1, 7)]
    assert found.settings[found.place()] == found.best_params_
    assert found.best_params_["n_clusters"] == 3
    frame = found.to_frame()
    assert list(frame.columns[:2]) == ["n_clusters", "m"]
    assert set(frame.columns[2:]) <= set(INDICES)


def test_side_by_side_is_the_same(blobs):
    X, y = blobs
    y = np.where(np.arange(150) < 5, y, -1)
    weight = np.random.default_rng(0).uniform(0.5, 2, 150)
    one = select(POSSIBILISTIC(random_state=0), X, y, n_clusters=[3, 4], sample_weight=weight)
    two = select(POSSIBILISTIC(random_state=0), X, y, n_clusters=[3, 4], sample_weight=weight, n_jobs=2)
    for name in one.values:
        assert_array_equal(one.values[name], two.values[name])


def test_a_setting_that_is_refused_is_told(blobs):
    X, _ = blobs
    found = select(FUZZY(random_state=0), X[:5], n_clusters=[2, 3, 9])
    assert list(found.errors) == [2]
    assert "n_clusters=9" in found.errors[2]
    assert found.estimators[2] is None
    assert np.isnan(found.values["xie_beni"][2])
    with pytest.raises(ValueError, match=r"No setting could be fitted.*n_clusters=9"):
        select(FUZZY(), X[:5], n_clusters=[9])


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"index": "beauty"}, "index='beauty' is not known"),
        ({"index": "nonspecificity"}, "does not apply to FuzzyCMeans"),
        ({"parameters": {"size": [1]}}, "FuzzyCMeans has no parameter 'size'"),
        ({"n_clusters": []}, "no value of n_clusters"),
        ({"stability": -1}, "stability=-1 does not fit"),
        ({"stability": 1}, "stability=1 compares nothing"),
        ({"index": "stability"}, "index='stability' needs samples"),
        ({"index": "accuracy"}, "index='accuracy' does not apply"),
        ({"truth": [0, 1]}, r"truth has the shape \(2,\), but a class for each of 150 rows"),
        ({"truth": np.full(150, -1)}, "truth names no class"),
    ],
)
def test_what_does_not_fit_is_refused(changes, words, blobs):
    with pytest.raises(ValueError, match=words):
        select(FUZZY(random_state=0), blobs[0], **{"n_clusters": [2], **changes})


def test_an_index_that_was_not_computed(blobs):
    found = select(FUZZY(random_state=0), blobs[0], n_clusters=[2, 3])
    with pytest.raises(ValueError, match="was not computed"):
        found.place("nonspecificity")


# ---------------------------------------------------------------------- mixtures, stability, classes
def test_mixtures_are_chosen_by_bic(blobs):
    X, _ = blobs
    found = select(MIXTURE(random_state=0), X, n_clusters=range(2, 6), index="bic")
    assert found.best_params_ == {"n_clusters": 3}
    for name in ("bic", "aic"):
        assert_array_equal(found.values[name], [getattr(model, name)(X) for model in found.estimators])
        assert not found.greater_is_better[name]
    said = found.recommendation()
    assert said.params == {"n_clusters": 3} and "which BIC prefers" in said.sentences[0]
    with pytest.raises(ValueError, match="index='bic' does not apply to FuzzyCMeans"):
        select(FUZZY(random_state=0), X, n_clusters=[2, 3], index="bic")


def test_weights_count_rows_in_bic(blobs):
    X, _ = blobs
    weight = np.arange(150) % 3 + 1
    heavy = select(MIXTURE(random_state=0), X, n_clusters=[2, 3], sample_weight=weight)
    for model, bic, aic in zip(heavy.estimators, heavy.values["bic"], heavy.values["aic"], strict=True):
        many = np.repeat(X, weight, axis=0)
        np.testing.assert_allclose([bic, aic], [model.bic(many), model.aic(many)])


def test_stability_is_the_agreement_of_samples(blobs):
    X, _ = blobs
    told = []
    found = select(
        FUZZY(random_state=0), X, n_clusters=[2, 3, 5], stability=6, index="stability",
        progress=lambda done, total: told.append((done, total)),
    )  # fmt: skip
    assert told == [(i, 21) for i in range(1, 22)]
    values = found.values["stability"]
    assert values[1] == 1.0 and values[2] < 0.95
    assert found.best_params_["n_clusters"] in (2, 3)
    again = select(FUZZY(random_state=0), X, n_clusters=[2, 3, 5], stability=6, n_jobs=2)
    assert_array_equal(again.values["stability"], values)
    other = select(FUZZY(random_state=0), X, n_clusters=[5], stability=6, random_state=1)
    assert other.values["stability"][0] != values[2]


def test_stability_by_hand(blobs):
    """Two samples of 80 % of the rows, fitted and compared without the library's help."""
    from sklearn.metrics import adjusted_rand_score

    from softclust.selection.stability import samples

    X, _ = blobs
    first, second = samples(X, None, None, {}, 2, 0, square=False)
    assert len(first.rows) == len(second.rows) == 120 and len(np.intersect1d(first.rows, second.rows)) < 120
    assert_array_equal(first.X, X[first.rows])
    clusters = np.full((2, len(X)), -1)
    for k, one in enumerate((first, second)):
        clusters[k, one.rows] = FUZZY(5, random_state=0).fit(X[one.rows]).labels_
    both = (clusters >= 0).all(axis=0)
    found = select(FUZZY(random_state=0), X, n_clusters=[5], stability=2)
    assert found.values["stability"][0] == adjusted_rand_score(*clusters[:, both])


def test_samples_keep_labels_weights_and_pairs_of_their_rows():
    from softclust.selection.stability import samples

    n = 50
    X, y, weight = np.arange(n)[:, None] * 1.0, np.arange(n), np.arange(n) + 0.5
    pairs = np.array([(i, i + 1) for i in range(0, n, 2)])
    for one in samples(X, y, weight, {"must_link": pairs, "cannot_link": None}, 3, 0, square=False):
        assert_array_equal(one.y, one.rows)
        assert_array_equal(one.sample_weight, one.rows + 0.5)
        kept = one.rows[one.known["must_link"][:, :2].astype(int)]
        expected = pairs[np.isin(pairs, one.rows).all(axis=1)]
        assert_array_equal(kept, expected)
        assert one.known["cannot_link"] is None
    D = np.abs(X - X.T)
    for one in samples(D, None, None, {}, 2, 0, square=True):
        assert_array_equal(one.X, np.abs(one.rows[:, None] - one.rows))


def test_stability_of_medoids_from_distances(blobs):
    X, _ = blobs
    D = np.linalg.norm(X[:, None] - X, axis=2)
    model = KMedoids(metric="precomputed", random_state=0)
    found = select(model, D, n_clusters=[2, 3], stability=3, index="stability")
    assert found.values["stability"][1] == 1.0


def test_known_classes_are_compared(blobs):
    X, y = blobs
    known = np.where(np.arange(150) % 3 == 0, y, -1)
    found = select(FUZZY(random_state=0), X, n_clusters=[2, 3, 4], truth=known)
    assert found.values["accuracy"].argmax() == 1 and found.values["accuracy"][1] == 1.0
    assert 0.9 < found.values["brier_skill"][1] <= 1
    assert (found.values["brier_skill"][[0, 2]] < found.values["brier_skill"][1]).all()
    assert "known classes" in found.recommendation().sentences[0]
    assert found.votes().sum() == len(found.values) - 2 - len(found.flat)
    seen = select(FUZZY(random_state=0), X, known, n_clusters=[3, 4], index="brier_skill")
    assert seen.best_params_ == {"n_clusters": 3}
    none = select(FUZZY(random_state=0), X, np.full(150, -1), n_clusters=[3, 4])
    assert "accuracy" not in none.values


def test_fewer_clusters_than_classes_are_no_setting(blobs):
    X, y = blobs
    found = select(FUZZY(random_state=0), X, y, n_clusters=[2, 3])
    assert list(found.errors) == [0] and "more than 2 classes" in found.errors[0]
    assert found.recommendation().params == {"n_clusters": 3}


def test_a_setting_without_a_fit_has_no_stability(blobs):
    X, y = blobs
    found = select(FUZZY(random_state=0), X, y, n_clusters=[2, 3], stability=2)
    assert list(found.errors) == [0]
    assert_array_equal(np.isnan(found.values["stability"]), [True, False])
    assert found.votes()[0] == 0


def test_several_clusters_of_a_class_count_as_one(blobs):
    X, y = blobs
    found = select(FUZZY(clusters_per_class=2, random_state=0), X, y, n_clusters=[2, 3], stability=0)
    assert list(found.errors) == [0]
    model = found.estimators[1]
    assert model.n_clusters_ == 6
    U = np.asarray(model.memberships_).reshape(len(X), 3, 2).sum(axis=2)
    assert found.values["accuracy"][1] == (model.labels_ // 2 == y).mean() > 0.9
    assert found.values["brier_skill"][1] == pytest.approx(brier_skill(U, y))


def test_flat_indices_have_no_vote():
    values = {
        "xie_beni": np.array([1.0, 0.5, 2.0]),
        "kwon": np.array([3.0, 2.0, np.nan]),
        "partition_density": np.zeros(3),
        "tang": np.array([np.nan, np.nan, 4.0]),
        "fuzzy_silhouette": np.array([0.1, 0.2, 0.3]),
    }
    found = Selection([{"n_clusters": c} for c in (2, 3, 4)], values, [None] * 3, {}, "xie_beni")
    assert found.flat == ["partition_density", "tang"]
    assert found.votes().tolist() == [0, 2, 1]
    said = found.recommendation()
    assert said.place == 1 and said.params == {"n_clusters": 3} and np.isclose(said.agreement, 2 / 3)
    assert str(said).startswith(
        "Recommended: 3 clusters, the choice of 2 of 3 indices.\nMost indices agree"
    )


def test_a_recommendation_tells_disagreement_instability_and_the_edge():
    values = {
        "xie_beni": np.array([1.0, 0.5, 0.2]),
        "kwon": np.array([1.0, 2.0, 3.0]),
        "tang": np.array([2.0, 1.0, 3.0]),
        "stability": np.array([0.9, 0.95, 0.3]),
        "fuzzy_silhouette": np.array([0.1, 0.2, 0.3]),
        "partition_density": np.array([2.0, 1.0, 1.0]),
    }
    found = Selection([{"n_clusters": c} for c in (2, 3, 4)], values, [None] * 3, {}, "xie_beni")
    assert found.votes().tolist() == [2, 2, 2]
    said = str(found.recommendation())
    for words in (
        "Recommended: 4 clusters",
        "The indices disagree",
        "not stable",
        "3 clusters reach 0.95",
        "4 is the largest number that was tried: try more.",
    ):
        assert words in said
    mixed = [{"n_clusters": 2, "m": m} for m in (1.5, 2.0, 3.0)]
    assert "n_clusters=2, m=3.0" in str(
        Selection(mixed, values, [None] * 3, {}, "xie_beni").recommendation()
    )


def test_one_setting_is_recommended_without_votes(blobs):
    found = select(FUZZY(random_state=0), blobs[0], n_clusters=[3])
    assert found.votes().tolist() == [0]
    assert found.recommendation().params == {"n_clusters": 3}
    assert np.isnan(found.recommendation().agreement)


@pytest.mark.parametrize("large", [1e11, -1e11])
def test_values_of_very_different_size_get_a_logarithmic_scale(large):
    from softclust.plotting import SelectionDisplay

    plt = headless()
    values = {"xie_beni": np.array([0.1, large, 0.3]), "kwon": np.array([1.0, 2.0, 1.5])}
    found = Selection([{"n_clusters": c} for c in (2, 3, 4)], values, [None] * 3, {}, "xie_beni")
    display = SelectionDisplay.from_selection(found)
    assert display.axes_["xie_beni"].get_yscale() == ("log" if large > 0 else "symlog")
    assert display.axes_["kwon"].get_yscale() == "linear"
    assert display.axes_["kwon"].get_title() == "kwon\nlow is good"
    display.figure_.canvas.draw()
    plt.close(display.figure_)


def headless():
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    return plt


def test_the_choice_is_drawn(blobs):
    from softclust.plotting import SelectionDisplay

    plt = headless()
    found = select(FUZZY(random_state=0), blobs[0], n_clusters=range(2, 6))
    display = SelectionDisplay.from_selection(found)
    assert set(display.axes_) == set(found.values)
    for name, ax in display.axes_.items():
        curve, mark = ax.lines
        assert_array_equal(curve.get_ydata(), found.values[name])
        assert mark.get_xdata()[0] == display.best_[name] == found.settings[found.place(name)]["n_clusters"]
    assert display.axes_[found.index].title.get_fontweight() == "bold"
    plt.close(display.figure_)
    mixed = select(FUZZY(random_state=0), blobs[0], n_clusters=[2, 3], parameters={"m": [2.0]})
    with pytest.raises(ValueError, match="numbers of clusters alone"):
        SelectionDisplay.from_selection(mixed)
