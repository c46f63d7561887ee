"""What labels count for: a strength that a user gives, or one from the agreement of the labels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from softclust.knowledge.labels import Labels
from softclust.knowledge.numbers import as_floats

if TYPE_CHECKING:
    from softclust.sources.rows import Rows

STRONGEST = 1e10  # stands for an infinite strength: a row then differs from its label by 1e-10


_MOST_RELIABLE = 20.0  # greatest strength that `reliable_strength` chooses


_MOST_NEIGHBOURS = 2000  # most labelled rows that `reliable_strength` compares


def check_strength(strength: Any, labels: Labels, n: int) -> tuple[float, np.ndarray]:
    """Return the strength of the penalty and the (n,) confidence in each row.

    `strength` is a number, or one number for each row; in the second case the strength of the penalty is 1.
    """
    values = as_floats(strength, "label_strength")
    if values.ndim > 1 or (values.ndim == 1 and len(values) != n):
        raise ValueError(
            f"label_strength has shape {values.shape}; it is a number, 'auto', or one number for each of "
            f"the {n} rows of X."
        )
    each = np.minimum(np.broadcast_to(values, (n,)), STRONGEST)
    wrong = labels.rows[~(each[labels.rows] >= 0)]
    if len(wrong):
        place = f"[{wrong[0]}]" if values.ndim else ""
        raise ValueError(f"label_strength{place} is {each[wrong[0]]:g}; strengths are numbers >= 0.")
    return (1.0, each) if values.ndim else (float(each[0]), np.ones(n))


def reliable_strength(labels: Labels, rows: Rows) -> float:
    """Choose alpha = (A - D + 1)/(D + 1), from 0 to 20, by how much oftener labels agree than disagree.

    A counts the labels whose nearest labelled row in another place has the same class, D those whose
    nearest labelled row in another place has a different class.  Labels of one class in one place count
    as one, and labels of a class with only one place do not count (at most 2,000 labelled rows, evenly
    spaced).  A label wins its row against the data where alpha exceeds the data's own lead: always from 1
    on, hardly near 0.
    """
    degrees = np.nan_to_num(labels.degrees)
    named = np.flatnonzero(degrees.max(axis=1) > 0)
    named = named[:: max(1, -(-len(named) // _MOST_NEIGHBOURS))]
    place = labels.rows[named]
    weight = rows.weights[place]
    points, where = np.unique(rows.take(place).points.astype(np.float64), axis=0, return_inverse=True)
    mass = np.zeros((len(points), degrees.shape[1]))  # weight of each class in each place
    np.add.at(mass, (where.ravel(), degrees[named].argmax(axis=1)), weight)
    at, kind = np.nonzero(mass[:, (mass > 0).sum(axis=0) > 1])
    kind = np.flatnonzero((mass > 0).sum(axis=0) > 1)[kind]
    if len(at) == 0:
        return 1.0
    gaps = np.zeros((len(points), len(points)))
    for x in points.T:
        gaps += (x[:, None] - x) ** 2
    np.fill_diagonal(gaps, np.inf)
    near = mass[gaps.argmin(axis=1)[at]]
    agreement = np.average(near[np.arange(len(at)), kind] / near.sum(axis=1), weights=mass[at, kind])
    differ = len(at) * (1 - agreement)
    return float(np.clip((len(at) - 2 * differ + 1) / (differ + 1), 0.0, _MOST_RELIABLE))
