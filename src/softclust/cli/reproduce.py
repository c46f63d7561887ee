"""`softclust reproduce`: the printed numbers of the papers beside ours."""

from __future__ import annotations

import json
from collections import Counter
from contextlib import nullcontext
from dataclasses import asdict
from importlib.util import find_spec

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from softclust.cli import show
from softclust.cli.tables import Output
from softclust.experiments import PAPERS, VERDICTS, Effort, chosen
from softclust.experiments import run as run_one
from softclust.experiments.storage import default_folder

_COLOURS = dict(zip(VERDICTS, ("green", "cyan", "yellow", "green", "yellow"), strict=True))
_MEANINGS = {
    "reproduced": "our value, or the median of our draws, rounds to the printed one",
    "bracketed": "the printed value lies between the 10th and the 90th percentile of our draws",
    "not reproducible": "no reading of the paper that we tried gives the printed value",
    "confirmed": "what the paper says in words holds here",
    "not confirmed": "what the paper says in words does not hold here",
}


def run(paper, name, quick, out, again, as_json, force):
    experiments = chosen(paper, name)
    pictures = _pictures(experiments, out, force)
    folder = None if again else default_folder()
    words, told, results = show.console(), Console(), []
    with _progress(words) as bar:
        for experiment in experiments:
            effort = Effort(quick, _telling(bar, f"{experiment.paper} {experiment.name}"))
            lines = run_one(experiment, effort, folder)
            origin = {"experiment": f"{experiment.paper} {experiment.name}"}
            results += [origin | asdict(line) for line in lines]
            if not as_json:
                told.print(_table(experiment, lines))
            if experiment in pictures:
                _draw(experiment, effort, pictures[experiment])
                show.say(words, f"Figure: {pictures[experiment].path}")
    if as_json:
        print(json.dumps(results, indent=1))
    else:
        counts = Counter(line["verdict"] for line in results)
        for verdict in VERDICTS:
            if counts[verdict]:
                told.print(f"{counts[verdict]} {verdict}: {_MEANINGS[verdict]}", highlight=False)


def _pictures(experiments, out, force):
    """Return the file of each figure, checked before any work; an empty dict without a folder."""
    if out is None:
        return {}
    if find_spec("matplotlib") is None:
        raise ValueError("Figures need matplotlib: pip install 'softclust[plot]'.")
    out.mkdir(parents=True, exist_ok=True)
    drawn = [e for e in experiments if e.draw is not None]
    return {e: Output(out / f"{e.paper}-{e.name}.png", force) for e in drawn}


def _draw(experiment, effort, output):
    import matplotlib

    matplotlib.use("Agg")
    figure = experiment.draw(effort)
    output.write(lambda path: figure.savefig(path, format="png", dpi=150, bbox_inches="tight"))
    matplotlib.pyplot.close(figure)


def _progress(console):
    """Return a progress bar on a terminal, else a context without a bar."""
    if not console.is_terminal:
        return nullcontext()
    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn()
    return Progress(*columns, console=console, transient=True)


def _telling(bar, title):
    """Return the function that moves the bar at each draw of an experiment."""
    if bar is None:
        return lambda done, whole: None
    for task in bar.task_ids:
        bar.remove_task(task)
    task = bar.add_task(title, total=None)
    return lambda done, whole: bar.update(task, completed=done, total=whole)


def _table(experiment, lines):
    """Return a table of the lines, with each remark once below the table."""
    remarks = list(dict.fromkeys(line.why for line in lines if line.why))
    table = Table(
        title=f"{PAPERS[experiment.paper]}\n{experiment.name}: {experiment.title}",
        caption="\n".join(f"{k} {remark}" for k, remark in enumerate(remarks, 1)),
        caption_justify="left",
    )
    for heading in ("what", "paper", "ours", "verdict"):
        table.add_column(heading, justify="right" if heading in ("paper", "ours") else "left")
    for line in lines:
        colour = _COLOURS.get(line.verdict, "default")
        mark = f" ({remarks.index(line.why) + 1})" if line.why else ""
        table.add_row(line.what, line.paper, line.ours, f"[{colour}]{line.verdict}[/{colour}]{mark}")
    return table
