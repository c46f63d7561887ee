"""What a sentence says of its rows, as numbers of J: weights, targets, strengths of labels and pairs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from sentences.drawing import Sentence


@dataclass(frozen=True)
class Known:
    """Numbers of J that the rows and the model's parameters fix, not the fit."""

    weight: np.ndarray  # (n,) w_i, with the density of rows where that is asked for
    target: np.ndarray  # (n, c) f_ik, NaN where nothing is said (b_ik = 0)
    allowed: np.ndarray  # (n, c) the set of classes that a row may have, as degrees; NaN without a label
    alpha: np.ndarray  # (n,) strength of the labels
    must: list[tuple[int, int, float]]  # (i, j, s_ij)
    cannot: list[tuple[int, int, float]]


def known_of(s: Sentence, model: Any) -> Known:
    """The numbers of a sentence; an automatic label strength is the one that the model published."""
    n, c = len(s.X), model.n_clusters_
    weight = s.weights * _density(s)
    degrees = _degrees(s, n, c)
    weight[~np.isnan(degrees).all(axis=1)] *= s.parameters.get("label_weight", 1.0)
    strength = s.parameters.get("label_strength", "auto")
    if isinstance(strength, str):
        strength = 1.0 if np.isnan(degrees).all() else model.label_strength_
    target = _target(degrees)
    if s.parameters.get("unlabelled") == "zero" and not np.isnan(degrees).all():
        target[np.isnan(degrees).all(axis=1)] = 0.0
    unit = _pair_unit(s, weight)
    pairs = [
        [(int(i), int(j), unit * q * np.sqrt(weight[int(i)] * weight[int(j)])) for i, j, q in each]
        for each in (s.must, s.cannot)
    ]
    return Known(weight, target, _allowed(degrees), np.broadcast_to(strength, (n,)), *pairs)


def _density(s: Sentence) -> np.ndarray:
    """phi_j = sum_k w_k exp(-alpha |x_j - x_k|^2) of Xia 2011, the row itself included."""
    rate = s.parameters.get("density_rate")
    if rate is None:
        return np.ones(len(s.X))
    squares = ((s.X[:, None] - s.X) ** 2).sum(axis=2)
    return np.exp(-rate * squares) @ s.weights


def _degrees(s: Sentence, n: int, c: int) -> np.ndarray:
    """(n, c) what is said of each row and cluster, NaN where nothing is."""
    if s.y is None:
        return np.full((n, c), np.nan)
    if s.y.ndim == 2:  # a row of ones names all classes, and so says nothing
        says_all = (s.y == 1).all(axis=1) & (c > 1)
        return np.where(says_all[:, None], np.nan, s.y)
    return np.where((s.y >= 0)[:, None], np.eye(c)[np.maximum(s.y, 0)], np.nan)


def _target(degrees: np.ndarray) -> np.ndarray:
    """The degrees that are wanted: zeros and several ones are a set, which says nothing within."""
    target = degrees.copy()
    ones = degrees == 1
    is_set = (ones.sum(axis=1) > 1) & (ones | (degrees == 0)).all(axis=1)
    target[is_set[:, None] & ones] = np.nan
    return target


def _allowed(degrees: np.ndarray) -> np.ndarray:
    """The classes of a label as degrees; one that only excludes classes allows all others."""
    said = ~np.isnan(degrees).all(axis=1)
    named = np.nan_to_num(degrees)
    others = np.isnan(degrees).astype(float)
    return np.where(said[:, None], np.where(named.any(axis=1)[:, None], named, others), np.nan)


def _pair_unit(s: Sentence, weight: np.ndarray) -> float:
    """What a pair of strength 1 costs beside the data."""
    if s.estimator == "GaussianMixture":
        return s.parameters.get("link_strength", 10.0)
    if s.estimator == "EvidentialCMeans":
        return 1.0  # shares of all pairs: see `objective`
    area = 1.0 if s.geometry in ("mahalanobis", "directions") else mean_square(s.X, weight)
    return s.parameters.get("link_strength", 1.0) * area


def mean_square(X: np.ndarray, weight: np.ndarray) -> float:
    """The mean squared deviation of the rows from their mean."""
    mean = weight @ X / weight.sum()
    return float(weight @ ((X - mean) ** 2).sum(axis=1) / weight.sum())
