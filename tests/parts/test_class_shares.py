"""Shares of classes that labels fix."""

import numpy as np

from softclust.knowledge.class_shares import class_shares
from softclust.knowledge.labels import Labels


def test_only_degrees_above_one_or_without_an_open_class_are_divided():
    degrees = np.array([[0.25, np.nan, np.nan], [0.8, 0.8, np.nan], [0.2, 0.2, 0.0]])
    _, shares = class_shares(Labels(np.arange(3), degrees, np.arange(3)))
    assert np.allclose(shares.fixed, [[0.25, 0.0, 0.0], [0.5, 0.5, 0.0], [0.5, 0.5, 0.0]], rtol=1e-15)
    assert shares.rest.tolist() == [0.75, 0.0, 0.0]
