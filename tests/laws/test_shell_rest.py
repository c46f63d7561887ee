"""Shells that say converged rest: no direction within the bounds lowers J, in any unit of the data."""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import load_digits
from sklearn.exceptions import ConvergenceWarning

from configurations import FUZZY, POSSIBILISTIC
from softclust.datasets import make_ellipses
from softclust.grammar.frame import Frame
from softclust.grammar.prototypes import Lines, Planes, RadialShells, Shells
from softclust.grammar.prototypes.bounded import Bounds

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def rings(seed, p, c):
    """Rings of different axes with outliers: shells through several of them reach their bounds."""
    rng = np.random.default_rng(seed)
    U = rng.normal(size=(c, 100, p))
    U /= np.linalg.norm(U, axis=2, keepdims=True)
    X = rng.uniform(-3, 3, (c, 1, p)) + U * rng.uniform(0.5, 2.5, (c, 1, p))
    return np.vstack([*X, rng.uniform(-6, 6, (30, p))]) + 0.05 * rng.normal(size=(100 * c + 30, p))


def objective(model, X, V, B):
    """J of FuzzyCMeans or PossibilisticCMeans with the best memberships, for shells |B^-1 (x - v)| = 1."""
    Y = X[:, None] - V
    r = np.linalg.norm(np.einsum("kab,nkb->nka", np.linalg.inv(B), Y), axis=2)
    gap = r - 1 if model.geometry == "shells" else np.linalg.norm(Y, axis=2) * (1 - 1 / r)
    D, power = np.maximum(gap**2, 1e-300), 1 / (model.m_ - 1)
    if isinstance(model, FUZZY):
        return float(((D**-power).sum(axis=1) ** (-1 / power)).sum())
    T = 1 / (1 + (D / model.scale_) ** power)
    return float((T**model.m_ * D + model.scale_ * (1 - T) ** model.m_).sum())


def lowest_nearby(model, X):
    """J of the fit, and the lowest J on the way of steepest descent, projected on the bounds."""
    values, vectors = np.linalg.eigh(model.covariances_)
    V, B = model.cluster_centers_, (vectors * np.sqrt(values)[:, None, :]) @ vectors.transpose(0, 2, 1)
    reach = np.ptp(X, axis=0).max()
    bounds, point = Bounds(reach, 1e-4 * reach), np.concatenate([B, V[:, :, None]], axis=2)

    def at(point):
        B = 0.5 * (point[:, :, :-1] + point[:, :, :-1].transpose(0, 2, 1))
        _, L = bounds.within(np.zeros(V.shape), B)
        return objective(model, X, point[:, :, -1], np.linalg.inv(L))

    slope, h = np.zeros(point.shape), 1e-6 * reach
    for place in np.ndindex(point.shape):
        one = np.zeros(point.shape)
        one[place] = h
        B = 0.5 * (one[:, :, :-1] + one[:, :, :-1].transpose(0, 2, 1))
        one = np.concatenate([B, one[:, :, -1:]], axis=2)
        ends = [
            objective(model, X, (point + s * one)[:, :, -1], (point + s * one)[:, :, :-1]) for s in (1, -1)
        ]
        slope[place] = (ends[0] - ends[1]) / (2 * h)
    slope *= reach / np.linalg.norm(slope)
    return at(point), min(at(point - step * slope) for step in 10.0 ** np.arange(-6, -1, 0.25))


@pytest.mark.parametrize("geometry", ["shells", "radial-shells"])
@pytest.mark.parametrize(
    ("cls", "seed", "p", "c"), [(FUZZY, 18, 2, 2), (FUZZY, 34, 2, 3), (POSSIBILISTIC, 2, 3, 2)]
)
def test_converged_shells_rest(geometry, cls, seed, p, c):
    rest(geometry, cls, seed, p, c)


@pytest.mark.slow
@pytest.mark.parametrize("geometry", ["shells", "radial-shells"])
@pytest.mark.parametrize("seed", range(40))
def test_converged_shells_rest_in_forty_draws(geometry, seed):
    cls = FUZZY if seed % 4 else POSSIBILISTIC
    rest(geometry, cls, seed, 2 + seed % 2, 2 + seed % 3)


def rest(geometry, cls, seed, p, c):
    """Fit shells, and look for a lower J nearby."""
    X = rings(seed, p, c)
    model = cls(c, geometry=geometry, random_state=seed, max_iter=1000).fit(X)
    value, lowest = lowest_nearby(model, X)
    assert_allclose(value, model.objective_, rtol=1e-6)
    assert not model.converged_ or lowest >= (1 - 1e-6) * value
    assert (np.diff(model.objective_history_) <= 1e-10 * model.objective_history_[0]).all()


def test_a_step_that_never_lowers_the_objective_is_no_convergence(monkeypatch):
    """The loop gives up, says so, and does not call it rest."""
    X, _ = make_ellipses(200, noise=0.05, random_state=0)
    away = lambda self, stats, theta, times: (theta[0] + 1.0, theta[1])  # noqa: E731
    monkeypatch.setattr(RadialShells, "_moved", away)
    start = np.array([[-1.8, 0.2], [2.7, 1.1]]), np.array([np.diag([8.0, 2.0]), np.diag([2.0, 5.0])])
    with pytest.warns(ConvergenceWarning, match="No part of the step"):
        model = FUZZY(2, geometry="radial-shells", init=start).fit(X)
    assert not model.converged_


@pytest.mark.parametrize("kind", [Shells, RadialShells])
def test_packed_shells_are_lengths(kind):
    """In another unit all packed numbers change by one factor, so that extrapolations do not change."""
    rng = np.random.default_rng(0)
    V, A = rng.normal(size=(3, 2)), rng.normal(size=(3, 2, 2)) + 2 * np.eye(2)
    one, other = kind.within(9.0), kind.within(9.0 * 1.27)
    theta, scaled = one.begin(V, A), other.begin(1.27 * V, A / 1.27)
    assert_allclose(other.packed(scaled), 1.27 * one.packed(theta), rtol=1e-12)
    for new, old in zip(one.unpacked(one.packed(theta), theta), theta, strict=True):
        assert_allclose(new, old, rtol=1e-12)


@pytest.mark.parametrize("kind", [Lines, Planes])
def test_packed_varieties_have_no_unit(kind):
    V, P = np.random.default_rng(0).normal(size=(3, 4)), np.tile(np.diag([1.0, 1.0, 0.0, 0.0]), (3, 1, 1))
    assert_allclose(kind(1.27).packed((1.27 * V, P)), kind(1.0).packed((V, P)), rtol=1e-12)


@pytest.mark.parametrize("geometry", ["shells", "radial-shells", "ellipsoids", "lines", "planes"])
@pytest.mark.parametrize("factor", [1.27, 1e3])
def test_units_change_no_answer(geometry, factor, iris):
    """J counts squared lengths, or pure numbers; data without ties, whose order rounding would decide."""
    X = iris[0] + 0.01 * np.random.default_rng(0).normal(size=iris[0].shape)
    c = 3
    if "shells" in geometry:
        X, c = make_ellipses(300, noise=0.1, random_state=1)[0], 2
    one, other = (FUZZY(c, geometry=geometry, random_state=0).fit(data) for data in (X, factor * X))
    assert_allclose(
        other.objective_ / (1.0 if geometry == "shells" else factor**2), one.objective_, rtol=1e-6
    )


def test_shells_move_in_many_features():
    """A circle through rows with many features is wider than any feature: it is within the bounds."""
    X = load_digits().data[:100]
    squares = 1.5 * ((X - X.mean(axis=0)) ** 2).sum(axis=1).mean()
    assert np.sqrt(squares) > 2 * np.ptp(X, axis=0).max()
    start = X[[0, 50]], np.tile(squares * np.eye(64), (2, 1, 1))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = FUZZY(2, geometry="radial-shells", init=start, max_iter=5).fit(X)
    assert model.objective_history_[-1] < 0.1 * model.objective_history_[0]


def test_steps_in_many_features_keep_to_their_walls():
    """A semi-axis of 9.99 whose bound is 10 grows to 10, however far the gradient would take it."""
    p = 3
    B, gradient = np.diag([9.99, 3.0, 2.0])[None], np.zeros((1, p, p + 1))
    gradient[0, 0, 0] = -5.0
    form = np.tile(np.eye(p), (1, 2, 1, 1))
    D = Bounds(10.0, 1e-3).changes(np.zeros((1, p)), B, gradient, form)
    assert_allclose(D[0, 0, 0], 0.01, rtol=1e-9)


def test_a_row_on_the_centre_sees_the_shortest_semi_axis():
    part, L = RadialShells.within(100.0), np.diag([1 / 4, 1.0, 1 / 2])[None]
    theta = part.begin(np.zeros((1, 3)), L)
    slopes = part.moments(np.zeros((1, 3)), np.ones((1, 1)), theta, Frame.singletons(1))[0]
    assert_allclose(slopes[0, :, :3], np.diag([0.0, 1.0, 0.0]), atol=1e-12)
    assert_allclose(np.abs(slopes[0, :, 3]), [0.0, 1.0, 0.0], atol=1e-12)
