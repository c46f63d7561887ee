"""Metrics of clusters: which of them are flat."""

import numpy as np

from softclust.grammar.prototypes.ellipsoids import FreeVolume


def test_flat_clusters_are_those_thin_in_one_direction_or_in_all():
    metrics = [(1.0, 1.0, 1.0), (1e-7, 1.0, 1.0), (1e-7, 1e-7, 1.0), (1e13, 1e13, 1e13), (1e-5, 1.0, 1.0)]
    metrics += [(1e11, 1e11, 2e12), (1e-5, 1e-5, 100.0)]
    theta = np.zeros((7, 3)), np.array([np.diag(values) for values in metrics])
    assert FreeVolume(0.0, np.ones(3)).flat(theta).tolist() == [1, 2, 3, 5, 6]
