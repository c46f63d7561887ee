"""Those who look at a fit from outside: told of every state that its loops accept, they may end it."""

from __future__ import annotations

from typing import Any, Protocol


class Observer(Protocol):
    """One who looks on."""

    def begin(self, model: Any, source: Any, options: Any) -> None:
        """A loop begins: one of the starts, a run that tells scales, or the one that gives the answer."""

    def sees(self, memory: Any) -> bool:
        """A turn has passed, of which `memory` tells all; True asks for the fit to end."""


class Watch:
    """The observers of one fit, and whether it is to end.

    A loop that is to end gives the last state that it accepted; those after it make one sweep each.
    """

    def __init__(self, *observers: Observer):
        self.observers = observers
        self.stopped: str | None = None  # why: "callback" or "interrupt"

    def begin(self, model, source, options):
        for observer in self.observers:
            observer.begin(model, source, options)

    def sees(self, memory):
        """Whether to end here."""
        for observer in self.observers:
            if observer.sees(memory):
                self.stopped = self.stopped or "callback"
        return self.stopped is not None
