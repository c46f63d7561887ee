"""The objective never rises: over whole fits, and at each half-step of the loop."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import softclust
from configurations import configurations
from softclust import GaussianMixture
from softclust.grammar.prototypes import Gaussians
from softclust.grammar.sweep import sweep_by_parts
from softclust.sources.rows import Rows

# Schneider's weights follow the centres, so J is not one function there.
# Of two it is known that J may rise: weights that follow the centres, and Gath & Geva's prototypes.
_RISING = ("density_from", "gath-geva")
DESCENDING = [(n, make) for n, make in configurations() if n != "gg" and not any(w in n for w in _RISING)]
# Radial shells are no minimisers: the loop goes back until J falls, a single step need not lower it.
STEPWISE = [(n, make) for n, make in DESCENDING if n not in ("fces", "pces") and "radial" not in n]
# A given CentralDistance may have no minimum on such data, and a line in one feature is the whole space.
REFUSED = {"spcm": "no minimum", "FuzzyCMeans-geometry=lines": "1 feature"}

pytestmark = [
    pytest.mark.usefixtures("few_starts_of_shells"),
    pytest.mark.filterwarnings(
        "ignore::softclust.DegenerateClusterWarning",
        "ignore::sklearn.exceptions.ConvergenceWarning",
    ),
]

# Numbers on a grid: duplicates, collinear rows and constant features come by themselves.
coordinates = st.integers(-40, 40).map(lambda i: i / 8)
data = st.tuples(st.integers(6, 40), st.integers(1, 4)).flatmap(
    lambda shape: arrays(np.float64, shape, elements=coordinates)
)


def never_rises(history, rounding=0.0):
    history = np.asarray(history)
    return bool((np.diff(history) <= 1e-10 * np.abs(history).max() + rounding).all())


def rounding_of(model, X):
    """What J of these shapes is known to: gaps of shells are differences from 1, and squared distances by
    a matrix lose its condition number.
    """
    if hasattr(model, "semi_axes_"):
        return 1e-18
    if isinstance(model, GaussianMixture) and model.covariance_type in ("full", "tied"):
        return X.size * np.finfo(float).eps * np.linalg.cond(model.covariances_).max()
    return 0.0


@pytest.mark.parametrize(("name", "make"), DESCENDING, ids=[name for name, _ in DESCENDING])
@settings(max_examples=5, phases=[Phase.explicit, Phase.generate])
@given(X=data, seed=st.integers(0, 2**16))
def test_objective_never_rises(name, make, X, seed):
    model = make(random_state=seed, max_iter=40)
    if hasattr(model, "reg_covar"):  # what it adds to covariances, as in scikit-learn, is no term of J
        model.set_params(reg_covar=0.0)
    try:
        model.fit(X)
    except ValueError as error:
        assert REFUSED[name] in str(error)
        return
    assert np.isfinite(model.objective_history_).all()
    assert never_rises(model.objective_history_, rounding_of(model, X))
    assert model.objective_ == model.objective_history_[-1]


@pytest.mark.parametrize("acceleration", ["lbfgs", "anderson", "squarem"])
def test_mixtures_by_their_acronym(acceleration):
    """As the paper has them, without `reg_covar`: no exception is needed."""
    for draw in range(30):
        rng = np.random.default_rng(draw)
        X = rng.normal(size=(rng.integers(6, 40), rng.integers(1, 6)))
        model = softclust.make("gmm", 3, random_state=0, acceleration=acceleration).fit(X)
        assert never_rises(model.objective_history_, rounding_of(model, X))


@pytest.mark.parametrize(("name", "make"), STEPWISE, ids=[name for name, _ in STEPWISE])
def test_each_half_step_descends(name, make, iris):
    """New centres for fixed memberships, then new memberships for fixed centres."""
    X, _ = iris
    fitted = make(max_iter=1, acceleration=None, n_init=1).fit(X)
    model, state = fitted._fitted.model, fitted._fitted.state
    rows = Rows(X, fitted._fitted.units)
    if isinstance(model.prototypes, Gaussians):  # what `reg_covar` adds is no term of J
        model = replace(model, prototypes=replace(model.prototypes, reg=0.0))
    start = np.random.default_rng(0).normal(scale=0.05, size=state.centers.shape)
    state = replace(state, theta=(state.centers + start, *state.theta[1:]))

    def costs(theta):
        return model.frame.costs(model.prototypes.distances(rows.points, theta, model.frame))

    for _ in range(6):
        D = costs(state.theta)
        W, _ = model.partition.influence(D, model.scale(state.scale), model.frame.noise)
        stats = sweep_by_parts(rows, model, state)
        before = model.objective(state, stats)
        theta = model.prototypes.solve(stats, state.theta, model.frame, model.separation)
        new = replace(state, theta=theta)
        # For fixed memberships J changes with the costs through W alone.
        change = (W * (costs(theta) - D)).sum()
        change += model.prototypes.penalty(theta) - model.prototypes.penalty(state.theta)
        if model.separation:
            change += model.separation.value(theta[0]) - model.separation.value(state.centers)
        assert change <= 1e-10 * abs(before)
        after = model.objective(new, sweep_by_parts(rows, model, new))
        assert after <= before + change + 1e-10 * abs(before)
        state = new


@pytest.mark.parametrize("acronym", ["fcm", "pfcm", "ipcm", "pcm-entropy"])
def test_no_direction_leads_down_from_the_answer(acronym, iris):
    """L-BFGS on the reduced objective, started at the answer, finds nothing better."""
    from scipy.optimize import minimize

    X, _ = iris
    fitted = softclust.make(acronym, 3, random_state=0, tol=1e-10, max_iter=3000).fit(X)
    rows = Rows(X, fitted._fitted.units)

    def reduced(v):
        state = replace(fitted._fitted.state, theta=(v.reshape(3, 4),))
        return sweep_by_parts(rows, fitted._fitted.model, state).loss

    start = fitted._fitted.state.centers.ravel()
    best = minimize(reduced, start, method="L-BFGS-B")
    assert best.fun >= reduced(start) - 1e-9 * abs(reduced(start))
