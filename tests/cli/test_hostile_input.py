"""Names, cells and files that were made to mislead the command line."""

import csv
import time

import numpy as np
import pytest
from sklearn.datasets import load_iris

import softclust as sc
from softclust.cli import main, show

X, CLASSES = load_iris(return_X_y=True)


def written(path, names=("zero", "one", "two"), header="a,b,c,d,class"):
    """Write Iris with a class for every fifth row."""
    lines = [header]
    for i, (row, k) in enumerate(zip(X, CLASSES, strict=True)):
        name = '"' + names[k].replace('"', '""') + '"' if i % 5 == 0 else ""
        lines.append(",".join(map(str, row)) + "," + name)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def run(*words):
    """Return the exit code of a command."""
    with pytest.raises(SystemExit) as end:
        main([str(word) for word in words])
    return end.value.code or 0


def table_of(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.reader(file))


@pytest.mark.parametrize("name", ["[/bad]", "[red]x[/red]", "[link=x]", ":smile:"])
def test_a_class_name_is_not_markup(name, tmp_path, capfd):
    data = written(tmp_path / "d.csv", (name, "one", "[bold]"), "a,[/b],c,d,class")
    assert run("fit", data, "--labels", "class", "--out", tmp_path / "[bold].csv") == 0
    assert name in capfd.readouterr().err


@pytest.mark.parametrize("names", [("none", "one", "two"), ("p", "q", "p+q")])
def test_sets_of_clusters_have_names_of_their_own(names, tmp_path):
    data = written(tmp_path / "d.csv", names)
    run("fit", data, "--labels", "class", "--method", "ecm", "--out", tmp_path / "o.csv")
    head = table_of(tmp_path / "o.csv")[0]
    assert len(set(head)) == len(head)
    assert sum(name.startswith("mass_") for name in head) == 8


def test_columns_of_equal_names_are_all_kept():
    model = sc.FuzzyCMeans(2, random_state=0).fit(X)
    model.classes_ = np.array([1, "1"], dtype=object)
    told = show.columns(model)
    assert [name for name in told if name.startswith("membership")] == ["membership_1", "membership_1 (2)"]


def test_no_cell_is_a_formula(tmp_path, capsys):
    names = ("=cmd|' /C calc'!A0", "+1", "@x")
    data = written(tmp_path / "d.csv", names)
    run("fit", data, "--labels", "class", "--out", tmp_path / "o.csv")
    run("fit", data, "--labels", "class")
    for text in ((tmp_path / "o.csv").read_text(), capsys.readouterr().out):
        head, *rows = csv.reader(text.splitlines())
        assert not any(cell[:1] in "=+-@\t\r" for cell in head + [row[1] for row in rows])
        assert {row[1] for row in rows} == {f"'{name}" for name in names}


def test_negative_numbers_stay_numbers(tmp_path):
    from softclust.cli.tables import Output

    Output(tmp_path / "o.csv").write_table({"x": np.array([-1.5, 2.0]), "name": ["-a", "b"]})
    assert table_of(tmp_path / "o.csv") == [["x", "name"], ["-1.5", "'-a"], ["2.0", "b"]]


def test_many_columns_take_no_time(tmp_path):
    rows = np.random.default_rng(0).normal(size=(6, 20_000))
    np.savetxt(
        tmp_path / "d.csv", rows, "%.3f", ",", header=",".join(f"c{j}" for j in range(20_000)), comments=""
    )
    began = time.process_time()
    run("fit", tmp_path / "d.csv", "--clusters", "2", "--out", tmp_path / "o.csv")
    assert time.process_time() - began < 20


def test_two_results_do_not_share_a_file(tmp_path, capfd):
    data = written(tmp_path / "d.csv")
    (tmp_path / "link").symlink_to(tmp_path)
    same = tmp_path / "link" / "o.csv"
    assert run(
        "fit", data, "--clusters", 3, "--drop", "class", "--out", tmp_path / "o.csv", "--report", same
    )
    assert "two results" in capfd.readouterr().err
    assert not (tmp_path / "o.csv").exists()


def test_a_setting_that_is_nested_too_deep_is_one_sentence(tmp_path, capfd):
    data = written(tmp_path / "d.csv")
    assert run("fit", data, "--clusters", 3, "--drop", "class", "--set", "m=" + "-" * 20_000 + "1")
    assert "m" in capfd.readouterr().err


@pytest.mark.parametrize(
    ("bad", "said"), [(b"\x81", "binary data"), (b"\0", "byte 0"), (b"\x01", "binary")]
)
def test_a_file_that_is_not_text_is_named_with_its_line(bad, said, tmp_path, capfd):
    path = tmp_path / "d.csv"
    path.write_bytes(b"a,b\n" + b"1,2\n" * 5000 + b"1," + bad + b"\n" + b"1,2\n" * 10)
    assert run("fit", path, "--clusters", 2)
    told = capfd.readouterr().err.replace("\n", "")
    assert "d.csv" in told
    assert "line 5002" in told
    assert said in told


def test_a_users_part_file_and_link_stay(tmp_path):
    data = written(tmp_path / "d.csv")
    (tmp_path / "precious").write_text("mine")
    (tmp_path / ".o.csv.part").symlink_to(tmp_path / "precious")
    run("fit", data, "--clusters", 3, "--drop", "class", "--out", tmp_path / "o.csv")
    assert (tmp_path / "precious").read_text() == "mine"
    assert (tmp_path / ".o.csv.part").is_symlink()
