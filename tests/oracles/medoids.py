"""PAM as Kaufman and Rousseeuw print it: BUILD and SWAP, every contribution one by one.

"Finding Groups in Data" (1990), chapter 2. ``D[j, i]`` is the dissimilarity of
object j to object i; an object pays the least of its dissimilarities to the representative objects,
times its weight.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class Medoids(NamedTuple):
    """The representative objects in the order of their selection, the loss, and the number of swaps."""

    rows: list[int]
    loss: float
    n_swaps: int


def loss(D, medoids, weights=None):
    """sum_j w_j min_i D[j, i] over the representative objects i."""
    w = np.ones(len(D)) if weights is None else np.asarray(weights, float)
    return sum(w[j] * min(D[j, i] for i in medoids) for j in range(len(D)))


def build(D, k, weights=None):
    """BUILD: the most central object, then k - 1 times the one that gains most.

    An object i that is not yet selected gains C_ji = max(D_j - d(j, i), 0) from each object j, with D_j
    the dissimilarity of j to its most similar selected object; the greatest sum_j C_ji is selected.
    """
    n = len(D)
    w = np.ones(n) if weights is None else np.asarray(weights, float)
    selected = [int(np.argmin([sum(w[j] * D[j, i] for j in range(n)) for i in range(n)]))]
    while len(selected) < k:
        gain = np.full(n, -np.inf)
        for i in range(n):
            if i in selected:
                continue
            gain[i] = 0.0
            for j in range(n):
                Dj = min(D[j, s] for s in selected)
                gain[i] += w[j] * max(Dj - D[j, i], 0.0)
        selected.append(int(np.argmax(gain)))
    return selected


def swap_effect(D, medoids, i, h, weights=None):
    """T_ih = sum_j C_jih, what the loss changes by if representative object i makes way for h."""
    w = np.ones(len(D)) if weights is None else np.asarray(weights, float)
    total = 0.0
    for j in range(len(D)):
        near = sorted(D[j, s] for s in medoids)
        Dj = near[0]
        Ej = near[1] if len(near) > 1 else np.inf  # of the second most similar one
        if D[j, i] > Dj:  # another one is more similar: j does not miss i
            change = min(D[j, h] - Dj, 0.0)
        elif D[j, h] < Ej:
            change = D[j, h] - Dj
        else:
            change = Ej - Dj
        total += w[j] * change
    return total


def swap(D, start, weights=None):
    """SWAP: carry out the best exchange as long as one lowers the loss."""
    medoids, n_swaps = list(start), 0
    while True:
        best = (0.0, None, None)
        for i in medoids:
            for h in range(len(D)):
                if h not in medoids:
                    best = min(best, (swap_effect(D, medoids, i, h, weights), i, h), key=lambda t: t[0])
        if best[0] >= -1e-12 * loss(D, medoids, weights):
            return Medoids(medoids, loss(D, medoids, weights), n_swaps)
        medoids[medoids.index(best[1])] = best[2]
        n_swaps += 1


def pam(D, k, weights=None):
    """BUILD, then SWAP."""
    return swap(D, build(D, k, weights), weights)


def is_swap_optimal(D, medoids, weights=None, tol=1e-9):
    """Whether no exchange of one representative object for another object lowers the loss."""
    now = loss(D, medoids, weights)
    for place in range(len(medoids)):
        for h in set(range(len(D))) - set(medoids):
            changed = [*medoids[:place], h, *medoids[place + 1 :]]
            if loss(D, changed, weights) < now - tol * abs(now):
                return False
    return True
