"""Names that fit into a picture: wrapped into lines, and shortened in the middle if that is not enough."""

from __future__ import annotations

import textwrap

_MARK = "\N{HORIZONTAL ELLIPSIS}"


def shortened(name: str, most: int) -> str:
    """Return the name with about so many letters; both ends stay, since names often differ there.

    >>> shortened("length of the petals in cm", 14)
    'length of…in cm'
    """
    name = " ".join(str(name).split())
    if len(name) <= most + 1:
        return name
    tail = most * 2 // 5
    return name[: most - tail] + _MARK + name[len(name) - tail :]


def wrapped(name: str, width: int, lines: int = 2) -> str:
    """Return the name in at most so many lines of about `width` letters, as plain text for matplotlib.

    >>> print(wrapped("length of the petals", 10))
    length of
    the petals
    """
    short = shortened(name, width * lines)
    for wider in range(width, width + width // 4 + 1):  # long words leave gaps at the ends of lines
        rows = textwrap.wrap(short, wider)
        if len(rows) <= lines:
            return plain("\n".join(rows))
    return plain("\n".join(short[i : i + width + 1] for i in range(0, len(short), width + 1)))


def plain(text: str) -> str:
    """Return the text such that matplotlib takes no $ for a formula, and no leading _ for a hidden name."""
    text = text.replace("$", r"\$")
    return f" {text}" if text.startswith("_") else text
