"""Words and scikit-learn's callbacks during a fit; the one place that knows of `sklearn.callback`."""

from __future__ import annotations

import sys

from softclust.loop.observers import Observers


class Watched:
    """Estimators that take scikit-learn's callbacks, which are loaded when the first is set."""

    def set_callbacks(self, *callbacks):
        """Set callbacks of `sklearn.callback` for the fit; without any, none are left.

        A fit is a task whose subtasks are the iterations of its loops, one after the other: starts, on a
        sample of many rows, perhaps a fuzzy run that tells scales, and the one that gives the answer.  A
        callback that returns True at the end of an iteration ends the fit with the clusters as they are;
        `context.n_rows` tells it how many rows that iteration has seen.

        Parameters
        ----------
        *callbacks : callback instances
            As `sklearn.callback.ProgressBar()`.

        Returns
        -------
        self : object
            The estimator.
        """
        from sklearn.callback import CallbackSupportMixin

        return CallbackSupportMixin.set_callbacks(self, *callbacks)


def watched(estimator, fit, X, y, metadata):
    """fit(observers) with those who look on: words where `verbose`, and the callbacks that were set."""
    words = [_Words(estimator)] if estimator.verbose else []
    if not getattr(estimator, "_skl_callbacks", None):
        return fit(Observers(*words))
    from sklearn.callback import CallbackSupportMixin, with_callbacks

    told = {"estimator": estimator, "X": X, "y": y, "metadata": metadata}

    def run(estimator):
        root = CallbackSupportMixin._init_callback_context(estimator, max_subtasks=None)
        root.call_on_fit_task_begin(**told)
        callbacks = _Callbacks(root, told)
        fit(Observers(*words, callbacks))
        callbacks.close()
        root.call_on_fit_task_end(**told, reconstruction_attributes=dict)
        return estimator

    return with_callbacks(run)(estimator)


class _Words:
    """A line for each iteration."""

    def __init__(self, estimator):
        self.estimator = estimator

    def begin(self, model, source, options):
        self.model, self.rows = model, source.rows

    def end(self, fit):
        pass

    def on_iteration(self, memory):
        estimator = self.estimator
        value = float(estimator._objective_in_data_units(memory.history[-1], self.model, self.rows))
        sys.stdout.write(
            f"{type(estimator).__name__}, {len(self.rows):,} rows: iteration {memory.n_iter}, "
            f"objective {value:.7g}\n"
        )
        return False


class _Callbacks:
    """Each iteration of the loops as a task."""

    def __init__(self, root, told):
        self.root, self.told = root, told
        self._next()

    def _next(self):
        self.turn = self.root.subcontext(task_name="iteration")
        self.turn.call_on_fit_task_begin(**self.told)

    def begin(self, model, source, options):
        self.model, self.rows = model, source.rows

    def end(self, fit):
        pass

    def on_iteration(self, memory):
        self.turn.n_rows = len(self.rows)
        stop = self.turn.call_on_fit_task_end(
            **self.told, reconstruction_attributes=lambda: self._as_fitted(memory.answer)
        )
        self._next()
        return stop

    def close(self):
        """End the task that was begun: nobody is told beforehand that an iteration is the last."""
        self.turn.call_on_fit_task_end(**self.told)

    def _as_fitted(self, state):
        return self.told["estimator"]._attributes_at(self.model, state, self.rows)
