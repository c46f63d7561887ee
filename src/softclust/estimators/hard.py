"""k-means and its kin."""

from __future__ import annotations

from softclust.estimators.base import SoftClusterer
from softclust.estimators.parameters import document
from softclust.partitions import Hard


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

    def __init__(
        self,
        n_clusters=3,
        *,
        geometry="points",
        separation=None,
        noise_distance=None,
        density_rate=None,
        density_from="rows",
        label_strength="auto",
        unlabelled="free",
        printed_centers=False,
        init="k-means++",
        n_init=5,
        max_iter=300,
        tol=1e-6,
        acceleration=None,
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
            label_strength=label_strength,
            unlabelled=unlabelled,
            printed_centers=printed_centers,
            init=init,
            n_init=n_init,
            max_iter=max_iter,
            tol=tol,
            acceleration=acceleration,
            outlier_threshold=outlier_threshold,
            random_state=random_state,
            n_jobs=n_jobs,
        )

    def _partition(self):
        return Hard()
