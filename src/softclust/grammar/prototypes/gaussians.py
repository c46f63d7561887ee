"""Clusters that are Gaussian components of a mixture."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from softclust._lazy import kernels
from softclust.grammar.prototypes.axes import axes
from softclust.grammar.prototypes.base import AT_HARD_CLUSTERS, LOG_DENSITIES, Prototypes, Request, Theta
from softclust.grammar.prototypes.ellipsoids import about, check_covariances, is_above, safe_variances
from softclust.grammar.prototypes.parts import Parts, quadratic_parts
from softclust.knowledge.numbers import subject
from softclust.sources.spread import deviations
from softclust.values import cache_last

if TYPE_CHECKING:
    from softclust.grammar.frame import Frame
    from softclust.grammar.separation import CentralDistance, Repulsion
    from softclust.grammar.state import Stats
    from softclust.sources.units import Units

_LOG_2PI = float(np.log(2 * np.pi))
LEAST_VARIANCE = (
    1e-8  # least variance of a component, of that of all rows: below, sums of squares are rounding
)
_LEAST_WEIGHT = 1e-300  # of a component
_EMPTY = 1e-12  # weight of a component without rows, of the heaviest one


@dataclass(frozen=True)
class Gaussians(Prototypes):
    """Clusters are Gaussian components: d_ik = -ln pi_k N(x_i; mu_k, Sigma_k); theta = (mu, Sigma, pi).

    `kind` is "full", "tied", "diag" or "spherical"; `reg` is added to every variance.  With noise, the
    weight of noise is what the pi leave of 1, and d is counted from the logarithm of that weight.  All rows
    then share a term, which is `noise_cost`.

    J += nu/2 sum_k [tr(Sigma_k^-1 T) - ln det(Sigma_k^-1 T) - p], once if the components share Sigma: the
    inverse Wishart prior of Fraley & Raftery (2007), counted from its mode T.  Each covariance answers for
    nu further rows that lie as T says, and the exact minimiser is (C_k + nu T) / (N_k + nu) with the weight
    N_k and the scatter C_k of the component.
    """

    kind: str
    reg: float
    total: float  # weight of all rows
    size: np.ndarray  # (p,) standard deviations of the rows: no component is flatter than 1e-4 of them
    noise: bool = False
    prior: float = 0.0  # nu; 0 is maximum likelihood
    target: np.ndarray | None = None  # (p, p) T; only with a prior

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
        """Return theta from means, (c, p, p) or (c, p) covariances, by default 1, and weights (c,).

        Covariances become those of the kind: all the same, diagonals, or one variance.
        """
        c, p = V.shape
        if covariances is None:
            covariances = np.ones((c, p)) if self._is_diagonal else np.tile(np.eye(p), (c, 1, 1))
        if weights is None:
            weights = np.full(c, (0.9 if self.noise else 1.0) / c)
        if self.kind == "tied":
            mean = np.einsum("k,kab->ab", weights / weights.sum(), covariances)
            covariances = np.broadcast_to(mean, covariances.shape)
        elif self._is_diagonal and covariances.ndim == 3:
            covariances = covariances.diagonal(axis1=1, axis2=2)
        if self.kind == "spherical":
            covariances = np.broadcast_to(covariances.mean(axis=1, keepdims=True), covariances.shape)
        return V, np.array(covariances), weights

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
        D = np.empty((len(points), len(mu)), points.dtype)
        for k, (v, r) in enumerate(zip(mu.astype(points.dtype), roots.astype(points.dtype), strict=True)):
            Z = (points - v) * r
            D[:, k] = np.einsum("ij,ij->i", Z, Z)
        return D

    @cache_last
    def columns(self, theta: Theta, frame: Frame) -> tuple[np.ndarray, ...]:
        """Return means, roots of the precisions, and d at the means, for the compiled passes."""
        level, roots = self.levels(theta)
        return theta[0], roots, level

    def distances(self, points: np.ndarray, theta: Theta, frame: Frame) -> np.ndarray:
        level, roots = self.levels(theta)
        return 0.5 * self.squared(points, theta, roots) + level.astype(points.dtype)

    def parts(self, point: np.ndarray, theta: Theta) -> Parts:
        """Return the parts of -2 ln pi_k N(x; mu_k, Sigma_k), but for p ln 2 pi."""
        gaps, (roots, half) = point - theta[0], self._roots(theta[1])
        squares = (gaps * roots) ** 2 if self._is_diagonal else quadratic_parts(gaps, roots)
        weights = np.log(np.maximum(theta[2], _LEAST_WEIGHT))
        return Parts(squares, {"log determinant": -2 * half, "log weight": -2 * weights})

    def moments(self, points: np.ndarray, W: np.ndarray, theta: Theta, frame: Frame) -> Theta:
        """Return first and second moments about the old means; squares alone for "diag" and "spherical"."""
        if not self._is_diagonal:
            return kernels("ellipsoids").moments(points, theta[0], W)
        c, p = theta[0].shape
        first, second = np.empty((c, p)), np.empty((c, p))
        for k in range(c):
            Z, w = points.astype(np.float64, copy=False) - theta[0][k], np.ascontiguousarray(W[:, k])
            first[k] = w @ Z
            second[k] = w @ np.square(Z, out=Z)
        return first, second

    def moved(self, stats: Stats, theta: Theta, other: Theta, frame: Frame) -> Stats:
        """Return the statistics of a sweep at theta, with moments about the means of `other`.

        The loss changes too, so that the loss and the cost of noise at `other` still sum to those at theta.
        """
        loss = stats.loss + self.noise_cost(theta) - self.noise_cost(other)
        return replace(about(stats, other[0] - theta[0]), loss=loss)

    def solve(
        self, stats: Stats, theta: Theta, frame: Frame, separation: Repulsion | CentralDistance | None
    ) -> Theta:
        """Return mu, Sigma and pi of the M-step.

        A component without weight keeps its mean and, without a prior, its shape.
        """
        mu, covariances, _ = theta
        first, second = stats.moments
        s = stats.weight
        held = s <= _EMPTY * s.max()
        safe = np.where(held, 1.0, s)
        step = np.where(held[:, None], 0.0, first / safe[:, None])
        mass = np.where(held, 0.0, s)
        if self._is_diagonal:
            sigma = self._shrunk(second / safe[:, None] - step**2, mass[:, None]) + self.reg
            if self.kind == "spherical":
                sigma = np.broadcast_to(sigma.mean(axis=1, keepdims=True), sigma.shape).copy()
        else:
            cross = step[:, :, None] * step[:, None, :]
            sigma = second / safe[:, None, None] - cross
            if self.kind == "tied":
                mean = np.einsum("k,kab->ab", mass / (mass.sum() or 1.0), sigma)
                sigma = np.broadcast_to(self._shrunk(mean, mass.sum()), sigma.shape).copy()
            else:
                sigma = self._shrunk(sigma, mass[:, None, None])
            sigma[:, np.arange(sigma.shape[1]), np.arange(sigma.shape[1])] += self.reg
        sigma = self._definite(sigma)
        if not self.prior and (self.kind != "tied" or held.all()):
            sigma[held] = covariances[held]
        return mu + step, sigma, s / (self.total if self.noise else s.sum())

    def _shrunk(self, sigma: np.ndarray, weight: np.ndarray) -> np.ndarray:
        """Return (N_k Sigma_k + nu T) / (N_k + nu), from the covariances and weights of the rows."""
        if not self.prior:
            return sigma
        assert self.target is not None
        target = self.target.diagonal() if self._is_diagonal else self.target
        return (weight * sigma + self.prior * target) / (weight + self.prior)

    def _definite(self, sigma: np.ndarray) -> np.ndarray:
        """Return the exact minimiser within the bound, from the unbounded one.

        In features divided by `size`, eigenvalues below the least one are raised to it, so that rows in a
        plane have a density.
        """
        if self._is_diagonal:
            least = LEAST_VARIANCE * self.size**2
            return np.maximum(sigma, least.mean() if self.kind == "spherical" else least)
        if self.kind == "tied" and len(sigma) > 1:
            return np.repeat(self._definite(sigma[:1]), len(sigma), axis=0)
        scaled = sigma / np.outer(self.size, self.size)
        if is_above(scaled, LEAST_VARIANCE):
            return sigma
        values, vectors = axes(0.5 * (scaled + scaled.transpose(0, 2, 1)))
        values = np.maximum(values, LEAST_VARIANCE)
        return (vectors * values[:, None, :]) @ vectors.transpose(0, 2, 1) * np.outer(self.size, self.size)

    def traces(self, theta: Theta) -> np.ndarray:
        """Return the mean squared distance (c,) of a component's rows from its mean."""
        return theta[1].sum(axis=1) if self._is_diagonal else theta[1].trace(axis1=1, axis2=2)

    def flat(self, theta: Theta) -> list[tuple[Any, Any, Any]]:
        """Return the components at the bound, or held by `reg` alone.

        With a prior, a component is as flat as T at the most, and that is no fault of it.
        Each entry is (k, least, greatest), with the standard deviations along the axes of component k.
        """
        sigma, yard = theta[1], np.diag(self.size**2) if self.target is None else self.target
        if self._is_diagonal:
            values, scaled = np.sort(sigma, axis=1), sigma / yard.diagonal()
        else:
            root = np.linalg.inv(np.linalg.cholesky(yard))
            values, scaled = (
                np.asarray(np.linalg.eigvalsh(each)) for each in (sigma, root @ sigma @ root.T)
            )
        values = np.maximum(values, 0.0)
        held = (scaled.min(axis=1) <= 4 * LEAST_VARIANCE) | (values[:, 0] <= 2 * self.reg)
        return [(k, np.sqrt(values[k, 0]), np.sqrt(values[k, -1])) for k in np.flatnonzero(held)]

    def published(self, theta: Theta, stats: Stats, frame: Frame, units: Units) -> dict[str, np.ndarray]:
        """Return the covariances and, as scales, their traces, in the units of the data."""
        return {
            "covariances_": units.squares_to_data(theta[1]),
            "scale_": units.squares_to_data(self.traces(theta)),
        }

    def complaints(self, theta: Theta, units: Units) -> Iterator[str]:
        """Yield a sentence about components without rows, and one about flat ones."""
        if len(empty := np.flatnonzero(theta[2] <= _EMPTY * theta[2].max())):
            yield (
                f"{subject('Component', empty)} without rows, with the weight 0. "
                "Fewer clusters or another init would do."
            )
        if len(flat := self.flat(theta)):
            k, least, most = min(flat, key=lambda one: one[1])
            whose = "its standard deviation is" if len(flat) == 1 else f"the standard deviation of {k} is"
            yield (
                f"{subject('Component', np.array([one[0] for one in flat]))} flat: {whose} from "
                f"{least / units.factor:.3g} to {most / units.factor:.3g}. A greater regularisation, fewer "
                "clusters, fewer features or another shape would hold it."
            )

    def penalty(self, theta: Theta) -> float:
        """Return the terms of J that no single row has: the cost of noise, and the prior."""
        return self.noise_cost(theta) + self.prior_cost(theta)

    def noise_cost(self, theta: Theta) -> float:
        """Return minus the logarithm of the weight of noise, for all rows; 0 without noise."""
        return -self.total * float(np.log(self._noise_weight(theta[2])))

    def prior_cost(self, theta: Theta) -> float:
        """Return nu/2 sum_k [tr(Sigma_k^-1 T) - ln det(Sigma_k^-1 T) - p]; never negative."""
        if not self.prior:
            return 0.0
        assert self.target is not None
        sigma = theta[1][:1] if self.kind == "tied" else theta[1]
        if self._is_diagonal:
            ratio = self.target.diagonal() / sigma
            return 0.5 * self.prior * float((ratio - np.log(ratio) - 1).sum())
        roots, half = self._roots(sigma)
        trace = float((roots * (self.target @ roots)).sum())
        det = float(2 * half.sum()) + len(sigma) * self._log_det_target
        return 0.5 * self.prior * (trace - det - len(sigma) * sigma.shape[1])

    @cached_property
    def _log_det_target(self) -> float:
        assert self.target is not None
        return float(np.linalg.slogdet(self.target)[1])

    def n_parameters(self, c: int, p: int) -> int:
        """Return the number of free parameters of c components in p dimensions."""
        shape = {"full": c * p * (p + 1) / 2, "tied": p * (p + 1) / 2, "diag": c * p, "spherical": c}
        return int(shape[self.kind] + c * p + c - 1 + self.noise)

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
        """Return the means, and logarithms of covariances and weights: any vector unpacks to a mixture.

        Means count deviations of a component, so that the unit of the data does not matter.
        """
        mu, sigma, weights = theta
        if self._is_diagonal:
            logs = np.log(sigma)
        else:
            values, vectors = axes(sigma[:1] if self.kind == "tied" else sigma)
            with np.errstate(invalid="ignore", divide="ignore"):
                logs = (vectors * np.log(values)[:, None, :]) @ vectors.transpose(0, 2, 1)
            logs = np.broadcast_to(logs, sigma.shape)
        with np.errstate(divide="ignore"):
            return np.concatenate(
                [mu.ravel() / self._yard(mu), logs.ravel(), np.log(self._shares(weights))]
            )

    def _yard(self, mu: np.ndarray) -> float:
        """Return the deviation of one of c components along the widest feature."""
        return float(self.size.max()) / len(mu) ** 0.5

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
            values, vectors = axes(logs[:1] if self.kind == "tied" else logs)
            spread = np.exp(np.clip(values, -600, 600))
            variances = self._definite((vectors * spread[:, None, :]) @ vectors.transpose(0, 2, 1))
            try:
                np.linalg.cholesky(variances[:, ::-1, ::-1])
            except np.linalg.LinAlgError:  # rounding has flattened a long, thin component: no proposal
                return theta
            variances = np.repeat(variances, len(mu) // len(variances), axis=0)
        logs = point[mu.size + sigma.size :]
        shares = np.exp(logs - logs.max())
        means = point[: mu.size].reshape(mu.shape) * self._yard(mu)
        return means, variances, (shares / shares.sum())[: len(weights)]
