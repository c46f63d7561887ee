"""What must hold of geometries: equivariance, shapes found again, data that are flat."""

import re
import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import linear_sum_assignment
from sklearn.datasets import load_digits

import softclust as sc
from configurations import FUZZY, MIXTURE, POSSIBILISTIC, WITH_DEGREES
from softclust.datasets import make_ellipses
from softclust.datasets.generators import _SHAPES as SHAPES

CONCENTRIC = (((0.0, 0.0), (1.0, 1.0), 0.0), ((0.2, 0.0), (2.0, 2.0), 0.0), ((0.0, 0.1), (3.0, 3.0), 0.0))


# ---------------------------------------------------------------------- maps of the data
@pytest.mark.parametrize("name", ["gk", "pgk", "gg", "gmm", "mfcm"])
def test_linear_maps_change_no_membership(name, iris, seed):
    """Gustafson-Kessel and full mixtures measure in units of their own."""
    X, _ = iris
    A = np.random.default_rng(seed).normal(size=(4, 4))
    V, sigma = X[[0, 60, 120]], np.tile(np.cov(X.T), (3, 1, 1))
    parameters = {"reg_covar": 0.0} if name == "gmm" else {}
    one = V if name == "mfcm" else (V, sigma)
    other = V @ A.T if name == "mfcm" else (V @ A.T, A @ sigma @ A.T)
    steps = {"max_iter": 15, "tol": 0.0, "acceleration": None}
    if name == "pgk":  # det S = 1: distances grow with the volume
        parameters["scale"] = 0.3
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        plain = sc.make(name, 3, init=one, **steps, **parameters).fit(X)
        if name == "pgk":
            parameters["scale"] = 0.3 * abs(np.linalg.det(A)) ** 0.5
        mapped = sc.make(name, 3, init=other, **steps, **parameters).fit(X @ A.T)
    assert_allclose(mapped.memberships_, plain.memberships_, rtol=0, atol=1e-6)
    assert_allclose(mapped.cluster_centers_, plain.cluster_centers_ @ A.T, rtol=0, atol=1e-6)


@pytest.mark.parametrize("name", ["afcs", "fces", "apcs", "pces"])
def test_shells_turn_with_the_data(name):
    X, _ = make_ellipses(200, noise=0.05, random_state=0)
    turn = np.array([[0.6, -0.8], [0.8, 0.6]])
    V, sigma = np.array([[-1.5, 0.3], [2.5, 1.2]]), np.tile(4 * np.eye(2), (2, 1, 1))
    plainly = {"acceleration": None, "max_iter": 3000}  # an extrapolation may end in another minimum
    plain = sc.make(name, 2, init=(V, sigma), **plainly).fit(X)
    turned = sc.make(name, 2, init=(3 * V @ turn.T + 5, 9 * sigma), **plainly).fit(3 * X @ turn.T + 5)
    assert_allclose(turned.semi_axes_, 3 * plain.semi_axes_, rtol=1e-4)
    assert_allclose(turned.cluster_centers_, 3 * plain.cluster_centers_ @ turn.T + 5, rtol=0, atol=1e-3)
    assert_allclose(turned.memberships_, plain.memberships_, rtol=0, atol=1e-3)


@pytest.mark.parametrize("name", ["afcs", "fces", "apcs", "pces"])
def test_shells_weigh_rows(name):
    """A weight is a number of copies, 0 leaves a row out, and the order of rows is nothing."""
    X, _ = make_ellipses(150, noise=0.05, random_state=0)
    copies = np.random.default_rng(0).integers(0, 3, 150)
    start = np.array([[-1.8, 0.2], [2.7, 1.1]]), np.array([np.diag([8.0, 2.0]), np.diag([2.0, 5.0])])
    parameters = {"init": start, "acceleration": None, "max_iter": 3000}
    if name in ("apcs", "pces"):
        parameters["scale"] = 0.02
    weighed = sc.make(name, 2, **parameters).fit(X, sample_weight=copies)
    copied = sc.make(name, 2, **parameters).fit(np.repeat(X, copies, axis=0)[::-1])
    single = sc.make(name, 2, **parameters).fit(X.astype(np.float32), sample_weight=copies)
    for other, tol in ((copied, 1e-4), (single, 1e-2)):
        assert_allclose(other.semi_axes_, weighed.semi_axes_, rtol=tol)
        assert_allclose(other.cluster_centers_, weighed.cluster_centers_, rtol=0, atol=tol)
    assert single.memberships_.dtype == single.cluster_centers_.dtype == np.float32


@pytest.mark.parametrize("cls", WITH_DEGREES)
def test_directions_weigh_rows(cls, iris):
    X, _ = iris
    copies = np.random.default_rng(0).integers(0, 3, 150)
    parameters = {"geometry": "directions", "init": X[[0, 60, 120]], "tol": 1e-8}
    weighed = cls(3, **parameters).fit(X, sample_weight=copies)
    copied = cls(3, **parameters).fit(np.repeat(X, copies, axis=0)[::-1])
    single = cls(3, **parameters).fit(X.astype(np.float32), sample_weight=copies)
    assert_allclose(copied.cluster_centers_, weighed.cluster_centers_, rtol=0, atol=1e-6)
    assert_allclose(single.cluster_centers_, weighed.cluster_centers_, rtol=0, atol=1e-3)


def test_directions_see_no_length(iris):
    X, _ = iris
    length = np.random.default_rng(0).uniform(0.01, 100, (150, 1))
    one = FUZZY(3, geometry="directions", init=X[[0, 60, 120]]).fit(X)
    other = FUZZY(3, geometry="directions", init=X[[0, 60, 120]]).fit(X * length)
    assert_allclose(other.memberships_, one.memberships_, rtol=0, atol=1e-9)


def test_a_row_without_a_direction(iris):
    X, _ = iris
    X = np.vstack([X, np.zeros((1, 4))])
    model = FUZZY(3, geometry="directions", random_state=0).fit(X)
    assert_allclose(model.memberships_[-1], 1 / 3)
    assert_allclose(model.transform(X)[-1], 1.0)


# ---------------------------------------------------------------------- shapes found again
def worst_axis(model, shapes):
    """The greatest relative error of a semi-axis, shells matched to the true ones."""
    cost = np.array(
        [
            [
                np.abs(np.sort(axes) - np.sort(size)).max() / max(size)
                + np.linalg.norm(centre - np.array(at))
                for at, size, _ in shapes
            ]
            for centre, axes in zip(model.cluster_centers_, model.semi_axes_, strict=True)
        ]
    )
    pairs = zip(*linear_sum_assignment(cost), strict=True)
    return max(np.abs(np.sort(model.semi_axes_[i]) / np.sort(shapes[j][1]) - 1).max() for i, j in pairs)


def found_again(name, shapes, outliers, seeds):
    errors = []
    for seed in seeds:
        X, _ = make_ellipses(300, shapes=list(shapes), noise=0.05, outliers=outliers, random_state=seed)
        errors.append(worst_axis(sc.make(name, len(shapes), random_state=seed).fit(X), shapes))
    return sum(error <= 0.05 for error in errors)


CASES = [(name, 0.0) for name in ("afcs", "fces", "apcs", "pces")] + [("apcs", 0.2), ("pces", 0.2)]
FIGURES = {**SHAPES, "concentric": CONCENTRIC}


@pytest.mark.parametrize("shapes", FIGURES)
@pytest.mark.parametrize(("name", "outliers"), CASES)
def test_shells_are_found_again(name, outliers, shapes):
    assert found_again(name, FIGURES[shapes], outliers, range(2)) == 2


@pytest.mark.slow
@pytest.mark.parametrize("shapes", FIGURES)
@pytest.mark.parametrize(("name", "outliers"), CASES)
def test_shells_are_found_again_in_nineteen_of_twenty_draws(name, outliers, shapes):
    assert found_again(name, FIGURES[shapes], outliers, range(20)) >= 19


def test_noise_makes_fuzzy_shells_robust():
    X, y = make_ellipses(300, outliers=0.2, random_state=0)
    model = FUZZY(2, geometry="radial-shells", noise_distance=0.3, random_state=0).fit(X)
    assert worst_axis(model, SHAPES["ellipses"]) <= 0.05
    assert model.outlier_mask_[y == -1].mean() > 0.6
    assert model.outlier_mask_[y != -1].mean() < 0.05


def test_shells_stay_within_the_data(blobs):
    """Through a blob a shell would grow for ever."""
    X, _ = blobs
    for name in ("afcs", "fces"):
        model = sc.make(name, 3, random_state=0, max_iter=500).fit(X)
        assert model.semi_axes_.max() <= 1.001 * np.ptp(X, axis=0).max()
        assert np.isfinite(model.memberships_).all()


# ---------------------------------------------------------------------- data that are flat
def flat_data():
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(size=(40, 3)), rng.normal(size=(40, 3)) + 8])
    yield "collinear", np.column_stack([X, X[:, 0], X[:, 0] - X[:, 1]])
    yield "wide", np.vstack([rng.normal(size=(8, 20)), rng.normal(size=(8, 20)) + 8])
    yield "duplicated", np.repeat(X[::20], 30, axis=0)
    yield "constant", np.column_stack([X, np.full(80, 7.0)])


FLAT = dict(flat_data())


@pytest.mark.parametrize("data", FLAT)
@pytest.mark.parametrize("name", ["gk", "pgk", "gg", "gmm", "mfcm", "diag", "tied", "spherical"])
def test_flat_data_have_a_finite_answer(name, data):
    X = FLAT[data]
    make = sc.make if name in sc.catalogue() else lambda kind, c, **p: MIXTURE(c, covariance_type=kind, **p)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        model = make(name, 2, random_state=0).fit(X)
    for array in (model.cluster_centers_, model.memberships_, model.objective_history_, model.transform(X)):
        assert np.isfinite(array).all()
    assert not [w for w in said if issubclass(w.category, RuntimeWarning)]
    if name == "gmm" or (name in ("gk", "gg") and data != "duplicated"):
        flat = [str(w.message) for w in said if w.category is sc.DegenerateClusterWarning]
        assert any("flat" in sentence for sentence in flat)
        assert any(character.isdigit() for character in flat[0])


@pytest.mark.parametrize("random_state", [1, 2])
def test_pixels_that_are_never_written_on(random_state):
    """Features of spread 0 beside others: metrics stay so far from singular that they have a root."""
    X = load_digits().data[:600]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = FUZZY(10, geometry="ellipsoids", random_state=random_state).fit(X)
    assert np.isfinite(model.memberships_).all()
    assert (np.diff(model.objective_history_) <= 1e-9 * model.objective_).all()


@pytest.mark.parametrize("cls", WITH_DEGREES)
def test_metrics_that_are_held_tell_elongated_clusters_apart(cls):
    """Two parallel strips: points cannot tell them apart, metrics of their own can."""
    rng = np.random.default_rng(1)
    y = np.repeat([0, 1], 150)
    X = rng.normal(size=(300, 2)) * [6, 0.5] + np.column_stack([np.zeros(300), 4.0 * y])
    sure = np.full(300, -1)
    sure[::10] = y[::10]
    right = {
        shape: (cls(2, geometry=shape, random_state=0).fit(X, sure).labels_ == y).mean()
        for shape in ("points", "ellipsoids")
    }
    assert right["ellipsoids"] >= max(0.97, right["points"])


# ---------------------------------------------------------------------- words that do not go together
@pytest.mark.parametrize("geometry", ["ellipsoids", "mahalanobis", "shells", "directions"])
def test_separation_goes_with_points(geometry, iris):
    with pytest.raises(ValueError, match="geometry='points' would fit"):
        POSSIBILISTIC(3, geometry=geometry, separation=sc.Repulsion()).fit(iris[0])


@pytest.mark.parametrize("cls", [cls for cls in WITH_DEGREES if cls is not FUZZY])
def test_gath_geva_goes_with_fuzzy_memberships(cls, iris):
    with pytest.raises(ValueError, match=r"FuzzyCMeans alone.*'ellipsoids' would fit"):
        cls(3, geometry="gath-geva").fit(iris[0])


def test_gath_geva_has_no_noise_distance_and_no_pairs(iris):
    with pytest.raises(ValueError, match="distances have no unit"):
        FUZZY(3, geometry="gath-geva", noise_distance=1.0).fit(iris[0])
    with pytest.raises(ValueError, match="GaussianMixture does"):
        FUZZY(3, geometry="gath-geva").fit(iris[0], must_link=[(0, 1)])


def test_given_matrices_are_checked(iris):
    X, _ = iris
    V = X[[0, 60, 120]]
    with pytest.raises(ValueError, match="3 of 4 x 4 would fit"):
        FUZZY(3, geometry="ellipsoids", init=(V, np.eye(4))).fit(X)
    with pytest.raises(ValueError, match="cluster 0 in init is not positive definite"):
        FUZZY(3, geometry="ellipsoids", init=(V, np.zeros((3, 4, 4)))).fit(X)


@pytest.mark.parametrize(
    "model",
    [sc.make("gk", n_clusters=6), sc.GaussianMixture(6, covariance_prior=0)],
)
def test_many_flat_clusters_are_one_warning(model):
    X = load_digits().data[:300]
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        model.set_params(random_state=0).fit(X)
    flat = [str(w.message) for w in said if " flat: " in str(w.message)]
    assert len(flat) == 1 and re.match(r"(Cluster|Component)s \d, \d", flat[0])
