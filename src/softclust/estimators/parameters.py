"""Docstrings of estimators: each class describes its own parameters and inherits the rest."""

from __future__ import annotations

import re
from dataclasses import MISSING, fields
from inspect import cleandoc
from textwrap import indent
from typing import Any, TypeVar

_SECTIONS = "Parameters", "Attributes"
_HEADING = re.compile(r"^(\w[\w ]*)\n(-+)$", re.MULTILINE)
_ENTRY = re.compile(r"^(?=\S)", re.MULTILINE)

Class = TypeVar("Class", bound=type)


def documented(cls: Class) -> Class:
    """Complete the docstring of a class with what its bases say of their parameters and attributes.

    Defaults are written as the class has them, so that a description that is shared is right for each
    class.
    """
    text = _sections(cls.__doc__ or "")
    for section in _SECTIONS:
        found: dict[str, str] = {}
        for base in cls.__mro__:
            if (
                base is not object
                and "__doc__" in vars(base)
                and (base is cls or hasattr(base, "_sentence"))
            ):
                found = {**found, **_new(_entries(_sections(base.__doc__ or "").get(section, "")), found)}
        if section == "Parameters":
            found = _with_defaults(cls, found)
        if found:
            text[section] = "\n".join(found.values())
    order = ["", "Parameters", "Attributes", *(name for name in text if name not in ("", *_SECTIONS))]
    whole = "\n\n".join(
        text[name] if not name else f"{name}\n{'-' * len(name)}\n{text[name]}"
        for name in order
        if name in text
    )
    cls.__doc__ = indent(whole, "    ").strip() + "\n    "  # as docstrings stand in their class
    return cls


def _new(entries: dict[str, str], known: dict[str, str]) -> dict[str, str]:
    """The entries whose names are not known yet."""
    named = {name for names in known for name in names.split(", ")}
    return {names: entry for names, entry in entries.items() if not named & set(names.split(", "))}


def _sections(doc: str) -> dict[str, str]:
    """The text of each section by its heading; that before the first under ""."""
    parts = _HEADING.split(cleandoc(doc))
    found = {"": parts[0].strip()}
    for heading, text in zip(parts[1::3], parts[3::3], strict=True):
        found[heading] = text.strip("\n")
    return found


def _entries(text: str) -> dict[str, str]:
    """The entries of a section by the names that each describes."""
    entries = [entry.rstrip() for entry in _ENTRY.split(text) if entry.strip()]
    return {entry.split(" :")[0].split("\n")[0]: entry for entry in entries}


def _with_defaults(cls: Any, entries: dict[str, str]) -> dict[str, str]:
    """The entries of parameters that the class has, the number of clusters first, each with its default."""
    defaults = {f.name: f.default for f in fields(cls) if f.default is not MISSING}
    described = {name: entry for name, entry in entries.items() if name.split(",")[0] in defaults}
    first = {name: described[name] for name in ("n_clusters",) if name in described}
    out = {**first, **described}
    for name, entry in out.items():
        head, _, body = entry.partition("\n")
        value = defaults[name.split(",")[0]]
        shown = f'"{value}"' if isinstance(value, str) else repr(value).replace("e-0", "e-")
        out[name] = re.sub(r"default=.*$", f"default={shown}", head) + "\n" + body
    return out
