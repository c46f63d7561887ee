"""Clusters for things that must differ from their neighbours: a colouring of the cannot-links."""

from __future__ import annotations

import numpy as np

_MOST_TRIALS = 100_000
_REPAIRS = 5_000


class UncolourableError(ValueError):
    """`things` cannot all differ from their neighbours, or (not proven) no way was found for them to."""

    def __init__(self, things, is_clique, is_proven=True):
        super().__init__(f"{len(things)} things need more colours")
        self.things, self.is_clique, self.is_proven = things, is_clique, is_proven


def colouring(neighbours, c, thorough=True):
    """(colour, order): colours of the hard core, -1 elsewhere, and an order in which the rest can follow.

    A thing with fewer than c neighbours can always be coloured after them: those are peeled off again
    and again.  What is left, hardly ever anything, is coloured by search; where that is not asked for, it
    is only looked through for a crowd that cannot be.
    """
    q = len(neighbours)
    degree = np.array([len(near) for near in neighbours], dtype=np.int64)
    gone = degree < c
    stack = [int(u) for u in np.flatnonzero(gone)]
    order = []
    while stack:
        u = stack.pop()
        order.append(u)
        for v in neighbours[u]:
            degree[v] -= 1
            if not gone[v] and degree[v] < c:
                gone[v] = True
                stack.append(v)
    core = np.flatnonzero(~gone)
    colour = np.full(q, -1, dtype=np.int64)
    if len(core):
        near = {int(u): {v for v in neighbours[u] if not gone[v]} for u in core}
        if crowd := _clique(near, c):
            raise UncolourableError(crowd, True)
        if thorough and not _repaired(near, c, colour):
            _search(near, c, colour)
    return colour, np.concatenate([core, order[::-1]]).astype(np.int64)


def _repaired(core, c, colour):
    """Colour the core by repairing random colours (Hertz & de Werra 1987); whether that worked.

    The thing and the colour that mend most are changed, and may not be changed back for a while.
    """
    things = np.array(sorted(core))
    place = {int(u): i for i, u in enumerate(things)}
    near = [np.array([place[v] for v in core[int(u)]], dtype=np.int64) for u in things]
    rng = np.random.default_rng(0)
    current = rng.integers(c, size=len(things))
    same = np.zeros((len(things), c), dtype=np.int64)  # neighbours of each colour
    for i, others in enumerate(near):
        np.add.at(same[i], current[others], 1)
    until = np.zeros((len(things), c), dtype=np.int64)
    for turn in range(_REPAIRS):
        wrong = np.flatnonzero(same[np.arange(len(things)), current])
        if len(wrong) == 0:
            colour[things] = current
            return True
        gain = same[wrong] - same[wrong, current[wrong]][:, None]
        gain = np.where(until[wrong] > turn, c * len(things), gain)
        gain[np.arange(len(wrong)), current[wrong]] = c * len(things)
        chosen, k = np.unravel_index(rng.choice(np.flatnonzero(gain == gain.min())), gain.shape)
        i = int(wrong[chosen])
        until[i, current[i]] = turn + len(wrong) // 2 + rng.integers(10)
        same[near[i], current[i]] -= 1
        same[near[i], k] += 1
        current[i] = k
    return False


def _search(core, c, colour):
    """Colour the core: the thing with fewest colours left first, going back where none is left.

    Of the colours that nothing has yet, one is as good as another: only the first of them is tried.
    """
    options = {u: set(range(c)) for u in core}
    trials = 0

    def choices(u):
        return [k for k in sorted(options[u]) if k <= 1 + max(colour[v] for v in core)]

    def most_pressed():
        return min((u for u in core if colour[u] < 0), key=lambda u: (len(options[u]), -len(core[u])))

    trail: list[tuple[int, list[int], list[int]]] = []  # thing, colours still to try, whose options it took
    u = most_pressed()
    todo = choices(u)
    while True:
        if not todo:
            if not trail:
                raise UncolourableError(sorted(core), False)
            u, todo, taken = trail.pop()
            for v in taken:
                options[v].add(int(colour[u]))
            colour[u] = -1
            continue
        trials += 1
        if trials > _MOST_TRIALS:
            raise UncolourableError(sorted(core), False, is_proven=False)
        colour[u] = todo.pop(0)
        taken = [v for v in core[u] if colour[v] < 0 and int(colour[u]) in options[v]]
        for v in taken:
            options[v].discard(int(colour[u]))
        if all(options[v] for v in taken):
            trail.append((u, todo, taken))
            if len(trail) == len(core):
                return
            u = most_pressed()
            todo = choices(u)
        else:
            for v in taken:
                options[v].add(int(colour[u]))
            colour[u] = -1


def _clique(core, c):
    """More than c things that are all neighbours, by greedy growth from each; None where none is found."""
    for u in sorted(core, key=lambda u: -len(core[u])):
        clique = [u]
        for v in sorted(core[u], key=lambda v: -len(core[v])):
            if all(v in core[w] for w in clique):
                clique.append(v)
                if len(clique) > c:
                    return sorted(clique)
    return None
