"""Data at the edge of arithmetic: the right answer or a documented warning, never NaN, never a hang."""

import warnings

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score

from configurations import ESTIMATORS, FUZZY, HARD, IMPROVED, MIXED, POSSIBILISTIC, WITH_EXPONENT
from conftest import BLOB_MEANS, make_blobs
from softclust import (
    CentralDistance,
    DegenerateClusterWarning,
    EvidentialCMeans,
    FeatureScaleWarning,
    GaussianMixture,
    Repulsion,
)

every_estimator = pytest.mark.parametrize("cls", ESTIMATORS, ids=lambda cls: cls.__name__)
MODELS = {
    **{cls.__name__: (cls, {}) for cls in ESTIMATORS},
    "entropy": (POSSIBILISTIC, {"penalty": "entropy"}),
    "variant-1": (IMPROVED, {"variant": 1}),
    "m=1.3": (FUZZY, {"m": 1.3}),
    "eta=1.3": (MIXED, {"eta": 1.3}),
    "hard-noise": (HARD, {"noise_distance": 1.0}),
    "fuzzy-noise": (FUZZY, {"noise_distance": 1.0}),
    "mixed-noise": (MIXED, {"noise_distance": 1.0}),
    "density": (FUZZY, {"density_rate": "auto"}),
    "centre-density": (FUZZY, {"density_rate": "auto", "density_from": "centers"}),
    "cut": (POSSIBILISTIC, {"scale_cut": 0.5}),
    "merge": (POSSIBILISTIC, {"merge_coincident": True}),
    "repulsion": (POSSIBILISTIC, {"separation": Repulsion()}),
    "central-distance": (FUZZY, {"separation": CentralDistance()}),
    "squarem": (FUZZY, {"acceleration": "squarem"}),
    "anderson": (FUZZY, {"acceleration": "anderson"}),
    "random": (HARD, {"init": "random"}),
    "k-means||": (FUZZY, {"init": "k-means||"}),
}
KEY = [*list(MODELS)[:7], "fuzzy-noise", "density", "repulsion", "central-distance"]
all_models = pytest.mark.parametrize("model", MODELS)
every_model = pytest.mark.parametrize("model", KEY)


def make(model, **more):
    cls, parameters = MODELS[model]
    return cls(**{"n_clusters": 3, "random_state": 0, **parameters, **more})


def fit(estimator, X, *more, **named):
    """The fitted estimator; a warning that is not documented is an error."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", ConvergenceWarning)
        warnings.simplefilter("ignore", DegenerateClusterWarning)
        warnings.simplefilter("ignore", FeatureScaleWarning)
        return estimator.fit(X, *more, **named)


def assert_sound(model, X, *, tolerance=1e-12):
    """Everything finite, in range, and the same for rows that come again."""
    n, c = len(X), model.n_clusters_
    assert np.isfinite(model.cluster_centers_).all()
    assert not np.isnan(model.scale_).any()
    assert not np.isnan(model.objective_history_).any()
    assert model.memberships_.shape == (n, c)
    _assert_degrees(model.memberships_, model.outlier_scores_, tolerance)
    if hasattr(model, "typicalities_"):
        assert ((model.typicalities_ >= 0) & (model.typicalities_ <= 1)).all()
    assert set(model.labels_) <= set(range(c))
    assert np.array_equal(model.predict_proba(X), model.memberships_)
    assert np.isfinite(model.transform(X)).all()
    assert not np.isnan(model.score(X))


def _assert_degrees(memberships, scores, tolerance):
    assert ((memberships >= 0) & (memberships <= 1)).all()
    np.testing.assert_allclose(memberships.sum(axis=1), 1.0, rtol=0, atol=tolerance)
    assert ((scores >= 0) & (scores <= 1)).all()


def assert_sound_elsewhere(model, rows, tolerance=1e-12):
    """The read-outs of rows that the fit has not seen."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        _assert_degrees(model.predict_proba(rows), model.outlier_score(rows), tolerance)
        assert set(model.predict(rows)) <= set(range(model.n_clusters_))
        assert not np.isnan(model.transform(rows)).any()
        if hasattr(model, "predict_typicality"):
            T = model.predict_typicality(rows)
            assert ((T >= 0) & (T <= 1)).all()


# ------------------------------------------------------------------ scale and offset
NO_UNIT = [name for name in MODELS if "noise" not in name]


@pytest.mark.parametrize("model", NO_UNIT)
def test_powers_of_two_change_no_bit(model):
    """1e+-150, 1e+-200 and 1e+-300 are about 2 to the +-498, 665 and 996."""
    X, _ = make_blobs(3)
    X = np.round(X, 6)
    one = fit(make(model), X)
    for exponent in (-996, -665, -498, -1, 498, 665, 996):
        assert_same_bits(one, fit(make(model), np.ldexp(X, exponent)), X, exponent)


def assert_same_bits(one, other, X, exponent):
    """The fits of X, and of X times a power of two."""
    assert np.array_equal(other.memberships_, one.memberships_)
    assert np.array_equal(other.labels_, one.labels_)
    assert np.array_equal(other.outlier_scores_, one.outlier_scores_)
    assert np.array_equal(other.outlier_mask_, one.outlier_mask_)
    assert np.array_equal(other.cluster_centers_, np.ldexp(one.cluster_centers_, exponent))
    assert np.array_equal(other.transform(np.ldexp(X, exponent)), np.ldexp(one.transform(X), exponent))
    assert other.n_iter_ == one.n_iter_
    if hasattr(one, "typicalities_"):
        assert np.array_equal(other.typicalities_, one.typicalities_)
    with np.errstate(over="ignore", under="ignore"):
        assert np.array_equal(other.scale_, np.ldexp(one.scale_, 2 * exponent))
        assert np.array_equal(other.objective_history_, np.ldexp(one.objective_history_, 2 * exponent))


@pytest.mark.parametrize("exponent", [-60, -30, 30, 60])
@every_estimator
def test_powers_of_two_change_no_bit_in_single_precision(cls, exponent):
    X = make_blobs(3)[0].astype(np.float32)
    one, other = fit(cls(random_state=0), X), fit(cls(random_state=0), np.ldexp(X, exponent))
    assert np.array_equal(other.memberships_, one.memberships_)
    assert np.array_equal(other.cluster_centers_, np.ldexp(one.cluster_centers_, exponent))


@pytest.mark.parametrize("size", [1e-300, 1e-200, 1e-150, 1e150, 1e200, 1e300])
@every_model
def test_data_of_any_size(model, size):
    X, y = make_blobs(4)
    X = X / 100 * size  # 13 * 1e300 stays below the largest float
    more = {"noise_distance": 3 * size / 100} if "noise" in model else {}
    fitted = fit(make(model, **more), X)
    assert_sound(fitted, X)
    assert adjusted_rand_score(y, fitted.labels_) == 1
    assert_sound_elsewhere(fitted, np.concatenate([-X, 7 * X, 0 * X]))


@pytest.mark.parametrize("size", [1e-30, 1e-18, 1e18, 1e30])
@every_estimator
def test_single_precision_of_any_size(cls, size):
    X, y = make_blobs(4)
    X = (X * size).astype(np.float32)
    fitted = fit(cls(random_state=0), X)
    assert_sound(fitted, X, tolerance=1e-6)
    assert fitted.memberships_.dtype == np.float32
    assert adjusted_rand_score(y, fitted.labels_) == 1


@pytest.mark.parametrize("offset", [1e8, -1e8, 1e12, 1e15])
@every_model
def test_far_from_the_origin(model, offset):
    X, y = make_blobs(5)
    X = np.round(8 * X) / 8 + offset  # eighths: what a float at 1e15 can hold
    more = {"noise_distance": 3.0} if "noise" in model else {}
    near, far = fit(make(model, **more), X - offset), fit(make(model, **more), X)
    assert_sound(far, X)
    assert adjusted_rand_score(y, far.labels_) == 1
    np.testing.assert_allclose(far.memberships_, near.memberships_, rtol=0, atol=1e-6)
    np.testing.assert_allclose(far.transform(X), near.transform(X - offset), rtol=0, atol=1e-5)
    assert np.array_equal(far.outlier_mask_, near.outlier_mask_)


@pytest.mark.parametrize("offset", [1e4, 1e5])
@every_estimator
def test_far_from_the_origin_in_single_precision(cls, offset):
    X, y = make_blobs(5)
    X = (X + offset).astype(np.float32)
    fitted = fit(cls(random_state=0), X)
    assert_sound(fitted, X, tolerance=1e-6)
    assert adjusted_rand_score(y, fitted.labels_) == 1


@every_model
def test_features_of_very_different_size(model):
    """Only the large feature counts; the small one must not spoil it."""
    X, y = make_blobs(6)
    X = np.column_stack([X[:, 0] * 1e100, X[:, 1] * 1e-100, X[:, 1] * 1e100])
    more = {"noise_distance": 3e100} if "noise" in model else {}
    fitted = fit(make(model, **more), X)
    assert_sound(fitted, X)
    assert adjusted_rand_score(y, fitted.labels_) == 1


@pytest.mark.parametrize("size", [1e-300, 1e-200, 1e-160, 1e160, 1e200])
@pytest.mark.parametrize("covariance_type", ["full", "tied", "diag", "spherical"])
@pytest.mark.parametrize("labelled", [False, True])
def test_mixtures_of_any_size(covariance_type, size, labelled):
    """`reg_covar`, which is in the units of the data, may exceed all that they have."""
    X, y = make_blobs(4)
    y[5:] = -1
    model = GaussianMixture(3, covariance_type=covariance_type, random_state=0)
    fitted = fit(model, X * size, y if labelled else None)
    for found in (fitted.cluster_centers_, fitted.memberships_, fitted.predict_proba(7 * X * size)):
        assert np.isfinite(found).all()


@pytest.mark.parametrize("size", [1e-300, 1e-200, 1e-160, 1e160, 1e200])
@pytest.mark.parametrize("data_weight", ["auto", "paper", 0.1])
def test_labelled_evidence_of_any_size(data_weight, size):
    X, y = make_blobs(4)
    y[5:] = -1
    fitted = fit(EvidentialCMeans(3, data_weight=data_weight, random_state=0), X * size, y)
    assert np.isfinite(fitted.cluster_centers_).all()
    assert np.isfinite(fitted.masses_).all()


# ------------------------------------------------------------------ outliers and far rows
@pytest.mark.parametrize("distance", [1e20, -1e100, 1e200, 1e300])
@every_model
def test_one_outlier(model, distance):
    X, _ = make_blobs(7)
    X[17] = distance
    fitted = fit(make(model, n_clusters=4), X)
    assert_sound(fitted, X)
    assert_sound_elsewhere(fitted, make_blobs(8)[0])


@pytest.mark.parametrize("distance", [1e20, 1e100, 1e200])
def test_one_outlier_is_a_hard_cluster_of_its_own(distance):
    X, y = make_blobs(7)
    X[17], y[17] = distance, 3
    model = fit(make("HardCMeans", n_clusters=4), X)
    assert adjusted_rand_score(y, model.labels_) == 1


@pytest.mark.parametrize("distance", [1e20, 1e100, 1e200])
def test_noise_takes_the_outlier(distance):
    """From a start among the blobs a far row belongs to noise and moves no centre."""
    X, y = make_blobs(7)
    kept = np.arange(len(X)) != 17
    for name in ("hard-noise", "fuzzy-noise"):
        options = {"init": BLOB_MEANS, "noise_distance": 3.0}
        clean = fit(make(name, **options), X[kept])
        X[17] = distance
        model = fit(make(name, **options), X)
        assert model.outlier_scores_[17] == 1
        assert model.outlier_mask_.nonzero()[0].tolist() == [17]
        assert np.array_equal(model.labels_[kept], y[kept])
        np.testing.assert_allclose(model.cluster_centers_, clean.cluster_centers_, rtol=0, atol=1e-6)


@pytest.mark.parametrize("init", ["k-means++", "k-means||"])
@pytest.mark.parametrize("distance", [100.0, 1e4, 1e8])
@pytest.mark.parametrize("cls", [HARD, FUZZY, EvidentialCMeans], ids=lambda cls: cls.__name__)
def test_no_start_among_noise(cls, distance, init, seed):
    """Rows beyond the noise distance count as just as far where starts are drawn."""
    X, y = make_blobs(seed)
    X[17] = distance
    more = {} if cls is EvidentialCMeans else {"noise_distance": 3.0}
    model = fit(cls(3, init=init, random_state=seed, **more), X)
    kept = np.arange(len(X)) != 17
    assert model.outlier_mask_[17]
    assert adjusted_rand_score(y[kept], model.labels_[kept]) == 1


@pytest.mark.parametrize("distance", [1e3, 1e20, 1e100, 1e200])
@pytest.mark.parametrize("model", ["PossibilisticCMeans", "entropy"])
def test_typicalities_leave_the_outlier_alone(model, distance):
    """With scales of the blobs a far row is typical of none and moves no centre."""
    X, y = make_blobs(7)
    kept = np.arange(len(X)) != 17
    options = {"init": BLOB_MEANS, "scale": 1.0}
    clean = fit(make(model, **options), X[kept])
    X[17] = distance
    fitted = fit(make(model, **options), X)
    assert fitted.typicalities_[17].max() < 1e-5
    assert fitted.outlier_scores_[17] > 1 - 1e-5
    assert fitted.outlier_mask_[17]
    assert np.array_equal(fitted.labels_[kept], y[kept])
    np.testing.assert_allclose(fitted.cluster_centers_, clean.cluster_centers_, rtol=0, atol=1e-5)


FAR = [1e8, 1e100, 1e153, 1e155, 1e200, 1e300, 1.7e308, 1e-300, 5e-324]


@all_models
def test_new_rows_anywhere(model):
    fitted = fit(make(model), make_blobs(9)[0])
    for x in FAR:
        for s, t in ((1, 1), (1, -1), (0, 1), (-1, 0)):
            assert_sound_elsewhere(fitted, np.array([[s * x, t * x]]))


@every_estimator
def test_distances_of_far_rows(cls):
    """A distance that has a float is that float, though its square has none."""
    model = fit(cls(random_state=0), make_blobs(9)[0])
    rows = np.array([[3e100, 4e100], [-3e200, 4e200], [3e300, -4e300]])
    np.testing.assert_allclose(model.transform(rows), np.repeat([[5e100], [5e200], [5e300]], 3, axis=1))


@all_models
def test_far_rows_are_outliers(model):
    fitted = fit(make(model), make_blobs(9)[0])
    scores = fitted.outlier_score(np.array([[1e10, 1e10], [1e100, -1e100], [-1e200, 0.0], [0.0, 1e300]]))
    assert (scores > 0.999).all()


@every_estimator
def test_far_rows_go_to_the_cluster_on_their_side(cls):
    X = np.array([[-1.0, 0.0], [-1.1, 0.1], [-0.9, -0.1], [1.0, 0.0], [1.1, 0.1], [0.9, -0.1]])
    model = fit(cls(n_clusters=2, init=[[-1.0, 0.0], [1.0, 0.0]]), X)
    assert model.predict(np.array([[-1e6, 0.0], [1e6, 0.0]])).tolist() == [0, 1]


# ------------------------------------------------------------------ few, equal or flat rows
@pytest.mark.parametrize("value", [0.0, -3.7, 1e-300, 1e300])
@every_model
def test_all_rows_identical(model, value):
    X = np.full((20, 3), value)
    fitted = fit(make(model), X)
    assert_sound(fitted, X)
    if model != "repulsion":  # which drives the centres apart
        assert np.array_equal(fitted.cluster_centers_, np.full((fitted.n_clusters_, 3), value))
    assert_sound_elsewhere(fitted, np.array([[0.0, 0.0, 0.0], [1.0, 2.0, 3.0], [1e300, 0.0, 0.0]]))


@pytest.mark.parametrize("distinct", [2, 4])
@every_model
def test_fewer_distinct_rows_than_clusters(model, distinct):
    X = np.tile(np.arange(2.0 * distinct).reshape(distinct, 2) ** 2, (15, 1))
    fitted = fit(make(model, n_clusters=5), X)
    assert_sound(fitted, X)
    for k in range(distinct):
        assert len(np.unique(fitted.memberships_[k::distinct], axis=0)) == 1


@pytest.mark.parametrize("distinct", [2, 3])
@every_estimator
def test_distinct_rows_get_their_own_clusters(cls, distinct):
    X = np.tile(100.0 * np.eye(distinct), (15, 1))
    model = fit(cls(n_clusters=distinct, random_state=0), X)
    assert sorted(model.labels_[:distinct]) == list(range(distinct))
    assert np.array_equal(np.argmax(model.cluster_centers_, axis=1)[model.labels_], X.argmax(axis=1))


@pytest.mark.parametrize("c", [1, 3, 7])
@every_model
def test_as_many_rows_as_clusters(model, c):
    X = np.random.default_rng(0).standard_normal((c, 2))
    fitted = fit(make(model, n_clusters=c), X)
    assert_sound(fitted, X)


def test_as_many_rows_as_clusters_puts_a_centre_on_each():
    X = np.random.default_rng(0).standard_normal((7, 2))
    model = fit(HARD(n_clusters=7, random_state=0), X)
    assert sorted(model.labels_) == list(range(7))
    np.testing.assert_allclose(model.cluster_centers_[model.labels_], X, rtol=0, atol=1e-14)
    assert model.objective_ == 0


@every_model
def test_one_cluster(model):
    X = np.random.default_rng(0).standard_normal((50, 2))
    fitted = fit(make(model, n_clusters=1), X)
    assert_sound(fitted, X)


@pytest.mark.parametrize("cls", [HARD, FUZZY])
def test_one_cluster_is_the_mean(cls):
    X = np.random.default_rng(0).standard_normal((50, 2))
    model = fit(cls(n_clusters=1), X)
    np.testing.assert_allclose(model.cluster_centers_[0], X.mean(axis=0), rtol=0, atol=1e-12)


@every_model
def test_one_feature(model):
    X, y = make_blobs(10)
    X = X[:, :1]
    # On a line the set of the outer two clusters stands where the middle one does.
    more = {"focal_sets": "simple"} if model == "EvidentialCMeans" else {}
    fitted = fit(make(model, **more), X)
    assert_sound(fitted, X)
    assert adjusted_rand_score(y, fitted.labels_) > 0.9


@every_model
def test_more_features_than_rows(model):
    rng = np.random.default_rng(0)
    X = np.repeat(30 * np.eye(3, 40), 4, axis=0) + 0.5 * rng.standard_normal((12, 40))
    more = {"noise_distance": 10.0} if "noise" in model else {}
    fitted = fit(make(model, **more), X)
    assert_sound(fitted, X)
    assert adjusted_rand_score(np.repeat([0, 1, 2], 4), fitted.labels_) == 1


@pytest.mark.parametrize("constant", [0.0, 1e8, -1e200, 1e300])
@every_model
def test_constant_features(model, constant):
    X, y = make_blobs(11)
    X = np.column_stack([X[:, 0], np.full(len(X), constant), X[:, 1]])
    fitted = fit(make(model), X)
    assert_sound(fitted, X)
    assert adjusted_rand_score(y, fitted.labels_) == 1
    assert (fitted.cluster_centers_[:, 1] == constant).all()


@every_model
def test_duplicated_features(model):
    X, y = make_blobs(11)
    fitted = fit(make(model), np.tile(X, (1, 6)))
    assert_sound(fitted, np.tile(X, (1, 6)))
    assert adjusted_rand_score(y, fitted.labels_) == 1
    np.testing.assert_allclose(fitted.cluster_centers_[:, :2], fitted.cluster_centers_[:, 10:], atol=1e-9)


@every_model
def test_each_row_many_times(model):
    X, y = make_blobs(12, each=10)
    many = np.repeat(X, 100, axis=0)
    fitted = fit(make(model), many)
    assert_sound(fitted, many)
    assert adjusted_rand_score(np.repeat(y, 100), fitted.labels_) == 1


# ------------------------------------------------------------------ awkward starts
@every_model
def test_a_centre_on_a_row(model):
    X, y = make_blobs(13)
    first = [np.flatnonzero(y == k)[0] for k in range(3)]
    fitted = fit(make(model, init=X[first]), X)
    assert_sound(fitted, X)
    assert np.array_equal(fitted.labels_, y)


@every_model
def test_two_centres_on_one_row(model):
    X, _ = make_blobs(13)
    fitted = fit(make(model, init=X[[0, 0, 1]]), X)
    assert_sound(fitted, X)


@every_model
def test_all_centres_on_one_row(model):
    X, _ = make_blobs(13)
    fitted = fit(make(model, init=X[[4, 4, 4]]), X)
    assert_sound(fitted, X)


@pytest.mark.parametrize("distance", [1e3, 1e100, 1e300])
@every_model
def test_centres_far_from_every_row(model, distance):
    X, _ = make_blobs(13)
    fitted = fit(make(model, init=distance * np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.5]])), X)
    assert_sound(fitted, X)


SQUARE = np.array([[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]])


@pytest.mark.parametrize(
    "init",
    [[[1, 0], [-1, 0]], [[0, 1], [0, -1]], [[1, 1], [-1, -1]], [[0, 0], [0, 0]], [[0.5, 0], [0, 0]]],
    ids=str,
)
@every_model
def test_symmetric_rows_and_start(model, init):
    X = np.repeat(SQUARE, 5, axis=0)
    fitted = fit(make(model, n_clusters=2, init=np.array(init, dtype=float)), X)
    assert_sound(fitted, X)


@every_estimator
def test_symmetric_rows_and_start_give_a_symmetric_answer(cls):
    X = np.repeat(SQUARE * [5.0, 1.0], 5, axis=0)
    model = fit(cls(n_clusters=2, init=[[4.0, 0.0], [-4.0, 0.0]]), X)
    np.testing.assert_allclose(model.cluster_centers_[0], -model.cluster_centers_[1], rtol=0, atol=1e-9)
    assert model.labels_.tolist() == (X[:, 0] < 0).astype(int).tolist()


# ------------------------------------------------------------------ exponents
@pytest.mark.parametrize("m", [1 + 1e-12, 1 + 1e-4, 1.01, 30.0, 100.0, 1e6])
@pytest.mark.parametrize("cls", WITH_EXPONENT, ids=lambda cls: cls.__name__)
def test_extreme_exponents(cls, m):
    X, _ = make_blobs(14)
    model = fit(cls(m=m, random_state=0), X)
    assert_sound(model, X)
    assert_sound_elsewhere(model, np.array([[1e6, 0.0], [1e100, 1e100], [5.0, 5.0]]))


@pytest.mark.parametrize("eta", [1 + 1e-12, 1 + 1e-4, 1.01, 30.0, 100.0, 1e6])
@pytest.mark.parametrize("cls", [MIXED, IMPROVED], ids=lambda cls: cls.__name__)
def test_extreme_exponents_of_typicalities(cls, eta):
    X, _ = make_blobs(14)
    variant = {"variant": 1} if cls is IMPROVED else {}
    model = fit(cls(eta=eta, random_state=0, **variant), X)
    assert_sound(model, X)


@pytest.mark.parametrize("m", [1 + 1e-4, 1.001])
def test_exponents_near_one_give_k_means(m, iris):
    X, _ = iris
    hard = fit(HARD(init=X[[0, 60, 120]]), X)
    fuzzy = fit(FUZZY(init=X[[0, 60, 120]], m=m, max_iter=1000, acceleration=None), X)
    assert adjusted_rand_score(hard.labels_, fuzzy.labels_) == 1
    np.testing.assert_allclose(fuzzy.cluster_centers_, hard.cluster_centers_, rtol=0, atol=1e-6)


# ------------------------------------------------------------------ kinds of arrays
def _strided(X, step):
    wide = np.empty((2 * len(X), 2 * X.shape[1]))
    wide[::2, ::2] = X[::step]
    return wide[::2, ::2][::step]


def _memory_map(X, tmp_path, order="C"):
    path = tmp_path / "rows.npy"
    np.save(path, np.asarray(X, order=order))
    return np.load(path, mmap_mode="r")


def _read_only(X):
    X = X.copy()
    X.flags.writeable = False
    return X


KINDS = {
    "int8": lambda X, path: np.round(8 * X).astype(np.int8),
    "int32": lambda X, path: np.round(1e8 * X).astype(np.int32),
    "uint8": lambda X, path: np.round(8 * (X + 4)).astype(np.uint8),
    "float16": lambda X, path: X.astype(np.float16),
    "longdouble": lambda X, path: X.astype(np.longdouble),
    "big-endian": lambda X, path: X.astype(">f8"),
    "big-endian-single": lambda X, path: X.astype(">f4"),
    "big-endian-int": lambda X, path: np.round(100 * X).astype(">i4"),
    "object": lambda X, path: X.astype(object),
    "list": lambda X, path: X.tolist(),
    "tuples": lambda X, path: [tuple(row) for row in X],
    "f-order": lambda X, path: np.asfortranarray(X),
    "transposed": lambda X, path: np.ascontiguousarray(X.T).T,
    "strided": lambda X, path: _strided(X, 1),
    "negative-strides": lambda X, path: np.ascontiguousarray(X[::-1, ::-1])[::-1, ::-1],
    "read-only": lambda X, path: _read_only(X),
    "memory-map": lambda X, path: _memory_map(X, path),
    "memory-map-f-order": lambda X, path: _memory_map(X, path, "F"),
    "matrix-view": lambda X, path: X.view(),
}


@pytest.mark.parametrize("kind", KINDS)
@every_estimator
def test_kinds_of_arrays(cls, kind, tmp_path):
    """The fit of a strange array is that of its float64 copy, in bits."""
    X, y = make_blobs(15)
    strange = KINDS[kind](X, tmp_path)
    plain = np.array(strange, dtype=np.float64, order="C")
    expected, model = fit(cls(random_state=0), plain), fit(cls(random_state=0), strange)
    assert adjusted_rand_score(y, model.labels_) == 1
    assert np.array_equal(model.cluster_centers_, expected.cluster_centers_)
    assert np.array_equal(model.memberships_, expected.memberships_)
    assert np.array_equal(model.predict_proba(strange), expected.memberships_)
    assert np.array_equal(model.transform(strange), expected.transform(plain))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@every_estimator
def test_strides_in_both_precisions(cls, dtype):
    X = make_blobs(15)[0].astype(dtype)
    expected = fit(cls(random_state=0), X)
    for view in (np.asfortranarray(X), np.repeat(X, 2, axis=0)[::2], X[::-1].copy()[::-1]):
        model = fit(cls(random_state=0), view)
        assert model.memberships_.dtype == dtype
        assert np.array_equal(model.memberships_, expected.memberships_)


@every_estimator
def test_bool_rows(cls):
    X = np.repeat(np.eye(3, dtype=bool), 10, axis=0)
    model = fit(cls(random_state=0), X)
    assert_sound(model, X)
    assert adjusted_rand_score(np.repeat([0, 1, 2], 10), model.labels_) == 1


@pytest.mark.parametrize("dtype", [np.uint64, np.int64])
@every_estimator
def test_limits_of_integers(cls, dtype):
    """Rows at both ends and in the middle: a conversion that wraps around would mix them up."""
    info = np.iinfo(dtype)
    middle = info.min // 2 + info.max // 2
    values = (
        [info.min + k for k in range(10)]
        + [middle + k for k in range(10)]
        + [info.max - k for k in range(10)]
    )
    X = np.array(values, dtype=dtype)[:, None]
    model = fit(cls(random_state=0), X)
    assert_sound(model, X)
    assert adjusted_rand_score(np.repeat([0, 1, 2], 10), model.labels_) == 1


@every_model
def test_rows_without_a_stride(model):
    X = np.broadcast_to(np.array([1.5, -2.0]), (30, 2))
    fitted = fit(make(model), X)
    assert_sound(fitted, X)
    if model != "repulsion":  # which drives the centres apart
        assert np.array_equal(fitted.cluster_centers_, X[: fitted.n_clusters_])


@every_estimator
def test_features_without_a_stride(cls):
    X, _ = make_blobs(15)
    X = np.broadcast_to(X[:, :1] + X[:, 1:], (len(X), 3))
    model = fit(cls(random_state=0), X)
    assert_sound(model, X)


# ------------------------------------------------------------------ anything at all
def _rows(largest):
    return hnp.arrays(
        np.float64,
        st.tuples(st.integers(3, 12), st.integers(1, 3)),
        elements=st.floats(-largest, largest) | st.sampled_from([0.0, 1.0, -1.0, 1e-8]),
    )


generated = settings(max_examples=30, phases=[Phase.explicit, Phase.generate])


def _assert_finite(fitted):
    assert np.isfinite(fitted.cluster_centers_).all()
    assert not np.isnan(fitted.scale_).any()
    assert not np.isnan(fitted.objective_history_).any()
    _assert_degrees(fitted.memberships_, fitted.outlier_scores_, 1e-12)
    if hasattr(fitted, "typicalities_"):
        assert ((fitted.typicalities_ >= 0) & (fitted.typicalities_ <= 1)).all()


@all_models
@generated
@given(X=_rows(1e300))
def test_any_finite_rows(model, X):
    _assert_finite(fit(make(model, max_iter=30), X))


@every_estimator
@generated
@given(X=_rows(1e30), weight=hnp.arrays(np.float64, 12, elements=st.just(0.0) | st.floats(1e-30, 1e30)))
def test_any_weights(cls, X, weight):
    weight[0] = max(weight[0], 1e-30)
    _assert_finite(fit(cls(random_state=0, max_iter=30), X, sample_weight=weight[: len(X)]))
