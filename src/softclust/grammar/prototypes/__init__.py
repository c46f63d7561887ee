"""Prototypes: how far is a row from a cluster?

A part has `begin(V)` -> theta at the start, and `start(theta)` -> what to begin with there;
`distances(points, theta, frame)` -> (n, K) squared distances; `moments(points, W, theta, frame)` -> sums;
`solve(stats, theta, frame, separation)` -> new theta; `penalty(theta)`, its own term of J;
`shift(theta, other)`, how far it moved; `packed` and `unpacked`, for extrapolation; and `passes`: the
module with its compiled sweep and assign, or None, with `columns(theta, frame)`, what those see of theta.
Of some it is said that they are `is_unitless`: their distances have no unit; `may_ascend`: their solve may
raise J; `may_coincide`: different clusters may have one centre; `in_data_units`: they see rows as they are.
"""

from softclust.grammar.prototypes.custom import Custom, Directions
from softclust.grammar.prototypes.ellipsoids import Ellipsoids, FreeVolume, check_covariances
from softclust.grammar.prototypes.gaussians import Gaussians
from softclust.grammar.prototypes.points import Points
from softclust.grammar.prototypes.shared_metric import SharedMetric
from softclust.grammar.prototypes.shells import RadialShells, Shells

__all__ = [
    "Directions",
    "Ellipsoids",
    "Gaussians",
    "Custom",
    "Points",
    "RadialShells",
    "FreeVolume",
    "Shells",
    "SharedMetric",
    "check_covariances",
]
