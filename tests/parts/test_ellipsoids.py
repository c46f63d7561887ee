"""Metrics of clusters: their bounds, and which of them are flat."""

import numpy as np
import pytest

from softclust.grammar.prototypes.ellipsoids import Ellipsoids, FreeVolume


def test_flat_clusters_are_those_thin_in_one_direction_or_in_all():
    metrics = [(1.0, 1.0, 1.0), (1e-7, 1.0, 1.0), (1e-7, 1e-7, 1.0), (1e13, 1e13, 1e13), (1e-5, 1.0, 1.0)]
    metrics += [(1e11, 1e11, 2e12), (1e-5, 1e-5, 100.0)]
    theta = np.zeros((7, 3)), np.array([np.diag(values) for values in metrics])
    assert FreeVolume(0.0, np.ones(3)).flat(theta).tolist() == [1, 2, 3, 5, 6]


@pytest.mark.parametrize("p", [1, 2, 9, 64])
def test_metrics_beyond_the_bound_are_minimisers_within_it(p):
    """Axes at the bound are 1e-3 and 1e3; the others keep their ratios; the volume is 1."""
    rng = np.random.default_rng(p)
    part, most = Ellipsoids(0.0, np.ones(p)), np.log(1e3)
    for size in (0.5, 5.0, 50.0):
        asked = size * rng.normal(size=(4, p))
        asked[1, : p // 2] = -3 * size  # ties
        asked[2, : p // 2], asked[2, p // 2 :] = -9 * size, 9 * size
        sigma = np.exp(-asked)[:, :, None] * np.eye(p)
        S, logs = part.metrics(sigma)
        found = np.sort(logs.diagonal(axis1=1, axis2=2))
        np.testing.assert_allclose(found.sum(axis=1), 0.0, atol=1e-11 * p)
        assert np.abs(found).max() <= most * (1 + 1e-12)
        np.testing.assert_allclose(np.sort(S.diagonal(axis1=1, axis2=2)), np.exp(found), rtol=1e-9)
        wanted = np.sort(-np.log(part._floored(np.sort(np.exp(-asked)))))
        for one, other in zip(found, wanted, strict=True):
            free = np.abs(one) < most - 1e-9
            np.testing.assert_allclose(np.diff(one[free]), np.diff(other[free]), atol=1e-9 * max(1.0, size))
            if free.any():  # what is cut would lie beyond the bound by the same shift
                shift = (one - other)[free][0]
                np.testing.assert_allclose(np.clip(other + shift, -most, most), one, atol=1e-8)
