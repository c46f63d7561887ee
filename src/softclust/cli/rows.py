"""The rows that a command works on: read, chosen, scaled, and named as their file counts them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from softclust.explanation.names import begun
from softclust.files import Prepared, Role, Scaling, prepare, prepare_as, read_table, read_tables
from softclust.files.labels import labels_of
from softclust.files.units import common_unit

_ONE_UNIT = 10.0  # columns of one unit keep it if their spreads differ by less than this


@dataclass(frozen=True)
class Choice:
    """The options that choose rows and columns of a file; `app.fit` documents them."""

    columns: list[str] | None = None
    drop: list[str] | None = None
    keep: list[str] | None = None
    labels: str | None = None
    key: str | None = None
    sheet: str | None = None
    missing: list[str] | None = None
    many_classes: bool = False

    def read(self, paths):
        """Return the rows of files that are to be clustered."""
        return prepare(
            read_tables(paths, self.sheet, self.missing or ()), columns=self.columns,
            left_out=self.drop or (), kept=self.keep or (), labels=self.labels, key=self.key,
            many_classes=self.many_classes,
        )  # fmt: skip


def rows_of_model(model, model_path, data, *, sheet=None, missing=None, labels=None, key=None) -> Prepared:
    """Return the rows of a file in the columns of a model, in the file's own units."""
    names = getattr(model, "columns_", None)
    if names is None:
        raise ValueError(
            f"{model_path} was not written by softclust fit: it does not know the names of columns."
        )
    table = read_table(data, sheet, missing or ())
    found = prepare_as(table, [str(name) for name in names])
    y, notes = (None, []) if labels is None else labels_of(table, labels, found.rows, many_classes=True)
    keys = None if key is None else table.column(key).output().to_pylist()
    roles = found.roles if key is None else {**found.roles, key: Role("key")}
    return Prepared(found.X, found.names, found.rows, table, y, keys, roles, (*found.notes, *notes))


def row_of(rows, line):
    """Return the row of X at a line of the file; a ValueError says why there is none."""
    table = rows.table
    row = table.row_at(line)
    found = np.flatnonzero(rows.rows == row)
    if len(found) == 0:
        gaps = [repr(name) for name in rows.names if np.isnan(table.column(name).numbers[row])]
        where = f"{begun(table.place(row))} of {table.path}"
        raise ValueError(f"{where} was left out: it has no number in {', '.join(gaps)}.")
    return int(found[0])


def scaled(X, scaling):
    """Return rows as a model sees them; `scaling` is (2, p), or None if the model keeps the units."""
    return X if scaling is None else Scaling.from_array(scaling).apply(X)


def scaling_of(X, names, standardize):
    """Return the scaling of the rows, or None, and a sentence on it.

    Without a wish (None), columns are standardised unless all of them are in one unit.
    """
    if standardize is False:
        return None, "Columns are not standardised: those with large numbers decide."
    scaling = Scaling.of(X)
    unit = common_unit(names)
    if standardize is None and unit is not None and scaling.differ < _ONE_UNIT:
        return None, f"Columns keep their unit, {unit}; --standardize gives all the same spread."
    return scaling, scaling.words(names)


def table_of(prepared, results, only_memberships=False):
    """Return results of the rows that were clustered as a table of all rows of the file.

    The first column is the line of the file; rows that were left out have empty results.  The columns of
    the file follow, unless only memberships are wanted.
    """
    table, n = prepared.table, len(prepared.table)
    out = {table.counted: pa.array(table.lines)}
    if len(table.files) > 1:
        out["file"] = pa.array([str(table.file_of(row)) for row in range(n)])
    key = next((name for name, role in prepared.roles.items() if role.role == "key"), None)
    if key is not None:
        out[_free(key, out, results)] = table.columns[key].output()
    for name, values in results.items():
        if name != "row":
            out[name] = _spread(values, prepared.rows, n)
    if not only_memberships:
        for name, column in table.columns.items():
            if name != key:
                out[_free(name, out)] = column.output()
    return out


def _free(name, *taken):
    """Return a name for a column of the file that no result has."""
    while any(name in names for names in taken):
        name += " (in the file)"
    return name


def _spread(values, rows, n):
    """Return values of some rows as a column of n rows, empty elsewhere."""
    known = pa.array(values)
    if len(rows) == n:
        return known
    places = np.full(n, -1)
    places[rows] = np.arange(len(rows))
    return known.take(pa.array(places, mask=places < 0))
