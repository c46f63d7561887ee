"""Results that people can join to their files and read in a terminal."""

import csv
import io
import json
import os
import subprocess
import sys

import numpy as np
import openpyxl
import pandas as pd
import pytest
from sklearn.datasets import load_iris, load_wine

import softclust as sc
from calling import call
from softclust.cli import show
from softclust.report.findings import names_of

IRIS = load_iris()
SHORT = ["sepal length", "sepal width", "petal length", "petal width"]


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """A directory with Iris, a name for every flower, and holes on lines 6 and 42."""
    monkeypatch.chdir(tmp_path)
    frame = pd.DataFrame(IRIS.data, columns=SHORT)
    frame.insert(0, "flower", [f"F{i:03}" for i in range(150)])
    frame["species"] = [IRIS.target_names[k] if i % 10 == 0 else " " for i, k in enumerate(IRIS.target)]
    frame.loc[4, "petal width"] = np.nan
    frame.loc[40, "sepal length"] = np.nan
    frame.to_csv("iris.csv", index=False)
    return tmp_path


def rows_of(name):
    with open(name, newline="") as file:
        return list(csv.DictReader(file))


# ---------------------------------------------------------------------- nothing lost, nothing mislabelled
def test_clusters_beyond_the_classes_have_names_of_their_own(capsys):
    arguments = ("--labels", "species", "--clusters", 5, "--method", "pcm", "--out", "m.csv")
    assert call("fit", "iris.csv", *arguments) == 0
    rows = rows_of("m.csv")
    names = [*IRIS.target_names, "cluster 4", "cluster 5"]
    assert [name for name in rows[0] if name.startswith("membership_")] == [
        f"membership_{n}" for n in names
    ]
    assert [name for name in rows[0] if name.startswith("typicality_")] == [
        f"typicality_{n}" for n in names
    ]
    assert {row["cluster"] for row in rows} <= {*names, ""}
    said = capsys.readouterr().err
    assert "cluster 4" in said and "cluster 5" in said and "None" not in said


def test_names_are_all_different():
    model = sc.FuzzyCMeans(4, random_state=0).fit(IRIS.data)
    for classes in (
        [1, "1", None, None],
        ["cluster 3", "cluster 4", None, None],
        ["a", "a (2)", "a", None],
    ):
        model.classes_ = np.array(classes, dtype=object)
        names = names_of(model)
        assert len(set(names)) == 4
        assert len(show.columns(model)) == 4 + 4


def test_a_column_of_measurements_is_no_column_of_labels(capsys):
    load_wine(as_frame=True).data.to_csv("wine.csv", index=False)
    assert call("fit", "wine.csv", "--labels", "proline") == 2
    said = capsys.readouterr().err
    assert (
        "column 'proline' of wine.csv has 121 different values in 178 rows, so they are hardly classes: "
        "name another column with --labels, leave --labels proline out to cluster by it, or say "
        "--many-classes." in said
    )
    assert said.count("\n") == 1
    assert call("fit", "iris.csv", "--labels", "flower") == 2
    assert "use --id flower to name rows by it" in capsys.readouterr().err
    pd.DataFrame({"a": range(0, 300, 3), "k": np.arange(100) % 25 / 2}).to_csv("x.csv", index=False)
    assert call("fit", "x.csv", "--labels", "k", "--json") == 2
    assert call("fit", "x.csv", "--labels", "k", "--keep", "a", "--many-classes", "--json") == 0


def test_a_report_names_its_own_option_for_classes(capsys):
    """It has neither --many-classes nor columns to cluster by."""
    load_wine(as_frame=True).data.to_csv("wine.csv", index=False)
    assert call("fit", "wine.csv", "--clusters", 3, "--model", "m.zip", "--json") == 0
    capsys.readouterr()
    assert call("report", "m.zip", "wine.csv", "--classes", "proline", "--out", "r.html") == 2
    said = capsys.readouterr().err
    assert said.endswith("so they are hardly classes: name another column with --classes.\n")


@pytest.mark.parametrize(
    "cells", [["1.0", "", "2.0"], ["1", " ", "2"], ["1", "NA", "2"], [" 1", "?", "2 "]]
)
def test_blanks_are_no_class_and_numbers_are_whole(cells):
    rows = "".join(f"{i % 17},{i * i % 13},{cells[i % 3]}\n" for i in range(60))
    with open("x.csv", "w") as file:
        file.write("a,b,k\n" + rows)
    assert call("fit", "x.csv", "--labels", "k", "--out", "m.csv") == 0
    assert [n for n in rows_of("m.csv")[0] if n.startswith("membership_")] == [
        "membership_1",
        "membership_2",
    ]


# ---------------------------------------------------------------------- results beside the file's columns
def test_results_keep_the_rows_and_columns_of_the_file(capsys):
    assert (
        call(
            "fit", "iris.csv", "--labels", "species", "--id", "flower", "--out", "m.csv", "--model", "m.zip"
        )
        == 0
    )
    said = capsys.readouterr().err
    assert (
        "2 of 150 rows have a missing cell in 'sepal length', 'petal width' and are left out: lines 6 and "
        "42." in said
    )
    rows, given = rows_of("m.csv"), rows_of("iris.csv")
    assert list(rows[0])[:3] == ["line", "flower", "cluster"]
    assert [int(row["line"]) for row in rows] == list(range(2, 152))
    assert [row["flower"] for row in rows] == [row["flower"] for row in given]
    for i, row in enumerate(rows):
        assert [row[name] for name in SHORT] == [cell[name] for cell in given[i : i + 1] for name in SHORT]
        empty = i in (4, 40)
        assert (row["cluster"] == "") == (row["membership_setosa"] == "") == empty
    assert (
        call("predict", "m.zip", "iris.csv", "--id", "flower", "--only-memberships", "--out", "p.csv") == 0
    )
    assert "lines 6 and 42" in capsys.readouterr().err
    predicted = rows_of("p.csv")
    assert "sepal width" not in predicted[0]
    assert list(predicted[0])[:3] == ["line", "flower", "cluster"]
    assert [row["cluster"] == "" for row in predicted] == [row["cluster"] == "" for row in rows]


def test_tables_in_the_terminal_count_as_the_file_does(capsys):
    assert call("fit", "iris.csv", "--clusters", 3, "--id", "flower", "--out", "m.csv") == 0
    said = capsys.readouterr().err.partition("most doubtful rows")[2]
    lines = [line.split() for line in said.splitlines()[3:8]]
    table = {row["flower"]: row["line"] for row in rows_of("m.csv")}
    assert len(lines) == 5
    for line, key, *_ in lines:
        assert table[key.strip("()")] == line


def test_a_column_of_the_file_may_have_the_name_of_a_result():
    pd.DataFrame({"cluster": [1.5, 2, 9, 8], "line": [1, 1, 5, 5.5]}).to_csv("x.csv", index=False)
    assert call("fit", "x.csv", "--clusters", 2, "--out", "m.csv") == 0
    names = list(rows_of("m.csv")[0])
    assert len(set(names)) == len(names)
    assert [row["cluster (in the file)"] for row in rows_of("m.csv")] == ["1.5", "2.0", "9.0", "8.0"]
    assert (
        call("fit", "m.csv", "--columns", "cluster (in the file)", "--clusters", 2, "--out", "again.csv")
        == 0
    )


@pytest.mark.parametrize("ending", ["xlsx", "parquet", "tsv"])
def test_other_files_to_write(ending):
    assert call("fit", "iris.csv", "--clusters", 3, "--id", "flower", "--out", f"m.{ending}") == 0
    read = {
        "xlsx": pd.read_excel, "parquet": pd.read_parquet, "tsv": lambda name: pd.read_csv(name, sep="\t")
    }[ending]  # fmt: skip
    told = read(f"m.{ending}")
    assert list(told.columns[:3]) == ["line", "flower", "cluster"]
    assert told["membership_0"].isna().sum() == 2
    np.testing.assert_array_equal(told["sepal width"], IRIS.data[:, 1])


def test_no_cell_of_excel_is_a_formula():
    pd.DataFrame({"=1+1": ["=2+2", "@x", "-y"] * 4, "a": np.r_[-np.arange(6.0), 50:56]}).to_csv(
        "x.csv", index=False
    )
    assert call("fit", "x.csv", "--clusters", 2, "--keep", "a", "--out", "m.xlsx") == 0
    sheet = openpyxl.load_workbook("m.xlsx").active
    cells = [cell for row in sheet.iter_rows() for cell in row]
    assert not any(cell.data_type == "f" for cell in cells)
    assert {"'=2+2", "'=1+1", -5} <= {cell.value for cell in cells}


def test_several_files_are_told_apart(capsys):
    frame = pd.read_csv("iris.csv")
    frame[:75].to_csv("one.csv", index=False)
    frame[75:][frame.columns[::-1]].to_csv("two.csv", index=False)  # columns in another order
    assert call("fit", "one.csv", "two.csv", "--clusters", 3, "--out", "m.csv") == 0
    rows = rows_of("m.csv")
    assert (rows[75]["file"], rows[75]["line"]) == ("two.csv", "2")
    assert [row["flower"] for row in rows] == frame["flower"].tolist()
    assert "line 6 of one.csv, line 42 of one.csv" in capsys.readouterr().err


# ---------------------------------------------------------------------- prediction, pairs, files
def test_columns_are_found_by_name(capsys):
    assert call("fit", "iris.csv", "--clusters", 3, "--out", "m.csv", "--model", "m.zip") == 0
    frame = pd.read_csv("iris.csv").drop(columns=["species"])
    frame[frame.columns[::-1]].assign(more="x").to_csv("other.csv", index=False)
    assert call("predict", "m.zip", "other.csv", "--out", "p.csv") == 0
    one, two = rows_of("m.csv"), rows_of("p.csv")
    assert [row["membership_1"] for row in one] == [row["membership_1"] for row in two]
    capsys.readouterr()
    frame.drop(columns=["petal width"]).to_csv("few.csv", index=False)
    assert call("predict", "m.zip", "few.csv") == 2
    assert (
        "few.csv has no column 'petal width', on which the model was fitted; its other columns"
        in capsys.readouterr().err
    )
    frame[["flower"]].to_csv("none.csv", index=False)
    assert call("predict", "m.zip", "none.csv") == 2
    assert "none.csv has no columns 'sepal length', 'sepal width'" in capsys.readouterr().err


@pytest.mark.parametrize(
    "text",
    [
        "row,other\n0,1\n2,60\n",
        "0,1\n2,60\n",
        "line,other\n2,3\n4,62\n",
        "flower,other\nF000,F001\nF002,F060\n",
    ],
)
def test_pairs_by_row_line_or_identifier(text, capsys):
    for name, content in (("pairs.csv", text), ("usual.csv", "row,other,strength\n0,1,1\n2,60,1\n")):
        with open(name, "w") as file:
            file.write(content)
        arguments = (
            "--clusters",
            3,
            "--id",
            "flower",
            "--must-link",
            name,
            "--force",
            "--out",
            f"m-{name}",
        )
        assert call("fit", "iris.csv", *arguments) == 0
    assert (rows_of("m-pairs.csv")) == rows_of("m-usual.csv")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("row,other\n0,150\n", "line 2 of p.csv names row 150; rows go from 0 to 149."),
        ("row,other\n0,1.5\n", "names row 1.5"),
        ("row,other\n0,F001\n", "names row 'F001'"),
        ("row,other\n0,\n1,2\n", "names row None"),
        ("line,other\n1,2\n", "line 2 of p.csv names line 1, where no row is."),
        ("flower,other\nF000,G1\n", "line 2 of p.csv names 'G1', which is the flower of no row."),
        ("0,1,2\n3,4,1\n", "p.csv begins with numbers; its first line names the columns, as in row,other."),
        ("a\n1\n", "p.csv has 1 columns; a pair is two rows, and perhaps a strength."),
        ("row,other,strength\n1,2,x\n", "line 2 of p.csv has no strength that is a number."),
    ],
)
def test_pairs_that_do_not_fit(text, words, capsys):
    with open("p.csv", "w") as file:
        file.write(text)
    assert call("fit", "iris.csv", "--clusters", 3, "--id", "flower", "--must-link", "p.csv") == 2
    said = capsys.readouterr().err
    assert words in said and said.count("\n") == 1


def test_a_pair_of_a_row_that_is_left_out_is_said(capsys):
    with open("p.csv", "w") as file:
        file.write("row,other\n0,4\n1,2\n")
    assert call("fit", "iris.csv", "--clusters", 3, "--must-link", "p.csv", "--json") == 0
    assert "1 of 2 pairs of p.csv name a row with a missing cell." in capsys.readouterr().err


@pytest.mark.parametrize(
    "wrong", [("--out", "iris.csv"), ("--model", "iris.csv"), ("--out", "m.xyz"), ("--out", "m.csv.gz")]
)
def test_the_rows_are_never_replaced_and_endings_are_checked_first(wrong, folder, capsys):
    before = (folder / "iris.csv").read_bytes()
    assert call("fit", "iris.csv", "--clusters", 3, *wrong, "--force") == 2
    assert capsys.readouterr().err.count("\n") == 1
    assert (folder / "iris.csv").read_bytes() == before
    assert [path.name for path in folder.iterdir()] == ["iris.csv"]


# ---------------------------------------------------------------------- the terminal
@pytest.mark.parametrize("width", [80, 120])
def test_tables_fit_the_terminal(width, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", str(width))
    load_wine(as_frame=True).data.assign(**{"a very long name " * 4: np.arange(178) % 5}).to_csv(
        "wine.csv", index=False
    )
    assert call("fit", "wine.csv", "--clusters", 9, "--out", "m.csv") == 0
    assert call("select", "iris.csv") == 0
    lines = [
        line
        for line in capsys.readouterr().err.splitlines()
        if not line.startswith(("note:", "simplified_"))
    ]
    assert max(map(len, lines)) <= width
    said = "\n".join(lines)
    assert "The 12 most distinctive of 14 columns; 2 are not shown." in said
    for name in (
        "modified partition coefficient",
        "simplified fuzzy silhouette",
        "od280/od315_of_diluted_wines",
    ):
        assert name in said
    assert sum(line.startswith("flavanoids") for line in lines) == (2 if width == 80 else 1)
    compared = next(line for line in lines if line.startswith("index"))
    assert compared.split() == ["index", "good", *"2345678"]


def test_the_most_distinctive_features_come_first():
    model = sc.FuzzyCMeans(2, random_state=0).fit(np.array([[0, 0, 0], [1, 0, 9], [0, 9, 9], [1, 9, 0.0]]))
    model.cluster_centers_ = np.array([[0.5, 0, 4], [0.5, 9, 5]])
    assert show.distinctive(model.cluster_centers_, np.array([0.5, 4.5, 4.5])) == [1, 2, 0]


def test_a_reader_that_has_seen_enough():
    assert call("fit", "iris.csv", "--clusters", 3, "--out", "m.csv", "--model", "m.zip") == 0
    many = pd.concat([pd.read_csv("iris.csv")] * 40)  # more than a pipe holds
    many.to_csv("many.csv", index=False)
    command = [sys.executable, "-m", "softclust", "predict", "m.zip", "many.csv"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=os.environ
    ) as process:
        assert process.stdout is not None and process.stderr is not None
        assert process.stdout.readline().startswith(b"line,")
        process.stdout.close()
        said = process.stderr.read()
        assert process.wait(timeout=120) == 141
    assert b"Traceback" not in said and b"Broken" not in said and b"Error" not in said


def test_numbers_are_written_as_they_were(folder):
    text = "a,b\n-1.5,100000\n2,0.1\n3,7\n9,1e-7\n"
    (folder / "x.csv").write_text(text)
    assert call("fit", "x.csv", "--clusters", 2, "--out", "m.csv") == 0
    told = list(csv.reader(io.StringIO((folder / "m.csv").read_text())))
    assert [[float(cell) for cell in row[-2:]] for row in told[1:]] == [
        [-1.5, 1e5],
        [2, 0.1],
        [3, 7],
        [9, 1e-7],
    ]


def test_an_estimator_by_its_name(capsys):
    arguments = ("--labels", "species", "--method", "FuzzyLabelSpreading", "--json")
    assert call("fit", "iris.csv", *arguments) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["estimator"], told["rows_left_out"]) == ("FuzzyLabelSpreading", 2)
    assert [cluster["name"] for cluster in told["clusters"]] == list(IRIS.target_names)
    assert "NaN" not in json.dumps(told)
