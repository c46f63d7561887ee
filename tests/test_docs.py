"""What the documentation shows is what happens, and what it names is there."""

import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
sys.path.insert(0, str(DOCS / "_ext"))

import blocks  # noqa: E402

sys.path.pop(0)
PAGES = blocks.pages()
SLOW = {"active", "command_line"}


def _named(page):
    name = page.relative_to(DOCS).with_suffix("").as_posix()
    return pytest.param(page, id=name, marks=[pytest.mark.slow] if page.stem in SLOW else [])


@pytest.mark.parametrize("page", [_named(page) for page in PAGES])
def test_the_blocks_of_a_page_run(page, monkeypatch):
    monkeypatch.setenv("MPLBACKEND", "agg")
    assert blocks.run_page(page) == []


def test_a_block_that_prints_something_else_is_found(tmp_path, monkeypatch):
    monkeypatch.setattr(blocks, "DOCS", tmp_path)
    page = tmp_path / "page.md"
    page.write_text("```python\nprint(1)\n```\n\n```output\n2\n```\n\n```python\n1 / 0\n```\n")
    differs, fails = blocks.run_page(page)
    assert differs.startswith("page.md:2: prints\n1")
    assert fails == "page.md:10: ZeroDivisionError: division by zero"
    blocks.write_outputs(page)
    assert "```output\n1\n```" in page.read_text()


def test_every_promise_names_a_test_that_is_there():
    named = re.findall(r"`(tests/[\w/.]*)(?:::(\w+))?`", (DOCS / "background/guarantees.md").read_text())
    assert len(named) > 30
    for file, test in named:
        assert (ROOT / file).exists(), file
        assert not test or f"def {test}(" in (ROOT / file).read_text(), f"{file}::{test}"


def test_every_estimator_has_a_place_in_the_decision_page():
    from softclust import estimators

    text = (DOCS / "start/which_method.md").read_text()
    for name in estimators.__all__:
        assert f"| `{name}` |" in text, name
