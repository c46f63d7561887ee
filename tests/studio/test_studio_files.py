"""Files of the studio: the session is saved before the answer, resumed, locked; exports are read again."""

import csv
import io
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from studio_client import Client, studio, write_blobs

import softclust
from softclust.active import Session, journal
from softclust.cli import main
from softclust.errors import SessionFileError
from softclust.studio import commands
from softclust.studio.data import read_data
from softclust.studio.start import open_session


@pytest.fixture
def blobs(tmp_path):
    return write_blobs(tmp_path)


def bits(session):
    pairs = session.must_link.tobytes(), session.cannot_link.tobytes()
    return session.y.tobytes(), *pairs, session.classes, session.asked.tobytes(), session.told.settings


# ---------------------------------------------------------------------- the session's file
def a_command(session, rng):
    """A change as the page sends it, or an undo or redo."""
    row, other = (int(i) for i in rng.choice(len(session.X), 2, replace=False))
    degrees = [{"a": 1}, {"a": float(rng.random()), "b": 0.5}, {"b": 1, "c": 1}][rng.integers(3)]
    done = [*session.told.labels, *session.told.skipped]
    choices = [
        {"do": "label", "rows": [row], "degrees": degrees},
        {"do": "label", "rows": [row, other], "degrees": degrees, "strength": 0.3},
        {"do": "none", "rows": [row]},
        {"do": "skip", "rows": [row, other]},
        {"do": "link", "rows": [row, other], "same": bool(rng.integers(2))},
        {"do": "class", "name": f"k{len(session.events)}"},
        "undo", "undo", "redo",
        {"do": "forget", "rows": [int(rng.choice(done))]} if done else "redo",
        {"do": "unlink", "rows": list(next(iter(session.told.pairs)))} if session.told.pairs else "undo",
        {"method": commands.METHODS[rng.integers(6)], "strategy": "margin", "clusters": 30},
    ]  # fmt: skip
    if session.classes:
        choices.append({"do": "rename", "name": session.classes[0], "value": f"n{len(session.events)}"})
    return choices[rng.integers(len(choices))]


def applied(session, command):
    if command in ("undo", "redo"):
        return getattr(session, command)()
    return (
        commands.changed(session, [command])
        if "do" in command
        else commands.with_settings(session, command)
    )


def test_two_hundred_sequences_replay_to_the_same_bits(blobs, tmp_path):
    data = read_data(blobs[0], key="id")
    for seed in range(200):
        rng, path = np.random.default_rng(seed), tmp_path / f"{seed}.jsonl"
        session, writer = open_session(data, path, clusters=3)
        for _ in range(rng.integers(1, 30)):
            new = applied(session, a_command(session, rng))
            writer.append(new.events[len(session.events) :])
            session = new
        writer.close()
        again, writer = open_session(data, path)
        writer.close()
        plain = Session.load(path, data.X, keys=data.keys)  # as from Python, without the studio
        assert again.events == session.events == plain.events
        assert bits(again) == bits(session) == bits(plain)


def test_python_and_the_studio_go_on_with_one_file(blobs):
    path, truth = blobs
    X = np.loadtxt(path, delimiter=",", skiprows=1, usecols=(1, 2))
    with studio(path) as page:
        page.label(3, truth[3])
        page.tell({"do": "link", "rows": [1, 2], "same": truth[1] == truth[2]})
        file = page.desk.file
        model = page.fitted() and page.desk.fitted.model
    session = Session.load(file, X, data=path)
    assert session.told.labels == {3: ((str(truth[3]), 1.0),)}
    assert session.X.std(axis=0) == pytest.approx([1, 1])  # standardised as in the studio
    assert (session.fit().labels_ == model.labels_).all()
    session = session.tell(4, {"a", "b"}).skip(9)
    session.save(file)
    with studio(path) as page:
        state = page.get("/api/state").json()
        assert state["rev"] == 4 and state["counts"]["subset"] == state["counts"]["skipped"] == 1
        page.post("/api/undo", {"base": 4})
        assert len(Session.load(file, X).asked) == 2  # read while the studio runs


def test_columns_in_their_own_units(blobs):
    with studio(blobs[0], standardize=False) as page:
        assert np.array_equal(page.desk.session.X, read_data(blobs[0]).X)
        model = page.get("/api/export/model.zip").content
    (blobs[0].parent / "m.zip").write_bytes(model)
    assert softclust.load(blobs[0].parent / "m.zip").scaling_ is None


def test_a_second_studio_is_refused(blobs, monkeypatch):
    monkeypatch.setattr(journal, "_PATIENCE", 0.2)
    with studio(blobs[0]) as page:
        page.label(0, "a")
        with pytest.raises(SessionFileError, match="in use by another studio"), studio(blobs[0]):
            pass
        began = time.monotonic()
        session = Session.load(page.desk.file, read_data(blobs[0]).X)
        with pytest.raises(SessionFileError, match="in use"):
            session.tell(1, "a").save(page.desk.file)
        assert time.monotonic() - began < 20  # says so, and does not hang
        page.label(1, "b")
    with studio(blobs[0]) as page:
        assert page.desk.rev == 2


def test_a_torn_line_is_dropped_with_a_word(blobs):
    with studio(blobs[0]) as page:
        page.label(0, "a")
        page.label(1, "b")
        file = page.desk.file
    file.write_bytes(file.read_bytes()[:-9])
    with pytest.warns(UserWarning, match="torn"), studio(blobs[0]) as page:
        assert page.desk.rev == 1
        page.label(2, "c")
    with studio(blobs[0]) as page:
        assert sorted(page.desk.session.told.labels) == [0, 2]


def test_changed_and_foreign_data_are_refused(blobs, tmp_path):
    path, _ = blobs
    with studio(path) as page:
        page.label(0, "a")
    text = path.read_text()
    path.write_text(text.replace("r3,", "r3,1"))
    with pytest.raises(SessionFileError, match="about other data") as said, studio(path):
        pass
    assert "\n" not in str(said.value)
    path.write_text(text + "\n")  # the same rows in another file
    with pytest.raises(SessionFileError, match="about other data"), studio(path):
        pass
    path.write_text(text)
    (tmp_path / "blobs.studio.jsonl").write_text("{}\n")
    with pytest.raises(SessionFileError, match="not a softclust session"), studio(path):
        pass


def test_rows_of_changed_data_are_found_by_their_keys(blobs, tmp_path):
    path, _ = blobs
    with studio(path, reading={"key": "id"}) as page:
        page.label(0, "a")
        page.label(44, "b")
    head, *lines = path.read_text().splitlines()
    path.write_text("\n".join([head, "new,1,1", *reversed(lines[:-1])]) + "\n")
    words = []
    with (
        pytest.warns(UserWarning, match="1 rows of .* are gone: r44"),
        studio(path, reading={"key": "id"}, say=words.append) as page,
    ):
        assert sorted(page.desk.session.told.labels) == [44]
        page.label(3, "c")
    assert "blobs.studio.old-1.jsonl" in words[0]
    assert len((tmp_path / "blobs.studio.old-1.jsonl").read_text().splitlines()) == 3
    with studio(path, reading={"key": "id"}) as page:
        assert sorted(page.desk.session.told.labels) == [3, 44]


def test_a_full_disk_loses_no_answer_and_lies_about_none(blobs, monkeypatch):
    with studio(blobs[0]) as page:
        page.label(0, "a")
        before = page.desk.file.read_bytes()

        def full(descriptor):
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(journal.os, "fsync", full)
        answer = page.post("/api/events", {"base": 1, "events": [{"do": "skip", "rows": [3]}]})
        assert answer.status_code == 507 and "No space left" in answer.json()["error"]
        assert page.desk.rev == 1 and page.desk.file.read_bytes() == before
        monkeypatch.undo()
        page.label(1, "b")
    with studio(blobs[0]) as page:
        assert page.desk.rev == 2


def test_an_append_does_not_read_the_file_again(blobs, monkeypatch):
    data = read_data(blobs[0])
    session, writer = open_session(data, blobs[0].with_suffix(".jsonl"), clusters=3)

    def parsed(*_):
        raise AssertionError("the whole file was read")

    monkeypatch.setattr(journal, "_parsed", parsed)
    for row in range(10):
        session = session.tell(row, "a")
        writer.append(session.events[-1:])
    writer.close()


def test_options_of_a_session_that_goes_on(blobs):
    with studio(blobs[0], classes=["a"]) as page:
        page.label(0, "a")
    with studio(blobs[0], method="gmm", clusters=4, classes=["a", "new"]) as page:
        assert page.fitted()["settings"]["method"] == "GaussianMixture"
        assert page.desk.fitted.shares.shape[1] == 4 and page.desk.session.classes == ("a", "new")
    with studio(blobs[0], clusters=None) as page:  # no options: as it was left
        assert page.get("/api/state").json()["settings"]["method"] == "GaussianMixture"


def test_labels_of_the_file_are_the_first_answers(tmp_path):
    path, truth = write_blobs(tmp_path)
    head, *lines = path.read_text().splitlines()
    known = [f"{line},{truth[i] if i < 9 else ''}" for i, line in enumerate(lines)]
    path.write_text("\n".join([f"{head},species", *known]) + "\n")
    with studio(path, reading={"labels_column": "species", "key": "id"}, clusters=None) as page:
        state = page.get("/api/state").json()
        assert state["counts"]["hard"] == 9 and [one["name"] for one in state["classes"]] == ["a", "b", "c"]
        assert {one["name"]: one["role"] for one in state["columns"]}["species"] == "labels"
        page.label(20, truth[20])
        table = rows_of(page, "blobs.labelled.csv")
        assert [*table[0]] == ["id", "x", "y", "label"]
        assert sum(bool(line["label"]) for line in table) == 10
    with studio(path, reading={"labels_column": "species", "key": "id"}) as page:
        assert page.get("/api/state").json()["counts"]["hard"] == 10


def test_the_number_of_clusters_is_chosen(blobs):
    words = []
    with studio(blobs[0], clusters=None, say=words.append) as page:
        assert page.get("/api/state").json()["clusters"] == 3
    assert words == ["3 clusters fit best; change the number with --clusters or on the page."]


@pytest.mark.parametrize(
    ("text", "options", "words"),
    [
        ("x,y\n1,2\n1,3\n", {"key": "x"}, "lines 2 and 3 have 1"),
        ("x,y\n1,2\n,3\n", {"key": "x"}, "line 3 of .* has no 'x'"),
        ("x,y\n1,a\n2,b\n", {"columns": ["y"]}, "not numeric"),
        ("a,b\nu,v\nw,x\n", {}, "no (numeric column|column of numbers)"),
        ("x,y\n1,2\n", {"labels_column": "z"}, "no column 'z'"),
        ("x,y\n1,2\n", {"drop": ["z"]}, "no column 'z'"),
    ],
)
def test_wrong_data_are_one_sentence(tmp_path, text, options, words):
    path = tmp_path / "data.csv"
    path.write_text(text)
    with pytest.raises(ValueError, match=words):
        read_data(path, **options)


# ---------------------------------------------------------------------- exports
def rows_of(page, name):
    answer = page.get(f"/api/export/{name}")
    assert answer.status_code == 200 and f'filename="{name}"' in answer.headers["content-disposition"]
    return list(csv.DictReader(io.StringIO(answer.text, newline="")))


def test_exports_are_read_by_the_command_line(blobs, tmp_path, monkeypatch, capsys):
    path, truth = blobs
    monkeypatch.chdir(tmp_path)
    with studio(path, reading={"drop": ["id"]}, standardize=False) as page:
        page.tell(*({"do": "label", "rows": [i], "degrees": {truth[i]: 1}} for i in range(9)))
        page.tell(
            {"do": "label", "rows": [10], "degrees": {"a": 0.7, "b": 0.3}},
            {"do": "label", "rows": [11], "degrees": {"a": 1, "b": 1}},
            {"do": "label", "rows": [12, 13], "degrees": {truth[12]: 1}, "strength": 0.3},
            {"do": "none", "rows": [14]},
            {"do": "link", "rows": [20, 21], "same": bool(truth[20] == truth[21])},
            {"do": "link", "rows": [0, 22], "same": bool(truth[0] == truth[22])},
        )
        labels = rows_of(page, "labels.csv")
        must, cannot = rows_of(page, "must.csv"), rows_of(page, "cannot.csv")
        memberships = rows_of(page, "memberships.csv")
        for name in page.get("/api/state").json()["files"]:
            (tmp_path / name).write_bytes(page.get(f"/api/export/{name}").content)
        session = page.desk.session
    assert [*labels[0]] == ["row", "key", "label", "degree", "kind", "strength"]
    found = [
        (one["row"], one["label"], one["degree"], one["kind"]) for one in labels if int(one["row"]) > 9
    ]
    assert found == [
        ("10", "a", "0.7", "soft"), ("10", "b", "0.3", "soft"), ("11", "a", "1.0", "subset"),
        ("11", "b", "1.0", "subset"), ("12", str(truth[12]), "1.0", "bulk"),
        ("13", str(truth[12]), "1.0", "bulk"), ("14", "", "0.0", "none"),
    ]  # fmt: skip
    assert len(must) + len(cannot) == 2
    assert {one["cluster"] for one in memberships} == {"a", "b", "c"} and "membership_a" in memberships[0]
    # The command line goes on from the files.
    pairs = ["--must-link", "must.csv"] if must else ["--cannot-link", "cannot.csv"]
    with pytest.raises(SystemExit) as end:
        main(["fit", "blobs.labelled.csv", "--labels", "label", "--drop", "id", "--out", "out.csv", *pairs])
    assert not end.value.code
    fitted = list(csv.DictReader((tmp_path / "out.csv").read_text().splitlines()))
    assert np.mean([one["cluster"] == name for one, name in zip(fitted, truth, strict=True)]) > 0.9
    with pytest.raises(SystemExit) as end:
        main(["predict", "model.zip", "blobs.csv", "--out", "predicted.csv"])
    assert not end.value.code
    predicted = [
        one["cluster"] for one in csv.DictReader((tmp_path / "predicted.csv").read_text().splitlines())
    ]
    assert predicted == [one["cluster"] for one in memberships]
    assert (tmp_path / "report.html").read_text().startswith("<!doctype html>")
    assert Session.load(tmp_path / "session.jsonl", read_data(path, drop=["id"]).X).events == session.events


def test_no_cell_is_a_formula(tmp_path):
    path = tmp_path / "data.csv"
    lines = [f"{i % 2 * 9 - i / 9},{i * i % 7},=HYPERLINK({i}),k{i}" for i in range(12)]
    path.write_text("x,y,+note,id\n" + "\n".join(lines) + "\n")
    evil = ["=1+1", "+x", "-x", "@x"]
    with studio(path, reading={"key": "id"}, clusters=4) as page:
        for row, name in enumerate(evil):
            page.label(row, name)
        labels = rows_of(page, "labels.csv")
        assert [one["label"] for one in labels] == [f"'{name}" for name in evil]
        table = rows_of(page, "data.labelled.csv")
        assert table[0]["'+note"] == "'=HYPERLINK(0)" and table[0]["label"] == "'=1+1"
        assert float(table[2]["x"]) < 0  # numbers are no formulas
        assert {one["cluster"] for one in rows_of(page, "memberships.csv")} <= {f"'{name}" for name in evil}
    assert [*page.desk.session.classes] == evil  # the session keeps what was said


def test_a_column_called_label_is_kept(tmp_path):
    path = tmp_path / "data.csv"
    path.write_text("x,label\n" + "\n".join(f"{i % 3},{i % 4}" for i in range(12)) + "\n")
    with studio(path) as page:
        assert [*rows_of(page, "data.labelled.csv")[0]] == ["x", "label", "label_2"]


def test_classes_of_several_clusters(blobs, tmp_path):
    path, truth = blobs
    session = Session.start(
        read_data(path).X, softclust.FuzzyCMeans(3, random_state=0), clusters_per_class=2
    )
    for row in range(12):
        session = session.tell(row, truth[row])
    session.save(tmp_path / "s.jsonl")
    with studio(path, session=tmp_path / "s.jsonl") as page:
        state = page.get("/api/state").json()
        assert state["clusters"] == 3 and sorted(state["names"]) == ["a", "b", "c"]
        assert len(page.get("/api/ask").json()["questions"]) == 5
        assert page.get("/api/disagreements").status_code == 200
        for name in ("memberships.csv", "model.zip"):
            assert page.get(f"/api/export/{name}").status_code == 200


# ---------------------------------------------------------------------- the command
@pytest.fixture
def command(blobs, tmp_path):
    """Start `softclust studio`, and return the process and the address that it prints."""
    started = []

    def start(*arguments):
        process = subprocess.Popen(
            [sys.executable, "-m", "softclust", "studio", *map(str, arguments), "--no-browser"],
            stderr=subprocess.PIPE, stdout=subprocess.PIPE, cwd=tmp_path, text=True,
        )  # fmt: skip
        started.append(process)
        words = ""
        for line in process.stderr:
            words += line
            if "?token=" in line:
                break
        return process, words

    yield start
    for process in started:
        process.kill()
        process.communicate(timeout=60)


class Known:
    """What a client must know about a server in another process."""

    desk = None

    def __init__(self, words):
        address = words.split("The studio: ")[1].split()[0]
        self.token = address.partition("token=")[2]
        self.port = int(address.split(":")[2].split("/")[0])


def test_killed_and_resumed(blobs, command):
    path, truth = blobs
    process, words = command(path, "--key", "id", "--clusters", 3)
    page = Client(Known(words))
    for row in range(6):
        page.label(row, truth[row])
    page.post("/api/undo", {"base": 6})
    process.send_signal(signal.SIGKILL)  # no warning, nothing to tidy up
    process.wait(60)
    file = path.with_name("blobs.studio.jsonl")
    assert len(file.read_text().splitlines()) == 8
    session = Session.load(file, read_data(path, key="id").X)
    process, words = command(path, "--key", "id")
    assert "blobs.studio.jsonl goes on: 5 labels and 0 pairs." in words
    with Client(Known(words))._http as http:
        assert http.get("/api/state").json()["rev"] == 7
    page._http.close()
    assert len(session.told.labels) == 5
    process.send_signal(signal.SIGINT)
    rest = process.stderr.read()
    assert process.wait(60) == 0, rest
    assert rest.splitlines()[-1].startswith("5 labels and 0 pairs. Saved: ") and "Traceback" not in rest


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), "Give a file"),
        (("blobs.csv", "--demo"), "Give a file"),
        (("blobs.csv", "--host", "0.0.0.0"), "--allow-network"),
        (("gone.csv",), "gone.csv does not exist"),
        (("blobs.csv", "--clusters", "0"), "--clusters 0 does not fit"),
        (("blobs.csv", "--method", "nothing"), "nothing"),
        (("blobs.csv", "--method", "kmedoids", "--clusters", "2"), ""),
        (("blobs.csv", "--clusters", "3", "--port", "80000"), "cannot listen on 127.0.0.1:80000"),
        (("blobs.csv", "--seed", "-1"), "--seed"),
    ],
)
def test_errors_of_the_command(blobs, tmp_path, monkeypatch, capsys, arguments, words):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as end:
        main(["studio", *arguments, "--no-browser"])
    said = capsys.readouterr().err
    assert end.value.code == 2 and words in said and "Traceback" not in said
    assert [p.name for p in tmp_path.iterdir()] == ["blobs.csv"]  # nothing was written


def test_a_port_that_is_taken(blobs):
    with (
        studio(blobs[0]) as page,
        pytest.raises(ValueError, match=f"cannot listen on 127.0.0.1:{page.port}"),
    ):
        other = write_blobs(blobs[0].parent, name="other.csv")[0]
        with studio(other, port=page.port):
            pass
    assert os.path.exists(other)
