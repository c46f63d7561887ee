"""Two searches for a colouring of a graph: an exact one for small cores, and repair for large ones.

The neighbours of node u are other[first[u] : first[u + 1]].  Colours are 0 .. c - 1, and -1 for a node
without a colour.
"""

import numpy as np

from softclust.kernels.codes import FOUND, GIVEN_UP, IMPOSSIBLE
from softclust.kernels.compiled.decorators import compiled, compiled_pass


@compiled
def _most_pressed(colour, taken, left, first):
    """Return the uncoloured node with the fewest colours left; of equals, the one with most neighbours."""
    best = -1
    for u in range(colour.shape[0]):
        if colour[u] < 0 and (
            best < 0
            or left[u] < left[best]
            or (left[u] == left[best] and first[u + 1] - first[u] > first[best + 1] - first[best])
        ):
            best = u
    return best


@compiled
def _mark(u, k, step, first, other, taken, left):
    """Forbid colour k to the neighbours of node u (step 1), or withdraw that ban (step -1)."""
    for e in range(first[u], first[u + 1]):
        v = other[e]
        if step > 0 and taken[v, k] == 0:
            left[v] -= 1
        taken[v, k] += step
        if step < 0 and taken[v, k] == 0:
            left[v] += 1


@compiled_pass("L1 L1 l l L1 L2 L1 L1 L1")
def search(first, other, c, most, colour, taken, left, trail, used):
    """Colour the most pressed node first and backtrack if no colour is left (Brelaz 1979).

    Returns FOUND, IMPOSSIBLE, or GIVEN_UP after `most` trials.  Colours that no node has yet are
    interchangeable: only the first of them is tried.  `used[depth]` counts the colours in use before that
    depth.
    """
    size = colour.shape[0]
    colour[:] = -1
    taken[:] = 0
    left[:] = c
    depth, used[0] = 0, 0
    trail[0] = _most_pressed(colour, taken, left, first)
    tried = 0
    while depth >= 0:
        u = trail[depth]
        k = colour[u] + 1
        if colour[u] >= 0:
            _mark(u, colour[u], -1, first, other, taken, left)
            colour[u] = -1
        while k < c and taken[u, k] > 0:
            k += 1
        if k >= c or k > used[depth]:
            depth -= 1
            continue
        tried += 1
        if tried > most:
            return GIVEN_UP
        colour[u] = k
        _mark(u, k, 1, first, other, taken, left)
        if depth + 1 == size:
            return FOUND
        used[depth + 1] = max(used[depth], k + 1)
        depth += 1
        trail[depth] = _most_pressed(colour, taken, left, first)
    return IMPOSSIBLE


@compiled
def _random(state):
    """Return the next number of Marsaglia's xorshift; `state` must not be zero."""
    x = state[0]
    x ^= x << np.uint64(13)
    x ^= x >> np.uint64(7)
    x ^= x << np.uint64(17)
    state[0] = x
    return np.int64(x >> np.uint64(33))


@compiled_pass("L1 L1 l l L1 L2 L2 L1 L1 U1")
def repair(first, other, c, most, colour, same, until, wrong, place, state):
    """Repair random colours (Hertz & de Werra 1987); return whether all neighbours differ in the end.

    Each turn changes the node and the colour that repair most, and forbids the change back for a while.
    `same` counts each node's neighbours of each colour.  `wrong[:count]` lists the nodes that share a
    colour with a neighbour, and `place` says where in that list a node is.
    """
    size = colour.shape[0]
    same[:] = 0
    until[:] = 0
    for u in range(size):
        colour[u] = _random(state) % c
    for u in range(size):
        for e in range(first[u], first[u + 1]):
            same[u, colour[other[e]]] += 1
    count = 0
    for u in range(size):
        place[u] = -1
        if same[u, colour[u]] > 0:
            wrong[count], place[u] = u, count
            count += 1
    for turn in range(most):
        if count == 0:
            return True
        thing, to, least, ties = -1, 0, np.int64(1) << 60, 0
        for at in range(count):
            u = wrong[at]
            for k in range(c):
                gain = same[u, k] - same[u, colour[u]]
                if k == colour[u] or until[u, k] > turn or gain > least:
                    continue
                ties = ties + 1 if gain == least else 1
                if gain < least or _random(state) % ties == 0:
                    thing, to, least = u, k, gain
        if thing < 0:
            continue
        old = colour[thing]
        until[thing, old] = turn + 6 * count // 10 + _random(state) % 10
        colour[thing] = to
        for e in range(first[thing], first[thing + 1]):
            v = other[e]
            same[v, old] -= 1
            same[v, to] += 1
        for e in range(first[thing], first[thing + 1] + 1):
            v = other[e] if e < first[thing + 1] else thing
            if same[v, colour[v]] > 0 and place[v] < 0:
                wrong[count], place[v] = v, count
                count += 1
            elif same[v, colour[v]] == 0 and place[v] >= 0:
                count -= 1
                last = wrong[count]
                wrong[place[v]], place[last] = last, place[v]
                place[v] = -1
    return False
