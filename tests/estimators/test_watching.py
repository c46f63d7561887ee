"""Those who look on: callbacks of scikit-learn, words, an interruption."""

import os
import signal
import sys
import warnings

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV

import configurations
import softclust as sc
from onlookers import AtTurns, skip_without_callbacks
from softclust.loop.engine import Options
from softclust.loop.observers import Observers


class Recorder:
    """Notes every task; asks to stop after some iterations."""

    def __init__(self, enough=10**6):
        skip_without_callbacks()
        self.enough, self.begun, self.ended, self.scores, self.calls = enough, [], [], [], []

    def setup(self, estimator, context):
        self.calls.append("setup")

    def teardown(self, estimator, context):
        self.calls.append("teardown")

    def on_fit_task_begin(self, estimator, context):
        self.begun.append((context.task_name, context.task_id))

    def on_fit_task_end(self, estimator, context, *, X=None, fitted_estimator=None):
        self.ended.append((context.task_name, context.task_id))
        if context.task_name == "iteration" and fitted_estimator is not None:
            self.scores.append(fitted_estimator.score(X))
            return len(self.scores) >= self.enough
        return False


ESTIMATORS = [*configurations.ESTIMATORS, configurations.MIXTURE]


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_callbacks_see_each_iteration_and_change_nothing(estimator, iris):
    X, _ = iris
    recorder = Recorder()
    model = estimator(3, random_state=0).set_callbacks(recorder).fit(X)
    plain = estimator(3, random_state=0).fit(X)
    assert_array_equal(model.memberships_, plain.memberships_)
    assert recorder.calls == ["setup", "teardown"]
    assert sorted(recorder.begun) == sorted(recorder.ended)
    assert recorder.ended[-1] == ("fit", 0)
    assert len(recorder.scores) >= model.n_iter_
    assert recorder.scores[-1] == pytest.approx(model.score(X), rel=1e-9)


def test_scores_are_those_of_the_iterations(iris):
    X, _ = iris
    recorder = Recorder()
    model = sc.FuzzyCMeans(3, init=X[[0, 60, 120]]).set_callbacks(recorder).fit(X)
    np.testing.assert_allclose(recorder.scores, -model.objective_history_, rtol=1e-12)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("enough", [1, 3])
def test_a_callback_may_end_the_fit(enough, iris):
    X, _ = iris
    model = sc.FuzzyCMeans(3, init=X[[0, 60, 120]]).set_callbacks(Recorder(enough)).fit(X)
    assert model.n_iter_ == enough
    assert not model.converged_
    full = sc.FuzzyCMeans(3, init=X[[0, 60, 120]]).fit(X)
    assert_array_equal(model.objective_history_, full.objective_history_[:enough])
    assert_array_equal(model.predict_proba(X), model.memberships_)


def test_without_callbacks_none_are_left(iris):
    X, _ = iris
    recorder = Recorder()
    model = sc.FuzzyCMeans(3, random_state=0).set_callbacks(recorder)
    model.set_callbacks().fit(X)
    assert recorder.calls == []
    assert not any("callback" in name for name in vars(model.fit(X)))


def test_without_callbacks_of_scikit_learn_there_is_one_sentence(monkeypatch):
    monkeypatch.setitem(sys.modules, "sklearn.callback", None)
    with pytest.raises(ImportError, match=r"set_callbacks needs scikit-learn 1\.9 or newer; this is"):
        sc.FuzzyCMeans(3).set_callbacks(object())


def test_scikit_learns_own_callbacks(iris, capsys):
    skip_without_callbacks()
    from sklearn.callback import ProgressBar, ScoringMonitor

    X, y = iris
    monitor = ScoringMonitor(scoring="adjusted_rand_score")
    sc.FuzzyCMeans(3, random_state=0).set_callbacks(monitor).fit(X, y)
    scores = [row["adjusted_rand_score"] for row in monitor.get_logs().data]
    assert len(scores) > 2
    assert min(scores) > 0.5
    search = GridSearchCV(sc.FuzzyCMeans(3, random_state=0), {"m": [1.5, 2.0]}, cv=2)
    search.set_callbacks(ProgressBar())
    search.fit(X)
    assert "FuzzyCMeans - fit" in capsys.readouterr().out


def test_words(iris, capsys):
    X, _ = iris
    model = sc.FuzzyCMeans(3, init=X[[0, 60, 120]], verbose=1).fit(X)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == model.n_iter_
    assert lines[-1] == (
        f"FuzzyCMeans, 150 rows: iteration {model.n_iter_}, objective {model.objective_:.7g}"
    )
    sc.FuzzyCMeans(3, init=X[[0, 60, 120]]).fit(X)
    assert capsys.readouterr().out == ""


def press():
    """Ctrl-C."""
    os.kill(os.getpid(), signal.SIGINT)


@pytest.fixture
def _ctrl_c_is_heard():
    """Where tests run in the background nobody hears it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("_ctrl_c_is_heard")
@pytest.mark.parametrize("turn", [1, 4, 12])
def test_an_interrupted_fit_is_usable(turn, iris):
    X, _ = iris
    model = sc.FuzzyCMeans(3, random_state=0, tol=0, max_iter=50, n_init=3)
    model.set_callbacks(AtTurns(press, turn))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.fit(X)
    told = [w for w in caught if issubclass(w.category, ConvergenceWarning)]
    assert "Interrupted after" in str(told[0].message)
    assert told[0].filename == __file__
    assert not model.converged_
    assert np.isfinite(model.memberships_).all()
    assert_array_equal(model.predict(X), model.labels_)


def test_a_watch_without_observers_lets_go_on():
    assert Options().observers is not Options().observers
    assert not Observers().on_iteration(None)
