"""Validity indices against literal sums and scikit-learn, and what leaves them as they are."""

import subprocess
import sys
import tracemalloc

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array
from sklearn import metrics as peers

import softclust
from oracles import validity as literal
from softclust import metrics
from softclust.credal import CredalPartition
from softclust.metrics import INDICES, silhouettes, validity

OF_MEMBERSHIPS = ["partition_coefficient", "partition_entropy", "modified_partition_coefficient"]
OF_CENTRES = ["xie_beni", "kwon", "tang", "fukuyama_sugeno", "fuzzy_hypervolume", "partition_density"]
SILHOUETTES = ["fuzzy_silhouette", "simplified_fuzzy_silhouette"]
OF_ONE = OF_MEMBERSHIPS + OF_CENTRES + SILHOUETTES
OF_TWO = ["fuzzy_rand_index", "fuzzy_adjusted_rand_index", "fuzzy_jaccard_index"]
OF_LABELS = ["rand_index", "matched_accuracy", "matched_errors"]


class Case:
    """Rows, memberships and centres, and what an index says of them."""

    def __init__(self, X, U, V, m=2.0, alpha=1.0, weight=None):
        self.X, self.U, self.V, self.m, self.alpha, self.weight = X, U, V, m, alpha, weight

    def but(self, **changes):
        mine = {"X": self.X, "U": self.U, "V": self.V, "m": self.m, "alpha": self.alpha}
        return Case(**{**mine, "weight": self.weight, **changes})

    def value(self, name):
        arguments = {need: getattr(self, need) for need in INDICES[name].needs}
        return INDICES[name].function(**arguments, sample_weight=self.weight)

    def literal(self, name):
        return getattr(literal, name)(*(getattr(self, need) for need in INDICES[name].needs))


def draw(seed, n=None, c=None, p=None, sharpness=None, m=None):
    """Rows about c centres, memberships that follow them loosely, and centres that are not the means."""
    rng = np.random.default_rng(seed)
    c = c or int(rng.integers(2, 5))
    n, p = n or int(rng.integers(3 * c + 6, 30)), p or int(rng.integers(1, 4))
    V = 3 * rng.standard_normal((c, p))
    X = V[rng.integers(c, size=n)] + rng.standard_normal((n, p))
    U = rng.dirichlet(np.full(c, sharpness or rng.choice([0.3, 1.0, 5.0])), size=n)
    return Case(X, U, V, m or rng.choice([1.0, 1.5, 2.0, 3.0]), rng.choice([0.0, 0.5, 1.0, 2.0]))


def one_hot(y):
    return (np.asarray(y)[:, None] == np.unique(y)).astype(float)


seeds = st.integers(0, 2**32 - 1)


@pytest.fixture(scope="module")
def fitted():
    from sklearn.datasets import load_iris

    X, y = load_iris(return_X_y=True)
    return X, y, softclust.FuzzyCMeans(n_clusters=3, m=2.0, random_state=0).fit(X)


# ---------------------------------------------------------------------- equal to the papers
@pytest.mark.parametrize("name", OF_ONE)
@settings(max_examples=30)
@given(seed=seeds)
def test_indices_are_the_literal_sums(name, seed):
    case = draw(seed)
    assert_allclose(case.value(name), case.literal(name), rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("name", OF_ONE)
def test_indices_are_the_literal_sums_on_iris(name, fitted):
    X, _, model = fitted
    case = Case(X, model.memberships_, model.cluster_centers_, model.m)
    assert_allclose(case.value(name), case.literal(name), rtol=1e-10)


PAIRED = {"fuzzy_rand_index": literal.fuzzy_rand, "fuzzy_jaccard_index": literal.fuzzy_jaccard}


@pytest.mark.parametrize("name", PAIRED)
@settings(max_examples=30)
@given(seed=seeds)
def test_pair_indices_are_the_literal_sums(name, seed):
    U, V = draw(seed, n=12).U, draw(seed + 1, n=12).U
    assert_allclose(getattr(metrics, name)(U, V), PAIRED[name](U, V), rtol=1e-11)


@pytest.mark.parametrize("name", PAIRED)
def test_pair_indices_are_the_literal_sums_on_iris(name, fitted):
    _, y, model = fitted
    U = model.memberships_[::3]
    expected = PAIRED[name](U, one_hot(y[::3]))
    assert_allclose(getattr(metrics, name)(U, y[::3]), expected, rtol=1e-11)
    assert_allclose(getattr(metrics, name)(y[::3], U), expected, rtol=1e-11)


@settings(max_examples=8)
@given(seed=seeds)
def test_chance_is_the_mean_over_all_orders_of_the_rows(seed):
    U, V = draw(seed, n=5, c=2).U, draw(seed + 1, n=5, c=3).U
    expected = literal.fuzzy_adjusted_rand_by_permutation(U, V)
    assert_allclose(metrics.fuzzy_adjusted_rand_index(U, V), expected, rtol=1e-9, atol=1e-12)


@settings(max_examples=30)
@given(seed=seeds)
def test_matching_is_the_best_of_all_namings(seed):
    rng = np.random.default_rng(seed)
    y, z = rng.integers(rng.integers(1, 4), size=(1, 12))[0], rng.integers(rng.integers(1, 5), size=12)
    errors = literal.matched_errors(y.tolist(), z.tolist())
    assert metrics.matched_errors(y, z) == errors
    assert isinstance(metrics.matched_errors(y, z), int)
    assert metrics.matched_accuracy(y, z) == pytest.approx(1 - errors / 12)
    assert metrics.matched_errors(z, y) == errors


@settings(max_examples=30)
@given(seed=seeds, c=st.integers(2, 4))
def test_nonspecificity_is_the_literal_sum(seed, c):
    rng = np.random.default_rng(seed)
    sets = np.array([[j >> k & 1 for k in range(c)] for j in range(2**c)])
    partition = CredalPartition(rng.dirichlet(np.ones(len(sets)), size=9), sets)
    expected = literal.nonspecificity(partition.masses, sets.tolist())
    assert_allclose(metrics.nonspecificity(partition), expected, rtol=1e-12)
    assert_allclose(metrics.nonspecificity(partition, normalized=False), expected * np.log2(c), rtol=1e-12)


# ---------------------------------------------------------------------- hard partitions
@settings(max_examples=40)
@given(seed=seeds)
def test_hard_partitions_have_the_values_of_scikit_learn(seed):
    case, rng = draw(seed, n=25), np.random.default_rng(seed)
    y, z = rng.permutation(np.arange(25) % 3), rng.integers(4, size=25)
    U, V = one_hot(y), one_hot(z)
    assert metrics.partition_coefficient(U) == 1 == metrics.modified_partition_coefficient(U)
    assert metrics.partition_entropy(U) == 0
    assert_allclose(metrics.fuzzy_silhouette(case.X, U), peers.silhouette_score(case.X, y), rtol=1e-9)
    assert_allclose(
        metrics.fuzzy_silhouette_samples(case.X, V),
        peers.silhouette_samples(case.X, z),
        rtol=1e-9,
        atol=1e-12,
    )
    (dd, ds), (sd, ss) = peers.cluster.pair_confusion_matrix(y, z).tolist()
    for a, b in [(y, z), (U, V), (y, V), (U, z)]:
        assert_allclose(metrics.fuzzy_rand_index(a, b), peers.rand_score(y, z), rtol=1e-12)
        expected = peers.adjusted_rand_score(y, z)
        assert_allclose(metrics.fuzzy_adjusted_rand_index(a, b), expected, rtol=1e-10, atol=1e-12)
        assert_allclose(metrics.fuzzy_jaccard_index(a, b), ss / (ss + sd + ds), rtol=1e-12)
    assert dd >= 0
    assert_allclose(metrics.rand_index(y, z), peers.rand_score(y, z), rtol=1e-12)


def test_names_of_scikit_learn_are_the_same_functions():
    assert metrics.adjusted_rand_score is peers.adjusted_rand_score
    assert metrics.normalized_mutual_info_score is peers.normalized_mutual_info_score
    assert metrics.credal_rand_index is softclust.credal.credal_rand_index
    assert all(hasattr(metrics, name) for name in metrics.__all__)
    with pytest.raises(AttributeError, match="has no attribute 'dunn'"):
        _ = metrics.dunn


def test_labels_have_any_names():
    y, z = ["b", "b", "a", "a", "c"], np.array([-1, -1, 7, 7, 7])
    for name in [*OF_TWO, *OF_LABELS]:
        function = getattr(metrics, name)
        assert function(y, z) == function(one_hot(y).argmax(axis=1), one_hot(z).argmax(axis=1)), name
    assert metrics.matched_errors(pd.Series(y), pd.Series(z)) == 1
    assert metrics.matched_accuracy(y, y) == 1


# ---------------------------------------------------------------------- bounds
@settings(max_examples=60)
@given(seed=seeds)
def test_bounds(seed):
    case = draw(seed)
    c = case.U.shape[1]
    other = draw(seed + 1, n=len(case.U)).U
    value = {name: case.value(name) for name in OF_ONE}
    assert 1 / c - 1e-12 <= value["partition_coefficient"] <= 1
    assert 0 <= value["partition_entropy"] <= np.log(c) + 1e-12
    # Bezdek: 1 - PC <= PE, and below PC = 1 it is strict.
    assert 1 - value["partition_coefficient"] <= value["partition_entropy"] + 1e-12
    assert 0 <= value["modified_partition_coefficient"] <= 1
    assert all(value[name] > 0 for name in ("xie_beni", "kwon", "tang", "fuzzy_hypervolume"))
    assert value["kwon"] > len(case.X) * value["xie_beni"]
    assert value["partition_density"] >= 0
    assert all(-1 <= value[name] <= 1 for name in SILHOUETTES)
    assert 0 <= metrics.fuzzy_rand_index(case.U, other) <= 1
    assert 0 <= metrics.fuzzy_jaccard_index(case.U, other) <= 1
    assert metrics.fuzzy_adjusted_rand_index(case.U, other) <= 1


def test_ends_of_the_ranges():
    even = np.full((7, 4), 0.25)
    assert metrics.partition_coefficient(even) == 0.25
    assert metrics.partition_entropy(even) == pytest.approx(np.log(4))
    assert metrics.modified_partition_coefficient(even) == 0
    vacuous = CredalPartition(np.eye(3), [[1, 1, 1, 1], [1, 0, 0, 0], [0, 0, 0, 0]])
    assert metrics.nonspecificity(vacuous) == pytest.approx(2 / 3)
    assert metrics.nonspecificity(CredalPartition.from_memberships(even)) == 0


def test_independent_partitions_agree_by_chance_only():
    values = [
        metrics.fuzzy_adjusted_rand_index(
            draw(2 * s, n=40, c=3, sharpness=0.3).U, draw(2 * s + 1, n=40, c=3, sharpness=0.3).U
        )
        for s in range(200)
    ]
    assert abs(np.mean(values)) < 4 * np.std(values) / np.sqrt(200)


# ---------------------------------------------------------------------- what leaves them alone
def close(a, b):
    assert_allclose(a, b, rtol=1e-8, atol=1e-10)


@pytest.mark.parametrize("name", OF_ONE)
@settings(max_examples=15)
@given(seed=seeds)
def test_order_of_clusters_rows_and_features(name, seed):
    case, rng = draw(seed), np.random.default_rng(seed)
    n, c, p = *case.U.shape, case.X.shape[1]
    rows, clusters, features = rng.permutation(n), rng.permutation(c), rng.permutation(p)
    X, V = case.X[rows][:, features], case.V[clusters][:, features]
    close(case.but(X=X, U=case.U[rows][:, clusters], V=V).value(name), case.value(name))


@pytest.mark.parametrize("name", OF_TWO)
@settings(max_examples=15)
@given(seed=seeds)
def test_order_of_two_partitions_their_clusters_and_rows(name, seed):
    U, V, rng = draw(seed, n=20).U, draw(seed + 1, n=20).U, np.random.default_rng(seed)
    function, rows = getattr(metrics, name), rng.permutation(20)
    value = function(U, V)
    close(function(V, U), value)
    close(function(U[rows][:, ::-1], V[rows]), value)


@pytest.mark.parametrize("name", OF_CENTRES + SILHOUETTES)
@settings(max_examples=15)
@given(seed=seeds)
def test_shifts_and_rotations_leave_all(name, seed):
    case, rng = draw(seed, p=3), np.random.default_rng(seed)
    turn, shift = np.linalg.qr(rng.standard_normal((3, 3)))[0], 50 * rng.standard_normal(3)
    close(case.but(X=case.X @ turn + shift, V=case.V @ turn + shift).value(name), case.value(name))


POWERS = {
    "xie_beni": 0,
    "kwon": 0,
    "fukuyama_sugeno": 2,
    "fuzzy_hypervolume": "p",
    "partition_density": "-p",
    "fuzzy_silhouette": 0,
    "simplified_fuzzy_silhouette": 0,
}


@pytest.mark.parametrize("name", POWERS)
@pytest.mark.parametrize("exponent", [-40, 3, 60])
def test_powers_of_the_unit(name, exponent, seed):
    case, s = draw(seed), 2.0**exponent
    power = {"p": case.X.shape[1], "-p": -case.X.shape[1]}.get(POWERS[name], POWERS[name])
    found = case.but(X=case.X * s, V=case.V * s).value(name)
    assert_allclose(found, case.value(name) * s**power, rtol=1e-11)


def test_tang_has_a_unit_and_goes_to_a_ratio(seed):
    case = draw(seed)
    large, larger = (case.but(X=case.X * s, V=case.V * s).value("tang") for s in (2.0**40, 2.0**60))
    assert large == pytest.approx(larger)
    assert case.value("tang") < large


@pytest.mark.parametrize("scale", [1e-300, 1e-200, 1e150, 1e200, 1e300])
@pytest.mark.parametrize("name", OF_CENTRES + SILHOUETTES)
def test_no_unit_is_too_large_or_too_small(name, scale):
    case = draw(3, p=2, m=2.0)
    value = case.but(X=case.X * scale, V=case.V * scale).value(name)
    assert not np.isnan(value)
    if POWERS.get(name) == 0:
        assert value == pytest.approx(case.value(name))


# ---------------------------------------------------------------------- weights
@pytest.mark.parametrize("name", OF_ONE)
@settings(max_examples=15)
@given(seed=seeds)
def test_a_weight_is_a_number_of_copies(name, seed):
    case, rng = draw(seed), np.random.default_rng(seed)
    count = rng.integers(4, size=len(case.U))
    count[:2] = 1
    copies = case.but(X=np.repeat(case.X, count, axis=0), U=np.repeat(case.U, count, axis=0))
    close(case.but(weight=count).value(name), copies.value(name))


@pytest.mark.parametrize("name", [*OF_TWO, *OF_LABELS])
@settings(max_examples=15)
@given(seed=seeds)
def test_a_weight_is_a_number_of_copies_in_both_partitions(name, seed):
    rng, function = np.random.default_rng(seed), getattr(metrics, name)
    count = rng.integers(4, size=20)
    count[:2] = 1
    pair = [rng.integers(3, size=20), rng.integers(4, size=20)]
    if name in OF_TWO:
        pair[0] = draw(seed, n=20).U
    close(function(*pair, sample_weight=count), function(*(np.repeat(u, count, axis=0) for u in pair)))


@pytest.mark.parametrize("name", [*OF_TWO, "fuzzy_silhouette"])
def test_small_weights_are_shares(name, seed):
    """Where no row stands for more than one, no row makes pairs with itself and only ratios count."""
    case, weight = draw(seed, n=20), np.random.default_rng(seed).random(20)
    if name in OF_TWO:
        y = np.arange(20) % 3
        few, fewer = (getattr(metrics, name)(case.U, y, sample_weight=weight / s) for s in (1, 1e6))
        one, equal = (getattr(metrics, name)(case.U, y, sample_weight=w) for w in (None, np.full(20, 0.1)))
    else:
        few, fewer = (case.but(weight=weight / s).value(name) for s in (1, 1e6))
        one, equal = (case.but(weight=w).value(name) for w in (None, np.full(20, 0.1)))
    close(few, fewer)
    close(one, equal)
    assert few != pytest.approx(one)


def test_a_cluster_of_rows_without_weight_is_no_neighbour(seed):
    case = draw(seed, n=20, c=2)
    X, U = np.vstack([case.X, case.X[:2]]), np.pad(case.U, ((0, 2), (0, 1)))
    U[-2:, 2] = 1
    weight = np.r_[np.ones(20), 0, 0]
    found = metrics.fuzzy_silhouette_samples(X, U, sample_weight=weight)
    assert_allclose(found[:20], metrics.fuzzy_silhouette_samples(case.X, case.U), rtol=1e-9, atol=1e-12)
    assert_array_equal(found[20:], 0)


def test_weights_of_masses_and_of_errors():
    partition = CredalPartition([[1, 0], [0, 1]], [[1, 0], [1, 1]])
    assert metrics.nonspecificity(partition, sample_weight=[3, 1]) == 0.25
    assert metrics.matched_errors([0, 0, 1], [0, 1, 1], sample_weight=[1, 0.5, 1]) == 0.5


# ---------------------------------------------------------------------- degenerate partitions
def test_one_cluster():
    X, U, V = np.arange(6.0).reshape(3, 2), np.ones((3, 1)), np.array([[2.0, 3.0]])
    expected = {
        "partition_coefficient": 1,
        "partition_entropy": 0,
        "modified_partition_coefficient": 0,
        "xie_beni": np.inf,
        "kwon": np.inf,
        "tang": np.inf,
        "fuzzy_silhouette": 0,
        "simplified_fuzzy_silhouette": 0,
    }
    case = Case(X, U, V)
    assert {name: case.value(name) for name in expected} == expected
    assert case.value("fukuyama_sugeno") == pytest.approx(16)
    assert metrics.nonspecificity(CredalPartition(U, [[1]])) == 0
    assert [getattr(metrics, name)(U, U) for name in OF_TWO] == [1, 1, 1]


def test_coincident_centres(seed):
    case = draw(seed, c=3)
    case = case.but(V=case.V[[0, 1, 0]])
    assert case.value("xie_beni") == case.value("kwon") == np.inf
    assert np.isfinite([case.value(name) for name in OF_ONE if name not in ("xie_beni", "kwon")]).all()


def test_rows_all_in_one_place():
    case = Case(np.ones((4, 2)), np.full((4, 2), 0.5), np.ones((2, 2)))
    assert case.value("xie_beni") == case.value("kwon") == np.inf
    assert case.value("tang") == case.value("fukuyama_sugeno") == 0
    assert case.value("fuzzy_hypervolume") == 0
    assert case.value("partition_density") == np.inf
    assert case.value("fuzzy_silhouette") == case.value("simplified_fuzzy_silhouette") == 0
    hard = case.but(U=np.eye(2)[[0, 0, 1, 1]])
    assert hard.value("fuzzy_silhouette") == hard.value("simplified_fuzzy_silhouette") == 0


def test_flat_clusters_have_no_volume(seed):
    case = draw(seed, p=2)
    flat = case.but(X=case.X @ [[1.0, 0.3], [0.0, 0.0]], V=case.V @ [[1.0, 0.3], [0.0, 0.0]])
    assert flat.value("fuzzy_hypervolume") == 0
    assert flat.value("partition_density") == np.inf
    constant = case.but(X=case.X * [1.0, 0.0], V=case.V * [1.0, 0.0])
    assert constant.value("fuzzy_hypervolume") == 0


def test_unlike_units_are_not_flat(seed):
    case, unit = draw(seed, p=2), [2.0**-40, 2.0**40]
    for name in ("fuzzy_hypervolume", "partition_density"):
        assert_allclose(case.but(X=case.X * unit, V=case.V * unit).value(name), case.value(name), rtol=1e-9)


def test_many_features_have_a_volume_although_no_float_is_as_small():
    rng = np.random.default_rng(0)
    X, U = 1e-5 * rng.standard_normal((200, 80)), np.ones((200, 1))
    case = Case(X, U, np.zeros((1, 80)), m=1.0)
    assert case.value("fuzzy_hypervolume") == 0  # about 1e-410
    volume = np.exp(np.linalg.slogdet(1e10 * X.T @ X / 200)[1] / 2)
    assert_allclose(case.but(X=1e5 * X).value("fuzzy_hypervolume"), volume, rtol=1e-9)


def test_a_cluster_without_members(seed):
    case = draw(seed, c=2)
    more = case.but(U=np.c_[case.U, np.zeros(len(case.U))], V=np.vstack([case.V, case.V.max(axis=0) + 90]))
    for name in ("fuzzy_hypervolume", "partition_density", "fuzzy_silhouette", "fukuyama_sugeno"):
        close(more.value(name), case.value(name))


def test_rows_torn_evenly_count_for_nothing():
    X = np.array([[0.0], [1.0], [9.0], [10.0]])
    torn = Case(X, np.full((4, 2), 0.5), X[[0, 3]])
    assert torn.value("fuzzy_silhouette") == torn.value("simplified_fuzzy_silhouette") == 0


def test_single_rows_and_rows_all_apart():
    for name in OF_TWO:
        function = getattr(metrics, name)
        assert function([0], [0]) == function([[0.5, 0.5]], [0]) == 1
        assert function(np.arange(5), np.arange(5)) == function(np.zeros(5), np.zeros(5)) == 1
    assert metrics.fuzzy_rand_index(np.arange(5), np.zeros(5)) == 0
    assert metrics.fuzzy_adjusted_rand_index(np.arange(5), np.zeros(5)) == 0


# ---------------------------------------------------------------------- input
GOOD = {
    "X": np.arange(6.0).reshape(3, 2),
    "U": np.eye(2)[[0, 1, 0]],
    "V": np.array([[2.0, 3.0], [2.0, 2.0]]),
}


def changed(name, place, value):
    array = GOOD[name].copy()
    array[place] = value
    return array


BAD = {
    "sum": ("U", changed("U", (1, 0), 0.5), r"U\[1\] sums to 1\.5, but the memberships of a row sum to 1"),
    "negative": (
        "U",
        [[1, 0], [1.5, -0.5], [1, 0]],
        r"U\[1, 1\] = -0\.5, but memberships lie between 0 and 1",
    ),
    "nan": ("U", changed("U", (2, 1), np.nan), r"U\[2, 1\] is NaN, but finite numbers are needed"),
    "flat": (
        "U",
        [1.0, 1.0, 1.0],
        r"U has the shape \(3,\), but two dimensions are needed, a row of member",
    ),
    "empty": ("U", np.empty((0, 2)), r"U has the shape \(0, 2\)"),
    "rows": ("X", np.ones((4, 2)), r"X has 4 rows and U has 3; they need one row for each object"),
    "nan in X": ("X", changed("X", (0, 1), np.nan), r"X\[0, 1\] is NaN, but finite numbers are needed"),
    "inf in X": ("X", changed("X", (0, 1), -np.inf), r"X\[0, 1\] is -inf, but finite"),
    "words": ("X", [["a", "b"]] * 3, r"X holds <U1, but numbers are needed"),
    "objects": ("X", [[None, "b"]] * 3, r"X holds something that is no number"),
    "sparse": ("X", csr_array(np.eye(3)), r"X holds something that is no number; a dense numeric array"),
    "too few centres": (
        "V",
        [[1.0, 2.0]],
        r"V has the shape \(1, 2\).*: centres of shape \(2, 2\) would fit",
    ),
    "features": ("V", np.ones((2, 3)), r"V has the shape \(2, 3\).*: centres of shape \(2, 2\) would fit"),
    "nan in V": ("V", changed("V", (1, 1), np.nan), r"V\[1, 1\] is NaN"),
}


@pytest.mark.parametrize(
    ("name", "fault"), [(n, f) for n in OF_ONE for f in BAD if BAD[f][0] in INDICES[n].needs]
)
def test_errors_name_the_argument_and_the_place(name, fault):
    argument, value, message = BAD[fault]
    with pytest.raises(ValueError, match=message):
        Case(**{**GOOD, argument: value}).value(name)


@pytest.mark.parametrize("name", OF_ONE)
def test_errors_of_options(name):
    needs = INDICES[name].needs
    for option, values in {"m": [0.5, np.nan, np.inf, "2", None], "alpha": [-1, np.nan, "1"]}.items():
        for value in values if option in needs else []:
            with pytest.raises(ValueError, match=f"{option}=.* does not fit; it is a finite number >= "):
                Case(**GOOD, **{option: value}).value(name)
    for weight, message in {
        (1, -1, 1): r"sample_weight\[1\] is -1",
        (1, 1, np.nan): r"sample_weight\[2\] is NaN",
        (0, 0, 0): "zero for every row",
        (1, 1): r"expected \(3,\)",
    }.items():
        with pytest.raises(ValueError, match=message):
            Case(**GOOD, weight=list(weight)).value(name)


@pytest.mark.parametrize("name", OF_TWO)
def test_errors_of_two_partitions(name):
    function, U = getattr(metrics, name), GOOD["U"]
    for pair, message in [
        ((U, U[:2]), "U has 3 rows and V has 2; they need the same rows"),
        ((U, [0, 1]), "U has 3 rows and V has 2"),
        ((U, 0.5 * U), r"V\[0\] sums to 0\.5"),
        ((U, [0, np.nan, 1]), r"V\[1\] is NaN, but every row needs a label"),
        (([0, None, "a"], U), "U mixes labels that have no order"),
        (([0, pd.NA, 1], U), "U mixes labels that have no order"),
        (([], U), r"U has the shape \(0,\)"),
    ]:
        with pytest.raises(ValueError, match=message):
            function(*pair)


@pytest.mark.parametrize("name", OF_LABELS)
def test_errors_of_labels(name):
    function = getattr(metrics, name)
    with pytest.raises(ValueError, match=r"y_pred has the shape \(3, 2\).*argmax\(axis=1\) would fit"):
        function([0, 1, 1], GOOD["U"])
    with pytest.raises(ValueError, match=r"3 rows and .* has 2; they need the same rows"):
        function([0, 1, 1], [0, 1])


def test_too_many_names_to_match():
    with pytest.raises(ValueError, match="y_true has 20000 classes and y_pred 20000 clusters, too many"):
        metrics.matched_accuracy(np.arange(20_000), np.arange(20_000))
    assert metrics.rand_index(np.arange(20_000), np.arange(20_000)) == 1


def test_nonspecificity_asks_for_a_credal_partition():
    with pytest.raises(ValueError, match="partition is a list, but a CredalPartition is needed"):
        metrics.nonspecificity([[1, 0]])


@pytest.mark.parametrize("name", OF_ONE)
def test_kinds_of_arrays(name, seed):
    case = draw(seed, n=20)
    value = case.value(name)
    before = [a.copy() for a in (case.X, case.U, case.V)]
    frames = case.but(X=pd.DataFrame(case.X), U=pd.DataFrame(case.U), V=case.V.tolist())
    assert frames.value(name) == pytest.approx(value, rel=1e-12)
    assert case.but(X=np.asfortranarray(case.X), U=case.U[::-1][::-1]).value(name) == pytest.approx(value)
    single = case.but(X=case.X.astype("f4"), U=case.U.astype("f4"), V=case.V.astype("f4"))
    assert single.value(name) == pytest.approx(value, rel=1e-3, abs=1e-4)
    assert isinstance(value, float)
    for array, was in zip((case.X, case.U, case.V), before, strict=True):
        assert_array_equal(array, was)


# ---------------------------------------------------------------------- memory and loading
def test_blocks_do_not_change_silhouettes(monkeypatch, seed):
    case = draw(seed, n=29)
    whole = metrics.fuzzy_silhouette_samples(case.X, case.U)
    for block in (1, 60, 29 * 7):
        monkeypatch.setattr(silhouettes, "_BLOCK", block)
        assert_array_equal(metrics.fuzzy_silhouette_samples(case.X, case.U), whole)


@pytest.mark.parametrize("name", [*OF_ONE, *OF_TWO])
def test_memory_is_linear_in_the_rows(name, monkeypatch):
    monkeypatch.setattr(silhouettes, "_BLOCK", 1 << 16)
    n = 3000
    case = draw(0, n=n, c=3, p=2)

    def run(case):
        return case.value(name) if name in OF_ONE else getattr(metrics, name)(case.U, case.U)

    run(draw(1))  # what is loaded at first
    tracemalloc.start()
    try:
        run(case)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 8 * n * n / 20


def test_loading_is_light():
    code = "import sys, softclust.metrics; print({'sklearn', 'scipy', 'numba'} & set(sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "set()\n"


# ---------------------------------------------------------------------- fitted estimators
def test_the_table_is_whole():
    assert set(OF_ONE) | {"nonspecificity"} == set(INDICES)
    greater = {name for name, index in INDICES.items() if index.greater_is_better}
    assert greater == {
        "partition_coefficient",
        "modified_partition_coefficient",
        "partition_density",
        *SILHOUETTES,
    }
    assert {name for name, index in INDICES.items() if index.sign == 1} == greater
    assert all(getattr(metrics, name) is index.function for name, index in INDICES.items())


def test_indices_point_to_the_blobs(blobs):
    """A partition that follows three clouds beats, by every index of its own range, one that does not."""
    X, y = blobs
    good = validity(softclust.FuzzyCMeans(n_clusters=3, random_state=0).fit(X), X)
    for c in (2, 5):
        poor = validity(softclust.FuzzyCMeans(n_clusters=c, random_state=0).fit(X), X)
        for name in ("xie_beni", "kwon", "tang", "modified_partition_coefficient", *SILHOUETTES):
            assert INDICES[name].sign * good[name] > INDICES[name].sign * poor[name], (c, name)
    assert metrics.matched_errors(y, softclust.HardCMeans(n_clusters=3, random_state=0).fit_predict(X)) == 0


@pytest.mark.parametrize(
    "name",
    [
        "HardCMeans",
        "FuzzyCMeans",
        "PossibilisticCMeans",
        "PossibilisticFuzzyCMeans",
        "ImprovedPossibilisticCMeans",
        "EvidentialCMeans",
        "GaussianMixture",
        "KMedoids",
    ],
)
@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_every_estimator_has_its_indices(name, dtype, blobs):
    X = blobs[0].astype(dtype)
    model = getattr(softclust, name)(n_clusters=3, random_state=0).fit(X)
    found = validity(model, X)
    assert set(found) == set(OF_ONE) | ({"nonspecificity"} if name == "EvidentialCMeans" else set())
    assert np.isfinite(list(found.values())).all()
    U = getattr(model, "memberships_", one_hot(model.labels_))
    if (U.argmax(axis=1) == model.labels_).all():  # labels may be those of typicalities
        assert found["fuzzy_silhouette"] > 0.8
    direct = metrics.simplified_fuzzy_silhouette(X, U, model.cluster_centers_)
    assert found["simplified_fuzzy_silhouette"] == direct


def test_what_validity_leaves_out(blobs):
    X, _ = blobs
    directions = softclust.FuzzyCMeans(n_clusters=3, geometry="directions", random_state=0).fit(X)
    assert set(validity(directions, X)) == set(OF_MEMBERSHIPS)
    D = peers.pairwise_distances(X)
    medoids = softclust.KMedoids(n_clusters=3, metric="precomputed", random_state=0).fit(D)
    assert set(validity(medoids, D)) == set(OF_MEMBERSHIPS)
    fuzzy = softclust.FuzzyCMeans(n_clusters=3, random_state=0).fit(X)
    assert "fuzzy_silhouette" not in validity(fuzzy, X, most_quadratic_rows=149)
    assert "fuzzy_silhouette" in validity(fuzzy, X, most_quadratic_rows=150)


def test_options_of_validity(blobs):
    X, _ = blobs
    model = softclust.FuzzyCMeans(n_clusters=4, random_state=0).fit(X)
    U, V, weight = model.memberships_, model.cluster_centers_, np.arange(150) % 3
    found = validity(model, X, m=1.5, alpha=2, sample_weight=weight)
    assert found["kwon"] == metrics.kwon(X, U, V, m=1.5, sample_weight=weight)
    assert found["fuzzy_silhouette"] == metrics.fuzzy_silhouette(X, U, alpha=2, sample_weight=weight)
    assert found["partition_entropy"] == metrics.partition_entropy(U, sample_weight=weight)


def test_errors_of_validity(blobs):
    X, _ = blobs
    with pytest.raises(ValueError, match="FuzzyCMeans has neither memberships_ nor labels_; a fitted"):
        validity(softclust.FuzzyCMeans(), X)
    model = softclust.FuzzyCMeans(n_clusters=3, random_state=0).fit(X)
    with pytest.raises(ValueError, match="X has 149 rows, but FuzzyCMeans was fitted on 150"):
        validity(model, X[1:])
