"""Fuzzy c-means and its kin."""

from __future__ import annotations

from numbers import Real

from sklearn.utils._param_validation import Interval

from softclust.estimators.base import SoftClusterer, deviation_strength
from softclust.estimators.parameters import document
from softclust.grammar.partitions import Exponential, Fuzzy
from softclust.loop.recipes import Scaling


@document(n_init=3)
class FuzzyCMeans(SoftClusterer):
    """Fuzzy c-means: each row belongs to every cluster to a degree; the degrees sum to one.

    Minimises J = sum_i w_i sum_k u_ik^m |x_i - v_k|^2 with sum_k u_ik = 1 (Bezdek 1981; Xia 2011
    eq. (1)-(3)).  `density_rate` makes it SWFCM (Xia 2011), `noise_distance` Dave's noise clustering.

    Parameters
    ----------
    {n_clusters}
    {m}
    {common}
    link_strength : float, default=1.0
        What it costs to break a pair of `must_link` or `cannot_link`, in units of the data's mean squared
        deviation from its mean: J += s (1 - u_i'u_j) or s u_i'u_j (Grira, Crucianu & Boujemaa 2008).

    Attributes
    ----------
    {attributes}

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

    _parameter_constraints = {
        **SoftClusterer._parameter_constraints,
        "m": [Interval(Real, 1, None, closed="neither")],
        "link_strength": [Interval(Real, 0, None, closed="left")],
    }

    def __init__(
        self,
        n_clusters=3,
        *,
        m=2.0,
        geometry="points",
        metric_reg=0.01,
        separation=None,
        noise_distance=None,
        density_rate=None,
        density_from="rows",
        label_strength="auto",
        unlabelled="free",
        printed_centers=False,
        link_strength=1.0,
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
        self.link_strength = link_strength
        self.m = m

    def _partition(self):
        return Exponential(m=self.m) if self.geometry == "gath-geva" else Fuzzy(self.m)

    def _scaling(self, c, units):
        return Scaling(m=self.m)

    def _link_strength(self, pairs, source, frame):
        return deviation_strength(self, pairs, source)
