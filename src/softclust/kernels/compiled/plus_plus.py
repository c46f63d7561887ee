"""k-means++, with one compiled pass over the rows per trial."""

import numpy as np

from softclust.kernels.compiled.decorators import compiled, compiled_pass
from softclust.kernels.compiled.sums import dot


@compiled
def _chances(weight, near, has_centre, chance):
    """Compute chance <- running sums of weight * near; return the last sum.

    If all products are 0, or there is no centre, the weights alone are summed.
    """
    total = 0.0
    if has_centre:
        for i in range(weight.shape[0]):
            total += weight[i] * near[i]
            chance[i] = total
    if total > 0.0:
        return total
    for i in range(weight.shape[0]):  # no centre yet, or fewer distinct rows than centres
        total += weight[i]
        chance[i] = total
    return total


@compiled
def _row_at(chance, wanted):
    """Return the first row whose running sum exceeds `wanted`, or the last row if none does."""
    low, high = 0, chance.shape[0] - 1
    while low < high:
        middle = (low + high) // 2
        if chance[middle] > wanted:
            high = middle
        else:
            low = middle + 1
    return low


@compiled
def _nearer(points, weight, row, near, option):
    """Compute option <- squared distances to the nearest centre if this row were one too.

    Returns their weighted sum.
    """
    p = points.shape[1]
    whole = p - p % 4
    for i in range(points.shape[0]):
        a, b, c, d = 0.0, 0.0, 0.0, 0.0  # side by side, because a sum waits for the one before it
        for j in range(0, whole, 4):
            a += (points[i, j] - points[row, j]) ** 2
            b += (points[i, j + 1] - points[row, j + 1]) ** 2
            c += (points[i, j + 2] - points[row, j + 2]) ** 2
            d += (points[i, j + 3] - points[row, j + 3]) ** 2
        for j in range(whole, p):
            a += (points[i, j] - points[row, j]) ** 2
        option[i] = min((a + b) + (c + d), near[i])
    return dot(weight, option)


@compiled_pass("D2 D1 D1 b l D1 D2 L1")
def choose(points, weight, near, has_centre, trials, draws, spare, rows):
    """Choose rows one after another: of a few drawn rows, the one with the least sum of distances."""
    chance, option, best = spare[0], spare[1], spare[2]
    number = 0
    for place in range(rows.shape[0]):
        total = _chances(weight, near, has_centre, chance)
        least = np.inf
        for _ in range(trials if has_centre else 1):
            row = _row_at(chance, draws[number] * total)
            number += 1
            potential = _nearer(points, weight, row, near, option)
            if potential < least:
                least, rows[place] = potential, row
                best, option = option, best
        for i in range(near.shape[0]):
            near[i] = best[i]
        has_centre = True
