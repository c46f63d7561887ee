"""Compare the fields of a record with their annotations, which a file need not respect."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import numpy as np

_LARGEST = 2**63  # whole numbers stay below it


def check_fields(record: Any) -> None:
    """Raise a TypeError if a field of a dataclass does not hold what its annotation says."""
    for field in fields(record):
        value = getattr(record, field.name)
        if not fits(value, str(field.type)):
            raise TypeError(
                f"{type(record).__name__}.{field.name} holds {_brief(value)}; {field.type} would fit"
            )


def fits(value: Any, annotation: str) -> bool:
    """Tell whether a value is of the annotated type; a class is known by its name."""
    kinds = _split(annotation, "|")
    if len(kinds) > 1:
        return any(fits(value, kind) for kind in kinds)
    name, _, inner = kinds[0].partition("[")
    if inner and name in ("tuple", "list"):
        return isinstance(value, tuple if name == "tuple" else list) and _hold(value, inner[:-1])
    simple = _SIMPLE.get(name)
    return simple(value) if simple else name in (cls.__name__ for cls in type(value).__mro__)


def _hold(values: Any, inner: str) -> bool:
    """Tell whether the entries of a list or tuple are of the types between its brackets."""
    kinds = _split(inner, ",")
    if len(kinds) == 1 or kinds[1] == "...":
        return all(fits(value, kinds[0]) for value in values)
    return len(values) == len(kinds) and all(map(fits, values, kinds))


def _split(text: str, mark: str) -> list[str]:
    """Split at a mark that is not inside brackets."""
    parts, depth = [""], 0
    for letter in text:
        depth += {"[": 1, "]": -1}.get(letter, 0)
        if letter == mark and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts]


def _is_whole(value: Any) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | np.integer):
        return False
    return -_LARGEST < int(value) < _LARGEST


def _is_number(value: Any) -> bool:
    return _is_whole(value) or (isinstance(value, float | np.floating) and value == value)


_SIMPLE: dict[str, Any] = {
    "Any": lambda value: True,
    "Strength": lambda value: True,  # of a separation, which predictions do not read
    "None": lambda value: value is None,
    "bool": lambda value: isinstance(value, bool | np.bool_),
    "str": lambda value: isinstance(value, str),
    "int": _is_whole,
    "float": _is_number,
    "np.ndarray": lambda value: isinstance(value, np.ndarray),
}


def _brief(value: Any) -> str:
    """Name a value in a message."""
    shown = repr(value)
    return shown if len(shown) <= 40 else f"a value of the type {type(value).__name__}"
