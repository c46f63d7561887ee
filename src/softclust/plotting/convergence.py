"""How the objective fell."""

from __future__ import annotations

import numpy as np

from softclust.plotting import reading
from softclust.plotting.canvas import begin, frame_off
from softclust.plotting.palette import DASHES, MARKERS, cluster_colours


class ConvergenceDisplay:
    """By how much each iteration lowered the objective, on a logarithmic scale.

    A straight line is linear convergence.  Iterations that lowered it by nothing have no logarithm, and no
    point.  Drawn again on the same axes, each fit has a colour and a marker of its own.

    Use `from_estimator` or `from_predictions` to make one.

    Parameters
    ----------
    objective_history : array-like of shape (t,)
        J after each iteration, t > 1.
    name : str, default=None
        For the legend.

    Attributes
    ----------
    ax_, figure_ : Axes and Figure
        Where it was drawn.
    line_ : Line2D
        The decreases.

    Examples
    --------
    >>> from softclust.plotting import ConvergenceDisplay
    >>> display = ConvergenceDisplay.from_predictions([9.0, 5.0, 4.0, 4.0])
    >>> display.line_.get_xydata().tolist()
    [[1.0, 4.0], [2.0, 1.0]]
    """

    def __init__(self, *, objective_history, name=None):
        J = np.asarray(objective_history, dtype=float)
        if J.ndim != 1 or len(J) < 2 or not np.isfinite(J).all():
            raise ValueError(
                f"objective_history has the shape {J.shape}; a decrease needs two or more finite numbers."
            )
        self.objective_history, self.name = J, name

    @classmethod
    def from_estimator(cls, estimator, X=None, *, name=None, ax=None):
        """Draw `objective_history_` of a fitted estimator; X is not used.

        Parameters
        ----------
        estimator : object
            Fitted.
        X : object
            Not used; it is here because other displays have it.
        name : str, default=None
            For the legend; the class where None.
        ax : matplotlib Axes, default=None
            Where to draw; new axes where None.
        """
        reading.check_fitted(estimator)
        kind = type(estimator).__name__
        if not hasattr(estimator, "objective_history_"):
            raise ValueError(f"{kind} keeps no history of its objective.")
        J = np.asarray(estimator.objective_history_)
        return cls(objective_history=J, name=kind if name is None else name).plot(ax=ax)

    @classmethod
    def from_predictions(cls, objective_history, *, name=None, ax=None):
        """Draw a given history; the parameters are those of the class."""
        return cls(objective_history=objective_history, name=name).plot(ax=ax)

    def plot(self, *, ax=None):
        """Draw on the axes, or on new ones, and return the display."""
        ax = begin(self, ax, (6.4, 4.2))
        falls = -np.diff(self.objective_history)
        steps = np.flatnonzero(falls > 0)
        before = len(ax.lines)
        (self.line_,) = ax.plot(
            steps + 1,
            falls[steps],
            color=cluster_colours(before + 1)[-1],
            marker=MARKERS[before % len(MARKERS)],
            ls=DASHES[before % len(DASHES)],
            ms=4.5,
            lw=1.5,
            label=self.name,
        )
        if len(steps):
            ax.set_yscale("log")
        else:
            ax.annotate("no decrease", (0.5, 0.5), xycoords="axes fraction", ha="center")
        ax.set(xlabel="iteration", ylabel="decrease of the objective")
        ax.xaxis.get_major_locator().set_params(integer=True)
        frame_off(ax)
        if self.name is not None:
            ax.legend(loc="upper right", frameon=False, fontsize=9)
        return self
