"""Clusters that are Gaussian components of a mixture."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from softclust._lazy import kernels
from softclust.grammar.prototypes.axes import axes
from softclust.grammar.prototypes.base import AT_HARD_CLUSTERS, LOG_DENSITIES, Prototypes, Request, Theta
from softclust.grammar.prototypes.ellipsoids import about, check_covariances, safe_variances
from softclust.sources.spread import deviations
from softclust.values import cache_last

if TYPE_CHECKING:
    from softclust.grammar.frame import Frame
    from softclust.grammar.separation import CentralDistance, Repulsion
    from softclust.grammar.state import Stats
    from softclust.sources.units import Units

_LOG_2PI = float(np.log(2 * np.pi))
_LEAST = 1e-8  # least variance of a component, of that of all rows: below, sums of squares are rounding
_LEAST_WEIGHT = 1e-300  # of a component


@dataclass(frozen=True)
class Gaussians(Prototypes):
    """Clusters are Gaussian components: d_ik = -ln pi_k N(x_i; mu_k, Sigma_k); theta = (mu, Sigma, pi).

    `kind` is "full", "tied", "diag" or "spherical"; `reg` is added to every variance.  With noise, the
    weight of noise is what the pi leave of 1, and d is counted from the logarithm of that weight.  All rows
    then share a term, which is `penalty`.
    """

    kind: str
    reg: float
    total: float  # weight of all rows
    size: np.ndarray  # (p,) standard deviations of the rows: no component is flatter than 1e-4 of them
    noise: bool = False

    name: ClassVar[str | None] = "gath-geva"
    measure: ClassVar[str] = LOG_DENSITIES
    starts: ClassVar[str] = AT_HARD_CLUSTERS
    is_additive: ClassVar[bool] = True
    has_shape: ClassVar[bool] = True
    may_coincide: ClassVar[bool] = True  # components of different shapes may share a mean

    @classmethod
    def freedom(cls, source: Any) -> float:
        """Return 1, which makes m = 2: densities already count directions."""
        return 1.0

    @classmethod
    def from_data(cls, source: Any, request: Request) -> Self:
        """Take full covariances, held by `metric_reg` times the mean variance of the features."""
        variance = safe_variances(source)
        return cls(
            "full",
            request.metric_reg * float(variance.mean()),
            source.rows.total_weight,
            deviations(source),
        )

    @property
    def passes(self) -> Any:
        return None if self._is_diagonal else kernels("passes")

    @property
    def _is_diagonal(self) -> bool:
        return self.kind in ("diag", "spherical")

    def begin(
        self, V: np.ndarray, covariances: np.ndarray | None = None, weights: np.ndarray | None = None
    ) -> Theta:
        """Return theta from means, (c, p, p) or (c, p) covariances, by default 1, and weights (c,)."""
        c, p = V.shape
        if covariances is None:
            covariances = np.ones((c, p)) if self._is_diagonal else np.tile(np.eye(p), (c, 1, 1))
        share = (0.9 if self.noise else 1.0) / c
        return V, np.array(covariances), np.full(c, share) if weights is None else weights

    @classmethod
    def shape_given(cls, matrices: Any, units: Units, c: int, p: int) -> np.ndarray:
        return units.squares_to_loop(check_covariances(matrices, c, p))

    def with_more_rows(self, weight: float) -> Self:
        return replace(self, total=self.total + weight)

    def _roots(self, covariances: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return lower triangles L of precisions, Sigma^-1 = L L', and half of their log-determinants."""
        if self._is_diagonal:
            return 1 / np.sqrt(covariances), -0.5 * np.log(covariances).sum(axis=1)
        c, same = len(covariances), self.kind == "tied"
        lower = np.linalg.cholesky((covariances[:1] if same else covariances)[:, ::-1, ::-1])
        # An upper triangle U with Sigma = U U' gives the lower one L = U^-T.
        roots = np.linalg.inv(lower[:, ::-1, ::-1]).transpose(0, 2, 1)
        half = np.log(roots.diagonal(axis1=1, axis2=2)).sum(axis=1)
        return (np.repeat(roots, c, axis=0), np.repeat(half, c)) if same else (roots, half)

    def levels(self, theta: Theta) -> tuple[np.ndarray, np.ndarray]:
        """Return the distances d (c,) at the means, and the roots of the precisions."""
        mu, covariances, weights = theta
        roots, half = self._roots(covariances)
        level = 0.5 * mu.shape[1] * _LOG_2PI - half - np.log(np.maximum(weights, _LEAST_WEIGHT))
        return level + np.log(self._noise_weight(weights)), roots

    def _noise_weight(self, weights: np.ndarray) -> float:
        """Return the weight of noise: the rest of 1; without noise 1, whose logarithm is 0."""
        return max(1 - float(weights.sum()), 1e-12) if self.noise else 1.0

    def squared(self, points: np.ndarray, theta: Theta, roots: np.ndarray | None = None) -> np.ndarray:
        """Return the squared Mahalanobis distances (n, c)."""
        mu, roots = theta[0], self._roots(theta[1])[0] if roots is None else roots
        if not self._is_diagonal:
            return kernels("ellipsoids").squared_distances(points, mu, roots)
        D = np.zeros((len(points), len(mu)), points.dtype)
        for x, v, r in zip(points.T, mu.T.astype(points.dtype), roots.T.astype(points.dtype), strict=True):
            D += ((x[:, None] - v) * r) ** 2
        return D

    @cache_last
    def columns(self, theta: Theta, frame: Frame) -> tuple[np.ndarray, ...]:
        """Return means, roots of the precisions, and d at the means, for the compiled passes."""
        level, roots = self.levels(theta)
        return theta[0], roots, level

    def distances(self, points: np.ndarray, theta: Theta, frame: Frame) -> np.ndarray:
        level, roots = self.levels(theta)
        return 0.5 * self.squared(points, theta, roots) + level.astype(points.dtype)

    def moments(self, points: np.ndarray, W: np.ndarray, theta: Theta, frame: Frame) -> Theta:
        """Return first and second moments about the old means; squares alone for "diag" and "spherical"."""
        if not self._is_diagonal:
            return kernels("ellipsoids").moments(points, theta[0], W)
        c, p = theta[0].shape
        first, second = np.empty((c, p)), np.empty((c, p))
        for k in range(c):
            Z = points.astype(np.float64, copy=False) - theta[0][k]
            first[k], second[k] = W[:, k] @ Z, W[:, k] @ Z**2
        return first, second

    def moved(self, stats: Stats, theta: Theta, other: Theta, frame: Frame) -> Stats:
        """Return the statistics of a sweep at theta, with moments about the means of `other`.

        The loss changes too, so that the loss and the penalty at `other` still sum to those at theta.
        """
        loss = stats.loss + self.penalty(theta) - self.penalty(other)
        return replace(about(stats, other[0] - theta[0]), loss=loss)

    def solve(
        self, stats: Stats, theta: Theta, frame: Frame, separation: Repulsion | CentralDistance | None
    ) -> Theta:
        """Return mu, Sigma and pi of the M-step; a component without weight keeps its shape."""
        mu, covariances, _ = theta
        first, second = stats.moments
        s = stats.weight
        held = s <= 1e-12 * s.max()
        safe = np.where(held, 1.0, s)
        step = np.where(held[:, None], 0.0, first / safe[:, None])
        if self._is_diagonal:
            sigma = second / safe[:, None] - step**2 + self.reg
            if self.kind == "spherical":
                sigma = np.broadcast_to(sigma.mean(axis=1, keepdims=True), sigma.shape).copy()
        else:
            cross = step[:, :, None] * step[:, None, :]
            sigma = second / safe[:, None, None] - cross
            if self.kind == "tied":
                kept = np.where(held, 0.0, s)
                mean = np.einsum("k,kab->ab", kept / kept.sum(), sigma)
                sigma = np.broadcast_to(mean, sigma.shape).copy()
            sigma[:, np.arange(sigma.shape[1]), np.arange(sigma.shape[1])] += self.reg
        sigma = self._definite(sigma)
        if self.kind != "tied":
            sigma[held] = covariances[held]
        return mu + step, sigma, s / (self.total if self.noise else s.sum())

    def _definite(self, sigma: np.ndarray) -> np.ndarray:
        """Return the exact minimiser within the bound, from the unbounded one.

        In features divided by `size`, eigenvalues below the least one are raised to it, so that rows in a
        plane have a density.
        """
        if self._is_diagonal:
            least = _LEAST * self.size**2
            return np.maximum(sigma, least.mean() if self.kind == "spherical" else least)
        scaled = sigma / np.outer(self.size, self.size)
        values, vectors = axes(0.5 * (scaled + scaled.transpose(0, 2, 1)))
        if values.min() >= _LEAST:
            return sigma
        values = np.maximum(values, _LEAST)
        return (vectors * values[:, None, :]) @ vectors.transpose(0, 2, 1) * np.outer(self.size, self.size)

    def traces(self, theta: Theta) -> np.ndarray:
        """Return the mean squared distance (c,) of a component's rows from its mean."""
        return theta[1].sum(axis=1) if self._is_diagonal else theta[1].trace(axis1=1, axis2=2)

    def flat(self, theta: Theta) -> list[tuple[Any, Any, Any]]:
        """Return the components at the bound, or held by `reg` alone.

        Each entry is (k, least, greatest), with the standard deviations along the axes of component k.
        """
        sigma = theta[1]
        if self._is_diagonal:
            values, scaled = np.sort(sigma, axis=1), sigma / self.size**2
        else:
            values = np.linalg.eigvalsh(sigma)
            scaled = np.linalg.eigvalsh(sigma / np.outer(self.size, self.size))
        values = np.maximum(values, 0.0)
        held = (scaled.min(axis=1) <= 4 * _LEAST) | (values[:, 0] <= 2 * self.reg)
        return [(k, np.sqrt(values[k, 0]), np.sqrt(values[k, -1])) for k in np.flatnonzero(held)]

    def published(self, theta: Theta, stats: Stats, frame: Frame, units: Units) -> dict[str, np.ndarray]:
        """Return the covariances and, as scales, their traces, in the units of the data."""
        return {
            "covariances_": units.squares_to_data(theta[1]),
            "scale_": units.squares_to_data(self.traces(theta)),
        }

    def complaints(self, theta: Theta, units: Units) -> Iterator[str]:
        """Yield a sentence for each flat component."""
        for k, least, most in self.flat(theta):
            yield (
                f"Component {k} is flat: its standard deviation is from {least / units.factor:.3g} to "
                f"{most / units.factor:.3g}. A greater regularisation, fewer clusters, fewer features or "
                "another shape would hold it."
            )

    def penalty(self, theta: Theta) -> float:
        """Return minus the logarithm of the weight of noise, for all rows; 0 without noise."""
        return -self.total * float(np.log(self._noise_weight(theta[2])))

    def shift(self, theta: Theta, other: Theta) -> float:
        """Return the longest move of a mean's coordinate, of a weight, or of a covariance.

        The move of a covariance is a share of its size.
        """
        size = np.abs(other[1]).reshape(len(other[1]), -1).max(axis=1)
        turned = np.abs(theta[1] - other[1]).reshape(len(size), -1).max(axis=1) / size
        return max(
            float(np.abs(theta[0] - other[0]).max()),
            float(turned.max()),
            float(np.abs(theta[2] - other[2]).max()),
        )

    def packed(self, theta: Theta) -> np.ndarray:
        """Return the means, and logarithms of covariances and weights: any vector unpacks to a mixture."""
        mu, sigma, weights = theta
        if self._is_diagonal:
            logs = np.log(sigma)
        else:
            values, vectors = axes(sigma)
            with np.errstate(invalid="ignore", divide="ignore"):
                logs = (vectors * np.log(values)[:, None, :]) @ vectors.transpose(0, 2, 1)
        with np.errstate(divide="ignore"):
            return np.concatenate([mu.ravel(), logs.ravel(), np.log(self._shares(weights))])

    def _shares(self, weights: np.ndarray) -> np.ndarray:
        """Return the weights of the components, with noise the weight of noise last."""
        return np.append(weights, self._noise_weight(weights)) if self.noise else weights

    def unpacked(self, point: np.ndarray, theta: Theta) -> Theta:
        """Return the mixture of a packed vector; theta itself if its covariances are not definite."""
        mu, sigma, weights = theta
        logs = point[mu.size : mu.size + sigma.size].reshape(sigma.shape)
        # Stay within the bound, as `solve` does: beyond it J may be lower than any step can keep it.
        if self._is_diagonal:
            variances = self._definite(np.exp(np.clip(logs, -600, 600)))
        else:
            values, vectors = axes(logs)
            spread = np.exp(np.clip(values, -600, 600))
            variances = self._definite((vectors * spread[:, None, :]) @ vectors.transpose(0, 2, 1))
            try:
                np.linalg.cholesky(variances[:, ::-1, ::-1])
            except np.linalg.LinAlgError:  # rounding has flattened a long, thin component: no proposal
                return theta
        logs = point[mu.size + sigma.size :]
        shares = np.exp(logs - logs.max())
        return point[: mu.size].reshape(mu.shape), variances, (shares / shares.sum())[: len(weights)]
