"""Possibilistic c-means with a term that keeps the centres apart.

"The SRPCM paper": semi-supervised repulsive possibilistic c-means, equation (3) is RPCM.
"The sPCM paper": Liu and Wu, semi-supervised possibilistic clustering on maximised central
distance, equations (2-1) and (3-1)-(3-3); here without labels (alpha = 0).
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize

from .answer import Answer, alternate
from .fuzzy import squared_distances


def repulsion_value(V, strength):
    """R(V) = sum_k eta_k sum over l != k of 1 / |v_k - v_l|^2, last term of equation (3)."""
    c = len(V)
    eta = np.ones(c) * strength
    R = 0.0
    for k in range(c):
        for j in range(c):
            if j != k:
                R += eta[k] / np.sum((V[k] - V[j]) ** 2)
    return R


def repulsion_gradient(V, strength):
    """dR/dv_k = -2 sum over l != k of (eta_k + eta_l) (v_k - v_l) / |v_k - v_l|^4, shape (c, p).

    Corrected misprint: the paper's gradient and (4) carry eta_k alone, but the pair k, l occurs
    twice in R, once with eta_k and once with eta_l.
    """
    V = np.array(V, float)
    c = len(V)
    eta = np.ones(c) * strength
    G = np.zeros_like(V)
    for k in range(c):
        for j in range(c):
            if j != k:
                difference = V[k] - V[j]
                G[k] -= 2.0 * (eta[k] + eta[j]) * difference / (difference @ difference) ** 2
    return G


def repulsion_hessian(V, strength):
    """The whole Hessian of R, shape (c p, c p), in the order of V.ravel().

    A pair with D = |v_k - v_l|^2, e = v_k - v_l adds
    B = (eta_k + eta_l) (8 e e' / D^3 - 2 I / D^2)
    to the diagonal blocks kk and ll and -B to the blocks kl and lk.

    Corrected misprints: the paper has eta_k for eta_k + eta_l, 1/d_lk^2 for 1/|v_k - v_l|^4,
    twice the mixed derivative, and no off-diagonal blocks.
    """
    V = np.array(V, float)
    c, p = V.shape
    eta = np.ones(c) * strength
    H = np.zeros((c, p, c, p))
    for k in range(c):
        for j in range(c):
            if j != k:
                e = V[k] - V[j]
                D = e @ e
                B = (eta[k] + eta[j]) * (8.0 * np.outer(e, e) / D**3 - 2.0 * np.eye(p) / D**2)
                H[k, :, k, :] += B
                H[k, :, j, :] -= B
    return H.reshape(c * p, c * p)


def central_distance_value(V, strength):
    """-beta sum_i sum over h != i of |v_i - v_h|^2: minus (2-1), as it stands in (3-1)."""
    value = 0.0
    for i in range(len(V)):
        for h in range(len(V)):
            if h != i:
                value -= strength * np.sum((V[i] - V[h]) ** 2)
    return value


def _typicalities(X, V, m, gamma, w):
    """The PCM half of the objective: t_ik = 1 / (1 + (d_ik / gamma_k)^(1/(m-1))) and its J."""
    d = squared_distances(X, V)
    T = np.zeros_like(d)
    J = 0.0
    for k in range(len(V)):
        T[:, k] = 1.0 / (1.0 + (d[:, k] / gamma[k]) ** (1.0 / (m - 1.0)))
        J += np.sum(w * T[:, k] ** m * d[:, k]) + gamma[k] * np.sum(w * (1.0 - T[:, k]) ** m)
    return T, J


def _repulsive_centres(V, mass, means, strength):
    """A local minimum of sum_k mass_k |v_k - means_k|^2 + R(V) near V, not above V's value.

    A trust region from V (as the SRPCM paper proposes), then plain Newton steps for as long as
    they shrink the gradient: near the minimum the differences of values on which a trust region
    decides are below rounding, those of gradients are not.
    """
    c, p = V.shape

    def value(v):
        v = v.reshape(c, p)
        return np.sum(mass[:, None] * (v - means) ** 2) + repulsion_value(v, strength)

    def gradient(v):
        v = v.reshape(c, p)
        return (2.0 * mass[:, None] * (v - means) + repulsion_gradient(v, strength)).ravel()

    def hessian(v):
        spring = np.diag(np.repeat(2.0 * mass, p))
        return spring + repulsion_hessian(v.reshape(c, p), strength)

    gaps = [np.linalg.norm(V[k] - V[j]) for k in range(c) for j in range(k)]
    radius = 0.25 * min(gaps) if gaps else 1.0
    size = 2.0 * np.max(mass) * (np.max(np.abs(means)) + np.max(np.abs(V)))
    start = V.ravel()
    found = minimize(
        value,
        start,
        jac=gradient,
        hess=hessian,
        method="trust-exact",
        options={
            "gtol": 1e-12 * size,
            "maxiter": 1000,
            "initial_trust_radius": radius,
            "max_trust_radius": 1000.0 * radius,
        },
    ).x
    if value(found) > value(start):
        found = start
    for _ in range(20):
        step = found - np.linalg.solve(hessian(found), gradient(found))
        if not np.max(np.abs(gradient(step))) < np.max(np.abs(gradient(found))):
            break
        if value(step) > value(start) * (1.0 + 1e-14):
            break
        found = step
    return found.reshape(c, p)


def repulsive_pcm(X, V0, *, m, scale, strength, weights=None, tol=1e-13, max_iter=5000) -> Answer:
    """RPCM (Timm 2004), equation (3) of the SRPCM paper; strength = eta, one or one a cluster.

    J = J_PCM + sum_k eta_k sum over l != k of 1 / |v_k - v_l|^2.

    t as PCM. The centres minimise J at fixed t to rounding, all together, by a trust region from
    the current centres; the paper's (4) is a fixed point of frozen distances that carries eta_k
    for eta_k + eta_l, may have a denominator <= 0 and may raise J: not used. Two equal centres
    at the start have J = infinity.

    Under a strong repulsion J falls as a centre leaves the data: its PCM part stays below
    gamma_k sum_i w_i while the repulsion tends to zero, so the infimum lies at infinity. A centre
    a million data radii away is taken as that case: ValueError.
    """
    X, c = np.array(X, float), len(V0)
    w = np.ones(len(X)) if weights is None else np.array(weights, float)
    gamma = np.ones(c) * scale
    radius = np.max(np.abs(X - X.mean(axis=0)))

    def rows(V):
        T, J_pcm = _typicalities(X, V, m, gamma, w)
        return None, T, J_pcm + repulsion_value(V, strength)

    def centres(V, U, T):
        mass = np.zeros(c)
        means = np.zeros_like(V)
        for k in range(c):
            mass[k] = np.sum(w * T[:, k] ** m)
            means[k] = (w * T[:, k] ** m) @ X / mass[k]
        V_new = _repulsive_centres(V, mass, means, strength)
        if np.max(np.abs(V_new - X.mean(axis=0))) > 1e6 * radius:
            raise ValueError("repulsion drives a centre to infinity")
        return V_new

    return alternate(V0, rows, centres, tol, max_iter)


def central_distance_pcm(X, V0, *, m, scale, strength, weights=None, tol=1e-13, max_iter=5000) -> Answer:
    """sPCM without labels, equation (3-1) of the sPCM paper with alpha = 0; strength = beta.

    J = J_PCM - beta sum_i sum over h != i of |v_i - v_h|^2.

    t as PCM, (3-2). Centres: the exact solution V of (diag(s) - 2 beta (c I - 11')) V = R with
    s_k = sum_i w_i t_ik^m, R_k = sum_i w_i t_ik^m x_i.

    Corrected misprint: (3-3) carries beta where the derivative gives 2 beta (each pair occurs
    twice in the sum). Where the matrix is not positive definite the centre step has no minimum:
    ValueError. J itself is unbounded below for every beta > 0 and c > 1 (far centres: the PCM
    part is bounded, the last term is not), so an answer is a local minimum, and a run may reach a
    matrix that is not positive definite only after several iterations.
    """
    X, c = np.array(X, float), len(V0)
    w = np.ones(len(X)) if weights is None else np.array(weights, float)
    gamma = np.ones(c) * scale

    def rows(V):
        T, J_pcm = _typicalities(X, V, m, gamma, w)
        return None, T, J_pcm + central_distance_value(V, strength)

    def centres(V, U, T):
        s, R = np.zeros(c), np.zeros_like(V)
        for k in range(c):
            s[k] = np.sum(w * T[:, k] ** m)
            R[k] = (w * T[:, k] ** m) @ X
        A = np.diag(s) - 2.0 * strength * (c * np.eye(c) - np.ones((c, c)))
        if np.min(np.linalg.eigvalsh(A)) <= 0:
            raise ValueError("beta is so large that J is unbounded below in the centres")
        return np.linalg.solve(A, R)

    return alternate(V0, rows, centres, tol, max_iter)
