"""Ortiz: the printed example comes out exactly, and every line has a verdict."""

import pytest

from softclust.experiments import VERDICTS, Effort, ortiz
from softclust.experiments.frame import CONFIRMED, REPRODUCED

QUICK = Effort(quick=True)
CHEAP = [one for one in ortiz.EXPERIMENTS if one.name != "shells"]


@pytest.mark.parametrize("experiment", CHEAP, ids=lambda one: one.name)
def test_every_line_has_a_verdict(experiment):
    lines = experiment.run(QUICK)
    assert lines
    assert all(line.verdict in (*VERDICTS, "") for line in lines)


def test_five_rows_are_as_printed():
    assert {line.verdict for line in ortiz.run_five(QUICK)} == {REPRODUCED, CONFIRMED}


def test_q_and_eta_have_the_roles_that_they_are_said_to_have():
    assert all(line.verdict == CONFIRMED for line in ortiz.run_roles(QUICK))


@pytest.mark.parametrize(("name", "noise"), [("afcs", 0.0), ("fces", 0.0), ("apcs", 0.2), ("pces", 0.2)])
def test_shells_are_found(name, noise):
    assert ortiz.worst_axis(ortiz.fit_shells(name, noise, 0)[1]) < ortiz.NEAR
