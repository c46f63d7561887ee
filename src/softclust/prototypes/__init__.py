"""Prototypes: how far is a row from a cluster?

A part has `distances(points, theta, frame)` -> (n, K) squared distances, `moments(points, W, theta,
frame)` -> additive arrays, `solve(stats, theta, frame, separation)` -> new theta, and `passes`: the
module with its compiled sweep and assign, or None.
"""

from softclust.prototypes.points import Points

__all__ = ["Points"]
