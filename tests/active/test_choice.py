"""Label spreading in the place of the estimator: chosen by labels, told of links, resumed."""

import numpy as np
import pytest

from conftest import make_blobs, make_moons
from softclust import FuzzyCMeans, GaussianMixture
from softclust.active import Session, simulate
from softclust.active.links import labels_by_links
from softclust.errors import SessionFileError


def answered(X, truth, count, seed=0, **options):
    session = Session.start(X, FuzzyCMeans(truth.max() + 1, random_state=0), spreading="auto", **options)
    for row in np.random.default_rng(seed).choice(len(X), count, replace=False):
        session = session.tell(int(row), f"class {truth[row]}")
    return session


def right(session, truth):
    found = np.array(session.classes)[session.fit().labels_]
    return (found == np.array([f"class {k}" for k in truth])).mean()


def test_labels_spread_along_moons(seed):
    X, truth = make_moons(200, seed)
    few, more = answered(X, truth, 9, seed), answered(X, truth, 20, seed)
    assert type(few.fit()).__name__ == "FuzzyCMeans" and right(few, truth) < 0.85
    assert type(more.fit()).__name__ == "FuzzyLabelSpreading" and right(more, truth) > 0.95


def test_little_is_lost_where_clouds_overlap(seed):
    """There label spreading follows single labels; where it foresees no fewer, it is taken all the same."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(4, size=400)
    X = 3.0 * np.array([[0, 0], [1, 0], [0, 1], [1, 1]])[truth] + rng.standard_normal((400, 2))
    session = answered(X, truth, 60, seed)
    plain = Session.start(X, FuzzyCMeans(4, random_state=0))
    for row, label in session.told.labels.items():
        plain = plain.tell(row, dict(label))
    assert right(session, truth) > right(plain, truth) - 0.06


def test_without_spreading_nothing_is_chosen():
    X, truth = make_moons(200)
    session = Session.start(X, FuzzyCMeans(2, random_state=0))
    for row in range(20):
        session = session.tell(row, "ab"[truth[row]])
    assert not session.form.spreads and "spreading" not in session.header.record()


def test_one_class_does_not_spread():
    X, truth = make_moons(200)
    session = Session.start(X, FuzzyCMeans(2, random_state=0), spreading="auto")
    session = session.tell(np.flatnonzero(truth == 0)[:20].tolist(), "a")
    assert type(session.fit()).__name__ == "FuzzyCMeans"


def test_a_file_goes_on_with_the_same_model(tmp_path):
    X, truth = make_moons(200)
    session = answered(X, truth, 15).link(0, 5, same=bool(truth[0] == truth[5]))
    session.save(tmp_path / "s.jsonl")
    again = Session.load(tmp_path / "s.jsonl", X)
    assert again.header.spreading == "auto" and again.form.spreads
    np.testing.assert_array_equal(again.fit().memberships_, session.fit().memberships_)
    assert session.set("estimator", "GaussianMixture").form == (1, False)
    assert session.set("estimator", "GaussianMixture").set("estimator", "auto").form == (1, True)


def test_the_choice_does_not_depend_on_the_process_or_the_order_of_fits():
    X, truth = make_moons(200)
    step_by_step, at_once = answered(X, truth, 0), answered(X, truth, 12)
    for row, label in at_once.told.labels.items():
        step_by_step = step_by_step.tell(row, dict(label))
        step_by_step.fit()
    assert step_by_step.form == at_once.form
    np.testing.assert_array_equal(step_by_step.fit().memberships_, at_once.fit().memberships_)


def test_labels_by_lasso_weigh_less_where_they_spread():
    X, truth = make_moons(200)
    session = answered(X, truth, 12)
    weak = session.tell([0, 1], "class 0", strength=0.3)
    strong = session.tell([0, 1], "class 0")
    assert weak.form.spreads and not np.allclose(weak.fit().memberships_, strong.fit().memberships_)


def test_several_clusters_and_spreading_can_compete():
    X, truth = make_moons(200)
    session = answered(X, truth, 20, clusters_per_class="auto")
    assert session.form.spreads or session.per_class == 3
    assert right(session, truth) > 0.9


@pytest.mark.parametrize("wrong", [True, "always", 1, None])
def test_what_spreading_may_be(wrong):
    with pytest.raises(ValueError, match="is neither False nor 'auto'"):
        Session.start(np.eye(4), FuzzyCMeans(2), spreading=wrong)


def test_simulated_experts_meet_the_choice():
    X, truth = make_moons(200)
    found = {
        spreading: simulate(
            FuzzyCMeans(2),
            X,
            truth,
            strategies=["doubt-mix"],
            budget=15,
            repetitions=2,
            spreading=spreading,
        ).table("doubt-mix", "held")[1]
        for spreading in (False, "auto")
    }
    np.testing.assert_array_equal(found[False][:, :2], found["auto"][:, :2])  # fewer than ten answers
    assert found["auto"][:, -1].mean() > found[False][:, -1].mean() + 0.1


def test_mixtures_may_compete_too():
    X, truth = make_blobs()
    session = Session.start(X, GaussianMixture(3, random_state=0), spreading="auto")
    for row in range(20):
        session = session.tell(row, f"class {truth[row]}")
    assert right(session, truth) > 0.99


# ------------------------------------------------------------------ links as labels
def literal(y, must, cannot):
    """The same by walking along the links."""
    n, c = y.shape
    named = [k for k in range(c) if any(y[i, k] > 0 for i in range(n))]
    told = [i for i in range(n) if any(y[i, k] > 0 for k in range(c))]
    if not named:
        return y
    group = list(range(n))
    for _ in range(n):
        for i, j in must:
            group[i] = group[j] = min(group[i], group[j])
    labels = {}
    for i in told:
        labels.setdefault(group[i], []).append(y[i])
    out = y.copy()
    linked = {int(i) for pair in (*must, *cannot) for i in pair}
    for i in linked:
        if not np.isnan(y[i]).all():
            continue
        if group[i] in labels:
            out[i] = np.mean(labels[group[i]], axis=0)
            continue
        enemies = {group[b] for a, b in cannot if group[a] == group[i]}
        enemies |= {group[a] for a, b in cannot if group[b] == group[i]}
        excluded = {int(np.mean(labels[g], axis=0).argmax()) for g in enemies if g in labels}
        left = [k for k in named if k not in excluded]
        if excluded and left:
            out[i] = [1.0 if k in left else 0.0 for k in range(c)]
    return out


def test_links_say_what_a_literal_walk_says(seed):
    rng = np.random.default_rng(seed)
    for _ in range(60):
        n, c = int(rng.integers(4, 20)), int(rng.integers(2, 5))
        y = np.full((n, c), np.nan)
        for row in rng.choice(n, rng.integers(0, n // 2 + 1), replace=False):
            y[row] = np.eye(c)[rng.integers(c)] if rng.random() < 0.8 else 0.0
        pairs = [rng.choice(n, 2, replace=False) for _ in range(rng.integers(0, 8))]
        cut = int(rng.integers(0, len(pairs) + 1))
        must, cannot = (
            np.array(some, dtype=np.int64).reshape(-1, 2) for some in (pairs[:cut], pairs[cut:])
        )
        np.testing.assert_array_equal(labels_by_links(y, must, cannot), literal(y, must, cannot))


def test_links_keep_what_was_told():
    y = np.full((4, 2), np.nan)
    y[0], y[1] = [1, 0], [0, 1]
    must, nothing = np.array([[0, 1], [1, 2]]), np.empty((0, 2), dtype=np.int64)
    found = labels_by_links(y, must, nothing)
    np.testing.assert_array_equal(found, [[1, 0], [0, 1], [0.5, 0.5], [np.nan, np.nan]])
    np.testing.assert_array_equal(y[2], [np.nan, np.nan])
    apart = labels_by_links(y, nothing, np.array([[0, 3]]))
    np.testing.assert_array_equal(apart[3], [0, 1])


@pytest.mark.parametrize("crafted", ['"always"', "true", "5", "{}", "null"])
def test_a_file_says_false_or_auto(tmp_path, crafted):
    X, truth = make_moons(200)
    path = tmp_path / "s.jsonl"
    answered(X, truth, 3).save(path)
    text = path.read_text()
    assert '"spreading":"auto"' in text
    path.write_text(text.replace('"spreading":"auto"', f'"spreading":{crafted}'))
    with pytest.raises(SessionFileError, match="is damaged"):
        Session.load(path, X)


def test_soft_labels_do_not_decide():
    X, truth = make_moons(200)
    session = Session.start(X, FuzzyCMeans(2, random_state=0), spreading="auto")
    for row in range(20):
        session = session.tell(row, {"ab"[truth[row]]: 0.7})
    assert not session.form.spreads and type(session.fit()).__name__ == "FuzzyCMeans"


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("scale", [1e-200, 1.0, 1e200])
def test_the_choice_has_no_unit(dtype, scale):
    if dtype == np.float32:
        scale = {1e-200: 1e-20, 1.0: 1.0, 1e200: 1e20}[scale]
    X, truth = make_moons(200)
    assert answered((X * scale).astype(dtype), truth, 15).form.spreads


@pytest.mark.parametrize("rows", [1, 2, 12])
def test_few_rows_and_copies_have_a_model(rows):
    """Also where each row was told, and where all rows are equal."""
    for X in (np.random.default_rng(0).standard_normal((rows, 64)), np.ones((rows, 3))):
        session = Session.start(X, FuzzyCMeans(1, random_state=0), spreading="auto")
        for row in range(rows):
            session = session.tell(row, "ab"[row % 2])
        model = session.fit() if rows > 1 else None
        assert model is None or np.isfinite(model.memberships_).all()
