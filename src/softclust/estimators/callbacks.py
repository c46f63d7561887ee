"""Words and scikit-learn's callbacks during a fit."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from softclust.compat.sklearn import begin_callbacks, callbacks_of, managed_callbacks, set_callbacks
from softclust.estimators.publish import attributes_at, objective_in_data_units
from softclust.loop.observers import Observers


class WithCallbacks:
    """Estimators that take scikit-learn's callbacks, which are loaded when the first is set."""

    def set_callbacks(self, *callbacks: Any) -> Any:
        """Set callbacks of `sklearn.callback` for the fit; without any, remove those that were set.

        A fit is a task.  Its subtasks are the iterations of its loops, one after the other: starts on a
        sample of many rows, perhaps a fuzzy run that finds scales, and the loop that gives the answer.  A
        callback that returns True at the end of an iteration ends the fit with the clusters as they are;
        `context.n_rows` is the number of rows that this iteration has seen.  Needs scikit-learn 1.9.

        Parameters
        ----------
        *callbacks : callback instances
            As `sklearn.callback.ProgressBar()`.

        Returns
        -------
        self : object
            The estimator.
        """
        return set_callbacks(self, *callbacks)


@contextmanager
def observed(estimator: Any, X: Any, y: Any, metadata: dict[str, Any]) -> Iterator[Observers]:
    """Make the observers of a fit: a line an iteration if `verbose`, and the callbacks that were set."""
    words = [_Words(estimator)] if estimator.verbose else []
    if not callbacks_of(estimator):
        yield Observers(*words)
        return
    arguments = {"estimator": estimator, "X": X, "y": y, "metadata": metadata}
    with managed_callbacks(estimator):
        root = begin_callbacks(estimator)
        root.call_on_fit_task_begin(**arguments)
        callbacks = _Callbacks(root, arguments)
        yield Observers(*words, callbacks)
        callbacks.close()
        root.call_on_fit_task_end(**arguments, reconstruction_attributes=dict)


class _Observer:
    """Remembers the model and the rows of the loop that runs."""

    def begin(self, model: Any, source: Any, options: Any) -> None:
        self.model, self.rows = model, source.rows

    def end(self, fit: Any) -> None:
        pass


class _Words(_Observer):
    """Prints a line for each iteration."""

    def __init__(self, estimator: Any) -> None:
        self.name = type(estimator).__name__

    def on_iteration(self, loop: Any) -> bool:
        value = float(objective_in_data_units(loop.history[-1], self.model, self.rows))
        sys.stdout.write(
            f"{self.name}, {len(self.rows):,} rows: iteration {loop.n_iter}, objective {value:.7g}\n"
        )
        return False


class _Callbacks(_Observer):
    """Tells callbacks of each iteration, as a task."""

    def __init__(self, root: Any, arguments: dict[str, Any]) -> None:
        self.root, self.arguments = root, arguments
        self._next()

    def _next(self) -> None:
        self.turn = self.root.subcontext(task_name="iteration")
        self.turn.call_on_fit_task_begin(**self.arguments)

    def on_iteration(self, loop: Any) -> bool:
        self.turn.n_rows = len(self.rows)
        stop = self.turn.call_on_fit_task_end(
            **self.arguments, reconstruction_attributes=lambda: self._as_fitted(loop.answer)
        )
        self._next()
        return stop

    def close(self) -> None:
        """End the task that was begun: no iteration is known beforehand to be the last."""
        self.turn.call_on_fit_task_end(**self.arguments)

    def _as_fitted(self, state: Any) -> dict[str, Any]:
        fitted = self.arguments["estimator"]._readout(self.model, state, self.rows.units)
        return attributes_at(fitted, self.rows.X.dtype)
