"""Choosing the number of clusters and parameters."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from configurations import EVIDENTIAL, FUZZY, HARD, MIXTURE, POSSIBILISTIC
from softclust import KMedoids
from softclust.metrics import INDICES, validity
from softclust.selection import select


@pytest.mark.parametrize("cls", [HARD, FUZZY, EVIDENTIAL, MIXTURE, KMedoids], ids=lambda c: c.__name__)
def test_three_blobs_are_three(cls, blobs):
    X, _ = blobs
    found = select(cls(random_state=0), X, n_clusters=range(2, 7))
    assert found.best_params_ == {"n_clusters": 3}
    assert found.votes().argmax() == 1
    assert len(np.unique(found.best_estimator_.labels_)) == 3
    for name, values in found.values.items():
        assert_array_equal(values[1], validity(found.estimators[1], X)[name])


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
    ],
)
def test_what_does_not_fit_is_refused(changes, words, blobs):
    with pytest.raises(ValueError, match=words):
        select(FUZZY(random_state=0), blobs[0], **{"n_clusters": [2], **changes})


def test_an_index_that_was_not_computed(blobs):
    found = select(FUZZY(random_state=0), blobs[0], n_clusters=[2, 3])
    with pytest.raises(ValueError, match="was not computed"):
        found.place("nonspecificity")


def test_the_choice_is_drawn(blobs):
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    from softclust.plotting import SelectionDisplay

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
