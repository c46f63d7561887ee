"""Hard c-means: k-means."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from numbers import Real
from typing import Any, ClassVar

import numpy as np

from softclust.compat.sklearn import Interval
from softclust.estimators.cmeans import CMeans
from softclust.estimators.parameters import documented
from softclust.estimators.reading import Data
from softclust.estimators.sentence import LinkWords, Sentence, in_deviations
from softclust.grammar.partitions import Hard
from softclust.knowledge.pairs import NamedPairs


@documented
@dataclass(eq=False, repr=False, kw_only=True)
class HardCMeans(CMeans):
    """k-means: each row belongs to its nearest centre.

    Minimises J = sum_i w_i min_k |x_i - v_k|^2 (Ortiz, GCHAS); with `noise_distance` delta, rows
    farther than delta from every centre count delta^2 and pull no centre.  A cluster that loses its
    last row is moved to the worst served row.

    Parameters
    ----------
    link_strength : float, default=1.0
        What it costs to break a pair of `must_link` or `cannot_link`, in units of the data's mean squared
        deviation from its mean (PCK-means, Basu 2004).  inf: the pairs must hold (COP-k-means, Wagstaff
        2001); pairs that cannot all hold are a `ConstraintConflictError`.

    References
    ----------
    .. [1] MacQueen (1967), Some methods for classification and analysis of multivariate observations.
    .. [2] Basu, Banerjee & Mooney (2002), Semi-supervised clustering by seeding.
    .. [3] Basu, Banerjee & Mooney (2004), Active semi-supervision for pairwise constrained clustering.
    .. [4] Wagstaff, Cardie, Rogers & Schroedl (2001), Constrained k-means clustering with background
       knowledge.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from softclust import HardCMeans
    >>> model = HardCMeans(n_clusters=3, random_state=0).fit(load_iris().data)
    >>> print(round(model.objective_, 2))
    78.85
    """

    link_strength: float = 1.0
    n_init: int = 5
    acceleration: str | None = None

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **CMeans._parameter_constraints,
        "link_strength": [Interval(Real, 0, None, closed="both")],
    }

    def _sentence(self, data: Data) -> Sentence:
        costs = partial(in_deviations, strength=self.link_strength, unit=data.geometry.measure)
        return self._said(data, Hard(), links=LinkWords(costs, self._must_hold))

    def _must_hold(self, pairs: NamedPairs) -> np.ndarray:
        return np.isinf(pairs.strength) | (np.isinf(self.link_strength) & (pairs.strength > 0))
