"""What the estimators take: frames, labels of any kind, weights; and what they leave alone."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from configurations import (
    ESTIMATORS,
    FUZZY,
    HARD,
    as_parameters,
    contract_configurations,
    of_round_clusters,
)
from conftest import BLOB_MEANS, make_blobs

pytestmark = [
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning"),
    pytest.mark.filterwarnings("ignore::softclust.errors.DegenerateClusterWarning"),
]

every_estimator = pytest.mark.parametrize("cls", ESTIMATORS, ids=lambda cls: cls.__name__)
every_configuration = pytest.mark.parametrize("make", **as_parameters(of_round_clusters()))
some_configurations = pytest.mark.parametrize("make", **as_parameters(contract_configurations()))
# Where the start is given, whatever rule would draw it.
every_started = pytest.mark.parametrize(
    "make", **as_parameters([(name, make) for name, make in of_round_clusters() if "init=" not in name])
)

# ------------------------------------------------------------------ frames
NAMES = ["width", "height"]
FRAMES = {
    "pandas": lambda X: pd.DataFrame(X, columns=NAMES),
    "polars": lambda X: pl.DataFrame(X, schema=NAMES),
    "pyarrow": lambda X: pa.table({name: X[:, j] for j, name in enumerate(NAMES)}),
}
every_frame = pytest.mark.parametrize("frame", FRAMES.values(), ids=FRAMES.keys())


@every_frame
@every_estimator
def test_frames(cls, frame, blobs):
    X, _ = blobs
    expected, model = cls(random_state=0).fit(X), cls(random_state=0).fit(frame(X))
    assert model.feature_names_in_.tolist() == NAMES
    assert not hasattr(expected, "feature_names_in_")
    assert np.array_equal(model.memberships_, expected.memberships_)
    assert np.array_equal(model.predict(frame(X)), expected.labels_)
    assert np.array_equal(model.predict_proba(frame(X)), expected.memberships_)
    assert np.array_equal(model.transform(frame(X)), expected.transform(X))
    assert model.score(frame(X)) == expected.score(X)


@every_estimator
def test_frame_in_single_precision(cls, blobs):
    X = blobs[0].astype(np.float32)
    model = cls(random_state=0).fit(FRAMES["pandas"](X))
    assert model.memberships_.dtype == model.cluster_centers_.dtype == np.float32
    assert np.array_equal(model.memberships_, cls(random_state=0).fit(X).memberships_)


@every_estimator
def test_other_feature_names_are_refused(cls, blobs):
    frame = FRAMES["pandas"](blobs[0])
    model = cls(random_state=0).fit(frame)
    with pytest.raises(
        ValueError, match="The feature names should match those that were passed during fit"
    ):
        model.predict(frame[NAMES[::-1]])


@every_estimator
def test_columns_of_several_types(cls, blobs):
    X, _ = blobs
    frame = pd.DataFrame(
        {"a": np.round(X[:, 0]).astype(int), "b": X[:, 1].astype(np.float32), "c": X[:, 1] > 5}
    )
    expected = cls(random_state=0).fit(frame.to_numpy(dtype=np.float64))
    assert np.array_equal(cls(random_state=0).fit(frame).memberships_, expected.memberships_)


@every_estimator
def test_nullable_columns(cls, blobs):
    X, _ = blobs
    frame = FRAMES["pandas"](X).convert_dtypes()
    assert np.array_equal(
        cls(random_state=0).fit(frame).memberships_, cls(random_state=0).fit(X).memberships_
    )
    frame.loc[3, "width"] = pd.NA
    with pytest.raises(ValueError, match="contains NaN"):
        cls().fit(frame)


# ------------------------------------------------------------------ precision and memory
@every_configuration
def test_single_precision_stays_and_is_nearly_double(make, blobs):
    X = blobs[0].astype(np.float32)
    model = make().fit(X)
    names = ["cluster_centers_", "memberships_", "outlier_scores_"]
    names += ["typicalities_"] if hasattr(model, "typicalities_") else []
    assert {name: getattr(model, name).dtype for name in names} == dict.fromkeys(names, np.dtype("f4"))
    assert model.transform(X).dtype == model.predict_proba(X).dtype == np.float32
    wide = X.astype(np.float64)
    single, double = make(init=BLOB_MEANS).fit(X), make(init=BLOB_MEANS).fit(wide)
    assert double.cluster_centers_.dtype == double.memberships_.dtype == np.float64
    assert np.array_equal(single.labels_, double.labels_)
    # A fit ends at a step of tol; what is left of its way is that of a geometric series of such steps.
    left = 1e-6 * BLOB_UNIT / (1 - contraction(make, wide))
    rest = make(init=BLOB_MEANS, tol=1e-9, max_iter=5000).fit(wide)
    np.testing.assert_allclose(single.cluster_centers_, rest.cluster_centers_, rtol=0, atol=2 * left)
    np.testing.assert_allclose(single.memberships_, double.memberships_, rtol=0, atol=1e-3)


BLOB_UNIT = 8.0  # of the loop, in which `tol` is counted: the power of two above the spread of the blobs


def contraction(make, X):
    """By how much a plain step is shorter than the one before, at the end of a fit."""
    near, rest = (
        make(init=BLOB_MEANS, acceleration=None, tol=tol, max_iter=5000).fit(X).n_iter_
        for tol in (1e-6, 1e-9)
    )
    return 1e-3 ** (1 / max(rest - near, 1))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@every_estimator
def test_read_only_memory_map(cls, dtype, tmp_path, blobs):
    X = blobs[0].astype(dtype)
    np.save(tmp_path / "rows.npy", X)
    before = (tmp_path / "rows.npy").read_bytes()
    mapped = np.load(tmp_path / "rows.npy", mmap_mode="r")
    model = cls(random_state=0).fit(mapped)
    assert np.array_equal(model.memberships_, cls(random_state=0).fit(X).memberships_)
    assert np.array_equal(model.predict(mapped), model.labels_)
    assert not isinstance(model.memberships_, np.memmap)
    assert (tmp_path / "rows.npy").read_bytes() == before


@some_configurations
def test_inputs_are_left_alone(make, blobs):
    X, truth = blobs
    y = np.where(np.arange(len(X)) % 3 == 0, truth, -1)
    weight = np.linspace(0.5, 2, len(X))
    init = BLOB_MEANS.copy()
    copies = X.copy(), y.copy(), weight.copy(), init.copy()
    model = make(init=init)
    parameters = repr(model.get_params())
    model.fit(X, y, sample_weight=weight)
    model.score(X, sample_weight=weight)
    model.transform(X)
    for now, before in zip((X, y, weight, init), copies, strict=True):
        assert np.array_equal(now, before)
    assert repr(model.get_params()) == parameters
    assert model.init is init


@some_configurations
def test_fit_twice_is_fit_once(make, blobs):
    X, _ = blobs
    other = make_blobs(9, each=20)[0][:, ::-1] * 3
    once = make().fit(X)
    twice = make().fit(other).fit(X)
    assert vars(once).keys() == vars(twice).keys()
    assert np.array_equal(once.memberships_, twice.memberships_)
    assert np.array_equal(once.cluster_centers_, twice.cluster_centers_)
    assert np.array_equal(once.scale_, twice.scale_)
    assert np.array_equal(once.outlier_mask_, twice.outlier_mask_)
    assert np.array_equal(once.objective_history_, twice.objective_history_)


@every_estimator
def test_rows_may_change_after_the_fit(cls, blobs):
    X, _ = blobs
    model = cls(random_state=0).fit(X)
    probe = make_blobs(1)[0]
    before = model.predict_proba(probe), model.memberships_.copy(), model.score(probe)
    X[:] = 0.0
    assert np.array_equal(model.predict_proba(probe), before[0])
    assert np.array_equal(model.memberships_, before[1])
    assert model.score(probe) == before[2]


@every_estimator
def test_init_by_a_callable(cls, blobs):
    X, _ = blobs
    seen = {}

    def init(X, n_clusters, random_state):
        seen.update(shape=X.shape, n_clusters=n_clusters, random_state=random_state)
        return BLOB_MEANS

    model = cls(init=init, random_state=0).fit(X)
    assert seen["shape"] == (150, 2)
    assert seen["n_clusters"] == 3
    assert isinstance(seen["random_state"], int)
    assert np.array_equal(model.memberships_, cls(init=BLOB_MEANS).fit(X).memberships_)


@every_estimator
def test_init_as_a_list_or_frame(cls, blobs):
    X, _ = blobs
    expected = cls(init=BLOB_MEANS).fit(X).memberships_
    assert np.array_equal(cls(init=BLOB_MEANS.tolist()).fit(X).memberships_, expected)
    assert np.array_equal(cls(init=pd.DataFrame(BLOB_MEANS)).fit(X).memberships_, expected)


# ------------------------------------------------------------------ labels
def _words(y):
    return np.array(["ant", "bee", "cow"])[y]


def _some(y, values, unknown, dtype=object):
    """Every third row known."""
    out = np.array(values[y], dtype=dtype)
    out[np.arange(len(y)) % 3 != 0] = unknown
    return out


ABC = np.array(["ant", "bee", "cow"], dtype=object)
LABELS = {
    "list": (lambda y: y.tolist(), [0, 1, 2]),
    "tuple": (lambda y: tuple(y.tolist()), [0, 1, 2]),
    "uint8": (lambda y: y.astype(np.uint8), [0, 1, 2]),
    "bool-like-floats": (lambda y: y.astype(float), [0.0, 1.0, 2.0]),
    "other-numbers": (lambda y: np.array([-7, 5, 40])[y], [-7, 5, 40]),
    "minus-one": (lambda y: _some(y, np.array([3, 4, 5]), -1, int), [3, 4, 5]),
    "minus-one-float": (lambda y: _some(y, np.array([3.0, 4.0, 5.0]), -1.0, float), [3.0, 4.0, 5.0]),
    "nan": (lambda y: _some(y, np.array([0.5, 1.5, 2.5]), np.nan, float), [0.5, 1.5, 2.5]),
    "words": (_words, ["ant", "bee", "cow"]),
    "word-list": (lambda y: _words(y).tolist(), ["ant", "bee", "cow"]),
    "words-none": (lambda y: _some(y, ABC, None), ["ant", "bee", "cow"]),
    "words-nan": (lambda y: _some(y, ABC, np.nan), ["ant", "bee", "cow"]),
    "words-minus-one": (lambda y: _some(y, ABC, -1), ["ant", "bee", "cow"]),
    "none-list": (lambda y: _some(y, ABC, None).tolist(), ["ant", "bee", "cow"]),
    "objects": (lambda y: _some(y, np.array([3, 4, 5], dtype=object), None), [3, 4, 5]),
    "series": (lambda y: pd.Series(y, index=np.arange(len(y))[::-1]), [0, 1, 2]),
    "series-words": (lambda y: pd.Series(_words(y)), ["ant", "bee", "cow"]),
    "series-words-missing": (lambda y: pd.Series(_some(y, ABC, None)), ["ant", "bee", "cow"]),
    "series-string": (lambda y: pd.Series(_some(y, ABC, None), dtype="string"), ["ant", "bee", "cow"]),
    "series-nullable": (lambda y: pd.Series(_some(y, np.arange(3), None), dtype="Int64"), [0, 1, 2]),
    "categorical": (lambda y: pd.Categorical(_words(y)), ["ant", "bee", "cow"]),
    "categorical-series": (
        lambda y: pd.Series(_some(y, ABC, None), dtype="category"),
        ["ant", "bee", "cow"],
    ),
    "polars": (lambda y: pl.Series(_words(y).tolist()), ["ant", "bee", "cow"]),
    "polars-none": (lambda y: pl.Series(_some(y, ABC, None).tolist()), ["ant", "bee", "cow"]),
    "polars-int-none": (
        lambda y: pl.Series([None if k % 3 else int(v) for k, v in enumerate(y)]),
        [0, 1, 2],
    ),
    "pyarrow": (lambda y: pa.array(_some(y, ABC, None).tolist()), ["ant", "bee", "cow"]),
    "pyarrow-chunked": (lambda y: pa.chunked_array([_words(y).tolist()]), ["ant", "bee", "cow"]),
    "dates": (
        lambda y: np.array(["2020-01-01", "2021-01-01", "2022-01-01"], dtype="M8[D]")[y],
        list(np.array(["2020-01-01", "2021-01-01", "2022-01-01"], dtype="M8[D]")),
    ),
}


@pytest.mark.parametrize(("form", "classes"), LABELS.values(), ids=LABELS.keys())
@every_estimator
def test_labels_of_any_kind(cls, form, classes, blobs):
    """Cluster k is class classes_[k], whatever the classes are called and however few rows have one."""
    X, y = blobs
    model = cls(random_state=0).fit(X, form(y))
    assert list(model.classes_) == classes
    assert np.array_equal(model.labels_, y)
    assert list(model.classes_[model.predict(X)]) == [classes[k] for k in y]
    np.testing.assert_allclose(model.cluster_centers_, BLOB_MEANS, rtol=0, atol=0.6)


@every_estimator
def test_labels_of_kinds_that_do_not_compare(cls, blobs):
    X, y = blobs
    names = np.array(["ant", 7, (1, 2)], dtype=object)
    values = np.empty(len(y), dtype=object)
    values[:] = [names[k] if j % 2 else None for j, k in enumerate(y)]
    model = cls(random_state=0).fit(X, values)
    assert set(model.classes_) == set(names)
    assert all(model.classes_[k] == names[truth] for k, truth in zip(model.labels_, y, strict=True))


@every_estimator
@pytest.mark.parametrize("unknown", [-1, np.nan, None], ids=str)
def test_labels_that_say_nothing(cls, unknown, blobs):
    X, _ = blobs
    expected = cls(random_state=0).fit(X)
    model = cls(random_state=0).fit(X, [unknown] * len(X))
    assert np.array_equal(model.memberships_, expected.memberships_)
    assert model.classes_.tolist() == [0, 1, 2]


@every_estimator
def test_some_classes_named(cls, blobs):
    """Named classes are the first clusters, the others follow."""
    X, y = blobs
    known = np.where(y == 2, "late", np.where(y == 1, "early", None).astype(object))
    model = cls(random_state=0).fit(X, known)
    assert np.array_equal(model.labels_, np.array([2, 0, 1])[y])
    assert model.classes_.tolist() == ["early", "late", None]


@every_estimator
def test_one_label_of_each_class_is_enough(cls, seed):
    X, y = make_blobs(seed)
    known = np.full(len(y), -1)
    for k in range(3):
        known[np.flatnonzero(y == k)[0]] = 2 - k
    assert np.array_equal(cls(random_state=seed).fit_predict(X, known), 2 - y)


@every_estimator
@pytest.mark.parametrize("form", [np.array, list, pd.DataFrame], ids=["array", "list", "frame"])
def test_soft_labels(cls, form, blobs):
    X, y = blobs
    order = np.array([1, 2, 0])
    degrees = np.where(np.arange(len(X))[:, None] < 40, 0.8 * np.eye(3)[order[y]] + 0.05, np.nan)
    model = cls(random_state=0).fit(X, form(degrees))
    assert np.array_equal(model.labels_, order[y])
    assert model.classes_.tolist() == [0, 1, 2]


@every_estimator
def test_soft_labels_of_zero_and_one_are_hard_labels(cls, iris):
    X, y = iris
    known = np.arange(len(X)) % 10 == 0
    hard = cls(random_state=0).fit(X, np.where(known, y, -1))
    soft = cls(random_state=0).fit(X, np.where(known[:, None], np.eye(3)[y], np.nan))
    assert np.array_equal(hard.memberships_, soft.memberships_)


@every_estimator
def test_labels_do_not_outlive_a_fit(cls, blobs):
    X, y = blobs
    model = cls(random_state=0).fit(X, _words(y)).fit(X)
    assert model.classes_.tolist() == [0, 1, 2]
    assert np.array_equal(model.memberships_, cls(random_state=0).fit(X).memberships_)


# ------------------------------------------------------------------ weights
@every_estimator
@pytest.mark.parametrize(
    "form",
    [list, tuple, pd.Series, lambda w: pd.Series(w, index=w[::-1]), pl.Series, np.float32, np.asarray],
    ids=["list", "tuple", "series", "indexed", "polars", "float32", "array"],
)
def test_kinds_of_weights(cls, form, iris):
    X, _ = iris
    weight = np.arange(len(X)) % 4 + 0.5
    expected = cls(random_state=0).fit(X, sample_weight=weight)
    model = cls(random_state=0).fit(X, sample_weight=form(weight))
    assert np.array_equal(model.memberships_, expected.memberships_)
    assert model.score(X, sample_weight=form(weight)) == expected.score(X, sample_weight=weight)
    assert not np.array_equal(model.memberships_, cls(random_state=0).fit(X).memberships_)


@every_estimator
def test_weights_of_one_are_none(cls, iris):
    X, _ = iris
    expected = cls(random_state=0).fit(X).memberships_
    for ones in (np.ones(len(X)), np.ones(len(X), dtype=int), np.ones(len(X), dtype=bool), 1, 1.0):
        assert np.array_equal(cls(random_state=0).fit(X, sample_weight=ones).memberships_, expected)


@every_started
def test_weight_k_is_k_copies(make):
    X, _ = make_blobs(3, each=20, spread=1.5)
    weight = np.random.default_rng(0).integers(0, 5, len(X))
    options = {"init": BLOB_MEANS + 0.5, "tol": 1e-11, "max_iter": 2000}
    weighted = make(**options).fit(X, sample_weight=weight)
    copied = make(**options).fit(np.repeat(X, weight, axis=0))
    np.testing.assert_allclose(weighted.cluster_centers_, copied.cluster_centers_, rtol=0, atol=1e-8)
    np.testing.assert_allclose(weighted.scale_, copied.scale_, rtol=1e-8)
    np.testing.assert_allclose(weighted.objective_, copied.objective_, rtol=1e-10)
    np.testing.assert_allclose(weighted.memberships_, copied.predict_proba(X), rtol=0, atol=1e-8)
    score = weighted.score(X, sample_weight=weight)
    np.testing.assert_allclose(score, weighted.score(np.repeat(X, weight, axis=0)), rtol=1e-10)


@every_started
def test_weight_zero_is_absent(make):
    X, _ = make_blobs(3, each=20, spread=1.5)
    away = np.random.default_rng(1).uniform(-40, 40, (15, 2))
    rows = np.random.default_rng(2).permutation(len(X) + len(away))
    both = np.concatenate([X, away])[rows]
    weight = (rows < len(X)).astype(float)
    options = {"init": BLOB_MEANS + 0.5, "tol": 1e-11, "max_iter": 2000}
    alone, weighted = make(**options).fit(X), make(**options).fit(both, sample_weight=weight)
    np.testing.assert_allclose(weighted.cluster_centers_, alone.cluster_centers_, rtol=0, atol=1e-8)
    np.testing.assert_allclose(weighted.scale_, alone.scale_, rtol=1e-8)
    np.testing.assert_allclose(weighted.objective_, alone.objective_, rtol=1e-10)
    np.testing.assert_allclose(weighted.predict_proba(X), alone.memberships_, rtol=0, atol=1e-8)


def _with_weightless_rows(seed):
    """Three blobs that count, and as many far rows that do not."""
    X, _ = make_blobs(seed)
    away = np.random.default_rng(seed).uniform(900, 1000, (150, 2))
    return np.concatenate([X, away]), np.repeat([1.0, 0.0], 150)


@pytest.mark.parametrize("init", ["k-means++", "k-means||", "random"])
@every_estimator
def test_rows_without_weight_hold_no_centre(cls, init, seed):
    X, weight = _with_weightless_rows(seed)
    model = cls(init=init, n_init=1, random_state=seed).fit(X, sample_weight=weight)
    assert (model.cluster_centers_ < 30).all()


@pytest.mark.parametrize(
    ("init", "c", "most"),
    [("k-means++", 1, 250), ("k-means||", 1, 250), ("random", 1, 250), ("k-means++", 3, 4)],
)
@pytest.mark.parametrize("cls", [HARD, FUZZY])
def test_rows_without_weight_are_never_a_start(cls, init, c, most, seed):
    """J at the start tells: a centre far away leaves a blob, or all of them, to a far centre."""
    X, weight = _with_weightless_rows(seed)
    for random_state in range(10):
        model = cls(c, init=init, n_init=1, random_state=random_state).fit(X, sample_weight=weight)
        assert model.objective_history_[0] < most * 150


def test_empty_clusters_do_not_move_to_rows_without_weight(seed):
    """The third centre has weightless rows alone."""
    X, weight = _with_weightless_rows(seed)
    model = HARD(init=[[0.0, 0.0], [12.0, 1.0], [940.0, 940.0]]).fit(X, sample_weight=weight)
    np.testing.assert_allclose(model.cluster_centers_, BLOB_MEANS, rtol=0, atol=0.5)


def test_few_rows_with_weight_among_many(seed):
    """More rows than a start looks at; the three that count must all be seen."""
    X = np.random.default_rng(seed).uniform(-1, 1, (80_000, 2))
    weight = np.zeros(len(X))
    rows = [100, 30_000, 79_000]
    X[rows], weight[rows] = BLOB_MEANS, 1.0
    for random_state in range(3):
        model = FUZZY(n_init=1, random_state=random_state).fit(X, sample_weight=weight)
        assert sorted(model.labels_[rows]) == [0, 1, 2]
        assert model.objective_ == pytest.approx(0, abs=1e-10)


@pytest.mark.parametrize("cls", [HARD, FUZZY])
def test_labels_without_weight_do_not_count(cls, blobs):
    X, y = blobs
    known, weight = np.full(len(y), -1), np.ones(len(y))
    first = [np.flatnonzero(y == k)[0] for k in range(3)]
    second = [np.flatnonzero(y == k)[1] for k in range(3)]
    known[first] = [1, 2, 0]
    known[second] = [0, 1, 2]
    weight[first] = 0
    assert np.array_equal(cls(random_state=0).fit(X, known, sample_weight=weight).labels_, y)


@given(st.lists(st.sampled_from(["a", "b", None]), min_size=30, max_size=30))
def test_any_pattern_of_known_rows(known):
    X, _ = make_blobs(0, each=10)
    model = FUZZY(random_state=0).fit(X, known)
    assert model.n_clusters_ == 3
    names = sorted({name for name in known if name})
    assert model.classes_.tolist() == ([*names, None, None, None][:3] if names else [0, 1, 2])
    np.testing.assert_allclose(model.memberships_.sum(axis=1), 1, rtol=0, atol=1e-12)
