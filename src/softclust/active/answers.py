"""What an expert said about rows, as a frozen value: tell, skip, link, undo, redo."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cached_property
from typing import Any, Self

import numpy as np

from softclust.active import events, forms
from softclust.active.checks import class_name, degrees
from softclust.active.choice import Form
from softclust.active.events import Event, Told
from softclust.active.header import Header
from softclust.active.refits import Memory
from softclust.active.view import checked_rows


@dataclass(frozen=True, eq=False, repr=False)
class Answers:
    """The answers of a session; every change makes a new value with one more event."""

    X: np.ndarray
    estimator: Any
    header: Header
    events: tuple[Event, ...] = ()
    keys: tuple[str, ...] | None = None
    memory: Memory = field(default_factory=Memory)

    # ------------------------------------------------------------------ what the expert says
    def tell(self, rows: int | Iterable[int], label: Any, *, strength: float | None = None) -> Self:
        """Give one row, or several, a label.

        Parameters
        ----------
        rows : int or iterable of int
            Positions of rows.
        label : str, dict, set or None
            A class; a degree in [0, 1] for each named class, the others have 0; a set means "one of these";
            None means "none of them": an outlier.
        strength : float, default=None
            What the label counts beside a usual one, such as 0.3 for many rows at a time.

        Returns
        -------
        session : Session
        """
        wanted = degrees(label)
        where = self._positions(rows)
        if strength is not None and not strength >= 0:
            raise ValueError(f"strength={strength} is not a number >= 0.")
        reason, shown = self._question(where)
        do = "label" if wanted else "none"
        return self._with(
            do, rows=where, degrees=wanted or None, strength=strength, asked=reason, shown=shown
        )

    def skip(self, rows: int | Iterable[int]) -> Self:
        """Say that nobody can tell the class of these rows: they are not asked again and teach nothing."""
        where = self._positions(rows)
        reason, shown = self._question(where)
        return self._with("skip", rows=where, asked=reason, shown=shown)

    def forget(self, rows: int | Iterable[int]) -> Self:
        """Forget the answers about these rows; they may be asked again."""
        where = self._positions(rows)
        silent = [row for row in where if row not in self.told.labels and row not in self.told.skipped]
        if silent:
            raise ValueError(f"Nothing was said about row {silent[0]}.")
        return self._with("forget", rows=where)

    def link(self, row: int, other: int, *, same: bool) -> Self:
        """Say that two rows belong together (`same=True`) or apart."""
        return self._with("link", rows=self._pair(row, other), same=bool(same))

    def unlink(self, row: int, other: int) -> Self:
        """Forget the answer about a pair."""
        return self._with("unlink", rows=self._pair(row, other))

    def name_class(self, name: Any) -> Self:
        """Add a class that no row has yet."""
        return self._with("class", name=class_name(name))

    def rename(self, old: Any, new: Any) -> Self:
        """Give a class another name."""
        if str(old) not in self.classes or class_name(new) in self.classes:
            raise ValueError(f"{old!r} cannot become {new!r}; the classes are {', '.join(self.classes)}.")
        return self._with("rename", name=str(old), value=str(new))

    def set(self, name: str, value: Any) -> Self:
        """Change a parameter of the estimator, such as m.

        Parameters
        ----------
        name : str
            A parameter; "estimator", whose value is the name of another estimator, which keeps the number
            of clusters only, or "auto": fuzzy c-means with `spreading="auto"`; or "strategy", which chooses
            the questions.
        value : object
            A number, a word or a list.

        Returns
        -------
        session : Session
        """
        forms.check_setting(self, name, value)
        return self._with("setting", name=name, value=value)

    def undo(self) -> Self:
        """Take back the last change; nothing happens if there is none."""
        return self._with("undo") if events.effective(self.events)[0] else self

    def redo(self) -> Self:
        """Bring back what was undone last; nothing happens if there is nothing."""
        return self._with("redo") if events.effective(self.events)[1] else self

    def _with(self, do: str, rows: tuple[int, ...] = (), **parts: Any) -> Self:
        """Return the session with one more event."""
        keys = None if self.keys is None or not rows else tuple(self.keys[row] for row in rows)
        now = datetime.now(UTC).isoformat(timespec="milliseconds")
        event = Event(len(self.events) + 1, now, do, rows, keys, **parts)
        return replace(self, events=(*self.events, event))

    def _question(self, rows: tuple[int, ...]) -> tuple[str | None, str | None]:
        """Return why a single row was asked, and the class that the model foresaw."""
        return self.memory.questions.get(rows[0], (None, None)) if len(rows) == 1 else (None, None)

    def _positions(self, rows: int | Iterable[int]) -> tuple[int, ...]:
        which = [rows] if isinstance(rows, int | np.integer) else rows
        found = tuple(checked_rows(which, len(self.X), "rows").tolist())
        if not found:
            raise ValueError("rows names no row; one or more would fit.")
        return found

    def _pair(self, row: int, other: int) -> tuple[int, ...]:
        where = (*self._positions(row), *self._positions(other))
        if len(where) != 2:
            raise ValueError(f"A pair is two rows; these are {len(where)}: {', '.join(map(str, where))}.")
        if where[0] == where[1]:
            raise ValueError(f"A pair is two rows; both are {where[0]}.")
        return where

    # ------------------------------------------------------------------ answers so far
    @cached_property
    def told(self) -> Told:
        """Labels, pairs, classes and settings after all events."""
        return events.replay(self.events, self.header.classes)

    @property
    def classes(self) -> tuple[str, ...]:
        """The classes in the order of their columns."""
        return tuple(self.told.classes)

    @property
    def asked(self) -> np.ndarray:
        """Rows that need no question, rising."""
        return np.array(sorted({*self.told.labels, *self.told.skipped}), dtype=np.int64)

    @property
    def y(self) -> np.ndarray:
        """Degrees of each row in each column; NaN where nothing is said."""
        return forms.degrees_of(self, self.per_class)

    @property
    def must_link(self) -> np.ndarray:
        """Pairs that belong together, rising."""
        return self._pairs(True)

    @property
    def cannot_link(self) -> np.ndarray:
        """Pairs that belong apart, rising."""
        return self._pairs(False)

    def _pairs(self, same: bool) -> np.ndarray:
        found = sorted(pair for pair, together in self.told.pairs.items() if together == same)
        return np.array(found, dtype=np.int64).reshape(-1, 2)

    @property
    def form(self) -> Form:
        """The number of clusters of each class, and whether labels spread along the rows instead."""
        return forms.form_of(self)

    @property
    def per_class(self) -> int:
        """Number of clusters of each class."""
        return self.form.per_class
