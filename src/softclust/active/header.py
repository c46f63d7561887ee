"""The first line of a session file: the data, the estimator and the settings of the start."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from softclust.active.events import Event
from softclust.active.journal import FORMAT, VERSION, digest_of_file, digest_of_rows
from softclust.errors import SessionFileError, warn


@dataclass(frozen=True)
class Header:
    """What identifies a session."""

    sha256: str | None  # of the data file; None if the rows came from an array
    values: str  # SHA-256 of the rows
    rows: int
    columns: int
    key: str | None
    estimator: str
    parameters: dict[str, Any]  # the estimator's parameters that differ from its defaults
    classes: tuple[str, ...]
    clusters_per_class: int | str
    seed: int
    scaling: list[list[float]] | None = None  # taken from each column, and its divisor, before a fit
    label_weight: float = 1.0  # rows that a labelled row stands for
    spreading: bool | str = False  # whether label spreading may take the estimator's place

    @classmethod
    def of(
        cls,
        X: np.ndarray,
        estimator: Any,
        classes: tuple[str, ...],
        clusters_per_class: int | str,
        seed: int,
        key: str | None,
        data: str | os.PathLike[str] | None,
        scaling: list[list[float]] | None = None,
        label_weight: float = 1.0,
        spreading: bool | str = False,
    ) -> Header:
        """Describe a session that starts."""
        own, usual = estimator.get_params(deep=False), type(estimator)().get_params(deep=False)
        changed = {name: value for name, value in own.items() if not _equal(value, usual[name])}
        file, name = None if data is None else digest_of_file(data), type(estimator).__name__
        n, p = X.shape
        values = digest_of_rows(X)
        form = clusters_per_class, int(seed), scaling, float(label_weight), spreading
        return cls(file, values, n, p, key, name, changed, classes, *form)

    def record(self) -> dict[str, Any]:
        """Return the header as a JSON object."""
        record = {"format": FORMAT, "version": VERSION, **vars(self), "classes": list(self.classes)}
        if self.scaling is None:
            del record["scaling"]
        if self.label_weight == 1:
            del record["label_weight"]
        if not self.spreading:
            del record["spreading"]
        record["estimator"] = {"name": self.estimator, "parameters": record.pop("parameters")}
        try:
            return json.loads(json.dumps(record, default=_plain, allow_nan=False))
        except (TypeError, ValueError) as error:
            raise ValueError(
                f"A session file holds parameters that are numbers, words or lists: {error}."
            ) from None

    @classmethod
    def from_record(cls, record: dict[str, Any], path: str | os.PathLike[str]) -> Header:
        """Return the header of a file."""
        try:
            parts = {name: record[name] for name in cls.__dataclass_fields__ if name in record}
            parts |= {"estimator": record["estimator"]["name"]}
            if parts.get("spreading", False) not in (False, "auto"):
                raise ValueError
            return cls(
                **parts | {"classes": tuple(map(str, record["classes"]))},
                parameters=dict(record["estimator"]["parameters"]),
            )
        except (KeyError, TypeError, ValueError):
            raise SessionFileError(f"{path} is damaged: its header lacks something.") from None

    def made_estimator(self, path: str | os.PathLike[str]) -> Any:
        """Return the estimator that the header names."""
        from softclust import estimators

        if self.estimator not in estimators.__all__:
            raise SessionFileError(f"{path} names the estimator {self.estimator!r}, which is not known.")
        return getattr(estimators, self.estimator)(**self.parameters)

    # ------------------------------------------------------------------ the data
    def differs(self, X: np.ndarray, data: str | os.PathLike[str] | None) -> bool:
        """Whether the rows, or their file, are not those of the session."""
        if digest_of_rows(X) != self.values:
            return True
        return data is not None and self.sha256 is not None and digest_of_file(data) != self.sha256

    def rebound(
        self,
        path: str | os.PathLike[str],
        X: np.ndarray,
        stored: list[Event],
        keys: tuple[str, ...] | None,
    ) -> list[Event]:
        """Return the events with the positions that their keys have in changed data.

        Events of rows that are gone become empty; a warning lists the keys.
        """
        if keys is None or any(event.rows and event.keys is None for event in stored):
            raise SessionFileError(
                f"{path} is about other data: {self.rows} rows and {self.columns} columns with the digest "
                f"{self.values[:12]}, not these {X.shape[0]} rows and {X.shape[1]} columns."
            )
        place = {key: position for position, key in enumerate(keys)}
        gone = dict.fromkeys(key for event in stored for key in event.keys or () if key not in place)
        if gone:
            shown = ", ".join(list(gone)[:5]) + (f" and {len(gone) - 5} more" if len(gone) > 5 else "")
            warn(f"{len(gone)} rows of {path} are gone: {shown}.", UserWarning)
        return [_moved(event, place) for event in stored]

    def for_rows(self, X: np.ndarray, data: str | os.PathLike[str] | None) -> Header:
        """Return the header of the same session about changed rows."""
        file = None if data is None else digest_of_file(data)
        return replace(self, sha256=file, values=digest_of_rows(X), rows=X.shape[0], columns=X.shape[1])

    def check_events(self, path: str | os.PathLike[str], stored: Sequence[Event], n: int) -> None:
        """Raise an error if an event names a row that is not there, or a pair that is none."""
        for event in stored:
            if event.rows and max(event.rows) >= n:
                raise SessionFileError(
                    f"{path} is damaged: event {event.n} names row {max(event.rows)} of {n} rows."
                )
            if event.do == "setting":
                _check_setting(path, event)
            if event.do in ("link", "unlink") and len(event.rows) not in (0, 2):
                raise SessionFileError(f"{path} is damaged: the pair of event {event.n} is not two rows.")


def _check_setting(path: str | os.PathLike[str], event: Event) -> None:
    """Raise an error if an event names an estimator or a strategy that is not known."""
    from softclust import estimators
    from softclust.active.strategies import STRATEGIES

    for name, known in (("estimator", ["auto", *estimators.__all__]), ("strategy", list(STRATEGIES))):
        if event.name == name and event.value not in known:
            raise SessionFileError(
                f"{path} is damaged: event {event.n} names the {name} {event.value!r}, which is not known."
            )


def _moved(event: Event, place: dict[str, int]) -> Event:
    """Return the event with rows by their keys; a pair with a missing row has no rows."""
    if not event.rows:
        return event
    kept = tuple(key for key in event.keys or () if key in place)
    if event.do in ("link", "unlink") and len(kept) < 2:
        kept = ()
    return replace(event, rows=tuple(place[key] for key in kept), keys=kept or None)


def _equal(a: Any, b: Any) -> bool:
    """Whether two parameters are the same."""
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        return np.array_equal(a, b)
    return type(a) is type(b) and bool(a == b)


def _plain(value: Any) -> Any:
    """Return arrays and NumPy's numbers as JSON has them."""
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    raise TypeError(f"{value!r} is none of them")
