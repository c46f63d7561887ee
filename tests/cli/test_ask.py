"""`softclust ask`: someone with a CSV and a model wants to know which rows to look at."""

import csv
import io
import json

import pytest
from sklearn.datasets import load_iris

from calling import call

NAMES = ["sepal length", "sepal width", "petal length", "petal width"]


@pytest.fixture
def folder(tmp_path, monkeypatch, capsys):
    """A directory with Iris, every tenth species known, and a model of it."""
    monkeypatch.chdir(tmp_path)
    iris = load_iris()
    with open("iris.csv", "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([*NAMES, "species"])
        for i, (x, k) in enumerate(zip(iris.data.tolist(), iris.target, strict=True)):
            writer.writerow([*x, iris.target_names[k] if i % 10 == 0 else ""])
    assert call("fit", "iris.csv", "--labels", "species", "--out", "m.csv", "--model", "model.zip") == 0
    capsys.readouterr()
    return tmp_path


def test_ten_rows_in_plain_words(folder, capsys):
    assert call("ask", "model.zip", "iris.csv", "-n", 10) == 0
    said = capsys.readouterr()
    assert said.out == ""
    lines = said.err.splitlines()
    assert lines[0] == "The 10 rows most worth asking an expert, the best first:"
    assert len(lines) == 11
    assert all(" else " in line and "petal width" in line for line in lines[1:])


def test_a_file_of_questions(folder, capsys):
    assert call("ask", "model.zip", "iris.csv", "--labels", "species", "--out", "q.csv") == 0
    rows = list(csv.DictReader(io.StringIO((folder / "q.csv").read_text())))
    assert len(rows) == 10
    assert len({row["line"] for row in rows}) == 10
    for row in rows:
        place = int(row["line"]) - 2  # the header is line 1
        assert place % 10 != 0  # those have a label
        assert [float(row[name]) for name in NAMES] == load_iris().data[place].tolist()
        assert row["first"] != row["second"]
        assert 0 <= float(row["share"]) <= 1
    capsys.readouterr()
    assert call("ask", "model.zip", "iris.csv", "--out", "q.csv") == 2
    assert "--force" in capsys.readouterr().err


def test_json_and_the_same_seed(folder, capsys):
    assert call("ask", "model.zip", "iris.csv", "-n", 5, "--audit", 0.2, "--json") == 0
    first = json.loads(capsys.readouterr().out)
    assert call("ask", "model.zip", "iris.csv", "-n", 5, "--audit", 0.2, "--json") == 0
    assert json.loads(capsys.readouterr().out) == first
    assert [one["why"].startswith("drawn by lot") for one in first] == [False] * 4 + [True]


@pytest.mark.parametrize("wrong", [("-n", 0), ("--strategy", "none"), ("--labels", "kind"), ("--audit", 2)])
def test_an_error_is_one_sentence(folder, capsys, wrong):
    assert call("ask", "model.zip", "iris.csv", *wrong) == 2
    said = capsys.readouterr().err
    assert said.startswith("softclust: ") and said.count("\n") == 1
