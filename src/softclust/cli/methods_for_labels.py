"""Which method follows the labels of a file more closely."""

from __future__ import annotations

import warnings

import numpy as np

from softclust.active.choice import ENOUGH, Form, foreseen
from softclust.active.refits import Knowledge
from softclust.knowledge.labels import read_labels

_MOST = 1000  # labels that decide
_LEAST_GAIN = 0.05  # share of the labels that spreading must foresee beyond those that the method foresees


def hints(model, X, y, seed):
    """Return a sentence if label spreading foresees more of the labels than the method of the fit.

    A fifth of the labels is left out at a time.
    """
    labels = read_labels(y, len(X))
    rows = labels.rows
    if len(rows) < ENOUGH or len(labels.classes) < 2 or len(rows) == len(X):
        return []
    if len(rows) > _MOST:
        rows = np.sort(np.random.default_rng(seed).choice(rows, _MOST, replace=False))
    degrees = np.full((len(X), len(labels.classes)), np.nan)
    degrees[rows] = labels.degrees[np.isin(labels.rows, rows)]
    nothing = np.empty((0, 2), dtype=np.int64)
    told = Knowledge(degrees, nothing, nothing, None, tuple(map(str, labels.classes)))
    mine, spread = Form(1), Form(1, True)
    with warnings.catch_warnings():  # the fit has said what there is to say
        warnings.simplefilter("ignore")
        found = foreseen((mine, spread), model, X, told, seed)
    hits, more = (round(found[form][1] * len(rows)) for form in (mine, spread))
    if more - hits < max(1.0, _LEAST_GAIN * len(rows)):
        return []
    return [
        f"Of {len(rows)} labels, a fifth left out at a time, {type(model).__name__} foresees {hits} and "
        f"FuzzyLabelSpreading {more}: --method FuzzyLabelSpreading would follow the labels more closely."
    ]
