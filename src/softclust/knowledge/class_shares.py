"""Labels as shares of classes: each labelled row has shares that sum to one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from softclust.knowledge.labels import Labels


@dataclass(frozen=True)
class ClassShares:
    """The shares that labels fix, and the classes among which they leave the rest open.

    A label such as "A or B" fixes nothing and leaves a rest of 1 between A and B.  A class of which nothing
    is said (NaN) is open too.
    """

    fixed: np.ndarray  # (q, c)
    open: np.ndarray  # (q, c) True where a class may have a part of the rest
    rest: np.ndarray  # (q,)

    def divided(self, guess: np.ndarray | None = None) -> np.ndarray:
        """(q, c) shares, with the rest divided in proportion to `guess` >= 0, or equally without it."""
        part = self.open.astype(np.float64)
        if guess is not None:
            guessed = part * guess
            part = np.where(guessed.sum(axis=1, keepdims=True) > 0, guessed, part)
        total = part.sum(axis=1, keepdims=True)
        return self.fixed + self.rest[:, None] * part / np.where(total > 0, total, 1.0)


def class_shares(labels: Labels) -> tuple[Labels, ClassShares]:
    """Return the labels that say something, and their shares.

    Degrees with a sum above 1, or with no open class, are divided by their sum.  A row whose degrees are
    all 0 says nothing.
    """
    c = labels.degrees.shape[1]
    target = labels.known(c, np.ones(labels.rows.max(initial=-1) + 1)).target
    says = np.isnan(target).any(axis=1) | (np.nan_to_num(target).sum(axis=1) > 0)
    labels, target = Labels(labels.rows[says], labels.degrees[says], labels.classes), target[says]
    unsaid, fixed = np.isnan(target), np.nan_to_num(target)
    total = fixed.sum(axis=1)
    whole = (total > 1) | ~unsaid.any(axis=1)
    fixed[whole] /= total[whole, None]
    return labels, ClassShares(fixed, unsaid, np.where(whole, 0.0, 1.0 - total))
