"""The desk of a studio: the session, its file, the newest fit and the one thread that fits."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path
from queue import Empty, Queue
from typing import Any

import numpy as np

from softclust.active import Session, forms
from softclust.active.journal import Writer
from softclust.metrics import matched_accuracy
from softclust.studio import cards, maps
from softclust.studio.data import StudioData
from softclust.studio.disagreements import FOLDS, doubted
from softclust.studio.fitted import Fitted

_IDLE = 0.7  # seconds without work after which labels are checked
_CHEAP = 250  # milliseconds: a check of labels that takes longer waits until someone asks for it


class OldBase(Exception):
    """A change that was made to an older revision: another tab was faster."""


class Desk:
    """All that a studio knows, shared by the requests and the fitting thread.

    The session, the fit and the plane are values: they are replaced under a lock and never changed.

    Parameters
    ----------
    data : StudioData
        The rows.
    session : Session
        The session to go on with.
    writer : Writer
        The session's file.
    on_change : callable
        Called with the name of an event and its content, from any thread.
    """

    def __init__(
        self,
        data: StudioData,
        session: Session,
        writer: Writer,
        on_change: Callable[[str, dict[str, Any]], None] = lambda name, content: None,
    ) -> None:
        self.data, self.session, self.on_change = data, session, on_change
        self._writer = writer
        self._lock = threading.Lock()
        self._jobs: Queue[tuple[Future[Any], Callable[[], Any]] | None] = Queue()
        self.fitted = fit(session, None)
        self.drawn = maps.drawn_rows(self.fitted, session.header.seed)
        self.plane = maps.plane("principal", data, self.fitted, self.drawn, 1, ("", ""))
        self.asked: tuple[int, ...] = ()  # rows of the last questions
        self.doubts: tuple[int, list[dict[str, Any]]] = (-1, [])  # a revision, and its doubted labels
        self.agreements: dict[int, float] = {}  # number of labels: rows that kept their cluster since
        self._questions: OrderedDict[tuple[Any, ...], dict[str, Any]] = OrderedDict()
        self._thread = threading.Thread(target=self._work, name="softclust-studio-fits", daemon=True)
        self._thread.start()

    @property
    def file(self) -> Path:
        """The session's file."""
        return self._writer.path

    @property
    def rev(self) -> int:
        """The number of events."""
        return len(self.session.events)

    # ------------------------------------------------------------------ changes
    def change(self, base: Any, how: Callable[[Session], Session]) -> None:
        """Change the session; when this returns, the change is on the disk.

        Parameters
        ----------
        base : int
            The revision that the page knows; `OldBase` is raised if there is a newer one.
        how : callable
            Returns the new session; a ValueError leaves all as it was.
        """
        with self._lock:
            if base != self.rev:
                raise OldBase
            new = how(self.session)
            if len(new.events) == self.rev:
                return
            self._writer.append(new.events[self.rev :])
            self.session = new
        self.on_change("changed", {"rev": len(new.events)})
        self.submit(self.newest)

    def show(self, kind: Any, axes: tuple[Any, Any]) -> None:
        """Change the plane."""
        features = self.data.names("feature")
        if kind not in list(maps.VIEWS):
            raise ValueError(f"view {kind!r} is not known; {', '.join(maps.VIEWS)} are.")
        if kind == "columns" and not all(axis in features for axis in axes):
            raise ValueError(f"A view of two columns names two of {', '.join(features[:12])}.")
        with self._lock:
            self.plane = maps.plane(kind, self.data, self.fitted, self.drawn, self.plane.rev + 1, axes)
        self.on_change("changed", {"rev": self.rev})

    # ------------------------------------------------------------------ the fitting thread
    def submit(self, job: Callable[[], Any]) -> Future[Any]:
        """Let the fitting thread do a job."""
        future: Future[Any] = Future()
        self._jobs.put((future, job))
        return future

    def close(self) -> None:
        """End the fitting thread and let others write the file."""
        self._jobs.put(None)
        self._thread.join(timeout=5)
        self._writer.close()

    def _work(self) -> None:
        while True:
            try:
                work = self._jobs.get(timeout=_IDLE)
            except Empty:
                self._check_labels_idly()
                work = self._jobs.get()
            if work is None:
                return
            future, job = work
            if future.set_running_or_notify_cancel():
                try:
                    future.set_result(job())
                except BaseException as error:
                    future.set_exception(error)

    def newest(self) -> Fitted:
        """Fit the newest session; older requests find that there is nothing left to do."""
        session = self.session
        if self.fitted.rev != len(session.events):
            fitted = fit(session, self.fitted)
            _ = fitted.shown, fitted.doubt, fitted.outlier  # before anyone asks
            self.fitted = fitted
            self.on_change("fitted", {"rev": fitted.rev, "ms": fitted.ms})
        return self.fitted

    # ------------------------------------------------------------------ questions, on the fitting thread
    def ask(self, n: int, kind: str) -> dict[str, Any]:
        """Return questions about rows or pairs; the same session has the same questions."""
        fitted = self.newest()
        key = (fitted.rev, n, kind)
        if key not in self._questions:
            self._questions[key] = self._asked(fitted, n, kind)
            while len(self._questions) > 8:
                self._questions.popitem(last=False)
        found = self._questions[key]
        if kind == "rows":
            self.asked = tuple(one["row"] for one in found["questions"])
        return found

    def _asked(self, fitted: Fitted, n: int, kind: str) -> dict[str, Any]:
        session = fitted.session
        if fitted.problem is not None:
            return {"rev": fitted.rev, "questions": []}
        if kind == "pairs":
            found = cards.pair_questions(self.data, session.ask_pairs(n))
            return {"rev": fitted.rev, "questions": found}
        before = len(session.memory.batches) and session.memory.batches[-1]
        asked = session.ask(n)
        after = session.memory.batches[-1]
        if isinstance(before, np.ndarray) and after is not before:
            self.agreements[len(session.told.labels)] = float(matched_accuracy(before, after))
        return {"rev": fitted.rev, "questions": cards.row_questions(self.data, fitted, asked)}

    # ------------------------------------------------------------------ doubts, on the fitting thread
    def disagreements(self) -> list[dict[str, Any]]:
        """Return the labels that are probably wrong, the worst first."""
        session = self.session
        if self.doubts[0] != len(session.events):
            self.doubts = len(session.events), doubted(self.data, session)
        return self.doubts[1]

    def _check_labels_idly(self) -> None:
        """Check the labels while nobody waits, if that takes no longer than a blink or two."""
        cheap = self.fitted.ms * FOLDS <= _CHEAP and self.fitted.problem is None
        if cheap and self.doubts[0] != self.rev and self.fitted.rev == self.rev:
            before = self.doubts[1]
            if self.disagreements() != before:
                self.on_change("fitted", {"rev": self.fitted.rev, "ms": self.fitted.ms})

    # ------------------------------------------------------------------ what the map shows
    def flags(self) -> np.ndarray:
        """(n,) uint8 bits of each row, of the newest events."""
        told, fitted = self.session.told, self.fitted
        flags = np.zeros(len(fitted.winner), np.uint8)
        flags[fitted.outlier] = maps.OUTLIER
        none = [row for row, label in told.labels.items() if not label]
        open_questions = [row for row in self.asked if row not in told.labels and row not in told.skipped]
        doubted = [one["row"] for one in self.doubts[1] if one["row"] in told.labels]
        for rows, bit in (
            (told.labels, maps.TOLD),
            (told.strengths, maps.BULK),
            (told.skipped, maps.SKIPPED),
            (none, maps.NONE),
            (open_questions, maps.ASKED),
            (doubted, maps.DISAGREES),
        ):
            flags[np.fromiter(rows, dtype=np.int64, count=len(rows))] |= bit
        return flags

    def members(self) -> tuple[int, bytes]:
        """Return the revision of the fit, and 3 bytes for each drawn row."""
        fitted = self.fitted
        return fitted.rev, maps.member_bytes(fitted, self.flags(), self.drawn)


def fit(session: Session, before: Fitted | None) -> Fitted:
    """Fit a session; if that fails, keep the model before and say why."""
    began, rev = time.perf_counter(), len(session.events)
    try:
        model = session.fit()
    except (ValueError, ArithmeticError, np.linalg.LinAlgError) as error:
        if before is None:
            raise
        return replace(before, rev=rev, problem=str(error))
    ms = round((time.perf_counter() - began) * 1000)
    return Fitted(rev, session, model, ms, telling=_telling(session, model, before))


def _telling(session: Session, model: Any, before: Fitted | None) -> Any:
    """Return the model that tells outliers; where labels spread, the estimator fitted without answers."""
    if not session.form.spreads:
        return model
    if (
        before is not None
        and before.session.form.spreads
        and before.session.told.settings == session.told.settings
    ):
        return before.telling
    return forms.fit_without_answers(session)
