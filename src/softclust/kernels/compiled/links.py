"""Memberships of linked rows: each row is minimised exactly with the others held, component by component.

A pair costs s p_i' P p_j.  For must-links, P p is (the mass that counts) on the columns that count, minus p
on singletons.  For cannot-links, P p sums the columns that meet each column.  Both products are kept for
every row, so a row's pressure is a sum over its neighbours.  J never rises at any row.
"""

import numpy as np

from softclust.kernels.compiled.decorators import compiled, compiled_pass
from softclust.kernels.compiled.tilted import tilted_row
from softclust.kernels.compiled.vector_math import raised

_GREAT = 5.0  # above this exponent a row's minimiser is rough: old memberships stay if they cost less
ENTROPIC = 0.0  # given for m by entropic partitions; alpha is then the weight of each row
_KEEP = 1.0 - 1e-12  # a label changes only for a gain beyond rounding, so that the sweeps come to rest


@compiled
def _products(p, counts, single, meets, must, cannot):
    """Compute P p of both kinds of pairs for one row."""
    size = p.shape[0]
    total = 0.0
    for k in range(size):
        total += counts[k] * p[k]
    for k in range(size):
        must[k] = counts[k] * total - single[k] * p[k]
    if meets.shape[0] == 0:  # disjoint sets: a column meets only itself
        for k in range(size):
            cannot[k] = p[k] * single[k]
        return
    for k in range(size):
        met = 0.0
        for other in range(size):
            met += meets[k, other] * p[other]
        cannot[k] = met


@compiled
def _paid(cost, b, f, alpha, m, p):
    """Return what one row pays for its memberships p.

    That is sum_k cost_k (p_k^m + alpha (p_k - f_k)^2) + b_k p_k, without the penalty where f is NaN.
    """
    total = 0.0
    for k in range(p.shape[0]):
        gap = p[k] - f[k] if f[k] == f[k] else 0.0
        total += cost[k] * (raised(p[k], m) + alpha * gap * gap) + b[k] * p[k]
    return total


@compiled
def _entropic_row(cost, b, weight, p):
    """Compute p <- argmin of sum_k (cost_k + b_k) p_k + weight p_k ln p_k on the simplex: a softmax."""
    least = np.inf
    for k in range(p.shape[0]):
        least = min(least, cost[k] + b[k])
    total = 0.0
    for k in range(p.shape[0]):
        p[k] = np.exp((least - cost[k] - b[k]) / weight)
        total += p[k]
    for k in range(p.shape[0]):
        p[k] /= total


@compiled_pass(
    "D2 D2 D2 D1 d L1 L1 L1 B1 D1 d l d",
    "D1 D1 D2 D2 D2 D2 D2",
)
def settle(
    cost, b, f, alpha, m, component, first, other, is_must, strength, share, sweeps, tol,
    counts, single, meets, p, must, cannot, row,
):  # fmt: skip
    """Sweep over the rows of each component until no membership changes by more than `tol`.

    A sweep minimises one row after the other; there are at most `sweeps` of them.
    """
    size = p.shape[1]
    for i in range(p.shape[0]):
        _products(p[i], counts, single, meets, must[i], cannot[i])
    for part in range(component.shape[0] - 1):
        begin, end = component[part], component[part + 1]
        for turn in range(sweeps):
            largest = 0.0
            for step in range(end - begin):  # there and back: a change travels the whole length of a chain
                i = begin + step if turn % 2 == 0 else end - 1 - step
                for k in range(size):
                    row[0, k] = b[i, k]
                for e in range(first[i], first[i + 1]):
                    force, j = share * strength[e], other[e]
                    if is_must[e]:
                        for k in range(size):
                            row[0, k] += force * must[j, k]
                    else:
                        for k in range(size):
                            row[0, k] += force * cannot[j, k]
                if m == ENTROPIC:
                    _entropic_row(cost[i], row[0], alpha[i], row[1])
                else:
                    tilted_row(cost[i], row[0], f[i], alpha[i], m, row[1], row[2], row[3])
                if m > _GREAT and _paid(cost[i], row[0], f[i], alpha[i], m, p[i]) < _paid(
                    cost[i], row[0], f[i], alpha[i], m, row[1]
                ):
                    continue
                change = 0.0
                for k in range(size):
                    change = max(change, abs(row[1, k] - p[i, k]))
                    p[i, k] = row[1, k]
                if change > 0.0:
                    _products(p[i], counts, single, meets, must[i], cannot[i])
                largest = max(largest, change)
            if largest <= tol:
                break


@compiled
def _violation(must, label, other, c):
    """Tell whether a pair is violated; a row in noise (label c) violates no pair."""
    if label == c or other == c:
        return False
    return (label != other) == must


@compiled
def _pressed(cost, u, first, other, is_must, strength, share, label, c, out):
    """Compute out <- the cost of each label for unit u, with its neighbours held."""
    size = out.shape[0]
    for k in range(size):
        out[k] = cost[u, k]
    for e in range(first[u], first[u + 1]):
        for k in range(size):
            if _violation(is_must[e], k, label[other[e]], c):
                out[k] += share * strength[e]


@compiled_pass("D2 L1 L1 L1 B1 D1 L1 L1 L1 d l l L1 D1 D1")
def settle_hard(
    cost, component, first, other, is_must, strength, block, member, home, share, sweeps, c,
    label, out, sum_,
):  # fmt: skip
    """Sweep over the units of each component until no label changes; then try to move whole blocks."""
    size = cost.shape[1]
    for part in range(component.shape[0] - 1):
        for _ in range(sweeps):
            changed = False
            for u in range(component[part], component[part + 1]):
                _pressed(cost, u, first, other, is_must, strength, share, label, c, out)
                best = label[u]
                for k in range(size):
                    if out[k] < out[best] * (_KEEP if out[best] > 0.0 else 1.0):
                        best = k
                changed = changed or best != label[u]
                label[u] = best
            if not changed:
                break
    # Rows joined by must-links hold each other back: try to move them all at once.
    for part in range(block.shape[0] - 1):
        before = 0.0
        for k in range(size):
            sum_[k] = 0.0
        for place in range(block[part], block[part + 1]):
            u = member[place]
            before += cost[u, label[u]]
            for k in range(size):
                sum_[k] += cost[u, k]
            for e in range(first[u], first[u + 1]):
                j = other[e]
                inside = home[j] == part
                weight = share * strength[e] * (0.5 if inside else 1.0)
                if _violation(is_must[e], label[u], label[j], c):
                    before += weight
                for k in range(size):
                    if _violation(is_must[e], k, k if inside else label[j], c):
                        sum_[k] += weight
        best = -1
        for k in range(size):
            if sum_[k] < before * _KEEP and (best < 0 or sum_[k] < sum_[best]):
                best = k
        if best >= 0:
            for place in range(block[part], block[part + 1]):
                label[member[place]] = best


@compiled_pass("D2 L1 L1 B1 D1 L1 L1 l D1")
def first_labels(cost, first, other, is_must, strength, order, label, c, out):
    """Label the units in this order, each as cheaply as its labelled neighbours allow."""
    for place in range(order.shape[0]):
        u = order[place]
        if label[u] >= 0:
            continue
        for k in range(cost.shape[1]):
            out[k] = cost[u, k]
        for e in range(first[u], first[u + 1]):
            j = other[e]
            if strength[e] == np.inf and label[j] >= 0 and not is_must[e] and label[j] != c:
                out[label[j]] = np.inf
        best = 0
        for k in range(cost.shape[1]):
            if out[k] < out[best]:
                best = k
        label[u] = best
