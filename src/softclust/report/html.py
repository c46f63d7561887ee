"""Build HTML: text is escaped unless it was built here."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from html import escape
from typing import Any, NamedTuple

import numpy as np

_VOID = {"meta", "input", "br"}


class Html(str):
    """HTML that needs no escaping."""


def tag(name: str, /, *children: Any, **attributes: Any) -> Html:
    """Return an element; children that are no `Html` are text, and None is left out.

    A trailing underscore of an attribute is dropped and others become hyphens; True stands for itself, and
    an attribute that is None or False is left out.
    """
    words = []
    for key, value in attributes.items():
        if value is None or value is False:
            continue
        word = key.rstrip("_").replace("_", "-")
        words.append(f" {word}" if value is True else f' {word}="{escape(_attribute(value))}"')
    start = f"<{name}{''.join(words)}>"
    return Html(start if name in _VOID else f"{start}{joined(children)}</{name}>")


def joined(children: Iterable[Any]) -> Html:
    """Return children one after the other, escaped unless they are `Html`."""
    return Html("".join(c if isinstance(c, Html) else escape(str(c)) for c in children if c is not None))


def _attribute(value: Any) -> str:
    """Write an attribute; coordinates need no more than two decimals."""
    if isinstance(value, float | np.floating):
        return f"{value:.2f}".rstrip("0").rstrip(".")
    return str(value)


def counted(count: int, one: str, several: str | None = None) -> str:
    """Return a number with its noun: `1 row`, `2,000 rows`."""
    return f"{count:,} {one if count == 1 else several or one + 's'}"


def section(title: str, *children: Any, id_: str) -> Html:
    """Return a section with a heading."""
    return tag("section", tag("h2", title), *children, id=id_)


def paragraph(*children: Any, class_: str | None = None) -> Html:
    """Return a paragraph."""
    return tag("p", *children, class_=class_)


class Cell(NamedTuple):
    """A cell of a table: what is shown, and the value by which rows are sorted."""

    shown: Any
    value: Any


def table(headings: Sequence[Any], rows: Iterable[Sequence[Any]], caption: Any = None) -> Html:
    """Return a table in a box that scrolls by itself; the script of the page makes it sortable.

    Numbers align right; an empty cell is "".  A cell may be a `Cell`, whose value sorts the rows.
    """
    listed = [[cell if isinstance(cell, Cell) else Cell(cell, cell) for cell in row] for row in rows]
    numeric = [_are_numbers([row[j].value for row in listed]) for j in range(len(headings))]
    head = (
        tag("th", heading, scope="col", class_="number" if right else None)
        for heading, right in zip(headings, numeric, strict=True)
    )
    body = (
        tag("tr", *(_cell(cell, right) for cell, right in zip(row, numeric, strict=True))) for row in listed
    )
    inner = [
        None if caption is None else tag("caption", caption),
        tag("thead", tag("tr", *head)),
        tag("tbody", *body),
    ]
    return tag("div", tag("table", *inner), class_="wide", tabindex=0, role="group", aria_label="table")


def _cell(cell: Cell, right: bool) -> Html:
    sort = f"{float(cell.value):.6g}" if right and cell.value != "" else None
    return tag("td", cell.shown, class_="number" if right else None, data_sort=sort)


def _are_numbers(values: list[Any]) -> bool:
    """Tell whether all values are numbers or empty, and one is a number."""
    given = [value for value in values if value != ""]
    return bool(given) and all(map(_is_number, given))


def _is_number(value: Any) -> bool:
    """Tell whether a value is a number; a whole number as well."""
    return isinstance(value, int | float | np.integer | np.floating) and math.isfinite(value)
