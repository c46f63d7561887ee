"""The public estimators: each one a sentence of the grammar with defaults that work."""

from softclust.estimators.evidential import EvidentialCMeans
from softclust.estimators.fuzzy import FuzzyCMeans
from softclust.estimators.hard import HardCMeans
from softclust.estimators.medoids import KMedoids
from softclust.estimators.mixed import ImprovedPossibilisticCMeans, PossibilisticFuzzyCMeans
from softclust.estimators.mixture import GaussianMixture
from softclust.estimators.possibilistic import PossibilisticCMeans

__all__ = [
    "EvidentialCMeans",
    "FuzzyCMeans",
    "GaussianMixture",
    "HardCMeans",
    "ImprovedPossibilisticCMeans",
    "KMedoids",
    "PossibilisticCMeans",
    "PossibilisticFuzzyCMeans",
]
