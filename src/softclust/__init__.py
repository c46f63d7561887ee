"""Soft clustering for data whose classes overlap: fuzzy, possibilistic and more, in one grammar.

Importing this package is light: scikit-learn is loaded with the first estimator, Numba with the
first fit.
"""

from importlib import import_module

from softclust.loading import collector_paused

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
    "Repulsion": "separation",
    "CentralDistance": "separation",
    "Pairs": "supervision",
    "sample_supervision": "supervision",
    "make": "acronyms",
    "catalogue": "acronyms",
    "select": "selection",
    "save": "persistence",
    "load": "persistence",
    "CheckpointError": "errors",
    "ConstraintConflictError": "errors",
    "DataLostError": "errors",
    "DegenerateClusterWarning": "errors",
    "ModelFileError": "errors",
}

__all__ = [*_HOMES]


def __getattr__(name):
    if name not in _HOMES:
        raise AttributeError(f"module 'softclust' has no attribute {name!r}")
    with collector_paused():
        module = import_module(f"softclust.{_HOMES[name]}")
    globals().update({n: getattr(module, n) for n, home in _HOMES.items() if home == _HOMES[name]})
    return globals()[name]


def __dir__():
    return sorted([*globals(), *_HOMES])
