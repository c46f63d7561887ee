"""Labelled rows: the exact minimiser of a row's objective with label penalties.

Each row pays alpha_k (p_k - f_k)^2 d_k for every cluster k with a wanted degree f_k (NaN: none is wanted),
beside what its partition charges.  Labelled rows are few, so these are plain scalar functions of one row:
`d` distances, `f` wanted degrees, `u` memberships, `t` typicalities, `w` influence dJ/dd, all (c,).
"""

import numpy as np

from softclust.kernels.codes import HARD, IMPROVED, POSSIBILISTIC, POSSIBILISTIC_FUZZY
from softclust.kernels.compiled.decorators import compiled, compiled_pass
from softclust.kernels.compiled.simplex import fuzzy_row, pull_of, simplex_row
from softclust.kernels.compiled.tilted import tilted_row
from softclust.kernels.compiled.vector_math import raised

_HALVINGS = 200
_LEAST_COST = 1e-280


@compiled
def _penalty(alpha, p, f):
    """Return alpha (p - f)^2: the penalty's factor of d in J, and so its part of the influence."""
    return alpha * (p - f) * (p - f) if f == f else 0.0


@compiled
def hard_row(d, f, alpha, noise, u, w, printed):
    """Find the unit vector u that minimises sum_k d_k (u_k + alpha_k (u_k - f_k)^2); u = 0 means noise.

    Choosing k changes the sum by d_k (1 + alpha_k (1 - 2 f_k)).  For one certain label and alpha > 1 that
    is negative only there, so the label always wins (Basu 2002, Constrained-KMeans).  Returns the loss and
    noise's share; the `u` of a row in noise still marks its cheapest cluster.
    """
    c = d.shape[0]
    best, winner = np.inf, 0
    for k in range(c):
        pull = pull_of(alpha, f[k])
        wish = f[k] if pull > 0.0 else 0.0
        cost = d[k] * (1.0 + pull * (1.0 - 2.0 * wish))
        if k == 0 or cost < best or (cost == best and wish > f[winner]):
            best, winner = cost, k
    is_noise = noise > 0.0 and noise < best
    loss = noise if is_noise else 0.0
    for k in range(c):
        u[k] = 1.0 if k == winner else 0.0
        chosen = 0.0 if is_noise else u[k]
        extra = _penalty(alpha, chosen, f[k])
        loss += d[k] * (chosen + extra)
        w[k] = chosen + (0.0 if printed else extra)
    return loss, 1.0 if is_noise else 0.0


@compiled
def _entropic_typicality(q, r, f):
    """Return t = e^s with s + q + 2 r (e^s - f) = 0.

    The left side is convex and rises with s, so Newton's method from above never misses.
    """
    s = min(0.0, 2.0 * r * f - q)
    for _ in range(_HALVINGS):
        t = np.exp(s)
        step = (s + q + 2.0 * r * (t - f)) / (1.0 + 2.0 * r * t)
        s -= step
        if step <= 1e-15 * (1.0 + abs(s)):
            break
    return np.exp(s)


@compiled
def _free_typicality(d, gamma, b, eta, entropy):
    """Return 1/(1 + (b d/gamma)^(1/(eta-1))), or exp(-b d/gamma): t without a wanted degree."""
    if entropy:
        return np.exp(-b * d / gamma)
    if eta == 2.0:
        return gamma / (gamma + b * d)
    return 1.0 / (1.0 + raised(b * d / gamma, 1.0 / (eta - 1.0)))


@compiled
def _typicality(d, gamma, b, eta, entropy, pull, f, solved):
    """Return the t in [0, 1] that minimises b t^eta d + gamma (1 - t)^eta + pull (t - f)^2 d.

    eta = 2: (gamma + pull f d)/(gamma + (b + pull) d), Antoine 2018 sections III and IV.  Entropy penalty:
    t minimises b t d + gamma (t ln t - t) + pull (t - f)^2 d.  For other exponents `typicalities.solve` has
    found t already: `solved`.
    """
    if pull == 0.0:
        return _free_typicality(d, gamma, b, eta, entropy)
    if entropy:
        return _entropic_typicality(b * d / gamma, pull * d / gamma, f)
    if eta == 2.0:
        return min((gamma + pull * f * d) / (gamma + (b + pull) * d), 1.0)
    return solved


@compiled
def _penalised_typicalities(d, f, alpha, scale, b, eta, entropy, t, w, printed):
    """Compute t and w of the possibilistic part; return its least objective.

    t is given already for exponents without a formula.
    """
    loss = 0.0
    for k in range(d.shape[0]):
        pull = pull_of(alpha, f[k])
        t[k] = _typicality(d[k], scale[k], b, eta, entropy, pull, f[k], t[k])
        extra = _penalty(alpha, t[k], f[k])
        if entropy:
            w[k] = b * t[k]
            loss += scale[k] * (t[k] * np.log(t[k]) - t[k] if t[k] > 0.0 else 0.0)
        else:
            w[k] = b * raised(t[k], eta)
            loss += scale[k] * raised(1.0 - t[k], eta)
        loss += (w[k] + extra) * d[k]
        w[k] += 0.0 if printed else extra
    return loss


@compiled
def _row_cost(kind, d, gamma, t, eta, entropy):
    """Return the factor of u^m: d, or for IPCM t^eta d + gamma (1 - t)^eta at its typicality t.

    With the entropy penalty, IPCM's factor is gamma (1 - e^(-d/gamma)).
    """
    if kind != IMPROVED:
        return d
    if entropy:
        q = d / gamma
        return gamma * (q * (1.0 - 0.5 * q) if q < 1e-5 else 1.0 - t)
    return raised(t, eta) * d + gamma * raised(1.0 - t, eta)


@compiled
def _subset_row(cost, wanted, delta, m, noise, u, w, row):
    """Minimise sum_k cost_k u_k^m + delta sum_k (1 - t_k) u_k on the simplex: subset labels, t = `wanted`.

    Noise is the last column; `row` has five spare rows of one column more than there are sets.  Returns the
    least objective and noise's share.
    """
    c = cost.shape[0]
    size = c + 1 if noise > 0.0 else c
    for k in range(size):
        row[0, k] = max(cost[k] if k < c else noise, _LEAST_COST)
        row[1, k] = delta * (1.0 - wanted[k]) if k < c else delta  # masses sum to 1; noise has t = 0
    p = row[2, :size]
    tilted_row(row[0, :size], row[1, :size], row[4, :size], 0.0, m, p, row[3, :size], row[4, :size])
    loss = 0.0
    for k in range(size):
        power_of = raised(p[k], m)
        loss += row[0, k] * power_of + row[1, k] * p[k]
        if k < c:
            u[k] = p[k]
            w[k] = power_of
    return loss, p[c] if noise > 0.0 else 0.0


@compiled
def known_row(kind, parameters, scale, d, f, alpha, u, t, w, cost):
    """Compute u, t, w <- the minimiser of a labelled row and its influence.

    Returns the row's least objective and noise's share.
    """
    m, eta, a, b = parameters.m, parameters.eta, parameters.a, parameters.b
    entropy, noise, printed = parameters.entropy != 0.0, parameters.noise, parameters.printed_centers != 0.0
    c = d.shape[0]
    if kind == HARD:
        return hard_row(d, f, alpha, noise, u, w, printed)
    # Each solver is called in one place: LLVM compiles a copy of it for every call.
    loss = share = 0.0
    if kind in (POSSIBILISTIC, POSSIBILISTIC_FUZZY):
        loss = _penalised_typicalities(d, f, alpha, scale, b, eta, entropy, t, w, printed)
    if kind == POSSIBILISTIC:
        for k in range(c):
            u[k] = t[k]  # memberships are shares of the typicalities
        return loss, 0.0
    if kind == POSSIBILISTIC_FUZZY:
        for k in range(c):
            cost[k] = d[k]
        share = fuzzy_row(cost, m, noise, u)
        for k in range(c):
            w[k] += a * raised(u[k], m)
            loss += a * raised(u[k], m) * d[k]
        return loss + (a * raised(share, m) * noise if noise > 0.0 else 0.0), share
    # Labels act on u in units of the row's costs, which for IPCM are min_t (t^eta d + gamma (1 - t)^eta).
    for k in range(c):
        if kind == IMPROVED:
            t[k] = _free_typicality(d[k], scale[k], 1.0, eta, entropy)
        cost[k] = _row_cost(kind, d[k], scale[k], t[k], eta, entropy)
    share = simplex_row(cost, f, alpha, m, noise, u, w)
    for k in range(c):
        power_of, extra = raised(u[k], m), _penalty(alpha, u[k], f[k])
        loss += _row_cost(kind, d[k], scale[k], t[k], eta, entropy) * (power_of + extra)
        w[k] = power_of + (0.0 if printed else extra)
        if kind == IMPROVED:
            w[k] *= t[k] if entropy else raised(t[k], eta)
    return loss + (raised(share, m) * noise if noise > 0.0 else 0.0), share


@compiled
def known_label(kind, d, scale, u, t):
    """Return the likeliest cluster of a labelled row: by typicality, or by membership if there is none."""
    by_typicality = kind in (POSSIBILISTIC, POSSIBILISTIC_FUZZY)
    total = 0.0
    for k in range(u.shape[0]):
        total += t[k]
    best, most = 0, -1.0
    for k in range(u.shape[0]):
        if kind == POSSIBILISTIC_FUZZY and total == 0.0:
            value = u[k]
        elif by_typicality and total == 0.0:
            value = 1.0 / (1.0 + d[k] / scale[k])  # the order of typicalities that underflow
        else:
            value = t[k] if by_typicality else u[k]
        if value > most:
            best, most = k, value
    return best


@compiled_pass("l P D1 D2 D2 D1 D1 D2 D2 D2 D1 D1 L1")
def known_rows(kind, parameters, scale, D, target, alpha, cost, U, T, W, loss, share, label):
    """Compute minimiser, influence, loss, noise's share and label of each row with a label penalty."""
    for i in range(D.shape[0]):
        loss[i], share[i] = known_row(
            kind, parameters, scale, D[i], target[i], alpha[i], U[i], T[i], W[i], cost
        )
        label[i] = known_label(kind, D[i], scale, U[i], T[i])


@compiled_pass("d d D2 D2 D1 D2 D2 D2 D1 D1 L1")
def subset_rows(m, noise, D, target, alpha, row, U, W, loss, share, label):
    """Compute minimiser, influence, loss, noise's share and label of each row with a subset label."""
    for i in range(D.shape[0]):
        loss[i], share[i] = _subset_row(D[i], target[i], alpha[i], m, noise, U[i], W[i], row)
        label[i] = U[i].argmax()


@compiled
def _to_direction(x):
    """Divide one row by its length, and return that length in units of its greatest entry."""
    largest, total = 0.0, 0.0
    for j in range(x.shape[0]):
        largest = max(largest, abs(x[j]))
    if largest == 0.0:
        return 0.0
    for j in range(x.shape[0]):
        x[j] /= largest
        total += x[j] * x[j]
    length = np.sqrt(total)
    for j in range(x.shape[0]):
        x[j] /= length
    return length


@compiled
def _squared_distance(x, V, roots, k):
    """Return |x - v_k|^2, or with metrics |L_k'(x - v_k)|^2."""
    p, total = x.shape[0], 0.0
    if roots.shape[0] == 0:
        whole = p - p % 4
        a, b, c, d = 0.0, 0.0, 0.0, 0.0  # side by side, because a sum waits for the one before it
        for j in range(0, whole, 4):
            a += (x[j] - V[k, j]) ** 2
            b += (x[j + 1] - V[k, j + 1]) ** 2
            c += (x[j + 2] - V[k, j + 2]) ** 2
            d += (x[j + 3] - V[k, j + 3]) ** 2
        for j in range(whole, p):
            a += (x[j] - V[k, j]) ** 2
        return (a + b) + (c + d)
    for q in range(p):
        along = 0.0
        for j in range(q, p):
            along += roots[k, j, q] * (x[j] - V[k, j])
        total += along * along
    return total


@compiled_pass("F2 L1 D1 F1 F2 F3 F1 F1 P D2 D2 D1")
def known_costs(X, known, weight, units, V, roots, factor, least, parameters, x, D, weighs):
    """Compute x <- the labelled rows in loop units, D <- their costs, and weighs <- their weights.

    D has a column for each cluster or set of clusters.
    """
    c, p = V.shape
    rate, by_direction = parameters.density_rate, parameters.by_direction != 0.0
    for q in range(known.shape[0]):
        i = known[q]
        for j in range(p):
            x[q, j] = min(max(X[i, j] * units[0] - units[2 + j], -units[1]), units[1])
        length = _to_direction(x[q]) if by_direction else 1.0
        total = 0.0
        for k in range(c):
            d = _squared_distance(x[q], V, roots, k)
            if by_direction:
                d = 0.5 * d if length > 0.0 else 1.0
            total += np.exp(-rate * d) if rate > 0.0 else 0.0
            D[q, k] = max(d * factor[k], least[k]) if factor.shape[0] > 0 else d
        weighs[q] = (weight[i] if weight.shape[0] > 0 else 1.0) * (total if rate > 0.0 else 1.0)


@compiled_pass("D2 D2 D2 D2 D1 D1 D1 D2 D3")
def add_known(x, V, D, W, weighs, loss, sums, moment, second):
    """Add the labelled rows' part to the statistics.

    If there are second moments, all moments are about the places.
    """
    c, p = moment.shape
    for q in range(x.shape[0]):
        sums[0] += weighs[q] * loss[q]
        for k in range(c):
            share = weighs[q] * W[q, k]
            sums[1 + k] += share
            sums[1 + c + k] += share * D[q, k]
            for j in range(p):
                z = share * (x[q, j] - V[k, j] if second.shape[0] > 0 else x[q, j])
                moment[k, j] += z
                for other in range(second.shape[1]):
                    second[k, j, other] += z * (x[q, other] - V[k, other])
