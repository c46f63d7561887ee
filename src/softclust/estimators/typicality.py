"""What the models with typicalities share: the scales gamma_k."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from typing import Any, ClassVar

import numpy as np

from softclust.compat.sklearn import Interval, StrOptions
from softclust.estimators.cmeans import EXPONENT, CMeans
from softclust.estimators.reading import Data
from softclust.estimators.sentence import area_units
from softclust.knowledge.numbers import as_floats
from softclust.loop.scales import Scaling, tighter_scale


@dataclass(eq=False, repr=False, kw_only=True)
class TypicalityClusterer(CMeans):
    """Base of the models with scales gamma_k and typicalities.

    Parameters
    ----------
    m : float or "auto", default="auto"
        Exponent of the fuzzy memberships, any number above 1: near 1 they are almost hard, large
        values share every row equally.  "auto": 1 + 2 / p_eff, at most 2, with p_eff the number of
        directions in which rows differ, found as `m_`: with the usual 2 clusters fall together where
        there are many features.
    scale : float, "auto", None or array-like of shape (n_clusters,), default="auto"
        gamma_k, the squared distance at which a row is half typical of cluster k; kept fixed.
        None: from an FCM run, gamma_k = K sum u^m d / sum u^m (Antoine 2018 eq. (2)).  "auto": the same
        with the widest K that keeps the clusters apart: K = 1, 1/2, 1/4, ... 1/64, the first with which
        every two centres end at least half as far apart as they start.
    scale_factor : float, default=None
        K, which multiplies the scales that come from the FCM run: smaller means tighter clusters.  None:
        found by scale="auto".
    scale_cut : float in (0, 1), default=None
        tau of Ortiz: take gamma_k as the mean squared distance of the rows with u > tau in the
        FCM run instead.
    merge_coincident : bool, default=False
        Melt centres that end in the same place.  PCM, which seeks modes, then tells in `n_clusters_`
        how many there are; models with memberships keep their centres apart.

    Attributes
    ----------
    m_ : float
        Exponent of the memberships.
    typicalities_ : ndarray of shape (n_samples, n_clusters_)
        How typical each row is of each cluster, in [0, 1], whatever its typicality of other clusters.
    outlier_limits_ : ndarray of shape (n_clusters_,)
        A row is an outlier if its typicality in each cluster is at or below the limit of that cluster.
    """

    m: float | str = "auto"
    scale: Any = "auto"
    scale_factor: float | None = None
    scale_cut: float | None = None
    merge_coincident: bool = False

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **CMeans._parameter_constraints,
        "m": EXPONENT,
        "scale": [None, Interval(Real, 0, None, closed="neither"), StrOptions({"auto"}), "array-like"],
        "scale_factor": [None, Interval(Real, 0, None, closed="neither")],
        "scale_cut": [None, Interval(Real, 0, 1, closed="neither")],
        "merge_coincident": ["boolean"],
    }

    def _scaling(
        self, data: Data, m: float, usual: float = 1.0, passes: int = 1, searches: bool = True
    ) -> Scaling:
        """Where the scales come from; `m` is also the exponent of the FCM run that finds them.

        `usual` is K if nothing is asked and nothing is searched for.  K is searched for by the gaps between
        centres, which tell nothing of shells and lines; modes are counted with K = 1.
        """
        is_open = isinstance(self.scale, str) and self.scale_factor is None and not self.merge_coincident
        if is_open and searches and not data.geometry.may_coincide:
            return Scaling(None, 1.0, self.scale_cut, m, tighten=tighter_scale)
        factor = self.scale_factor or (1.0 if self.merge_coincident else usual)
        value = None
        if self.scale is not None and not isinstance(self.scale, str):
            value = _checked_scale(self.scale, data.n_clusters)
            areas = area_units(data.geometry, data.source.rows.units)
            # A scale beyond the range of squared distances is as good as one at its edge.
            value = np.clip(areas.squares_to_loop(value), 1e-290, 1e290)
        return Scaling(value, factor, self.scale_cut, m, passes)

    @property
    def outlier_limits_(self) -> np.ndarray | None:
        """The typicality of each cluster at and below which a row is no member of it."""
        return self._fitted.limits

    def predict_typicality(self, X: Any) -> Any:
        """Predict how typical each row is of each cluster.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        typicalities : ndarray of shape (n_samples, n_clusters_)
            In [0, 1]; rows need not sum to 1.
        """
        return self._members(X).typicalities


def _checked_scale(scale: Any, c: int) -> np.ndarray:
    values = as_floats(scale, "scale")
    if values.ndim > 1 or values.size not in (1, c):
        raise ValueError(f"scale has shape {values.shape}; it is a number or one for each of {c} clusters.")
    values = np.broadcast_to(values, (c,))
    wrong = np.flatnonzero(~(np.isfinite(values) & (values > 0)))
    if len(wrong):
        raise ValueError(f"scale[{wrong[0]}] is {values[wrong[0]]:g}; scales are finite numbers > 0.")
    return values
