"""`softclust fit` with its defaults: what it does to columns, and how good it is on raw data."""

import re

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import linear_sum_assignment
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.metrics import adjusted_rand_score, confusion_matrix

import softclust as sc
from calling import call
from softclust.cli.rows import scaling_of
from softclust.files import Scaling

SCALED = "note: Columns are standardised: mean 0, standard deviation 1.\n"


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def accuracy(truth, found):
    """Share of the rows in the right cluster, after the best matching."""
    counts = confusion_matrix(truth, found)
    return counts[linear_sum_assignment(-counts)].sum() / len(truth)


@pytest.mark.parametrize(
    ("load", "clusters", "least"), [(load_wine, 3, 0.95), (load_breast_cancer, 2, 0.90)]
)
def test_raw_measurements(load, clusters, least, capsys):
    data = load(as_frame=True)
    data.data.to_csv("x.csv", index=False)
    assert call("fit", "x.csv", "--clusters", clusters, "--out", "m.csv") == 0
    assert SCALED in capsys.readouterr().err
    assert accuracy(data.target, pd.read_csv("m.csv")["cluster"]) >= least


def test_shuffled_iris_with_an_index(capsys):
    data = load_iris(as_frame=True)
    data.data.sample(frac=1, random_state=0).to_csv("x.csv")
    assert call("fit", "x.csv", "--clusters", 3, "--out", "m.csv") == 0
    said = capsys.readouterr().err
    assert "note: Columns left out: 'column 1' (an identifier). --keep 'column 1' would use it.\n" in said
    assert "note: Columns keep their unit, cm; --standardize gives all the same spread.\n" in said
    told = pd.read_csv("m.csv")
    assert adjusted_rand_score(data.target[told["column 1"]], told["cluster"]) >= 0.70


def test_units_decide_only_where_spreads_are_alike():
    X = np.random.default_rng(0).normal(size=(50, 2))
    assert scaling_of(X, ["a (cm)", "b (cm)"], None)[0] is None
    assert scaling_of(X * [1, 30], ["a (cm)", "b (cm)"], None)[0] is not None
    assert scaling_of(X, ["a (cm)", "b (kg)"], None)[0] is not None
    assert scaling_of(X, ["a (cm)", "b (cm)"], True)[0] is not None
    assert scaling_of(X * [1, 30], ["a", "b"], False)[0] is None


def test_outliers_do_not_decide_the_scale(capsys):
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal([0, 0], 0.3, (50, 2)), rng.normal([3, 0], 0.3, (50, 2))])
    X[7, 1] = 1e6  # someone typed a zip code
    pd.DataFrame(X, columns=["a", "b"]).to_csv("x.csv", index=False)
    scaling = Scaling.of(X)
    assert scaling.robust.tolist() == [False, True]
    assert call("fit", "x.csv", "--clusters", 2, "--json") == 0
    assert "'b' by median and quartiles, because of values far from all others." in capsys.readouterr().err
    np.testing.assert_allclose(scaling.undo(scaling.apply(X)), X, atol=1e-9)


@pytest.mark.parametrize("size", [1e-200, 1, 1e200])
def test_scales_of_any_size(size):
    X = np.random.default_rng(0).normal(size=(40, 3)) * size
    Z = Scaling.of(X).apply(X)
    np.testing.assert_allclose([Z.mean(axis=0), Z.std(axis=0)], [[0] * 3, [1] * 3], atol=1e-12)


def test_centres_are_in_the_units_of_the_file(capsys):
    wine = load_wine(as_frame=True)
    wine.data.to_csv("x.csv", index=False)
    assert call("fit", "x.csv", "--clusters", 3, "--out", "m.csv", "--model", "m.zip", "--json") == 0
    import json

    told, rows = json.loads(capsys.readouterr().out), pd.read_csv("m.csv")
    for cluster in told["clusters"]:
        mine = rows[rows["cluster"].astype(str) == cluster["name"]]
        assert abs(cluster["center"]["proline"] - mine["proline"].mean()) < 0.2 * mine["proline"].mean()
    model = sc.load("m.zip")
    np.testing.assert_allclose(model.scaling_, [wine.data.mean(), wine.data.std(ddof=0)])


@pytest.mark.parametrize("wish", [(), ("--standardize",), ("--no-standardize",)])
def test_predict_scales_as_the_fit_did(wish, capsys):
    load_wine(as_frame=True).data.to_csv("x.csv", index=False)
    assert call("fit", "x.csv", "--clusters", 3, *wish, "--out", "m.csv", "--model", "m.zip") == 0
    assert call("predict", "m.zip", "x.csv", "--out", "p.csv") == 0
    fitted, predicted = pd.read_csv("m.csv"), pd.read_csv("p.csv")
    names = [name for name in fitted if name.startswith("membership_")]
    np.testing.assert_allclose(fitted[names], predicted[names], rtol=1e-9, atol=1e-12)


def test_a_note_says_when_label_spreading_foresees_more_labels(capsys):
    data, rng = load_digits(), np.random.default_rng(0)
    frame = pd.DataFrame(data.data).add_prefix("pixel ")
    frame["digit"] = np.where(rng.random(len(frame)) < 0.05, data.target.astype(str), "")
    frame.to_csv("x.csv", index=False)

    def said(*words):
        assert call("fit", "x.csv", *words, "--out", "m.csv", "--force") == 0
        return [line for line in capsys.readouterr().err.splitlines() if "a fifth left out" in line]

    found = re.fullmatch(
        r"note: Of (\d+) labels, a fifth left out at a time, FuzzyCMeans foresees (\d+) and "
        r"FuzzyLabelSpreading (\d+): --method FuzzyLabelSpreading would follow the labels more closely\.",
        said("--labels", "digit")[0],
    )
    count, mine, more = map(int, found.groups())
    assert count == (frame["digit"] != "").sum() and mine < 0.95 * more and more <= count
    assert not said("--labels", "digit", "--method", "FuzzyLabelSpreading")
    assert not said("--labels", "digit", "--clusters", 12)  # more clusters than classes are a wish
    frame["digit"] = np.where(np.arange(len(frame)) < 9, data.target.astype(str), "")
    frame.to_csv("x.csv", index=False)
    assert not said("--labels", "digit")  # nine labels tell nothing of methods


def test_label_spreading_shows_the_means_of_the_classes_and_no_outliers(capsys):
    wine = load_wine(as_frame=True)
    frame = wine.data.assign(cultivar=np.where(np.arange(178) % 9 == 0, wine.target.astype(str), ""))
    frame.to_csv("x.csv", index=False)
    assert (
        call("fit", "x.csv", "--labels", "cultivar", "--method", "FuzzyLabelSpreading", "--out", "m.csv")
        == 0
    )
    said, told = capsys.readouterr().err, pd.read_csv("m.csv")
    U = told[[f"membership_{k}" for k in range(3)]].to_numpy()
    means = U.T @ wine.data["proline"].to_numpy() / U.sum(axis=0)
    line = next(line for line in said.splitlines() if line.startswith("proline"))
    np.testing.assert_allclose([float(word) for word in line.split()[1:]], means, rtol=1e-3)
    assert "outliers" not in said
