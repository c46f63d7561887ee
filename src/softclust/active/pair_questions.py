"""Questions about pairs: do these two rows belong together?"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from softclust.active.coverage import squared_distances
from softclust.active.questions import chosen_rows
from softclust.active.strategies import Strategy
from softclust.active.view import View, checked_rows, view_of

PAIR_QUESTIONS = np.dtype([("row", "i8"), ("other", "i8"), ("p_same", "f8"), ("reason", "U6")])


def ask_pairs(
    model: Any,
    X: Any,
    n: int = 5,
    *,
    told: Any = (),
    strategy: str | Strategy = "doubt-mix",
    candidates: int = 2000,
    random_state: Any = None,
) -> np.ndarray:
    """Choose the pairs of rows of which an expert should say whether they belong together.

    A strategy chooses a row.  The other row stands for a cluster: it is the row nearest to the mean of the
    rows that belong to the cluster most.  Of the clusters that the row was not yet compared with, the
    likeliest is taken.

    Parameters
    ----------
    model : fitted softclust estimator
        An estimator with `memberships_`.
    X : array-like of shape (n_samples, n_features)
        The rows of the fit.
    n : int, default=5
        Number of questions.
    told : array-like of shape (n_pairs, 2), default=()
        Pairs that were asked before.  Rows that were compared with every cluster are not asked again.
    strategy : str or callable, default="doubt-mix"
        A name in `STRATEGIES`, or a function (view, n, rng) -> positions in `view.X`.
    candidates : int, default=2000
        Of more than 4,000 rows, this many are drawn by their doubt and compared.
    random_state : int, RandomState instance or None, default=None
        Determines the draws.

    Returns
    -------
    questions : structured ndarray with the fields row, other, p_same and reason
        One record for each pair: both positions; the chance u_i'u_j that they belong together; "doubt" if
        that chance is between .2 and .8, else "region".

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from softclust import FuzzyCMeans
    >>> from softclust.active import ask_pairs
    >>> X = load_iris().data
    >>> model = FuzzyCMeans(3, random_state=0).fit(X)
    >>> ask_pairs(model, X, 3, random_state=0).dtype.names
    ('row', 'other', 'p_same', 'reason')
    """
    pairs = np.asarray(told, dtype=np.float64)[..., :2].reshape(-1, 2)
    rng = np.random.default_rng(check_random_state(random_state).randint(2**31 - 1))
    c = len(model.cluster_centers_) if hasattr(model, "cluster_centers_") else model.n_clusters_
    rows, times = np.unique(pairs[pairs[:, 0] != pairs[:, 1]].ravel(), return_counts=True)
    # Rows that stand for clusters occur in many pairs, and count as asked.
    done = checked_rows(rows[times >= c], np.iinfo(np.int64).max, "told")
    view = view_of(model, X, asked=done, batch=n, candidates=candidates, rng=rng)
    inside = pairs[np.isin(pairs, view.rows).all(axis=1)]
    known = {frozenset(pair) for pair in np.searchsorted(view.rows, inside).tolist()}
    found = _compared(view, chosen_rows(view, n + len(view.memberships[0]), strategy, rng), known)[:n]
    out = np.empty(len(found), PAIR_QUESTIONS)
    ends = np.array(found, dtype=np.int64).reshape(-1, 2)
    out["row"], out["other"] = view.rows[ends].T
    out["p_same"] = (view.memberships[ends[:, 0]] * view.memberships[ends[:, 1]]).sum(axis=1)
    out["reason"] = np.where(np.abs(out["p_same"] - 0.5) <= 0.3, "doubt", "region")
    return out


def _compared(view: View, rows: np.ndarray, known: set[frozenset[int]]) -> list[tuple[int, int]]:
    """Pair each row with the row that stands for its likeliest cluster among pairs that were not asked."""
    stands = _representatives(view)
    found = []
    for row in rows.tolist():
        for k in np.argsort(-view.memberships[row], kind="stable"):
            other = int(stands[k])
            if other >= 0 and other != row and frozenset((row, other)) not in known:
                known.add(frozenset((row, other)))
                found.append((row, other))
                break
    return found


def _representatives(view: View) -> np.ndarray:
    """(c,) the row that stands for each cluster; -1 for a cluster that is the likeliest of no row."""
    c, winner = view.memberships.shape[1], view.memberships.argmax(axis=1)
    stands = np.full(c, -1)
    for k in range(c):
        rows = np.flatnonzero(winner == k)
        if len(rows):
            Z = view.X[rows] - view.X[rows].mean(axis=0)
            stands[k] = rows[squared_distances(Z, np.zeros((1, Z.shape[1]))).argmin()]
    return stands
