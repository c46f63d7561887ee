"""Planes on which the page draws the rows, and the bytes that it draws."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from softclust.studio.data import StudioData
from softclust.studio.fitted import NO_CLUSTER, Fitted

MOST_DRAWN = 200_000
VIEWS = {
    "principal": "Principal plane",
    "separating": "Plane that separates best",
    "columns": "Two columns",
}
TOLD, ASKED, OUTLIER, DISAGREES, BULK, SKIPPED, NONE = (1 << bit for bit in range(7))
_REACH = 1.5  # of the bulk's width: how far beyond the bulk a row is drawn before it sticks to the border
_FITTED_ROWS = 20_000  # rows that determine a plane


@dataclass(frozen=True, eq=False)
class Plane:
    """Places of the drawn rows, (m, 2) float32 in [0, 1], and what the axes mean."""

    id: str
    x: str
    y: str
    rev: int
    points: np.ndarray


def drawn_rows(fitted: Fitted, seed: int = 0) -> np.ndarray | None:
    """Return the rows that are drawn, rising; None for all.

    Of many rows, each cluster gives as many as it has, in proportion, but small clusters at least a
    fiftieth of the points; rows with an answer are always drawn.
    """
    n = len(fitted.winner)
    if n <= MOST_DRAWN:
        return None
    rng, counts = np.random.default_rng(seed), np.bincount(fitted.winner, minlength=NO_CLUSTER + 1)
    kinds = np.flatnonzero(counts)
    wanted = np.maximum(counts[kinds] / n * MOST_DRAWN, min(MOST_DRAWN / 50, MOST_DRAWN / len(kinds)))
    wanted = np.minimum(counts[kinds], (wanted * (MOST_DRAWN / wanted.sum())).astype(int))
    chosen = [
        rng.choice(np.flatnonzero(fitted.winner == k), q, replace=False)
        for k, q in zip(kinds, wanted, strict=True)
    ]
    return np.unique(np.concatenate([*chosen, fitted.session.asked]))


def plane(
    kind: str, data: StudioData, fitted: Fitted, drawn: np.ndarray | None, rev: int, axes: tuple[str, str]
) -> Plane:
    """Return the places of the drawn rows on a plane; `axes` are the columns of the view "columns"."""
    X = fitted.session.X
    rows = X if drawn is None else X[drawn]
    if kind == "columns":
        features = data.names("feature")
        places = rows[:, [features.index(name) for name in axes]]
        return Plane(kind, *axes, rev, in_unit_square(places))
    V = principal_axes(X, 2) if kind == "principal" else _separating(X, fitted)
    names = ("first principal axis", "second principal axis")
    if kind == "separating":
        names = ("separates clusters most", "separates clusters second most")
    places = rows @ V
    if V.shape[1] == 1:
        scattered = np.random.default_rng(0).random(len(places))
        places, names = np.column_stack([places, scattered]), (data.names("feature")[0], "scattered by lot")
    return Plane(kind, *names, rev, in_unit_square(places))


def principal_axes(X: np.ndarray, number: int) -> np.ndarray:
    """(p, number) the directions of greatest variance; all p of them if there are fewer."""
    Z = X[:: -(-len(X) // _FITTED_ROWS)]
    _, V = np.linalg.eigh(np.atleast_2d(np.cov(Z, rowvar=False)))
    return _upright(V[:, ::-1][:, :number])


def _separating(X: np.ndarray, fitted: Fitted) -> np.ndarray:
    """(p, 2) the directions along which clusters differ most, beside the spread within them."""
    every = slice(None, None, -(-len(X) // _FITTED_ROWS))
    Z, winner = X[every] - X.mean(axis=0), fitted.winner[every]
    within, between = np.zeros((2, Z.shape[1], Z.shape[1]))
    for k in np.unique(winner):
        mine = Z[winner == k]
        mean = mine.mean(axis=0)
        within += (mine - mean).T @ (mine - mean)
        between += len(mine) * np.outer(mean, mean)
    within += np.eye(len(within)) * (1e-6 * np.trace(within) / len(within) + 1e-300)
    root = np.linalg.cholesky(within)
    half = np.linalg.solve(root, np.linalg.solve(root, between).T)
    # A little of the spread within decides where two clusters leave the second direction open.
    half = half + 1e-9 * np.linalg.solve(
        root, np.linalg.solve(root, np.cov(Z, rowvar=False).reshape(within.shape)).T
    )
    _, V = np.linalg.eigh((half + half.T) / 2)
    return _upright(np.linalg.solve(root.T, V[:, ::-1][:, :2]))


def _upright(V: np.ndarray) -> np.ndarray:
    """Turn each direction so that its greatest part is positive: a sign is then no matter of chance."""
    largest = V[np.abs(V).argmax(axis=0), np.arange(V.shape[1])]
    return V * np.where(largest < 0, -1.0, 1.0)


def in_unit_square(places: np.ndarray) -> np.ndarray:
    """Scale both columns to [0, 1]; a row far beyond the bulk sticks to the border."""
    out = np.full(places.shape, 0.5, dtype=np.float32)
    for j, values in enumerate(places.T):
        low, high = np.quantile(values, [0.005, 0.995])
        reach = _REACH * (high - low)
        low, high = max(values.min(), low - reach), min(values.max(), high + reach)
        if high > low:
            out[:, j] = np.clip((values - low) / (high - low), 0.0, 1.0)
    return out


def member_bytes(fitted: Fitted, flags: np.ndarray, drawn: np.ndarray | None) -> bytes:
    """Return the shown class, doubt and flags, 3 bytes for each drawn row."""
    rows = slice(None) if drawn is None else drawn
    out = np.empty((len(fitted.shown[rows]), 3), np.uint8)
    out[:, 0], out[:, 1], out[:, 2] = fitted.shown[rows], fitted.doubt[rows], flags[rows]
    return out.tobytes()
