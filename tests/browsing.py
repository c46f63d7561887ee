"""A studio in a process of its own, and a browser that looks at it."""

import os
import re
import shutil
import subprocess
import sys
import threading
from contextlib import contextmanager

import pytest

PATIENCE = 60  # seconds; a busy machine is slow, a hanging page is an error
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


@contextmanager
def browser():
    """Open chromium, or skip the test with a word."""
    driver = pytest.importorskip("playwright.sync_api", reason="the page is tested with playwright")
    if CHROMIUM is None:
        pytest.skip("the page is tested with chromium, which is not installed")
    with driver.sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield opened
        opened.close()


class StudioProcess:
    """`python -m softclust studio ...`, its address with the token, and its end."""

    def __init__(self, *arguments):
        command = [sys.executable, "-m", "softclust", "studio", *map(str, arguments), "--no-browser"]
        quiet = {**os.environ, "NO_COLOR": "1", "COLUMNS": "200"}
        self.process = subprocess.Popen(
            command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=quiet
        )
        watchdog = threading.Timer(PATIENCE, self.process.kill)
        watchdog.start()
        said = []
        for line in self.process.stderr:
            said.append(line)
            found = re.search(r"http://\S+", line)
            if found:
                break
        watchdog.cancel()
        if not said or not found:
            self.end()
            raise AssertionError(f"The studio did not start: {''.join(said)}")
        self.address = found.group()

    def end(self):
        """Kill the process as a power cut would."""
        self.process.kill()
        self.process.wait()
        self.process.stderr.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.end()


class StudioPage:
    """The page of a studio in a browser, with the questions that tests ask it."""

    def __init__(self, browser, address, width=1280, height=800, **options):
        self.context = browser.new_context(viewport={"width": width, "height": height}, **options)
        self.page = self.context.new_page()
        self.page.set_default_timeout(1000 * PATIENCE)
        self.errors = []
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.goto(address)
        self.open(address.split("?")[0])

    def open(self, address):
        """Open the page without movement, and wait for its first question."""
        self.page.goto(f"{address}?still")
        self.page.evaluate("import('/page/main.js').then((parts) => { window.parts = parts; })")
        self.ready()

    def ready(self):
        """Wait until the card shows the current row and nothing is on its way."""
        self.until("studio.state && studio.current >= 0 && !studio.answers.queue.length")
        self.until("document.getElementById('card').dataset.row === String(studio.current)")

    def tell(self, expression):
        """Evaluate an expression with the page's `studio` and `map`."""
        return self.page.evaluate(f"(({{ studio, map }}) => ({expression}))(window.parts)")

    def until(self, expression):
        """Wait until an expression with the page's `studio` and `map` holds."""
        self.page.wait_for_function(f"() => (({{ studio, map }}) => ({expression}))(window.parts)")

    def press(self, *keys):
        """Press keys one after the other."""
        for key in keys:
            self.page.keyboard.press(key)

    def leave(self):
        """Press escape, and wait until no dialog is open."""
        self.press("Escape")
        self.page.wait_for_function("() => !document.querySelector('dialog[open]')")

    def heard(self, words):
        """Wait until the page announces these words."""
        self.page.wait_for_function(
            "words => document.getElementById('status').textContent.includes(words)", arg=words
        )

    def answer(self, *keys):
        """Answer the current row with keys, wait for the model, and return the row."""
        self.ready()
        row = self.tell("studio.current")
        number = self.tell("studio.numberOf(studio.current)")
        self.press(*keys)
        self.heard(f"Row {number} is ")
        self.heard("model fitted")
        self.ready()
        return row

    def place(self, row):
        """Where a row is in the window."""
        box = self.page.locator("#map").bounding_box()
        x, y = self.tell(f"map.screenOf({row})")
        return box["x"] + x + 1, box["y"] + y + 1  # the border of the map

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        self.context.close()
        if kind is None:
            assert self.errors == []
