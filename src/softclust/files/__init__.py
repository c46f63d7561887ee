"""Tables as people have them, read and made ready to be clustered.

    table = read_table("wine.csv", sheet=None, missing=())   a Table: columns, lines, notes
    prepared = prepare(table, columns=None, left_out=(), kept=(), labels=None, key=None)
    prepared.X, prepared.names          (k, p) numbers without holes, and their columns
    prepared.rows                       rows of the table in X; table.lines[row] is the file's count
    prepared.labels, prepared.keys      classes of the rows of X; identifiers of all rows of the table
    prepared.roles, prepared.texts      what each column is used for; columns of text
    prepared.notes                      what was done, in sentences
    prepare_as(table, names)            the same, in the columns of a model
    scaling = Scaling.of(prepared.X)    standardised; robust where far rows would decide
    scaling.apply(X), scaling.undo(centres), scaling.words(names), scaling.as_array()

`read_table` reads CSV in any of the forms that spreadsheets write (also .gz), .xlsx, Parquet and Arrow;
`read_tables` reads several files as one table.  Every error is a ValueError of one sentence that names the
file, the line and the cell.
"""

from __future__ import annotations

from softclust.files.prepare import Prepared, Role, prepare, prepare_as
from softclust.files.reading import as_table, kind_of, read_table, read_tables
from softclust.files.scaling import Scaling
from softclust.files.table import Column, Table

__all__ = [
    "Column",
    "Prepared",
    "Role",
    "Scaling",
    "Table",
    "as_table",
    "kind_of",
    "prepare",
    "prepare_as",
    "read_table",
    "read_tables",
]
