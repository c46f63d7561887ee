"""The compiled passes equal the parts' own functions, which define the meaning."""

import os
import subprocess
import sys
import warnings
from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

import softclust as sc
from configurations import PARTITIONS
from oracles.supervised import simplex_row
from softclust.grammar.frame import Frame
from softclust.grammar.model import Model
from softclust.grammar.partitions import (
    Entropic,
    Exponential,
    Fuzzy,
    Hard,
    ImprovedPossibilistic,
    Members,
    Possibilistic,
)
from softclust.grammar.prototypes import Ellipsoids, Gaussians, Points
from softclust.grammar.state import State
from softclust.grammar.sweep import assign, assign_by_parts, sweep, sweep_by_parts
from softclust.kernels.codes import NARROW_EXPONENT
from softclust.kernels.labels import known_rows
from softclust.kernels.tiers import tier
from softclust.knowledge.labels import Known
from softclust.knowledge.penalties import LabelLikelihood, LabelPenalty
from softclust.sources.rows import Rows
from softclust.sources.units import Units

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
    data = units.to_data(X).astype(dtype)
    rows = Rows(data, units, rng.uniform(0, 2, n))
    exact = units.to_loop(data[:1])[0].astype(np.float64)
    V[0] = exact
    return rows, State((V,), rng.uniform(0.5, 3.0, c))


def every_case(check):
    """Make a test for every partition and shape; it checks each squared noise distance and type of rows."""

    @pytest.mark.parametrize("shape", SHAPES, ids=str)
    @pytest.mark.parametrize("partition", PARTITIONS, ids=str)
    def test(partition, shape):
        for noise in (0.0, 1.5) if partition.has_noise else (0.0,):
            for dtype in (np.float64, np.float32):
                check(partition, shape, noise, *scene(*shape, dtype))

    return test


def model_of(partition, c, noise, rate=0.0):
    return Model(Points(), partition, Frame.singletons(c, noise), None, rate)


def assert_same_sums(rows, model, state):
    """What the compiled sweep gives, and the parts' own functions."""
    one, two = sweep(rows, model, state), sweep_by_parts(rows, model, state)
    rtol = RELATIVE[rows.X.dtype.type]
    for name in ("loss", "weight", "scatter"):
        assert_allclose(getattr(one, name), getattr(two, name), rtol=rtol, atol=rtol)
    for found, expected in zip(one.moments, two.moments, strict=True):
        assert_allclose(found, expected, rtol=rtol, atol=rtol * (np.abs(expected).max() + 1))


def assert_same_members(rows, model, state):
    """What the compiled read-out tells, and the parts' own functions."""
    n, c, dtype = len(rows), model.n_clusters, rows.X.dtype
    has_typicalities = model.partition.has_typicalities
    out = Members(
        np.empty((n, c), dtype),
        np.empty((n if has_typicalities else 0, c), dtype),
        np.empty(n, np.int32),
        np.empty(n, dtype),
    )
    assign(rows, out, model, state)
    expected = assign_by_parts(rows, model, state)
    atol = {np.float64: 1e-11, np.float32: 1e-4}[dtype.type]
    # A row that noise leaves without a trace is shared equally: in single precision some are sooner.
    told = expected.scores < 1 - 1e-6 if model.frame.noise else slice(None)
    assert_allclose(out.memberships[told], expected.memberships[told], atol=atol)
    assert_allclose(out.scores, expected.scores, atol=atol)
    if has_typicalities:
        assert_allclose(out.typicalities, expected.typicalities, atol=atol)
    assert (out.labels == expected.labels).mean() > (0.999 if dtype == np.float64 else 0.98)


@every_case
def test_sweep(partition, shape, noise, rows, state):
    model = model_of(partition, shape[2], noise)
    assert model.rule is not None
    assert_same_sums(rows, model, state)


@every_case
def test_assign(partition, shape, noise, rows, state):
    assert_same_members(rows, model_of(partition, shape[2], noise), state)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("partition", [Hard(), Fuzzy(2.0), Possibilistic(2.0)], ids=str)
def test_row_weights_that_follow_the_centres(partition, dtype):
    rows, state = scene(300, 3, 4, dtype)
    model = model_of(partition, 4, 0.0, rate=0.7)
    one, two = sweep(rows, model, state), sweep_by_parts(rows, model, state)
    assert_allclose(one.loss, two.loss, rtol=RELATIVE[dtype])
    assert_allclose(one.weight, two.weight, rtol=RELATIVE[dtype])


def covariances(c, p):
    A = np.random.default_rng(1).normal(size=(c, p, p))
    return A @ A.transpose(0, 2, 1) / p + 0.3 * np.eye(p)


def with_metrics(partition, state, noise, n):
    """A model whose clusters have metrics, and a state of it."""
    (V,) = state.theta
    c, p = V.shape
    part = Ellipsoids(0.01, np.ones(p), float(n))
    theta = V, *part.metrics(covariances(c, p))
    return Model(part, partition, Frame.singletons(c, noise)), replace(state, theta=theta)


def with_densities(partition, state, kind, n):
    """A model of Gaussians, and a state of it."""
    (V,) = state.theta
    c, p = V.shape
    has_noise = partition.noise is not None
    part = Gaussians(kind, 0.0, float(n), np.ones(p), has_noise)
    sigma = covariances(c, p)
    shape = np.repeat(sigma[:1], c, axis=0) if kind == "tied" else sigma
    weights = np.arange(1.0, c + 1) / (c * (c + 1) / 2) * (0.8 if has_noise else 1.0)
    return Model(part, partition, Frame.singletons(c)), replace(state, theta=(V, shape, weights))


@every_case
def test_clusters_with_metrics(partition, shape, noise, rows, state):
    model, state = with_metrics(partition, state, noise, len(rows))
    assert model.rule is not None
    assert_same_sums(rows, model, state)
    assert_same_members(rows, model, state)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("kind", ["full", "tied"])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize(
    "partition",
    [Entropic(), Entropic(-4.0), Entropic(900.0), Exponential(m=2.0), Exponential(m=1.5)],
    ids=str,
)
def test_gaussians(partition, shape, kind, dtype):
    rows, state = scene(*shape, dtype)
    model, state = with_densities(partition, state, kind, len(rows))
    assert model.rule is not None
    assert_same_sums(rows, model, state)
    assert_same_members(rows, model, state)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("power", [1.0, 2.0])
def test_sets_of_clusters_with_metrics(power, dtype):
    rows, state = scene(300, 4, 3, dtype)
    model, state = with_metrics(Fuzzy(2.0), state, 0.0, len(rows))
    sets = np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 0], [1, 1, 1]], dtype=float)
    model = replace(model, frame=Frame(sets, 2.0, power))
    assert_same_sums(rows, model, replace(state, scale=None))


@pytest.mark.parametrize("make", [with_metrics, with_densities])
def test_labelled_rows_with_metrics(make):
    rows, state = scene(300, 4, 3, np.float64)
    target = np.eye(3)[[0, 2, 1, 1]]
    rows = replace(rows, known=Known(np.array([3, 127, 128, 299]), target, np.array([1.0, 0.5, 2.0, 0.0])))
    if make is with_metrics:
        model, state = make(Fuzzy(2.0), state, 1.5, len(rows))
        model = replace(model, labels=LabelPenalty(3.0))
    else:
        model, state = make(Entropic(), state, "full", len(rows))
        model = replace(model, labels=LabelLikelihood(3.0))
    assert_same_sums(rows, model, state)
    assert_same_members(rows, model, state)


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
    one, two = sweep(replace(rows, products_fit=True), model, state), sweep(rows, model, state)
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
        rows = Rows(np.array(X, dtype), units, products_fit=True)
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


def test_whole_numbers_compile_nothing_anew():
    """m = 2 is m = 2.0: a signature for each type of rows and no other."""
    if tier().startswith("native"):
        pytest.skip("native passes are compiled already")
    from softclust.kernels.compiled import (
        centers,
        labels,
        links,
        passes,
        plus_plus,
        quasi_newton,
        typicalities,
    )

    X = np.random.default_rng(0).normal(size=(40, 2))
    y, pairs = np.full(40, -1), [[0, 1], [2, 3]]
    y[:4] = 0, 0, 1, 1
    for number in (int, float, np.float32, np.int8):
        two, three = number(2), number(3)
        warnings.simplefilter("ignore")
        for model in (
            sc.FuzzyCMeans(2, m=two, noise_distance=three, max_iter=2),
            sc.FuzzyCMeans(2, m=three, density_rate=two, density_from="centers", max_iter=2),
            sc.PossibilisticCMeans(2, m=three, scale=two, max_iter=2),
            sc.PossibilisticFuzzyCMeans(2, m=two, eta=three, a=two, b=three, max_iter=2),
            sc.ImprovedPossibilisticCMeans(2, m=two, eta=three, max_iter=2),
        ):
            model.fit(X).predict(X)
            model.fit(X, y)
        for beta in (two, three):
            sc.EvidentialCMeans(2, beta=beta, cardinality_power=two, max_iter=2).fit(X, y, must_link=pairs)
            sc.FuzzyCMeans(2, m=beta, link_strength=two, max_iter=2).fit(X, y, cannot_link=pairs)
    for kernel in (
        passes.sweep,
        passes.assign,
        labels.known_rows,
        labels.known_costs,
        labels.add_known,
        labels.subset_rows,
        links.settle,
        typicalities.solve,
        quasi_newton.two_loops,
        plus_plus.choose,
        centers.means,
    ):
        types = [signature[0].dtype for signature in kernel.signatures if hasattr(signature[0], "dtype")]
        assert len(kernel.signatures) == max(len(set(types)), 1), kernel


_MOMENTS = """
import numpy as np
from softclust.kernels.ellipsoids import moments
rng = np.random.default_rng(0)
first, second = moments(rng.normal(size=(300, 9)), rng.normal(size=(4, 9)), rng.random((300, 4)))
print(first.tobytes().hex(), second.tobytes().hex())
"""


def test_code_that_was_loaded_gives_the_bits_of_code_that_was_compiled(tmp_path):
    """What a pass calls is within it: else it may get a copy that was optimised for another caller."""
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path), "SOFTCLUST_NATIVE": "0"}
    first, second = (
        subprocess.run([sys.executable, "-c", _MOMENTS], env=environment, check=True, capture_output=True)
        for _ in range(2)
    )
    assert len(list(tmp_path.rglob("*.nbc"))) == 1
    assert first.stdout == second.stdout
