"""What a strategy sees: rows, memberships, and which rows were asked."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from numbers import Integral
from pathlib import Path
from typing import Any

import numpy as np

from softclust.active import coverage
from softclust.active.doubts import credal_doubt, entropy, margin, masses_of, memberships_of
from softclust.credal import CredalPartition
from softclust.estimators.discriminant import ClassMoments, discriminant_axes
from softclust.sources import is_remote
from softclust.sources.local import SAMPLE_ROWS

MOST_PLACES = 4000  # rows to be covered; of more rows, as many are drawn
_OF_MEMBERSHIPS = 0.2  # share of the usual distance of two rows by which roots of memberships count
_OF_AXES = 0.5  # factor of the axes of `discriminant_axes`, whose variance is half of that of the features
_MOST_FEATURES = 1000  # up to which the axes that tell clusters apart take no time


@dataclass(frozen=True)
class View:
    """Rows and memberships as a strategy sees them; positions count the rows of `X`.

    Parameters
    ----------
    X : ndarray of shape (n, p)
        The rows.
    memberships : ndarray of shape (n, c)
        Their memberships; rows sum to 1.
    asked : ndarray
        Positions of rows that were asked before.
    candidates : ndarray
        Positions of rows that may be asked now.
    places : ndarray
        Positions of the rows that questions should cover.
    batch : int
        Number of questions that are asked at a time.
    rows : ndarray of shape (n,)
        The position of each row in the data, which may have more rows than the view.
    masses : CredalPartition or None
        The masses of the rows, if the model has any.
    nowhere : ndarray
        Positions of the asked rows that belong to no class.
    """

    X: np.ndarray
    memberships: np.ndarray
    asked: np.ndarray
    candidates: np.ndarray
    places: np.ndarray
    batch: int
    rows: np.ndarray
    masses: CredalPartition | None = None
    nowhere: np.ndarray = field(default_factory=lambda: np.zeros(0, dtype=np.int64))

    @cached_property
    def margin(self) -> np.ndarray:
        """(n,) 1 - (u1 - u2), with u1 and u2 the two greatest memberships of a row."""
        return margin(self.memberships)

    @cached_property
    def entropy(self) -> np.ndarray:
        """(n,) the entropy of the memberships, in [0, 1]."""
        return entropy(self.memberships)

    @cached_property
    def nonspecificity(self) -> np.ndarray:
        """(n,) the nonspecificity of the masses, in [0, 1]."""
        if self.masses is None:
            raise ValueError("strategy='nonspecificity' needs masses, as of EvidentialCMeans.")
        return credal_doubt(self.masses, "nonspecificity")

    @cached_property
    def near(self) -> coverage.Neighbourhoods:
        """The kernel about the places, by their features."""
        return self._neighbourhoods(self.X[self.places])

    @cached_property
    def covered(self) -> np.ndarray:
        """(places,) how well the asked rows cover each place, in [0, 1]."""
        return coverage.covered_by(self.near.at(self.X[self.asked]), self.near.places)

    def seen(self, rows: np.ndarray) -> np.ndarray:
        """(rows, q) rows with what the model says of them: rows are near if the model sees them alike.

        To the features come the axes along which clusters differ most beside their spread; their variance
        is an eighth of that of all features.  And so do the roots of the memberships, times a fifth of the
        usual distance of two rows, so that distances between clusters grow (Hellinger's distance).  With
        features alone, questions in many features would not spread over the clusters.
        """
        Z = self.near.at(self.X[rows]).astype(np.float64)
        usual, axes = self._usual_and_axes
        roots = _OF_MEMBERSHIPS * usual * np.sqrt(np.maximum(self.memberships[rows], 0.0))
        return np.concatenate([Z, roots] if axes is None else [Z, Z @ axes, roots], axis=1)

    @cached_property
    def _usual_and_axes(self) -> tuple[float, np.ndarray | None]:
        """The usual distance of two places, and the axes (p, r) that tell clusters apart, or None."""
        Z, U = self.near.at(self.X[self.places]).astype(np.float64), self.memberships[self.places]
        usual, axes = float(np.sqrt(2 * Z.var(axis=0).sum())), None
        if Z.shape[1] <= _MOST_FEATURES:
            axes = discriminant_axes(ClassMoments(U.sum(axis=0), U.T @ Z, Z.T @ Z))
        return usual, None if axes is None else _OF_AXES * axes

    @cached_property
    def alike(self) -> coverage.Neighbourhoods:
        """The kernel about the places, by their features and by what the model says of them."""
        return self._neighbourhoods(self.seen(self.places))

    @cached_property
    def covered_alike(self) -> np.ndarray:
        """(places,) how well the asked rows cover each place by the kernel `alike`, in [0, 1]."""
        return coverage.covered_by(self.alike.at(self.seen(self.asked)), self.alike.places)

    def _neighbourhoods(self, places: np.ndarray) -> coverage.Neighbourhoods:
        """Return the kernel about the places at these points, wide at first and narrow later.

        A ball holds n / max(2c, asked + batch) rows.  The kernel is sqrt(10) times as wide as the ball at
        first, so that questions reach small classes far from the others, and as wide from 10 c questions
        on, so that they do not follow single outliers.
        """
        c, after = self.memberships.shape[1], len(self.asked) + self.batch
        width = np.clip(10 * c / after, 1.0, 10.0) ** 0.5
        q = round(len(places) / max(2 * c, after))
        return coverage.Neighbourhoods.of(places, q, float(width))

    def own_places(self, rows: np.ndarray) -> np.ndarray:
        """Return the position of each row among the places, or -1."""
        found = np.minimum(np.searchsorted(self.places, rows), len(self.places) - 1)
        return np.where(self.places[found] == rows, found, -1)


def view_of(
    model: Any,
    X: Any,
    *,
    asked: Iterable[int] = (),
    batch: int = 5,
    candidates: int = 2000,
    nowhere: Iterable[int] = (),
    rng: np.random.Generator,
) -> View:
    """Return the view of a fitted model; from rows on a cluster or in many files, of a sample of them.

    Of more than 4,000 rows, `candidates` rows are drawn with chances in proportion to .05 + margin, and
    4,000 rows to be covered are drawn evenly.
    """
    if not isinstance(batch, Integral) or batch < 1:
        raise ValueError(f"n={batch!r} does not fit; one question or more would.")
    X, n = _rows(X)
    before, lost = checked_rows(asked, n, "asked"), checked_rows(nowhere, n, "nowhere")
    before = np.union1d(before, lost)
    rows, values, U, partition = _in_memory(model, X, n, before, rng)
    asked_here = np.searchsorted(rows, before)
    free = others(len(rows), asked_here)
    places = np.arange(len(rows))
    if len(rows) > MOST_PLACES:
        places = np.sort(rng.choice(len(rows), MOST_PLACES, replace=False))
        if len(free) > candidates:
            chance = 0.05 + margin(U)[free]
            free = np.sort(rng.choice(free, candidates, replace=False, p=chance / chance.sum()))
    lost_here = np.searchsorted(rows, lost)
    return View(values, U, asked_here, free, places, batch, rows, partition, lost_here)


def others(n: int, rows: np.ndarray) -> np.ndarray:
    """Return the positions 0..n-1 that are not among `rows`."""
    mine = np.ones(n, dtype=bool)
    mine[rows] = False
    return np.flatnonzero(mine)


def checked_rows(rows: Iterable[int], n: int, name: str) -> np.ndarray:
    """Return distinct positions of rows, rising; raise an error that names a position outside the data."""
    try:
        if isinstance(rows, str):  # whose digits would be rows
            raise TypeError
        found = np.unique(np.asarray(list(rows), dtype=np.float64))
    except (TypeError, ValueError):
        raise ValueError(f"{name}={rows!r} names no rows; numbers from 0 to {n - 1} would fit.") from None
    wrong = found[~((found >= 0) & (found < n) & (found == np.floor(found)))]
    if len(wrong):
        raise ValueError(f"{name} names row {wrong[0]:g}; rows go from 0 to {n - 1}.")
    return found.astype(np.int64)


def _rows(X: Any) -> tuple[Any, int]:
    """Return X as something that is sliced by positions, and the number of rows."""
    if isinstance(X, str | os.PathLike):
        if Path(X).suffix != ".npy":
            raise ValueError(f"{X} is not a .npy file; give the rows, or a dask array of them.")
        X = np.load(X, mmap_mode="r")
    if is_remote(X):
        X = X.to_dask_array(lengths=True) if hasattr(X, "to_dask_array") else X.compute_chunk_sizes()
    elif not isinstance(X, np.ndarray):
        X = np.asarray(X, dtype=np.float64)
    if X.ndim != 2:
        raise ValueError(f"X is {X.ndim}d; rows of features would fit.")
    return X, int(X.shape[0])


def _in_memory(
    model: Any, X: Any, n: int, asked: np.ndarray, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray, np.ndarray, CredalPartition | None]:
    """Return positions, rows, memberships and masses in memory: of all rows, or of a sample of remote ones.

    Memberships are those of the fit if it has as many rows as X, else predictions.
    """
    of_fit: Any = getattr(model, "memberships_", None)
    if of_fit is None:
        raise ValueError(f"{type(model).__name__} has no memberships_ to ask about; fit it first.")
    remote, own = is_remote(X) or is_remote(of_fit), len(of_fit) == n
    rows = np.arange(n)
    if remote and n > SAMPLE_ROWS:
        rows = np.union1d(rng.choice(n, SAMPLE_ROWS, replace=False), asked)
    if not remote and own:
        return rows, np.asarray(X), memberships_of(model), masses_of(model)
    part = np.asarray(X[rows])
    U = np.asarray(of_fit[rows] if own else model.predict_proba(part), dtype=np.float64)
    if not hasattr(model, "masses_"):
        return rows, part, U, None
    masses = model.masses_[rows] if own else model.predict_mass(part)
    return rows, part, U, CredalPartition(np.asarray(masses), model.focal_sets_)
