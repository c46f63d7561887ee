"""Possibilistic c-means and its mixtures with fuzzy c-means, every scale gamma_k held fixed.

"The SRPCM paper" is the one on semi-supervised repulsive possibilistic c-means whose section II
recalls PCM, RPCM and PFCM in equations (1)-(10). d_ik is the SQUARED distance throughout.

How the published Iris table of the SWFCM paper (Table 1) comes out: each of PCM, PFCM and IPCM
starts at the FINAL centres of the FCM run that gave gamma. Started at the FCM's own start
instead, the error counts are the same but the iterations are not (PCM 41, PFCM 28, IPCM 89,
against 36, 22, 98 from the FCM's centres and 37, 23, 99 in the table).
"""

from __future__ import annotations

import numpy as np

from .answer import Answer, alternate
from .fuzzy import fuzzy_c_means, fuzzy_memberships, squared_distances


def scale_from_fuzzy(X, V, U, m, factor=1.0, weights=None):
    """gamma_k = K sum_i w_i u_ik^m d_ik / sum_i w_i u_ik^m, equation (2) of the SRPCM paper.

    K = factor; V and U are those of a converged FCM.
    """
    X = np.array(X, float)
    w = np.ones(len(X)) if weights is None else np.array(weights, float)
    d = squared_distances(X, V)
    gamma = np.zeros(len(V))
    for k in range(len(V)):
        gamma[k] = factor * np.sum(w * U[:, k] ** m * d[:, k]) / np.sum(w * U[:, k] ** m)
    return gamma


def scale_tau_cut(X, V, U, tau, weights=None):
    """gamma_k = sum of w_i d_ik over the rows with u_ik > tau / sum of w_i over the same rows.

    The lecture notes print u_ik^q d_ik in the numerator with a plain count below, which is no
    mean of distances; corrected here to the mean of d over the cut. No row in a cut: ValueError.
    """
    X = np.array(X, float)
    w = np.ones(len(X)) if weights is None else np.array(weights, float)
    d = squared_distances(X, V)
    gamma = np.zeros(len(V))
    for k in range(len(V)):
        inside = U[:, k] > tau
        if not inside.any():
            raise ValueError(f"no row has membership above {tau} in cluster {k}")
        gamma[k] = np.sum(w[inside] * d[inside, k]) / np.sum(w[inside])
    return gamma


def scale_from_improved(X, V, U, T, m, eta, weights=None):
    """gamma_k = sum_i w_i u_ik^m t_ik^eta d_ik / sum_i w_i u_ik^m t_ik^eta (Zhang & Leung 2004).

    For their variant 2 (entropy) eta = 1.
    """
    X = np.array(X, float)
    w = np.ones(len(X)) if weights is None else np.array(weights, float)
    d = squared_distances(X, V)
    gamma = np.zeros(len(V))
    for k in range(len(V)):
        influence = w * U[:, k] ** m * T[:, k] ** eta
        gamma[k] = np.sum(influence * d[:, k]) / np.sum(influence)
    return gamma


def _setting(X, V0, weights, scale):
    """X, the numbers of rows and clusters, one weight a row and one scale a cluster."""
    X, c = np.array(X, float), len(V0)
    w = np.ones(len(X)) if weights is None else np.array(weights, float)
    return X, len(X), c, w, np.ones(c) * scale


def _means(X, influence, V):
    """v_k = the mean of x weighted by influence(k)."""
    V = V.copy()
    for k in range(len(V)):
        V[k] = influence(k) @ X / np.sum(influence(k))
    return V


def possibilistic_c_means(X, V0, *, m, scale, weights=None, tol=1e-13, max_iter=5000) -> Answer:
    """PCM, section II of the SRPCM paper.

    J = sum_i w_i sum_k (t_ik^m d_ik + gamma_k (1 - t_ik)^m).
    t_ik = 1 / (1 + (d_ik / gamma_k)^(1/(m-1))), v_k = sum w t^m x / sum w t^m.

    Corrected misprint: (1) reads 0 >= t >= 1, it is 0 <= t <= 1.
    """
    X, n, c, w, gamma = _setting(X, V0, weights, scale)

    def rows(V):
        d = squared_distances(X, V)
        T, J = np.zeros((n, c)), 0.0
        for k in range(c):
            T[:, k] = 1.0 / (1.0 + (d[:, k] / gamma[k]) ** (1.0 / (m - 1.0)))
            J += np.sum(w * T[:, k] ** m * d[:, k]) + gamma[k] * np.sum(w * (1.0 - T[:, k]) ** m)
        return None, T, J

    def centres(V, U, T):
        return _means(X, lambda k: w * T[:, k] ** m, V)

    return alternate(V0, rows, centres, tol, max_iter)


def possibilistic_entropy(X, V0, *, scale, weights=None, tol=1e-13, max_iter=5000) -> Answer:
    """PCM with the entropy penalty, "Alternative GCPAS" of the lecture notes.

    J = sum_i w_i sum_k (t_ik d_ik + gamma_k (t_ik ln t_ik - t_ik)), as printed, so J <= 0:
    adding gamma_k inside the bracket (t ln t - t + 1) shifts J by the constant
    sum_i w_i sum_k gamma_k and nothing else.
    t_ik = exp(-d_ik / gamma_k), v_k = sum w t x / sum w t.
    """
    X, n, c, w, gamma = _setting(X, V0, weights, scale)

    def rows(V):
        d = squared_distances(X, V)
        T, J = np.zeros((n, c)), 0.0
        for k in range(c):
            log_t = -d[:, k] / gamma[k]
            t = np.exp(log_t)
            T[:, k] = t
            J += np.sum(w * t * d[:, k]) + gamma[k] * np.sum(w * (t * log_t - t))
        return None, T, J

    def centres(V, U, T):
        return _means(X, lambda k: w * T[:, k], V)

    return alternate(V0, rows, centres, tol, max_iter)


def possibilistic_fuzzy(X, V0, *, a, b, m, eta, scale, weights=None, tol=1e-13, max_iter=5000) -> Answer:
    """PFCM (Pal 2005), equations (5)-(10) of the SRPCM paper.

    J = sum_i w_i sum_k ((a u_ik^m + b t_ik^eta) d_ik + gamma_k (1 - t_ik)^eta), sum_k u_ik = 1.
    u as FCM (8), t_ik = 1 / (1 + (b d_ik / gamma_k)^(1/(eta-1))) (9),
    v_k = the mean of x weighted by w (a u^m + b t^eta) (10).

    Corrected misprint: (6) holds for all rows i, not "for all k".
    """
    X, n, c, w, gamma = _setting(X, V0, weights, scale)

    def rows(V):
        d = squared_distances(X, V)
        U = fuzzy_memberships(d, m)
        T, J = np.zeros((n, c)), 0.0
        for k in range(c):
            T[:, k] = 1.0 / (1.0 + (b * d[:, k] / gamma[k]) ** (1.0 / (eta - 1.0)))
            J += np.sum(w * (a * U[:, k] ** m + b * T[:, k] ** eta) * d[:, k])
            J += gamma[k] * np.sum(w * (1.0 - T[:, k]) ** eta)
        return U, T, J

    def centres(V, U, T):
        return _means(X, lambda k: w * (a * U[:, k] ** m + b * T[:, k] ** eta), V)

    return alternate(V0, rows, centres, tol, max_iter)


def improved_possibilistic(
    X, V0, *, m, eta, scale, variant=1, weights=None, tol=1e-13, max_iter=5000
) -> Answer:
    """IPCM (Zhang & Leung 2004) with gamma fixed; m the fuzzy, eta the typicality exponent.

    Variant 1: J = sum_i w_i sum_k u_ik^m (t_ik^eta d_ik + gamma_k (1 - t_ik)^eta),
    t as PCM with exponent eta, v_k = the mean of x weighted by w u^m t^eta.

    Variant 2: J = sum_i w_i sum_k u_ik^m (t_ik d_ik + gamma_k (t_ik ln t_ik - t_ik + 1)),
    t_ik = exp(-d_ik / gamma_k), v_k = the mean of x weighted by w u^m t; eta is not used.

    In both, with cost_ik the bracket at the optimal t, u_ik is FCM's rule with cost for d.
    """
    X, n, c, w, gamma = _setting(X, V0, weights, scale)
    power = eta if variant == 1 else 1.0

    def rows(V):
        d = squared_distances(X, V)
        T, cost = np.zeros((n, c)), np.zeros((n, c))
        for k in range(c):
            if variant == 1:
                t = 1.0 / (1.0 + (d[:, k] / gamma[k]) ** (1.0 / (eta - 1.0)))
                cost[:, k] = t**eta * d[:, k] + gamma[k] * (1.0 - t) ** eta
            else:
                log_t = -d[:, k] / gamma[k]
                t = np.exp(log_t)
                cost[:, k] = t * d[:, k] + gamma[k] * (t * log_t - t + 1.0)
            T[:, k] = t
        U = fuzzy_memberships(cost, m)
        return U, T, np.sum(w[:, None] * U**m * cost)

    def centres(V, U, T):
        return _means(X, lambda k: w * U[:, k] ** m * T[:, k] ** power, V)

    return alternate(V0, rows, centres, tol, max_iter)


def improved_possibilistic_two_pass(
    X, V0, *, m, eta, variant=1, factor=1.0, weights=None, tol=1e-13, max_iter=5000
) -> Answer:
    """IPCM with its scale estimated twice (Zhang & Leung 2004): the answer of the SECOND pass.

    1. FCM from V0; gamma = ``scale_from_fuzzy`` of it (times factor, here only).
    2. IPCM with that gamma, from the FCM's final centres.
    3. gamma = ``scale_from_improved`` of it (eta = 1 for variant 2).
    4. IPCM with the new gamma, from the current centres.

    ``history`` and ``n_iter`` are those of step 4: J of step 2 has another gamma.

    This reading gives the IPCM row of Table 1 of the SWFCM paper (variant 1, m = eta = 2): 15 (71)
    errors, 57 + 41 iterations for 99. Step 2 from V0: 15 (71) too, but 48 + 41 iterations. Step 4
    from the FCM's centres: 15 (71), but 57 + 70. Step 4 from V0: 31 (86) errors. One pass only:
    12 (34). Variant 2: 14 (80).
    """
    settings = {"weights": weights, "tol": tol, "max_iter": max_iter}
    fcm = fuzzy_c_means(X, V0, m=m, **settings)
    gamma = scale_from_fuzzy(X, fcm.centers, fcm.memberships, m, factor, weights)
    first = improved_possibilistic(X, fcm.centers, m=m, eta=eta, scale=gamma, variant=variant, **settings)
    power = eta if variant == 1 else 1.0
    gamma = scale_from_improved(X, first.centers, first.memberships, first.typicalities, m, power, weights)
    return improved_possibilistic(X, first.centers, m=m, eta=eta, scale=gamma, variant=variant, **settings)
