"""Fits with pairs do not depend on the order of rows, and end where they would start again."""

import numpy as np
import pytest

import softclust as sc
from conftest import make_blobs

pytestmark = pytest.mark.filterwarnings(
    "ignore::softclust.DegenerateClusterWarning",
    "ignore::sklearn.exceptions.ConvergenceWarning",
    "ignore:What is known cannot all hold",
)
MODELS = {
    "hard": sc.HardCMeans,
    "fuzzy": sc.FuzzyCMeans,
    "credal ellipsoids": lambda **words: sc.EvidentialCMeans(geometry="ellipsoids", **words),
    "mixture": sc.GaussianMixture,
}
every_model = pytest.mark.parametrize("make", MODELS.values(), ids=MODELS)


def told(seed, each=30):
    """Clouds that overlap, and pairs among them that contradict the rows and each other."""
    rng = np.random.default_rng(seed)
    X, _ = make_blobs(seed, each, spread=4.0)
    must, cannot = (np.array([rng.choice(len(X), 2, replace=False) for _ in range(15)]) for _ in "mc")
    return X, must, cannot


def objectives(make, seed, orders):
    """J of the same fit with its rows in several orders."""
    X, must, cannot = told(seed)
    found = []
    for number in range(orders):
        order = np.random.default_rng(number).permutation(len(X)) if number else np.arange(len(X))
        place = np.argsort(order)
        model = make(n_clusters=3, random_state=0)
        found.append(model.fit(X[order], must_link=place[must], cannot_link=place[cannot]).objective_)
    return np.array(found)


@every_model
def test_the_order_of_rows_does_not_matter(make, seed):
    J = objectives(make, seed, orders=3)
    assert np.ptp(J) <= 1e-6 * abs(J).max()


@pytest.mark.slow
@pytest.mark.parametrize("draw", range(3, 23))
@every_model
def test_the_order_of_rows_does_not_matter_in_many_draws(make, draw):
    J = objectives(make, draw, orders=6)
    assert np.ptp(J) <= 1e-6 * abs(J).max()


@pytest.mark.parametrize("draw", [4, 10])
@pytest.mark.parametrize("acronym", ["cecm", "lpecm"])
def test_a_fit_from_its_centres_does_not_end_lower(acronym, draw, iris):
    X, truth = iris
    said = sc.sample_supervision(truth, must_link=12, cannot_link=12, random_state=draw)
    pairs = {"must_link": said.must_link, "cannot_link": said.cannot_link}
    words = {"n_clusters": 3, "random_state": draw, "tol": 1e-9, "max_iter": 3000}
    first = sc.make(acronym, **words).fit(X, **pairs)
    start = first.cluster_centers_
    if hasattr(first, "covariances_"):
        start = start, first.covariances_
    second = sc.make(acronym, init=start, **words).fit(X, **pairs)
    assert second.objective_ >= first.objective_ * (1 - 1e-7)


def test_equal_rows_are_visited_by_their_pairs():
    """Rows in one place have one key: their pairs tell them apart."""
    X = np.repeat([[0.0, 0.0], [1.0, 0.0], [0.0, 3.0], [4.0, 4.0]], 5, axis=0)
    must, cannot = np.array([(0, 5, 2.0), (1, 10, 0.5)]), np.array([(0, 11, 1.0), (2, 6, 0.7), (3, 4, 1.5)])
    found = []
    for number in range(4):
        order = np.random.default_rng(number).permutation(len(X))
        place = np.argsort(order)
        moved = [np.column_stack([place[q[:, :2].astype(int)], q[:, 2]]) for q in (must, cannot)]
        model = sc.HardCMeans(3, init=X[[0, 10, 15]]).fit(
            X[order], must_link=moved[0], cannot_link=moved[1]
        )
        found.append(model.objective_)
    assert np.ptp(found) <= 1e-9 * max(found)
