"""What the partitions say of the rows of one tile: memberships, typicalities, labels and outlier scores."""

from softclust.kernels.codes import ENTROPIC, FUZZY, HARD, IMPROVED, POSSIBILISTIC, TILE
from softclust.kernels.compiled.decorators import compiled
from softclust.kernels.compiled.rules import (
    entropic_shares,
    hard_influence,
    improved_cost,
    least_influence,
    row_minimum,
)
from softclust.kernels.compiled.vector_math import exp, log, power, raise_row


@compiled
def entropic_members(d, u, s, low, noise_share, width, has_noise, noise):
    """Compute u <- memberships among the clusters (rows sum to 1), noise_share <- the noise membership."""
    entropic_shares(d, u, s, low, width)
    for i in range(TILE):
        noise_share[i] = 1.0 / (1.0 + s[i] * exp(-low[i] - noise)) if has_noise else 0.0
    _normalise(u, s)


@compiled
def fuzzy_members(cost, u, s, low, noise_share, m, noise):
    """Compute u <- memberships among the clusters (rows sum to 1), noise_share <- the noise membership.

    Ratios are taken to the nearest cluster, so that the shares of a row far in noise do not underflow.
    """
    c = cost.shape[0]
    e = 1.0 / (m - 1.0)
    row_minimum(cost, 0.0, low)
    for i in range(TILE):
        s[i] = 0.0
    for k in range(c):
        for i in range(TILE):
            u[k, i] = 1.0 if cost[k, i] == 0.0 else low[i] / cost[k, i]
        raise_row(u[k], e)
        for i in range(TILE):
            s[i] += u[k, i]
    for i in range(TILE):
        noise_share[i] = min(low[i], noise) / max(low[i], noise) if noise > 0.0 else 0.0
    if noise > 0.0:
        raise_row(noise_share, e)
        for i in range(TILE):
            r = noise_share[i]
            noise_share[i] = r / (r + s[i]) if low[i] <= noise else 1.0 / (1.0 + s[i] * r)
    _normalise(u, s)


@compiled
def _normalise(u, s):
    """Divide memberships by their row sum s, which is positive."""
    for k in range(u.shape[0]):
        for i in range(TILE):
            u[k, i] /= s[i]


@compiled
def typicalities(d, t, scale, b, eta, entropy):
    """Compute t <- 1/(1 + (b d/gamma)^(1/(eta-1))), or exp(-b d/gamma) with the entropy penalty."""
    e = 1.0 / (eta - 1.0)
    for k in range(d.shape[0]):
        rate = b / scale[k]
        if entropy:
            for i in range(TILE):
                t[k, i] = exp(-rate * d[k, i])
            continue
        for i in range(TILE):
            t[k, i] = rate * d[k, i]
        raise_row(t[k], e)
        for i in range(TILE):
            t[k, i] = 1.0 / (1.0 + t[k, i])


@compiled
def normalised_typicalities(d, u, s, low, scale, eta, entropy):
    """Compute u <- typicalities divided by their row sum, even if all of them underflow.

    With q = d/gamma and q0 = max(least q, 1): t_k is proportional to 1/(q0^-e + (q_k/q0)^e);
    with the entropy penalty, to exp(least q - q_k).
    """
    c = d.shape[0]
    e = 1.0 / (eta - 1.0)
    largest = 1e30 if d.itemsize == 4 else 1e300
    for k in range(c):
        for i in range(TILE):
            q = min(d[k, i] / scale[k], largest)  # finite, because ratios of q are taken below
            u[k, i] = q
            low[i] = q if k == 0 else min(low[i], q)
    for i in range(TILE):
        s[i] = 0.0
    for k in range(c):
        for i in range(TILE):
            if entropy:
                v = exp(low[i] - u[k, i])
            else:
                q0 = max(low[i], 1.0)
                v = 1.0 / (power(1.0 / q0, e) + power(u[k, i] / q0, e))
            u[k, i] = v
            s[i] += v
    _normalise(u, s)


@compiled
def times_typicalities(u, typical, s):
    """Compute u <- u t divided by the row sum, or t alone if all products vanish; `typical` is t."""
    c = u.shape[0]
    for i in range(TILE):
        s[i] = 0.0
    for k in range(c):
        for i in range(TILE):
            u[k, i] *= typical[k, i]
            s[i] += u[k, i]
    least = least_influence(u)
    for k in range(c):
        for i in range(TILE):
            u[k, i] = u[k, i] / s[i] if s[i] > least else typical[k, i]


@compiled
def likeliest(u, best, label):
    """Compute label <- the cluster of the greatest membership, the first of equals."""
    for i in range(TILE):
        label[i] = 0.0
        best[i] = u[0, i]
    for k in range(1, u.shape[0]):
        for i in range(TILE):
            label[i] = float(k) if u[k, i] > best[i] else label[i]
            best[i] = max(best[i], u[k, i])


@compiled
def tail_scores(d, tails, spare, low, score):
    """Compute score <- 1 - [sum_k pi_k (1 + d_k / s^2)^-e]^(1/e), with tails = (e, 1/s^2, ln pi_k ...).

    The sum is that of heavy-tailed clusters of one width.  Exponents are counted from the greatest term.
    """
    e, rate = tails[0], tails[1]
    for k in range(d.shape[0]):
        for i in range(TILE):
            x = e * log(1.0 + rate * d[k, i]) - tails[2 + k]
            spare[k, i] = x
            low[i] = x if k == 0 else min(low[i], x)
    for i in range(TILE):
        score[i] = 0.0
    for k in range(d.shape[0]):
        for i in range(TILE):
            score[i] += exp(low[i] - spare[k, i])
    for i in range(TILE):
        score[i] = max(1.0 - exp((log(score[i]) - low[i]) / e), 0.0)


@compiled
def members(kind, parameters, scale, tails, d, u, t, spare, rows):
    """Compute memberships, typicalities, labels and outlier scores of a tile.

    u <- memberships (rows sum to 1), t <- typicalities, rows[1] <- label, rows[3] <- outlier score.  The
    label is the cluster of the greatest membership.

    With a noise distance, and for entropic partitions, the score is the noise membership.  Otherwise it is
    that of `tail_scores`; without tails it is 1 - the row's greatest typicality, and models without
    typicalities use that of a possibilistic cluster of the same scale.
    """
    m, eta, a, b = parameters.m, parameters.eta, parameters.a, parameters.b
    entropy, noise = parameters.entropy != 0.0, parameters.noise
    s, low, score = rows[1], rows[2], rows[3]
    c = d.shape[0]
    if kind == HARD:
        hard_influence(d, u, low, s, 0.0)
        for i in range(TILE):
            score[i] = 1.0 if noise > 0.0 and low[i] > noise else 0.0
    if kind == ENTROPIC:
        entropic_members(d, u, s, low, score, eta, a != 0.0, b)
    if kind == IMPROVED:
        improved_cost(d, spare, t, scale, eta, entropy)
    if kind not in (HARD, ENTROPIC, POSSIBILISTIC):
        fuzzy_members(spare if kind == IMPROVED else d, u, s, low, score, m, noise)
    if kind in (POSSIBILISTIC, IMPROVED):
        normalised_typicalities(d, u if kind == POSSIBILISTIC else spare, s, low, scale, eta, entropy)
    if kind == IMPROVED:
        times_typicalities(u, spare, s)
    has_typicalities = kind != HARD and kind != FUZZY and kind != ENTROPIC
    if has_typicalities:
        typicalities(d, t, scale, b, eta, entropy)
    if noise == 0.0 and kind != ENTROPIC:
        if tails.shape[0] > 0:
            tail_scores(d, tails, spare, low, score)
        else:
            for i in range(TILE):
                low[i] = 0.0
            for k in range(c):
                for i in range(TILE):
                    typical = t[k, i] if has_typicalities else 1.0 / (1.0 + d[k, i] / scale[k])
                    low[i] = max(low[i], typical)
            for i in range(TILE):
                score[i] = 1.0 - low[i]
    likeliest(u, low, s)
