"""What a partition tells of each row."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class Members(NamedTuple):
    """Memberships (rows sum to 1), typicalities if any, label, and outlier score in [0, 1]."""

    memberships: np.ndarray
    typicalities: np.ndarray | None
    labels: np.ndarray
    scores: np.ndarray

    def with_known(self, place, U, T, labels, noise_share):
        """The same with the rows at `place` as the label penalty has them."""
        T_all = None if self.typicalities is None else self.typicalities.copy()
        out = Members(self.memberships.copy(), T_all, self.labels.copy(), self.scores.copy())
        total = U.sum(axis=1, keepdims=True)
        out.memberships[place] = np.where(
            total > 0, U / np.where(total > 0, total, 1.0), out.memberships[place]
        )
        out.labels[place] = labels
        if out.typicalities is not None:
            out.typicalities[place] = T
        if noise_share is not None:
            out.scores[place] = noise_share
        elif out.typicalities is not None:
            out.scores[place] = 1 - T.max(axis=1)
        return out


class CredalMembers(NamedTuple):
    """The same of a credal partition: pignistic memberships, and the masses behind them."""

    memberships: np.ndarray
    typicalities: np.ndarray
    labels: np.ndarray
    scores: np.ndarray
    masses: np.ndarray


def members_from_distances(U, D, scale, noise, noise_share):
    """Read-out of the models without typicalities.

    Score: the noise membership; without noise, 1 - the typicality 1/(1 + d/gamma) in the cluster that
    is nearest in units of its own scale.
    """
    with np.errstate(over="ignore"):
        scores = noise_share if noise else 1 - 1 / (1 + (D / scale).min(axis=1))
    return Members(U, None, D.argmin(axis=1), scores)


def members_from_typicalities(U, T, D, scale, noise, noise_share):
    """Read-out of the models with typicalities: the label is the most typical cluster.

    d/gamma orders the clusters as the typicalities do, and still does where all of them vanish.
    """
    scores = noise_share if noise else 1 - T.max(axis=1)
    return Members(U, T, (D / scale).argmin(axis=1), scores)
