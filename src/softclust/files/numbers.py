"""Read cells of text as numbers: missing words, decimal commas, thousands, percent signs and currencies."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

# What people and programs write into a cell without a value; compared in lower case.
MISSING_WORDS = frozenset(
    [
        "", "na", "n/a", "n.a.", "nan", "<na>", "nat", "null", "(null)", "none", "nil", "missing", "?", "-",
        "--", "\N{EN DASH}", "\N{EM DASH}", ".", "..", "...", "#n/a", "#na", "#null!", "#div/0!", 
        "#value!", "#ref!", "#name?", "#num!", "k.a.", "k. a.",
    ]
)  # fmt: skip

_SPACES = " \t\N{NO-BREAK SPACE}\N{NARROW NO-BREAK SPACE}\N{THIN SPACE}"
_GROUPS = f"'\N{RIGHT SINGLE QUOTATION MARK}{_SPACES}"  # between thousands; nowhere decimal marks
_CURRENCY = "(?:[$\N{EURO SIGN}\N{POUND SIGN}\N{YEN SIGN}]|EUR|USD|GBP|CHF)"
_MINUS = "\N{MINUS SIGN}"


def _pattern(decimal: str) -> re.Pattern[str]:
    """Return the pattern of a number: sign, currency, digits with thousands, fraction, power, unit."""
    other = re.escape("," if decimal == "." else ".")
    digits = rf"(?:\d{{1,3}}(?:[{other}{_GROUPS}]\d{{3}})+|\d+)"
    fraction = rf"(?:{re.escape(decimal)}\d*)?"
    body = rf"(?:{digits}{fraction}|{re.escape(decimal)}\d+)(?:[eE][+-]?\d+)?"
    return re.compile(
        rf"(?P<open>\()?(?P<sign>[+\-{_MINUS}])?\s*{_CURRENCY}?\s*(?P<late>[+\-{_MINUS}])?(?P<body>{body})"
        rf"\s*(?P<percent>%)?\s*{_CURRENCY}?(?P<close>\))?"
    )


_PATTERNS = {decimal: _pattern(decimal) for decimal in ".,"}
_INFINITE = re.compile(r"[+-]?inf(inity)?", re.IGNORECASE)

# Cells that can only be read with this decimal mark: not exactly three digits behind it, or 0 before it.
_SIGN = rf"^\s*\(?[+\-]?\s*{_CURRENCY}?\s*[+\-]?"
_END = rf"(?:[eE][+-]?\d+)?\s*%?\s*{_CURRENCY}?\)?\s*$"
_EVIDENCE = {
    decimal: "|".join(
        [
            rf"{_SIGN}\d*{mark}(?:\d{{1,2}}|\d{{4,}}){_END}",
            rf"{_SIGN}0{mark}\d+{_END}",
            rf"{_SIGN}\d{{1,3}}(?:[{other}{_GROUPS}]\d{{3}})+{mark}\d*{_END}",
            rf"{_SIGN}\d{{1,3}}(?:{other}\d{{3}}){{2,}}{_END}",
        ]
    )
    for decimal, mark, other in ((".", r"\.", ","), (",", ",", r"\."))
}


def number(text: str, decimal: str = ".") -> float | None:
    """Return the number in a cell, or None if the cell is no number.

    Thousands may be set apart by the other mark, by spaces or by apostrophes.  A percent sign divides by
    100, a currency is ignored, and brackets are a minus sign, as bookkeepers write it.

    Examples
    --------
    >>> [number(text) for text in ("12", "1,234.5", "-3e2", "45 %", "$ 7", "(12)", "1,5", "31.12.2020")]
    [12.0, 1234.5, -300.0, 0.45, 7.0, -12.0, None, None]
    >>> number("1.234,5", decimal=",")
    1234.5
    """
    text = text.strip()
    found = _PATTERNS[decimal].fullmatch(text)
    if found is None:
        return float(text) if _INFINITE.fullmatch(text) else None
    signs = [sign for sign in (found["sign"], found["late"]) if sign]
    if bool(found["open"]) != bool(found["close"]) or len(signs) + bool(found["open"]) > 1:
        return None
    digits = re.sub(rf"[{_GROUPS}{',' if decimal == '.' else '.'}]", "", found["body"]).replace(",", ".")
    value = float(digits) / (100.0 if found["percent"] else 1.0)
    return -value if found["open"] or (signs and signs[0] != "+") else value


def decimal_marks(
    columns: Sequence[pa.ChunkedArray], delimiter: str, may_have_commas: bool = True
) -> list[str]:
    """Return the decimal mark of each column of text, "." or ",".

    A column with cells that can only be read with one mark has that mark.  The others follow the rest of
    the file, and where no cell tells, the delimiter: a file with commas between its cells has decimal
    points; a file with other delimiters has decimal commas if it has commas at all.
    """
    commas = [may_have_commas and _any(pc.match_substring(column, ",")) for column in columns]
    if not any(commas):
        return ["."] * len(columns)
    with_comma = [has and _votes(column, ",") for column, has in zip(columns, commas, strict=True)]
    with_point = [_votes(column, ".") for column in columns]
    if sum(map(bool, with_comma)) != sum(map(bool, with_point)):
        usual = "," if sum(map(bool, with_comma)) > sum(map(bool, with_point)) else "."
    else:
        usual = "." if delimiter == "," else ","
    return [
        usual if comma == point else "," if comma > point else "."
        for comma, point in zip(with_comma, with_point, strict=True)
    ]


def _votes(column: pa.ChunkedArray, decimal: str) -> int:
    """Return the number of cells that can only be read with this decimal mark."""
    return pc.sum(pc.match_substring_regex(column, _EVIDENCE[decimal])).as_py() or 0


def _any(flags: pa.ChunkedArray) -> bool:
    return bool(pc.any(flags).as_py())


def trimmed(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return a column of text without spaces at the ends of its cells."""
    return pc.utf8_trim(column, characters=_SPACES)


def is_missing(column: pa.ChunkedArray, words: Iterable[str] = ()) -> np.ndarray:
    """Return for each trimmed cell whether it holds no value, (n,)."""
    wanted = pa.array(sorted(MISSING_WORDS | {word.strip().lower() for word in words}), column.type)
    told = pc.is_in(pc.utf8_lower(column), value_set=wanted)
    return np.asarray(pc.or_(pc.fill_null(told, False), pc.is_null(column)).to_numpy(zero_copy_only=False))


def plain_numbers(column: Any) -> np.ndarray | None:
    """Return the numbers of a column of text, or None if a cell is not written as programs write them."""
    try:
        return np.array(pc.cast(column, pa.float64()).to_numpy(zero_copy_only=False), dtype=np.float64)
    except pa.ArrowInvalid:
        return None


def numbers_of(
    column: pa.ChunkedArray, missing: np.ndarray, decimal: str = "."
) -> tuple[np.ndarray, np.ndarray]:
    """Return the numbers of a trimmed column of text and whether each cell is no number, both (n,).

    Missing cells are NaN and are not wrong.
    """
    present = pc.if_else(pa.array(missing), pa.scalar(None, column.type), column.combine_chunks())
    plain = present
    if decimal == ",":
        plain = None if _any(pc.match_substring(present, ".")) else pc.replace_substring(present, ",", ".")
    values = None if plain is None else plain_numbers(plain)
    if values is not None:
        return values, np.zeros(len(values), dtype=bool)
    coded = pc.dictionary_encode(present)
    read = [number(text, decimal) for text in coded.dictionary.to_pylist()]
    table = np.array([*(np.nan if value is None else value for value in read), np.nan])
    wrong = np.array([*(value is None for value in read), False])
    codes = pc.fill_null(coded.indices, len(read)).to_numpy(zero_copy_only=False)
    return table[codes], wrong[codes]
