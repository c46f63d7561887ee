"""Exact memberships of one row that sum to one, under a linear pressure b on each, for any exponent.

The pressure comes from linked rows and from subset labels.  Noise, if there is any, is one more column.
The accuracy depends on the order of the sums below: a row on a centre has a cost of nearly 0 beside any
pressure.
"""

import numpy as np

from softclust.kernels.compiled.decorators import compiled, compiled_exact
from softclust.kernels.compiled.simplex import entry, pull_of
from softclust.kernels.compiled.vector_math import power

_STEPS = 200


@compiled_exact
def _quadratic(A, B, p):
    """Compute p <- argmin of sum_k A_k p_k^2 + B_k p_k on the simplex: p_k = max(0, lambda - B_k)/(2 A_k).

    Columns that would be negative are removed until none is (Michelot).  With more columns than the
    support, lambda is too great, so that no column is removed wrongly.  lambda is counted from B_r, where r
    is the remaining column of least A: there p_r = mu/(2 A_r) without a cancellation, however small A_r is
    beside the B.
    """
    size = p.shape[0]
    for k in range(size):
        p[k] = 1.0  # in play
    r, mu = 0, 0.0
    for _ in range(size):
        r = -1
        for k in range(size):
            if p[k] > 0.0 and (r < 0 or A[k] < A[r]):
                r = k
        rate, rest = 0.0, 2.0 * A[r]
        for k in range(size):
            if p[k] > 0.0:
                share = A[r] / A[k]
                rate += share
                rest -= (B[r] - B[k]) * share
        mu = rest / rate
        changed = False
        for k in range(size):
            if p[k] > 0.0 and mu + (B[r] - B[k]) <= 0.0:
                p[k] = 0.0
                changed = True
        if not changed:
            break
    total = 0.0
    for k in range(size):
        p[k] = min(max(mu + (B[r] - B[k]), 0.0) * 0.5 / A[k], 1.0) if p[k] > 0.0 else 0.0
        total += p[k]
    for k in range(size):
        p[k] /= total


@compiled_exact
def _search(cost, b, f, alpha, m, r, low, high, p):
    """Compute p <- memberships at the multiplier b_r + mu that makes their sum 1; return mu and that sum.

    mu is found by bracketed Newton steps in (low, high).
    """
    mu, total = high, 0.0
    for _ in range(_STEPS):
        total, rate = 0.0, 0.0
        for k in range(p.shape[0]):
            pull = pull_of(alpha, f[k])
            wish = f[k] if pull > 0.0 else 0.0
            p[k], slope = entry((mu + (b[r] - b[k])) / cost[k], m, pull, wish, p[k])
            total += p[k]
            rate += 1.0 / (cost[k] * slope) if slope > 0.0 else 0.0
        if abs(total - 1.0) <= 1e-15:
            break
        if total > 1.0:
            high = mu
        else:
            low = mu
        mu -= (total - 1.0) / rate if rate > 0.0 else np.inf
        if not low < mu < high:
            mu = 0.5 * (low + high)
            if mu in (low, high):
                break
    return mu, total


@compiled_exact
def _halved(cost, b, f, alpha, m, near, p):
    """Compute the same p if the multiplier is b_near within rounding.

    The interval of p_near is halved until all memberships sum to 1.
    """
    low, high = 0.0, 1.0
    for _ in range(_STEPS):
        p[near] = 0.5 * (low + high)
        if p[near] in (low, high):
            break
        pull = pull_of(alpha, f[near])
        mu = cost[near] * (
            m * power(p[near], m - 1.0) + (2.0 * pull * (p[near] - f[near]) if pull > 0.0 else 0.0)
        )
        total = p[near]
        for k in range(p.shape[0]):
            if k != near:
                pull = pull_of(alpha, f[k])
                wish = f[k] if pull > 0.0 else 0.0
                p[k], _slope = entry((mu + (b[near] - b[k])) / cost[k], m, pull, wish, p[k])
                total += p[k]
        if total > 1.0:
            high = p[near]
        else:
            low = p[near]


@compiled_exact
def _searched(cost, b, f, alpha, m, p):
    """Compute p for any m.

    The multiplier is counted from b_r, where r is the column that would be full first.  At the upper end of
    its bracket one membership is 1 already; at the lower end all are 1/size at most.  Great exponents need
    the multiplier more finely than floats counted from b_r can tell; then it is counted from the b next to
    it.
    """
    size = p.shape[0]
    even = 1.0 / size
    r, high, least = 0, np.inf, np.inf
    for k in range(size):
        pull = pull_of(alpha, f[k])
        wish = f[k] if pull > 0.0 else 0.0
        at_one = cost[k] * (m + 2.0 * pull * (1.0 - wish))
        if (b[k] - b[r]) + at_one < high:
            r, high = k, at_one
        least = min(least, b[k] + cost[k] * (m * even ** (m - 1.0) + 2.0 * pull * (even - wish)))
        p[k] = even
    mu, total = _search(cost, b, f, alpha, m, r, least - b[r], high, p)
    if abs(total - 1.0) > 1e-12:
        near = r
        for k in range(size):
            if abs(mu + (b[r] - b[k])) < abs(mu + (b[r] - b[near])):
                near = k
        _halved(cost, b, f, alpha, m, near, p)
    total = 0.0
    for k in range(size):
        total += p[k]
    for k in range(size):
        p[k] /= total


@compiled
def tilted_row(cost, b, f, alpha, m, p, A, B):
    """Compute p <- argmin of sum_k cost_k (p_k^m + alpha_k (p_k - f_k)^2) + b_k p_k on the simplex.

    Costs are positive; f is NaN where no degree is wanted.  A and B are spare buffers.
    """
    if m != 2.0:
        _searched(cost, b, f, alpha, m, p)
        return
    for k in range(p.shape[0]):
        pull = pull_of(alpha, f[k])
        A[k] = (1.0 + pull) * cost[k]
        B[k] = b[k] - (2.0 * pull * f[k] * cost[k] if pull > 0.0 else 0.0)
    _quadratic(A, B, p)
