"""The file of a session: a header line, then one event a line; events are only ever appended."""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from softclust.active.events import Event
from softclust.errors import SessionFileError, warn

FORMAT = "softclust-studio"
VERSION = 1
_PATIENCE = 2.0  # seconds to wait for another writer


def digest_of_rows(X: np.ndarray) -> str:
    """Return the SHA-256 of the numbers and the shape of X; types and memory order do not count."""
    found = hashlib.sha256(f"{X.shape[0]} {X.shape[1]}\n".encode())
    for start in range(0, len(X), 65_536):
        found.update(np.ascontiguousarray(X[start : start + 65_536], dtype="<f8").tobytes())
    return found.hexdigest()


def digest_of_file(path: str | os.PathLike[str]) -> str:
    """Return the SHA-256 of a file."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def line_of(record: dict[str, Any]) -> bytes:
    """Return a JSON object as one line."""
    return json.dumps(record, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode() + b"\n"


def read(path: str | os.PathLike[str]) -> tuple[dict[str, Any], list[Event]]:
    """Return the header and the events; drop a torn last line with a warning."""
    header, events, whole, size = _parsed(Path(path), Path(path).read_bytes())
    if whole < size:
        warn(
            f"The last line of {path} is torn: {size - whole} bytes after event {len(events)} are dropped.",
            UserWarning,
        )
    return header, events


def _parsed(path: Path, text: bytes) -> tuple[dict[str, Any], list[Event], int, int]:
    """Return header, events, the number of bytes in whole lines, and the number of all bytes."""
    *ended, rest = text.split(b"\n")
    lines = [line + b"\n" for line in ended] + ([rest] if rest else [])
    header = _header(path, lines[0] if lines else b"")
    events: list[Event] = []
    whole = len(lines[0])
    for number, line in enumerate(lines[1:], start=1):
        try:
            event = Event.from_record(json.loads(line), number)
        except (ValueError, TypeError) as error:
            if number == len(lines) - 1:  # a torn line
                break
            raise SessionFileError(f"{path} is damaged in line {number + 1}: {error}.") from None
        events.append(event)
        whole += len(line)
    return header, events, whole, len(text)


def read_header(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Return the header of a file."""
    with open(path, "rb") as file:
        return _header(Path(path), file.readline())


def _header(path: Path, line: bytes) -> dict[str, Any]:
    """Return the header; raise an error if the file is not a session, or too new."""
    try:
        header = json.loads(line)
    except ValueError:
        header = None
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        raise SessionFileError(f"{path} is not a softclust session.")
    if not isinstance(header.get("version"), int) or header["version"] > VERSION:
        raise SessionFileError(
            f"{path} has the version {header.get('version')} of the session format; "
            f"this softclust reads up to version {VERSION}."
        )
    return header


def write(path: str | os.PathLike[str], header: dict[str, Any], events: Sequence[Event]) -> None:
    """Make the file hold these events: append what it lacks, or make a new file.

    A file with another header, or with events that are not the first of `events`, is refused and stays as
    it is.
    """
    Writer(path, header, events, patience=_PATIENCE).close()


class Writer:
    """The file of a session, open and locked for one writer, so that an append costs no look at the rest.

    Parameters
    ----------
    path : path-like
        The file; it is made if it does not exist.
    header : dict
        The session's header; a file with another header is refused.
    events : sequence of Event
        The session's events; those that the file lacks are appended, and other events are refused.
    patience : float, default=0
        Seconds to wait for another writer.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        header: dict[str, Any],
        events: Sequence[Event],
        *,
        patience: float = 0.0,
    ) -> None:
        self.path = Path(path)
        if not self.path.exists():
            _create(self.path, [line_of(header), *(line_of(event.record()) for event in events)])
        self._file = open(self.path, "r+b", buffering=0)  # noqa: SIM115 (open until `close`)
        try:
            _lock(self._file, self.path, patience)
            self._length, lacking = _place_of_next(self.path, self._file.read(), header, events)
            self._write(lacking)
        except BaseException:
            self._file.close()
            raise

    def append(self, events: Sequence[Event]) -> None:
        """Append events; when this returns they are on the disk, and if it fails the file is as before."""
        self._write(b"".join(line_of(event.record()) for event in events))

    def _write(self, text: bytes) -> None:
        before = self._length
        try:
            self._file.seek(before)
            self._file.truncate()  # a torn line goes
            written = 0
            while written < len(text):
                written += self._file.write(text[written:])
            os.fsync(self._file.fileno())
        except OSError:
            self._file.truncate(before)
            raise
        self._length = before + len(text)

    def close(self) -> None:
        """Close the file and let other writers in."""
        self._file.close()


def _place_of_next(
    path: Path, text: bytes, header: dict[str, Any], events: Sequence[Event]
) -> tuple[int, bytes]:
    """Return where the next event goes, after the last whole line, and the lines that the file lacks."""
    there, stored, whole, _ = _parsed(path, text)
    if there != header:
        raise SessionFileError(f"{path} is the file of another session; give another path.")
    if list(events[: len(stored)]) != stored:
        raise SessionFileError(
            f"{path} has events that this session has not: event {_first_other(events, stored)} differs; "
            "load the file again."
        )
    lacking = b"".join(line_of(event.record()) for event in events[len(stored) :])
    if not text[:whole].endswith(b"\n"):  # the last event is whole, but its line has no end
        lacking = b"\n" + lacking
    return whole, lacking


def _first_other(events: Sequence[Event], stored: Sequence[Event]) -> int:
    """Return the number of the first event that differs."""
    same = (a == b for a, b in zip(events, stored, strict=False))
    return next(
        (i for i, equal in enumerate(same, start=1) if not equal), min(len(events), len(stored)) + 1
    )


def _create(path: Path, lines: list[bytes]) -> None:
    """Write a new file that is readable by its owner only; it appears whole or not at all.

    A file that someone else made meanwhile is not replaced, where the system can.
    """
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    with os.fdopen(os.open(temporary, flags, 0o600), "wb") as file:
        try:
            file.writelines(lines)
            file.flush()
            os.fsync(file.fileno())
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
    try:
        try:
            os.link(temporary, path)
        except FileExistsError:
            raise SessionFileError(f"{path} was made by another session meanwhile; load it.") from None
        except OSError:  # a file system without links
            os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def _lock(file: Any, path: Path, patience: float) -> None:
    """Lock the file until it is closed, where the system can; raise an error if another writer has it."""
    try:
        import fcntl
    except ImportError:
        return
    end = time.monotonic() + patience
    while True:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except BlockingIOError:
            if time.monotonic() >= end:
                raise SessionFileError(
                    f"{path} is in use by another studio or program; close that one, or give another file."
                ) from None
        time.sleep(0.02)
