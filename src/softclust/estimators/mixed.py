"""Models with both memberships and typicalities: PFCM and IPCM."""

from __future__ import annotations

from dataclasses import replace
from numbers import Integral, Real

from sklearn.utils._param_validation import Interval, InvalidParameterError, Options, StrOptions

from softclust.estimators.parameters import document
from softclust.estimators.typicality import EXPONENT, TypicalityClusterer
from softclust.grammar.partitions import ImprovedPossibilistic, PossibilisticFuzzy
from softclust.loop.recipes import tighter_typicalities


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
    b : float or "auto", default=4.0
        Weight of the typicalities; 0 leaves FCM.  "auto": the first of 1, 2, 4, ... 64 with which every
        two centres end at least half as far apart as they start, found as `b_`.
    {m}
    eta : float, default=2.0
        Exponent of the typicalities, above 1.
    {scale}
    {common}

    Attributes
    ----------
    {attributes}
    {typicalities}
    b_ : float
        Weight of the typicalities.

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
        "b": [Interval(Real, 0, None, closed="left"), StrOptions({"auto"})],
        "eta": EXPONENT,
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
        metric_reg=0.01,
        separation=None,
        noise_distance=None,
        density_rate=None,
        density_from="rows",
        label_strength="auto",
        unlabelled="free",
        printed_centers=False,
        init="k-means++",
        n_init=3,
        max_iter=300,
        tol=1e-6,
        acceleration="lbfgs",
        growing_samples=True,
        outlier_threshold=None,
        random_state=None,
        n_jobs=None,
        verbose=0,
        checkpoint=None,
    ):
        super().__init__(
            n_clusters=n_clusters,
            geometry=geometry,
            metric_reg=metric_reg,
            separation=separation,
            noise_distance=noise_distance,
            density_rate=density_rate,
            density_from=density_from,
            label_strength=label_strength,
            unlabelled=unlabelled,
            printed_centers=printed_centers,
            init=init,
            n_init=n_init,
            max_iter=max_iter,
            tol=tol,
            acceleration=acceleration,
            growing_samples=growing_samples,
            outlier_threshold=outlier_threshold,
            random_state=random_state,
            n_jobs=n_jobs,
            verbose=verbose,
            checkpoint=checkpoint,
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
        b = 1.0 if isinstance(self.b, str) else self.b
        return PossibilisticFuzzy(self.a, b, self.m, self.eta)

    def _scaling(self, c, units):
        scaling = super()._scaling(c, units)
        if not isinstance(self.b, str):
            return scaling
        if scaling.tighten:
            raise InvalidParameterError(
                'scale="auto" and b="auto" search for the same thing, how wide typicalities may be: '
                "leave one of them at its default."
            )
        return replace(scaling, tighten=tighter_typicalities)

    def _publish_more(self, members, outcome):
        self.b_ = float(outcome.model.partition.b)


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
        "eta": EXPONENT,
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
        metric_reg=0.01,
        separation=None,
        noise_distance=None,
        density_rate=None,
        density_from="rows",
        label_strength="auto",
        unlabelled="free",
        printed_centers=False,
        init="k-means++",
        n_init=3,
        max_iter=300,
        tol=1e-6,
        acceleration="lbfgs",
        growing_samples=True,
        outlier_threshold=None,
        random_state=None,
        n_jobs=None,
        verbose=0,
        checkpoint=None,
    ):
        super().__init__(
            n_clusters=n_clusters,
            geometry=geometry,
            metric_reg=metric_reg,
            separation=separation,
            noise_distance=noise_distance,
            density_rate=density_rate,
            density_from=density_from,
            label_strength=label_strength,
            unlabelled=unlabelled,
            printed_centers=printed_centers,
            init=init,
            n_init=n_init,
            max_iter=max_iter,
            tol=tol,
            acceleration=acceleration,
            growing_samples=growing_samples,
            outlier_threshold=outlier_threshold,
            random_state=random_state,
            n_jobs=n_jobs,
            verbose=verbose,
            checkpoint=checkpoint,
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
