"""
Watch a fit, stop it, and go on after a crash
=============================================

A long fit should be watched, and it should not be lost.  A callback sees every iteration and may end the
fit.  ``checkpoint=path`` keeps the fit in a file while it runs; the same call goes on after a crash, to
the same bits.
"""

import tempfile
import time
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from softclust import FuzzyCMeans
from softclust.datasets import make_overlapping_blobs
from softclust.plotting.palette import cluster_colours

# %%
# A callback
# ----------
# The methods are those of ``sklearn.callback``.  This callback counts iterations over all rows, and does
# something at one of them: returning True ends the fit, and ``PowerCut`` ends the process.


class Watcher:
    """Counts the iterations over all rows, and calls `act` after iteration `at`."""

    def __init__(self, n_rows, at=None, act=None, pause=0.0):
        self.n_rows, self.at, self.act, self.pause, self.count = n_rows, at, act, pause, 0

    def setup(self, estimator, context):
        pass

    teardown = on_fit_task_begin = setup

    def on_fit_task_end(self, estimator, context):
        if context.task_name != "iteration" or getattr(context, "n_rows", 0) < self.n_rows:
            return False
        self.count += 1
        time.sleep(self.pause)
        return self.act() if self.count == self.at else False


class PowerCut(BaseException):
    """As far as a fit can tell, the end of its process."""


def power_cut():
    raise PowerCut


# %%
# A fit, a crash, and the rest of the fit
# ---------------------------------------
# ``acceleration=None`` makes the fit slow enough to watch, and the pauses stand for many more rows:
# writing may take a twentieth of the time, so that a fit of a few milliseconds is not written at every
# iteration.

X, _ = make_overlapping_blobs(20_000, 8, 5, overlap=0.3, random_state=0)
SETTINGS = {"acceleration": None, "growing_samples": False, "n_init": 1, "random_state": 0}
undisturbed = FuzzyCMeans(5, **SETTINGS).fit(X)

with tempfile.TemporaryDirectory() as folder:
    path = Path(folder) / "fit.checkpoint"
    model = FuzzyCMeans(5, checkpoint=path, **SETTINGS)
    crashed, resumed = Watcher(len(X), 35, power_cut, pause=0.04), Watcher(len(X))
    try:
        model.set_callbacks(crashed).fit(X)
    except PowerCut:
        print(f"crashed in iteration {crashed.count}; the file has {path.stat().st_size:,} bytes")
    model.set_callbacks(resumed).fit(X)
same = np.array_equal(model.memberships_, undisturbed.memberships_)
print(
    f"{undisturbed.n_iter_} iterations undisturbed; {resumed.count} more after the crash; same bits: {same}"
)

# %%
# Enough is enough
# ----------------
# A callback that returns True ends the fit with the clusters found so far.

early = FuzzyCMeans(5, **SETTINGS).set_callbacks(Watcher(len(X), 8, lambda: True)).fit(X)
excess = early.objective_ / undisturbed.objective_ - 1
print(f"ended after {early.n_iter_} iterations, {excess:.1%} above the best objective")

# %%
# The way down
# ------------
# Each dot is an iteration of the fit that crashed, was resumed, and ended where the undisturbed fit does.

history = model.objective_history_ / model.objective_ - 1
done = len(history) - resumed.count
history = history[history > 1e-9]  # nearer to its end the objective has no digits left
figure, ax = plt.subplots(figsize=(6.4, 4.0), layout="constrained")
colours = cluster_colours(2)
turns = np.arange(1, len(history) + 1)
ax.plot(turns[:done], history[:done], "o", color=colours[0], ms=4, label="in the file at the crash")
ax.plot(turns[done:], history[done:], "o", color=colours[1], ms=4, label="after the crash")
ax.axvline(crashed.count + 0.5, color="black", ls="--", lw=1.2)
ax.annotate("power cut ", (crashed.count, history[0]), ha="right", va="top")
ax.set(yscale="log", xlabel="iteration", ylabel="objective above its end")
ax.set_title("A fit that survived")
ax.legend()
ax.spines[["top", "right"]].set_visible(False)
plt.show()

# %%
# Take home: give long fits a ``checkpoint``, and repeat the same call after a crash.
