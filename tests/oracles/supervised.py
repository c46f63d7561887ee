"""Clustering with partial labels: k-means, FCM, PCM and their mixtures with a label penalty.

"The SRPCM paper": semi-supervised repulsive possibilistic c-means, equations (11) and (12) are SRPCM
and SPFCM. "The sPCM paper": Liu and Wu, semi-supervised possibilistic clustering on maximised central
distance, equations (3-1)-(3-3). "Pedrycz and Waletzky": Fuzzy clustering with partial supervision
(1997), the sFCM of the sPCM paper.

d_ik is the SQUARED distance throughout. F holds the target degrees f_ik in [0, 1], NaN where nothing
is said; b_ik = 1 where something is said, else 0. alpha is the label strength, a number or one a row.
Every label term has the form alpha_i b_ik (z_ik - f_ik)^2 d_ik with z = u or t: the square stays a
square for other exponents, where the SRPCM paper prints (t - f)^m and (t - f)^eta and then sets both
to 2 (an odd or broken power of a negative difference is no penalty).

As d_ik multiplies it, the penalty PULLS: the centre step weighs row i by w_i alpha_i b_ik
(z_ik - f_ik)^2 on top of its share, so a row labelled "not in k" (f = 0) attracts v_k as long as z
disagrees; and a row that lies on v_k pays nothing there, whatever its label.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.optimize import brentq
from scipy.special import xlogy

from .answer import Answer, alternate
from .fuzzy import fuzzy_memberships, squared_distances
from .separated import _repulsive_centres, central_distance_value, repulsion_value

# Table 4-1 of the sPCM paper: two diamonds of five points, x11 between them and x12 far above. Labelled
# are x1 (f = 1, 0) and x6 (f = 0, 1), rows 0 and 5: x1 is the outer tip of the left diamond, x6 the
# inner tip of the right one.
X12 = np.array(
    [
        [-5.0, 0.0],
        [-3.34, 1.67],
        [-3.34, 0.0],
        [-3.34, -1.67],
        [-1.67, 0.0],
        [1.67, 0.0],
        [3.34, 1.67],
        [3.34, 0.0],
        [3.34, -1.67],
        [5.0, 0.0],
        [0.0, 0.0],
        [0.0, 10.0],
    ]
)
F12 = np.full((12, 2), np.nan)
F12[0] = [1.0, 0.0]
F12[5] = [0.0, 1.0]


ROUNDING = 4 * np.finfo(float).eps  # the least relative tolerance of Brent's method


# One row, one entry.


def increasing_root(function, low, high):
    """The zero of an increasing function on [low, high] to rounding; an end where there is none inside.

    A bracketing search (Brent), so the answer is between two points of opposite sign.
    """
    if function(low) >= 0:
        return low
    if function(high) <= 0:
        return high
    return brentq(function, low, high, xtol=1e-300, rtol=ROUNDING, maxiter=10000)


def hard_row(d, alpha, f):
    """The unit vector u with the least sum_k d_k (u_k + alpha b_k (u_k - f_k)^2), all c of them tried.

    The first of equals; f is NaN where nothing is said.
    """
    c = len(d)
    best, least = 0, math.inf
    for k in range(c):
        value = d[k]
        for j in range(c):
            if not math.isnan(f[j]):
                value += alpha * d[j] * ((j == k) - f[j]) ** 2
        if value < least:
            best, least = k, value
    u = np.zeros(c)
    u[best] = 1.0
    return u


def simplex_row(cost, m, alpha, f, total=1.0):
    """argmin of sum_k cost_k (u_k^m + alpha b_k (u_k - f_k)^2) over u >= 0 with sum_k u_k = total.

    f is NaN where nothing is said (b_k = 0). The sum is convex, so u is the minimum where for some
    lambda every entry has cost_k (m u_k^(m-1) + 2 alpha b_k (u_k - f_k)) = lambda, or u_k = 0 with the
    left side above lambda. The left side grows with u_k, so u_k(lambda) is one root search and
    sum_k u_k(lambda) = total another one. Where every u_k <= total / c the sum is at most total, where
    every u_k >= total / c at least: the bracket for lambda.

    lambda < 0 where the labels want more than total at lambda = 0: an entry with f_k = 0 or without a
    label is 0 then, one with f_k > 0 may be.

    Entries of cost 0 are free: the others take what they want at lambda = 0 (nothing without a label,
    but a labelled one keeps a share), at most total, and the rest goes to the free ones. J does not say
    how they share it; here as if their costs were equal and positive, the limit of distances that
    vanish together. Without labels that is the equal share of ``fuzzy_memberships``.
    """
    cost, f = np.array(cost, float), np.array(f, float)
    c = len(cost)
    u = np.zeros(c)
    if total <= 0:
        return u
    free = cost == 0
    if free.any():
        wanted = np.zeros(c)
        for k in range(c):
            if not free[k]:
                wanted[k] = _share(0.0, cost[k], m, alpha, f[k], total)
        if np.sum(wanted) < total:
            u = wanted
            u[free] = simplex_row(np.ones(free.sum()), m, alpha, f[free], total - np.sum(wanted))
        else:
            u[~free] = simplex_row(cost[~free], m, alpha, f[~free], total)
        return u
    cost, f = cost.tolist(), f.tolist()
    slopes = [_slope(total / c, cost[k], m, alpha, f[k]) for k in range(c)]

    def excess(multiplier):
        return math.fsum(_share(multiplier, cost[k], m, alpha, f[k], total) for k in range(c)) - total

    multiplier = increasing_root(excess, min(slopes), max(slopes))
    u = np.array([_share(multiplier, cost[k], m, alpha, f[k], total) for k in range(c)])
    return u * (total / np.sum(u))


def _slope(u, cost, m, alpha, f):
    """The derivative of cost (u^m + alpha b (u - f)^2)."""
    pull = 0.0 if math.isnan(f) else 2.0 * alpha * (u - f)
    return cost * (m * u ** (m - 1.0) + pull)


def _share(multiplier, cost, m, alpha, f, most):
    """The u in [0, most] whose slope is the multiplier, or the end nearest to it."""
    if _slope(0.0, cost, m, alpha, f) >= multiplier:
        return 0.0
    if _slope(most, cost, m, alpha, f) <= multiplier:
        return most
    if math.isnan(f) or alpha == 0:
        return (multiplier / (cost * m)) ** (1.0 / (m - 1.0))
    if m == 2:
        return (multiplier / cost + 2.0 * alpha * f) / (2.0 + 2.0 * alpha)
    return increasing_root(lambda u: _slope(u, cost, m, alpha, f) - multiplier, 0.0, most)


def typicality_entry(d, gamma, m, alpha, f, *, b=1.0, penalty="power"):
    """The t in [0, 1] with the least penalised cost; f is NaN where nothing is said (b_ik = 0).

    "power": b t^m d + gamma (1 - t)^m + alpha b_ik (t - f)^2 d. m = 2 is the quotient the SRPCM paper
    prints, t = (gamma + alpha b_ik f d) / (gamma + (b + alpha b_ik) d); other m: the zero of the
    derivative, which grows from below zero at t = 0 to at least zero at t = 1.

    "entropy": b t d + gamma (t ln t - t) + alpha b_ik (t - f)^2 d, the zero of
    b d + gamma s + 2 alpha b_ik (e^s - f) d in s = ln t; m is not used.
    """
    d, gamma = float(d), float(gamma)
    strength, target = (0.0, 0.0) if math.isnan(f) else (float(alpha), float(f))
    if penalty == "entropy":
        low = -(b + 2.0 * strength) * d / gamma
        return math.exp(
            increasing_root(
                lambda s: b * d + gamma * s + 2.0 * strength * (math.exp(s) - target) * d, low, 0.0
            )
        )
    if penalty != "power":
        raise ValueError(f"penalty is {penalty!r}, not 'power' or 'entropy'")
    if m == 2:
        return (gamma + strength * target * d) / (gamma + (b + strength) * d)
    return increasing_root(
        lambda t: (
            m * b * d * t ** (m - 1.0)
            - m * gamma * (1.0 - t) ** (m - 1.0)
            + 2.0 * strength * (t - target) * d
        ),
        0.0,
        1.0,
    )


def improved_entry(d, gamma, eta, variant):
    """IPCM's (cost, t): the least t^eta d + gamma (1 - t)^eta (variant 1) and the t that has it.

    Variant 2: the least t d + gamma (t ln t - t + 1), which is gamma (1 - exp(-d / gamma)).
    """
    if variant == 1:
        t = typicality_entry(d, gamma, eta, 0.0, math.nan)
        return t**eta * d + gamma * (1.0 - t) ** eta, t
    return -gamma * math.expm1(-d / gamma), math.exp(-d / gamma)


# What the fits share.


def with_unlabelled(F, unlabelled):
    """F as it is ("free"), or with f = 0, b = 1 in every row that is all NaN ("zero")."""
    F = np.array(F, float)
    if unlabelled == "zero":
        for i in range(len(F)):
            if np.isnan(F[i]).all():
                F[i] = 0.0
    elif unlabelled != "free":
        raise ValueError(f"unlabelled is {unlabelled!r}, not 'free' or 'zero'")
    return F


def disagreement(Z, F, alpha):
    """alpha_i b_ik (z_ik - f_ik)^2, zero where F is NaN: what the label adds to a row's influence."""
    extra = np.zeros(Z.shape)
    alpha = np.ones(len(Z)) * alpha
    for i in range(Z.shape[0]):
        for k in range(Z.shape[1]):
            if not math.isnan(F[i, k]):
                extra[i, k] = alpha[i] * (Z[i, k] - F[i, k]) ** 2
    return extra


def _setting(X, F, alpha, weights):
    """X, F, one label strength a row, one weight a row."""
    X = np.array(X, float)
    w = np.ones(len(X)) if weights is None else np.array(weights, float)
    return X, np.array(F, float), np.ones(len(X)) * alpha, w


def _means(X, influence, V):
    """v_k = the mean of x weighted by column k of influence; a column of zeros keeps its centre."""
    V = V.copy()
    for k in range(len(V)):
        total = np.sum(influence[:, k])
        if total > 0:
            V[k] = influence[:, k] @ X / total
    return V


def _possibilistic_rows(X, V, F, alpha, w, m, gamma, penalty):
    """T and sum_i w_i sum_k (t^m d + gamma_k (1 - t)^m + alpha_i b_ik (t - f)^2 d), or with entropy."""
    d = squared_distances(X, V)
    n, c = d.shape
    T = np.zeros((n, c))
    for i in range(n):
        for k in range(c):
            T[i, k] = typicality_entry(d[i, k], gamma[k], m, alpha[i], F[i, k], penalty=penalty)
    J = 0.0
    label = disagreement(T, F, alpha)
    for k in range(c):
        t = T[:, k]
        if penalty == "power":
            J += np.sum(w * t**m * d[:, k]) + gamma[k] * np.sum(w * (1.0 - t) ** m)
        else:
            J += np.sum(w * t * d[:, k]) + gamma[k] * np.sum(w * (xlogy(t, t) - t))
        J += np.sum(w * label[:, k] * d[:, k])
    return T, J


def _possibilistic_influence(T, F, alpha, w, m, penalty, printed_centers):
    """w_i (t^m + alpha_i b_ik (t - f)^2), t for t^m with entropy; only w_i t^m if printed_centers."""
    power = m if penalty == "power" else 1.0
    share = T**power
    if not printed_centers:
        share = share + disagreement(T, F, alpha)
    return w[:, None] * share


# The fits.


def semi_supervised_k_means(X, V0, *, F, alpha, weights=None, tol=1e-13, max_iter=5000) -> Answer:
    """K-means with a label penalty.

    J = sum_i w_i sum_k d_ik (u_ik + alpha_i b_ik (u_ik - f_ik)^2), u_ik in {0, 1}, sum_k u_ik = 1.

    u_i is the best of the c unit vectors (the first of equals), v_k the mean of x weighted by
    w (u + alpha b (u - f)^2). A cluster without weight keeps its centre.

    Hard labels (one f = 1, the others 0) hold for every alpha > 1: leaving for cluster k costs
    d_k + alpha (d_k + d_f), staying costs d_f. The label term is zero then, whatever alpha: this is
    Constrained k-means (Basu 2002). (Only a row on two equal centres leaves its label's cluster for
    the first of them, at no cost.)
    """
    X, F, alpha, w = _setting(X, F, alpha, weights)

    def rows(V):
        d = squared_distances(X, V)
        U = np.array([hard_row(d[i], alpha[i], F[i]) for i in range(len(X))])
        return U, None, np.sum(w[:, None] * d * (U + disagreement(U, F, alpha)))

    def centres(V, U, T):
        return _means(X, w[:, None] * (U + disagreement(U, F, alpha)), V)

    return alternate(V0, rows, centres, tol, max_iter)


def semi_supervised_fcm(
    X, V0, *, F, alpha, m, printed_centers=False, noise_distance=None, weights=None, tol=1e-13,
    max_iter=5000,
) -> Answer:  # fmt: skip
    """SFCM (Pedrycz and Waletzky 1997), the exponent m free.

    J = sum_i w_i sum_k d_ik (u_ik^m + alpha_i b_ik (u_ik - f_ik)^2), sum_k u_ik = 1, u_ik >= 0.

    u_i: ``simplex_row``. For m = 2 and a row with a label in every column whose f sum to one it is
    (u_FCM + alpha f) / (1 + alpha). v_k = the mean of x weighted by w (u^m + alpha b (u - f)^2).

    Two departures from the print. Pedrycz and Waletzky write (u_ik - f_ik b_i)^2, so that unlabelled
    rows pay alpha u^2 d; for m = 2 that changes no u, but it gives these rows the weight 1 + alpha in
    J and in its centres: here they pay nothing. And their centres are weighted by u^m alone, which is
    not the minimum of J: ``printed_centers``, where J may rise.

    noise_distance: one more column of cost delta^2 that no label touches, as in
    ``noise_fuzzy_c_means``; the memberships returned are those of the real clusters.
    """
    X, F, alpha, w = _setting(X, F, alpha, weights)
    n, c = F.shape
    extra = 0 if noise_distance is None else 1
    targets = np.hstack([F, np.full((n, extra), np.nan)])

    def rows(V):
        d = squared_distances(X, V)
        if extra:
            d = np.hstack([d, np.full((n, 1), float(noise_distance) ** 2)])
        U = np.array([simplex_row(d[i], m, alpha[i], targets[i]) for i in range(n)])
        return U[:, :c], None, np.sum(w[:, None] * d * (U**m + disagreement(U, targets, alpha)))

    def centres(V, U, T):
        share = U**m if printed_centers else U**m + disagreement(U, F, alpha)
        return _means(X, w[:, None] * share, V)

    return alternate(V0, rows, centres, tol, max_iter)


def semi_supervised_pcm(
    X, V0, *, F, alpha, scale, m=2.0, penalty="power", printed_centers=False, unlabelled="free",
    weights=None, tol=1e-13, max_iter=5000,
) -> Answer:  # fmt: skip
    """PCM with a label penalty: SRPCM without repulsion, sPCM without central distances.

    "power": J = sum_i w_i sum_k (t_ik^m d_ik + gamma_k (1 - t_ik)^m + alpha_i b_ik (t_ik - f_ik)^2 d_ik).
    "entropy": J = sum_i w_i sum_k (t_ik d_ik + gamma_k (t_ik ln t_ik - t_ik)
    + alpha_i b_ik (t_ik - f_ik)^2 d_ik), m is not used.

    t: ``typicality_entry``. v_k = the mean of x weighted by w (t^m + alpha b (t - f)^2), by t for t^m
    with entropy.

    printed_centers: centres weighted by t^m alone, after Pedrycz and Waletzky; J may rise. (Both papers
    print the full weight.) unlabelled: "zero" gives every row that is all NaN the label f = 0 in all
    columns, as the sPCM paper does. It still pays: for m = 2 such a row is a PCM row with scale
    gamma / (1 + alpha) and weight 1 + alpha, so f = 0 makes it pull v_k MORE than no label at all
    wherever d < gamma / sqrt(1 + alpha).
    """
    X, F, alpha, w = _setting(X, with_unlabelled(F, unlabelled), alpha, weights)
    gamma = np.ones(F.shape[1]) * scale

    def rows(V):
        T, J = _possibilistic_rows(X, V, F, alpha, w, m, gamma, penalty)
        return None, T, J

    def centres(V, U, T):
        return _means(X, _possibilistic_influence(T, F, alpha, w, m, penalty, printed_centers), V)

    return alternate(V0, rows, centres, tol, max_iter)


def semi_supervised_repulsive_pcm(
    X, V0, *, F, alpha, scale, strength, m=2.0, weights=None, tol=1e-13, max_iter=5000
) -> Answer:
    """SRPCM, equation (11) of the SRPCM paper; strength = eta, one or one a cluster.

    J = sum_i w_i sum_k (t_ik^2 d_ik + gamma_k (1 - t_ik)^2 + alpha_i b_ik (t_ik - f_ik)^2 d_ik)
    + sum_k eta_k sum over l != k of 1 / |v_k - v_l|^2.

    t_ik = (gamma_k + alpha b f d) / (gamma_k + (1 + alpha b) d), as printed. The centres minimise J at
    fixed t, all together, as in ``repulsive_pcm``: mass_k = sum_i w_i (t^2 + alpha b (t - f)^2) holds
    v_k to the mean weighted by it.

    Corrected misprints: those of ``repulsion_gradient`` and ``repulsion_hessian``. A centre a million
    data radii away: ValueError, as in ``repulsive_pcm``. (The paper has m = 2; other m are ours.)
    """
    X, F, alpha, w = _setting(X, F, alpha, weights)
    gamma = np.ones(F.shape[1]) * scale
    radius = np.max(np.abs(X - X.mean(axis=0)))

    def rows(V):
        T, J = _possibilistic_rows(X, V, F, alpha, w, m, gamma, "power")
        return None, T, J + repulsion_value(V, strength)

    def centres(V, U, T):
        influence = _possibilistic_influence(T, F, alpha, w, m, "power", False)
        V = _repulsive_centres(V, influence.sum(axis=0), _means(X, influence, V), strength)
        if np.max(np.abs(V - X.mean(axis=0))) > 1e6 * radius:
            raise ValueError("repulsion drives a centre to infinity")
        return V

    return alternate(V0, rows, centres, tol, max_iter)


def semi_supervised_central_pcm(
    X, V0, *, F, alpha, scale, strength, m=2.0, printed_centers=False, unlabelled="free", weights=None,
    tol=1e-13, max_iter=5000,
) -> Answer:  # fmt: skip
    """sPCM, equations (3-1)-(3-3) of the sPCM paper; strength = beta.

    J = sum_i w_i sum_k (t_ik^2 d_ik + gamma_k (1 - t_ik)^2 + alpha_i b_ik (t_ik - f_ik)^2 d_ik)
    - beta sum_k sum over h != k of |v_k - v_h|^2.

    t as (3-2). Centres: the exact solution V of (diag(s) - 2 beta (c I - 11')) V = R with
    s_k = sum_i w_i (t^2 + alpha b (t - f)^2) and R_k the same sum of w_i (...) x_i.

    The paper is unlabelled="zero": "the membership of unlabeled pattern x_j is defined as 0", so that
    b = 1 everywhere; "free" is the reading of the SRPCM paper. printed_centers: t^2 alone in s and R,
    which is NOT (3-3) but comes near the paper's Table 4-1 (with gamma = 2.75 and beta = 0).

    Corrected misprint: (3-3) carries beta for 2 beta; it is the centre step of strength = beta / 2.
    A matrix that is not positive definite: ValueError; J is unbounded below far away, as in
    ``central_distance_pcm``. (The paper has m = 2; other m are ours.)
    """
    X, F, alpha, w = _setting(X, with_unlabelled(F, unlabelled), alpha, weights)
    c = F.shape[1]
    gamma = np.ones(c) * scale

    def rows(V):
        T, J = _possibilistic_rows(X, V, F, alpha, w, m, gamma, "power")
        return None, T, J + central_distance_value(V, strength)

    def centres(V, U, T):
        influence = _possibilistic_influence(T, F, alpha, w, m, "power", printed_centers)
        A = np.diag(influence.sum(axis=0)) - 2.0 * strength * (c * np.eye(c) - np.ones((c, c)))
        if np.min(np.linalg.eigvalsh(A)) <= 0:
            raise ValueError("beta is so large that J is unbounded below in the centres")
        return np.linalg.solve(A, influence.T @ X)

    return alternate(V0, rows, centres, tol, max_iter)


def semi_supervised_pfcm(
    X, V0, *, F, alpha, a, b, m, eta, scale, weights=None, tol=1e-13, max_iter=5000
) -> Answer:
    """SPFCM, equation (12) of the SRPCM paper, eta free; the labels act on t only.

    J = sum_i w_i sum_k ((a u_ik^m + b t_ik^eta) d_ik + gamma_k (1 - t_ik)^eta
    + alpha_i b_ik (t_ik - f_ik)^2 d_ik), sum_k u_ik = 1.

    u as FCM (8); t for eta = 2 as printed, (gamma + alpha b_ik f d) / (b d + gamma + alpha b_ik d);
    v_k = the mean of x weighted by w (a u^m + b t^eta + alpha b_ik (t - f)^2).

    Corrected misprint: section IV.C calls (t - f)^m positive; it is the square, and may be zero.
    """
    X, F, alpha, w = _setting(X, F, alpha, weights)
    n, c = F.shape
    gamma = np.ones(c) * scale

    def rows(V):
        d = squared_distances(X, V)
        U = fuzzy_memberships(d, m)
        T = np.zeros((n, c))
        for i in range(n):
            for k in range(c):
                T[i, k] = typicality_entry(d[i, k], gamma[k], eta, alpha[i], F[i, k], b=b)
        J = np.sum(w[:, None] * (a * U**m + b * T**eta + disagreement(T, F, alpha)) * d)
        return U, T, J + np.sum(w[:, None] * gamma * (1.0 - T) ** eta)

    def centres(V, U, T):
        return _means(X, w[:, None] * (a * U**m + b * T**eta + disagreement(T, F, alpha)), V)

    return alternate(V0, rows, centres, tol, max_iter)


def semi_supervised_ipcm(
    X, V0, *, F, alpha, m, eta, scale, variant=1, weights=None, tol=1e-13, max_iter=5000
) -> Answer:
    """IPCM (Zhang and Leung 2004) with labels on u: ours, no paper has it.

    J = sum_i w_i sum_k cost_ik (u_ik^m + alpha_i b_ik (u_ik - f_ik)^2), sum_k u_ik = 1, with
    cost_ik = t_ik^eta d_ik + gamma_k (1 - t_ik)^eta (variant 1) or
    cost_ik = t_ik d_ik + gamma_k (t_ik ln t_ik - t_ik + 1) (variant 2, eta is not used),
    each at its least t, so t is IPCM's own: the bracket that multiplies the cost is never negative.

    u_i: ``simplex_row`` with cost for d. v_k = the mean of x weighted by
    w (u^m + alpha b (u - f)^2) t^eta, by t for t^eta in variant 2: at fixed u and t the exact minimum.

    The label enters with cost, which is below gamma_k however far the row: a labelled outlier pays, and
    pulls, less than under FCM's d.
    """
    X, F, alpha, w = _setting(X, F, alpha, weights)
    n, c = F.shape
    gamma = np.ones(c) * scale
    power = eta if variant == 1 else 1.0

    def rows(V):
        d = squared_distances(X, V)
        T, cost, U = np.zeros((n, c)), np.zeros((n, c)), np.zeros((n, c))
        for i in range(n):
            for k in range(c):
                cost[i, k], T[i, k] = improved_entry(d[i, k], gamma[k], eta, variant)
            U[i] = simplex_row(cost[i], m, alpha[i], F[i])
        return U, T, np.sum(w[:, None] * cost * (U**m + disagreement(U, F, alpha)))

    def centres(V, U, T):
        return _means(X, w[:, None] * (U**m + disagreement(U, F, alpha)) * T**power, V)

    return alternate(V0, rows, centres, tol, max_iter)
