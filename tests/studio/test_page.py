"""What the page shows: pictures, text, colours, roles, names, contrast; wide and narrow windows."""

import csv
import struct
import zlib

import numpy as np
import pytest
from studio_client import studio as served

from browsing import StudioPage, StudioProcess, browser

ATTACK = "<script>window.attacked = 1</script><img src=x onerror='window.attacked = 2'>"
OKABE_ITO = ("0072b2", "d55e00", "009e73")


def png(path, shade):
    """Write a grey picture of 12 x 12 pixels."""
    lines = b"".join(b"\0" + bytes([shade]) * 12 for _ in range(12))
    parts = [
        (b"IHDR", struct.pack(">IIBBBBB", 12, 12, 8, 0, 0, 0, 0)),
        (b"IDAT", zlib.compress(lines)),
        (b"IEND", b""),
    ]
    body = b"".join(
        struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))
        for kind, content in parts
    )
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + body)


@pytest.fixture(scope="module")
def chromium():
    with browser() as opened:
        yield opened


@pytest.fixture(scope="module")
def studio(chromium, tmp_path_factory):
    """Three groups of rows with a text, an attack in the text, and a picture each."""
    folder = tmp_path_factory.mktemp("studio")
    rng = np.random.default_rng(1)
    with (folder / "rows.csv").open("w", newline="") as file:
        lines = csv.writer(file)
        lines.writerow(["width", "height", "comment", "photo"])
        for i in range(45):
            x, y = rng.normal(size=2) + [(0, 0), (7, 0), (0, 7)][i % 3]
            png(folder / f"{i}.png", 5 * i)
            comment = (
                f"{ATTACK} number {i}"
                if i == 4
                else f"A long remark about the thing with number {i}, in words"
            )
            lines.writerow([round(x, 3), round(y, 3), comment, f"{i}.png"])
    arguments = [
        "--clusters",
        "3",
        "--classes",
        "one,two,three",
        "--pictures",
        folder,
        "--picture-column",
        "photo",
    ]
    with StudioProcess(folder / "rows.csv", *arguments, "--text-column", "comment") as process:
        yield process


@pytest.fixture(scope="module")
def page(chromium, studio):
    with StudioPage(chromium, studio.address, color_scheme="light") as opened:
        yield opened


def go_to(page, row):
    """Open a row by its number."""
    page.press("g")
    page.page.locator("#goto-row").fill(str(page.tell(f"studio.numberOf({row})")))
    page.press("Enter")
    page.until(f"studio.current === {row}")
    page.ready()


def test_pictures_and_text_are_shown_and_stay_text(page):
    go_to(page, 4)
    card = page.page.get_by_role("article", name="The open row")
    picture = card.get_by_role("img", name=f"Picture of row {page.tell('studio.numberOf(4)')}")
    page.page.wait_for_function("() => document.querySelector('#card .picture').naturalWidth === 12")
    assert picture.bounding_box()["height"] > 100  # large
    assert card.locator("blockquote").inner_text() == f"{ATTACK} number 4"

    page.press("t")
    page.page.keyboard.type("<script>x")
    page.press("Enter")
    page.heard("is <script>x; model fitted")
    chip = page.page.get_by_role("group", name="Classes").get_by_role("button", name="<script>x, 1 label")
    assert "<script>x" in chip.inner_text()
    page.press("u")
    page.heard("Undone")
    assert page.page.evaluate("window.attacked") is None
    assert page.page.locator("main script, .answers script, blockquote img").count() == 0


def test_colours_of_the_map_are_winner_and_doubt(page):
    page.ready()
    members = np.frombuffer(bytes(page.tell("[...map.members]")), np.uint8).reshape(-1, 3)
    read = """Promise.all([0]).then(() => [...Array(45).keys()].map((row) => {
        const [x, y] = map.screenOf(row).map(Math.round);
        return [...map.base.getContext('2d').getImageData(x, y, 1, 1).data.slice(0, 3)];
    }))"""
    seen = np.array(page.tell(read))
    hues = np.array([[int(code[k : k + 2], 16) for k in (0, 2, 4)] for code in OKABE_ITO])
    share = 1 - 0.82 * (members[:, 1] // 4) / 63
    wanted = np.round(hues[members[:, 0]] * share[:, None] + 255 * (1 - share[:, None]))
    plain = (members[:, 2] & 4) == 0  # outliers are crosses
    alone = page.tell(
        "[...Array(45).keys()].map((row) => map.rowAt(...map.screenOf(row), 0.5))"
    ) == np.arange(45)
    close = np.abs(seen - wanted).max(axis=1) <= 2
    assert len(np.unique(members[:, 0])) == 3
    assert close[plain & alone].mean() > 0.85  # some discs lie below others
    assert len(np.unique(seen[plain], axis=0)) > 6  # paleness differs


def test_links_and_told_rows_are_marked(page):
    go_to(page, 7)
    page.press("1")
    page.heard("is one; model fitted")
    page.until("map.flags(7) & 1")
    inked = """(() => { const [x, y] = map.screenOf(ROW).map(Math.round);
        const data = map.marks.getContext('2d').getImageData(x - 8, y - 8, 17, 17).data;
        return data.filter((value, k) => k % 4 === 3 && value > 0).length; })()"""
    assert page.tell(inked.replace("ROW", "7")) > 60
    page.press("u")
    page.heard("Undone")
    page.until("!(map.flags(7) & 1)")


def test_parts_of_the_page_against_numpy(page):
    rng = np.random.default_rng(2)
    points = rng.uniform(size=(400, 2)).astype(np.float32)
    corners = [[0.2, 0.1], [0.9, 0.3], [0.7, 0.9], [0.5, 0.4], [0.1, 0.8]]
    queries = rng.uniform(size=(30, 2))
    found = page.page.evaluate(
        """async ([points, corners, queries]) => {
            const grid = await import('/page/grid.js');
            const { hundred } = await import('/page/sliders.js');
            const flat = Float32Array.from(points.flat());
            const index = new grid.Grid(flat);
            return {
              inside: grid.inside(flat, corners),
              nearest: queries.map(([x, y]) => index.nearest(x, y, 0.05, 0.05)),
              group: grid.nearestTo(flat, 7, 25).sort((a, b) => a - b),
              hundreds: [[1, 1, 1], [0, 0, 0], [3, 1, 0], [1, 2, 4, 0, 9]].map(hundred),
            };
        }""",
        [points.tolist(), corners, queries.tolist()],
    )
    assert found["inside"] == [i for i, point in enumerate(points) if odd_crossings(point, corners)]
    far = np.linalg.norm(points[None] - queries[:, None], axis=2)
    assert found["nearest"] == [int(row.argmin()) if row.min() < 0.05 else -1 for row in far]
    assert found["group"] == sorted(np.argsort(((points - points[7]) ** 2).sum(1))[:25].tolist())
    assert found["hundreds"] == [[34, 33, 33], [], [75, 25, 0], [6, 13, 25, 0, 56]]


def odd_crossings(point, corners):
    """Is the point inside the polygon? Count the edges to its right."""
    x, y = map(float, point)
    right = 0
    for (x1, y1), (x2, y2) in zip(corners, corners[1:] + corners[:1], strict=True):
        if (y1 > y) != (y2 > y) and x1 + (y - y1) * (x2 - x1) / (y2 - y1) > x:
            right += 1
    return right % 2 == 1


def test_roles_names_and_live_words(page):
    go_to(page, 10)
    look = page.page
    for role, name in (
        ("application", "Map of 45 rows"),
        ("toolbar", "Map tools"),
        ("tablist", "What to look at"),
        ("tabpanel", "Questions"),
        ("table", "Questions"),
        ("group", "Classes"),
        ("button", "one, "),
        ("combobox", "View"),
        ("textbox", "New class"),
        ("img", "drawn by lot"),
    ):
        assert look.get_by_role(role, name=name).count() >= 1, (role, name)
    assert look.get_by_role("tab", name="Questions").get_attribute("aria-selected") == "true"
    assert look.locator("#status[role=status][aria-live=polite]").count() == 1
    nameless = look.evaluate(
        """() => [...document.querySelectorAll('button, input, select, a, summary')]
            .filter((node) => node.checkVisibility())
            .filter((node) => !(node.ariaLabel || node.labels?.[0]?.textContent || node.textContent).trim())
            .map((node) => node.outerHTML)"""
    )
    assert nameless == []
    look.get_by_role("button", name="Help: all keys").click()
    words = look.get_by_role("dialog", name="All keys").inner_text()
    for key in (
        "1 to 9",
        "Shift + 1 to 9",
        "Enter",
        "0",
        "Space",
        "S",
        "A",
        "N",
        "P",
        "L",
        "D",
        "M",
        "C",
        "U or Ctrl + Z",
        "F",
    ):
        assert f"{key}\n" in words, key
    page.leave()


def test_tab_order_and_visible_focus(page):
    go_to(page, 10)
    page.page.evaluate("document.activeElement.blur()")
    page.page.locator("h1").click()
    seen = []
    for _ in range(80):
        page.press("Tab")
        name, ring = page.page.evaluate(
            """() => {
                const node = document.activeElement;
                const style = getComputedStyle(node);
                const name = node === document.body ? 'body' : node.id || node.textContent.trim();
                return [name, style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2];
            }"""
        )
        if name == "body" or name in seen[:1]:
            break
        assert ring, f"{name} shows no focus"
        seen.append(name)
    wanted = [
        "view", "open-settings", "theme", "open-help", "map", "lasso", "link", "follow", "zoom-in",
        "zoom-out", "home", "tab-questions", "panel", "previous", "next", "ask", "name", "several",
        "open-sliders", "none", "skip", "undo", "redo", "Export",
    ]  # fmt: skip
    assert [name for name in seen if name in wanted] == wanted


CONTRAST = """() => {
  const rgb = (text) => {
    const values = text.match(/[\\d.]+/g).map(Number);
    return values.length < 4 ? [...values, 1] : values;
  };
  const linear = (v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
  const light = ([r, g, b]) =>
    0.2126 * linear(r / 255) + 0.7152 * linear(g / 255) + 0.0722 * linear(b / 255);
  const ground = (node) => {
    for (; node; node = node.parentElement) {
      const colour = rgb(getComputedStyle(node).backgroundColor);
      if (colour[3] === 1) return colour;
    }
    return [255, 255, 255];
  };
  const poor = [];
  for (const node of document.querySelectorAll('body *')) {
    const words = [...node.childNodes].some((child) => child.nodeType === 3 && child.textContent.trim());
    if (!words && !node.matches('input, select')) continue;
    if (!node.checkVisibility() || node.closest('[aria-disabled=true], :disabled, option')) continue;
    const style = getComputedStyle(node, node.matches('input[placeholder]') ? '::placeholder' : null);
    const [a, b] = [light(rgb(style.color)), light(ground(node))];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < 4.5) poor.push(`${node.tagName} ${node.textContent.slice(0, 30)} ${ratio}`);
  }
  return poor;
}"""


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_contrast(page, theme):
    page.ready()
    if page.tell("studio.theme") != theme:
        page.page.get_by_role("button", name="Switch between light and dark").click()
    assert page.page.evaluate("document.documentElement.dataset.theme") == theme
    for key in ("q", "l", "e", "w", "?", "r"):
        page.press(key)
        page.page.wait_for_function("() => !document.querySelector('.loading')")
        assert page.page.evaluate(CONTRAST) == [], f"{theme}, after {key}"
        if key in ("l", "?", "r"):
            page.leave()
    page.press("q")
    page.until("studio.tab === 'questions'")


def test_a_narrow_window(chromium, studio):
    with StudioPage(chromium, studio.address, 390, 844, has_touch=True, color_scheme="dark") as page:
        assert page.tell("studio.theme") == "dark"
        tops = [page.page.locator(which).bounding_box()["y"] for which in ("#map", "#card")]
        assert tops[0] < tops[1]
        for key in ("q", "w", "e", "l", "d", "?", "r"):
            page.press(key)
            assert page.page.evaluate("document.documentElement.scrollWidth") <= 390, f"after {key}"
            page.leave()
        for chip in page.page.locator("#classes button, .other-answers button, [role=tab]").all():
            assert not chip.is_visible() or chip.bounding_box()["height"] >= 40
        page.press("q")
        page.ready()
        before = page.tell("studio.state.rev")
        page.page.get_by_role("group", name="Classes").get_by_role("button").first.tap()
        page.until(f"studio.state.rev === {before + 1}")
        page.press("u")
        page.until(f"studio.state.rev === {before + 2}")


def test_ten_classes_with_long_names(chromium, tmp_path):
    """All classes are in sight, each has its colour, and on a phone nothing is wider than the screen."""
    rng = np.random.default_rng(0)
    with (tmp_path / "rows.csv").open("w", newline="") as file:
        lines = csv.writer(file)
        lines.writerow(["a long name of a column, with its unit", "height", "kind"])
        for i in range(120):
            name = f"class {i % 10} with a long name that nobody would want to type" if i < 60 else ""
            lines.writerow([5 * (i % 10) + rng.normal(), i % 3 + rng.normal(), name])
    reading = {"labels_column": "kind"}
    with served(tmp_path / "rows.csv", reading=reading, clusters=None) as process:
        with StudioPage(chromium, process.address) as page:
            classes = page.page.locator("#classes").bounding_box()
            chips = [chip.bounding_box() for chip in page.page.locator("#classes .chip").all()]
            assert len(chips) == 10
            low = classes["y"] + classes["height"]
            assert all(chip["y"] + chip["height"] <= low for chip in chips)
            fills = page.page.locator("#classes .swatch path").evaluate_all(
                "paths => paths.map((path) => getComputedStyle(path).fill)"
            )
            assert len(set(fills)) == 10
        phone = {"width": 390, "height": 844, "is_mobile": True, "has_touch": True}
        with StudioPage(chromium, process.address, **phone) as page:
            assert page.page.evaluate("[innerWidth, document.documentElement.scrollWidth]") == [390, 390]
            page.press("?")
            assert page.page.locator("#help").evaluate("dialog => dialog.scrollTop") == 0
            page.leave()
            page.press("r")
            wide = "dialog => dialog.scrollWidth - dialog.clientWidth"
            assert page.page.locator("#settings").evaluate(wide) == 0
            page.leave()


def test_zoom_and_pan_keep_the_rows_under_the_mouse(page):
    go_to(page, 10)
    before = np.array(page.place(10))
    mouse = np.round(before)
    page.page.mouse.move(*mouse)
    page.page.mouse.wheel(0, -900)
    page.until("map.zoomed > 2")
    zoomed = mouse + (before - mouse) * page.tell("map.zoomed")  # the place under the mouse stays
    assert np.allclose(page.place(10), zoomed, atol=0.5)
    page.page.mouse.down()
    page.page.mouse.move(*np.add(mouse, [40, 30]), steps=3)
    page.page.mouse.up()
    assert np.allclose(page.place(10), np.add(zoomed, [40, 30]), atol=0.5)
    assert page.tell("studio.current") == 10  # dragging picks nothing
    page.press("h")
    page.until("map.zoomed === 1")
    page.press("+", "-")
    page.until("Math.abs(map.zoomed - 1) < 1e-9")
    page.page.mouse.click(*page.place(20))
    page.until("studio.current === 20")


def test_a_lost_connection_loses_no_answer(chromium, studio):
    with StudioPage(chromium, studio.address) as page:
        before = page.tell("studio.state.rev")
        page.context.set_offline(True)
        page.press("1")
        banner = page.page.get_by_role("alert").filter(has_text="nothing is lost")
        banner.wait_for()
        assert page.tell("studio.answers.queue.length") == 1
        page.context.set_offline(False)
        page.until(f"studio.state.rev === {before + 1}")
        banner.wait_for(state="hidden")
        page.press("u")
        page.until(f"studio.state.rev === {before + 2}")


def test_without_a_stream_the_page_looks_itself(chromium, studio, page):
    with StudioPage(chromium, studio.address) as other:
        other.context.route("**/api/stream", lambda route: route.abort())
        other.open(other.page.url.split("?")[0])
        before = other.tell("studio.state.rev")
        page.ready()
        page.press("2")
        other.until(f"studio.state.rev === {before + 1} && studio.coloured === {before + 1}")
        page.press("u")
        page.until(f"studio.state.rev === {before + 2}")


def test_the_page_is_small_and_holds_no_markup_from_text():
    from importlib.resources import files

    parts = list(files("softclust.studio").joinpath("page").iterdir())
    assert sum(len(part.read_bytes()) for part in parts) < 150_000
    for part in parts:
        text = part.read_text()
        for danger in (
            "innerHTML",
            "outerHTML",
            "insertAdjacentHTML",
            "document.write",
            "eval(",
            'style="',
            'onclick="',
        ):
            assert danger not in text, f"{part.name} has {danger}"
