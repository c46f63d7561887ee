"""Sheets of Excel files (.xlsx), read with bounds: a small file must not fill the memory."""

from __future__ import annotations

import zipfile
from datetime import date, datetime, time
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from softclust.files.bounds import check_size
from softclust.files.text import are_values, no_header

_MOST_CELLS = 50_000_000  # of a sheet, empty ones too


def read_sheet(path: Path, sheet: str | None = None) -> tuple[list[str], list[Any], np.ndarray, list[str]]:
    """Return names, columns, rows as the sheet counts them, and notes; by default of the first sheet."""
    try:
        import openpyxl
    except ImportError:
        raise ValueError(f"{path}: Excel files need openpyxl: pip install 'softclust[excel]'.") from None
    _check_zip(path)
    try:
        book = openpyxl.load_workbook(path, read_only=True, data_only=True)
    except Exception as error:  # a damaged file raises whatever its parts do
        raise ValueError(f"{path} cannot be read as an Excel file: {_first_line(error)}.") from None
    try:
        names = list(book.sheetnames)
        if sheet is not None and sheet not in names:
            raise ValueError(f"{path} has no sheet {sheet!r}; it has {', '.join(map(repr, names[:12]))}.")
        chosen = sheet if sheet is not None else names[0]
        rows, lines = _rows(book[chosen], path, chosen)
    except (KeyError, zipfile.BadZipFile, SyntaxError, TypeError) as error:
        raise ValueError(f"{path} cannot be read as an Excel file: {_first_line(error)}.") from None
    finally:
        book.close()
    notes = []
    if sheet is None and len(names) > 1:
        notes.append(
            f"Sheet {chosen!r} is read; --sheet names another: {', '.join(map(repr, names[1:12]))}."
        )
    return _table(rows, lines, path, chosen, notes)


def _check_zip(path: Path) -> None:
    """Raise an error if the parts of the file are far larger than the file."""
    try:
        with zipfile.ZipFile(path) as archive:
            check_size(path, sum(part.file_size for part in archive.infolist()), path.stat().st_size)
    except zipfile.BadZipFile:
        raise ValueError(
            f"{path} is no .xlsx file; save it from a spreadsheet as .xlsx or as .csv."
        ) from None


def _first_line(error: Exception) -> str:
    return str(error).split("\n")[0].strip("'\".") or type(error).__name__


def _rows(sheet: Any, path: Path, name: str) -> tuple[list[list[Any]], list[int]]:
    """Return the rows with a filled cell, and their numbers."""
    if not hasattr(sheet, "iter_rows"):
        raise ValueError(f"sheet {name!r} of {path} is a chart; --sheet names another sheet.")
    sheet.reset_dimensions()  # which a file may state as it likes
    rows, lines, cells = [], [], 0
    for line, row in enumerate(sheet.iter_rows(values_only=True), 1):
        cells += max(len(row), 1)
        if cells > _MOST_CELLS:
            raise ValueError(f"{path} has more than {_MOST_CELLS:,} cells; save it as .csv or .parquet.")
        values = [value.strip() if isinstance(value, str) else value for value in row]
        while values and values[-1] in (None, ""):
            values.pop()
        if values:
            rows.append(values)
            lines.append(line)
    return rows, lines


def _table(
    rows: list[list[Any]], lines: list[int], path: Path, sheet: str, notes: list[str]
) -> tuple[list[str], list[Any], np.ndarray, list[str]]:
    if not rows:
        raise ValueError(f"sheet {sheet!r} of {path} is empty.")
    at = 0
    width = max(len(row) for row in rows)
    while at + 1 < len(rows) and width > 1 and sum(value is not None for value in rows[at]) <= 1:
        at += 1  # a title above the table
    if at == len(rows) - 1:
        at = 0
    if at:
        notes.append(f"The rows above line {lines[at]} are no part of the table.")
    header = ["" if value is None else " ".join(str(value).split()) for value in rows[at]]
    header += [""] * (width - len(header))
    if are_values(header):
        notes.append(no_header(lines[at]))
        header, at = [f"column {j + 1}" for j in range(width)], at - 1
    body = [[*row, *[None] * (width - len(row))] for row in rows[at + 1 :]]
    if not body:
        raise ValueError(f"sheet {sheet!r} of {path} has a header but no rows.")
    columns = [_array(list(column)) for column in zip(*body, strict=True)]
    return header, columns, np.array(lines[at + 1 :]), notes


def _array(values: list[Any]) -> pa.Array:
    """Return cells as numbers, as dates, or as text."""
    present = [value for value in values if value not in (None, "")]
    if all(isinstance(value, int | float) for value in present):
        return pa.array([None if value in (None, "") else float(value) for value in values], pa.float64())
    if all(isinstance(value, date | datetime) for value in present):
        return pa.array([None if v in (None, "") else _moment(v) for v in values], pa.timestamp("us"))
    return pa.array([None if value is None else _text(value) for value in values], pa.string())


def _moment(value: date | datetime) -> datetime:
    return value if isinstance(value, datetime) else datetime.combine(value, time())


def _text(value: Any) -> str:
    """Return a cell of a column of mixed cells as text."""
    return (
        repr(value)
        if isinstance(value, float) and value % 1
        else f"{value:g}"
        if isinstance(value, float)
        else str(value)
    )
