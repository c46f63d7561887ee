"""Exact memberships of one row that sum to one, near wanted degrees, for any exponent."""

import numpy as np

from softclust.kernels.compiled.decorators import compiled
from softclust.kernels.compiled.vector_math import power, raised

_LEAST_RATIO = 1e-250  # least cost as a share of the row's greatest: so all have a reciprocal
_LEAST_LEVEL = 1e-290
_HALVINGS = 200
_MOST_STEPS = 30
_STRONG, _NEAR_ONE = 1e6, 1.05  # a stronger pull, or an m nearer to 1, is left to the search


@compiled
def pull_of(alpha, f):
    """Return the penalty's weight: alpha, or 0 if no degree is wanted (f is NaN)."""
    return alpha if f == f else 0.0


@compiled
def fuzzy_row(cost, m, noise, u):
    """Compute u <- FCM's memberships; return that of noise."""
    low = noise if noise > 0.0 else cost[0]
    for k in range(cost.shape[0]):
        low = min(low, cost[k])
    e = 1.0 / (m - 1.0)
    share = raised(low / noise, e) if noise > 0.0 else 0.0
    total = share
    for k in range(cost.shape[0]):
        u[k] = 1.0 if cost[k] == 0.0 else raised(low / cost[k], e)
        total += u[k]
    for k in range(cost.shape[0]):
        u[k] /= total
    return share / total


@compiled
def _quadratic_row(cost, f, alpha, noise, u):
    """Solve for m = 2: minimise sum_k A_k u_k^2 - 2 G_k u_k on the simplex; return noise's share.

    A = (1 + alpha) cost and G = alpha f cost.  u_k = (lambda + G_k)/A_k where that is positive, with lambda
    from the sum.  Entries that would be negative are removed until none is (which only happens if the
    wanted degrees sum to more than 1).
    """
    c = cost.shape[0]
    for k in range(c):
        u[k] = 1.0  # in play
    level = 0.0
    for _ in range(c + 1):
        reciprocals = 1.0 / noise if noise > 0.0 and level >= 0.0 else 0.0
        wanted = 0.0
        for k in range(c):
            if u[k] > 0.0:
                pull = pull_of(alpha, f[k])
                reciprocals += 1.0 / ((1.0 + pull) * cost[k])
                wanted += pull * f[k] / (1.0 + pull) if pull > 0.0 else 0.0
        before = level
        level = (1.0 - wanted) / reciprocals
        changed = before >= 0.0 > level and noise > 0.0
        for k in range(c):
            pull = pull_of(alpha, f[k])
            if u[k] > 0.0 and level + (pull * f[k] * cost[k] if pull > 0.0 else 0.0) <= 0.0:
                u[k] = 0.0
                changed = True
        if not changed:
            break
    total = 0.0
    for k in range(c):
        if u[k] > 0.0:
            pull = pull_of(alpha, f[k])
            u[k] = (level / cost[k] + (pull * f[k] if pull > 0.0 else 0.0)) / (1.0 + pull)
            total += u[k]
    share = max(level, 0.0) / noise if noise > 0.0 else 0.0
    total += share
    for k in range(c):
        u[k] /= total
    return share / total


@compiled
def entry(target, m, pull, f, guess):
    """Return the u in [0, 1] with m u^(m-1) + 2 pull (u - f) = target, and the slope there.

    The left side rises with u.
    """
    if target <= -2.0 * pull * f:
        return 0.0, 0.0
    if pull == 0.0:
        u = power(target / m, 1.0 / (m - 1.0))
        return u, (m - 1.0) * target / u
    if target >= m + 2.0 * pull * (1.0 - f):
        return 1.0, m * (m - 1.0) + 2.0 * pull
    low, high, u, slope = 0.0, 1.0, guess, 0.0
    for _ in range(_HALVINGS):
        if not low < u < high:
            u = 0.5 * (low + high)
            if u in (low, high):
                break
        term = m * power(u, m - 1.0)
        gap = term + 2.0 * pull * (u - f) - target
        slope = (m - 1.0) * term / u + 2.0 * pull
        if gap > 0.0:
            high = u
        else:
            low = u
        step = gap / slope
        u -= step
        if abs(step) <= 1e-15 * u:
            break
    return min(max(u, low), high), slope


@compiled
def _total_at(level, cost, f, alpha, m, noise, u):
    """Compute u <- memberships at a multiplier lambda; return their sum, its slope, and noise's share."""
    share = min(power(max(level, 0.0) / (m * noise), 1.0 / (m - 1.0)), 1.0) if noise > 0.0 else 0.0
    total = share
    slope = share / (level * (m - 1.0)) if share > 0.0 else 0.0
    for k in range(cost.shape[0]):
        pull = pull_of(alpha, f[k])
        u[k], steep = entry(level / cost[k], m, pull, f[k] if pull > 0.0 else 0.0, u[k])
        total += u[k]
        slope += 1.0 / (cost[k] * steep) if steep > 0.0 else 0.0
    return total, slope, share


@compiled
def _newton_row(cost, f, alpha, m, noise, u, term, share):
    """Run Newton's method on all memberships and the multiplier at once.

    Returns whether it came to rest, and noise's share.  With g_k = cost_k (m u^(m-1) + 2 alpha (u - f)) and
    its slope s_k, a step is (lambda - g_k)/s_k, with lambda such that the sum stays 1.  The method is fast,
    but not safe: costs far apart and entries near 0 are left to the search.  `term` is a spare buffer for
    cost m u^(m-1).
    """
    c = cost.shape[0]
    for _ in range(_MOST_STEPS):
        weight, mean, total = 0.0, 0.0, share
        if noise > 0.0:
            g = noise * m * power(share, m - 1.0)
            s = (m - 1.0) * g / share if share > 0.0 else 0.0
            if s == 0.0:
                return False, share
            weight, mean = 1.0 / s, g / s
        for k in range(c):
            pull = pull_of(alpha, f[k])
            term[k] = cost[k] * m * power(u[k], m - 1.0)
            g = term[k] + (2.0 * pull * cost[k] * (u[k] - f[k]) if pull > 0.0 else 0.0)
            s = (m - 1.0) * term[k] / u[k] + 2.0 * pull * cost[k] if u[k] > 0.0 else 0.0
            if s == 0.0:
                return False, share
            weight += 1.0 / s
            mean += g / s
            total += u[k]
        level = (1.0 - total + mean) / weight
        largest = 0.0
        if noise > 0.0:
            g = noise * m * power(share, m - 1.0)
            step = (level - g) * share / ((m - 1.0) * g)
            largest, share = abs(step) / share, share + step
        if share < 0.0:
            return False, share
        for k in range(c):
            pull = pull_of(alpha, f[k])
            g = term[k] + (2.0 * pull * cost[k] * (u[k] - f[k]) if pull > 0.0 else 0.0)
            step = (level - g) / ((m - 1.0) * term[k] / u[k] + 2.0 * pull * cost[k])
            largest = max(largest, abs(step) / u[k])
            u[k] += step
            if u[k] <= 0.0:
                return False, share
        if largest <= 1e-13:
            return True, share
    return False, share


@compiled
def _general_row(cost, f, alpha, m, noise, u, spare):
    """Compute u for any m by Newton's method, or by the search for lambda; return noise's share.

    The search is used if Newton's method fails, or if rounding would let it come to rest only late.
    """
    if alpha <= _STRONG and m >= _NEAR_ONE:
        share = fuzzy_row(cost, m, noise, u)
        total = share
        for k in range(cost.shape[0]):
            pull = pull_of(alpha, f[k])
            u[k] = (u[k] + (pull * f[k] if pull > 0.0 else 0.0)) / (1.0 + pull)
            total += u[k]
        for k in range(cost.shape[0]):
            u[k] /= total
        found, share = _newton_row(cost, f, alpha, m, noise, u, spare, share / total)
        if found:
            return share
    return _searched_row(cost, f, alpha, m, noise, u)


@compiled
def _searched_row(cost, f, alpha, m, noise, u):
    """Find the multiplier lambda at which the memberships sum to 1, by bracketed Newton steps.

    The sum at lambda = 0 tells the sign of lambda.  Its size may be that of the least cost, which may be a
    tiny share of the greatest, so the bracket is halved by ratios.
    """
    c = cost.shape[0]
    fuzzy_row(cost, m, noise, u)
    low, high, level, most = 0.0, np.inf if noise <= 0.0 else m * noise, 0.0, 0.0
    for k in range(c):
        pull = pull_of(alpha, f[k])
        wish = f[k] if pull > 0.0 else 0.0
        low = min(low, -2.0 * pull * wish * cost[k])
        high = min(high, cost[k] * (m + 2.0 * pull * (1.0 - wish)))
        u[k] = (u[k] + pull * wish) / (1.0 + pull)  # exact for m = 2 and wanted degrees that sum to 1
        if u[k] >= most:
            most = u[k]
            level = cost[k] * (m * power(u[k], m - 1.0) + 2.0 * pull * (u[k] - wish))
    wanted = 0.0
    for k in range(c):
        pull = pull_of(alpha, f[k])
        if pull > 0.0:
            wanted += entry(0.0, m, pull, f[k], u[k])[0]
    sign = 1.0 if wanted < 1.0 else -1.0
    share = 0.0
    near, far = _LEAST_LEVEL, high if sign > 0.0 else -low
    level *= sign
    for _ in range(_HALVINGS):
        if not near < level < far:
            level = max(np.sqrt(near) * np.sqrt(far), 0.01 * far)
            if level in (near, far):
                break
        total, slope, share = _total_at(sign * level, cost, f, alpha, m, noise, u)
        if abs(total - 1.0) <= 1e-14:
            break
        if (total < 1.0) == (sign > 0.0):
            near = level
        else:
            far = level
        level -= sign * (total - 1.0) / slope if slope > 0.0 else level
    total = share
    for k in range(c):
        total += u[k]
    for k in range(c):
        u[k] /= total
    return share / total


@compiled
def simplex_row(cost, f, alpha, m, noise, u, spare):
    """Compute u <- argmin of sum_k cost_k (u_k^m + alpha_k (u_k - f_k)^2) on the simplex.

    Returns noise's share.  `cost` is overwritten by costs in units of the greatest one: the answer does not
    depend on the unit, and a cost of 0 has no reciprocal.
    """
    c = cost.shape[0]
    said, top = False, 0.0
    for k in range(c):
        said = said or pull_of(alpha, f[k]) > 0.0
        top = max(top, cost[k])
    if not said:
        return fuzzy_row(cost, m, noise, u)
    top = top if top > 0.0 else 1.0
    for k in range(c):
        cost[k] = max(cost[k] / top, _LEAST_RATIO)
    noise = max(noise / top, _LEAST_RATIO) if noise > 0.0 else 0.0
    if m == 2.0:
        return _quadratic_row(cost, f, alpha, noise, u)
    return _general_row(cost, f, alpha, m, noise, u, spare)
