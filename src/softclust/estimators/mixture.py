"""Gaussian mixtures by EM, with labels, pairs, weights and a component for noise."""

from __future__ import annotations

from numbers import Real
from typing import NamedTuple

import numpy as np
from scipy.special import chdtr
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions

from softclust.estimators import geometry
from softclust.estimators.base import SoftClusterer
from softclust.estimators.parameters import document
from softclust.grammar.frame import Frame
from softclust.grammar.partitions import Entropic
from softclust.grammar.prototypes import Gaussians, check_covariances
from softclust.knowledge.weights import check_weight

_KINDS = ("full", "tied", "diag", "spherical")
_STRONGEST = 1e6  # of labels: beyond, nothing changes
_GREATEST_REG = 1e100  # of reg_covar in loop units, beside which nothing else counts
_NOT_HERE = ("geometry", "metric_reg", "separation", "noise_distance", "density_rate", "density_from",
             "unlabelled", "printed_centers")  # fmt: skip


@document(n_init=3)
class GaussianMixture(SoftClusterer):
    """A mixture of Gaussians, fitted by EM: each row has a chance of having come from each component.

    Minimises J = -sum_i w_i ln sum_k pi_k N(x_i; mu_k, Sigma_k), minus the log-likelihood (Dempster, Laird
    & Rubin 1977; Ortiz).  What `y` says of a row multiplies its chances: sum_k f_ik pi_k N(x_i; ...), so
    that a row with a certain label belongs to that component alone, and one with degrees leans.  Pairs in
    `must_link` and `cannot_link` make rows dependent: J is then the variational bound with s (1 - u_i'u_j)
    or s u_i'u_j for each pair.

    Parameters
    ----------
    {n_clusters}
    covariance_type : {"full", "tied", "diag", "spherical"}, default="full"
        Shape of the components: each its own covariance, one for all, variances by feature, one variance.
    reg_covar : float, default=1e-6
        Added to every variance, in units of X squared, as scikit-learn does.  It is no term of J, which
        may therefore rise a little from step to step where components are small.
    noise : bool, default=False
        One more component, uniform on the box of the rows; its weight is estimated.  `outlier_scores_` is
        the chance of having come from it.
    label_strength : float or array-like of shape (n_samples,), default=1.0
        alpha: what is said of a row counts as f^alpha, also one for each row; 0 ignores it.
    link_strength : float, default=10.0
        What it costs to break a pair, as a difference of log-likelihoods.
    outlier_threshold : float in [0, 1], default=0.001
        Rows farther from every component than this share of its own rows would be are outliers.
    {loop}

    Attributes
    ----------
    means_, cluster_centers_ : ndarray of shape (n_clusters_, n_features)
        mu_k.
    covariances_ : ndarray
        Sigma_k, in scikit-learn's shapes: (c, p, p), (p, p), (c, p) or (c,).
    weights_ : ndarray of shape (n_clusters_,)
        pi_k; with noise they sum to less than 1.
    noise_weight_ : float
        Weight of the noise component, 0 without.
    scale_ : ndarray of shape (n_clusters_,)
        Trace of each covariance: the mean squared distance of a component's rows from its mean.
    lower_bound_ : float
        Mean log-likelihood of a row.
    labels_, memberships_ : ndarray
        Likeliest component of each row, and the chances of all.
    outlier_scores_ : ndarray of shape (n_samples,)
        With noise its chance; else the share of a component's rows that would be nearer to it than the row
        is to the nearest.
    outlier_mask_, objective_, objective_history_, n_iter_, converged_, n_clusters_, classes_, unsatisfied_
        As in the other estimators.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from softclust import GaussianMixture
    >>> model = GaussianMixture(n_clusters=3, random_state=0).fit(load_iris().data)
    >>> print(round(model.lower_bound_, 3))
    -1.201
    """

    _parameter_constraints = {
        **{k: v for k, v in SoftClusterer._parameter_constraints.items() if k not in _NOT_HERE},
        "covariance_type": [StrOptions(set(_KINDS))],
        "reg_covar": [Interval(Real, 0, None, closed="left")],
        "noise": ["boolean"],
        "label_strength": [Interval(Real, 0, None, closed="both"), "array-like"],
        "link_strength": [Interval(Real, 0, None, closed="left")],
        "outlier_threshold": [Interval(Real, 0, 1, closed="both")],
    }
    geometry = "gaussians"
    separation = noise_distance = density_rate = None

    def __init__(
        self,
        n_clusters=3,
        *,
        covariance_type="full",
        reg_covar=1e-6,
        noise=False,
        label_strength=1.0,
        link_strength=10.0,
        init="k-means++",
        n_init=3,
        max_iter=300,
        tol=1e-6,
        acceleration="lbfgs",
        growing_samples=True,
        outlier_threshold=0.001,
        random_state=None,
        n_jobs=None,
        verbose=0,
        checkpoint=None,
    ):
        super().__init__(
            n_clusters=n_clusters,
            label_strength=label_strength,
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
        self.covariance_type = covariance_type
        self.reg_covar = reg_covar
        self.noise = noise
        self.link_strength = link_strength

    # ------------------------------------------------------------------ the sentence
    def _partition(self):
        return Entropic()

    def _frame(self, c, source):
        return Frame.singletons(c, 1.0 if self.noise else 0.0)

    def _sentence(self, source, frame):
        rows = source.rows
        reg = min(float(rows.units.squares_to_loop(self.reg_covar)), _GREATEST_REG)
        part = Gaussians(self.covariance_type, reg, rows.total_weight, geometry.sizes(source), self.noise)
        return part, Entropic(geometry.log_uniform_density(source) if self.noise else None)

    def _link_strength(self, pairs, source, frame):
        return self.link_strength * pairs.strength * pairs.weights(source.rows)

    def _begin(self, source, draw, rng):
        means, sigma, share = geometry.hard_start(source, draw(), rng)
        return means, self._of_kind(sigma, share), share * (0.9 if self.noise else 1.0)

    def _of_kind(self, sigma, share):
        """Covariances (c, p, p) as the kind has them: all the same, or diagonals (c, p)."""
        if self.covariance_type == "full":
            return sigma
        if self.covariance_type == "tied":
            return np.broadcast_to(np.einsum("k,kab->ab", share, sigma), sigma.shape).copy()
        variances = sigma.diagonal(axis1=1, axis2=2)
        if self.covariance_type == "spherical":
            variances = np.broadcast_to(variances.mean(axis=1, keepdims=True), variances.shape)
        return variances.copy()

    def _given(self, init, source, c):
        """Means; (means, covariances) or (means, covariances, weights), covariances as `covariances_`."""
        rows = source.rows
        if not geometry.is_compound(init):
            V = self._given_centers(init, rows, c)
            _, sigma, share = geometry.hard_start_at(source, V)
            return V, self._of_kind(sigma, share)
        V, p = self._given_centers(init[0], rows, c), rows.X.shape[1]
        matrices = np.asarray(init[1], dtype=np.float64)
        if self.covariance_type == "tied" and matrices.shape == (p, p):
            matrices = np.broadcast_to(matrices, (c, p, p))
        elif self.covariance_type == "diag" and matrices.shape == (c, p):
            matrices = matrices[:, :, None] * np.eye(p)
        elif self.covariance_type == "spherical" and matrices.shape == (c,):
            matrices = matrices[:, None, None] * np.eye(p)
        sigma = rows.units.squares_to_loop(check_covariances(matrices, c, p))
        weights = np.full(c, 1 / c) if len(init) == 2 else np.array(init[2], dtype=np.float64)
        if weights.shape != (c,) or not (weights > 0).all() or weights.sum() > 1 + 1e-6:
            raise ValueError(
                f"The weights of init are {weights}; {c} positive numbers that sum to 1 would fit."
            )
        return V, self._of_kind(sigma, weights / weights.sum()), weights

    # ------------------------------------------------------------------ read-outs
    def _limits(self, partition, width):
        return None

    def _assign(self, source, state):
        members = super()._assign(source, state)
        if not self.noise:
            p = source.rows.X.shape[1]
            near = _Nearest(np.empty(len(source)))
            source.fill(_nearest, near, self._model, state)
            members.scores[...] = chdtr(p, near.squares)
        return members

    def _is_outlier(self, members):
        if self.noise:
            return super()._is_outlier(members)
        return members.scores > 1 - self.outlier_threshold

    def _publish_more(self, members, outcome):
        _, sigma, weights = outcome.fit.state.theta
        sigma = outcome.source.rows.units.squares_to_data(sigma)
        self.means_ = self.cluster_centers_
        self.covariances_ = {"tied": sigma[0], "spherical": sigma[:, 0]}.get(self.covariance_type, sigma)
        self.weights_ = weights
        self.noise_weight_ = max(0.0, 1 - float(weights.sum())) if self.noise else 0.0
        self.lower_bound_ = -self.objective_ / outcome.model.prototypes.total

    def score_samples(self, X):
        """(n,) log-density of each row."""
        return self._told(X, "_log_densities")

    def _log_densities(self, source, state):
        out = _LogDensities(np.empty(len(source)))
        source.fill(_log_densities, out, self._model, state)
        return out.values + source.rows.X.shape[1] * np.log(self._units.factor)

    def score(self, X, y=None, sample_weight=None):
        """Mean log-density of the rows: greater is better."""
        values = np.asarray(self.score_samples(X))
        return float(np.average(values, weights=check_weight(sample_weight, len(values))))

    def _n_parameters(self):
        c, p = self.means_.shape
        shape = {"full": c * p * (p + 1) / 2, "tied": p * (p + 1) / 2, "diag": c * p, "spherical": c}
        return int(shape[self.covariance_type] + c * p + c - 1 + bool(self.noise))

    def bic(self, X):
        """Bayesian information criterion on X: the lower the better."""
        values = np.asarray(self.score_samples(X))
        return float(-2 * values.sum() + self._n_parameters() * np.log(len(values)))

    def aic(self, X):
        """Akaike information criterion on X: the lower the better."""
        return float(-2 * self.score_samples(X).sum() + 2 * self._n_parameters())

    def sample(self, n_samples=1):
        """Rows drawn from the components (not from noise), and the component of each."""
        if n_samples < 1:
            raise ValueError(f"n_samples={n_samples}; at least one row can be drawn.")
        rng = check_random_state(self.random_state)
        c, p = self.means_.shape
        of = np.sort(rng.choice(c, size=n_samples, p=self.weights_ / self.weights_.sum()))
        Z = rng.standard_normal((n_samples, p))
        if self.covariance_type in ("full", "tied"):
            sigma = np.broadcast_to(self.covariances_, (c, p, p))
            Z = np.einsum("iab,ib->ia", np.linalg.cholesky(sigma)[of], Z)
        else:
            Z *= np.sqrt(np.broadcast_to(self.covariances_.reshape(c, -1), (c, p)))[of]
        return self.means_[of] + Z, of


class _Nearest(NamedTuple):
    squares: np.ndarray


class _LogDensities(NamedTuple):
    values: np.ndarray


def _nearest(rows, out, model, state):
    out.squares[...] = model.prototypes.squared(rows.points, state.theta).min(axis=1)


def _log_densities(rows, out, model, state):
    D = model.prototypes.distances(rows.points, state.theta, model.frame).astype(np.float64)
    _, loss = model.partition.influence(D, None, 0.0)
    out.values[...] = -loss - model.prototypes.penalty(state.theta) / model.prototypes.total
