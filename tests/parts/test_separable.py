"""Partitions with a fuzzifier of any form: NumPy alone gives labels, noise and pairs, exactly."""

from dataclasses import dataclass

import numpy as np
import pytest
from numpy.testing import assert_allclose

import softclust
from oracles import polynomial
from softclust.compat.sklearn import InvalidParameterError
from softclust.grammar.partitions import Fuzzy, Members, Partition, Polynomial, Separable
from softclust.kernels.labels import known_rows
from softclust.knowledge.graph import Links
from softclust.knowledge.linked import Linked


@dataclass(frozen=True)
class Power(Separable):
    """g(u) = u^m: the generic form of `Fuzzy`, which has kernels."""

    m: float = 2.0

    def fuzzifier(self, u):
        return u**self.m

    def slope(self, u):
        return self.m * u ** (self.m - 1)


@dataclass(frozen=True)
class Generic(Polynomial):
    """The polynomial fuzzifier by bisection, as any g would be."""

    memberships = Separable.memberships


def costs(seed, n=200, c=4):
    D = np.random.default_rng(seed).exponential(size=(n, c)) ** 2
    D[0, 1] = 0.0
    return D


@pytest.mark.parametrize("noise", [0.0, 0.4])
@pytest.mark.parametrize("m", [1.3, 2.0, 3.0])
def test_any_fuzzifier_equals_the_compiled_one(m, noise, seed):
    D, scale = costs(seed, 60), np.ones(4)
    for ours, theirs in zip(
        Power(m).influence(D, scale, noise), Fuzzy(m).influence(D, scale, noise), strict=True
    ):
        assert_allclose(ours, theirs, atol=1e-12)
    rng = np.random.default_rng(seed)
    target = rng.choice([0.0, 0.3, 1.0, np.nan], size=D.shape)
    alpha = rng.exponential(size=len(D)) * 3
    D = np.maximum(D, 1e-6)
    for printed in (False, True):
        ours = Power(m).labelled_rows(D, scale, noise, target, alpha, printed)
        theirs = Fuzzy(m).labelled_rows(D, scale, noise, target, alpha, printed)
        for one, two in zip(ours, theirs, strict=True):
            assert_allclose(one, two, atol=1e-7)


@pytest.mark.parametrize("noise", [0.0, 0.4])
@pytest.mark.parametrize("beta", [0.0, 0.2, 0.5, 0.9])
def test_the_polynomial_fuzzifier_equals_its_oracle(beta, noise, seed):
    D = costs(seed)
    U, rest = polynomial.memberships(D, beta, noise)
    members = Polynomial(beta)
    W, loss = members.influence(D, np.ones(4), noise)
    assert_allclose(W, polynomial.influence(U, beta), atol=1e-12)
    assert_allclose(loss.sum(), polynomial.objective(D, U, rest, beta, noise), rtol=1e-12)
    generic, _ = Generic(beta).influence(D, np.ones(4), noise)
    assert_allclose(generic, W, atol=1e-9)


@pytest.mark.parametrize("beta", [0.2, 0.7])
def test_labelled_rows_of_the_polynomial_fuzzifier(beta, seed):
    """Water-filling and bisection find the same minimiser, and no neighbour on the simplex is better."""
    rng = np.random.default_rng(seed)
    D, alpha = np.maximum(costs(seed), 1e-6), rng.exponential(size=200)
    target = rng.choice([0.0, 0.5, 1.0, np.nan], size=D.shape)
    arguments = D, np.ones(4), 0.3, target, alpha, False
    U, _, _, loss, share, _ = Polynomial(beta).labelled_rows(*arguments)
    assert_allclose(U, Generic(beta).labelled_rows(*arguments)[0], atol=1e-8)

    def paid(p):
        gap = np.where(np.isnan(target), 0.0, p[:, :4] - np.nan_to_num(target))
        g = Polynomial(beta).fuzzifier
        return (D * (g(p[:, :4]) + alpha[:, None] * gap**2)).sum(axis=1) + 0.3 * g(p[:, 4])

    p = np.column_stack([U, share])
    assert_allclose(paid(p), loss, rtol=1e-12)
    for _ in range(20):
        other = p + 1e-3 * (rng.dirichlet(np.ones(5), 200) - p)
        assert (paid(other) >= loss - 1e-12).all()


def test_linked_rows_without_a_kernel_settle_as_with_one(seed):
    rng = np.random.default_rng(seed)
    ends = np.array([[0, 1], [1, 2], [3, 4], [0, 4]])
    links = Links(ends, np.array([True, False, True, False]), rng.exponential(size=4))
    cost, q = rng.exponential(size=(5, 3)), 5
    single = np.ones(3)
    linked = Linked(
        cost, np.zeros((q, 3)), np.full((q, 3), np.nan), np.zeros(q), links.graph,
        (np.ones(3), single, np.empty((0, 0))), 3,
    )  # fmt: skip
    start = rng.dirichlet(np.ones(3), q)
    assert_allclose(Power(2.0).settle(linked, start)[0], Fuzzy(2.0).settle(linked, start)[0], atol=1e-8)


@pytest.mark.filterwarnings("ignore")
def test_a_partition_without_a_solver_of_labelled_rows_says_so():
    @dataclass(frozen=True)
    class Half(Partition):
        """Every row belongs to each of two clusters by half."""

        def influence(self, D, scale, noise):
            return np.full(D.shape, 0.25), 0.25 * D.sum(axis=1)

        def members(self, D, scale, noise):
            return Members(np.full(D.shape, 0.5), None, D.argmin(axis=1), np.zeros(len(D)))

    from softclust.estimators.cmeans import CMeans

    @dataclass(eq=False, repr=False, kw_only=True)
    class HalfMeans(CMeans):
        def _sentence(self, data):
            return self._said(data, Half())

    X = np.random.default_rng(0).normal(size=(20, 2))
    HalfMeans(2, random_state=0).fit(X)
    with pytest.raises(InvalidParameterError, match="Half takes no labels"):
        HalfMeans(2, random_state=0, label_strength=0.1).fit(X, [0, 1] + 18 * [-1])


def test_an_unknown_rule_gives_no_degrees():
    with pytest.raises(NotImplementedError, match="Rule 99 has no solver"):
        known_rows(99, None, np.ones(2), np.ones((1, 2)), np.ones((1, 2)), np.ones(1))


def test_a_fit_has_crisp_rows_and_shared_ones(iris):
    model = softclust.FuzzyCMeans(3, fuzzifier="polynomial", random_state=0).fit(iris[0])
    sure = (model.memberships_ == 1).any(axis=1)
    assert 0.2 < sure.mean() < 1
    nearest = np.sort(model.transform(iris[0]) ** 2, axis=1)
    assert np.array_equal(sure, nearest[:, 0] <= 0.5 * nearest[:, 1])


def test_gath_geva_takes_no_polynomial(iris):
    with pytest.raises(InvalidParameterError, match="fuzzifier='power' would fit"):
        softclust.FuzzyCMeans(3, fuzzifier="polynomial", geometry="gath-geva").fit(iris[0])
