"""The compiled passes equal the parts' own functions, which define the meaning."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from configurations import PARTITIONS
from oracles.supervised import simplex_row
from softclust.kernels.labels import known_rows
from softclust.model import Model, assign, assign_by_parts, sweep, sweep_by_parts
from softclust.partitions import (
    Fuzzy,
    Hard,
    ImprovedPossibilistic,
    Members,
    Possibilistic,
)
from softclust.prototypes import Points
from softclust.records import NARROW_EXPONENT, Frame, Rows, State, Units

SHAPES = [
    (1, 1, 1),
    (5, 2, 1),
    (127, 3, 2),
    (128, 4, 3),
    (129, 5, 4),
    (300, 2, 3),
    (300, 16, 9),
    (200, 18, 11),
]
RELATIVE = {np.float64: 1e-11, np.float32: 2e-4}


def scene(n, p, c, dtype, seed=0):
    rng = np.random.default_rng(seed)
    V = rng.normal(size=(c, p))
    X = rng.normal(size=(n, p)) + V[rng.integers(c, size=n)]
    X[0] = V[0]  # a row on a centre
    units = Units(0.5, rng.normal(size=p))
    data = units.leave(X).astype(dtype)
    rows = Rows(data, units, rng.uniform(0, 2, n))
    exact = units.enter(data[:1])[0].astype(np.float64)
    V[0] = exact
    return rows, State((V,), rng.uniform(0.5, 3.0, c))


def model_of(partition, c, noise, rate=0.0):
    return Model(Points(), partition, Frame.singletons(c, noise), None, rate)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("noise", [0.0, 1.5])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("partition", PARTITIONS, ids=str)
def test_sweep(partition, shape, noise, dtype):
    if noise and not partition.has_noise:
        pytest.skip("has no noise column")
    rows, state = scene(*shape, dtype)
    model = model_of(partition, shape[2], noise)
    assert model.rule is not None
    one, two = sweep(rows, model, state), sweep_by_parts(rows, model, state)
    rtol = RELATIVE[dtype]
    assert_allclose(one.loss, two.loss, rtol=rtol, atol=rtol)
    assert_allclose(one.weight, two.weight, rtol=rtol, atol=rtol)
    assert_allclose(one.scatter, two.scatter, rtol=rtol, atol=rtol)
    size = np.abs(two.moments[0]).max() + 1
    assert_allclose(one.moments[0], two.moments[0], rtol=rtol, atol=rtol * size)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("noise", [0.0, 1.5])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("partition", PARTITIONS, ids=str)
def test_assign(partition, shape, noise, dtype):
    if noise and not partition.has_noise:
        pytest.skip("has no noise column")
    n, _, c = shape
    rows, state = scene(*shape, dtype)
    model = model_of(partition, c, noise)
    out = Members(
        np.empty((n, c), dtype),
        np.empty((n if partition.has_typicalities else 0, c), dtype),
        np.empty(n, np.int32),
        np.empty(n, dtype),
    )
    assign(rows, out, model, state)
    expected = assign_by_parts(rows, model, state)
    atol = {np.float64: 1e-11, np.float32: 1e-4}[dtype]
    assert_allclose(out.memberships, expected.memberships, atol=atol)
    assert_allclose(out.scores, expected.scores, atol=atol)
    if partition.has_typicalities:
        assert_allclose(out.typicalities, expected.typicalities, atol=atol)
    assert (out.labels == expected.labels).mean() > (0.999 if dtype is np.float64 else 0.98)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("partition", [Hard(), Fuzzy(2.0), Possibilistic(2.0)], ids=str)
def test_row_weights_that_follow_the_centres(partition, dtype):
    rows, state = scene(300, 3, 4, dtype)
    model = model_of(partition, 4, 0.0, rate=0.7)
    one, two = sweep(rows, model, state), sweep_by_parts(rows, model, state)
    assert_allclose(one.loss, two.loss, rtol=RELATIVE[dtype])
    assert_allclose(one.weight, two.weight, rtol=RELATIVE[dtype])


def test_rows_without_weights_weigh_one():
    rows, state = scene(200, 3, 4, np.float64)
    model = model_of(Fuzzy(2.0), 4, 0.0)
    bare = Rows(rows.X, rows.units)
    ones = Rows(rows.X, rows.units, np.ones(200))
    assert sweep(bare, model, state).loss == sweep(ones, model, state).loss


def test_padding_and_neighbours_do_not_matter():
    """A row's memberships have the same bits wherever it stands."""
    rows, state = scene(300, 5, 3, np.float64)
    model = model_of(Fuzzy(1.7), 3, 0.0)

    def memberships(which):
        part = rows.take(which)
        n = len(part)
        out = Members(np.empty((n, 3)), np.empty((0, 3)), np.empty(n, np.int32), np.empty(n))
        assign(part, out, model, state)
        return out.memberships

    whole = memberships(slice(None))
    for which in (slice(17, 18), slice(100, 300), slice(0, 300, 7), slice(None, None, -1)):
        assert np.array_equal(memberships(which), whole[which])


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("noise", [0.0, 1.5])
@pytest.mark.parametrize("c", [*range(1, 10), 12, 13])
def test_narrow_rows_give_the_same(c, noise, dtype):
    """The rule for few clusters in registers, which needs rows of moderate size."""
    rows, state = scene(300, 3, c, dtype)
    model = model_of(Fuzzy(2.0), c, noise)
    one, two = sweep(replace(rows, narrow=True), model, state), sweep(rows, model, state)
    rtol = RELATIVE[dtype]
    for name in ("loss", "weight", "scatter"):
        assert_allclose(getattr(one, name), getattr(two, name), rtol=rtol, atol=rtol)
    assert_allclose(one.moments[0], two.moments[0], rtol=rtol, atol=rtol * 300)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("c", [3, 8, 10])
def test_the_edges_of_narrow_rows(c, dtype):
    """All rows on one centre or all as far away as narrow rows can be: still finite, and equal shares."""
    edge = 2.0**NARROW_EXPONENT
    units = Units(1.0, np.zeros(2))
    for X, V in (([[0.0, 0.0]], np.zeros((c, 2))), ([[edge, edge]], np.full((c, 2), -edge))):
        rows = Rows(np.array(X, dtype), units, narrow=True)
        stats = sweep(rows, model_of(Fuzzy(2.0), c, 0.0), State((V,)))
        assert_allclose(stats.weight, 1 / c**2, rtol=1e-6)
        assert np.isfinite(stats.loss)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize(
    "partition",
    [
        Possibilistic(1.01),
        Possibilistic(1.05),
        Possibilistic(1.2),
        ImprovedPossibilistic(2.0, 1.01),
        ImprovedPossibilistic(1.5, 1.01),
        ImprovedPossibilistic(2.0, 1.05),
    ],
    ids=str,
)
def test_far_rows_and_exponents_near_one(partition, dtype):
    """Powers of the distances leave the range of floats; the objective does not."""
    X = np.array([[0.0], [0.1], [10.0], [100.0], [200.0]], dtype)
    rows = Rows(X, Units(1.0, np.zeros(1)))
    state = State((np.array([[0.0], [0.2]]),), np.ones(2))
    model = model_of(partition, 2, 0.0)
    rtol = {np.float64: 1e-10, np.float32: 1e-5}[dtype]
    assert_allclose(sweep(rows, model, state).loss, sweep_by_parts(rows, model, state).loss, rtol=rtol)


def test_labelled_rows_with_costs_far_apart():
    """The exact memberships where one cost is a tiny share of another, or zero (`oracles.supervised`)."""
    cases = [
        ([1.0, 0.0], [1.0, 0.0], 3.0, 3.0),
        ([1.0, 0.0], [1.0, np.nan], 1e-3, 1.1),
        ([0.05697, 1206.37, 0.06293], [0.0, 0.0, 0.0], 1e4, 1.1),
        ([1.0, 1e-70], [1.0, 0.0], 3.0, 3.0),
        ([2.0, 1.0], [1.0, 1.0], 5.0, 1.3),
    ]
    for cost, f, alpha, m in cases:
        rule = Fuzzy(m).rule
        U = known_rows(
            rule.kind,
            rule.parameters(0.0, 0.0),
            np.ones(len(cost)),
            np.array([cost]),
            np.array([f]),
            np.array([alpha]),
        )[0][0]
        expected = simplex_row(np.array(cost), m, alpha, np.array(f))
        assert_allclose(U, expected, rtol=1e-6, atol=1e-9)
