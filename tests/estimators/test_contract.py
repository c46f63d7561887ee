"""The estimators behave as scikit-learn's do, whatever their settings."""

import io
import pickle
from functools import partial

import joblib
import numpy as np
import pytest
import sklearn
import skops.io
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.metrics import adjusted_rand_score
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import estimator_html_repr
from sklearn.utils._param_validation import validate_parameter_constraints
from sklearn.utils.estimator_checks import parametrize_with_checks

import softclust
from configurations import (
    ESTIMATORS,
    MIXTURE,
    POSSIBILISTIC,
    WITH_TYPICALITIES,
    as_parameters,
    contract_configurations,
    defaults,
    few_shells,
)
from conftest import make_blobs
from softclust import DegenerateClusterWarning

pytestmark = [
    pytest.mark.usefixtures("few_starts_of_shells"),
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning"),
    pytest.mark.filterwarnings("ignore::softclust.errors.DegenerateClusterWarning"),
]

ALL = [*ESTIMATORS, MIXTURE, softclust.KMedoids]
every_configuration = pytest.mark.parametrize(
    "make", [pytest.param(make, id=name, marks=marks) for name, make, marks in few_shells()]
)
every_default = pytest.mark.parametrize("make", **as_parameters(defaults()))
some_configurations = pytest.mark.parametrize("make", **as_parameters(contract_configurations()))


# One setting for each way by which rows go through a fit; the others are checked by `make test-all`.
OFTEN = {
    "FuzzyCMeans-density_rate=auto",
    "FuzzyCMeans-geometry=directions",
    "FuzzyCMeans-geometry=gath-geva",
    *(name for name, _ in defaults()),
}


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:y names:UserWarning")  # the checks pass classes as y
@parametrize_with_checks([make() for name, make in contract_configurations() if name not in OFTEN])
def test_scikit_learn_contract_of_further_settings(estimator, check):
    check(estimator)


@pytest.mark.filterwarnings("ignore:y names:UserWarning")  # the checks pass classes as y
@parametrize_with_checks(
    [
        *(make() for name, make in contract_configurations() if name in OFTEN),
        softclust.FuzzyCMeans(2, geometry="lines"),
    ],
    expected_failed_checks=lambda estimator: (
        {
            "check_clustering": "looks for blobs, and lines pass through several",
        }
        if getattr(estimator, "geometry", None) == "lines"
        else {}
    ),
)
def test_scikit_learn_contract(estimator, check):
    check(estimator)


# ------------------------------------------------------------------ composition
@some_configurations
def test_clone_has_the_parameters_and_no_fit(make, blobs):
    X, _ = blobs
    model = make().fit(X)
    copy = clone(model)
    assert repr(copy.get_params()) == repr(model.get_params())
    assert not hasattr(copy, "cluster_centers_")
    assert np.array_equal(copy.fit(X).memberships_, model.memberships_)


@some_configurations
def test_pipeline(make, iris):
    X, _ = iris
    scaled = StandardScaler().fit_transform(X)
    alone = make().fit(scaled)
    pipe = make_pipeline(StandardScaler(), make()).fit(X)
    assert np.array_equal(pipe.predict(X), alone.labels_)
    assert np.array_equal(pipe.predict_proba(X), alone.memberships_)
    assert np.array_equal(pipe.transform(X), alone.transform(scaled))
    assert pipe.score(X) == alone.score(scaled)
    assert np.array_equal(make_pipeline(StandardScaler(), make()).fit_predict(X), alone.labels_)


@every_default
def test_grid_search_scores_by_the_estimators_own_score(make, blobs):
    X, _ = blobs
    folds = KFold(3, shuffle=True, random_state=0)
    search = GridSearchCV(make(), {"n_clusters": [1, 2, 3]}, cv=folds).fit(X)
    for k, (train, test) in enumerate(folds.split(X)):
        expected = [make(n_clusters=c).fit(X[train]).score(X[test]) for c in (1, 2, 3)]
        assert search.cv_results_[f"split{k}_test_score"].tolist() == expected
    assert search.best_estimator_.n_clusters_ == search.best_params_["n_clusters"]


@pytest.mark.parametrize("cls", ESTIMATORS[:2])
def test_grid_search_prefers_three_clusters_for_three_blobs(cls, blobs):
    search = GridSearchCV(cls(random_state=0), {"n_clusters": [1, 2, 3]}, cv=3).fit(blobs[0])
    assert search.best_params_ == {"n_clusters": 3}


@some_configurations
def test_score_is_minus_the_objective(make, iris):
    X, _ = iris
    model = make().fit(X)
    if hasattr(model, "lower_bound_"):  # scikit-learn's users expect the mean
        assert model.score(X) == pytest.approx(model.lower_bound_, rel=1e-12)
    elif model.density_rate is None or model.density_from == "centers":
        assert model.score(X) == pytest.approx(-model.objective_, rel=1e-12)
    assert model.score(X) > model.score(X + 1.0)


# ------------------------------------------------------------------ output
def written_by(make, X, library):
    """A model, its plain memberships, and the same as a frame of the library."""
    model = make().fit(X)
    return model, model.transform(X), model.set_output(transform=library).transform(X)


@some_configurations
def test_pandas_output(make, iris):
    model, plain, frame = written_by(make, iris[0], "pandas")
    assert type(frame).__module__.startswith("pandas")
    assert list(frame.columns) == list(model.get_feature_names_out())
    assert np.array_equal(frame.to_numpy(), plain)


@some_configurations
def test_polars_output(make, iris):
    model, plain, frame = written_by(make, iris[0], "polars")
    assert type(frame).__module__.startswith("polars")
    assert frame.columns == list(model.get_feature_names_out())
    assert np.array_equal(frame.to_numpy(), plain)


@every_default
def test_feature_names_out(make, blobs):
    model = make(n_clusters=4).fit(blobs[0])
    prefix = type(model).__name__.lower()
    assert model.get_feature_names_out().tolist() == [f"{prefix}{k}" for k in range(4)]


@every_default
def test_feature_names_out_counts_the_clusters_found(make, blobs):
    X, y = blobs
    with pytest.warns(UserWarning, match="y names 3 classes but n_clusters=2"):
        model = make(n_clusters=2).fit(X, y)
    assert len(model.get_feature_names_out()) == model.n_clusters_ == 3


@some_configurations
def test_transform_gives_distances(make, iris):
    X, _ = iris
    model = make().fit(X)
    gap = X[:, None] - model.cluster_centers_
    expected, tol = np.linalg.norm(gap, axis=2), 1e-12
    if getattr(model, "geometry", "") == "mahalanobis":
        square = np.einsum("ikp,pq,ikq->ik", gap, np.linalg.inv(np.cov(X.T, bias=True)), gap)
        expected, tol = np.sqrt(square), 1e-10
    elif getattr(model, "geometry", "") == "directions":
        units = [x / np.linalg.norm(x, axis=1, keepdims=True) for x in (X, model.cluster_centers_)]
        expected, tol = np.sqrt(1 - units[0] @ units[1].T), 1e-7
    elif hasattr(model, "weights_") or getattr(model, "geometry", "") == "gath-geva":
        sigma = model.covariances_
        sigma = sigma[:, :, None] * np.eye(4) if sigma.ndim == 2 else sigma
        expected = np.sqrt(np.einsum("ikp,kpq,ikq->ik", gap, np.linalg.inv(sigma), gap))
        tol = 1e-9
    elif hasattr(model, "covariances_"):  # in the metric of each cluster, which came to rest within 1e-6
        inverse = np.linalg.inv(model.covariances_)
        square = np.einsum("ikp,kpq,ikq->ik", gap, inverse, gap)
        expected, tol = np.sqrt(np.linalg.det(model.covariances_) ** 0.25 * square), 1e-4
    np.testing.assert_allclose(model.transform(X), expected, rtol=tol, atol=tol)


@some_configurations
def test_html_repr(make, blobs):
    model = make()
    name = type(model).__name__
    assert name in estimator_html_repr(model)
    fitted = estimator_html_repr(model.fit(blobs[0]))
    assert name in fitted
    assert "n_clusters" in fitted


@pytest.mark.parametrize("cls", ALL, ids=lambda cls: cls.__name__)
def test_every_parameter_is_described_and_checked(cls):
    names = set(cls().get_params())
    assert set(cls._parameter_constraints) == names
    body = cls.__doc__.split("Attributes\n")[0]
    for name in names:
        assert f"\n    {name} : " in body, name
    assert "{" not in body.replace("{1, 2}", "").split("Parameters")[0]


@pytest.mark.parametrize("cls", ALL, ids=lambda cls: cls.__name__)
def test_defaults_fit(cls):
    """A fit checks other parameters only."""
    validate_parameter_constraints(cls._parameter_constraints, cls().get_params(), cls.__name__)


@pytest.mark.parametrize("cls", ALL, ids=lambda cls: cls.__name__)
def test_every_attribute_is_described(cls, blobs):
    model = cls(random_state=0).fit(blobs[0])
    public = {name for name in vars(model) if name.endswith("_") and not name.startswith("_")}
    text = cls.__doc__.split("Attributes\n")[1]
    described = {name for name in public if f"\n    {name} : " in text}
    assert public - described <= {"n_features_in_", "feature_names_in_"}


# ------------------------------------------------------------------ storage
def _equal_predictions(a, b, X):
    assert repr(a.get_params()) == repr(b.get_params())
    assert np.array_equal(a.predict(X), b.predict(X))
    assert np.array_equal(a.predict_proba(X), b.predict_proba(X))
    assert np.array_equal(a.outlier_score(X), b.outlier_score(X))
    assert np.array_equal(a.transform(X), b.transform(X))
    assert a.score(X) == b.score(X)
    assert np.array_equal(a.cluster_centers_, b.cluster_centers_)
    if hasattr(a, "typicalities_"):
        assert np.array_equal(a.predict_typicality(X), b.predict_typicality(X))


def _pickled(model):
    return pickle.loads(pickle.dumps(model))


def _joblibbed(model):
    file = io.BytesIO()
    joblib.dump(model, file)
    return joblib.load(io.BytesIO(file.getvalue()))


def _skopsed(model):
    data = skops.io.dumps(model)
    types = skops.io.get_untrusted_types(data=data)
    assert all(name.startswith("softclust.") for name in types)
    return skops.io.loads(data, trusted=types)


@pytest.mark.parametrize("way", [_pickled, _joblibbed, _skopsed])
@some_configurations
def test_stored_and_loaded(way, make, iris):
    X, _ = iris
    model = make().fit(X)
    _equal_predictions(model, way(model), X[::-1] + 0.1)


@some_configurations
def test_pickled_before_the_fit(make, blobs):
    X, _ = blobs
    assert np.array_equal(_pickled(make()).fit(X).memberships_, make().fit(X).memberships_)


# ------------------------------------------------------------------ knowledge and metadata
@every_default
def test_fit_predict_uses_y(make, blobs):
    X, truth = blobs
    for order in ([0, 1, 2], [2, 0, 1], [1, 2, 0]):
        y = np.array(order)[truth]
        assert np.array_equal(make().fit_predict(X, y), y)
        few = np.where(np.arange(len(y)) < 20, y, -1)
        assert np.array_equal(make().fit_predict(X, few), y)


@every_default
def test_fit_predict_uses_weights(make, iris):
    X, _ = iris
    weight = np.linspace(0, 3, len(X))
    expected = make().fit(X, sample_weight=weight).labels_
    assert np.array_equal(make().fit_predict(X, sample_weight=weight), expected)


@every_default
def test_weights_are_routed_through_a_pipeline(make, iris):
    X, _ = iris
    weight = np.where(np.arange(len(X)) % 3 == 0, 4.0, 0.5)
    scaled = StandardScaler().fit_transform(X)
    alone = make().fit(scaled, sample_weight=weight)
    with sklearn.config_context(enable_metadata_routing=True):
        scaler = StandardScaler().set_fit_request(sample_weight=False)
        model = make().set_fit_request(sample_weight=True).set_score_request(sample_weight=True)
        pipe = make_pipeline(scaler, model)
        pipe.fit(X, sample_weight=weight)
        score = pipe.score(X, sample_weight=weight)
        unweighted = pipe.score(X)
    assert np.array_equal(pipe[-1].cluster_centers_, alone.cluster_centers_)
    assert score == alone.score(scaled, sample_weight=weight) != unweighted


@every_default
def test_weights_not_requested_are_refused_under_routing(make, iris):
    X, _ = iris
    with sklearn.config_context(enable_metadata_routing=True):
        pipe = make_pipeline(StandardScaler(), make())
        with pytest.raises(sklearn.exceptions.UnsetMetadataPassedError, match="sample_weight"):
            pipe.fit(X, sample_weight=np.ones(len(X)))


@every_default
def test_fits_while_array_api_dispatch_is_on(make, iris):
    X, _ = iris
    plain = make().fit(X)
    with sklearn.config_context(array_api_dispatch=True):
        assert np.array_equal(make().fit(X).memberships_, plain.memberships_)


# ------------------------------------------------------------------ rows seen and unseen
def _data(name, dtype):
    if name == "iris":
        X = load_iris().data
    else:
        X, _ = make_blobs(1, each=60)
        X = np.concatenate([X, [[16.0, -4.0], [-5.0, 6.0]]])
    return X.astype(dtype)


@every_configuration
def test_prediction_of_the_fitted_rows(make):
    assert_prediction_is_the_fit(make, "iris", np.float64)


@some_configurations
def test_prediction_of_the_fitted_rows_in_single_precision(make):
    assert_prediction_is_the_fit(make, "blobs", np.float32)


def assert_prediction_is_the_fit(make, data, dtype):
    X = _data(data, dtype)
    model = make().fit(X)
    if dtype is np.float64:
        _assert_in_range(model)
    assert np.array_equal(model.predict(X), model.labels_)
    assert np.array_equal(model.predict_proba(X), model.memberships_)
    assert np.array_equal(model.outlier_score(X), model.outlier_scores_)
    if hasattr(model, "predict_typicality"):
        assert np.array_equal(model.predict_typicality(X), model.typicalities_)
    assert model.labels_.shape == model.outlier_scores_.shape == model.outlier_mask_.shape == (len(X),)
    assert model.memberships_.dtype == model.outlier_scores_.dtype == dtype
    rng = np.random.default_rng(0)
    for rows in (rng.permutation(len(X)), rng.choice(len(X), 7), [len(X) - 1]):
        assert np.array_equal(model.predict(X[rows]), model.labels_[rows])
        assert np.array_equal(model.predict_proba(X[rows]), model.memberships_[rows])
        assert np.array_equal(model.outlier_score(X[rows]), model.outlier_scores_[rows])
        if hasattr(model, "predict_typicality"):
            assert np.array_equal(model.predict_typicality(X[rows]), model.typicalities_[rows])


def _assert_in_range(model):
    np.testing.assert_allclose(model.memberships_.sum(axis=1), 1.0, rtol=0, atol=1e-12)
    for degrees in (model.memberships_, model.outlier_scores_, getattr(model, "typicalities_", 0.5)):
        assert np.min(degrees) >= 0
        assert np.max(degrees) <= 1
    assert model.labels_.min() >= 0
    assert model.labels_.max() < model.n_clusters_
    assert model.outlier_mask_.dtype == bool
    assert model.objective_ == model.objective_history_[-1]
    assert len(model.cluster_centers_) == len(model.scale_) == len(model.classes_) == model.n_clusters_


# ------------------------------------------------------------------ good defaults
@every_default
def test_three_blobs_are_found_by_default(make, seed):
    for data_seed in range(4):
        X, y = make_blobs(data_seed)
        model = make(random_state=seed).fit(X)
        assert adjusted_rand_score(y, model.labels_) == 1
        assert model.converged_


@every_default
def test_five_blobs_in_five_dimensions_are_found_by_default(make, seed):
    rng = np.random.default_rng(seed)
    means = 20 * np.eye(5)
    y = np.repeat(np.arange(5), 40)
    X = means[y] + rng.standard_normal((200, 5))
    model = make(n_clusters=5, random_state=seed).fit(X)
    assert adjusted_rand_score(y, model.labels_) == 1


@pytest.mark.filterwarnings("default")  # a warning of coincident centres would be a failure here
@every_default
def test_separated_blobs_give_no_warning(make, seed, recwarn):
    make(random_state=seed).fit(make_blobs(seed)[0])
    assert [str(w.message) for w in recwarn] == []


def test_coincident_clusters_are_named():
    X = np.random.default_rng(0).standard_normal((200, 2))
    with pytest.warns(DegenerateClusterWarning) as caught:
        model = softclust.make("pcm", n_clusters=4, random_state=0).fit(X)
    V, radius = model.cluster_centers_, np.sqrt(model.scale_)
    pairs = [
        (k, other)
        for k in range(4)
        for other in range(k + 1, 4)
        if np.linalg.norm(V[k] - V[other]) <= 0.1 * min(radius[k], radius[other])
    ]
    assert len(pairs) >= 1
    (k, other), message = pairs[0], str(caught[0].message)
    assert message.startswith(f"The centres of clusters {k} and {other} coincide: they are ")
    assert f"{np.linalg.norm(V[k] - V[other]):.3g} apart" in message
    assert "merge_coincident=True" in message


def test_coincident_fuzzy_clusters_are_named():
    """Two centres that start in one place stay together for ever."""
    X = np.random.default_rng(0).standard_normal((200, 2))
    init = [[0.5, 0.0], [0.5, 0.0], [-1.0, 0.0]]
    match = r"clusters 0 and 1 coincide: they are 0 apart; fewer clusters or a smaller m"
    with pytest.warns(DegenerateClusterWarning, match=match):
        softclust.FuzzyCMeans(n_clusters=3, init=init).fit(X)


MERGING = [
    ("pcm", partial(softclust.make, "pcm")),
    ("pcm-entropy", partial(softclust.make, "pcm-entropy")),
    ("PossibilisticCMeans", POSSIBILISTIC),
    ("pcm-scale", partial(softclust.make, "pcm", scale=2.0)),
    ("pcm-entropy-scale", partial(softclust.make, "pcm-entropy", scale=2.0)),
    ("PossibilisticCMeans-scale", partial(POSSIBILISTIC, scale=2.0)),
    ("pfcm-scale", partial(softclust.make, "pfcm", a=0.0, scale=2.0)),
]


@pytest.mark.parametrize("make", **as_parameters(MERGING))
def test_merging_tells_the_number_of_blobs(make, seed):
    X, y = make_blobs(seed)
    model = make(n_clusters=8, merge_coincident=True, random_state=seed).fit(X)
    assert model.n_clusters_ == 3
    assert adjusted_rand_score(y, model.labels_) == 1


@pytest.mark.parametrize("cls", WITH_TYPICALITIES, ids=lambda cls: cls.__name__)
def test_merging_leaves_separated_clusters_alone(cls, blobs):
    X, _ = blobs
    plain = cls(random_state=0, scale_factor=0.5).fit(X)
    merged = cls(random_state=0, scale_factor=0.5, merge_coincident=True).fit(X)
    assert merged.n_clusters_ == 3
    assert np.array_equal(plain.memberships_, merged.memberships_)
