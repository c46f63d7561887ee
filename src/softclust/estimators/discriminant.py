"""Directions that separate classes, from the probabilities of all rows: a linear discriminant by sums."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from softclust.sources.rows import Rows

if TYPE_CHECKING:
    from softclust.estimators.anchor_graph import FittedSpreading

_SHRINKAGE = 0.1  # share of the rows' mean variance in the covariance within classes
_EMPHASIS = 0.5  # variance along the directions beside that of all features


@dataclass(frozen=True)
class ClassMoments:
    """Sums over rows: weight (c,) and first moments (c, p) of each class, second moments (p, p) of all."""

    weight: np.ndarray
    first: np.ndarray
    second: np.ndarray

    def __add__(self, other: ClassMoments) -> ClassMoments:
        return ClassMoments(
            self.weight + other.weight, self.first + other.first, self.second + other.second
        )


def class_moments(rows: Rows, fitted: FittedSpreading) -> ClassMoments:
    """Return the moments of a block; a row counts in each class by its probability."""
    points = rows.points.astype(np.float64)
    P = fitted.probabilities(rows.points) * rows.weights[:, None]
    return ClassMoments(P.sum(axis=0), P.T @ points, (P.sum(axis=1)[:, None] * points).T @ points)


def discriminant_axes(moments: ClassMoments) -> np.ndarray | None:
    """(p, r) axes G along which classes differ most beside their spread; None if they do not differ.

    With B the covariance of the class means and S the shrunken covariance within classes, the axes solve
    B g = lambda S g.  The variance along each is in proportion to lambda, and all together it is half of
    that of the features, so that distances |x - v|^2 + |G'(x - v)|^2 listen to both.
    """
    total = moments.weight.sum()
    mean = moments.first.sum(axis=0) / total
    covariance = moments.second / total - np.outer(mean, mean)
    variance = float(np.trace(covariance))
    if not (np.isfinite(variance) and variance > 0):
        return None
    own = moments.first / np.maximum(moments.weight, 1e-300)[:, None]
    gaps = np.sqrt(moments.weight / total)[:, None] * (own - mean)  # B = gaps' gaps
    p = len(mean)
    within = (1 - _SHRINKAGE) * (covariance - gaps.T @ gaps) + _SHRINKAGE * variance / p * np.eye(p)
    solved = np.linalg.solve(within, gaps.T)
    ratio, turn = np.linalg.eigh(gaps @ solved)
    kept = ratio > 1e-9 * max(ratio[-1], 1e-12)
    if not kept.any():
        return None
    G = solved @ turn[:, kept]
    spread = np.einsum("pr,pq,qr->r", G, covariance, G)
    G *= np.sqrt(ratio[kept] / np.maximum(spread, 1e-300))
    G *= np.sqrt(_EMPHASIS * variance / ratio[kept].sum())
    return G if np.isfinite(G).all() else None
