"""The mass step beside a general solver, and the paper's figures."""

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from oracles import evidential as literal
from softclust import EvidentialCMeans, make, sample_supervision

FULL = literal.focal_sets(3, "full")


def first_masses(X, V, must, cannot, strength):
    """The first mass step from centres V, the oracle's problem, and J of the step without its constant."""
    weight = strength / (len(X) * 8 * X.var(axis=0).sum())
    model = EvidentialCMeans(
        3, noise_distance=3.0, init=V, max_iter=1, acceleration=None, beta=2.0, cardinality_power=1.0,
        must_strength=weight * len(must), cannot_strength=weight * len(cannot),
    )  # fmt: skip
    with pytest.warns(UserWarning):  # one iteration, and perhaps pairs that cannot all hold
        model.fit(X, must_link=must, cannot_link=cannot)
    D = literal.distances(X, V, FULL)
    a, b, pairs, _ = literal.mass_problem(
        D, FULL, alpha=1.0, rho2=9.0, gamma=strength, eta=strength, must=must, cannot=cannot
    )
    return model.objective_history_[0], a, b, pairs


def scene(seed, n, q):
    """Rows, centres, and q random pairs of each kind, none in both."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2)) + 2 * rng.integers(-1, 2, size=(n, 1))
    every = np.column_stack(np.triu_indices(n, 1))
    chosen = every[rng.choice(len(every), 2 * q, replace=False)].tolist()
    return X, rng.normal(size=(3, 2)), chosen[:q], chosen[q:]


@pytest.mark.parametrize("strength", [100.0, 300.0])
@pytest.mark.parametrize("seed", range(10))
def test_a_mass_step_that_is_not_convex_is_no_worse_than_a_general_solver(seed, strength):
    """Random pairs, which contradict each other and the data."""
    X, V, must, cannot = scene(seed, 7, 5)
    found, a, b, pairs = first_masses(X, V, must, cannot, strength)
    assert not literal.is_convex(a, pairs)
    start = literal.ecm_masses(literal.distances(X, V, FULL), FULL, 1.0, 2.0, 9.0)
    _, J = literal.joint_masses(a, b, pairs, start)
    assert found <= J * (1 + 1e-6)


def test_iris_without_knowledge(iris):
    """Xie & Antoine, Tables 3 and 4, column ECM: 0.59 and 0.67."""
    X, y = iris
    for name, low, high in (("ecm", 0.585, 0.595), ("ecm-mahalanobis", 0.66, 0.68)):
        model = make(name, 3, n_init=5, random_state=0).fit(X)
        assert low <= adjusted_rand_score(y, model.labels_) <= high


@pytest.mark.parametrize("weight", ["auto", "paper"])
@pytest.mark.parametrize(("geometry", "least"), [("points", 0.75), ("ellipsoids", 0.85)])
def test_iris_with_ten_percent_of_each(geometry, least, weight, iris):
    """Xie & Antoine, Tables 3 and 4, 10 %: 0.70 and 0.83, which the continuation of the links exceeds."""
    X, y = iris
    scores = []
    for seed in range(20):
        told = sample_supervision(y, 0.1, 0.1, 0.1, every_class=True, random_state=seed)
        model = make("lpecm", 3, geometry=geometry, data_weight=weight, random_state=0)
        model.fit(X, told.y, must_link=told.must_link, cannot_link=told.cannot_link)
        scores.append(adjusted_rand_score(y, model.labels_))
    assert np.mean(scores) >= least


def test_mahalanobis_has_one_meaning(iris):
    with pytest.warns(FutureWarning, match='Write "ellipsoids"'):
        old = EvidentialCMeans(3, geometry="mahalanobis", random_state=0).fit(iris[0])
    new = EvidentialCMeans(3, geometry="ellipsoids", random_state=0).fit(iris[0])
    assert np.array_equal(old.masses_, new.masses_)
