"""Knowledge drawn from true classes, as the papers' experiments do; and pairs that slice with the rows."""

from __future__ import annotations

from numbers import Integral
from typing import NamedTuple

import numpy as np
from sklearn.utils import check_random_state


class Pairs:
    """Pairs of row positions that stay right when the rows are sliced, as cross-validation does.

    Slicing keeps the pairs with both ends among the chosen rows, by their new positions.

    Parameters
    ----------
    pairs : array-like of shape (q, 2) or (q, 3)
        Row positions; a third column is the strength of each pair.
    n_samples : int
        Number of rows that the positions refer to.

    Examples
    --------
    >>> from softclust import Pairs
    >>> Pairs([(0, 4), (1, 2)], n_samples=5)[[0, 1, 2]].pairs
    array([[1., 2.]])
    """

    def __init__(self, pairs, n_samples):
        pairs = np.array(pairs, dtype=np.float64)
        pairs = pairs.reshape(0, 2) if pairs.size == 0 else pairs
        if pairs.ndim != 2 or pairs.shape[1] not in (2, 3):
            raise ValueError(f"pairs has shape {pairs.shape}; a pair is two rows, and perhaps a strength.")
        ends = pairs[:, :2]
        wrong = np.argwhere(~((ends >= 0) & (ends < n_samples) & (ends == np.floor(ends))))
        if len(wrong):
            q, side = wrong[0]
            raise ValueError(
                f"pairs[{q}] = {named(ends[q])} names row {named(ends[q, side])}; "
                f"there are {n_samples} rows."
            )
        self.pairs = pairs
        self.n_samples = int(n_samples)

    @property
    def shape(self):
        """(n_samples,): scikit-learn takes it for something that has an entry for each row."""
        return (self.n_samples,)

    def __len__(self):
        return self.n_samples

    def __repr__(self):
        return f"Pairs({len(self.pairs)} pairs of {self.n_samples} rows)"

    def __getitem__(self, key):
        rows = np.arange(self.n_samples)[key[0] if isinstance(key, tuple) else key]
        rows = np.atleast_1d(rows)
        place = np.full(self.n_samples, -1)
        place[rows] = np.arange(len(rows))
        ends = place[self.pairs[:, :2].astype(int)]
        kept = (ends >= 0).all(axis=1)
        return Pairs(np.column_stack([ends, self.pairs[:, 2:]])[kept], len(rows))


def named(rows):
    """A row number, or a pair of them, as someone would write it."""
    if np.ndim(rows):
        return f"({', '.join(map(named, rows))})"
    return str(int(rows)) if np.isfinite(rows) and rows == int(rows) else f"{rows:g}"


class Supervision(NamedTuple):
    """What an expert tells: `y` for `fit`, and pairs of rows that belong together and apart."""

    y: np.ndarray
    must_link: Pairs
    cannot_link: Pairs


def sample_supervision(
    y,
    labels=0.1,
    must_link=0.0,
    cannot_link=0.0,
    *,
    label_noise=0.0,
    doubt=0.0,
    every_class=False,
    random_state=None,
):
    """Draw what an expert might know from the true classes of all rows.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        The true classes.
    labels, must_link, cannot_link : float or int
        How many rows are labelled, how many pairs of the same and of different classes are told.  A
        float is a share of the rows, an int a number.
    label_noise : float in [0, 1]
        Share of the labels that name a wrong class, drawn at random.
    doubt : float in [0, 1)
        Above 0, labels are soft: 1 - doubt for the class named, doubt shared by the others.
    every_class : bool
        Whether each class gets a label at least, where there are enough.
    random_state : int, RandomState instance or None
        Determines the draw.

    Returns
    -------
    supervision : Supervision
        `y`: -1 (None for classes that are not numbers) where nothing is known; with `doubt` an array
        (n_samples, n_classes) of degrees, NaN where nothing is known.  `must_link`, `cannot_link`:
        `Pairs`.

    Examples
    --------
    >>> from softclust import sample_supervision
    >>> sample_supervision([0, 0, 1, 1, 1], labels=2, random_state=0).y
    array([ 0, -1,  1, -1, -1])
    """
    truth = np.asarray(y)
    if truth.ndim != 1:
        raise ValueError(f"y should be a 1d array of true classes, got {truth.ndim}d.")
    rng = np.random.default_rng(check_random_state(random_state).randint(2**31 - 1))
    classes, codes = np.unique(truth, return_inverse=True)
    n, c = len(codes), len(classes)
    for name, share in (("label_noise", label_noise), ("doubt", doubt)):
        if not 0 <= share <= 1:
            raise ValueError(f"{name}={share} is not a share between 0 and 1.")
    rows = _draw_rows(codes, c, _count(labels, n, "labels"), every_class, rng)
    named = codes[rows]
    if c > 1:
        flips = rng.permutation(len(rows))[: round(label_noise * len(rows))]
        named[flips] = (named[flips] + rng.integers(1, c, len(flips))) % c
    if doubt:
        told: np.ndarray = np.full((n, c), np.nan)
        told[rows] = doubt / max(c - 1, 1)
        told[rows, named] = 1 - doubt
    elif truth.dtype.kind in "if":
        told = np.full(n, -1, dtype=truth.dtype)
        told[rows] = classes[named]
    else:
        told = np.full(n, None, dtype=object)
        told[rows] = classes[named]
    must = _draw_pairs(codes, _count(must_link, n, "must_link"), True, rng)
    cannot = _draw_pairs(codes, _count(cannot_link, n, "cannot_link"), False, rng)
    return Supervision(told, Pairs(must, n), Pairs(cannot, n))


def _count(amount, n, name):
    if isinstance(amount, Integral) and not isinstance(amount, bool) and int(amount) >= 0:
        return int(amount)
    if not 0 <= amount <= 1:
        raise ValueError(f"{name}={amount} is neither a number of rows nor a share between 0 and 1.")
    return round(amount * n)


def _draw_rows(codes, c, count, every_class, rng):
    order = rng.permutation(len(codes))
    if every_class:  # the first row of each class in the order of the draw comes first
        _, first = np.unique(codes[order], return_index=True)
        first = np.sort(first)
        order = np.concatenate([order[first], np.delete(order, first)])
    return np.sort(order[:count])


def _draw_pairs(codes, count, alike, rng):
    """Distinct pairs of rows of the same class, or of different ones, each equally likely."""
    sizes = np.bincount(codes)
    same = int((sizes * (sizes - 1) // 2).sum())
    possible = same if alike else len(codes) * (len(codes) - 1) // 2 - same
    if count > possible:
        kind = "same class" if alike else "different classes"
        raise ValueError(f"{count} pairs are asked for, but only {possible} pairs of {kind} exist.")
    found: dict[tuple[int, int], None] = {}
    while len(found) < count:
        if 4 * (count - len(found)) > possible - len(found) or possible < 1000:
            every = _all_pairs(codes, alike)
            return every[np.sort(rng.choice(len(every), count, replace=False))]
        ends = np.sort(rng.integers(len(codes), size=(4 * count, 2)), axis=1)
        fits = (ends[:, 0] != ends[:, 1]) & ((codes[ends[:, 0]] == codes[ends[:, 1]]) == alike)
        found.update(dict.fromkeys(map(tuple, ends[fits].tolist())))
    return np.array(list(found)[:count]).reshape(-1, 2)


def _all_pairs(codes, alike):
    groups = [np.flatnonzero(codes == k) for k in np.unique(codes)]
    if alike:
        return np.concatenate([g[np.column_stack(np.triu_indices(len(g), 1))] for g in groups])
    every = np.column_stack(np.triu_indices(len(codes), 1))
    return every[codes[every[:, 0]] != codes[every[:, 1]]]
