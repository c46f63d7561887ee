"""Prototypes: how far is a row from a cluster?  `base.py` is the contract of a geometry."""

from softclust.grammar.prototypes.base import GEOMETRIES, Prototypes, Request
from softclust.grammar.prototypes.custom import Cosines, Custom, Directions, geometry_of
from softclust.grammar.prototypes.ellipsoids import Ellipsoids, FreeVolume, check_covariances
from softclust.grammar.prototypes.gaussians import Gaussians
from softclust.grammar.prototypes.points import Points
from softclust.grammar.prototypes.shared_metric import SharedMetric
from softclust.grammar.prototypes.shells import RadialShells, Shells
from softclust.grammar.prototypes.varieties import Lines, Planes

__all__ = [
    "GEOMETRIES",
    "Cosines",
    "Custom",
    "Directions",
    "Ellipsoids",
    "FreeVolume",
    "Gaussians",
    "Lines",
    "Planes",
    "Points",
    "Prototypes",
    "RadialShells",
    "Request",
    "SharedMetric",
    "Shells",
    "check_covariances",
    "geometry_of",
]
