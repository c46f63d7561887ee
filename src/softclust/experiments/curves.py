"""What several experiments need: scores of fits, starts as in the papers, and results that are kept."""

from __future__ import annotations

import functools
import warnings
from contextlib import contextmanager

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from softclust.errors import DegenerateClusterWarning
from softclust.experiments.frame import NOT_REPRODUCIBLE, REPRODUCED, Line


@contextmanager
def expected_trouble():
    """Silence about centres that coincide and loops that run out: the papers' settings lead to both."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DegenerateClusterWarning)
        warnings.simplefilter("ignore", ConvergenceWarning)
        yield


def kept(measure):
    """Decorator of `measure(effort, *names)`: lines and picture of an experiment share one computation."""
    results: dict = {}

    @functools.wraps(measure)
    def measured(effort, *names):
        key = (effort.quick, *names)
        if key not in results:
            results[key] = measure(effort, *names)
        return results[key]

    return measured


def ari(classes, labels):
    """The adjusted Rand index."""
    from softclust.metrics import adjusted_rand_score

    return float(adjusted_rand_score(classes, labels))


def random_starts(X, c, count, seed):
    """`count` times c rows that differ, drawn at random."""
    distinct = np.unique(X, axis=0)
    rng = np.random.default_rng(seed)
    return [distinct[rng.choice(len(distinct), c, replace=False)] for _ in range(count)]


def least_objective(models):
    """The fit that a paper would keep of several."""
    return min(models, key=lambda model: model.objective_)


def in_words(values, digits=2):
    """Numbers as a sentence has them: ".59, .67"."""
    return ", ".join(f"{value:.{digits}f}" for value in values)


def description(name, printed, rows, why=""):
    """A line of a table that describes data: rows, attributes and classes, -1 being none."""
    X, y = rows
    ours = (*X.shape, len(np.unique(y[y >= 0])))
    said, found = ("{} rows, {} attributes, {} classes".format(*counts) for counts in (printed, ours))
    return Line(name, said, found, REPRODUCED if tuple(printed) == ours else NOT_REPRODUCIBLE, why)
