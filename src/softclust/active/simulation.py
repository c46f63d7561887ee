"""Experiments with a simulated expert, who knows the truth, or is wrong now and then."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from sklearn.utils import check_random_state

from softclust.active.choice import Form, chosen, forms_of
from softclust.active.curves import RECORDS, Curves
from softclust.active.forms import check_form
from softclust.active.pair_questions import ask_pairs
from softclust.active.questions import ask_rows
from softclust.active.refits import Knowledge, Memory, class_shares, refit
from softclust.active.strategies import Strategy
from softclust.metrics import adjusted_rand_score, matched_accuracy

_NO_PAIRS = np.empty((0, 2), dtype=np.int64)


def simulate(
    estimator: Any,
    X: Any,
    truth: Any,
    *,
    strategies: Sequence[str] | Mapping[str, str | Strategy] = ("doubt-mix", "random"),
    budget: int = 60,
    batch: int = 5,
    held_out: float = 0.3,
    label_noise: float = 0.0,
    audit: float = 0.0,
    clusters_per_class: int = 1,
    label_weight: float = 1.0,
    spreading: bool | str = False,
    kind: str = "rows",
    repetitions: int = 10,
    random_state: int = 0,
    n_jobs: int | None = None,
) -> Curves:
    """Measure what strategies reach with a growing number of answers of a simulated expert.

    Parameters
    ----------
    estimator : softclust estimator
        What is fitted after each batch of answers.
    X : array-like of shape (n_samples, n_features)
        The rows.
    truth : array-like of shape (n_samples,)
        The classes; -1 is a row of no class, of which the expert says "none of them".
    strategies : sequence of str, or dict of names to strategies, default=("doubt-mix", "random")
        The strategies to compare.  All see the same held rows and the same expert.
    budget : int, default=60
        Number of answers.
    batch : int, default=5
        Number of questions between two fits.
    held_out : float, default=0.3
        Share of the rows that are never asked, on which `held` is measured.
    label_noise : float, default=0.0
        Share of the answers that name a wrong class.
    audit : float, default=0.0
        Share of the questions that are drawn by lot.
    clusters_per_class : int, default=1
        Number of clusters of each class, for questions about rows.
    label_weight : float, default=1.0
        How many rows an asked row stands for in a fit, for questions about rows.
    spreading : False or "auto", default=False
        Whether label spreading may take the estimator's place, as in `Session.start`, for questions about
        rows.
    kind : {"rows", "pairs"}, default="rows"
        What is asked.
    repetitions : int, default=10
        Number of repetitions, each with other held rows, starts and errors.
    random_state : int, default=0
        Determines everything.
    n_jobs : int, default=None
        Number of processes (joblib).

    Returns
    -------
    curves : Curves

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from softclust import FuzzyCMeans
    >>> from softclust.active import simulate
    >>> X, truth = load_iris(return_X_y=True)
    >>> curves = simulate(FuzzyCMeans(3), X, truth, budget=10, repetitions=2)
    >>> sorted(curves.area()), curves.records.shape
    (['doubt-mix', 'random'], (12,))
    """
    if kind not in ("rows", "pairs"):
        raise ValueError(f"kind={kind!r} is not known; 'rows' and 'pairs' are.")
    if clusters_per_class == "auto":
        raise ValueError("clusters_per_class='auto' is for sessions; simulate takes a number.")
    if kind == "rows":
        check_form(estimator, clusters_per_class, label_weight, spreading)
    named = dict(strategies) if isinstance(strategies, Mapping) else {name: name for name in strategies}
    rows, codes = np.asarray(X, dtype=np.float64), _codes(truth)
    seeds = check_random_state(random_state).randint(2**31 - 1, size=repetitions)
    told = Knowledge(np.empty((0, 0)), _NO_PAIRS, _NO_PAIRS, None, (), label_weight=label_weight)
    form = told, forms_of(clusters_per_class, spreading)
    once = _rows_asked if kind == "rows" else _pairs_asked
    jobs = (
        delayed(_quietly)(once, estimator, rows, codes, name, strategy, budget, batch, held_out,
        label_noise,
                          audit, form, repetition, int(seed))
        for name, strategy in named.items()
        for repetition, seed in enumerate(seeds)
    )  # fmt: skip
    return Curves(
        np.array([record for run in Parallel(n_jobs=n_jobs)(jobs) for record in run], dtype=RECORDS)
    )


def _quietly(run: Any, *arguments: Any) -> list[tuple[Any, ...]]:
    """Run without warnings of degenerate clusters, which few labels cause."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return run(*arguments)


def _codes(truth: Any) -> np.ndarray:
    """(n,) class numbers from 0; -1 for rows of no class."""
    truth = np.asarray(truth)
    none = truth == -1 if truth.dtype.kind in "if" else np.zeros(len(truth), dtype=bool)
    codes = np.full(len(truth), -1)
    codes[~none] = np.unique(truth[~none], return_inverse=True)[1]
    return codes


def _answers(codes: np.ndarray, noise: float, rng: np.random.Generator) -> np.ndarray:
    """(n,) what the expert would say of each row; all strategies meet the same errors."""
    c, wrong = codes.max() + 1, rng.random(len(codes)) < noise
    if c < 2:
        return codes
    return np.where(wrong & (codes >= 0), (codes + rng.integers(1, c, len(codes))) % c, codes)


def _rows_asked(
    estimator: Any, X: np.ndarray, codes: np.ndarray, name: str, strategy: Any, budget: int, batch: int,
    held_out: float, label_noise: float, audit: float, form: tuple[Knowledge, list[Form]], repetition: int,
    seed: int,
) -> list[tuple[Any, ...]]:  # fmt: skip
    """One repetition with questions about rows."""
    rng = np.random.default_rng(seed)
    n, c, forms = len(X), codes.max() + 1, form[1]
    told, answers = replace(form[0], classes=tuple(map(str, range(c)))), _answers(codes, label_noise, rng)
    held = rng.permutation(n)[: round(held_out * n)]
    pool = np.setdiff1d(np.arange(n), held)
    y, asked, out = np.full((n, c), np.nan), np.zeros(0, dtype=np.int64), []
    while True:
        now = chosen(forms, estimator, X, replace(told, y=_hard(y)), seed)
        known = replace(told, y=np.repeat(y, now.per_class, axis=1), per_class=now.per_class)
        model = refit(now.model_of(estimator), X, known, seed, Memory())
        found = _classes_of(model, now.per_class)
        out.append((name, repetition, len(asked), *_scores(found, answers, codes, asked, held)))
        n_more = min(batch, budget - len(asked), n - len(held) - len(asked))
        if n_more < 1:
            return out
        nowhere = asked[answers[asked] < 0]
        new = _asked_among(model, X, n_more, asked, nowhere, pool, strategy, audit, seed)
        asked = np.concatenate([asked, new])
        y[new] = np.where(answers[new, None] == np.arange(c), 1.0, 0.0)


def _hard(y: np.ndarray) -> np.ndarray:
    """Return the degrees of the rows of some class alone."""
    return np.where((y > 0).any(axis=1, keepdims=True), y, np.nan)


def _classes_of(model: Any, per_class: int) -> np.ndarray:
    """(n,) the class of each row: that of its greatest share, with the clusters of each class together."""
    if per_class == 1:
        return np.asarray(model.labels_)
    return class_shares(model.memberships_, per_class).argmax(axis=1)


def _asked_among(
    model: Any, X: np.ndarray, n: int, asked: np.ndarray, nowhere: np.ndarray, pool: np.ndarray,
    strategy: Any, audit: float, seed: int,
) -> np.ndarray:  # fmt: skip
    """Ask rows of the pool, which are not held: the strategy sees these rows alone."""
    seen = _Part(np.asarray(model.memberships_)[pool], model, pool)
    found = ask_rows(
        seen, X[pool], n, asked=np.searchsorted(pool, asked), nowhere=np.searchsorted(pool, nowhere),
        strategy=strategy, audit=audit, random_state=(seed + len(asked)) % 2**31,
    )  # fmt: skip
    return pool[found["row"]]


class _Part:
    """The memberships and masses of some rows of a fit."""

    def __init__(self, memberships: np.ndarray, model: Any, rows: np.ndarray) -> None:
        self.memberships_ = memberships
        self.n_clusters_ = memberships.shape[1]
        if hasattr(model, "masses_"):
            self.masses_, self.focal_sets_ = np.asarray(model.masses_)[rows], model.focal_sets_


def _scores(
    found: np.ndarray, answers: np.ndarray, codes: np.ndarray, asked: np.ndarray, held: np.ndarray
) -> tuple[float, float, float, float, int, int]:
    """Return accuracy and ARI, held and given; the number of classes seen; and questions about noise."""
    real = codes >= 0
    some = held[real[held]] if len(held) else np.flatnonzero(real)
    given = found.copy()
    given[asked] = answers[asked]
    given, true = given[real], codes[real]
    told = answers[asked]
    return (
        matched_accuracy(codes[some], found[some]),
        matched_accuracy(true, given),
        float(adjusted_rand_score(codes[some], found[some])),
        float(adjusted_rand_score(true, given)),
        len(np.unique(told[told >= 0])),
        int((codes[asked] < 0).sum()),
    )


def _pairs_asked(
    estimator: Any, X: np.ndarray, codes: np.ndarray, name: str, strategy: Any, budget: int, batch: int,
    held_out: float, label_noise: float, audit: float, form: tuple[Knowledge, list[Form]], repetition: int,
    seed: int,
) -> list[tuple[Any, ...]]:  # fmt: skip
    """One repetition with questions about pairs; rows of no class belong to no other row."""
    rng = np.random.default_rng(seed)
    n, c = len(X), codes.max() + 1
    held = rng.permutation(n)[: round(held_out * n)]
    pool, pairs, out = np.setdiff1d(np.arange(n), held), np.empty((0, 3), dtype=np.int64), []
    nothing = np.zeros(0, dtype=np.int64)
    while True:
        same = pairs[:, 2] == 1
        y = np.full((n, c), np.nan)
        known = Knowledge(y, pairs[same, :2], pairs[~same, :2], None, ())
        model = refit(estimator, X, known, seed, Memory())
        out.append(
            (name, repetition, len(pairs), *_scores(np.asarray(model.labels_), codes, codes, nothing, held))
        )
        n_more, again = min(batch, budget - len(pairs)), (seed + len(pairs)) % 2**31
        if n_more < 1:
            return out
        seen = _Part(np.asarray(model.memberships_)[pool], model, pool)
        told = np.searchsorted(pool, pairs[:, :2])
        found = ask_pairs(seen, X[pool], n_more, told=told, strategy=strategy, random_state=again)
        if not len(found):
            return out
        i, j = pool[found["row"]], pool[found["other"]]
        together = (codes[i] == codes[j]) & (codes[i] >= 0)
        together ^= rng.random(len(i)) < label_noise
        pairs = np.concatenate([pairs, np.column_stack([i, j, together])])
