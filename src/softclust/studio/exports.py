"""Files that an expert takes home: labels, pairs, memberships, the model, a report and the session."""

from __future__ import annotations

import copy
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from softclust.active.events import kind_of
from softclust.storage.models import save
from softclust.studio.cards import told_of
from softclust.studio.data import StudioData, csv_bytes, file_stem, results
from softclust.studio.desk import Desk
from softclust.studio.fitted import Fitted

Columns = dict[str, Any]
_TYPES = {
    ".csv": "text/csv",
    ".zip": "application/zip",
    ".html": "text/html",
    ".jsonl": "application/jsonl",
}


def names(data: StudioData) -> list[str]:
    """Return the names of the files."""
    return [_file_name(name, data) for name in _MAKERS]


def _file_name(name: str, data: StudioData) -> str:
    return f"{file_stem(data.title)}.labelled.csv" if name == "labelled.csv" else name


def export(name: str, desk: Desk) -> tuple[bytes, str] | None:
    """Return the content of a file and its type; None if there is no such file."""
    known = {_file_name(one, desk.data): maker for one, maker in _MAKERS.items()}
    if name not in known:
        return None
    made = known[name](desk)
    return made if isinstance(made, bytes) else csv_bytes(made), _TYPES[Path(name).suffix]


def _labels(desk: Desk) -> Columns:
    """A line for each degree: soft labels and "one of these" have several, and "none of these" has one."""
    session, keys, rows = desk.session, desk.session.keys, desk.data.rows
    lines = []
    for row, label in sorted(session.told.labels.items()):
        kind = (told_of(session, row) or {})["kind"]
        strength = session.told.strengths.get(row, 1.0)
        for name, degree in [one for one in label if one[1] > 0] or [("", 0.0)]:
            lines.append((int(rows[row]), "" if keys is None else keys[row], name, degree, kind, strength))
    kinds = (pa.int64(), pa.string(), pa.string(), pa.float64(), pa.string(), pa.float64())
    return _columns(("row", "key", "label", "degree", "kind", "strength"), lines, kinds)


def _links(desk: Desk, same: bool) -> Columns:
    rows, told = desk.data.rows, sorted(desk.session.told.pairs.items())
    pairs = [(int(rows[i]), int(rows[j]), 1.0) for (i, j), together in told if together == same]
    return _columns(("row", "other", "strength"), pairs, (pa.int64(), pa.int64(), pa.float64()))


def _columns(
    names: tuple[str, ...], lines: list[tuple[Any, ...]], kinds: tuple[pa.DataType, ...]
) -> Columns:
    values = zip(*lines, strict=True) if lines else ((),) * len(names)
    return {name: pa.array(list(v), kind) for name, v, kind in zip(names, values, kinds, strict=True)}


def _labelled(desk: Desk) -> Columns:
    """The data with a column `label`: classes that the expert is sure of."""
    told, data = desk.session.told.labels, desk.data
    labels: list[str | None] = [None] * data.table.num_rows
    for row, label in told.items():
        if kind_of(label) == "hard":
            labels[data.rows[row]] = next(name for name, degree in label if degree > 0)
    apart = set(data.names("labels"))  # the answers hold these labels already
    kept = {
        name: data.table.column(name).combine_chunks()
        for name in data.table.column_names
        if name not in apart
    }
    free = next(name for name in ("label", *(f"label_{i}" for i in range(2, 999))) if name not in kept)
    return {**kept, free: pa.array(labels, pa.string())}


def _memberships(desk: Desk) -> Columns:
    """The results of each row, as `softclust fit --out` names them, with the keys of the rows."""
    found, keys = results(_model_of(desk)), desk.session.keys
    found["row"] = desk.data.rows
    return found if keys is None else {"row": found.pop("row"), "key": list(keys), **found}


def _model_of(desk: Desk) -> Any:
    """Return the model of the newest answers; raise an error if they cannot be fitted."""
    fitted = desk.newest()
    if fitted.problem is not None:
        raise ValueError(f"There is no model of the newest answers: {fitted.problem}")
    return named_model(desk.data, fitted)


def named_model(data: StudioData, fitted: Fitted) -> Any:
    """Return the model with the names of classes and columns, as `softclust fit` leaves it."""
    model, per_class = copy.copy(fitted.model), fitted.session.per_class
    classes = fitted.names
    if per_class > 1:
        classes = tuple(f"{name} {j + 1}" for name in classes for j in range(per_class))
    if getattr(model, "classes_", None) is not None:
        model.classes_ = np.array(classes)
    model.columns_ = np.array(data.names("feature"))
    scaling = fitted.session.header.scaling
    model.scaling_ = None if scaling is None else np.array(scaling)
    return model


def _model(desk: Desk) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "model.zip")
        save(_model_of(desk), path)
        return path.read_bytes()


def _report(desk: Desk) -> bytes:
    try:
        import matplotlib
    except ImportError:
        raise ValueError("The report needs matplotlib: pip install 'softclust[plot]'.") from None
    matplotlib.use("Agg")
    from softclust.report.page import report

    told, data, session = desk.session.told, desk.data, desk.session
    notes = [f"An expert gave {len(told.labels)} labels and {len(told.pairs)} pairs in the studio."]
    if session.header.scaling is not None:
        notes.append("Columns are standardised: mean 0, standard deviation 1.")
    return report(
        _model_of(desk), session.X, feature_names=data.names("feature"),
        title=f"Clusters of {data.title}", notes=notes,
    ).encode()  # fmt: skip


_MAKERS: dict[str, Callable[[Desk], Columns | bytes]] = {
    "labels.csv": _labels,
    "must.csv": lambda desk: _links(desk, True),
    "cannot.csv": lambda desk: _links(desk, False),
    "labelled.csv": _labelled,
    "memberships.csv": _memberships,
    "model.zip": _model,
    "report.html": _report,
    "session.jsonl": lambda desk: desk.file.read_bytes(),
}
