"""Observers of a running fit.  They see every accepted state and may stop the fit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from softclust.grammar.model import Model
    from softclust.grammar.state import Fit
    from softclust.loop.engine import LoopState, Options


class Observer(Protocol):
    """An observer of a running fit."""

    def begin(self, model: Model, source: Any, options: Options) -> Fit | LoopState | None:
        """Take note that a loop begins: one of the starts, a run that finds scales, or the final loop.

        An observer that has kept this loop returns its `Fit`, or the `LoopState` to go on from.  Other
        observers return None.
        """

    def on_iteration(self, memory: LoopState) -> bool:
        """Take note of an iteration, which `memory` describes; return True to end the fit."""

    def end(self, fit: Fit | None) -> None:
        """Take note that the loop is over; `fit` is None if the loop ended in an error."""


class Observers:
    """The observers of one fit, and whether the fit is to end.

    A loop that is to end returns its last accepted state; each later loop of the fit makes one sweep.
    """

    def __init__(self, *observers: Observer) -> None:
        self._all = list(observers)
        self.stopped: str | None = None  # reason: "callback" or "interrupt"

    def add(self, observer: Observer) -> None:
        """Add an observer."""
        self._all.append(observer)

    def begin(self, model: Model, source: Any, options: Options) -> Fit | LoopState | None:
        """Tell all observers that a loop begins; return what the first of them has kept of it, or None."""
        kept = [observer.begin(model, source, options) for observer in self._all]
        return next((one for one in kept if one is not None), None)

    def end(self, fit: Fit | None) -> None:
        """Tell all observers that the loop is over."""
        for observer in self._all:
            observer.end(fit)

    def on_iteration(self, memory: LoopState) -> bool:
        """Tell all observers of an iteration; return whether the fit is to end here."""
        if self.stopped is not None:
            return True
        for observer in self._all:
            if observer.on_iteration(memory):
                self.stopped = self.stopped or "callback"
        return self.stopped is not None
