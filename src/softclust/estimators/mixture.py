"""Gaussian mixtures by EM, with labels, pairs, weights and a component for noise."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from sklearn.utils import check_random_state

from softclust.compat.numpy import usual_arithmetic
from softclust.compat.sklearn import Interval, StrOptions
from softclust.estimators import readout
from softclust.estimators.base import SoftClusterer
from softclust.estimators.parameters import documented
from softclust.estimators.pilot import distinct, mean_weight, pilot
from softclust.estimators.reading import Data
from softclust.estimators.readout import FittedMixture
from softclust.estimators.sentence import LinkWords, Rivals, Sentence, is_compound, likelihood_term
from softclust.estimators.starts import given_centers, hard_start, hard_start_at, start_of
from softclust.grammar.frame import Frame
from softclust.grammar.model import Model
from softclust.grammar.partitions import Entropic
from softclust.grammar.prototypes import Gaussians, check_covariances
from softclust.grammar.prototypes.gaussians import LEAST_VARIANCE
from softclust.grammar.state import Fit
from softclust.knowledge.numbers import as_floats
from softclust.knowledge.pairs import NamedPairs
from softclust.knowledge.sample_weight import check_weight
from softclust.loop.recipes import Outcome, Start
from softclust.sources.spread import deviations, log_uniform_density

_KINDS = ("spherical", "diag", "tied", "full")  # from few parameters to many
_GREATEST_REG = 1e100  # of reg_covar in loop units, beside which nothing else counts


@documented
@dataclass(eq=False, repr=False, kw_only=True)
class GaussianMixture(SoftClusterer):
    """A mixture of Gaussians, fitted by EM: each row has a chance of having come from each component.

    Minimises J = -sum_i w_i ln sum_k pi_k N(x_i; mu_k, Sigma_k), minus the log-likelihood (Dempster, Laird
    & Rubin 1977; Ortiz).  What `y` says of a row multiplies its chances: sum_k f_ik pi_k N(x_i; ...), so
    that a row with a certain label belongs to that component alone, and one with degrees leans.  Pairs in
    `must_link` and `cannot_link` make rows dependent: J is then the variational bound with s (1 - u_i'u_j)
    or s u_i'u_j for each pair.

    The likelihood has no maximum: a component that shrinks onto a few rows raises it without end, and the
    best of several starts is then the one with the sharpest spike.  So J has one more term, a prior of the
    covariances: nu/2 sum_k [tr(Sigma_k^-1 T) - ln det(Sigma_k^-1 T) - p], the inverse Wishart prior of
    Fraley & Raftery (2007) counted from its mode T.  Each covariance answers for nu further rows that lie
    as T says: Sigma_k = (C_k + nu T) / (N_k + nu), with the weight N_k and the scatter C_k of a component.
    T is the pooled covariance within the clusters of a pilot run of k-means, in which far rows count less;
    it depends on the rows alone, not on `random_state`.

    Parameters
    ----------
    covariance_type : {"full", "tied", "diag", "spherical", "auto"}, default="full"
        Shape of the components: each its own covariance, one for all, variances by feature, one variance.
        "auto" fits all four coarsely to at most 20,000 rows and goes on with the one of lowest BIC; see
        `covariance_type_`.
    covariance_prior : float or "auto", default="auto"
        nu, in rows: for how many rows the prior of a covariance stands.  "auto" is n_features + 2.  0 is
        maximum likelihood, step by step as in scikit-learn.  A row is a distinct row of mean weight, so
        that a weight is a number of copies, and weights have no unit.
    reg_covar : float, default=0.0
        Added to every variance, in units of X squared, as scikit-learn does (with 1e-6).  It is no term of
        J, which may therefore rise a little from step to step where components are small.
    noise : bool, default=False
        One more component, uniform on the box of the rows; its weight is estimated.  `outlier_scores_` is
        the chance of having come from it.
    label_strength : float or array-like of shape (n_samples,), default=1.0
        alpha: what is said of a row counts as f^alpha, also one for each row; 0 ignores it.
    link_strength : float, default=10.0
        What it costs to break a pair, as a difference of log-likelihoods.
    outlier_threshold : float in [0, 1], default=0.001
        Rows farther from every component than this share of its own rows would be are outliers.

    Attributes
    ----------
    means_ : ndarray of shape (n_clusters_, n_features)
        mu_k.
    cluster_centers_ : ndarray of shape (n_clusters_, n_features)
        mu_k too.
    covariance_type_ : str
        The shape of the components, also where `covariance_type` is "auto".
    covariances_ : ndarray
        Sigma_k, in scikit-learn's shapes for `covariance_type_`: (c, p, p), (p, p), (c, p) or (c,).
    weights_ : ndarray of shape (n_clusters_,)
        pi_k; with noise they sum to less than 1.  A component that no row reaches has the weight 0, with
        a warning.
    noise_weight_ : float
        Weight of the noise component, 0 without.
    scale_ : ndarray of shape (n_clusters_,)
        Trace of each covariance: the mean squared distance of a component's rows from its mean.
    lower_bound_ : float
        Mean log-likelihood of a row, without the prior.
    labels_ : ndarray of shape (n_samples,)
        Likeliest component of each row.
    memberships_ : ndarray of shape (n_samples, n_clusters_)
        The chance of each row to have come from each component; rows sum to 1.
    outlier_scores_ : ndarray of shape (n_samples,)
        With noise the chance of having come from it; else the share of a component's rows that would be
        nearer to it than the row is to the nearest component.
    objective_ : float
        Minus the log-likelihood, and the term of the prior.

    References
    ----------
    .. [1] Dempster, Laird & Rubin (1977), Maximum likelihood from incomplete data via the EM algorithm.
    .. [2] Fraley & Raftery (2007), Bayesian regularization for normal mixture estimation and model-based
       clustering, Journal of Classification 24.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from softclust import GaussianMixture
    >>> model = GaussianMixture(n_clusters=3, random_state=0).fit(load_iris().data)
    >>> print(model.covariance_type_, round(model.lower_bound_, 2))
    full -1.24
    """

    covariance_type: str = "full"
    covariance_prior: Any = "auto"
    reg_covar: float = 0.0
    noise: bool = False
    label_strength: Any = 1.0
    link_strength: float = 10.0
    outlier_threshold: float = 0.001

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **SoftClusterer._parameter_constraints,
        "covariance_type": [StrOptions({*_KINDS, "auto"})],
        "covariance_prior": [StrOptions({"auto"}), Interval(Real, 0, None, closed="left")],
        "reg_covar": [Interval(Real, 0, None, closed="left")],
        "noise": ["boolean"],
        "label_strength": [Interval(Real, 0, None, closed="both"), "array-like"],
        "link_strength": [Interval(Real, 0, None, closed="left")],
        "outlier_threshold": [Interval(Real, 0, 1, closed="both")],
    }

    # ------------------------------------------------------------------ the sentence
    def _sentence(self, data: Data) -> Sentence:
        return Sentence(
            Entropic(log_uniform_density(data.source) if self.noise else None),
            partial(self._components, c=data.n_clusters),
            Frame.singletons(data.n_clusters, 1.0 if self.noise else 0.0),
            partial(likelihood_term, strength=self.label_strength),
            LinkWords(self._link_costs),
            rivals=Rivals(_of_every_kind, _information) if self.covariance_type == "auto" else None,
        )

    def _components(self, source: Any, c: int) -> Gaussians:
        """Gaussians that are full where the kind is yet to be chosen."""
        rows = source.rows
        kind = "full" if self.covariance_type == "auto" else self.covariance_type
        reg = min(float(rows.units.squares_to_loop(self.reg_covar)), _GREATEST_REG)
        parts = Gaussians(kind, reg, rows.total_weight, deviations(source), self.noise)
        prior = rows.X.shape[1] + 2.0 if self.covariance_prior == "auto" else float(self.covariance_prior)
        if not prior:
            return parts
        found = pilot(source, c)
        target = found.within + np.eye(len(parts.size)) * LEAST_VARIANCE * parts.size.min() ** 2
        return replace(parts, prior=prior * found.row, target=target)

    def _link_costs(self, pairs: NamedPairs, source: Any, frame: Frame) -> np.ndarray:
        return self.link_strength * pairs.strength * pairs.weights(source.rows)

    def _start(self, source: Any, data: Data, sentence: Sentence, rng: Any) -> Start:
        known = data.labels, data.n_clusters, rng, sentence.reach
        return start_of(self, source, *known, self._begin, self._given)

    def _begin(self, source: Any, draw: Any, rng: Any) -> tuple[Any, ...]:
        means, sigma, share = hard_start(source, draw(), rng)
        return means, sigma, share * (0.9 if self.noise else 1.0)

    def _given(self, init: Any, source: Any, c: int) -> tuple[Any, ...]:
        """Means; (means, covariances) or (means, covariances, weights), covariances as `covariances_`."""
        rows = source.rows
        if not is_compound(init):
            V = given_centers(init, rows, c)
            _, sigma, share = hard_start_at(source, V)
            if self.covariance_type == "tied":
                sigma = np.broadcast_to(np.einsum("k,kab->ab", share, sigma), sigma.shape)
            return V, sigma
        V, p = given_centers(init[0], rows, c), rows.X.shape[1]
        matrices = as_floats(init[1], "The matrices of init")
        kind = self.covariance_type
        if kind in ("tied", "auto") and matrices.shape == (p, p):
            matrices = np.broadcast_to(matrices, (c, p, p))
        elif kind in ("diag", "auto") and matrices.shape == (c, p):
            matrices = matrices[:, :, None] * np.eye(p)
        elif kind in ("spherical", "auto") and matrices.shape == (c,):
            matrices = matrices[:, None, None] * np.eye(p)
        sigma = rows.units.squares_to_loop(check_covariances(matrices, c, p))
        weights = np.full(c, 1 / c) if len(init) == 2 else as_floats(init[2], "The weights of init").copy()
        # A component that no row reaches ends with the weight 0, and another fit may start there.  With
        # noise that may be every component.
        is_share = (weights.sum() > 0 or self.noise) and weights.sum() <= 1 + 1e-6
        if weights.shape != (c,) or not (weights >= 0).all() or not is_share:
            raise ValueError(
                f"The weights of init are {weights}; {c} numbers of 0 or more that sum to 1 would fit."
            )
        return V, sigma, weights

    # ------------------------------------------------------------------ read-outs
    def _readout(self, model: Any, state: Any, units: Any, width: Any = None) -> FittedMixture:
        return FittedMixture(model, state, units, np.array([self.outlier_threshold]))

    def _publish_more(self, members: Any, outcome: Outcome) -> None:
        _, sigma, weights = outcome.fit.state.theta
        sigma = outcome.source.rows.units.squares_to_data(sigma)
        components = outcome.model.prototypes
        assert isinstance(components, Gaussians)
        self.covariance_type_ = components.kind
        self.means_ = self.cluster_centers_
        self.covariances_ = {"tied": sigma[0], "spherical": sigma[:, 0]}.get(components.kind, sigma)
        self.weights_ = weights
        self.noise_weight_ = max(0.0, 1 - float(weights.sum())) if self.noise else 0.0
        prior = components.prior_cost(outcome.fit.state.theta)
        self.lower_bound_ = -(self.objective_ - prior) / components.total

    @usual_arithmetic
    def score_samples(self, X: Any) -> Any:
        """Find the log-density of each row.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        log_densities : ndarray of shape (n_samples,)
            ln sum_k pi_k N(x; mu_k, Sigma_k), with the noise component where there is one.
        """
        return self._source(X).rowwise(readout.log_densities, self._fitted)

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """Find the mean log-density of the rows.

        Parameters
        ----------
        X, y, sample_weight
            The rows; `y` is ignored; how many rows each row stands for.

        Returns
        -------
        score : float
            Greater is better.
        """
        values = np.asarray(self.score_samples(X))
        return float(np.average(values, weights=check_weight(sample_weight, len(values))))

    def _n_parameters(self) -> int:
        components = self._fitted.model.prototypes
        assert isinstance(components, Gaussians)
        return components.n_parameters(*self.means_.shape)

    def bic(self, X: Any) -> float:
        """Find the Bayesian information criterion on X.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        bic : float
            The lower the better.
        """
        values = np.asarray(self.score_samples(X))
        return float(-2 * values.sum() + self._n_parameters() * np.log(len(values)))

    def aic(self, X: Any) -> float:
        """Find the Akaike information criterion on X.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        aic : float
            The lower the better.
        """
        return float(-2 * self.score_samples(X).sum() + 2 * self._n_parameters())

    def sample(self, n_samples: int = 1) -> tuple[np.ndarray, np.ndarray]:
        """Draw rows from the components, not from noise.

        Parameters
        ----------
        n_samples : int, default=1
            Number of rows.

        Returns
        -------
        X : ndarray of shape (n_samples, n_features)
            The rows.
        components : ndarray of shape (n_samples,)
            The component of each row.
        """
        if n_samples < 1:
            raise ValueError(f"n_samples={n_samples}; at least one row can be drawn.")
        rng = check_random_state(self.random_state)
        c, p = self.means_.shape
        of = np.sort(rng.choice(c, size=n_samples, p=self.weights_ / self.weights_.sum()))
        Z = rng.standard_normal((n_samples, p))
        if self.covariance_type_ in ("full", "tied"):
            sigma = np.broadcast_to(self.covariances_, (c, p, p))
            Z = np.einsum("iab,ib->ia", np.linalg.cholesky(sigma)[of], Z)
        else:
            Z *= np.sqrt(np.broadcast_to(self.covariances_.reshape(c, -1), (c, p)))[of]
        return self.means_[of] + Z, of


def _of_every_kind(parts: Gaussians) -> list[Gaussians]:
    """The components in every kind."""
    return [replace(parts, kind=kind) for kind in _KINDS]


def _information(model: Model, fit: Fit, source: Any) -> float:
    """BIC of a fit to the rows of a source, without the prior; n is the number of distinct rows."""
    parts, rows = model.prototypes, distinct(source.in_memory())
    assert isinstance(parts, Gaussians)
    count = parts.n_parameters(*fit.state.centers.shape)
    likelihood = (fit.history[-1] - parts.prior_cost(fit.state.theta)) / mean_weight(rows)
    return float(2 * likelihood + count * np.log(len(rows)))
