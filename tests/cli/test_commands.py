"""fit, predict, select and methods, as someone with a CSV, a few labels and no Python meets them."""

import csv
import io
import json
import warnings

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import feather, parquet
from sklearn.datasets import load_iris

from calling import call

NAMES = ["sepal length", "sepal width", "petal length", "petal width"]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A directory with Iris, the species of every tenth flower known."""
    monkeypatch.chdir(tmp_path)
    iris = load_iris()
    with open("iris.csv", "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([*NAMES, "species"])
        for i, (x, k) in enumerate(zip(iris.data.tolist(), iris.target, strict=True)):
            writer.writerow([*x, iris.target_names[k] if i % 10 == 0 else ""])
    return tmp_path


def rows_of(text):
    return list(csv.DictReader(io.StringIO(text)))


def test_a_partly_filled_label_column_just_works(folder, capsys):
    wanted = ("--labels", "species", "--no-standardize", "--out", "m.csv", "--model", "m.zip")
    assert call("fit", "iris.csv", *wanted) == 0
    said = capsys.readouterr()
    assert said.out == ""
    for word in ("Clusters", "virginica", "doubtful", "m.csv", "m.zip"):
        assert word in said.err
    rows = rows_of((folder / "m.csv").read_text())
    truth = [load_iris().target_names[k] for k in load_iris().target]
    assert len(rows) == 150
    assert np.mean([row["cluster"] == name for row, name in zip(rows, truth, strict=True)]) > 0.85
    for row in rows:
        assert sum(float(row[f"membership_{name}"]) for name in load_iris().target_names) == pytest.approx(
            1
        )
    assert call("predict", "m.zip", "iris.csv") == 0
    again = rows_of(capsys.readouterr().out)
    assert np.mean([a["cluster"] == b["cluster"] for a, b in zip(rows, again, strict=True)]) > 0.95


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (("--model", "m.pkl"), "m.pkl ends in .pkl, but a model is a zip archive; m.zip fits."),
        (("--model", "m.csv"), "m.csv ends in .csv, but a model is a zip archive; m.zip fits."),
        (("--seed", -1), '"-1" for --seed'),
        (("--seed", 2**32), "for --seed"),
    ],
)
def test_a_model_is_no_pickle_and_a_seed_is_named(folder, capsys, wrong, words):
    assert call("fit", "iris.csv", "--clusters", 3, "--drop", "species", "--out", "m.csv", *wrong) != 0
    assert words in " ".join(capsys.readouterr().err.split())
    assert [path.name for path in folder.iterdir()] == ["iris.csv"]


def test_data_go_to_the_standard_output(folder, capsys):
    assert call("fit", "iris.csv", "--clusters", 3, "--drop", "species", "--method", "pcm") == 0
    rows = rows_of(capsys.readouterr().out)
    assert len(rows) == 150
    assert set(rows[0]) >= {"line", "cluster", "outlier", "membership_0", "typicality_2"}


def test_evidential_masses_and_pairs(folder, capsys):
    (folder / "must.csv").write_text("a,b\n0,1\n50,51\n")
    (folder / "cannot.csv").write_text("a,b,strength\n0,50,2\n")
    arguments = ("--method", "lpecm", "--labels", "species", "--must-link", "must.csv")
    assert call("fit", "iris.csv", *arguments, "--cannot-link", "cannot.csv", "--out", "m.parquet") == 0
    table = parquet.read_table("m.parquet")
    assert table.num_rows == 150
    masses = [name for name in table.column_names if name.startswith("mass_")]
    assert len(masses) == 8
    assert "mass_none" in masses
    assert "mass_setosa+versicolor" in masses
    capsys.readouterr()


def test_json_is_for_programs(folder, capsys):
    arguments = ("--columns", "petal length", "--columns", "petal width", "--clusters", 2, "--set", "m=1.5")
    assert call("fit", "iris.csv", *arguments, "--json") == 0
    said = json.loads(capsys.readouterr().out)
    assert [c["rows"] for c in said["clusters"]] and sum(c["rows"] for c in said["clusters"]) == 150
    assert set(said["clusters"][0]["center"]) == {"petal length", "petal width"}
    assert said["converged"]


def test_standardized_columns_are_so_in_prediction(folder, capsys):
    arguments = ["--drop=species", "--clusters=3", "--standardize", "--out=m.csv", "--model=m.zip"]
    assert call("fit", "iris.csv", *arguments) == 0
    assert call("predict", "m.zip", "iris.csv", "--out", "p.csv") == 0
    capsys.readouterr()
    one, two = (rows_of((folder / name).read_text()) for name in ("m.csv", "p.csv"))
    for a, b in zip(one, two, strict=True):
        assert float(a["membership_0"]) == float(b["membership_0"])


@pytest.mark.parametrize("ending", ["parquet", "arrow", "feather", "tsv"])
def test_other_formats(ending, folder, capsys):
    table = pa.table(dict(zip("abcd", load_iris().data.T, strict=True)))
    if ending == "parquet":
        parquet.write_table(table, "x.parquet")
    elif ending == "tsv":
        np.savetxt("x.tsv", load_iris().data, delimiter="\t", header="a\tb\tc\td", comments="")
    else:
        feather.write_feather(table, f"x.{ending}")
    assert call("fit", f"x.{ending}", "--clusters", 3, "--out", f"y.{ending}") == 0
    assert (folder / f"y.{ending}").stat().st_size > 1000
    capsys.readouterr()


def test_plots_are_drawn(folder, capsys):
    assert (
        call("fit", "iris.csv", "--labels", "species", "--method", "ecm", "--model", "m.zip", "--json") == 0
    )
    for kind in ("map", "heatmap", "silhouette", "convergence", "ternary", "credal", "masses"):
        assert call("plot", "m.zip", "iris.csv", "--kind", kind, "--out", f"{kind}.png") == 0
        assert (folder / f"{kind}.png").read_bytes().startswith(b"\x89PNG")
    assert call("plot", "m.zip", "iris.csv", "--out", "map.svg") == 0
    assert "setosa" in (folder / "map.svg").read_text() or "<svg" in (folder / "map.svg").read_text()
    capsys.readouterr()
    for arguments, words in (
        (("--kind", "cake", "--out", "x.png"), "map, heatmap"),
        (("--kind", "typicality", "--out", "x.png"), "typicalities"),
        (("--out", "x.gif"), ".png, .svg and .pdf"),
        (("--out", "map.png"), "map.png exists"),
    ):
        assert call("plot", "m.zip", "iris.csv", *arguments) == 2
        said = capsys.readouterr().err
        assert words in said
        assert said.count("\n") == 1
    assert not (folder / "x.png").exists()


def test_a_report_tells_of_the_fit(folder, capsys):
    arguments = ["--labels=species", "--standardize", "--report=one.html", "--model=m.zip", "--json"]
    assert call("fit", "iris.csv", *arguments) == 0
    assert call("report", "m.zip", "iris.csv", "--labels=species", "--out=two.html") == 0
    one, two = ((folder / name).read_text() for name in ("one.html", "two.html"))
    assert one == two
    for words in ("setosa", "Columns are standardised", "xie beni", "FuzzyCMeans(", "Clusters of iris.csv"):
        assert words in one
    capsys.readouterr()
    lines = (folder / "iris.csv").read_text().splitlines()
    (folder / "few.csv").write_text("\n".join(lines[:20]))
    assert call("report", "m.zip", "few.csv", "--out", "three.html") == 2
    assert "the model was fitted on 150" in capsys.readouterr().err


def test_a_report_knows_labels_and_classes(folder, capsys):
    lines = (folder / "iris.csv").read_text().splitlines()
    truth = load_iris().target_names[load_iris().target]
    whole = [f"{line},{name}" for line, name in zip(lines, ["true", *truth], strict=True)]
    (folder / "whole.csv").write_text("\n".join(whole))
    arguments = ["--labels=species", "--drop=true", "--model=m.zip", "--json"]
    assert call("fit", "whole.csv", *arguments) == 0
    assert call("report", "m.zip", "whole.csv", "--labels=species", "--classes=true", "--out=r.html") == 0
    page = (folder / "r.html").read_text()
    assert "rows whose class is known and was not told to the fit" in page
    assert "Nearest labelled rows are" in page
    capsys.readouterr()
    assert call("report", "m.zip", "whole.csv", "--classes=none", "--out=s.html") == 2
    assert "none" in capsys.readouterr().err


def test_select_chooses(folder, capsys):
    assert call("select", "iris.csv", "--drop", "species", "--clusters", "2-4", "--out", "t.csv") == 0
    said = " ".join(capsys.readouterr().err.split())
    assert "Recommended: 2 clusters" in said and "It is very stable" in said
    assert [row["clusters"] for row in rows_of((folder / "t.csv").read_text())] == ["2", "3", "4"]
    assert call("select", "iris.csv", "--drop", "species", "--clusters", "2,3", "--json") == 0
    said = json.loads(capsys.readouterr().out)
    assert said["best"] == said["recommended"] == 2
    assert said["table"]["xie_beni"][0] < said["table"]["xie_beni"][1]
    assert not said["greater_is_better"]["xie_beni"] and said["greater_is_better"]["stability"]


def test_select_compares_with_classes_that_no_fit_sees(folder, capsys):
    ways = ("select", "iris.csv", "--clusters", "2-4", "--stability", 0, "--json")
    assert call(*ways, "--classes", "species") == 0
    compared = json.loads(capsys.readouterr().out)
    assert compared["recommended"] == 3 and "stability" not in compared["table"]
    assert "fits the known classes best" in compared["reasons"][0]
    assert call(*ways, "--drop", "species") == 0
    assert compared["table"]["kwon"] == json.loads(capsys.readouterr().out)["table"]["kwon"]
    assert call("select", "iris.csv", "--clusters", "2-4", "--labels", "species") == 0
    said = " ".join(capsys.readouterr().err.split())
    assert "flattering" in said and "2 clusters: y has more than 2 classes" in said


def test_select_takes_bic_for_mixtures(folder, capsys):
    call(
        "select", "iris.csv", "--drop", "species", "--method", "gmm", "--clusters", "2,3", "--index", "bic"
    )
    assert "which BIC prefers" in " ".join(capsys.readouterr().err.split())


def test_select_fits_into_eighty_columns(folder, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    ways = ("select", "iris.csv", "--drop", "species", "--stability", 0, "--clusters")
    for clusters in ("2-8", "2-12"):
        assert call(*ways, clusters) == 0
        lines = capsys.readouterr().err.splitlines()
        assert max(map(len, lines)) <= 80
        assert not any("…" in line for line in lines)
        assert any(line.startswith("xie beni") and " low " in line for line in lines)


def test_methods_are_listed(capsys):
    assert call("methods", "--json") == 0
    listed = json.loads(capsys.readouterr().out)
    assert {"fcm", "gk", "lpecm", "pam"} <= {one["method"] for one in listed}
    assert all(one["when"].endswith(".") and one["family"] for one in listed)
    assert call("methods") == 0
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= 80
    told = {line.split()[0] for line in lines if line.startswith("  ")}
    assert told == {one["method"] for one in listed}
    assert call("methods", "--papers") == 0
    assert "Gustafson" in capsys.readouterr().out


def test_medoids_too(folder, capsys):
    assert call("fit", "iris.csv", "--drop", "species", "--clusters", 3, "--method", "pam") == 0
    assert len(rows_of(capsys.readouterr().out)) == 150


# ---------------------------------------------------------------------- what is wrong is said
def broken(folder):
    lines = (folder / "iris.csv").read_text().splitlines()
    (folder / "bad.csv").write_text("\n".join([*lines[:4], "x,3.1,1.5,0.2,", *lines[5:]]))
    (folder / "empty.csv").write_text("")
    (folder / "header.csv").write_text(lines[0] + "\n")
    (folder / "binary.csv").write_bytes(bytes(range(256)) * 20)
    (folder / "ragged.csv").write_text("a,b\n1,2\n3\n")
    (folder / "pairs.csv").write_text("a,b\n0,900\n")
    (folder / "there.csv").write_text("precious")
    (folder / "rows.xls").write_text("a")
    (folder / "a folder").mkdir()


FIT = ("--clusters", "3")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("fit", "bad.csv", *FIT), "bad.csv: 1 cell is no number (line 5, 'sepal length': 'x')."),
        (("fit", "bad.csv", *FIT), "leave a column out with --drop 'sepal length'"),
        (
            ("fit", "iris.csv", "--columns", "species", *FIT),
            "column 'species' of iris.csv is not numeric: line 2 is 'setosa'",
        ),
        (("fit", "iris.csv", "--columns", "species", *FIT), "--drop species"),
        (("fit", "empty.csv", *FIT), "empty.csv is empty"),
        (("fit", "header.csv", *FIT), "no rows"),
        (("fit", "binary.csv", *FIT), "binary.csv cannot be read as csv: line 1 holds binary data"),
        (("fit", "ragged.csv", *FIT), "ragged.csv cannot be read as csv"),
        (("fit", "nowhere.csv", *FIT), "nowhere.csv does not exist"),
        (("fit", "a folder", *FIT), "is a directory"),
        (("fit", "rows.xls", *FIT), "ends in .xls"),
        (("fit", "iris.csv", "--labels", "spezies", *FIT), "did you mean 'species'?"),
        (("fit", "iris.csv", "--drop", "spezies", *FIT), "did you mean 'species'?"),
        (("fit", "iris.csv", "--drop", "species"), "How many clusters?"),
        (("fit", "iris.csv", "--drop", "species", *FIT, "--out", "there.csv"), "there.csv exists"),
        (("fit", "iris.csv", "--drop", "species", *FIT, "--out", "a folder"), "is a directory"),
        (("fit", "iris.csv", "--drop", "species", *FIT, "--model", "no/where.zip"), "does not exist"),
        (
            ("fit", "iris.csv", *FIT, "--out", "rows.docx"),
            "rows.docx ends in .docx; tables are written as .csv",
        ),
        (("fit", "iris.csv", *FIT, "--out", "rows.csv.gz"), "ends in .gz; tables are written as .csv"),
        (
            ("fit", "iris.csv", "--clusters", "0"),
            "--clusters 0 does not fit 150 rows; write a number from 1",
        ),
        (("fit", "iris.csv", "--clusters", "151"), "write a number from 1 to 150."),
        (("fit", "iris.csv", "--drop", "species", *FIT, "--method", "fmc"), "fcm"),
        (("fit", "iris.csv", "--drop", "species", *FIT, "--set", "m"), "name=value"),
        (("fit", "iris.csv", "--drop", "species", *FIT, "--set", "n=2"), "no parameter 'n'"),
        (("fit", "iris.csv", "--drop", "species", *FIT, "--set", "m=0.5"), "'m' parameter"),
        (("fit", "iris.csv", "--labels", "species", "--must-link", "pairs.csv"), "names row 900"),
        (("fit", "iris.csv", "--labels", "species", "--method", "pam"), "takes no labels"),
        (
            ("fit", "iris.csv", "--drop", "species", *FIT, "--method", "pam", "--must-link", "pairs.csv"),
            "row",
        ),
        (("predict", "there.csv", "iris.csv"), "there.csv"),
        (("predict", "nowhere.zip", "iris.csv"), "nowhere.zip"),
        (("select", "iris.csv", "--drop", "species", "--clusters", "two"), "write 2-8 or 2,3,5"),
        (("select", "iris.csv", "--drop", "species", "--index", "beauty"), "not known"),
    ],
)
def test_one_sentence_and_nothing_is_written(arguments, words, folder, capsys):
    broken(folder)
    before = {path.name for path in folder.iterdir()}
    assert call(*arguments) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert words in said.err
    assert said.err.count("\n") == 1
    assert "Traceback" not in said.err
    assert {path.name for path in folder.iterdir()} == before
    assert (folder / "there.csv").read_text() == "precious"


def test_a_directory_that_takes_no_files_is_found_before_the_fit(folder, capsys, monkeypatch):
    def refuse(**_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("tempfile.TemporaryFile", refuse)
    assert call("fit", "iris.csv", *FIT, "--out", "new.csv") == 2
    assert capsys.readouterr().err == (
        "softclust: the directory of new.csv takes no files; nothing was written. Give another directory.\n"
    )


def test_letters_that_the_font_lacks_are_one_note(folder, capsys):
    text = (folder / "iris.csv").read_text().replace("setosa", "日本語")
    (folder / "names.csv").write_text(text, encoding="utf-8")
    assert call("fit", "names.csv", "--labels", "species", "--model", "names.zip") == 0
    capsys.readouterr()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert call("plot", "names.zip", "names.csv", "--out", "map.png") == 0
    said = capsys.readouterr().err
    assert said == "note: The font has no sign for some letters; they are drawn as boxes.\nmap: map.png\n"
