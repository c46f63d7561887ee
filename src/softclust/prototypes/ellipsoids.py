"""Clusters with a metric of their own."""

from dataclasses import dataclass

import numpy as np

from softclust.prototypes.points import LOST

_LEAST_REG = 1e-10  # against singular scatter; far below what a fit can show
_MOST_LOG = 14.0  # of an extrapolated axis of a metric: beyond, rounding tells


@dataclass(frozen=True)
class Ellipsoids:
    """d_ik = (x_i - v_k)' S_k (x_i - v_k), det S_k = 1 (Gustafson-Kessel; CECM, Antoine et al. 2012).

    A set of clusters stands at the mean of its centres and measures by the mean of its METRICS (Xie &
    Antoine average covariances after eq. (5): with those J has no closed minimiser).

    J += kappa sum_k tr(S_k T), T fixed: the exact minimiser is S_k = det(Sigma)^(1/p) Sigma^-1 with
    Sigma = Sigma_k + kappa T, so that J never rises, as it may where Sigma_k is shrunk to a multiple of
    its own trace.
    """

    reg: float  # kappa
    target: np.ndarray  # (p,) the diagonal of T

    passes = None

    @property
    def _ridge(self):
        return max(self.reg, _LEAST_REG) * self.target

    def begin(self, V, S=None):
        """theta at the start: metrics are those given, else the identity."""
        c, p = V.shape
        return V, np.broadcast_to(np.eye(p), (c, p, p)).copy() if S is None else S

    def _mean_metrics(self, theta, frame):
        return theta[1] if frame.is_singletons else np.tensordot(frame.mean, theta[1], 1)

    def distances(self, points, theta, frame):
        """|L'(x - v)|^2 with S = L L': never negative, and no (n, K, p) array."""
        places = frame.mean @ theta[0]
        roots = np.linalg.cholesky(self._mean_metrics(theta, frame))
        D = np.empty((len(points), len(places)), dtype=points.dtype)
        for j, (v, L) in enumerate(
            zip(places.astype(points.dtype), roots.astype(points.dtype), strict=True)
        ):
            Z = (points - v) @ L
            D[:, j] = np.einsum("ip,ip->i", Z, Z)
        return D

    def moments(self, points, W, theta, frame):
        """First and second moments of each set about its place: sum W z, sum W z z'."""
        points = points.astype(np.float64, copy=False)
        places = frame.mean @ theta[0]
        K, p = places.shape
        first, second = np.empty((K, p)), np.empty((K, p, p))
        for j, v in enumerate(places):
            Z = points - v
            weighed = Z * W[:, j, None]
            first[j] = weighed.sum(axis=0)
            second[j] = weighed.T @ Z
        return first, second

    def solve(self, stats, theta, frame, separation):
        """The centres for the metrics that were, then the metrics for those centres; both exact.

        Centres: minimise sum_j s_j |vbar_j - mu_j|^2 in the metric of set j, a (c p, c p) system, since
        a set ties its clusters together; for singletons each mean by itself.
        """
        V = theta[0]
        first, second = stats.moments
        G, s = frame.mean, stats.weight
        c, p = V.shape
        held = self._held(G.T**2 @ s)
        if frame.is_singletons:
            step = first / np.where(held, 1.0, s)[:, None]
        else:
            means = self._mean_metrics(theta, frame)
            H = np.einsum("jl,jk,j,jpq->lpkq", G, G, s, means, optimize=True).reshape(c * p, c * p)
            B = np.einsum("jl,jpq,jq->lp", G, means, first, optimize=True).ravel()
            stay = np.repeat(held, p)
            H[stay, stay] += np.diag(H).max() or 1.0
            step = np.linalg.solve(H, B).reshape(c, p)
        step[held] = 0.0
        move = G @ step
        cross = np.einsum("jp,jq->jpq", first, move)
        spread = second - cross - cross.transpose(0, 2, 1)
        spread += s[:, None, None] * np.einsum("jp,jq->jpq", move, move)
        return V + step, metrics_of(np.tensordot(G.T, spread, 1) + np.diag(self._ridge))

    @staticmethod
    def _held(mass):
        return mass <= LOST * mass.max()

    def covariances(self, stats, frame):
        """(c, p, p) influence-weighted covariance of each cluster about its centre, with its ridge."""
        G = frame.mean
        mass = G.T @ stats.weight
        sigma = np.tensordot(G.T, stats.moments[1], 1) + np.diag(self._ridge)
        return sigma / np.where(mass > 0, mass, 1.0)[:, None, None]

    def penalty(self, theta):
        return float(np.einsum("kpp,p->", theta[1], self._ridge))

    def shift(self, theta, other):
        """The longest move of a centre's coordinate, or of a metric as a share of its size."""
        size = np.abs(other[1]).max(axis=(1, 2))
        turned = (np.abs(theta[1] - other[1]).max(axis=(1, 2)) / size).max()
        return max(float(np.abs(theta[0] - other[0]).max()), float(turned))

    def packed(self, theta):
        """Metrics by their logarithms: symmetric matrices of trace 0, a linear space."""
        values, vectors = np.linalg.eigh(theta[1])
        with np.errstate(invalid="ignore", divide="ignore"):  # too far from round: nothing is extrapolated
            logs = np.einsum("kpq,kq,krq->kpr", vectors, np.log(values), vectors)
        return np.concatenate([theta[0].ravel(), logs.ravel()])

    def unpacked(self, point, theta):
        V = point[: theta[0].size].reshape(theta[0].shape)
        values, vectors = np.linalg.eigh(point[theta[0].size :].reshape(theta[1].shape))
        values = np.clip(values, -_MOST_LOG, _MOST_LOG)
        values -= values.mean(axis=1, keepdims=True)
        return V, np.einsum("kpq,kq,krq->kpr", vectors, np.exp(values), vectors)


def metrics_of(sigma):
    """det(Sigma)^(1/p) Sigma^-1 of each matrix of scatter, by way of correlations.

    Features of very different size then cost no accuracy.
    """
    size = np.sqrt(np.einsum("kpp->kp", sigma))
    correlation = sigma / (size[:, :, None] * size[:, None, :])
    inverse = np.linalg.inv(0.5 * (correlation + correlation.transpose(0, 2, 1)))
    _, logdet = np.linalg.slogdet(correlation)
    size /= np.exp(np.log(size).mean(axis=1) + logdet / (2 * size.shape[1]))[:, None]
    return 0.5 * (inverse + inverse.transpose(0, 2, 1)) / (size[:, :, None] * size[:, None, :])


def given_metrics(matrices, c, p):
    """The metrics of covariance matrices (c, p, p) that someone gave; says which one is none."""
    sigma = np.array(matrices, dtype=np.float64)
    if sigma.shape != (c, p, p):
        raise ValueError(f"The matrices of init have shape {sigma.shape}; {c} of {p} x {p} would fit.")
    for k, one in enumerate(sigma):
        if not np.isfinite(one).all() or np.linalg.eigvalsh(0.5 * (one + one.T))[0] <= 0:
            raise ValueError(f"The matrix of cluster {k} in init is not positive definite.")
    return metrics_of(sigma)
