"""Names of clusters and features, and numbers as people write them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class RowNames:
    """How people find rows: by positions from 0, or by names of their own, such as lines of a file.

    Attributes
    ----------
    names : sequence of str or None
        A name for each row, such as "73"; None are positions from 0.
    noun : str
        What the names count, such as "line".

    Examples
    --------
    >>> from softclust.explanation import RowNames
    >>> RowNames().said(71), RowNames(["73 (Anna)"], "line").said(0)
    ('row 71', 'line 73 (Anna)')
    """

    names: Sequence[str] | None = None
    noun: str = "row"

    @classmethod
    def of(cls, given: RowNames | Iterable[Any] | None, n: int) -> RowNames:
        """Return the names of n rows: those given, or positions."""
        if given is None:
            return cls()
        found = given if isinstance(given, RowNames) else cls(tuple(map(str, given)))
        if found.names is not None and len(found.names) != n:
            raise ValueError(f"row_names has {len(found.names)} names; X has {n} rows.")
        return found

    def __getitem__(self, row: int) -> str:
        """Return the name of a row alone: `71`."""
        return str(row) if self.names is None else self.names[row]

    def said(self, row: int) -> str:
        """Return a row as a sentence names it: `row 71`."""
        return f"{self.noun} {self[row]}"

    def begun(self, row: int) -> str:
        """Return a row as it begins a sentence: `Row 71`."""
        return begun(self.said(row))

    def noun_for(self, count: int) -> str:
        """Return the noun that names need after the word "rows", with a space behind it, or nothing."""
        return "" if self.noun == "row" else f"{self.noun} " if count == 1 else f"{self.noun}s "


def begun(words: str) -> str:
    """Return words as they begin a sentence."""
    return words[:1].upper() + words[1:]


def cluster_names(model: Any) -> list[str]:
    """Return the names of the clusters: the classes of the labels, or numbers; no two are equal.

    A cluster beyond the classes has its number, counted from 1: "cluster 4".
    """
    classes = getattr(model, "classes_", None)
    given = range(_count(model)) if classes is None else classes
    names: list[str] = []
    taken = {str(name) for name in given if name is not None}
    for k, name in enumerate(given):
        wanted = f"cluster {k + 1}" if name is None else str(name)
        free, copy = wanted, 2
        while free in names or (name is None and free in taken):
            free, copy = f"{wanted} ({copy})", copy + 1
        names.append(free)
    return names


def _count(model: Any) -> int:
    """Return the number of clusters; distances alone have no centres."""
    centers = getattr(model, "cluster_centers_", None)
    return int(model.n_clusters_) if centers is None else len(centers)


def spoken_names(names: Sequence[str]) -> list[str]:
    """Return names as a sentence says them: `cluster 2` for a number, the name itself for a word."""
    return [f"cluster {name}" if _is_number(name) or not name.strip() else name for name in names]


def _is_number(name: str) -> bool:
    try:
        float(name)
    except ValueError:
        return False
    return True


def set_names(names: Sequence[str], sets: np.ndarray) -> list[str]:
    """Return a name for each set of clusters (f, c), as a sentence says it.

    It is `cluster 2 or 3` for numbers, `a or b` for words, and `no cluster` for the empty set.
    """
    numbers = all(map(_is_number, names))
    said = list(names) if numbers else spoken_names(names)
    return [
        ("cluster " if numbers else "") + listed([said[k] for k in np.flatnonzero(members)], "or")
        if members.any()
        else "no cluster"
        for members in np.asarray(sets, dtype=bool)
    ]


def feature_names_of(model: Any, given: Sequence[str] | None, p: int) -> list[str]:
    """Return the names of the features: those given, those of the fit, or numbers."""
    names = given
    for attribute in ("feature_names_in_", "columns_"):
        names = getattr(model, attribute, None) if names is None else names
    if names is None:
        return [f"feature {j}" for j in range(p)]
    if len(names) != p:
        raise ValueError(f"feature_names has {len(names)} names; the rows have {p} features.")
    return [str(name) for name in names]


def number(value: float) -> str:
    """Write a value in four digits, and large ones without an exponent."""
    if 1e4 <= abs(value) < 1e9:
        return f"{value:,.0f}"
    return f"{value:.4g}"


def share(value: float) -> str:
    """Write a share of 1 as .54; shares next to 0 and 1 stay apart from them."""
    if 0 < value < 0.005:
        return "<.01"
    if 0.995 <= value < 1:
        return ">.99"
    return "1" if value >= 1 else "0" if value <= 0 else f"{value:.2f}"[1:]


def listed(words: Sequence[str], last: str = "and") -> str:
    """Join words as a sentence does: a, b and c."""
    return f" {last} ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)
