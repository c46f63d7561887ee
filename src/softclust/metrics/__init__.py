"""Measures of soft partitions: validity indices of one partition, and agreement between two.

Validity indices use memberships, rows and centres to compare numbers of clusters and parameters, without
any classes.  `INDICES` lists the validity indices, and `validity` computes all that apply to a fitted
estimator.  The other functions compare two partitions of the same rows; of these, the Brier score and the
calibration table compare memberships with known classes.  All functions take arrays and keep memory linear
in the number of rows.  `label_score` is a scorer for scikit-learn's `GridSearchCV`: it takes an estimator,
and compares its predictions with labels that were held out.
"""

from __future__ import annotations

from typing import Any

from softclust.credal import credal_rand_index
from softclust.metrics.agreement import (
    fuzzy_adjusted_rand_index,
    fuzzy_jaccard_index,
    fuzzy_rand_index,
    matched_accuracy,
    matched_errors,
    rand_index,
)
from softclust.metrics.calibration import (
    CalibrationTable,
    brier_score,
    brier_skill,
    calibration_table,
    expected_calibration_error,
)
from softclust.metrics.compactness import fukuyama_sugeno, kwon, tang, xie_beni
from softclust.metrics.label_scores import label_score
from softclust.metrics.memberships import (
    modified_partition_coefficient,
    nonspecificity,
    partition_coefficient,
    partition_entropy,
)
from softclust.metrics.silhouettes import (
    fuzzy_silhouette,
    fuzzy_silhouette_samples,
    simplified_fuzzy_silhouette,
)
from softclust.metrics.table import INDICES, Index, validity
from softclust.metrics.volumes import fuzzy_hypervolume, partition_density

_OF_SCIKIT_LEARN = ("adjusted_rand_score", "normalized_mutual_info_score")

__all__ = [
    "INDICES",
    "CalibrationTable",
    "Index",
    "adjusted_rand_score",
    "brier_score",
    "brier_skill",
    "calibration_table",
    "credal_rand_index",
    "expected_calibration_error",
    "fukuyama_sugeno",
    "fuzzy_adjusted_rand_index",
    "fuzzy_hypervolume",
    "fuzzy_jaccard_index",
    "fuzzy_rand_index",
    "fuzzy_silhouette",
    "fuzzy_silhouette_samples",
    "kwon",
    "label_score",
    "matched_accuracy",
    "matched_errors",
    "modified_partition_coefficient",
    "nonspecificity",
    "normalized_mutual_info_score",
    "partition_coefficient",
    "partition_density",
    "partition_entropy",
    "rand_index",
    "simplified_fuzzy_silhouette",
    "tang",
    "validity",
    "xie_beni",
]


def __getattr__(name: str) -> Any:
    """Load the scores of scikit-learn at first use; importing scikit-learn takes half a second."""
    if name not in _OF_SCIKIT_LEARN:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from sklearn import metrics

    globals().update({score: getattr(metrics, score) for score in _OF_SCIKIT_LEARN})
    return globals()[name]
