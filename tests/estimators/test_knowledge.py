"""What an expert tells: its forms, its strength, what is not honoured, and knowledge drawn at random."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.model_selection import GridSearchCV, KFold

import softclust as sc
from configurations import ESTIMATORS, FUZZY, HARD, IMPROVED, MIXED, POSSIBILISTIC, WITH_TYPICALITIES
from softclust.experiments.measures import hardened
from softclust.knowledge.label_strength import reliable_strength
from softclust.knowledge.labels import Known, check_labels
from softclust.sources.rows import rows_in_units

every_estimator = pytest.mark.parametrize("cls", ESTIMATORS, ids=lambda cls: cls.__name__)
pytestmark = pytest.mark.filterwarnings(
    "ignore::softclust.DegenerateClusterWarning", "ignore::sklearn.exceptions.ConvergenceWarning"
)


def bridge():
    """Two clouds on a line, and one row just on the side of the first."""
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(0, 0.5, 40), rng.normal(4, 0.5, 40), [1.8]])[:, None]
    y = np.full(81, -1)
    y[[0, 1, 40, 41]] = [0, 0, 1, 1]
    return X, y


@pytest.mark.parametrize(
    "names",
    [
        [frozenset("ab"), frozenset("bc"), frozenset("c")],
        [("x", 1), ("x", 2), ("y", 1)],
        [(0, 1), (0, 2), "c"],
        ["one", 2, None],
    ],
    ids=["sets", "tuples", "mixed", "two"],
)
def test_classes_are_any_hashable(names, iris):
    X, truth = iris
    y = [names[k] if i % 3 == 0 else None for i, k in enumerate(truth)]
    model = FUZZY(3, random_state=0).fit(X, y)
    told = [name for name in names if name is not None]
    assert set(model.classes_[: len(told)].tolist()) == set(told)
    found = [model.classes_[k] for k in model.labels_]
    assert np.mean([found[i] == y[i] for i in range(0, 150, 3)]) > 0.6


def test_tuples_of_degrees_are_degrees(iris):
    X, truth = iris
    degrees = np.eye(3)[truth]
    one = FUZZY(3, random_state=0).fit(X, degrees)
    two = FUZZY(3, random_state=0).fit(X, [tuple(row) for row in degrees.tolist()])
    assert_array_equal(one.memberships_, two.memberships_)


# ------------------------------------------------------------------ strength
@every_estimator
def test_a_label_draws_its_row_the_more_the_stronger_it_is(cls):
    X, y = bridge()
    y[80] = 1
    share = []
    for strength in (0.0, 0.3, 3.0, 100.0):
        model = cls(2, label_strength=strength, random_state=0).fit(X, y)
        values = getattr(model, "typicalities_", model.memberships_)
        values = model.memberships_ if cls is IMPROVED else values
        share.append(values[80, 1])
    assert share == sorted(share)
    assert share[0] < 0.5 < share[-1]


@every_estimator
def test_strength_of_each_row(cls):
    """A row whose own strength is 0 is as free as one without a label; the others obey."""
    X, y = bridge()
    y[80] = 1
    strengths = np.full(81, np.inf)
    strengths[80] = 0.0
    model = cls(2, label_strength=strengths, random_state=0).fit(X, y)
    assert model.labels_[80] == 0
    assert list(model.unsatisfied_["row"]) == [80]
    free = cls(2, label_strength=np.inf, random_state=0, init=model.cluster_centers_, max_iter=1)
    assert_array_equal(free.fit(X, np.where(np.arange(81) == 80, -1, y)).labels_, model.labels_)


def test_strength_of_each_row_needs_one_for_each():
    X, y = bridge()
    with pytest.raises(ValueError, match=r"label_strength has shape \(3,\); .* each of the 81 rows"):
        FUZZY(2, label_strength=[1.0, 2.0, 3.0]).fit(X, y)
    strengths = np.ones(81)
    strengths[41] = -2
    with pytest.raises(ValueError, match=r"label_strength\[41\] is -2; strengths are numbers >= 0"):
        FUZZY(2, label_strength=strengths).fit(X, y)


def labelled(X, y, share, noise, seed):
    told = sc.sample_supervision(y, share, label_noise=noise, random_state=seed).y
    labels, _ = check_labels(told, len(X), 3)
    return labels, rows_in_units(X), told


@pytest.mark.parametrize("seed", range(5))
def test_automatic_strength_follows_the_reliability_of_the_labels(iris, seed):
    X, y = iris
    strengths = [reliable_strength(*labelled(X, y, 0.3, noise, seed)[:2]) for noise in (0.0, 0.2, 0.5)]
    assert 3 <= strengths[0] <= 20
    assert strengths[0] > 2 * strengths[1]
    assert strengths[1] > strengths[2] >= 0
    assert strengths[2] < 0.5
    scaled = labelled(X * 1024.0, y, 0.3, 0.2, seed)
    assert reliable_strength(*scaled[:2]) == strengths[1]


def test_automatic_strength_without_a_pair_of_labels():
    """One label a class has no other to agree with: it counts as much as the data."""
    X = np.arange(10.0)[:, None]
    labels, _ = check_labels([0] + [-1] * 8 + [1], 10, 2)
    assert reliable_strength(labels, rows_in_units(X)) == 1.0


def test_automatic_strength_is_told():
    X, y = bridge()
    assert FUZZY(2, random_state=0).fit(X, y).label_strength_ == 5.0  # A = 4, D = 0
    assert FUZZY(2, random_state=0).fit(X).label_strength_ is None


def test_wrong_labels_do_less_harm_with_automatic_strength(iris):
    """A third of the labels wrong: fewer rows take the wrong name than by obedience."""
    X, y = iris
    wrong = {"auto": 0, np.inf: 0}
    for seed in range(10):
        told = sc.sample_supervision(y, 0.3, label_noise=1 / 3, random_state=seed).y
        for strength in wrong:
            model = sc.make("spfcm", label_strength=strength, random_state=0).fit(X, told)
            wrong[strength] += int((hardened(model) != y).sum())
    assert wrong["auto"] < wrong[np.inf]


# ------------------------------------------------------------------ forms of labels
@every_estimator
def test_subset_labels_exclude_and_leave_the_rest_open(cls, blobs):
    """Zeros and several ones: "one of these"; the row goes where it would go among them."""
    X, y = blobs
    degrees = np.full((len(X), 3), np.nan)
    for k in range(3):
        degrees[np.flatnonzero(y == k)[:3]] = np.eye(3)[k]
    odd = np.flatnonzero(y == 0)[3]
    degrees[odd] = [0, 1, 1]  # not its own cluster
    model = cls(3, label_strength=1e6, random_state=0).fit(X, degrees)
    gaps = ((X[odd] - model.cluster_centers_) ** 2).sum(axis=1) / (
        model.scale_ if cls in WITH_TYPICALITIES else 1
    )
    # Far from both, IPCM's costs level off at gamma_k and say little between them.
    assert model.labels_[odd] in ((1, 2) if cls is IMPROVED else (1 if gaps[1] < gaps[2] else 2,))
    assert len(model.unsatisfied_) == 0
    everything = degrees.copy()
    everything[odd] = [1, 1, 1]  # says nothing
    silent = cls(3, label_strength=1e6, random_state=0).fit(X, everything)
    assert silent.labels_[odd] == 0


@pytest.mark.parametrize("cls", [FUZZY, IMPROVED])
def test_soft_labels_set_the_degree(cls):
    X, _ = bridge()
    degrees = np.full((81, 2), np.nan)
    degrees[[0, 40]] = np.eye(2)
    degrees[80] = [0.3, 0.7]
    model = cls(2, label_strength=1e8, random_state=0).fit(X, degrees)
    assert_allclose(model.memberships_[80], [0.3, 0.7], atol=1e-6)


def test_a_label_of_no_cluster_makes_an_outlier(blobs):
    """Degrees of 0 in every cluster: the typicalities of that row fall."""
    X, _ = blobs
    row = 7
    degrees = np.full((len(X), 3), np.nan)
    degrees[row] = 0
    free = POSSIBILISTIC(3, m=1.5, scale_factor=0.2, random_state=0).fit(X)
    told = POSSIBILISTIC(3, m=1.5, scale_factor=0.2, label_strength=3.0, random_state=0).fit(X, degrees)
    assert told.typicalities_[row].max() < 0.6 * free.typicalities_[row].max()


def test_clusters_without_a_class_of_their_own(blobs):
    X, y = blobs
    known = np.full(len(X), -1)
    known[np.flatnonzero(y == 1)[:4]] = 5
    model = FUZZY(3, random_state=0).fit(X, known)
    assert (model.labels_[y == 1] == 0).all()
    assert list(model.classes_) == [5, None, None]
    told = FUZZY(3, random_state=0).fit(X, np.where(known == 5, 1, -1))
    assert_array_equal(told.classes_, [0, 1, 2])
    assert (told.labels_[y == 1] == 1).all()
    assert len(np.unique(model.labels_)) == 3


# ------------------------------------------------------------------ what is not honoured
@every_estimator
def test_unsatisfied_labels_are_listed_worst_first(cls, blobs):
    X, y = blobs
    known = y.copy()
    wrong = [np.flatnonzero(y == 0)[0], np.flatnonzero(y == 1)[0]]
    known[wrong] = [1, 2]
    model = cls(3, label_strength=0.05, random_state=0).fit(X, known)
    missed = model.unsatisfied_
    assert sorted(missed["row"]) == sorted(wrong)
    assert set(missed["kind"]) == {"label"}
    assert_array_equal(missed["found"], y[missed["row"]])
    assert_array_equal(missed["wanted"], known[missed["row"]])
    assert (missed["shortfall"] > 0).all()
    assert (np.diff(missed["shortfall"]) <= 0).all()
    shares = model.typicalities_ if cls in (POSSIBILISTIC, MIXED) else model.memberships_
    row, wanted, found = (missed[name][0] for name in ("row", "wanted", "found"))
    assert_allclose(missed["shortfall"][0], shares[row, found] - shares[row, wanted], rtol=1e-6)


def test_nothing_is_unsatisfied_without_labels(blobs):
    assert len(FUZZY(3, random_state=0).fit(blobs[0]).unsatisfied_) == 0


# ------------------------------------------------------------------ printed forms
def test_printed_centres_leave_the_penalty_out(iris):
    X, y = iris
    told = sc.sample_supervision(y, 0.2, random_state=0).y
    settings = {"label_strength": 2.0, "tol": 1e-12, "acceleration": None, "max_iter": 3000}
    model = FUZZY(3, printed_centers=True, **settings).fit(X, told)
    W = model.memberships_**2
    assert_allclose(model.cluster_centers_, (W.T @ X) / W.sum(axis=0)[:, None], atol=1e-8)
    exact = FUZZY(3, **settings).fit(X, told)
    assert np.abs(model.cluster_centers_ - exact.cluster_centers_).max() > 1e-3


def test_merging_clusters_keeps_what_is_said_of_them(blobs):
    X, y = blobs
    degrees = np.full((len(X), 6), np.nan)
    for k in range(3):
        degrees[np.flatnonzero(y == k)[:2]] = np.eye(6)[k]
    model = POSSIBILISTIC(6, merge_coincident=True, random_state=0).fit(X, degrees)
    assert model.n_clusters_ < 6
    assert model.memberships_.shape == (len(X), model.n_clusters_)
    assert len(model.unsatisfied_) == 0


def test_merging_clusters_keeps_the_classes_of_those_that_are_left():
    """Classes "a" and "b" share one cloud, so that the second cluster is of the third class."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 2)) + 20 * (np.arange(80) >= 40)[:, None]
    y = np.full(80, None, dtype=object)
    y[:5], y[5:10], y[40:45] = "a", "b", "c"
    model = POSSIBILISTIC(3, merge_coincident=True, label_strength=0.5, random_state=0).fit(X, y)
    assert model.classes_.tolist() == ["a", "c"]
    assert (model.classes_[model.labels_[40:]] == "c").all()


def test_clusters_per_class_is_chosen_where_clusters_merge():
    """Those that are left are no multiple of the classes."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 2)) + 20 * (np.arange(80) >= 40)[:, None]
    y = np.full(80, -1)
    y[:20], y[5:10], y[40:60] = 0, 1, 2
    words = {"merge_coincident": True, "clusters_per_class": "auto", "random_state": 0}
    model = POSSIBILISTIC(3, **words).fit(X, y)
    assert model.classes_.tolist() == [0, 2]


def test_labels_of_labelled_rows_are_of_what_the_labels_act_on():
    """The greatest typicality in PFCM, as the guide says, and the greatest membership in all others."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 2)) + rng.normal(size=(3, 2))[rng.integers(3, size=90)]
    y = np.where(rng.random(90) < 0.4, rng.integers(0, 3, 90), -1)
    for cls in ESTIMATORS:
        model = cls(3, random_state=0, label_strength=2.0).fit(X, y)
        degrees = model.memberships_.copy()
        if cls is MIXED:
            assert (degrees.argmax(axis=1) != model.labels_).any()
            degrees[y >= 0] = model.typicalities_[y >= 0]
        assert_array_equal(model.labels_, degrees.argmax(axis=1))


# ------------------------------------------------------------------ automatic widths
@pytest.mark.parametrize("cls", WITH_TYPICALITIES, ids=lambda cls: cls.__name__)
@pytest.mark.parametrize("m", [1.5, 2.0])
def test_automatic_scale_keeps_clusters_apart(cls, m, iris):
    """No two centres end nearer than half of what the FCM run left between them."""
    X, _ = iris
    model = cls(3, m=m, scale="auto", random_state=0).fit(X)
    fcm = FUZZY(3, m=m, random_state=0).fit(X)

    def gaps(V):
        return np.sort(np.linalg.norm(V[[0, 0, 1]] - V[[1, 2, 2]], axis=1))

    assert (gaps(model.cluster_centers_) > 0.45 * gaps(fcm.cluster_centers_)).all()


def test_automatic_scale_is_the_widest_that_does(iris):
    X, _ = iris
    settings = {"m": 2.0, "random_state": 0, "init": X[[0, 60, 120]]}
    found = POSSIBILISTIC(3, scale="auto", **settings).fit(X).scale_
    natural = POSSIBILISTIC(3, scale_factor=1.0, **settings).fit(X).scale_
    K = found / natural
    assert_allclose(K, K[0])
    assert np.log2(K[0]) == pytest.approx(round(np.log2(K[0])), abs=1e-6)
    assert 1 / 64 <= K[0] < 1
    wider = POSSIBILISTIC(3, scale_factor=2 * K[0], **settings).fit(X).cluster_centers_
    assert np.linalg.norm(wider[1] - wider[2]) < 0.5  # of the 1.7 between the species


def test_automatic_weight_of_typicalities(iris):
    X, _ = iris
    model = MIXED(3, b="auto", random_state=0).fit(X)
    assert model.b_ in 2.0 ** np.arange(7)
    same = MIXED(3, b=model.b_, scale=None, random_state=0).fit(X)
    assert_allclose(model.cluster_centers_, same.cluster_centers_, atol=1e-6)


@pytest.mark.parametrize("scale", [2.0**-40, 2.0**30])
def test_automatic_widths_do_not_depend_on_the_unit(scale, iris):
    X, _ = iris
    one = POSSIBILISTIC(3, scale="auto", random_state=0).fit(X)
    two = POSSIBILISTIC(3, scale="auto", random_state=0).fit(X * scale)
    assert_array_equal(one.labels_, two.labels_)
    assert_allclose(two.scale_, one.scale_ * scale**2, rtol=1e-12)


# ------------------------------------------------------------------ knowledge drawn at random
@pytest.mark.parametrize("seed", range(5))
def test_sample_supervision(seed, iris):
    _, y = iris
    told = sc.sample_supervision(y, 0.1, 0.05, 8, random_state=seed)
    known = np.flatnonzero(told.y != -1)
    assert len(known) == 15
    assert_array_equal(told.y[known], y[known])
    must, cannot = told.must_link.pairs.astype(int), told.cannot_link.pairs.astype(int)
    assert len(must) == 8  # 5 % of 150, rounded to the even neighbour
    assert len(cannot) == 8
    assert (y[must[:, 0]] == y[must[:, 1]]).all()
    assert (y[cannot[:, 0]] != y[cannot[:, 1]]).all()
    assert len(np.unique(np.sort(must, axis=1), axis=0)) == len(must)
    again = sc.sample_supervision(y, 0.1, 0.05, 8, random_state=seed)
    assert_array_equal(again.y, told.y)
    assert_array_equal(again.must_link.pairs, told.must_link.pairs)


def test_sample_supervision_with_noise_doubt_and_names():
    y = np.repeat(["ant", "bee", "cow"], 40)
    told = sc.sample_supervision(y, 0.5, label_noise=0.25, random_state=0).y
    known = np.flatnonzero(told != None)  # noqa: E711
    assert len(known) == 60
    assert (told[known] != y[known]).sum() == 15
    soft = sc.sample_supervision(y, 0.5, doubt=0.3, random_state=0).y
    said = ~np.isnan(soft).any(axis=1)
    assert said.sum() == 60
    assert_allclose(soft[said].sum(axis=1), 1)
    assert_allclose(soft[said].max(axis=1), 0.7)
    rare = np.array([0] * 97 + [1, 2, 3])
    for seed in range(10):
        told = sc.sample_supervision(rare, 5, every_class=True, random_state=seed).y
        assert set(told[told >= 0]) == {0, 1, 2, 3}


@pytest.mark.parametrize("amount", [0, 1, 0.5, 1.0])
def test_any_amount_of_pairs(amount):
    y = [0, 0, 1, 1]
    told = sc.sample_supervision(y, amount, must_link=2, cannot_link=4, random_state=0)
    assert_array_equal(np.sort(told.must_link.pairs, axis=0), [[0, 1], [2, 3]])
    assert len(told.cannot_link.pairs) == 4
    assert (told.y != -1).sum() == (amount if isinstance(amount, int) else 4 * amount)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"labels": 1.5}, "labels=1.5 is neither a number of rows nor a share"),
        ({"must_link": 3}, "3 pairs are asked for, but only 2 pairs of same class exist"),
        ({"label_noise": -0.1}, "label_noise=-0.1 is not a share"),
        ({"doubt": 2}, "doubt=2 is not a share"),
    ],
)
def test_sample_supervision_says_what_is_wrong(arguments, message):
    with pytest.raises(ValueError, match=message):
        sc.sample_supervision([0, 0, 1, 1], **arguments)


# ------------------------------------------------------------------ pairs
def test_pairs_slice_with_the_rows():
    pairs = sc.Pairs([(0, 4), (1, 2), (3, 4)], n_samples=5)
    assert len(pairs) == 5
    assert_array_equal(pairs[[4, 3, 0], ...].pairs, [[2, 0], [1, 0]])
    assert_array_equal(pairs[1:3].pairs, [[0, 1]])
    assert_array_equal(pairs[np.array([True, False, False, True, True])].pairs, [[0, 2], [1, 2]])
    strong = sc.Pairs([(0, 1, 0.5), (2, 3, 2.0)], 4)[[3, 2]]
    assert_array_equal(strong.pairs, [[1, 0, 2.0]])
    assert len(sc.Pairs([], 4).pairs) == 0


def test_pairs_name_what_is_wrong():
    with pytest.raises(ValueError, match=r"pairs\[1\] = \(3, 99\) names row 99; there are 50 rows"):
        sc.Pairs([(0, 1), (3, 99)], 50)
    with pytest.raises(ValueError, match="a pair is two rows"):
        sc.Pairs([[0, 1, 2, 3]], 50)


# ------------------------------------------------------------------ what is known of a part of the rows
def test_known_rows_are_taken_with_the_rows():
    known = Known(np.array([1, 4, 6]), np.array([[0.1], [0.4], [0.6]]), np.array([1.0, 2.0, 3.0]))
    part = known.take(slice(2, 6), 8)
    assert_array_equal(part.rows, [2])
    assert_array_equal(part.target, [[0.4]])
    assert known.take(slice(2, 4), 8) is None
    assert known.take(np.array([0, 7]), 8) is None
    chosen = known.take(np.array([6, 0, 1]), 8)
    assert_array_equal(chosen.rows, [0, 2])
    assert_array_equal(chosen.confidence, [3.0, 1.0])


def test_labels_in_cross_validation(iris):
    X, y = iris
    told = sc.sample_supervision(y, 0.3, random_state=0).y
    search = GridSearchCV(
        FUZZY(3, random_state=0), {"label_strength": [0.0, 2.0]}, cv=KFold(3, shuffle=True, random_state=0)
    )
    search.fit(X, told)
    assert search.best_estimator_.n_clusters_ == 3


def test_labels_in_a_large_sample(iris):
    """Rows above which starts compete on a sample: what is known goes with the rows drawn."""
    rng = np.random.default_rng(0)
    means = np.array([[0.0, 0.0], [4.0, 0.0], [0.0, 4.0], [4.0, 4.0]])
    y = rng.integers(4, size=60_000)
    X = means[y] + rng.normal(size=(60_000, 2))
    known = np.where((rng.random(60_000) < 0.01) & (y < 2), y, -1)  # two of the four classes
    model = HARD(4, random_state=0).fit(X, known)
    assert (model.labels_[y < 2] == y[y < 2]).mean() > 0.9
