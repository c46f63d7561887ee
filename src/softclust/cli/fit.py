"""`softclust fit` and `predict`: the work behind the commands."""

from __future__ import annotations

import json
import warnings

import numpy as np
from rich.markup import escape

import softclust
from softclust.cli import show
from softclust.cli.models import DEFAULT_METHOD, fit_model, make_model, parsed_settings
from softclust.cli.pairs import pairs
from softclust.cli.rows import rows_of_model, scaled, scaling_of, table_of
from softclust.cli.tables import Output, check_apart
from softclust.report import findings

__all__ = ["STANDARDIZED", "fit", "parsed_settings", "predict", "scaled_rows"]

STANDARDIZED = "Columns are standardised: mean 0, standard deviation 1."


def fit(
    data, choice, *, clusters, method, must_link, cannot_link, standardize, settings, seed, out,
    only_memberships, model_path, report_path, dask, scheduler, as_json, force,
):  # fmt: skip
    """Cluster the rows of files; `app.fit` documents the options."""
    if not data:
        raise ValueError("Which rows? Give a file, as in softclust fit data.csv --clusters 3.")
    if dask:
        _refuse_with_dask(
            report=report_path, must_link=must_link, cannot_link=cannot_link, id=choice.key,
            sheet=choice.sheet, missing=choice.missing,
        )  # fmt: skip
        from softclust.cli import cluster

        cluster.fit(
            data, lambda y: make_model(method, clusters, y, settings, seed), choice,
            standardize=standardize, scheduler=scheduler, out=out, model_path=model_path,
            as_json=as_json, force=force,
        )  # fmt: skip
        return
    output = None if as_json and out is None else Output.of_table(out, force)
    model_output = None if model_path is None else Output.of_model(model_path, force)
    page = None if report_path is None else Output(report_path, force)
    check_apart(output, model_output, page, inputs=data)
    rows = choice.read(data)
    most = len(rows.X)
    if clusters is not None and not 1 <= clusters <= most:
        raise ValueError(
            f"--clusters {clusters} does not fit {most:,} rows; write a number from 1 to {most}."
        )
    model = make_model(method, clusters, rows.labels, settings, seed)
    scaling, words_on_scale = scaling_of(rows.X, rows.names, standardize)
    known, lost = _pairs({"must_link": must_link, "cannot_link": cannot_link}, rows)
    words = show.console()
    X = rows.X if scaling is None else scaling.apply(rows.X)
    said = _fitted(model, X, rows.labels, known, words, f"{method} on {len(X):,} rows")
    wishes = known or settings or clusters is not None
    hints = [] if wishes else _hints(model, X, rows.labels, seed)
    show.notes(words, (*rows.notes, *lost, words_on_scale, *said, *hints))
    model.columns_, model.scaling_ = np.array(rows.names), None if scaling is None else scaling.as_array()
    if output is not None:
        output.write_table(table_of(rows, show.columns(model), only_memberships))
    if model_output is not None and model_output.path is not None:
        softclust.save(model, model_output.path)
    if page is not None:
        from softclust.cli.report import write

        notes = [*said, *([] if scaling is None else [STANDARDIZED])]
        write(
            model, X, rows.names, page, title=f"Clusters of {data[0].name}", notes=notes, known=rows.labels,
            row_names=show.row_names(rows),
        )  # fmt: skip
    if as_json:
        print(json.dumps(_summary(model, method, rows, out, model_path)))
        return
    _tell(model, rows, words)
    wrote = {"Memberships of all rows": out, "The model": model_path, "The report": report_path}
    for what, path in wrote.items():
        if path is not None:
            show.say(words, f"{what}: {path}")


def _fitted(model, X, y, known, words, doing):
    """Fit the model; return the warnings of the fit."""
    with words.status(escape(doing)), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        fit_model(model, X, y, known)
    said = list(dict.fromkeys(str(w.message) for w in caught))
    if any(sentence.startswith("Interrupted") for sentence in said):
        raise KeyboardInterrupt
    return said


def _hints(model, X, y, seed):
    """Return a sentence if another method than the default one follows the labels more closely."""
    if y is None or type(model).__name__ != DEFAULT_METHOD:
        return []
    from softclust.cli.methods_for_labels import hints

    return hints(model, X, y, seed)


def _refuse_with_dask(**options):
    for name, value in options.items():
        if value:
            raise ValueError(f"--{name.replace('_', '-')} does not go with --dask; leave one of them out.")


def _pairs(paths, rows):
    """Read the files of pairs; return pairs of rows of X, and notes on pairs that are left out."""
    known, notes = {}, []
    place = np.full(len(rows.table), -1)
    place[rows.rows] = np.arange(len(rows.rows))
    for name, path in paths.items():
        if path is None:
            continue
        told = pairs(path, rows)
        ends = place[told[:, :2].astype(int)]
        there = (ends >= 0).all(axis=1)
        if not there.all():
            gone = int((~there).sum())
            notes.append(f"{gone:,} of {len(told):,} pairs of {path} name a row with a missing cell.")
        known[name] = np.column_stack([ends, told[:, 2:]])[there]
    return known, notes


def _tell(model, rows, words):
    words.print(show.clusters(model, rows.names, rows.X, words.width))
    doubtful = show.doubtful(model, 5, rows)
    if doubtful is not None:
        words.print(doubtful)
    for finding in (findings.outliers(model, 8), findings.unsatisfied(model, 8)):
        if finding is not None:
            words.print(show.table(finding, rows))
    words.print()


def _summary(model, method, rows, out, model_path):
    """Return the summary of a fit that --json prints, for programs; centres are in the file's units."""
    outlying, centres = findings.outliers_of(model), show.centres(model)
    return {
        "method": method,
        "estimator": type(model).__name__,
        "clusters": [
            {
                "name": name,
                "rows": int((model.labels_ == k).sum()),
                "outliers": int(((model.labels_ == k) & outlying).sum()),
                "center": None
                if centres is None
                else dict(zip(rows.names, map(float, centres[k]), strict=True)),
            }
            for k, name in enumerate(show.names_of(model))
        ],
        "objective": float(model.objective_) if hasattr(model, "objective_") else None,
        "iterations": int(model.n_iter_) if hasattr(model, "n_iter_") else None,
        "converged": bool(model.converged_) if hasattr(model, "converged_") else None,
        "standardized": model.scaling_ is not None,
        "unsatisfied": len(getattr(model, "unsatisfied_", ())),
        "notes": list(rows.notes),
        "rows_left_out": len(rows.table) - len(rows.rows),
        "out": None if out is None else str(out),
        "model": None if model_path is None else str(model_path),
    }


def predict(model_path, data, *, key, sheet, missing, out, only_memberships, force):
    """Write the memberships of new rows under a model from `fit`."""
    output = Output.of_table(out, force)
    check_apart(output, inputs=[model_path, data])
    model = softclust.load(model_path)
    rows = rows_of_model(model, model_path, data, sheet=sheet, missing=missing, key=key)
    told = show.columns(_Predicted(model, scaled(rows.X, model.scaling_)))
    words = show.console()
    show.notes(words, rows.notes)
    output.write_table(table_of(rows, told, only_memberships))
    where = f": {out}" if out is not None else "."
    show.say(words, f"{len(rows.X):,} rows{where}")


def scaled_rows(model, model_path, data):
    """Read rows in the columns and units of a model's fit; return them with the names of the columns.

    Rows with a missing cell are left out.
    """
    rows = rows_of_model(model, model_path, data)
    return scaled(rows.X, model.scaling_), rows.names


class _Predicted:
    """New rows, with the attributes that a fit gives to its own rows."""

    def __init__(self, model, X):
        self.labels_, self.memberships_ = model.predict(X), model.predict_proba(X)
        for name in ("cluster_centers_", "classes_"):
            if hasattr(model, name):
                setattr(self, name, getattr(model, name))
        if hasattr(model, "outlier_score"):
            self.outlier_scores_ = model.outlier_score(X)
        if hasattr(model, "predict_typicality"):
            self.typicalities_ = model.predict_typicality(X)
        if hasattr(model, "predict_mass"):
            self.masses_, self.focal_sets_ = model.predict_mass(X), model.focal_sets_
