"""Fuzzy c-means and its kin."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from numbers import Real
from typing import Any, ClassVar

from softclust.compat.sklearn import Interval, InvalidParameterError, StrOptions
from softclust.estimators.cmeans import EXPONENT, CMeans
from softclust.estimators.parameters import documented
from softclust.estimators.reading import Data
from softclust.estimators.sentence import LinkWords, Sentence, exponent_of, in_deviations
from softclust.grammar.partitions import Exponential, Fuzzy, Partition
from softclust.grammar.partitions.separable import Polynomial
from softclust.grammar.prototypes.base import LOG_DENSITIES
from softclust.loop.recipes import Outcome
from softclust.loop.scales import Scaling


@documented
@dataclass(eq=False, repr=False, kw_only=True)
class FuzzyCMeans(CMeans):
    """Fuzzy c-means: each row belongs to every cluster to a degree; the degrees sum to one.

    Minimises J = sum_i w_i sum_k u_ik^m |x_i - v_k|^2 with sum_k u_ik = 1 (Bezdek 1981; Xia 2011
    eq. (1)-(3)).  `density_rate` makes it SWFCM (Xia 2011), `noise_distance` Dave's noise clustering.

    Parameters
    ----------
    m : float or "auto", default="auto"
        Exponent of the fuzzy memberships, any number above 1: near 1 they are almost hard, large
        values share every row equally.  "auto": 1 + 2 / p_eff, at most 2, with p_eff the number of
        directions in which rows differ, found as `m_`.  Then the log-odds of memberships are those of
        Gaussians.  The usual 2 lets clusters fall together where there are many features.
    fuzzifier : {"power", "polynomial"}, default="power"
        "power": u^m, which leaves every cluster a share of every row.  "polynomial": g(u) of Klawonn &
        Hoeppner (2003) in its place, with which memberships can be exactly 0 and 1; `m` is then not used.
    crisp_ratio : float in [0, 1), default=0.5
        beta of the polynomial fuzzifier: a row belongs to its nearest cluster alone if the squared
        distance to it is at most this share of the squared distance to any other.  0 is m = 2, near 1 is
        k-means.
    link_strength : float, default=1.0
        What it costs to break a pair of `must_link` or `cannot_link`, in units of the data's mean squared
        deviation from its mean: J += s (1 - u_i'u_j) or s u_i'u_j (Grira, Crucianu & Boujemaa 2008).

    Attributes
    ----------
    m_ : float
        Exponent of the memberships (with the power fuzzifier).

    References
    ----------
    .. [1] Bezdek (1981), Pattern recognition with fuzzy objective function algorithms.
    .. [2] Pedrycz & Waletzky (1997), Fuzzy clustering with partial supervision.
    .. [3] Dave (1991), Characterization and detection of noise in clustering.
    .. [4] Xia, Han, Liu & Zhou (2011), A sample-weighted robust fuzzy c-means clustering algorithm.
    .. [5] Gustafson & Kessel (1979), Fuzzy clustering with a fuzzy covariance matrix.
    .. [6] Gath & Geva (1989), Unsupervised optimal fuzzy clustering.
    .. [7] Klawonn & Hoeppner (2003), What is fuzzy about fuzzy clustering? Understanding and improving the
       concept of the fuzzifier.
    .. [8] Grira, Crucianu & Boujemaa (2008), Active semi-supervised fuzzy clustering.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from softclust import FuzzyCMeans
    >>> model = FuzzyCMeans(n_clusters=3, random_state=0).fit(load_iris().data)
    >>> print(round(model.objective_, 2))
    60.51
    >>> model.memberships_.shape
    (150, 3)
    """

    m: float | str = "auto"
    fuzzifier: str = "power"
    crisp_ratio: float = 0.5
    link_strength: float = 1.0

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **CMeans._parameter_constraints,
        "m": EXPONENT,
        "fuzzifier": [StrOptions({"power", "polynomial"})],
        "crisp_ratio": [Interval(Real, 0, 1, closed="left")],
        "link_strength": [Interval(Real, 0, None, closed="left")],
    }

    def _sentence(self, data: Data) -> Sentence:
        measure = data.geometry.measure
        m = exponent_of(self.m, data)
        partition = self._partition(measure, m)
        links = LinkWords(partial(in_deviations, strength=self.link_strength, unit=measure))
        return self._said(data, partition, Scaling(m=m), links)

    def _partition(self, measure: str, m: float) -> Partition:
        if self.fuzzifier == "power":
            return Exponential(m=m) if measure == LOG_DENSITIES else Fuzzy(m)
        if measure == LOG_DENSITIES:
            raise InvalidParameterError(
                f"fuzzifier={self.fuzzifier!r} does not go with geometry={self.geometry!r}, whose "
                "distances are logarithms; fuzzifier='power' would fit."
            )
        return Polynomial(self.crisp_ratio)

    def _publish_more(self, members: Any, outcome: Outcome) -> None:
        partition = outcome.model.partition
        if isinstance(partition, Fuzzy | Exponential):
            self.m_ = float(partition.m)
