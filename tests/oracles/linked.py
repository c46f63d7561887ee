"""Links between rows for fuzzy and hard c-means: PCCA's penalty, PCKMeans, constrained k-means.

"PCCA": Grira, Crucianu and Boujemaa, Active semi-supervised fuzzy clustering (2008), without its
competition term. "PCKMeans": Basu, Banerjee and Mooney, Active semi-supervision for pairwise
constrained clustering (2004). "COP-k-means": Wagstaff, Cardie, Rogers and Schroedl, Constrained k-means
clustering with background knowledge (2001).

D is (n, c), d_ik the SQUARED distance. must and cannot are lists of (i, j), their strengths s_ij in the
same order, 1 if None; the weights w of the rows do not multiply them. F holds the target degrees f_ik,
NaN where nothing is said (b_ik = 0), alpha the label strength, a number or one a row, as in
``supervised``.

noise: the cost of the noise cluster, a SQUARED distance (``noise_fuzzy_c_means`` takes the distance).
It is the empty set of the evidential models: with it U has n x (c + 1) entries, column 0 the noise, and
no label touches it. It breaks no link, or with empty_satisfies=False both kinds.
"""

from __future__ import annotations

import itertools
import math

import numpy as np

from .evidential import row_masses
from .fuzzy import fuzzy_memberships, squared_distances
from .supervised import _means, disagreement, increasing_root

# One pair.


def apart(u, v, *, noise=False, empty_satisfies=True):
    """What a must-link pays: sum over k != h of u_k v_h, both clusters.

    empty_satisfies=False: also every k, h one of which is the noise (column 0, if ``noise``).
    """
    value = 0.0
    for k in range(len(u)):
        for h in range(len(v)):
            if noise and (k == 0 or h == 0):
                value += 0.0 if empty_satisfies else u[k] * v[h]
            elif k != h:
                value += u[k] * v[h]
    return value


def together(u, v, *, noise=False, empty_satisfies=True):
    """What a cannot-link pays: sum_k u_k v_k over clusters; the noise as in ``apart``."""
    value = 0.0
    for k in range(len(u)):
        for h in range(len(v)):
            if noise and (k == 0 or h == 0):
                value += 0.0 if empty_satisfies else u[k] * v[h]
            elif k == h:
                value += u[k] * v[h]
    return value


def link_cost(
    U, must, cannot, *, must_strength=None, cannot_strength=None, noise=False, empty_satisfies=True
):
    """sum over must s_ij ``apart`` + sum over cannot s_ij ``together``."""
    value = 0.0
    for q, (i, j) in enumerate(must):
        s = 1.0 if must_strength is None else must_strength[q]
        value += s * apart(U[i], U[j], noise=noise, empty_satisfies=empty_satisfies)
    for q, (i, j) in enumerate(cannot):
        s = 1.0 if cannot_strength is None else cannot_strength[q]
        value += s * together(U[i], U[j], noise=noise, empty_satisfies=empty_satisfies)
    return value


def linked_rows(must, cannot):
    """The rows with a link, in order."""
    return sorted({i for pair in [*must, *cannot] for i in pair})


# Fuzzy.


def _columns(D, F, alpha, noise):
    """D, F and alpha a row, with column 0 for the noise if there is one."""
    D = np.array(D, float)
    n = len(D)
    F = np.full(D.shape, np.nan) if F is None else np.array(F, float)
    if noise is not None:
        D = np.hstack([np.full((n, 1), float(noise)), D])
        F = np.hstack([np.full((n, 1), np.nan), F])
    return D, F, np.ones(n) * alpha


def fuzzy_objective(D, U, *, m, noise=None, weights=None, F=None, alpha=0.0, must=(), cannot=(), **links):
    """J = sum_i w_i (sum_k u_ik^m d_ik + noise u_i0^m + alpha_i sum_k b_ik (u_ik - f_ik)^2 d_ik)

    + sum over must s_ij sum over k != h of u_ik u_jh + sum over cannot s_ij sum_k u_ik u_jk.

    links: must_strength, cannot_strength, empty_satisfies of ``link_cost``.
    """
    D, F, alpha = _columns(D, F, alpha, noise)
    n, columns = D.shape
    w = np.ones(n) if weights is None else np.array(weights, float)
    J = link_cost(U, must, cannot, noise=noise is not None, **links)
    for i in range(n):
        for k in range(columns):
            J += w[i] * U[i, k] ** m * D[i, k]
            if not math.isnan(F[i, k]):
                J += w[i] * alpha[i] * (U[i, k] - F[i, k]) ** 2 * D[i, k]
    return J


def fuzzy_row(a, b, m, q=None, f=None):
    """argmin of sum_k a_k u_k^m + b_k u_k + q_k (u_k - f_k)^2 over the simplex; a, q >= 0, m > 1.

    f is not read where q_k = 0. Without q, or for m = 2, it is ``row_masses``. Else: for some lam every
    u_k is the zero of its slope minus lam, or at an end of [0, 1]; lam is one root search, u_k(lam)
    another. Entries with a_k = q_k = 0 are linear and share as in ``row_masses``.
    """
    a, b = np.array(a, float), np.array(b, float)
    q = np.zeros(len(a)) if q is None else np.array(q, float)
    f = np.where(q == 0, 0.0, 0.0 if f is None else f)
    if m == 2 or not q.any():
        return row_masses(a + q, b - 2.0 * q * f, m)
    c = len(a)

    def slope(k, u):
        return a[k] * m * u ** (m - 1.0) + b[k] + 2.0 * q[k] * (u - f[k])

    def share(k, lam):
        return increasing_root(lambda u: slope(k, u) - lam, 0.0, 1.0)

    u = np.zeros(c)
    linear = (a == 0) & (q == 0)
    curved = np.flatnonzero(~linear)
    if linear.any():
        least = np.min(b[linear])
        for k in curved:
            u[k] = share(k, least)
        if np.sum(u) < 1:
            heirs = linear & (b == least)
            u[heirs] = (1.0 - np.sum(u)) / heirs.sum()
            return u
        u[:] = 0.0
    # Where every u_k <= 1/c the sum is at most one, where every u_k >= 1/c at least: the bracket.
    level = [slope(k, 1.0 / len(curved)) for k in curved]
    lam = increasing_root(lambda x: math.fsum(share(k, x) for k in curved) - 1.0, min(level), max(level))
    for k in curved:
        u[k] = share(k, lam)
    return u / np.sum(u)


def link_slopes(
    i, U, must, cannot, *, must_strength=None, cannot_strength=None, noise=False, empty_satisfies=True
):
    """b with b' u_i = what the links of row i pay, the other rows fixed."""
    unit = np.eye(U.shape[1])
    b = np.zeros(U.shape[1])
    for pairs, strength, pays in [(must, must_strength, apart), (cannot, cannot_strength, together)]:
        for q, (j, h) in enumerate(pairs):
            if i in (j, h):
                other = h if i == j else j
                s = 1.0 if strength is None else strength[q]
                for k in range(len(b)):
                    b[k] += s * pays(unit[k], U[other], noise=noise, empty_satisfies=empty_satisfies)
    return b


def fuzzy_rows(D, U, *, m, noise, weights, F, alpha, must, cannot, tol=1e-12, max_sweeps=20000, **links):
    """Every row without links at its minimum; those with links in turn from U until they rest."""
    D, F, alpha = _columns(D, F, alpha, noise)
    n = len(D)
    w = np.ones(n) if weights is None else np.array(weights, float)
    linked = linked_rows(must, cannot)
    said = ~np.isnan(F)

    def row(i, b):
        q = np.where(said[i], alpha[i] * w[i] * D[i], 0.0)
        return fuzzy_row(w[i] * D[i], b, m, q, np.where(said[i], F[i], 0.0))

    new = np.array(U, float)
    plain = fuzzy_memberships(D, m)
    for i in range(n):
        if i not in linked:
            labelled = alpha[i] > 0 and said[i].any()
            new[i] = row(i, np.zeros(D.shape[1])) if labelled else plain[i]
    for _ in range(max_sweeps):
        moved = 0.0
        for i in linked:
            u = row(i, link_slopes(i, new, must, cannot, noise=noise is not None, **links))
            moved = max(moved, np.max(np.abs(u - new[i])))
            new[i] = u
        if moved <= tol:
            return new
    raise RuntimeError(f"the linked rows still move by {moved} after {max_sweeps} sweeps")


def linked_fcm(
    X, V0, *, m, noise=None, weights=None, F=None, alpha=0.0, must=(), cannot=(), U0=None, tol=1e-10,
    max_iter=2000, **links,
):  # fmt: skip
    """FCM with links: (U, V, history), J as ``fuzzy_objective``, history after every half-step.

    Memberships (``fuzzy_rows``) and centres in turn until no centre moves by ``tol``, then the
    memberships once more. Linked rows start from what they had; at first from U0, or the FCM closed form
    without labels if None. v_k = the mean of x weighted by w (u^m + alpha b (u - f)^2). With noise U has
    its column 0.
    """
    X, V = np.array(X, float), np.array(V0, float)
    n, c = len(X), len(V)
    w = np.ones(n) if weights is None else np.array(weights, float)
    targets = np.full((n, c), np.nan) if F is None else np.array(F, float)
    model = {"m": m, "noise": noise, "weights": w, "F": targets, "alpha": alpha}
    model |= {"must": must, "cannot": cannot, **links}
    first = 0 if noise is None else 1
    D = squared_distances(X, V)
    U = fuzzy_memberships(_columns(D, None, 0.0, noise)[0], m) if U0 is None else np.array(U0, float)
    history = []
    for _ in range(max_iter):
        U = fuzzy_rows(D, U, **model)
        history.append(fuzzy_objective(D, U, **model))
        V_old, real = V, U[:, first:]
        V = _means(X, w[:, None] * (real**m + disagreement(real, targets, alpha)), V)
        D = squared_distances(X, V)
        history.append(fuzzy_objective(D, U, **model))
        if np.max(np.abs(V - V_old)) < tol:
            break
    U = fuzzy_rows(D, U, **model)
    history.append(fuzzy_objective(D, U, **model))
    return U, V, np.array(history)


# Hard: labels are column numbers 0..c-1, -1 the noise.


def hard_costs(D, *, noise=None, weights=None, F=None, alpha=0.0):
    """(cost, noise_cost): what row i pays in cluster k,

    w_i (d_ik + alpha_i sum_h b_ih ([h = k] - f_ih)^2 d_ih), and in the noise,
    w_i (noise + alpha_i sum_h b_ih f_ih^2 d_ih); None without noise.
    """
    D = np.array(D, float)
    n, c = D.shape
    w = np.ones(n) if weights is None else np.array(weights, float)
    F = np.full((n, c), np.nan) if F is None else np.array(F, float)
    alpha = np.ones(n) * alpha
    cost, noise_cost = np.zeros((n, c)), np.zeros(n)
    for i in range(n):
        for k in range(-1, c):
            value = D[i, k] if k >= 0 else (0.0 if noise is None else noise)
            for h in range(c):
                if not math.isnan(F[i, h]):
                    value += alpha[i] * ((h == k) - F[i, h]) ** 2 * D[i, h]
            if k >= 0:
                cost[i, k] = w[i] * value
            else:
                noise_cost[i] = w[i] * value
    return cost, None if noise is None else noise_cost


def hard_objective(
    cost, labels, must=(), cannot=(), *, must_strength=None, cannot_strength=None, noise_cost=None,
    empty_satisfies=True,
):  # fmt: skip
    """J = sum_i cost[i, label_i] + sum over must s_ij [label_i != label_j] + over cannot s_ij [equal].

    PCKMeans where cost is w_i d_ik. A row in the noise (-1) breaks no link, or every one.
    """
    J = 0.0
    for i in range(len(cost)):
        J += noise_cost[i] if labels[i] == -1 else cost[i, labels[i]]
    for q, (i, j) in enumerate(must):
        outside = labels[i] == -1 or labels[j] == -1
        if (outside and not empty_satisfies) or (not outside and labels[i] != labels[j]):
            J += 1.0 if must_strength is None else must_strength[q]
    for q, (i, j) in enumerate(cannot):
        outside = labels[i] == -1 or labels[j] == -1
        if (outside and not empty_satisfies) or (not outside and labels[i] == labels[j]):
            J += 1.0 if cannot_strength is None else cannot_strength[q]
    return J


def hard_choices(cost, noise_cost=None):
    """The labels there are: 0..c-1, and -1 before them with noise."""
    return list(range(cost.shape[1])) if noise_cost is None else list(range(-1, cost.shape[1]))


def hard_best(cost, must=(), cannot=(), *, noise_cost=None, **links):
    """(labels, J): the least ``hard_objective`` of ALL assignments, the first of equals."""
    best, least = None, math.inf
    for labels in itertools.product(hard_choices(cost, noise_cost), repeat=len(cost)):
        J = hard_objective(cost, labels, must, cannot, noise_cost=noise_cost, **links)
        if J < least:
            best, least = np.array(labels), J
    return best, least


def hard_row(i, labels, cost, must=(), cannot=(), *, noise_cost=None, **links):
    """The label of row i with the least J, the other rows fixed; all tried, the first of equals."""
    best, least = None, math.inf
    for label in hard_choices(cost, noise_cost):
        trial = np.array(labels)
        trial[i] = label
        J = hard_objective(cost, trial, must, cannot, noise_cost=noise_cost, **links)
        if J < least:
            best, least = label, J
    return best


def hard_rows(cost, labels, must=(), cannot=(), *, noise_cost=None, **links):
    """Every row in turn by ``hard_row`` until none changes (iterated conditional modes, as PCKMeans).

    It ends: a move lowers J, or keeps it and lowers a label.
    """
    labels = np.array(labels)
    while True:
        old = labels.copy()
        for i in range(len(cost)):
            labels[i] = hard_row(i, labels, cost, must, cannot, noise_cost=noise_cost, **links)
        if np.array_equal(labels, old):
            return labels


def _hard_means(X, V, labels, w, F, alpha):
    """v_k = the mean of x weighted by w (u + alpha b (u - f)^2), u = 1 for its rows, else 0."""
    U = np.zeros((len(X), len(V)))
    for i in range(len(X)):
        if labels[i] >= 0:
            U[i, labels[i]] = 1.0
    return _means(X, w[:, None] * (U + disagreement(U, F, alpha)), V)


def linked_k_means(
    X, V0, *, noise=None, weights=None, F=None, alpha=0.0, must=(), cannot=(), labels0=None,
    exhaustive=False, max_iter=1000, **links,
):  # fmt: skip
    """PCKMeans: (labels, V, history), J as ``hard_objective`` on ``hard_costs``, after every half-step.

    Labels and centres in turn until the centres stand still. Labels by ``hard_rows`` from those before;
    at first from labels0, or each row's best without links. exhaustive: by ``hard_best``. A cluster
    without weight keeps its centre.
    """
    X, V = np.array(X, float), np.array(V0, float)
    n, c = len(X), len(V)
    w = np.ones(n) if weights is None else np.array(weights, float)
    F = np.full((n, c), np.nan) if F is None else np.array(F, float)
    model = {"noise": noise, "weights": w, "F": F, "alpha": alpha}
    cost, noise_cost = hard_costs(squared_distances(X, V), **model)
    labels = hard_rows(cost, np.zeros(n, int), noise_cost=noise_cost) if labels0 is None else labels0
    history = []
    for _ in range(max_iter):
        if exhaustive:
            labels = hard_best(cost, must, cannot, noise_cost=noise_cost, **links)[0]
        else:
            labels = hard_rows(cost, labels, must, cannot, noise_cost=noise_cost, **links)
        history.append(hard_objective(cost, labels, must, cannot, noise_cost=noise_cost, **links))
        V_old = V
        V = _hard_means(X, V, labels, w, F, alpha)
        cost, noise_cost = hard_costs(squared_distances(X, V), **model)
        history.append(hard_objective(cost, labels, must, cannot, noise_cost=noise_cost, **links))
        if np.array_equal(V, V_old):
            break
    return labels, V, np.array(history)


# Hard constraints.


def is_feasible(labels, must, cannot):
    """Are both ends of every must-link in one cluster and of every cannot-link in two?"""
    return all(labels[i] == labels[j] for i, j in must) and all(labels[i] != labels[j] for i, j in cannot)


def best_feasible(cost, must, cannot):
    """The assignment with the least sum_i cost[i, label_i] among ALL that break no constraint.

    The first of equals in lexicographic order; None if there is none. (COP-k-means assigns row by row
    and may fail, or end above this.)
    """
    best, least = None, math.inf
    for labels in itertools.product(range(cost.shape[1]), repeat=len(cost)):
        if not is_feasible(labels, must, cannot):
            continue
        total = sum(cost[i, labels[i]] for i in range(len(cost)))
        if total < least:
            best, least = np.array(labels), total
    return best


def feasible_k_means(X, V0, must, cannot, *, weights=None, max_iter=1000):
    """Constrained k-means: (labels, V, history), ``best_feasible`` and means in turn, J after each.

    J = sum_i w_i d_{i, label_i} over assignments that break no constraint; ValueError if there is none.
    """
    X, V = np.array(X, float), np.array(V0, float)
    w = np.ones(len(X)) if weights is None else np.array(weights, float)
    nothing = np.full((len(X), len(V)), np.nan)
    history = []
    for _ in range(max_iter):
        cost = hard_costs(squared_distances(X, V), weights=w)[0]
        labels = best_feasible(cost, must, cannot)
        if labels is None:
            raise ValueError("no assignment satisfies the constraints")
        history.append(hard_objective(cost, labels))
        V_old = V
        V = _hard_means(X, V, labels, w, nothing, 0.0)
        history.append(hard_objective(hard_costs(squared_distances(X, V), weights=w)[0], labels))
        if np.array_equal(V, V_old):
            break
    return labels, V, np.array(history)
