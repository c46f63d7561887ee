"""The partitions' rules on one tile: they turn distances into influence.

`influence` serves the sweep: it puts each row's optimal memberships straight into the influence W = dJ/dd
of the row on each cluster, and computes the row's least objective.  Buffers are (clusters, TILE) and
(TILE,); `noise` is a squared distance, 0 if there is no noise cluster.
"""

from math import sqrt

from softclust.kernels.codes import (
    ENTROPIC,
    FUZZY,
    HARD,
    IMPROVED,
    LEAST_INFLUENCE,
    LEAST_SINGLE,
    POSSIBILISTIC,
    POSSIBILISTIC_FUZZY,
    TILE,
)
from softclust.kernels.compiled.decorators import compiled
from softclust.kernels.compiled.quotients import MOST_CLUSTERS, fuzzy_squares
from softclust.kernels.compiled.vector_math import exp, exp_or_zero, log, power, raise_row


@compiled
def least_influence(w):
    """Return the influence below which a number of this type counts as 0."""
    return LEAST_SINGLE if w.itemsize == 4 else LEAST_INFLUENCE


@compiled
def row_minimum(d, noise, low):
    """Compute low <- the row's least distance, the noise distance included."""
    for i in range(TILE):
        low[i] = noise if noise > 0.0 else d[0, i]
    for k in range(d.shape[0]):
        for i in range(TILE):
            low[i] = min(low[i], d[k, i])


@compiled
def hard_influence(d, w, low, loss, noise):
    """Compute w <- 1 at the nearest centre (the first of equals), 0 elsewhere and for noise.

    low and loss get the row's least distance.
    """
    row_minimum(d, noise, low)
    free = loss  # 1 until the row has found its cluster
    for i in range(TILE):
        free[i] = 1.0
    for k in range(d.shape[0]):
        for i in range(TILE):
            take = free[i] if d[k, i] == low[i] else 0.0
            w[k, i] = take
            free[i] -= take
    for i in range(TILE):
        loss[i] = low[i]


@compiled
def noise_share_of(low, noise, e, out):
    """Compute out <- (least / noise)^e, or 0 if there is no noise."""
    for i in range(TILE):
        out[i] = low[i] / noise if noise > 0.0 else 0.0
    if noise > 0.0:
        raise_row(out, e)


@compiled
def fuzzy_influence(cost, w, s, low, loss, m, noise, tiny, narrow):
    """Compute w <- u^m and loss <- sum_k u_k^m cost_k, for the u that minimises this sum on the simplex.

    m = 2: u_k = (1/cost_k) / s with s = sum 1/cost, and the loss is 1/s.  Any m: with the ratio
    r_k = least / cost_k and v_k = r_k^(1/(m-1)), s = sum v: u^m = v r s^-m, loss = least s^(1-m).
    This takes one power per entry, and nothing overflows for m near 1.
    """
    c = cost.shape[0]
    if m == 2.0:
        rest = 1.0 / noise if noise > 0.0 else 0.0
        if narrow and c <= MOST_CLUSTERS and rest <= 1.0 / tiny:
            fuzzy_squares(cost, w, loss, rest, tiny)
            return
        if c % 2 == 1:
            for i in range(TILE):
                w[c - 1, i] = 1.0 / max(cost[c - 1, i], tiny)
                s[i] = rest + w[c - 1, i]
        else:
            for i in range(TILE):
                s[i] = rest
        for k in range(0, c - 1, 2):  # two at a time: half the traffic of s
            if narrow and cost.itemsize == 8:  # and half the divisions
                for i in range(TILE):
                    a, b = max(cost[k, i], tiny), max(cost[k + 1, i], tiny)
                    share = 1.0 / (a * b)
                    w[k, i] = b * share
                    w[k + 1, i] = a * share
                    s[i] += (a + b) * share
            else:
                for i in range(TILE):
                    q0, q1 = 1.0 / max(cost[k, i], tiny), 1.0 / max(cost[k + 1, i], tiny)
                    w[k, i] = q0
                    w[k + 1, i] = q1
                    s[i] += q0 + q1
        for i in range(TILE):
            s[i] = 1.0 / s[i]
            loss[i] = s[i]
        for k in range(c):
            for i in range(TILE):
                u = w[k, i] * s[i]
                w[k, i] = u * u
        return
    e = 1.0 / (m - 1.0)
    row_minimum(cost, noise, low)
    noise_share_of(low, noise, e, s)
    v = loss
    for k in range(c):
        for i in range(TILE):
            v[i] = 1.0 if cost[k, i] == 0.0 else low[i] / cost[k, i]
            w[k, i] = v[i]
        raise_row(v, e)
        for i in range(TILE):
            s[i] += v[i]
            w[k, i] *= v[i]
    for i in range(TILE):
        loss[i] = s[i]
    raise_row(loss, 1.0 - m)
    for i in range(TILE):
        s[i] = loss[i] / s[i]
        loss[i] *= low[i]
    for k in range(c):
        for i in range(TILE):
            w[k, i] *= s[i]


@compiled
def _powers_of_typicality(q, eta, lower):
    """Compute q <- t^eta and lower <- t^(eta-1), with t = 1/z and z = 1 + q^(1/(eta-1)), in doubles.

    If z is too great for a float, lower comes out too great, never too small.
    """
    if eta == 1.5:
        for i in range(TILE):
            x = min(float(q[i]), 1e150)
            z = 1.0 + x * x
            low = 1.0 / sqrt(z)
            q[i], lower[i] = low / z, low
    elif eta == 2.0:
        for i in range(TILE):
            low = 1.0 / (1.0 + float(q[i]))
            q[i], lower[i] = low * low, low
    elif eta == 3.0:
        for i in range(TILE):
            z = 1.0 + sqrt(float(q[i]))
            low = 1.0 / (z * z)
            q[i], lower[i] = low / z, low
    else:
        e = 1.0 / (eta - 1.0)
        for i in range(TILE):
            z = 1.0 + power(q[i], e)
            low = exp((1.0 - eta) * log(z))
            q[i], lower[i] = low / z, low


@compiled
def possibilistic_influence(d, w, lower, loss, scale, b, eta, entropy):
    """Compute w <- b t^eta, and add the least of b t^eta d + gamma (1 - t)^eta over t to loss.

    With q = b d / gamma, t = 1/(1 + q^(1/(eta-1))), that least value is b d t^(eta-1).
    Entropy penalty: t = exp(-q), w = b t, least value -gamma t.  `lower` is a spare buffer.
    """
    least = least_influence(w)
    for k in range(d.shape[0]):
        gamma = scale[k]
        rate = b / gamma
        if entropy:
            for i in range(TILE):
                t = exp_or_zero(-rate * d[k, i], least)
                w[k, i] = b * t
                loss[i] -= gamma * t
        elif eta == 2.0:
            for i in range(TILE):
                t = gamma / (gamma + b * d[k, i])
                w[k, i] = b * t * t
                loss[i] += b * d[k, i] * t
        else:
            for i in range(TILE):
                w[k, i] = rate * d[k, i]
            _powers_of_typicality(w[k], eta, lower)
            for i in range(TILE):
                w[k, i] *= b
                # At most gamma, the cost of t = 0: for a huge q, `lower` is too great.
                loss[i] += min(b * d[k, i] * lower[i], gamma)


@compiled
def entropic_shares(d, u, s, low, width):
    """Compute u <- exp(least - q) with q = d / width, low <- the least q, and s <- the sum of u."""
    for i in range(TILE):
        low[i] = d[0, i] / width
        s[i] = 0.0
    for k in range(1, d.shape[0]):
        for i in range(TILE):
            low[i] = min(low[i], d[k, i] / width)
    for k in range(d.shape[0]):
        for i in range(TILE):
            u[k, i] = exp(low[i] - d[k, i] / width)
            s[i] += u[k, i]


@compiled
def entropic_influence(d, w, s, low, loss, m, width, has_noise, noise):
    """Compute w <- u^m with u = softmax(-d / width), and loss <- -width ln sum_k exp(-d_k / width).

    Noise is one more column, of d = -noise.  Exponents are counted from the nearest column, noise included.
    """
    entropic_shares(d, w, s, low, width)
    least = exp(log(least_influence(w)) / max(m, 1.0))  # u^m is not less than the least influence
    for i in range(TILE):
        nearer = max(low[i] + noise, 0.0) if has_noise else 0.0
        share = exp(-nearer) if has_noise else 1.0
        total = s[i] * share + (exp(low[i] + noise - nearer) if has_noise else 0.0)
        loss[i] = width * (low[i] - nearer - log(total))
        s[i] = share / total
    for k in range(d.shape[0]):
        for i in range(TILE):
            w[k, i] = (w[k, i] if w[k, i] > least else 0.0) * s[i]
        raise_row(w[k], m)


@compiled
def improved_cost(d, cost, w, scale, eta, entropy):
    """Compute cost <- the least of t^eta d + gamma (1 - t)^eta over t, and w <- t^eta.

    With the entropy penalty, cost is gamma (1 - t) and w is t.
    """
    least = least_influence(w)
    for k in range(d.shape[0]):
        gamma = scale[k]
        if entropy:
            for i in range(TILE):
                q = d[k, i] / gamma
                t = exp_or_zero(-q, least)
                w[k, i] = t
                cost[k, i] = gamma * (q * (1.0 - 0.5 * q) if q < 1e-5 else 1.0 - t)
        else:
            for i in range(TILE):
                w[k, i] = d[k, i] / gamma
            _powers_of_typicality(w[k], eta, cost[k])
            for i in range(TILE):
                cost[k, i] = min(d[k, i] * cost[k, i], gamma)


@compiled
def influence(kind, parameters, scale, d, w, other, spare, rows, tiny, narrow):
    """Apply the partition's rule to a tile: w <- influence, rows[3] <- least objective of each row.

    The kind of the partition is looked up once per tile.
    """
    m, eta, a, b = parameters.m, parameters.eta, parameters.a, parameters.b
    entropy, noise = parameters.entropy != 0.0, parameters.noise
    s, low, loss = rows[1], rows[2], rows[3]
    c = d.shape[0]
    if kind == HARD:
        hard_influence(d, w, low, loss, noise)
        return
    if kind == ENTROPIC:
        entropic_influence(d, w, s, low, loss, m, eta, a != 0.0, b)
        return
    # Each rule is called in one place: LLVM compiles a copy of it for every call.
    if kind == IMPROVED:
        improved_cost(d, other, w, scale, eta, entropy)
    if kind == POSSIBILISTIC:
        for i in range(TILE):
            loss[i] = 0.0
    else:
        cost = other if kind == IMPROVED else d
        powers = w if kind == FUZZY else (spare if kind == IMPROVED else other)  # u^m
        fuzzy_influence(cost, powers, s, low, loss, m, noise, tiny, narrow)
    if kind == POSSIBILISTIC_FUZZY:
        for i in range(TILE):
            loss[i] *= a
    if kind in (POSSIBILISTIC, POSSIBILISTIC_FUZZY):
        possibilistic_influence(d, w, s, loss, scale, b, eta, entropy)
    if kind == POSSIBILISTIC_FUZZY:
        for k in range(c):
            for i in range(TILE):
                w[k, i] += a * other[k, i]
    elif kind == IMPROVED:
        for k in range(c):
            for i in range(TILE):
                w[k, i] *= spare[k, i]
