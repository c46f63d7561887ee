"""Clusters with a shape: ellipsoids, Gaussians, shells and directions, one slow and literal step at a time.

"Seed 004" is Ortiz, Unsupervised Learning: Optimization-based clustering (lecture slides). Conventions:

- d is the quantity inside J (a squared distance where there is a distance), w_i are row weights (ones);
- U holds memberships u (never u^m), T typicalities t;
- an ``..._iteration`` takes the parameters, computes the memberships *at those parameters*, then the new
  parameters, and returns (memberships, new parameters..., J), where J is the objective at the new
  memberships and the OLD parameters. The J of the next call is therefore never above this one wherever
  both halves minimise J;
- no safeguards: no cap on condition numbers or on semi-axes, no empty cluster is moved. Where a cluster has
  no weight at all the step is undefined and a ``ValueError`` says so.
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize

# ------------------------------------------------------------------------------------------- helpers


def row_weights(X, w):
    """w as floats, or ones."""
    if w is None:
        return np.ones(len(X))
    w = np.array(w, float)
    if w.shape != (len(X),) or np.any(w < 0):
        raise ValueError("w must hold one weight >= 0 for each row")
    return w


def every_distance(distance, X, first, second):
    """d_ik = distance(x_i, first_k, second_k)."""
    d = np.zeros((len(X), len(first)))
    for i in range(len(X)):
        for k in range(len(first)):
            d[i, k] = distance(X[i], first[k], second[k])
    return d


def fcm_memberships(d, m):
    """u_ik = 1 / sum_l (d_ik / d_il)^(1/(m-1)), the minimiser of sum_k u_ik^m d_ik on the simplex.

    Rows with zeros among their d share the membership equally among those clusters, and only those.
    The ratios are taken to the row's smallest d, which leaves the quotient as it is:
    u_ik = (d_min / d_ik)^(1/(m-1)) / sum_l (d_min / d_il)^(1/(m-1)).
    """
    d = np.array(d, float)
    if np.any(d < 0):
        raise ValueError("d must not be negative")
    n, c = d.shape
    U = np.zeros((n, c))
    for i in range(n):
        zero = d[i] == 0
        if zero.any():
            U[i, zero] = 1.0 / zero.sum()
            continue
        share = np.zeros(c)
        for k in range(c):
            share[k] = (np.min(d[i]) / d[i, k]) ** (1.0 / (m - 1.0))
        U[i] = share / np.sum(share)
    return U


def fcm_memberships_from_logarithms(log_d, m):
    """The same u from log d: u_ik = exp(-a_ik) / sum_l exp(-a_il), a_ik = log(d_ik) / (m - 1)."""
    n, c = log_d.shape
    U = np.zeros((n, c))
    for i in range(n):
        share = np.zeros(c)
        for k in range(c):
            share[k] = np.exp(-(log_d[i, k] - np.min(log_d[i])) / (m - 1.0))
        U[i] = share / np.sum(share)
    return U


def typicalities(d, scale, m):
    """t_ik = 1 / (1 + (d_ik / gamma_k)^(1/(m-1))), the minimiser of t^m d + gamma (1 - t)^m; 1 at d = 0."""
    n, c = np.shape(d)
    T = np.zeros((n, c))
    for i in range(n):
        for k in range(c):
            with np.errstate(over="ignore"):
                T[i, k] = 1.0 / (1.0 + (d[i, k] / scale[k]) ** (1.0 / (m - 1.0)))
    return T


def fuzzy_part(d, U, m, w):
    """sum_i w_i sum_k u_ik^m d_ik."""
    total = 0.0
    for i in range(len(d)):
        for k in range(d.shape[1]):
            total += w[i] * U[i, k] ** m * d[i, k]
    return total


def possibilistic_part(T, scale, m, w):
    """sum_k gamma_k sum_i w_i (1 - t_ik)^m."""
    total = 0.0
    for i in range(len(T)):
        for k in range(T.shape[1]):
            total += scale[k] * w[i] * (1.0 - T[i, k]) ** m
    return total


def weighted_mean(X, influence):
    """sum_i a_i x_i / sum_i a_i."""
    total, mass = np.zeros(X.shape[1]), 0.0
    for i in range(len(X)):
        total += influence[i] * X[i]
        mass += influence[i]
    if mass <= 0:
        raise ValueError("a cluster without any weight has no mean")
    return total / mass


def difference_gradient(f, theta, step=1e-6):
    """Central differences of f at the flat vector theta: (f(theta + h e_j) - f(theta - h e_j)) / 2h."""
    theta = np.array(theta, float)
    g = np.zeros(len(theta))
    for j in range(len(theta)):
        h = np.zeros(len(theta))
        h[j] = step * max(1.0, abs(theta[j]))
        g[j] = (f(theta + h) - f(theta - h)) / (2.0 * h[j])
    return g


def gradient_gap(f, gradient, theta, step=1e-6):
    """Largest |analytic - difference| over max(1, largest |difference|): the check of a gradient."""
    by_difference = difference_gradient(f, theta, step)
    return np.max(np.abs(gradient(theta) - by_difference)) / max(1.0, np.max(np.abs(by_difference)))


# ------------------------------------------------------------- ellipsoids: Gustafson-Kessel, Mahalanobis


def fuzzy_covariance(x, u_m, v, normalised=False):
    """sum_i a_i (x_i - v)(x_i - v)', a = w u^m; with ``normalised`` divided by sum_i a_i.

    Seed 004 calls the sum without a divisor "fuzzy covariance matrix" (slide of FCM), and prints the
    quotient for Gustafson-Kessel; GK's distance, det^(1/p) times the inverse, is the same for both.
    """
    p = x.shape[1]
    F, mass = np.zeros((p, p)), 0.0
    for i in range(len(x)):
        F += u_m[i] * np.outer(x[i] - v, x[i] - v)
        mass += u_m[i]
    return F / mass if normalised else F


def ellipsoid_distances(X, V, S):
    """d_ik = (x_i - v_k)' S_k (x_i - v_k), S is (c, p, p)."""
    d = np.zeros((len(X), len(V)))
    for i in range(len(X)):
        for k in range(len(V)):
            z = X[i] - V[k]
            d[i, k] = max(z @ S[k] @ z, 0.0)
    return d


def ridge_diagonal(X, target):
    """The diagonal D of the ridge, ones by default."""
    return np.ones(X.shape[1]) if target is None else np.array(target, float)


def ridge_part(S, reg, target):
    """reg sum_k tr(S_k D), D = diag(target)."""
    return reg * sum(np.trace(S[k] @ np.diag(target)) for k in range(len(S)))


def gk_objective(X, U, V, S, m=2.0, w=None, reg=0.0, target=None):
    """J = sum_i sum_k w_i u_ik^m (x_i - v_k)' S_k (x_i - v_k) + reg sum_k tr(S_k D), det S_k = 1."""
    d = ellipsoid_distances(X, V, S)
    return fuzzy_part(d, U, m, row_weights(X, w)) + ridge_part(S, reg, ridge_diagonal(X, target))


def pgk_objective(X, T, V, S, scale, m=2.0, w=None, reg=0.0, target=None):
    """J of GK with t for u, plus sum_k gamma_k sum_i w_i (1 - t_ik)^m."""
    J = gk_objective(X, T, V, S, m, w, reg, target)
    return J + possibilistic_part(T, scale, m, row_weights(X, w))


def unit_volume_metric(Sigma):
    """S = det(Sigma)^(1/p) Sigma^-1: the minimiser of tr(S Sigma) among positive S of determinant one."""
    return np.linalg.det(Sigma) ** (1.0 / len(Sigma)) * np.linalg.inv(Sigma)


def ellipsoid_update(X, U, m, w, reg, target):
    """v_k = weighted mean with w u^m, Sigma_k = sum w u^m zz' about the NEW centre + reg D, S_k from it."""
    c, p = U.shape[1], X.shape[1]
    V, S = np.zeros((c, p)), np.zeros((c, p, p))
    for k in range(c):
        influence = w * U[:, k] ** m
        V[k] = weighted_mean(X, influence)
        S[k] = unit_volume_metric(fuzzy_covariance(X, influence, V[k]) + reg * np.diag(target))
    return V, S


def gk_iteration(X, V, S, m=2.0, w=None, reg=0.0, target=None):
    """One step of Gustafson and Kessel (1979), seed 004's d_GK = |Sigma|^(1/L) (x - c)' Sigma^-1 (x - c).

    u = FCM on d = (x - v)' S (x - v); v_k = sum w u^m x / sum w u^m;
    Sigma_k = sum w u^m (x - v_k)(x - v_k)' + reg D; S_k = det(Sigma_k)^(1/p) Sigma_k^-1.

    The seed prints c_j(t) inside Sigma_j(t + 1); the exact minimiser, taken here, uses the new centre.
    The scatter is NOT divided by sum w u^m, so reg counts in the units of the scatter, and the step
    minimises J = sum w u^m d + reg sum_k tr(S_k D) exactly in (V, S).

    Returns (U, V, S, J at U and the old V, S).
    """
    w, target = row_weights(X, w), ridge_diagonal(X, target)
    U = fcm_memberships(ellipsoid_distances(X, V, S), m)
    J = gk_objective(X, U, V, S, m, w, reg, target)
    V, S = ellipsoid_update(X, U, m, w, reg, target)
    return U, V, S, J


def gk(X, V, S, m=2.0, w=None, reg=0.0, target=None, iterations=20):
    """``iterations`` steps, then the U of the final V, S: (U, V, S, history of iterations + 1 values)."""
    history = []
    for _ in range(iterations):
        _, V, S, J = gk_iteration(X, V, S, m, w, reg, target)
        history.append(J)
    U = fcm_memberships(ellipsoid_distances(X, V, S), m)
    history.append(gk_objective(X, U, V, S, m, w, reg, target))
    return U, V, S, np.array(history)


def pgk_iteration(X, V, S, scale, m=2.0, w=None, reg=0.0, target=None):
    """Possibilistic GK: t = 1/(1 + (d/gamma)^(1/(m-1))), then the same update with t^m.

    J = sum w t^m d + sum_k gamma_k sum_i w (1 - t)^m + reg sum_k tr(S_k D); gamma (``scale``) stays fixed.
    Returns (T, V, S, J at T and the old V, S).
    """
    w, target = row_weights(X, w), ridge_diagonal(X, target)
    T = typicalities(ellipsoid_distances(X, V, S), scale, m)
    J = pgk_objective(X, T, V, S, scale, m, w, reg, target)
    V, S = ellipsoid_update(X, T, m, w, reg, target)
    return T, V, S, J


def pgk(X, V, S, scale, m=2.0, w=None, reg=0.0, target=None, iterations=20):
    """``iterations`` steps, then the T of the final V, S: (T, V, S, history of iterations + 1 values)."""
    history = []
    for _ in range(iterations):
        _, V, S, J = pgk_iteration(X, V, S, scale, m, w, reg, target)
        history.append(J)
    T = typicalities(ellipsoid_distances(X, V, S), scale, m)
    history.append(pgk_objective(X, T, V, S, scale, m, w, reg, target))
    return T, V, S, np.array(history)


def mahalanobis_fcm(X, V, A, m=2.0, w=None, iterations=20):
    """FCM with d = (x - v)' A (x - v) for ONE given A (p, p); seed 004: the centres stay weighted means.

    Returns (U of the final V, V, history of iterations + 1). Equals FCM on X R, R R' = A.
    """
    w = row_weights(X, w)
    V = np.array(V, float)
    A_each = np.array([A for _ in range(len(V))])
    history = []
    for _ in range(iterations):
        d = ellipsoid_distances(X, V, A_each)
        U = fcm_memberships(d, m)
        history.append(fuzzy_part(d, U, m, w))
        V = np.array([weighted_mean(X, w * U[:, k] ** m) for k in range(len(V))])
    d = ellipsoid_distances(X, V, A_each)
    U = fcm_memberships(d, m)
    history.append(fuzzy_part(d, U, m, w))
    return U, V, np.array(history)


def mahalanobis_refit(X, V, A, m=2.0, w=None):
    """One step of seed 004's printed form, A_k^-1 = sum_i w_i u_ik^q (x_i - c_k)(x_i - c_k)'; A (c, p, p).

    u = FCM on (x - c)' A_k (x - c), c_k = weighted mean, A_k about the new centre (the seed does not say).
    Nothing holds the volume, so this is no descent: at (U, new c, new A) the objective is
    sum_k tr(A_k A_k^-1) = c p whatever the data say. Returns (U, V, A, J at U and the old V, A).
    """
    w = row_weights(X, w)
    c, p = len(V), X.shape[1]
    d = ellipsoid_distances(X, V, A)
    U = fcm_memberships(d, m)
    J = fuzzy_part(d, U, m, w)
    V, A = np.zeros((c, p)), np.zeros((c, p, p))
    for k in range(c):
        influence = w * U[:, k] ** m
        V[k] = weighted_mean(X, influence)
        A[k] = np.linalg.inv(fuzzy_covariance(X, influence, V[k]))
    return U, V, A, J


# ---------------------------------------------------------------------------------------- Gath and Geva


def gath_geva_log_distances(X, V, F, P):
    """log d_ik = log det(F_k) / 2 - log P_k + (x_i - v_k)' F_k^-1 (x_i - v_k) / 2."""
    d = np.zeros((len(X), len(V)))
    for i in range(len(X)):
        for k in range(len(V)):
            z = X[i] - V[k]
            d[i, k] = 0.5 * np.linalg.slogdet(F[k])[1] - np.log(P[k]) + 0.5 * z @ np.linalg.inv(F[k]) @ z
    return d


def gath_geva_iteration(X, V, F, P, m=2.0, w=None):
    """One step of fuzzy maximum likelihood, Gath and Geva (1989), IEEE PAMI 11(7), 773-780.

    d_ik = det(F_k)^(1/2) / P_k exp((x - v)' F_k^-1 (x - v) / 2), u = FCM on d with exponent 1/(m-1);
    v_k = sum w u^m x / sum w u^m, F_k = sum w u^m zz' / sum w u^m about the new v_k,
    P_k = sum_i w u_ik^m / sum_l sum_i w u_il^m.

    The variant: the square root of the determinant and the factor 1/2 in the exponent (so d is, but for
    a constant, 1 over prior times Gaussian density, and m = 2 gives the paper's posterior h(k | x)), and
    d itself, not d^2, under the exponent 1/(m-1). The 1989 paper estimates F and P with h, that is with
    u of power one; u^m in all three is the form of later texts (Hoeppner et al. 1999), whose priors sum to
    one. (Both from memory: the texts were not at hand.)
    F is normalised, unlike GK's scatter: here the volume counts.

    There is no objective that every half step minimises. Returns (U, V, F, P).
    """
    w = row_weights(X, w)
    c, p = len(V), X.shape[1]
    U = fcm_memberships_from_logarithms(gath_geva_log_distances(X, V, F, P), m)
    V, F, P = np.zeros((c, p)), np.zeros((c, p, p)), np.zeros(c)
    for k in range(c):
        influence = w * U[:, k] ** m
        V[k] = weighted_mean(X, influence)
        F[k] = fuzzy_covariance(X, influence, V[k], normalised=True)
        P[k] = np.sum(influence)
    return U, V, F, P / np.sum(P)


# ------------------------------------------------------------------------------------ Gaussian mixtures


def covariance_matrix(covariances, kind, k, p):
    """The p x p covariance of component k from scikit-learn's four layouts.

    full (c, p, p), tied (p, p), diag (c, p), spherical (c,).
    """
    if kind == "full":
        return np.array(covariances[k], float)
    if kind == "tied":
        return np.array(covariances, float)
    if kind == "diag":
        return np.diag(covariances[k])
    if kind == "spherical":
        return covariances[k] * np.eye(p)
    raise ValueError(f"no such kind: {kind}")


def gmm_log_joint(X, means, covariances, weights, kind):
    """log(pi_k N(x_i; mu_k, Sigma_k)) = log pi_k - (p log 2 pi + log det Sigma_k + z' Sigma_k^-1 z) / 2."""
    n, p = X.shape
    joint = np.zeros((n, len(means)))
    for k in range(len(means)):
        Sigma = covariance_matrix(covariances, kind, k, p)
        sign, log_det = np.linalg.slogdet(Sigma)
        if sign <= 0:
            raise ValueError("a covariance is not positive definite")
        inverse = np.linalg.inv(Sigma)
        with np.errstate(divide="ignore"):
            log_weight = np.log(weights[k])
        for i in range(n):
            z = X[i] - means[k]
            joint[i, k] = log_weight - 0.5 * (p * np.log(2.0 * np.pi) + log_det + z @ inverse @ z)
    return joint


def add_log_labels(joint, f):
    """log f_ik added to the row; a row of NaN says nothing and stays as it is."""
    joint = joint.copy()
    for i in range(len(joint)):
        if np.all(np.isnan(f[i])):
            continue
        if np.any(np.isnan(f[i])) or np.any(f[i] < 0) or np.sum(f[i]) <= 0:
            raise ValueError("a row of labels must be all NaN, or >= 0 with a positive sum")
        with np.errstate(divide="ignore"):
            joint[i] += np.log(f[i])
    return joint


def normalise_logarithms(joint):
    """(r, log s): s_i = sum_k exp(joint_ik), by the row's maximum, and r_ik = exp(joint_ik) / s_i."""
    n, c = joint.shape
    R, log_sum = np.zeros((n, c)), np.zeros(n)
    for i in range(n):
        top = np.max(joint[i])
        log_sum[i] = top + np.log(np.sum(np.exp(joint[i] - top)))
        R[i] = np.exp(joint[i] - log_sum[i])
    return R, log_sum


def gmm_log_likelihood(X, means, covariances, weights, kind="full", w=None, f=None):
    """sum_i w_i log sum_k f_ik pi_k N_k(x_i), f = 1 where nothing is said."""
    joint = gmm_log_joint(X, means, covariances, weights, kind)
    if f is not None:
        joint = add_log_labels(joint, f)
    return np.sum(row_weights(X, w) * normalise_logarithms(joint)[1])


def gmm_m_step(X, R, kind, reg_covar, w):
    """scikit-learn's M step with row weights, a_ik = w_i r_ik and N_k = sum_i a_ik + 10 eps.

    pi_k = N_k / sum_l N_l, mu_k = sum_i a_ik x_i / N_k, C_k = sum_i a_ik (x_i - mu_k)(x_i - mu_k)'.
    full: C_k / N_k + reg I; tied: sum_k C_k / sum_k N_k + reg I; diag: the diagonal of the full one;
    spherical: the mean of that diagonal.
    """
    n, p = X.shape
    c = R.shape[1]
    N, means, scatter = np.zeros(c), np.zeros((c, p)), np.zeros((c, p, p))
    for k in range(c):
        N[k] = np.sum(w * R[:, k]) + 10.0 * np.finfo(float).eps
        for i in range(n):
            means[k] += w[i] * R[i, k] * X[i]
        means[k] /= N[k]
        scatter[k] = fuzzy_covariance(X, w * R[:, k], means[k])
    if kind == "tied":
        covariances = np.sum(scatter, axis=0) / np.sum(N) + reg_covar * np.eye(p)
    else:
        full = np.array([scatter[k] / N[k] + reg_covar * np.eye(p) for k in range(c)])
        diagonals = np.array([np.diag(full[k]) for k in range(c)])
        covariances = {"full": full, "diag": diagonals, "spherical": np.mean(diagonals, axis=1)}[kind]
    return means, covariances, N / np.sum(N)


def gmm_em_iteration(X, means, covariances, weights, kind="full", reg_covar=0.0, w=None):
    """One step of EM: r_ik = pi_k N_k / sum_l pi_l N_l, then the M step.

    The log-likelihood sum_i w_i log sum_k pi_k N_k never falls where reg_covar = 0. (The ridge is
    scikit-learn's, added after the estimate: that M step maximises the expected log-likelihood minus
    (reg/2) sum_k N_k tr(Sigma_k^-1), in which N_k moves with the responsibilities. Only for tied, where
    sum_k N_k is fixed, is it a fixed penalty, and log-likelihood minus penalty then never falls.)
    Seed 004 prints pi_j = sum_i r_ij once, without the 1/N that its algorithm has.

    Returns (R, means, covariances, weights, log-likelihood of the OLD parameters).
    """
    return gmm_em_labelled_iteration(X, means, covariances, weights, None, kind, reg_covar, w)


def gmm_em_labelled_iteration(X, means, covariances, weights, f, kind="full", reg_covar=0.0, w=None):
    """EM with soft labels f (n, c), a row of NaN where nothing is said.

    r_ik = f_ik pi_k N_k(x_i) / sum_l f_il pi_l N_l(x_i), the M step unchanged. A crisp f pins the row; f of
    ones says nothing; a factor common to a row leaves r alone and adds a constant to J. What falls is
    J = - sum_i w_i log sum_k f_ik pi_k N_k(x_i): a row's labels are the likelihood of an independent
    observation of its component. Returns (R, means, covariances, weights, -J of the OLD parameters).
    """
    w = row_weights(X, w)
    joint = gmm_log_joint(X, means, covariances, weights, kind)
    if f is not None:
        joint = add_log_labels(joint, f)
    R, log_sum = normalise_logarithms(joint)
    means, covariances, weights = gmm_m_step(X, R, kind, reg_covar, w)
    return R, means, covariances, weights, np.sum(w * log_sum)


# ----------------------------------------------------------- shells with the normalised radial distance


def shell_distance(x, L, h):
    """(|L x - h| - 1)^2: seed 004's d_nr^2 = (sqrt((x - c)' A (x - c)) - 1)^2, A = L'L and h = L c."""
    return (np.linalg.norm(L @ x - h) - 1.0) ** 2


def shell_distances(X, L, h):
    """d_ik of every row and shell; L is (c, p, p), h is (c, p)."""
    return every_distance(shell_distance, X, L, h)


def shell_centre_and_shape(L, h):
    """c = L^-1 h, A = L'L: what is left after the rotations (Q L, Q h) of one and the same ellipsoid."""
    return np.linalg.solve(L, h), L.T @ L


def shell_update(X, influence, L, h):
    """The majorise-minimise step of one shell.

    With z_i = L x_i - h and e_i = z_i / |z_i| frozen (at z = 0, a row on the centre, the first axis: any
    unit vector serves), (|L' x - h'| - 1)^2 <= |L' x - h' - e|^2 for every (L', h'), with equality at
    (L, h). The right side, sum_i a_i |L' x_i - h' - e_i|^2, is least squares: for each row i the equations
    sqrt(a_i) (x_i', -1) (L', h')' = sqrt(a_i) e_i', stacked. (Least norm where they do not decide.)
    """
    n, p = X.shape
    left, right = np.zeros((n, p + 1)), np.zeros((n, p))
    for i in range(n):
        z = L @ X[i] - h
        e = z / np.linalg.norm(z) if np.linalg.norm(z) > 0 else np.eye(p)[0]
        left[i] = np.sqrt(influence[i]) * np.append(X[i], -1.0)
        right[i] = np.sqrt(influence[i]) * e
    solution = np.linalg.lstsq(left, right, rcond=None)[0]
    return solution[:p].T, solution[p]


def afcs_objective(X, U, L, h, m=2.0, w=None):
    """J = sum_i sum_k w_i u_ik^m (|L_k x_i - h_k| - 1)^2."""
    return fuzzy_part(shell_distances(X, L, h), U, m, row_weights(X, w))


def apcs_objective(X, T, L, h, scale, m=2.0, w=None):
    """J of AFCS with t for u, plus sum_k gamma_k sum_i w_i (1 - t_ik)^m."""
    return afcs_objective(X, T, L, h, m, w) + possibilistic_part(T, scale, m, row_weights(X, w))


def afcs_iteration(X, L, h, m=2.0, w=None):
    """One step of adaptive fuzzy c-shells: u = FCM on d, then one majorise-minimise step of each shell.

    Seed 004 prints the objective and no update; Dave and Bhaswan (1992) solve dJ/d(c, A) = 0 in each
    iteration. One step here is not that solution, but never raises J and has the same fixed points.
    Returns (U, L, h, J at U and the old L, h).
    """
    w = row_weights(X, w)
    U = fcm_memberships(shell_distances(X, L, h), m)
    J = afcs_objective(X, U, L, h, m, w)
    pairs = [shell_update(X, w * U[:, k] ** m, L[k], h[k]) for k in range(len(L))]
    return U, np.array([a for a, _ in pairs]), np.array([b for _, b in pairs]), J


def apcs_iteration(X, L, h, scale, m=2.0, w=None):
    """The possibilistic twin, t = 1/(1 + (d/gamma)^(1/(m-1))): (T, L, h, J at T and the old L, h)."""
    w = row_weights(X, w)
    T = typicalities(shell_distances(X, L, h), scale, m)
    J = apcs_objective(X, T, L, h, scale, m, w)
    pairs = [shell_update(X, w * T[:, k] ** m, L[k], h[k]) for k in range(len(L))]
    return T, np.array([a for a, _ in pairs]), np.array([b for _, b in pairs]), J


# --------------------------------------------------------------------- shells with the radial distance


def radial_distance(x, c, A):
    """|x - s|^2, s = c + (x - c) / r the point of the ellipsoid on the ray from c through x.

    d = (1 - 1/r)^2 |x - c|^2, r = sqrt((x - c)' A (x - c)). The limit x -> c depends on the direction; at
    x = c itself the shortest is taken, 1 / (largest eigenvalue of A), the squared distance to the shell.
    """
    z = x - c
    r = np.sqrt(z @ A @ z)
    if r == 0:
        return 1.0 / np.max(np.linalg.eigvalsh(A))
    return (1.0 - 1.0 / r) ** 2 * (z @ z)


def radial_distances(X, C, A):
    """d_ik of every row and shell; C is (c, p), A is (c, p, p)."""
    return every_distance(radial_distance, X, C, A)


def fces_objective(X, U, C, A, m=2.0, w=None):
    """J = sum_i sum_k w_i u_ik^m |x_i - s_k(x_i)|^2."""
    return fuzzy_part(radial_distances(X, C, A), U, m, row_weights(X, w))


def pces_objective(X, T, C, A, scale, m=2.0, w=None):
    """J of FCES with t for u, plus sum_k gamma_k sum_i w_i (1 - t_ik)^m."""
    return fces_objective(X, T, C, A, m, w) + possibilistic_part(T, scale, m, row_weights(X, w))


def radial_shell_objective(theta, X, influence):
    """sum_i a_i d(x_i; c, L'L) of one shell; theta = (c, L row by row)."""
    p = X.shape[1]
    c, L = theta[:p], theta[p:].reshape(p, p)
    return sum(influence[i] * radial_distance(X[i], c, L.T @ L) for i in range(len(X)))


def radial_shell_gradient(theta, X, influence):
    """Its gradient: with z = x - c, y = L z, r = |y| and q = 1 - 1/r,

    dd/dL = 2 q |z|^2 / r^3 y z',   dd/dc = - (2 q |z|^2 / r^3 L'y + 2 q^2 z).
    """
    p = X.shape[1]
    c, L = theta[:p], theta[p:].reshape(p, p)
    by_c, by_L = np.zeros(p), np.zeros((p, p))
    for i in range(len(X)):
        z = X[i] - c
        y = L @ z
        r = np.linalg.norm(y)
        if r == 0:
            continue  # no derivative there
        q = 1.0 - 1.0 / r
        by_L += influence[i] * 2.0 * q * (z @ z) / r**3 * np.outer(y, z)
        by_c -= influence[i] * (2.0 * q * (z @ z) / r**3 * (L.T @ y) + 2.0 * q**2 * z)
    return np.concatenate([by_c, by_L.ravel()])


def fces_minimiser(X, U, C, L, m=2.0, w=None, gtol=1e-8):
    """A local minimiser of J over (c_k, L_k), A_k = L_k' L_k, for fixed U, by BFGS from the C, L given.

    A reference for whatever closed or damped step is under test: a step must lower J, and at its fixed
    points the gradient must be zero as here. Compare A, not L (any Q L serves). Only local: another start
    may end elsewhere. Returns (C, L, J, largest |gradient|). For PCES pass T for U; J is then without the
    gamma part, which is constant here.
    """
    w = row_weights(X, w)
    p = X.shape[1]
    C_new, L_new, J, slope = np.array(C, float), np.array(L, float), 0.0, 0.0
    for k in range(len(C_new)):
        influence = w * U[:, k] ** m
        answer = minimize(
            radial_shell_objective,
            np.concatenate([C_new[k], L_new[k].ravel()]),
            args=(X, influence),
            jac=radial_shell_gradient,
            method="BFGS",
            options={"gtol": gtol, "maxiter": 500},
        )
        C_new[k], L_new[k] = answer.x[:p], answer.x[p:].reshape(p, p)
        J += answer.fun
        slope = max(slope, np.max(np.abs(radial_shell_gradient(answer.x, X, influence))))
    return C_new, L_new, J, slope


def fces_iteration(X, C, L, m=2.0, w=None):
    """u = FCM on the radial d, then ``fces_minimiser`` from C, L: (U, C, L, J at U and the old C, L)."""
    A = np.array([L[k].T @ L[k] for k in range(len(L))])
    U = fcm_memberships(radial_distances(X, C, A), m)
    J = fces_objective(X, U, C, A, m, w)
    C, L, _, _ = fces_minimiser(X, U, C, L, m, w)
    return U, C, L, J


def pces_iteration(X, C, L, scale, m=2.0, w=None):
    """t from the radial d, then ``fces_minimiser`` from C, L: (T, C, L, J at T and the old C, L)."""
    A = np.array([L[k].T @ L[k] for k in range(len(L))])
    T = typicalities(radial_distances(X, C, A), scale, m)
    J = pces_objective(X, T, C, A, scale, m, w)
    C, L, _, _ = fces_minimiser(X, T, C, L, m, w)
    return T, C, L, J


# ------------------------------------------------------------------------------------------ directions


def unit_rows(X):
    """x_i / |x_i|; a row of zeros has no direction."""
    Y = np.array(X, float)
    for i in range(len(Y)):
        if np.linalg.norm(Y[i]) == 0:
            raise ValueError("a row of zeros has no direction")
        Y[i] /= np.linalg.norm(Y[i])
    return Y


def direction_distances(X, V):
    """d_ik = 1 - x_i'v_k of unit vectors, computed as |x_i - v_k|^2 / 2 (never negative, sharp near 0)."""
    X, V = unit_rows(X), unit_rows(V)
    d = np.zeros((len(X), len(V)))
    for i in range(len(X)):
        for k in range(len(V)):
            d[i, k] = 0.5 * np.sum((X[i] - V[k]) ** 2)
    return d


def spherical_directions_objective(X, U, V, m=2.0, w=None):
    """J = sum_i sum_k w_i u_ik^m (1 - x_i'v_k / (|x_i| |v_k|))."""
    return fuzzy_part(direction_distances(X, V), U, m, row_weights(X, w))


def spherical_directions_iteration(X, V, m=2.0, w=None):
    """Rows and centres scaled to length one, d = 1 - x'v, u = FCM on d, v_k = sum w u^m x / |sum w u^m x|.

    That v_k minimises J on the sphere. Where the sum is exactly zero every direction is as good, and the
    old one stays. Returns (U, V, J at U and the old V).
    """
    w = row_weights(X, w)
    Y, V = unit_rows(X), unit_rows(V)
    U = fcm_memberships(direction_distances(Y, V), m)
    J = spherical_directions_objective(Y, U, V, m, w)
    for k in range(len(V)):
        total = np.zeros(Y.shape[1])
        for i in range(len(Y)):
            total += w[i] * U[i, k] ** m * Y[i]
        if np.linalg.norm(total) > 0:
            V[k] = total / np.linalg.norm(total)
    return U, V, J
