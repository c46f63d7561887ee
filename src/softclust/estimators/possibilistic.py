"""Possibilistic c-means and its kin."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from softclust.compat.sklearn import StrOptions
from softclust.estimators.parameters import documented
from softclust.estimators.reading import Data
from softclust.estimators.sentence import Sentence, exponent_of
from softclust.estimators.typicality import TypicalityClusterer
from softclust.grammar.partitions import Possibilistic, PossibilisticEntropic
from softclust.loop.recipes import Outcome


@documented
@dataclass(eq=False, repr=False, kw_only=True)
class PossibilisticCMeans(TypicalityClusterer):
    """Possibilistic c-means: how typical is a row of a cluster?  Outliers are typical of none.

    Minimises J = sum_i w_i sum_k t_ik^m |x_i - v_k|^2 + sum_k gamma_k sum_i w_i (1 - t_ik)^m
    (Krishnapuram & Keller 1993; Antoine 2018), or with `penalty="entropy"` the second term
    sum_k gamma_k sum_i w_i (t ln t - t) (Ortiz).  With `separation=Repulsion()` it is RPCM.

    It starts at the centres of an FCM run, and its defaults (m by the number of directions, and the
    widest scales that keep clusters apart) help against clusters that fall together.

    Parameters
    ----------
    m : float or "auto", default="auto"
        Exponent of the typicalities and of the FCM run before; above 1.  Without effect on the
        typicalities where `penalty="entropy"`.  "auto": 1 + 2 / p_eff, at most 2, with p_eff the number
        of directions in which rows differ, found as `m_`.
    penalty : {"power", "entropy"}, default="power"
        What keeps the typicalities from 0.
    scale_factor : float, default=None
        K, which multiplies the scales that come from the FCM run: smaller means tighter clusters.
        None: found by scale="auto"; for scale=None 0.2 (entropy: 0.15), with merge_coincident 1.

    References
    ----------
    .. [1] Krishnapuram & Keller (1993), A possibilistic approach to clustering.
    .. [2] Krishnapuram & Keller (1996), The possibilistic c-means algorithm: insights and recommendations.
    .. [3] Timm, Borgelt, Doring & Kruse (2004), An extension to possibilistic fuzzy cluster analysis.
    .. [4] Antoine, Guerrero, Boone & Romero (2018), Possibilistic clustering with seeds.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from softclust import PossibilisticCMeans
    >>> model = PossibilisticCMeans(n_clusters=3, random_state=0).fit(load_iris().data)
    >>> model.typicalities_.shape
    (150, 3)
    """

    penalty: str = "power"

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **TypicalityClusterer._parameter_constraints,
        "penalty": [StrOptions({"power", "entropy"})],
    }

    def _sentence(self, data: Data) -> Sentence:
        m, entropy = exponent_of(self.m, data), self.penalty == "entropy"
        partition = PossibilisticEntropic() if entropy else Possibilistic(m)
        scaling = self._scaling(data, m, 0.15 if entropy else 0.2)
        return self._said(data, partition, scaling, merges=self.merge_coincident)

    def _publish_more(self, members: Any, outcome: Outcome) -> None:
        partition = outcome.model.partition
        if isinstance(partition, Possibilistic):
            self.m_ = float(partition.eta)
