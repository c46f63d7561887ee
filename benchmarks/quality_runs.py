"""Runs of `quality.py`: fits with a time limit and recorded warnings, means over sets with intervals."""

from __future__ import annotations

import signal
import time
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple, TypeVar

import numpy as np
from scipy.stats import t as student

from common import median
from quality_sets import Set

LIMIT = 60
AnySet = TypeVar("AnySet", bound=Set)


class OutOfTime(Exception):
    """A fit took longer than LIMIT."""


class Run(NamedTuple):
    """The answer of one fit, its time, and whether it warned."""

    answer: Any
    seconds: float
    warned: bool


@contextmanager
def time_limit() -> Iterator[None]:
    """Raise OutOfTime after LIMIT seconds."""

    def give_up(*_: object) -> None:
        raise OutOfTime(f"above {LIMIT} s")

    before = signal.signal(signal.SIGALRM, give_up)
    signal.alarm(LIMIT)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def attempt(call: Callable[[], Any]) -> Run | str:
    """Run a fit and record its warnings; return the reason if it fails or is given up."""
    try:
        with warnings.catch_warnings(record=True) as said, time_limit():
            warnings.simplefilter("always")
            began = time.perf_counter()
            answer = call()
            return Run(answer, time.perf_counter() - began, bool(said))
    except Exception as error:
        return f"{type(error).__name__}: {str(error)[:80]}"


class Contestant:
    """Scores of one contestant: for each column, for each set, one value for each seed."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.scores: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
        self.times: list[float] = []
        self.lost: dict[str, list[str]] = defaultdict(list)  # names of sets, by the reason

    def runs(self, calls: Iterable[tuple[AnySet, Callable[[], Any]]]) -> Iterator[tuple[AnySet, Run]]:
        """Make every call; yield the set and the run of those that end well."""
        for one, call in calls:
            run = attempt(call)
            if isinstance(run, Run):
                self.times.append(run.seconds)
                yield one, run
            else:
                self.lost[run].append(one.name)

    def add(self, column: str, one: Set, value: float) -> None:
        self.scores[column][one.name].append(float(value))

    def of_sets(self, columns: Sequence[str], sets: Iterable[Set]) -> list[float]:
        """The mean over seeds for each set that has a value in one of the columns."""
        values = [self.scores[column][one.name] for one in sets for column in columns]
        return [float(np.mean(value)) for value in values if value]

    def all_values(self, column: str) -> list[float]:
        """The values of all fits."""
        return [value for values in self.scores[column].values() for value in values]

    def seconds(self) -> str:
        return f"{median(self.times):.3f}" if self.times else ""

    def show_lost(self) -> None:
        """Print the fits without a result."""
        for reason, sets in self.lost.items():
            print(f"{self.name}, {reason}: {len(sets)} fits of {', '.join(dict.fromkeys(sets))}")


def mean(values: Sequence[float]) -> str:
    return f"{np.mean(values):.3f}" if len(values) else ""


def interval(values: Sequence[float]) -> str:
    """The mean and its 95 % interval by Student's t."""
    if len(values) < 2:
        return mean(values)
    half = student.ppf(0.975, len(values) - 1) * np.std(values, ddof=1) / np.sqrt(len(values))
    return f"{np.mean(values):.3f} +- {half:.3f}"


def share(values: Sequence[float]) -> str:
    """The share of ones, and of how many."""
    return f"{np.mean(values):.2f} of {len(values)}" if len(values) else "-"
