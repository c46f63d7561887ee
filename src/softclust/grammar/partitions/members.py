"""The read-out of a partition: memberships, typicalities, label and outlier score of each row."""

from __future__ import annotations

from typing import NamedTuple, cast

import numpy as np


class Members(NamedTuple):
    """The read-out of n rows over K columns."""

    memberships: np.ndarray  # (n, K), rows sum to 1
    typicalities: np.ndarray | None  # (n, K), None for partitions without typicalities
    labels: np.ndarray  # (n,)
    scores: np.ndarray  # (n,) outlier scores in [0, 1]

    def with_known(
        self,
        place: np.ndarray,
        U: np.ndarray,
        T: np.ndarray | None,
        labels: np.ndarray,
        noise_share: np.ndarray | None,
    ) -> Members:
        """Return a copy in which the rows at `place` are as the label penalty or the pairs have them.

        Parameters
        ----------
        place : ndarray of shape (q,)
            Positions of the labelled or linked rows.
        U : ndarray of shape (q, K)
            Their memberships; a row of zeros, which is all noise, keeps the shares it has.
        T : ndarray of shape (q, K) or None
            Their typicalities.
        labels : ndarray of shape (q,)
            Their labels.
        noise_share : ndarray of shape (q,) or None
            Their memberships of noise, which are their scores; None without noise.

        Returns
        -------
        Members
        """
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
            assert T is not None
            out.scores[place] = 1 - T.max(axis=1)
        return out


class CredalMembers(NamedTuple):
    """The read-out of a credal partition: pignistic memberships, and the masses behind them."""

    memberships: np.ndarray
    typicalities: np.ndarray
    labels: np.ndarray
    scores: np.ndarray
    masses: np.ndarray


def members_from_distances(
    U: np.ndarray, D: np.ndarray, scale: np.ndarray, noise: float, noise_share: np.ndarray
) -> Members:
    """Return the read-out of a partition without typicalities: the label is the likeliest cluster.

    The score is the noise membership.  Without noise it is 1 - the typicality 1/(1 + d/gamma) in the
    cluster that is nearest in units of its own scale.
    """
    with np.errstate(over="ignore"):
        scores = noise_share if noise else 1 - 1 / (1 + (D / scale).min(axis=1))
    return Members(U, None, U.argmax(axis=1), scores)


def members_from_typicalities(
    U: np.ndarray, T: np.ndarray, noise: float, noise_share: np.ndarray | None
) -> Members:
    """Return the read-out of a partition with typicalities: the label is the likeliest cluster.

    The score is the noise membership; without noise it is 1 - the greatest typicality.
    """
    scores = cast(np.ndarray, noise_share) if noise else 1 - T.max(axis=1)
    return Members(U, T, U.argmax(axis=1), scores)


def tail_scores(D: np.ndarray, tails: np.ndarray) -> np.ndarray:
    """Return outlier scores (n,): 1 - [sum_k pi_k (1 + d_k / s^2)^-e]^(1/e), and 0 if that is negative.

    The sum is the density, up to a factor, of a mixture of heavy-tailed clusters of one width s.  So a
    cluster of few rows, which outliers may have made, counts for little.  `tails` is (e, 1/s^2, ln pi_k
    ...).
    """
    e, rate = tails[:2]
    with np.errstate(over="ignore"):
        terms = tails[2:] - e * np.log1p(rate * D.astype(np.float64))
    most = terms.max(axis=1, keepdims=True)
    total = np.log(np.exp(terms - most).sum(axis=1)) + most[:, 0]
    return np.clip(-np.expm1(total / e), 0.0, 1.0)
