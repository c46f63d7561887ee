"""`softclust fit`, `predict`, `select` and `methods`: the work behind the commands."""

from __future__ import annotations

import ast
import inspect
import json
import sys
import warnings

import numpy as np
from rich.markup import escape
from rich.table import Table

import softclust
from softclust.cli import show
from softclust.cli.tables import Output, check_apart, features, labels, pairs, read_table, read_tables
from softclust.report import findings

STANDARDIZED = "Columns are standardised: mean 0, standard deviation 1."


def fit(
    data, *, clusters, method, labels_column, must_link, cannot_link, columns, drop, standardize, settings,
    seed, out, model_path, report_path, dask, scheduler, as_json, force,
):  # fmt: skip
    """Cluster the rows of files; `app.fit` documents the options."""
    if not data:
        raise ValueError("Which rows? Give a file, as in softclust fit data.csv --clusters 3.")
    if dask:
        _refuse_with_dask(
            standardize=standardize, report=report_path, must_link=must_link, cannot_link=cannot_link
        )
        from softclust.cli import cluster

        cluster.fit(
            data, lambda y: _model(method, clusters, y, settings, seed), labels_column=labels_column,
            columns=columns, drop=drop, scheduler=scheduler, out=out, model_path=model_path,
            as_json=as_json, force=force,
        )  # fmt: skip
        return
    output = None if as_json and out is None else Output(out, force)
    model_output = None if model_path is None else Output(model_path, force)
    page = None if report_path is None else Output(report_path, force)
    check_apart(output, model_output, page)
    X, names, y = _read(data, columns, drop, labels_column)
    model = _model(method, clusters, y, settings, seed)
    scaling = _scaling(X) if standardize else None
    known = {"must_link": must_link, "cannot_link": cannot_link}
    known = {name: pairs(path, len(X)) for name, path in known.items() if path is not None}
    words = show.console()
    with words.status(escape(f"{method} on {len(X)} rows")), warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        _fit_with(model, _scaled(X, scaling), y, known)
    if any(str(w.message).startswith("Interrupted") for w in said):
        raise KeyboardInterrupt
    for sentence in dict.fromkeys(str(w.message) for w in said):
        show.note(words, sentence)
    model.columns_, model.scaling_ = np.array(names), scaling
    if output is not None:
        output.write_table(show.columns(model))
    if model_output is not None and model_output.path is not None:
        softclust.save(model, model_output.path)
    if page is not None:
        from softclust.cli.report import write

        notes = [*dict.fromkeys(str(w.message) for w in said), *([STANDARDIZED] if standardize else [])]
        write(model, _scaled(X, scaling), names, page, title=f"Clusters of {data[0].name}", notes=notes)
    if as_json:
        print(json.dumps(_summary(model, method, names, out, model_path)))
        return
    _tell(model, names, words)
    for what, path in (
        ("Memberships of all rows", out),
        ("The model", model_path),
        ("The report", report_path),
    ):
        if path is not None:
            show.say(words, f"{what}: {path}")


def _refuse_with_dask(**options):
    for name, value in options.items():
        if value:
            raise ValueError(f"--{name.replace('_', '-')} does not go with --dask; leave one of them out.")


def _read(paths, columns, drop, labels_column):
    data, table = paths[0], read_tables(paths)
    left_out = [*(drop or ()), *([labels_column] if labels_column else ())]
    known = set(table.column_names)
    for name in drop or ():
        if name not in known:
            raise ValueError(
                f"{data} has no column {name!r} to drop; it has {', '.join(table.column_names[:12])}."
            )
    y = labels(table, labels_column, data) if labels_column else None
    X, names = features(table, data, columns, left_out)
    return X, names, y


def _model(method, clusters, y, settings, seed):
    """Return the estimator of a named method, with settings given as name=value."""
    if clusters is None:
        if y is None:
            raise ValueError(
                "How many clusters? Say --clusters 3, or let `softclust select` compare several numbers."
            )
        clusters = len({value for value in y if value is not None})
    model = softclust.make(method, n_clusters=clusters, random_state=seed)
    return model.set_params(**_parsed(settings, model))


def _parsed(settings, model):
    """Parse name=value settings into parameters: a value is a Python literal, or else a string."""
    parsed = {}
    for one in settings or ():
        name, mark, text = one.partition("=")
        if not mark or not name:
            raise ValueError(f"--set {one} does not fit; write --set name=value, as in --set m=1.5.")
        if name not in model.get_params():
            own = ", ".join(sorted(model.get_params()))
            raise ValueError(f"{type(model).__name__} has no parameter {name!r}; it has {own}.")
        try:
            parsed[name] = ast.literal_eval(text)
        except (ValueError, SyntaxError, RecursionError, MemoryError):  # the last two: nested too deep
            parsed[name] = text
    return parsed


def _fit_with(model, X, y, known):
    takes = inspect.signature(model.fit).parameters
    refused = [name for name in known if name not in takes]
    if refused:
        raise ValueError(
            f"{type(model).__name__} takes no pairs: leave --{refused[0].replace('_', '-')} out."
        )
    if y is not None and not hasattr(model, "label_strength"):
        raise ValueError(f"{type(model).__name__} takes no labels: use --drop for that column.")
    model.fit(X, y, **known)


def _scaling(X):
    """Return means and standard deviations, (2, p); a constant column gets 1 and keeps its unit."""
    spread = X.std(axis=0)
    return np.vstack([X.mean(axis=0), np.where(spread > 0, spread, 1.0)])


def _scaled(X, scaling):
    return X if scaling is None else (X - scaling[0]) / scaling[1]


def _tell(model, names, words):
    words.print(show.clusters(model, names))
    found = findings.doubtful(model, 5), findings.outliers(model, 8), findings.unsatisfied(model, 8)
    for finding in found:
        if finding is not None:
            words.print(show.table(finding))


def _summary(model, method, names, out, model_path):
    """Return the summary of a fit that --json prints, for programs."""
    outlying = findings.outliers_of(model)
    return {
        "method": method,
        "estimator": type(model).__name__,
        "clusters": [
            {
                "name": name,
                "rows": int((model.labels_ == k).sum()),
                "outliers": int(((model.labels_ == k) & outlying).sum()),
                "center": dict(zip(names, map(float, model.cluster_centers_[k]), strict=True)),
            }
            for k, name in enumerate(findings.names_of(model))
        ],
        "objective": float(model.objective_),
        "iterations": int(model.n_iter_),
        "converged": bool(model.converged_),
        "standardized": model.scaling_ is not None,
        "unsatisfied": len(getattr(model, "unsatisfied_", ())),
        "out": None if out is None else str(out),
        "model": None if model_path is None else str(model_path),
    }


def predict(model_path, data, *, out, force):
    """Write the memberships of new rows under a model from `fit`."""
    output = Output(out, force)
    model = softclust.load(model_path)
    X, _ = scaled_rows(model, model_path, data)
    told = show.columns(_Predicted(model, X))
    output.write_table(told)
    where = f": {out}" if out is not None else "."
    show.say(show.console(), f"{len(X)} rows{where}")


def scaled_rows(model, model_path, data):
    """Read rows in the columns and units of a model's fit; return them with the names of the columns."""
    names = getattr(model, "columns_", None)
    if names is None:
        raise ValueError(
            f"{model_path} was not written by softclust fit: it does not know the names of columns."
        )
    names = [str(name) for name in names]
    X, _ = features(read_table(data), data, names)
    return _scaled(X, model.scaling_), names


class _Predicted:
    """New rows, with the attributes that a fit gives to its own rows."""

    def __init__(self, model, X):
        self.labels_, self.memberships_ = model.predict(X), model.predict_proba(X)
        self.cluster_centers_ = model.cluster_centers_
        if hasattr(model, "classes_"):
            self.classes_ = model.classes_
        if hasattr(model, "outlier_score"):
            self.outlier_scores_ = model.outlier_score(X)
        if hasattr(model, "predict_typicality"):
            self.typicalities_ = model.predict_typicality(X)
        if hasattr(model, "predict_mass"):
            self.masses_, self.focal_sets_ = model.predict_mass(X), model.focal_sets_


def select(
    data, *, clusters, method, index, columns, drop, standardize, settings, seed, out, as_json, force
):
    """Compare numbers of clusters by validity indices."""
    output = None if out is None else Output(out, force)
    X, _, _ = _read([data], columns, drop, None)
    numbers = _range(clusters)
    model = _model(method, numbers[0], None, settings, seed)
    words = show.console()
    with words.status("") as status:
        found = softclust.select(
            model,
            _scaled(X, _scaling(X) if standardize else None),
            n_clusters=numbers,
            index=index,
            progress=lambda done, total: status.update(f"{done} of {total} fits"),
        )
    columns_: dict[str, list[int] | np.ndarray] = {
        "clusters": [s["n_clusters"] for s in found.settings],
        **found.values,
        "votes": found.votes(),
    }
    if output is not None:
        output.write_table(columns_)
    best = found.best_params_["n_clusters"]
    if as_json:
        table = {name: [None if v != v else float(v) for v in values] for name, values in columns_.items()}
        print(json.dumps({"best": best, "index": index, "table": table}))
        return
    words.print(_compared(columns_, found.place()))
    show.say(words, f"{index} chooses {best} clusters; the last line counts the indices that choose each.")
    for place, sentence in found.errors.items():
        show.note(words, f"{found.settings[place]['n_clusters']} clusters: {sentence}")


def _range(text):
    """Parse 2-8 or 2,3,5 into a list of numbers."""
    try:
        if "-" in text:
            first, last = (int(part) for part in text.split("-"))
            numbers = list(range(first, last + 1))
        else:
            numbers = [int(part) for part in text.split(",")]
    except ValueError:
        numbers = []
    if not numbers or min(numbers) < 1:
        raise ValueError(f"--clusters {text} does not fit; write 2-8 or 2,3,5.")
    return numbers


def _compared(columns, best):
    """Return a table with a row for each index and a column for each number of clusters.

    The choice of each index is bold; the column that the deciding index chooses is in reverse video.
    """
    from softclust.metrics import INDICES

    table = Table(title="Numbers of clusters")
    table.add_column("index")
    for i, number in enumerate(columns["clusters"]):
        table.add_column(str(number), justify="right", style="reverse" if i == best else None)
    for name, values in columns.items():
        if name == "clusters":
            continue
        merit = INDICES[name].sign * values if name in INDICES else values.astype(float)
        chosen = int(np.where(np.isfinite(merit), merit, -np.inf).argmax())
        cells = [f"[bold]{v:.3g}[/]" if i == chosen else f"{v:.3g}" for i, v in enumerate(values)]
        table.add_row(name.replace("_", " "), *cells, end_section=name == list(columns)[-2])
    return table


def methods(as_json):
    """Print the named methods."""
    entries = softclust.catalogue()
    if as_json:
        listed = [
            {"method": key, "name": e.name, "estimator": e.estimator, "paper": e.paper}
            for key, e in entries.items()
        ]
        json.dump(listed, sys.stdout)
        print()
        return
    table = Table(title="Methods, for softclust fit --method")
    for heading in ("method", "name", "paper"):
        table.add_column(heading, no_wrap=heading == "method")
    for key, entry in entries.items():
        table.add_row(key, entry.name, entry.paper)
    from rich.console import Console

    Console().print(table)
