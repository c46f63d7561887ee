"""The ```python blocks of the pages are run, page by page, in order, as one program.

If a block ```output follows, what was printed must equal it.  A page with the comment `<!-- needs NAME -->`
is run only where that module is.  Figures that a page leaves open are saved as
`figures/<page>-<number>.png`, where the page shows them.  `python docs/_ext/blocks.py [pages]` runs the
blocks alone, and with `--write` it puts what they print into the pages.
"""

import hashlib
import io
import os
import re
import sys
import tempfile
import warnings
from contextlib import chdir, redirect_stdout
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

DOCS = Path(__file__).parents[1]
NEEDS = re.compile(r"<!-- needs ([\w.]+) -->")
FENCE = re.compile(r"^```(python|output)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Block:
    """A block of a page: the code, where it starts, and what it must print (None: anything)."""

    code: str
    line: int
    printed: str | None


def pages(docs=DOCS):
    """Every page with blocks to run."""
    skipped = {"_build", "gallery", "generated"}
    found = sorted(p for p in docs.rglob("*.md") if not skipped & set(p.relative_to(docs).parts))
    kept = [page for page in found if blocks(page) and _is_possible(page)]
    if len({page.stem for page in kept}) < len(kept):
        raise ValueError("two pages with code blocks have one name; their figures would be mixed up")
    return kept


def _is_possible(page):
    """Whether the modules that a page needs are installed."""
    return all(find_spec(name) is not None for name in NEEDS.findall(page.read_text()))


def blocks(page):
    """The blocks of a page in their order."""
    text = page.read_text()
    found = list(FENCE.finditer(text))
    out = []
    for k, match in enumerate(found):
        if match[1] == "output":
            continue
        after = found[k + 1] if k + 1 < len(found) else None
        follows = (
            after is not None and after[1] == "output" and not text[match.end() : after.start()].strip()
        )
        out.append(Block(match[2], text.count("\n", 0, match.start()) + 2, after[2] if follows else None))
    return out


def run_page(page, figures=None, heard=None):
    """Run the blocks of a page in a folder of their own; return a sentence for each that fails.

    A list `heard` takes what each block prints, which is then not compared with the page.
    """
    names = {"__name__": page.stem}
    wrong = []
    with tempfile.TemporaryDirectory() as folder, chdir(folder), warnings.catch_warnings():
        warnings.simplefilter("error")
        for block in blocks(page):
            told = io.StringIO()
            place = f"{page.relative_to(DOCS)}:{block.line}"
            try:
                with redirect_stdout(told):
                    code = "\n" * (block.line - 1) + block.code
                    exec(compile(code, str(page), "exec", dont_inherit=True), names)
            except Exception as error:
                wrong.append(f"{place}: {type(error).__name__}: {error}")
                break
            if heard is not None:
                heard.append(told.getvalue())
            elif block.printed is not None and told.getvalue().rstrip() != block.printed.rstrip():
                wrong.append(
                    f"{place}: prints\n{told.getvalue().rstrip()}\nand the page says\n{block.printed}"
                )
        _save_figures(page, figures)
    return wrong


def _save_figures(page, folder):
    """Save the open figures of a page, and close them."""
    pyplot = sys.modules.get("matplotlib.pyplot")
    if pyplot is None:
        return
    for number in pyplot.get_fignums() if folder is not None else []:
        figure = pyplot.figure(number)
        figure.savefig(folder / f"{page.stem}-{number}.png", dpi=160, bbox_inches="tight")
    pyplot.close("all")


def write_outputs(page):
    """Put what the blocks of a page print into its ```output blocks."""
    heard = []
    wrong = run_page(page, heard=heard)
    text = page.read_text()
    for block, told in reversed(list(zip(blocks(page), heard, strict=False))):
        if block.printed is not None:
            start = text.index("\n```output\n", _offset(text, block.line)) + len("\n```output\n")
            text = text[:start] + told.rstrip() + "\n" + text[start + len(block.printed) :]
    page.write_text(text)
    return wrong


def _offset(text, line):
    return sum(len(part) for part in text.splitlines(keepends=True)[: line - 1])


def setup(app):
    app.connect("builder-inited", _run_all, priority=90)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def _run_all(app):
    """Run every page that changed since its last run."""
    from sphinx.util import logging

    log = logging.getLogger(__name__)
    figures = Path(app.srcdir) / "figures"
    figures.mkdir(exist_ok=True)
    count = 0
    for page in pages():
        stamp = figures / f".{page.stem}.run"
        digest = hashlib.sha256(page.read_bytes()).hexdigest()
        if stamp.exists() and stamp.read_text() == digest:
            continue
        wrong = run_page(page, figures)
        for sentence in wrong:
            log.warning("%s", sentence, type="blocks", subtype="failed")
        if not wrong:
            stamp.write_text(digest)
        count += 1
    log.info("code blocks: ran %d pages of %d", count, len(pages()))


if __name__ == "__main__":
    os.environ.setdefault("MPLBACKEND", "agg")
    chosen = [Path(name).resolve() for name in sys.argv[1:] if name != "--write"] or pages()
    work = write_outputs if "--write" in sys.argv else run_page
    problems = [sentence for page in chosen for sentence in work(page)]
    sys.exit("\n".join(problems) or None)
