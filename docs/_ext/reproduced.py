"""The directive `reproduced`: a paper's printed numbers beside ours, from the stored run `reproduced.json`.

`softclust reproduce --json` writes such a run.
"""

import json
from collections import Counter
from pathlib import Path

from docutils import nodes
from docutils.parsers.rst import Directive
from html_tables import table

RUN = Path(__file__).parents[1] / "background" / "reproduced.json"


def setup(app):
    app.add_directive("reproduced", Reproduced)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


class Reproduced(Directive):
    """All tables of one paper by its number; without a number, how often each verdict was given."""

    optional_arguments = 1

    def run(self):
        from softclust.experiments import EXPERIMENTS, VERDICTS

        self.state.document.settings.env.note_dependency(str(RUN))
        lines = json.loads(RUN.read_text())
        if not self.arguments:
            return [_counts(lines, VERDICTS)]
        out = []
        for experiment in EXPERIMENTS:
            name = f"{experiment.paper} {experiment.name}"
            own = [line for line in lines if line["experiment"] == name]
            if experiment.paper == self.arguments[0] and own:
                out += _experiment(experiment, own)
        if not out:
            raise self.error(f"no stored lines of paper {self.arguments[0]!r}")
        return out


def _counts(lines, verdicts):
    papers = sorted({line["experiment"][:3] for line in lines})
    count = Counter((line["experiment"][:3], line["verdict"]) for line in lines)
    rows = [[paper, *[str(count[paper, verdict]) for verdict in verdicts]] for paper in papers]
    return table(["paper", *verdicts], rows)


def _experiment(experiment, lines):
    remarks = list(dict.fromkeys(line["why"] for line in lines if line["why"]))
    rows = []
    for line in lines:
        mark = f" ({remarks.index(line['why']) + 1})" if line["why"] else ""
        rows.append([line["what"], line["paper"], line["ours"], line["verdict"] + mark])
    title = nodes.rubric(text=f"{experiment.name}: {experiment.title}")
    notes = [nodes.paragraph(text=f"({k}) {remark}") for k, remark in enumerate(remarks, 1)]
    return [title, table(["what", "paper", "ours", "verdict"], rows), *notes]
