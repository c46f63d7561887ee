"""Prototypes: how far is a row from a cluster?

A part has `begin(V)` -> theta at the start, and `start(theta)` -> what to begin with there;
`distances(points, theta, frame)` -> (n, K) squared distances; `moments(points, W, theta, frame)` -> sums;
`solve(stats, theta, frame, separation)` -> new theta; `penalty(theta)`, its own term of J;
`shift(theta, other)`, how far it moved; `packed` and `unpacked`, for extrapolation; and `passes`: the
module with its compiled sweep and assign, or None, with `columns(theta, frame)`, what those see of theta.
Of some it is said that they are `is_unitless`: their distances have no unit; `is_rough`: their solve may
raise J; `may_coincide`: different clusters may have one centre; `in_data_units`: they see rows as they are.
"""

from softclust.grammar.prototypes.ellipsoids import Ellipsoids, Refitted, check_covariances
from softclust.grammar.prototypes.gaussians import Gaussians
from softclust.grammar.prototypes.own import Directions, Own
from softclust.grammar.prototypes.points import Points
from softclust.grammar.prototypes.shells import RadialShells, Shells
from softclust.grammar.prototypes.whitened import Whitened

__all__ = [
    "Directions",
    "Ellipsoids",
    "Gaussians",
    "Own",
    "Points",
    "RadialShells",
    "Refitted",
    "Shells",
    "Whitened",
    "check_covariances",
]
