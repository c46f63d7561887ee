"""What an explanation says, and of which rows it says it."""

import json
import pickle
from dataclasses import FrozenInstanceError

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from softclust import (
    EvidentialCMeans,
    FuzzyCMeans,
    GaussianMixture,
    HardCMeans,
    KMedoids,
    PossibilisticCMeans,
    explain,
)
from softclust.explanation import Explainer, RowNames, set_names, spoken_names
from softclust.explanation.names import number, share

IRIS = load_iris(as_frame=True)
X, NAMES = IRIS.data.to_numpy(), [name[:-5] for name in IRIS.feature_names]


@pytest.fixture(scope="module")
def fuzzy():
    return FuzzyCMeans(3, random_state=0).fit(X)


def test_a_doubtful_row_in_one_sentence(fuzzy):
    told = explain(fuzzy, X, 114, feature_names=NAMES)
    assert told.sentence == (
        "Row 114 is in cluster 1 (.50) and nearly in cluster 0 (.46): its sepal length of 5.8 speaks for "
        "cluster 0, its petal width of 2.4 for cluster 1."
    )
    assert told.remarks == ()
    assert str(told) == told.sentence


def test_what_speaks_for_a_cluster_has_a_positive_part(fuzzy):
    told = explain(fuzzy, X, 114)
    gaps = (X[114] - fuzzy.cluster_centers_) ** 2
    assert told.contributions == pytest.approx(gaps[told.rival] - gaps[told.cluster], rel=1e-12)
    assert told.offsets == pytest.approx(gaps[told.cluster], rel=1e-12)
    assert told.values == pytest.approx(X[114])


def test_a_certain_row_names_the_other_side_only_if_it_counts(fuzzy):
    told = explain(fuzzy, X, 0, feature_names=NAMES)
    assert told.sentence == (
        "Row 0 is in cluster 2 (>.99), before cluster 0 (<.01): its petal length of 1.4 speaks for "
        "cluster 2."
    )


def test_asked_clusters_by_name_and_by_number(fuzzy):
    told = explain(fuzzy, X, 0, clusters=("1", 2))
    assert (told.cluster, told.rival) == (1, 2)
    assert told.sentence.startswith("Row 0 is by <.01 in cluster 1 and by >.99 in cluster 2: ")
    assert told.difference == pytest.approx(-explain(fuzzy, X, 0, clusters=(2, 1)).difference)


def test_labels_of_the_fit_are_told_beside_the_values():
    y = np.full(150, -1)
    y[[0, 1, 2, 60, 61, 130, 131]] = [0, 0, 0, 1, 1, 2, 2]
    y[3] = 1  # a flower of species 0
    model = FuzzyCMeans(3, label_strength=1000.0, random_state=0).fit(X, y)
    told = explain(model, X, 3)
    assert told.cluster == 1
    assert told.memberships == pytest.approx(model.memberships_[3])
    assert told.predicted == pytest.approx(model.predict_proba(X[3:4])[0])
    assert "By its values alone it would be in cluster 0" in str(told)
    assert "labels or pairs of the fit put it in cluster 1" in str(told)
    assert explain(model, X, 3, of_fit=False).cluster == 0
    assert explain(model, X[:20], 3).cluster == 0  # other rows than those of the fit
    assert explain(model, X[::-1], 146).cluster == 0  # as many rows, but not those of the fit
    with pytest.raises(ValueError, match="X has 20 rows; the fit had 150"):
        explain(model, X[:20], 3, of_fit=True)


def test_an_outlier_belongs_to_no_cluster():
    rows = np.vstack([X, [[20.0, 3.0, 5.0, 2.0]]])
    model = FuzzyCMeans(3, noise_distance=2.0, random_state=0).fit(rows)
    told = explain(model, rows, 150, feature_names=NAMES)
    assert told.is_outlier
    assert told.sentence.startswith("Row 150 belongs to no cluster: even from cluster ")
    assert "its sepal length of 20 is far from 6." in told.sentence
    assert "petal" not in told.sentence


def test_one_cluster_has_no_rival():
    told = explain(FuzzyCMeans(1, random_state=0).fit(X), X, 118, feature_names=NAMES)
    assert told.rival is None
    assert told.sentence.startswith(
        "Row 118 is in the only cluster; its petal length of 6.9 is far from 3."
    )
    assert told.difference == pytest.approx(((X[118] - X.mean(axis=0)) ** 2).sum(), rel=1e-6)


def test_hard_clusters_name_the_next_nearest_one():
    for model in (KMedoids(3), HardCMeans(3, random_state=0)):
        model.fit(X)
        for row in (3, 77, 120):
            order = model.transform(X[row : row + 1])[0].argsort()
            told = explain(model, X, row)
            assert [told.cluster, told.rival] == order[:2].tolist()
            assert f"is in cluster {order[0]}, and cluster {order[1]} is the next: " in told.sentence


def test_masses_name_the_set_that_is_believed_in():
    model = EvidentialCMeans(3, random_state=0).fit(X)
    row = int(model.masses_[:, 4:].max(axis=1).argmax())  # the empty set and singletons come first
    told = explain(model, X, row)
    largest = told.masses[0]
    assert largest.mass == model.masses_[row].max()
    assert largest.clusters == tuple(np.flatnonzero(model.focal_sets_[model.masses_[row].argmax()]))
    assert len(largest.clusters) == 2
    assert f"is that it may be {largest.name}." in told.remarks[0]
    assert sum(mass.mass for mass in told.masses) == pytest.approx(1)


def test_a_wide_cluster_may_win_a_row_that_lies_nearer_to_another():
    rng = np.random.default_rng(0)
    rows = np.vstack([rng.normal(0, 0.2, (200, 2)), rng.normal([6, 0], 1.5, (200, 2))])
    model = PossibilisticCMeans(2, scale_factor=1.0, random_state=0).fit(rows)
    wide = int(model.scale_.argmax())
    centers = model.cluster_centers_
    point = centers[1 - wide] + 0.4 * (centers[wide] - centers[1 - wide])
    told = explain(model, point[None], 0)
    assert told.cluster == wide and told.difference < 0
    assert f"It lies nearer to cluster {1 - wide}, but cluster {wide} reaches farther." in told.remarks


def test_the_weight_of_a_component_is_named_if_it_decides():
    rng = np.random.default_rng(1)
    rows = np.vstack([rng.normal(0, 1, (1000, 1)), rng.normal(5, 1, (20, 1))])
    model = GaussianMixture(2, covariance_type="tied", random_state=0).fit(rows)
    middle = model.means_.mean(axis=0)
    told = explain(model, middle[None], 0)
    assert told.cluster == model.weights_.argmax()
    assert told.sentence.endswith(f"cluster {told.cluster} has more rows.")


def test_nearest_labelled_rows():
    y = [IRIS.target_names[k] if i % 10 == 0 else None for i, k in enumerate(IRIS.target)]
    model = FuzzyCMeans(3, random_state=0).fit(X, y)
    told = explain(model, X, 70, y=y, n_neighbors=2)
    d = np.linalg.norm(X - X[70], axis=1)
    d[[i for i in range(150) if i % 10 or i == 70]] = np.inf
    assert [n.row for n in told.neighbors] == d.argsort(kind="stable")[:2].tolist()
    assert [n.distance for n in told.neighbors] == pytest.approx(np.sort(d)[:2])
    assert all(n.label == y[n.row] for n in told.neighbors)
    assert told.sentence.startswith("Row 70 is in versicolor ")
    assert told.remarks[-1].startswith("Nearest labelled rows are 110 (virginica) and ")


def test_labels_of_several_classes_are_named_as_such(fuzzy):
    y = np.full((150, 3), np.nan)
    y[[10, 60]] = [[1, 0, 0], [0, 1, 1]]
    told = explain(fuzzy, X, 61, y=y)
    assert [n.label for n in told.neighbors] == ["1 or 2", "0"]


def test_tables_of_every_kind_give_the_same(fuzzy):
    names = [f"{name} x" for name in NAMES]
    frame = pd.DataFrame(X, columns=names)
    named = FuzzyCMeans(3, random_state=0).fit(frame)
    told = explain(named, frame, 114)
    assert told.feature_names == tuple(names)
    for table in (pl.DataFrame(X, schema=names), frame.set_index(np.arange(150)[::-1])):
        assert explain(named, table, 114).sentence == told.sentence
    for table in (X.tolist(), np.asfortranarray(X)):
        assert explain(fuzzy, table, 114, feature_names=names).sentence == told.sentence


def test_scaling_brings_the_words_back_to_original_units():
    scaling = np.vstack([X.mean(axis=0), X.std(axis=0)])
    Z = (X - scaling[0]) / scaling[1]
    model = FuzzyCMeans(3, random_state=0).fit(Z)
    told = explain(model, Z, 70, scaling=scaling)
    assert told.values == pytest.approx(X[70])
    assert told.centers == pytest.approx(model.cluster_centers_ * scaling[1] + scaling[0])
    d = model.transform(Z[70:71])[0] ** 2
    assert told.difference == pytest.approx(d[told.rival] - d[told.cluster], rel=1e-12)


def test_equal_clusters_are_said_to_be_equal():
    model = KMedoids(2).fit([[0.0, 5.0], [2.0, 5.0]])
    told = explain(model, [[1.0, 5.0]], 0)
    assert told.sentence.endswith(": both are equally far in every feature.")
    assert told.difference == 0


def test_it_is_a_value_that_travels(fuzzy):
    told = explain(fuzzy, X, 70)
    with pytest.raises(FrozenInstanceError):
        told.row = 3
    assert pickle.loads(pickle.dumps(told)).sentence == told.sentence
    again = json.loads(json.dumps(told.to_dict()))
    assert again["cluster"] == "0" and again["rival"] == "1"
    parts = [part["value"] for part in again["contributions"]]
    assert sum(parts) == pytest.approx(again["difference"])


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"row": 150}, "row=150 is not in the data; rows go from 0 to 149."),
        ({"row": -1}, "row=-1 is not in the data"),
        ({"row": 1.5}, "row=1.5 is not in the data"),
        ({"clusters": (0, 3)}, "There is no cluster 3; there are 0, 1, 2."),
        ({"clusters": (1, 1)}, "one cluster twice"),
        ({"clusters": (0, 1, 2)}, "a pair such as (0, 1) would"),
        ({"clusters": "01"}, "a pair such as (0, 1) would"),
        ({"feature_names": ["a"]}, "feature_names has 1 names; the rows have 4 features."),
        ({"scaling": [[0, 1]]}, "scaling has shape (1, 2); means and deviations, (2, 4), would fit."),
        ({"y": [0, 1]}, "y has 2 entries; X has 150 rows."),
    ],
)
def test_errors_name_the_value(fuzzy, more, words):
    with pytest.raises(ValueError) as error:
        explain(fuzzy, X, more.pop("row", 0), **more)
    assert words in str(error.value)


def test_only_fitted_estimators_of_this_package_are_explained(tmp_path):
    with pytest.raises(NotFittedError):
        explain(FuzzyCMeans(3), X, 0)
    pipeline = make_pipeline(StandardScaler(), FuzzyCMeans(3, random_state=0)).fit(X)
    with pytest.raises(ValueError, match="Pipeline is no softclust estimator; of a pipeline, give"):
        explain(pipeline, X, 0)
    with pytest.raises(ValueError, match="X is not in memory"):
        explain(pipeline[-1], tmp_path / "rows.npy", 0)
    with pytest.raises(ValueError, match="X is 1d"):
        explain(pipeline[-1], X[0], 0)


def test_an_explainer_explains_many_rows_alike(fuzzy):
    explainer = Explainer(fuzzy, X)
    for row in (3, 114):
        assert explainer.explain(row).sentence == explain(fuzzy, X, row).sentence


def test_names_and_numbers():
    assert spoken_names(["2", "setosa", " ", "1.5"]) == ["cluster 2", "setosa", "cluster  ", "cluster 1.5"]
    sets = np.array([[0, 0, 0], [1, 0, 0], [1, 0, 1], [1, 1, 1]])
    assert set_names(["0", "1", "2"], sets) == [
        "no cluster",
        "cluster 0",
        "cluster 0 or 2",
        "cluster 0, 1 or 2",
    ]
    assert set_names(["a", "1", "b"], sets) == ["no cluster", "a", "a or b", "a, cluster 1 or b"]
    assert [share(u) for u in (0, 0.001, 0.5, 0.996, 1)] == ["0", "<.01", ".50", ">.99", "1"]
    assert [number(v) for v in (0.1234567, 12345.6, -1234567, 1e12, 3.0)] == [
        "0.1235", "12,346", "-1,234,567", "1e+12", "3",
    ]  # fmt: skip


# ---------------------------------------------------------------------- names of rows
def test_rows_have_positions_or_names_of_their_own(fuzzy):
    assert explain(fuzzy, X, 114).to_dict()["name"] == "row 114"
    plants = pd.Series([f"plant {i}" for i in range(150)], index=range(500, 650))
    assert explain(fuzzy, X, 114, row_names=plants).sentence.startswith("Row plant 114 is in cluster 1")
    lines = RowNames([str(i + 2) for i in range(150)], "line")
    told = explain(fuzzy, X, 114, row_names=lines)
    assert told.sentence.startswith("Line 116 is in cluster 1")
    assert (told.row, told.name) == (114, "line 116")
    assert (told.to_dict()["row"], told.to_dict()["name"]) == (114, "line 116")


@pytest.mark.parametrize("row", [0, 114])
def test_names_change_words_alone(fuzzy, row):
    plain, named = explain(fuzzy, X, row), explain(fuzzy, X, row, row_names=range(1, 151))
    assert named.contributions.tolist() == plain.contributions.tolist()
    assert named.sentence == plain.sentence.replace(f"Row {row} ", f"Row {row + 1} ")


def test_labelled_neighbours_have_their_names(fuzzy):
    y = np.full(150, None, dtype=object)
    y[[60, 70]] = "a", "b"
    lines = RowNames([f"{i + 2} (P{i})" for i in range(150)], "line")
    told = explain(fuzzy, X, 61, y=y, row_names=lines)
    assert [n.name for n in told.neighbors] == [f"line {n.row + 2} (P{n.row})" for n in told.neighbors]
    first, second = (f"{n.row + 2} (P{n.row}, {n.label})" for n in told.neighbors)
    assert told.remarks[-1] == f"Nearest labelled rows are lines {first} and {second}."
    alone = explain(fuzzy, X, 61, y=y, row_names=lines, n_neighbors=1)
    assert alone.remarks[-1] == f"Nearest labelled row is line {first}."


def test_every_row_needs_a_name(fuzzy):
    with pytest.raises(ValueError, match="row_names has 2 names; X has 150 rows"):
        explain(fuzzy, X, 0, row_names=["a", "b"])
