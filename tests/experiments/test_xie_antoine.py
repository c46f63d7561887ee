"""What must come out of Xie & Antoine's tables, and that every line has a verdict."""

import numpy as np
import pytest

from softclust.experiments import VERDICTS, Effort, xie_antoine
from softclust.experiments.frame import BRACKETED, CONFIRMED, REPRODUCED
from softclust.experiments.xie_antoine import EUCLIDEAN, MAHALANOBIS
from softclust.knowledge import linked

QUICK = Effort(quick=True)


@pytest.mark.parametrize(("metric", "low", "high"), [(EUCLIDEAN, 0.585, 0.595), (MAHALANOBIS, 0.66, 0.68)])
def test_iris_without_knowledge(metric, low, high):
    """Printed: .59 and .67."""
    scores = xie_antoine.scores_of(QUICK, metric, "Iris")
    assert low <= np.median(scores.ecm) <= high
    line, *_ = xie_antoine.entries(QUICK, metric, "Iris")
    assert line.verdict in (REPRODUCED, BRACKETED)


@pytest.mark.parametrize("metric", [EUCLIDEAN, MAHALANOBIS])
def test_iris_with_knowledge_is_bracketed(metric):
    lines = [line for line in xie_antoine.entries(QUICK, metric, "Iris") if "LPECM" in line.what]
    assert len(lines) == 3
    assert all(line.verdict in (REPRODUCED, BRACKETED) for line in lines)


def test_iris_run_to_rest():
    (line,) = [line for line in xie_antoine.asides(MAHALANOBIS, "Iris") if "rest" in line.what]
    assert 0.66 <= float(line.ours) <= 0.68


@pytest.mark.parametrize("name", ["table1", "table2", "figures1-3", "figure4"])
def test_every_line_has_a_verdict(name):
    (experiment,) = [one for one in xie_antoine.EXPERIMENTS if one.name == name]
    lines = experiment.run(QUICK)
    assert lines
    assert all(line.verdict in (*VERDICTS, "") for line in lines)


def test_doubt_ends_with_knowledge():
    assert all(line.verdict == CONFIRMED for line in xie_antoine.run_toy_figures(QUICK))
    assert xie_antoine.run_table_1(QUICK)[-1].verdict == CONFIRMED


def test_plain_descent_is_over_when_it_ends():
    before = linked._GROWTH, linked._RETRIED
    with pytest.raises(RuntimeError, match="inside"), xie_antoine.plain_descent():
        assert linked._GROWTH == ()
        raise RuntimeError("inside")
    assert (linked._GROWTH, linked._RETRIED) == before
