"""`softclust fit --dask`: a Dask cluster reads the rows, and memberships are written block by block."""

from __future__ import annotations

import json
import time
import warnings
from contextlib import contextmanager

import numpy as np
import pyarrow as pa
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

import softclust
from softclust.cli import show
from softclust.cli.tables import Output, check_apart, harmless_table
from softclust.files import as_table, kind_of, prepare, read_table
from softclust.files.labels import labels_of
from softclust.files.words import CAN_BE_KEPT

_STANDARDIZED = "Columns are standardised: mean 0, standard deviation 1."
_HEAD = 1000  # rows read to find the types of the columns
_PATIENCE = "10s"  # for a scheduler that does not answer


def fit(data, make, choice, *, standardize, scheduler, out, model_path, as_json, force):
    """Cluster the rows of many files; `make(y)` returns the estimator for the labels y."""
    output = None if out is None else Output.of_table(out, force)
    model_output = None if model_path is None else Output.of_model(model_path, force)
    check_apart(output, model_output, inputs=data)
    if output is not None and kind_of(out) not in ("parquet", "csv"):
        raise ValueError(f"{out}: memberships of a cluster are written as .parquet or .csv.")
    frame, names, y, notes = _frame(data, choice)
    model = make(y)
    words = show.console()
    with _cluster(scheduler, words), warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        with _progress(words) as bar:
            clock = _Clock(bar)
            rows, model_scaling = _scaled(frame[names], standardize is not False)
            model.set_callbacks(clock).fit(rows, y)
            model.set_callbacks()
        if any(str(w.message).startswith("Interrupted") for w in said):
            raise KeyboardInterrupt
        sizes = _written(model, output, words)
    warned = [str(w.message) for w in said if "distributed" not in str(w.filename)]
    show.notes(words, [*notes, *([] if model_scaling is None else [_STANDARDIZED]), *warned])
    del model.feature_names_in_  # as after a fit without Dask; the commands match columns by `columns_`
    model.columns_, model.scaling_ = np.array(names), model_scaling
    if model_output is not None and model_output.path is not None:
        softclust.save(model, model_output.path)
    if as_json:
        print(json.dumps(_summary(model, names, sizes, clock)))
        return
    words.print(_table(model, names, sizes, words.width))
    if clock.rate:
        words.print(f"{sum(sizes):,} rows, {model.n_iter_} iterations, {clock.rate:,.0f} rows a second")
    for what, path in (("Memberships of all rows", out), ("The model", model_path)):
        if path is not None:
            show.say(words, f"{what}: {path}")


def _frame(paths, choice):
    """Return a dask dataframe of the files, the names of the features, the labels or None, and notes."""
    from dask import dataframe

    kinds = {kind_of(path) for path in paths}
    if len(kinds) > 1 or not kinds <= {"parquet", "csv"}:
        raise ValueError("--dask reads Parquet files, or CSV files.")
    first = _prepared_head(paths[0], kinds, choice)
    wanted = [*first.names, *([choice.labels] if choice.labels else [])]
    files = [str(path) for path in paths]
    if kinds == {"parquet"}:
        frame = dataframe.read_parquet(files, columns=wanted)
    else:
        frame = dataframe.read_csv(files, usecols=wanted)
    y, notes = None, [*first.notes]
    if choice.labels:
        table = as_table(
            pa.Table.from_pandas(frame[[choice.labels]].compute(), preserve_index=False), paths[0]
        )
        y, more = labels_of(table, choice.labels, np.arange(len(table)), choice.many_classes)
        notes += more
    return frame, first.names, y, notes


def _prepared_head(path, kinds, choice):
    """Return the first rows of a file, with the columns that are to be clustered.

    A column is not left out because the few first rows all have one value in it, or none.
    """
    head = _head(path, kinds)
    options = {"columns": choice.columns, "left_out": choice.drop or (), "many_classes": True}
    first = prepare(head, kept=choice.keep or (), **options)
    seen = [name for name, role in first.roles.items() if role.why in CAN_BE_KEPT[1:]]
    labels = {} if choice.labels is None else {"left_out": [*(choice.drop or ()), choice.labels]}
    return (
        prepare(head, kept=[*(choice.keep or ()), *seen], **(options | labels)) if seen or labels else first
    )


def _head(path, kinds):
    """Return the first rows of a file as a table."""
    if kinds == {"parquet"} and path.is_file() and path.stat().st_size:
        from pyarrow import parquet

        try:
            return as_table(
                pa.Table.from_batches([next(parquet.ParquetFile(path).iter_batches(_HEAD))]), path
            )
        except (StopIteration, pa.ArrowInvalid):
            pass  # read_table below raises an error that says what is wrong
    return read_table(path).head(_HEAD)


def _scaled(rows, standardize):
    """Return rows with mean 0 and standard deviation 1 in every column, and (2, p) means and deviations."""
    import dask

    if not standardize:
        return rows, None
    mean, deviation = dask.compute(rows.mean(), rows.std(ddof=0))
    deviation = deviation.where(deviation > 0, 1.0)
    scaling = np.vstack([mean.to_numpy(float), deviation.to_numpy(float)])
    return rows.map_partitions(_scaled_part, scaling), scaling


def _scaled_part(part, scaling):
    return (part - scaling[0]) / scaling[1]


@contextmanager
def _cluster(scheduler, words):
    """Yield a client of the scheduler at this address, or of a new cluster for this machine only."""
    from distributed import Client, LocalCluster

    if scheduler:
        try:
            client = Client(scheduler, timeout=_PATIENCE)
        except OSError:
            raise ValueError(f"There is no scheduler at {scheduler}.") from None
        with client:
            yield client
        return
    with (
        LocalCluster(host="127.0.0.1", dashboard_address="127.0.0.1:0") as cluster,
        Client(cluster) as client,
    ):
        words.print(f"A cluster on this machine: {len(cluster.workers)} workers.", highlight=False)
        yield client


@contextmanager
def _progress(words):
    if not words.is_terminal:
        yield None
        return
    columns = TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn()
    with Progress(*columns, console=words, transient=True) as progress:
        yield progress


class _Clock:
    """A scikit-learn callback that measures rows per second."""

    def __init__(self, bar):
        self.bar, self.rate, self.last, self.turns = bar, 0.0, None, 0
        self.task = None if bar is None else bar.add_task("reading", total=None)

    def setup(self, estimator, context):
        pass

    teardown = on_fit_task_begin = setup

    def on_fit_task_end(self, estimator, context):
        if not hasattr(context, "n_rows"):
            return
        now = time.perf_counter()
        if self.last is not None:
            self.rate = context.n_rows / (now - self.last)
        self.last, self.turns = now, self.turns + 1
        if self.bar is not None:
            words = f"iteration {self.turns}, {self.rate:,.0f} rows a second"
            self.bar.update(self.task, description=words)


def _written(model, output, words):
    """Write the memberships block by block, and return the number of rows in each cluster."""
    counts = np.zeros(model.n_clusters_, dtype=np.int64)

    def blocks():
        start = 0
        for part in _parts(model):
            counts[:] += np.bincount(part.labels_, minlength=len(counts))
            told = show.columns(part)
            told["row"] = told["row"] + start
            start += len(part.labels_)
            table = pa.table({name: pa.array(values) for name, values in told.items()})
            yield harmless_table(table) if output is not None and kind_of(output.path) == "csv" else table

    if output is None:
        for _ in blocks():
            pass
    else:
        output.write(lambda path: _write_blocks(path, kind_of(output.path), blocks()))
    return counts.tolist()


class _Part:
    """A block of rows, with the fitted attributes of these rows."""


_READ_OUTS = ("labels_", "memberships_", "outlier_scores_", "outlier_mask_", "typicalities_", "masses_")


def _parts(model):
    """Yield the blocks of rows of the fit in order."""
    import dask

    names = [name for name in _READ_OUTS if hasattr(model, name)]
    arrays = [getattr(model, name) for name in names]
    for k in range(arrays[0].numblocks[0]):
        part = _Part()
        for name, value in zip(names, dask.compute(*[a.blocks[k] for a in arrays]), strict=True):
            setattr(part, name, value)
        for name in ("classes_", "cluster_centers_", "focal_sets_"):
            if hasattr(model, name):
                setattr(part, name, getattr(model, name))
        yield part


def _write_blocks(path, kind, tables):
    writer = None
    try:
        for table in tables:
            if writer is None:
                writer = _writer(path, kind, table.schema)
            writer.write_table(table)
    finally:
        if writer is not None:
            writer.close()


def _writer(path, kind, schema):
    if kind == "parquet":
        from pyarrow import parquet

        return parquet.ParquetWriter(path, schema)
    from pyarrow import csv

    return csv.CSVWriter(path, schema)


def _table(model, names, sizes, width):
    """Return a table of the clusters, a column each; centres are in the units of the files."""
    lines, caption = show.centre_lines(model, names)
    head = [["rows", *(f"{size:,}" for size in sizes)]]
    return show.table_of_columns("Clusters", show.names_of(model), head, lines, caption, width)


def _summary(model, names, sizes, clock):
    centres = [dict(zip(names, map(float, centre), strict=True)) for centre in show.centres(model)]
    clusters = [
        {"name": name, "rows": size, "center": centre}
        for name, size, centre in zip(show.names_of(model), sizes, centres, strict=True)
    ]
    return {
        "estimator": type(model).__name__,
        "clusters": clusters,
        "objective": float(model.objective_),
        "iterations": int(model.n_iter_),
        "converged": bool(model.converged_),
        "standardized": model.scaling_ is not None,
        "rows_a_second": clock.rate,
    }
