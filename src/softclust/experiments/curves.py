"""Helpers of several experiments: scores of fits, starts as in the papers, and cached results."""

from __future__ import annotations

import functools
import warnings
from contextlib import contextmanager

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from softclust.errors import DegenerateClusterWarning, FeatureScaleWarning
from softclust.experiments.frame import NOT_REPRODUCIBLE, REPRODUCED, Line


@contextmanager
def expected_trouble():
    """Silence warnings of coinciding centres, of no convergence and of scales, as the papers cause them."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DegenerateClusterWarning)
        warnings.simplefilter("ignore", ConvergenceWarning)
        warnings.simplefilter("ignore", FeatureScaleWarning)
        yield


def kept(measure):
    """Cache `measure(effort, *names)`: the lines and the picture of an experiment share one computation."""
    results: dict = {}

    @functools.wraps(measure)
    def measured(effort, *names):
        key = (effort.quick, *names)
        if key not in results:
            results[key] = measure(effort, *names)
        return results[key]

    return measured


def ari(classes, labels):
    """Return the adjusted Rand index."""
    from softclust.metrics import adjusted_rand_score

    return float(adjusted_rand_score(classes, labels))


def random_starts(X, c, count, seed):
    """Return `count` random starts, each of c distinct rows."""
    distinct = np.unique(X, axis=0)
    rng = np.random.default_rng(seed)
    return [distinct[rng.choice(len(distinct), c, replace=False)] for _ in range(count)]


def least_objective(models):
    """Return the fit with the least objective, which a paper would keep."""
    return min(models, key=lambda model: model.objective_)


def in_words(values, digits=2):
    """Format numbers for a sentence: "0.59, 0.67"."""
    return ", ".join(f"{value:.{digits}f}" for value in values)


def description(name, printed, rows, why=""):
    """Return a line on the size of a data set: rows, attributes and classes; -1 is not a class."""
    X, y = rows
    ours = (*X.shape, len(np.unique(y[y >= 0])))
    said, found = ("{} rows, {} attributes, {} classes".format(*counts) for counts in (printed, ours))
    return Line(name, said, found, REPRODUCED if tuple(printed) == ours else NOT_REPRODUCIBLE, why)
