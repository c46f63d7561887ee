"""KMedoids: the contract, the laws of its three methods, and what it says of wrong input."""

import io
import pickle
import re
import warnings

import joblib
import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.metrics import adjusted_rand_score, pairwise_distances
from sklearn.metrics.pairwise import _VALID_METRICS
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import get_tags
from sklearn.utils._param_validation import InvalidParameterError
from sklearn.utils.estimator_checks import parametrize_with_checks

from conftest import make_blobs
from oracles import medoids as literal
from softclust import load, save
from softclust.estimators import medoids as home
from softclust.estimators.medoids import KMedoids
from softclust.medoids.inputs import paid

IRIS = load_iris().data
METHODS = {
    "pam": {"method": "pam"},
    "pam-lab": {"init": "lab"},
    "pam-random": {"init": "random", "n_init": 3},
    "clara": {"method": "clara", "sampling_size": 60},
    "clara-random": {"method": "clara", "sampling_size": 60, "init": "random"},
    "clarans": {"method": "clarans"},
    "clarans-lab": {"method": "clarans", "init": "lab"},
}
every_method = pytest.mark.parametrize("settings", METHODS.values(), ids=METHODS)
only_methods = pytest.mark.parametrize("method", ["pam", "clara", "clarans"])


def make(k=3, **settings):
    return KMedoids(k, **{"random_state": 0, **settings})


def sound(model, n, k):
    """What holds of every fit."""
    assert model.medoid_indices_.shape == (k,)
    assert len(set(model.medoid_indices_.tolist())) == k
    assert model.labels_.shape == (n,)
    assert model.labels_.min() >= 0
    assert model.labels_.max() < k
    assert np.isfinite(model.inertia_)
    assert model.inertia_ == model.objective_
    assert model.n_iter_ >= 1


# ------------------------------------------------------------------ the contract
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@parametrize_with_checks(
    [KMedoids(), KMedoids(3, method="clara", sampling_size=10), KMedoids(3, method="clarans")]
)
def test_scikit_learn_contract(estimator, check):
    check(estimator)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@parametrize_with_checks(
    [
        KMedoids(3, method="clara"),
        KMedoids(3, init="lab"),
        KMedoids(3, init="random", n_init=2),
        KMedoids(3, metric="cosine"),
        KMedoids(3, metric="chebyshev"),
    ]
)
def test_scikit_learn_contract_of_further_settings(estimator, check):
    check(estimator)


NOT_A_MATRIX = "it gives rows of two features to whatever is a clusterer, pairwise or not"


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@parametrize_with_checks(
    [KMedoids(3, metric="precomputed")], expected_failed_checks=lambda _: {"check_clustering": NOT_A_MATRIX}
)
def test_scikit_learn_contract_for_distances(estimator, check):
    check(estimator)


def test_the_tags_tell_of_a_matrix():
    assert get_tags(KMedoids(metric="precomputed")).input_tags.pairwise
    assert not get_tags(KMedoids()).input_tags.pairwise


def test_every_parameter_is_described_and_checked():
    names = set(KMedoids().get_params())
    assert set(KMedoids._parameter_constraints) == names
    body, attributes = KMedoids.__doc__.split("Attributes\n")
    for name in names:
        assert f"\n    {name} : " in body, name
    fitted = {name for name in vars(make().fit(IRIS)) if name.endswith("_")} | {"memberships_"}
    assert {name for name in fitted if name not in attributes} <= {"n_features_in_"}


# ------------------------------------------------------------------ PAM
@pytest.mark.parametrize("k", [1, 2, 3, 5])
def test_iris_as_the_literal_pam(k):
    X = IRIS[::3]
    D = cdist(X, X)
    expected = literal.pam(D, k)
    model = make(k).fit(X)
    assert model.inertia_ == pytest.approx(expected.loss, rel=1e-12)
    assert set(model.medoid_indices_.tolist()) == set(expected.rows)
    assert literal.is_swap_optimal(D, model.medoid_indices_.tolist())


def test_iris_has_no_better_three_medoids():
    """Of all 551,300 triples of rows none has a lower loss."""
    D = cdist(IRIS, IRIS)
    least = min(np.minimum(np.minimum(D[i], D[i + 1 :])[:, None], D).sum(axis=2).min() for i in range(149))
    assert make(3).fit(IRIS).inertia_ == pytest.approx(least, rel=1e-12)


@every_method
def test_blobs_are_found(settings, seed):
    X, y = make_blobs(seed)
    model = make(3, **{**settings, "random_state": seed, "n_init": 5}).fit(X)
    sound(model, len(X), 3)
    assert adjusted_rand_score(y, model.labels_) == 1
    assert model.converged_
    assert np.array_equal(model.cluster_centers_, X[model.medoid_indices_])


@every_method
def test_read_outs_agree(settings):
    model = make(4, **settings).fit(IRIS)
    d = cdist(IRIS, IRIS[model.medoid_indices_])
    sound(model, 150, 4)
    np.testing.assert_allclose(model.transform(IRIS), d, rtol=1e-12)
    assert np.array_equal(model.labels_, d.argmin(axis=1))
    assert np.array_equal(model.labels_, model.predict(IRIS))
    assert model.inertia_ == pytest.approx(d.min(axis=1).sum(), rel=1e-12)
    assert model.score(IRIS) == -model.inertia_
    assert np.array_equal(model.memberships_.argmax(axis=1), model.labels_)
    assert np.array_equal(model.memberships_.sum(axis=1), np.ones(150))
    assert np.array_equal(model.predict_proba(IRIS), model.memberships_)
    assert np.array_equal(model.fit_predict(IRIS), model.labels_)
    weight = np.linspace(0, 2, 150)
    assert model.score(IRIS, sample_weight=weight) == pytest.approx(-weight @ d.min(axis=1), rel=1e-12)
    for rows in ([0], [149, 3], slice(20, 97)):
        assert np.array_equal(model.predict(IRIS[rows]), model.labels_[rows])
        assert np.array_equal(model.transform(IRIS[rows]), model.transform(IRIS)[rows])


@every_method
@pytest.mark.parametrize("metric", ["manhattan", "chebyshev", "precomputed"])
def test_every_method_takes_every_metric(settings, metric):
    X = cdist(IRIS, IRIS) if metric == "precomputed" else IRIS
    plain = {"precomputed": "euclidean", "manhattan": "cityblock"}.get(metric, metric)
    model = make(3, metric=metric, **settings).fit(X)
    d = cdist(IRIS, IRIS[model.medoid_indices_], plain)
    assert model.inertia_ == pytest.approx(d.min(axis=1).sum(), rel=1e-12)
    assert model.inertia_ <= 1.3 * make(3, metric=metric).fit(X).inertia_
    assert np.array_equal(model.predict(X), model.labels_)
    np.testing.assert_allclose(model.transform(X), d, rtol=1e-12, atol=1e-15)


def test_a_start_that_is_given_is_used():
    start = [3, 70, 140]
    for settings in ({}, {"method": "clara", "sampling_size": 40, "n_samplings": 1}):
        model = make(init=start, **settings).fit(IRIS)
        nearest = cdist(IRIS[start], model.cluster_centers_).argmin(axis=1)
        assert nearest.tolist() == [0, 1, 2]
    optimum = make().fit(IRIS).medoid_indices_
    for method in ("pam", "clarans"):
        assert np.array_equal(make(method=method, init=optimum).fit(IRIS).medoid_indices_, optimum)


def test_more_starts_are_no_worse():
    X = np.random.default_rng(0).standard_normal((200, 2))
    losses = [make(12, init="random", n_init=n).fit(X).inertia_ for n in (1, 5, 25)]
    assert losses == sorted(losses, reverse=True)
    assert losses[-1] < losses[0]


# ------------------------------------------------------------------ CLARA, CLARANS
@pytest.mark.parametrize("init", ["build", "lab", "random", [1, 2, 3, 4]])
@pytest.mark.parametrize("size", [150, 151, None])
def test_clara_on_everything_is_pam(size, init):
    pam = make(4, init=init).fit(IRIS)
    all_rows = make(4, method="clara", sampling_size=size, init=init).fit(IRIS)
    assert np.array_equal(pam.medoid_indices_, all_rows.medoid_indices_)
    assert pam.inertia_ == all_rows.inertia_


def test_clara_never_sees_all_distances():
    """With as many rows a table of all distances would take 80 GB."""
    X = np.random.default_rng(0).standard_normal((100_000, 2))
    X[:50_000] += 9
    model = make(2, method="clara", sampling_size=100).fit(X)
    sound(model, 100_000, 2)
    assert adjusted_rand_score(np.arange(100_000) < 50_000, model.labels_) == 1


def test_more_samples_are_no_worse():
    X = np.random.default_rng(0).standard_normal((500, 3))
    losses = [make(5, method="clara", sampling_size=30, n_samplings=n).fit(X).inertia_ for n in (1, 4, 16)]
    assert losses == sorted(losses, reverse=True)
    assert losses[-1] < losses[0]


def test_clarans_with_all_neighbours_is_a_swap_optimum(seed):
    X = IRIS[::3]
    model = make(3, method="clarans", max_neighbours=3 * 47, n_local=1, random_state=seed).fit(X)
    assert literal.is_swap_optimal(cdist(X, X), model.medoid_indices_.tolist())


# ------------------------------------------------------------------ laws
@every_method
def test_weights_are_copies(settings, seed):
    rng = np.random.default_rng(seed)
    X, weight = rng.standard_normal((90, 2)), rng.integers(0, 4, 90)
    copied = make(4, **settings).fit(np.repeat(X, weight, axis=0))
    weighted = make(4, **settings).fit(X, sample_weight=weight)
    assert weighted.inertia_ == pytest.approx(copied.inertia_, rel=1e-12)
    np.testing.assert_array_equal(weighted.cluster_centers_, copied.cluster_centers_)
    assert (weight[weighted.medoid_indices_] > 0).all()


@pytest.mark.parametrize("metric", ["euclidean", "precomputed"])
def test_weight_zero_is_absent(metric, seed):
    weight = np.random.default_rng(seed).integers(0, 2, 150).astype(float)
    kept = np.flatnonzero(weight)
    D = cdist(IRIS, IRIS)
    X, few = (D, D[np.ix_(kept, kept)]) if metric == "precomputed" else (IRIS, IRIS[kept])
    model = make(3, metric=metric).fit(X, sample_weight=weight)
    alone = make(3, metric=metric).fit(few)
    assert np.array_equal(model.medoid_indices_, kept[alone.medoid_indices_])
    assert np.array_equal(model.labels_[kept], alone.labels_)
    assert model.inertia_ == pytest.approx(alone.inertia_, rel=1e-14)
    given = make(3, metric=metric, init=kept[[5, 30, 60]]).fit(X, sample_weight=weight)
    again = make(3, metric=metric, init=[5, 30, 60]).fit(few)
    assert np.array_equal(given.medoid_indices_, kept[again.medoid_indices_])


@pytest.mark.parametrize(
    "settings", [METHODS[name] for name in ("pam-lab", "pam-random", "clara", "clarans")]
)
def test_chance_does_not_see_the_order_of_rows(settings, seed):
    X = np.random.default_rng(seed).standard_normal((120, 2))
    order = np.random.default_rng(seed + 1).permutation(120)
    model, mixed = make(4, **settings).fit(X), make(4, **settings).fit(X[order])
    assert np.array_equal(model.cluster_centers_, mixed.cluster_centers_)
    assert np.array_equal(model.labels_[order], mixed.labels_)


@every_method
def test_scaling_by_a_power_of_two_changes_nothing(settings):
    plain = make(4, **settings).fit(IRIS)
    for power in (-900, -40, 3, 500, 900):
        model = make(4, **settings).fit(np.ldexp(IRIS, power))
        assert np.array_equal(model.medoid_indices_, plain.medoid_indices_)
        assert np.array_equal(model.labels_, plain.labels_)
        assert model.inertia_ == pytest.approx(np.ldexp(plain.inertia_, power), rel=1e-12)


@every_method
def test_the_same_bits_twice_and_with_any_threads(settings):
    X = np.random.default_rng(0).standard_normal((600, 3))
    before = X.copy()
    models = [make(5, n_jobs=jobs, **settings).fit(X) for jobs in (1, 1, 2, -1, None)]
    for model in models[1:]:
        assert np.array_equal(model.medoid_indices_, models[0].medoid_indices_)
        assert model.inertia_ == models[0].inertia_
    assert np.array_equal(X, before)


@only_methods
def test_float32_stays_float32(method):
    X = IRIS.astype(np.float32)
    model = make(3, method=method).fit(X)
    assert model.cluster_centers_.dtype == model.transform(X).dtype == np.float32
    assert model.inertia_ == pytest.approx(make(3, method=method).fit(IRIS).inertia_, rel=1e-6)
    matrix = cdist(IRIS, IRIS).astype(np.float32)
    assert make(3, method=method, metric="precomputed").fit(matrix).transform(matrix).dtype == np.float32


# ------------------------------------------------------------------ metrics
def test_the_names_are_those_of_scikit_learn():
    assert home._METRICS == {"precomputed", *_VALID_METRICS} - {"matching", "wminkowski"}


@pytest.mark.parametrize("metric", sorted(home._METRICS - {"precomputed", "haversine"}))
@pytest.mark.parametrize("method", ["pam", "clara"])
def test_every_named_metric(metric, method):
    X = IRIS[::2]
    if metric in {"dice", "jaccard", "rogerstanimoto", "russellrao", "sokalsneath", "yule", "hamming"}:
        X = (X > np.median(X, axis=0)).astype(float)
        X = np.hstack([X, 1 - X])
    more = {}
    if metric == "seuclidean":
        more = {"V": X.var(axis=0, ddof=1)}
    elif metric == "mahalanobis":
        more = {"VI": np.linalg.inv(np.cov(X.T))}
    as_bool = X.astype(bool) if X.shape[1] == 8 and metric != "hamming" else X
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # few distinct rows of zeros and ones
        model = make(3, metric=metric, method=method, sampling_size=50).fit(X)
        D = pairwise_distances(as_bool, as_bool.copy(), metric=metric, **more)
        given = make(3, metric="precomputed").fit(np.maximum(D, D.T))
    expected = D[:, model.medoid_indices_]
    assert model.inertia_ == pytest.approx(expected.min(axis=1).sum(), rel=1e-7)
    np.testing.assert_allclose(model.transform(X), expected, rtol=1e-6, atol=1e-7)
    if method == "pam":
        assert model.inertia_ == pytest.approx(given.inertia_, rel=0.02)


def test_haversine():
    X = np.random.default_rng(0).uniform([-1.5, -3.1], [1.5, 3.1], size=(60, 2))
    model = make(3, metric="haversine").fit(X)
    expected = pairwise_distances(X, model.cluster_centers_, metric="haversine")
    assert model.inertia_ == pytest.approx(expected.min(axis=1).sum(), rel=1e-12)


def test_parameters_of_a_metric():
    model = make(3, metric="minkowski", metric_params={"p": 3}).fit(IRIS)
    expected = cdist(IRIS, model.cluster_centers_, "minkowski", p=3)
    np.testing.assert_allclose(model.transform(IRIS), expected, rtol=1e-12)
    weighted = make(3, metric="seuclidean", metric_params={"V": np.array([1.0, 2.0, 3.0, 4.0])}).fit(IRIS)
    gap = (IRIS[:, None] - weighted.cluster_centers_) / np.sqrt([1.0, 2.0, 3.0, 4.0])
    np.testing.assert_allclose(weighted.transform(IRIS), np.linalg.norm(gap, axis=2), rtol=1e-12)


@only_methods
def test_a_function_of_two_rows(method):
    X = IRIS[::5]

    def farthest(x, y):
        return np.abs(x - y).max()

    own = make(3, metric=farthest, method=method, sampling_size=20).fit(X)
    named = make(3, metric="chebyshev", method=method, sampling_size=20).fit(X)
    assert np.array_equal(own.medoid_indices_, named.medoid_indices_)
    assert own.inertia_ == pytest.approx(named.inertia_, rel=1e-12)
    assert np.array_equal(own.predict(X), named.predict(X))


def test_distances_that_are_not_symmetric():
    """X[i, j] is what row i pays for medoid j, in whatever order the matrix lies."""
    D = np.random.default_rng(0).exponential(size=(30, 30))
    models = [
        make(3, metric="precomputed").fit(M) for M in (D, np.asfortranarray(D), np.repeat(D, 2, 1)[:, ::2])
    ]
    for model in models:
        assert np.array_equal(model.medoid_indices_, models[0].medoid_indices_)
        assert model.inertia_ == pytest.approx(literal.loss(D, model.medoid_indices_.tolist()), rel=1e-12)
        assert literal.is_swap_optimal(D, model.medoid_indices_.tolist())
        assert np.array_equal(model.predict(D), model.labels_)
    assert set(models[0].medoid_indices_) != set(make(3, metric="precomputed").fit(D.T).medoid_indices_)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_a_matrix_is_not_copied(dtype):
    D = cdist(IRIS, IRIS).astype(dtype)
    D = np.maximum(D, D.T)
    for given in (D, np.asfortranarray(np.tril(D))):
        assert np.shares_memory(paid(given), given)
    read_only = D.copy()
    read_only.flags.writeable = False
    assert make(metric="precomputed").fit(read_only).inertia_ == make(metric="precomputed").fit(D).inertia_


def test_rows_of_a_matrix_that_were_not_fitted():
    D = cdist(IRIS, IRIS)
    model, rows = make(metric="precomputed").fit(D[:100, :100]), make().fit(IRIS[:100])
    assert model.cluster_centers_ is None
    assert np.array_equal(model.predict(D[100:, :100]), rows.predict(IRIS[100:]))
    assert model.score(D[100:, :100]) == pytest.approx(rows.score(IRIS[100:]), rel=1e-9)


# ------------------------------------------------------------------ composition
def test_pipeline_grid_search_and_frames():
    pandas = pytest.importorskip("pandas")
    pipe = make_pipeline(StandardScaler(), make()).fit(IRIS)
    assert np.array_equal(pipe.predict(IRIS), make().fit_predict(StandardScaler().fit_transform(IRIS)))
    D = cdist(IRIS, IRIS)
    for search in (
        GridSearchCV(make(), {"n_clusters": [1, 2, 3]}, cv=3).fit(IRIS),
        GridSearchCV(make(metric="precomputed"), {"n_clusters": [1, 2, 3]}, cv=3).fit(D),
    ):
        assert search.best_estimator_.n_clusters_ == search.best_params_["n_clusters"]
    frame = pandas.DataFrame(IRIS, columns=list("abcd"))
    model = make().set_output(transform="pandas").fit(frame)
    assert list(model.transform(frame).columns) == ["kmedoids0", "kmedoids1", "kmedoids2"]


@pytest.mark.parametrize("metric", ["euclidean", "mahalanobis"])
def test_stored_and_loaded(metric):
    model = make(metric=metric).fit(IRIS)
    file = io.BytesIO()
    joblib.dump(model, file)
    file.seek(0)
    for copy in (pickle.loads(pickle.dumps(model)), joblib.load(file)):
        assert np.array_equal(copy.predict(IRIS), model.labels_)
        assert np.array_equal(copy.transform(IRIS), model.transform(IRIS))
    assert not hasattr(clone(model), "labels_")


# ------------------------------------------------------------------ torture
@every_method
@pytest.mark.parametrize(
    ("X", "distinct"),
    [
        (np.zeros((30, 2)), 1),
        (np.repeat([[0.0, 1.0], [5.0, 5.0]], 20, axis=0), 2),
        (np.array([[1e300], [1e300], [-1e300], [-1e300], [1e300]]), 2),
        (np.full((10, 1), 1e-310), 1),
    ],
    ids=["identical", "two", "huge", "subnormal"],
)
def test_fewer_distinct_rows_than_clusters(settings, X, distinct):
    match = rf"distinct clusters \({distinct}\) found smaller than n_clusters \(4\)"
    with pytest.warns(ConvergenceWarning, match=match):
        model = make(4, **settings).fit(X)
    sound(model, len(X), 4)
    assert model.inertia_ == 0
    assert model.converged_
    assert np.array_equal(model.predict(X), model.labels_)


@every_method
@pytest.mark.parametrize("k", [1, 7])
def test_as_many_clusters_as_rows_and_a_single_one(settings, k):
    X = IRIS[:150:22][:7]
    model = make(k, **settings).fit(X)
    sound(model, 7, k)
    assert model.inertia_ == pytest.approx(0 if k == 7 else min(cdist(X, X).sum(axis=0)))
    assert make(1).fit(X[:1]).medoid_indices_.tolist() == [0]


@every_method
@pytest.mark.parametrize(("scale", "offset"), [(1e-150, 0), (1e150, 0), (1e300, 0), (1e-300, 0), (1, 1e12)])
def test_extreme_scales_and_offsets(settings, scale, offset):
    X, y = make_blobs(0)
    model = make(3, **{**settings, "n_init": 5}).fit(X * scale + offset)
    assert adjusted_rand_score(y, model.labels_) == 1
    assert np.isfinite(model.transform(X * scale + offset)).all()


@every_method
def test_a_far_outlier(settings):
    X, _ = make_blobs(0)
    X = np.vstack([X, [[1e100, 0.0]]])
    model = make(4, **{**settings, "n_init": 5}).fit(X)
    assert np.isfinite(model.inertia_)
    if settings == METHODS["pam"]:
        assert 150 in model.medoid_indices_


@pytest.mark.parametrize("scale", [1e-40, 1e-30, 1e30, 3e37])
def test_float32_at_its_edge(scale):
    X, y = make_blobs(0)
    model = make(3).fit((X / 20 * scale).astype(np.float32))
    assert np.isfinite(model.inertia_)
    if scale > 1e-40:
        assert adjusted_rand_score(y, model.labels_) == 1


def test_weights_at_the_edge_of_floats():
    plain = make(3).fit(IRIS, sample_weight=np.ones(150))
    for weight in (1e-300, 1e300, 1e308):
        model = make(3).fit(IRIS, sample_weight=np.full(150, weight))
        assert np.array_equal(model.medoid_indices_, plain.medoid_indices_)


def test_distances_at_the_edge_of_floats():
    D = cdist(IRIS, IRIS)
    plain = make(3, metric="precomputed").fit(D)
    model = make(3, metric="precomputed").fit(D / D.max() * 1.7e308)
    assert set(model.medoid_indices_) == set(plain.medoid_indices_)


def test_passes_that_run_out():
    X = np.random.default_rng(0).standard_normal((300, 2))
    with pytest.warns(ConvergenceWarning, match=r"The last of max_iter=1 passes"):
        model = make(6, init=[0, 1, 2, 3, 4, 5], max_iter=1).fit(X)
    assert (model.n_iter_, model.converged_) == (1, False)


# ------------------------------------------------------------------ bad input
WRONG = {
    "n_clusters": [0, -1, 2.5, "3", None],
    "method": ["PAM", None, 1],
    "metric": ["euclid", None, 3, "matching"],
    "metric_params": [3, "p"],
    "init": ["k-means++", 3, None],
    "n_init": [0, "1", None],
    "max_iter": [0, 1.5, None],
    "n_samplings": [0, None],
    "sampling_size": [0, -1, 10.0, "all"],
    "max_neighbours": [0, 2.5],
    "n_local": [0, None],
    "random_state": ["seed", -1],
    "n_jobs": [0, 1.5],
}


@pytest.mark.parametrize(("name", "value"), [(name, v) for name, values in WRONG.items() for v in values])
def test_wrong_parameters_are_named(name, value):
    with pytest.raises(InvalidParameterError, match=f"The '{name}' parameter of KMedoids must be"):
        KMedoids(**{name: value}).fit(IRIS)


def refused(message, X=IRIS, sample_weight=None, **settings):
    model = make(**settings)
    with pytest.raises(ValueError, match=re.escape(message)):
        model.fit(X, sample_weight=sample_weight)
    assert {name for name in vars(model) if name.endswith("_")} == set()


@only_methods
def test_more_clusters_than_rows(method):
    refused("n_samples=2 should be >= n_clusters=3.", IRIS[:2], method=method)
    weight = np.r_[np.ones(2), np.zeros(148)]
    message = "Only 2 rows have a weight above 0; n_clusters=3 needs as many."
    refused(message, sample_weight=weight, method=method)


def test_starts_that_do_not_fit():
    refused("init has the shape (2,); n_clusters=3 row positions would fit.", init=[1, 2])
    refused("init has the shape (3, 4); n_clusters=3 row positions would fit.", init=IRIS[:3])
    refused("init[0] is 1.0; row positions are whole numbers.", init=[1.0, 2.0, 3.0])
    refused("init[1] is 150; X has rows 0 to 149.", init=[1, 150, 3])
    refused("init[2] is -1; X has rows 0 to 149.", init=[1, 2, -1])
    refused("init[0] and init[2] are both row 9; medoids must differ.", init=[9, 2, 9])
    weight = np.r_[0.0, np.ones(149)]
    refused("init[1] is row 0, whose sample_weight is 0.", init=[9, 0, 2], sample_weight=weight)


@only_methods
@pytest.mark.parametrize("metric", ["euclidean", "chebyshev", "cosine"])
def test_entries_that_are_no_numbers(method, metric):
    X = IRIS.copy()
    X[17, 2] = np.nan
    refused("Input X contains NaN: X[17, 2] is nan", X, method=method, metric=metric)
    X[17, 2] = -np.inf
    refused("Input X contains infinity or a value too large for dtype('float64'): X[17, 2] is -inf", X)
    model = make(method=method, metric=metric).fit(IRIS)
    for call in (model.predict, model.transform, model.score, model.predict_proba):
        with pytest.raises(ValueError, match=re.escape("X[17, 2] is -inf")):
            call(X)


@only_methods
def test_matrices_that_do_not_fit(method):
    D = cdist(IRIS, IRIS)
    settings = {"method": method, "metric": "precomputed"}
    refused('X has the shape (150, 149); metric="precomputed" takes a square matrix', D[:, 1:], **settings)
    for order in "CF":
        for value, words in (
            (
                -0.5,
                "Negative values in data passed to KMedoids: X[3, 5] is -0.5, the distance of row 3",
            ),
            (np.nan, "Input X contains NaN: X[3, 5] is nan"),
            (np.inf, "Input X contains infinity: X[3, 5] is inf"),
        ):
            bad = D.copy(order)
            bad[3, 5] = value
            refused(words, bad, **settings)
    model = make(**settings).fit(D)
    with pytest.raises(ValueError, match="X has 149 features, but KMedoids is expecting 150"):
        model.predict(D[:, 1:])
    bad = D[:10].copy()
    bad[4, model.medoid_indices_[1]] = -1
    with pytest.raises(ValueError, match=re.escape(f"X[4, {model.medoid_indices_[1]}] is -1.0")):
        model.predict(bad)


def test_metrics_that_give_no_distance():
    message = "gives nan for the rows (5.1, 3.5, 1.4, 0.2) and ("
    refused(message, metric=lambda x, y: np.nan if x[0] == 5.1 else 1.0)
    refused("gives -1.0 for the rows", metric=lambda x, y: -1.0)


def test_a_table_that_has_no_room():
    """10,000,000 rows squared are more bytes than addresses."""
    match = re.escape('The distances of all 10000000 rows take 4e+05 GB; method="clara" does without.')
    with pytest.raises(MemoryError, match=match):
        make().fit(np.zeros((10_000_000, 1), np.float32))


def test_samples_that_are_too_small():
    refused("sampling_size=2 should be >= n_clusters=3.", method="clara", sampling_size=2)


@pytest.mark.parametrize(
    ("weight", "words"),
    [
        ([1.0] * 149, "sample_weight.shape == (149,), expected (150,)!"),
        ([-1.0] + [1.0] * 149, "sample_weight[0] is -1"),
        ([1.0] * 149 + [np.nan], "sample_weight[149] is NaN"),
        ([0.0] * 150, "sample_weight is zero for every row"),
    ],
)
def test_weights_that_do_not_fit(weight, words):
    refused(words, sample_weight=weight)


def test_not_fitted():
    for call in (KMedoids().predict, KMedoids().transform, KMedoids().score, KMedoids().predict_proba):
        with pytest.raises(NotFittedError):
            call(IRIS)
    assert not hasattr(KMedoids(), "memberships_")


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_memberships_have_the_type_of_the_rows(dtype):
    X = np.random.default_rng(0).normal(size=(30, 2)).astype(dtype)
    model = KMedoids(3, random_state=0).fit(X)
    assert model.memberships_.dtype == model.predict_proba(X).dtype == dtype


@pytest.mark.parametrize("what", ["constant", "sum", "few-rows"])
def test_mahalanobis_of_a_singular_covariance_is_refused(what):
    """Its inverse would be rounding, and a saved model that holds it would not come back."""
    X = np.random.default_rng(0).normal(size=(30, 3))
    if what == "few-rows":
        X = X[:3]
    else:
        X[:, 2] = 7.0 if what == "constant" else X[:, 0] + X[:, 1]
    with pytest.raises(ValueError, match=r'^metric="mahalanobis" takes the inverse of the covariance of X'):
        KMedoids(2, metric="mahalanobis").fit(X)
    inverse = {"VI": np.linalg.pinv(np.cov(X.T))}
    assert np.isfinite(KMedoids(2, metric="mahalanobis", metric_params=inverse).fit(X).inertia_)


def test_mahalanobis_of_features_in_very_different_units(tmp_path):
    """The unit of a feature changes no distance, and the model comes back from its file."""
    X = np.random.default_rng(0).normal(size=(30, 3))
    one = KMedoids(3, metric="mahalanobis").fit(X)
    two = KMedoids(3, metric="mahalanobis").fit(X * [1e-6, 1.0, 1e6])
    np.testing.assert_allclose(two.inertia_, one.inertia_, rtol=1e-6)
    save(two, tmp_path / "medoids.zip")
    assert np.array_equal(load(tmp_path / "medoids.zip").predict(X * [1e-6, 1.0, 1e6]), two.labels_)
