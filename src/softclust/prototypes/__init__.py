"""Prototypes: how far is a row from a cluster?

A part has `begin(V)` -> theta at the start, and `start(theta)` -> what to begin with there;
`distances(points, theta, frame)` -> (n, K) squared distances; `moments(points, W, theta, frame)` -> sums;
`solve(stats, theta, frame, separation)` -> new theta; `penalty(theta)`, its own term of J;
`shift(theta, other)`, how far it moved; `packed` and `unpacked`, for extrapolation; and `passes`: the
module with its compiled sweep and assign, or None.
"""

from softclust.prototypes.ellipsoids import Ellipsoids, check_covariances
from softclust.prototypes.points import Points

__all__ = ["Ellipsoids", "Points", "check_covariances"]
