"""A whole job in the browser: label, undo, lasso, link, reload, kill; and what is left in the files."""

import csv
import io
from dataclasses import replace

import numpy as np
import pytest
from studio_client import studio as served

from browsing import StudioPage, StudioProcess, browser
from softclust.active import Session
from softclust.active.refits import Memory
from softclust.studio.data import read_data


@pytest.fixture(scope="module")
def chromium():
    with browser() as opened:
        yield opened


@pytest.fixture
def data(tmp_path):
    """Three groups of twenty rows, with keys."""
    rng = np.random.default_rng(0)
    centres = np.array([[0, 0, 0], [6, 0, 1], [0, 6, 2]])
    X = np.vstack([centre + rng.normal(size=(20, 3)) for centre in centres])
    path = tmp_path / "rows.csv"
    with path.open("w", newline="") as file:
        lines = csv.writer(file)
        lines.writerow(["id", "a", "b", "c"])
        lines.writerows([f"K{i:03}", *np.round(x, 3)] for i, x in enumerate(X))
    return path


def resumed(path):
    """The session of a file, and the same session before its first event."""
    rows = read_data(path, key="id")
    keys = [f"K{i:03}" for i in range(60)]
    session = Session.load(path.with_suffix(".studio.jsonl"), rows.X, keys=keys)
    return session, replace(session, events=(), memory=Memory())


def said(session):
    """The events of a session, without their times and reasons."""
    return [
        (e.do, sorted(e.rows), sorted(e.degrees or ()), e.strength or 1, e.same) for e in session.events
    ]


def exported(page, name):
    """The lines of a file that the page offers."""
    answer = page.page.request.get(f"{page.page.url.split('?')[0]}api/export/{name}")
    assert answer.ok, answer.text()
    return list(csv.DictReader(io.StringIO(answer.text())))


def check_files(page, session):
    """The exported files say what the session says."""
    names = session.classes
    labels = {
        (int(line["row"]), line["label"]): float(line["degree"]) for line in exported(page, "labels.csv")
    }
    wanted = {
        (row, name): degree
        for row, told in session.told.labels.items()
        for name, degree in told or [("", 0.0)]
    }
    assert labels == {key: degree for key, degree in wanted.items() if degree or key[1] == ""}
    for same, pairs in (("must", session.must_link), ("cannot", session.cannot_link)):
        assert [
            [int(line["row"]), int(line["other"])] for line in exported(page, f"{same}.csv")
        ] == pairs.tolist()
    memberships = exported(page, "memberships.csv")
    found = np.array([[float(line[f"membership_{name}"]) for name in names] for line in memberships])
    np.testing.assert_allclose(found, session.fit().memberships_[:, : len(names)], atol=1e-6)
    assert [line["key"] for line in memberships] == list(session.keys)


def lasso_corners(page, rows):
    """Corners of a line around rows, a little outside of them."""
    places = np.array([page.place(row) for row in rows])
    (left, top), (right, bottom) = places.min(0) - 9, places.max(0) + 9
    return [(left, top), (right, top), (right, bottom), (left, bottom), (left, top)]


def draw_lasso(page, corners):
    mouse = page.page.mouse
    mouse.move(*corners[0])
    mouse.down()
    for corner in corners[1:]:
        mouse.move(*corner, steps=4)
    mouse.up()


def check_dots(page, rows):
    """The map has a dot in the colour of ink on each row that a lasso told."""
    seen = page.tell(
        f"""{rows}.map((row) => {{
            const [x, y] = map.screenOf(row).map(Math.round);
            return [...map.base.getContext('2d').getImageData(x, y, 1, 1).data.slice(0, 3)].join(); }})"""
    )
    ink = page.tell("map.colours.ink")
    assert set(seen) == {",".join(str(int(ink[at : at + 2], 16)) for at in (1, 3, 5))}


def test_a_job_survives_reload_and_kill(chromium, data):
    arguments = [data, "--key", "id", "--clusters", "3", "--classes", "north,east,south"]
    with StudioProcess(*arguments) as studio, StudioPage(chromium, studio.address) as page:
        told = [(page.answer(f"Digit{1 + k % 3}"), k % 3) for k in range(10)]
        either = page.answer("Shift+Digit1", "Shift+Digit3", "Enter")

        page.press("u")
        page.heard("Undone")
        page.press("Control+z")
        page.until("studio.state.counts.hard === 9 && studio.state.counts.subset === 0")
        page.ready()
        assert page.tell("studio.current") == told[9][0]  # an undone row is open again
        again = page.answer("Shift+Digit1", "Shift+Digit3", "Enter")

        group = list(range(40, 60))
        page.press("l")
        draw_lasso(page, lasso_corners(page, group))
        page.until("studio.chosen.length > 9")
        chosen = sorted(page.tell("studio.chosen"))
        by_hand = {row for row, _ in told[:9]} | {again}
        assert set(group) - by_hand <= set(chosen) and not by_hand & set(chosen)
        page.press("3")
        page.heard(f"{len(chosen)} rows are south")
        page.heard("model fitted")
        check_dots(page, chosen)

        page.press("d")
        for row in (2, 31):
            page.page.mouse.click(*page.place(row))
        page.until("studio.first === 2 && studio.current === 31")
        page.press("c")
        page.heard("do not belong together; model fitted")

        page.open(page.page.url.split("?")[0])
        assert page.tell("studio.state.counts.bulk") == len(chosen)
        assert page.tell("studio.state.links") == [[2, 31, False]]

        studio.end()
        page.press("1")
        page.page.get_by_text("nothing is lost").wait_for()
        assert page.tell("studio.answers.queue.length") == 1

    session, expected = resumed(data)
    names = ("north", "east", "south")
    for row, k in told:
        expected = expected.tell(row, names[k])
    expected = expected.tell(either, {"north", "south"}).undo().undo().tell(again, {"north", "south"})
    expected = expected.tell(chosen, "south", strength=0.3).link(2, 31, same=False)
    assert said(session) == said(expected)
    np.testing.assert_array_equal(session.y, expected.y)
    with StudioProcess(data, "--key", "id") as studio, StudioPage(chromium, studio.address) as page:
        assert page.tell("studio.state.rev") == len(expected.events)
        check_files(page, expected)


def test_the_same_job_by_keyboard_alone(chromium, data):
    with (
        served(data, reading={"key": "id"}) as studio,
        StudioPage(chromium, studio.address) as page,
    ):
        named = []
        for key, name in (("1", "north"), ("t", "east"), ("t", "south")):
            page.ready()
            named.append((page.tell("studio.current"), name))
            page.press(key)
            page.page.keyboard.type(name)
            page.press("Enter")
            page.heard(f"is {name}; model fitted")
        hard = [page.answer(f"{1 + k % 3}") for k in range(3)]
        subset = page.answer("Shift+Digit1", "Shift+Digit2", "Enter")
        outlier = page.answer("0")
        skipped = page.answer("Space")

        page.ready()
        soft = page.tell("studio.current")
        page.press("s", "Home", "Tab", "End", "Tab", "Home", *["ArrowRight"] * 5, "Enter")
        page.heard("east 80%, south 20%; model fitted")

        page.ready()
        page.press("l")
        page.page.keyboard.type("20")
        page.press("Enter")
        page.until("studio.chosen.length")
        chosen = page.tell("studio.chosen")
        page.press("2")
        page.heard("are east; model fitted" if len(chosen) > 1 else "is east; model fitted")

        page.page.locator("#map").focus()
        page.ready()
        first = page.tell("studio.current")
        page.press("m")
        for key in ("ArrowRight", "ArrowLeft", "ArrowUp", "ArrowDown"):
            page.press(key)
            if page.tell("studio.current") != first:
                break
        other = page.tell("studio.current")
        page.press("m")
        page.heard("belong together; model fitted")
        page.press("u")
        page.heard("Undone")
        page.press("Control+Shift+z")
        page.heard("Done again")

        page.press("r")
        page.page.get_by_role("textbox", name="New name of north").focus()
        page.press("ControlOrMeta+a")
        page.page.keyboard.type("up")
        page.press("Enter")
        page.leave()
        page.until("studio.state.classes[0].name === 'up'")

        page.page.locator("#export summary").focus()
        page.press("Enter", "Tab")
        assert page.page.evaluate("document.activeElement.textContent") == "labels.csv"
        with page.page.expect_download() as download:
            page.press("Enter")
        assert download.value.suggested_filename == "labels.csv"
    session, expected = resumed(data)
    for row, name in named:
        expected = expected.tell(row, name)
    for row, name in zip(hard, ("north", "east", "south"), strict=True):
        expected = expected.tell(row, name)
    expected = expected.tell(subset, {"north", "east"}).tell(outlier, None).skip(skipped)
    expected = expected.tell(soft, {"east": 0.8, "south": 0.2}).tell(chosen, "east", strength=0.3)
    expected = expected.link(first, other, same=True).undo().redo().rename("north", "up")
    assert said(session) == said(expected)
    np.testing.assert_array_equal(session.y, expected.y)


def test_two_tabs_do_not_overwrite_each_other(chromium, data):
    with (
        served(data, reading={"key": "id"}, classes=["north", "east", "south"]) as studio,
        StudioPage(chromium, studio.address) as one,
        StudioPage(chromium, studio.address) as other,
    ):
        held = []
        other.page.route("**/api/events", lambda route: route.continue_() if held else held.append(route))
        row = other.tell("studio.current")
        other.press("2")
        other.page.wait_for_function(
            "() => document.getElementById('facts').textContent.includes('saving')"
        )
        assert one.answer("1") == row  # both tabs were asked about the same row
        while not held:
            other.page.wait_for_timeout(10)
        held[0].continue_()

        unsent = other.page.locator("#unsent")
        unsent.wait_for()
        assert "is east" in unsent.inner_text()
        assert "Another tab" in other.page.locator("#status").inner_text()
        other.until("studio.state.rev === 1")
        session, _ = resumed(data)
        assert session.told.labels == {row: (("north", 1.0),)}  # nothing was overwritten

        other.page.get_by_role("button", name="Send it again").click()
        other.until("studio.state.rev === 2")
        unsent.wait_for(state="hidden")
        one.until("studio.state.rev === 2")  # and the first tab hears of it
        session, _ = resumed(data)
        assert session.told.labels == {row: (("east", 1.0),)}
