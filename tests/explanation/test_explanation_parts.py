"""The parts of an explanation add up to what the model itself measures, for every estimator."""

import numpy as np
import pytest
from sklearn.datasets import load_iris

import softclust
from configurations import EVIDENTIAL, FUZZY, HARD, IMPROVED, MIXED, MIXTURE, POSSIBILISTIC, catalogued
from softclust import explain

X = load_iris().data
ROWS = (0, 41, 70, 118, 149)
WEIGHTS = np.random.default_rng(0).uniform(0.1, 3, len(X))
MODELS = [
    *((cls, {"geometry": shape}) for cls in (HARD, FUZZY, POSSIBILISTIC, MIXED, IMPROVED) for shape in
      ("points", "ellipsoids", "mahalanobis", "lines", "planes")),
    (FUZZY, {"geometry": "directions"}),
    (FUZZY, {"geometry": "mahalanobis-refit"}),
    (FUZZY, {"fuzzifier": "polynomial"}),
    (FUZZY, {"noise_distance": 1.0}),
    (FUZZY, {"density_rate": "auto"}),
    (EVIDENTIAL, {}),
    (EVIDENTIAL, {"geometry": "ellipsoids"}),
    (softclust.KMedoids, {}),
    (softclust.KMedoids, {"metric": "sqeuclidean"}),
]  # fmt: skip


def squared(model, row):
    """The squared distances of a row, as the model tells them."""
    d = model.transform(X[row : row + 1])[0]
    return d if getattr(model, "metric", None) == "sqeuclidean" else d**2


@pytest.mark.filterwarnings("ignore")  # not every shape suits Iris, which is no matter here
@pytest.mark.parametrize(("cls", "parameters"), MODELS, ids=str)
@pytest.mark.parametrize("weight", [None, WEIGHTS], ids=["plain", "weights"])
def test_parts_add_up_to_the_difference_of_squared_distances(cls, parameters, weight):
    model = cls(n_clusters=3, random_state=0, **parameters).fit(X, sample_weight=weight)
    for row in ROWS:
        told, d = explain(model, X, row), squared(model, row)
        size = d[told.rival] + d[told.cluster]
        assert abs(told.contributions.sum() - (d[told.rival] - d[told.cluster])) <= 1e-12 * size
        assert told.difference == pytest.approx(told.contributions.sum(), abs=1e-13 * size)
        assert abs(told.offsets.sum() - d[told.cluster]) <= 1e-12 * size
        assert told.constants == {}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", [name for name, _ in catalogued()])
def test_every_named_method_is_explained_or_refused_in_a_sentence(name):
    model = softclust.make(name, n_clusters=3, random_state=0, max_iter=5)
    y = np.where(np.arange(150) % 10 == 0, load_iris().target, -1)
    model.fit(X, y if hasattr(model, "label_strength") else None)
    geometry = str(getattr(model, "geometry", ""))
    if "shells" in geometry:
        with pytest.raises(ValueError, match="no exact parts by feature: with geometry="):
            explain(model, X, 70)
        return
    told = explain(model, X, 70)
    joint = [*told.contributions, *told.constants.values()]
    assert abs(np.sum(joint) - told.difference) <= 1e-12 * np.abs(joint).sum()
    assert told.sentence.startswith("Row 70 ") and told.sentence.endswith(".")


@pytest.mark.parametrize("noise", [False, True])
@pytest.mark.parametrize("kind", ["full", "tied", "diag", "spherical"])
def test_parts_of_a_mixture_add_up_to_the_log_odds(kind, noise):
    from scipy.stats import multivariate_normal

    model = MIXTURE(3, covariance_type=kind, noise=noise, random_state=0).fit(X)
    p = X.shape[1]
    sigma = {
        "full": lambda k: model.covariances_[k],
        "tied": lambda k: model.covariances_,
        "diag": lambda k: np.diag(model.covariances_[k]),
        "spherical": lambda k: model.covariances_[k] * np.eye(p),
    }[kind]
    for row in ROWS:
        told = explain(model, X, row)
        d, joint = squared(model, row), []
        for k in (told.rival, told.cluster):
            density = multivariate_normal(model.means_[k], sigma(k)).logpdf(X[row])
            joint.append(-2 * (density + np.log(model.weights_[k])))
        assert set(told.constants) == {"log determinant", "log weight"}
        size = np.abs(joint).sum()
        total = told.contributions.sum() + sum(told.constants.values())
        assert abs(total - (joint[0] - joint[1])) <= 1e-12 * size
        assert abs(told.difference - total) <= 1e-13 * size
        assert abs(told.contributions.sum() - (d[told.rival] - d[told.cluster])) <= 1e-12 * d.sum()
        odds = np.log(told.predicted[told.cluster] / max(told.predicted[told.rival], 1e-300))
        if told.predicted[told.rival] > 1e-3:
            assert 2 * odds == pytest.approx(told.difference, rel=1e-9)
        if kind == "tied":
            assert told.constants["log determinant"] == 0


@pytest.mark.parametrize("exponent", [-500, -20, 20, 500])
def test_any_unit_gives_the_same_words(exponent):
    unit = 2.0**exponent
    for cls in (FUZZY, EVIDENTIAL):
        first = explain(cls(3, random_state=0).fit(X), X, 70)
        told = explain(
            cls(3, random_state=0).fit(X * unit), X * unit, 70, scaling=[[0] * 4, [1 / unit] * 4]
        )
        assert told.sentence == first.sentence
        assert (told.contributions / unit / unit == first.contributions).all()


@pytest.mark.parametrize("exponent", [-600, 600])
@pytest.mark.parametrize("cls", [FUZZY, softclust.KMedoids])
def test_squares_without_a_float_are_refused(cls, exponent):
    rows = X * 2.0**exponent
    with pytest.raises(ValueError, match="beyond the range of floats"):
        explain(cls(3, random_state=0).fit(rows), rows, 70)


def test_float32_rows_are_explained_in_double_precision():
    model = FUZZY(3, random_state=0).fit(X.astype(np.float32))
    told = explain(model, X.astype(np.float32), 70)
    d = model.transform(X[70:71])[0] ** 2
    assert told.difference == pytest.approx(d[told.rival] - d[told.cluster], rel=1e-5)
    assert told.contributions.dtype == np.float64


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("model", "words"),
    [
        (FUZZY(2, geometry="shells", max_iter=3, random_state=0), "geometry='shells'"),
        (FUZZY(2, geometry="radial-shells", max_iter=3, random_state=0), "geometry='radial-shells'"),
        (softclust.KMedoids(2, metric="manhattan"), "metric='manhattan'"),
        (softclust.FuzzyLabelSpreading(), "labelled rows, not from centres"),
    ],
)
def test_a_model_without_exact_parts_says_so(model, words):
    model.fit(X, load_iris().target)
    with pytest.raises(ValueError, match="has no exact parts by feature") as error:
        explain(model, X, 3)
    assert words in str(error.value)


def test_given_distances_have_no_features():
    distances = np.linalg.norm(X[:, None] - X, axis=2)
    model = softclust.KMedoids(2, metric="precomputed").fit(distances)
    with pytest.raises(ValueError, match="no exact parts by feature: with metric='precomputed'"):
        explain(model, distances, 3)
