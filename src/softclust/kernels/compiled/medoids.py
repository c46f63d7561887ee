"""Swaps of medoids, and distances to medoids.

`paid[j, o]` is what row o pays if row j is its medoid, so the distances to one candidate lie side by side.
The medoid in `slot` is row `rows[slot]` of this table.  For every row, `near` and `second` are the slots of
its nearest and second nearest medoid, and `d_near` and `d_second` are the distances to them (`d_second` is
infinite if there is only one medoid).
"""

import numpy as np

from softclust.kernels.codes import HALF, MANHATTAN, PLAIN, TILE
from softclust.kernels.compiled.blocks import squared_distances
from softclust.kernels.compiled.decorators import compiled, compiled_pass
from softclust.kernels.compiled.sums import dot, gain

_GAIN = 1e-12  # least gain, as a share of the loss: less is rounding, and equal swaps would go on for ever


# ------------------------------------------------------------------ swaps
@compiled
def _rank(paid, rows, o, near, second, d_near, d_second):
    """Find the nearest and the second nearest medoid of row o afresh."""
    first, other = 0, -1
    d_first, d_other = paid[rows[0], o], np.inf
    for slot in range(1, rows.shape[0]):
        d = paid[rows[slot], o]
        if d < d_first:
            other, d_other = first, d_first
            first, d_first = slot, d
        elif d < d_other or other < 0:
            other, d_other = slot, d
    near[o], second[o], d_near[o], d_second[o] = first, other, d_first, d_other


@compiled
def _losses_of_removal(near, d_near, d_second, weight, removal):
    """Compute removal <- the rise of the loss without each medoid; return the loss itself."""
    total = 0.0
    for slot in range(removal.shape[0]):
        removal[slot] = 0.0
    for o in range(near.shape[0]):
        total += weight[o] * d_near[o]
        removal[near[o]] += weight[o] * (np.float64(d_second[o]) - d_near[o])
    return total


@compiled_pass("F2 L1 D1 I1 I1 F1 F1 D1")
def start(paid, rows, weight, near, second, d_near, d_second, removal):
    """Find nearest and second nearest medoids of all rows, and the losses of removal; return the loss."""
    for o in range(near.shape[0]):
        _rank(paid, rows, o, near, second, d_near, d_second)
    return _losses_of_removal(near, d_near, d_second, weight, removal)


@compiled
def _best_swap(d, near, d_near, d_second, weight, removal, change, closer):
    """Return the slot that a candidate at distances d should take, and the change of the loss.

    FasterPAM (Schubert & Rousseeuw 2021): the change for slot i is

        gain + change_i,  gain = sum_o w_o min(d_o - d_near_o, 0),
        change_i = removal_i + sum over the rows o of i with d_o < d_second_o of
                   w_o (max(d_o, d_near_o) - d_second_o)

    so all k slots cost one walk over the rows.  Rows that are closer to the candidate than to their second
    medoid are gathered first, without a branch that the processor could mispredict.
    """
    n, k = near.shape[0], removal.shape[0]
    if k == 1:
        return 0, dot(weight, d) - dot(weight, d_near)
    count = 0
    for o in range(n):
        closer[count] = o
        count += d[o] < d_second[o]
    for slot in range(k):
        change[slot] = removal[slot]
    gained = 0.0
    for at in range(count):
        o = closer[at]
        w, x, y = weight[o], np.float64(d[o]), np.float64(d_near[o])
        gained += w * min(x - y, 0.0)
        change[near[o]] += w * (max(x, y) - d_second[o])
    best = 0
    for slot in range(1, k):
        if change[slot] < change[best]:
            best = slot
    return best, gained + change[best]


@compiled
def _exchange(paid, rows, slot, near, second, d_near, d_second, weight, removal):
    """Update all records after row `rows[slot]` has taken that slot; return the loss."""
    d = paid[rows[slot]]
    for o in range(near.shape[0]):
        x = d[o]
        if near[o] == slot:
            if x < d_second[o] or second[o] < 0:
                d_near[o] = x
            else:
                _rank(paid, rows, o, near, second, d_near, d_second)
        elif x < d_near[o]:
            second[o], d_second[o] = near[o], d_near[o]
            near[o], d_near[o] = slot, x
        elif second[o] == slot:
            if x <= d_second[o]:
                d_second[o] = x
            else:
                _rank(paid, rows, o, near, second, d_near, d_second)
        elif x < d_second[o]:
            second[o], d_second[o] = slot, x
    return _losses_of_removal(near, d_near, d_second, weight, removal)


@compiled_pass("F2 L1 l d D1 I1 I1 F1 F1 D1 D1 I1")
def try_row(paid, rows, j, loss, weight, near, second, d_near, d_second, removal, change, closer):
    """Let row j take the slot where it gains most; return (slot, row before, loss).

    The slot is -1 if row j does not gain.  Changes are differences of great sums, so rounding may mislead:
    if the loss does not fall after all, the swap is undone.
    """
    slot, by = _best_swap(paid[j], near, d_near, d_second, weight, removal, change, closer)
    if by >= -_GAIN * loss:
        return -1, j, loss
    old = rows[slot]
    rows[slot] = j
    new = _exchange(paid, rows, slot, near, second, d_near, d_second, weight, removal)
    if new < (1.0 - _GAIN) * loss:
        return slot, old, new
    rows[slot] = old
    _exchange(paid, rows, slot, near, second, d_near, d_second, weight, removal)
    return -1, j, loss


@compiled_pass("F2 L1 B1 l d D1 I1 I1 F1 F1 D1 D1 I1")
def swap_pass(
    paid, rows, is_medoid, since, loss, weight, near, second, d_near, d_second, removal, change, closer
):  # fmt: skip
    """Let every row try once, in order; return (rows tried since the last swap, loss).

    The pass ends early if all n rows have been tried since the last swap, in this pass or the one before.
    """
    n = near.shape[0]
    for j in range(n):
        if since >= n:
            break
        since += 1
        if is_medoid[j]:
            continue
        slot, old, loss = try_row(
            paid, rows, j, loss, weight, near, second, d_near, d_second, removal, change, closer
        )
        if slot >= 0:
            is_medoid[old], is_medoid[j] = False, True
            since = 0
    return since, loss


# ------------------------------------------------------------------ BUILD
@compiled_pass("F2 D1 L1 F1 D1 L1")
def build(paid, weight, rows, d_near, bound, fresh):
    """Choose medoids by BUILD (Kaufman & Rousseeuw): the most central row, then the row that gains most.

    The gain of a row, sum_o w_o max(d_near_o - d_o, 0), only falls as medoids are added.  So an old gain is
    an upper bound, and only rows whose bound is the greatest are looked at again (Minoux 1978).
    """
    n = d_near.shape[0]
    for j in range(n):
        bound[j], fresh[j] = -dot(weight, paid[j]), 0
    best = 0
    for j in range(n):
        if bound[j] > bound[best]:
            best = j
    rows[0] = best
    for o in range(n):
        d_near[o] = paid[best, o]
    bound[best] = -np.inf
    for j in range(n):
        if bound[j] > -np.inf:
            bound[j], fresh[j] = gain(weight, d_near, paid[j]), 1
    for slot in range(1, rows.shape[0]):
        while True:
            best = 0
            for j in range(n):
                if bound[j] > bound[best]:
                    best = j
            if fresh[best] == slot:
                break
            bound[best], fresh[best] = gain(weight, d_near, paid[best]), slot
        rows[slot] = best
        bound[best] = -np.inf
        for o in range(n):
            d_near[o] = min(d_near[o], paid[best, o])


# ------------------------------------------------------------------ distances
@compiled
def _tile(X, first, xt):
    """Transpose the rows of X from `first` on into xt; return their number.

    Zeros follow the last row, so that all tiles are computed alike.
    """
    rows = min(TILE, X.shape[0] - first)
    for i in range(rows):
        for j in range(X.shape[1]):
            xt[j, i] = X[first + i, j]
    for i in range(rows, TILE):
        for j in range(X.shape[1]):
            xt[j, i] = 0.0
    return rows


@compiled
def _to_centres(kind, xt, V, d):
    """Compute d[k, i] <- the distance from row i of a tile to centre k."""
    if kind == MANHATTAN:
        for k in range(V.shape[0]):
            for i in range(TILE):
                d[k, i] = 0.0
            for j in range(V.shape[1]):
                v = V[k, j]
                for i in range(TILE):
                    d[k, i] += abs(xt[j, i] - v)
        return
    for k in range(V.shape[0]):  # one by one: bits must not depend on a centre's place among the others
        squared_distances(xt, V[k : k + 1], d[k : k + 1])
        if kind == PLAIN:
            for i in range(TILE):
                d[k, i] = np.sqrt(d[k, i])
        elif kind == HALF:
            for i in range(TILE):
                d[k, i] *= 0.5


@compiled_pass("l F2 D2 D2 D2 G2")
def distances(kind, X, V, xt, d, out):
    """Compute out[k, i] <- the distance from row i of X to centre k, summed in float64."""
    for first in range(0, X.shape[0], TILE):
        rows = _tile(X, first, xt)
        for begin in range(0, V.shape[0], d.shape[0]):
            end = min(begin + d.shape[0], V.shape[0])
            _to_centres(kind, xt, V[begin:end], d[: end - begin])
            for k in range(begin, end):
                for i in range(rows):
                    out[k, first + i] = d[k - begin, i]


@compiled_pass("l F2 D2 D2 D2 I1 D1")
def nearest(kind, X, V, xt, d, label, least):
    """Find the nearest centre of each row (the first of equals) and its distance."""
    for first in range(0, X.shape[0], TILE):
        rows = _tile(X, first, xt)
        _to_centres(kind, xt, V, d)
        for i in range(rows):
            best = 0
            for k in range(1, V.shape[0]):
                if d[k, i] < d[best, i]:
                    best = k
            label[first + i], least[first + i] = best, d[best, i]


@compiled_pass("F2")
def inspect(D):
    """Return row and column of the first entry that is negative or not finite, and whether D is symmetric.

    Row and column are -1 if there is no such entry.
    """
    n = D.shape[0]
    symmetric = True
    for i in range(n):
        sound = True
        for j in range(D.shape[1]):
            sound &= (D[i, j] >= 0) & (D[i, j] < np.inf)
        if not sound:
            for j in range(D.shape[1]):
                if not (D[i, j] >= 0 and D[i, j] < np.inf):
                    return i, j, False
    if D.shape[1] != n:
        return -1, -1, False
    for begin in range(0, n, TILE):  # in squares, which stay in the cache
        for other in range(0, begin + 1, TILE):
            for i in range(begin, min(begin + TILE, n)):
                for j in range(other, min(other + TILE, i)):
                    symmetric &= D[i, j] == D[j, i]
        if not symmetric:
            break
    return -1, -1, symmetric
