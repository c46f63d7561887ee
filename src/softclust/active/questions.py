"""Questions about rows: which rows an expert should label next."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from softclust.active import coverage
from softclust.active.doubts import two_greatest
from softclust.active.strategies import STRATEGIES, Strategy, mixed_weight
from softclust.active.view import View, others, view_of
from softclust.sources.blas import one_blas_thread

ROW_QUESTIONS = np.dtype(
    [("row", "i8"), ("gain", "f8"), ("reason", "U6"), ("first", "i8"), ("second", "i8"), ("share", "f8")]
)


def ask_rows(
    model: Any,
    X: Any,
    n: int = 5,
    *,
    asked: Iterable[int] = (),
    nowhere: Iterable[int] = (),
    strategy: str | Strategy = "doubt-mix",
    audit: float = 0.2,
    candidates: int = 2000,
    random_state: Any = None,
) -> np.ndarray:
    """Choose the rows that are most worth asking an expert.

    The default strategy, "doubt-mix", greedily maximises sum_j (floor + doubt_j) max(0, K_ij - covered_j)
    over the rows j: a question covers the rows about it, doubtful rows count more, and the questions of a
    batch lie apart (after Bae, Oliveira & Sutherland 2025).  doubt_j is the margin of row j, as far as its
    place is dense, and the floor is three times the mean doubt, at least .05.  The term of row i itself
    counts only as far as there are other rows about it, and the whole sum as far as the place of row i is
    as dense as those of its neighbours, and as far as rows in equally thin places had a class, so that few
    questions meet noise.  The kernel K narrows from question to question, so that questions explore first
    and refine later.  Its distances count, beside the features, the axes along which clusters differ most
    and the memberships: rows are near if the model, too, sees them alike.

    Features count alike: scale them first if their units differ.

    Parameters
    ----------
    model : fitted softclust estimator
        An estimator with `memberships_`.
    X : array-like of shape (n_samples, n_features)
        The rows of the fit, or other rows; a dask array or the path of a .npy file is seen through a sample
        of 20,000 rows.
    n : int, default=5
        Number of questions.
    asked : iterable of int, default=()
        Rows that were asked before.  They are not asked again, and rows near them are covered.
    nowhere : iterable of int, default=()
        Rows of which the expert said that they belong to no class; they count as asked.  "doubt-mix" then
        asks less often about rows in equally thin places.
    strategy : str or callable, default="doubt-mix"
        A name in `STRATEGIES`, or a function (view, n, rng) -> positions in `view.X`.
    audit : float in [0, 1], default=0.2
        Share of the questions that are drawn by lot.  Their answers measure the accuracy honestly.
    candidates : int, default=2000
        Of more than 4,000 rows, this many are drawn by their doubt and compared.
    random_state : int, RandomState instance or None, default=None
        Determines the draws.  The questions are a function of the memberships, X, `asked`, `nowhere` and
        this number.

    Returns
    -------
    questions : structured ndarray with the fields row, gain, reason, first, second and share
        One record for each question: the position of the row; the share of all weighted rows that the
        question newly covers; "region" (nobody asked about this part), "doubt" (more doubtful than the
        mean) or "audit" (drawn by lot); the two likeliest clusters (-1 if there is no second); and the
        membership of the first.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from softclust import FuzzyCMeans
    >>> from softclust.active import ask_rows
    >>> X = load_iris().data
    >>> model = FuzzyCMeans(3, random_state=0).fit(X)
    >>> questions = ask_rows(model, X, 5, random_state=0)
    >>> len(questions), str(questions["reason"][-1])
    (5, 'audit')
    """
    if not 0 <= audit <= 1:
        raise ValueError(f"audit={audit} is not a share between 0 and 1.")
    rng = np.random.default_rng(check_random_state(random_state).randint(2**31 - 1))
    view = view_of(model, X, asked=asked, batch=n, candidates=candidates, nowhere=nowhere, rng=rng)
    by_lot = int(audit * n + rng.random() + 1e-9)
    chosen = chosen_rows(view, n - by_lot, strategy, rng)
    rest = others(len(view.rows), np.concatenate([view.asked, chosen]))
    drawn = rng.choice(rest, min(by_lot, len(rest)), replace=False)
    with one_blas_thread():
        return _described(view, chosen, drawn, strategy == "random")


def chosen_rows(view: View, n: int, strategy: str | Strategy, rng: np.random.Generator) -> np.ndarray:
    """Return the rows that a strategy, or a function in its place, chooses; at most n, each once."""
    if isinstance(strategy, str):
        if strategy not in STRATEGIES:
            raise ValueError(f"strategy={strategy!r} is not known; {', '.join(STRATEGIES)} are.")
        strategy = STRATEGIES[strategy]
    if n < 1 or not len(view.candidates):
        return np.zeros(0, dtype=np.int64)
    with one_blas_thread():  # the products are small: more threads would wait for each other
        rows = np.asarray(strategy(view, n, rng), dtype=np.int64)
    _, first = np.unique(rows, return_index=True)
    rows = rows[np.sort(first)]
    return rows[~np.isin(rows, view.asked)][:n]


def _described(view: View, chosen: np.ndarray, drawn: np.ndarray, by_lot: bool) -> np.ndarray:
    """Return the records of the chosen rows and of the rows drawn by lot."""
    rows = np.concatenate([chosen, drawn])
    out = np.empty(len(rows), ROW_QUESTIONS)
    U = view.memberships[rows]
    out["row"] = view.rows[rows]
    out["first"], out["second"] = two_greatest(U) if U.shape[1] > 1 else (0, -1)
    out["share"] = U[np.arange(len(rows)), out["first"]]
    out["gain"], doubtful = _gains(view, rows)
    out["reason"] = np.where(doubtful, "doubt", "region")
    out["reason"][0 if by_lot else len(chosen) :] = "audit"
    return out


def _gains(view: View, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the share of the weight that each row newly covers, and whether that part is doubtful."""
    floor, doubt = mixed_weight(view)
    weight, covered = floor + doubt, view.covered_alike.astype(np.float64)
    gains, doubtful = np.empty(len(rows)), np.empty(len(rows), dtype=bool)
    for place, z in enumerate(view.alike.at(view.seen(rows))):
        K = coverage.kernel(z[None], view.alike.places)[0].astype(np.float64)
        new = np.maximum(K - covered, 0.0)
        gains[place] = weight @ new / weight.sum()
        doubtful[place] = doubt @ new > doubt.mean() * new.sum()
        np.maximum(covered, K, out=covered)
    return gains, doubtful
