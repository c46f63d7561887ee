"""The public estimators: each one a sentence of the grammar with defaults that work."""

from softclust._lazy import loaded_when_asked

_HOMES = {
    "EvidentialCMeans": "evidential",
    "FuzzyCMeans": "fuzzy",
    "GaussianMixture": "mixture",
    "HardCMeans": "hard",
    "ImprovedPossibilisticCMeans": "mixed",
    "KMedoids": "medoids",
    "PossibilisticCMeans": "possibilistic",
    "PossibilisticFuzzyCMeans": "mixed",
}

__all__ = [*_HOMES]
__getattr__, __dir__ = loaded_when_asked(__name__, _HOMES)
