"""Evidential c-means with labels and links: ECM, CECM, SECM and LPECM, on Points and Ellipsoids.

"The LPECM paper" is Xie and Antoine, On a new evidential C-Means algorithm with instance-level
constraints; its objective (9) with (3), (5), (10)-(12) is the truth, what it prints about the steps is
not. Corrected misprints: the exponent of (6) and (22) is r/2; m(theta) in (8) is m(empty) and the sum is
over singletons; the sentences below (13) swap "the same" and "not the same"; (17) has 1 where A_k AND
A_l are empty; (24)-(27) lack xi, gamma, eta, delta and the constants, and their t_i counts must-links;
S of (5) is a metric, averaged over the members as a metric; the centres are those of ECM only where the
distance is Euclidean.

sets: f rows of c zeros and ones, row 0 the empty set. M is (n, f), its rows on the simplex; D is
(n, f - 1), squared distances to the nonempty sets. S is (c, p, p), det S_k = 1. must and cannot are lists
of (i, j), labels a dict row -> set of clusters.

J = xi sum_i w_i (rho2 m_i0^beta + sum_j |A_j|^alpha m_ij^beta d_ij) + gamma J_M + eta J_C + delta J_L
+ xi metric_reg sum_k tr(S_k diag(target)).

The weights w_i of the rows multiply the first part only: links have strengths s_ij and labels weights
l_i of their own. Penalties do not depend on V and S.
"""

from __future__ import annotations

import functools
import itertools
import math

import numpy as np
from scipy.optimize import minimize

EXHAUSTIVE = 10  # the most sets for which row_masses tries every support


# Sets and distances.


def focal_sets(c, kind):
    """(f, c) zeros and ones: the empty set, the singletons in order, then by size, then lexicographic.

    "full": every subset; "pairs": singletons, pairs and Omega; "simple": singletons and Omega.
    """
    sizes = {"full": range(2, c + 1), "pairs": sorted({2, c}), "simple": [c]}[kind]
    members = [()] + [(k,) for k in range(c)]
    for size in sizes:
        if 2 <= size <= c:
            members += list(itertools.combinations(range(c), size))
    sets = np.zeros((len(members), c), int)
    for j, clusters in enumerate(members):
        for k in clusters:
            sets[j, k] = 1
    return sets


def members_of(sets):
    """The clusters of every set, as Python sets."""
    return [{k for k, inside in enumerate(row) if inside} for row in np.array(sets).tolist()]


def mean_of_members(values, members):
    """The mean of values[k] over the k with members[k] = 1: the centre, or the metric, of a set."""
    total = np.zeros(np.shape(values)[1:])
    for k in range(len(members)):
        if members[k]:
            total = total + values[k]
    return total / np.sum(members)


def distances(X, V, sets, S=None):
    """(n, f - 1): d_ij = (x_i - vbar_j)' Sbar_j (x_i - vbar_j), equation (5); Sbar_j = I without S."""
    X, V = np.array(X, float), np.array(V, float)
    D = np.zeros((len(X), len(sets) - 1))
    for j in range(1, len(sets)):
        center = mean_of_members(V, sets[j])
        metric = np.eye(X.shape[1]) if S is None else mean_of_members(S, sets[j])
        for i in range(len(X)):
            D[i, j - 1] = (X[i] - center) @ metric @ (X[i] - center)
    return D


# The objective, by explicit sums.


def not_same(m_i, m_j, sets, empty_satisfies=True):
    """pl(x_i, x_j not in the same cluster), the summand of (10).

    empty_satisfies=False: mass on the empty set of either end counts too, 1 - sum m_ik m_jk is left.
    """
    value = 1.0
    if empty_satisfies:
        value -= m_i[0] + m_j[0] - m_i[0] * m_j[0]
    for k, A_k in enumerate(members_of(sets)):
        if len(A_k) == 1:
            value -= m_i[k] * m_j[k]
    return value


def same(m_i, m_j, sets, empty_satisfies=True):
    """pl(x_i, x_j in the same cluster), the summand of (11).

    empty_satisfies=False: pairs of sets one of which is empty count too.
    """
    value = 0.0
    A = members_of(sets)
    for k in range(len(A)):
        for h in range(len(A)):
            if A[k] & A[h] or (not empty_satisfies and (not A[k] or not A[h])):
                value += m_i[k] * m_j[h]
    return value


def off_label(m_i, label, sets, r):
    """1 - T_i(L), the summand of (12): the mass of the sets A_h that meet L, each times
    |A_h n L|^(r/2) / |A_h|^r, is what the label L (a set of clusters) has; r = 0: its plausibility.
    """
    value = 1.0
    for h, A_h in enumerate(members_of(sets)):
        if A_h & set(label):
            value -= len(A_h & set(label)) ** (r / 2.0) / len(A_h) ** float(r) * m_i[h]
    return value


def objective(
    X, M, V, sets, *, alpha, beta, rho2, xi=1.0, gamma=0.0, eta=0.0, delta=0.0, r=0.0, must=(),
    cannot=(), labels=None, S=None, weight=None, metric_reg=0.0, target=None, empty_satisfies=True,
    must_strength=None, cannot_strength=None, label_weight=None,
):  # fmt: skip
    """J of (9) and its terms before xi, gamma, eta, delta: "ecm" (3), "must" (10), "cannot" (11),
    "labels" (12), "metric" (metric_reg sum_k tr(S_k diag(target)), multiplied by xi in J).

    must_strength and cannot_strength: s of every pair, in the order of the pairs; label_weight[i]: l of
    row i; all 1 if None.
    """
    D = distances(X, V, sets, S)
    n = len(D)
    w = np.ones(n) if weight is None else np.array(weight, float)
    size = [float(len(A_j)) for A_j in members_of(sets)]
    terms = {"ecm": 0.0, "must": 0.0, "cannot": 0.0, "labels": 0.0, "metric": 0.0}
    for i in range(n):
        terms["ecm"] += w[i] * rho2 * M[i, 0] ** beta
        for j in range(1, len(sets)):
            terms["ecm"] += w[i] * size[j] ** alpha * M[i, j] ** beta * D[i, j - 1]
    for q, (i, j) in enumerate(must):
        s = 1.0 if must_strength is None else must_strength[q]
        terms["must"] += s * not_same(M[i], M[j], sets, empty_satisfies)
    for q, (i, j) in enumerate(cannot):
        s = 1.0 if cannot_strength is None else cannot_strength[q]
        terms["cannot"] += s * same(M[i], M[j], sets, empty_satisfies)
    for i, label in (labels or {}).items():
        l_i = 1.0 if label_weight is None else label_weight[i]
        terms["labels"] += l_i * off_label(M[i], label, sets, r)
    if S is not None and metric_reg:
        for k in range(len(S)):
            terms["metric"] += metric_reg * np.trace(S[k] @ np.diag(target))
    J = xi * (terms["ecm"] + terms["metric"])
    return J + gamma * terms["must"] + eta * terms["cannot"] + delta * terms["labels"], terms


# The masses of one row.


def ecm_masses(D, sets, alpha, beta, rho2):
    """m_ij = a_ij^(-1/(beta-1)) / sum_l a_il^(-1/(beta-1)), a_i0 = rho2, a_ij = |A_j|^alpha d_ij.

    Where some a_ij = 0 the mass goes to the sets of cost 0 with the fewest members, in equal shares.
    """
    n, f = len(D), len(sets)
    size = np.sum(sets, axis=1)
    M = np.zeros((n, f))
    for i in range(n):
        a = np.concatenate([[rho2], size[1:] ** float(alpha) * D[i]])
        zero = a == 0
        if zero.any():
            heirs = zero & (size == np.min(size[zero]))
            M[i, heirs] = 1.0 / heirs.sum()
            continue
        for j in range(f):
            with np.errstate(over="ignore"):
                M[i, j] = 1.0 / np.sum((a[j] / a) ** (1.0 / (beta - 1.0)))
    return M


def row_masses(a, b, beta, size=None):
    """argmin of sum_k a_k m_k^beta + b_k m_k over the simplex, a_k >= 0, beta > 1.

    Convex: m is the minimum where for some lam every m_k is (max(0, lam - b_k) / (beta a_k))^(1/(beta-1)).
    beta = 2 and few sets: every support is tried. Else lam by bisection down to two neighbouring numbers.

    Entries with a_k = 0 are linear: the others take what they want at lam = the least b of these, the
    rest goes to the linear ones of least b, of these to the ones of least size (if given), in equal
    shares. J does not say how they share.
    """
    a, b = np.array(a, float), np.array(b, float)
    b = b - np.min(b)
    m = np.zeros(len(a))
    linear = a == 0
    if linear.any():
        least = np.min(b[linear])
        wanted = (a > 0) & (b < least)
        with np.errstate(over="ignore"):
            m[wanted] = ((least - b[wanted]) / (beta * a[wanted])) ** (1.0 / (beta - 1.0))
        if np.sum(m) < 1:
            heirs = linear & (b == least)
            if size is not None:
                heirs = heirs & (size == np.min(np.array(size)[heirs]))
            m[heirs] = (1.0 - np.sum(m)) / heirs.sum()
            return m
        m[:] = 0.0
        m[a > 0] = row_masses(a[a > 0], b[a > 0], beta)
        return m
    if beta == 2 and len(a) <= EXHAUSTIVE:
        return row_masses_by_supports(a, b)
    return row_masses_by_bisection(a, b, beta)


@functools.lru_cache
def supports(f):
    """The 2^f - 1 nonempty subsets of f entries, one a row."""
    return np.array(list(itertools.product([False, True], repeat=f))[1:])


def row_masses_by_supports(a, b):
    """beta = 2, a > 0: every support, with the m it has where its entries add up to one.

    lam = (1 + sum b_k / (2 a_k)) / sum 1 / (2 a_k) over the support, m_k = (lam - b_k) / (2 a_k). The
    right one has m_k >= 0 inside and (lam - b_k) / (2 a_k) <= 0 outside; taken is the one that violates
    this least (only by rounding).
    """
    b = b - np.min(b)
    inside = supports(len(a))
    lam = (1.0 + inside @ (b / (2 * a))) / (inside @ (1 / (2 * a)))
    m = (lam[:, None] - b) / (2 * a)
    violation = np.max(np.where(inside, -m, m), axis=1)
    best = int(np.argmin(violation))
    m = np.where(inside[best], np.maximum(m[best], 0.0), 0.0)
    return m / np.sum(m)


def row_masses_by_bisection(a, b, beta):
    """a > 0: the multiplier lam at which the masses add up to one.

    At lam = min(b_k + beta a_k) one entry is 1 already. Some m_k is at least 1/f, so lam is at least
    beta min(a) f^(1-beta) above the least b.
    """
    b = b - np.min(b)

    def masses(lam):
        return (np.maximum(0.0, lam - b) / (beta * a)) ** (1.0 / (beta - 1.0))

    low, high = beta * np.min(a) * len(a) ** (1.0 - beta) * 0.5, np.min(b + beta * a)
    while True:
        middle = 0.5 * (low + high)
        if middle in (low, high):
            break
        if math.fsum(masses(middle)) < 1.0:
            low = middle
        else:
            high = middle
    m = masses(high)
    return m / np.sum(m)


# The masses of all rows as one problem: sum_ik (a_ik m_ik^beta + b_ik m_ik) + sum over pairs m_i' P m_j.


def label_vector(label, sets, r):
    """t with t' m_i = T_i(L): t[h] = |A_h n L|^(r/2) / |A_h|^r, 0 where they do not meet; (22) with r/2."""
    t = np.zeros(len(sets))
    for h in range(len(sets)):
        common = sum(1 for k in label if sets[h, k])
        if common > 0:
            t[h] = common ** (r / 2.0) / np.sum(sets[h]) ** float(r)
    return t


def link_matrices(sets, empty_satisfies=True):
    """P_M, P_C with m_i' P_M m_j = ``not_same`` and m_i' P_C m_j = ``same`` where masses sum to one."""
    A = members_of(sets)
    f = len(A)
    P_M, P_C = np.zeros((f, f)), np.zeros((f, f))
    for k in range(f):
        for h in range(f):
            if not A[k] or not A[h]:
                P_M[k, h] = P_C[k, h] = 0.0 if empty_satisfies else 1.0
                continue
            P_M[k, h] = 0.0 if A[k] == A[h] and len(A[k]) == 1 else 1.0
            P_C[k, h] = 1.0 if A[k] & A[h] else 0.0
    return P_M, P_C


def mass_problem(
    D, sets, *, alpha, rho2, xi=1.0, gamma=0.0, eta=0.0, delta=0.0, r=0.0, must=(), cannot=(),
    labels=None, weight=None, empty_satisfies=True, must_strength=None, cannot_strength=None,
    label_weight=None,
):  # fmt: skip
    """(a, b, pairs, constant): a and b (n, f), pairs a list of (i, j, P); for any beta

    J = sum a m^beta + sum b m + sum over pairs m_i' P m_j + constant, equation (27) with its weights.
    """
    n, f = len(D), len(sets)
    w = np.ones(n) if weight is None else np.array(weight, float)
    size = [float(len(A_j)) for A_j in members_of(sets)]
    a, b, pairs, constant = np.zeros((n, f)), np.zeros((n, f)), [], 0.0
    for i in range(n):
        a[i, 0] = xi * w[i] * rho2
        for j in range(1, f):
            a[i, j] = xi * w[i] * size[j] ** alpha * D[i, j - 1]
    P_M, P_C = link_matrices(sets, empty_satisfies)
    for q, (i, j) in enumerate(must):
        pairs.append((i, j, gamma * (1.0 if must_strength is None else must_strength[q]) * P_M))
    for q, (i, j) in enumerate(cannot):
        pairs.append((i, j, eta * (1.0 if cannot_strength is None else cannot_strength[q]) * P_C))
    for i, label in (labels or {}).items():
        l_i = 1.0 if label_weight is None else label_weight[i]
        b[i] -= delta * l_i * label_vector(label, sets, r)
        constant += delta * l_i
    return a, b, pairs, constant


def problem_value(M, a, b, pairs, beta=2.0):
    """sum a m^beta + sum b m + sum over pairs m_i' P m_j, without the constant."""
    value = np.sum(a * M**beta) + np.sum(b * M)
    for i, j, P in pairs:
        value += M[i] @ P @ M[j]
    return value


def row_slope(i, M, b, pairs):
    """What row i pays per unit of mass: b_i and the P m_j of the rows linked to it."""
    slope = b[i].copy()
    for first, second, P in pairs:
        if first == i:
            slope += P @ M[second]
        if second == i:
            slope += P.T @ M[first]
    return slope


def hessian(a, pairs):
    """The matrix H of sum a m^2 + sum m_i' P m_j = m' H m / 2, all rows in one vector."""
    n, f = a.shape
    H = np.zeros((n * f, n * f))
    for i in range(n):
        for k in range(f):
            H[i * f + k, i * f + k] = 2.0 * a[i, k]
    for i, j, P in pairs:
        H[i * f : (i + 1) * f, j * f : (j + 1) * f] += P
        H[j * f : (j + 1) * f, i * f : (i + 1) * f] += P.T
    return H


def least_curvature(a, pairs):
    """The smallest eigenvalue of ``hessian`` among moves that keep every row sum (beta = 2)."""
    n, f = a.shape
    Q = np.linalg.qr(np.column_stack([np.ones(f), np.eye(f)[:, 1:]]))[0][:, 1:]
    Z = np.kron(np.eye(n), Q)
    return np.linalg.eigvalsh(Z.T @ hessian(a, pairs) @ Z)[0]


def is_convex(a, pairs):
    """Is the problem (beta = 2) convex on the simplices? Then its minima are global, and one if strict."""
    return bool(least_curvature(a, pairs) >= -1e-12 * np.max(a))


def joint_masses(a, b, pairs, start):
    """(M, J): a local minimum over all rows at once by SLSQP from ``start`` (beta = 2), constant left off.

    Restarted at its own end until that no longer helps; the objective is divided by its largest
    coefficient. SLSQP leaves masses with an error of up to about 1e-8.
    """
    n, f = a.shape
    scale = max(np.max(np.abs(a)), np.max(np.abs(b)), *(np.max(np.abs(P)) for _, _, P in pairs), 1e-300)
    H = hessian(a, pairs) / scale
    linear = b.ravel() / scale
    rows = np.kron(np.eye(n), np.ones(f))
    M = np.array(start, float)
    for _ in range(20):
        result = minimize(
            lambda m: 0.5 * m @ H @ m + linear @ m,
            M.ravel(),
            jac=lambda m: H @ m + linear,
            bounds=[(0.0, 1.0)] * (n * f),
            constraints={"type": "eq", "fun": lambda m: rows @ m - 1.0, "jac": lambda m: rows},
            method="SLSQP",
            options={"ftol": 1e-16, "maxiter": 1000},
        )
        new = np.maximum(result.x.reshape(n, f), 0.0)
        new /= np.sum(new, axis=1, keepdims=True)
        gain = problem_value(M, a, b, pairs) - problem_value(new, a, b, pairs)
        if gain > 0:
            M = new
        if gain <= 1e-15 * scale:
            break
    return M, problem_value(M, a, b, pairs)


def joint_best(a, b, pairs):
    """(M, J): the GLOBAL minimum for beta = 2, convex or not, by every support of every row.

    (2^f - 1)^n linear systems, so for a handful of entries only. Of the global minima one has a support
    on which the system is regular (along a flat direction one can walk to a smaller support), so
    singular systems are passed over.
    """
    n, f = a.shape
    H, linear = hessian(a, pairs), b.ravel()
    best, least = None, math.inf
    for choice in itertools.product(supports(f), repeat=n):
        inside = np.flatnonzero(np.concatenate(choice))
        sums = np.zeros((n, len(inside)))
        for column, entry in enumerate(inside):
            sums[entry // f, column] = 1.0
        system = np.block([[H[np.ix_(inside, inside)], sums.T], [sums, np.zeros((n, n))]])
        try:
            solution = np.linalg.solve(system, np.concatenate([-linear[inside], np.ones(n)]))
        except np.linalg.LinAlgError:
            continue
        if not np.min(solution[: len(inside)]) >= -1e-9:
            continue
        m = np.zeros(n * f)
        m[inside] = np.maximum(solution[: len(inside)], 0.0)
        M = m.reshape(n, f)
        if np.max(np.abs(np.sum(M, axis=1) - 1.0)) > 1e-6:  # a nearly singular system
            continue
        M = M / np.sum(M, axis=1, keepdims=True)
        value = problem_value(M, a, b, pairs)
        if value < least:
            best, least = M, value
    return best, least


def linked_rows(pairs):
    """The rows of at least one pair, in order."""
    return sorted({i for pair in pairs for i in pair[:2]})


def cyclic_masses(M, a, b, pairs, beta, size=None, tol=1e-12, max_sweeps=20000):
    """The linked rows one after the other by ``row_masses``, the others fixed, until all rest."""
    M = M.copy()
    for _ in range(max_sweeps):
        moved = 0.0
        for i in linked_rows(pairs):
            m = row_masses(a[i], row_slope(i, M, b, pairs), beta, size)
            moved = max(moved, np.max(np.abs(m - M[i])))
            M[i] = m
        if moved <= tol:
            return M
    raise RuntimeError(f"the linked rows still move by {moved} after {max_sweeps} sweeps")


# Centres and metrics.


def centers(X, M, sets, *, alpha, beta, S=None, weight=None):
    """The V with the least J at fixed M and S: one linear system in all c p coordinates.

    dJ/dv_h = 0: sum over j with h in A_j of |A_j|^(alpha-1) sum_i w_i m_ij^beta Sbar_j (vbar_j - x_i) = 0.
    With S = I that is ECM's system; with other metrics it is not, whatever the LPECM paper says.
    """
    X = np.array(X, float)
    n, p = X.shape
    c = sets.shape[1]
    w = np.ones(n) if weight is None else np.array(weight, float)
    left, right = np.zeros((c, p, c, p)), np.zeros((c, p))
    for j in range(1, len(sets)):
        size = float(np.sum(sets[j]))
        metric = np.eye(p) if S is None else mean_of_members(S, sets[j])
        total, first = 0.0, np.zeros(p)
        for i in range(n):
            total += w[i] * M[i, j] ** beta
            first += w[i] * M[i, j] ** beta * X[i]
        for h in range(c):
            if not sets[j, h]:
                continue
            right[h] += size ** (alpha - 1) * metric @ first
            for k in range(c):
                if sets[j, k]:
                    left[h, :, k, :] += size ** (alpha - 2) * total * metric
    return np.linalg.solve(left.reshape(c * p, c * p), right.ravel()).reshape(c, p)


def scatters(X, M, V, sets, *, alpha, beta, weight=None, metric_reg=0.0, target=None):
    """Sigma_k = sum over j with k in A_j of |A_j|^(alpha-1) sum_i w_i m_ij^beta e_ij e_ij', plus

    metric_reg diag(target); e_ij = x_i - vbar_j. J_ECM (with its metric term) is sum_k tr(S_k Sigma_k) and
    the empty set's part.
    """
    X, V = np.array(X, float), np.array(V, float)
    n, p = X.shape
    c = len(V)
    w = np.ones(n) if weight is None else np.array(weight, float)
    Sigma = np.zeros((c, p, p))
    for k in range(c):
        for j in range(1, len(sets)):
            if not sets[j, k]:
                continue
            center, size = mean_of_members(V, sets[j]), float(np.sum(sets[j]))
            for i in range(n):
                e = X[i] - center
                Sigma[k] += size ** (alpha - 1) * w[i] * M[i, j] ** beta * np.outer(e, e)
        if metric_reg:
            Sigma[k] += metric_reg * np.diag(target)
    return Sigma


def metrics(X, M, V, sets, *, alpha, beta, weight=None, metric_reg=0.0, target=None):
    """S_k = det(Sigma_k)^(1/p) Sigma_k^-1, the least tr(S_k Sigma_k) with det S_k = 1."""
    Sigma = scatters(
        X, M, V, sets, alpha=alpha, beta=beta, weight=weight, metric_reg=metric_reg, target=target
    )
    S = np.zeros(Sigma.shape)
    for k in range(len(Sigma)):
        log_det = np.linalg.slogdet(Sigma[k])[1]
        inverse = np.linalg.inv(Sigma[k])
        S[k] = math.exp(log_det / Sigma.shape[1]) * 0.5 * (inverse + inverse.T)
    return S


# The fit.


def fit(
    X,
    V0,
    sets,
    *,
    alpha,
    beta,
    rho2,
    adaptive=False,
    metric_reg=0.0,
    target=None,
    weight=None,
    tol=1e-10,
    max_iter=2000,
    M0=None,
    **penalties,
):
    """Algorithm 1 of the LPECM paper, Euclidean or ``adaptive``: (M, V, S, history).

    Masses, centres, metrics (from S = I) in turn until no centre moves by ``tol`` (nor a metric), then
    the masses once more, so that M belongs to the V and S returned. history: J after every half-step,
    two (adaptive: three) an iteration and the last masses. S is None if not adaptive.

    Rows with neither label nor link: ``ecm_masses``. Rows with a label: ``row_masses``. Linked rows:
    ``cyclic_masses`` from the masses they had; at first from M0, or ``ecm_masses`` if None.

    penalties: xi, gamma, eta, delta, r, must, cannot, labels, must_strength, cannot_strength,
    label_weight, empty_satisfies of ``objective``.
    """
    X, V = np.array(X, float), np.array(V0, float)
    c, p = V.shape
    size = np.sum(sets, axis=1)
    S = np.array([np.eye(p)] * c) if adaptive else None
    regular = {"metric_reg": metric_reg, "target": target}
    M = None if M0 is None else np.array(M0, float)
    history = []

    def value():
        return objective(
            X, M, V, sets, alpha=alpha, beta=beta, rho2=rho2, S=S, weight=weight, **regular, **penalties
        )[0]

    def masses():
        D = distances(X, V, sets, S)
        a, b, pairs, _ = mass_problem(D, sets, alpha=alpha, rho2=rho2, weight=weight, **penalties)
        new = ecm_masses(D, sets, alpha, beta, rho2)
        linked = linked_rows(pairs)
        for i in penalties.get("labels") or {}:
            if i not in linked:
                new[i] = row_masses(a[i], b[i], beta, size)
        if linked and M is not None:
            new[linked] = M[linked]
        return cyclic_masses(new, a, b, pairs, beta, size)

    for _ in range(max_iter):
        M = masses()
        history.append(value())
        V_old, S_old = V, S
        V = centers(X, M, sets, alpha=alpha, beta=beta, S=S, weight=weight)
        history.append(value())
        shift = np.max(np.abs(V - V_old))
        if adaptive:
            S = metrics(X, M, V, sets, alpha=alpha, beta=beta, weight=weight, **regular)
            history.append(value())
            shift = max(shift, np.max(np.abs(S - S_old)))
        if shift < tol:
            break
    M = masses()
    history.append(value())
    return M, V, S, np.array(history)
