"""Liu & Wu run again: what must come out does, and every line has a verdict."""

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import pytest

from softclust.experiments import VERDICTS, Effort
from softclust.experiments.frame import CONFIRMED, REPRODUCED
from softclust.experiments.liu_wu import EXPERIMENTS

BY_NAME = {experiment.name: experiment for experiment in EXPERIMENTS}


class Brief(Effort):
    """One draw, whatever an experiment asks for."""

    def draws(self, full, quick):
        return super().draws(full=1, quick=1)


@pytest.fixture(scope="module")
def lines():
    return {name: experiment.run(Brief()) for name, experiment in BY_NAME.items()}


def named(lines, name, what):
    (line,) = [line for line in lines[name] if line.what == what]
    return line


@pytest.mark.parametrize(("what", "value"), [("FCM, NMI mean", "0.7621"), ("FCM, RI mean", "0.8545")])
def test_glass_under_leakage(lines, what, value):
    line = named(lines, "table4-3-glass", what)
    assert (line.paper, line.verdict) == (value, REPRODUCED)
    assert line.ours.startswith(value)


def test_leakage_is_called_so(lines):
    assert "LEAKAGE" in named(lines, "table4-3-glass", "FCM, NMI mean").why
    honest = named(lines, "table4-3-glass", "FCM without the row number, NMI and RI mean").ours
    assert [float(value) for value in honest.split(", ")] == pytest.approx([0.36, 0.71], abs=0.01)


@pytest.mark.parametrize("figure", ["NMI mean", "NMI std", "RI mean", "RI std"])
def test_fcm_on_iris_is_a_mixture_of_two_solutions(lines, figure):
    line = named(lines, "table4-3-iris", f"FCM, {figure} of 8 runs in one solution, 2 in another")
    assert line.verdict == REPRODUCED


def test_typicalities_of_table_4_1(lines):
    line = named(lines, "table4-1", "sPCM without push and with plain centres")
    assert line.verdict == CONFIRMED


def test_table_4_1_is_complete(lines):
    entries = [line for line in lines["table4-1"] if " in cluster " in line.what]
    assert len(entries) == 48
    assert sum(float(line.paper) for line in entries if line.what.startswith("sFCM")) == pytest.approx(12)


@pytest.mark.parametrize("name", BY_NAME)
def test_every_line_has_a_verdict(lines, name):
    assert lines[name]
    assert all(line.verdict in (*VERDICTS, "") for line in lines[name])
    assert all(line.verdict for line in lines[name] if line.paper)


@pytest.mark.parametrize("name", [name for name, experiment in BY_NAME.items() if experiment.draw])
def test_pictures(name):
    figure = BY_NAME[name].draw(Brief())
    for ax in figure.axes:
        assert ax.get_xlabel()
        assert ax.get_ylabel()
        assert ax.get_legend()
    plt.close(figure)
