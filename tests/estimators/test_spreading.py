"""Label spreading: equal to the paper, on all kinds of labels and rows, and robust."""

import pickle

import dask
import dask.array as da
import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

import softclust
from conftest import make_blobs
from conftest import make_moons as moons
from oracles import spreading as oracle
from softclust import FuzzyLabelSpreading, doubted_labels
from softclust.estimators.anchor_graph import Spreader, anchor_sums, probabilities
from softclust.estimators.anchors import Anchors
from softclust.estimators.discriminant import ClassMoments, discriminant_axes
from softclust.knowledge.labels import Known
from softclust.sources import LocalSource
from softclust.sources.rows import Rows
from softclust.sources.units import Units


def some(y, each, seed=0):
    """Labels of a few rows of each class, -1 for the others."""
    rng = np.random.default_rng(seed)
    rows = [rng.choice(np.flatnonzero(y == k), each, replace=False) for k in np.unique(y)]
    out = np.full(len(y), -1)
    out[np.concatenate(rows)] = y[np.concatenate(rows)]
    return out


def solved(X, V, m, rows, Y, weight=None, gamma=1.0, block_rows=None):
    """The parts of the library put together: all scores, and those of labelled rows left out."""
    known = Known(rows, Y, np.ones(len(rows)))
    table = Rows(X, Units(1.0, np.zeros(X.shape[1])), weight, known=known)
    anchors = Anchors(V, m)
    sums = LocalSource(table, 1, block_rows).reduce(anchor_sums, anchors)
    spreader = Spreader(sums, table.weights[rows], gamma, V)
    found = spreader.spread(Y)
    everyone = anchors.memberships(X).dot(found.anchors)
    return everyone, spreader.left_out(Y, found) / found.factor, sums


# ------------------------------------------------------------------ equal to the paper
@pytest.mark.parametrize(("p", "c", "gamma"), [(2, 2, 1.0), (5, 3, 0.1), (3, 4, 10.0)])
@pytest.mark.parametrize("weighted", [False, True])
def test_equals_the_paper(p, c, gamma, weighted):
    rng = np.random.default_rng(p)
    X, V = rng.normal(size=(80, p)), rng.normal(size=(12, p))
    weight = rng.uniform(0.5, 2, 80) if weighted else None
    rows = np.sort(rng.choice(80, 16, replace=False))
    Y = np.eye(c)[np.arange(16) % c]
    everyone, left_out, sums = solved(X, V, 1.8, rows, Y, weight, gamma)
    ones = np.ones(80) if weight is None else weight
    Z = oracle.regression_matrix(X, V, 1.8)
    assert_allclose(sums.laplacian, oracle.reduced_laplacian(Z, ones), atol=1e-12)
    assert_allclose(everyone, oracle.scores(X, V, 1.8, rows, Y, weight, gamma), atol=1e-10)
    assert_allclose(left_out, oracle.left_out(X, V, 1.8, rows, Y, weight, gamma), atol=1e-10)


def test_the_oracle_minimises_the_papers_objective():
    rng = np.random.default_rng(0)
    X, V, weight = rng.normal(size=(25, 2)), rng.normal(size=(6, 2)), rng.uniform(0.5, 2, 25)
    rows, Y = np.arange(8), np.eye(2)[np.arange(8) % 2]
    Z = oracle.regression_matrix(X, V, 2.0)
    A = oracle.spread(Z, rows, Y, weight, 0.7)
    least = oracle.objective(A, Z, rows, Y, weight, 0.7)
    for _ in range(20):
        other = A + 1e-3 * rng.normal(size=A.shape)
        assert oracle.objective(other, Z, rows, Y, weight, 0.7) > least


def test_blocks_change_nothing_but_rounding():
    rng = np.random.default_rng(1)
    X, V = rng.normal(size=(500, 3)), rng.normal(size=(20, 3))
    rows, Y = np.arange(0, 500, 10), np.eye(2)[np.arange(50) % 2]
    whole = solved(X, V, 1.5, rows, Y)
    parts = solved(X, V, 1.5, rows, Y, block_rows=63)
    assert_allclose(parts[0], whole[0], atol=1e-10)
    assert_allclose(parts[1], whole[1], atol=1e-10)


def test_the_estimator_equals_the_paper_at_its_anchors():
    X, truth = moons(100)
    y = some(truth, 6)
    model = FuzzyLabelSpreading(n_rounds=1, random_state=0).fit(X, y)
    rows = np.flatnonzero(y >= 0)
    Y = np.eye(2)[y[rows]]
    scores = oracle.scores(X, model.anchors_, model.m_, rows, Y)
    Z = oracle.regression_matrix(X, model.anchors_, model.m_)
    P = probabilities(scores, oracle.class_shares(Z, model.anchors_, Y, rows, np.ones(100))) ** 2
    expected = P / P.sum(axis=1, keepdims=True)
    assert_allclose(model.memberships_, expected, atol=1e-8)  # anchors were rounded


@pytest.mark.parametrize("count", [1, 2, 3])
def test_axes_separate_the_classes_by_their_equation(count):
    """B g = lambda S g, and half of the features' variance lies along the axes."""
    rng = np.random.default_rng(count)
    kind = np.arange(400) % (count + 1)
    X = rng.normal(size=(400, 5)) @ rng.normal(size=(5, 5)) + 3 * rng.normal(size=(count + 1, 5))[kind]
    P = np.eye(count + 1)[kind]
    G = discriminant_axes(ClassMoments(P.sum(axis=0), P.T @ X, X.T @ X))
    T, means = np.cov(X.T, bias=True), np.array([X[kind == k].mean(axis=0) for k in range(count + 1)])
    B = np.cov(means[kind].T, bias=True)
    S = 0.9 * (T - B) + 0.1 * np.trace(T) / 5 * np.eye(5)
    assert G.shape == (5, count)
    ratio = np.einsum("pr,pq,qr->r", G, B, G) / np.einsum("pr,pq,qr->r", G, S, G)
    assert_allclose(B @ G, S @ G * ratio, atol=1e-8 * np.abs(B @ G).max())
    assert np.trace(G.T @ T @ G) == pytest.approx(0.5 * np.trace(T))


def test_without_a_difference_there_is_no_axis():
    X = np.vstack([np.eye(3), np.eye(3)])
    P = np.full((6, 2), 0.5)
    assert discriminant_axes(ClassMoments(P.sum(axis=0), P.T @ X, X.T @ X)) is None
    assert discriminant_axes(ClassMoments(P.sum(axis=0), 0 * P.T @ X, 0 * X.T @ X)) is None


def test_a_second_graph_hears_through_features_that_say_nothing(seed):
    rng = np.random.default_rng(seed)
    truth = np.arange(300) % 3
    X = rng.normal(size=(300, 6))
    X[:, :2] += 4 * np.array([[0, 0], [1, 0], [0, 1]])[truth]
    X[:, 2:] += 3 * rng.normal(size=(300, 2)) @ rng.normal(size=(2, 4))
    y = some(truth, 5, seed)
    one, two = (FuzzyLabelSpreading(n_rounds=r, random_state=0).fit(X, y) for r in (1, 2))
    assert (two.labels_ == truth).mean() > (one.labels_ == truth).mean() + 0.03


# ------------------------------------------------------------------ what it is for
def test_few_labels_follow_the_moons():
    X, truth = moons(600)
    model = FuzzyLabelSpreading(random_state=0).fit(X, some(truth, 5))
    assert (model.labels_ == truth).mean() > 0.97
    fresh, kind = moons(400, seed=9)
    assert (model.predict(fresh) == kind).mean() > 0.95


def test_wrong_labels_are_outvoted_and_named():
    X, truth = moons(600)
    y = some(truth, 20)
    told = np.flatnonzero(y >= 0)
    wrong = np.random.default_rng(3).choice(told, 8, replace=False)
    y[wrong] = 1 - y[wrong]
    model = FuzzyLabelSpreading(random_state=0).fit(X, y)
    assert (model.labels_ == truth).mean() > 0.95
    doubts = model.label_doubts_
    assert sorted(doubts["row"]) == sorted(told)
    assert len(set(doubts["row"][:8]) & set(wrong)) >= 7
    assert (np.diff(doubts["doubt"]) <= 0).all()
    assert ((doubts["doubt"] >= 0) & (doubts["doubt"] <= 1)).all()
    assert np.array_equal(doubts["told"], y[doubts["row"]])


def test_noise_rows_do_little_harm():
    X, truth = moons(600)
    noise = np.random.default_rng(4).uniform(-4, 5, size=(150, 2))
    y = np.concatenate([some(truth, 10), np.full(150, -1)])
    model = FuzzyLabelSpreading(random_state=0).fit(np.vstack([X, noise]), y)
    assert (model.labels_[:600] == truth).mean() > 0.95


# ------------------------------------------------------------------ labels of all kinds
@pytest.mark.parametrize("wide", [30, 42, 51])
@pytest.mark.parametrize(("shift", "spread"), [(1.0, 2.5), (0.5, 3.0)])
def test_labels_need_not_be_drawn_by_lot(seed, wide, shift, spread):
    """Whoever asks about doubtful rows hears most of the class that scatters widely."""
    rng = np.random.default_rng(seed)
    narrow, far = 0.5 * rng.standard_normal((400, 9)), shift + spread * rng.standard_normal((200, 9))
    X, truth, y = np.vstack([narrow, far]), np.repeat([0, 1], [400, 200]), np.full(600, -1)
    rows = [rng.choice(400, 60 - wide, replace=False), 400 + rng.choice(200, wide, replace=False)]
    y[np.concatenate(rows)] = truth[np.concatenate(rows)]
    model = FuzzyLabelSpreading(random_state=0).fit(X, y)
    assert (model.labels_ == truth).mean() > 0.95


def test_classes_are_any_values():
    X, truth = make_blobs()
    few = some(truth, 3)
    plain = FuzzyLabelSpreading(random_state=0).fit(X, few)
    assert np.array_equal(plain.labels_, truth)
    for names in (["ant", "bee", "cat"], [(1, 2), (3,), (4, 5)], [frozenset("a"), frozenset("b"), "c"]):
        y = [None if k < 0 else names[k] for k in few]
        model = FuzzyLabelSpreading(random_state=0).fit(X, y)
        found = [model.classes_[k] for k in model.labels_]
        assert found == [names[k] for k in truth]
    unsaid = np.where(few < 0, np.nan, few)
    assert np.array_equal(FuzzyLabelSpreading(random_state=0).fit(X, unsaid).labels_, truth)


def test_degrees_equal_classes_and_subsets_help():
    X, truth = make_blobs(spread=2.0)
    few = some(truth, 3)
    hard = FuzzyLabelSpreading(random_state=0).fit(X, few)
    degrees = np.where((few < 0)[:, None], np.nan, np.eye(3)[few])
    soft = FuzzyLabelSpreading(random_state=0).fit(X, degrees)
    assert np.array_equal(soft.memberships_, hard.memberships_)
    subsets = degrees.copy()  # "0 or 1" for the rows of 0, and one of them for sure
    subsets[few == 0] = [1, 1, 0]
    subsets[np.flatnonzero(few == 0)[0]] = [1, 0, 0]
    model = FuzzyLabelSpreading(random_state=0).fit(X, subsets)
    assert (model.labels_ == truth).mean() > 0.95
    assert np.isfinite(model.label_doubts_["doubt"]).all()


def test_degrees_that_say_nothing_or_too_much():
    X, truth = make_blobs()
    Y = np.full((150, 3), np.nan)
    for k in range(3):
        Y[np.flatnonzero(truth == k)[:3]] = np.eye(3)[k]
    Y[np.flatnonzero(truth == 0)[3]] = [0, 0, 0]  # excludes all: says nothing
    Y[np.flatnonzero(truth == 1)[3]] = [0.5, 0.9, 0.5]  # is divided by its sum
    Y[np.flatnonzero(truth == 2)[3]] = [0, np.nan, np.nan]  # not 0
    model = FuzzyLabelSpreading(random_state=0).fit(X, Y)
    assert np.array_equal(model.labels_, truth)
    assert np.flatnonzero(truth == 0)[3] not in model.label_doubts_["row"]


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (None, "requires y to be passed.*-1 for the others would fit"),
        (np.full(150, -1), "no label of a row that counts among 150; one of each class would fit"),
        (np.where(np.arange(150) < 5, 7, -1), "one class only, 7; labels of two or more classes would fit"),
        (np.zeros(149), "y has 149 entries; X has 150 rows"),
        (np.full((150, 2), 2.0), "soft label 2 at row 0, cluster 0 is outside"),
    ],
)
def test_labels_that_do_not_fit_are_named(y, message):
    with pytest.raises(ValueError, match=message):
        FuzzyLabelSpreading().fit(make_blobs()[0], y)


def test_labels_without_weight_do_not_count():
    X, truth = make_blobs()
    y = some(truth, 3)
    with pytest.raises(ValueError, match="no label of a row that counts"):
        FuzzyLabelSpreading().fit(X, y, sample_weight=(y < 0).astype(float))


def test_pairs_and_too_many_anchors_are_refused():
    X, y = make_blobs()
    with pytest.raises(ValueError, match="takes no must_link"):
        FuzzyLabelSpreading().fit(X, y, must_link=[(0, 1)])
    with pytest.raises(ValueError, match="n_anchors=151 exceeds the 150 rows"):
        FuzzyLabelSpreading(n_anchors=151).fit(X, y)


def test_doubts_of_any_models_probabilities():
    y = ["a", "b", None, "a"]
    P = [[0.9, 0.1], [0.7, 0.3], [0.5, 0.5], [0.4, 0.6]]
    found = doubted_labels(y, P)
    assert found["row"].tolist() == [1, 3, 0]
    assert found["told"].tolist() == [1, 0, 0]
    assert found["likely"].tolist() == [0, 1, 0]
    assert_allclose(found["doubt"], [0.7, 0.6, 0.1])
    with pytest.raises(ValueError, match="y names 2 classes; proba has 3 columns"):
        doubted_labels(y, np.ones((4, 3)))


# ------------------------------------------------------------------ rows of all kinds
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_predictions_of_the_fitted_rows(dtype):
    X, truth = moons()
    X = X.astype(dtype)
    model = FuzzyLabelSpreading(random_state=0).fit(X, some(truth, 5))
    assert model.memberships_.dtype == model.anchors_.dtype == dtype
    assert np.array_equal(model.predict_proba(X), model.memberships_)
    assert np.array_equal(model.predict(X), model.labels_)
    assert np.array_equal(model.memberships_.argmax(axis=1), model.labels_)
    assert_allclose(model.memberships_.sum(axis=1), 1, atol=1e-6)
    rows = np.random.default_rng(0).permutation(len(X))[:37]
    assert np.array_equal(model.predict_proba(X[rows]), model.memberships_[rows])
    assert model.transform(X).shape == (len(X), len(model.anchors_))
    assert len(model.get_feature_names_out()) == len(model.anchors_)
    gaps = np.linalg.norm(X[:, None] - model.anchors_, axis=2)
    assert_allclose(model.transform(X), gaps, rtol=1e-4, atol=1e-5)


def test_weights_count_as_repeated_rows():
    X, truth = moons(120)
    y, weight = some(truth, 8), np.random.default_rng(0).integers(0, 3, 120)
    again = FuzzyLabelSpreading(random_state=0).fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    model = FuzzyLabelSpreading(random_state=0).fit(X, y, sample_weight=weight)
    assert_allclose(model.memberships_, again.predict_proba(X), atol=1e-6)


@pytest.mark.parametrize("size", [1e-200, 1e-9, 1e9, 1e150])
def test_data_and_weights_of_any_size(size):
    X, truth = make_blobs()
    y = some(truth, 3)
    for model in (
        FuzzyLabelSpreading(random_state=0).fit(size * X, y),
        FuzzyLabelSpreading(random_state=0).fit(X, y, sample_weight=np.full(150, size)),
    ):
        assert np.array_equal(model.labels_, truth)
        assert np.isfinite(model.memberships_).all()
        assert np.isfinite(model.label_doubts_["doubt"]).all()


def test_duplicates_single_rows_and_far_rows_give_no_nan():
    y = np.array([0, 1] * 10)
    rng = np.random.default_rng(0)
    for X in (
        np.ones((20, 3)),
        np.repeat([[0.0, 1.0], [5.0, 2.0]], 10, axis=0),
        np.vstack([rng.normal(size=(19, 2)), [[1e200, -1e200]]]),
        rng.normal(size=(20, 1)),
        rng.normal(size=(20, 300)),
    ):
        model = FuzzyLabelSpreading(random_state=0).fit(X, y)
        assert np.isfinite(model.memberships_).all()
        assert np.isfinite(model.predict_proba(X * 2)).all()
        assert np.isfinite(model.label_doubts_["doubt"]).all()
    assert FuzzyLabelSpreading().fit([[0.0], [1.0]], ["a", "b"]).labels_.tolist() == [0, 1]


def test_rows_without_evidence_are_in_doubt():
    share = np.array([0.3, 0.7])
    scores = np.array([[0.0, 0.0], [-1.0, -2.0], [1e-200, 0.0], [0.8, 0.1], [0.5, -0.1]])
    P = probabilities(scores, share)
    assert_allclose(P[:2], [share, share])
    assert_allclose(P[2], [0.65, 0.35])  # the class that is told, in doubt
    assert_allclose(P[3:], [[8 / 9, 1 / 9], [1.0, 0.0]], atol=1e-8)


def test_files_and_dask_give_what_memory_gives(tmp_path):
    X, truth = moons(3000, noise=0.15)
    y = some(truth, 20)
    here = FuzzyLabelSpreading(random_state=0).fit(X, y)
    np.save(tmp_path / "rows.npy", X)
    filed = FuzzyLabelSpreading(random_state=0).fit(tmp_path / "rows.npy", y)
    assert_allclose(filed.memberships_, here.memberships_, atol=1e-9)
    with dask.config.set(scheduler="synchronous"):
        lazy = FuzzyLabelSpreading(random_state=0).fit(da.from_array(X, chunks=(700, 2)), y)
        assert_allclose(lazy.memberships_.compute(), here.memberships_, atol=1e-9)
        assert np.array_equal(lazy.labels_.compute(), here.labels_)
        assert_allclose(lazy.label_doubts_["doubt"], here.label_doubts_["doubt"], atol=1e-9)
        assert np.array_equal(
            lazy.predict(da.from_array(X, chunks=500)[:900]).compute(), here.labels_[:900]
        )


# ------------------------------------------------------------------ scikit-learn
@parametrize_with_checks([FuzzyLabelSpreading(random_state=0)])
def test_scikit_learn_contract(estimator, check):
    check(estimator)


def test_parameters_and_attributes_are_described_and_checked():
    model = FuzzyLabelSpreading(random_state=0).fit(*make_blobs())
    parameters, attributes = FuzzyLabelSpreading.__doc__.split("Attributes\n")
    assert set(FuzzyLabelSpreading._parameter_constraints) == set(model.get_params())
    assert all(f"\n    {name} : " in parameters for name in model.get_params())
    public = {name for name in vars(model) if name.endswith("_")} - {"n_features_in_"}
    assert all(f"\n    {name} : " in attributes for name in public)
    for wrong in ({"m": 1.0}, {"gamma": -1}, {"nearest": 0}, {"n_anchors": 0}, {"n_rounds": 0}):
        with pytest.raises(ValueError, match=f"The '{next(iter(wrong))}' parameter"):
            FuzzyLabelSpreading(**wrong).fit(*make_blobs())


def test_a_refused_fit_changes_nothing():
    X, y = make_blobs()
    model = FuzzyLabelSpreading(random_state=0).fit(X, y)
    before = dict(vars(model))
    with pytest.raises(ValueError, match="one class only"):
        model.fit(X[:, :1], np.zeros(150))
    assert vars(model) == before


def test_pandas_rows_and_names():
    import pandas

    X, y = make_blobs()
    model = FuzzyLabelSpreading(random_state=0).fit(
        pandas.DataFrame(X, columns=["a", "b"]), pandas.Series(y)
    )
    assert model.feature_names_in_.tolist() == ["a", "b"]
    assert np.array_equal(model.labels_, y)


def test_stored_cloned_and_loaded(tmp_path):
    X, truth = moons()
    model = FuzzyLabelSpreading(random_state=0).fit(X, some(truth, 5))
    softclust.save(model, tmp_path / "model.zip")
    for copy in (softclust.load(tmp_path / "model.zip"), pickle.loads(pickle.dumps(model))):
        assert np.array_equal(copy.predict_proba(X + 0.1), model.predict_proba(X + 0.1))
        assert np.array_equal(copy.classes_, model.classes_)
        assert np.array_equal(copy.label_doubts_, model.label_doubts_)
    again = clone(model).fit(X, some(truth, 5))
    assert np.array_equal(again.memberships_, model.memberships_)
    assert np.array_equal(model.fit_predict(X, some(truth, 5)), again.labels_)


def test_threads_do_not_change_the_bits():
    X, truth = moons(9000)
    y = some(truth, 30)
    one, two = (FuzzyLabelSpreading(random_state=0, n_jobs=n).fit(X, y) for n in (1, 2))
    assert np.array_equal(one.memberships_, two.memberships_)
