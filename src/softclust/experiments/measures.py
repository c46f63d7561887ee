"""Measures of the experiments (errors, deviations of centres, scores), and the papers' starts and stops."""

from __future__ import annotations

import warnings
from contextlib import contextmanager

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from softclust.errors import DegenerateClusterWarning, FeatureScaleWarning
from softclust.estimators import ImprovedPossibilisticCMeans
from softclust.metrics import rand_index
from softclust.sources.rows import rows_in_units


def majority_errors(classes, clusters):
    """Count the rows of known class (not -1) whose class is not the most frequent one of their cluster.

    Unlike in a one-to-one matching, two clusters may stand for the same class.  If all clusters of PCM
    coincide, the errors are the rows outside the largest class, as the papers count them.
    """
    classes, clusters = np.asarray(classes), np.asarray(clusters)
    is_known = classes != -1
    classes, clusters = classes[is_known], clusters[is_known]
    right = sum(np.bincount(classes[clusters == k]).max() for k in np.unique(clusters))
    return int(len(classes) - right)


def hardened(model):
    """Return the most typical cluster of each row, as the papers do; without typicalities the likeliest."""
    return model.typicalities_.argmax(axis=1) if hasattr(model, "typicalities_") else model.labels_


def fuzzy_memberships(model):
    """Return the memberships u of a model; those of IPCM are published as u t, divided by their row sum."""
    if not isinstance(model, ImprovedPossibilisticCMeans):
        return model.memberships_
    U = model.memberships_ / np.maximum(model.typicalities_, 1e-300)
    return U / U.sum(axis=1, keepdims=True)


def centre_deviation(true_centres, centres):
    """Return the sum over the true centres of the squared distance to the nearest centre found."""
    gaps = np.asarray(true_centres)[:, None] - np.asarray(centres)[None]
    return float((gaps**2).sum(axis=2).min(axis=1).sum())


def least_gap(centres):
    """Return the distance between the two nearest centres."""
    first, second = np.triu_indices(len(centres), 1)
    return float(np.linalg.norm(centres[first] - centres[second], axis=1).min())


def agreement(classes, clusters):
    """Return the normalised mutual information I / sqrt(H H') and the Rand index.

    The square root, not the arithmetic mean of the entropies, gives the published numbers of the papers
    with labels.
    """
    from sklearn.metrics import normalized_mutual_info_score

    mutual = normalized_mutual_info_score(classes, clusters, average_method="geometric")
    return float(mutual), float(rand_index(classes, clusters))


def tolerance(X, epsilon):
    """Return the `tol` that ends a fit when no centre moves by more than epsilon in the units of X."""
    units = rows_in_units(np.ascontiguousarray(X, dtype=np.float64)).units
    return epsilon * units.factor / units.spread


def random_rows(X, count, seed):
    """Return `count` distinct random rows of X, as a start."""
    distinct = np.unique(X, axis=0)
    return distinct[np.random.default_rng(seed).choice(len(distinct), count, replace=False)]


@contextmanager
def coincidence_expected():
    """Silence the warning that centres coincide: PCM with the papers' settings is known for it."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "The centres of clusters .* coincide", DegenerateClusterWarning)
        warnings.simplefilter("ignore", FeatureScaleWarning)  # Glass, as the paper has it
        yield


@contextmanager
def limit_expected():
    """Silence the warning that iterations ran out, for papers that limit the iterations."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "The last of max_iter=", ConvergenceWarning)
        yield
