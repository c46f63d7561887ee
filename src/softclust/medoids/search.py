"""k-medoids by swaps: PAM on a table of distances, CLARA on samples, CLARANS on random candidates.

All searches minimise L = sum_i w_i min_k d(x_i, m_k), where the medoids m_k are rows of the data.
`paid[j, o]` is what row o pays if row j is its medoid; a space (`Vectors`, `Matrix`) computes it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import ceil, sqrt
from typing import Any

import numpy as np

from softclust._lazy import kernels
from softclust.medoids.spaces import Matrix, Vectors


# ------------------------------------------------------------------ PAM
@dataclass(frozen=True)
class Found:
    """Medoids, their loss for weights that are scaled to sum to at most 1, and how they were found."""

    rows: np.ndarray
    loss: float
    n_iter: int
    converged: bool


def _ranked(paid: np.ndarray, rows: np.ndarray, weight: np.ndarray) -> tuple[float, tuple[np.ndarray, ...]]:
    """Return the loss, and the arrays of the kernels: nearest and second medoid of each row, swap space."""
    compiled = kernels("medoids")
    n, k = paid.shape[1], len(rows)
    near, second = np.empty((2, n), np.int32)
    d_near, d_second = np.empty((2, n), paid.dtype)
    removal, change = np.empty((2, k))
    loss = compiled.start(paid, rows, weight, near, second, d_near, d_second, removal)
    return loss, (weight, near, second, d_near, d_second, removal, change, np.empty(n, np.int32))


def scaled(weight: np.ndarray | None, n: int) -> np.ndarray:
    """Return the weights times a power of two, so that no sum of distances overflows; None means n ones."""
    weight = np.ones(n) if weight is None else weight
    weight = np.ldexp(weight, -int(np.frexp(weight.max())[1]))
    return np.ldexp(weight, -int(np.frexp(weight.sum())[1]))


def pam(paid: np.ndarray, weight: np.ndarray, rows: Any, max_iter: int) -> Found:
    """Run FasterPAM (Schubert & Rousseeuw 2021) from the medoids `rows`.

    Candidates are tried in the order of the rows, again and again.  A candidate that lowers the loss is
    swapped at once.  The search ends when each candidate has been tried in vain since the last swap: then
    no single swap lowers the loss.
    """
    compiled = kernels("medoids")
    rows = np.array(rows, dtype=np.int64)
    loss, ranks = _ranked(paid, rows, weight)
    is_medoid = np.zeros(len(paid), dtype=bool)
    is_medoid[rows] = True
    since = n_iter = 0
    while since < len(paid) and n_iter < max_iter:
        n_iter += 1
        since, loss = compiled.swap_pass(paid, rows, is_medoid, since, loss, *ranks)
    return Found(rows, loss, n_iter, since >= len(paid))


def build(paid: np.ndarray, weight: np.ndarray, k: int) -> np.ndarray:
    """Return the start of Kaufman & Rousseeuw: one medoid after the other, each the row that gains most."""
    compiled = kernels("medoids")
    n = len(paid)
    rows = np.empty(k, np.int64)
    compiled.build(paid, weight, rows, np.empty(n, paid.dtype), np.empty(n), np.empty(n, np.int64))
    return rows


def lab(space: Vectors | Matrix, weight: np.ndarray, k: int, rng: np.random.Generator) -> np.ndarray:
    """Return the start of linear approximative BUILD.

    Each medoid is the best of 10 + sqrt(n) random rows, judged by these rows alone.
    """
    free, rows = np.ones(len(space), dtype=bool), np.empty(k, np.int64)
    for slot in range(k):
        pool = np.flatnonzero(free)
        some = np.sort(rng.choice(pool, min(len(pool), 10 + ceil(sqrt(len(space)))), replace=False))
        gain = -space.between(some, some)
        if slot:
            gain = np.maximum(gain + space.between(rows[:slot], some).min(axis=0), 0.0)
        rows[slot] = some[np.argmax(gain @ weight[some])]
        free[rows[slot]] = False
    return rows


def at_random(space: Vectors | Matrix, weight: np.ndarray, k: int, rng: np.random.Generator) -> np.ndarray:
    """Return k random rows as the start."""
    return rng.choice(len(space), k, replace=False)


@dataclass(frozen=True)
class Search:
    """Options of PAM: `init` is "build", "lab", "random" or the rows to start from."""

    k: int
    init: Any = "build"
    n_init: int = 1
    max_iter: int = 300

    def run(self, space: Vectors | Matrix, weight: np.ndarray, rng: np.random.Generator) -> Found:
        """Run PAM and return its best end; only random starts are worth more than one run."""
        paid = space.table()
        if not isinstance(self.init, str):
            starts = [self.init]
        elif self.init == "build":
            starts = [build(paid, weight, self.k)]
        else:
            draw, within = {"lab": lab, "random": at_random}[self.init], Matrix(paid)
            starts = [draw(within, weight, self.k, rng) for _ in range(self.n_init)]
        return min((pam(paid, weight, rows, self.max_iter) for rows in starts), key=lambda end: end.loss)


# ------------------------------------------------------------------ CLARA, CLARANS
def clara(
    space: Any, weight: Any, search: Search, n_samplings: int, size: int, rng: np.random.Generator
) -> Found:
    """Run PAM on samples, each with the best medoids so far; the loss over all rows tells the best sample.

    `space` may be any of the three spaces.  `weight` may be None, for all 1, if there are too many rows for
    an array of weights.
    """
    n, best = len(space), None
    if size >= n:
        return search.run(space, weight, rng)
    named = isinstance(search.init, str)
    kept, later = (np.empty(0, np.int64), search) if named else (search.init, replace(search, init="build"))
    for turn in range(n_samplings):
        sample = np.union1d(rng.choice(n, size, replace=False), kept)
        here = replace(search, init=np.searchsorted(sample, kept)) if not (turn or named) else later
        here_weight = scaled(None, len(sample)) if weight is None else weight[sample]
        end = here.run(space.take(sample), here_weight, rng)
        rows = sample[end.rows]
        loss = space.loss(rows, weight)
        if best is None or loss < best.loss:
            best = Found(rows, loss, end.n_iter, end.converged)
            kept = best.rows
    assert best is not None
    return best


def clarans(
    space: Vectors | Matrix,
    weight: np.ndarray,
    search: Search,
    max_neighbours: int,
    n_local: int,
    rng: np.random.Generator,
) -> Found:
    """Run CLARANS (Ng & Han 2002): try swaps with candidates in a random order, until many in a row fail.

    A candidate is compared with all k medoids in one walk over the rows; these comparisons are k neighbours
    of the present medoids (Schubert & Rousseeuw 2021).  No candidate comes again before all others have
    come.  So with `max_neighbours` >= k (n - k) no single swap lowers the loss in the end.
    """
    starts = [search.init]
    if isinstance(search.init, str):
        draw = lab if search.init == "lab" else at_random
        starts = [draw(space, weight, search.k, rng) for _ in range(n_local)]
    enough = min(ceil(max_neighbours / search.k), len(space) - search.k)
    ends = (_wander(space, weight, rows, enough, search.max_iter, rng) for rows in starts)
    return min(ends, key=lambda end: end.loss)


def _wander(
    space: Vectors | Matrix,
    weight: np.ndarray,
    rows: np.ndarray,
    enough: int,
    max_iter: int,
    rng: np.random.Generator,
) -> Found:
    """Run one local search.  The table has a row for each medoid and one, `spare`, for the candidate."""
    compiled = kernels("medoids")
    n, k = len(space), len(rows)
    owner, spare, places = np.append(rows, -1), k, np.arange(k)
    first = space.between(rows, None)
    paid = np.empty((k + 1, n), first.dtype)
    paid[:k] = first
    loss, ranks = _ranked(paid, places, weight)
    is_medoid = np.zeros(n, dtype=bool)
    is_medoid[rows] = True
    order, failed, tried = rng.permutation(n), 0, 0
    while failed < enough and tried < max_iter * n:
        candidate = order[tried % n]
        tried += 1
        if is_medoid[candidate]:
            continue
        paid[spare] = space.between([candidate], None)[0]
        slot, freed, loss = compiled.try_row(paid, places, spare, loss, *ranks)
        failed += 1
        if slot >= 0:
            is_medoid[owner[freed]], is_medoid[candidate] = False, True
            owner[spare], spare, failed = candidate, freed, 0
    return Found(owner[places], loss, max(1, -(-tried // n)), failed >= enough)
