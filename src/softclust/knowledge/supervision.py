"""Draw labels and pairs from true classes, as in the papers' experiments; slice pairs with the rows."""

from __future__ import annotations

from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils import check_random_state


class Pairs:
    """Pairs of row positions that stay right when the rows are sliced, as in cross-validation.

    Slicing keeps the pairs with both ends among the chosen rows, and renumbers their rows.

    Parameters
    ----------
    pairs : array-like of shape (q, 2) or (q, 3)
        Positions of both rows; a third column is the strength of each pair.
    n_samples : int
        Number of rows that the positions refer to.

    Examples
    --------
    >>> from softclust import Pairs
    >>> Pairs([(0, 4), (1, 2)], n_samples=5)[[0, 1, 2]].pairs
    array([[1., 2.]])
    """

    def __init__(self, pairs: Any, n_samples: int) -> None:
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
    def shape(self) -> tuple[int]:
        """(n_samples,): scikit-learn slices an object of this shape together with the rows."""
        return (self.n_samples,)

    def __len__(self) -> int:
        return self.n_samples

    def __repr__(self) -> str:
        return f"Pairs({len(self.pairs)} pairs of {self.n_samples} rows)"

    def __getitem__(self, key: Any) -> Pairs:
        """Keep the pairs with both ends among the rows that `key` chooses, and renumber their rows."""
        rows = np.arange(self.n_samples)[key[0] if isinstance(key, tuple) else key]
        rows = np.atleast_1d(rows)
        place = np.full(self.n_samples, -1)
        place[rows] = np.arange(len(rows))
        ends = place[self.pairs[:, :2].astype(int)]
        kept = (ends >= 0).all(axis=1)
        return Pairs(np.column_stack([ends, self.pairs[:, 2:]])[kept], len(rows))


def named(rows: Any) -> str:
    """Write a row number, or a pair of row numbers, as a person would."""
    if np.ndim(rows):
        return f"({', '.join(map(named, rows))})"
    return str(int(rows)) if np.isfinite(rows) and rows == int(rows) else f"{rows:g}"


class Supervision(NamedTuple):
    """Labels and pairs that an expert gives.

    Attributes
    ----------
    y : ndarray
        Labels, as `fit` takes them.
    must_link, cannot_link : Pairs
        Pairs of rows that belong together, and apart.
    """

    y: np.ndarray
    must_link: Pairs
    cannot_link: Pairs


def sample_supervision(
    y: Any,
    labels: float = 0.1,
    must_link: float = 0.0,
    cannot_link: float = 0.0,
    *,
    label_noise: float = 0.0,
    doubt: float = 0.0,
    every_class: bool = False,
    random_state: Any = None,
) -> Supervision:
    """Draw labels and pairs that an expert might give, from the true classes of all rows.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        The true classes.
    labels, must_link, cannot_link : float or int
        Number of labelled rows, of pairs of the same class, and of pairs of different classes.  A float is
        a share of the number of rows, an int is a number.
    label_noise : float in [0, 1]
        Share of the labels that name a wrong class, drawn at random.
    doubt : float in [0, 1)
        Above 0, labels are soft: 1 - doubt for the named class, doubt shared by the other classes.
    every_class : bool
        Whether each class gets at least one label, if there are enough labels.
    random_state : int, RandomState instance or None
        Determines the draw.

    Returns
    -------
    supervision : Supervision
        `y` is -1 (None for classes that are not numbers) for unlabelled rows; with `doubt` it is an array
        (n_samples, n_classes) of degrees, NaN for unlabelled rows.  `must_link` and `cannot_link` are
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


def _count(amount: float, n: int, name: str) -> int:
    """Return a number of rows, from that number or from a share of n rows."""
    if isinstance(amount, Integral) and not isinstance(amount, bool) and int(amount) >= 0:
        return int(amount)
    if not 0 <= amount <= 1:
        raise ValueError(f"{name}={amount} is neither a number of rows nor a share between 0 and 1.")
    return round(amount * n)


def _draw_rows(
    codes: np.ndarray, c: int, count: int, every_class: bool, rng: np.random.Generator
) -> np.ndarray:
    """Draw the positions of `count` rows; with `every_class`, one row of each class comes first."""
    order = rng.permutation(len(codes))
    if every_class:  # move the first drawn row of each class to the front
        _, first = np.unique(codes[order], return_index=True)
        first = np.sort(first)
        order = np.concatenate([order[first], np.delete(order, first)])
    return np.sort(order[:count])


def _draw_pairs(codes: np.ndarray, count: int, alike: bool, rng: np.random.Generator) -> np.ndarray:
    """Draw distinct pairs of rows of the same class, or of different classes, each equally likely."""
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


def _all_pairs(codes: np.ndarray, alike: bool) -> np.ndarray:
    """List all pairs of rows of the same class, or of different classes."""
    groups = [np.flatnonzero(codes == k) for k in np.unique(codes)]
    if alike:
        return np.concatenate([g[np.column_stack(np.triu_indices(len(g), 1))] for g in groups])
    every = np.column_stack(np.triu_indices(len(codes), 1))
    return every[codes[every[:, 0]] != codes[every[:, 1]]]
