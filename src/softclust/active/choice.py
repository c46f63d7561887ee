"""Which form of a model foresees the told labels best: one cluster a class, several, or label spreading."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from softclust.active.refits import Knowledge, Memory, class_shares, refit

SEVERAL = 3  # clusters of a class, where "auto" takes more than one
ENOUGH = 10  # labels from which a form is chosen
AGAIN = 5  # labels after which it is chosen anew
_FOLDS = 5
_MOST_ROWS = 1000  # without a label, by which forms are compared


class Form(NamedTuple):
    """The number of clusters of a class, and whether labels spread along the rows instead."""

    per_class: int = 1
    spreads: bool = False

    def model_of(self, estimator: Any) -> Any:
        """Return the estimator, or label spreading in its place."""
        if not self.spreads:
            return estimator
        from softclust.estimators.spreading import FuzzyLabelSpreading

        given = estimator.get_params()
        return FuzzyLabelSpreading(random_state=given.get("random_state"), n_jobs=given.get("n_jobs"))


def forms_of(clusters_per_class: int | str, spreading: bool | str) -> list[Form]:
    """Return the forms to choose from; the first is that of a session with few labels."""
    counts = (1, SEVERAL) if isinstance(clusters_per_class, str) else (clusters_per_class,)
    return [*map(Form, counts), *([Form(1, True)] if spreading else [])]


def chosen(forms: Sequence[Form], estimator: Any, X: np.ndarray, told: Knowledge, seed: int) -> Form:
    """Return the form that foresees the labels best, each time with a fifth of them left out.

    With fewer than ten labels it is the first form.
    Of numbers of clusters the one wins that gives the told classes the greatest mean share.  Label
    spreading wins if it foresees at least as many of the labels.  `told` has one column for each class, and
    labels of one class.
    """
    if len(told.seen) < 2:  # labels of one class do not spread
        forms = [form for form in forms if not form.spreads]
    if len(forms) == 1 or len(told.rows) < ENOUGH:
        return forms[0]
    found = foreseen(forms, estimator, X, told, seed)
    best = max((form for form in forms if not form.spreads), key=lambda form: found[form][0])
    spreading = next((form for form in forms if form.spreads), best)
    return spreading if found[spreading][1] >= found[best][1] else best


def foreseen(
    forms: Sequence[Form], estimator: Any, X: np.ndarray, told: Knowledge, seed: int
) -> dict[Form, tuple[float, float]]:
    """Return how well each form foresees labels, each time with a fifth of them left out.

    These are the mean share of the told class in rows whose label was left out, and how often that share is
    the greatest.
    """
    rows = _some(X, told.rows, seed)
    small = replace(told, y=told.y[rows], must_link=told.must_link[:0], cannot_link=told.cannot_link[:0])
    return {form: _foreseen(form, estimator, X[rows], small, seed) for form in forms}


def _some(X: np.ndarray, labelled: np.ndarray, seed: int) -> np.ndarray:
    """Return the positions of the labelled rows and of at most 1,000 others, rising."""
    if len(X) <= _MOST_ROWS:
        return np.arange(len(X))
    return np.union1d(labelled, np.random.default_rng(seed).choice(len(X), _MOST_ROWS, replace=False))


def _foreseen(form: Form, estimator: Any, X: np.ndarray, told: Knowledge, seed: int) -> tuple[float, float]:
    """Return the mean share of the told class in rows that were left out, and how often it is greatest."""
    model, shares, hits = form.model_of(estimator), [], []
    for fold in range(_FOLDS):
        left_out = told.rows[fold::_FOLDS]
        y = told.y.copy()
        y[left_out] = np.nan
        known = replace(told, y=np.repeat(y, form.per_class, axis=1), per_class=form.per_class)
        fitted = refit(model, X, known, seed, Memory())
        of_class = class_shares(np.asarray(fitted.memberships_)[left_out], form.per_class)
        shares.append((of_class * told.y[left_out]).sum(axis=1))
        hits.append(of_class.argmax(axis=1) == told.y[left_out].argmax(axis=1))
    return float(np.concatenate(shares).mean()), float(np.concatenate(hits).mean())
