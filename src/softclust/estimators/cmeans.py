"""What the c-means families share: geometry, separation, noise, density, and labels as degrees."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from numbers import Real
from typing import Any, ClassVar

import numpy as np

from softclust.compat.sklearn import HasMethods, Interval, StrOptions
from softclust.estimators.base import SoftClusterer
from softclust.estimators.reading import Data
from softclust.estimators.readout import Fitted, typicality_limits
from softclust.estimators.sentence import (
    Density,
    LinkWords,
    Sentence,
    area_units,
    degree_term,
    likelihood_term,
    noise_for,
    prototypes_for,
)
from softclust.estimators.starts import BEGINNINGS, given_theta, start_of
from softclust.grammar.frame import Frame
from softclust.grammar.partitions import Partition
from softclust.grammar.prototypes import GEOMETRIES
from softclust.grammar.prototypes.base import AT_CIRCLES, SQUARED_LENGTHS
from softclust.grammar.separation import CentralDistance, Repulsion
from softclust.loop.recipes import Start
from softclust.loop.scales import Scaling

GEOMETRY = [StrOptions(set(GEOMETRIES)), HasMethods(["distances", "moments", "solve"])]
EXPONENT = [Interval(Real, 1, None, closed="neither"), StrOptions({"auto"})]
SHAPED = {
    "geometry": GEOMETRY,
    "metric_reg": [Interval(Real, 0, None, closed="left")],
    "separation": [None, Repulsion, CentralDistance],
    "noise_distance": [None, Interval(Real, 0, None, closed="neither")],
    "density_rate": [None, Interval(Real, 0, None, closed="neither"), StrOptions({"auto"})],
    "density_from": [StrOptions({"rows", "centers"})],
}


def density_of(estimator: Any) -> Density | None:
    """The words about density that an estimator's parameters say."""
    if estimator.density_rate is None:
        return None
    return Density(estimator.density_rate, estimator.density_from == "centers")


def shaped_start(estimator: Any, source: Any, data: Data, sentence: Sentence, rng: Any) -> Start:
    """Where a model of any geometry starts."""
    geometry, word = data.geometry, estimator._geometry
    return start_of(
        estimator,
        source,
        data.labels,
        data.n_clusters,
        rng,
        sentence.reach,
        BEGINNINGS[geometry.starts],
        partial(given_theta, geometry=geometry, word=word),
        draws_once=geometry.starts == AT_CIRCLES,  # circles compete among themselves
    )


@dataclass(eq=False, repr=False, kw_only=True)
class CMeans(SoftClusterer):
    """Base of the hard, fuzzy and possibilistic families.

    Parameters
    ----------
    geometry : str or an object of your own, default="points"
        Shape of the prototypes.  "points"; "ellipsoids": each cluster has a metric of its own, of one
        volume (Gustafson & Kessel 1979); "mahalanobis": one metric for all, from the covariance of X or
        the matrix of init=(centres, covariance); "mahalanobis-refit": a covariance for each cluster
        with its volume, as Ortiz prints, with which J is constant and clusters turn singular;
        "shells": ellipses or circles on whose line the rows lie (AFCS, distances without a unit);
        "radial-shells": the same with distances along rays, in units of X (FCES); "lines" and "planes":
        flat clusters without an end, from which a row is as far as it lies beside them (fuzzy c-varieties,
        Bezdek et al. 1981), so that pieces of one line are one cluster however far they are apart;
        init=(centres, matrices) starts them along the first axes of the matrices; "directions":
        1 - cosine.  An object has `distances(X, theta)`, `moments(X, W, theta)` and
        `solve(weight, moments, theta)`: see `softclust.grammar.prototypes.Custom`.
    metric_reg : float, default=0.01
        What holds the metrics of ellipsoids: this share of each feature's variance is added to the
        covariances, so that flat clusters have a metric too.  0: nothing.
    separation : Repulsion or CentralDistance, default=None
        A term that keeps the centres apart.
    noise_distance : float, default=None
        delta of Dave (1991): rows much farther than this from every centre belong to noise.
        `memberships_` are shares among the clusters; `outlier_scores_` is the noise membership.
    density_rate : float or "auto", default=None
        alpha of Xia 2011: rows weigh sum_k exp(-alpha |x_j - x_k|^2), so that rows in empty regions
        count for little.  "auto" is 10 / trace(covariance), the same for data in any unit.
    density_from : {"rows", "centers"}, default="rows"
        "rows": eq. (4) of Xia 2011, the density of rows, fixed before the fit.  "centers": its
        eq. (5) (Schneider 2000), sum_k exp(-alpha |x_j - v_k|^2), which follows the centres; J is
        then no longer one fixed function, and may rise.
    label_strength : float, "auto" or array-like of shape (n_samples,), default="auto"
        alpha, what it costs a row to differ from its label in `y`, also one for each row: 0 ignores
        the label (but for the start), inf obeys it.  A labelled row's membership is near
        (u + alpha f)/(1 + alpha), with u what the data and f what the label says.  "auto": alpha =
        (A - D + 1)/(D + 1), from 0 to 20, with A and D the numbers of labelled rows whose nearest
        labelled row has the same class and another one.
    unlabelled : {"free", "zero"}, default="free"
        "zero": rows without a label are drawn to degree 0 in every cluster, as Liu & Wu print; slower.
    printed_centers : bool, default=False
        Leave the penalty out of the centres, as Pedrycz & Waletzky print; J may then rise.
    outlier_threshold : float in [0, 1], default=None
        Rows with no typicality above this are outliers.  None: the 0.1 of Antoine 2018, carried over
        from its K = 1 and exponent 2 to other scales: a squared distance of 9 natural scales.

    Attributes
    ----------
    covariances_ : ndarray of shape (n_clusters_, n_features, n_features)
        Of each cluster, for geometries with shapes; of shells the matrix whose level 1 is the shell.
        (`cluster_centers_`, `covariances_`) is an `init`.
    directions_ : ndarray of shape (n_clusters_, n_features) or (n_clusters_, 2, n_features)
        Unit vectors along "lines", and pairs of orthogonal ones in "planes", of which the first is that of
        the greatest scatter.  `cluster_centers_` are the means of the rows; any other point of a line would
        describe it as well.
    """

    geometry: Any = "points"
    metric_reg: float = 0.01
    separation: Repulsion | CentralDistance | None = None
    noise_distance: float | None = None
    density_rate: float | str | None = None
    density_from: str = "rows"
    unlabelled: str = "free"
    printed_centers: bool = False
    outlier_threshold: float | None = None

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **SoftClusterer._parameter_constraints,
        **SHAPED,
        "unlabelled": [StrOptions({"free", "zero"})],
        "printed_centers": ["boolean"],
        "outlier_threshold": [None, Interval(Real, 0, 1, closed="both")],
    }

    @property
    def _geometry(self) -> Any:
        return self.geometry

    def _said(
        self,
        data: Data,
        partition: Partition,
        scaling: Scaling | None = None,
        links: LinkWords | None = None,
        merges: bool = False,
    ) -> Sentence:
        """The sentence of a family, from its own words and the parameters that all families share."""
        c, units = data.n_clusters, data.source.rows.units
        noise = noise_for(self, partition, area_units(data.geometry, units))
        is_distance = noise and not partition.is_entropic and data.geometry.measure == SQUARED_LENGTHS
        return Sentence(
            partition,
            prototypes_for(self, partition, data),
            Frame.singletons(c, noise),
            self._label_words(partition),
            links,
            self.separation,
            Scaling() if scaling is None else scaling,
            density_of(self),
            noise if is_distance else np.inf,
            merges,
        )

    def _label_words(self, partition: Partition) -> Any:
        """What labels cost: a penalty in units of distances, or a factor of likelihoods."""
        if partition.is_entropic:
            return partial(likelihood_term, strength=self.label_strength)
        return partial(
            degree_term,
            strength=self.label_strength,
            everyone=self.unlabelled == "zero",
            printed_centers=self.printed_centers,
        )

    def _start(self, source: Any, data: Data, sentence: Sentence, rng: Any) -> Start:
        return shaped_start(self, source, data, sentence, rng)

    def _readout(self, model: Any, state: Any, units: Any, width: Any = None) -> Fitted:
        limits = None
        if width is not None:
            limits = typicality_limits(self.outlier_threshold, model.partition, width)
        return Fitted(model, state, units, limits)
