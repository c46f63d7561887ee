"""Squared distances of rows to clusters, and to sets of clusters, as the papers print them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Shape:
    """Where clusters are: centres, and what their geometry has beside them."""

    geometry: str
    V: np.ndarray  # (c, p)
    metrics: np.ndarray | None = None  # (c, p, p) S_k of ellipsoids, det S_k = 1; (1, p, p) one for all
    axes: np.ndarray | None = None  # (c, r, p) orthonormal, along lines and planes
    bounded: np.ndarray | None = None  # (c,) metrics with axes as short or long as they may be

    def distances(self, X: np.ndarray) -> np.ndarray:
        """(n, c): d_ik."""
        gaps = X[:, None, :] - self.V[None]
        if self.geometry == "directions":
            lengths = np.linalg.norm(X, axis=1)[:, None] * np.linalg.norm(self.V, axis=1)
            # A row of zeros has no direction: it is 1 from every centre.
            return 1 - X @ self.V.T / np.where(lengths > 0, lengths, 1.0)
        if self.metrics is not None:
            metrics = np.broadcast_to(self.metrics, (len(self.V), *self.metrics.shape[1:]))
            return np.einsum("ika,kab,ikb->ik", gaps, metrics, gaps)
        if self.axes is not None:
            along = np.einsum("ika,kra->ikr", gaps, self.axes)
            gaps = gaps - np.einsum("ikr,kra->ika", along, self.axes)
        return (gaps**2).sum(axis=2)

    def of_sets(self, X: np.ndarray, sets: np.ndarray) -> np.ndarray:
        """(n, f): d_ij to the mean of the centres of each set, by the mean of their metrics."""
        mean = sets / sets.sum(axis=1, keepdims=True)
        metrics = None if self.metrics is None else np.einsum("jk,kab->jab", mean, self.metrics)
        return replace(self, V=mean @ self.V, metrics=metrics).distances(X)

    def ways(self) -> list[tuple[str, Any]]:
        """(name, shape as a function of a step): every way in which a fit may move this shape.

        They keep the volume of metrics, and axes orthonormal, up to the square of the step: central
        differences do not see that.
        """
        c, p = self.V.shape
        found = [(f"centre {k}, feature {j}", partial(self._moved, k, j)) for k, j in np.ndindex(c, p)]
        for k, a, b in np.ndindex(c, p, p):
            # At its bound a metric is least within the bound, and J has a slope beyond it.
            if self.geometry == "ellipsoids" and (a < b or 0 < a == b) and not self.bounded[k]:
                found.append((f"metric {k}, {a}, {b}", partial(self._stretched, k, a, b)))
            if self.axes is not None and a < b:
                found.append((f"axes {k}, {a}, {b}", partial(self._turned, k, a, b)))
        return found

    def _moved(self, k: int, j: int, t: float) -> Shape:
        V = self.V.copy()
        V[k, j] += t
        return replace(self, V=V)

    def _stretched(self, k: int, a: int, b: int, t: float) -> Shape:
        """S_k = L L' becomes L (1 + t E) L', E symmetric and without a trace."""
        E = np.zeros(self.metrics.shape[1:])
        if a == b:
            E[0, 0], E[a, a] = 1.0, -1.0
        else:
            E[a, b] = E[b, a] = 1.0
        root = np.linalg.cholesky(self.metrics[k])
        metrics = self.metrics.copy()
        metrics[k] += t * root @ E @ root.T
        return replace(self, metrics=metrics)

    def _turned(self, k: int, a: int, b: int, t: float) -> Shape:
        axes = self.axes.copy()
        axes[k, :, a] -= t * self.axes[k, :, b]
        axes[k, :, b] += t * self.axes[k, :, a]
        return replace(self, axes=axes)


def shape_of(model: Any, geometry: str, covariance: np.ndarray) -> Shape:
    """The shape of a fitted model, from its public attributes; `covariance` is that of the rows."""
    V = np.asarray(model.cluster_centers_, float)
    if geometry == "ellipsoids":
        found = [_metric(sigma, np.diag(covariance)) for sigma in np.asarray(model.covariances_, float)]
        metrics, bounded = zip(*found, strict=True)
        return Shape(geometry, V, metrics=np.array(metrics), bounded=np.array(bounded))
    if geometry == "mahalanobis":
        return Shape(geometry, V, metrics=np.linalg.inv(covariance)[None])
    if geometry in ("lines", "planes"):
        return Shape(geometry, V, axes=np.asarray(model.directions_, float).reshape(len(V), -1, V.shape[1]))
    return Shape(geometry, V)


def _metric(sigma: np.ndarray, variances: np.ndarray) -> tuple[np.ndarray, bool]:
    """The S with the least tr(S sigma) over det S = 1, and whether it is at its bound.

    In features divided by their deviations the axes of S are from 1e-3 to 1e3.  Within that
    S = det(sigma)^(1/p) sigma^-1; beyond, axes are s_q = mu/l_q, cut, with the mu that makes det S = 1.
    """
    logs = 0.5 * np.log(np.maximum(variances, 1e-9 * max(variances.mean(), 1e-280)))
    size = np.exp(logs - logs.mean())
    values, vectors = np.linalg.eigh(sigma / np.outer(size, size))
    logs, most = -np.log(np.maximum(values, 1e-18 * values[-1])), np.log(1e3)
    low, high = -most - logs.max(), most - logs.min()
    for _ in range(200):
        middle = (low + high) / 2
        above = np.clip(logs + middle, -most, most).sum() > 0
        low, high = (low, middle) if above else (middle, high)
    cut = np.clip(logs + middle, -most, most)
    at_bound = bool(np.abs(cut).max() > most - 1e-6)
    return (vectors * np.exp(cut)) @ vectors.T / np.outer(size, size), at_bound
