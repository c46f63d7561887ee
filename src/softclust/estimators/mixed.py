"""Models with both memberships and typicalities: PFCM and IPCM."""

from __future__ import annotations

from dataclasses import dataclass, replace
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np

from softclust.compat.sklearn import Interval, InvalidParameterError, Options, StrOptions
from softclust.estimators.cmeans import EXPONENT
from softclust.estimators.parameters import documented
from softclust.estimators.reading import Data
from softclust.estimators.sentence import Sentence, exponent_of
from softclust.estimators.typicality import TypicalityClusterer
from softclust.grammar.partitions import ImprovedPossibilistic, PossibilisticFuzzy
from softclust.loop.recipes import Outcome
from softclust.loop.scales import tighter_typicalities

_MOST_WEIGHT = {np.dtype("f4"): 1e30, np.dtype("f8"): 1e290}  # a sum over all rows still has a float


@documented
@dataclass(eq=False, repr=False, kw_only=True)
class PossibilisticFuzzyCMeans(TypicalityClusterer):
    """Possibilistic fuzzy c-means: memberships and typicalities at once.

    Minimises J = sum_i w_i sum_k (a u_ik^m + b t_ik^eta) |x_i - v_k|^2
    + sum_k gamma_k sum_i w_i (1 - t_ik)^eta with sum_k u_ik = 1 (Pal 2005; Antoine 2018 eq. (5)-(10)).
    Labels act on t: of a labelled row `labels_` is the cluster of the greatest typicality, and
    `memberships_` are as without the label.

    Parameters
    ----------
    a : float, default=1.0
        Weight of the memberships; 0 leaves PCM.
    b : float or "auto", default=1.0
        Weight of the typicalities; 0 leaves FCM.  "auto": the first of 1, 2, 4, ... 64 with which every
        two centres end at least half as far apart as they start, found as `b_`; scale="auto", which
        searches for the same thing, then leaves the scales as they are.
    eta : float or "auto", default="auto"
        Exponent of the typicalities, above 1.  "auto": that of `m`, found as `eta_`.

    Attributes
    ----------
    eta_ : float
        Exponent of the typicalities.
    b_ : float
        Weight of the typicalities.

    References
    ----------
    .. [1] Pal, Pal, Keller & Bezdek (2005), A possibilistic fuzzy c-means clustering algorithm.
    .. [2] Antoine, Guerrero, Boone & Romero (2018), Possibilistic clustering with seeds.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from softclust import PossibilisticFuzzyCMeans
    >>> model = PossibilisticFuzzyCMeans(n_clusters=3, random_state=0).fit(load_iris().data)
    >>> model.memberships_.shape, model.typicalities_.shape
    ((150, 3), (150, 3))
    """

    a: float = 1.0
    b: float | str = 1.0
    eta: float | str = "auto"

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **TypicalityClusterer._parameter_constraints,
        "a": [Interval(Real, 0, None, closed="left")],
        "b": [Interval(Real, 0, None, closed="left"), StrOptions({"auto"})],
        "eta": EXPONENT,
    }

    def _sentence(self, data: Data) -> Sentence:
        m, b = exponent_of(self.m, data), self.b
        scaling = self._scaling(data, m, searches=not isinstance(b, str))
        if isinstance(b, str):
            scaling, b = replace(scaling, tighten=tighter_typicalities), 1.0
        _check_weights(self.a, b, data.source.rows.X.dtype)
        partition = PossibilisticFuzzy(self.a, b, m, exponent_of(self.eta, data))
        return self._said(data, partition, scaling, merges=self.merge_coincident)

    def _publish_more(self, members: Any, outcome: Outcome) -> None:
        partition = outcome.model.partition
        assert isinstance(partition, PossibilisticFuzzy)
        self.m_, self.eta_, self.b_ = float(partition.m), float(partition.eta), float(partition.b)


def _check_weights(a: float, b: float, dtype: Any) -> None:
    """Refuse weights with which J has no float."""
    most = _MOST_WEIGHT[dtype]
    for name, value in (("a", a), ("b", b)):
        if value > most:
            raise InvalidParameterError(
                f"{name}={value:g} multiplies distances beyond every {dtype}; {most:g} or less would fit."
            )


@documented
@dataclass(eq=False, repr=False, kw_only=True)
class ImprovedPossibilisticCMeans(TypicalityClusterer):
    """Improved possibilistic c-means (Zhang & Leung 2004; Xia 2011): memberships times typicalities.

    Variant 1 minimises J = sum_i w_i sum_k u_ik^m t_ik^eta d_ik + sum_k gamma_k sum_i w_i u_ik^m
    (1 - t_ik)^eta; variant 2 has u^m t d + gamma_k u^m (t ln t - t + 1).  Where `scale` is None, or
    `scale_factor` is given, the scales come from an FCM run, and once more from the first fit (gamma_k =
    sum u^m t^eta d / sum u^m t^eta), after which the fit goes on from where it was.  `memberships_` are
    u t, divided by their row sum: u alone says nothing of rows far from all clusters.  Labels act on u: of
    a labelled row they are (u t + alpha u)/(1 + alpha).

    Parameters
    ----------
    variant : {1, 2}, default=2
        1: power penalty, 2: entropy penalty.
    eta : float or "auto", default="auto"
        Exponent of the typicalities in variant 1, above 1.  "auto": that of `m`, found as `eta_`.
    scale_factor : float, default=None
        K, which multiplies the scales that come from the FCM run: smaller means tighter clusters.  None:
        found by scale="auto"; 0.3 for scale=None.

    Attributes
    ----------
    eta_ : float
        Exponent of the typicalities.

    References
    ----------
    .. [1] Zhang & Leung (2004), Improved possibilistic c-means clustering algorithms.
    .. [2] Xia, Han, Liu & Zhou (2011), A sample-weighted robust fuzzy c-means clustering algorithm.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from softclust import ImprovedPossibilisticCMeans
    >>> model = ImprovedPossibilisticCMeans(n_clusters=3, random_state=0).fit(load_iris().data)
    >>> model.cluster_centers_.shape
    (3, 4)
    """

    variant: int = 2
    eta: float | str = "auto"

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **TypicalityClusterer._parameter_constraints,
        "variant": [Options(Integral, {1, 2})],
        "eta": EXPONENT,
    }

    def _sentence(self, data: Data) -> Sentence:
        m, eta = exponent_of(self.m, data), exponent_of(self.eta, data)
        partition = ImprovedPossibilistic(m, eta, entropy=self.variant == 2)
        scaling = self._scaling(data, m, 0.3, passes=2)
        return self._said(data, partition, scaling, merges=self.merge_coincident)

    def _publish_more(self, members: Any, outcome: Outcome) -> None:
        partition = outcome.model.partition
        assert isinstance(partition, ImprovedPossibilistic)
        self.m_, self.eta_ = float(partition.m), float(partition.eta)
