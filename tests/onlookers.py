"""Those who look on at a fit, as callbacks of scikit-learn."""

import pytest


def skip_without_callbacks():
    """Skip a test where scikit-learn is older than its callbacks."""
    pytest.importorskip("sklearn.callback", reason="callbacks came with scikit-learn 1.9")


class AtTurns:
    """Does something in this process when some iterations are over."""

    def __init__(self, act, *turns):
        skip_without_callbacks()
        self.act, self.turns, self.turn, self.done = act, turns, 0, 0

    def setup(self, estimator, context):
        pass

    teardown = on_fit_task_begin = setup

    def on_fit_task_end(self, estimator, context):
        self.turn += context.task_name == "iteration"
        if context.task_name == "iteration" and self.turn in self.turns:
            self.done += 1
            self.act()

    def __reduce__(self):
        raise TypeError("those who look on stay here")


class Crash(Exception):
    """As far as a fit can tell, the end of its process."""


def crash():
    raise Crash
