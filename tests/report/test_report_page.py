"""The report in a real browser: it fits a phone, sorts, searches, and runs nothing of the data."""

import os
import shutil

import pytest

from reports import EVIL, PAGES

sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
SCREENS = [(1280, "light"), (1280, "dark"), (390, "dark"), (390, "light")]  # one change at a time


@pytest.fixture(scope="module")
def browser():
    with sync_api.sync_playwright() as playwright:
        try:
            found = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        except sync_api.Error as error:
            pytest.skip(f"chromium does not start: {str(error).splitlines()[0]}")
        yield found
        found.close()


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """A function that writes a page once and returns its address."""
    folder, known = tmp_path_factory.mktemp("pages"), {}

    def address(name):
        if name not in known:
            known[name] = folder / f"{len(known)}.html"
            known[name].write_text(PAGES[name](), encoding="utf-8")
        return known[name].as_uri()

    return address


@pytest.fixture(scope="module")
def window(browser):
    """A window for all pages, and the list of what went wrong in it."""
    trouble, context = [], browser.new_context()
    page = context.new_page()
    page.on("console", lambda message: trouble.append(message.text))
    page.on("pageerror", lambda error: trouble.append(str(error)))
    page.on("dialog", lambda dialog: (trouble.append("a dialog"), dialog.dismiss()))
    page.on("request", lambda asked: None if asked.url.startswith("file:") else trouble.append(asked.url))
    yield page, trouble
    context.close()


@pytest.fixture
def opened(window, files):
    """A function that opens a page; no script may fail, and no dialog may appear."""
    page, trouble = window
    trouble.clear()

    def open_page(name, width=1280, scheme="light"):
        show_on(page, width, scheme)
        page.goto(files(name))
        page.mouse.move(0, 0)  # where the mouse of a window without a past is
        return page

    yield open_page
    page.goto("about:blank")  # what the page still had to say is heard before
    assert [one for one in trouble if one != "about:blank"] == []


def show_on(page, width, scheme):
    """Give the window another size or other colours, where it has not these."""
    if page.viewport_size != {"width": width, "height": 900}:
        page.set_viewport_size({"width": width, "height": 900})
    page.emulate_media(color_scheme=scheme)


def on_every_screen(page):
    """Yield the width and the colours of each screen, once the page is shown on it."""
    for width, scheme in SCREENS:
        show_on(page, width, scheme)
        yield width, scheme


@pytest.mark.parametrize("name", PAGES)
def test_no_page_scrolls_sideways(opened, name):
    page = opened(name)
    page.evaluate("[...document.querySelectorAll('details')].slice(0, 2).forEach((d) => (d.open = true))")
    for screen in on_every_screen(page):
        wide, window = page.evaluate("[document.documentElement.scrollWidth, window.innerWidth]")
        assert wide <= window == screen[0], screen


def test_text_stands_out_from_its_ground(opened):
    page, grounds = opened("wine"), set()
    for screen in on_every_screen(page):
        ratios = page.evaluate(CONTRAST)
        assert min(ratios.values()) >= 4.5, (screen, ratios)
        grounds.add(page.evaluate("getComputedStyle(document.body).backgroundColor"))
    assert len(grounds) == 2


CONTRAST = """() => {
  const light = (colour) => {
    const [r, g, b] = colour.match(/[\\d.]+/g).slice(0, 3).map((v) => v / 255)
      .map((v) => (v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ground = (element) => {
    for (let e = element; e; e = e.parentElement) {
      const colour = getComputedStyle(e).backgroundColor;
      if (!colour.endsWith(", 0)")) return colour;
    }
    return "rgb(255, 255, 255)";
  };
  const ratios = {};
  const seen = ["body", ".quiet", "nav a", ".card p", ".row summary", "th", "td", ".summary a", ".note"];
  for (const selector of seen) {
    const element = document.querySelector(selector);
    const [a, b] = [light(getComputedStyle(element).color), light(ground(element))].sort((x, y) => y - x);
    ratios[selector] = (a + 0.05) / (b + 0.05);
  }
  return ratios;
}"""


def cells(page, column):
    """The numbers of a column of the table of rows, from top to bottom."""
    found = page.locator("#rows tbody tr").evaluate_all(
        "(rows, column) => rows.map((row) => row.cells[column].dataset.sort)", column
    )
    return [float(value) for value in found]


def test_a_table_is_sorted_by_its_headings(opened):
    page = opened("wine", 390)
    heading = page.locator("#rows th", has_text="proline")
    column = page.locator("#rows th").evaluate_all(
        "(all) => all.findIndex((e) => e.textContent === 'proline')"
    )
    heading.locator("button").click()
    assert heading.get_attribute("aria-sort") == "ascending"
    first = cells(page, column)
    assert first == sorted(first) and len(first) == 178
    heading.locator("button").focus()
    page.keyboard.press("Enter")
    assert heading.get_attribute("aria-sort") == "descending"
    assert cells(page, column) == sorted(first, reverse=True)
    page.locator("#rows th", has_text="doubt").locator("button").click()  # a word with a tooltip
    assert heading.get_attribute("aria-sort") is None
    assert cells(page, 5) == sorted(cells(page, 5))


def test_words_are_sorted_as_words(opened):
    page = opened("wine")
    page.locator("#validity th", has_text="index").locator("button").click()
    names = page.locator("#validity tbody td:first-child").all_inner_texts()
    assert names == sorted(names)


def test_a_table_is_searched(opened):
    page = opened("wine", 390)
    page.locator("#rows input").fill("barolo")
    shown = page.locator("#rows tbody tr:not([hidden])")
    texts = shown.all_inner_texts()
    assert 0 < len(texts) < 178
    assert all("barolo" in text.lower() for text in texts)
    assert page.locator("#rows .search span").inner_text() == f"{len(texts)} of 178 rows"
    page.locator("#rows input").fill("barolo no such thing")
    assert shown.count() == 0
    page.locator("#rows input").fill("")
    assert shown.count() == 178


def test_words_are_explained_by_mouse_and_by_keyboard(opened):
    page = opened("wine", 390)
    term = page.locator("#summary .term").first
    tip = term.locator("[role=tooltip]")
    assert not tip.is_visible()
    term.hover()
    assert tip.is_visible() and "sum to 1" in tip.inner_text()
    page.mouse.move(0, 0)
    assert not tip.is_visible()
    term.focus()
    assert tip.is_visible()
    box = tip.bounding_box()
    assert box["x"] >= 0 and box["x"] + box["width"] <= 390
    page.keyboard.press("Escape")
    assert not tip.is_visible()


def test_names_of_the_data_are_text(opened):
    page = opened("evil", 390, "dark")
    assert page.locator("script").count() == 1
    assert page.locator("img").count() == 0
    assert page.locator("h1").inner_text() == EVIL
    page.locator("#rows th button").first.click()
    page.locator("#rows input").fill("alert(1)")
    assert page.locator("#rows tbody tr:not([hidden])").count() > 0
    page.locator("summary").first.click()
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    for _ in on_every_screen(page):
        page.locator("#map").hover()


def test_the_policy_refuses_other_scripts(browser, files):
    context = browser.new_context()
    page = context.new_page()
    said = []
    page.on("console", lambda message: said.append(message.text))
    page.goto(files("wine"))
    page.evaluate("() => { const s = document.createElement('script'); s.text = 'window.ran = 1';"
                  " document.body.append(s); }")  # fmt: skip
    assert page.evaluate("window.ran") is None
    assert any("Content Security Policy" in one for one in said)
    context.close()


def test_tables_are_read_without_the_script(browser, files):
    context = browser.new_context(java_script_enabled=False, viewport={"width": 390, "height": 900})
    page = context.new_page()
    page.goto(files("wine"))
    assert page.locator("#rows tbody tr").count() == 178
    assert page.locator("button").count() == page.locator("input").count() == 0
    context.close()
