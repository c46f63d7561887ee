"""Gaussian mixtures: beside scikit-learn's, with noise, labels, weights and pairs."""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score
from sklearn.mixture import GaussianMixture as Theirs

from softclust import GaussianMixture, sample_supervision

KINDS = ["full", "tied", "diag", "spherical"]
every_kind = pytest.mark.parametrize("kind", KINDS)


def shapes(kind, c, p, size):
    full = np.tile(size * np.eye(p), (c, 1, 1))
    return {"full": full, "tied": full[0], "diag": np.full((c, p), size), "spherical": np.full(c, size)}[
        kind
    ]


@every_kind
@pytest.mark.parametrize("factor", [1.0, 1e-3, 1e4])
def test_steps_equal_scikit_learns(kind, factor, iris):
    X = iris[0] * factor
    V, shares, reg = X[[0, 60, 120]], np.array([0.2, 0.5, 0.3]), 1e-6 * factor**2
    start = V, shapes(kind, 3, 4, 0.5 * factor**2), shares
    theirs = Theirs(
        3, covariance_type=kind, means_init=V, weights_init=shares, max_iter=9, tol=0, reg_covar=reg,
        precisions_init=shapes(kind, 3, 4, 2 / factor**2),
    )  # fmt: skip
    ours = GaussianMixture(
        3, covariance_type=kind, init=start, max_iter=9, tol=0, acceleration=None, reg_covar=reg,
        covariance_prior=0,
    )  # fmt: skip
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        theirs.fit(X), ours.fit(X)
    assert_allclose(ours.means_, theirs.means_, rtol=1e-9)
    assert_allclose(ours.covariances_, theirs.covariances_, rtol=1e-7, atol=1e-12 * factor**2)
    assert_allclose(ours.weights_, theirs.weights_, rtol=1e-9)
    assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), rtol=0, atol=1e-9)
    assert_allclose(ours.score_samples(X), theirs.score_samples(X), rtol=0, atol=1e-8)
    assert ours.score(X) == pytest.approx(theirs.score(X), abs=1e-8)
    assert ours.bic(X) == pytest.approx(theirs.bic(X), rel=1e-9)
    assert ours.aic(X) == pytest.approx(theirs.aic(X), rel=1e-9)
    assert_array_equal(ours.predict(X), theirs.predict(X))


@every_kind
def test_the_default_start_ends_no_lower_than_scikit_learns(kind, iris):
    X, _ = iris
    theirs = Theirs(3, covariance_type=kind, n_init=5, tol=1e-8, max_iter=2000, random_state=0).fit(X)
    ours = GaussianMixture(3, covariance_type=kind, covariance_prior=0, random_state=0).fit(X)
    assert ours.lower_bound_ >= theirs.score(X) - 1e-5
    assert ours.lower_bound_ == pytest.approx(ours.score(X), abs=1e-12)


@every_kind
def test_noise_takes_what_lies_about(kind, blobs):
    X, y = blobs
    noise = np.random.default_rng(1).uniform(-20, 30, (40, 2))
    both = np.vstack([X, noise])
    far = (
        (np.abs(noise[:, None] - np.array([[0.0, 0.0], [12.0, 1.0], [5.0, 11.0]])) > 3)
        .any(axis=2)
        .all(axis=1)
    )
    model = GaussianMixture(3, covariance_type=kind, covariance_prior=0, noise=True, random_state=0).fit(
        both
    )
    assert adjusted_rand_score(y, model.labels_[:150]) == 1
    assert model.outlier_mask_[150:][far].all()
    assert model.outlier_mask_[:150].mean() < 0.03
    assert model.noise_weight_ == pytest.approx(40 / 190, abs=0.05)
    assert model.weights_.sum() + model.noise_weight_ == pytest.approx(1)
    assert (np.diff(model.objective_history_) <= 1e-6).all()
    assert np.exp(model.score_samples(both)).min() >= 0.9 * model.noise_weight_ / np.prod(
        np.ptp(both, axis=0)
    )


def test_without_noise_scores_are_shares_of_a_component():
    X = np.random.default_rng(0).normal(size=(20_000, 3)) * [1, 5, 0.1]
    model = GaussianMixture(1).fit(X)
    assert_allclose(np.quantile(model.outlier_scores_, [0.1, 0.5, 0.9]), [0.1, 0.5, 0.9], atol=0.01)
    assert model.outlier_mask_.mean() == pytest.approx(0.001, abs=0.0007)


@every_kind
def test_a_weight_is_a_number_of_copies(kind, iris):
    X, _ = iris
    copies = np.random.default_rng(0).integers(0, 4, 150)
    start = X[[0, 60, 120]]
    weighed = GaussianMixture(3, covariance_type=kind, init=start).fit(X, sample_weight=copies)
    copied = GaussianMixture(3, covariance_type=kind, init=start).fit(np.repeat(X, copies, axis=0))
    assert_allclose(weighed.means_, copied.means_, rtol=0, atol=1e-6)
    assert_allclose(weighed.covariances_, copied.covariances_, rtol=0, atol=1e-6)
    assert weighed.objective_ == pytest.approx(copied.objective_, rel=1e-9)


def test_labels_pin_and_degrees_lean(iris):
    X, y = iris
    said = np.full((150, 3), np.nan)
    said[::10] = np.eye(3)[y[::10]]
    said[77] = [0.0, 0.5, 0.5]  # "one of these two"
    said[133] = [0.1, 0.8, 0.1]
    model = GaussianMixture(3, random_state=0).fit(X, said)
    assert_allclose(model.memberships_[::10], np.eye(3)[y[::10]], rtol=0, atol=1e-12)
    assert model.memberships_[77, 0] < 1e-12
    free = model.predict_proba(X)[133] * said[133]
    assert_allclose(model.memberships_[133], free / free.sum(), rtol=1e-6)
    ignored = GaussianMixture(3, random_state=0, label_strength=0.0).fit(X, said)
    assert_allclose(ignored.memberships_, ignored.predict_proba(X), rtol=0, atol=1e-12)


# ---------------------------------------------------------------------- pairs
def bound(U, log_joint, must, cannot, strength):
    """The variational bound, literally."""
    J = (U * (np.log(np.maximum(U, 1e-300)) - log_joint)).sum()
    J += strength * sum(1 - U[i] @ U[j] for i, j in must)
    return J + strength * sum(U[i] @ U[j] for i, j in cannot)


@pytest.mark.parametrize("strength", [0.5, 5.0, 50.0])
def test_pairs_lower_their_bound(strength, iris):
    X, y = iris
    told = sample_supervision(y, must_link=20, cannot_link=20, random_state=3)
    must, cannot = np.asarray(told.must_link.pairs), np.asarray(told.cannot_link.pairs)
    model = GaussianMixture(3, covariance_prior=0, random_state=0, link_strength=strength, tol=1e-9)
    model.fit(X, must_link=told.must_link, cannot_link=told.cannot_link)
    joint = np.log(model.predict_proba(X)) + model.score_samples(X)[:, None]
    U = model.memberships_
    must, cannot = must[:, :2].astype(int), cannot[:, :2].astype(int)
    J = bound(U, joint, must, cannot, strength)
    assert pytest.approx(model.objective_, rel=1e-6) == J
    assert (np.diff(model.objective_history_) <= 1e-6).all()
    rng = np.random.default_rng(0)
    for _ in range(200):  # no memberships near by are better
        other = np.abs(U + rng.normal(scale=1e-3, size=U.shape) * (rng.random((150, 1)) < 0.05)) + 1e-300
        other /= other.sum(axis=1, keepdims=True)
        assert bound(other, joint, must, cannot, strength) >= J - 1e-8 * abs(J)


def test_strong_pairs_hold(iris):
    X, y = iris
    told = sample_supervision(y, must_link=30, cannot_link=30, random_state=0)
    model = GaussianMixture(3, random_state=0, link_strength=100.0)
    model.fit(X, must_link=told.must_link, cannot_link=told.cannot_link)
    assert len(model.unsatisfied_) == 0
    with pytest.raises(ValueError, match="infinite strength"):
        model.fit(X, must_link=[(0, 1, np.inf)])


# ---------------------------------------------------------------------- read-outs
@every_kind
def test_rows_can_be_drawn(kind, blobs):
    X, _ = blobs
    model = GaussianMixture(3, covariance_type=kind, random_state=0).fit(X)
    drawn, of = model.sample(6000)
    again = GaussianMixture(3, covariance_type=kind, init=model.means_).fit(drawn)
    assert_allclose(again.means_, model.means_, atol=0.15)
    assert_allclose(again.covariances_, model.covariances_, atol=0.1)
    assert_array_equal(of, model.predict(drawn))
    with pytest.raises(ValueError, match="n_samples=0"):
        model.sample(0)


@pytest.mark.parametrize(
    ("start", "words"),
    [
        (lambda V: (V, np.tile(np.eye(4), (3, 1, 1)), [0.5, 0.5]), "3 numbers of 0 or more"),
        (lambda V: (V, np.tile(np.eye(4), (3, 1, 1)), [0.5, 0.7, -0.2]), "3 numbers of 0 or more"),
        (lambda V: (V, np.eye(3)), "3 of 4 x 4 would fit"),
        (lambda V: (V, -np.tile(np.eye(4), (3, 1, 1))), "not positive definite"),
        (lambda V: V[:2], "initial centers"),
    ],
)
def test_a_start_that_does_not_fit_is_refused(start, words, iris):
    X, _ = iris
    with pytest.raises(ValueError, match=words):
        GaussianMixture(3, init=start(X[[0, 60, 120]])).fit(X)


@pytest.mark.parametrize("draw", [0, 6])
def test_true_pairs_do_not_hide_oblong_clusters(draw):
    """Pairs across two strips draw a fit to halves of both; from the strips themselves, J ends lower."""
    rng = np.random.default_rng(draw)
    X = rng.normal(size=(200, 2)) * [8.0, 1.0] + np.repeat([[0.0, 0.0], [0.0, 4.8]], 100, axis=0)
    truth = np.repeat([0, 1], 100)
    said = sample_supervision(truth, must_link=20, cannot_link=20, random_state=draw)
    pairs = {"must_link": said.must_link, "cannot_link": said.cannot_link}
    plain = GaussianMixture(2, random_state=draw).fit(X)
    told = GaussianMixture(2, random_state=draw).fit(X, **pairs)
    assert adjusted_rand_score(truth, plain.labels_) > 0.9
    assert adjusted_rand_score(truth, told.labels_) >= adjusted_rand_score(truth, plain.labels_)
