"""k-means and its kin."""

from __future__ import annotations

from numbers import Real

import numpy as np
from sklearn.utils._param_validation import Interval

from softclust.estimators.base import SoftClusterer, deviation_strength
from softclust.estimators.parameters import document
from softclust.grammar.partitions import Hard


@document(acceleration="None")
class HardCMeans(SoftClusterer):
    """k-means: each row belongs to its nearest centre.

    Minimises J = sum_i w_i min_k |x_i - v_k|^2 (Ortiz, GCHAS); with `noise_distance` delta, rows
    farther than delta from every centre count delta^2 and pull no centre.  A cluster that loses its
    last row is moved to the worst served row.

    Parameters
    ----------
    {n_clusters}
    {common}
    link_strength : float, default=1.0
        What it costs to break a pair of `must_link` or `cannot_link`, in units of the data's mean squared
        deviation from its mean (PCK-means, Basu 2004).  inf: the pairs must hold (COP-k-means, Wagstaff
        2001); pairs that cannot all hold are a `ConstraintConflictError`.

    Attributes
    ----------
    {attributes}

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from softclust import HardCMeans
    >>> model = HardCMeans(n_clusters=3, random_state=0).fit(load_iris().data)
    >>> print(round(model.objective_, 2))
    78.85
    """

    _parameter_constraints = {
        **SoftClusterer._parameter_constraints,
        "link_strength": [Interval(Real, 0, None, closed="both")],
    }

    def __init__(
        self,
        n_clusters=3,
        *,
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
        n_init=5,
        max_iter=300,
        tol=1e-6,
        acceleration=None,
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

    def _partition(self):
        return Hard()

    def _link_strength(self, pairs, source, frame):
        return deviation_strength(self, pairs, source)

    def _is_bound(self, pairs):
        return np.isinf(pairs.strength) | (np.isinf(self.link_strength) & (pairs.strength > 0))
