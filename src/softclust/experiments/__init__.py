"""The tables and figures of five papers, run again by their protocols, beside the printed numbers."""

from __future__ import annotations

from softclust.experiments import antoine2018, liu_wu, ortiz, storage, xia2011, xie_antoine
from softclust.experiments.frame import VERDICTS, Effort, Experiment, Line

PAPERS = {
    "000": "Antoine, Guerrero, Boone & Romero, Possibilistic clustering with seeds (2018)",
    "001": "Liu & Wu, Semi-supervised possibilistic fuzzy c-means on maximized central distance",
    "002": "Xie & Antoine, On a new evidential c-means algorithm with instance-level constraints",
    "003": "Xia, Han, Liu & Zhou, A sample-weighted robust fuzzy c-means clustering algorithm (2011)",
    "004": "Ortiz, Unsupervised learning: optimization-based clustering",
}
EXPERIMENTS: tuple[Experiment, ...] = (
    *antoine2018.EXPERIMENTS,
    *liu_wu.EXPERIMENTS,
    *xie_antoine.EXPERIMENTS,
    *xia2011.EXPERIMENTS,
    *ortiz.EXPERIMENTS,
)


def chosen(paper=None, name=None):
    """Return the experiments of a paper, the one with this name, or all of them.

    Parameters
    ----------
    paper : str, default=None
        Number of a paper, a key of `PAPERS`; None takes all papers.
    name : str, default=None
        Name of an experiment, such as "table1"; None takes all experiments.

    Returns
    -------
    list of Experiment
        At least one.
    """
    if paper is not None and paper not in PAPERS:
        raise ValueError(f"There is no paper {paper!r}; it is one of {', '.join(PAPERS)}.")
    of_paper = [e for e in EXPERIMENTS if paper in (None, e.paper)]
    found = [e for e in of_paper if name in (None, e.name)]
    if not found:
        raise ValueError(f"Paper {paper} has no {name!r}; it has {', '.join(e.name for e in of_paper)}.")
    return found


def run(experiment, effort, folder=None):
    """Return the lines of an experiment, from `folder` if they are stored there; else run and store them.

    Parameters
    ----------
    experiment : Experiment
        The experiment.
    effort : Effort
        How many draws to make.
    folder : path, default=None
        Folder of stored results; None always runs the experiment and stores nothing.

    Returns
    -------
    list of Line
        The lines of the experiment.
    """
    if folder is None:
        return experiment.run(effort)
    path = storage.place(folder, experiment, effort.quick)
    lines = storage.load(path)
    if lines is None:
        lines = experiment.run(effort)
        storage.keep(path, lines)
    return lines


__all__ = ["EXPERIMENTS", "PAPERS", "VERDICTS", "Effort", "Experiment", "Line", "chosen", "run"]
