"""Soft clustering for data whose classes overlap: fuzzy, possibilistic and more, in one grammar.

Importing this package is light: scikit-learn is loaded with the first estimator, Numba with the
first fit.
"""

from importlib import import_module

__version__ = "0.1.0"

_HOMES = {
    "HardCMeans": "estimators.hard",
    "FuzzyCMeans": "estimators.fuzzy",
    "PossibilisticCMeans": "estimators.possibilistic",
    "PossibilisticFuzzyCMeans": "estimators.mixed",
    "ImprovedPossibilisticCMeans": "estimators.mixed",
    "Repulsion": "separation",
    "CentralDistance": "separation",
    "make": "catalogue",
    "catalogue": "catalogue",
    "save": "persistence",
    "load": "persistence",
    "DegenerateClusterWarning": "errors",
    "ModelFileError": "errors",
}

__all__ = [*_HOMES]


def __getattr__(name):
    if name not in _HOMES:
        raise AttributeError(f"module 'softclust' has no attribute {name!r}")
    value = getattr(import_module(f"softclust.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__():
    return sorted([*globals(), *_HOMES])
