"""Stability: do other samples of the rows give the same clusters?"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from softclust.knowledge.pairs import check_pairs

_SHARE = 0.8  # of the rows, in each sample
MOST_ROWS = 5000  # that the samples are drawn from: enough to judge, and quick to fit


class Sample(NamedTuple):
    """The arguments of a fit to some of the rows."""

    rows: np.ndarray
    X: Any
    y: Any
    sample_weight: Any
    known: dict[str, Any]


def samples(
    X: Any, y: Any, sample_weight: Any, known: dict[str, Any], count: int, seed: int, *, square: bool
) -> list[Sample]:
    """Return samples of four fifths of the rows, drawn without replacement.

    Pairs stay if both of their rows are in the sample.  `square` means that X holds distances between rows.
    """
    rng, n = np.random.default_rng(seed), len(X)
    base = np.sort(rng.permutation(n)[:MOST_ROWS])
    size = max(1, round(_SHARE * len(base)))
    drawn = [np.sort(rng.choice(base, size, replace=False)) for _ in range(count)]
    pairs = check_pairs(known.get("must_link"), known.get("cannot_link"), n)
    return [
        Sample(
            rows,
            _part(X, rows)[:, rows] if square else _part(X, rows),
            None if y is None else _part(y, rows),
            None if sample_weight is None else np.asarray(sample_weight)[rows],
            {**known, **({} if pairs is None else _pairs_within(pairs, rows, n))},
        )
        for rows in drawn
    ]


def agreement(partitions: list[tuple[np.ndarray, np.ndarray] | None]) -> float:
    """Return the mean adjusted Rand index between any two partitions on their common rows.

    Parameters
    ----------
    partitions : list of (rows, labels), or None for a fit that was refused

    Returns
    -------
    float
        At most 1; NaN if fewer than two fits succeeded.
    """
    from sklearn.metrics import adjusted_rand_score

    values = [
        adjusted_rand_score(first[at_first], second[at_second])
        for first, at_first, second, at_second in _common(partitions)
    ]
    return float(np.mean(values)) if values else np.nan


def _common(
    partitions: list[tuple[np.ndarray, np.ndarray] | None],
) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]]:
    """Yield the labels of two partitions and the positions of their common rows, for any two."""
    for (rows, first), (others, second) in combinations([p for p in partitions if p is not None], 2):
        _, at_first, at_second = np.intersect1d(rows, others, assume_unique=True, return_indices=True)
        yield first, at_first, second, at_second


def _part(values: Any, rows: np.ndarray) -> Any:
    return values.iloc[rows] if hasattr(values, "iloc") else np.asarray(values)[rows]


def _pairs_within(pairs: Any, rows: np.ndarray, n: int) -> dict[str, Any]:
    """Return the pairs of which both rows are in the sample, by their places in the sample."""
    place = np.full(n, -1)
    place[rows] = np.arange(len(rows))
    ends = place[pairs.ends]
    inside = (ends >= 0).all(axis=1)
    listed = np.column_stack([ends, pairs.strength])
    return {
        "must_link": listed[inside & pairs.must] if (inside & pairs.must).any() else None,
        "cannot_link": listed[inside & ~pairs.must] if (inside & ~pairs.must).any() else None,
    }
