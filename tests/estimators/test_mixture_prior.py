"""The prior of covariances, and the choice of the covariance type, of Gaussian mixtures."""

import warnings

import dask.array as da
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_digits, load_iris
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score
from sklearn.mixture import GaussianMixture as Theirs
from sklearn.preprocessing import scale

import softclust as sc
from oracles import mixture as oracle
from softclust import DegenerateClusterWarning, GaussianMixture
from softclust.estimators.pilot import pilot
from softclust.sources import source_of
from softclust.sources.rows import rows_in_units

KINDS = ["full", "tied", "diag", "spherical"]
every_kind = pytest.mark.parametrize("kind", KINDS)
every_type = pytest.mark.parametrize("kind", [*KINDS, "auto"])


def target(model):
    """T, in the units of the data."""
    parts, units = model._fitted.model.prototypes, model._fitted.units
    return units.squares_to_data(parts.target), parts.prior


def shapes(kind, c, p, size):
    full = np.tile(size * np.eye(p), (c, 1, 1))
    return {"full": full, "tied": full[0], "diag": np.full((c, p), size), "spherical": np.full(c, size)}[
        kind
    ]


@every_kind
@pytest.mark.parametrize("labelled", [False, True], ids=["alone", "labelled"])
def test_steps_equal_the_oracle(kind, labelled):
    X, _ = load_iris(return_X_y=True)
    rng = np.random.default_rng(0)
    weight, f = rng.uniform(0.5, 2, 150), None
    if labelled:
        f = np.full((150, 3), np.nan)
        f[rng.choice(150, 20, replace=False)] = rng.dirichlet(np.ones(3), 20)
    state = X[[0, 60, 120]], shapes(kind, 3, 4, 0.4), np.array([0.5, 0.3, 0.2])
    model = GaussianMixture(3, covariance_type=kind, init=state, max_iter=6, tol=0, acceleration=None)
    with pytest.warns(ConvergenceWarning):
        model.fit(X, f, sample_weight=weight)
    T, nu = target(model)
    history = []
    for _ in range(7):
        before = state
        R, *state, J = oracle.map_em_iteration(X, *state, kind, nu, T, weight, f)
        history.append(J)
    assert_allclose(model.means_, before[0], rtol=0, atol=1e-8)
    assert_allclose(model.covariances_, before[1], rtol=0, atol=1e-8)
    assert_allclose(model.weights_, before[2], rtol=0, atol=1e-8)
    assert_allclose(model.memberships_, R, rtol=0, atol=1e-8)
    assert_allclose(model.objective_history_, history, rtol=1e-9)
    assert (np.diff(history) <= 0).all()


@every_type
@pytest.mark.parametrize("knowledge", ["nothing", "labels", "pairs", "noise"])
def test_j_never_rises(kind, knowledge):
    X, y = load_iris(return_X_y=True)
    told = {
        "labels": {"y": np.where(np.arange(150) % 10, -1, y)},
        "pairs": {"must_link": [(0, 1), (60, 70)], "cannot_link": [(70, 130)]},
    }.get(knowledge, {})
    model = GaussianMixture(3, covariance_type=kind, noise=knowledge == "noise", random_state=0)
    model.fit(X, **told)
    assert (np.diff(model.objective_history_) <= 1e-9 * abs(model.objective_)).all()
    prior = model._fitted.model.prototypes.prior_cost(model._fitted.state.theta)
    assert prior > 0
    assert model.lower_bound_ == pytest.approx(-(model.objective_ - prior) / 150, rel=1e-12)
    if knowledge in ("nothing", "noise"):
        assert model.lower_bound_ == pytest.approx(model.score(X), rel=1e-9)
    assert_array_equal(model.predict(X), model.predict_proba(X).argmax(axis=1))


def test_no_start_wins_by_a_spike():
    """Five copies of a row are a spike of unbounded likelihood; the prior leaves it to its cluster."""
    rng = np.random.default_rng(3)
    X = np.vstack(
        [rng.normal(size=(60, 8)), rng.normal(size=(60, 8)) + 4, np.tile(rng.normal(size=8), (5, 1))]
    )
    y = np.repeat([0, 1, 0], [60, 60, 5])
    for seed in range(3):
        model = GaussianMixture(2, n_init=10, covariance_type="full", random_state=seed).fit(X)
        assert adjusted_rand_score(y, model.labels_) == 1
        assert np.linalg.eigvalsh(model.covariances_).min() > 0.05


def gaussian_rows(kind, seed, each=200):
    """Rows of three components of the kind, 4 features."""
    rng = np.random.default_rng(seed)
    means = 4 * rng.normal(size=(3, 4))
    roots = {
        "full": rng.normal(size=(3, 4, 4)),
        "tied": np.repeat(rng.normal(size=(1, 4, 4)), 3, axis=0),
        "diag": np.eye(4) * rng.uniform(0.3, 3, (3, 1, 4)),
        "spherical": np.eye(4) * rng.uniform(0.3, 2, (3, 1, 1)),
    }[kind]
    y = np.repeat(np.arange(3), each)
    return means[y] + np.einsum("iab,ib->ia", roots[y], rng.normal(size=(3 * each, 4))), y


@every_kind
def test_bic_finds_the_type_and_no_worse_clusters_than_scikit_learns(kind):
    ours, theirs = [], []
    for seed in range(3):
        X, y = gaussian_rows(kind, seed)
        model = GaussianMixture(3, covariance_type="auto", random_state=0).fit(X)
        assert model.covariance_type_ == kind
        ours.append(adjusted_rand_score(y, model.labels_))
        theirs.append(adjusted_rand_score(y, Theirs(3, random_state=0).fit_predict(X)))
        bics = {
            other: GaussianMixture(3, covariance_type=other, random_state=0).fit(X).bic(X)
            for other in KINDS
        }
        assert min(bics, key=bics.get) == kind
        assert model.bic(X) == pytest.approx(bics[kind], rel=1e-3)
    assert np.mean(ours) >= np.mean(theirs) - 0.01


@every_type
def test_a_weight_is_a_number_of_copies_and_has_no_unit(kind):
    X, _ = load_iris(return_X_y=True)
    copies = np.random.default_rng(0).integers(0, 4, 150)
    made = {"covariance_type": kind, "init": X[[0, 60, 120]]}
    copied = GaussianMixture(3, **made).fit(np.repeat(X, copies, axis=0))
    weighed = GaussianMixture(3, **made).fit(X, sample_weight=copies)
    scaled = GaussianMixture(3, **made).fit(X, sample_weight=copies / copies.sum())
    assert weighed.covariance_type_ == scaled.covariance_type_ == copied.covariance_type_
    assert_allclose(weighed.covariances_, copied.covariances_, rtol=0, atol=1e-6)
    assert_allclose(scaled.covariances_, copied.covariances_, rtol=0, atol=1e-6)


@every_type
def test_dask_files_and_archives(kind, tmp_path):
    X, _ = load_iris(return_X_y=True)
    np.save(tmp_path / "rows.npy", X)
    model = GaussianMixture(3, covariance_type=kind, random_state=0).fit(X)
    for rows in (da.from_array(X, chunks=(60, 4)), str(tmp_path / "rows.npy")):
        other = GaussianMixture(3, covariance_type=kind, random_state=0).fit(rows)
        assert other.covariance_type_ == model.covariance_type_
        assert_allclose(other.means_, model.means_, rtol=0, atol=1e-5)
        assert other.objective_ == pytest.approx(model.objective_, rel=1e-9)
    sc.save(model, tmp_path / "model")
    loaded = sc.load(tmp_path / "model")
    assert loaded.covariance_type_ == model.covariance_type_
    assert_array_equal(loaded.predict_proba(X), model.predict_proba(X))


def test_a_checkpoint_keeps_the_choice(tmp_path):
    X, _ = load_iris(return_X_y=True)
    made = {"covariance_type": "auto", "random_state": 0}
    plain = GaussianMixture(3, **made).fit(X)
    for _ in range(2):
        kept = GaussianMixture(3, **made, checkpoint=tmp_path / "fit").fit(X)
        assert kept.covariance_type_ == plain.covariance_type_
        assert_array_equal(kept.memberships_, plain.memberships_)


def test_many_rows_choose_on_a_sample():
    X, y = gaussian_rows("tied", 0, each=10_000)
    model = GaussianMixture(3, covariance_type="auto", random_state=0).fit(X)
    assert model.covariance_type_ == "tied"
    theirs = Theirs(3, covariance_type="tied", random_state=0).fit_predict(X)
    assert adjusted_rand_score(y, model.labels_) >= adjusted_rand_score(y, theirs) - 0.01


@every_type
def test_noise_with_a_prior(kind):
    rng = np.random.default_rng(1)
    X = np.vstack([rng.normal(size=(150, 2)) + np.repeat([[0, 0], [12, 1], [5, 11]], 50, axis=0)])
    both = np.vstack([X, rng.uniform(-20, 30, (40, 2))])
    model = GaussianMixture(3, covariance_type=kind, noise=True, random_state=0).fit(both)
    assert adjusted_rand_score(np.repeat([0, 1, 2], 50), model.labels_[:150]) == 1
    assert model.outlier_mask_[150:].mean() > 0.8
    assert model.outlier_mask_[:150].mean() < 0.03


@pytest.mark.parametrize("prior", ["auto", 0.0])
@every_type
def test_a_component_without_rows_has_no_weight_and_a_warning(kind, prior):
    X = np.random.default_rng(0).normal(size=(50, 2)) + np.repeat([[0], [9]], 25, axis=0)
    start = np.vstack([X[0], X[-1], [1e6, 1e6]]), np.tile(np.eye(2), (3, 1, 1)), np.full(3, 1 / 3)
    model = GaussianMixture(3, covariance_type=kind, covariance_prior=prior, init=start)
    with pytest.warns(DegenerateClusterWarning, match="Component 2 is without rows"):
        model.fit(X)
    assert model.weights_[2] == 0
    P = model.predict_proba(np.vstack([X, [[1e6, 1e6], [-1e9, 3.0]]]))
    assert np.isfinite(P).all() and np.isfinite(model.covariances_).all()
    assert_allclose(P.sum(axis=1), 1)


def test_plain_maximum_likelihood_by_its_acronym():
    X, _ = load_iris(return_X_y=True)
    model = sc.make("gmm", 3, random_state=0).fit(X)
    assert model.covariance_type_ == "full"
    assert model.lower_bound_ == pytest.approx(-1.201, abs=1e-3)
    assert model.objective_ == pytest.approx(-150 * model.score(X))


def test_many_features_and_few_rows():
    X, y = load_digits(return_X_y=True)
    X = scale(X)[:300]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = GaussianMixture(10, random_state=0).fit(X)
    assert adjusted_rand_score(y[:300], model.labels_) > 0.35
    assert np.isfinite(model.predict_proba(50 * X)).all()


def test_the_prior_of_few_distinct_rows_does_not_follow_their_rounding():
    """Most rows are a cluster of their own in the pilot run, and at its centre but for rounding."""
    for seed in range(20):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(6, 2))[rng.integers(6, size=18)]
        within = []
        for unit in (1.0, 1.27, 37.3):
            source = source_of(rows_in_units(X * unit), 1)
            within.append(source.rows.units.squares_to_data(pilot(source, 4).within) / unit**2)
        assert_allclose(within[1:], [within[0]] * 2, rtol=1e-6, atol=1e-12)


def test_bad_priors_are_refused():
    for wrong in (-1, "none", None):
        with pytest.raises(ValueError, match="covariance_prior"):
            GaussianMixture(3, covariance_prior=wrong).fit(np.eye(5))
