"""The command line as a newcomer meets it."""

import csv
import subprocess
import sys

import pytest

from softclust.cli import main


def run(*arguments, cwd):
    command = [sys.executable, "-m", "softclust", *arguments]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=120)


def call(*arguments):
    """The exit code of the command line in this process."""
    with pytest.raises(SystemExit) as stop:
        main(list(arguments))
    return stop.value.code or 0


def test_demo(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert call("demo") == 0
    out = capsys.readouterr().out
    assert "Clusters" in out
    assert "doubtful rows" in out
    assert "outliers" in out
    assert "memberships.csv" in out
    assert "report.html" in out
    page = (tmp_path / "report.html").read_text()
    for heading in ("Clusters", "Rows in most doubt", "Outliers", "Validity", "How sure", "Map"):
        assert f"<h2>{heading}</h2>" in page
    assert "http:" not in page and "https:" not in page  # it needs no other file and no network
    with open(tmp_path / "memberships.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 165
    truth = ["setosa"] * 50 + ["versicolor"] * 50 + ["virginica"] * 50
    right = sum(row["cluster"] == name for row, name in zip(rows, truth, strict=False))
    assert right >= 135
    assert sum(int(row["outlier"]) for row in rows[150:]) >= 12
    assert sum(int(row["outlier"]) for row in rows[:150]) <= 3
    for row in rows:
        shares = [float(row[key]) for key in row if key.startswith("membership_")]
        assert sum(shares) == pytest.approx(1, abs=1e-5)


def test_nothing_is_overwritten(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.csv").write_text("precious")
    assert call("demo", "--out", "mine.csv") == 2
    assert "mine.csv exists" in capsys.readouterr().err
    assert (tmp_path / "mine.csv").read_text() == "precious"
    assert call("demo", "--out", "mine.csv", "--force") == 0
    assert (tmp_path / "mine.csv").read_text().startswith("row,")


def test_an_output_that_cannot_be_written(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert call("demo", "--out", "no/such/folder/m.csv") == 2
    assert "no/such/folder" in capsys.readouterr().err


def test_help_and_version(tmp_path):
    import softclust

    shown = run("--help", cwd=tmp_path)
    assert shown.returncode == 0
    assert "demo" in shown.stdout
    assert run("--version", cwd=tmp_path).stdout.startswith(f"{softclust.__version__} (passes: ")
