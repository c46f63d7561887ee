"""Estimators without parameters: no collapse, nothing silent, labels that agree with memberships."""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, make_blobs
from sklearn.metrics import adjusted_rand_score, roc_auc_score
from sklearn.preprocessing import scale

import softclust
from configurations import ESTIMATORS, few_shells
from softclust import DegenerateClusterWarning
from softclust.metrics import brier_skill
from softclust.sources.rows import rows_in_units
from softclust.sources.spread import effective_dimension

SOFT = [cls for cls in ESTIMATORS if cls is not softclust.HardCMeans]


def exponent(model):
    return model.beta_ if hasattr(model, "beta_") else model.m_


def literal_exponent(X):
    """m = 1 + 2 / p_eff, p_eff = 1 / tr(F^2), F the mean of zz'/|z|^2 about the spatial median."""
    centre = np.median(X, axis=0)
    for _ in range(1000):
        pull = 1 / np.maximum(np.linalg.norm(X - centre, axis=1), 1e-12)
        centre = pull @ X / pull.sum()
    F = np.zeros((X.shape[1], X.shape[1]))
    for z in X - centre:
        F += np.outer(z, z) / (z @ z) / len(X)
    return min(max(1 + 2 * np.trace(F @ F), 1.01), 2.0)


@pytest.fixture(scope="module")
def digits():
    X, y = load_digits(return_X_y=True)
    return scale(X), y


@pytest.mark.parametrize("cls", SOFT)
def test_the_exponent_is_that_of_the_rule(cls, digits):
    X = digits[0][:300, :20] + 1e-3 * np.arange(20)
    model = cls(3, random_state=0).fit(X)
    assert_allclose(exponent(model) - 1, literal_exponent(X) - 1, rtol=2e-3)
    assert getattr(model, "eta_", exponent(model)) == exponent(model)
    if cls is softclust.EvidentialCMeans:
        assert model.cardinality_power_ == 2 * (model.beta_ - 1)


@pytest.mark.parametrize("cls", SOFT)
def test_in_the_plane_and_on_iris_it_is_2(cls):
    X = load_iris().data
    assert exponent(cls(3, random_state=0).fit(X)) == 2
    assert exponent(cls(3, random_state=0).fit(X[:, :2])) == 2
    assert_array_equal(
        softclust.FuzzyCMeans(3, random_state=0).fit(X).cluster_centers_,
        softclust.make("fcm", 3, random_state=0).fit(X).cluster_centers_,
    )


def test_an_exponent_that_is_given_is_kept(digits):
    assert softclust.FuzzyCMeans(10, m=1.1, random_state=0).fit(digits[0]).m_ == 1.1
    assert softclust.EvidentialCMeans(3, beta=1.5, random_state=0).fit(load_iris().data).beta_ == 1.5


@pytest.mark.parametrize("cls", SOFT)
@pytest.mark.filterwarnings("ignore")
def test_digits_do_not_fall_together(cls, digits):
    X, y = digits
    model = cls(10, random_state=0).fit(X)
    least = 0.25 if cls is softclust.PossibilisticCMeans else 0.45
    assert adjusted_rand_score(y, model.labels_) > least  # m = 2 gives .22
    assert brier_skill(model.memberships_, y) > 0.1


@pytest.mark.parametrize("p", [2, 8, 64, 256])
@pytest.mark.parametrize("cls", SOFT)
def test_blobs_in_any_dimension(cls, p):
    X, y = make_blobs(400, p, centers=4, cluster_std=0.5, center_box=(-9, 9), random_state=2)
    model = cls(4, random_state=0).fit(scale(X))
    assert adjusted_rand_score(y, model.labels_) > 0.98


def test_one_outlier_in_a_hundred_changes_little():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((2000, 40))
    X[:20] += 1000 * rng.standard_normal(40)
    from softclust.sources import source_of

    found = effective_dimension(source_of(rows_in_units(X, None), 1))
    assert 36 < found <= 40


@pytest.mark.filterwarnings("ignore")
@pytest.mark.usefixtures("few_starts_of_shells")
@pytest.mark.parametrize(
    ("name", "factory"),
    [pytest.param(name, make, id=name, marks=marks) for name, make, marks in few_shells()],
)
def test_labels_are_the_likeliest_clusters(name, factory):
    X = scale(load_iris().data)
    model = factory(n_clusters=3, max_iter=10)  # wherever it is by then
    try:
        model.fit(X)
    except ValueError as error:
        pytest.skip(str(error))
    assert_array_equal(model.predict(X), model.predict_proba(X).argmax(axis=1))
    far = np.array([[1e3, -1e3, 50.0, 1.0], [1e6, 1e6, 1e6, 1e6], [0.0, 1e8, 0.0, -1e8]])
    assert_array_equal(model.predict(far), model.predict_proba(far).argmax(axis=1))
    y = np.full(150, -1)
    y[::10] = np.repeat([0, 1, 2], 5)
    y[[3, 60]] = 2  # wrong ones
    try:
        model.fit(X, y)
    except ValueError:
        return
    # Labels of PFCM act on the typicalities alone; its memberships do not know them.
    if name == "PossibilisticFuzzyCMeans-unlabelled=zero":  # a label of no cluster for all other rows
        return
    free = y == -1 if isinstance(model, softclust.PossibilisticFuzzyCMeans) else slice(None)
    assert_array_equal(model.labels_[free], model.memberships_[free].argmax(axis=1))


# ---------------------------------------------------------------------- nothing silent
def test_clusters_that_fall_together_are_named():
    X = scale(load_breast_cancer().data)
    with pytest.warns(DegenerateClusterWarning):
        model = softclust.PossibilisticCMeans(2, m=1.5, scale_factor=0.2, random_state=0).fit(X)
    assert len(np.unique(model.labels_)) == 1


def test_clusters_without_rows_are_named():
    X = np.array([[0.0, 0], [0, 1], [1, 0], [9, 9], [9, 8], [8, 9]])
    with pytest.warns(DegenerateClusterWarning, match="Cluster 2 is the likeliest of no row"):
        softclust.FuzzyCMeans(3, init=[[0, 0], [9, 9], [400.0, -380]], max_iter=1, tol=1e9, m=2).fit(X)


@pytest.mark.parametrize("cls", SOFT)
def test_no_warning_where_all_is_well(cls, blobs):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        cls(3, random_state=0).fit(blobs[0])


# ---------------------------------------------------------------------- outliers
def literal_scores(D, shares, width, freedom):
    """1 - [sum_k pi_k (1 + d_k^2 / s^2)^-e]^(1/e), e = (p_eff + 1)/2."""
    e, s2, shares = (freedom + 1) / 2, shares @ width / shares.sum(), shares / shares.max()
    return np.array(
        [
            1 - sum(pi * (1 + d * d / s2) ** -e for pi, d in zip(shares, row, strict=True)) ** (1 / e)
            for row in D
        ]
    )


def test_outlier_scores_are_those_of_heavy_tails(blobs):
    X = blobs[0]
    model = softclust.FuzzyCMeans(3, m=2.0, random_state=0).fit(X)
    freedom = effective_dimension(model._source(X))
    W = model.memberships_**2
    wanted = literal_scores(model.transform(X), W.sum(axis=0), model.scale_, freedom)
    assert_allclose(model.outlier_scores_, np.maximum(wanted, 0), rtol=1e-9, atol=1e-12)
    far = np.array([[1e5, 1e5], [1e9, 0.0]])
    scores = model.outlier_score(far)
    assert (scores > 0.99).all()
    assert (scores <= 1).all()


@pytest.mark.parametrize("cls", ESTIMATORS)
@pytest.mark.filterwarnings("ignore")
def test_outliers_are_found(cls):
    rng = np.random.default_rng(0)
    X, _ = make_blobs(500, 10, centers=4, cluster_std=2.0, random_state=1)
    noise = rng.uniform(X.min(axis=0) - 3, X.max(axis=0) + 3, (40, 10))
    model = cls(4, random_state=0).fit(scale(np.vstack([X, noise])))
    assert roc_auc_score(np.arange(540) >= 500, model.outlier_scores_) > 0.9


# ---------------------------------------------------------------------- other packages
@pytest.mark.parametrize("cls", [*ESTIMATORS, softclust.GaussianMixture, softclust.KMedoids])
def test_floating_point_errors_that_someone_made_raise(cls):
    X = load_iris().data
    pairs = {"must_link": [[0, 1], [2, 60]], "cannot_link": [[0, 140]]}
    links = cls in (softclust.HardCMeans, softclust.FuzzyCMeans, softclust.GaussianMixture)
    with np.errstate(all="raise"), warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        model = cls(3, random_state=0).fit(X, **(pairs if links else {}))
        model.predict(1e150 * X)
        model.predict_proba(X)
        model.transform(X)
        assert np.geterr()["under"] == "raise"


@pytest.mark.parametrize("cls", [softclust.FuzzyCMeans, softclust.GaussianMixture, softclust.KMedoids])
def test_scores_and_choices_where_someone_made_errors_raise(cls):
    """A subnormal number, and a row far from all others, let products underflow."""
    X = np.vstack([load_iris().data[:, :2], [[1e5, 1e-9], [1e-320, 0.0]]])
    with np.errstate(all="raise"), warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        model = cls(3, random_state=0).fit(X)
        assert np.isfinite(model.score(np.vstack([X, [[1e-310, 1e30]]])))
        assert len(softclust.select(model, X, n_clusters=[2, 3], n_jobs=2).estimators) == 2
        assert str(softclust.explain(model, X, 151))
