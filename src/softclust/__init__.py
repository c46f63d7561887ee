"""Soft clustering for data whose classes overlap: fuzzy, possibilistic and more, in one grammar.

Importing this package is light: scikit-learn is loaded with the first estimator, Numba with the
first fit.
"""

from softclust._lazy import loaded_when_asked

__version__ = "0.1.0"

_HOMES = {
    "HardCMeans": "estimators.hard",
    "FuzzyCMeans": "estimators.fuzzy",
    "PossibilisticCMeans": "estimators.possibilistic",
    "PossibilisticFuzzyCMeans": "estimators.mixed",
    "ImprovedPossibilisticCMeans": "estimators.mixed",
    "EvidentialCMeans": "estimators.evidential",
    "GaussianMixture": "estimators.mixture",
    "KMedoids": "estimators.medoids",
    "Repulsion": "grammar.separation",
    "CentralDistance": "grammar.separation",
    "Pairs": "knowledge.supervision",
    "sample_supervision": "knowledge.supervision",
    "make": "acronyms",
    "catalogue": "acronyms",
    "select": "selection",
    "save": "storage.models",
    "load": "storage.models",
    "CheckpointError": "errors",
    "ConstraintConflictError": "errors",
    "DataLostError": "errors",
    "DegenerateClusterWarning": "errors",
    "ModelFileError": "errors",
}

__all__ = [*_HOMES]
__getattr__, __dir__ = loaded_when_asked(__name__, _HOMES)
