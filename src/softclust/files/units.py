"""Units that headings of columns name, such as "sepal length (cm)"."""

from __future__ import annotations

import re
from collections.abc import Sequence

_UNITS = {
    *(
        "nm",
        "um",
        "\u00b5m",
        "mm",
        "cm",
        "dm",
        "m",
        "km",
        "in",
        "inch",
        "inches",
        "ft",
        "mi",
        "m/s",
        "km/h",
    ),
    *("ug", "\u00b5g", "mg", "g", "kg", "t", "lb", "lbs", "oz", "ms", "s", "sec", "min", "h", "hr"),
    *("hz", "khz", "mhz", "ghz", "%", "percent", "pct", "ppm", "ppb", "\u00b0c", "\u00b0f", "k"),
    *("eur", "usd", "gbp", "chf", "$", "\u20ac", "\u00a3", "ul", "ml", "cl", "dl", "l", "mol", "mmol"),
    *("mmol/l", "mg/l", "mg/dl", "g/l", "g/dl", "g/kg", "mg/kg", "pa", "hpa", "kpa", "bar", "mbar", "mmhg"),
    *("mv", "v", "kv", "ma", "a", "mw", "w", "kw", "j", "kj", "cal", "kcal", "db", "lux"),
}
_IN_BRACKETS = re.compile(r".*\S\s*[(\[]\s*(?:in\s+)?([^()\[\]]+?)\s*[)\]]")
_AT_THE_END = re.compile(r".*[a-z0-9][_ .](\S+)", re.IGNORECASE)


def unit_of(heading: str) -> str | None:
    """Return the unit at the end of a heading, or None.

    Examples
    --------
    >>> [unit_of(text) for text in ("sepal length (cm)", "width_mm", "mass [kg]", "height (mean)", "age")]
    ['cm', 'mm', 'kg', None, None]
    """
    for pattern in (_IN_BRACKETS, _AT_THE_END):
        found = pattern.fullmatch(heading.strip())
        if found is not None and found[1].lower() in _UNITS:
            return found[1].lower()
    return None


def common_unit(headings: Sequence[str]) -> str | None:
    """Return the unit that all of several headings name, or None."""
    units = {unit_of(heading) for heading in headings}
    return units.pop() if len(units) == 1 and len(headings) > 1 else None
