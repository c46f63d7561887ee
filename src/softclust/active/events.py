"""What an expert said, as a list of events; replaying the events gives the labels and pairs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

KINDS = ("label", "none", "skip", "forget", "link", "unlink", "class", "rename", "setting", "undo", "redo")
Label = tuple[tuple[str, float], ...]  # degrees of the named classes; () is "none of them"


@dataclass(frozen=True)
class Event:
    """One thing that happened in a session; a line of the session file.

    `asked` is the reason of the question that the event answers, None if nobody asked; `shown` is the class
    that the model foresaw.  Only "label" has degrees, only "link" has `same`, only "class", "rename" and
    "setting" have `name`, and only the last two have `value`.
    """

    n: int  # 1, 2, 3, ...
    at: str  # time, UTC
    do: str  # one of KINDS
    rows: tuple[int, ...] = ()
    keys: tuple[str, ...] | None = None  # the key of each row, if the data have a key column
    degrees: Label | None = None  # of the named classes; the others have 0
    strength: float | None = None  # of a label; None is 1
    same: bool | None = None
    name: str | None = None
    value: Any = None
    asked: str | None = None
    shown: str | None = None

    def record(self) -> dict[str, Any]:
        """Return the event as a JSON object; fields that say nothing are left out."""
        out = {name: value for name, value in vars(self).items() if value is not None}
        if self.degrees is not None:
            out["degrees"] = dict(self.degrees)
        if not self.rows:
            del out["rows"]
        return out

    @classmethod
    def from_record(cls, record: Any, n: int) -> Event:
        """Check a JSON object, and return it as an event; raise a ValueError that says what is wrong."""
        if not isinstance(record, dict) or record.get("n") != n:
            raise ValueError(f"event {n} is missing")
        if record.get("do") not in KINDS:
            raise ValueError(f"event {n} does {record.get('do')!r}, which is not known")
        unknown = sorted(set(record) - set(cls.__dataclass_fields__))
        if unknown:
            raise ValueError(f"event {n} has a field {unknown[0]!r}, which is not known")
        parts = dict(record)
        for name in ("rows", "keys"):
            if name in parts:
                parts[name] = tuple(parts[name])
        if "degrees" in parts:
            parts["degrees"] = tuple((str(k), float(v)) for k, v in parts["degrees"].items())
        event = cls(**{"at": "", **parts})
        if not all(type(row) is int and row >= 0 for row in event.rows):
            raise ValueError(f"event {n} names rows that are not positions")
        return event


@dataclass
class Told:
    """Labels, pairs and classes after a sequence of events."""

    classes: list[str]  # in the order in which they were named
    labels: dict[int, Label] = field(default_factory=dict)
    strengths: dict[int, float] = field(
        default_factory=dict
    )  # row -> strength of its label, unless it is 1
    skipped: set[int] = field(default_factory=set)
    pairs: dict[tuple[int, int], bool] = field(default_factory=dict)  # True: together
    settings: dict[str, Any] = field(default_factory=dict)

    def apply(self, event: Event) -> None:
        """Change the labels, pairs and classes as the event says."""
        if event.do in ("label", "none"):
            for name, _ in event.degrees or ():
                self.name(name)
            for row in event.rows:
                self.forget(row)
                self.labels[row] = event.degrees or ()
                if event.strength is not None:
                    self.strengths[row] = event.strength
        elif event.do == "skip":
            for row in event.rows:
                self.forget(row)
                self.skipped.add(row)
        elif event.do == "forget":
            for row in event.rows:
                self.forget(row)
        elif event.do == "link":
            if event.rows:
                self.pairs[ends(event)] = bool(event.same)
        elif event.do == "unlink":
            if event.rows:
                self.pairs.pop(ends(event), None)
        elif event.do == "class":
            self.name(str(event.name))
        elif event.do == "rename":
            self.rename(str(event.name), str(event.value))
        elif event.do == "setting":
            self.set(str(event.name), event.value)

    def name(self, name: str) -> None:
        """Add a class, unless it is there."""
        if name not in self.classes:
            self.classes.append(name)

    def forget(self, row: int) -> None:
        """Forget the answer about a row."""
        self.labels.pop(row, None)
        self.strengths.pop(row, None)
        self.skipped.discard(row)

    def set(self, name: str, value: Any) -> None:
        """Change a setting; a new estimator keeps the number of clusters only."""
        if name == "estimator":
            self.settings = {k: v for k, v in self.settings.items() if k in ("n_clusters", "strategy")}
        self.settings[name] = value

    def rename(self, old: str, new: str) -> None:
        """Give a class another name; nothing happens if the new name is taken."""
        if old not in self.classes or new in self.classes:
            return
        self.classes[self.classes.index(old)] = new
        for row, degrees in self.labels.items():
            self.labels[row] = tuple((new if name == old else name, degree) for name, degree in degrees)


def kind_of(label: Label) -> str:
    """Return what a label says: "hard" (one class), "subset" (one of several), "soft" or "none"."""
    degrees = [degree for _, degree in label if degree > 0]
    if not degrees:
        return "none"
    if any(degree < 1 for degree in degrees):
        return "soft"
    return "hard" if len(degrees) == 1 else "subset"


def ends(event: Event) -> tuple[int, int]:
    """Return the two rows of a link, the smaller first."""
    i, j = event.rows
    return (i, j) if i < j else (j, i)


def effective(events: Iterable[Event]) -> tuple[list[Event], list[Event]]:
    """Return the events that count after all undoing and redoing, and the undone events, for a redo."""
    done: list[Event] = []
    undone: list[Event] = []
    for event in events:
        if event.do == "undo":
            if done:
                undone.append(done.pop())
        elif event.do == "redo":
            if undone:
                done.append(undone.pop())
        else:
            done.append(event)
            undone.clear()
    return done, undone


def replay(events: Iterable[Event], classes: Iterable[str] = ()) -> Told:
    """Return the labels, pairs and classes after these events."""
    told = Told(list(classes))
    for event in effective(events)[0]:
        told.apply(event)
    return told
