"""Possibilistic c-means and its kin."""

from __future__ import annotations

from sklearn.utils._param_validation import StrOptions

from softclust.estimators.parameters import document
from softclust.estimators.typicality import TypicalityClusterer
from softclust.grammar.partitions import Possibilistic, PossibilisticEntropic


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
