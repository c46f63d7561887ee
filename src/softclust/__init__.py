"""Soft clustering for data whose classes overlap: fuzzy, possibilistic and more, in one grammar.

Importing this package is light: scikit-learn is loaded with the first estimator, compiled
code with the first fit.
"""

from typing import TYPE_CHECKING

from softclust._lazy import loaded_when_asked

__version__ = "0.1.0"

if TYPE_CHECKING:  # for editors and type checkers; at run time names are loaded when they are asked for
    from softclust.acronyms import catalogue as catalogue
    from softclust.acronyms import make as make
    from softclust.errors import CheckpointError as CheckpointError
    from softclust.errors import ConstraintConflictError as ConstraintConflictError
    from softclust.errors import DataLostError as DataLostError
    from softclust.errors import DegenerateClusterWarning as DegenerateClusterWarning
    from softclust.errors import FeatureScaleWarning as FeatureScaleWarning
    from softclust.errors import ModelFileError as ModelFileError
    from softclust.errors import SessionFileError as SessionFileError
    from softclust.estimators.evidential import EvidentialCMeans as EvidentialCMeans
    from softclust.estimators.fuzzy import FuzzyCMeans as FuzzyCMeans
    from softclust.estimators.hard import HardCMeans as HardCMeans
    from softclust.estimators.medoids import KMedoids as KMedoids
    from softclust.estimators.mixed import ImprovedPossibilisticCMeans as ImprovedPossibilisticCMeans
    from softclust.estimators.mixed import PossibilisticFuzzyCMeans as PossibilisticFuzzyCMeans
    from softclust.estimators.mixture import GaussianMixture as GaussianMixture
    from softclust.estimators.possibilistic import PossibilisticCMeans as PossibilisticCMeans
    from softclust.estimators.spreading import FuzzyLabelSpreading as FuzzyLabelSpreading
    from softclust.explanation.explaining import explain as explain
    from softclust.grammar.separation import CentralDistance as CentralDistance
    from softclust.grammar.separation import Repulsion as Repulsion
    from softclust.knowledge.doubts import doubted_labels as doubted_labels
    from softclust.knowledge.supervision import Pairs as Pairs
    from softclust.knowledge.supervision import sample_supervision as sample_supervision
    from softclust.selection import select as select
    from softclust.storage.models import load as load
    from softclust.storage.models import save as save
    from softclust.versions import show_versions as show_versions

_HOMES = {
    "HardCMeans": "estimators.hard",
    "FuzzyCMeans": "estimators.fuzzy",
    "PossibilisticCMeans": "estimators.possibilistic",
    "PossibilisticFuzzyCMeans": "estimators.mixed",
    "ImprovedPossibilisticCMeans": "estimators.mixed",
    "EvidentialCMeans": "estimators.evidential",
    "GaussianMixture": "estimators.mixture",
    "KMedoids": "estimators.medoids",
    "FuzzyLabelSpreading": "estimators.spreading",
    "Repulsion": "grammar.separation",
    "CentralDistance": "grammar.separation",
    "Pairs": "knowledge.supervision",
    "sample_supervision": "knowledge.supervision",
    "doubted_labels": "knowledge.doubts",
    "explain": "explanation.explaining",
    "make": "acronyms",
    "catalogue": "acronyms",
    "select": "selection",
    "save": "storage.models",
    "load": "storage.models",
    "show_versions": "versions",
    "CheckpointError": "errors",
    "ConstraintConflictError": "errors",
    "DataLostError": "errors",
    "DegenerateClusterWarning": "errors",
    "FeatureScaleWarning": "errors",
    "ModelFileError": "errors",
    "SessionFileError": "errors",
}

__all__ = [*_HOMES]
__getattr__, __dir__ = loaded_when_asked(__name__, _HOMES)
