"""Antoine 2018: lines have verdicts, and scores leave out what the paper's leave out."""

import numpy as np
import pytest

from softclust.experiments import VERDICTS, Effort, antoine2018
from softclust.experiments.frame import CONFIRMED, REPRODUCED

QUICK = Effort(quick=True)


@pytest.mark.parametrize("name", ["figure3", "figure4", "figure5"])
def test_every_line_has_a_verdict(name):
    (experiment,) = [one for one in antoine2018.EXPERIMENTS if one.name == name]
    lines = experiment.run(QUICK)
    assert len(lines) > len(antoine2018.METHODS)
    assert all(line.verdict in (*VERDICTS, "") for line in lines)
    curves = lines[: len(antoine2018.METHODS)]
    assert all("rows without a label" in line.why for line in curves)


def test_the_data_sets_are_those_of_table_1():
    assert {line.verdict for line in antoine2018.run_table_1(QUICK)} == {REPRODUCED}


@pytest.mark.parametrize(("data", "what"), [("Iris", "SRPCM is the best"), ("Wine", "SRPCM is low")])
def test_what_is_known_to_come_out(data, what):
    lines = antoine2018.run_figure(data, antoine2018.CLAIMS[data], QUICK)
    assert [line.verdict for line in lines if line.what.startswith(what)] == [CONFIRMED]


def test_no_outlier_is_labelled():
    _, y = antoine2018.rows_of("Ecoli", 0)
    told = antoine2018.draw_labels(y, 0.3, 0)
    assert (told[y < 0] == -1).all()
    assert (told >= 0).sum() == round(0.3 * (y >= 0).sum())


@pytest.mark.parametrize("method", antoine2018.METHODS)
def test_what_is_measured_of_ecoli(method):
    X, y = antoine2018.rows_of("Ecoli", 0)
    whole, rest, found, right = antoine2018.measure(method, "Ecoli", X, y, 0.3, 0)
    assert 0.2 < rest <= 1
    assert 0.2 < whole <= 1
    assert 0 <= found <= 1
    assert right > 0.9


def test_ranks_and_bests():
    scores = {name: [[[0.1 * k, 0.0, 0.0, 0.0]] * 5] for k, name in enumerate(antoine2018.METHODS)}
    curves = antoine2018.Curves(scores)
    last = antoine2018.METHODS[-1]
    assert curves.everything[last].shape == (5, 1)
    assert curves.best(antoine2018.TOLD) == [last]
    assert [curves.rank(name, antoine2018.TOLD) for name in antoine2018.METHODS] == [4, 3, 2, 1]
    np.testing.assert_allclose(curves.mean(last, antoine2018.SHARES), 0.3)
