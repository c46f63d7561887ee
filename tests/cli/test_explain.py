"""`softclust explain`: someone with a CSV and a model wants to know why a row is where it is."""

import csv
import json
import re

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet
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
    assert call("explain", "model.zip", "wine.csv", "--row", 123, "--labels", "cultivar") == 0
    said = capsys.readouterr()
    assert said.err == ""
    lines = said.out.splitlines()
    assert max(map(len, lines)) <= 80
    assert lines[0].startswith("Line 123 is in ")
    assert f"its alcohol of {WINE.data[121, 0]:.4g}" in " ".join(lines)  # in the units of the file
    assert "Nearest labelled rows are lines " in " ".join(lines)
    assert any("│" in line and "█" in line for line in lines)
    assert all(any(line.startswith(name[:20]) for line in lines) for name in WINE.feature_names)


def test_rows_that_labels_moved_are_told_of(folder, capsys):
    lines = (folder / "wine.csv").read_text().splitlines()
    known = [
        f"{line.rpartition(',')[0]},{SPECIES[k]}" for line, k in zip(lines[1:], WINE.target, strict=True)
    ]
    (folder / "told.csv").write_text("\n".join([lines[0], *known]))
    assert call("fit", "told.csv", "--labels=cultivar", "--model=told.zip") == 0
    capsys.readouterr()
    assert call("explain", "told.zip", "told.csv", "--row=5") == 0
    assert capsys.readouterr().err.startswith("note: Rows are explained by their values alone.")


def test_the_parts_are_those_of_the_standardised_model(folder, capsys):
    assert call("explain", "model.zip", "wine.csv", "--row=5", "--line=79", "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert [one["row"] for one in told] == [3, 77]
    assert [one["name"] for one in told] == ["line 5", "line 79"]
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
    assert call("explain", "model.zip", "wine.csv", "--row=3", "--between", "Barbera", "Barolo") == 0
    assert "in Barbera and by" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "Which rows? Say --row 71, or --doubtful 5"),
        (["--row", 180], "wine.csv has no row at line 180; its rows are at lines 2 to 179."),
        (["--row", 1], "wine.csv has no row at line 1;"),
        (["--doubtful", 0], "--doubtful 0 does not fit"),
        (["--row=3", "--between", "Barbera", "Merlot"], "There is no cluster 'Merlot'; there are Barbera,"),
    ],
)
def test_errors_are_one_sentence(folder, capsys, arguments, words):
    assert call("explain", "model.zip", "wine.csv", *arguments) == 2
    said = capsys.readouterr().err.strip()
    assert words in said and "\n" not in said


def test_rows_are_lines_of_the_file_with_their_identifiers(folder, capsys):
    lines = (folder / "wine.csv").read_text().splitlines()
    lines = [f"{'key' if i == 0 else f'W-{i}'},{line}" for i, line in enumerate(lines)]
    lines[4] = lines[4].replace(lines[4].split(",")[2], "", 1)  # no malic acid in line 5
    lines.insert(6, "")  # an empty line is no row
    (folder / "gaps.csv").write_text("\n".join(lines))
    assert call("explain", "model.zip", "gaps.csv", "--line=9", "--id=key", "--labels=cultivar") == 0
    said = capsys.readouterr().out
    assert said.startswith("Line 9 (W-7) is in ")
    assert re.search(r"Nearest\s+labelled\s+rows\s+are\s+lines\s+\d+\s+\(W-\d+,\s+Bar", said)
    assert call("explain", "model.zip", "gaps.csv", "--line=9", "--json") == 0
    (told,) = json.loads(capsys.readouterr().out)
    assert (told["row"], told["name"]) == (5, "line 9")
    assert [v["value"] for v in told["values"]] == pytest.approx(WINE.data[6])
    assert call("explain", "model.zip", "gaps.csv", "--line=5") == 2
    assert "Line 5 of gaps.csv was left out: it has no number in 'malic_acid'." in capsys.readouterr().err


def test_many_features_and_names_that_a_terminal_would_obey(tmp_path, monkeypatch, capsys):
    """Files with such headings are refused, but not Parquet files and models made in Python."""
    monkeypatch.chdir(tmp_path)
    names = [
        "\x1b[31mred",
        "[bold]x[/]",
        "a very long name of a feature that does not fit",
        *map(str, range(40)),
    ]
    X = np.random.default_rng(0).normal(size=(30, len(names)))
    model = softclust.FuzzyCMeans(2, random_state=0).fit(X)
    model.columns_, model.scaling_ = np.array(names), None
    softclust.save(model, "m.zip")
    parquet.write_table(pa.table(dict(zip(names, X.T, strict=True))), "wide.parquet")
    assert call("explain", "m.zip", "wide.parquet", "--doubtful=30") == 0
    said = capsys.readouterr().out
    assert "?[31mred" in said and "[bold]x[/]" in said
    assert "\x1b" not in said
    assert max(map(len, said.splitlines())) <= 80
    assert "31 other features" in said


def test_classes_of_several_clusters(folder, capsys):
    options = ["--labels=cultivar", "--set=clusters_per_class=2"]
    wrote = ["--out=two.csv", "--model=two.zip", "--report=two.html"]
    assert call("fit", "wine.csv", *options, *wrote) == 0
    heading = (folder / "two.csv").read_text().splitlines()[0].split(",")
    assert [name for name in heading if name.startswith("membership_")] == [
        f"membership_{name}{copy}" for name in sorted(SPECIES) for copy in ("", " (2)")
    ]
    assert call("report", "two.zip", "wine.csv", "--labels=cultivar", "--out=again.html") == 0
    assert (folder / "again.html").read_text() == (folder / "two.html").read_text()
    assert "Barbera (2)" in (folder / "two.html").read_text()
    for kind in ("map", "heatmap", "silhouette"):
        assert call("plot", "two.zip", "wine.csv", "--kind", kind, f"--out={kind}.svg") == 0
        drawn = (folder / f"{kind}.svg").read_text()
        written = " ".join(re.findall("<!-- (.*?) -->", drawn))  # a comment for each line of text
        assert "Grignolino (2)" in written
    capsys.readouterr()
    assert (
        call("explain", "two.zip", "wine.csv", "--row=9", "--between", "Grignolino", "Grignolino (2)") == 0
    )
    said = capsys.readouterr().out
    assert "Grign… (2)" in said and "in Grignolino (2)" in " ".join(said.split())


def test_rows_of_several_files_are_named_with_their_file(folder, capsys):
    lines = (folder / "wine.csv").read_text().splitlines()
    (folder / "a.csv").write_text("\n".join(lines[:80]))
    (folder / "b.csv").write_text("\n".join([lines[0], *lines[80:]]))
    assert call("fit", "a.csv", "b.csv", "--labels=cultivar", "--out=ab.csv", "--report=ab.html") == 0
    assert re.search(r"\d+ of [ab]\.csv ", capsys.readouterr().err)
    page = (folder / "ab.html").read_text()
    assert len(set(re.findall(r"<h3>Line \d+ of (.)\.csv</h3>", page))) == 2
    assert "<title>line 2 of a.csv: " in page and "<title>line 2 of b.csv: " in page
