"""What must hold when something is known of some rows."""

import pickle
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import Phase, example, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.cluster import KMeans

import softclust as sc
from configurations import (
    ESTIMATORS,
    EVIDENTIAL,
    FUZZY,
    HARD,
    IMPROVED,
    MIXED,
    PARTITIONS,
    POSSIBILISTIC,
    WITH_DEGREES,
    as_parameters,
)
from configurations import _named as named
from softclust.grammar.frame import Frame
from softclust.grammar.model import Model
from softclust.grammar.partitions import Members
from softclust.grammar.prototypes import Points
from softclust.grammar.state import State
from softclust.grammar.sweep import assign, assign_by_parts, sweep, sweep_by_parts
from softclust.knowledge.label_strength import check_strength
from softclust.knowledge.labels import Known, check_labels
from softclust.knowledge.penalties import LabelPenalty
from softclust.sources import LocalSource
from softclust.sources.rows import Rows
from softclust.sources.units import Units

pytestmark = pytest.mark.filterwarnings(
    "ignore::softclust.DegenerateClusterWarning", "ignore::sklearn.exceptions.ConvergenceWarning"
)

SETTINGS = [named(cls) for cls in ESTIMATORS] + [
    named(HARD, noise_distance=2.0),
    named(FUZZY, m=1.4),
    named(FUZZY, m=3.0),
    named(FUZZY, noise_distance=2.0),
    named(POSSIBILISTIC, m=2.0),
    named(POSSIBILISTIC, penalty="entropy"),
    named(POSSIBILISTIC, separation=sc.Repulsion()),
    named(MIXED, m=1.5, eta=3.0),
    named(MIXED, noise_distance=2.0),
    named(IMPROVED, variant=1, m=1.5, eta=3.0),
    named(IMPROVED, noise_distance=2.0),
]
every_setting = pytest.mark.parametrize("make", **as_parameters(SETTINGS))
# Labels as degrees that rows are drawn to; those of evidential c-means ask for plausibility.
DEGREES = [(name, make) for name, make in SETTINGS if make.func is not EVIDENTIAL]
every_degree = pytest.mark.parametrize("make", **as_parameters(DEGREES))
every_estimator = pytest.mark.parametrize("cls", ESTIMATORS)
# A few plain iterations: near a saddle a whole fit amplifies rounding without bound.
SHORT = {"max_iter": 5, "tol": 0.0, "acceleration": None}
INF = float("inf")


@pytest.fixture(scope="module")
def told():
    """Iris, and the class of some rows, three of them wrong."""
    from sklearn.datasets import load_iris

    X, y = load_iris(return_X_y=True)
    known = np.random.default_rng(0).choice(150, 30, replace=False)
    labels = np.full(150, -1)
    labels[known] = y[known]
    labels[known[:3]] = (labels[known[:3]] + 1) % 3
    return X, labels


def start(X):
    return X[[3, 60, 120]] + 0.01


def degrees(n, seed=0):
    """Soft labels of half the rows: sums of one, below and above, and entries of which nothing is said."""
    rng = np.random.default_rng(seed)
    F = rng.uniform(0, 1, (n, 3))
    F[::3] = rng.dirichlet(np.ones(3), len(F[::3]))
    F[rng.random((n, 3)) < 0.3] = np.nan
    F[rng.random(n) < 0.5] = np.nan
    return F


def same(one, two, atol=0.0):
    for name in ("cluster_centers_", "memberships_"):
        assert_allclose(getattr(one, name), getattr(two, name), rtol=0, atol=atol)
    assert_array_equal(one.labels_, two.labels_)


# ---------------------------------------------------------------------- descent
# Numbers on a grid: duplicates, collinear rows and constant features come by themselves.
coordinates = st.integers(-40, 40).map(lambda i: i / 8)
strengths = st.sampled_from([0.0, 0.01, 0.3, 1.0, 5.0, 100.0, INF])


@st.composite
def scenes(draw):
    """Rows, classes or degrees of some, and a strength or one for each row."""
    n, p = draw(st.integers(6, 30)), draw(st.integers(1, 3))
    X = draw(arrays(np.float64, (n, p), elements=coordinates))
    if draw(st.booleans()):
        y = draw(arrays(np.int64, n, elements=st.sampled_from([-1, -1, 0, 1, 2])))
    else:
        degree = st.sampled_from([np.nan, 0.0, 0.25, 0.5, 0.9, 1.0])
        y = draw(arrays(np.float64, (n, 3), elements=degree, fill=st.just(np.nan)))
    strength = draw(strengths | arrays(np.float64, n, elements=strengths) | st.just("auto"))
    return X, y, strength


def on_a_centre():
    """A row ends on a centre, and its label is a degree in another cluster."""
    X = np.array([[-5.0], [-3.0], [1.5], [3.25], [1.25], [-4.875], [0.875], [-1.5]])
    y = np.full((8, 3), np.nan)
    y[4, :2], y[5, 0], y[7, 1] = 1.0, 0.9, 0.9
    return X, y, INF


def never_rises(history):
    history = np.asarray(history)
    return bool((np.diff(history) <= 1e-10 * np.abs(history).max()).all())


@every_setting
@example(scene=on_a_centre(), seed=194)
@settings(max_examples=25, phases=[Phase.explicit, Phase.generate])
@given(scene=scenes(), seed=st.integers(0, 2**16))
def test_objective_never_rises(make, scene, seed):
    X, y, strength = scene
    model = make(random_state=seed, max_iter=30, label_strength=strength).fit(X, y)
    assert np.isfinite(model.objective_history_).all()
    assert never_rises(model.objective_history_)
    assert np.isfinite(model.cluster_centers_).all()
    assert_allclose(model.memberships_.sum(axis=1), 1.0, rtol=1e-12)
    assert (model.memberships_ >= 0).all()
    assert ((model.outlier_scores_ >= 0) & (model.outlier_scores_ <= 1)).all()
    if hasattr(model, "typicalities_"):
        assert ((model.typicalities_ >= 0) & (model.typicalities_ <= 1)).all()


EXTREMES = [named(cls, m=m) for cls in (FUZZY, POSSIBILISTIC) for m in (1.001, 1.05, 1.1, 20.0)]
EXTREMES += [named(MIXED, eta=eta) for eta in (1.001, 1.05, 1.1, 20.0)]
EXTREMES += [named(IMPROVED, variant=1, m=m, eta=m) for m in (1.01, 1.05, 1.1, 20.0)]


@pytest.mark.parametrize("strength", [0.5, pytest.param(5.0, marks=pytest.mark.slow), INF])
@pytest.mark.parametrize("make", **as_parameters(EXTREMES))
def test_extreme_exponents(make, strength, told):
    """Rows on a grid, so that some lie on the centres from which the fit starts; three labels are wrong."""
    X, labels = told
    X = np.round(4 * X)
    init = X[np.flatnonzero(labels >= 0)[:3]]
    for y in (labels, degrees(len(X))):
        model = make(init=init, label_strength=strength, max_iter=30).fit(X, y)
        assert np.isfinite(model.cluster_centers_).all()
        assert np.isfinite(model.memberships_).all()
        assert never_rises(model.objective_history_)


def with_knowledge(fitted, X, y):
    """The rows of a fit in its units, with what `y` says of them."""
    labels, c = check_labels(y, len(X), 3)
    _, confidence = check_strength(fitted.label_strength, labels, len(X))
    return Rows(X, fitted._fitted.units, known=labels.known(c, confidence))


def prescribed(kind, X, labels):
    return {"classes": labels, "degrees": degrees(len(X))}[kind]


@pytest.mark.parametrize("kind", ["classes", "degrees"])
@every_degree
def test_each_half_step_descends(make, kind, told):
    """New centres for fixed memberships, then new memberships for fixed centres."""
    X, labels = told
    y = prescribed(kind, X, labels)
    strength = np.random.default_rng(1).uniform(0, 5, len(X))
    fitted = make(max_iter=1, acceleration=None, n_init=1, label_strength=strength).fit(X, y)
    model, state = fitted._fitted.model, fitted._fitted.state
    rows = with_knowledge(fitted, X, y)
    move = np.random.default_rng(0).normal(scale=0.05, size=state.centers.shape)
    state = replace(state, theta=(state.centers + move,))
    for _ in range(6):
        stats = sweep_by_parts(rows, model, state)
        before = model.objective(state, stats)
        theta = model.prototypes.solve(stats, state.theta, model.frame, model.separation)
        # For fixed memberships J changes with the centres through W alone: sum_k s_k |v|^2 - 2 v'M.
        moved, old = theta[0], state.centers
        change = (stats.weight[:, None] * (moved**2 - old**2)).sum()
        change -= 2 * (stats.moments[0] * (moved - old)).sum()
        if model.separation:
            change += model.separation.value(moved) - model.separation.value(old)
        assert change <= 1e-10 * abs(before)
        state = replace(state, theta=theta)
        after = model.objective(state, sweep_by_parts(rows, model, state))
        assert after <= before + change + 1e-10 * abs(before)


def reduced(fitted, rows):
    """J of the centres, with the memberships minimised out, and the sweep behind it."""
    source = LocalSource(rows)

    def value(V):
        state = replace(fitted._fitted.state, theta=(V,))
        stats = source.reduce(sweep, fitted._fitted.model, state)
        return fitted._fitted.model.objective(state, stats), stats

    return value


def slopes(value, V, step=1e-5):
    out = np.empty(V.shape)
    for place in np.ndindex(*V.shape):
        shift = np.zeros(V.shape)
        shift[place] = step
        out[place] = (value(V + shift)[0] - value(V - shift)[0]) / (2 * step)
    return out


@pytest.mark.parametrize("kind", ["classes", "degrees"])
@every_degree
def test_the_influence_is_the_gradient(make, kind, told):
    """Away from the answer, dJ/dv_k = 2 (s_k v_k - m_k) + that of the separation."""
    X, labels = told
    y = prescribed(kind, X, labels)
    fitted = make(init=start(X), label_strength=2.0, **SHORT).fit(X, y)
    value = reduced(fitted, with_knowledge(fitted, X, y))
    V = fitted._fitted.state.centers + np.random.default_rng(2).normal(scale=0.05, size=(3, 4))
    J, stats = value(V)
    expected = 2 * (stats.weight[:, None] * V - stats.moments[0])
    if fitted._fitted.model.separation:
        expected += fitted._fitted.model.separation.gradient(V)
    assert_allclose(slopes(value, V), expected, rtol=1e-5, atol=1e-5 * abs(J))


@pytest.mark.parametrize("strength", [0.5, 20.0])
@pytest.mark.parametrize("kind", ["classes", "degrees"])
@every_degree
def test_the_gradient_vanishes_at_the_answer(make, kind, strength, told):
    X, labels = told
    y = prescribed(kind, X, labels)
    fitted = make(label_strength=strength, tol=1e-9, max_iter=3000).fit(X, y)
    assert fitted.converged_
    value = reduced(fitted, with_knowledge(fitted, X, y))
    V = fitted._fitted.state.centers
    J, _ = value(V)
    assert_allclose(fitted._fitted.units.squares_to_data(J), fitted.objective_, rtol=1e-12)
    assert np.abs(slopes(value, V)).max() <= 1e-5 * abs(J)


# ---------------------------------------------------------------------- compiled passes
SHAPES = [(1, 1, 1), (127, 3, 2), (129, 5, 4), (300, 2, 3)]
RELATIVE = {np.float64: 1e-11, np.float32: 2e-4}


def known_scene(n, p, c, dtype, share, seed=0):
    """Rows about c centres, and something said of a share of them."""
    rng = np.random.default_rng(seed)
    V = rng.normal(size=(c, p))
    X = rng.normal(size=(n, p)) + V[rng.integers(c, size=n)]
    units = Units(0.5, rng.normal(size=p))
    place = np.flatnonzero(rng.random(n) < share)
    target = rng.uniform(0, 1, (len(place), c))
    target[::2] = np.eye(c)[rng.integers(c, size=len(target[::2]))]
    target[rng.random(target.shape) < 0.2] = np.nan
    confidence = rng.uniform(0, 2, len(place))
    confidence[::5] = 0.0
    rows = Rows(units.to_data(X).astype(dtype), units, rng.uniform(0, 2, n))
    rows = replace(rows, known=Known(place, target, confidence) if len(place) else None)
    return rows, State((V,), rng.uniform(0.5, 3.0, c))


def model_of(partition, c, noise, alpha, printed=False):
    return Model(
        Points(), partition, Frame.singletons(c, noise), labels=LabelPenalty(alpha, printed_centers=printed)
    )


def assigned(rows, model, state):
    n, c, dtype = len(rows), model.n_clusters, rows.X.dtype
    out = Members(
        np.empty((n, c), dtype),
        np.empty((n if model.partition.has_typicalities else 0, c), dtype),
        np.empty(n, np.int32),
        np.empty(n, dtype),
    )
    assign(rows, out, model, state)
    return out


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("partition", PARTITIONS, ids=str)
def test_compiled_passes_equal_their_parts(partition, shape):
    for case in product((0.3, 1.0), ((0.0, 1.5, False), (1.5, 20.0, True)), (np.float64, np.float32)):
        _assert_equal_their_parts(partition, shape, *case)


def _assert_equal_their_parts(partition, shape, share, labels, dtype):
    noise, alpha, printed = labels
    noise = noise if partition.has_noise else 0.0
    rows, state = known_scene(*shape, dtype, share)
    model = model_of(partition, shape[2], noise, alpha, printed)
    assert model.rule is not None
    one, two = sweep(rows, model, state), sweep_by_parts(rows, model, state)
    rtol = RELATIVE[dtype]
    for name in ("loss", "weight", "scatter"):
        assert_allclose(getattr(one, name), getattr(two, name), rtol=rtol, atol=rtol)
    size = np.abs(two.moments[0]).max() + 1
    assert_allclose(one.moments[0], two.moments[0], rtol=rtol, atol=rtol * size)
    out, expected = assigned(rows, model, state), assign_by_parts(rows, model, state)
    atol = {np.float64: 1e-11, np.float32: 1e-4}[dtype]
    assert_allclose(out.memberships, expected.memberships, atol=atol)
    assert_allclose(out.scores, expected.scores, atol=atol)
    if partition.has_typicalities:
        assert_allclose(out.typicalities, expected.typicalities, atol=atol)
    assert (out.labels == expected.labels).mean() > (0.999 if dtype is np.float64 else 0.98)


@pytest.mark.parametrize("partition", PARTITIONS, ids=str)
def test_blocks_see_what_is_known_of_their_rows(partition):
    """Sums over blocks that do not end with a tile equal those over all; so do picked rows."""
    rows, state = known_scene(400, 3, 3, np.float64, 0.3)
    model = model_of(partition, 3, 0.0, 3.0)
    whole = sweep(rows, model, state)
    for size in (1, 77, 128, 333):
        parts = LocalSource(rows, threads=2, block_rows=size).reduce(sweep, model, state)
        assert_allclose(parts.loss, whole.loss, rtol=1e-12)
        assert_allclose(parts.moments[0], whole.moments[0], rtol=1e-11, atol=1e-10)
    everything = assigned(rows, model, state)
    for which in (slice(17, 18), slice(100, 300), np.arange(0, 400, 7), np.arange(399, -1, -1)):
        part = assigned(rows.take(which), model, state)
        assert_array_equal(part.memberships, everything.memberships[which])
        assert_array_equal(part.labels, everything.labels[which])


# ---------------------------------------------------------------------- limits
@every_setting
def test_strength_0_is_no_label(make, told):
    X, labels = told
    for y in (labels, degrees(len(X))):
        one = make(init=start(X), label_strength=0, **SHORT).fit(X, y)
        same(one, make(init=start(X), **SHORT).fit(X), atol=1e-12)


@every_setting
def test_strength_0_says_nothing_of_far_rows_either(make):
    """Also where every typicality of a row vanishes."""
    X = np.vstack([np.random.default_rng(0).normal(c, 0.3, (20, 2)) for c in ([0, 0], [10, 0], [0, 10])])
    X = np.vstack([X, [[60.0, 5.0], [5.0, 80.0]]])  # nearest to the second and to the third
    y = np.full(len(X), -1)
    y[[0, 20, 40, 60, 61]] = [0, 1, 2, 0, 0]
    plain = make(init=X[[1, 21, 41]], **SHORT)
    plain.set_params(**{"scale": [0.5, 0.3, 0.4]} if "scale" in plain.get_params() else {})
    one = clone(plain).set_params(label_strength=0).fit(X, y)
    same(one, plain.fit(X), atol=1e-12)


PINNED = {POSSIBILISTIC: "typicalities_", MIXED: "typicalities_"}


@every_degree
def test_infinite_strength_obeys(make, told):
    """Wrong labels too, wherever the row lies."""
    X, labels = told
    model = make(label_strength=INF).fit(X, labels)
    known = np.flatnonzero(labels >= 0)
    shares = getattr(model, PINNED.get(type(model), "memberships_"))
    assert_allclose(shares[known], np.eye(3)[labels[known]], rtol=0, atol=1e-6)
    assert_array_equal(model.labels_[known], labels[known])
    assert len(model.unsatisfied_) == 0


@pytest.mark.parametrize("cls", WITH_DEGREES)
def test_infinite_strength_obeys_far_from_the_class(cls, blobs):
    """Two clouds a dozen radii apart, and a row of the one called the other."""
    X, truth = blobs
    y = np.full(len(X), -1)
    y[::10] = truth[::10]
    y[5] = (truth[5] + 1) % 3
    model = cls(3, label_strength=INF, random_state=0).fit(X, y)
    known = np.flatnonzero(y >= 0)
    assert_array_equal(model.labels_[known], y[known])
    assert len(model.unsatisfied_) == 0


@every_setting
def test_soft_labels_of_one_class_are_labels(make, told):
    X, labels = told
    F = np.full((len(X), 3), np.nan)
    F[labels >= 0] = np.eye(3)[labels[labels >= 0]]
    one, two = make().fit(X, labels), make().fit(X, F)
    same(one, two)
    assert_array_equal(one.unsatisfied_, two.unsatisfied_)
    assert one.objective_ == two.objective_


@every_setting
def test_labels_that_say_nothing(make, told):
    X, _ = told
    plain = make().fit(X)
    for y in (np.full(150, -1), np.full(150, None), np.full((150, 3), np.nan), np.ones((150, 3))):
        model = make().fit(X, y)
        same(model, plain)
        assert model.objective_ == plain.objective_
        assert model.label_strength_ is None
        assert len(model.unsatisfied_) == 0


def test_hard_without_labels_is_k_means(told):
    X, _ = told
    one = HARD(3, init=start(X), tol=0.0).fit(X, np.full(150, -1))
    two = KMeans(3, init=start(X), n_init=1, tol=0.0, algorithm="lloyd").fit(X)
    assert_allclose(one.cluster_centers_, two.cluster_centers_, atol=1e-12)
    assert_array_equal(one.labels_, two.labels_)
    assert_allclose(one.objective_, two.inertia_, rtol=1e-12)


@pytest.mark.parametrize("strength", [1.0001, 2.0, 1e3, 1e8])
def test_hard_labels_hold_for_every_strength_above_1(strength, told):
    X, labels = told
    one = HARD(3, label_strength=strength, random_state=0).fit(X, labels)
    two = HARD(3, label_strength=INF, random_state=0).fit(X, labels)
    same(one, two)
    assert_allclose(one.objective_, two.objective_, rtol=1e-12)


@pytest.mark.parametrize("strength", [2.0, INF])
def test_the_hard_objective_with_labels_that_hold_is_inertia(strength, told):
    """No label is paid for, so J is the squared distance of each row to the centre of its cluster."""
    X, labels = told
    model = HARD(3, label_strength=strength, random_state=0).fit(X, labels)
    inertia = ((X - model.cluster_centers_[model.labels_]) ** 2).sum()
    assert_allclose(model.objective_, inertia, rtol=1e-12)
    assert never_rises(model.objective_history_)


def test_fuzzy_labels_are_mixed_in_with_their_strength(told):
    """m = 2 and degrees that sum to one: u = (u_FCM + alpha f) / (1 + alpha)."""
    X, labels = told
    model = FUZZY(3, label_strength=3.0, random_state=0).fit(X, labels)
    known = np.flatnonzero(labels >= 0)
    mixed = (model.predict_proba(X[known]) + 3 * np.eye(3)[labels[known]]) / 4
    assert_allclose(model.memberships_[known], mixed, atol=1e-12)


@pytest.mark.parametrize("kind", ["classes", "degrees"])
@every_degree
def test_stronger_labels_are_paid_for_less(make, kind, told):
    """At given centres J is the least of many lines in the strength: it rises, and bends down."""
    X, labels = told
    y = prescribed(kind, X, labels)
    fitted = make(init=start(X), label_strength=1.0, **SHORT).fit(X, y)
    rows = with_knowledge(fitted, X, y)
    alphas = np.array([0.0, 0.1, 1.0, 3.0, 10.0, 100.0, 1e4, 1e8])
    J = [
        sweep(rows, replace(fitted._fitted.model, labels=LabelPenalty(a)), fitted._fitted.state).loss
        for a in alphas
    ]
    bends = np.diff(J) / np.diff(alphas)
    size = 1e-10 * np.abs(J).max()
    assert (np.diff(J) >= -size).all()
    assert (np.diff(bends) <= size).all()


# ---------------------------------------------------------------------- laws
def strengths_of(n):
    return np.random.default_rng(4).uniform(0, 4, n)


@every_setting
def test_rows_in_another_order(make, told):
    X, labels = told
    order = np.random.default_rng(0).permutation(len(X))
    each = strengths_of(len(X))
    for y in (labels, degrees(len(X))):
        one = make(init=start(X), label_strength=each, **SHORT).fit(X, y)
        two = make(init=start(X), label_strength=each[order], **SHORT).fit(X[order], y[order])
        assert_allclose(two.cluster_centers_, one.cluster_centers_, atol=1e-10)
        assert_allclose(two.memberships_, one.memberships_[order], atol=1e-9)
        assert_array_equal(np.sort(order[two.unsatisfied_["row"]]), np.sort(one.unsatisfied_["row"]))


@every_setting
def test_clusters_in_another_order(make, told):
    X, _ = told
    order = [2, 0, 1]
    y = degrees(len(X))
    one = make(init=start(X), label_strength=2.0, **SHORT).fit(X, y)
    two = make(init=start(X)[order], label_strength=2.0, **SHORT).fit(X, y[:, order])
    assert_allclose(two.cluster_centers_, one.cluster_centers_[order], atol=1e-10)
    assert_allclose(two.memberships_, one.memberships_[:, order], atol=1e-9)


@every_setting
def test_translation(make, told):
    X, labels = told
    move = np.array([100.0, -50.0, 7.0, 0.5])
    one = make(init=start(X), **SHORT).fit(X, labels)
    two = make(init=start(X) + move, **SHORT).fit(X + move, labels)
    assert_allclose(two.cluster_centers_ - move, one.cluster_centers_, atol=1e-9)
    assert_allclose(two.objective_, one.objective_, rtol=1e-9)
    assert_allclose(two.label_strength_, one.label_strength_, rtol=1e-12)


@every_setting
def test_scaling_by_a_power_of_two_keeps_the_bits(make, told):
    X, labels = told
    for y in (labels, degrees(len(X))):
        one = make(init=start(X), **SHORT).fit(X, y)
        noise = one.noise_distance
        for s in (2.0**-300, 2.0**-7, 2.0**3, 2.0**500):
            changes = {} if noise is None else {"noise_distance": noise * s}
            two = make(init=start(X) * s, **SHORT, **changes).fit(X * s, y)
            assert_array_equal(two.memberships_, one.memberships_)
            assert_array_equal(two.labels_, one.labels_)
            assert_array_equal(two.cluster_centers_, one.cluster_centers_ * s)
            assert_array_equal(two.unsatisfied_, one.unsatisfied_)


@pytest.mark.parametrize("dtype", [np.float64, pytest.param(np.float32, marks=pytest.mark.slow)])
@every_estimator
def test_threads_do_not_change_the_bits(cls, dtype):
    rng = np.random.default_rng(0)
    truth = rng.integers(3, size=200_000)
    X = (rng.normal(size=(200_000, 3)) + 4 * np.eye(3)[truth]).astype(dtype)
    y = np.where(rng.random(200_000) < 0.02, truth, -1)
    y[[0, -1]] = 0
    models = [
        cls(3, init=4 * np.eye(3) + 0.5, label_strength=2.0, n_jobs=jobs, **SHORT).fit(X, y)
        for jobs in (1, 2)
    ]
    assert len(LocalSource(Rows(X, models[0]._fitted.units))._blocks) > 1
    same(*models)
    assert models[0].objective_ == models[1].objective_
    assert_array_equal(models[0].unsatisfied_, models[1].unsatisfied_)


@every_setting
def test_a_weight_is_a_number_of_copies(make, told):
    if make().separation is not None:
        pytest.skip("an automatic strength follows the weights; a given one does not")
    X, labels = told
    copies = np.random.default_rng(2).integers(0, 4, len(X))
    for y in (labels, degrees(len(X))):
        one = make(init=start(X), label_strength=2.0, **SHORT).fit(X, y, sample_weight=copies)
        two = make(init=start(X), label_strength=2.0, **SHORT).fit(
            np.repeat(X, copies, axis=0), np.repeat(y, copies, axis=0)
        )
        assert_allclose(one.cluster_centers_, two.cluster_centers_, atol=1e-9)
        assert_allclose(one.objective_, two.objective_, rtol=1e-9)


@every_setting
def test_a_labelled_row_that_weighs_2_is_there_twice(make, told):
    X, labels = told
    weight = np.ones(len(X))
    row = np.flatnonzero(labels >= 0)[0]
    weight[row] = 2.0
    one = make(init=start(X), label_strength=2.0, **SHORT).fit(X, labels, sample_weight=weight)
    two = make(init=start(X), label_strength=2.0, **SHORT).fit(
        np.vstack([X, X[row]]), np.append(labels, labels[row])
    )
    assert_allclose(one.cluster_centers_, two.cluster_centers_, atol=1e-9)
    assert_allclose(one.memberships_[row], two.memberships_[-1], atol=1e-9)


@pytest.mark.parametrize("strength", [2.0, INF, "auto"])
@every_setting
def test_a_labelled_row_without_weight_is_not_there(make, strength, told):
    """Nor does it count among the labels whose reliability "auto" estimates."""
    X, labels = told
    gone = np.flatnonzero(labels >= 0)[::4]
    weight = np.ones(len(X))
    weight[gone] = 0.0
    kept = weight > 0
    one = make(init=start(X), label_strength=strength, **SHORT).fit(X, labels, sample_weight=weight)
    two = make(init=start(X), label_strength=strength, **SHORT).fit(X[kept], labels[kept])
    assert_allclose(one.label_strength_, two.label_strength_, rtol=1e-12)
    assert_allclose(one.cluster_centers_, two.cluster_centers_, atol=1e-9)
    assert_allclose(one.memberships_[kept], two.memberships_, atol=1e-9)


@pytest.mark.parametrize("strength", ["auto", 0.3, INF])
@every_setting
def test_rows_without_a_label_are_predicted_as_they_are(make, strength, told):
    X, labels = told
    for y, free in ((labels, labels < 0), (degrees(150), np.isnan(degrees(150)).all(axis=1))):
        model = make(label_strength=strength).fit(X, y)
        assert_array_equal(model.predict(X)[free], model.labels_[free])
        assert_array_equal(model.predict_proba(X)[free], model.memberships_[free])
        assert_array_equal(model.outlier_score(X)[free], model.outlier_scores_[free])
        if hasattr(model, "typicalities_"):
            assert_array_equal(model.predict_typicality(X)[free], model.typicalities_[free])


@pytest.mark.parametrize("strength", ["auto", 0.05, INF, "each"])
@every_setting
def test_what_was_learnt_survives_on_disk(make, strength, told, tmp_path):
    X, labels = told
    strength = strengths_of(len(X)) / 20 if strength == "each" else strength
    model = make(label_strength=strength).fit(X, labels)
    sc.save(model, tmp_path / "m")
    for again in (pickle.loads(pickle.dumps(model)), sc.load(tmp_path / "m")):
        assert again.unsatisfied_.dtype == model.unsatisfied_.dtype
        assert_array_equal(again.unsatisfied_, model.unsatisfied_)
        assert again.label_strength_ == model.label_strength_
        assert_array_equal(again.memberships_, model.memberships_)
        assert_array_equal(again.predict(X), model.predict(X))
        assert_array_equal(again.predict_proba(X), model.predict_proba(X))
        assert_array_equal(again.fit(X, labels).memberships_, model.memberships_)


@every_setting
def test_unsatisfied_labels_are_told(make, told):
    """Those whose row is found elsewhere, the worst first, and by how much the other cluster is ahead."""
    X, labels = told
    model = make(label_strength=0.05).fit(X, labels)
    lost = model.unsatisfied_
    known = np.flatnonzero(labels >= 0)
    assert set(lost["row"]) == set(known[model.labels_[known] != labels[known]])
    assert_array_equal(lost["wanted"], labels[lost["row"]])
    assert_array_equal(lost["found"], model.labels_[lost["row"]])
    assert (np.diff(lost["shortfall"]) <= 0).all()
    assert (lost["shortfall"] >= 0).all()


@every_setting
def test_float32_agrees(make, told):
    X, labels = told
    one = make(init=start(X), label_strength=2.0, **SHORT).fit(X, labels)
    two = make(init=start(X), label_strength=2.0, **SHORT).fit(X.astype(np.float32), labels)
    assert two.memberships_.dtype == np.float32
    assert_allclose(two.cluster_centers_, one.cluster_centers_, atol=2e-4)
