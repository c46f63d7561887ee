"""The commands and their options; the work is done in a module for each, loaded when called."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import App, Parameter

import softclust

app = App(
    name="softclust",
    version=softclust.__version__,
    help="Soft clustering for data whose classes overlap, with noise and a little knowledge.",
    help_format="plaintext",  # a reader of Markdown takes a fifth of the time to print it
)


@app.command
def demo(
    *,
    out: Path = Path("memberships.csv"),
    report: Path = Path("report.html"),
    seed: int = 0,
    force: bool = False,
):
    """Cluster a noisy Iris with a few labels: clusters, doubtful rows, outliers, memberships, a report.

    Parameters
    ----------
    out
        Where the memberships are written.
    report
        Where the page with pictures is written.
    seed
        Draws the noise, the labels and the start.
    force
        Replace the files if they exist.
    """
    from softclust.cli.demo import run

    run(out, report, seed, force)


@app.command
def fit(
    *data: Path,
    clusters: int | None = None,
    method: str = "fcm",
    labels: str | None = None,
    must_link: Path | None = None,
    cannot_link: Path | None = None,
    columns: list[str] | None = None,
    drop: list[str] | None = None,
    standardize: bool = False,
    set_: Annotated[list[str] | None, Parameter(name="--set")] = None,
    seed: int = 0,
    out: Path | None = None,
    model: Path | None = None,
    report: Path | None = None,
    dask: bool = False,
    scheduler: str | None = None,
    json: bool = False,
    force: bool = False,
):
    """Cluster the rows of CSV, Parquet or Arrow files.

    Memberships go to --out, or to the standard output; what was found is told on the standard error.

    Parameters
    ----------
    data
        The rows, in one file or in several with the same columns; all numeric columns are used but those
        of --labels and --drop.
    clusters
        How many; by default as many as there are classes in --labels.
    method
        A name that `softclust methods` lists.
    labels
        A column with what is known: a class, or nothing where none is known.
    must_link
        A file of pairs of rows (from 0) that belong together, perhaps with a strength.
    cannot_link
        The same of rows that belong apart.
    columns
        Use these columns alone; say it again for each.
    drop
        Leave these columns out; say it again for each.
    standardize
        Give every column mean 0 and standard deviation 1 first.
    set_
        A parameter of the method, as m=1.5; say it again for each.
    seed
        Draws the start.
    out
        Where memberships are written: .csv, .parquet or .arrow.
    model
        Where the model is written, for `softclust predict`, `plot` and `report`.
    report
        Where a page about the fit is written, as report.html.
    dask
        Read the files in parts, by a cluster: for more rows than memory holds. Its processes are on this
        machine and talk to this machine alone. Memberships are written where --out says so.
    scheduler
        The address of a scheduler whose cluster does that instead, as tcp://10.0.0.1:8786.
    json
        Print a summary as JSON in place of tables.
    force
        Replace files that exist.
    """
    from softclust.cli.fit import fit as run

    run(
        data, clusters=clusters, method=method, labels_column=labels, must_link=must_link,
        cannot_link=cannot_link, columns=columns, drop=drop, standardize=standardize, settings=set_,
        seed=seed, out=out, model_path=model, report_path=report, dask=dask or scheduler is not None,
        scheduler=scheduler, as_json=json, force=force,
    )  # fmt: skip


@app.command
def predict(model: Path, data: Path, *, out: Path | None = None, force: bool = False):
    """Memberships of new rows, by a model that `softclust fit --model` wrote.

    Parameters
    ----------
    model
        The model.
    data
        The rows; the columns that the model was fitted on are found by their names.
    out
        Where memberships are written; by default the standard output.
    force
        Replace the file if it exists.
    """
    from softclust.cli.fit import predict as run

    run(model, data, out=out, force=force)


@app.command
def plot(model: Path, data: Path, *, out: Path, kind: str = "map", force: bool = False):
    """Draw a model and its rows: .png, .svg or .pdf.

    Parameters
    ----------
    model
        A model that `softclust fit --model` wrote.
    data
        The rows.
    out
        Where the picture is written.
    kind
        map, heatmap, silhouette, convergence; ternary for three clusters; typicality for possibilistic,
        credal and masses for evidential models.
    force
        Replace the file if it exists.
    """
    from softclust.cli.plot import run

    run(model, data, kind, out, force)


@app.command
def report(model: Path, data: Path, *, out: Path = Path("report.html"), force: bool = False):
    """Write one page about a model and its rows, with tables and pictures.

    Parameters
    ----------
    model
        A model that `softclust fit --model` wrote.
    data
        The rows that it was fitted on.
    out
        Where the page is written; it needs no other file.
    force
        Replace the file if it exists.
    """
    from softclust.cli.report import run

    run(model, data, out, force)


@app.command
def select(
    data: Path,
    *,
    clusters: str = "2-8",
    method: str = "fcm",
    index: str = "simplified_fuzzy_silhouette",
    columns: list[str] | None = None,
    drop: list[str] | None = None,
    standardize: bool = False,
    set_: Annotated[list[str] | None, Parameter(name="--set")] = None,
    seed: int = 0,
    out: Path | None = None,
    json: bool = False,
    force: bool = False,
):
    """Compare numbers of clusters by validity indices.

    Parameters
    ----------
    data
        The rows.
    clusters
        Numbers to try, as 2-8 or 2,3,5.
    method
        A name that `softclust methods` lists.
    index
        The index that decides; all are shown.
    columns
        Use these columns alone; say it again for each.
    drop
        Leave these columns out; say it again for each.
    standardize
        Give every column mean 0 and standard deviation 1 first.
    set_
        A parameter of the method, as m=1.5; say it again for each.
    seed
        Draws the starts.
    out
        Where the table is written.
    json
        Print the table as JSON.
    force
        Replace the file if it exists.
    """
    from softclust.cli.fit import select as run

    run(
        data, clusters=clusters, method=method, index=index, columns=columns, drop=drop,
        standardize=standardize, settings=set_, seed=seed, out=out, as_json=json, force=force,
    )  # fmt: skip


@app.command
def methods(*, json: bool = False):
    """List the methods, each with its paper.

    Parameters
    ----------
    json
        As JSON.
    """
    from softclust.cli.fit import methods as run

    run(json)


@app.command
def reproduce(
    paper: str | None = None,
    name: str | None = None,
    /,
    *,
    quick: bool = False,
    out: Path | None = None,
    again: bool = False,
    json: bool = False,
    force: bool = False,
):
    """Run the papers' tables and figures again, beside what was printed, with a verdict for each.

    Parameters
    ----------
    paper
        000 Antoine 2018, 001 Liu & Wu, 002 Xie & Antoine, 003 Xia 2011, 004 Ortiz; all by default.
    name
        A table or figure of that paper, as table1.
    quick
        Fewer draws: minutes for all.
    out
        A folder for the figures as PNG; none are drawn without.
    again
        Run also what was run before, whose results are kept.
    json
        Print the lines as JSON.
    force
        Replace figures that exist.
    """
    from softclust.cli.reproduce import run

    run(paper, name, quick, out, again, json, force)
