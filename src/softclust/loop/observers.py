"""Those who look at a fit from outside: told of every state that its loops accept, they may end it."""

from __future__ import annotations

from typing import Any, Protocol


class Observer(Protocol):
    """One who looks on."""

    def begin(self, model: Any, source: Any, options: Any) -> Any:
        """A loop begins: one of the starts, a run that tells scales, or the one that gives the answer.

        One who has kept it gives its `Fit`, or the `Memory` to go on from; others give None.
        """

    def sees(self, memory: Any) -> bool:
        """A turn has passed, of which `memory` tells all; True asks for the fit to end."""

    def end(self, fit: Any) -> None:
        """The loop is over; None where it ended in an error."""


class Watch:
    """The observers of one fit, and whether it is to end.

    A loop that is to end gives the last state that it accepted; those after it make one sweep each.
    """

    def __init__(self, *observers: Observer):
        self.observers = list(observers)
        self.stopped: str | None = None  # why: "callback" or "interrupt"

    def begin(self, model, source, options):
        """What one of them has kept of this loop."""
        kept = [observer.begin(model, source, options) for observer in self.observers]
        return next((one for one in kept if one is not None), None)

    def end(self, fit):
        for observer in self.observers:
            observer.end(fit)

    def sees(self, memory):
        """Whether to end here."""
        if self.stopped is not None:
            return True
        for observer in self.observers:
            if observer.sees(memory):
                self.stopped = self.stopped or "callback"
        return self.stopped is not None
