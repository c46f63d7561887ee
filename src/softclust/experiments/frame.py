"""Experiments: lines that compare a number printed in a paper with the measured one, with a verdict."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

REPRODUCED = "reproduced"
BRACKETED = "bracketed"
NOT_REPRODUCIBLE = "not reproducible"
CONFIRMED = "confirmed"
NOT_CONFIRMED = "not confirmed"
VERDICTS = (REPRODUCED, BRACKETED, NOT_REPRODUCIBLE, CONFIRMED, NOT_CONFIRMED)


@dataclass(frozen=True)
class Line:
    """A printed number of a paper beside ours.

    Attributes
    ----------
    what : str
        What was measured, such as "FCM, errors".
    paper : str
        The number as printed; "" if the paper gives none.
    ours : str
        The result: a number, or the median with the band of the draws.
    verdict : str
        One of `VERDICTS`, or "" for a line that is shown for comparison alone.
    why : str
        A remark: the reading of the paper that gives the printed number, or why none does.
    """

    what: str
    paper: str
    ours: str
    verdict: str = ""
    why: str = ""


@dataclass(frozen=True)
class Experiment:
    """A table, a figure or a claim of a paper, and the function that runs it again.

    Attributes
    ----------
    paper : str
        Number of the paper, such as "003".
    name : str
        Name of the experiment, such as "table1".
    title : str
        What the experiment shows.
    run : callable
        `run(effort)` returns the lines.
    draw : callable or None
        `draw(effort)` returns a matplotlib figure; None for an experiment without a picture.
    """

    paper: str
    name: str
    title: str
    run: Callable[[Effort], list[Line]]
    draw: Callable[[Effort], Any] | None = None


@dataclass(frozen=True)
class Effort:
    """How many draws an experiment makes, and a function that hears of its progress.

    Attributes
    ----------
    quick : bool
        Whether to make fewer draws.
    tell : callable
        Called after each draw with the number of draws done and the number of all draws.
    """

    quick: bool = False
    tell: Callable[[int, int], None] = field(default=lambda done, whole: None)

    def draws(self, full: int, quick: int) -> Iterator[int]:
        """Yield the seeds 0, 1, .. of the draws, and call `tell` after each draw.

        Parameters
        ----------
        full, quick : int
            Number of draws of a full and of a quick run.

        Yields
        ------
        int
            The seed of a draw.
        """
        whole = quick if self.quick else full
        for seed in range(whole):
            yield seed
            self.tell(seed + 1, whole)


def compare(what, printed, measured, *, digits=None, band=None, why=""):
    """Return a line whose verdict follows from the numbers.

    Reproduced: the measured value, or the median of the draws, rounds to the printed value.  Bracketed: the
    printed value is within the band of the draws.

    Parameters
    ----------
    what : str
        What was measured.
    printed : str
        The number in the paper, as printed.
    measured : float or array of float
        One value, or one for each draw (or start, or reading).
    digits : int or None
        Number of digits after the point to compare; by default as many as `printed` has.
    band : tuple of float, default (0.1, 0.9)
        Quantiles between which a printed value counts as bracketed.
    why : str
        A remark, shown beside the verdict.

    Returns
    -------
    Line
        The line.
    """
    digits = _digits(printed) if digits is None else digits
    low_quantile, high_quantile = (0.1, 0.9) if band is None else band
    values = np.atleast_1d(np.asarray(measured, dtype=np.float64))
    middle = float(np.median(values))
    unit = 10.0**-digits
    wanted = float(printed)
    shown = f"{middle:.{digits}f}"
    low, high = np.quantile(values, [low_quantile, high_quantile])
    if len(values) > 1:
        shown += f" [{low:.{digits}f}, {high:.{digits}f}]"
    if abs(middle - wanted) <= 0.5 * unit * (1 + 1e-9):
        return Line(what, printed, shown, REPRODUCED, why)
    if len(values) > 1 and low - 0.5 * unit <= wanted <= high + 0.5 * unit:
        return Line(what, printed, shown, BRACKETED, why)
    return Line(what, printed, shown, NOT_REPRODUCIBLE, why)


def claim(what, said, shown, holds, why=""):
    """Return a line on a sentence of a paper, confirmed or not by the measured values."""
    return Line(what, said, shown, CONFIRMED if holds else NOT_CONFIRMED, why)


def _digits(printed):
    return len(printed.partition(".")[2])
