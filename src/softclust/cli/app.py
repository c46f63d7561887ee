"""The commands and their options; the modules that do the work are loaded when a command runs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import App, Parameter, validators

from softclust.versions import version_line

app = App(
    name="softclust",
    version=version_line,
    help="Soft clustering for data whose classes overlap, with noise and a little knowledge.",
    help_format="plaintext",  # parsing Markdown would take a fifth of the time to print the help
)

# Options of more than one command, with their help.
Method = Annotated[
    str, Parameter(help="Name of a method or an estimator; `softclust methods` lists the names.")
]
Columns = Annotated[
    list[str] | None, Parameter(help="Use this column only; repeat the option for more columns.")
]
Dropped = Annotated[
    list[str] | None, Parameter(help="Leave this column out; repeat the option for more columns.")
]
Kept = Annotated[
    list[str] | None,
    Parameter(help="Use this column although it looks like an identifier, is constant or mostly empty."),
]
Identifier = Annotated[str | None, Parameter(help="Column that names the rows; it comes first in results.")]
Sheet = Annotated[str | None, Parameter(help="Sheet of an Excel file; by default the first.")]
Missing = Annotated[
    list[str] | None,
    Parameter(help="A word that means no value, such as unknown; repeat the option for more words."),
]
OnlyMemberships = Annotated[bool, Parameter(help="Write results alone, without the columns of the file.")]
Standardize = Annotated[
    bool | None,
    Parameter(
        help="Give every column mean 0 and standard deviation 1 first, or median 0 and normal quartiles if "
        "a few values are far from all others. By default yes, unless all columns name one unit."
    ),
]
Seed = Annotated[int, Parameter(validator=validators.Number(gte=0, lte=2**32 - 1))]
Settings = Annotated[
    list[str] | None,
    Parameter(
        name="--set",
        help="A parameter of the method, such as m=1.5; repeat the option for more parameters.",
    ),
]


@app.command
def demo(
    *,
    out: Path = Path("memberships.csv"),
    report: Path = Path("report.html"),
    seed: Seed = 0,
    force: bool = False,
):
    """Cluster Iris with noise and a few labels: show clusters, doubtful rows, outliers; write a report.

    Parameters
    ----------
    out
        File for the memberships.
    report
        File for the report, a page with pictures.
    seed
        Seed of the noise, the labels and the start.
    force
        Replace existing files.
    """
    from softclust.cli.demo import run

    run(out, report, seed, force)


@app.command
def fit(
    *data: Path,
    clusters: int | None = None,
    method: Method = "FuzzyCMeans",
    labels: str | None = None,
    must_link: Path | None = None,
    cannot_link: Path | None = None,
    columns: Columns = None,
    drop: Dropped = None,
    keep: Kept = None,
    id: Identifier = None,
    sheet: Sheet = None,
    missing: Missing = None,
    many_classes: bool = False,
    standardize: Standardize = None,
    set_: Settings = None,
    seed: Seed = 0,
    out: Path | None = None,
    only_memberships: OnlyMemberships = False,
    model: Path | None = None,
    report: Path | None = None,
    dask: bool = False,
    scheduler: str | None = None,
    json: bool = False,
    force: bool = False,
):
    """Cluster the rows of CSV, Excel, Parquet or Arrow files.

    Memberships go to --out or to standard output; tables of the results go to standard error.

    Parameters
    ----------
    data
        One file of rows, or several with the same columns.
        Text, dates, identifiers and constant columns are left out, and so are rows with a missing cell;
        notes say which.
    clusters
        Number of clusters; by default the number of classes in --labels.
    labels
        Column of labels: the class of the row, or nothing if the class is unknown.
    must_link
        File of pairs of rows that belong together: two row numbers, from 0, and perhaps a strength.
        If its first heading is line, they are lines of the data file; if it is the column of --id,
        identifiers.
    cannot_link
        File of pairs of rows that belong apart, in the same form.
    many_classes
        Take the column of --labels although it has so many values that they look like measurements.
    seed
        Seed of the random start.
    out
        File for the memberships: .csv, .xlsx, .parquet or .arrow.
    model
        File for the model; `softclust predict`, `plot` and `report` read it. It keeps how columns were
        standardised as scaling_: in Python, give `predict` (X - scaling_[0]) / scaling_[1].
    report
        File for a page about the fit, such as report.html.
    dask
        Let a Dask cluster read the files in parts, for more rows than memory holds.
        Its processes run on this machine and talk to this machine only.
        Memberships are written only with --out.
    scheduler
        Use the Dask cluster of this scheduler instead, such as tcp://10.0.0.1:8786.
    json
        Print a summary as JSON instead of tables.
    force
        Replace existing files.
    """
    from softclust.cli.fit import fit as run
    from softclust.cli.rows import Choice

    run(
        data, Choice(columns, drop, keep, labels, id, sheet, missing, many_classes), clusters=clusters,
        method=method, must_link=must_link, cannot_link=cannot_link, standardize=standardize,
        settings=set_, seed=seed, out=out, only_memberships=only_memberships, model_path=model,
        report_path=report, dask=dask or scheduler is not None, scheduler=scheduler, as_json=json,
        force=force,
    )  # fmt: skip


@app.command
def predict(
    model: Path,
    data: Path,
    *,
    id: Identifier = None,
    sheet: Sheet = None,
    missing: Missing = None,
    out: Path | None = None,
    only_memberships: OnlyMemberships = False,
    force: bool = False,
):
    """Compute the memberships of new rows with a model from `softclust fit --model`.

    Parameters
    ----------
    model
        File of the model.
    data
        File of rows; the columns of the fit are found by their names, in any order.
        Rows with a missing cell keep their place, without memberships.
    out
        File for the memberships; by default standard output.
    force
        Replace an existing file.
    """
    from softclust.cli.fit import predict as run

    run(
        model, data, key=id, sheet=sheet, missing=missing, out=out, only_memberships=only_memberships,
        force=force,
    )  # fmt: skip


@app.command
def plot(model: Path, data: Path, *, out: Path, kind: str = "map", force: bool = False):
    """Draw a model and its rows, as .png, .svg or .pdf.

    Parameters
    ----------
    model
        File of a model from `softclust fit --model`.
    data
        File of rows.
    out
        File for the picture.
    kind
        Any model: map, heatmap, silhouette, convergence. Three clusters: ternary.
        Possibilistic models: typicality. Evidential models: credal, masses.
    force
        Replace an existing file.
    """
    from softclust.cli.plot import run

    run(model, data, kind, out, force)


@app.command
def report(
    model: Path,
    data: Path,
    *,
    labels: str | None = None,
    classes: str | None = None,
    id: Identifier = None,
    sheet: Sheet = None,
    missing: Missing = None,
    out: Path = Path("report.html"),
    force: bool = False,
):
    """Write one page about a model and its rows, with tables and pictures.

    Parameters
    ----------
    model
        File of a model from `softclust fit --model`.
    data
        File of the rows on which the model was fitted.
    labels
        Column of the labels that the fit was told.
    classes
        Column of the true classes, to compare memberships with; it may have gaps.
    out
        File for the page; the page needs no other file.
    force
        Replace an existing file.
    """
    from softclust.cli.report import run

    run(
        model, data, out, labels_column=labels, classes_column=classes, key=id, sheet=sheet,
        missing=missing, force=force,
    )  # fmt: skip


@app.command
def ask(
    model: Path,
    data: Path,
    *,
    number: Annotated[int, Parameter(name=["--number", "-n"])] = 10,
    labels: str | None = None,
    id: Identifier = None,
    sheet: Sheet = None,
    strategy: str = "doubt-mix",
    audit: float = 0.0,
    seed: Seed = 0,
    out: Path | None = None,
    json: bool = False,
    force: bool = False,
):
    """List the rows that are most worth asking an expert, with the two likeliest clusters.

    Parameters
    ----------
    model
        File of a model from `softclust fit --model`.
    data
        File of rows; the columns of the fit are found by their names.
    number
        Number of rows to list.
    labels
        Column of labels; rows with a label are not asked.
    strategy
        How rows are chosen: doubt-mix, cover, margin, entropy, random and others.
    audit
        Share of the rows that is drawn by lot, so that the answers measure the accuracy honestly.
    seed
        Seed of the draws.
    out
        File for the questions: .csv, .parquet or .arrow.
    json
        Print the questions as JSON.
    force
        Replace an existing file.
    """
    from softclust.cli.ask import run

    run(
        model, data, number=number, labels_column=labels, key=id, sheet=sheet, strategy=strategy,
        audit=audit, seed=seed, out=out, as_json=json, force=force,
    )  # fmt: skip


@app.command
def explain(
    model: Path,
    data: Path,
    *,
    row: Annotated[list[int] | None, Parameter(name=["--row", "--line"])] = None,
    doubtful: int | None = None,
    between: tuple[str, str] | None = None,
    labels: str | None = None,
    id: Identifier = None,
    sheet: Sheet = None,
    missing: Missing = None,
    json: bool = False,
):
    """Explain why rows are in their clusters: which features speak for which cluster.

    Parameters
    ----------
    model
        File of a model from `softclust fit --model`.
    data
        File of rows; the columns of the fit are found by their names.
    row
        Row to explain, as the file counts it; repeat the option for more rows.
        Lines of a text file and rows of a sheet count from 1, with the header; rows of Parquet from 0.
    doubtful
        Explain so many of the most doubtful rows.
    between
        Compare these two clusters, in place of the two likeliest of each row.
    labels
        Column of labels, to name the nearest labelled rows.
    json
        Print the explanations as JSON.
    """
    from softclust.cli.explain import run

    run(
        model, data, asked=row, doubtful=doubtful, between=between, labels_column=labels, key=id,
        sheet=sheet, missing=missing, as_json=json,
    )  # fmt: skip


@app.command
def studio(
    data: Path | None = None,
    *,
    demo: bool = False,
    labels: str | None = None,
    key: Annotated[str | None, Parameter(name=["--key", "--id"])] = None,
    pictures: Path | None = None,
    picture_column: str | None = None,
    text_column: list[str] | None = None,
    clusters: int | None = None,
    method: Annotated[
        str | None,
        Parameter(
            help="Name of the method or estimator; without one, the answers choose between clusters and "
            "label spreading."
        ),
    ] = None,
    classes: str | None = None,
    columns: Columns = None,
    drop: Dropped = None,
    standardize: Standardize = True,
    set_: Settings = None,
    seed: Seed = 0,
    session: Path | None = None,
    host: str = "127.0.0.1",
    port: int = 0,
    allow_network: bool = False,
    browser: bool = True,
):
    """Label rows in the browser: the model asks about the rows whose answers teach it most.

    Answers are saved at once in a file beside the data, and the next start goes on from it.

    Parameters
    ----------
    data
        File of rows: .csv, .parquet or .arrow. Numbers are the features; text and pictures are shown.
    demo
        Try the studio on hand-written digits.
    labels
        Column of labels that are known already.
    key
        Column with a different value in every row, by which rows are found again in changed data.
    pictures
        Directory of pictures; a column that names its files is found by itself.
    picture_column
        Column that names the pictures.
    text_column
        Column of text to show first; repeat the option for more columns.
    clusters
        Number of clusters; by default the number of classes, or else chosen by the data.
    classes
        Names of the classes, such as good,bad,unsure.
    seed
        Seed of the fits and the questions.
    session
        File of the session; by default data.studio.jsonl beside data.csv.
    host
        Address to listen on; others than this machine's own need --allow-network.
    port
        Port to listen on; by default a free one.
    allow_network
        Let other machines that know the key reach the page, without encryption.
    browser
        Open the browser.
    """
    from softclust.cli.studio import run

    named = None if classes is None else [name.strip() for name in classes.split(",") if name.strip()]
    run(
        data, demo=demo, labels_column=labels, key=key, pictures=pictures, picture_column=picture_column,
        text_columns=text_column, clusters=clusters, method=method, classes=named, columns=columns,
        drop=drop, standardize=standardize, settings=set_, seed=seed, session_path=session, host=host,
        port=port, allow_network=allow_network, browser=browser,
    )  # fmt: skip


@app.command
def select(
    data: Path,
    *,
    clusters: str = "2-8",
    method: Method = "FuzzyCMeans",
    index: str = "simplified_fuzzy_silhouette",
    stability: int | None = None,
    labels: str | None = None,
    classes: str | None = None,
    columns: Columns = None,
    drop: Dropped = None,
    keep: Kept = None,
    sheet: Sheet = None,
    missing: Missing = None,
    standardize: Standardize = None,
    set_: Settings = None,
    seed: Seed = 0,
    out: Path | None = None,
    json: bool = False,
    force: bool = False,
):
    """Compare numbers of clusters, and recommend one.

    Parameters
    ----------
    data
        File of rows.
    clusters
        Numbers of clusters to try, such as 2-8 or 2,3,5.
    index
        The index that decides "best" in --json; the table shows all indices.
    stability
        Number of samples of the rows that are clustered again, to see whether the clusters stay.
        By default 10 up to 5,000 rows, otherwise 0.
    labels
        Column of labels that the fits learn from; nothing if the class of a row is unknown.
    classes
        Column of classes to compare the clusters with; no fit sees it.
    seed
        Seed of the random starts and samples.
    out
        File for the table.
    json
        Print the table as JSON.
    force
        Replace an existing file.
    """
    from softclust.cli.choosing import select as run
    from softclust.cli.rows import Choice

    run(
        data, Choice(columns, drop, keep, labels=labels, sheet=sheet, missing=missing), clusters=clusters,
        method=method, index=index, stability=stability, classes_column=classes, standardize=standardize,
        settings=set_, seed=seed, out=out, as_json=json, force=force,
    )  # fmt: skip


@app.command
def methods(*, papers: bool = False, json: bool = False):
    """List the methods, and when to use each.

    Parameters
    ----------
    papers
        List the name and the paper of each method instead.
    json
        Print the list as JSON.
    """
    from softclust.cli.choosing import methods as run

    run(papers, json)


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
    """Run the papers' tables and figures again, beside the printed numbers, with a verdict on each.

    Parameters
    ----------
    paper
        000 Antoine 2018, 001 Liu & Wu, 002 Xie & Antoine, 003 Xia 2011 or 004 Ortiz; all by default.
    name
        One table or figure of that paper, such as table1.
    quick
        Make fewer draws: all papers then take minutes.
    out
        Folder for the figures as PNG; without it no figure is drawn.
    again
        Run everything again, even experiments whose results are kept from an earlier run.
    json
        Print the lines as JSON.
    force
        Replace existing figures.
    """
    from softclust.cli.reproduce import run

    run(paper, name, quick, out, again, json, force)
