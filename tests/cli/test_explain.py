"""`softclust explain`: someone with a CSV and a model wants to know why a row is where it is."""

import csv
import json

import numpy as np
import pytest
from sklearn.datasets import load_wine

import softclust
from calling import call

WINE = load_wine()
SPECIES = ["Barolo", "Grignolino", "Barbera"]


@pytest.fixture
def folder(tmp_path, monkeypatch, capsys):
    """A directory with Wine, every tenth cultivar known, and a standardised model of it."""
    monkeypatch.chdir(tmp_path)
    with open("wine.csv", "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([*WINE.feature_names, "cultivar"])
        for i, (x, k) in enumerate(zip(WINE.data.tolist(), WINE.target, strict=True)):
            writer.writerow([*x, SPECIES[k] if i % 10 == 0 else ""])
    arguments = ["--labels=cultivar", "--standardize", "--out=m.csv", "--model=model.zip"]
    assert call("fit", "wine.csv", *arguments) == 0
    capsys.readouterr()
    return tmp_path


def test_words_and_bars_fit_80_columns(folder, capsys):
    assert call("explain", "model.zip", "wine.csv", "--row", 121, "--labels", "cultivar") == 0
    said = capsys.readouterr()
    assert said.err == ""
    lines = said.out.splitlines()
    assert max(map(len, lines)) <= 80
    assert lines[0].startswith("Row 121 is in ")
    assert f"its alcohol of {WINE.data[121, 0]:.4g}" in " ".join(lines)  # in the units of the file
    assert "Nearest labelled rows are" in " ".join(lines)
    assert any("│" in line and "█" in line for line in lines)
    assert all(any(line.startswith(name[:20]) for line in lines) for name in WINE.feature_names)


def test_the_parts_are_those_of_the_standardised_model(folder, capsys):
    assert call("explain", "model.zip", "wine.csv", "--row=3", "--row=77", "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert [one["row"] for one in told] == [3, 77]
    model = softclust.load("model.zip")
    Z = (WINE.data - model.scaling_[0]) / model.scaling_[1]
    for one in told:
        names = [str(name) for name in model.classes_]
        d = model.transform(Z[one["row"] : one["row"] + 1])[0] ** 2
        difference = d[names.index(one["rival"])] - d[names.index(one["cluster"])]
        assert sum(part["value"] for part in one["contributions"]) == pytest.approx(difference, rel=1e-11)
        assert [v["value"] for v in one["values"]] == pytest.approx(WINE.data[one["row"]])


def test_the_most_doubtful_rows(folder, capsys):
    assert call("explain", "model.zip", "wine.csv", "--doubtful", 4, "--json") == 0
    told = json.loads(capsys.readouterr().out)
    model = softclust.load("model.zip")
    top = np.sort(model.memberships_, axis=1)
    margin = np.where(model.outlier_mask_, np.inf, top[:, -1] - top[:, -2])
    assert [one["row"] for one in told] == np.argsort(margin, kind="stable")[:4].tolist()


def test_two_clusters_of_choice(folder, capsys):
    assert call("explain", "model.zip", "wine.csv", "--row=1", "--between", "Barbera", "Barolo") == 0
    assert "in Barbera and by" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "Which rows? Say --row 71, or --doubtful 5"),
        (["--row", 178], "row=178 is not in the data; rows go from 0 to 177."),
        (["--doubtful", 0], "--doubtful 0 does not fit"),
        (["--row=1", "--between", "Barbera", "Merlot"], "There is no cluster 'Merlot'; there are Barbera,"),
    ],
)
def test_errors_are_one_sentence(folder, capsys, arguments, words):
    assert call("explain", "model.zip", "wine.csv", *arguments) == 2
    said = capsys.readouterr().err.strip()
    assert words in said and "\n" not in said


def test_many_features_and_names_that_a_terminal_would_obey(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    names = [
        "\x1b[31mred",
        "[bold]x[/]",
        "a very long name of a feature that does not fit",
        *map(str, range(40)),
    ]
    with open("wide.csv", "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(names)
        writer.writerows(rng.normal(size=(30, len(names))).tolist())
    assert call("fit", "wide.csv", "--clusters=2", "--out=m.csv", "--model=m.zip") == 0
    capsys.readouterr()
    assert call("explain", "m.zip", "wide.csv", "--doubtful=30") == 0
    said = capsys.readouterr().out
    assert "\x1b" not in said
    assert max(map(len, said.splitlines())) <= 80
    assert "31 other features" in said
