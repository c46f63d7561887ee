"""Clusters that are ellipsoids: each has a metric of its own."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from softclust._lazy import kernels
from softclust.grammar.prototypes.axes import axes
from softclust.grammar.prototypes.base import PURE_NUMBERS, Prototypes, Request, Theta
from softclust.grammar.prototypes.parts import Parts, quadratic_parts
from softclust.grammar.prototypes.points import HOLD, LOST, firm_solution
from softclust.knowledge.numbers import as_floats, subject
from softclust.sources.spread import variances
from softclust.values import cache_last

if TYPE_CHECKING:
    from softclust.grammar.frame import Frame
    from softclust.grammar.separation import CentralDistance, Repulsion
    from softclust.grammar.state import Stats
    from softclust.sources.units import Units

_LEAST_PIVOT = 1e-300
_MOST_LOG = np.log(1e3)  # bound on the logarithm of the longest axis of a metric, and of the shortest
_MOST_FREE_LOG = np.log(1e30)  # the same for a free volume, beside the metric of all rows: it has a float32
_MOST_FREE_RATIO = np.log(1e12)  # of the longest axis of a metric to the shortest: the metric has a root


@dataclass(frozen=True)
class Ellipsoids(Prototypes):
    """Each cluster has its own metric of volume 1: d_ik = (x_i - v_k)' S_k (x_i - v_k), det S_k = 1.

    This is the distance of Gustafson & Kessel, and of CECM (Antoine et al. 2012).  A set of clusters stands
    at the mean of its centres and measures by the mean of its METRICS (Xie & Antoine average covariances
    after eq. (5): with those J has no closed minimiser).

    J += kappa n sum_k tr(S_k T), T fixed: the exact minimiser is S_k = det(Sigma)^(1/p) Sigma^-1 with
    Sigma = Sigma_k + kappa n T, so that J never rises.  It may rise if Sigma_k is shrunk to a multiple of
    its own trace instead.  Where Sigma is singular, the axes of a metric, in features scaled by T, are from
    1e-3 to 1e3 long: again a fixed bound with an exact minimiser.

    theta holds the centres, their metrics, and the logarithms of the metrics in scaled features.  These
    logarithms are symmetric matrices of trace 0, a linear space in which extrapolation makes sense.
    """

    reg: float  # kappa
    target: np.ndarray  # (p,) the diagonal of T
    total: float = 1.0  # n, the weight of all rows

    name: ClassVar[str | None] = "ellipsoids"
    is_additive: ClassVar[bool] = True
    has_shape: ClassVar[bool] = True
    remedy: ClassVar[str] = "a greater metric_reg would keep them apart"

    @classmethod
    def from_data(cls, source: Any, request: Request) -> Self:
        """Take as T the variance of each feature, divided by the number of clusters."""
        target = safe_variances(source) / request.n_clusters
        return cls(request.metric_reg, target, source.rows.total_weight)

    @classmethod
    def freedom(cls, source: Any) -> float:
        """Return the number of features: in its own metric a cluster is round."""
        return float(source.rows.X.shape[1])

    @property
    def passes(self) -> Any:
        return kernels("passes")

    @property
    def _ridge(self) -> np.ndarray:
        """(p,) the diagonal of kappa n T."""
        return self.reg * self.total * self.target

    @cached_property
    def _size(self) -> np.ndarray:
        """(p,) size of each feature; their product is 1."""
        logs = 0.5 * np.log(self.target)
        return np.exp(logs - logs.mean())

    @cached_property
    def _area(self) -> np.ndarray:
        """(p, p) products of the sizes of two features."""
        return np.outer(self._size, self._size)

    @cached_property
    def _first(self) -> tuple[np.ndarray, ...]:
        """The metric at the start and its logarithm: the identity, or as near to it as the bound allows."""
        logs = 2 * np.log(self._size)
        if np.abs(logs).max() <= _MOST_LOG:
            return np.eye(len(logs)), np.diag(logs)
        return tuple(matrix[0] for matrix in self._composed(logs[None], np.eye(len(logs))[None]))

    @cached_property
    def _yard(self) -> float:
        """The deviation of a cluster along the widest feature: centres are packed in this unit."""
        return float(np.sqrt(self.target.max()))

    def begin(self, V: np.ndarray, covariances: np.ndarray | None = None) -> Theta:
        """Return theta at the start, with the metrics of (c, p, p) covariances, by default the identity."""
        if covariances is not None:
            return V, *self.metrics(covariances)
        return V, *(np.repeat(matrix[None], len(V), axis=0) for matrix in self._first)

    def start(self, theta: Theta) -> tuple[Any, ...]:
        """Return the arguments with which `begin` makes theta: S^-1 is a covariance of the metric S."""
        return theta[0], np.linalg.inv(theta[1])

    @classmethod
    def shape_given(cls, matrices: Any, units: Units, c: int, p: int) -> np.ndarray:
        return check_covariances(matrices, c, p)

    def with_more_rows(self, weight: float) -> Self:
        return replace(self, total=self.total + weight)

    def _mean_metrics(self, theta: Theta, frame: Frame) -> np.ndarray:
        """Return the metrics (K, p, p) of the sets of clusters."""
        return theta[1] if frame.is_singletons else _combined(frame.mean, theta[1])

    @cache_last
    def columns(self, theta: Theta, frame: Frame) -> tuple[np.ndarray, ...]:
        """Return the places of the sets and the roots L of their metrics S = L L', for compiled passes."""
        return frame.mean @ theta[0], np.linalg.cholesky(self._mean_metrics(theta, frame))

    def distances(self, points: np.ndarray, theta: Theta, frame: Frame) -> np.ndarray:
        """Return |L'(x - v)|^2, which is never negative."""
        return kernels("ellipsoids").squared_distances(points, *self.columns(theta, frame))

    def parts(self, point: np.ndarray, theta: Theta) -> Parts:
        return Parts(quadratic_parts(point - theta[0], np.linalg.cholesky(theta[1])), {})

    def moments(self, points: np.ndarray, W: np.ndarray, theta: Theta, frame: Frame) -> Theta:
        """Return the first and second moments of each set about its place: sum W z, sum W z z'."""
        return kernels("ellipsoids").moments(points, frame.mean @ theta[0], W)

    def moved(self, stats: Stats, theta: Theta, other: Theta, frame: Frame) -> Stats:
        """Return the statistics of a sweep at theta, with moments about the places of `other`."""
        return about(stats, frame.mean @ (other[0] - theta[0]))

    def solve(
        self, stats: Stats, theta: Theta, frame: Frame, separation: Repulsion | CentralDistance | None
    ) -> Theta:
        """Solve exactly for the centres with the old metrics, then for the metrics with the new centres.

        Centres: minimise sum_j s_j |vbar_j - mu_j|^2 in the metric of set j.  This is a (c p, c p) system,
        since a set ties its clusters together; for singletons each mean is found by itself.
        """
        V, first = theta[0], stats.moments[0]
        G, s = frame.mean, stats.weight
        c, p = V.shape
        mass = (G**2).T @ s
        held = mass <= LOST * mass.max()
        if frame.is_singletons:
            step = first / np.where(held, 1.0, s)[:, None]
        else:
            means = self._mean_metrics(theta, frame).reshape(-1, p * p)
            H = (
                (frame.ties.T @ (s[:, None] * means))
                .reshape(c, c, p, p)
                .transpose(0, 2, 1, 3)
                .reshape(c * p, c * p)
            )
            B = (G.T @ (means.reshape(-1, p, p) @ first[:, :, None])[:, :, 0]).ravel()
            # Axes of metrics differ by 1e6: in features scaled so that H has a diagonal of 1, a small
            # pivot means that clusters are tied to each other, not that an axis is short.
            size = 1 / np.sqrt(np.maximum(np.diag(H), _LEAST_PIVOT))
            scaled = firm_solution(H * np.outer(size, size), B * size)
            if scaled is None:
                heaviest = np.diag(H).max() or 1.0  # hold clusters without rows, as `Points` does
                stay = np.repeat(held, p)
                H[stay, stay] += heaviest
                if not is_above(H, HOLD * heaviest):
                    H[np.diag_indices(c * p)] += HOLD * heaviest
                step = np.linalg.solve(H, B)
            else:
                step = scaled * size
            step = step.reshape(c, p)
        step[held] = 0.0
        spread = about(stats, G @ step).moments[1]
        return V + step, *self.metrics(_combined(G.T, spread) + np.diag(self._ridge))

    def metrics(self, sigma: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the metrics S that minimise tr(S Sigma) over det S = 1 within the bound, and their logs.

        Inside the bound S = det(Sigma)^(1/p) Sigma^-1.
        """
        values, vectors = axes(sigma / self._area)
        return self._composed(-np.log(self._floored(values)), vectors)

    def _floored(self, values: np.ndarray) -> np.ndarray:
        """Raise eigenvalues (c, p) of covariances above 0."""
        return np.maximum(values, 1e-300 + 1e-18 * values[:, -1:])

    def _within(self, logs: np.ndarray) -> np.ndarray:
        """Bring the logarithms (c, p) of the axes of metrics within the bound."""
        return _bounded(logs, _MOST_LOG)

    def _composed(self, logs: np.ndarray, vectors: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return S and its logarithm, from the logarithms of its axes in scaled features."""
        logs, turned = self._within(logs)[:, None, :], vectors.transpose(0, 2, 1)
        return (vectors * np.exp(logs)) @ turned / self._area, (vectors * logs) @ turned

    def flat(self, theta: Theta) -> np.ndarray:
        """Return the clusters whose metric is at its bound: they have hardly any extent in a direction."""
        return np.flatnonzero(np.linalg.eigvalsh(theta[2])[:, -1] >= _MOST_LOG - 1e-6)

    def published(self, theta: Theta, stats: Stats, frame: Frame, units: Units) -> dict[str, np.ndarray]:
        return {"covariances_": units.squares_to_data(self.covariances(stats, frame))}

    def complaints(self, theta: Theta, units: Units) -> Iterator[str]:
        """Yield a sentence about flat clusters."""
        if len(flat := self.flat(theta)):
            yield (
                f"{subject('Cluster', flat)} flat: the scatter in one direction is less than a thousandth "
                f"of that in the mean direction; metric_reg={self.reg:g} does not hold it. A greater one, "
                "fewer clusters or fewer features would."
            )

    def covariances(self, stats: Stats, frame: Frame) -> np.ndarray:
        """Return the covariances (c, p, p), weighed by influence, about the centres, with their ridge."""
        G = frame.mean
        mass = G.T @ stats.weight
        sigma = _combined(G.T, stats.moments[1]) + np.diag(self._ridge)
        return sigma / np.where(mass > 0, mass, 1.0)[:, None, None]

    def penalty(self, theta: Theta) -> float:
        """Return the term kappa n sum_k tr(S_k T) of J."""
        return float((theta[1].diagonal(axis1=1, axis2=2) @ self._ridge).sum())

    def shift(self, theta: Theta, other: Theta) -> float:
        """Return the longest move of a centre's coordinate, or of a metric as a share of its size."""
        size = np.abs(other[1]).max(axis=(1, 2))
        turned = (np.abs(theta[1] - other[1]).max(axis=(1, 2)) / size).max()
        return max(float(np.abs(theta[0] - other[0]).max()), float(turned))

    def packed(self, theta: Theta) -> np.ndarray:
        """Return the centres and the logarithms of the metrics as a vector of numbers without a unit."""
        return np.concatenate([theta[0].ravel() / self._yard, theta[2].ravel()])

    def unpacked(self, point: np.ndarray, theta: Theta) -> Theta:
        """Return the theta of a packed vector, with metrics within the bound."""
        V = point[: theta[0].size].reshape(theta[0].shape) * self._yard
        return V, *self._composed(*axes(point[theta[0].size :].reshape(theta[2].shape)))


@dataclass(frozen=True)
class FreeVolume(Ellipsoids):
    """Each cluster has its own metric of free volume: d_ik = (x_i - v_k)' A_k (x_i - v_k).

    A_k^-1 = sum_i W_ik (x_i - v_k)(x_i - v_k)' (Ortiz, as printed).

    Since the volume is free, J = c p after every step, for any clusters.  The loop stops when the clusters
    rest, and they often end singular or without rows.  `Ellipsoids` is what that form was meant to be.
    """

    name: ClassVar[str | None] = "mahalanobis-refit"
    measure: ClassVar[str] = PURE_NUMBERS
    is_additive: ClassVar[bool] = False

    @classmethod
    def from_data(cls, source: Any, request: Request) -> Self:
        return cls(0.0, safe_variances(source), source.rows.total_weight)

    @cached_property
    def _size(self) -> np.ndarray:
        return np.ones_like(self.target)

    def _floored(self, values: np.ndarray) -> np.ndarray:
        return np.maximum(values, 1e-280)

    def _within(self, logs: np.ndarray) -> np.ndarray:
        """Bound the axes by the metric of all rows, and their ratio, also after an extrapolation."""
        whole = np.log(self.total * self.target.max())
        logs = np.clip(logs, -_MOST_FREE_LOG - whole, _MOST_FREE_LOG - whole)
        return np.minimum(logs, logs.min(axis=1, keepdims=True) + _MOST_FREE_RATIO)

    def flat(self, theta: Theta) -> np.ndarray:
        """Return the clusters with hardly any extent in some direction, or in all."""
        values = np.linalg.eigvalsh(theta[1])
        return np.flatnonzero((values[:, 0] <= 1e-6 * values[:, -1]) | (values[:, -1] >= 1e12))


def is_above(H: np.ndarray, least: float) -> bool:
    """Tell whether all eigenvalues of H, one matrix or several, exceed `least`.

    H - least I then has a Cholesky factor.
    """
    try:
        np.linalg.cholesky(H - least * np.eye(H.shape[-1]))
    except np.linalg.LinAlgError:
        return False
    return True


def safe_variances(source: Any) -> np.ndarray:
    """Return the variance (p,) of each feature, above 0 also for features that never change."""
    variance = variances(source)
    return np.maximum(variance, 1e-9 * max(variance.mean(), 1e-280))


def about(stats: Stats, move: np.ndarray) -> Stats:
    """Return the statistics with first and second moments about places that have moved by `move` (K, p).

    The moments are sum W (z - m) and sum W (z - m)(z - m)'; of the latter the diagonal alone, if the second
    moments are (K, p).
    """
    first, second = stats.moments
    s = stats.weight[:, None]
    if second.ndim == 2:
        second = second - 2 * first * move + s * move**2
    else:
        cross = first[:, :, None] * move[:, None, :]
        second = second - cross - cross.transpose(0, 2, 1)
        second += s[:, :, None] * (move[:, :, None] * move[:, None, :])
    return replace(stats, moments=(first - s * move, second))


def _combined(weights: np.ndarray, matrices: np.ndarray) -> np.ndarray:
    """Return sum_k weights_jk matrices_k."""
    return (weights @ matrices.reshape(len(matrices), -1)).reshape(-1, *matrices.shape[1:])


def _bounded(logs: np.ndarray, most: float) -> np.ndarray:
    """Return log s_q = logs_q + log mu, cut to +-most, with mu such that each row sums to 0."""
    even = logs - logs.mean(axis=1, keepdims=True)
    if np.abs(even).max() <= most:
        return even
    # The sum rises with mu along a broken line: a coordinate is free between two values of mu.
    breaks = np.concatenate([-most - even, most - even], axis=1)
    order = breaks.argsort(axis=1)
    breaks = np.take_along_axis(breaks, order, axis=1)
    free = np.where(order < even.shape[1], 1, -1).cumsum(axis=1)
    sums = (free[:, :-1] * np.diff(breaks)).cumsum(axis=1) - even.shape[1] * most
    last = np.count_nonzero(sums < 0, axis=1)[:, None]  # the piece on which the sum crosses 0 begins there
    mu, slope = np.take_along_axis(breaks, last, axis=1), np.take_along_axis(free, last, axis=1)
    for _ in range(3):  # exact Newton steps on that piece: the later ones take the rounding of sums away
        mu = mu - np.clip(even + mu, -most, most).sum(axis=1, keepdims=True) / np.maximum(slope, 1)
    return np.clip(even + mu, -most, most)


def check_covariances(matrices: Any, c: int, p: int) -> np.ndarray:
    """Check that a user gave c covariance matrices (p, p); an error names the matrix that is none."""
    sigma = as_floats(matrices, "The matrices of init").copy()
    if sigma.shape != (c, p, p):
        raise ValueError(
            f"The matrices of init have shape {sigma.shape}; {c} of {p} x {p} would fit, one a cluster."
        )
    for k, one in enumerate(sigma):
        if not np.isfinite(one).all() or np.linalg.eigvalsh(0.5 * (one + one.T))[0] <= 0:
            raise ValueError(f"The matrix of cluster {k} in init is not positive definite.")
    return sigma
