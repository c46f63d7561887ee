"""Wrong input gets the right class of error, and a sentence that names what is wrong."""

import re

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.utils._param_validation import InvalidParameterError

from configurations import ESTIMATORS, FUZZY, HARD, IMPROVED, MIXED, POSSIBILISTIC, WITH_TYPICALITIES
from softclust import (
    CentralDistance,
    EvidentialCMeans,
    GaussianMixture,
    KMedoids,
    Repulsion,
    catalogue,
    make,
)

every_estimator = pytest.mark.parametrize("cls", ESTIMATORS, ids=lambda cls: cls.__name__)
with_typicalities = pytest.mark.parametrize("cls", WITH_TYPICALITIES, ids=lambda cls: cls.__name__)


def test_pairs_are_refused_with_a_sentence(blobs):
    for cls in (*WITH_TYPICALITIES, KMedoids):
        with pytest.raises(InvalidParameterError, match=f"{cls.__name__} takes no must_link"):
            cls(3).fit(blobs[0], must_link=[(0, 1)])
        with pytest.raises(InvalidParameterError, match="HardCMeans, FuzzyCMeans, EvidentialCMeans"):
            cls(3).fit_predict(blobs[0], cannot_link=[(0, 1)])


@every_estimator
def test_a_start_with_matrices_that_the_geometry_does_not_have(cls, blobs):
    X, _ = blobs
    with pytest.raises(InvalidParameterError, match="an array of centres would fit"):
        cls(3, init=(X[:3], np.tile(np.eye(X.shape[1]), (3, 1, 1)))).fit(X)


# ------------------------------------------------------------------ parameters
NAN, INF = float("nan"), float("inf")
NOT_COUNTS = [0, -1, 2.5, "3", None, NAN]
NOT_POSITIVE = [0.0, -1.0, "1", NAN, INF]
NOT_EXPONENTS = [1, 1.0, 0.5, -2.0, "2", None, NAN, INF]
WRONG = {
    "n_clusters": NOT_COUNTS,
    "n_init": NOT_COUNTS,
    "max_iter": NOT_COUNTS,
    "tol": [-1e-9, "0.1", None, NAN],
    "geometry": ["spheres", None, 1],
    "separation": ["repulsion", 1.0, Repulsion, CentralDistance],
    "noise_distance": NOT_POSITIVE,
    "density_rate": [*NOT_POSITIVE[:-2], NAN, INF, "automatic"],
    "density_from": ["centres", None, 0],
    "label_strength": [-0.5, "strong", None, NAN],
    "label_weight": [*NOT_POSITIVE[:-2], NAN, INF, "heavy"],
    "clusters_per_class": [0, -1, 1.5, "many", None],
    "unlabelled": ["none", None, 0],
    "printed_centers": ["yes", 2, None],
    "init": ["k-means", "kmeans++", 3, None],
    "acceleration": ["aitken", True, 1],
    "outlier_threshold": [-0.1, 1.1, "auto", NAN],
    "random_state": ["seed", -1, 0.5],
    "n_jobs": ["all", 1.5, 0],
    "verbose": ["loud", -1, 1.5],
    "checkpoint": [3, 1.5, True],
    "growing_samples": ["yes", 2, None],
    "m": NOT_EXPONENTS,
    "fuzzifier": ["cubic", 2, None],
    "crisp_ratio": [-0.1, 1.0, "auto", None, NAN],
    "eta": NOT_EXPONENTS,
    "a": [-0.1, "1", None, NAN, INF],
    "b": [-0.1, "1", None, NAN, INF],
    "scale": [0.0, -1.0, "widest", NAN, INF],
    "scale_factor": [0.0, -1.0, "1", NAN, INF],
    "scale_cut": [0.0, 1.0, -0.5, 2.0, "0.5", NAN],
    "merge_coincident": ["yes", 2, None],
    "penalty": ["quadratic", None, 1],
    "variant": [0, 3, 1.5, "1", None],
    "link_strength": [-0.5, "auto", None, NAN],
    "focal_sets": ["triples", None, 3],
    "cardinality_power": [-0.5, "1", None, NAN, INF],
    "beta": NOT_EXPONENTS,
    "metric_reg": [-1e-9, "auto", None, NAN, INF],
    "label_exponent": [-1.0, "0", None, NAN, INF],
    "must_strength": [-1.0, "auto", None, NAN, INF],
    "cannot_strength": [-1.0, "auto", None, NAN, INF],
    "empty_satisfies_links": ["yes", 2, None],
    "data_weight": [0.0, -1.0, "papers", None, NAN, INF],
}
WRONG_CASES = [
    pytest.param(cls, name, id=f"{cls.__name__}-{name}")
    for cls in ESTIMATORS
    for name in cls().get_params()
    if WRONG[name]
]


@pytest.mark.parametrize(("cls", "name"), WRONG_CASES)
def test_parameter_out_of_range(cls, name, blobs):
    for value in WRONG[name]:
        with pytest.raises(InvalidParameterError) as caught:
            cls(**{name: value}).fit(blobs[0])
        message = str(caught.value)
        assert message.startswith(f"The {name!r} parameter of {cls.__name__} must be ")
        assert message.endswith(f"Got {value!r} instead.")


@every_estimator
def test_parameters_are_checked_at_the_fit_alone(cls):
    model = cls(n_clusters=-1)
    assert model.n_clusters == -1
    with pytest.raises(ValueError, match="Invalid parameter 'clusters' for estimator"):
        model.set_params(clusters=3)


@every_estimator
@pytest.mark.parametrize("given_centers", [True, False], ids=["array", "callable"])
@pytest.mark.parametrize("shape", [(2, 2), (4, 2), (3, 1), (3, 3), (3,), (3, 2, 1)], ids=str)
def test_init_of_wrong_shape(cls, shape, given_centers, blobs):
    V = np.zeros(shape)
    init = V if given_centers else lambda X, n_clusters, random_state: V
    match = rf"The shape of the initial centers {re.escape(str(shape))} does not match .* = \(3, 2\)\."
    with pytest.raises(ValueError, match=match):
        cls(init=init).fit(blobs[0])


@every_estimator
@pytest.mark.parametrize(("value", "word"), [(NAN, "nan"), (INF, "inf"), (-INF, "-inf")])
def test_init_not_finite(cls, value, word, blobs):
    init = np.zeros((3, 2))
    init[2, 1] = value
    with pytest.raises(ValueError, match=rf"init\[2, 1\] is {word}; centres must be finite"):
        cls(init=init).fit(blobs[0])


@with_typicalities
@pytest.mark.parametrize("scale", [[1.0, 2.0], [1.0] * 4, [[1.0, 2.0, 3.0]], [[1.0]], []], ids=str)
def test_scale_of_wrong_shape(cls, scale, blobs):
    shape = re.escape(str(np.shape(scale)))
    with pytest.raises(ValueError, match=rf"scale has shape {shape}.* one for each of 3 clusters"):
        cls(scale=scale).fit(blobs[0])


@with_typicalities
@pytest.mark.parametrize(("value", "word"), [(0.0, "0"), (-2.0, "-2"), (NAN, "nan"), (INF, "inf")])
def test_scale_out_of_range(cls, value, word, blobs):
    with pytest.raises(ValueError, match=rf"scale\[1\] is {word}; scales are finite numbers > 0"):
        cls(scale=[1.0, value, 2.0]).fit(blobs[0])


def test_noise_distance_does_not_go_with_typicalities_alone(blobs):
    with pytest.raises(InvalidParameterError) as caught:
        POSSIBILISTIC(noise_distance=2.0).fit(blobs[0])
    message = str(caught.value)
    assert message.startswith("noise_distance=2.0 does not go with PossibilisticCMeans: ")
    for other in (FUZZY, HARD, MIXED, IMPROVED):
        assert other.__name__ in message


@pytest.mark.parametrize("cls", [FUZZY, POSSIBILISTIC], ids=lambda cls: cls.__name__)
@pytest.mark.parametrize("part", [Repulsion, CentralDistance], ids=lambda part: part.__name__)
@pytest.mark.parametrize(
    "strength",
    [-1.0, NAN, INF, 10**400, "weak", None, [1.0, 2.0], [1.0, -1.0, 1.0], [[1.0, 2.0, 3.0]], []],
    ids=str,
)
def test_separation_of_wrong_strength(cls, part, strength, blobs):
    with pytest.raises(InvalidParameterError) as caught:
        cls(separation=part(strength)).fit(blobs[0])
    message = str(caught.value)
    assert message.startswith(f"The strength of {part.__name__} must be a number >= 0, 3 such numbers")
    assert message.endswith(f"Got {strength!r} instead.")


def test_central_distance_too_strong_tells_what_would_fit():
    """Two hard clusters of 30 and 60 rows: 2 beta (1/30 + 1/60) must stay below 1."""
    X = np.repeat([[0.0], [10.0]], [30, 60], axis=0) + np.linspace(-1, 1, 90)[:, None]
    model = HARD(n_clusters=2, init=[[0.0], [10.0]])
    match = r"CentralDistance\(strength=11\) outweighs the clusters: .* largest admissible strength is 10\."
    with pytest.raises(InvalidParameterError, match=match):
        model.set_params(separation=CentralDistance(11.0)).fit(X)
    assert model.set_params(separation=CentralDistance(0.999)).fit(X).converged_


@every_estimator
def test_central_distance_too_strong_is_refused(cls, blobs):
    with pytest.raises(InvalidParameterError, match="largest admissible strength is") as caught:
        cls(separation=CentralDistance(1e4), random_state=0).fit(blobs[0])
    assert float(str(caught.value).split()[-1].rstrip(".")) < 1e4


def test_unknown_acronym_names_a_near_one():
    with pytest.raises(ValueError, match=r"There is no method 'pfmc'\. Did you mean 'pfcm'\?") as caught:
        make("pfmc")
    for name in catalogue():
        assert name in str(caught.value)


def test_unknown_acronym_without_a_near_one():
    with pytest.raises(ValueError, match=r"There is no method 'zzz'\. Known: hcm, "):
        make("zzz")


def test_acronyms_in_any_case():
    assert type(make("PFCM")) is MIXED


# ------------------------------------------------------------------ weights
WRONG_WEIGHTS = {
    "negative": (lambda w: w.__setitem__(7, -0.5), r"sample_weight\[7\] is -0\.5"),
    "nan": (lambda w: w.__setitem__(9, NAN), r"sample_weight\[9\] is NaN"),
    "inf": (lambda w: w.__setitem__(3, INF), r"sample_weight\[3\] is inf"),
    "minus-inf": (lambda w: w.__setitem__(3, -INF), r"sample_weight\[3\] is -inf"),
    "first-of-two": (lambda w: w.__setitem__([5, 2], [-1.0, NAN]), r"sample_weight\[2\] is NaN"),
    "all-zero": (lambda w: w.fill(0.0), "sample_weight is zero for every row"),
}


@every_estimator
@pytest.mark.parametrize(("spoil", "match"), WRONG_WEIGHTS.values(), ids=WRONG_WEIGHTS.keys())
def test_wrong_weight_names_the_row(cls, spoil, match, blobs):
    X, _ = blobs
    weight = np.ones(len(X))
    spoil(weight)
    with pytest.raises(ValueError, match=match):
        cls().fit(X, sample_weight=weight)
    fitted = cls(random_state=0).fit(X)
    with pytest.raises(ValueError, match=match):
        fitted.score(X, sample_weight=weight)


@every_estimator
@pytest.mark.parametrize(("dtype", "most"), [(np.float32, 1e28), (np.float64, 1e288)], ids=["f4", "f8"])
@pytest.mark.filterwarnings("ignore::softclust.errors.DegenerateClusterWarning")
def test_weights_beyond_floats_are_refused(cls, dtype, most, blobs):
    """Weights of which sums have no float would end in NaN."""
    X = blobs[0].astype(dtype)
    assert np.isfinite(
        cls(random_state=0, max_iter=2000).fit(X, sample_weight=np.full(150, most / 2)).objective_
    )
    with pytest.raises(ValueError, match=r"^sample_weight sums to 1\.5e\+\d+; rows of float"):
        cls().fit(X, sample_weight=np.full(150, most))
    with pytest.raises(ValueError, match=r"^sample_weight sums to"):
        cls(random_state=0).fit(X).score(X, sample_weight=np.full(150, most))


@every_estimator
@pytest.mark.parametrize("short", [149, 151, 0], ids=str)
def test_weight_of_wrong_length(cls, short, blobs):
    match = rf"sample_weight\.shape == \({short},\), expected \(150,\)"
    with pytest.raises(ValueError, match=match):
        cls().fit(blobs[0], sample_weight=np.ones(short))


@every_estimator
def test_weight_in_two_dimensions(cls, blobs):
    with pytest.raises(ValueError, match="Sample weights must be 1D array or scalar, got 2D array"):
        cls().fit(blobs[0], sample_weight=np.ones((150, 1)))


@every_estimator
@pytest.mark.parametrize("scalar", [0.0, -1.0, NAN, INF], ids=str)
def test_wrong_scalar_weight(cls, scalar, blobs):
    with pytest.raises(ValueError, match="sample_weight"):
        cls().fit(blobs[0], sample_weight=scalar)


# Neither a bare message of NumPy nor an error of another class
NO_NUMBERS = {
    "words": ["two", "three"],
    "objects": [object(), object()],
    "ragged": [[1.0], [1.0, 2.0]],
    "beyond-floats": [10**400, 1],
}
of_no_numbers = pytest.mark.parametrize("values", NO_NUMBERS.values(), ids=NO_NUMBERS.keys())


@every_estimator
@of_no_numbers
def test_what_is_no_number_is_named(cls, values, blobs):
    X, _ = blobs
    many = values * 75
    with pytest.raises(ValueError, match=r"^sample_weight should be numbers: "):
        cls().fit(X, sample_weight=many)
    with pytest.raises(ValueError, match=r"^label_strength should be numbers: "):
        cls(label_strength=many).fit(X, [0, 1, 2] * 50)
    with pytest.raises(ValueError, match=r"^The centers of init should be numbers: "):
        cls(init=values).fit(X)


@with_typicalities
@of_no_numbers
def test_scale_is_no_number(cls, values, blobs):
    with pytest.raises(ValueError, match=r"^scale should be numbers: "):
        cls(scale=values).fit(blobs[0])


@pytest.mark.parametrize(
    "matrices", [["one"] * 3, [np.eye(2), np.eye(2), np.eye(3)]], ids=["words", "ragged"]
)
@pytest.mark.parametrize("geometry", ["ellipsoids", "mahalanobis", "shells", "lines", "gath-geva"])
def test_matrices_of_init_are_no_numbers(geometry, matrices, blobs):
    X, _ = blobs
    with pytest.raises(ValueError, match=r"^The matri(x|ces) of init should be numbers: "):
        FUZZY(3, geometry=geometry, init=(X[:3], matrices)).fit(X)


def test_parts_of_a_mixture_are_no_numbers(blobs):
    X, _ = blobs
    with pytest.raises(ValueError, match=r"^The matrices of init should be numbers: "):
        GaussianMixture(3, init=(X[:3], "full")).fit(X)
    with pytest.raises(ValueError, match=r"^The weights of init should be numbers: "):
        GaussianMixture(3, init=(X[:3], [np.eye(2)] * 3, "equal")).fit(X)


@every_estimator
def test_degrees_of_words(cls, blobs):
    with pytest.raises(ValueError, match=r"^The degrees of a 2-D y should be numbers: "):
        cls().fit(blobs[0], np.full((150, 3), "high"))


@pytest.mark.parametrize("cls", [HARD, FUZZY], ids=lambda cls: cls.__name__)
def test_a_row_number_beyond_floats(cls, blobs):
    with pytest.raises(ValueError, match=r"^must_link is not a list of pairs of row numbers: "):
        cls().fit(blobs[0], must_link=[(0, 10**400)])


def test_ragged_medoids(blobs):
    with pytest.raises(ValueError, match=r"^init should be row positions: "):
        KMedoids(2, init=[[0], [1, 2]]).fit(blobs[0])


def test_focal_sets_of_one_number(blobs):
    with pytest.raises(ValueError, match=r"^focal_sets is 1; "):
        EvidentialCMeans(focal_sets=np.array(1)).fit(blobs[0])


@every_estimator
def test_weight_of_words(cls, blobs):
    with pytest.raises(ValueError, match="could not convert string to float"):
        cls().fit(blobs[0], sample_weight=["heavy"] * 150)


@given(st.integers(0, 149), st.floats(max_value=0, exclude_max=True) | st.just(NAN) | st.just(INF))
def test_any_wrong_weight_names_its_row(row, value):
    weight = np.ones(150)
    weight[row] = value
    with pytest.raises(ValueError, match=rf"sample_weight\[{row}\] is "):
        FUZZY().fit(np.zeros((150, 2)), sample_weight=weight)


# ------------------------------------------------------------------ labels
@every_estimator
@pytest.mark.parametrize("length", [0, 149, 151])
def test_y_of_wrong_length(cls, length, blobs):
    with pytest.raises(ValueError, match=rf"y has {length} entries; X has 150 rows"):
        cls().fit(blobs[0], np.zeros(length, dtype=int))


@every_estimator
@pytest.mark.parametrize("shape", [(150, 3, 1), ()], ids=str)
def test_y_of_wrong_dimension(cls, shape, blobs):
    with pytest.raises(ValueError, match=rf"y should be .* got {len(shape)}d"):
        cls().fit(blobs[0], np.zeros(shape))


@every_estimator
@pytest.mark.parametrize("value", [1.2, -0.25, 2, INF, -INF], ids=str)
def test_soft_label_out_of_range(cls, value, blobs):
    degrees = np.full((150, 3), NAN)
    degrees[5, 0] = value
    degrees[9, 2] = 7.0
    with pytest.raises(ValueError) as caught:
        cls().fit(blobs[0], degrees)
    assert str(caught.value) == f"soft label {value:g} at row 5, cluster 0 is outside [0, 1]"


@every_estimator
@pytest.mark.parametrize("columns", [1, 2, 4])
def test_soft_labels_for_another_number_of_clusters(cls, columns, blobs):
    with pytest.raises(ValueError, match=rf"y has {columns} columns; .* each of the 3 clusters"):
        cls().fit(blobs[0], np.zeros((150, columns)))


@every_estimator
@pytest.mark.filterwarnings("ignore::softclust.errors.DegenerateClusterWarning")
def test_more_classes_than_clusters_warns_and_grows(cls, blobs):
    X, _ = blobs
    y = np.full(150, -1)
    y[:50] = np.arange(50) % 5
    with pytest.warns(UserWarning, match=r"y names 5 classes but n_clusters=3: fitting 5 clusters\."):
        model = cls(random_state=0, max_iter=1000).fit(X, y)
    assert model.n_clusters_ == len(model.cluster_centers_) == model.memberships_.shape[1] == 5
    assert model.n_clusters == 3
    assert model.classes_.tolist() == [0, 1, 2, 3, 4]


@every_estimator
def test_more_classes_than_rows(cls):
    X = np.arange(4.0)[:, None]
    with pytest.raises(ValueError, match="n_samples=4 should be >= n_clusters=5"):
        cls(n_clusters=5).fit(X, [0, 1, 2, 3])


# ------------------------------------------------------------------ rows
METHODS = ["fit", "fit_predict", "predict", "predict_proba", "outlier_score", "transform", "score"]
WRONG_ROWS = {
    "nan": (lambda X: np.where(X == X[3, 1], NAN, X), ValueError, "contains NaN"),
    "inf": (lambda X: np.where(X == X[3, 1], INF, X), ValueError, "contains infinity"),
    "minus-inf": (lambda X: np.where(X == X[3, 1], -INF, X), ValueError, "contains infinity"),
    "one-dimension": (lambda X: X[:, 0], ValueError, "Expected 2D array, got 1D array instead"),
    "three-dimensions": (lambda X: X[:, :, None], ValueError, "Found array with dim 3"),
    "scalar": (lambda X: 1.5, ValueError, "Expected 2D array, got scalar array instead"),
    "no-rows": (lambda X: X[:0], ValueError, r"Found array with 0 sample\(s\)"),
    "no-features": (lambda X: X[:, :0], ValueError, r"Found array with 0 feature\(s\)"),
    "sparse": (scipy.sparse.csr_array, TypeError, "Sparse data was passed"),
    "strings": (lambda X: np.full(X.shape, "far"), ValueError, "dtype='numeric'|could not convert string"),
    "complex": (lambda X: X + 1j, ValueError, "Complex data not supported"),
    "none": (lambda X: None, ValueError, "Expected 2D array|got None|NoneType"),
}


@every_estimator
@pytest.mark.parametrize(("spoil", "error", "match"), WRONG_ROWS.values(), ids=WRONG_ROWS.keys())
def test_wrong_rows(cls, spoil, error, match, blobs):
    X, _ = blobs
    model = cls(random_state=0).fit(X)
    for method in METHODS:
        with pytest.raises(error, match=match):
            getattr(model, method)(spoil(X))


@every_estimator
@pytest.mark.parametrize("rows", [1, 2])
def test_fewer_rows_than_clusters(cls, rows):
    with pytest.raises(ValueError, match=rf"n_samples={rows} should be >= n_clusters=3"):
        cls(n_clusters=3).fit(np.arange(2.0 * rows).reshape(rows, 2))


@every_estimator
def test_a_failed_fit_leaves_the_fitted_model_usable(cls, blobs):
    X, _ = blobs
    model = cls(random_state=0).fit(X)
    before = model.predict_proba(X)
    with pytest.raises(ValueError, match="sample_weight"):
        model.fit(X, sample_weight=-np.ones(150))
    assert np.array_equal(model.predict_proba(X), before)


@every_estimator
@pytest.mark.parametrize("features", [1, 3])
def test_other_number_of_features(cls, features, blobs):
    model = cls(random_state=0).fit(blobs[0])
    match = rf"X has {features} features, but {cls.__name__} is expecting 2 features as input"
    for method in METHODS[2:]:
        with pytest.raises(ValueError, match=match):
            getattr(model, method)(np.zeros((5, features)))


@every_estimator
@pytest.mark.parametrize("method", [*METHODS[2:], "predict_typicality", "get_feature_names_out"])
def test_before_the_fit(cls, method, blobs):
    model = cls()
    if method == "predict_typicality" and cls not in WITH_TYPICALITIES:
        assert not hasattr(model, method)
        return
    arguments = () if method == "get_feature_names_out" else (blobs[0],)
    with pytest.raises(NotFittedError, match=f"This {cls.__name__} instance is not fitted yet"):
        getattr(model, method)(*arguments)


# ------------------------------------------------------------------ fits that end badly
@every_estimator
@pytest.mark.filterwarnings("ignore::softclust.errors.DegenerateClusterWarning")
def test_fewer_distinct_rows_than_clusters(cls):
    X = np.repeat([[0.0, 0.0], [5.0, 1.0]], 10, axis=0)
    match = r"Number of distinct clusters \([12]\) found smaller than n_clusters \(3\)"
    with pytest.warns(ConvergenceWarning, match=match):
        cls(n_clusters=3, random_state=0).fit(X)


@every_estimator
@pytest.mark.filterwarnings("ignore::softclust.errors.DegenerateClusterWarning")
@pytest.mark.parametrize("max_iter", [1, 2])
def test_iterations_run_out(cls, max_iter):
    X = np.random.default_rng(0).standard_normal((400, 3))
    model = cls(n_clusters=6, init="random", n_init=1, tol=1e-9, max_iter=max_iter, random_state=0)
    match = rf"max_iter={max_iter} iterations still moved a centre by \S+ of the data's spread; tol=1e-09"
    with pytest.warns(ConvergenceWarning, match=match):
        model.fit(X)
    assert not model.converged_
    assert model.n_iter_ == max_iter


@every_estimator
@pytest.mark.filterwarnings("ignore::softclust.errors.DegenerateClusterWarning")
def test_the_last_change_is_told(cls):
    """From the answer of n - 1 iterations one more moves a centre by the change that is told for n."""
    X = np.random.default_rng(0).standard_normal((400, 3))
    init = X[:5]
    more = {"scale": 1.0, "merge_coincident": False} if cls in WITH_TYPICALITIES else {}
    options = {"n_clusters": 5, "init": init, "tol": 0.0, "acceleration": None, **more}
    with pytest.warns(ConvergenceWarning):
        before = cls(max_iter=3, **options).fit(X)
    with pytest.warns(ConvergenceWarning, match="max_iter=4") as caught:
        after = cls(max_iter=4, **options).fit(X)
    told = float(re.search(r"by (\S+) of", str(caught[0].message)).group(1))
    moved = np.abs(after.cluster_centers_ - before.cluster_centers_).max()
    spread = np.median(np.abs(X - np.median(X, axis=0)), axis=0).max()
    assert told == pytest.approx(moved / spread, rel=1.01)  # the unit is a power of two near the spread
    assert np.log2(told / moved) == pytest.approx(round(np.log2(told / moved)), abs=0.01)
