"""Fuzzy c-means with the polynomial fuzzifier of Klawonn and Hoeppner (IDA 2003).

"The paper" is Klawonn and Hoeppner, What is fuzzy about fuzzy clustering? Understanding and improving the
concept of the fuzzifier. It puts a polynomial g in the place of u^m:

    J = sum_i w_i sum_k g(u_ik) d_ik,  g(u) = (1 - b)/(1 + b) u^2 + 2b/(1 + b) u,  0 <= b < 1,

with sum_k u_ik = 1 and u_ik >= 0. g(0) = 0, g(1) = 1, and b = g'(0)/g'(1). b = 0 is FCM with m = 2 and
b -> 1 is k-means. As g'(0) > 0 for b > 0, memberships are exactly zero where a cluster is far enough.
d is the quantity inside J, a squared distance. The row weights and the noise cluster are ours.

The rows, derived from J (the paper's result): with l = lambda (1 + b)/2 the KKT conditions of a row are

    u_k > 0:  d_k ((1 - b) u_k + b) = l,      u_k = 0:  d_k b >= l.

So u_k = (l/d_k - b)/(1 - b) on the active set A; sum_A u_k = 1 gives l = (1 + (|A| - 1) b) / sum_A 1/d_j:

    u_k = 1/(1 - b) ((1 + (|A| - 1) b) / sum_{j in A} d_k/d_j - b).

A cluster is active where b d_k < l, so A is a prefix of the clusters sorted by distance. It is the LARGEST
prefix whose u are all positive: l of a prefix with one more cluster is a mean of the l before and of b d of
the new cluster. If the new u is not positive, b d >= l both before and after, and any farther cluster
fails as well; so no longer prefix works, and every shorter one violates b d_k >= l for what it left out.
"""

from __future__ import annotations

import itertools

import numpy as np

from .answer import Answer, alternate
from .fuzzy import squared_distances


def influence(U, beta):
    """g(u) = (1 - b)/(1 + b) u^2 + 2b/(1 + b) u: what weighs a row in the centre of a cluster."""
    U = np.array(U, float)
    return (1.0 - beta) / (1.0 + beta) * U**2 + 2.0 * beta / (1.0 + beta) * U


def row_memberships(d, beta):
    """One row's minimiser of sum_k g(u_k) d_k: the formula above on the largest prefix with all u > 0.

    A row on a centre belongs to it wholly, on several centres it is shared equally (any split of such a
    row has J = 0; equal shares are our choice, that of FCM).
    """
    c = len(d)
    u = np.zeros(c)
    zero = d == 0
    if zero.any():
        u[zero] = 1.0 / zero.sum()
        return u
    order = np.argsort(d, kind="stable")
    for size in range(c, 0, -1):
        active = order[:size]
        share = np.zeros(size)
        for place, k in enumerate(active):
            with np.errstate(over="ignore"):
                ratios = np.sum(d[k] / d[active])
            share[place] = ((1.0 + (size - 1) * beta) / ratios - beta) / (1.0 - beta)
        if np.all(share > 0) or size == 1:
            u[active] = share
            return u
    raise AssertionError("the nearest cluster alone is always a solution")


def memberships(D, beta, noise=0.0):
    """(U, rest): the minimisers of J in the rows; ``rest`` is the membership of the noise cluster.

    noise > 0 is the SQUARED noise distance delta^2 of Dave (1991), one more column of D equal in all rows.
    noise = 0 means no noise cluster, and rest is zero.
    """
    D = np.array(D, float)
    if not 0 <= beta < 1:
        raise ValueError("beta must be at least 0 and below 1")
    if np.any(D < 0) or noise < 0:
        raise ValueError("squared distances must not be negative")
    n, c = D.shape
    U, rest = np.zeros((n, c)), np.zeros(n)
    for i in range(n):
        if noise > 0:
            u = row_memberships(np.append(D[i], noise), beta)
            U[i], rest[i] = u[:c], u[c]
        else:
            U[i] = row_memberships(D[i], beta)
    return U, rest


def objective(D, U, rest, beta, noise=0.0, weight=None):
    """J = sum_i w_i (sum_k g(u_ik) d_ik + g(rest_i) delta^2), noise = delta^2."""
    n, c = np.shape(D)
    w = np.ones(n) if weight is None else np.array(weight, float)
    G, g_rest = influence(U, beta), influence(rest, beta)
    total = 0.0
    for i in range(n):
        for k in range(c):
            total += w[i] * G[i, k] * D[i][k]
        total += w[i] * g_rest[i] * noise
    return total


def centres(X, U, V, beta, weight):
    """v_k = sum_i w_i g(u_ik) x_i / sum_i w_i g(u_ik), the minimiser of J for squared Euclidean distances.

    A cluster without any influence (all its u are zero, possible here) keeps its centre.
    """
    V_new = np.array(V, float)
    for k in range(len(V)):
        a = weight * influence(U[:, k], beta)
        if np.sum(a) > 0:
            V_new[k] = a @ X / np.sum(a)
    return V_new


def fit(X, V, beta, weight=None, noise=0.0, steps=5000, tol=1e-13) -> Answer:
    """Plain alternation from the centres V: memberships, centres, memberships, ...

    Ends after ``steps`` centre updates or once no coordinate of a centre moved by more than ``tol``.
    noise is the squared noise distance. The memberships returned are those of the real clusters; the rest
    of a row, 1 - sum_k u_ik, belongs to noise.
    """
    X = np.array(X, float)
    w = np.ones(len(X)) if weight is None else np.array(weight, float)

    def rows(V):
        D = squared_distances(X, V)
        U, rest = memberships(D, beta, noise)
        return U, None, objective(D, U, rest, beta, noise, w)

    return alternate(V, rows, lambda V, U, T: centres(X, U, V, beta, w), tol, steps)


def brute(D_row, beta):
    """One row's minimiser by trying every set of clusters: no sorting, no closed form, no sign conditions.

    On the set A the least of sum_A g(u_k) d_k with sum_A u_k = 1 and NO bounds solves the linear equations
    g'(u_k) d_k = lambda (k in A), sum_A u_k = 1. The problem is convex, so the minimiser on the simplex is
    the best of those solutions that happen to be nonnegative: it solves them for the set where it is
    positive. (Sets from large to small; a later one must be strictly better.)
    With several zero distances the minimiser is not unique; compare J then.
    """
    d = np.array(D_row, float)
    c = len(d)
    square, linear = (1.0 - beta) / (1.0 + beta), 2.0 * beta / (1.0 + beta)
    best, best_value = None, np.inf
    for size in range(c, 0, -1):
        for chosen in itertools.combinations(range(c), size):
            left, right = np.zeros((size + 1, size + 1)), np.zeros(size + 1)
            for place, k in enumerate(chosen):
                left[place, place] = 2.0 * square * d[k]
                left[place, size] = -1.0
                right[place] = -linear * d[k]
                left[size, place] = 1.0
            right[size] = 1.0
            if np.sum(d[list(chosen)] == 0) > 1:  # singular: the solution of least norm
                share = np.linalg.lstsq(left, right, rcond=None)[0][:size]
            else:
                share = np.linalg.solve(left, right)[:size]
            if np.any(share < 0):
                continue
            u = np.zeros(c)
            u[list(chosen)] = share
            value = np.sum((square * u**2 + linear * u) * d)
            if value < best_value:
                best, best_value = u, value
    return best
