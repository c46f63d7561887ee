"""The decrease of the objective at each iteration."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike

from softclust.plotting import reading
from softclust.plotting.canvas import frame_off
from softclust.plotting.display import Display
from softclust.plotting.palette import DASHES, MARKERS, theme_of
from softclust.plotting.words import wrapped

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_LETTERS = 28  # in a line of the legend


class ConvergenceDisplay(Display):
    """The decrease of the objective at each iteration, on a logarithmic scale.

    A straight line means linear convergence.  An iteration without a decrease has no logarithm and no
    point.  Fits drawn on the same axes get a colour and a marker each.

    Use `from_estimator` or `from_predictions` to make one.

    Parameters
    ----------
    objective_history : array-like of shape (t,)
        The objective J after each iteration, t > 1.
    name : str, default=None
        Name for the legend.

    Attributes
    ----------
    line_ : Line2D
        The curve of the decreases.

    Examples
    --------
    >>> from softclust.plotting import ConvergenceDisplay
    >>> display = ConvergenceDisplay.from_predictions([9.0, 5.0, 4.0, 4.0])
    >>> display.line_.get_xydata().tolist()
    [[1.0, 4.0], [2.0, 1.0]]
    """

    _size = (6.4, 4.2)

    def __init__(self, *, objective_history: ArrayLike, name: str | None = None) -> None:
        J = np.asarray(objective_history, dtype=float)
        if J.ndim != 1 or len(J) < 2 or not np.isfinite(J).all():
            raise ValueError(
                f"objective_history has the shape {J.shape}; a decrease needs two or more finite numbers."
            )
        self.objective_history, self.name = J, name

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: ArrayLike | None = None, *, name: str | None = None, ax: Axes | None = None
    ) -> Self:
        """Draw `objective_history_` of a fitted estimator; X is not used.

        Parameters
        ----------
        estimator : object
            A fitted estimator with `objective_history_`.
        X : object
            Not used; the other displays take it.
        name, ax
            Name for the legend; None takes the name of the estimator's class.  `ax` as in `plot`.

        Returns
        -------
        display : ConvergenceDisplay
            The display, drawn.
        """
        reading.check_fitted(estimator)
        kind = type(estimator).__name__
        if not hasattr(estimator, "objective_history_"):
            raise ValueError(f"{kind} keeps no history of its objective.")
        J = np.asarray(estimator.objective_history_)
        return cls(objective_history=J, name=kind if name is None else name).plot(ax=ax)

    @classmethod
    def from_predictions(
        cls, objective_history: ArrayLike, *, name: str | None = None, ax: Axes | None = None
    ) -> Self:
        """Draw a given history.

        Parameters
        ----------
        objective_history : array-like of shape (t,)
            The objective J after each iteration, t > 1.
        name, ax
            As in the class; `ax` as in `plot`.

        Returns
        -------
        display : ConvergenceDisplay
            The curve of the decreases, drawn.
        """
        return cls(objective_history=objective_history, name=name).plot(ax=ax)

    def _draw(self, ax: Any) -> None:
        falls = -np.diff(self.objective_history)
        steps = np.flatnonzero(falls > 0)
        before = len(ax.lines)
        (self.line_,) = ax.plot(
            steps + 1,
            falls[steps],
            color=theme_of(ax).clusters(before + 1)[-1],
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
            handles, labels = ax.get_legend_handles_labels()
            names = [wrapped(label, _LETTERS) for label in labels]
            ax.legend(handles, names, loc="upper right", frameon=False, fontsize=9)
