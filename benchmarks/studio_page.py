"""The studio's page in a headless browser: milliseconds of a redraw, a lasso and an answer.

    python benchmarks/studio_page.py            # 50,000 and 200,000 rows of 10 columns, 5 clusters

Needs playwright and chromium.  A redraw writes every point and mark into the canvas.  A lasso is an ellipse
of 200 corners around half of the map.  An answer lasts from the key to the frame with the new colours.
Limits are those of the design; a line ends in "slow" if its median is above them.  The best of the turns
says what a machine without other work would need.
"""

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from playwright.sync_api import sync_playwright

P, C, TURNS = 10, 5, 15
LIMITS = {
    50_000: {"redraw": 8, "lasso": 100, "answer": 250},
    200_000: {"redraw": 25, "lasso": 100, "answer": None},
}
REDRAW = """async () => {
  const { map } = await import('/page/main.js');
  return [...Array(TURNS)].map(() => { map.drawNow(); return map.lasted; });
}"""
LASSO = """async () => {
  const { map } = await import('/page/main.js');
  const { inside } = await import('/page/grid.js');
  const line = [...Array(200).keys()].map((k) => (2 * Math.PI * k) / 200)
    .map((turn) => [0.5 + 0.35 * Math.cos(turn), 0.5 + 0.35 * Math.sin(turn)]);
  return [...Array(TURNS)].map(() => {
    const began = performance.now();
    inside(map.points, line);
    return performance.now() - began;
  });
}"""
ANSWER = """async () => {
  const { map, studio } = await import('/page/main.js');
  const times = [];
  for (let turn = 0; turn < TURNS; turn++) {
    while (studio.current < 0 || studio.answers.queue.length || studio.state.busy || studio.refreshing)
      await new Promise((done) => setTimeout(done, 20));
    const wanted = studio.state.rev + 1;
    const painted = new Promise((done) => {
      const paint = map.drawNow.bind(map);
      map.drawNow = () => {
        paint();
        if (studio.state.fitted >= wanted) { delete map.drawNow; requestAnimationFrame(done); }
      };
    });
    const began = performance.now();
    const key = String(1 + (turn % 5));
    const press = { key, code: `Digit${key}`, bubbles: true };
    document.body.dispatchEvent(new KeyboardEvent('keydown', press));
    await painted;
    times.push(performance.now() - began);
  }
  return times;
}"""


def write_rows(path, n):
    """Write blobs of five classes."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(C, P))[rng.integers(C, size=n)] * 3 + rng.normal(size=(n, P))
    header = ",".join(f"x{j}" for j in range(P))
    np.savetxt(path, X, delimiter=",", fmt="%.3f", header=header, comments="")


def measured(browser, path):
    """Start a studio on a file, and return the times of its page."""
    classes = ",".join(f"class {k + 1}" for k in range(C))
    command = [sys.executable, "-m", "softclust", "studio", path, "--no-browser", "--clusters", str(C)]
    studio = subprocess.Popen([*command, "--classes", classes], stderr=subprocess.PIPE, text=True)
    try:
        address = next(found.group() for line in studio.stderr if (found := re.search(r"http://\S+", line)))
        page = browser.new_page(viewport={"width": 1280, "height": 800})
        page.set_default_timeout(120_000)
        page.goto(address)
        page.wait_for_selector("#questions tbody tr", state="attached")
        turns = {"redraw": REDRAW, "lasso": LASSO, "answer": ANSWER}
        times = {what: page.evaluate(code.replace("TURNS", str(TURNS))) for what, code in turns.items()}
        page.close()
        return times
    finally:
        studio.kill()
        studio.wait()


def main():
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    print(f"{'':30} best   median    worst  limit (ms)")
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as folder:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        for n, limits in LIMITS.items():
            path = Path(folder, f"rows{n}.csv")
            write_rows(path, n)
            for what, times in measured(browser, path).items():
                middle, limit = np.median(times), limits[what]
                slow = "slow" if limit is not None and middle > limit else ""
                shown = f"{min(times):10.1f} {middle:8.1f} {max(times):8.1f}"
                print(f"{what:8} of {n:9,} rows {shown} {limit or '':6}  {slow}")
        browser.close()


if __name__ == "__main__":
    main()
