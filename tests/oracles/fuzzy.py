"""Fuzzy c-means and its robust relatives: noise cluster, density weights, Schneider weights.

"The SWFCM paper" is Xia, Han, Liu and Zhou (ESEP 2011), A sample-weighted robust fuzzy c-means
clustering algorithm.
"""

from __future__ import annotations

import numpy as np

from .answer import Answer, alternate


def squared_distances(X, V):
    """d_ik = |x_i - v_k|^2, by differences (no expansion into products)."""
    d = np.zeros((len(X), len(V)))
    for k in range(len(V)):
        d[:, k] = np.sum((X - V[k]) ** 2, axis=1)
    return d


def fuzzy_memberships(d, m):
    """u_ik = 1 / sum_l (d_ik / d_il)^(1/(m-1)), equation (2) of the SWFCM paper (d is squared).

    Minimises sum_k u_ik^m d_ik on the simplex. A row with zero distances shares its membership
    equally among the clusters at distance zero.
    """
    n, c = d.shape
    U = np.zeros((n, c))
    for i in range(n):
        zero = d[i] == 0
        if zero.any():
            U[i, zero] = 1.0 / zero.sum()
            continue
        for k in range(c):
            with np.errstate(over="ignore"):
                U[i, k] = 1.0 / np.sum((d[i, k] / d[i]) ** (1.0 / (m - 1.0)))
    return U


def fuzzy_means(X, U, V, m, w):
    """v_k = sum_i w_i u_ik^m x_i / sum_i w_i u_ik^m."""
    V = V.copy()
    for k in range(len(V)):
        V[k] = (w * U[:, k] ** m) @ X / np.sum(w * U[:, k] ** m)
    return V


def fuzzy_c_means(X, V0, *, m, weights=None, tol=1e-13, max_iter=5000) -> Answer:
    """FCM, equations (1)-(3) of the SWFCM paper.

    J = sum_i w_i sum_k u_ik^m d_ik, sum_k u_ik = 1.
    v_k = sum_i w_i u_ik^m x_i / sum_i w_i u_ik^m.
    """
    X = np.array(X, float)
    w = np.ones(len(X)) if weights is None else np.array(weights, float)

    def rows(V):
        d = squared_distances(X, V)
        U = fuzzy_memberships(d, m)
        return U, None, np.sum(w[:, None] * U**m * d)

    def centres(V, U, T):
        return fuzzy_means(X, U, V, m, w)

    return alternate(V0, rows, centres, tol, max_iter)


def noise_fuzzy_c_means(X, V0, *, m, noise_distance, weights=None, tol=1e-13, max_iter=5000) -> Answer:
    """FCM with a noise cluster (Dave 1991): all rows lie at distance delta from it.

    J = sum_i w_i (sum_k u_ik^m d_ik + (1 - sum_k u_ik)^m delta^2).

    The memberships returned are the raw u of the real clusters: their row sums are below one and
    the rest, 1 - sum_k u_ik, belongs to noise. delta is a distance, so it enters J squared.
    """
    X = np.array(X, float)
    w = np.ones(len(X)) if weights is None else np.array(weights, float)
    noise = np.full((len(X), 1), float(noise_distance) ** 2)

    def rows(V):
        d = np.hstack([squared_distances(X, V), noise])
        U = fuzzy_memberships(d, m)
        return U[:, : len(V)], None, np.sum(w[:, None] * U**m * d)

    def centres(V, U, T):
        return fuzzy_means(X, U, V, m, w)

    return alternate(V0, rows, centres, tol, max_iter)


def density_weights(X, rate, weights=None):
    """phi_j = sum_k w_k exp(-rate |x_j - x_k|^2), equation (4) of the SWFCM paper.

    The term k = j is part of the sum, as printed. The sample weights w_k are ours: a row of
    weight 2 counts as two equal rows.
    """
    X = np.array(X, float)
    w = np.ones(len(X)) if weights is None else np.array(weights, float)
    phi = np.zeros(len(X))
    for j in range(len(X)):
        for k in range(len(X)):
            phi[j] += w[k] * np.exp(-rate * np.sum((X[j] - X[k]) ** 2))
    return phi


def sample_weighted_fcm(X, V0, *, m, rate, weights=None, tol=1e-13, max_iter=5000) -> Answer:
    """SWFCM, equations (4) and (6)-(8) of the SWFCM paper.

    J = sum_j w_j phi_j sum_i u_ij^m |x_j - v_i|^2: FCM with the fixed row weights phi of (4).

    Corrected misprint: (8) sums u_ij^m phi_j x_k, it must be x_j. (The line below (6) calls the
    weight psi_j; it is phi_j.)
    """
    w = np.ones(len(X)) if weights is None else np.array(weights, float)
    phi = density_weights(X, rate, weights)
    return fuzzy_c_means(X, V0, m=m, weights=w * phi, tol=tol, max_iter=max_iter)


def schneider_weights(X, V, rate):
    """phi_j = sum_i exp(-rate |x_j - v_i|^2), equation (5) of the SWFCM paper (Schneider)."""
    phi = np.zeros(len(X))
    for j in range(len(X)):
        for i in range(len(V)):
            phi[j] += np.exp(-rate * np.sum((X[j] - V[i]) ** 2))
    return phi


def schneider_fcm(X, V0, *, m, rate, weights=None, tol=1e-13, max_iter=5000) -> Answer:
    """FCM with the row weights of equation (5), recomputed at the current centres every iteration.

    J = sum_j w_j phi_j(V) sum_i u_ij^m |x_j - v_i|^2.

    Each iteration: phi at the current centres, then memberships (phi does not change them), then
    centres with phi held fixed. The centre step ignores phi's own dependence on V, so the history
    of J may rise: this is a fixed-point iteration, not a descent.
    """
    X = np.array(X, float)
    w = np.ones(len(X)) if weights is None else np.array(weights, float)

    def rows(V):
        phi = w * schneider_weights(X, V, rate)
        d = squared_distances(X, V)
        U = fuzzy_memberships(d, m)
        return U, None, np.sum(phi[:, None] * U**m * d)

    def centres(V, U, T):
        return fuzzy_means(X, U, V, m, w * schneider_weights(X, V, rate))

    return alternate(V0, rows, centres, tol, max_iter)
