"""A scorer of held-out labels, alone and in scikit-learn's search."""

from functools import partial

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.model_selection import GridSearchCV, KFold, StratifiedKFold

from softclust import EvidentialCMeans, FuzzyCMeans, FuzzyLabelSpreading, GaussianMixture, KMedoids
from softclust.metrics import label_score

X, TRUTH = load_iris(return_X_y=True)
KNOWN = np.arange(150) % 4 == 0
Y = np.where(KNOWN, TRUTH, -1)
FOLDS = StratifiedKFold(3, shuffle=True, random_state=0)


class Told:
    """An estimator that predicts given memberships."""

    def __init__(self, U, classes):
        self.U, self.classes_ = np.array(U), np.array(classes, dtype=object)

    def predict_proba(self, X):
        return self.U


def test_by_hand():
    told = Told([[0.7, 0.2, 0.1], [0.1, 0.3, 0.6], [0.2, 0.4, 0.4]], ["a", "b", "c"])
    assert label_score(told, None, ["a", "b", "b"]) == 2 / 3
    log = label_score(told, None, ["a", "b", "b"], kind="log")
    assert np.isclose(log, np.log([0.7, 0.3, 0.4]).mean())
    assert label_score(told, None, ["a", "b", "b"], sample_weight=[1, 2, 1]) == 1 / 2
    assert label_score(told, None, np.array(["a", None, None], dtype=object)) == 1
    assert label_score(told, None, ["z", "z", "z"]) == 0
    assert np.isclose(label_score(told, None, ["z", "z", "z"], kind="log"), np.log(1e-12))


def test_clusters_of_one_class_add_up_and_nameless_ones_are_shared():
    told = Told([[0.3, 0.3, 0.4, 0.0]], ["a", "a", "b", None])
    assert label_score(told, None, ["a"]) == 1
    assert np.isclose(label_score(told, None, ["a"], kind="log"), np.log(0.6))
    told = Told([[0.1, 0.2, 0.0, 0.7]], ["a", "a", "b", None])
    assert np.isclose(label_score(told, None, ["b"], kind="log"), np.log(0.35))


@pytest.mark.parametrize("kind", ["accuracy", "log"])
def test_a_search_over_m_and_clusters_finds_the_classes(kind):
    grid = {"m": [1.2, 2.0, 4.0], "n_clusters": [3, 5, 8]}
    scorer = partial(label_score, kind=kind)
    search = GridSearchCV(FuzzyCMeans(random_state=0), grid, scoring=scorer, cv=FOLDS, error_score="raise")
    search.fit(X, Y)
    assert search.best_params_["n_clusters"] == 3
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()
    if kind == "accuracy":
        assert search.best_score_ > 0.85
    held_out = ~KNOWN
    assert label_score(search.best_estimator_, X[held_out], TRUTH[held_out]) > 0.85


def test_a_search_with_names_and_none():
    names = np.array(["setosa", "versicolor", "virginica"], dtype=object)[TRUTH]
    names[~KNOWN] = None
    grid = {"m": [1.5, 2.0], "n_clusters": [3, 5]}
    folds = KFold(3, shuffle=True, random_state=0)
    search = GridSearchCV(
        FuzzyCMeans(random_state=0), grid, scoring=label_score, cv=folds, error_score="raise"
    )
    assert search.fit(X, names).best_params_["n_clusters"] == 3
    assert search.score(X, names) > 0.85


def test_the_objective_would_choose_the_most_clusters_and_the_greatest_m():
    grid = {"m": [1.2, 2.0, 4.0], "n_clusters": [3, 5, 8]}
    search = GridSearchCV(FuzzyCMeans(random_state=0), grid, cv=FOLDS, error_score="raise").fit(X, Y)
    assert search.best_params_ == {"m": 4.0, "n_clusters": 8}


@pytest.mark.parametrize("cls", [EvidentialCMeans, GaussianMixture, FuzzyLabelSpreading])
def test_other_families(cls):
    model = cls(random_state=0) if cls is FuzzyLabelSpreading else cls(3, random_state=0)
    model.fit(X, Y)
    assert label_score(model, X[~KNOWN], TRUTH[~KNOWN]) > 0.8
    assert -1 < label_score(model, X[~KNOWN], TRUTH[~KNOWN], kind="log") < 0


def test_names_as_classes():
    names = np.array(["setosa", "versicolor", "virginica"], dtype=object)[TRUTH]
    y = names.copy()
    y[~KNOWN] = None
    model = FuzzyCMeans(4, random_state=0).fit(X, y)
    assert list(model.classes_).count(None) == 1
    assert label_score(model, X[~KNOWN], names[~KNOWN]) > 0.7


@pytest.mark.parametrize(
    ("y", "more", "words"),
    [
        ([-1, -1, -1], {}, "None of the 3 rows has a label to score"),
        ([0, 1, 2], {"kind": "beauty"}, "kind='beauty' is not known; accuracy and log are."),
        (np.eye(3), {}, r"y has the shape \(3, 3\)"),
        ([0, 1], {}, "X has 3 rows and y 2"),
    ],
)
def test_what_does_not_fit_is_refused(y, more, words):
    told = Told(np.eye(3), [0, 1, 2])
    with pytest.raises(ValueError, match=words):
        label_score(told, None, y, **more)


def test_an_estimator_without_classes_is_refused():
    model = KMedoids(3, random_state=0).fit(X)
    with pytest.raises(ValueError, match="KMedoids has no classes_"):
        label_score(model, X, TRUTH)
