"""J of a mixture of Gaussians: minus the log-likelihood, labels, pairs, and the prior of covariances."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from sentences.drawing import Sentence
from sentences.knowledge import Known, known_of


@dataclass(frozen=True)
class Gaussians:
    """Components: means, (c, p, p) covariances, and weights; with noise its log-density and weight."""

    V: np.ndarray
    sigma: np.ndarray
    pi: np.ndarray
    noise: tuple[float, float] | None = None

    def distances(self, X: np.ndarray) -> np.ndarray:
        """(n, K): -ln pi_k N(x_i; mu_k, Sigma_k), that of noise last."""
        gaps = X[:, None] - self.V
        squares = np.einsum("ika,kab,ikb->ik", gaps, np.linalg.inv(self.sigma), gaps)
        logs = np.linalg.slogdet(2 * np.pi * self.sigma)[1]
        D = 0.5 * (squares + logs) - np.log(np.maximum(self.pi, 1e-300))
        if self.noise is None:
            return D
        density, share = self.noise
        return np.column_stack([D, np.full(len(X), -density - np.log(max(share, 1e-300)))])


@dataclass(frozen=True)
class MixtureObjective:
    """J of the variational bound: sum w u (d + ln u - alpha ln f) + pairs + prior."""

    s: Sentence
    known: Known
    shape: Gaussians
    U: np.ndarray
    log_f: np.ndarray  # (n, K) alpha ln f_ik, -inf for a cluster that a label excludes
    nu: float
    target: np.ndarray  # T of the prior

    def value(self, shape: Gaussians | None = None) -> float:
        shape = self.shape if shape is None else shape
        costs = shape.distances(self.s.X) - self.log_f
        logs = np.log(np.where(self.U > 0, self.U, 1.0))
        own = np.where(self.U > 0, self.U * (np.where(self.U > 0, costs, 0.0) + logs), 0.0).sum(axis=1)
        return float(self.known.weight @ own) + self._pairs() + self.prior(shape.sigma)

    def _forms(self) -> list[tuple[list[tuple[int, int, float]], np.ndarray]]:
        """Pairs, and (K, K) which components of two rows break them; noise breaks none."""
        c, K = len(self.shape.V), self.U.shape[1]
        same = np.diag(np.arange(K) < c).astype(float)
        both = np.outer(np.arange(K) < c, np.arange(K) < c)
        return [(self.known.must, both - same), (self.known.cannot, same)]

    def _pairs(self) -> float:
        return sum(
            q * self.U[i] @ breaks @ self.U[j] for pairs, breaks in self._forms() for i, j, q in pairs
        )

    def best_shares(self) -> np.ndarray:
        """(n, K) the least U of each row, the other rows held: softmax of minus its costs."""
        costs = self.shape.distances(self.s.X) - self.log_f
        pressure = np.zeros_like(costs)
        for pairs, breaks in self._forms():
            for i, j, q in pairs:
                pressure[i] += q * breaks @ self.U[j]
                pressure[j] += q * breaks @ self.U[i]
        costs = costs + pressure / self.known.weight[:, None]
        shares = np.exp(costs.min(axis=1, keepdims=True) - costs)
        return shares / shares.sum(axis=1, keepdims=True)

    def prior(self, sigma: np.ndarray) -> float:
        """nu/2 sum_k [tr(Sigma_k^-1 T) - ln det(Sigma_k^-1 T) - p], once if components share Sigma."""
        each = sigma[:1] if self.s.parameters["covariance_type"] == "tied" else sigma
        ratio = np.linalg.solve(each, np.broadcast_to(self.target, each.shape))
        traces = np.trace(ratio, axis1=1, axis2=2)
        return float(self.nu / 2 * (traces - np.linalg.slogdet(ratio)[1] - len(self.target)).sum())

    def scatters(self) -> tuple[np.ndarray, np.ndarray]:
        """N_k and C_k: the weight and the scatter of each component."""
        W = self.known.weight[:, None] * self.U[:, : len(self.shape.V)]
        gaps = self.s.X[:, None] - self.shape.V
        return W.sum(axis=0), np.einsum("ik,ika,ikb->kab", W, gaps, gaps)

    def best_covariances(self) -> np.ndarray:
        """(c, p, p): (C_k + nu T)/(N_k + nu), as the kind of covariance sees it."""
        kind, (N, C) = self.s.parameters["covariance_type"], self.scatters()
        if kind == "tied":
            sigma = (C.sum(axis=0) + self.nu * self.target) / (N.sum() + self.nu)
            return np.broadcast_to(sigma, C.shape)
        found = [_of_kind(scatter, kind) + self.nu * self.target for scatter in C]
        return np.array(found) / (N + self.nu)[:, None, None]


def mixture_of(s: Sentence, model: Any) -> MixtureObjective:
    """J of a mixture; T is read off the first component, which it explains by (C + nu T)/(N + nu)."""
    known, (c, p) = known_of(s, model), model.means_.shape
    noise, U = None, model.memberships_
    if s.parameters.get("noise"):
        counts = s.weights > 0
        noise = -float(np.log(np.ptp(s.X[counts], axis=0)).sum()), model.noise_weight_
        score = model.outlier_scores_[:, None]
        U = np.hstack([U * (1 - score), score])
    shape = Gaussians(
        model.means_,
        _full(model.covariances_, s.parameters["covariance_type"], c, p),
        model.weights_,
        noise,
    )
    f = np.where(np.isnan(known.allowed), 1.0, _said(s, known))
    log_f = known.alpha[:, None] * np.log(np.where(f > 0, f, 1.0))
    log_f = np.pad(np.where(f > 0, log_f, -np.inf), ((0, 0), (0, U.shape[1] - c)))
    row = known.weight.sum() / len(np.unique(s.X[s.weights > 0], axis=0))
    nu = s.parameters.get("covariance_prior", p + 2.0) * row
    found = MixtureObjective(s, known, shape, U, log_f, nu, np.eye(p))
    N, C = found.scatters()
    if s.parameters["covariance_type"] == "tied":
        N, C = N.sum(keepdims=True), C.sum(axis=0, keepdims=True)
    target = ((N[0] + nu) * shape.sigma[0] - _of_kind(C[0], s.parameters["covariance_type"])) / nu
    return replace(found, target=target)


def _said(s: Sentence, known: Known) -> np.ndarray:
    """f_ik as it was given; 1 where nothing is said, and where a label excludes all."""
    c = known.target.shape[1]
    f = known.target if s.y is None or s.y.ndim == 1 else s.y
    f = np.where(np.isnan(f), 1.0, f)[:, :c]
    return np.where(f.max(axis=1, keepdims=True) > 0, f, 1.0)


def _full(covariances: np.ndarray, kind: str, c: int, p: int) -> np.ndarray:
    """(c, p, p) covariances of any kind."""
    sigma = np.asarray(covariances, float)
    if kind == "diag":
        return sigma[:, :, None] * np.eye(p)
    if kind == "spherical":
        return sigma[:, None, None] * np.eye(p)
    return np.broadcast_to(sigma, (c, p, p))


def _of_kind(scatter: np.ndarray, kind: str) -> np.ndarray:
    """What a kind of covariance sees of a scatter."""
    if kind == "diag":
        return np.diag(np.diag(scatter))
    if kind == "spherical":
        return np.eye(len(scatter)) * np.trace(scatter) / len(scatter)
    return scatter
