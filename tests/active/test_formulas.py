"""Each strategy against its formula, written down literally and slowly."""

import numpy as np
import pytest
from scipy.linalg import eigh

from conftest import make_blobs
from softclust import EvidentialCMeans, FuzzyCMeans
from softclust.active import STRATEGIES, Session, ask_pairs, ask_rows, doubt, outlying
from softclust.active.view import View, view_of


def some_view(seed, n=60, c=3, asked=4, batch=5, nowhere=0):
    rng = np.random.default_rng(seed)
    U = rng.dirichlet(np.full(c, 0.5), n)
    X = rng.normal(size=(n, 2)) * [3, 1] + 50
    done = np.sort(rng.choice(n, asked, replace=False))
    free = np.setdiff1d(np.arange(n), done)
    lost = rng.choice(done, nowhere, replace=False)
    return View(X, U, done, free, np.arange(n), batch, np.arange(n), nowhere=lost)


# ---------------------------------------------------------------------- the formulas
def margin_of(u):
    u = sorted(u)
    return 1 - (u[-1] - u[-2])


def entropy_of(u):
    return -sum(x * np.log(x) for x in u if x > 0) / np.log(len(u))


def distances(X):
    return np.array([[np.sqrt(((a - b) ** 2).sum()) for b in X] for a in X])


def kernel_of(view, width=None, X=None):
    """A ball holds n / max(2c, asked + batch) rows; the kernel narrows from sqrt(10) balls to one."""
    D = distances(view.X if X is None else X)
    n, c = view.memberships.shape
    q = max(2, round(n / max(2 * c, len(view.asked) + view.batch)))
    radius = np.median([sorted(row)[q - 1] for row in D])
    if width is None:
        width = min(10, max(1, 10 * c / (len(view.asked) + view.batch))) ** 0.5
    return np.exp(-((D / radius / width) ** 2))


def points_of(view):
    """The features, axes of a linear discriminant of the memberships, and roots of the memberships.

    B g = lambda S g, with B the covariance of the means of the clusters and S the shrunken rest.  The rows
    vary along each axis in proportion to lambda, and along all axes by an eighth of what the features vary.
    """
    X, U = view.X - view.X.mean(axis=0), view.memberships
    n, p = X.shape
    B = np.zeros((p, p))
    for u in U.T:
        mean = (u @ X) / u.sum()
        B += u.sum() / n * np.outer(mean, mean)
    total = X.T @ X / n
    S = 0.9 * (total - B) + 0.1 * np.trace(total) / p * np.eye(p)
    ratio, axes = eigh(B, S)
    found = []
    for k in range(p):
        if ratio[k] > 1e-9 * ratio[-1]:
            along = X @ axes[:, k]
            found.append(along / along.std() * np.sqrt(np.trace(total) / 8 * ratio[k] / ratio.sum()))
    usual = np.sqrt(2 * np.trace(total))
    return np.column_stack([X, *found, 0.2 * usual * np.sqrt(U)])


def company_of(view):
    """How many other rows are about a candidate, beside the median candidate."""
    near = kernel_of(view, width=1)
    density = {i: sum(near[i]) - near[i, i] for i in view.candidates}
    usual = np.median(list(density.values()))
    return {i: min(1, value / usual) for i, value in density.items()}


def standing_of(view):
    """The mean reach of ten neighbours over a candidate's own; a reach ends at the tenth other row.

    It is multiplied by the chance that the row has a class.
    """
    D = distances(view.X)
    others = {i: [j for j in range(len(D)) if j != i] for i in range(len(D))}
    near = {i: sorted(others[i], key=lambda j: D[i, j])[:10] for i in others}
    reach = {i: D[i, rows[-1]] for i, rows in near.items()}
    hope = chance_of_a_class(view, reach)
    return {i: hope[i] * min(1, np.mean([reach[j] for j in near[i]]) / reach[i]) for i in view.candidates}


def chance_of_a_class(view, reach):
    """1 - (alike rows of no class) / (1 + alike asked rows); alike are reaches of nearly the same rank."""
    rank = {i: np.mean([reach[j] < reach[i] for j in view.candidates]) for i in reach}
    alike = {i: {j: np.exp(-(((rank[i] - rank[j]) / 0.1) ** 2) / 2) for j in view.asked} for i in reach}
    return {i: 1 - sum(alike[i][j] for j in view.nowhere) / (1 + sum(alike[i].values())) for i in reach}


def is_greedy(view, weight, rows, own=None, worth=None, X=None):
    """Whether each row in turn has the greatest worth_i sum_j weight_j max(0, K_ij - covered_j).

    Of the term j = i, the share own[i] counts.
    """
    K = kernel_of(view, X=X)
    covered = K[view.asked].max(axis=0) if len(view.asked) else np.zeros(len(K))
    chosen = []
    for row in rows:
        gains = {
            i: (1 if worth is None else worth[i])
            * (
                sum(w * max(0, k - done) for w, k, done in zip(weight, K[i], covered, strict=True))
                - (0 if own is None else (1 - own[i]) * weight[i] * (1 - covered[i]))
            )
            for i in view.candidates
            if i not in chosen
        }
        if gains[row] < max(gains.values()) * (1 - 1e-5):  # the library computes in single precision
            return False
        chosen.append(row)
        covered = np.maximum(covered, K[row])
    return True


def doubt_weights(view):
    """The margin of a row counts only as far as its place is dense."""
    density = kernel_of(view, width=1).mean(axis=1)
    dense = np.minimum(1, density / np.median(density))
    return np.array([margin_of(u) for u in view.memberships]) * dense


def mix_weights(view):
    doubts = doubt_weights(view)
    return max(0.05, 3 * doubts.mean()) + doubts


@pytest.mark.parametrize(
    ("asked", "nowhere"), [(0, 0), (1, 0), (1, 1), (12, 0), (12, 5), (35, 0), (35, 20)]
)
def test_coverings(seed, asked, nowhere):
    view = some_view(seed, asked=asked, nowhere=nowhere)
    margins = np.array([margin_of(u) for u in view.memberships])
    for name, weight in (
        ("cover", np.ones(60)),
        ("doubt-cover", margins),
        ("doubt-mix", mix_weights(view)),
    ):
        rows = STRATEGIES[name](view, 5, np.random.default_rng(0))
        shares = (company_of(view), standing_of(view), points_of(view)) if name == "doubt-mix" else ()
        assert len(rows) == 5 and is_greedy(view, weight, rows, *shares), name


def test_isolated_rows_are_not_asked(seed):
    rng = np.random.default_rng(seed)
    X = np.concatenate([rng.normal(size=(150, 8)), rng.uniform(-9, 9, size=(30, 8))])
    view = View(
        X, np.full((180, 2), 0.5), np.arange(40), np.arange(40, 180), np.arange(180), 5, np.arange(180)
    )
    assert STRATEGIES["doubt-mix"](view, 10, rng).max() < 150
    assert STRATEGIES["cover"](view, 10, rng).max() >= 150


def test_noise_among_clusters_is_asked_less_than_by_lot_and_a_small_class_is_seen(seed):
    rng = np.random.default_rng(seed)
    clusters = np.concatenate([rng.normal(size=(100, 2)) + place for place in ((0, 0), (9, 0), (0, 9))])
    small, noise = rng.normal(size=(12, 2)) / 3 + [30, 30], rng.uniform(-4, 13, size=(60, 2))
    X = np.concatenate([clusters, small, noise])
    every = np.arange(372)
    view = View(X, np.full((372, 3), 1 / 3), every[:0], every, every, 40, every)
    rows = STRATEGIES["doubt-mix"](view, 40, rng)
    assert (rows >= 312).sum() < 60 * 40 / 372
    assert ((rows >= 300) & (rows < 312)).any()


def test_what_the_expert_says_of_noise_is_learnt(seed):
    rng = np.random.default_rng(seed)
    clusters = np.concatenate([rng.normal(size=(100, 2)) + place for place in ((0, 0), (9, 0), (0, 9))])
    X = np.concatenate([clusters, rng.uniform(-4, 13, size=(90, 2))])
    model = FuzzyCMeans(3, random_state=0).fit(X)
    answered, nowhere = np.arange(0, 300, 15), np.arange(300, 310)
    asked = [*answered, *nowhere]
    before, after, also = (
        ask_rows(model, X, 40, asked=rows, nowhere=lost, audit=0, random_state=0)["row"]
        for rows, lost in ((asked, ()), (asked, nowhere), (answered, nowhere))
    )
    assert np.array_equal(after, also)  # rows of no class were asked
    assert (after >= 300).sum() < (before >= 300).sum()
    session = Session.start(X, FuzzyCMeans(3))
    for row in asked:
        session = session.tell(int(row), None if row >= 300 else int(row) // 100)
    assert (session.ask(40, audit=0)["row"] >= 300).sum() < (before >= 300).sum()


def test_scores(seed):
    view = some_view(seed)
    U, X, K = view.memberships, view.X, kernel_of(view)
    V = np.array([sum(U[i, k] * X[i] for i in range(60)) / sum(U[:, k]) for k in range(3)])
    change = [
        sum(u[k] * (1 - u[k]) * np.sqrt(((x - V[k]) ** 2).sum()) for k in range(3))
        for u, x in zip(U, X, strict=True)
    ]
    scores = {
        "margin": [margin_of(u) for u in U],
        "entropy": [entropy_of(u) for u in U],
        "density-entropy": [entropy_of(u) * k.mean() for u, k in zip(U, K, strict=True)],
        "change": change,
    }
    for name, score in scores.items():
        best = sorted(view.candidates, key=lambda i: -score[i])[:7]
        assert STRATEGIES[name](view, 7, np.random.default_rng(0)).tolist() == best, name


def test_farthest(seed):
    view = some_view(seed)
    D, taken = distances(view.X), list(view.asked)
    for row in STRATEGIES["farthest"](view, 6, np.random.default_rng(0)):
        gaps = {i: D[i, taken].min() for i in view.candidates if i not in taken}
        assert gaps[row] == pytest.approx(max(gaps.values()), rel=1e-5)
        taken.append(row)


def test_typical_rows_are_of_different_groups():
    X, y = make_blobs()
    U = np.full((150, 3), 1 / 3)
    view = View(X, U, np.zeros(0, int), np.arange(150), np.arange(150), 3, np.arange(150))
    rows = STRATEGIES["typical"](view, 3, np.random.default_rng(0))
    assert sorted(y[rows]) == [0, 1, 2]


# ---------------------------------------------------------------------- doubt
def test_kinds_of_doubt(iris):
    model = EvidentialCMeans(3, random_state=0).fit(iris[0])
    sets, c = [np.flatnonzero(s) for s in model.focal_sets_], 3
    for row in (0, 50, 83, 110, 133):
        masses = {tuple(s): m for s, m in zip(sets, model.masses_[row], strict=True) if len(s)}
        total = sum(masses.values())
        masses = {s: m / total for s, m in masses.items()}
        bet = [sum(m / len(s) for s, m in masses.items() if k in s) for k in range(c)]
        general = sum(m * np.log(len(s)) for s, m in masses.items()) / np.log(c)
        discord = -sum(m * np.log(sum(bet[k] for k in s)) for s, m in masses.items() if m > 0) / np.log(c)
        assert doubt(model, "nonspecificity")[row] == pytest.approx(general, abs=1e-9)
        assert doubt(model, "discord")[row] == pytest.approx(discord, abs=1e-9)
        assert doubt(model, "klir")[row] == pytest.approx(min(1, general + discord), abs=1e-9)
        assert doubt(model)[row] == pytest.approx(margin_of(model.memberships_[row]), abs=1e-6)
        assert doubt(model, "entropy")[row] == pytest.approx(entropy_of(model.memberships_[row]), abs=1e-6)


def test_doubt_of_models_without_masses(iris):
    model = FuzzyCMeans(3, random_state=0).fit(iris[0])
    assert np.array_equal(doubt(model, "discord"), doubt(model, "entropy"))
    with pytest.raises(ValueError, match="gives no mass to sets of clusters"):
        doubt(model, "nonspecificity")
    with pytest.raises(ValueError, match="kind='x' is not known"):
        doubt(model, "x")
    assert not doubt(FuzzyCMeans(1).fit(iris[0])).any()
    assert np.array_equal(outlying(model), model.outlier_scores_)


# ---------------------------------------------------------------------- questions
def test_questions_are_a_function_of_their_arguments(iris):
    X, _ = iris
    model = FuzzyCMeans(3, random_state=0).fit(X)
    for name in STRATEGIES:
        if name == "nonspecificity":
            continue
        first = ask_rows(model, X, 6, asked=[3, 70], strategy=name, random_state=5)
        again = ask_rows(model, X.copy(), 6, asked=(70, 3), strategy=name, random_state=5)
        assert np.array_equal(first, again), name
        assert len(set(first["row"])) == 6
        assert not {3, 70} & set(first["row"])
        assert (first["reason"] == "audit").sum() in ((6,) if name == "random" else (1, 2))


def test_gain_and_reason(iris):
    X, _ = iris
    model = FuzzyCMeans(3, random_state=0).fit(X)
    view = view_of(model, X, asked=[5], batch=5, rng=np.random.default_rng(0))
    found = ask_rows(model, X, 5, asked=[5], audit=0, random_state=0)
    doubts, K = doubt_weights(view), kernel_of(view, X=points_of(view))
    floor = max(0.05, 3 * doubts.mean())
    covered = K[5]
    for one in found:
        new = np.maximum(K[one["row"]] - covered, 0)
        assert one["gain"] == pytest.approx((floor + doubts) @ new / (floor + doubts).sum(), rel=1e-3)
        assert one["reason"] == ("doubt" if doubts @ new > doubts.mean() * new.sum() else "region")
        covered = np.maximum(covered, K[one["row"]])
        order = np.argsort(-model.memberships_[one["row"]], kind="stable")
        assert (one["first"], one["second"]) == tuple(order[:2])
        assert one["share"] == model.memberships_[one["row"], order[0]]


def test_a_batch_is_diverse():
    X, y = make_blobs(each=200)
    model = FuzzyCMeans(3, random_state=0).fit(X)
    found = ask_rows(model, X, 3, audit=0, random_state=0)
    assert sorted(y[found["row"]]) == [0, 1, 2]


def test_a_strategy_of_your_own_and_few_rows(iris):
    X, _ = iris
    model = FuzzyCMeans(3, random_state=0).fit(X)
    found = ask_rows(model, X, 4, strategy=lambda view, n, rng: [9, 9, 2, 1, 8, 7], audit=0, asked=[2])
    assert found["row"].tolist() == [9, 1, 8, 7]
    assert len(ask_rows(model, X, 5, asked=range(150))) == 0
    assert set(ask_rows(model, X, 9, asked=range(147))["row"]) == {147, 148, 149}
    for wrong, words in (
        ({"strategy": "x"}, "strategy='x'"),
        ({"audit": 2}, "audit=2"),
        ({"asked": [150]}, "row 150"),
    ):
        with pytest.raises(ValueError, match=words):
            ask_rows(model, X, **wrong)


def test_many_copies_of_a_row():
    X = np.repeat([[0.0, 0.0], [1.0, 1.0]], 50, axis=0)
    model = FuzzyCMeans(2, random_state=0).fit(X)
    found = ask_rows(model, X, 4, audit=0, random_state=0)
    assert len(set(found["row"])) == 4
    assert set(found["row"][:2] // 50) == {0, 1}


def test_pairs(iris):
    X, _ = iris
    model = FuzzyCMeans(3, random_state=0).fit(X)
    found = ask_pairs(model, X, 6, told=[], random_state=0)
    U = model.memberships_
    for one in found:
        assert one["row"] != one["other"]
        assert one["p_same"] == pytest.approx(U[one["row"]] @ U[one["other"]])
    told = [(one["row"], one["other"]) for one in found]
    more = ask_pairs(model, X, 6, told=told, random_state=0)
    assert not {frozenset(pair) for pair in told} & {frozenset((a, b)) for a, b, *_ in more.tolist()}
