"""Families of sets of clusters: how many fit."""

import numpy as np
import pytest

from softclust.grammar.frame import MOST_SETS, focal_sets


def test_all_sets_of_twelve_clusters_fit_and_of_thirteen_do_not():
    sets = focal_sets("full", 12)
    assert len(np.unique(sets, axis=0)) == len(sets) == MOST_SETS - 1  # the empty set is noise
    with pytest.raises(ValueError, match=r"^focal_sets='full' has 2\^13 sets"):
        focal_sets("full", 13)
