"""The calls of the page: what they answer, and what they change."""

import json
import socket
import threading

import numpy as np
import pytest
from studio_client import served, status_of, studio, write_blobs

from softclust.active import Session
from softclust.studio import desk as desks
from softclust.studio import disagreements, maps
from softclust.studio.data import read_data
from softclust.studio.server import Server
from softclust.studio.start import open_session

TOLD, ASKED, OUTLIER, DISAGREES, BULK, SKIPPED, NONE = 1, 2, 4, 8, 16, 32, 64


@pytest.fixture
def blobs(tmp_path):
    return write_blobs(tmp_path)


@pytest.fixture
def page(blobs):
    with studio(blobs[0], reading={"key": "id"}) as client:
        client.truth = blobs[1]
        client.path = blobs[0]
        yield client


def members(page):
    answer = page.get("/api/members?rev=0")
    return np.frombuffer(answer.content, np.uint8).reshape(-1, 3), int(answer.headers["X-Rev"])


def test_the_state_at_the_start(page):
    state = page.get("/api/state").json()
    assert (state["rev"], state["fitted"], state["busy"], state["problem"]) == (0, 0, False, None)
    assert (state["title"], state["rows"], state["drawn"], state["clusters"]) == ("blobs.csv", 45, 45, 3)
    assert state["names"] == ["cluster 1", "cluster 2", "cluster 3"]
    assert [one["rows"] for one in state["unnamed"]] == [15, 15, 15]
    assert state["classes"] == [] and state["links"] == [] and state["undo"] is state["redo"] is None
    roles = {one["name"]: one["role"] for one in state["columns"]}
    assert roles == {"id": "key", "x": "feature", "y": "feature"}
    assert (state["settings"]["method"], state["model"]) == ("auto", "FuzzyCMeans")
    assert state["files"][3] == "blobs.labelled.csv"
    assert state["session_file"] == "blobs.studio.jsonl"
    assert state["advice"]["audit"] is None


def test_points_lie_in_the_unit_square(page):
    answer = page.get("/api/points")
    points = np.frombuffer(answer.content, "<f4").reshape(-1, 2)
    assert points.shape == (45, 2) and points.min() == 0 and points.max() == 1
    assert answer.headers["X-View-Rev"] == "1"
    assert page.get("/api/drawn").status_code == 404
    seen = {points.tobytes()}
    for rev, view in enumerate(
        ({"id": "separating"}, {"id": "columns", "x": "y", "y": "x"}, {"id": "principal"}), start=2
    ):
        state = page.post("/api/settings", {"base": 0, "view": view}).json()["state"]
        assert (state["view"]["id"], state["view"]["rev"], state["rev"]) == (view["id"], rev, 0)
        seen.add(page.get("/api/points").content)
    assert len(seen) == 3
    for wrong in ({"id": "moon"}, {"id": "columns", "x": "x", "y": "id"}, {"id": ["principal"]}, 3):
        assert page.post("/api/settings", {"base": 0, "view": wrong}).status_code == 400


def test_an_answer_moves_the_fit(page):
    row = int(np.flatnonzero(page.truth == "b")[0])
    state = page.label(row, "b")
    assert state["rev"] == 1 and state["undo"] == f"label of row {row + 2}"
    state = page.fitted()
    assert state["fitted"] == 1 and not state["busy"]
    assert state["names"] == ["b", "cluster 2", "cluster 3"]
    assert state["classes"] == [{"name": "b", "labels": 1, "bulk": 0, "rows": 15}]
    found, rev = members(page)
    assert rev == 1
    assert (found[page.truth == "b", 0] == 0).all()
    assert found[row, 2] & TOLD and not found[:, 2][found[:, 2] & TOLD == 0].any()


def test_no_two_clusters_have_one_name(page):
    page.label(int(np.flatnonzero(page.truth == "b")[0]), "cluster 2")
    state = page.fitted()
    assert state["names"] == ["cluster 2", "cluster 2 (no name)", "cluster 3"]
    assert [one["index"] for one in state["unnamed"]] == [1, 2] and state["classes"][0]["rows"] == 15


def test_every_kind_of_answer(page):
    state = page.tell(
        {"do": "label", "rows": [1], "degrees": {"a": 1}},
        {"do": "label", "rows": [2], "degrees": {"a": 0.7, "b": 0.3}},
        {"do": "label", "rows": [3], "degrees": {"a": 1, "b": 1}},
        {"do": "label", "rows": [4, 5, 6], "degrees": {"c": 1}, "strength": 0.3},
        {"do": "none", "rows": [7]},
        {"do": "skip", "rows": [8]},
        {"do": "link", "rows": [9, 3], "same": True},
        {"do": "link", "rows": [4, 20], "same": False},
        {"do": "class", "name": "d"},
        {"do": "rename", "name": "d", "value": "e"},
    )
    assert state["counts"] == {
        "hard": 1, "soft": 1, "subset": 1, "none": 1, "bulk": 3, "skipped": 1, "must": 1, "cannot": 1
    }  # fmt: skip
    assert state["links"] == [[3, 9, True], [4, 20, False]]
    assert [one["name"] for one in state["classes"]] == ["a", "b", "c", "e"]
    assert (state["classes"][2]["labels"], state["classes"][2]["bulk"]) == (0, 3)
    flags = members(page)[0][:, 2] & 251
    assert flags[[1, 4, 7, 8]].tolist() == [TOLD, TOLD | BULK, TOLD | NONE, SKIPPED]
    card = page.get("/api/row/5").json()
    assert card["told"] == {"kind": "bulk", "degrees": {"c": 1.0}}
    assert page.get("/api/row/2").json()["told"] == {"kind": "soft", "degrees": {"a": 0.7, "b": 0.3}}
    assert page.get("/api/row/8").json()["skipped"] is True
    state = page.tell({"do": "unlink", "rows": [3, 9]}, {"do": "forget", "rows": [1, 8]})
    assert state["counts"]["must"] == state["counts"]["hard"] == state["counts"]["skipped"] == 0
    assert page.desk.session.y.shape == (45, 4)


@pytest.mark.parametrize(
    "wrong",
    [
        {"do": "sing"}, {"do": "undo"}, {"do": ["label"]}, [], 3, {},
        {"do": "label", "rows": [1]},
        {"do": "label", "rows": [45], "degrees": {"a": 1}},
        {"do": "label", "rows": [-1], "degrees": {"a": 1}},
        {"do": "label", "rows": [True], "degrees": {"a": 1}},
        {"do": "label", "rows": [1.5], "degrees": {"a": 1}},
        {"do": "label", "rows": "12", "degrees": {"a": 1}},
        {"do": "label", "rows": [], "degrees": {"a": 1}},
        {"do": "label", "rows": [1], "degrees": {"a": 2}},
        {"do": "label", "rows": [1], "degrees": {"a": "1"}},
        {"do": "label", "rows": [1], "degrees": {"a": True}},
        {"do": "label", "rows": [1], "degrees": {"": 1}},
        {"do": "label", "rows": [1], "degrees": {"a\u0000": 1}},
        {"do": "label", "rows": [1], "degrees": {"\ud800": 1}},
        {"do": "label", "rows": [1], "degrees": {"x" * 201: 1}},
        {"do": "label", "rows": [1], "degrees": {"a": 1}, "strength": -1},
        {"do": "label", "rows": [1], "degrees": {"a": 1}, "strength": None},
        {"do": "label", "rows": [1], "degrees": {str(i): 1 for i in range(201)}},
        {"do": "forget", "rows": [1]},
        {"do": "link", "rows": [1, 1], "same": True},
        {"do": "link", "rows": [1, 2, 3], "same": True},
        {"do": "link", "rows": [1, 2]},
        {"do": "unlink", "rows": [1, 2]},
        {"do": "rename", "name": "x", "value": "y"},
        {"do": "class", "name": 3},
    ],
)  # fmt: skip
def test_a_wrong_event_changes_nothing(shared, wrong):
    good = {"do": "class", "name": "kept out"}
    body = json.dumps({"base": 0, "events": [good, wrong]}).encode()  # ASCII: a lone surrogate passes
    status, content = shared.request("POST", "/api/events", body)
    sentence = json.loads(content)["error"]
    assert status == 400 and sentence.endswith(".") and "\n" not in sentence
    assert shared.desk.rev == 0 and len(shared.desk.file.read_text().splitlines()) == 1


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    path, _ = write_blobs(tmp_path_factory.mktemp("shared"))
    with studio(path) as client:
        yield client


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b'{"base":0,"events":NaN}',
        b"[" * 100_000,
        b"\xff",
        b'{"base":' + b"9" * 9999,
    ],
)
def test_what_is_no_json(shared, body):
    status, content = shared.request("POST", "/api/events", body)
    assert status == 400 and "JSON" in json.loads(content)["error"]


@pytest.mark.parametrize(
    "wrong",
    [{"method": "KMedoids"}, {"method": "os"}, {"clusters": 0}, {"clusters": 201}, {"clusters": "3"},
     {"clusters": True}, {"clusters": 46}, {"strategy": "x"}, {"strategy": []}, {"method": []}],
)  # fmt: skip
def test_wrong_settings(shared, wrong):
    assert shared.post("/api/settings", {"base": 0, **wrong}).status_code == 400
    assert shared.desk.rev == 0


@pytest.mark.parametrize(
    "path", ["/api/row/45", "/api/row/-1", "/api/row/x", "/api/picture/0", "/api/ask?n=0", "/api/ask?n=51",
             "/api/ask?n=%C2%B2", "/api/ask?kind=x", "/api/export/x", "/api/nothing", "/api/events",
             "/page/server.py"],
)  # fmt: skip
def test_what_is_not_there(shared, path):
    answer = shared.get(path)
    assert answer.status_code in (400, 404, 405) and answer.json()["error"]


def test_settings_are_events_and_undone(page):
    row = int(np.flatnonzero(page.truth == "a")[0])
    page.label(row, "a")
    wanted = {"base": 1, "method": "EvidentialCMeans", "clusters": 4, "strategy": "margin"}
    state = page.post("/api/settings", wanted).json()["state"]
    assert state["rev"] == 4
    state = page.fitted()
    assert state["settings"]["method"] == "EvidentialCMeans" and state["clusters"] == 4
    assert type(page.desk.fitted.model).__name__ == "EvidentialCMeans"
    card = page.get(f"/api/row/{row}").json()
    assert len(card["memberships"]) == 4 and isinstance(card["sets"], list)
    assert page.post("/api/settings", {"base": 4, "method": "EvidentialCMeans"}).json()["rev"] == 4
    assert page.post("/api/settings", {"base": 4, "clusters": 0}).status_code == 400
    for base in (4, 5, 6):
        state = page.post("/api/undo", {"base": base}).json()["state"]
    assert state["settings"]["method"] == "auto" and state["clusters"] in (3, 4)
    assert state["redo"] == "method EvidentialCMeans"
    again = Session.load(page.desk.file, read_data(page.path, key="id").X)
    assert again.told.settings == page.desk.session.told.settings == {}
    assert type(again.redo().redo().fit()).__name__ == "EvidentialCMeans"


def test_a_fit_that_fails_is_said_and_the_map_stays(page, monkeypatch):
    def fail(session):
        raise ValueError("No such thing.")

    monkeypatch.setattr(Session, "fit", fail)
    page.label(0, "a")
    state = page.fitted()
    assert state["problem"] == "No such thing." and state["fitted"] == 1
    assert members(page)[0].shape == (45, 3)
    assert page.get("/api/ask").json()["questions"] == []
    assert page.get("/api/export/labels.csv").text.count("\n") == 2
    answer = page.get("/api/export/model.zip")
    assert answer.status_code == 400 and "No such thing." in answer.json()["error"]
    monkeypatch.undo()
    page.label(1, "b")
    assert page.fitted()["problem"] is None


def test_questions_and_their_answers(page):
    first = page.get("/api/ask?n=5&kind=rows").json()
    assert first["rev"] == 0 and len(first["questions"]) == 5
    assert page.get("/api/ask?n=5&kind=rows").json() == first  # asking twice asks the same
    one = first["questions"][0]
    assert one["number"] == one["row"] + 2 and one["why"].endswith(".")
    assert members(page)[0][one["row"], 2] & ASKED
    for _ in range(4):
        for question in page.get("/api/ask").json()["questions"]:
            row = question["row"]
            assert page.get(f"/api/row/{row}").json()["reason"] == question["reason"]
            state = page.label(row, page.truth[row], asked=question["reason"])
            assert not members(page)[0][row, 2] & ASKED
    page.get("/api/ask")
    state = page.get("/api/state").json()
    assert state["advice"]["stop"] and state["advice"]["sentence"].startswith("You may stop")
    right, of, low, high = state["advice"]["audit"]
    assert 0 < right <= of and low < high
    progress = page.get("/api/progress").json()
    assert progress["classes_seen"] == 3 and len(progress["points"]) == 20
    assert progress["points"][-1]["labels"] == 20 and progress["points"][-1]["agreement"] == 1.0
    assert progress["points"][-1]["audit"][:2] == [right, of]
    assert progress["points"][-1]["hits"] == list(page.desk.session.advice().hits)


def test_asking_often_is_no_sign_of_agreement(page):
    for n in range(1, 6):
        page.get(f"/api/ask?n={n}")
    assert "fewer than two batches" in page.get("/api/state").json()["advice"]["sentence"]


def test_the_page_tells_of_questions_that_a_server_before_asked(blobs):
    with studio(blobs[0]) as page:
        page.label(0, "a")
    with studio(blobs[0]) as page:
        page.label(1, "a", asked="audit", shown="a")
        page.label(2, "a", asked="sing", shown="a")
        page.tell({"do": "label", "rows": [3, 4], "degrees": {"a": 1}, "asked": "audit", "shown": "a"})
        assert page.get("/api/state").json()["advice"]["audit"][:2] == [1, 1]


def test_pairs_and_disagreements(page):
    pairs = page.get("/api/ask?n=3&kind=pairs").json()["questions"]
    assert len(pairs) == 3 and all(0 <= one["same"] <= 1 and one["row"] != one["other"] for one in pairs)
    assert page.get("/api/disagreements").json() == {"rows": []}
    rows = range(18)
    page.tell(*({"do": "label", "rows": [i], "degrees": {page.truth[i]: 1}} for i in rows))
    wrong = 4
    page.label(wrong, "a" if page.truth[wrong] != "a" else "b")
    found = page.get("/api/disagreements").json()["rows"]
    assert [one["row"] for one in found] == [wrong]
    assert found[0]["foreseen"] == page.truth[wrong] and found[0]["score"] > 0.5
    assert members(page)[0][wrong, 2] & DISAGREES
    page.label(wrong, page.truth[wrong])
    assert page.get("/api/disagreements").json() == {"rows": []}


def test_labels_are_checked_while_nobody_waits(blobs, monkeypatch):
    monkeypatch.setattr(desks, "_IDLE", 0.01)
    monkeypatch.setattr(desks, "_CHEAP", 10_000_000)
    heard, said = threading.Event(), []

    def hear(name, content):
        said.append((name, content["rev"]))
        if said.count(("fitted", 1)) == 2:
            heard.set()

    with studio(blobs[0]) as page:
        page.desk.on_change = hear
        events = [{"do": "label", "rows": [i], "degrees": {blobs[1][i]: 1}} for i in range(18)]
        events[4]["degrees"] = {"a" if blobs[1][4] != "a" else "b": 1}
        page.post("/api/events", {"base": 0, "events": [*events[:18]]})
        assert page.desk.rev == 18
        page.desk.on_change = lambda name, content: heard.set() if page.desk.doubts[1] else None
        assert heard.wait(20)
        assert members(page)[0][4, 2] & DISAGREES


def test_of_many_labels_the_single_answers_are_checked_first(page, monkeypatch):
    monkeypatch.setattr(disagreements, "_MOST_CHECKED", 10)
    page.tell({"do": "label", "rows": list(range(20, 45)), "degrees": {"a": 1}, "strength": 0.3})
    page.tell(*({"do": "label", "rows": [i], "degrees": {page.truth[i]: 1}} for i in range(6)))
    checked = disagreements.checked_rows(page.desk.session)
    assert checked[:6] == list(range(6)) and len(checked) == 10 and min(checked[6:]) >= 20
    assert page.get("/api/disagreements").status_code == 200
    page.tell(*({"do": "label", "rows": [i], "degrees": {page.truth[i]: 1}} for i in range(6, 18)))
    assert disagreements.checked_rows(page.desk.session) == list(range(10))


def test_two_tabs(page):
    state = page.label(0, "a")
    late = page.post("/api/events", {"base": 0, "events": [{"do": "skip", "rows": [3]}]})
    assert late.status_code == 409 and late.json()["state"]["rev"] == state["rev"] == 1
    for path in ("/api/undo", "/api/redo", "/api/settings"):
        for base in (0, 2, None, "1"):
            assert page.post(path, {"base": base, "clusters": 4}).status_code == 409
    assert page.desk.rev == 1


def test_many_tabs_at_once_lose_nothing(page):
    """Threads that retry with the newer state: every answer is there once."""

    def answer(rows):
        for row in rows:
            base = 0
            while True:
                event = {"do": "label", "rows": [row], "degrees": {"a": 1}}
                said = page.post("/api/events", {"base": base, "events": [event]}).json()
                if "error" not in said:
                    break
                base = said["state"]["rev"]

    threads = [threading.Thread(target=answer, args=(range(k, 24, 4),)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert sorted(page.desk.session.told.labels) == list(range(24)) and page.desk.rev == 24
    assert len(page.desk.file.read_text().splitlines()) == 25


def test_undo_and_redo(page):
    page.label(0, "a")
    page.label(1, "b")
    y = page.desk.session.y.tobytes()
    state = page.post("/api/undo", {"base": 2}).json()["state"]
    assert state["undo"] == "label of row 2" and state["redo"] == "label of row 3"
    assert page.post("/api/redo", {"base": 3}).json()["state"]["redo"] is None
    assert page.desk.session.y.tobytes() == y
    assert page.post("/api/redo", {"base": 4}).json()["rev"] == 4  # nothing to redo: no event


def test_cards(page):
    row = 7
    page.label(row, page.truth[row])
    page.label(8, page.truth[8])
    page.fitted()
    card = page.get("/api/row/7").json()
    assert (card["row"], card["number"], card["key"], card["picture"]) == (7, 9, "r7", False)
    assert card["told"] == {"kind": "hard", "degrees": {page.truth[row]: 1.0}}
    assert {one["name"] for one in card["values"]} == {"x", "y"}
    assert abs(card["values"][0]["unusual"]) >= abs(card["values"][1]["unusual"])
    X = read_data(page.path, key="id").X
    mine = X[page.truth == page.truth[row]].mean(axis=0)
    typical = {one["name"]: float(one["typical"]) for one in card["values"]}
    assert abs(np.array([typical["x"], typical["y"]]) - mine).max() < 0.5
    assert card["memberships"][0]["name"] == page.truth[row]
    assert sum(one["share"] for one in card["memberships"]) == pytest.approx(1, abs=0.001)
    assert [one["row"] for one in card["near"]] == [8] and card["near"][0]["key"] == "r8"
    assert card["sentence"].startswith(f"Most like {page.truth[row]} (")


def test_the_stream_tells_of_fits(page):
    with page._http.stream("GET", "/api/stream") as stream:
        assert stream.headers["content-type"].startswith("text/event-stream")
        lines = stream.iter_lines()
        assert next(lines) == ": welcome"
        answer = threading.Thread(target=page.label, args=(0, "a"))
        answer.start()
        found = []
        for line in lines:
            found.append(line)
            if line.startswith("data") and "ms" in line:
                break
        answer.join(20)
    assert 'data: {"rev": 1}' in found and "event: changed" in found and "event: fitted" in found


def test_quitting_ends_streams_and_the_server(blobs):
    with studio(blobs[0]) as page, page._http.stream("GET", "/api/stream") as stream:
        lines = stream.iter_lines()
        next(lines)
        assert page.post("/api/quit", {}).json() == {"bye": True}
        assert "event: bye" in list(lines)


def test_many_rows_are_drawn_as_a_sample(tmp_path, monkeypatch):
    monkeypatch.setattr(maps, "MOST_DRAWN", 300)
    path, truth = write_blobs(tmp_path, each=400)
    lines = path.read_text().splitlines()
    rare = np.flatnonzero(truth == "c")[6:]  # six rows are left of the last cloud
    path.write_text("\n".join(line for i, line in enumerate(lines) if i - 1 not in set(rare)) + "\n")
    with studio(path) as page:
        state = page.get("/api/state").json()
        assert state["rows"] == 806 and state["drawn"] < 310
        drawn = np.frombuffer(page.get("/api/drawn").content, "<u4")
        assert len(drawn) == state["drawn"] and (np.diff(drawn.astype(int)) > 0).all()
        assert len(page.get("/api/points").content) == 8 * len(drawn)
        assert len(page.get("/api/members").content) == 3 * len(drawn)
        kept = np.delete(truth, rare)
        assert (kept[drawn] == "c").sum() >= 5  # of six rows; in proportion two would be drawn


def test_one_column_is_scattered_upwards(tmp_path):
    path = tmp_path / "one.csv"
    path.write_text("x\n" + "\n".join(f"{i % 3 * 10 + i / 50}" for i in range(30)) + "\n")
    with studio(path) as page:
        points = np.frombuffer(page.get("/api/points").content, "<f4").reshape(-1, 2)
        assert len(np.unique(points[:, 1])) == 30
        assert [one["id"] for one in page.get("/api/state").json()["views"]] == ["principal"]


def test_a_row_far_away_does_not_squeeze_the_others():
    rng = np.random.default_rng(0)
    places = rng.normal(size=(5000, 2))
    places[0] = 1e6
    square = maps.in_unit_square(places)
    assert square[0].tolist() == [1, 1] and square[1:, 0].std() > 0.05
    assert (maps.in_unit_square(np.ones((4, 2))) == 0.5).all()


def test_texts_and_words_are_shown_and_not_clustered(tmp_path):
    path = tmp_path / "texts.csv"
    lines = [
        f"{i},{i % 3 * 9 + i % 7 / 9:.2f},{i % 2},a long remark about flower number {i},red"
        for i in range(30)
    ]
    path.write_text("n,x,y,remark,colour\n" + "\n".join(lines) + "\n")
    with studio(path) as page:
        roles = {one["name"]: one["role"] for one in page.get("/api/state").json()["columns"]}
        assert {name for name, role in roles.items() if role == "feature"} == {"x", "y"}
        assert roles["remark"] == "text"
        card = page.get("/api/row/4").json()
        assert card["text"][0] == {"name": "remark", "value": "a long remark about flower number 4"}
        assert {"name": "colour", "value": "red"} in card["text"]
    with studio(path, session=tmp_path / "2.jsonl", reading={"text_columns": ["colour"]}) as page:
        assert page.get("/api/row/4").json()["text"][0] == {"name": "colour", "value": "red"}


def test_the_demo(tmp_path):
    from softclust.studio.demo import DEMO_CLASSES, demo_data

    data = demo_data(tmp_path)
    with served(data, tmp_path / "s.jsonl", clusters=4, classes=DEMO_CLASSES) as page:
        state = page.get("/api/state").json()
        assert "hand-written digits" in state["story"] and len(state["classes"]) == 4
        answer = page.get("/api/picture/5")
        assert answer.headers["content-type"] == "image/png" and page.get("/api/row/5").json()["picture"]
        assert status_of(page.raw(b"nonsense\r\n\r\n")) == 400


def test_labels_spread_once_that_foresees_more(tmp_path):
    """Outliers stay on the map, links count through labels, and the files are made."""
    rng = np.random.default_rng(0)
    truth, angle = np.arange(121) % 2, np.pi * rng.random(121)
    X = np.column_stack([np.cos(angle), np.sin(angle)])
    X[truth == 1] = [1, 0.5] - X[truth == 1]
    X += 0.05 * rng.standard_normal(X.shape)
    X[120] = 9.0
    path = tmp_path / "moons.csv"
    path.write_text("x,y\n" + "".join(f"{a:.4f},{b:.4f}\n" for a, b in X))
    with studio(path, clusters=2) as page:
        outliers = members(page)[0][:, 2] & OUTLIER
        assert outliers[120]
        rows = rng.choice(120, 20, replace=False).tolist()
        for row in rows:
            page.label(row, "ab"[truth[row]])
        other = next(row for row in range(120) if row not in rows)
        page.tell({"do": "link", "rows": [rows[0], other], "same": bool(truth[rows[0]] == truth[other])})
        state = page.fitted()
        assert (state["model"], state["problem"], state["unnamed"]) == ("FuzzyLabelSpreading", None, [])
        wrong = next(row for row in range(120) if row not in rows and row != other)
        page.label(wrong, "ba"[truth[wrong]])
        page.fitted()
        shown = members(page)[0][wrong, 0]  # the expert's own class, even if the model doubts it
        fitted = page.desk.fitted
        assert fitted.names[shown] == "ba"[truth[wrong]] != fitted.names[fitted.winner[wrong]]
        page.post("/api/undo", {"base": 22})
        page.fitted()
        found, _ = members(page)
        names = [["ab".index(name) for name in state["names"]][k] for k in found[:120, 0]]
        assert (np.array(names) == truth[:120]).mean() > 0.95
        np.testing.assert_array_equal(found[:, 2] & OUTLIER, outliers)
        for name in state["files"]:
            answer = page.get(f"/api/export/{name}")
            assert answer.status_code == 200 and answer.content, name
    with studio(path, clusters=None) as page:  # resumed: nobody has told of outliers yet
        np.testing.assert_array_equal(members(page)[0][:, 2] & OUTLIER, outliers)
        state = page.post("/api/settings", {"base": 23, "method": "GaussianMixture"}).json()["state"]
        assert state["undo"] == "method GaussianMixture" and page.fitted()["model"] == "GaussianMixture"
        state = page.post("/api/settings", {"base": 24, "method": "auto"}).json()["state"]
        assert state["undo"] == "method automatic" and page.fitted()["model"] == "FuzzyLabelSpreading"


def test_the_address_may_be_opened_before_the_server_runs(blobs):
    data = read_data(blobs[0])
    session, writer = open_session(data, blobs[0].with_suffix(".jsonl"), clusters=3)
    server = Server(data, session, writer)
    with socket.create_connection(("127.0.0.1", server.port), timeout=5) as early:
        thread = threading.Thread(target=server.run)
        thread.start()
        lines = ("GET / HTTP/1.1", f"Host: 127.0.0.1:{server.port}", "Connection: close", "", "")
        early.sendall("\r\n".join(lines).encode())
        assert early.recv(12) == b"HTTP/1.1 403"
    server.stop()
    thread.join(20)
    assert not thread.is_alive()
