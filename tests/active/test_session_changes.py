"""Sessions: forgotten answers, other estimators, standardised rows, and who writes the file."""

import json
import os

import numpy as np
import pytest

from conftest import make_blobs
from softclust import FuzzyCMeans, SessionFileError
from softclust.active import Session, journal
from softclust.active.events import kind_of
from softclust.active.journal import Writer

X, TRUTH = make_blobs(each=15)
NAMES = ("a", "b", "c")


def started(**more):
    return Session.start(X, FuzzyCMeans(3, random_state=0), **more)


def test_answers_are_forgotten(tmp_path):
    s = started().tell([1, 2], "a", strength=0.3).skip(3)
    t = s.forget([1, 3])
    assert t.asked.tolist() == [2] and np.isnan(t.y[1]).all() and 1 not in t.told.strengths
    assert t.undo().y.tobytes() == s.y.tobytes()
    t.save(tmp_path / "s.jsonl")
    assert Session.load(tmp_path / "s.jsonl", X).asked.tolist() == [2]
    with pytest.raises(ValueError, match="Nothing was said about row 5"):
        t.forget([2, 5])


@pytest.mark.parametrize(
    ("label", "kind"),
    [((), "none"), ((("a", 1.0),), "hard"), ((("a", 1.0), ("b", 0.0)), "hard"), ((("a", 0.5),), "soft"),
     ((("a", 1.0), ("b", 1.0)), "subset"), ((("a", 1.0), ("b", 0.5)), "soft"), ((("a", 0.0),), "none")],
)  # fmt: skip
def test_kinds_of_labels(label, kind):
    assert kind_of(label) == kind


def test_another_estimator_keeps_the_number_of_clusters_only(tmp_path):
    s = started().set("m", 1.3).set("n_clusters", 4).set("strategy", "margin")
    t = s.set("estimator", "GaussianMixture")
    assert t.told.settings == {"n_clusters": 4, "strategy": "margin", "estimator": "GaussianMixture"}
    model = t.tell(0, "a").fit()
    assert type(model).__name__ == "GaussianMixture" and model.n_clusters == 4 and model.random_state == 0
    assert t.set("reg_covar", 1e-3).fit().reg_covar == 1e-3
    with pytest.raises(ValueError, match="GaussianMixture has no parameter 'm'"):
        t.set("m", 2.0)
    assert t.undo().fit().m == 1.3
    t.save(tmp_path / "s.jsonl")
    assert Session.load(tmp_path / "s.jsonl", X).told.settings == t.told.settings
    assert type(t.set("estimator", "FuzzyCMeans").fit()).__name__ == "FuzzyCMeans"


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [("estimator", "KMedoids", "takes no labels"), ("estimator", "os", "no estimator"),
     ("estimator", ["x"], "no estimator"), ("strategy", "sing", "not known")],
)  # fmt: skip
def test_settings_that_are_not_known(tmp_path, name, value, words):
    with pytest.raises(ValueError, match=words):
        started().set(name, value)
    path = tmp_path / "s.jsonl"
    started().save(path)
    event = {"n": 1, "at": "", "do": "setting", "name": name, "value": value}
    with path.open("a") as file:
        file.write(json.dumps(event) + "\n")
    if value != "KMedoids":
        with pytest.raises(SessionFileError, match="event 1 names the"):
            Session.load(path, X)


def test_questions_follow_the_strategy_of_the_session():
    s = started().tell(0, "a")
    margin = s.set("strategy", "margin").ask(5, audit=0)["row"].tolist()
    assert margin == s.ask(5, strategy="margin", audit=0)["row"].tolist()
    assert margin != s.ask(5, audit=0)["row"].tolist()
    assert len(s.set("strategy", "margin").ask_pairs(3)) == 3


# ---------------------------------------------------------------------- standardised rows
@pytest.mark.filterwarnings("error::RuntimeWarning")
def test_huge_rows_are_standardised():
    s = Session.start(X * [1, 1e300], FuzzyCMeans(3, random_state=0), standardize=True)
    usual = Session.start(X, FuzzyCMeans(3, random_state=0), standardize=True)
    np.testing.assert_allclose(s.X, usual.X, rtol=1e-12)


def test_standardised_rows(tmp_path):
    rows = X * [1, 1000] + [5, 0]
    s = Session.start(rows, FuzzyCMeans(3, random_state=0), standardize=True).tell(0, "a")
    assert s.X.mean(axis=0) == pytest.approx([0, 0], abs=1e-9) and s.X.std(axis=0) == pytest.approx([1, 1])
    s.save(tmp_path / "s.jsonl")
    again = Session.load(tmp_path / "s.jsonl", rows)  # the rows as they were
    assert np.array_equal(again.X, s.X)
    with pytest.raises(SessionFileError, match="about other data"):
        Session.load(tmp_path / "s.jsonl", s.X)
    own = Session.start(rows, FuzzyCMeans(3), standardize=[[5, 0], [2, 1000]])
    assert np.allclose(own.X, (rows - [5, 0]) / [2, 1000])
    assert "scaling" not in started().header.record()
    for wrong in ([[1, 2]], [[1, 2], [0, 1]], [[1, np.nan], [1, 1]]):
        with pytest.raises(ValueError, match="standardize"):
            Session.start(rows, FuzzyCMeans(3), standardize=wrong)


def test_a_constant_column_is_no_division_by_zero():
    s = Session.start(np.column_stack([X, np.ones(45)]), FuzzyCMeans(3, random_state=0), standardize=True)
    assert np.isfinite(s.X).all() and np.isfinite(s.fit().memberships_).all()


# ---------------------------------------------------------------------- classes and clusters
def test_a_class_that_is_named_first_and_labelled_later_takes_the_cluster_of_its_rows():
    s = started(classes=NAMES)
    before = s.fit()
    for k in (2, 0, 1):  # labels come in another order than the clusters of the first fit
        row = int(np.flatnonzero(before.labels_ == k)[0])
        s = s.tell(row, NAMES[(k + 1) % 3])
        model = s.fit()
        told = s.asked
        assert (model.labels_[told] == s.y[told].argmax(axis=1)).all()
        assert {frozenset(np.flatnonzero(model.labels_ == j)) for j in range(3)} == {
            frozenset(np.flatnonzero(before.labels_ == j)) for j in range(3)
        }


def test_clusters_without_a_class_keep_their_columns():
    s = Session.start(X, FuzzyCMeans(3, random_state=0))
    before = s.fit().labels_
    s = s.tell(int(np.flatnonzero(before == 2)[0]), "x")
    after = s.fit().labels_
    assert (after[before == 2] == 0).all() and (
        after[before == 1] == 1
    ).all()  # only 0 and 2 changed places


def test_asking_again_without_an_answer_is_no_batch():
    s = started()
    for _ in range(4):
        s.ask(5)
    assert len(s.memory.batches) == 1 and not s.advice().stop
    for row in range(5):
        s = s.tell(row, NAMES[TRUTH[row]])
    s.ask(5)
    assert len(s.memory.batches) == 2


# ---------------------------------------------------------------------- the file
def test_one_writer_at_a_time(tmp_path, monkeypatch):
    path, s = tmp_path / "s.jsonl", started().tell(0, "a")
    monkeypatch.setattr(journal, "_PATIENCE", 0.05)
    writer = Writer(path, s.header.record(), s.events)
    with pytest.raises(SessionFileError, match="in use by another"):
        Writer(path, s.header.record(), s.events)
    with pytest.raises(SessionFileError, match="in use by another"):
        s.tell(1, "b").save(path)
    t = s.tell(2, "b").undo()
    writer.append(t.events[1:])
    assert Session.load(path, X).events == t.events
    writer.close()
    t.redo().save(path)
    assert len(Session.load(path, X).events) == 4


@pytest.mark.skipif(not hasattr(os, "link"), reason="a system without links")
def test_a_file_that_appears_meanwhile_is_not_replaced(tmp_path, monkeypatch):
    path, s = tmp_path / "s.jsonl", started()
    s.tell(0, "a").save(path)
    before = path.read_bytes()
    monkeypatch.setattr(journal.Path, "exists", lambda self: False)
    with pytest.raises(SessionFileError, match="made by another session meanwhile"):
        s.save(path)
    assert path.read_bytes() == before and [p.name for p in tmp_path.iterdir()] == ["s.jsonl"]


def test_a_write_that_fails_leaves_the_file_as_it_was(tmp_path, monkeypatch):
    path, s = tmp_path / "s.jsonl", started().tell(0, "a")
    writer = Writer(path, s.header.record(), s.events)
    before = path.read_bytes()

    def full(descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(journal.os, "fsync", full)
    t = s.tell(1, "b")
    with pytest.raises(OSError, match="No space left"):
        writer.append(t.events[1:])
    assert path.read_bytes() == before
    monkeypatch.undo()
    writer.append(t.events[1:])
    writer.close()
    assert Session.load(path, X).events == t.events


@pytest.mark.parametrize("rows", [None, 1.5, "12", ["x"], object()])
def test_words_are_no_rows(rows):
    """The digits of a word are no positions of rows either."""
    for answer in (
        lambda s: s.tell(rows, "a"),
        lambda s: s.skip(rows),
        lambda s: s.link(rows, 0, same=True),
    ):
        with pytest.raises(ValueError, match=r"names no rows; numbers from 0 to \d+ would fit"):
            answer(started())


@pytest.mark.parametrize("degree", ["x", None, [1], np.nan])
def test_words_are_no_degrees(degree):
    with pytest.raises(ValueError, match="has a degree outside"):
        started().tell(0, {"a": degree})


@pytest.mark.parametrize("n", [0, -1, 2.5, "3"])
def test_no_questions_are_refused(n):
    for ask in (started().ask, started().ask_pairs):
        with pytest.raises(ValueError, match=f"n={n!r} does not fit; one question or more would"):
            ask(n)


def test_a_pair_is_two_rows():
    for change in (lambda s: s.link([0, 1], 2, same=True), lambda s: s.unlink([0, 1], 2)):
        with pytest.raises(ValueError, match="A pair is two rows; these are 3: 0, 1, 2"):
            change(started())
