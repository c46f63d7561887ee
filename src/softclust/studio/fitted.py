"""A fit as the page sees it: winners, doubts, outliers, and what is typical of each cluster."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from softclust.active import Session
from softclust.active.doubts import margin
from softclust.active.events import kind_of
from softclust.active.forms import shares_of

NO_CLUSTER = 255  # as a winner


@dataclass(frozen=True, eq=False)
class Fitted:
    """The model of a session at a revision.

    Attributes
    ----------
    rev : int
        Number of events that the model knows.
    session : Session
        The session at that revision.
    model : fitted softclust estimator
        The model.
    ms : int
        Milliseconds that the fit took.
    problem : str or None
        Why there is no fit of this revision; the model is then that of an earlier one.
    telling : fitted softclust estimator or None
        The model that tells outliers, which label spreading does not.
    """

    rev: int
    session: Session
    model: Any
    ms: int = 0
    problem: str | None = None
    telling: Any = None

    @cached_property
    def shares(self) -> np.ndarray:
        """(n, K) the share of each row in each class or cluster without a name."""
        return shares_of(self.session, self.model)

    @cached_property
    def winner(self) -> np.ndarray:
        """(n,) uint8, the greatest share; 255 for a row that belongs nowhere."""
        shares = self.shares
        first, best = np.zeros(len(shares), np.uint8), shares[:, 0].copy()
        for k in range(1, shares.shape[1]):  # columns are long, rows are short
            better = shares[:, k] > best
            first[better] = k
            np.maximum(best, shares[:, k], out=best)
        first[~(best > 0)] = NO_CLUSTER
        return first

    @cached_property
    def shown(self) -> np.ndarray:
        """(n,) uint8, the class that the map shows: the expert's own, or else the winner."""
        shown, place = self.winner.copy(), {name: k for k, name in enumerate(self.session.classes)}
        for row, label in self.session.told.labels.items():
            if kind_of(label) == "hard":
                shown[row] = next(place[name] for name, degree in label if degree > 0)
        return shown

    @cached_property
    def doubt(self) -> np.ndarray:
        """(n,) uint8, 1 - (u1 - u2) times 255."""
        return (margin(np.asarray(self.shares, dtype=np.float64)) * 255 + 0.5).astype(np.uint8)

    @cached_property
    def outlier(self) -> np.ndarray:
        """(n,) whether the model that tells outliers holds a row for one."""
        mask = getattr(self.telling, "outlier_mask_", None)
        return np.zeros(len(self.shares), dtype=bool) if mask is None else np.asarray(mask, dtype=bool)

    def outlying(self, row: int) -> float:
        """Return how far a row is from every cluster, in [0, 1]."""
        scores = getattr(self.telling, "outlier_scores_", None)
        return 0.0 if scores is None else float(np.nan_to_num(scores[row]))

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names of the winners: classes that have labels, and numbers for the others."""
        named = dict(enumerate(self.session.classes))
        seen = {name for label in self.session.told.labels.values() for name, degree in label if degree > 0}
        return tuple(
            named[k] if named.get(k) in seen else self._number(k) for k in range(self.shares.shape[1])
        )

    def _number(self, k: int) -> str:
        """Return "cluster 2", unless a class is called so."""
        name = f"cluster {k + 1}"
        while name in self.session.classes:
            name += " (no name)"
        return name

    @cached_property
    def counts(self) -> np.ndarray:
        """(K,) the number of rows that each class or cluster wins."""
        return np.bincount(self.winner, minlength=NO_CLUSTER + 1)[: self.shares.shape[1]]

    @cached_property
    def typical(self) -> tuple[np.ndarray, np.ndarray]:
        """(K, p) means, and standard deviations, of each class or cluster; in units of `session.X`."""
        X, shares = self.session.X, np.nan_to_num(self.shares)
        centre, weight = X.mean(axis=0), np.maximum(shares.sum(axis=0), 1e-300)[:, None]
        Z = X - centre
        means = shares.T @ Z / weight
        variances = shares.T @ (Z * Z) / weight - means * means
        return means + centre, np.sqrt(np.maximum(variances, 0.0))
