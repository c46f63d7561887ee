"""Every estimator with memberships, rows on Dask, many rows; simulated experts and wrong labels."""

import numpy as np
import pytest

import softclust
from conftest import make_blobs
from softclust.active import STRATEGIES, ask_pairs, ask_rows, doubt, doubted_labels, simulate

ESTIMATORS = (
    "HardCMeans", "FuzzyCMeans", "PossibilisticCMeans", "PossibilisticFuzzyCMeans",
    "ImprovedPossibilisticCMeans", "EvidentialCMeans", "GaussianMixture", "FuzzyLabelSpreading",
)  # fmt: skip


def made(name, c=3, **more):
    more |= {"random_state": 0}
    return getattr(softclust, name)(**more if name == "FuzzyLabelSpreading" else {"n_clusters": c, **more})


@pytest.mark.parametrize("name", ESTIMATORS)
def test_every_estimator(name):
    X, truth = make_blobs()
    y = np.where(np.arange(150) < 12, truth, -1)
    model = made(name).fit(X, y)
    assert doubt(model).shape == (150,)
    for strategy in STRATEGIES:
        if strategy == "nonspecificity" and name != "EvidentialCMeans":
            with pytest.raises(ValueError, match="needs masses"):
                ask_rows(model, X, strategy=strategy)
            continue
        found = ask_rows(model, X, 5, asked=range(12), strategy=strategy, random_state=0)
        assert len(set(found["row"])) == 5 and found["row"].min() >= 12
    assert len(ask_pairs(model, X, 4, told=[(0, 1)], random_state=0)) == 4
    assert len(ask_rows(model, X[:40] + 0.1, 5, random_state=0)) == 5  # other rows are predicted
    session = softclust.active.Session.start(X, made(name))
    for row in range(12):
        session = session.tell(row, f"class {truth[row]}")
    assert (session.fit().labels_[:12] == session.y[:12].argmax(axis=1)).mean() > 0.8
    assert len(session.ask(5)) == 5


def test_no_memberships_no_questions():
    X, _ = make_blobs()
    assert len(ask_rows(softclust.KMedoids(3, random_state=0).fit(X), X)) == 5
    with pytest.raises(ValueError, match="FuzzyCMeans has no memberships_"):
        ask_rows(softclust.FuzzyCMeans(3), X)
    with pytest.raises(ValueError, match="FuzzyCMeans has no memberships_"):
        doubt(softclust.FuzzyCMeans(3))


def test_rows_on_dask_and_in_files(tmp_path, monkeypatch):
    import dask.array as da

    from softclust.active import view

    monkeypatch.setattr(view, "SAMPLE_ROWS", 400)
    X, truth = make_blobs(each=300)
    lazy = da.from_array(X, chunks=(250, 2))
    model = made("FuzzyCMeans").fit(lazy)
    found = ask_rows(model, lazy, 5, asked=[899, 3], random_state=0)
    assert np.array_equal(found, ask_rows(model, lazy, 5, asked=[3, 899], random_state=0))
    assert len(set(found["row"])) == 5
    assert len(set(truth[found["row"]])) == 3
    assert len(ask_pairs(model, lazy, 3, told=[(0, 899)], random_state=0)) == 3
    np.save(tmp_path / "x.npy", X)
    near = made("FuzzyCMeans").fit(X)
    assert np.array_equal(
        ask_rows(near, tmp_path / "x.npy", 5, random_state=0), ask_rows(near, X, 5, random_state=0)
    )
    with pytest.raises(ValueError, match=r"not a \.npy file"):
        ask_rows(near, tmp_path / "x.csv")


def test_many_rows_are_drawn():
    X, truth = make_blobs(each=2500)
    model = made("FuzzyCMeans").fit(X)
    found = ask_rows(model, X, 6, audit=0, random_state=0)
    assert np.array_equal(found, ask_rows(model, X, 6, audit=0, random_state=0))
    assert sorted(set(truth[found["row"]])) == [0, 1, 2]


# ---------------------------------------------------------------------- simulated experts
def test_simulated_experts(iris):
    X, truth = iris
    model = softclust.FuzzyCMeans(3)
    curves = simulate(model, X, truth, budget=12, repetitions=3, strategies=["random", "doubt-mix"])
    assert curves.strategies == ["random", "doubt-mix"]
    told, scores = curves.table("doubt-mix", "given")
    assert told.tolist() == [0, 5, 10, 12] and scores.shape == (3, 4)
    assert ((scores >= 0) & (scores <= 1)).all()
    assert curves.area()["random"].shape == (3,)
    assert curves.saved()["random"] >= 0
    again = simulate(model, X, truth, budget=12, repetitions=3, strategies=["random", "doubt-mix"])
    assert np.array_equal(again.records, curves.records)
    assert len(curves.plot().lines) == 2
    # The same held rows and starts for all strategies.
    start = curves.records[curves.records["told"] == 0]
    assert np.array_equal(start["held"][:3], start["held"][3:])


def test_noise_rows_and_pairs(iris):
    X, truth = iris
    truth = np.where(np.arange(150) % 15 == 0, -1, truth)
    model = softclust.FuzzyCMeans(3)
    curves = simulate(model, X, truth, budget=10, repetitions=1, label_noise=0.2, audit=0.2)
    assert curves.records["noise"].min() >= 0
    pairs = simulate(softclust.FuzzyCMeans(3), X, iris[1], budget=10, repetitions=1, kind="pairs")
    assert pairs.records["told"].max() == 10
    own = {"mine": lambda view, n, rng: view.candidates[:n]}
    assert simulate(model, X, truth, budget=5, repetitions=1, strategies=own).strategies == ["mine"]
    with pytest.raises(ValueError, match="kind='x'"):
        simulate(softclust.FuzzyCMeans(3), X, truth, kind="x")


def test_experts_teach_classes_of_several_clusters_and_weights(iris):
    X, truth = iris
    curves = {
        form: simulate(softclust.FuzzyCMeans(3), X, truth, budget=10, repetitions=1, **dict(form))
        for form in ((), (("clusters_per_class", 2),), (("label_weight", 5.0),))
    }
    plain, several, weighed = (one.records["held"] for one in curves.values())
    assert not np.array_equal(plain, several)
    assert plain[0] == weighed[0]  # nobody answered yet
    assert not np.array_equal(plain, weighed)
    with pytest.raises(ValueError, match="label_weight=0"):
        simulate(softclust.FuzzyCMeans(3), X, truth, label_weight=0)
    with pytest.raises(ValueError, match="takes a number"):
        simulate(softclust.FuzzyCMeans(3), X, truth, clusters_per_class="auto")


def test_small_classes_are_seen_early():
    rng = np.random.default_rng(0)
    truth = np.repeat([0, 1, 2], [700, 70, 30])
    X = np.array([[0, 0], [8, 0], [0, 8]])[truth] + rng.normal(size=(800, 2))
    curves = simulate(softclust.FuzzyCMeans(3), X, truth, budget=10, repetitions=4)
    seen = {name: curves.table(name, "classes")[1][:, -1].mean() for name in curves.strategies}
    assert (
        seen["doubt-mix"] > seen["random"]
    )  # of 4 % and 9 % of the rows; not always all within 60 answers


# ---------------------------------------------------------------------- wrong labels
@pytest.mark.parametrize("name", ["FuzzyCMeans", "FuzzyLabelSpreading", "EvidentialCMeans"])
def test_flipped_labels_come_first(iris, name):
    from sklearn.metrics import roc_auc_score

    X, truth = iris
    rng = np.random.default_rng(0)
    rows = rng.choice(150, 60, replace=False)
    y = np.full(150, -1)
    y[rows] = truth[rows]
    wrong = rows[:6]
    y[wrong] = (y[wrong] + rng.integers(1, 3, 6)) % 3
    doubts = doubted_labels(made(name), X, y)
    assert doubts.dtype == softclust.knowledge.doubts.DOUBTS
    assert sorted(doubts["row"]) == sorted(rows)
    assert (np.diff(doubts["doubt"]) <= 0).all()
    assert (doubts["told"] == y[doubts["row"]]).all()
    assert roc_auc_score(np.isin(doubts["row"], wrong), doubts["doubt"]) > 0.9


def test_wrong_labels_need_labels(iris):
    X, truth = iris
    y = np.full(150, -1)
    with pytest.raises(ValueError, match="0 labels"):
        doubted_labels(made("FuzzyCMeans"), X, y)
    with pytest.raises(ValueError, match="folds=1"):
        doubted_labels(made("FuzzyCMeans"), X, truth, folds=1)


@pytest.mark.filterwarnings("error::RuntimeWarning")
@pytest.mark.parametrize("unit", [2.0**-100, 2.0**100, 2.0**400])
def test_questions_do_not_depend_on_the_unit_of_the_rows(unit):
    """Squares of the rows have no float32."""
    X = np.random.default_rng(0).normal(size=(90, 3)) + 5 * (np.arange(90) % 3)[:, None]
    one, two = (
        ask_rows(softclust.FuzzyCMeans(3, random_state=0).fit(rows), rows, 6, random_state=0)
        for rows in (X, X * unit)
    )
    np.testing.assert_array_equal(one["row"], two["row"])
    np.testing.assert_allclose(one["gain"], two["gain"], rtol=1e-6)


@pytest.mark.filterwarnings("ignore::softclust.errors.DegenerateClusterWarning")
@pytest.mark.parametrize("p", [1, 2, 1500])
@pytest.mark.parametrize("size", [1e-150, 1.0, 1e150])
def test_questions_about_rows_of_any_size(p, size):
    X = np.random.default_rng(0).normal(size=(40, p)) * size
    model = softclust.FuzzyCMeans(2, random_state=0).fit(X)
    found = ask_rows(model, X, 5, asked=[0, 1], nowhere=[1, 2], random_state=0)
    assert len(set(found["row"]) - {0, 1, 2}) == 5 and np.isfinite(found["gain"]).all()


def test_questions_about_equal_rows():
    X = np.ones((20, 2))
    with pytest.warns(UserWarning):
        model = softclust.FuzzyCMeans(2, random_state=0).fit(X)
    assert not ask_rows(model, X, 5, nowhere=[3], random_state=0)["gain"].any()
