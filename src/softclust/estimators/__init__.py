"""The public estimators: each one a sentence of the grammar with defaults that work."""

from softclust.estimators.fuzzy import FuzzyCMeans
from softclust.estimators.hard import HardCMeans
from softclust.estimators.possibilistic import (
    ImprovedPossibilisticCMeans,
    PossibilisticCMeans,
    PossibilisticFuzzyCMeans,
)

__all__ = [
    "FuzzyCMeans",
    "HardCMeans",
    "ImprovedPossibilisticCMeans",
    "PossibilisticCMeans",
    "PossibilisticFuzzyCMeans",
]
