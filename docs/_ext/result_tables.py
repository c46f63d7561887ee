"""The directive `results`: a section of benchmarks/RESULTS.md as `make bench` wrote it."""

import re
from pathlib import Path

from docutils import nodes
from docutils.parsers.rst import Directive

RESULTS = Path(__file__).parents[2] / "benchmarks" / "RESULTS.md"


def setup(app):
    app.add_directive("results", Results)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


class Results(Directive):
    """The text of a section, by its heading; without one, the words before the first section."""

    optional_arguments = 1
    final_argument_whitespace = True

    def run(self):
        self.state.document.settings.env.note_dependency(str(RESULTS))
        found = sections()
        wanted = self.arguments[0] if self.arguments else ""
        if wanted not in found:
            raise self.error(f"benchmarks/RESULTS.md has no section {wanted!r}; it has {sorted(found)}")
        return [
            node
            for part in re.split(r"(```text\n.*?```)", found[wanted], flags=re.DOTALL)
            for node in _nodes(part)
        ]


def sections():
    """The text of each section of the results by its heading."""
    head, *rest = re.split(r"^## ", RESULTS.read_text(), flags=re.MULTILINE)
    named = dict(part.split("\n", 1) for part in rest)
    return {"": head.split("\n", 1)[1], **named}


def _nodes(part):
    if part.startswith("```text"):
        block = nodes.literal_block(text=part.removeprefix("```text\n").removesuffix("```").rstrip())
        block["language"] = "text"
        return [block]
    return [nodes.paragraph("", "", *_inline(text)) for text in re.split(r"\n\n+", part.strip()) if text]


def _inline(text):
    for piece in re.split(r"(`[^`]*`)", " ".join(text.split())):
        yield nodes.literal(text=piece.strip("`")) if piece.startswith("`") else nodes.Text(piece)
