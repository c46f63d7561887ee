"""Sessions: what was said, undone and redone, saved and resumed."""

import json
import os
import stat
import warnings

import numpy as np
import pytest

from conftest import make_blobs
from softclust import (
    EvidentialCMeans,
    FuzzyCMeans,
    FuzzyLabelSpreading,
    KMedoids,
    Repulsion,
    SessionFileError,
)
from softclust.active import Session, advice, class_shares

X, TRUTH = make_blobs(each=15)
NAMES = ("a", "b", "c")


def started(**more):
    return Session.start(X, FuzzyCMeans(3, random_state=0), **more)


def test_each_save_waits_for_the_disk(tmp_path, monkeypatch):
    path, sizes = tmp_path / "s.jsonl", []
    monkeypatch.setattr(os, "fsync", lambda file: sizes.append(os.fstat(file).st_size))
    session = started()
    for row in range(3):
        session = session.tell(row, "a")
        session.save(path)
        assert sizes.pop() == path.stat().st_size


def test_what_was_told():
    s = started()
    s = s.tell(1, "a").tell(2, {"b": 0.7, "a": 0.3}).tell(3, {"a", "b"}).tell(4, None).skip(5)
    s = s.link(9, 3, same=True).link(4, 8, same=False)
    assert s.classes == ("a", "b")
    assert np.isnan(s.y[[0, 5]]).all()
    assert s.y[1:5].tolist() == [[1, 0, 0], [0.3, 0.7, 0], [1, 1, 0], [0, 0, 0]]
    assert s.must_link.tolist() == [[3, 9]]
    assert s.cannot_link.tolist() == [[4, 8]]
    assert s.asked.tolist() == [1, 2, 3, 4, 5]
    assert s.unlink(3, 9).must_link.tolist() == []
    assert np.isnan(s.skip(1).y[1]).all()
    assert s.tell([1, 2], "c").y[[1, 2], 2].tolist() == [1, 1]
    assert s.rename("a", "z").classes == ("z", "b")
    assert s.rename("a", "z").y[2].tolist() == [0.3, 0.7, 0]
    assert len(s.name_class("c").name_class("d").y[0]) == 4
    assert "4 labels, 2 pairs, 2 classes, 7 events" in repr(s)


def test_a_session_is_a_value():
    s = started().tell(1, "a")
    t = s.tell(2, "b")
    assert s.classes == ("a",) and t.classes == ("a", "b")
    with pytest.raises(AttributeError):
        s.events = ()
    assert started().undo().redo().events == ()
    assert s.undo().classes == () and s.undo().redo().y.tobytes() == s.y.tobytes()
    assert len(s.undo().tell(3, "b").redo().events) == 3  # a new answer forgets what was undone


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (lambda s: s.tell(45, "a"), "row 45"),
        (lambda s: s.tell([], "a"), "no row"),
        (lambda s: s.tell(1, {"a": 2}), "outside"),
        (lambda s: s.tell(1, {"a": 0}), "empty"),
        (lambda s: s.tell(1, ""), "name"),
        (lambda s: s.tell(1, "a", strength=-1), "strength"),
        (lambda s: s.link(3, 3, same=True), "two rows"),
        (lambda s: s.rename("x", "y"), "cannot become"),
        (lambda s: s.set("speed", 1), "no parameter"),
    ],
)
def test_errors_say_what_is_wrong(wrong, words):
    with pytest.raises(ValueError, match=words):
        wrong(started())


def a_change(s, rng):
    row, other = rng.choice(45, 2, replace=False).tolist()
    label = [
        NAMES[rng.integers(3)],
        {"a": float(rng.random()), "b": float(rng.random())},
        {"b", "c"},
        None,
    ][rng.integers(4)]
    kinds = (
        lambda: s.tell(row, label),
        lambda: s.tell([row, other], label, strength=0.3),
        lambda: s.skip(row),
        lambda: s.link(row, other, same=bool(rng.integers(2))),
        lambda: s.unlink(row, other),
        lambda: s.name_class(f"k{rng.integers(3)}"),
        lambda: s.rename(s.classes[0], f"n{len(s.events)}") if s.classes else s,
        s.undo,
        s.undo,
        s.redo,
    )
    return kinds[rng.integers(len(kinds))]()


def bits(s):
    return s.y.tobytes(), s.must_link.tobytes(), s.cannot_link.tobytes(), s.classes, s.asked.tobytes()


@pytest.mark.parametrize("first", range(0, 200, 20))
def test_replay_gives_the_same_bits(first, tmp_path):
    for seed in range(first, first + 20):
        replay_gives_the_same_bits(seed, tmp_path / f"{seed}.jsonl")


def replay_gives_the_same_bits(seed, path):
    rng = np.random.default_rng(seed)
    s, past = started(), []
    for _ in range(rng.integers(1, 40)):
        past.append(s)
        s = a_change(s, rng)
        if rng.random() < 0.1:
            s.save(path)
    s.save(path)
    again = Session.load(path, X)
    assert bits(again) == bits(s)
    assert again.events == s.events
    # Undoing all gives the start, and redoing all gives the end.
    back = s
    while back.undo() is not back:
        back = back.undo()
    assert bits(back) == bits(started())
    while back.redo() is not back:
        back = back.redo()
    assert bits(back)[:2] == bits(s)[:2] or s.redo() is not s
    assert past[0].events == ()


# ---------------------------------------------------------------------- files
def test_the_form_of_the_file(tmp_path):
    path = tmp_path / "data.studio.jsonl"
    data = tmp_path / "data.csv"
    data.write_text("x,y\n")
    s = started(data=data, keys=[f"r{i}" for i in range(45)], key="id", classes=["a"])
    s = s.tell(3, {"a", "é"}).undo()
    s.save(path)
    header, first, second = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    assert header["format"] == "softclust-studio" and header["version"] == 1
    assert header["estimator"] == {"name": "FuzzyCMeans", "parameters": {"random_state": 0}}
    assert (header["rows"], header["key"], header["seed"], header["classes"]) == (45, "id", 0, ["a"])
    assert len(header["sha256"]) == len(header["values"]) == 64
    assert {k: v for k, v in first.items() if k != "at"} == {
        "n": 1, "do": "label", "rows": [3], "keys": ["r3"], "degrees": {"a": 1.0, "é": 1.0}
    }  # fmt: skip
    assert second["do"] == "undo"
    if os.name == "posix":
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert sorted(p.name for p in tmp_path.iterdir()) == ["data.csv", "data.studio.jsonl"]


def test_events_are_appended(tmp_path):
    path = tmp_path / "s.jsonl"
    s = started().tell(1, "a")
    s.save(path)
    before, inode = path.read_bytes(), path.stat().st_ino
    s.tell(2, "b").save(path)
    assert path.read_bytes().startswith(before) and path.stat().st_ino == inode
    with pytest.raises(SessionFileError, match="event 2 differs; load the file again"):
        s.tell(3, "c").save(path)
    with pytest.raises(SessionFileError, match="load the file again"):
        s.save(path)  # the file knows more
    with pytest.raises(SessionFileError, match="another session"):
        started(seed=1).save(path)
    assert len(Session.load(path, X).events) == 2


@pytest.mark.parametrize("cut", [1, 2, 10, 40])
def test_a_torn_last_line_is_dropped_with_a_word(tmp_path, cut):
    path = tmp_path / "s.jsonl"
    s = started().tell(1, "a").tell(2, "é")
    s.save(path)
    path.write_bytes(path.read_bytes()[:-cut])
    if cut == 1:  # only the end of the line is lost
        assert Session.load(path, X).events == s.events
    else:
        with pytest.warns(UserWarning, match="torn: .* after event 1 are dropped"):
            s = Session.load(path, X)
        assert len(s.events) == 1
    s = s.tell(7, "c")
    s.save(path)
    assert Session.load(path, X).events == s.events


def test_damage_elsewhere_is_refused(tmp_path):
    path = tmp_path / "s.jsonl"
    started().tell(1, "a").tell(2, "b").save(path)
    lines = path.read_text().splitlines(keepends=True)
    for broken, words in (
        ([lines[0], "{\n", lines[2]], "damaged in line 2"),
        ([lines[0], lines[2], lines[2]], "event 1 is missing"),
        (["{}\n"], "not a softclust session"),
        ([], "not a softclust session"),
        ([lines[0].replace('"version":1', '"version":9')], "version 9"),
        ([lines[0], lines[1].replace("[1]", "[99]"), lines[2]], "row 99 of 45"),
        ([lines[0], lines[1].replace('"label"', '"sing"'), lines[2]], "'sing'"),
        ([lines[0].replace("FuzzyCMeans", "Nothing")], "'Nothing', which is not known"),
    ):
        path.write_text("".join(broken))
        with pytest.raises(SessionFileError, match=words):
            Session.load(path, X)


def test_other_data_are_refused(tmp_path):
    path, data = tmp_path / "s.jsonl", tmp_path / "data.csv"
    data.write_text("1")
    started(data=data).tell(1, "a").save(path)
    changed = X.copy()
    changed[3, 1] += 1e-9
    for other in (changed, X[:-1], X[:, :1]):
        with pytest.raises(SessionFileError, match=r"is about other data: 45 rows and 2 columns"):
            Session.load(path, other)
    assert Session.load(path, X, data=data).classes == ("a",)
    assert Session.load(path, np.asfortranarray(X)).classes == ("a",)
    data.write_text("2")
    with pytest.raises(SessionFileError, match="about other data"):
        Session.load(path, X, data=data)


def test_rows_are_found_again_by_their_keys(tmp_path):
    path, keys = tmp_path / "s.jsonl", [f"r{i}" for i in range(45)]
    started(keys=keys).tell(1, "a").tell(40, "b").link(1, 40, same=False).link(1, 2, same=True).save(path)
    order = np.random.default_rng(0).permutation(40)
    with pytest.warns(UserWarning, match="1 rows of .* are gone: r40"):
        s = Session.load(path, X[order], keys=[keys[i] for i in order])
    assert s.asked.tolist() == [order.tolist().index(1)]
    assert len(s.must_link) == 1 and len(s.cannot_link) == 0
    with pytest.raises(SessionFileError, match="another session"):
        s.save(path)
    s.save(tmp_path / "new.jsonl")


def test_what_a_file_cannot_hold(tmp_path):
    s = Session.start(X, FuzzyCMeans(3, separation=Repulsion()))
    with pytest.raises(ValueError, match="numbers, words or lists"):
        s.save(tmp_path / "s.jsonl")
    assert not list(tmp_path.iterdir())
    with pytest.raises(ValueError, match="KMedoids takes no labels"):
        Session.start(X, KMedoids(3))
    with pytest.raises(ValueError, match="different keys"):
        started(keys=["a"] * 45)


# ---------------------------------------------------------------------- fits
def test_fits_start_from_the_last_centres_and_classes_keep_their_columns():
    s = started()
    s.fit()
    for row in range(0, 45, 3):  # classes are named in the order of the rows
        s = s.tell(row, NAMES[TRUTH[row]])
        model = s.fit()
        assert model is s.fit()
        told = s.y[s.asked].argmax(axis=1)
        assert (model.labels_[s.asked] == told).all()
    found = np.array(s.classes)[model.labels_]
    assert (found == np.array(NAMES)[TRUTH]).all()
    assert s.memory.fits == 16
    assert s.set("m", 1.3).fit().m_ == 1.3


def test_a_new_class_takes_the_cluster_of_its_rows():
    s = started()
    model = s.fit()
    row = int(np.flatnonzero(model.labels_ == 2)[0])
    s = s.tell(row, "x")
    assert s.fit().labels_[row] == 0
    # The cluster moved to column 0, and the others are the same sets of rows.
    before = {frozenset(np.flatnonzero(model.labels_ == k)) for k in range(3)}
    assert {frozenset(np.flatnonzero(s.fit().labels_ == k)) for k in range(3)} == before


def test_spreading_waits_for_two_classes():
    s = Session.start(X, FuzzyLabelSpreading(random_state=0))
    assert len(s.ask(3)) == 3
    for row in s.ask(9)["row"]:
        s = s.tell(int(row), NAMES[TRUTH[row]])
    assert isinstance(s.fit(), FuzzyLabelSpreading)
    assert (np.array(s.classes)[s.fit().labels_] == np.array(NAMES)[TRUTH]).mean() > 0.9


def test_weak_labels_count_less():
    s = Session.start(X, FuzzyCMeans(3, random_state=0, label_strength=4.0)).tell(0, "a")
    for row in range(3, 9):
        s = s.tell(row, "b", strength=0.1)
    strengths = np.asarray(s.fit().label_strength)
    assert strengths[0] == 4.0 and strengths[3] == pytest.approx(0.4)


def test_classes_of_several_clusters(tmp_path):
    rng = np.random.default_rng(0)
    places = np.array([[0, 0], [9, 0], [0, 9], [9, 9]])
    truth = rng.integers(4, size=200)
    rows = places[truth] + rng.normal(size=(200, 2))
    kind = np.where(np.isin(truth, (0, 3)), "even", "odd")  # crosswise: one centre is not enough
    for form in (2, "auto"):
        s = Session.start(rows, FuzzyCMeans(2, random_state=0), clusters_per_class=form)
        for row in range(24):
            s = s.tell(row, kind[row])
        found = np.array(s.classes)[s.shares().argmax(axis=1)]
        assert (found == kind).mean() > 0.95
        s.save(tmp_path / f"{form}.jsonl")
        assert Session.load(tmp_path / f"{form}.jsonl", rows).y.tobytes() == s.y.tobytes()
    assert class_shares(np.eye(4), 2).tolist() == [[1, 0], [1, 0], [0, 1], [0, 1]]
    with pytest.raises(ValueError, match="clusters_per_class"):
        Session.start(rows, FuzzyCMeans(2), clusters_per_class=0)


def test_labelled_rows_may_weigh_more(tmp_path):
    model = FuzzyCMeans(3, random_state=0)
    heavy, plain = (Session.start(X, model, label_weight=w).tell(range(0, 30, 4), "a") for w in (5, 1))
    weight = np.where(np.isin(np.arange(len(X)), heavy.asked), 5.0, 1.0)
    wanted = FuzzyCMeans(3, random_state=0).fit(X, heavy.y, sample_weight=weight)
    assert np.array_equal(heavy.fit().cluster_centers_, wanted.cluster_centers_)
    assert not np.array_equal(plain.fit().cluster_centers_, wanted.cluster_centers_)
    heavy.save(tmp_path / "heavy.jsonl")
    again = Session.load(tmp_path / "heavy.jsonl", X)
    assert again.header.label_weight == 5
    assert np.array_equal(again.fit().cluster_centers_, wanted.cluster_centers_)
    assert "label_weight" not in plain.header.record()  # earlier versions read files without it
    for wrong in (0, np.inf, np.nan):
        with pytest.raises(ValueError, match=f"label_weight={wrong}"):
            Session.start(X, model, label_weight=wrong)


def test_advice_and_audit(tmp_path):
    s = started()
    assert np.isnan(advice(s).agreement)
    for _ in range(5):
        for one in s.ask(5):
            s = s.tell(int(one["row"]), NAMES[TRUTH[one["row"]]])
    said = s.advice()
    assert said.stop and said.sentence.startswith("You may stop: 100.0% of the rows")
    right, of, low, high = said.audit
    assert right == of > 1 and 0.3 < low < high == 1
    assert said.hits[0] <= said.hits[1] <= 25
    s.save(tmp_path / "s.jsonl")  # the reasons are in the events
    assert Session.load(tmp_path / "s.jsonl", X).advice().audit == said.audit
    assert len(s.ask_pairs(3)) == 3


def test_pairs_reach_the_fit():
    s = Session.start(X, EvidentialCMeans(3, random_state=0)).tell(0, NAMES[TRUTH[0]])
    s = s.link(0, 1, same=False)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = s.fit()
    assert model.labels_[0] != model.labels_[1] or len(model.unsatisfied_)


def test_a_class_without_labels_is_never_foreseen():
    X = np.random.default_rng(0).normal(size=(60, 2))
    s = Session.start(X, FuzzyCMeans(2, random_state=0), classes=["a", "b"])
    row = int(s.ask(1)["row"][0])
    s = s.tell(row, "a")
    assert s.events[-1].asked is not None and s.events[-1].shown is None  # no cluster had a name
    for question in s.ask(5):
        s = s.tell(int(question["row"]), "a")
    assert {event.shown for event in s.events[1:]} <= {"a", None}  # b still owns no cluster
