"""The geometries "lines" and "planes" against fuzzy c-varieties as printed, and what they find."""

import warnings

import dask.array as da
import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import linear_sum_assignment

import softclust as sc
from configurations import WITH_DEGREES
from oracles import varieties as oracle
from oracles.geometries import fcm_memberships
from softclust.grammar.partitions import Members
from softclust.grammar.prototypes import Lines, Planes
from softclust.grammar.sweep import assign, assign_by_parts, sweep, sweep_by_parts
from softclust.sources.rows import Rows

WORDS = {1: "lines", 2: "planes"}
pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
ranks = pytest.mark.parametrize("r", WORDS, ids=WORDS.values())


def flats(r, p, seed=0, each=60, noise=0.1, c=2, gap=0.0):
    """Noisy pieces of c varieties that cross at the origin, at least 25 degrees apart: rows, classes, P.

    No row is nearer to the origin than `gap`.
    """
    rng = np.random.default_rng(seed)
    while True:
        S = np.array([np.linalg.qr(rng.normal(size=(p, r)))[0].T for _ in range(c)])
        P = oracle.projectors(S)
        if min(np.linalg.norm(P[k] - P[j], 2) for k in range(c) for j in range(k)) > np.sin(np.radians(25)):
            break
    y = rng.permutation(np.repeat(np.arange(c), each))
    T = rng.uniform(-3, 3, (len(y), r))
    T += gap * T / np.linalg.norm(T, axis=1, keepdims=True)
    X = np.einsum("ij,ijp->ip", T, S[y])
    return X + noise * rng.normal(size=X.shape), y, P


def scene(r, seed=0):
    """Rows in space, and a start of three varieties: points, directions."""
    X, *_ = flats(r, 3, seed, c=3)
    rng = np.random.default_rng(seed)
    S = np.array([np.linalg.qr(rng.normal(size=(3, r)))[0].T for _ in range(3)])
    return X, 0.3 * rng.normal(size=(3, 3)), S


@pytest.fixture(params=[None, 7], ids=["alike", "weighed"])
def weight(request):
    return None if request.param is None else np.random.default_rng(request.param).uniform(0.2, 2.0, 180)


def after(model, X, steps, **known):
    """The model after so many plain steps."""
    return model.set_params(max_iter=steps, tol=0.0, acceleration=None).fit(X, **known)


def directions(model):
    """Directions (c, r, p) of lines and planes alike."""
    return model.directions_.reshape(len(model.cluster_centers_), -1, model.n_features_in_)


def found_projectors(model):
    return oracle.projectors(directions(model))


# ------------------------------------------------------------------------------ the printed steps
@ranks
@pytest.mark.parametrize("m", [2.0, 1.6, 3.0])
def test_steps_of_fuzzy_varieties(r, m, weight):
    X, V, S = scene(r)
    answer = oracle.fit(X, V, S, r, m, weight, steps=6, tol=-1.0)
    model = sc.FuzzyCMeans(3, m=m, geometry=WORDS[r], init=(V, oracle.projectors(S)))
    after(model, X, 6, sample_weight=weight)
    assert_allclose(model.cluster_centers_, answer.centers, rtol=0, atol=1e-9)
    assert_allclose(found_projectors(model), oracle.projectors(answer.directions), rtol=0, atol=1e-9)
    assert_allclose(model.memberships_, answer.memberships, rtol=0, atol=1e-9)
    assert_allclose(model.objective_history_, answer.history, rtol=1e-10)
    D = oracle.distances(X, answer.centers, answer.directions)
    assert_allclose(model.transform(X) ** 2, D, rtol=1e-8, atol=1e-12)


@ranks
def test_an_accelerated_fit_ends_where_the_plain_one_does(r, weight):
    """The same varieties: a centre of one lies on the other, wherever along it."""
    X, V, S = scene(r)
    answer = oracle.fit(X, V, S, r, 2.0, weight)
    model = sc.FuzzyCMeans(3, geometry=WORDS[r], init=(V, oracle.projectors(S)), tol=1e-10, max_iter=3000)
    model.fit(X, sample_weight=weight)
    assert model.converged_
    own = oracle.distances(model.cluster_centers_, answer.centers, answer.directions).diagonal()
    assert_allclose(own, 0, rtol=0, atol=1e-12)
    assert_allclose(found_projectors(model), oracle.projectors(answer.directions), rtol=0, atol=1e-6)
    assert_allclose(model.memberships_, answer.memberships, rtol=0, atol=1e-6)
    assert_allclose(model.objective_, answer.objective, rtol=1e-10)


def typicalities(D, scale, m):
    return 1 / (1 + (D / scale) ** (1 / (m - 1)))


@ranks
@pytest.mark.parametrize("kind", ["hard", "possibilistic", "noise"])
def test_steps_of_other_partitions(r, kind, weight):
    """`oracle.update` with the influence of each partition in the place of u^m."""
    X, V, S = scene(r)
    w = np.ones(len(X)) if weight is None else weight
    scale, init = np.array([0.1, 0.2, 0.3]), (V, oracle.projectors(S))

    def shares(V, S):
        D = oracle.distances(X, V, S)
        if kind == "hard":
            return np.eye(3)[D.argmin(axis=1)]
        if kind == "possibilistic":
            return typicalities(D, scale, 2.0)
        return fcm_memberships(np.column_stack([D, np.full(len(X), 0.25)]), 2.0)[:, :3]

    for _ in range(5):
        V, S = oracle.update(X, shares(V, S), r, 2.0, w)
    model = {
        "hard": sc.HardCMeans(3, geometry=WORDS[r], init=init),
        "possibilistic": sc.PossibilisticCMeans(3, m=2.0, scale=scale, geometry=WORDS[r], init=init),
        "noise": sc.FuzzyCMeans(3, noise_distance=0.5, geometry=WORDS[r], init=init),
    }[kind]
    after(model, X, 5, sample_weight=weight)
    assert_allclose(model.cluster_centers_, V, rtol=0, atol=1e-9)
    assert_allclose(found_projectors(model), oracle.projectors(S), rtol=0, atol=1e-9)
    U = shares(V, S)
    if kind == "possibilistic":
        assert_allclose(model.typicalities_, U, rtol=0, atol=1e-9)
    else:
        assert_allclose(model.memberships_, U / U.sum(axis=1, keepdims=True), rtol=0, atol=1e-9)


@ranks
def test_centres_alone_are_varieties_without_a_direction(r):
    """The first memberships are those of FCM, and the first step finds the axes of its clusters."""
    X, V, _ = scene(r)
    model = after(sc.FuzzyCMeans(3, m=2.0, geometry=WORDS[r], init=V), X, 1)
    points = after(sc.FuzzyCMeans(3, m=2.0, init=V), X, 1)
    assert_allclose(model.objective_history_[0], points.objective_history_[0], rtol=1e-12)
    U = fcm_memberships(((X[:, None] - V) ** 2).sum(axis=2), 2.0)
    V, S = oracle.update(X, U, r, 2.0, np.ones(len(X)))
    assert_allclose(model.cluster_centers_, V, rtol=0, atol=1e-10)
    assert_allclose(found_projectors(model), oracle.projectors(S), rtol=0, atol=1e-10)


@pytest.mark.parametrize("part", [Lines(), Planes()], ids=WORDS.values())
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_compiled_passes_equal_the_parts(part, dtype, weight):
    X, V, _ = scene(part.rank)
    model = sc.FuzzyCMeans(3, geometry=part.name, init=V).fit(X.astype(dtype), sample_weight=weight)
    fitted = model._fitted
    rows = Rows(X.astype(dtype), fitted.units, weight)
    one, two = (f(rows, fitted.model, fitted.state) for f in (sweep, sweep_by_parts))
    rtol = 1e-11 if dtype == np.float64 else 2e-4
    assert_allclose(one.loss, two.loss, rtol=rtol)
    for found, expected in zip((one.weight, *one.moments), (two.weight, *two.moments), strict=True):
        assert_allclose(found, expected, rtol=rtol, atol=rtol * (np.abs(expected).max() + 1))
    n, out = len(X), np.empty((len(X), 3), dtype)
    assign(rows, Members(out, out[:0], np.empty(n, np.int32), out[:, 0].copy()), fitted.model, fitted.state)
    expected = assign_by_parts(rows, fitted.model, fitted.state)
    assert_allclose(out, expected.memberships, rtol=0, atol=rtol)


# ------------------------------------------------------------------------------ what is published
@ranks
def test_directions(r):
    X, *_ = flats(r, 4, each=150, c=3)
    model = sc.FuzzyCMeans(3, geometry=WORDS[r], random_state=0).fit(X)
    assert model.directions_.shape == ((3, 4) if r == 1 else (3, 2, 4))
    for S, sigma in zip(directions(model), model.covariances_, strict=True):
        assert_allclose(S @ S.T, np.eye(r), rtol=0, atol=1e-12)
        assert (S[np.arange(r), np.abs(S).argmax(axis=1)] > 0).all()
        values, vectors = np.linalg.eigh(sigma)
        assert_allclose(np.abs(S @ vectors[:, ::-1][:, :r]), np.eye(r), rtol=0, atol=1e-4)
        assert_allclose((S @ sigma * S).sum(axis=1), values[::-1][:r], rtol=1e-6)
    U = model.memberships_**2
    for k, (v, sigma) in enumerate(zip(model.cluster_centers_, model.covariances_, strict=True)):
        assert_allclose(sigma, np.cov(X.T - v[:, None], aweights=U[:, k], bias=True), rtol=0, atol=1e-5)
    again = sc.FuzzyCMeans(3, geometry=WORDS[r], init=(model.cluster_centers_, model.covariances_)).fit(X)
    assert again.n_iter_ <= 2
    assert_allclose(again.directions_, model.directions_, rtol=0, atol=1e-5)


@ranks
def test_attributes_are_described(r):
    for cls in WITH_DEGREES:
        assert "\n    directions_ : " in cls.__doc__.split("Attributes\n")[1]
        assert f'"{WORDS[r]}"' in cls.__doc__


# ------------------------------------------------------------------------------ laws
@ranks
@pytest.mark.parametrize("cls", WITH_DEGREES)
@pytest.mark.parametrize("acceleration", [None, "lbfgs", "anderson", "squarem"])
def test_the_objective_never_rises(r, cls, acceleration):
    for seed in range(3):
        X, *_ = flats(r, 3, seed, noise=0.3, c=3)
        model = cls(3, geometry=WORDS[r], acceleration=acceleration, random_state=seed).fit(X)
        history = model.objective_history_
        assert (np.diff(history) <= 1e-10 * history[0]).all()


@ranks
@pytest.mark.parametrize("cls", WITH_DEGREES)
def test_varieties_turn_with_the_data(r, cls):
    """Rotation, translation and scale: the same memberships, the varieties moved along, J times scale^2."""
    X, V, S = scene(r)
    rng = np.random.default_rng(4)
    Q, move, scale = np.linalg.qr(rng.normal(size=(3, 3)))[0], 20 * rng.normal(size=3), 2.5
    P = oracle.projectors(S)
    steps = {"max_iter": 20, "tol": 0.0, "acceleration": None}
    one = cls(3, geometry=WORDS[r], init=(V, P), **steps).fit(X)
    turned = (scale * V @ Q.T + move, Q @ P @ Q.T)
    two = cls(3, geometry=WORDS[r], init=turned, **steps).fit(scale * X @ Q.T + move)
    assert_allclose(two.memberships_, one.memberships_, rtol=0, atol=1e-7)
    assert_allclose(two.cluster_centers_, scale * one.cluster_centers_ @ Q.T + move, rtol=0, atol=1e-7)
    assert_allclose(found_projectors(two), Q @ found_projectors(one) @ Q.T, rtol=0, atol=1e-7)
    assert_allclose(two.objective_history_, scale**2 * one.objective_history_, rtol=1e-7)


@ranks
@pytest.mark.parametrize("cls", WITH_DEGREES)
def test_a_weight_is_a_number_of_copies(r, cls):
    X, V, _ = scene(r)
    copies = np.random.default_rng(0).integers(0, 4, len(X))
    one = cls(3, geometry=WORDS[r], init=V, tol=1e-8).fit(X, sample_weight=copies)
    two = cls(3, geometry=WORDS[r], init=V, tol=1e-8).fit(np.repeat(X, copies, axis=0)[::-1])
    assert_allclose(two.cluster_centers_, one.cluster_centers_, rtol=0, atol=1e-5)
    assert_allclose(found_projectors(two), found_projectors(one), rtol=0, atol=1e-5)


@ranks
def test_on_dask_and_in_batches(r):
    X, *_ = flats(r, 3, each=100)
    model = sc.FuzzyCMeans(2, geometry=WORDS[r], random_state=0)
    local = model.fit(X)
    P, labels = found_projectors(local), local.labels_
    lazy = sc.FuzzyCMeans(2, geometry=WORDS[r], random_state=0).fit(da.from_array(X, chunks=(60, 3)))
    assert_allclose(found_projectors(lazy), P, rtol=0, atol=1e-6)
    assert np.array_equal(lazy.labels_.compute(), labels)
    batches = sc.FuzzyCMeans(2, geometry=WORDS[r], random_state=0)
    for k in range(4):
        batches.partial_fit(X[k::4])
    assert_allclose(sorted(found_projectors(batches).ravel()), sorted(P.ravel()), rtol=0, atol=0.03)


def test_one_line_is_the_first_principal_axis():
    X = np.random.default_rng(0).normal(size=(80, 3)) * [3, 2, 1]
    model = sc.FuzzyCMeans(1, geometry="lines").fit(X)
    _, values, vectors = np.linalg.svd(X - X.mean(axis=0))
    assert_allclose(model.cluster_centers_[0], X.mean(axis=0), rtol=0, atol=1e-12)
    assert_allclose(np.abs(model.directions_ @ vectors.T), [[1, 0, 0]], rtol=0, atol=1e-12)
    assert_allclose(model.objective_, (values[1:] ** 2).sum(), rtol=1e-12)


# ------------------------------------------------------------------------------ what is found
def angle(model, X, P, r):
    """The greatest angle in degrees between a true variety and the one found, matched to each other.

    Of "points" and "ellipsoids" the varieties are the first axes of the clusters.
    """
    sigma = getattr(model, "covariances_", None)
    if sigma is None:
        sigma = np.array([np.cov(X.T, aweights=u) for u in model.memberships_.T**2])
    first = np.linalg.eigh(sigma)[1][:, :, -r:]
    found = first @ first.transpose(0, 2, 1)
    sines = np.array([[np.linalg.norm(a - b, 2) for b in P] for a in found])
    return np.degrees(np.arcsin(np.minimum(sines[linear_sum_assignment(sines)].max(), 1)))


def found_again(cls, geometry, r, p, **scene):
    """In how many of ten draws each variety is found to within 5 degrees, from the default start."""
    found = 0
    for seed in range(10):
        X, _, P = flats(r, p, seed, each=100, **scene)
        model = cls(2, geometry=geometry, random_state=seed).fit(X)
        found += angle(model, X, P, r) < 5
    return found


@ranks
@pytest.mark.parametrize("cls", WITH_DEGREES)
def test_crossing_varieties_are_found(r, cls):
    assert found_again(cls, WORDS[r], r, r + 1) >= 9


@ranks
@pytest.mark.parametrize("cls", [sc.HardCMeans, sc.FuzzyCMeans])
def test_varieties_in_two_pieces_are_found(r, cls):
    """The pieces of one line are farther from each other than from those of the other line."""
    assert found_again(cls, WORDS[r], r, r + 1, gap=5.0) >= 8


def test_other_geometries_do_not_find_crossing_lines():
    """Lines are found in nearly all draws; clouds never, and ellipsoids, which have a middle, in few."""
    assert found_again(sc.FuzzyCMeans, "lines", 1, 2) >= 9
    assert found_again(sc.FuzzyCMeans, "ellipsoids", 1, 2) <= 6
    assert found_again(sc.FuzzyCMeans, "points", 1, 2) <= 1


def with_outliers(r, seed, p):
    X, y, P = flats(r, p, seed, each=100)
    return np.vstack([X, np.random.default_rng(seed).uniform(-4, 4, (40, p))]), np.append(y, [-1] * 40), P


@ranks
def test_noise_makes_varieties_robust(r):
    """A fifth of the rows lie anywhere: a noise distance keeps them off."""
    for seed in range(5):
        X, y, P = with_outliers(r, seed, r + 1)
        model = sc.FuzzyCMeans(2, geometry=WORDS[r], noise_distance=0.5, random_state=seed).fit(X)
        assert angle(model, X, P, r) < 5
        assert model.outlier_mask_[y == -1].mean() > 0.5
        assert model.outlier_mask_[y >= 0].mean() < 0.05


@ranks
def test_labels_name_varieties(r):
    """The labelled means of crossing varieties are one place: the labels alone tell them apart."""
    for seed in range(5):
        X, y, P = flats(r, r + 1, seed, each=100)
        known = np.where(np.arange(len(y)) % 10 == 0, 1 - y, -1)
        model = sc.FuzzyCMeans(2, geometry=WORDS[r]).fit(X, known)
        assert angle(model, X, P, r) < 5
        assert (model.labels_ == 1 - y).mean() > 0.85


def test_pieces_of_one_line_are_one_cluster():
    """The known weakness: a line has no end.  Points tell the pieces apart."""
    rng = np.random.default_rng(0)
    t = np.concatenate([rng.uniform(-12, -8, 60), rng.uniform(8, 12, 60)])
    X = np.column_stack([t, 0.1 * rng.normal(size=120)])
    X = np.vstack([X, np.column_stack([0.1 * rng.normal(size=60), rng.uniform(-4, 4, 60)])])
    model = sc.FuzzyCMeans(2, geometry="lines", random_state=0).fit(X)
    assert (model.labels_[:60] == model.labels_[60]).mean() > 0.95
    points = sc.FuzzyCMeans(3, random_state=0).fit(X)
    assert not np.isin(points.labels_[:60], points.labels_[60:120]).any()


# ------------------------------------------------------------------------------ what is refused
@ranks
def test_too_few_features(r):
    X = np.random.default_rng(0).normal(size=(30, r))
    with pytest.raises(ValueError, match=f"{r + 1} features or more would fit"):
        sc.FuzzyCMeans(2, geometry=WORDS[r]).fit(X)


@ranks
def test_given_matrices_are_checked(r):
    X, V, _ = scene(r)
    with pytest.raises(ValueError, match="3 of 3 x 3 would fit"):
        sc.FuzzyCMeans(3, geometry=WORDS[r], init=(V, np.eye(3))).fit(X)


def test_a_plane_needs_two_axes_or_none():
    X, V, S = scene(2)
    matrices = oracle.projectors(S)
    matrices[1] = np.diag([1.0, 0, 0])
    with pytest.raises(ValueError, match="cluster 1 in init"):
        sc.FuzzyCMeans(3, geometry="planes", init=(V, matrices)).fit(X)
    matrices[1] = 0
    assert np.isfinite(sc.FuzzyCMeans(3, geometry="planes", init=(V, matrices)).fit(X).memberships_).all()


@ranks
def test_varieties_have_neither_separation_nor_sets(r):
    X, *_ = scene(r)
    with pytest.raises(ValueError, match="geometry='points' would fit"):
        sc.FuzzyCMeans(3, geometry=WORDS[r], separation=sc.Repulsion()).fit(X)
    with pytest.raises(ValueError, match="geometry"):
        sc.EvidentialCMeans(3, geometry=WORDS[r]).fit(X)


@ranks
def test_varieties_that_coincide_are_named(r):
    X, *_ = flats(r, 3, c=2)
    with pytest.warns(sc.DegenerateClusterWarning, match=f"Clusters 0 and 1 coincide: as {WORDS[r]}"):
        sc.FuzzyCMeans(2, geometry=WORDS[r], init=X[[0, 0]]).fit(X)


def test_lines_that_cross_do_not_coincide():
    """Two axes through one point: no warning, which would be an error here."""
    t = np.linspace(-1, 1, 20)[:, None]
    X = np.vstack([t * [1.0, 0.0, 0.0], t * [0.0, 1.0, 0.0]])
    model = sc.FuzzyCMeans(2, geometry="lines", init=X[[0, 20]]).fit(X)
    assert np.allclose(np.sort(np.abs(model.directions_), axis=0), [[0, 0, 0], [1, 1, 0]], atol=1e-6)
    assert np.abs(model.cluster_centers_).max() < 1e-6


@ranks
def test_rows_on_varieties_and_repeated_rows(r):
    """J = 0: rows exactly on varieties, and fewer distinct rows than a variety needs."""
    X, _, P = flats(r, 3, noise=0.0)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        model = sc.FuzzyCMeans(2, geometry=WORDS[r], random_state=0).fit(X)
        assert angle(model, X, P, r) < 0.1
        repeated = sc.FuzzyCMeans(3, geometry=WORDS[r], random_state=0).fit(np.repeat(X[:4], 5, axis=0))
        same = sc.HardCMeans(3, geometry=WORDS[r], random_state=0).fit(np.repeat(X[:1], 9, axis=0))
    for one in (model, repeated, same):
        for array in (one.memberships_, one.directions_, one.objective_history_, one.covariances_):
            assert np.isfinite(array).all()
    assert not [w for w in said if issubclass(w.category, RuntimeWarning)]
