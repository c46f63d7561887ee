"""Gaussian mixtures by maximum a posteriori, with the covariance prior of Fraley and Raftery (2007).

"The paper" is Fraley and Raftery, Bayesian regularization for normal mixture estimation and model-based
clustering, J. Classification 24, 2007. It gives every covariance an inverse Wishart prior. Here the prior
is written with its density counted from its own mode T, so that it has no unit and is 0 at Sigma = T:

    J = - sum_i w_i log sum_k f_ik pi_k N(x_i; mu_k, Sigma_k)
        + nu/2 sum_Sigma [ tr(Sigma^-1 T) - log det(Sigma^-1 T) - p ],

where the last sum goes over the different covariances: c of them, or one for "tied". The bracket is twice
the Kullback-Leibler divergence of N(0, Sigma) from N(0, T): a covariance answers for nu more rows, which
lie as T says. The paper's nu_P + p + 2 is nu, and its Lambda_P is nu T; it has a prior of the means too,
which has no place here (kappa_P = 0). The paper's T is the covariance of the data divided by c^(2/p).

The M step, derived from J: with a_ik = w_i r_ik, N_k = sum_i a_ik and the scatter
C_k = sum_i a_ik (x_i - mu_k)(x_i - mu_k)', the part of J with Sigma_k is
(N_k + nu)/2 log det Sigma_k + tr(Sigma_k^-1 (C_k + nu T))/2, and its minimiser is

    full: (C_k + nu T)/(N_k + nu)                 tied: (sum_k C_k + nu T)/(sum_k N_k + nu)
    diag: diagonal of the full one                spherical: mean of that diagonal.
"""

from __future__ import annotations

import numpy as np

from .geometries import add_log_labels, covariance_matrix, gmm_log_joint, normalise_logarithms, row_weights


def prior_term(covariances, kind, c, p, nu, T):
    """nu/2 sum_Sigma [tr(Sigma^-1 T) - log det(Sigma^-1 T) - p], for "diag" and "spherical" with diag T."""
    total = 0.0
    if kind in ("diag", "spherical"):
        T = np.diag(np.diag(T))
    for k in range(1 if kind == "tied" else c):
        ratio = np.linalg.inv(covariance_matrix(covariances, kind, k, p)) @ T
        total += nu / 2.0 * (np.trace(ratio) - np.log(np.linalg.det(ratio)) - p)
    return total


def m_step(X, R, kind, nu, T, w):
    """pi_k = N_k / sum_l N_l, mu_k = sum_i a_ik x_i / N_k, and covariances as above."""
    n, p = X.shape
    c = R.shape[1]
    N, means, scatter = np.zeros(c), np.zeros((c, p)), np.zeros((c, p, p))
    for k in range(c):
        for i in range(n):
            N[k] += w[i] * R[i, k]
            means[k] += w[i] * R[i, k] * X[i]
        means[k] /= N[k]
        for i in range(n):
            z = X[i] - means[k]
            scatter[k] += w[i] * R[i, k] * np.outer(z, z)
    if kind == "tied":
        covariances = (np.sum(scatter, axis=0) + nu * T) / (np.sum(N) + nu)
    else:
        full = np.array([(scatter[k] + nu * T) / (N[k] + nu) for k in range(c)])
        diagonals = np.array([np.diag(full[k]) for k in range(c)])
        covariances = {"full": full, "diag": diagonals, "spherical": np.mean(diagonals, axis=1)}[kind]
    return means, covariances, N / np.sum(N)


def map_em_iteration(X, means, covariances, weights, kind, nu, T, w=None, f=None):
    """One step of EM for J; returns (R, means, covariances, weights, J of the OLD parameters)."""
    w = row_weights(X, w)
    joint = gmm_log_joint(X, means, covariances, weights, kind)
    if f is not None:
        joint = add_log_labels(joint, f)
    R, log_sum = normalise_logarithms(joint)
    J = -np.sum(w * log_sum) + prior_term(covariances, kind, len(means), X.shape[1], nu, T)
    return R, *m_step(X, R, kind, nu, T, w), J
