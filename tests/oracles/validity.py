"""Validity and agreement indices, transcribed sum by sum; slow, and with n x n where the paper has it.

X is (n, p), U (n, c) with rows that sum to 1, V (c, p): u_ik is the membership of row i in cluster k, where
most papers write u_ki.  Nothing here knows of weights: a row of weight w is w copies of it.

Two readings were chosen.  The mean of Fukuyama & Sugeno and of Kwon is that of the rows (others take that
of the centres).  The covariances of Gath & Geva have u^m, and their paper m = 1; the sum of central members
has u itself, as printed.
"""

from __future__ import annotations

import itertools
import math

import numpy as np


def squared(x, y):
    return sum((float(a) - float(b)) ** 2 for a, b in zip(x, y, strict=True))


def mean_row(X):
    return [sum(float(row[j]) for row in X) / len(X) for j in range(len(X[0]))]


# Memberships alone.


def partition_coefficient(U):
    """Bezdek 1974: F(U) = sum_k sum_i u_ik^2 / n."""
    return sum(float(u) ** 2 for row in U for u in row) / len(U)


def partition_entropy(U):
    """Bezdek 1974: H(U) = - sum_k sum_i u_ik log u_ik / n, with 0 log 0 = 0."""
    return -sum(float(u) * math.log(u) for row in U for u in row if u > 0) / len(U)


def modified_partition_coefficient(U):
    """Dave 1996: 1 - c/(c - 1) (1 - F)."""
    c = len(U[0])
    return 1 - c / (c - 1) * (1 - partition_coefficient(U))


# Rows and centres.


def within(X, U, V, m):
    """sum_i sum_k u_ik^m |x_i - v_k|^2."""
    return sum(float(U[i][k]) ** m * squared(X[i], V[k]) for i in range(len(X)) for k in range(len(V)))


def least_separation(V):
    return min(squared(V[k], V[j]) for k, j in itertools.combinations(range(len(V)), 2))


def xie_beni(X, U, V, m):
    """Xie & Beni 1991, with u^m for u^2."""
    return within(X, U, V, m) / (len(X) * least_separation(V))


def kwon(X, U, V, m):
    """Kwon 1998: a punishing function keeps it from falling as c approaches n."""
    mean = mean_row(X)
    punishing = sum(squared(v, mean) for v in V) / len(V)
    return (within(X, U, V, m) + punishing) / least_separation(V)


def tang(X, U, V, m):
    """Tang, Sun & Sun 2005."""
    c = len(V)
    punishing = sum(squared(V[k], V[j]) for k in range(c) for j in range(c) if k != j) / (c * (c - 1))
    return (within(X, U, V, m) + punishing) / (least_separation(V) + 1 / c)


def fukuyama_sugeno(X, U, V, m):
    """Fukuyama & Sugeno 1989: sum_i sum_k u_ik^m (|x_i - v_k|^2 - |v_k - mean|^2)."""
    mean = mean_row(X)
    return sum(
        float(U[i][k]) ** m * (squared(X[i], V[k]) - squared(V[k], mean))
        for i in range(len(X))
        for k in range(len(V))
    )


def fuzzy_covariance(X, U, v, k, m):
    """Gath & Geva 1989: F_k."""
    top, bottom = 0.0, 0.0
    for x, u in zip(X, U, strict=True):
        top = top + float(u[k]) ** m * np.outer(x - v, x - v)
        bottom += float(u[k]) ** m
    return top / bottom


def fuzzy_hypervolume(X, U, V, m):
    """Gath & Geva 1989: sum_k sqrt(det F_k)."""
    return sum(math.sqrt(np.linalg.det(fuzzy_covariance(X, U, V[k], k, m))) for k in range(len(V)))


def partition_density(X, U, V, m):
    """Gath & Geva 1989: S/F_HV, S the memberships of the central members, (x - v)' F^-1 (x - v) < 1."""
    S = 0.0
    for k in range(len(V)):
        inverse = np.linalg.inv(fuzzy_covariance(X, U, V[k], k, m))
        for x, u in zip(X, U, strict=True):
            if (x - V[k]) @ inverse @ (x - V[k]) < 1:
                S += float(u[k])
    return S / fuzzy_hypervolume(X, U, V, m)


# Silhouettes.


def silhouettes(X, labels):
    """Rousseeuw 1987: (b - a)/max(a, b), 0 for a row alone in its cluster."""
    X, labels = [list(map(float, row)) for row in X], [int(label) for label in labels]
    found = []
    for i in range(len(X)):
        means = {}
        for cluster in set(labels):
            others = [math.dist(X[i], X[j]) for j in range(len(X)) if j != i and labels[j] == cluster]
            means[cluster] = sum(others) / len(others) if others else None
        a = means.pop(labels[i])
        if a is None or not means:
            found.append(0.0)
            continue
        b = min(means.values())
        found.append((b - a) / max(a, b) if max(a, b) > 0 else 0.0)
    return found


def simplified_silhouettes(X, U, V):
    """Hruschka, de Castro & Campello 2004: distances to centres in place of mean distances to rows."""
    found = []
    for x, u in zip(X, U, strict=True):
        own = max(range(len(V)), key=lambda k: u[k])
        a = math.dist(x, V[own])
        b = min(math.dist(x, V[k]) for k in range(len(V)) if k != own)
        found.append((b - a) / max(a, b) if max(a, b) > 0 else 0.0)
    return found


def weighed(silhouettes, U, alpha):
    """Campello & Hruschka 2006: weights (u_first - u_second)^alpha."""
    top = bottom = 0.0
    for s, row in zip(silhouettes, U, strict=True):
        first, second = sorted(map(float, row), reverse=True)[:2]
        top += (first - second) ** alpha * s
        bottom += (first - second) ** alpha
    return top / bottom


def fuzzy_silhouette(X, U, alpha):
    return weighed(silhouettes(X, np.argmax(U, axis=1)), U, alpha)


def simplified_fuzzy_silhouette(X, U, V, alpha):
    return weighed(simplified_silhouettes(X, U, V), U, alpha)


# Two partitions of the same rows.


def pair_sums(U, V):
    """Frigui, Hwang & Rhee 2007: SS, SD, DS, DD over i < j, with psi_ij = sum_k u_ik u_jk."""
    SS = SD = DS = DD = 0.0
    for i, j in itertools.combinations(range(len(U)), 2):
        one = sum(float(a) * float(b) for a, b in zip(U[i], U[j], strict=True))
        two = sum(float(a) * float(b) for a, b in zip(V[i], V[j], strict=True))
        SS += one * two
        SD += one * (1 - two)
        DS += (1 - one) * two
        DD += (1 - one) * (1 - two)
    return SS, SD, DS, DD


def fuzzy_rand(U, V):
    SS, SD, DS, DD = pair_sums(U, V)
    return (SS + DD) / (SS + SD + DS + DD)


def fuzzy_jaccard(U, V):
    SS, SD, DS, _ = pair_sums(U, V)
    return SS / (SS + SD + DS)


def fuzzy_adjusted_rand_by_permutation(U, V):
    """(RI - E)/(M - E) with Hubert & Arabie's 1985 words: SS for the index, its mean over all orders of the
    rows of V for E, and half the sum of both partitions' pairs for the greatest."""
    SS, SD, DS, _ = pair_sums(U, V)
    orders = list(itertools.permutations(range(len(V))))
    expected = sum(pair_sums(U, [V[i] for i in order])[0] for order in orders) / len(orders)
    return (SS - expected) / ((SS + SD + SS + DS) / 2 - expected)


def matched_errors(y_true, y_pred):
    """Rows outside the best one-to-one naming of clusters by classes, every naming tried."""
    classes, clusters = sorted(set(y_true)), sorted(set(y_pred))
    names = classes + [None] * len(clusters)
    return min(
        sum(dict(zip(clusters, named, strict=True))[b] != a for a, b in zip(y_true, y_pred, strict=True))
        for named in itertools.permutations(names, len(clusters))
    )


def nonspecificity(masses, sets):
    """Masson & Denoeux 2008: sum_i [sum_A m_i(A) log2|A| + m_i({}) log2 c] / (n log2 c)."""
    c = len(sets[0])
    total = 0.0
    for row in masses:
        for mass, members in zip(row, sets, strict=True):
            total += float(mass) * math.log2(sum(members) or c)
    return total / (len(masses) * math.log2(c))
