"""Those who look at a fit from outside: told of every state that its loops accept, they may end it."""

from __future__ import annotations

from typing import Any, Protocol


class Observer(Protocol):
    """One who looks on."""

    def begin(self, model: Any, source: Any, options: Any) -> Any:
        """A loop begins: one of the starts, a run that tells scales, or the one that gives the answer.

        One who has kept it gives its `Fit`, or the `LoopState` to go on from; others give None.
        """

    def on_iteration(self, memory: Any) -> bool:
        """A turn has passed, of which `memory` tells all; True asks for the fit to end."""

    def end(self, fit: Any) -> None:
        """The loop is over; None where it ended in an error."""


class Observers:
    """The observers of one fit, and whether it is to end.

    A loop that is to end gives the last state that it accepted; those after it make one sweep each.
    """

    def __init__(self, *observers: Observer):
        self._all = list(observers)
        self.stopped: str | None = None  # why: "callback" or "interrupt"

    def add(self, observer):
        """Let one more look on."""
        self._all.append(observer)

    def begin(self, model, source, options):
        """What one of them has kept of this loop."""
        kept = [observer.begin(model, source, options) for observer in self._all]
        return next((one for one in kept if one is not None), None)

    def end(self, fit):
        for observer in self._all:
            observer.end(fit)

    def on_iteration(self, memory):
        """Whether to end here."""
        if self.stopped is not None:
            return True
        for observer in self._all:
            if observer.on_iteration(memory):
                self.stopped = self.stopped or "callback"
        return self.stopped is not None
