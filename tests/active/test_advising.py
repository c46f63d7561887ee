"""Advice that an expert can trust: what counts as foreseen, and when to stop."""

import pytest
from sklearn.datasets import load_iris, make_blobs

from softclust import FuzzyCMeans
from softclust.active import Session, advice

IRIS = load_iris()
NAMES = [str(name) for name in IRIS.target_names]


@pytest.fixture
def session():
    return Session.start(IRIS.data, FuzzyCMeans(3, random_state=0), classes=NAMES)


def answered(session, truth, batches):
    for _ in range(batches):
        for row in session.ask(5)["row"]:
            session = session.tell(int(row), NAMES[truth[row]])
    return session


def test_a_class_that_nobody_told_is_not_foreseen(session):
    first = answered(session, IRIS.target, 1)
    assert advice(first).hits == (0, 0)  # classes had names, but no rows
    later = answered(first, IRIS.target, 1)
    right, of = advice(later).hits
    assert 3 <= right <= of == 5


def test_answers_that_surprise_speak_against_stopping():
    X, truth = make_blobs(300, centers=3, cluster_std=0.5, random_state=0)
    start = Session.start(X, FuzzyCMeans(3, label_strength=0.1, random_state=0), classes=NAMES)
    steady = advice(answered(start, truth, 2))
    assert not steady.stop
    assert steady.agreement > 0.99
    assert steady.sentence.startswith("Ask one more batch: ")
    session = answered(start, truth, 4)
    assert advice(session).stop
    assert advice(session).sentence.startswith("You may stop")
    for _ in range(20):
        asked = session.ask(5)
        foreseen = session.shares()[asked["row"]].argmax(axis=1)
        for row, k in zip(asked["row"].tolist(), foreseen, strict=True):
            session = session.tell(row, NAMES[(k + 1) % 3])  # whatever the model does not foresee
    told = advice(session)
    assert told.agreement > 0.99
    assert told.audit[0] < told.audit[1] / 2
    assert not told.stop
    assert "answers surprise them" in told.sentence
