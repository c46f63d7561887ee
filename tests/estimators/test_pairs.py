"""Pairs of rows that belong together or apart: what is refused, what must hold, and what is told."""

import itertools
import pickle
import warnings
from functools import partial

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import coo_array
from scipy.sparse.csgraph import shortest_path
from sklearn import config_context
from sklearn.base import clone
from sklearn.metrics import adjusted_rand_score
from sklearn.model_selection import GridSearchCV, KFold, cross_val_predict, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler
from sklearn.utils._param_validation import InvalidParameterError

from configurations import EVIDENTIAL, FUZZY, HARD, WITH_LINKS, WITH_TYPICALITIES
from conftest import make_blobs
from oracles.fuzzy import squared_distances
from oracles.linked import best_feasible, hard_costs, hard_objective, is_feasible
from softclust import ConstraintConflictError, Pairs, sample_supervision

pytestmark = pytest.mark.filterwarnings(
    "ignore::softclust.DegenerateClusterWarning", "ignore::sklearn.exceptions.ConvergenceWarning"
)
NAN, INF = float("nan"), float("inf")
KINDS = ["must_link", "cannot_link"]
every_linked = pytest.mark.parametrize("cls", WITH_LINKS, ids=lambda cls: cls.__name__)
every_kind = pytest.mark.parametrize("kind", KINDS)
BOUND = partial(HARD, link_strength=INF)  # pairs that must hold
MODELS = {"bound": BOUND, **{cls.__name__: cls for cls in WITH_LINKS}}
every_model = pytest.mark.parametrize("make", MODELS.values(), ids=MODELS.keys())


def cannot_hold(words):
    """The warning about pairs that only cost."""
    return pytest.warns(UserWarning, match=rf"What is known cannot all hold: {words} See unsatisfied_\.")


def quiet(model, *data, **named):
    """A fit that may be told that not everything can hold; any other warning is an error."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "What is known cannot all hold")
        return model.fit(*data, **named)


def told(y, must=20, cannot=20, seed=0):
    """Pairs that are true, as arguments of `fit`."""
    known = sample_supervision(y, 0, must, cannot, random_state=seed)
    return {"must_link": known.must_link, "cannot_link": known.cannot_link}


def scrambled(n, count, seed):
    """Pairs at random, as likely wrong as right."""
    ends = np.random.default_rng(seed).integers(n, size=(2 * count, 2))
    ends = ends[ends[:, 0] != ends[:, 1]]
    return {"must_link": ends[: count // 2], "cannot_link": ends[count // 2 : count]}


def chain(n):
    return np.column_stack([np.arange(n - 1), np.arange(1, n)])


def every_pair(n):
    return np.column_stack(np.triu_indices(n, 1))


def assert_same_bits(one, other):
    assert np.array_equal(one.cluster_centers_, other.cluster_centers_)
    assert np.array_equal(one.memberships_, other.memberships_)
    assert np.array_equal(one.labels_, other.labels_)
    assert np.array_equal(one.objective_history_, other.objective_history_)


def assert_sound(model):
    assert np.isfinite(model.cluster_centers_).all()
    assert not np.isnan(model.objective_history_).any()
    assert ((model.memberships_ >= 0) & (model.memberships_ <= 1)).all()
    assert_allclose(model.memberships_.sum(axis=1), 1.0, rtol=0, atol=1e-6)
    assert ((model.outlier_scores_ >= 0) & (model.outlier_scores_ <= 1)).all()
    assert np.isfinite(model.unsatisfied_["shortfall"]).all()


def assert_never_rises(history, share=1e-10):
    assert (np.diff(history) <= share * np.abs(history[:-1])).all()


# ------------------------------------------------------------------ wrong pairs
WRONG_PAIRS = {
    "beyond": ([(0, 1), (3, 150)], r"{}\[1\] = \(3, 150\) names row 150; X has 150 rows\."),
    "negative": ([(-1, 3)], r"{}\[0\] = \(-1, 3\) names row -1; X has 150 rows\."),
    "first-of-two": ([(0, 1), (7, 999), (200, 1)], r"{}\[1\] = \(7, 999\) names row 999; X has 150 rows\."),
    "fraction": ([(0, 1.5)], r"{}\[0\] = \(0, 1\.5\) names row 1\.5; X has 150 rows\."),
    "nan": ([(0, NAN)], r"{}\[0\] = \(0, nan\) names row nan; X has 150 rows\."),
    "none": ([(None, 2)], r"{}\[0\] = \(nan, 2\) names row nan; X has 150 rows\."),
    "inf": ([(INF, 0)], r"{}\[0\] = \(inf, 0\) names row inf; X has 150 rows\."),
    "one-dimension": ([0, 1], r"{} has shape \(2,\); a pair is two rows, and perhaps a strength\."),
    "one-column": ([[0], [1]], r"{} has shape \(2, 1\); a pair is two rows, and perhaps a strength\."),
    "four-columns": (
        [[0, 1, 2, 3]],
        r"{} has shape \(1, 4\); a pair is two rows, and perhaps a strength\.",
    ),
    "three-dimensions": (np.zeros((2, 2, 2)), r"{} has shape \(2, 2, 2\); a pair is two rows"),
    "matrix-of-links": (np.eye(150, dtype=bool), r"{} has shape \(150, 150\); a pair is two rows"),
    "number": (3, r"{} has shape \(\); a pair is two rows, and perhaps a strength\."),
    "negative-strength": (
        [(0, 1, 1), (2, 3, -0.5)],
        r"{}\[1\] has strength -0\.5; strengths are numbers >= 0",
    ),
    "nan-strength": ([(0, 1, NAN)], r"{}\[0\] has strength nan; strengths are numbers >= 0\."),
    "minus-inf-strength": ([(0, 1, -INF)], r"{}\[0\] has strength -inf; strengths are numbers >= 0\."),
    "other-rows": (Pairs([(0, 1)], 149), r"{} is about 149 rows; X has 150 rows\."),
}


@every_linked
@every_kind
@pytest.mark.parametrize(("pairs", "match"), WRONG_PAIRS.values(), ids=WRONG_PAIRS.keys())
def test_wrong_pairs_are_named(cls, kind, pairs, match, blobs):
    with pytest.raises(ValueError, match=f"^{match.format(kind)}"):
        cls().fit(blobs[0], **{kind: pairs})


NO_PAIRS = {
    "word": "ab",
    "words": [("a", "b")],
    "bytes": b"ab",
    "set": {(0, 1)},
    "dict": {0: 1},
    "generator": ((i, i + 1) for i in range(3)),
    "object": object(),
    "ragged": [(0, 1), (2, 3, 1.0)],
    "sparse": coo_array(np.eye(3)),
}


@every_linked
@every_kind
@pytest.mark.parametrize("pairs", NO_PAIRS.values(), ids=NO_PAIRS.keys())
def test_what_is_no_list_of_pairs(cls, kind, pairs, blobs):
    model = cls()
    with pytest.raises((ValueError, TypeError)):
        model.fit(blobs[0], **{kind: pairs})
    assert not hasattr(model, "labels_")


def test_wrong_pairs_are_named_in_full(blobs):
    with pytest.raises(ValueError, match=r"must_link\[0\] = \(3, 1234567\) names row 1234567; "):
        HARD().fit(blobs[0], must_link=[(3, 1234567)])


@every_linked
def test_a_row_is_not_apart_from_itself(cls, blobs):
    with pytest.raises(ValueError, match=r"^cannot_link\[1\] says that row 4 is apart from itself\.$"):
        cls().fit(blobs[0], cannot_link=[(0, 1), (4, 4)])


@pytest.mark.parametrize("cls", WITH_TYPICALITIES, ids=lambda cls: cls.__name__)
@every_kind
def test_families_without_links_name_those_that_have_them(cls, kind, blobs):
    with pytest.raises(ValueError, match=f"^{cls.__name__} takes no must_link and cannot_link: ") as caught:
        cls().fit(blobs[0], **{kind: [(0, 1)]})
    assert all(other.__name__ in str(caught.value) for other in WITH_LINKS)
    assert_same_bits(cls(random_state=0).fit(blobs[0], **{kind: []}), cls(random_state=0).fit(blobs[0]))


# ------------------------------------------------------------------ strengths
@pytest.mark.parametrize("cls", [FUZZY, EVIDENTIAL], ids=lambda cls: cls.__name__)
@every_kind
@pytest.mark.parametrize(
    "pairs", [[(0, 1, INF)], [(0, 1, 1), (9, 7, INF)], Pairs([(7, 9, INF)], 150)], ids=str
)
def test_infinite_strength_where_pairs_only_cost(cls, kind, pairs, blobs):
    match = rf"^The pair of rows . and . has an infinite strength, but {cls.__name__} .* or HardCMeans\.$"
    with pytest.raises(ValueError, match=match):
        cls().fit(blobs[0], **{kind: pairs})


@pytest.mark.parametrize(
    ("cls", "name"),
    [(FUZZY, "link_strength"), (EVIDENTIAL, "must_strength"), (EVIDENTIAL, "cannot_strength")],
)
def test_infinite_parameter_where_pairs_only_cost(cls, name, blobs):
    with pytest.raises(InvalidParameterError, match=f"The {name!r} parameter of {cls.__name__} must be"):
        cls(**{name: INF}).fit(blobs[0], must_link=[(0, 1)])


def crowd_across(y):
    """The first rows, four or more, all apart: two share a cloud."""
    return every_pair(len(np.unique(y)) + 2)


@every_linked
def test_greatest_finite_strengths(cls, blobs):
    X, y = blobs
    names = ["must_strength", "cannot_strength"] if cls is EVIDENTIAL else ["link_strength"]
    pairs = np.column_stack([crowd_across(y), np.full(10, 1e305)])
    model = quiet(cls(random_state=0, **dict.fromkeys(names, 1e10)), X, cannot_link=pairs)
    assert_sound(model)
    assert len(model.unsatisfied_)


@every_linked
@pytest.mark.parametrize("strength", [1e-300, 1e-30, 1e10, 1e30, 1e100, 1e300])
def test_any_strength(cls, strength, blobs):
    X, _ = blobs
    pairs = scrambled(150, 30, 0)
    pairs = {kind: np.column_stack([ends, np.full(15, strength)]) for kind, ends in pairs.items()}
    assert_sound(quiet(cls(random_state=0), X, **pairs))
    assert_sound(quiet(cls(random_state=0, init=X[[0, 1, 2]]), X, **pairs))  # rows on centres


@every_linked
def test_strength_of_a_pair_multiplies_that_of_all(cls, blobs):
    X, _ = blobs
    pairs = scrambled(150, 40, 0)

    def fitted(strength, *column):
        names = ["must_strength", "cannot_strength"] if cls is EVIDENTIAL else ["link_strength"]
        known = {
            kind: np.column_stack([ends, *(np.full(20, s) for s in column)]) for kind, ends in pairs.items()
        }
        return quiet(cls(random_state=0, **dict.fromkeys(names, strength)), X, **known)

    assert_same_bits(fitted(0.01, 1.0), fitted(0.01))
    assert_same_bits(fitted(0.01, 4.0), fitted(0.04))
    assert fitted(0.01).objective_ != fitted(0.04).objective_


@every_linked
def test_pairs_pull_the_more_the_stronger_they_are(cls, blobs):
    X, y = blobs
    i, j = np.flatnonzero(y == 0)[0], np.flatnonzero(y == 1)[0]
    short = []
    for strength in (0.0, 0.01, 100.0):
        model = cls(random_state=0).fit(X, must_link=[(i, j, strength)])
        u, v = model.memberships_[[i, j]]
        short.append(1 - u @ v)
    assert short == sorted(short, reverse=True)
    assert short[0] > 0.9
    assert short[-1] < short[0] - 0.4


def test_infinite_strength_of_one_pair_whatever_the_others_cost(blobs):
    X, y = blobs
    i, j = np.flatnonzero(y == 0)[:2]
    model = HARD(link_strength=0.0, random_state=0).fit(X, cannot_link=[(i, j, INF)])
    assert model.labels_[i] != model.labels_[j]


# ------------------------------------------------------------------ pairs that say nothing, or say it again
NOTHING = {
    "list": [],
    "tuple": (),
    "flat": np.empty(0),
    "two-columns": np.empty((0, 2), dtype=int),
    "three-columns": np.empty((0, 3)),
    "pairs": Pairs([], 150),
    "pandas": pd.DataFrame({"i": [], "j": []}),
    "itself": [(4, 4), (7, 7)],
    "strength-0": None,
    "rows-left-out": None,
}


@every_model
@pytest.mark.parametrize("name", NOTHING)
def test_pairs_that_say_nothing(make, name, blobs):
    X, _ = blobs
    weight = np.ones(150)
    must = cannot = NOTHING[name]
    if name == "itself":
        cannot = None
    if name == "strength-0":
        must, cannot = [(0, 1, 0.0)], [(0, 2, 0.0)]
    if name == "rows-left-out":
        weight[[3, 9]] = 0
        must, cannot = [(3, 4), (9, 3)], [(9, 5), (3, 9)]
    model = make(random_state=0).fit(X, must_link=must, cannot_link=cannot, sample_weight=weight)
    assert_same_bits(model, make(random_state=0).fit(X, sample_weight=weight))


@every_model
@every_kind
def test_order_sides_and_repeats_do_not_count(make, kind, blobs):
    X, y = blobs
    ends = told(y)[kind].pairs
    other = np.concatenate([ends[::-1, ::-1], ends[:7], ends[3:9, ::-1], ends[:1]])
    one = make(random_state=0).fit(X, **{kind: ends})
    assert_same_bits(one, make(random_state=0).fit(X, **{kind: other}))


@every_linked
def test_the_strongest_of_the_same_pair_counts(cls, blobs):
    X, y = blobs
    i, j = np.flatnonzero(y == 0)[0], np.flatnonzero(y == 1)[0]
    many = cls(random_state=0).fit(X, must_link=[(i, j, 0.5), (j, i, 2.0), (i, j, 0.0)])
    assert_same_bits(many, cls(random_state=0).fit(X, must_link=[(i, j, 2.0)]))


FORMS = {
    "tuples": lambda ends: [tuple(map(int, pair)) for pair in ends],
    "lists": lambda ends: ends.astype(int).tolist(),
    "uint8": lambda ends: ends.astype(np.uint8),
    "int64": lambda ends: ends.astype(np.int64),
    "float32": lambda ends: ends.astype(np.float32),
    "big-endian": lambda ends: ends.astype(">i4"),
    "object": lambda ends: ends.astype(object),
    "f-order": np.asfortranarray,
    "strided": lambda ends: np.repeat(ends, 2, axis=0)[::2],
    "pandas": lambda ends: pd.DataFrame(ends, columns=["left", "right"]),
    "pandas-integers": lambda ends: pd.DataFrame(ends).astype("Int64"),
    "polars": lambda ends: pl.DataFrame(ends, schema=["left", "right"]),
    "pyarrow": lambda ends: pa.table({"left": ends[:, 0], "right": ends[:, 1]}),
    "pairs": lambda ends: Pairs(ends, 150),
}


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS.keys())
@every_linked
def test_forms_of_pairs(cls, form, blobs):
    X, y = blobs
    pairs = {kind: ends.pairs for kind, ends in told(y).items()}
    given_pairs = {kind: form(ends) for kind, ends in pairs.items()}
    assert_same_bits(cls(random_state=0).fit(X, **given_pairs), cls(random_state=0).fit(X, **pairs))
    for kind, ends in pairs.items():
        assert_array_equal(np.asarray(getattr(given_pairs[kind], "pairs", given_pairs[kind])), ends)


# ------------------------------------------------------------------ a failed fit
@every_model
@pytest.mark.parametrize(
    "spoiled", [[(0, 999)], [(0, 1, NAN)], "ab", [(5, 5)], Pairs([(0, 1)], 7)], ids=str
)
def test_a_failed_fit_changes_nothing(make, spoiled, blobs):
    X, y = blobs
    model = make(random_state=0).fit(X, **told(y))
    before = pickle.dumps(vars(model))
    with pytest.raises(ValueError):
        model.fit(X + 1, must_link=[(0, 1)], cannot_link=spoiled)
    assert pickle.dumps(vars(model)) == before


def test_a_conflict_changes_nothing(blobs):
    X, y = blobs
    model = BOUND(random_state=0).fit(X, **told(y))
    before = pickle.dumps(vars(model))
    with pytest.raises(ConstraintConflictError):
        model.fit(X + 1, must_link=[(0, 1)], cannot_link=[(0, 1)])
    assert pickle.dumps(vars(model)) == before


@every_linked
def test_a_failed_fit_on_other_features_changes_nothing(cls, blobs):
    X, _ = blobs
    model = cls(random_state=0).fit(X)
    with pytest.raises(ValueError, match="names row 999"):
        model.fit(X[:, :1], must_link=[(0, 999)])
    assert_array_equal(model.predict(X), model.labels_)


row = st.integers(-2, 13) | st.sampled_from([0.5, NAN, INF, 1e300, None])
strength = st.floats() | st.sampled_from([0.0, 1.0, 1e-300, INF])
any_pairs = st.lists(st.tuples(row, row), max_size=8) | st.lists(st.tuples(row, row, strength), max_size=8)
good_row = st.integers(0, 11)
good_pairs = st.lists(st.tuples(good_row, good_row), max_size=12) | st.lists(
    st.tuples(good_row, good_row, st.floats(0, 1e20) | st.just(0.0)), max_size=12
)
generated = settings(max_examples=40, phases=[Phase.explicit, Phase.generate])


@every_model
@generated
@given(must=any_pairs | good_pairs, cannot=any_pairs | good_pairs, seed=st.integers(0, 99))
def test_anything_gets_an_answer_or_one_sentence(make, must, cannot, seed):
    X = np.random.default_rng(seed).normal(size=(12, 2)).round(seed % 3)
    model = make(n_clusters=1 + seed % 4, random_state=0, n_init=1)
    try:
        quiet(model, X, must_link=must, cannot_link=cannot)
    except ValueError as error:
        assert str(error).endswith(".")
        assert "\n" not in str(error)
        assert any(word in str(error) for word in ("_link", "pair", "constraints"))
    else:
        assert_sound(model)


# ------------------------------------------------------------------ conflicts
def test_the_chain_of_a_conflict_is_named(blobs):
    must, cannot = [(2, 5), (5, 9), (2, 3), (3, 4), (4, 9)], [(0, 1), (9, 2)]
    with pytest.raises(ConstraintConflictError) as caught:
        BOUND().fit(blobs[0], must_link=must, cannot_link=cannot)
    sentence = "rows 2 and 9 must not be linked, but are joined by must-links 2-5-9."
    assert str(caught.value) == f"The constraints cannot all hold: {sentence}"
    assert isinstance(caught.value, ValueError)


@every_linked
def test_a_conflict_of_pairs_that_cost_is_told(cls, blobs):
    words = r"rows 2 and 9 must not be linked, but are joined by must-links 2-5-9\."
    with cannot_hold(words) as caught:
        model = cls(random_state=0).fit(blobs[0], must_link=[(2, 5), (5, 9)], cannot_link=[(2, 9)])
    assert caught[0].filename == __file__
    listed = {(r["kind"], r["row"], r["other"]) for r in model.unsatisfied_}
    assert listed & {("must-link", 2, 5), ("must-link", 5, 9), ("cannot-link", 2, 9)}


@pytest.mark.parametrize("seed", range(20))
def test_the_chain_is_a_shortest_one(seed):
    rng = np.random.default_rng(seed)
    must = every_pair(30)[rng.permutation(435)[:50]]
    graph = coo_array((np.ones(50), must.T.astype(np.int32)), shape=(30, 30))  # SciPy 1.13 takes no int64
    steps = shortest_path(graph, directed=False, unweighted=True)
    far = np.argwhere(np.isfinite(steps) & (steps == steps[np.isfinite(steps)].max()))[0]
    with pytest.raises(ConstraintConflictError) as caught:
        BOUND().fit(rng.normal(size=(30, 2)), must_link=must, cannot_link=[far])
    named = [int(name) for name in str(caught.value).split()[-1].rstrip(".").split("-")]
    assert sorted([named[0], named[-1]]) == sorted(far)
    assert len(named) == steps[tuple(far)] + 1
    assert all(steps[i, j] == 1 for i, j in itertools.pairwise(named))


def labels_of(**known):
    y = np.full(150, None, dtype=object)
    for row, name in known.items():
        y[int(row[1:])] = name
    return y


LABEL_CONFLICTS = {
    "along-a-chain": (
        labels_of(r2="ant", r9="bee"),
        {"must_link": [(2, 5), (9, 5)]},
        "rows 2 and 9 are labelled ant and bee, but are joined by must-links 2-5-9.",
    ),
    "of-one-class": (
        labels_of(r2="ant", r9="ant", r0="bee"),
        {"cannot_link": [(9, 2)]},
        "rows 2 and 9 must not be linked, but both belong to class ant.",
    ),
    "through-others": (
        labels_of(r2="ant", r9="ant"),
        {"cannot_link": [(3, 8)], "must_link": [(2, 3), (8, 9)]},
        "rows 3 and 8 must not be linked, but both belong to class ant "
        "(row 3 through row 2) (row 8 through row 9).",
    ),
}


@pytest.mark.parametrize(("y", "pairs", "sentence"), LABEL_CONFLICTS.values(), ids=LABEL_CONFLICTS.keys())
def test_labels_against_pairs(y, pairs, sentence, blobs):
    X, _ = blobs
    with pytest.raises(ConstraintConflictError) as caught:
        BOUND().fit(X, y, **pairs)
    assert str(caught.value) == f"The constraints cannot all hold: {sentence}"
    for cls in WITH_LINKS:
        with pytest.warns(UserWarning) as told_of:
            model = cls(random_state=0).fit(X, y, **pairs)
        assert [str(w.message) for w in told_of] == [
            f"What is known cannot all hold: {sentence} See unsatisfied_."
        ]
        assert len(model.unsatisfied_)


def test_labels_that_agree_are_no_conflict(blobs):
    X, y = blobs
    for cls in (BOUND, *WITH_LINKS):
        assert len(cls(random_state=0).fit(X, y, **told(y)).unsatisfied_) == 0


def test_labels_that_do_not_count_are_no_conflict(blobs):
    BOUND(label_strength=0.0).fit(blobs[0], labels_of(r2="ant", r9="bee"), must_link=[(2, 9)])


@pytest.mark.parametrize("c", [1, 2, 3, 5])
def test_more_rows_apart_than_clusters(c, blobs):
    X, _ = blobs
    rows = [3 * k + 1 for k in range(c + 1)]
    pairs = list(itertools.combinations(rows, 2))
    count = "is only 1 cluster" if c == 1 else f"are only {c} clusters"
    words = f"rows {', '.join(map(str, rows))} are all apart from each other, but there {count}."
    with pytest.raises(ConstraintConflictError, match=words):
        BOUND(c).fit(X, cannot_link=pairs)
    for cls in WITH_LINKS:
        with pytest.warns(UserWarning, match=f"What is known cannot all hold: {words}"):
            model = cls(c, random_state=0).fit(X, cannot_link=pairs)
        assert set(model.unsatisfied_["kind"]) <= {"cannot-link"}
        if cls is not EVIDENTIAL:  # where the empty set honours any pair
            assert len(model.unsatisfied_)
    assert is_feasible(BOUND(c + 1, random_state=0).fit(X, cannot_link=pairs).labels_, [], pairs)


def test_rows_apart_by_way_of_must_links(blobs):
    """Three groups of two rows: no three rows are all apart, but the groups are."""
    must, cannot = [(0, 1), (2, 3), (4, 5)], [(1, 2), (3, 4), (5, 0)]
    with pytest.raises(
        ConstraintConflictError, match=r"are all apart from each other, but .* only 2 clusters"
    ):
        BOUND(2).fit(blobs[0], must_link=must, cannot_link=cannot)
    BOUND(3).fit(blobs[0], must_link=must, cannot_link=cannot)


def wheel(rim):
    """A hub and an odd rim: four colours, without four that are all apart (from a rim of five on)."""
    return [(0, k) for k in range(1, rim + 1)] + [(k, k % rim + 1) for k in range(1, rim + 1)]


def mycielskian(edges, n):
    """The same without new triangles, and one colour more."""
    return [*edges, *((i, n + j) for i, j in edges), *((n + i, j) for i, j in edges)] + [
        (n + i, 2 * n) for i in range(n)
    ]


PENTAGON = [(k, (k + 1) % 5) for k in range(5)]
PETERSEN = [*PENTAGON, *((k, k + 5) for k in range(5)), *((5 + k, 5 + (k + 2) % 5) for k in range(5))]
GROETZSCH = mycielskian(PENTAGON, 5)
COLOURS = {
    "pentagon": (PENTAGON, 3),
    "wheel-5": (wheel(5), 4),
    "wheel-9": (wheel(9), 4),
    "petersen": (PETERSEN, 3),
    "groetzsch": (GROETZSCH, 4),
    "mycielski-5": (mycielskian(GROETZSCH, 11), 5),
}


@pytest.mark.parametrize(("pairs", "colours"), COLOURS.values(), ids=COLOURS.keys())
def test_cannot_links_that_need_more_clusters(pairs, colours, blobs):
    """Graphs without a clique that tells: one cluster too few is a conflict, enough are none."""
    X, _ = blobs
    c, rows = colours - 1, sorted({i for pair in pairs for i in pair})
    words = rf"no {c} clusters keep all cannot-links among rows {', '.join(map(str, rows[:20]))}"
    with pytest.raises(ConstraintConflictError, match=words):
        BOUND(c).fit(X, cannot_link=pairs)
    for cls in WITH_LINKS:  # pairs that only cost are not coloured: no warning, but one is not honoured
        model = cls(c, random_state=0).fit(X, cannot_link=pairs)
        assert_sound(model)
        assert set(model.unsatisfied_["kind"]) == {"cannot-link"}
    assert is_feasible(BOUND(colours, random_state=0).fit(X, cannot_link=pairs).labels_, [], pairs)


def small_instance(seed):
    """Up to six rows and three clusters, with pairs of any kind at random."""
    rng = np.random.default_rng(seed)
    c = int(rng.integers(1, 4))
    n = int(rng.integers(c, 7))
    kind = rng.choice(3, p=rng.dirichlet([2, 1, 2]), size=n * (n - 1) // 2)
    return rng.normal(size=(n, 2)), c, every_pair(n)[kind == 1], every_pair(n)[kind == 2]


@pytest.mark.parametrize("block", range(4))
def test_a_conflict_is_found_where_nothing_is_feasible_and_only_there(block):
    conflicts = 0
    for seed in range(60 * block, 60 * block + 60):
        X, c, must, cannot = small_instance(seed)
        possible = best_feasible(np.zeros((len(X), c)), must.tolist(), cannot.tolist()) is not None
        try:
            model = BOUND(c, random_state=0).fit(X, must_link=must, cannot_link=cannot)
        except ConstraintConflictError:
            assert not possible, seed
            conflicts += 1
        else:
            assert possible, seed
            assert is_feasible(model.labels_, must, cannot)
    assert 15 < conflicts < 55


def _colours(edges, n, c):
    """Whether c colours do, all tried but for their names."""

    def place(used):
        i = len(used)
        if i == n:
            return True
        near = {used[j] for j in range(i) if (j, i) in edges}
        return any(place([*used, k]) for k in range(min(c, max(used, default=-1) + 2)) if k not in near)

    return place([])


@pytest.mark.parametrize("c", [2, 3, 4])
def test_cannot_links_conflict_where_no_colouring_exists_and_only_there(c):
    conflicts = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        ends = every_pair(10)[rng.random(45) < (0.2, 0.45, 0.65)[c - 2]]
        possible = _colours(set(map(tuple, ends.tolist())), 10, c)
        try:
            model = BOUND(c, random_state=0).fit(rng.normal(size=(10, 2)), cannot_link=ends)
        except ConstraintConflictError:
            assert not possible, seed
            conflicts += 1
        else:
            assert possible, seed
            assert is_feasible(model.labels_, [], ends)
    assert 4 < conflicts < 36


@pytest.mark.parametrize("seed", range(30))
def test_rows_named_as_all_apart_are_so(seed):
    X, c, must, cannot = small_instance(1000 + seed)
    try:
        BOUND(c, random_state=0).fit(X, must_link=must, cannot_link=cannot)
    except ConstraintConflictError as error:
        if "all apart" in (sentence := str(error)):
            rows = [int(word) for word in sentence.split("rows ")[1].split(" are")[0].split(", ")]
            assert len(rows) == c + 1
            for pair in itertools.combinations(rows, 2):
                assert best_feasible(np.zeros((len(X), len(X))), [*must, pair], cannot) is None


def test_pairs_that_must_hold_among_pairs_that_cost(blobs):
    """Only what must hold is an error; the rest is told."""
    X, _ = blobs
    with cannot_hold("rows 0 and 2 .* by must-links 0-1-2."):
        model = HARD(random_state=0).fit(X, must_link=[(0, 1, INF), (1, 2, 1.0)], cannot_link=[(0, 2, INF)])
    assert is_feasible(model.labels_, [(0, 1)], [(0, 2)])
    assert [tuple(r)[:3] for r in model.unsatisfied_] == [("must-link", 1, 2)]
    with pytest.raises(ConstraintConflictError, match="by must-links 0-1-2"):
        HARD().fit(X, must_link=[(0, 1, INF), (1, 2, INF), (3, 4, 1)], cannot_link=[(0, 2, INF)])


def test_rows_left_out_make_no_conflict(blobs):
    X, _ = blobs
    weight = np.ones(150)
    weight[5] = 0
    pairs = {"must_link": [(2, 5), (5, 9)], "cannot_link": [(2, 9), (5, 2)]}
    model = BOUND(random_state=0).fit(X, sample_weight=weight, **pairs)
    assert model.labels_[2] != model.labels_[9]
    assert len(model.unsatisfied_) == 0


def test_a_crowd_is_found_soon(blobs):
    with pytest.raises(ConstraintConflictError, match="all apart"):
        BOUND(9).fit(blobs[0], cannot_link=every_pair(10))


@pytest.mark.parametrize(("n", "c", "count"), [(80, 6, 680), (60, 4, 250)])
def test_true_pairs_are_no_conflict(n, c, count):
    """Pairs drawn from true classes, about as many as leave no other classes: the hardest number."""
    y = np.random.default_rng(0).integers(c, size=n)
    X = np.random.default_rng(1).normal(size=(n, 2)) + 8 * np.column_stack([y % 3, y // 3])
    pairs = told(y, 0, count)["cannot_link"]
    model = BOUND(c, random_state=0).fit(X, cannot_link=pairs)
    assert is_feasible(model.labels_, [], pairs.pairs.astype(int))


def test_many_pairs_are_checked_soon():
    """A search through all linked rows at each step would take longer than a test may."""
    y = np.arange(12000) % 3
    pairs = told(y, 0, 24000)["cannot_link"]
    assert_sound(HARD(n_init=1, random_state=0).fit(np.eye(3)[y], cannot_link=pairs))


# ------------------------------------------------------------------ pairs that must hold
def feasible_instance(seed):
    """Rows, clusters and true pairs, few or many; every other time the rows do not know of the classes."""
    rng = np.random.default_rng(seed)
    c = int(rng.integers(1, 6))
    n = int(rng.integers(c + 4, 60))
    y = rng.integers(c, size=n)
    X = rng.normal(size=(n, int(rng.integers(1, 4)))) + (6 * y[:, None] if seed % 2 else 0)
    ends = every_pair(n)[rng.permutation(n * (n - 1) // 2)[: rng.integers(1, 2 * n)]]
    together = y[ends[:, 0]] == y[ends[:, 1]]
    return rng, X, y, c, ends[together][:: rng.integers(1, 4)], ends[~together]


def add_labels(rng, X, y, arguments):
    arguments["y"] = np.where(rng.random(len(y)) < 0.3, y, -1)


def add_soft_labels(rng, X, y, arguments):
    arguments["y"] = np.full((len(y), arguments["c"]), NAN)
    arguments["y"][::3] = rng.random((len(y[::3]), arguments["c"]))


def add_weights(rng, X, y, arguments):
    arguments["sample_weight"] = rng.choice([0.0, 0.5, 1.0, 3.0, 1e-6, 1e6], size=len(y))
    arguments["sample_weight"][0] = 1


def add_pairs_that_cost(rng, X, y, arguments):
    """Half of the pairs cost, and as many random ones, mostly wrong."""
    for kind in KINDS:
        ends = arguments[kind]
        strengths = rng.choice([INF, 0.0, 0.1, 10.0], size=len(ends))
        wrong = every_pair(len(y))[rng.permutation(len(y))]
        arguments[kind] = np.vstack(
            [np.column_stack([ends, strengths]), np.column_stack([wrong, np.full(len(y), 0.3)])]
        )


OPTIONS = {
    "plain": (),
    "labels": (add_labels,),
    "soft-labels": (add_soft_labels,),
    "weights": (add_weights,),
    "mixed": (add_pairs_that_cost,),
    "all": (add_labels, add_weights, add_pairs_that_cost),
}


def fit_bound(seed, options, **parameters):
    """A fitted model, the pairs of rows that weigh and must hold in it, and its arguments."""
    rng, X, y, c, must, cannot = feasible_instance(seed)
    arguments = {"c": c, "must_link": must, "cannot_link": cannot}
    for add in OPTIONS[options]:
        add(rng, X, y, arguments)
    arguments.pop("c")
    cost = 1.0 if add_pairs_that_cost in OPTIONS[options] else INF
    weight = arguments.get("sample_weight", np.ones(len(y)))
    bound = []
    for kind in KINDS:
        ends = arguments[kind]
        strengths = ends[:, 2] if ends.shape[1] == 3 else np.full(len(ends), INF)
        ends = ends[:, :2].astype(int)
        bound.append(ends[np.isinf(strengths) & (weight[ends] > 0).all(axis=1)])
    model = HARD(c, link_strength=cost, random_state=0, **parameters)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # classes that y does not name, pairs that cost
        return model.fit(X, **arguments), *bound


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("block", [0, *(pytest.param(block, marks=pytest.mark.slow) for block in (1, 2))])
def test_every_answer_is_feasible(options, block):
    for seed in range(15 * block, 15 * block + 15):
        model, must, cannot = fit_bound(seed, options)
        assert is_feasible(model.labels_, must, cannot), seed
        assert_array_equal(model.labels_, model.memberships_.argmax(axis=1))
        assert_sound(model)
        assert np.isfinite(model.objective_)
        assert_never_rises(model.objective_history_)


@pytest.mark.parametrize("options", OPTIONS)
def test_every_answer_is_feasible_outside_noise(options):
    """Rows in noise honour any pair; their labels, which are guesses, still honour every must-link."""
    noisy = 0
    for seed in range(20):
        model, must, cannot = fit_bound(seed, options, noise_distance=1.0)
        noisy += model.outlier_mask_.sum()
        broken = cannot[model.labels_[cannot[:, 0]] == model.labels_[cannot[:, 1]]]
        assert is_feasible(model.labels_, must, [])
        assert model.outlier_mask_[broken].any(axis=1).all()
        listed = model.unsatisfied_[model.unsatisfied_["kind"] == "cannot-link"]
        assert set(map(tuple, broken.tolist())) <= set(zip(listed["row"], listed["other"], strict=True))
        assert_never_rises(model.objective_history_)
    assert noisy > 20


def test_must_linked_rows_in_noise_share_a_label(blobs):
    X, y = blobs
    i, j = np.flatnonzero(y == 0)[0], np.flatnonzero(y == 1)[0]
    model = BOUND(noise_distance=1.0, random_state=0).fit(X, must_link=[(i, j)])
    assert model.outlier_mask_[[i, j]].all()
    assert model.labels_[i] == model.labels_[j]
    assert len(model.unsatisfied_) == 0


@pytest.mark.parametrize("seed", range(5))
def test_one_component_of_300_rows(seed):
    rng = np.random.default_rng(seed)
    y = rng.integers(4, size=300)
    tree = np.array([(i, rng.integers(i)) for i in range(1, 300)])
    same = y[tree[:, 0]] == y[tree[:, 1]]
    X = rng.normal(size=(300, 2))
    model = BOUND(4, random_state=seed).fit(X, must_link=tree[same], cannot_link=tree[~same])
    assert is_feasible(model.labels_, tree[same], tree[~same])
    assert_never_rises(model.objective_history_)


def test_every_pair_linked(blobs):
    """Nothing is left to choose, however far the classes are from the rows."""
    X, _ = blobs
    y = np.random.default_rng(0).integers(3, size=150)
    ends = every_pair(150)
    same = y[ends[:, 0]] == y[ends[:, 1]]
    model = BOUND(random_state=0).fit(X, must_link=ends[same], cannot_link=ends[~same])
    assert adjusted_rand_score(y, model.labels_) == 1
    means = np.array([X[model.labels_ == k].mean(axis=0) for k in range(3)])
    assert_allclose(model.cluster_centers_, means, atol=1e-12)


def test_a_chain_of_must_links_over_all_rows(blobs):
    X, _ = blobs
    model = BOUND(random_state=0).fit(X, must_link=chain(150))
    (found,) = np.unique(model.labels_)
    assert_allclose(model.cluster_centers_[found], X.mean(axis=0), atol=1e-12)
    assert model.objective_ == pytest.approx(150 * X.var(axis=0).sum())


@pytest.mark.filterwarnings("error::sklearn.exceptions.ConvergenceWarning")
def test_clusters_that_stay_empty_come_to_rest(blobs):
    assert BOUND(random_state=0).fit(blobs[0], must_link=chain(150)).converged_


@pytest.mark.parametrize("seed", range(10))
def test_objective_is_what_the_labels_cost(seed):
    _, X, _, c, must, cannot = feasible_instance(seed)
    weight = np.random.default_rng(seed).uniform(0.1, 3, len(X))
    model = BOUND(c, random_state=0).fit(X, must_link=must, cannot_link=cannot, sample_weight=weight)
    cost, _ = hard_costs(squared_distances(X, model.cluster_centers_), weights=weight)
    assert_allclose(model.objective_, hard_objective(cost, model.labels_), rtol=1e-10)


def test_pairs_that_hold_by_themselves_change_nothing(blobs):
    X, y = blobs
    plain = HARD(random_state=0).fit(X)
    model = BOUND(random_state=0).fit(X, **told(y))
    assert adjusted_rand_score(plain.labels_, model.labels_) == 1
    assert_allclose(model.objective_, plain.objective_, rtol=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_many_true_pairs_do_no_harm(seed):
    """All pairs hold in the answer without pairs, which is the best: with them it is found again."""
    X, y = make_blobs(seed, each=1000)
    plain = HARD(random_state=0).fit(X)
    assert adjusted_rand_score(y, plain.labels_) == 1
    model = BOUND(random_state=0).fit(X, **told(y, 1500, 1500, seed))
    assert_allclose(model.objective_, plain.objective_, rtol=1e-9)


def test_labels_are_mostly_the_best_feasible_ones():
    """At the centres found, beside all assignments: 93 % of random instances when this was written."""
    best = 0
    for seed in range(50):
        rng = np.random.default_rng(seed)
        y, X = rng.integers(3, size=6), rng.normal(size=(6, 2))
        ends = every_pair(6)[rng.permutation(15)[: rng.integers(2, 9)]]
        same = y[ends[:, 0]] == y[ends[:, 1]]
        must, cannot = ends[same], ends[~same]
        model = BOUND(3, init=X[:3]).fit(X, must_link=must, cannot_link=cannot)
        cost = squared_distances(X, model.cluster_centers_)
        least = cost[np.arange(6), best_feasible(cost, must.tolist(), cannot.tolist())].sum()
        found = cost[np.arange(6), model.labels_].sum()
        assert found >= least * (1 - 1e-12)
        best += found <= least * (1 + 1e-9)
    assert best >= 42


# ------------------------------------------------------------------ what is not honoured
@every_linked
@pytest.mark.parametrize("seed", range(4))
def test_unsatisfied_pairs_are_those_that_the_labels_break(cls, seed):
    X, _ = make_blobs(seed)
    pairs = scrambled(150, 60, seed)
    weak = {kind: np.column_stack([ends, np.full(30, 0.01)]) for kind, ends in pairs.items()}
    model = quiet(cls(random_state=0), X, **weak)
    labels, expected = model.labels_, set()
    for kind, ends in pairs.items():
        must = kind == "must_link"
        for i, j in np.sort(ends, axis=1).tolist():
            if (labels[i] == labels[j]) != must:
                expected.add(("must-link" if must else "cannot-link", i, j))
    missed = model.unsatisfied_
    assert missed.dtype.names == ("kind", "row", "other", "wanted", "found", "shortfall")
    assert {(r["kind"], r["row"], r["other"]) for r in missed} == expected
    assert len(missed) == len(expected) > 0
    assert (missed["row"] < missed["other"]).all()
    assert (np.diff(missed["shortfall"]) <= 0).all()
    u, v = model.memberships_[missed["row"]], model.memberships_[missed["other"]]
    chance = (u * v).sum(axis=1)
    must = missed["kind"] == "must-link"
    assert_allclose(missed["shortfall"], np.where(must, 1 - chance, chance), rtol=1e-12)
    assert_array_equal(missed["found"], labels[missed["row"]])
    assert_array_equal(missed["wanted"], np.where(must, labels[missed["other"]], -1))


def test_unsatisfied_labels_and_pairs_are_listed_together(blobs):
    X, y = blobs
    known = np.where(np.arange(150) < 30, y, -1)
    known[0] = (y[0] + 1) % 3
    i, j = 40 + np.flatnonzero(y[40:] == 0)[:2]
    model = FUZZY(label_strength=0.05, link_strength=0.01, random_state=0)
    model.fit(X, known, cannot_link=[(j, i)], must_link=[(0, np.flatnonzero(y != y[0])[0])])
    missed = model.unsatisfied_
    assert sorted(missed["kind"]) == ["cannot-link", "label", "must-link"]
    assert (np.diff(missed["shortfall"]) <= 0).all()
    assert missed[missed["kind"] == "label"]["other"].tolist() == [-1]


@every_linked
def test_pairs_of_rows_left_out_are_not_listed(cls, blobs):
    X, y = blobs
    i, j = np.flatnonzero(y == 0)[:2]
    weight = np.ones(150)
    pairs = {"cannot_link": [(i, j, 1e-6)]}
    assert len(cls(random_state=0).fit(X, sample_weight=weight, **pairs).unsatisfied_) == 1
    weight[i] = 0
    assert len(cls(random_state=0).fit(X, sample_weight=weight, **pairs).unsatisfied_) == 0


# ------------------------------------------------------------------ scikit-learn
every_routing = pytest.mark.parametrize("routing", [False, True], ids=["plain", "routing"])


def clouds_with_wrong_pairs():
    """Pairs that the rows would not honour by themselves: who sees them is who honours them."""
    X, _ = make_blobs()
    return X, {"must_link": Pairs([(i, i + 1, 100.0) for i in range(0, 100, 2)], 150)}


@every_routing
def test_cross_validation_slices_pairs(routing):
    X, pairs = clouds_with_wrong_pairs()
    folds = KFold(3, shuffle=True, random_state=0)
    with config_context(enable_metadata_routing=routing):
        out = cross_validate(
            BOUND(random_state=0), X, cv=folds, params=pairs, return_estimator=True, return_indices=True
        )
    assert np.isfinite(out["test_score"]).all()
    for model, rows in zip(out["estimator"], out["indices"]["train"], strict=True):
        label = dict(zip(rows, model.labels_, strict=True))
        inside = [(i, j) for i, j, _ in pairs["must_link"].pairs if i in label and j in label]
        assert len(inside) > 10
        assert all(label[i] == label[j] for i, j in inside)
        plain = BOUND(random_state=0).fit(X[rows], must_link=pairs["must_link"][rows])
        assert_same_bits(model, plain)


@every_routing
@every_linked
def test_pairs_in_a_search(cls, routing):
    X, pairs = clouds_with_wrong_pairs()
    with config_context(enable_metadata_routing=routing):
        search = GridSearchCV(cls(random_state=0), {"n_clusters": [2, 3]}, cv=3, error_score="raise")
        search.fit(X, **pairs)
    best = search.best_estimator_
    assert_same_bits(best, cls(best.n_clusters, random_state=0).fit(X, **pairs))
    assert not np.array_equal(best.memberships_, cls(best.n_clusters, random_state=0).fit(X).memberships_)


@every_routing
@every_model
def test_pairs_in_a_pipeline(make, routing):
    X, pairs = clouds_with_wrong_pairs()
    pipe = make_pipeline(MinMaxScaler(), make(random_state=0))
    name = pipe.steps[-1][0]
    named = pairs if routing else {f"{name}__must_link": pairs["must_link"]}
    expected = make(random_state=0).fit(MinMaxScaler().fit_transform(X), **pairs)
    with config_context(enable_metadata_routing=routing):
        assert_same_bits(pipe.fit(X, **named)[-1], expected)
        assert_array_equal(pipe.fit_predict(X, **named), expected.labels_)
        assert pipe.fit_transform(X, **named).shape == (150, 3)
        scores = cross_validate(pipe, X, cv=3, params=named, error_score="raise")["test_score"]
        search = GridSearchCV(pipe, {f"{name}__n_clusters": [2, 3]}, cv=3, error_score="raise")
        search.fit(X, **named)
    assert np.isfinite(scores).all()
    assert search.best_params_[f"{name}__n_clusters"] in (2, 3)


@every_routing
def test_weights_and_pairs_together(routing):
    X, pairs = clouds_with_wrong_pairs()
    weight = np.random.default_rng(0).uniform(0.5, 2, 150)
    with config_context(enable_metadata_routing=routing):
        model = BOUND(random_state=0)
        if routing:
            model.set_fit_request(sample_weight=True).set_score_request(sample_weight=True)
        out = cross_validate(model, X, cv=3, params={**pairs, "sample_weight": weight}, error_score="raise")
        labels = cross_val_predict(model, X, cv=3, params={**pairs, "sample_weight": weight})
    assert np.isfinite(out["test_score"]).all()
    assert len(labels) == 150


def test_pairs_that_are_no_pairs_object_are_not_sliced():
    """A plain list keeps its positions: the folds have fewer rows, and the sentence says so."""
    X, _ = clouds_with_wrong_pairs()
    with pytest.raises(ValueError, match=r"must_link\[0\] = \(0, 149\) names row 149; X has 100 rows"):
        cross_validate(HARD(), X, cv=3, params={"must_link": [(0, 149)]}, error_score="raise")


@every_linked
def test_read_outs_of_a_fit_with_pairs(cls):
    X, pairs = clouds_with_wrong_pairs()
    model = cls(random_state=0)
    assert_array_equal(model.fit_predict(X, **pairs), model.labels_)
    assert_array_equal(model.fit_transform(X, **pairs), model.transform(X))
    free = np.setdiff1d(np.arange(150), pairs["must_link"].pairs[:, :2])
    assert_array_equal(model.predict(X)[free], model.labels_[free])
    assert_array_equal(model.predict_proba(X)[free], model.memberships_[free])


@every_linked
def test_clone_and_pickle(cls):
    X, pairs = clouds_with_wrong_pairs()
    parameters = {"link_strength": INF} if cls is HARD else {}
    model = cls(random_state=0, **parameters).fit(X, **pairs)
    copy = clone(model)
    assert copy.get_params() == model.get_params()
    assert not hasattr(copy, "labels_")
    assert_same_bits(copy.fit(X, must_link=pickle.loads(pickle.dumps(pairs["must_link"]))), model)
    assert_same_bits(pickle.loads(pickle.dumps(model)), model)


# ------------------------------------------------------------------ torture
@every_model
def test_powers_of_two_change_no_bit(make):
    """1e+-200 and 1e+-300 are about 2 to the +-665 and 996."""
    X, y = make_blobs(3)
    X = np.round(X, 6)
    one = make(random_state=0).fit(X, **told(y))
    for exponent in (-996, -665, -1, 665, 996):
        other = make(random_state=0).fit(np.ldexp(X, exponent), **told(y))
        assert np.array_equal(other.memberships_, one.memberships_)
        assert np.array_equal(other.cluster_centers_, np.ldexp(one.cluster_centers_, exponent))
        assert other.n_iter_ == one.n_iter_


@every_model
@pytest.mark.parametrize("size", [1e-300, 1e-200, 1e200, 1e300])
def test_data_of_any_size(make, size):
    X, y = make_blobs(4)
    known = scrambled(150, 40, 0) if make is not BOUND else told(y)
    assert_sound(quiet(make(random_state=0), X / 100 * size, **known))


@every_model
@pytest.mark.parametrize("offset", [1e8, 1e12, -1e15])
def test_data_far_from_the_origin(make, offset):
    X, y = make_blobs(4)
    X = np.round(8 * X)
    pairs = told(y) if make is BOUND else scrambled(150, 40, 0)
    near, far = (quiet(make(random_state=0), Z, **pairs) for Z in (X, X + offset))
    assert_sound(far)
    assert_array_equal(far.labels_, near.labels_)
    assert_allclose(far.memberships_, near.memberships_, atol=1e-6)


@every_model
@every_kind
@pytest.mark.parametrize("far", [1e20, 1e100])
def test_a_pair_with_a_far_outlier(make, kind, far):
    X, y = make_blobs(3)
    i, j = np.flatnonzero(y == 0)[:2]
    X[i] = far
    model = make(random_state=0).fit(X, **{kind: [(i, j)]})
    assert_sound(model)
    assert_never_rises(model.objective_history_, 1e-9)


@every_model
def test_identical_rows(make):
    X = np.full((30, 2), 1.5)
    for pairs in ({"must_link": chain(30)}, {"cannot_link": [(0, 1), (1, 2), (2, 0), (3, 4)]}):
        model = make(random_state=0).fit(X, **pairs)
        assert_sound(model)
        assert_array_equal(model.cluster_centers_, X[:3])
        if make is BOUND:
            assert len(model.unsatisfied_) == 0


@every_model
@pytest.mark.parametrize("c", [1, 2, 3, 6])
def test_as_many_rows_as_clusters(make, c):
    X = np.random.default_rng(0).normal(size=(c, 2))
    assert_sound(make(c, random_state=0).fit(X, cannot_link=every_pair(c)))
    model = make(c, random_state=0).fit(X, must_link=every_pair(c))
    assert_sound(model)
    if make is BOUND:
        assert len(np.unique(model.labels_)) == 1


TWO_PLACES = np.repeat([[0.0, 0.0], [5.0, 1.0]], 10, axis=0)


@every_model
def test_fewer_distinct_rows_than_clusters(make):
    pairs = {"must_link": [(0, 11)], "cannot_link": [(0, 1), (1, 2), (2, 3)]}
    assert_sound(make(3, random_state=0).fit(TWO_PLACES, **pairs))


def test_beliefs_in_clusters_that_only_occur_together():
    assert_sound(EVIDENTIAL(5, random_state=0).fit(TWO_PLACES, must_link=[(0, 11)]))


@every_model
def test_each_row_many_times(make):
    """The copies of two rows, all linked to each other."""
    X, y = make_blobs(12, each=10)
    many, kind = np.repeat(X, 100, axis=0), np.repeat(y, 100)
    i, j = np.flatnonzero(y == 0)[:2]
    pairs = np.column_stack([np.arange(100 * i, 100 * i + 100), np.arange(100 * j, 100 * j + 100)])
    model = make(random_state=0).fit(many, must_link=np.vstack([pairs, pairs[:, ::-1]]))
    assert_sound(model)
    assert adjusted_rand_score(kind, model.labels_) == 1
    assert len(model.unsatisfied_) == 0


@every_linked
def test_every_pair_linked_at_random(cls):
    X, _ = make_blobs(5, each=30)
    ends = every_pair(90)
    wrong = np.random.default_rng(0).random(len(ends)) < 0.5
    model = quiet(cls(random_state=0), X, must_link=ends[wrong], cannot_link=ends[~wrong])
    assert_sound(model)
    assert_never_rises(model.objective_history_)


@every_model
def test_a_chain_over_3000_rows(make):
    X, _ = make_blobs(6, each=1000)
    model = make(random_state=0, max_iter=30).fit(X, must_link=chain(3000))
    assert_sound(model)
    assert_never_rises(model.objective_history_)
    if make is BOUND:
        assert len(np.unique(model.labels_)) == 1


@every_model
def test_20000_links(make):
    X, y = make_blobs(7, each=6667)
    pairs = told(y, 10_000, 10_000)
    model = make(random_state=0, n_init=1).fit(X, **pairs)
    assert_sound(model)
    assert len(model.unsatisfied_) == 0
    assert adjusted_rand_score(y, model.labels_) == 1


@every_linked
def test_20000_random_links(cls):
    X, _ = make_blobs(7, each=6667)
    model = quiet(cls(random_state=0, n_init=1, max_iter=1), X, **scrambled(20_001, 20_000, 0))
    assert_sound(model)


def _memory_map(X, path):
    np.save(path / "rows.npy", X)
    return np.load(path / "rows.npy", mmap_mode="r")


def _read_only(X, path):
    X = X.copy()
    X.flags.writeable = False
    return X


ARRAYS = {
    "f-order": lambda X, path: np.asfortranarray(X),
    "memory-map": _memory_map,
    "read-only": _read_only,
    "negative-strides": lambda X, path: X[::-1].copy()[::-1],
    "list": lambda X, path: X.tolist(),
    "pandas": lambda X, path: pd.DataFrame(X, columns=["a", "b"]),
}


@every_model
@pytest.mark.parametrize("kind", ARRAYS)
def test_kinds_of_arrays(make, kind, tmp_path, blobs):
    X, y = blobs
    model = make(random_state=0).fit(ARRAYS[kind](X, tmp_path), **told(y))
    assert_same_bits(model, make(random_state=0).fit(X, **told(y)))


@every_model
def test_single_precision(make, blobs):
    X, y = blobs
    pairs = told(y)
    model, double = (make(random_state=0).fit(X.astype(t), **pairs) for t in (np.float32, np.float64))
    assert model.memberships_.dtype == model.cluster_centers_.dtype == np.float32
    assert_array_equal(model.labels_, double.labels_)
    assert_allclose(model.memberships_, double.memberships_, atol=1e-4)
    assert_never_rises(model.objective_history_, 1e-6)


@every_model
def test_threads_change_no_bit(make):
    X, y = make_blobs(8, each=3000)
    one, many = (make(random_state=0, n_jobs=jobs).fit(X, **told(y, 300, 300)) for jobs in (1, 3))
    assert_same_bits(one, many)


@every_linked
@pytest.mark.parametrize(
    "seed", [0, 1, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (2, 3, 4))]
)
def test_objective_never_rises(cls, seed):
    """Rows without clusters, pairs without truth, and labels: the more of them, the more must give way."""
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(60, 2)), np.where(rng.random(60) < 0.3, rng.integers(3, size=60), -1)
    for strength, acceleration in itertools.product([0.01, 1.0, 100.0], [None, "lbfgs", "anderson"]):
        pairs = scrambled(60, 80, seed)
        pairs = {kind: np.column_stack([ends, np.full(40, strength)]) for kind, ends in pairs.items()}
        model = quiet(cls(random_state=0, acceleration=acceleration), X, y, **pairs)
        assert_sound(model)
        assert_never_rises(model.objective_history_)


@pytest.mark.parametrize("m", [1 + 1e-4, 1.01, 5.0, 10.0])
@pytest.mark.parametrize("cls", [FUZZY, EVIDENTIAL], ids=lambda cls: cls.__name__)
def test_extreme_exponents(cls, m):
    X, y = make_blobs(14)
    model = cls(random_state=0, max_iter=20, **{"m" if cls is FUZZY else "beta": m}).fit(X, **told(y))
    assert_sound(model)
    assert_never_rises(model.objective_history_)


def test_greater_exponents():
    X, y = make_blobs(14)
    model = FUZZY(m=1000.0, n_init=1, max_iter=2, random_state=0).fit(X, **told(y))
    assert_never_rises(model.objective_history_)


@pytest.mark.parametrize("doubtful", [[1.0, 1.0, 0.0], [0.7, 0.0, 0.0]])
def test_a_doubtful_label_contradicts_no_pair(doubtful):
    """A row that may be of another class, or is only partly of its class, may be linked to any row."""
    X, _ = make_blobs(3)
    y = np.full((150, 3), NAN)
    y[0], y[1] = doubtful, [0.0, 1.0, 0.0]
    model = BOUND(random_state=0).fit(X, y, must_link=[(0, 1)])
    assert model.labels_[0] == model.labels_[1]
