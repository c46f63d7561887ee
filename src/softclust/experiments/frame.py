"""What an experiment is: lines that set what a paper printed beside what is measured, with a verdict."""

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
    """One figure of a paper beside ours.

    Attributes
    ----------
    what : str
        What was measured, as "FCM, errors".
    paper : str
        As printed; "" where the paper gives none.
    ours : str
        What came out: a number, or the median with the band of the draws.
    verdict : str
        One of `VERDICTS`, or "" for a line that is shown for comparison alone.
    why : str
        What the reader must know: the reading under which it comes out, or why it does not.
    """

    what: str
    paper: str
    ours: str
    verdict: str = ""
    why: str = ""


@dataclass(frozen=True)
class Experiment:
    """A table, a figure or a claim of a paper, and how it is run again.

    Attributes
    ----------
    paper : str
        Its number, as "003".
    name : str
        As "table1".
    title : str
        What it shows.
    run : callable
        `run(effort)` gives the lines.
    draw : callable or None
        `draw(effort)` gives a matplotlib figure, for experiments with a picture.
    """

    paper: str
    name: str
    title: str
    run: Callable[[Effort], list[Line]]
    draw: Callable[[Effort], Any] | None = None


@dataclass(frozen=True)
class Effort:
    """How many draws an experiment makes, and who is told of them.

    Attributes
    ----------
    quick : bool
        Fewer draws.
    tell : callable
        Called with the number of draws done and their whole number.
    """

    quick: bool = False
    tell: Callable[[int, int], None] = field(default=lambda done, whole: None)

    def draws(self, full: int, quick: int) -> Iterator[int]:
        """Seeds 0, 1, ..: as many as asked of a full or of a quick run; each is told when it is done."""
        whole = quick if self.quick else full
        for seed in range(whole):
            yield seed
            self.tell(seed + 1, whole)


def compare(what, printed, measured, *, digits=None, band=None, why=""):
    """A line whose verdict follows from the figures.

    Reproduced: the measured value, a single one or the median of draws, is the printed one when written
    with as many digits.  Bracketed: the printed value is within the band of the draws.

    Parameters
    ----------
    what : str
        What was measured.
    printed : str
        The paper's figure, as printed.
    measured : float or array of them
        One value, or one for each draw (or start, or reading).
    digits : int or None
        Digits after the point to compare; by default those of `printed`.
    band : tuple of float, default (0.1, 0.9)
        Quantiles between which a printed value counts as bracketed.
    why : str
        Shown beside the verdict.
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
    """A line for a sentence of a paper that can be true or false of what was measured."""
    return Line(what, said, shown, CONFIRMED if holds else NOT_CONFIRMED, why)


def _digits(printed):
    return len(printed.partition(".")[2])
