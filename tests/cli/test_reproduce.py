"""`softclust reproduce`: what it prints, keeps, draws and refuses."""

import json

import pytest

from calling import call
from softclust import experiments
from softclust.experiments import storage
from softclust.experiments.frame import (
    BRACKETED,
    NOT_REPRODUCIBLE,
    REPRODUCED,
    Effort,
    Experiment,
    Line,
    compare,
)


@pytest.fixture(autouse=True)
def _own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


@pytest.fixture
def counted(monkeypatch):
    """One experiment in place of all, and how often it ran."""
    runs = []

    def run(effort):
        runs.append(effort.quick)
        draws = list(effort.draws(full=30, quick=3))
        return [compare("draws", "3", len(draws), why="a remark"), Line("shown", "", "1")]

    def draw(effort):
        import matplotlib.pyplot as plt

        return plt.subplots()[0]

    monkeypatch.setattr(experiments, "EXPERIMENTS", (Experiment("003", "table1", "Draws", run, draw),))
    return runs


def test_lines_beside_the_papers(counted, capsys):
    assert call("reproduce", "003", "table1", "--quick") == 0
    out = capsys.readouterr().out
    assert "Xia" in out
    assert "reproduced (1)" in out
    assert "1 a remark" in out
    assert out.rstrip().endswith(
        "1 reproduced: our value, or the median of our draws, rounds to the printed one"
    )


def test_results_are_kept(counted, capsys):
    for _ in range(2):
        assert call("reproduce", "--quick", "--json") == 0
        lines = json.loads(capsys.readouterr().out)
        assert lines[0]["verdict"] == REPRODUCED
        assert lines[0]["experiment"] == "003 table1"
    assert counted == [True]
    assert call("reproduce", "--json") == 0
    assert json.loads(capsys.readouterr().out)[0]["verdict"] == NOT_REPRODUCIBLE  # 30 draws, not 3
    assert call("reproduce", "--quick", "--again") == 0
    assert counted == [True, False, True]


def test_a_damaged_result_is_run_again(counted, capsys):
    assert call("reproduce", "--quick") == 0
    (kept,) = storage.default_folder().iterdir()
    kept.write_text("{")
    assert call("reproduce", "--quick") == 0
    assert counted == [True, True]


def test_figures_are_drawn_once(counted, tmp_path, capsys):
    out = tmp_path / "figures"
    assert call("reproduce", "--quick", "--out", out) == 0
    assert [file.name for file in out.iterdir()] == ["003-table1.png"]
    assert (out / "003-table1.png").read_bytes().startswith(b"\x89PNG")
    assert call("reproduce", "--quick", "--out", out) == 2
    assert "exists" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["007"], "There is no paper '007'; it is one of 000, 001, 002, 003, 004."),
        (["003", "table9"], "Paper 003 has no 'table9'; it has table1"),
    ],
)
def test_names_that_are_not_there(arguments, sentence, capsys):
    assert call("reproduce", *arguments) == 2
    assert sentence in capsys.readouterr().err


@pytest.mark.parametrize(
    ("printed", "measured", "verdict"),
    [
        ("0.59", 0.594, REPRODUCED),
        ("0.59", 0.596, NOT_REPRODUCIBLE),
        ("16", 16, REPRODUCED),
        ("16", [14, 15, 15, 17, 18], BRACKETED),
        ("16", [14, 16, 18], REPRODUCED),
        ("19", [14, 16, 18], NOT_REPRODUCIBLE),
    ],
)
def test_verdicts_follow_from_the_figures(printed, measured, verdict):
    assert compare("it", printed, measured).verdict == verdict


def test_draws_are_told():
    told = []
    assert list(Effort(True, lambda *of: told.append(of)).draws(full=9, quick=2)) == [0, 1]
    assert told == [(1, 2), (2, 2)]
