"""Text files as spreadsheets and programs write them: encoding, delimiter, title lines, header, cells."""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from softclust.files.numbers import MISSING_WORDS, number

_DELIMITERS = ",;\t|"
_HEAD = 200  # records that are looked at to find the delimiter and the header
_MARKS = (  # the longer first: UTF-32 begins like UTF-16
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_CONTROLS = bytes([*range(9), *range(14, 32), 127])  # without tab, line feed, form feed, return
_SEP = re.compile(r'"?sep=(.)"?[ ;,]*(\r\n|\r|\n)', re.IGNORECASE)
_MOST_NAMED = 5  # lines that an error names


@dataclass(frozen=True)
class TextTable:
    """The cells of a text file: names, columns of text, and the line on which each row begins."""

    names: list[str]
    columns: list[pa.ChunkedArray]
    lines: np.ndarray
    delimiter: str
    notes: tuple[str, ...] = ()


def read_text(raw: bytes, delimiter: str | None = None) -> TextTable:
    """Return the cells of a text file; a ValueError says what is wrong, without the file's name."""
    text, notes = _decoded(raw)
    first = 1
    told = _SEP.match(text)  # Excel's way to name the delimiter
    if told is not None:
        delimiter, text, first = told[1], text[told.end() :], 2
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if not text.strip():
        raise ValueError("is empty")
    delimiter = delimiter or _delimiter(text)
    names, body, first, more = _head(text, delimiter, first)
    table = _cells(names, body, delimiter, first)
    return replace(table, notes=(*notes, *more, *table.notes))


def _decoded(raw: bytes) -> tuple[str, tuple[str, ...]]:
    """Return the text of a file: UTF-8, UTF-16 with its mark, or else Windows-1252."""
    for mark, encoding in _MARKS:
        if raw.startswith(mark):
            try:
                text = raw[len(mark) :].decode(encoding) if encoding == "utf-8" else raw.decode(encoding)
            except UnicodeDecodeError as error:
                line = raw[: error.start].count(b"\n") + 1
                raise ValueError(
                    f"line {line} is not {encoding.upper()}, as the file's first bytes say"
                ) from None
            return _checked(text), ()
    raw = raw.rstrip(b"\x1a")  # the end of a file of old DOS programs
    if b"\0" in raw:
        line = raw[: raw.index(b"\0")].count(b"\n") + 1
        raise ValueError(f"line {line} holds binary data, a byte 0; a text file would fit")
    try:
        return _checked(raw.decode("utf-8")), ()
    except UnicodeDecodeError:
        note = "It is not UTF-8 and was read as Windows-1252, as older Excel writes it."
        return _checked(raw.decode("cp1252", errors="replace"), "\ufffd"), (note,)


def _checked(text: str, also: str = "\0") -> str:
    """Return the text; raise an error if it holds bytes that no text has."""
    found = min((place for place in (_first_control(text), text.find(also)) if place >= 0), default=-1)
    if found >= 0:
        line = text.count("\n", 0, found) + 1
        raise ValueError(f"line {line} holds binary data; a text file would fit")
    return text


def _first_control(text: str) -> int:
    """Return the place of the first control character that no text has, or -1."""
    data = text.encode("utf-8")
    if len(data.translate(None, _CONTROLS)) == len(data):  # the usual case, ten times as fast as a search
        return -1
    return min(place for place in (text.find(chr(code)) for code in _CONTROLS) if place >= 0)


def _records(text: str, delimiter: str, first: int = 1) -> Iterator[tuple[int, list[str]]]:
    """Yield the line on which each record begins and its cells; blank lines are no records."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    line = first
    try:
        for cells in reader:
            if any(cell.strip() for cell in cells) or len(cells) > 1:
                yield line, cells
            line = first + reader.line_num
    except csv.Error as error:
        raise ValueError(f"line {line}: {error}") from None


def _delimiter(text: str) -> str:
    """Return the delimiter that cuts the first records into most cells of the same number."""
    head = text[: 2**16].rpartition("\n")[0] or text
    scores = {}
    for mark in _DELIMITERS:
        widths = [len(cells) for _, (_, cells) in zip(range(_HEAD), _records(head, mark), strict=False)]
        width, count = Counter(widths).most_common(1)[0]
        scores[mark] = (width > 1, count / len(widths) if width > 1 else 0, width)
    return max(_DELIMITERS, key=lambda mark: scores[mark])


def _head(text: str, delimiter: str, first: int) -> tuple[list[str], str, int, list[str]]:
    """Return the names of the columns, the text below the header, its first line, and notes."""
    head = text if len(text) < 2**20 else text[: 2**20]
    records = [one for _, one in zip(range(_HEAD), _records(head, delimiter, first), strict=False)]
    width = Counter(len(cells) for _, cells in records).most_common(1)[0][0]
    at = next(i for i, (_, cells) in enumerate(records) if len(cells) == width)
    if at and not all(_is_title(cells, width) for _, cells in records[:at]):
        at = 0
    line, cells = records[at]
    notes = []
    if at:
        notes.append(f"The lines above line {line} are no part of the table.")
    names = [" ".join(cell.split()) for cell in cells]
    if are_values(names):
        notes.append(no_header(line))
        return [f"column {j + 1}" for j in range(len(names))], _after(text, line - first), line, notes
    if counts_columns(names):
        notes.append(f"The numbers on line {line} are taken for names of columns.")
    below = next((after for after, _ in records[at + 1 :]), None)
    if below is None:
        raise ValueError("has a header but no rows")
    return names, _after(text, below - first), below, notes


def _is_title(cells: list[str], width: int) -> bool:
    """Tell whether a record above the table is a title: fewer cells, at most one of them filled."""
    return len(cells) < width and sum(bool(cell.strip()) for cell in cells) <= 1


def no_header(line: int) -> str:
    """Return the note on a file whose first line holds values."""
    return f"It has no header: line {line} holds numbers, and columns are called column 1, column 2, ..."


def are_values(names: list[str]) -> bool:
    """Tell whether a first line holds values, not names: all are numbers, and they count no columns."""
    values = [number(name) for name in names if name.lower() not in MISSING_WORDS]
    if not values or any(value is None for value in values) or "" in names[1:]:
        return False
    return not counts_columns(names)


def counts_columns(names: list[str]) -> bool:
    """Tell whether names are 0, 1, 2, ... or 1, 2, 3, ..., as pandas names columns.

    Two numbers may as well be values, unless an index without a name stands before them.
    """
    counted = names[1:] if names[0] == "" else names
    if len(counted) < (3 if counted is names else 1):
        return False
    return counted in ([str(j) for j in range(len(counted))], [str(j + 1) for j in range(len(counted))])


def _after(text: str, lines: int) -> str:
    """Return the text below so many lines."""
    place = 0
    for _ in range(lines):
        place = text.index("\n", place) + 1
    return text[place:]


def _cells(names: list[str], body: str, delimiter: str, first: int) -> TextTable:
    """Return the cells below the header; the compiled reader goes first, a slower one mends or refuses."""
    from pyarrow import csv as compiled

    data, columns = body.encode("utf-8"), [str(j) for j in range(len(names))]
    read = compiled.ReadOptions(column_names=columns, block_size=min(max(len(data), 1), 2**26))
    parse = compiled.ParseOptions(delimiter=delimiter, newlines_in_values='"' in body)
    convert = compiled.ConvertOptions(column_types=dict.fromkeys(columns, pa.string()))
    try:
        table = compiled.read_csv(pa.BufferReader(data), read, parse, convert)
    except pa.ArrowInvalid:
        return _mended(names, body, delimiter, first)
    lines = _lines_of(body, delimiter, first, table.num_rows)
    if lines is None:
        return _mended(names, body, delimiter, first)
    return TextTable(names, list(table.columns), lines, delimiter)


def _lines_of(body: str, delimiter: str, first: int, rows: int) -> np.ndarray | None:
    """Return the line of each row, or None if the two readers do not agree on the rows."""
    if body.count("\n") + (not body.endswith("\n")) == rows:
        return first + np.arange(rows)
    lines = np.array([line for line, _ in _records(body, delimiter, first)], dtype=np.int64)
    return lines if len(lines) == rows else None


def _mended(names: list[str], body: str, delimiter: str, first: int) -> TextTable:
    """Return the cells of rows of unequal length; cells beyond the header must be empty."""
    lines, rows, wrong = [], [], []
    for line, cells in _records(body, delimiter, first):
        while len(cells) > len(names) and not cells[-1].strip():
            cells.pop()
        if len(cells) != len(names):
            wrong.append(f"line {line} has {len(cells)}")
        lines.append(line)
        rows.append(cells)
    if wrong:
        more = f" and {len(wrong) - _MOST_NAMED} lines more" if len(wrong) > _MOST_NAMED else ""
        what = "cell" if len(names) == 1 else "cells"
        raise ValueError(
            f"the header has {len(names)} {what}, but {', '.join(wrong[:_MOST_NAMED])}{more}; "
            "a row needs a cell for each column"
        )
    columns = [pa.chunked_array([pa.array(column, pa.string())]) for column in zip(*rows, strict=True)]
    return TextTable(names, columns, np.array(lines, dtype=np.int64), delimiter)
