"""Changes that the page asks for: JSON objects, checked, as changes of a session."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from softclust.active import STRATEGIES, Session
from softclust.active.events import Event, effective
from softclust.active.forms import AUTO, spreading_of

MOST_EVENTS = 1_000  # in one request
MOST_ROWS = 50_000  # in one request
MOST_CLASSES = 200
_MOST_LETTERS = 200  # of the name of a class
_REASONS = ("region", "doubt", "audit")
METHODS = (
    AUTO, "FuzzyCMeans", "PossibilisticFuzzyCMeans", "ImprovedPossibilisticCMeans", "PossibilisticCMeans",
    "EvidentialCMeans", "GaussianMixture", "FuzzyLabelSpreading", "HardCMeans",
)  # fmt: skip


def changed(session: Session, commands: Any) -> Session:
    """Return the session after all of these commands; a ValueError says what is wrong with one of them."""
    if not isinstance(commands, list) or not commands:
        raise ValueError("events is a list of one or more changes.")
    if len(commands) > MOST_EVENTS:
        raise ValueError(f"{len(commands)} events came at once; up to {MOST_EVENTS} would fit.")
    left = MOST_ROWS
    for command in commands:
        if not isinstance(command, dict) or command.get("do") not in list(_DOING):
            raise ValueError(f"An event does one of {', '.join(_DOING)}.")
        left -= len(command["rows"]) if isinstance(command.get("rows"), list) else 0
        if left < 0:
            raise ValueError(f"The events name more than {MOST_ROWS} rows; fewer at a time would fit.")
        session = _DOING[command["do"]](session, command)
    if len(session.classes) > MOST_CLASSES:
        raise ValueError(f"There would be {len(session.classes)} classes; up to {MOST_CLASSES} would fit.")
    return session


def _label(session: Session, command: dict[str, Any]) -> Session:
    degrees = command.get("degrees")
    if not isinstance(degrees, dict) or not 0 < len(degrees) <= MOST_CLASSES:
        raise ValueError('A label has degrees, such as {"setosa": 1}.')
    label = {_name(name): _number(degree, f"The degree of {name!r}") for name, degree in degrees.items()}
    strength = _number(command.get("strength", 1), "strength")
    rows = _rows(session, command)
    _hear_question(session, rows, command)
    return session.tell(rows, label, strength=None if strength == 1 else strength)


def _none(session: Session, command: dict[str, Any]) -> Session:
    rows = _rows(session, command)
    _hear_question(session, rows, command)
    return session.tell(rows, None)


def _hear_question(session: Session, rows: list[int], command: dict[str, Any]) -> None:
    """Remember the question that the page shows, if a server that has ended since asked it."""
    asked, shown = command.get("asked"), command.get("shown")
    if len(rows) == 1 and asked in _REASONS:
        shown = shown if shown in session.classes else None
        session.memory.questions.setdefault(rows[0], (asked, shown))


def _skip(session: Session, command: dict[str, Any]) -> Session:
    return session.skip(_rows(session, command))


def _forget(session: Session, command: dict[str, Any]) -> Session:
    return session.forget(_rows(session, command))


def _link(session: Session, command: dict[str, Any]) -> Session:
    if not isinstance(command.get("same"), bool):
        raise ValueError("A link says whether both rows are the same: true or false.")
    row, other = _pair(session, command)
    return session.link(row, other, same=command["same"])


def _unlink(session: Session, command: dict[str, Any]) -> Session:
    row, other = _pair(session, command)
    if (min(row, other), max(row, other)) not in session.told.pairs:
        raise ValueError(f"Nothing was said about the pair {row} and {other}.")
    return session.unlink(row, other)


def _class(session: Session, command: dict[str, Any]) -> Session:
    name = _name(command.get("name"))
    if name in session.classes:
        raise ValueError(f"There is a class {name!r} already.")
    return session.name_class(name)


def _rename(session: Session, command: dict[str, Any]) -> Session:
    return session.rename(_name(command.get("name")), _name(command.get("value")))


_DOING: dict[str, Callable[[Session, dict[str, Any]], Session]] = {
    "label": _label, "none": _none, "skip": _skip, "forget": _forget, "link": _link, "unlink": _unlink,
    "class": _class, "rename": _rename,
}  # fmt: skip


# ---------------------------------------------------------------------- settings
def with_settings(session: Session, wanted: dict[str, Any]) -> Session:
    """Return the session with another method, number of clusters or strategy."""
    present = settings_of(session)
    if wanted.get("method", present["method"]) != present["method"]:
        if wanted["method"] not in METHODS:
            raise ValueError(f"method={wanted['method']!r} is not known; {', '.join(METHODS)} are.")
        session = session.set("estimator", wanted["method"])
    if wanted.get("clusters", present["clusters"]) != present["clusters"]:
        session = session.set("n_clusters", _clusters(session, wanted["clusters"]))
    if wanted.get("strategy", present["strategy"]) != present["strategy"]:
        session = session.set("strategy", wanted["strategy"] if isinstance(wanted["strategy"], str) else "")
    return session


def _clusters(session: Session, wanted: Any) -> int:
    most = min(MOST_CLASSES, len(session.X))
    if type(wanted) is not int or not 1 <= wanted <= most:
        raise ValueError(f"clusters={wanted!r} does not fit; 1 to {most} would.")
    if wanted < len(session.classes):
        raise ValueError(f"{wanted} clusters are too few for {len(session.classes)} classes.")
    return wanted


def settings_of(session: Session) -> dict[str, Any]:
    """Return method, number of clusters and strategy, with the choices."""
    told = session.told.settings
    own = {**session.estimator.get_params(), **told}
    named = told.get("estimator", type(session.estimator).__name__)
    return {
        "method": AUTO if spreading_of(session) else named,
        "methods": list(METHODS),
        "clusters": max(int(own.get("n_clusters", 1)), len(session.classes)),
        "strategy": told.get("strategy", "doubt-mix"),
        "strategies": list(STRATEGIES),
    }


# ---------------------------------------------------------------------- words
def last_words(session: Session, number: Callable[[int], int]) -> tuple[str | None, str | None]:
    """Say what would be undone, and redone; `number` tells how people count rows."""
    done, undone = effective(session.events)
    return _words(done[-1], number) if done else None, _words(undone[-1], number) if undone else None


def _words(event: Event, number: Callable[[int], int]) -> str:
    """Return an event in words."""
    rows = f"row {number(event.rows[0])}" if len(event.rows) == 1 else f"{len(event.rows)} rows"
    if event.do in ("link", "unlink"):
        rows = " and ".join(str(number(row)) for row in event.rows)
    method = "automatic" if event.value == AUTO else event.value
    return {
        "label": f"label of {rows}",
        "none": f"none of these for {rows}",
        "skip": f"skip of {rows}",
        "forget": f"forgetting {rows}",
        "link": f"{'must-link' if event.same else 'cannot-link'} of rows {rows}",
        "unlink": f"unlink of rows {rows}",
        "class": f"class {event.name}",
        "rename": f"renaming {event.name} to {event.value}",
        "setting": f"method {method}" if event.name == "estimator" else f"{event.name} {event.value}",
    }.get(event.do, event.do)


# ---------------------------------------------------------------------- checks
def _rows(session: Session, command: dict[str, Any]) -> list[int]:
    rows = command.get("rows")
    if not isinstance(rows, list) or not rows or not all(type(row) is int for row in rows):
        raise ValueError("rows is a list of one or more row numbers.")
    outside = next((row for row in rows if not 0 <= row < len(session.X)), None)
    if outside is not None:
        raise ValueError(f"There is no row {outside}; rows go from 0 to {len(session.X) - 1}.")
    return rows


def _pair(session: Session, command: dict[str, Any]) -> list[int]:
    rows = _rows(session, command)
    if len(rows) != 2:
        raise ValueError(f"A pair is two rows; {len(rows)} were given.")
    return rows


def _name(name: Any) -> str:
    """Return the name of a class: a few visible letters."""
    if not isinstance(name, str) or not name.strip():
        raise ValueError("A class has a name.")
    name = name.strip()
    if len(name) > _MOST_LETTERS:
        raise ValueError(
            f"The name of a class has up to {_MOST_LETTERS} letters; this one has {len(name)}."
        )
    if not name.isprintable():  # control characters and halves of surrogate pairs are not
        raise ValueError(f"The name {name!a} holds signs that cannot be printed.")
    return name


def _number(value: Any, what: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise ValueError(f"{what} is {value!r}; a number from 0 to 1 would fit.")
    return float(value)
