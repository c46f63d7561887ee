"""What links say of classes, for models that take labels but no pairs."""

from __future__ import annotations

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components


def labels_by_links(y: np.ndarray, must_link: np.ndarray, cannot_link: np.ndarray) -> np.ndarray:
    """Add the labels that follow from links with labelled rows to the degrees (n, c).

    Rows that belong together share one label: the mean of those that were told.  A row apart from rows of
    some classes gets "one of the others".  Links between rows without any label say nothing yet.
    """
    y, n = y.copy(), len(y)
    named = np.flatnonzero((np.nan_to_num(y) > 0).any(axis=0))
    links = np.concatenate([must_link, cannot_link])
    if not len(links) or not len(named):
        return y
    together = coo_array((np.ones(len(must_link)), must_link.T), shape=(n, n))
    group = connected_components(together, directed=False)[1]
    silent, linked = np.isnan(y).all(axis=1), np.unique(links)
    told = np.flatnonzero(np.nan_to_num(y).max(axis=1) > 0)
    told = told[np.isin(group[told], group[linked])]
    labels = {k: y[told[group[told] == k]].mean(axis=0) for k in np.unique(group[told])}
    for row in linked[silent[linked]]:
        mine = group[row]
        if mine in labels:
            y[row] = labels[mine]
        else:
            y[row] = _one_of_the_others(mine, group[cannot_link], labels, named, y[row])
    return y


def _one_of_the_others(
    mine: int, apart: np.ndarray, labels: dict[int, np.ndarray], named: np.ndarray, unsaid: np.ndarray
) -> np.ndarray:
    """Return the degrees of a group that is apart from labelled groups: 1 for each class that is left."""
    others = np.concatenate([apart[apart[:, 0] == mine, 1], apart[apart[:, 1] == mine, 0]])
    excluded = [labels[other].argmax() for other in others if other in labels]
    left = np.setdiff1d(named, excluded)
    if not excluded or not len(left):
        return unsaid
    degrees = np.zeros(len(unsaid))
    degrees[left] = 1.0
    return degrees
