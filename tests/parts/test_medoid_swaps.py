"""The swap engine equals the literal PAM where it must, and never ends where a swap would help."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from oracles import medoids as literal
from softclust.kernels import medoids as kernels
from softclust.medoids import search as medoids
from softclust.medoids.metrics import Compiled, metric_for

RNG = np.random.default_rng


def table(seed, n=40, p=2, dtype=np.float64, symmetric=True):
    """Distances, as PAM takes them: `paid[j, o]` is from row o to row j."""
    rng = RNG(seed)
    D = cdist(*[rng.standard_normal((n, p))] * 2) if symmetric else rng.exponential(size=(n, n))
    return np.ascontiguousarray(D.T, dtype=dtype)


def weights(seed, n=40):
    return RNG(seed + 100).uniform(0.1, 3.0, n)


# ------------------------------------------------------------------ BUILD
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("symmetric", [True, False])
@pytest.mark.parametrize("k", [1, 2, 5, 12])
def test_build_is_the_literal_one(k, symmetric, dtype, seed):
    paid, w = table(seed, dtype=dtype, symmetric=symmetric), weights(seed)
    D = paid.T.astype(float)
    assert medoids.build(paid, medoids.scaled(w, 40), k).tolist() == literal.build(D, k, w)
    assert medoids.build(paid, medoids.scaled(None, 40), k).tolist() == literal.build(D, k)


def test_build_takes_the_first_of_equals():
    D = np.ones((6, 6)) - np.eye(6)
    assert medoids.build(D, medoids.scaled(None, 6), 4).tolist() == literal.build(D, 4) == [0, 1, 2, 3]


# ------------------------------------------------------------------ swaps
@pytest.mark.parametrize("symmetric", [True, False])
@pytest.mark.parametrize("k", [1, 2, 3, 7])
def test_the_effect_of_every_swap_is_the_literal_one(k, symmetric, seed):
    paid, w = table(seed, 25, symmetric=symmetric), weights(seed, 25)
    rows = RNG(seed).choice(25, k, replace=False)
    loss, ranks = medoids._ranked(paid, rows, w)
    assert loss == pytest.approx(literal.loss(paid.T, rows.tolist(), w), rel=1e-12)
    for candidate in set(range(25)) - set(rows.tolist()):
        effects = [literal.swap_effect(paid.T, rows.tolist(), row, candidate, w) for row in rows.tolist()]
        state = [a.copy() for a in ranks]
        places = rows.copy()
        slot, freed, after = kernels.try_row(paid, places, candidate, loss, *state)
        if min(effects) >= 0:
            assert slot == -1
            continue
        assert slot == np.argmin(effects)
        assert freed == rows[slot]
        assert places.tolist() == [*rows[:slot], candidate, *rows[slot + 1 :]]
        assert after == pytest.approx(loss + min(effects), rel=1e-12)


@pytest.mark.parametrize("k", [1, 2, 3, 8])
def test_the_ranks_after_many_swaps_are_those_of_a_fresh_start(k, seed):
    paid, w = table(seed, 60, symmetric=False), weights(seed, 60)
    rows = RNG(seed).choice(60, k, replace=False)
    loss, ranks = medoids._ranked(paid, rows, w)
    for candidate in range(60):
        if candidate not in rows:
            _, _, loss = kernels.try_row(paid, rows, candidate, loss, *ranks)
    fresh_loss, fresh = medoids._ranked(paid, rows, w)
    assert loss == fresh_loss
    for kept, new in zip(ranks[1:6], fresh[1:6], strict=True):
        assert np.array_equal(kept, new)


def test_a_swap_that_gains_by_rounding_alone_is_undone():
    """Two places, three medoids: every candidate is worth as much as the medoid it would replace."""
    X = np.repeat([[0.1, 0.7], [1e6, 3.3]], 50, axis=0)
    paid, w = cdist(X, X), weights(0, 100)
    rows = np.array([0, 60, 99])
    end = medoids.pam(paid, w, rows, 300)
    assert end.loss == 0
    assert end.rows.tolist() == [0, 60, 99]
    assert (end.n_iter, end.converged) == (1, True)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("symmetric", [True, False])
@pytest.mark.parametrize("k", [1, 2, 3, 6])
def test_pam_ends_in_a_swap_optimum(k, symmetric, dtype, seed):
    paid, w = table(seed, dtype=dtype, symmetric=symmetric), weights(seed)
    D = paid.T.astype(float)
    start = RNG(seed).choice(40, k, replace=False)
    end = medoids.pam(paid, w, start, 300)
    assert end.converged
    assert len(set(end.rows.tolist())) == k
    assert end.loss == pytest.approx(literal.loss(D, end.rows.tolist(), w), rel=1e-12)
    assert end.loss <= literal.loss(D, start.tolist(), w)
    assert literal.is_swap_optimal(D, end.rows.tolist(), w)


def test_pam_is_as_good_as_the_literal_one():
    """Eager swaps take another path; over many starts neither is better by much."""
    ours, theirs = [], []
    for seed in range(12):
        paid = table(seed, 30)
        w = np.ones(30)
        ours.append(medoids.pam(paid, w, medoids.build(paid, w, 3), 300).loss)
        theirs.append(literal.pam(paid, 3).loss)
    assert np.mean(ours) == pytest.approx(np.mean(theirs), rel=0.01)
    assert np.sum(np.isclose(ours, theirs, rtol=1e-12)) >= 9


def test_passes_can_be_cut_short():
    paid = table(0, 200)
    whole = medoids.pam(paid, np.ones(200), np.arange(5), 300)
    short = medoids.pam(paid, np.ones(200), np.arange(5), 1)
    assert whole.converged
    assert whole.n_iter >= 2
    assert (short.n_iter, short.converged) == (1, False)
    assert short.loss >= whole.loss
    again = medoids.pam(paid, np.ones(200), whole.rows, 300)
    assert again.rows.tolist() == whole.rows.tolist()
    assert again.n_iter == 1


def test_weights_are_scaled_by_a_power_of_two():
    for w in (np.array([1e308, 1e308, 3.0]), np.array([1e-300, 2e-300, 0.5e-300]), np.arange(1.0, 9.0)):
        s = medoids.scaled(w, len(w))
        assert 0.25 <= s.sum() <= 1
        mantissa, _ = np.frexp((s / s.max()) / (w / w.max()))
        assert np.allclose(mantissa, 0.5, rtol=1e-15)


# ------------------------------------------------------------------ starts by chance
def test_lab_is_better_than_chance_and_made_of_different_rows(seed):
    paid = table(seed, 400)
    space, w = medoids.Matrix(paid), medoids.scaled(None, 400)
    losses = {"lab": [], "chance": []}
    for turn in range(20):
        for name, draw in (("lab", medoids.lab), ("chance", medoids.at_random)):
            rows = draw(space, w, 6, RNG([seed, turn]))
            assert len(set(rows.tolist())) == 6
            losses[name].append(literal.loss(paid, rows.tolist()))
    assert np.mean(losses["lab"]) < np.mean(losses["chance"])


def test_lab_with_the_whole_data_is_build(seed):
    """10 + sqrt(n) >= n for n <= 14: the sample is everything."""
    paid = table(seed, 13)
    w = medoids.scaled(None, 13)
    free = literal.build(paid, 1)
    assert medoids.lab(medoids.Matrix(paid), w, 1, RNG(0)).tolist() == free
    assert medoids.lab(medoids.Matrix(paid), w, 4, RNG(0)).tolist() == literal.build(paid, 4)


# ------------------------------------------------------------------ CLARA, CLARANS
class Watched(medoids.Matrix):
    """Notes which rows are sampled, and which medoids are tried on all rows."""

    def take(self, rows):
        self.paid.notes.append(("sample", rows.tolist()))
        return medoids.Matrix(np.asarray(self.paid[np.ix_(rows, rows)]))

    def nearest(self, rows):
        self.paid.notes.append(("medoids", rows.tolist()))
        return super().nearest(rows)


class Noted(np.ndarray):
    notes: list


@pytest.mark.parametrize("init", ["build", "random", np.array([9, 2, 30, 77])])
def test_a_sample_of_clara_contains_the_best_medoids_so_far(init, seed):
    paid = table(seed, 120).view(Noted)
    paid.notes = []
    end = medoids.clara(Watched(paid), np.ones(120), medoids.Search(4, init), 8, 12, RNG(seed))
    kept = [] if isinstance(init, str) else init.tolist()
    best = np.inf
    assert [kind for kind, _ in paid.notes] == ["sample", "medoids"] * 8
    for (_, sample), (_, rows) in zip(paid.notes[::2], paid.notes[1::2], strict=True):
        assert set(kept) | set(rows) <= set(sample)
        assert 12 <= len(sample) <= 16
        loss = literal.loss(np.asarray(paid), rows)
        if loss < best:
            kept, best = rows, loss
    assert end.rows.tolist() == kept
    assert end.loss == pytest.approx(best, rel=1e-12)


@pytest.mark.parametrize("symmetric", [True, False])
@pytest.mark.parametrize("k", [1, 2, 4])
def test_clarans_with_all_neighbours_ends_in_a_swap_optimum(k, symmetric, seed):
    paid, w = table(seed, symmetric=symmetric), weights(seed)
    end = medoids.clarans(medoids.Matrix(paid), w, medoids.Search(k, "random"), k * (40 - k), 1, RNG(seed))
    assert end.converged
    assert end.loss == pytest.approx(literal.loss(paid.T, end.rows.tolist(), w), rel=1e-12)
    assert literal.is_swap_optimal(paid.T, end.rows.tolist(), w)


def test_clarans_stops_sooner_with_fewer_neighbours():
    paid, w = table(0, 300), np.ones(300)
    space, search = medoids.Matrix(paid), medoids.Search(5, "random")
    few = np.mean([medoids.clarans(space, w, search, 25, 1, RNG(s)).loss for s in range(10)])
    many = np.mean([medoids.clarans(space, w, search, 5 * 295, 1, RNG(s)).loss for s in range(10)])
    assert many < few


# ------------------------------------------------------------------ distances
NAMES = ["euclidean", "l2", "sqeuclidean", "manhattan", "cityblock", "l1", "cosine"]
SCIPY = {"l2": "euclidean", "manhattan": "cityblock", "l1": "cityblock"}


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("shape", [(1, 1, 1), (130, 3, 2), (300, 70, 9)])
def test_compiled_metrics_are_those_of_scipy(shape, name, dtype):
    n, k, p = shape
    rng = RNG(0)
    X, V = rng.standard_normal((n, p)).astype(dtype), rng.standard_normal((k, p)).astype(dtype)
    metric = metric_for(name, None, X, V)
    assert isinstance(metric, Compiled)
    expected = cdist(V.astype(float), X.astype(float), SCIPY.get(name, name))
    d = metric.to_data(metric.between(metric.prepare(V), metric.prepare(X), dtype))
    assert d.dtype == dtype
    np.testing.assert_allclose(d, expected, rtol=1e-12 if dtype == np.float64 else 1e-6, atol=1e-12)
    label, least = metric.nearest(metric.prepare(X), metric.prepare(V))
    np.testing.assert_allclose(metric.to_data(least), expected.min(axis=0), rtol=1e-6, atol=1e-12)
    np.testing.assert_allclose(expected[label, np.arange(n)], expected.min(axis=0), rtol=1e-6, atol=1e-12)


@pytest.mark.parametrize("name", NAMES)
def test_bits_do_not_depend_on_threads_nor_on_the_other_rows(name):
    X = RNG(0).standard_normal((700, 5))
    metric = metric_for(name, None, X)
    rows = metric.prepare(X)
    whole = metric.between(rows, rows, np.float64, threads=1)
    assert np.array_equal(whole, metric.between(rows, rows, np.float64, threads=2))
    assert np.array_equal(whole, whole.T)
    assert (np.diag(whole) == 0).all()
    for some in ([3], [5, 600, 2], slice(100, 233)):
        assert np.array_equal(whole[some], metric.between(rows[some], rows, np.float64))
        assert np.array_equal(whole[:, some], metric.between(rows, rows[some], np.float64))
    V = rows[:300:100]
    label, least = metric.nearest(rows, V)
    assert np.array_equal(label, whole[:300:100].argmin(axis=0))
    assert np.array_equal(least, whole[:300:100].min(axis=0))


@pytest.mark.parametrize("exponent", [-990, -500, 500, 990])
def test_distances_at_the_edge_of_floats(exponent):
    X = RNG(0).standard_normal((50, 3))
    for name in ("euclidean", "manhattan", "cosine"):
        plain, metric = (metric_for(name, None, A) for A in (X, np.ldexp(X, exponent)))
        expected = plain.between(plain.prepare(X), plain.prepare(X), np.float64)
        rows = metric.prepare(np.ldexp(X, exponent))
        d = metric.to_data(metric.between(rows, rows, np.float64))
        power = 0 if name == "cosine" else exponent
        np.testing.assert_allclose(d, np.ldexp(expected, power), rtol=1e-15)


def test_rows_of_zeros_have_a_cosine_distance():
    X = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 0.0], [-2.0, 0.0]])
    metric = metric_for("cosine", None, X)
    d = metric.between(metric.prepare(X), metric.prepare(X), np.float64)
    assert d.tolist() == [[0, 1, 0, 1], [1, 0, 1, 2], [0, 1, 0, 1], [1, 2, 1, 0]]


def test_a_far_offset_does_not_spoil_distances():
    X = RNG(0).integers(-8, 9, size=(60, 3)).astype(float)
    near, far = X, X + 1e15
    d = [
        metric.between(metric.prepare(A), metric.prepare(A), np.float64)
        for A in (near, far)
        for metric in [metric_for("euclidean", None, A)]
    ]
    assert np.array_equal(*d)


# ------------------------------------------------------------------ the look at a matrix
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("n", [1, 2, 127, 128, 129, 300])
def test_inspection(n, dtype):
    D = table(0, n, dtype=dtype)
    D = np.maximum(D, D.T)
    assert kernels.inspect(D) == (-1, -1, True)
    for i, j in [(0, 0), (n - 1, 0), (n // 2, n - 1)]:
        for wrong in (-1e-30, np.nan, np.inf, -np.inf):
            E = D.copy()
            E[i, j] = wrong
            assert kernels.inspect(E) == (i, j, False)
        if i != j:
            E = D.copy()
            E[i, j] += 1
            assert kernels.inspect(E) == (-1, -1, False)
