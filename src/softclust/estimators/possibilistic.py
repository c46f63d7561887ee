"""Possibilistic c-means and its kin: models with typicalities."""

from __future__ import annotations

from numbers import Integral, Real

import numpy as np
from sklearn.utils._param_validation import Interval, Options, StrOptions

from softclust.estimators.base import SoftClusterer
from softclust.estimators.parameters import document
from softclust.partitions import (
    ImprovedPossibilistic,
    Possibilistic,
    PossibilisticEntropic,
    PossibilisticFuzzy,
)
from softclust.recipes import Scaling

_EXPONENT = [Interval(Real, 1, None, closed="neither")]


class TypicalityClusterer(SoftClusterer):
    """Base of the models with scales gamma_k and typicalities."""

    _parameter_constraints = {
        **SoftClusterer._parameter_constraints,
        "m": _EXPONENT,
        "scale": [None, Interval(Real, 0, None, closed="neither"), "array-like"],
        "scale_factor": [None, Interval(Real, 0, None, closed="neither")],
        "scale_cut": [None, Interval(Real, 0, 1, closed="neither")],
        "merge_coincident": ["boolean"],
    }

    _passes = 1

    def _scaling(self, c, units):
        value = None
        if self.scale is not None:
            value = _checked_scale(self.scale, c)
            # A scale beyond the range of squared distances is as good as one at its edge.
            value = np.clip(units.enter_square(value), 1e-290, 1e290)
        return Scaling(value, self._scale_factor(), self.scale_cut, self._fuzzy_exponent(), self._passes)

    def _scale_factor(self):
        return self.scale_factor

    def _fuzzy_exponent(self):
        """m of the FCM run from which the scales come."""
        return self.m

    def _merges(self):
        return self.merge_coincident

    def predict_typicality(self, X):
        """Typicality of each row in each cluster, in [0, 1]."""
        return self._assign(self._source(X)).typicalities


def _checked_scale(scale, c):
    values = np.asarray(scale, dtype=np.float64)
    if values.ndim > 1 or values.size not in (1, c):
        raise ValueError(f"scale has shape {values.shape}; it is a number or one for each of {c} clusters.")
    values = np.broadcast_to(values, (c,))
    wrong = np.flatnonzero(~(np.isfinite(values) & (values > 0)))
    if len(wrong):
        raise ValueError(f"scale[{wrong[0]}] is {values[wrong[0]]:g}; scales are finite numbers > 0.")
    return values


@document(n_init=3, factor="0.2 (entropy: 0.15, merge_coincident: 1)")
class PossibilisticCMeans(TypicalityClusterer):
    """Possibilistic c-means: how typical is a row of a cluster?  Outliers are typical of none.

    Minimises J = sum_i w_i sum_k t_ik^m |x_i - v_k|^2 + sum_k gamma_k sum_i w_i (1 - t_ik)^m
    (Krishnapuram & Keller 1993; Antoine 2018), or with `penalty="entropy"` the second term
    sum_k gamma_k sum_i w_i (t ln t - t) (Ortiz).  With `separation=Repulsion()` it is RPCM.

    It starts at the centres of an FCM run, and its defaults (m = 1.5 and tight scales) keep clusters
    apart that the usual m = 2, K = 1 lets fall together.

    Parameters
    ----------
    {n_clusters}
    m : float, default=1.5
        Exponent of the typicalities and of the FCM run before; above 1.  Without effect on the
        typicalities where `penalty="entropy"`.
    penalty : {"power", "entropy"}, default="power"
        What keeps the typicalities from 0.
    {scale}
    {common}

    Attributes
    ----------
    {attributes}
    {typicalities}

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from softclust import PossibilisticCMeans
    >>> model = PossibilisticCMeans(n_clusters=3, random_state=0).fit(load_iris().data)
    >>> model.typicalities_.shape
    (150, 3)
    """

    _parameter_constraints = {
        **TypicalityClusterer._parameter_constraints,
        "penalty": [StrOptions({"power", "entropy"})],
    }

    def __init__(
        self,
        n_clusters=3,
        *,
        m=1.5,
        penalty="power",
        scale=None,
        scale_factor=None,
        scale_cut=None,
        merge_coincident=False,
        geometry="points",
        separation=None,
        noise_distance=None,
        density_rate=None,
        density_from="rows",
        init="k-means++",
        n_init=3,
        max_iter=300,
        tol=1e-6,
        acceleration="anderson",
        outlier_threshold=None,
        random_state=None,
        n_jobs=None,
    ):
        super().__init__(
            n_clusters=n_clusters,
            geometry=geometry,
            separation=separation,
            noise_distance=noise_distance,
            density_rate=density_rate,
            density_from=density_from,
            init=init,
            n_init=n_init,
            max_iter=max_iter,
            tol=tol,
            acceleration=acceleration,
            outlier_threshold=outlier_threshold,
            random_state=random_state,
            n_jobs=n_jobs,
        )
        self.m = m
        self.penalty = penalty
        self.scale = scale
        self.scale_factor = scale_factor
        self.scale_cut = scale_cut
        self.merge_coincident = merge_coincident

    def _partition(self):
        return PossibilisticEntropic() if self.penalty == "entropy" else Possibilistic(self.m)

    def _scale_factor(self):
        if self.scale_factor is not None:
            return self.scale_factor
        if self.merge_coincident:
            return 1.0  # to count modes, clusters must be able to fall together
        return 0.15 if self.penalty == "entropy" else 0.2


@document(n_init=3, factor=1.0)
class PossibilisticFuzzyCMeans(TypicalityClusterer):
    """Possibilistic fuzzy c-means: memberships and typicalities at once.

    Minimises J = sum_i w_i sum_k (a u_ik^m + b t_ik^eta) |x_i - v_k|^2
    + sum_k gamma_k sum_i w_i (1 - t_ik)^eta with sum_k u_ik = 1 (Pal 2005; Antoine 2018 eq. (5)-(10)).

    Parameters
    ----------
    {n_clusters}
    a : float, default=1.0
        Weight of the memberships; 0 leaves PCM.
    b : float, default=4.0
        Weight of the typicalities; 0 leaves FCM.
    {m}
    eta : float, default=2.0
        Exponent of the typicalities, above 1.
    {scale}
    {common}

    Attributes
    ----------
    {attributes}
    {typicalities}

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from softclust import PossibilisticFuzzyCMeans
    >>> model = PossibilisticFuzzyCMeans(n_clusters=3, random_state=0).fit(load_iris().data)
    >>> model.memberships_.shape, model.typicalities_.shape
    ((150, 3), (150, 3))
    """

    _parameter_constraints = {
        **TypicalityClusterer._parameter_constraints,
        "a": [Interval(Real, 0, None, closed="left")],
        "b": [Interval(Real, 0, None, closed="left")],
        "eta": _EXPONENT,
        "scale_factor": [Interval(Real, 0, None, closed="neither")],
    }

    def __init__(
        self,
        n_clusters=3,
        *,
        a=1.0,
        b=4.0,
        m=2.0,
        eta=2.0,
        scale=None,
        scale_factor=1.0,
        scale_cut=None,
        merge_coincident=False,
        geometry="points",
        separation=None,
        noise_distance=None,
        density_rate=None,
        density_from="rows",
        init="k-means++",
        n_init=3,
        max_iter=300,
        tol=1e-6,
        acceleration="anderson",
        outlier_threshold=None,
        random_state=None,
        n_jobs=None,
    ):
        super().__init__(
            n_clusters=n_clusters,
            geometry=geometry,
            separation=separation,
            noise_distance=noise_distance,
            density_rate=density_rate,
            density_from=density_from,
            init=init,
            n_init=n_init,
            max_iter=max_iter,
            tol=tol,
            acceleration=acceleration,
            outlier_threshold=outlier_threshold,
            random_state=random_state,
            n_jobs=n_jobs,
        )
        self.a = a
        self.b = b
        self.m = m
        self.eta = eta
        self.scale = scale
        self.scale_factor = scale_factor
        self.scale_cut = scale_cut
        self.merge_coincident = merge_coincident

    def _partition(self):
        return PossibilisticFuzzy(self.a, self.b, self.m, self.eta)


@document(n_init=3, factor=0.3)
class ImprovedPossibilisticCMeans(TypicalityClusterer):
    """Improved possibilistic c-means (Zhang & Leung 2004; Xia 2011): memberships times typicalities.

    Variant 1 minimises J = sum_i w_i sum_k u_ik^m t_ik^eta d_ik + sum_k gamma_k sum_i w_i u_ik^m
    (1 - t_ik)^eta; variant 2 has u^m t d + gamma_k u^m (t ln t - t + 1).  Where `scale` is None the
    scales come from an FCM run, and once more from the first fit (gamma_k = sum u^m t^eta d /
    sum u^m t^eta), after which the fit goes on from where it was.  Labels come from the typicalities.

    Parameters
    ----------
    {n_clusters}
    variant : {1, 2}, default=2
        1: power penalty, 2: entropy penalty.
    {m}
    eta : float, default=2.0
        Exponent of the typicalities in variant 1, above 1.
    {scale}
    {common}

    Attributes
    ----------
    {attributes}
    {typicalities}

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from softclust import ImprovedPossibilisticCMeans
    >>> model = ImprovedPossibilisticCMeans(n_clusters=3, random_state=0).fit(load_iris().data)
    >>> model.cluster_centers_.shape
    (3, 4)
    """

    _parameter_constraints = {
        **TypicalityClusterer._parameter_constraints,
        "variant": [Options(Integral, {1, 2})],
        "eta": _EXPONENT,
        "scale_factor": [Interval(Real, 0, None, closed="neither")],
    }
    _passes = 2

    def __init__(
        self,
        n_clusters=3,
        *,
        variant=2,
        m=2.0,
        eta=2.0,
        scale=None,
        scale_factor=0.3,
        scale_cut=None,
        merge_coincident=False,
        geometry="points",
        separation=None,
        noise_distance=None,
        density_rate=None,
        density_from="rows",
        init="k-means++",
        n_init=3,
        max_iter=300,
        tol=1e-6,
        acceleration="anderson",
        outlier_threshold=None,
        random_state=None,
        n_jobs=None,
    ):
        super().__init__(
            n_clusters=n_clusters,
            geometry=geometry,
            separation=separation,
            noise_distance=noise_distance,
            density_rate=density_rate,
            density_from=density_from,
            init=init,
            n_init=n_init,
            max_iter=max_iter,
            tol=tol,
            acceleration=acceleration,
            outlier_threshold=outlier_threshold,
            random_state=random_state,
            n_jobs=n_jobs,
        )
        self.variant = variant
        self.m = m
        self.eta = eta
        self.scale = scale
        self.scale_factor = scale_factor
        self.scale_cut = scale_cut
        self.merge_coincident = merge_coincident

    def _partition(self):
        return ImprovedPossibilistic(self.m, self.eta, entropy=self.variant == 2)
