"""What must hold when pairs of rows are known to belong together or apart."""

import pickle

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.metrics import adjusted_rand_score

import softclust as sc
from configurations import EVIDENTIAL, FUZZY, HARD, as_parameters
from configurations import _named as named
from conftest import make_blobs
from oracles import linked as oracle
from oracles.fuzzy import squared_distances
from oracles.supervised import _means, disagreement

pytestmark = pytest.mark.filterwarnings(
    "ignore::softclust.DegenerateClusterWarning",
    "ignore::sklearn.exceptions.ConvergenceWarning",
    "ignore:What is known cannot all hold",
)

SETTINGS = [
    named(HARD),
    named(HARD, noise_distance=2.0),
    named(FUZZY),
    named(FUZZY, m=1.5),
    named(FUZZY, m=3.0),
    named(FUZZY, noise_distance=2.0),
    named(EVIDENTIAL, noise_distance=3.0),
    named(EVIDENTIAL, noise_distance=3.0, beta=1.5),
    named(EVIDENTIAL, noise_distance=3.0, geometry="ellipsoids"),
    named(EVIDENTIAL, noise_distance=3.0, empty_satisfies_links=False),
]
every_setting = pytest.mark.parametrize("make", **as_parameters(SETTINGS))
# A few plain iterations: near a saddle a whole fit amplifies rounding without bound.
SHORT = {"max_iter": 5, "tol": 0.0, "acceleration": None}
FINE = {"max_iter": 5000, "tol": 1e-11, "acceleration": None}


@pytest.fixture(scope="module")
def told():
    """Iris, pairs of rows with strengths, and the class of a few rows, linked ones among them."""
    from sklearn.datasets import load_iris

    X, truth = load_iris(return_X_y=True)
    said = sc.sample_supervision(truth, labels=15, must_link=20, cannot_link=20, random_state=1)
    strength = np.random.default_rng(0).uniform(0.2, 2.0, (2, 20, 1))
    must, cannot = (
        np.hstack([pairs.pairs, s])
        for pairs, s in zip((said.must_link, said.cannot_link), strength, strict=True)
    )
    return X, said.y, must, cannot


def start(X):
    return X[[3, 60, 120]] + 0.01


def fit(make, told, **changes):
    X, y, must, cannot = told
    return make(**{"init": start(X), **SHORT, **changes}).fit(X, y, must_link=must, cannot_link=cannot)


def same(one, two, atol=0.0):
    for name in ("cluster_centers_", "memberships_", "outlier_scores_"):
        assert_allclose(getattr(one, name), getattr(two, name), rtol=0, atol=atol)
    assert_array_equal(one.labels_, two.labels_)


def silent(make):
    """The parameters that make every pair count nothing."""
    names = make().get_params()
    return {name: 0.0 for name in ("link_strength", "must_strength", "cannot_strength") if name in names}


def never_rises(history):
    history = np.asarray(history)
    return bool((np.diff(history) <= 1e-10 * np.abs(history).max()).all())


# ---------------------------------------------------------------------- descent
# Numbers on a grid: duplicates, rows on centres and constant features come by themselves.
coordinates = st.integers(-40, 40).map(lambda i: i / 8)
strengths = st.sampled_from([0.0, 0.01, 0.3, 1.0, 5.0, 100.0, 1e6])


@st.composite
def pairs_of(draw, n):
    rows = draw(st.lists(st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)), max_size=2 * n))
    rows = [pair for pair in rows if pair[0] != pair[1]]
    if rows and draw(st.booleans()):
        return [(*pair, draw(strengths)) for pair in rows]
    return rows


@st.composite
def scenes(draw):
    """Rows, pairs with or without strengths, perhaps classes of some rows, and weights."""
    n, p = draw(st.integers(6, 25)), draw(st.integers(1, 3))
    X = draw(arrays(np.float64, (n, p), elements=coordinates))
    y = draw(st.none() | arrays(np.int64, n, elements=st.sampled_from([-1, -1, -1, 0, 1, 2])))
    weight = draw(st.none() | arrays(np.float64, n, elements=st.sampled_from([0.5, 1.0, 3.0])))
    return X, y, weight, draw(pairs_of(n)), draw(pairs_of(n))


@every_setting
@pytest.mark.parametrize("acceleration", [None, "lbfgs", "anderson"])
@settings(max_examples=12, phases=[Phase.explicit, Phase.generate])
@given(scene=scenes(), strength=strengths, seed=st.integers(0, 2**16))
def test_objective_never_rises(make, acceleration, scene, strength, seed):
    X, y, weight, must, cannot = scene
    model = make(random_state=seed, max_iter=25, acceleration=acceleration, n_init=1)
    model.set_params(**dict.fromkeys(silent(make), strength))
    model.fit(X, y, sample_weight=weight, must_link=must, cannot_link=cannot)
    assert np.isfinite(model.objective_history_).all()
    assert never_rises(model.objective_history_)
    assert np.isfinite(model.cluster_centers_).all()
    assert_allclose(model.memberships_.sum(axis=1), 1.0, rtol=1e-12)
    assert (model.memberships_ >= 0).all()
    assert ((model.outlier_scores_ >= 0) & (model.outlier_scores_ <= 1)).all()
    if hasattr(model, "masses_"):
        assert (model.masses_ >= 0).all()
        assert_allclose(model.masses_.sum(axis=1), 1.0, rtol=1e-12)


@pytest.mark.parametrize(
    "exponent", [1.01, 50.0, *(pytest.param(middle, marks=pytest.mark.slow) for middle in (1.1, 10.0))]
)
@pytest.mark.parametrize("strength", [0.1, 10.0])
@pytest.mark.parametrize("cls", [FUZZY, EVIDENTIAL])
def test_extreme_exponents(cls, strength, exponent, told):
    """Rows on a grid, so that linked ones lie on the centres from which the fit starts."""
    X, y, must, cannot = told
    X = np.round(4 * X)
    init = X[must[:3, 0].astype(int)]
    given = {"m": exponent, "link_strength": strength}
    if cls is EVIDENTIAL:
        given = {"beta": exponent, "must_strength": strength, "cannot_strength": strength}
    model = cls(3, init=init, max_iter=30, **given).fit(X, y, must_link=must, cannot_link=cannot)
    assert np.isfinite(model.cluster_centers_).all()
    assert np.isfinite(model.memberships_).all()
    assert never_rises(model.objective_history_)


def sound(model):
    assert np.isfinite(model.objective_history_).all()
    assert never_rises(model.objective_history_)
    assert np.isfinite(model.cluster_centers_).all()
    assert np.isfinite(model.memberships_).all()


@pytest.mark.parametrize("far", [1e4, 1e10, 1e40])
@every_setting
def test_a_far_row_that_is_linked(make, far, seed):
    """Strengths are in units of the data's deviation, beside which other rows cost nothing."""
    rng = np.random.default_rng(seed)
    X = np.vstack([rng.normal(size=(20, 2)), [[far, far]]])
    pairs = [rng.choice(21, 2, replace=False) for _ in range(8)] + [(20, 3), (5, 20)]
    sound(make(random_state=seed).fit(X, must_link=pairs[::2], cannot_link=pairs[1::2]))


@pytest.mark.parametrize("light", [1e-6, 1e-30, 1e-150])
@every_setting
def test_a_light_row_on_a_centre_that_is_linked(make, light, seed):
    rng = np.random.default_rng(seed)
    X, weight = rng.normal(size=(20, 2)), np.ones(20)
    weight[3] = light
    model = make(init=X[[3, 4, 5]])
    sound(model.fit(X, sample_weight=weight, must_link=[(3, 4), (5, 6)], cannot_link=[(3, 7)]))


@pytest.mark.parametrize("cls", [HARD, FUZZY, EVIDENTIAL])
def test_a_linked_row_whose_density_vanishes(cls):
    """Weights exp(-rate d) of Schneider: this row's is 0."""
    X = np.vstack([np.random.default_rng(0).normal(size=(60, 2)), [[60.0, 60.0]]])
    for pairs in ({"must_link": [(60, 0)]}, {"cannot_link": [(60, 0)]}):
        model = cls(2, density_rate=0.5, density_from="centers", init=X[:2]).fit(X, **pairs)
        assert np.isfinite(model.objective_history_).all()
        assert np.isfinite(model.cluster_centers_).all()


# ---------------------------------------------------------------------- what does not matter
@every_setting
def test_order_and_orientation_and_repetition_of_pairs(make, told):
    X, y, must, cannot = told
    one = fit(make, told)
    rng = np.random.default_rng(3)
    turned = [rng.permutation(np.vstack([q, q[::3]])[:, [1, 0, 2]]) for q in (must, cannot)]
    turned[0] = np.vstack([turned[0], [[7, 7, 9.0]]])  # a row and itself
    two = fit(make, (X, y, *turned))
    same(one, two)
    assert one.objective_ == two.objective_
    assert_array_equal(one.unsatisfied_, two.unsatisfied_)
    given = [sc.Pairs(q, len(X)) for q in (must, cannot)]
    same(one, fit(make, (X, y, *given)))


@every_setting
def test_no_pairs(make, told):
    X, y, _, _ = told
    plain = make(init=start(X), **SHORT).fit(X, y)
    nothing = np.empty((0, 2))
    for pairs in ((None, None), ([], []), (nothing, nothing), ([(4, 4)], []), (sc.Pairs([], len(X)), None)):
        model = fit(make, (X, y, *pairs))
        same(model, plain)
        assert model.objective_ == plain.objective_


@every_setting
def test_pairs_of_strength_0_are_none(make, told):
    X, y, must, cannot = told
    plain = make(init=start(X), **SHORT).fit(X, y)
    same(fit(make, told, **silent(make)), plain)
    zero = [np.hstack([q[:, :2], np.zeros((len(q), 1))]) for q in (must, cannot)]
    same(fit(make, (X, y, *zero)), plain)


@every_setting
def test_rows_in_another_order(make, told):
    """Linked rows are found one after the other, so that only the fixed point does not know the order."""
    X, y, must, cannot = told
    order = np.random.default_rng(0).permutation(len(X))
    place = np.argsort(order)
    moved = [np.column_stack([place[q[:, :2].astype(int)], q[:, 2]]) for q in (must, cannot)]
    one = fit(make, told, **FINE)
    two = fit(make, (X[order], y[order], *moved), init=start(X), **FINE)
    assert one.converged_ and two.converged_
    assert_allclose(two.objective_, one.objective_, rtol=1e-10)
    assert_allclose(two.cluster_centers_, one.cluster_centers_, rtol=0, atol=1e-7)
    assert_allclose(two.memberships_, one.memberships_[order], rtol=0, atol=1e-6)
    lost = {tuple(sorted(order[[r["row"], r["other"]]])) for r in two.unsatisfied_ if r["other"] >= 0}
    assert lost == {(r["row"], r["other"]) for r in one.unsatisfied_ if r["other"] >= 0}


@every_setting
def test_clusters_in_another_order(make, told):
    X, y, must, cannot = told
    order = np.array([2, 0, 1])
    renamed = np.where(y < 0, -1, np.argsort(order)[y])
    one = fit(make, told)
    two = fit(make, (X, renamed, must, cannot), init=start(X)[order])
    assert_allclose(two.cluster_centers_, one.cluster_centers_[order], rtol=0, atol=1e-9)
    assert_allclose(two.memberships_, one.memberships_[:, order], rtol=0, atol=1e-8)
    assert_allclose(two.objective_, one.objective_, rtol=1e-10)


@every_setting
def test_translation(make, told):
    X, y, must, cannot = told
    move = np.array([100.0, -50.0, 7.0, 0.5])
    one = fit(make, told)
    two = fit(make, (X + move, y, must, cannot), init=start(X) + move)
    assert_allclose(two.cluster_centers_ - move, one.cluster_centers_, rtol=0, atol=1e-9)
    assert_allclose(two.objective_, one.objective_, rtol=1e-9)


@every_setting
def test_scaling_by_a_power_of_two_keeps_the_bits(make, told):
    """Strengths have no unit."""
    X, y, must, cannot = told
    one = fit(make, told)
    noise = one.noise_distance
    for s in (2.0**-300, 2.0**-7, 2.0**3, 2.0**500):
        changes = {} if noise is None else {"noise_distance": noise * s}
        two = fit(make, (X * s, y, must, cannot), init=start(X) * s, **changes)
        assert_array_equal(two.memberships_, one.memberships_)
        assert_array_equal(two.cluster_centers_, one.cluster_centers_ * s)
        assert_array_equal(two.labels_, one.labels_)
        assert_array_equal(two.unsatisfied_, one.unsatisfied_)


def test_what_is_known_has_the_unit_of_the_data_in_the_paper(told):
    """data_weight "paper" and numbers: x -> s x is xi -> xi / s^2."""
    X, y, must, cannot = told
    given = {"noise_distance": 3.0, "data_weight": 0.01}
    one = fit(EVIDENTIAL, told, **given)
    two = fit(
        EVIDENTIAL,
        (4 * X, y, must, cannot),
        init=4 * start(X),
        noise_distance=12.0,
        data_weight=0.01 / 16,
    )
    same(one, fit(EVIDENTIAL, told, **given))
    assert_array_equal(two.masses_, one.masses_)
    paper = fit(EVIDENTIAL, told, noise_distance=3.0, data_weight="paper")
    number = fit(EVIDENTIAL, told, noise_distance=3.0, data_weight=1 / (150 * 8))
    assert_allclose(paper.masses_, number.masses_, rtol=0, atol=1e-9)


# ---------------------------------------------------------------------- weights
@every_setting
def test_weights_have_no_unit(make, told):
    X, y, must, cannot = told
    weight = np.random.default_rng(3).uniform(0.5, 2, len(X))
    fits = [
        make(init=start(X), **SHORT).fit(X, y, sample_weight=w, must_link=must, cannot_link=cannot)
        for w in (weight, 1000 * weight)
    ]
    assert_allclose(fits[1].cluster_centers_, fits[0].cluster_centers_, rtol=0, atol=1e-9)
    assert_allclose(fits[1].objective_, 1000 * fits[0].objective_, rtol=1e-9)


@every_setting
def test_a_row_without_weight_is_absent_with_its_pairs(make, told):
    X, y, must, cannot = told
    weight = np.ones(len(X))
    weight[np.r_[must[:4, 0], cannot[:4, 1]].astype(int)] = 0.0
    kept = weight > 0
    place = np.where(kept, np.cumsum(kept) - 1, -1)
    left = []
    for q in (must, cannot):
        ends = place[q[:, :2].astype(int)]
        there = (ends >= 0).all(axis=1)
        assert 0 < there.sum() < len(q)
        left.append(np.column_stack([ends, q[:, 2]])[there])
    one = make(init=start(X), **SHORT).fit(X, y, sample_weight=weight, must_link=must, cannot_link=cannot)
    two = fit(make, (X[kept], y[kept], *left), init=start(X))
    assert_allclose(one.cluster_centers_, two.cluster_centers_, rtol=0, atol=1e-9)
    assert_allclose(one.memberships_[kept], two.memberships_, rtol=0, atol=1e-8)
    assert_allclose(one.objective_, two.objective_, rtol=1e-9)


@every_setting
def test_a_weight_of_2_is_two_rows_with_a_pair_each(make, told):
    X, y, must, cannot = told
    n = len(X)
    twice = [np.vstack([q, q + np.array([n, n, 0])]) for q in (must, cannot)]
    one = fit(make, (X, y, must, cannot), **FINE)
    two = make(init=start(X), **FINE).fit(
        np.vstack([X, X]), np.r_[y, y], must_link=twice[0], cannot_link=twice[1]
    )
    three = make(init=start(X), **FINE).fit(
        X, y, sample_weight=np.full(n, 2.0), must_link=must, cannot_link=cannot
    )
    for other in (two, three):
        assert_allclose(other.cluster_centers_, one.cluster_centers_, rtol=0, atol=1e-7)
        assert_allclose(other.objective_, 2 * one.objective_, rtol=1e-10)


# ---------------------------------------------------------------------- machinery
@pytest.mark.parametrize("cls", [HARD, FUZZY, EVIDENTIAL])
def test_threads_do_not_change_the_bits(cls):
    rng = np.random.default_rng(0)
    truth = rng.integers(3, size=20_000)
    X = rng.normal(size=(20_000, 16)) + 2 * np.eye(3, 16)[truth]
    said = sc.sample_supervision(truth, labels=200, must_link=1000, cannot_link=1000, random_state=0)
    models = [
        cls(3, init=2 * np.eye(3, 16) + 0.1, n_jobs=jobs, **{**SHORT, "max_iter": 3}).fit(
            X, said.y, must_link=said.must_link, cannot_link=said.cannot_link
        )
        for jobs in (1, 2)
    ]
    same(*models)
    assert models[0].objective_ == models[1].objective_
    assert_array_equal(models[0].unsatisfied_, models[1].unsatisfied_)


@every_setting
def test_float32_agrees(make, told):
    X, y, must, cannot = told
    one = fit(make, told)
    two = fit(make, (X.astype(np.float32), y, must, cannot), init=start(X))
    assert two.cluster_centers_.dtype == two.memberships_.dtype == np.float32
    assert_allclose(two.cluster_centers_, one.cluster_centers_, rtol=0, atol=5e-4)


@every_setting
def test_fit_twice_is_fit_once(make, told):
    X, y, must, cannot = told
    given = X.copy(), y.copy(), must.copy(), cannot.copy()
    model = make().fit(X, y, must_link=must, cannot_link=cannot)
    first = model.memberships_, model.objective_
    model.fit(X, y, must_link=must, cannot_link=cannot)
    assert_array_equal(model.memberships_, first[0])
    assert model.objective_ == first[1]
    for before, after in zip(given, told, strict=True):
        assert_array_equal(before, after)
    model.fit(X)  # and leaves nothing behind
    assert_array_equal(model.memberships_, make().fit(X).memberships_)
    assert len(model.unsatisfied_) == 0


@every_setting
def test_what_was_learnt_survives_on_disk(make, told, tmp_path):
    X, y, must, cannot = told
    model = make().fit(X, y, must_link=must, cannot_link=cannot)
    sc.save(model, tmp_path / "m")
    for again in (pickle.loads(pickle.dumps(model)), sc.load(tmp_path / "m")):
        same(again, model)
        assert_array_equal(again.unsatisfied_, model.unsatisfied_)
        assert_array_equal(again.predict(X), model.predict(X))
        assert_array_equal(again.predict_proba(X), model.predict_proba(X))
        if hasattr(model, "masses_"):
            assert_array_equal(again.predict_mass(X), model.predict_mass(X))
            assert again.objective_terms_ == model.objective_terms_
        same(again.fit(X, y, must_link=must, cannot_link=cannot), model)


@every_setting
def test_rows_of_which_nothing_is_said_are_predicted_as_they_are(make, told):
    X, y, must, cannot = told
    model = make().fit(X, y, must_link=must, cannot_link=cannot)
    free = y < 0
    free[np.r_[must[:, :2], cannot[:, :2]].astype(int).ravel()] = False
    assert 30 < free.sum() < 120
    assert_array_equal(model.predict(X)[free], model.labels_[free])
    assert_array_equal(model.predict_proba(X)[free], model.memberships_[free])
    assert_array_equal(model.outlier_score(X)[free], model.outlier_scores_[free])
    if hasattr(model, "masses_"):
        assert_array_equal(model.predict_mass(X)[free], model.masses_[free])


# ---------------------------------------------------------------------- pairs are heeded
@every_setting
def test_strong_pairs_are_honoured(make, seed):
    """Against the data too: some pairs join rows of two clouds, others part rows of one.

    Where the empty set honours pairs, rows flee to it from much greater strengths.
    """
    X, truth = make_blobs(seed, each=30)
    rng = np.random.default_rng(seed)
    rows = rng.permutation(len(X))[:24].reshape(-1, 2)  # each row in one pair
    must, cannot = rows[:6], rows[6:]
    assert len({truth[i] == truth[j] for i, j in must}) == 2
    strong = dict.fromkeys(silent(make), 30.0)
    model = make(random_state=seed, **{**strong, "noise_distance": None})
    model.fit(X, must_link=must, cannot_link=cannot)
    assert len(model.unsatisfied_) == 0
    free = np.setdiff1d(np.arange(len(X)), rows)
    assert adjusted_rand_score(truth[free], model.labels_[free]) > 0.9  # clouds stay clouds


@every_setting
def test_pairs_that_the_data_say_too_change_nothing(make, seed):
    X, truth = make_blobs(seed, each=30)
    said = sc.sample_supervision(truth, must_link=30, cannot_link=30, random_state=seed)
    model = make(random_state=seed, noise_distance=None).fit(
        X, must_link=said.must_link, cannot_link=said.cannot_link
    )
    assert len(model.unsatisfied_) == 0
    assert len(set(zip(truth, model.labels_, strict=True))) == 3


@every_setting
def test_unsatisfied_pairs_are_told(make, told):
    X, _, must, cannot = told
    model = make(**dict.fromkeys(silent(make), 1e-09)).fit(X, must_link=must, cannot_link=cannot)
    lost, labels = model.unsatisfied_, model.labels_
    missed = {("must-link", i, j) for i, j in must[:, :2].astype(int) if labels[i] != labels[j]}
    missed |= {("cannot-link", i, j) for i, j in cannot[:, :2].astype(int) if labels[i] == labels[j]}
    assert missed
    assert {(k, *sorted((i, j))) for k, i, j in missed} == {(r["kind"], r["row"], r["other"]) for r in lost}
    assert (np.diff(lost["shortfall"]) <= 0).all()
    assert ((lost["shortfall"] >= 0) & (lost["shortfall"] <= 1)).all()


# ---------------------------------------------------------------------- oracles: fuzzy
FUZZY_MODELS = {
    "2": {"m": 2.0},
    "1.5": {"m": 1.5},
    "3": {"m": 3.0},
    "noise": {"m": 2.0, "noise_distance": 1.2},
    "noise 1.7": {"m": 1.7, "noise_distance": 1.2},
}


def deviation(X, w):
    return float(w @ ((X - w @ X / w.sum()) ** 2).sum(axis=1) / w.sum())


def by_the_oracle(pairs, strength, X, w):
    """Pairs, and what each costs in units of the data."""
    ends = pairs[:, :2].astype(int)
    each = strength * pairs[:, 2] * np.sqrt(w[ends[:, 0]] * w[ends[:, 1]]) * deviation(X, w)
    return ends.tolist(), each.tolist()


@pytest.mark.parametrize("strength", [0.05, 3.0])
@pytest.mark.parametrize("labelled", [False, True])
@pytest.mark.parametrize("name", FUZZY_MODELS)
def test_fuzzy_fixed_points(name, labelled, strength, told):
    """J is the oracle's, no row can move with profit, and the centres are the weighted means."""
    X, y, must, cannot = (a[::3] if place < 2 else a for place, a in enumerate(told))
    n = len(X)
    must, cannot = (np.column_stack([q[:, :2] // 3, q[:, 2]])[:12] for q in (must, cannot))
    must, cannot = (q[q[:, 0] != q[:, 1]] for q in (must, cannot))
    w = np.random.default_rng(5).uniform(0.5, 2.0, n)
    F, alpha = np.full((n, 3), np.nan), np.zeros(n)
    if labelled:
        F[y >= 0] = np.eye(3)[y[y >= 0]]
        F[7] = [0.8, 0.2, 0.0]
        alpha = np.linspace(0.1, 2.0, n)
    model = FUZZY(3, init=X[[1, 20, 40]] + 0.01, link_strength=strength, label_strength=alpha, **FINE)
    model.set_params(**FUZZY_MODELS[name])
    model.fit(X, F if labelled else None, sample_weight=w, must_link=must, cannot_link=cannot)
    assert model.converged_
    (must, s_must), (cannot, s_cannot) = (
        by_the_oracle(np.unique(q, axis=0), strength, X, w) for q in (must, cannot)
    )
    noise = model.noise_distance and model.noise_distance**2
    said = {"m": model.m, "noise": noise, "weights": w, "F": F, "alpha": alpha, "must": must}
    said |= {"cannot": cannot, "must_strength": s_must, "cannot_strength": s_cannot}
    V, U = model.cluster_centers_, model.memberships_
    if noise:
        share = model.outlier_scores_[:, None]
        U = np.hstack([share, (1 - share) * U])
    D = squared_distances(X, V)
    assert_allclose(oracle.fuzzy_objective(D, U, **said), model.objective_, rtol=1e-9)
    again = oracle.fuzzy_rows(D, U, tol=1e-9, **said)
    assert_allclose(again, U, rtol=0, atol=1e-7)
    real = U[:, -3:]
    means = _means(X, w[:, None] * (real**model.m + disagreement(real, F, alpha)), V)
    assert_allclose(means, V, rtol=0, atol=1e-7)


# ---------------------------------------------------------------------- oracles: hard
def hard_scene(seed, n=6):
    rng = np.random.default_rng(seed)
    X, V = rng.normal(size=(n, 2)), rng.normal(size=(3, 2))
    return X, V, rng.uniform(0.5, 2.0, n), float(10 ** rng.uniform(-1, 1))


def hard_step(X, V, w, strength, must, cannot, noise=None):
    """J of the estimator's labels at the given centres, and the least J of all labels there."""
    model = HARD(3, init=V, tol=1e9, link_strength=strength, noise_distance=noise)
    model.fit(X, sample_weight=w, must_link=must, cannot_link=cannot)
    assert_allclose(model.cluster_centers_, V, rtol=0, atol=1e-14)
    square = None if noise is None else noise**2
    cost, noise_cost = oracle.hard_costs(squared_distances(X, V), noise=square, weights=w)
    pairs = [np.column_stack([np.reshape(q, (-1, 2)), np.ones(len(q))]) for q in (must, cannot)]
    (must, s_must), (cannot, s_cannot) = (by_the_oracle(q, strength, X, w) for q in pairs)
    links = {"must": must, "cannot": cannot, "must_strength": s_must, "cannot_strength": s_cannot}
    labels = np.where(model.outlier_mask_, -1, model.labels_) if noise else model.labels_
    found = oracle.hard_objective(cost, labels, noise_cost=noise_cost, **links)
    assert_allclose(found, model.objective_, rtol=1e-12)
    return found, oracle.hard_best(cost, noise_cost=noise_cost, **links)[1]


@pytest.mark.parametrize("noise", [None, 1.0])
@pytest.mark.parametrize(("must", "cannot"), [([(0, 1)], []), ([], [(0, 1)]), ([(0, 1), (3, 4)], [(2, 5)])])
def test_hard_labels_of_two_linked_rows_are_the_best(must, cannot, noise):
    for seed in range(30):
        X, V, w, strength = hard_scene(seed)
        found, least = hard_step(X, V, w, strength, must, cannot, noise)
        assert found <= least * (1 + 1e-12)


THREE = [
    ([(0, 1), (1, 2)], []),
    ([(0, 1)], [(1, 2)]),
    ([], [(0, 1), (1, 2)]),
    ([], [(0, 1), (1, 2), (0, 2)]),
]


def test_hard_labels_of_three_linked_rows_are_nearly_always_the_best():
    """Measured: 4 of 100 are not; two rows that would have to change at once hold each other."""
    excess = []
    for seed in range(25):
        X, V, w, strength = hard_scene(seed)
        for must, cannot in THREE:
            found, least = hard_step(X, V, w, strength, must, cannot)
            assert found >= least * (1 - 1e-12)
            excess.append(found / least - 1)
    assert np.sum(np.array(excess) > 1e-9) <= 8
    assert max(excess) < 0.5


def test_hard_labels_of_tangles_are_mostly_the_best():
    """Six rows, nine pairs at random, of 3^6 assignments; measured: 20 % are not, by 11 % in the mean."""
    excess = []
    for seed in range(30):
        X, V, w, strength = hard_scene(seed)
        ends = np.column_stack(np.triu_indices(6, 1))[np.random.default_rng(seed).permutation(15)[:9]]
        found, least = hard_step(X, V, w, strength, ends[:5].tolist(), ends[5:].tolist())
        assert found >= least * (1 - 1e-12)
        excess.append(found / least - 1)
    assert np.mean(np.array(excess) > 1e-9) <= 0.35
    assert np.mean(excess) < 0.1


@pytest.mark.parametrize("strength", [0.05, 1.0, 100.0])
def test_hard_fixed_points(strength, told):
    """Centres are means, J is the oracle's, and no row can be moved alone with profit."""
    X, _, must, cannot = told
    w = np.random.default_rng(5).uniform(0.5, 2.0, len(X))
    model = HARD(3, init=start(X), link_strength=strength, **FINE)
    model.fit(X, sample_weight=w, must_link=must, cannot_link=cannot)
    assert model.converged_
    labels, V = model.labels_, model.cluster_centers_
    for k in range(3):
        assert_allclose(V[k], np.average(X[labels == k], axis=0, weights=w[labels == k]), atol=1e-12)
    cost, _ = oracle.hard_costs(squared_distances(X, V), weights=w)
    (must, s_must), (cannot, s_cannot) = (by_the_oracle(q, strength, X, w) for q in (must, cannot))
    links = {"must": must, "cannot": cannot, "must_strength": s_must, "cannot_strength": s_cannot}
    assert_allclose(oracle.hard_objective(cost, labels, **links), model.objective_, rtol=1e-12)
    for i in range(len(X)):
        assert oracle.hard_row(i, labels, cost, **links) == labels[i]
