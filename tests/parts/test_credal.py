"""Credal partitions against literal sums over sets, pairs of rows and permutations."""

import copy
import pickle
import tracemalloc
from dataclasses import FrozenInstanceError
from itertools import combinations, permutations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.metrics import adjusted_rand_score, rand_score

from softclust.credal import CredalPartition, agreement, credal_rand_index

KINDS = ["distance", "conflict"]
PAIR_SETS = [frozenset(), frozenset("s"), frozenset("n"), frozenset("sn")]


def power_set(c):
    return np.array(list(product([False, True], repeat=c)))[:, ::-1]


def draw(rng, n, c, f=None, sharpness=1.0, empty=True):
    """A random partition on f focal sets in random order; some masses are 0."""
    sets = power_set(c)[0 if empty else 1 :]
    sets = rng.permutation(sets)[:f]
    masses = rng.dirichlet(np.full(len(sets), sharpness), size=n)
    masses[masses < 0.02] = 0.0
    return CredalPartition(masses / masses.sum(axis=1, keepdims=True), sets)


@st.composite
def partitions(draw_from, n=None, empty=True):
    rng = np.random.default_rng(draw_from(st.integers(0, 2**32 - 1)))
    c = draw_from(st.integers(1, 4))
    f = draw_from(st.integers(1, 2**c if empty else 2**c - 1))
    n = n or draw_from(st.integers(1, 8))
    return draw(rng, n, c, f, draw_from(st.sampled_from([0.2, 1.0, 5.0])), empty)


def as_dicts(p):
    """The mass functions by their sets, as a textbook has them."""
    names = [frozenset(np.flatnonzero(row).tolist()) for row in p.focal_sets]
    return [dict(zip(names, row.tolist(), strict=True)) for row in p.masses]


def jaccard(A, B):
    return len(A & B) / len(A | B) if A | B else 1.0


def literal_jousselme(m, w):
    sets = set(m) | set(w)
    gap = {A: m.get(A, 0.0) - w.get(A, 0.0) for A in sets}
    return np.sqrt(max(0.0, 0.5 * sum(gap[A] * gap[B] * jaccard(A, B) for A in sets for B in sets)))


def pair_mass(m, w):
    """What the mass functions of two rows say of the pair: same, not same, both possible, outside."""
    said = dict.fromkeys(PAIR_SETS, 0.0)
    for A, B in product(m, w):
        if not A or not B:
            verdict = frozenset()
        elif not A & B:
            verdict = frozenset("n")
        elif A == B and len(A) == 1:
            verdict = frozenset("s")
        else:
            verdict = frozenset("sn")
        said[verdict] += m[A] * w[B]
    return said


def conflict(m, w):
    return sum(m[A] * w[B] for A in m for B in w if not A & B)


DELTA = {"distance": lambda m, w: literal_jousselme(m, w) ** 2, "conflict": conflict}


def all_pairs(p):
    rows = as_dicts(p)
    return {(i, j): pair_mass(rows[i], rows[j]) for i, j in product(range(len(p)), repeat=2) if i != j}


def literal_rand(p, q, kind, order=None):
    """1 - mean of delta over pairs, the rows of q in another order."""
    order = range(len(p)) if order is None else order
    P, Q = all_pairs(p), all_pairs(q)
    pairs = list(combinations(range(len(p)), 2))
    return 1 - np.mean([DELTA[kind](P[i, j], Q[order[i], order[j]]) for i, j in pairs])


# Read-outs


@given(partitions())
def test_read_outs_are_the_sums_over_sets(p):
    rows, c = as_dicts(p), range(p.n_clusters)
    assert len(p) == len(rows)
    assert_allclose(p.plausibility, [[sum(m[A] for A in m if k in A) for k in c] for m in rows], atol=1e-14)
    assert_allclose(p.belief, [[m.get(frozenset([k]), 0.0) for k in c] for m in rows], atol=1e-14)
    bits = [sum(m[A] * np.log2(len(A) or p.n_clusters) for A in m) for m in rows]
    assert_allclose(p.nonspecificity, bits, atol=1e-14)
    for i, m in enumerate(rows):
        rest = 1 - m.get(frozenset(), 0.0)
        shared = [sum(m[A] / len(A) for A in m if k in A) for k in c]
        expected = np.divide(shared, rest) if rest > 1e-9 else np.full(p.n_clusters, 1 / p.n_clusters)
        assert_allclose(p.pignistic[i], expected, atol=1e-12)
        best = max(m, key=m.get)
        assert set(np.flatnonzero(p.max_mass_sets[i])) == best
        assert p.outliers[i] == (not best)
        assert set(np.flatnonzero(p.upper_approximation[i])) == best
        assert set(np.flatnonzero(p.lower_approximation[i])) == (best if len(best) == 1 else set())
        lowest = max(m.get(frozenset([k]), 0.0) for k in c)
        kept = {k for k in c if sum(m[A] for A in m if k in A) >= lowest - 1e-15}
        assert set(np.flatnonzero(p.interval_dominance[i])) == kept
        assert kept
    assert_array_equal(p.max_mass, p.masses.argmax(axis=1))
    assert_array_equal(p.labels, p.pignistic.argmax(axis=1))
    assert_allclose(p.pignistic.sum(axis=1), 1, atol=1e-12)


@given(partitions(), st.sampled_from(["dempster", "yager"]))
def test_belief_below_pignistic_below_plausibility_once_normalised(p, rule):
    normal = p.normalise(rule)
    assert normal.focal_sets.any(axis=1).all()
    assert_allclose(normal.masses.sum(axis=1), 1, atol=1e-12)
    assert (normal.belief <= normal.pignistic + 1e-12).all()
    assert (normal.pignistic <= normal.plausibility + 1e-12).all()


@given(partitions())
def test_normalisation_rules(p):
    omega = frozenset(range(p.n_clusters))
    dempster, yager = as_dicts(p.normalise()), as_dicts(p.normalise("yager"))
    for m, divided, moved in zip(as_dicts(p), dempster, yager, strict=True):
        empty = m.pop(frozenset(), 0.0)
        for A in set(divided) | set(m):
            expected = m.get(A, 0.0) / (1 - empty) if empty < 1 - 1e-9 else float(A == omega)
            assert divided.get(A, 0.0) == pytest.approx(expected, abs=1e-12)
            assert moved.get(A, 0.0) == pytest.approx(m.get(A, 0.0) + empty * (A == omega), abs=1e-12)
    assert_allclose(p.pignistic, p.normalise().pignistic, atol=1e-14)


def test_normalisation_adds_omega_only_where_there_is_an_empty_set():
    with_empty = CredalPartition([[0.25, 0.75]], [[0, 0], [1, 0]]).normalise("yager")
    assert_array_equal(with_empty.focal_sets, [[True, False], [True, True]])
    assert_array_equal(with_empty.masses, [[0.75, 0.25]])
    without = CredalPartition.from_labels([0, 1])
    assert without.normalise() is without


def test_dempster_keeps_the_ratios_of_masses_next_to_nothing():
    p = CredalPartition([[1.0, 3e-200, 1e-200]], [[0, 0], [1, 0], [0, 1]])
    assert_allclose(p.pignistic, [[0.75, 0.25]])


def test_hard_limit():
    p = CredalPartition.from_labels([2, 0, 1, 2])
    one_hot = np.eye(3)[[2, 0, 1, 2]]
    for read_out in (p.plausibility, p.belief, p.pignistic, p.interval_dominance, p.lower_approximation):
        assert_array_equal(read_out, one_hot)
    assert_array_equal(p.labels, [2, 0, 1, 2])
    assert_array_equal(p.nonspecificity, np.zeros(4))
    assert p.is_hard and p.is_bayesian and not p.outliers.any()
    assert CredalPartition.from_labels([0, 1], n_clusters=4).n_clusters == 4


def test_bayesian_limit():
    U = np.array([[0.5, 0.2, 0.3], [0.1, 0.8, 0.1]])
    p = CredalPartition.from_memberships(U)
    for read_out in (p.plausibility, p.belief, p.pignistic):
        assert_array_equal(read_out, U)
    assert_array_equal(p.nonspecificity, [0, 0])
    assert p.is_bayesian and not p.is_hard


@pytest.mark.parametrize("c", [1, 2, 5])
def test_vacuous_limit(c):
    p = CredalPartition(np.ones((2, 1)), np.ones((1, c)))
    assert_array_equal(p.plausibility, np.ones((2, c)))
    assert_array_equal(p.belief, np.full((2, c), float(c == 1)))
    assert_allclose(p.pignistic, np.full((2, c), 1 / c))
    assert_allclose(p.nonspecificity, np.log2(c))
    assert p.upper_approximation.all() and p.lower_approximation.all() == (c == 1)
    assert p.is_bayesian == (c == 1)


def test_rows_wholly_on_the_empty_set():
    p = CredalPartition([[1.0, 0, 0], [0, 1.0, 0]], [[0, 0], [1, 0], [0, 1]])
    assert_array_equal(p.outliers, [True, False])
    assert_array_equal(p.pignistic, [[0.5, 0.5], [1, 0]])
    assert_array_equal(p.plausibility, [[0, 0], [1, 0]])
    assert_array_equal(p.nonspecificity, [1, 0])
    assert_array_equal(p.upper_approximation, [[False, False], [True, False]])
    assert_array_equal(p.interval_dominance, [[True, True], [True, False]])
    assert not p.is_hard
    assert as_dicts(p.normalise())[0][frozenset({0, 1})] == 1


# The value


def test_a_partition_is_a_value():
    masses, sets = np.array([[0.4, 0.6]]), np.array([[True, False], [True, True]])
    p = CredalPartition(masses, sets)
    masses[:], sets[:] = 0, False
    assert_array_equal(p.masses, [[0.4, 0.6]])
    for other in (p, copy.deepcopy(p), pickle.loads(pickle.dumps(p))):
        assert other == p
        with pytest.raises(ValueError, match="read-only"):
            other.masses[0, 0] = 1
        with pytest.raises(ValueError, match="read-only"):
            other.focal_sets[0, 0] = False
    with pytest.raises(FrozenInstanceError):
        p.masses = masses
    assert p != CredalPartition([[0.6, 0.4]], p.focal_sets)
    assert p != CredalPartition(p.masses, p.focal_sets[:, ::-1])
    assert p != "p"
    assert repr(p) == "CredalPartition(1 rows, 2 clusters, 2 focal sets)"


SETS = [[0, 0], [1, 0], [0, 1]]


@pytest.mark.parametrize(
    ("masses", "sets", "words"),
    [
        ([0.5, 0.5], SETS, r"masses has shape \(2,\), not a row per object and 3 columns"),
        ([[0.5, 0.5]], SETS, r"masses has shape \(1, 2\), not .* 3 columns"),
        (np.zeros((0, 3)), SETS, r"masses has shape \(0, 3\)"),
        ([[1.0]], [1], r"focal_sets has shape \(1,\)"),
        ([[1.0]], [[]], r"focal_sets has shape \(1, 0\)"),
        ([[1, 0, 0], [0, np.nan, 1]], SETS, r"masses\[1, 1\] = nan"),
        ([[1, 0, 0], [np.inf, 0, 0]], SETS, r"masses\[1, 0\] = inf"),
        ([[1, 0, 0], [0.6, 0.6, -0.2]], SETS, r"masses\[1, 2\] = -0.2 is not a number between"),
        ([[1, 0, 0], [0.5, 0.4, 0]], SETS, r"masses\[1\] sums to 0.9; the masses of a row sum to 1"),
        ([[0.5, 0.500002, 0]], SETS, r"masses\[0\] sums to 1.000002"),
        ([[0.5, 0, 0.5]], [[0, 0], [1, 1], [1, 1]], r"focal_sets\[2\] is \{0, 1\}, .* focal_sets\[1\]"),
        ([[0.5, 0.5]], [[0, 0], [1, 2]], r"focal_sets\[1, 1\] = 2 is neither"),
    ],
)
def test_bad_values_are_named(masses, sets, words):
    with pytest.raises(ValueError, match=words):
        CredalPartition(masses, sets)


def test_sums_within_the_tolerance_are_taken():
    masses = np.float32([[0.1, 0.2, 0.7]])
    assert CredalPartition(masses, SETS).masses.dtype == np.float64


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: CredalPartition.from_labels([0, -1]), r"labels\[1\] = -1 is not a cluster from 0 to 0"),
        (lambda: CredalPartition.from_labels([0, 3], 3), r"labels\[1\] = 3 is not a cluster from 0 to 2"),
        (lambda: CredalPartition.from_labels([0.0, 1.5]), "labels is float64"),
        (lambda: CredalPartition.from_labels([[0, 1]]), r"labels is int64 of shape \(1, 2\)"),
        (lambda: CredalPartition.from_memberships([[0.5, 0.5], [0.9, 0.9]]), r"masses\[1\] sums to 1.8"),
        (lambda: CredalPartition.from_memberships(0.5), "masses has shape"),
        (lambda: CredalPartition.from_labels([0]).normalise("smets"), "rule='smets'"),
        (lambda: credal_rand_index([0, 1], [0, 1], kind="belief"), "kind='belief'"),
        (lambda: credal_rand_index([0, 1, 1], [0, 1]), "3 and 2 rows"),
        (lambda: credal_rand_index([0.2, 0.8], [0, 1]), "not whole numbers"),
    ],
)
def test_bad_arguments_are_named(call, words):
    with pytest.raises(ValueError, match=words):
        call()


# Jousselme's distance


@pytest.mark.parametrize("seed", range(20))
def test_jousselme_is_the_double_sum_and_a_metric(seed):
    rng = np.random.default_rng(seed)
    c = rng.integers(1, 5)
    p, q, r = (draw(rng, 6, c, f=rng.integers(1, 2**c + 1), sharpness=0.3) for _ in range(3))
    pq, qr, pr = p.jousselme(q), q.jousselme(r), p.jousselme(r)
    literal = [literal_jousselme(m, w) for m, w in zip(as_dicts(p), as_dicts(q), strict=True)]
    assert_allclose(pq, literal, atol=1e-7)
    assert_allclose(pq**2, np.square(literal), atol=1e-14)
    assert_allclose(pq, q.jousselme(p), atol=1e-7)
    assert_array_equal(p.jousselme(p), np.zeros(6))
    assert (pr <= pq + qr + 1e-12).all()
    assert (pq <= 1).all()


def test_jousselme_at_its_limits():
    sets = [[0, 0], [1, 0], [0, 1], [1, 1]]
    empty, first, second, omega = (CredalPartition(np.eye(4)[[j]], sets) for j in range(4))
    assert first.jousselme(second) == empty.jousselme(first) == empty.jousselme(omega) == 1
    assert_allclose(first.jousselme(omega), np.sqrt(0.5))
    shuffled = CredalPartition(np.eye(4)[[3]], sets[::-1])  # the same mass, the sets in another order
    assert shuffled.jousselme(empty) == 0
    with pytest.raises(ValueError, match="2 and 1 clusters"):
        first.jousselme(CredalPartition.from_labels([0]))
    with pytest.raises(ValueError, match="1 and 2 rows"):
        first.jousselme(CredalPartition.from_labels([0, 1]))


# The Rand index


@given(st.data(), st.integers(2, 7), st.sampled_from(KINDS))
def test_rand_index_is_the_mean_over_pairs(data, n, kind):
    p, q = data.draw(partitions(n)), data.draw(partitions(n))
    index = credal_rand_index(p, q, kind=kind)
    assert_allclose(index, literal_rand(p, q, kind), atol=1e-12)
    assert_allclose(index, credal_rand_index(q, p, kind=kind), atol=1e-14)
    assert 0 <= index <= 1


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(6))
def test_adjustment_is_the_mean_over_permutations(kind, seed):
    rng = np.random.default_rng(seed)
    n = 4 + seed % 2
    p, q = draw(rng, n, 3, sharpness=0.3), draw(rng, n, 2 + seed % 2, sharpness=0.3)
    expected = np.mean([literal_rand(p, q, kind, order) for order in permutations(range(n))])
    adjusted = (literal_rand(p, q, kind) - expected) / (1 - expected)
    assert_allclose(credal_rand_index(p, q, adjusted=True, kind=kind), adjusted, rtol=1e-10)
    assert_allclose(credal_rand_index(q, p, adjusted=True, kind=kind), adjusted, rtol=1e-10)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(10))
def test_hard_partitions_have_the_rand_indices_of_scikit_learn(kind, seed):
    rng = np.random.default_rng(seed)
    n = rng.integers(2, 300)
    a = rng.integers(0, rng.integers(1, 9), n)
    b = np.where(rng.random(n) < 0.6, a, rng.integers(-1, 4, n))
    # scikit-learn's adjusted index of two trivial partitions is 1 as well.
    assert_allclose(credal_rand_index(a, b, kind=kind), rand_score(a, b), rtol=0, atol=1e-12)
    adjusted = credal_rand_index(a, b, adjusted=True, kind=kind)
    assert_allclose(adjusted, adjusted_rand_score(a, b), rtol=0, atol=1e-12)


@given(partitions())
def test_a_partition_agrees_with_itself(p):
    for adjusted in (False, True):
        assert credal_rand_index(p, p, adjusted) == 1.0
        again = CredalPartition(p.masses.copy(), p.focal_sets)
        assert credal_rand_index(p, again, adjusted) == 1.0
    renamed = CredalPartition(p.masses[:, ::-1], p.focal_sets[::-1, ::-1])
    assert_allclose(credal_rand_index(p, renamed), 1.0, atol=1e-12)


@pytest.mark.parametrize("sharpness", [0.2, 1.0, 1000.0])
def test_a_copy_of_many_rows_agrees_to_the_last_bit(sharpness):
    U = np.random.default_rng(1).dirichlet(np.full(5, sharpness), size=3001)
    assert credal_rand_index(U, U.copy()) == credal_rand_index(U, U.copy(), adjusted=True) == 1.0


def test_softness_is_conflict_with_oneself_but_no_distance():
    U = np.array([[0.9, 0.1], [0.2, 0.8], [0.5, 0.5]])
    assert credal_rand_index(U, U) == 1
    assert credal_rand_index(U, U, kind="conflict") < 0.7


@given(st.data(), st.integers(2, 6))
def test_the_root_is_a_metric_and_brackets_the_index_of_the_paper(data, n):
    p, q, r = (data.draw(partitions(n)) for _ in range(3))
    pq, qr, pr = (np.sqrt(1 - credal_rand_index(*two)) for two in ((p, q), (q, r), (p, r)))
    assert pr <= pq + qr + 1e-7
    P, Q = all_pairs(p), all_pairs(q)
    paper = 1 - np.mean([literal_jousselme(P[i, j], Q[i, j]) for i, j in combinations(range(n), 2)])
    assert 1 - pq - 1e-7 <= paper <= 1 - pq**2 + 1e-12


def test_limits_of_the_rand_index():
    labels = np.array([0, 0, 1, 1])
    vacuous = CredalPartition(np.ones((4, 1)), [[1, 1]])
    nowhere = CredalPartition(np.ones((4, 1)), [[0, 0]])
    # Knowing nothing of a pair is half way, in squares, from either answer; it contradicts neither.
    assert_allclose(credal_rand_index(vacuous, labels), 0.5)
    assert_allclose(credal_rand_index(vacuous, labels, adjusted=True), 0, atol=1e-15)
    assert credal_rand_index(vacuous, labels, kind="conflict") == 1
    assert credal_rand_index(vacuous, labels, True, kind="conflict") == 1
    # Being outside is as far from any answer as can be.
    assert_allclose(credal_rand_index(nowhere, labels), 0, atol=1e-15)
    assert_allclose(credal_rand_index(nowhere, vacuous), 0, atol=1e-15)
    assert credal_rand_index(nowhere, nowhere) == 1
    assert credal_rand_index(nowhere, nowhere, kind="conflict") == 0


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("adjusted", [False, True])
def test_one_row_has_no_pairs(kind, adjusted):
    assert credal_rand_index([[0.3, 0.7]], [0], adjusted, kind=kind) == 1.0


def test_trivial_partitions_that_agree_are_adjusted_to_one():
    same = np.tile([0.3, 0.7], (50, 1))
    assert credal_rand_index(same, same[:, ::-1], adjusted=True) == 1.0
    assert credal_rand_index(np.zeros(9, dtype=int), CredalPartition.from_labels([1] * 9), True) == 1.0


def test_labels_and_memberships_are_converted():
    U = np.array([[0.9, 0.1, 0.0], [0.2, 0.5, 0.3], [0.0, 0.1, 0.9], [0.3, 0.3, 0.4]])
    index = credal_rand_index(
        CredalPartition.from_memberships(U), CredalPartition.from_labels([0, 1, 1, 2])
    )
    assert credal_rand_index(U, [7, -1, -1, 3]) == pytest.approx(index)
    assert credal_rand_index(U.tolist(), np.array(["b", "a", "a", "c"])) == pytest.approx(index)
    # The masses of a fuzzy pair are u'u on the same and the rest apart, so delta is (u'u - same)^2.
    i, j = np.triu_indices(4, 1)
    same = np.equal.outer([0, 1, 1, 2], [0, 1, 1, 2])
    assert index == pytest.approx(1 - np.mean(((U @ U.T)[i, j] - same[i, j]) ** 2))


def test_blocks_do_not_matter(monkeypatch):
    rng = np.random.default_rng(0)
    p, q = draw(rng, 500, 3), draw(rng, 500, 2)
    whole = [credal_rand_index(p, q, True, kind=kind) for kind in KINDS]
    monkeypatch.setattr(agreement, "_BLOCK", 100)
    assert_allclose([credal_rand_index(p, q, True, kind=kind) for kind in KINDS], whole, rtol=1e-10)


@pytest.mark.parametrize("kind", KINDS)
def test_memory_stays_far_below_pairs_of_rows(kind):
    n = 100_000  # n x n floats are 80 GB, n x 64 of them 51 MB
    rng = np.random.default_rng(0)
    p, q = draw(rng, n, 3), draw(rng, n, 3)
    tracemalloc.start()
    try:
        credal_rand_index(p, q, adjusted=True, kind=kind)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 45e6
