"""Clusters with a metric of their own."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar

import numpy as np

from softclust._lazy import kernels
from softclust.grammar.prototypes.axes import axes
from softclust.grammar.prototypes.base import PURE_NUMBERS, Prototypes
from softclust.grammar.prototypes.points import HOLD, LOST, firm_solution
from softclust.sources.spread import variances
from softclust.values import cache_last

_MOST_LOG = np.log(1e3)  # of the longest axis of a metric, and of the shortest
_MOST_FREE_LOG = 650.0  # where nothing else bounds them: the exponential has a float


@dataclass(frozen=True)
class Ellipsoids(Prototypes):
    """d_ik = (x_i - v_k)' S_k (x_i - v_k), det S_k = 1 (Gustafson-Kessel; CECM, Antoine et al. 2012).

    A set of clusters stands at the mean of its centres and measures by the mean of its METRICS (Xie &
    Antoine average covariances after eq. (5): with those J has no closed minimiser).

    J += kappa n sum_k tr(S_k T), T fixed: the exact minimiser is S_k = det(Sigma)^(1/p) Sigma^-1 with
    Sigma = Sigma_k + kappa n T, so that J never rises, as it may where Sigma_k is shrunk to a multiple of
    its own trace.  Where that is singular, the axes of a metric, in features scaled by T, are from
    1e-3 to 1e3 long: again a fixed bound with an exact minimiser.

    theta is the centres, their metrics and, of those in scaled features, the logarithms: symmetric matrices
    of trace 0, a linear space in which extrapolation makes sense.
    """

    reg: float  # kappa
    target: np.ndarray  # (p,) the diagonal of T
    total: float = 1.0  # n, the weight of all rows

    name: ClassVar[str | None] = "ellipsoids"
    is_additive: ClassVar[bool] = True
    has_shape: ClassVar[bool] = True
    remedy: ClassVar[str] = "a greater metric_reg would keep them apart"

    @classmethod
    def from_data(cls, source, request):
        """T is the variance of each feature, divided by the number of clusters."""
        target = safe_variances(source) / request.n_clusters
        return cls(request.metric_reg, target, source.rows.total_weight)

    @property
    def passes(self):
        return kernels("passes")

    @property
    def _ridge(self):
        return self.reg * self.total * self.target

    @cached_property
    def _size(self):
        """(p,) size of each feature, their product 1."""
        logs = 0.5 * np.log(self.target)
        return np.exp(logs - logs.mean())

    @cached_property
    def _area(self):
        return np.outer(self._size, self._size)

    @cached_property
    def _first(self):
        """Where metrics start: at the identity, or as near to it as the bound lets them."""
        logs = 2 * np.log(self._size)
        if np.abs(logs).max() <= _MOST_LOG:
            return np.eye(len(logs)), np.diag(logs)
        return tuple(matrix[0] for matrix in self._composed(logs[None], np.eye(len(logs))[None]))

    def begin(self, V, covariances=None):
        """theta at the start: metrics are those of covariances, else the identity."""
        if covariances is not None:
            return V, *self.metrics(covariances)
        return V, *(np.repeat(matrix[None], len(V), axis=0) for matrix in self._first)

    def start(self, theta):
        """What `begin` takes to begin at theta: S^-1, a covariance of that metric."""
        return theta[0], np.linalg.inv(theta[1])

    @classmethod
    def shape_given(cls, matrices, units, c, p):
        return check_covariances(matrices, c, p)

    def with_more_rows(self, weight):
        return replace(self, total=self.total + weight)

    def _mean_metrics(self, theta, frame):
        return theta[1] if frame.is_singletons else _combined(frame.mean, theta[1])

    @cache_last
    def columns(self, theta, frame):
        """What the passes see: places of the sets, and roots of their metrics, S = L L'."""
        return frame.mean @ theta[0], np.linalg.cholesky(self._mean_metrics(theta, frame))

    def distances(self, points, theta, frame):
        """|L'(x - v)|^2: never negative."""
        from softclust.kernels.ellipsoids import squared_distances  # loads Numba

        return squared_distances(points, *self.columns(theta, frame))

    def moments(self, points, W, theta, frame):
        """First and second moments of each set about its place: sum W z, sum W z z'."""
        from softclust.kernels.ellipsoids import moments

        return moments(points, frame.mean @ theta[0], W)

    def moved(self, stats, theta, other, frame):
        """Statistics of a sweep at theta, with moments about the places of `other`."""
        return about(stats, frame.mean @ (other[0] - theta[0]))

    def solve(self, stats, theta, frame, separation):
        """The centres for the metrics that were, then the metrics for those centres; both exact.

        Centres: minimise sum_j s_j |vbar_j - mu_j|^2 in the metric of set j, a (c p, c p) system, since
        a set ties its clusters together; for singletons each mean by itself.
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
            step = firm_solution(H, B)
            if step is None:
                heaviest = np.diag(H).max() or 1.0  # held: as for points
                stay = np.repeat(held, p)
                H[stay, stay] += heaviest
                if np.linalg.eigvalsh(H)[0] < HOLD * heaviest:
                    H[np.diag_indices(c * p)] += HOLD * heaviest
                step = np.linalg.solve(H, B)
            step = step.reshape(c, p)
        step[held] = 0.0
        spread = about(stats, G @ step).moments[1]
        return V + step, *self.metrics(_combined(G.T, spread) + np.diag(self._ridge))

    def metrics(self, sigma):
        """argmin of tr(S Sigma) over det S = 1 within the bound: det(Sigma)^(1/p) Sigma^-1 inside it."""
        values, vectors = axes(sigma / self._area)
        return self._composed(-np.log(self._floored(values)), vectors)

    def _floored(self, values):
        """Eigenvalues of covariances, above 0."""
        return np.maximum(values, 1e-300 + 1e-18 * values[:, -1:])

    def _within(self, logs):
        """Logarithms of the axes of metrics, within the bound."""
        return _bounded(logs, _MOST_LOG)

    def _composed(self, logs, vectors):
        """S and its logarithm, from the logarithms of its axes in scaled features."""
        logs, turned = self._within(logs)[:, None, :], vectors.transpose(0, 2, 1)
        return (vectors * np.exp(logs)) @ turned / self._area, (vectors * logs) @ turned

    def flat(self, theta):
        """Clusters whose metric is at its bound: they have hardly any extent in some direction."""
        return np.flatnonzero(np.linalg.eigvalsh(theta[2])[:, -1] >= _MOST_LOG - 1e-6)

    def published(self, theta, stats, frame, units):
        return {"covariances_": units.squares_to_data(self.covariances(stats, frame))}

    def complaints(self, theta, units):
        for k in self.flat(theta):
            yield (
                f"Cluster {k} is flat: its scatter in one direction is less than a thousandth of that in "
                f"the mean direction; metric_reg={self.reg:g} does not hold it. A greater one, "
                "fewer clusters or fewer features would."
            )

    def covariances(self, stats, frame):
        """(c, p, p) influence-weighted covariance of each cluster about its centre, with its ridge."""
        G = frame.mean
        mass = G.T @ stats.weight
        sigma = _combined(G.T, stats.moments[1]) + np.diag(self._ridge)
        return sigma / np.where(mass > 0, mass, 1.0)[:, None, None]

    def penalty(self, theta):
        return float((theta[1].diagonal(axis1=1, axis2=2) @ self._ridge).sum())

    def shift(self, theta, other):
        """The longest move of a centre's coordinate, or of a metric as a share of its size."""
        size = np.abs(other[1]).max(axis=(1, 2))
        turned = (np.abs(theta[1] - other[1]).max(axis=(1, 2)) / size).max()
        return max(float(np.abs(theta[0] - other[0]).max()), float(turned))

    def packed(self, theta):
        return np.concatenate([theta[0].ravel(), theta[2].ravel()])

    def unpacked(self, point, theta):
        V = point[: theta[0].size].reshape(theta[0].shape)
        return V, *self._composed(*axes(point[theta[0].size :].reshape(theta[2].shape)))


@dataclass(frozen=True)
class FreeVolume(Ellipsoids):
    """d_ik = (x_i - v_k)' A_k (x_i - v_k), A_k^-1 = sum_i W_ik (x_i - v_k)(x_i - v_k)' (Ortiz, as printed).

    The volume is free, so that J = c p after every step, whatever the clusters are: the loop stops when
    they rest, and they often end singular or without rows.  `Ellipsoids` is what that form was meant to be.
    """

    name: ClassVar[str | None] = "mahalanobis-refit"
    measure: ClassVar[str] = PURE_NUMBERS
    is_additive: ClassVar[bool] = False

    @classmethod
    def from_data(cls, source, request):
        return cls(0.0, safe_variances(source))

    @cached_property
    def _size(self):
        return np.ones_like(self.target)

    def _floored(self, values):
        return np.maximum(values, 1e-12 * values[:, -1:] + 1e-280)

    def _within(self, logs):
        return np.clip(logs, -_MOST_FREE_LOG, _MOST_FREE_LOG)

    def flat(self, theta):
        """Clusters with hardly any extent in some direction, or in all."""
        values = np.linalg.eigvalsh(theta[1])
        return np.flatnonzero((values[:, 0] <= 1e-6 * values[:, -1]) | (values[:, -1] >= 1e12))


def safe_variances(source):
    """(p,) variance of each feature, above 0 also for features that never change."""
    variance = variances(source)
    return np.maximum(variance, 1e-9 * max(variance.mean(), 1e-280))


def about(stats, move):
    """The statistics with first and second moments about places that have moved by `move`.

    sum W (z - m) and sum W (z - m)(z - m)', of the latter where it is (K, p) the diagonal alone.
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


def _combined(weights, matrices):
    """sum_k weights_jk matrices_k."""
    return (weights @ matrices.reshape(len(matrices), -1)).reshape(-1, *matrices.shape[1:])


def _bounded(logs, most):
    """log s_q = logs_q + log mu within +-most, mu such that they sum to 0."""
    even = logs - logs.mean(axis=1, keepdims=True)
    if np.abs(even).max() <= most:
        return even
    low, high = -np.abs(even).max(axis=1) - most, np.abs(even).max(axis=1) + most
    for _ in range(100):
        mu = 0.5 * (low + high)
        below = np.clip(even + mu[:, None], -most, most).sum(axis=1) < 0
        low, high = np.where(below, mu, low), np.where(below, high, mu)
    return np.clip(even + mu[:, None], -most, most)


def check_covariances(matrices, c, p):
    """Covariance matrices (c, p, p) that someone gave; says which one is none."""
    sigma = np.array(matrices, dtype=np.float64)
    if sigma.shape != (c, p, p):
        raise ValueError(
            f"The matrices of init have shape {sigma.shape}; {c} of {p} x {p} would fit, one a cluster."
        )
    for k, one in enumerate(sigma):
        if not np.isfinite(one).all() or np.linalg.eigvalsh(0.5 * (one + one.T))[0] <= 0:
            raise ValueError(f"The matrix of cluster {k} in init is not positive definite.")
    return sigma
