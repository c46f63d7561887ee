"""What links say of classes, for models that take labels but no pairs."""

from __future__ import annotations

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components


def labels_by_links(y: np.ndarray, must_link: np.ndarray, cannot_link: np.ndarray) -> np.ndarray:
    """Return the degrees (n, c) with those that follow from links to labelled rows.

    Rows that belong together share one label: the mean of those that were told.  A row apart from rows of
    some classes gets "one of the others".  Links between rows without any label say nothing yet.
    """
    n, y = len(y), y.copy()
    named = np.flatnonzero((np.nan_to_num(y) > 0).any(axis=0))
    links = np.concatenate([must_link, cannot_link])
    if not len(links) or not len(named):
        return y
    ones = np.ones(len(must_link))
    _, group = connected_components(coo_array((ones, must_link.T), shape=(n, n)), directed=False)
    told = np.flatnonzero(np.nan_to_num(y).max(axis=1) > 0)
    labels = {k: y[told[group[told] == k]].mean(axis=0) for k in np.unique(group[links])
              if (group[told] == k).any()}  # fmt: skip
    silent = np.isnan(y).all(axis=1)
    for row in np.intersect1d(np.flatnonzero(silent), links):
        if group[row] in labels:
            y[row] = labels[group[row]]
    for k in np.setdiff1d(group[cannot_link], list(labels)):
        first, second = group[cannot_link].T
        others = np.concatenate([second[first == k], first[second == k]])
        excluded = {int(labels[other].argmax()) for other in others if other in labels}
        left = [column for column in named if column not in excluded]
        if excluded and left:
            rows = np.intersect1d(np.flatnonzero((group == k) & silent), links)
            y[rows] = 0.0
            y[np.ix_(rows, left)] = 1.0
    return y
