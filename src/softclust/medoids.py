"""k-medoids by swaps: PAM on a table of distances, CLARA on samples, CLARANS on random candidates.

All minimise L = sum_i w_i min_k d(x_i, m_k), where the medoids m_k are rows of the data.  `paid[j, o]` is
what row o pays if row j is its medoid; a space (`Vectors`, `Matrix`) knows how to find it.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from math import ceil, sqrt
from typing import Any

import numpy as np

from softclust.columns import column_range
from softclust.run.local import fold

_BLOCK_ROWS = 16384  # of an assignment
_BLOCK_CANDIDATES = 256  # of a table
_BLOCK_ENTRIES = 2**22  # of a block of distances that scikit-learn works out
_TILE_CENTRES = 64
_NEGATIVE = 1e-9  # of the greatest distance: a difference of equals, no error of the metric

# Squares of entries beyond the first of these exponents of two have no float, factors beyond the second.
_EXPONENTS = {np.dtype("f4"): (30, 126), np.dtype("f8"): (400, 1022)}
_KINDS = {
    "sqeuclidean": "SQUARED",
    "euclidean": "PLAIN",
    "l2": "PLAIN",
    "manhattan": "MANHATTAN",
    "cityblock": "MANHATTAN",
    "l1": "MANHATTAN",
    "cosine": "HALF",
}


# ------------------------------------------------------------------ metrics
@dataclass(frozen=True)
class Compiled:
    """A metric with a kernel, on entries times `factor`, a power of two that keeps squares in range."""

    name: str
    factor: float = 1.0

    @classmethod
    def of(cls, name, *arrays):
        """The metric in units for these rows; a power of two leaves their distances as they are."""
        if name == "cosine":
            return cls(name)
        safe, most = min(_EXPONENTS[a.dtype] for a in arrays)
        largest = max(float(np.abs(end).max()) for a in arrays for end in column_range(a))
        exponent = int(np.frexp(largest)[1])
        return cls(name, 1.0 if abs(exponent) <= safe else 2.0 ** -max(-most, min(exponent, most)))

    def prepare(self, X):
        """Rows as the kernel takes them.

        1 - cos(x, y) = |x/|x| - y/|y||^2 / 2.  A row of zeros gets a direction of its own: 0 from its
        like and 1 from all others, as in scikit-learn.
        """
        if self.name != "cosine":
            return X if self.factor == 1 else X * X.dtype.type(self.factor)
        unit = np.zeros((len(X), X.shape[1] + 1))
        largest = np.abs(X).max(axis=1, keepdims=True)
        np.divide(X, largest, out=unit[:, :-1], where=largest > 0)
        unit[:, -1] = largest[:, 0] == 0
        return unit / np.sqrt((unit**2).sum(axis=1, keepdims=True))

    def leave(self, d):
        """Distances in the units of the data."""
        with np.errstate(over="ignore", under="ignore"):
            for _ in range(2 if self.name == "sqeuclidean" else 1):
                d = d if self.factor == 1 else d / np.asarray(d).dtype.type(self.factor)
        return d

    def between(self, V, X, dtype, threads=1):
        """(k, n) from rows of X to centres V, both prepared."""
        out = np.empty((len(V), len(X)), dtype)
        V = np.ascontiguousarray(V, dtype=np.float64)
        _each(partial(self._fill, V, X, out), _slices(len(V), _BLOCK_CANDIDATES), threads)
        return out

    def _fill(self, V, X, out, part):
        from softclust.kernels import medoids as kernels

        xt, d = _buffers(X.shape[1], min(_TILE_CENTRES, len(V[part])))
        kernels.distances(getattr(kernels, _KINDS[self.name]), X, V[part], xt, d, out[part])

    def nearest(self, X, V, threads=1):
        """Label and distance of the nearest centre of each row, both prepared."""
        label, least = np.empty(len(X), np.int32), np.empty(len(X))
        V = np.ascontiguousarray(V, dtype=np.float64)
        _each(partial(self._label, X, V, label, least), _slices(len(X), _BLOCK_ROWS), threads)
        return label, least

    def _label(self, X, V, label, least, part):
        from softclust.kernels import medoids as kernels

        xt, d = _buffers(X.shape[1], len(V))
        kernels.nearest(getattr(kernels, _KINDS[self.name]), X[part], V, xt, d, label[part], least[part])


@dataclass(frozen=True)
class Named:
    """Any other metric of scikit-learn, or a function of two rows; taken to be symmetric."""

    name: Any
    parameters: dict

    def prepare(self, X):
        from sklearn.metrics.pairwise import PAIRWISE_BOOLEAN_FUNCTIONS

        return X.astype(bool) if self.name in PAIRWISE_BOOLEAN_FUNCTIONS else X

    def leave(self, d):
        return d

    def between(self, V, X, dtype, threads=1):
        from sklearn.metrics import pairwise_distances

        # A function is asked for half of all pairs.  Names are not: given one array SciPy takes a row to be
        # 0 from itself, which by "russellrao" it is not, and losses would not add up.
        others = X if V is not X else None if callable(self.name) else X.view()
        d = pairwise_distances(V, others, metric=self.name, **self.parameters)
        wrong = ~np.isfinite(d) | (d < -_NEGATIVE * d.max(initial=0.0))
        if wrong.any():
            k, i = np.argwhere(wrong)[0]
            raise ValueError(
                f"metric={self.name!r} gives {d[k, i]} for the rows {_brief(V[k])} and {_brief(X[i])}; "
                "distances are finite numbers >= 0."
            )
        return np.ascontiguousarray(np.maximum(d, 0.0), dtype=dtype)

    def nearest(self, X, V, threads=1):
        label, least = np.empty(len(X), np.int32), np.empty(len(X))
        for part in _slices(len(X), max(1, _BLOCK_ENTRIES // len(V))):
            d = self.between(V, X[part], np.float64)
            label[part] = d.argmin(axis=0)
            least[part] = d[label[part], np.arange(d.shape[1])]
        return label, least


def metric_for(name, parameters, *arrays):
    """The metric of this name: with a kernel where there is one."""
    if isinstance(name, str) and name in _KINDS and not parameters:
        return Compiled.of(name, *arrays)
    return Named(name, parameters or {})


def _brief(row):
    """The first entries of a row, for a message."""
    return f"({', '.join(str(x) for x in row[:4].tolist())}{', ...' if len(row) > 4 else ''})"


def _buffers(p, k):
    from softclust.kernels.compiled import TILE

    return np.empty((p, TILE)), np.empty((k, TILE))


def _slices(n, size):
    return [slice(first, min(first + size, n)) for first in range(0, n, size)]


def _each(work, parts, threads):
    if threads == 1 or len(parts) == 1:
        for part in parts:
            work(part)
        return
    with ThreadPoolExecutor(min(threads, len(parts))) as pool:
        list(pool.map(work, parts))


# ------------------------------------------------------------------ spaces
@dataclass(frozen=True)
class Vectors:
    """Rows (prepared) with a metric: distances are found when they are asked for."""

    metric: Compiled | Named
    X: np.ndarray
    dtype: Any
    threads: int = 1

    def __len__(self):
        return len(self.X)

    def take(self, rows):
        return Vectors(self.metric, self.X[rows], self.dtype, self.threads)

    def table(self):
        """(n, n) `paid`."""
        try:
            return self.metric.between(self.X, self.X, self.dtype, self.threads)
        except MemoryError as error:
            size = len(self) ** 2 * np.dtype(self.dtype).itemsize / 1e9
            raise MemoryError(
                f'The distances of all {len(self)} rows take {size:.3g} GB; method="clara" does without.'
            ) from error

    def between(self, rows, others):
        """paid[rows][:, others]; None is all."""
        some = self.X if others is None else self.X[others]
        return self.metric.between(self.X[rows], some, self.dtype)

    def nearest(self, rows):
        """Slot of the nearest of these medoids and its distance, for every row."""
        return self.metric.nearest(self.X, self.X[rows], self.threads)

    def loss(self, rows, weight):
        """What all rows pay to the nearest of these medoids."""
        return float(weight @ self.nearest(rows)[1])


@dataclass(frozen=True)
class Matrix:
    """Distances that are given: `paid` itself."""

    paid: np.ndarray

    def __len__(self):
        return len(self.paid)

    def take(self, rows):
        return Matrix(self.paid[np.ix_(rows, rows)])

    def table(self):
        return self.paid

    def between(self, rows, others):
        return self.paid[rows] if others is None else self.paid[np.ix_(rows, others)]

    def nearest(self, rows):
        d = self.paid[rows]
        label = d.argmin(axis=0).astype(np.int32)
        return label, d[label, np.arange(d.shape[1])].astype(np.float64)

    def loss(self, rows, weight):
        return float(weight @ self.nearest(rows)[1])


@dataclass(frozen=True)
class FarVectors:
    """Rows that are elsewhere, with a metric: samples come here, sums are found where the rows are."""

    metric: Compiled | Named
    X: Any  # a `Far`
    threads: int = 1

    def __len__(self):
        return len(self.X)

    def take(self, rows):
        return Vectors(self.metric, self.metric.prepare(self.X[rows]), self.X.dtype, self.threads)

    def tally(self, rows, weight=None):
        """What all rows pay to the nearest of these medoids, and the weight of those nearest to each."""
        V = self.metric.prepare(self.X[rows])
        sums = fold(self.X.each(_tally, self.X.of_each, self.metric, V, weight=weight))
        return float(sums[0]), sums[1:]

    def loss(self, rows, weight):
        return self.tally(rows, weight)[0]


def _tally(X, weight, detail, metric, V):
    label, least = metric.nearest(metric.prepare(X), V)
    weight = np.ones(len(X)) if weight is None else weight
    return np.append(weight @ least, np.bincount(label, weight, minlength=len(V)))


# ------------------------------------------------------------------ PAM
@dataclass(frozen=True)
class Found:
    """Medoids, their loss (of weights that are scaled to sum to at most 1), and how they were found."""

    rows: np.ndarray
    loss: float
    n_iter: int
    converged: bool


def _ranked(paid, rows, weight):
    """The loss, and what the kernels keep: each row's nearest and second medoid, and room for a swap."""
    from softclust.kernels import medoids as kernels

    n, k = paid.shape[1], len(rows)
    near, second = np.empty((2, n), np.int32)
    d_near, d_second = np.empty((2, n), paid.dtype)
    removal, change = np.empty((2, k))
    loss = kernels.start(paid, rows, weight, near, second, d_near, d_second, removal)
    return loss, (weight, near, second, d_near, d_second, removal, change, np.empty(n, np.int32))


def scaled(weight, n):
    """Weights times a power of two, so that no sum of distances overflows."""
    weight = np.ones(n) if weight is None else weight
    weight = np.ldexp(weight, -int(np.frexp(weight.max())[1]))
    return np.ldexp(weight, -int(np.frexp(weight.sum())[1]))


def pam(paid, weight, rows, max_iter):
    """FasterPAM (Schubert & Rousseeuw 2021) from the medoids `rows`.

    Candidates are tried in the order of the rows, again and again, and swapped at once where that lowers
    the loss, until each has been tried in vain since the last swap: then no single swap lowers it.
    """
    from softclust.kernels import medoids as kernels

    rows = np.array(rows, dtype=np.int64)
    loss, ranks = _ranked(paid, rows, weight)
    is_medoid = np.zeros(len(paid), dtype=bool)
    is_medoid[rows] = True
    since = n_iter = 0
    while since < len(paid) and n_iter < max_iter:
        n_iter += 1
        since, loss = kernels.swap_pass(paid, rows, is_medoid, since, loss, *ranks)
    return Found(rows, loss, n_iter, since >= len(paid))


def build(paid, weight, k):
    """The start of Kaufman & Rousseeuw: one medoid after the other, each the one that gains most."""
    from softclust.kernels import medoids as kernels

    n = len(paid)
    rows = np.empty(k, np.int64)
    kernels.build(paid, weight, rows, np.empty(n, paid.dtype), np.empty(n), np.empty(n, np.int64))
    return rows


def lab(space, weight, k, rng):
    """Linear approximative BUILD: each medoid is the best of 10 + sqrt(n) rows, judged by those alone."""
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


def at_random(space, weight, k, rng):
    return rng.choice(len(space), k, replace=False)


@dataclass(frozen=True)
class Search:
    """How PAM is to be run: `init` is "build", "lab", "random" or the rows to start from."""

    k: int
    init: Any = "build"
    n_init: int = 1
    max_iter: int = 300

    def run(self, space, weight, rng):
        """The best of the starts; only the draws of chance are worth more than one."""
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
def clara(space, weight, search, n_samplings, size, rng):
    """PAM on samples, each with the best medoids so far; all rows tell which sample had the best.

    `weight` may be None, for all 1, where there are too many rows for an array of it.
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
    return best


def clarans(space, weight, search, max_neighbours, n_local, rng):
    """CLARANS (Ng & Han 2002): swaps with candidates in a random order, until many in a row fail.

    A candidate is weighed against all k medoids in one walk over the rows, which are k neighbours of the
    present medoids (Schubert & Rousseeuw 2021); no candidate comes again before all others
    have.  So with `max_neighbours` >= k (n - k) no single swap lowers the loss in the end.
    """
    starts = [search.init]
    if isinstance(search.init, str):
        draw = lab if search.init == "lab" else at_random
        starts = [draw(space, weight, search.k, rng) for _ in range(n_local)]
    enough = min(ceil(max_neighbours / search.k), len(space) - search.k)
    ends = (_wander(space, weight, rows, enough, search.max_iter, rng) for rows in starts)
    return min(ends, key=lambda end: end.loss)


def _wander(space, weight, rows, enough, max_iter, rng):
    """One local search.  The table has a row for each medoid and one, `spare`, for the candidate."""
    from softclust.kernels import medoids as kernels

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
        slot, freed, loss = kernels.try_row(paid, places, spare, loss, *ranks)
        failed += 1
        if slot >= 0:
            is_medoid[owner[freed]], is_medoid[candidate] = False, True
            owner[spare], spare, failed = candidate, freed, 0
    return Found(owner[places], loss, max(1, -(-tried // n)), failed >= enough)
