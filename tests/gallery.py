"""Every display, drawn for data that strain a picture: long names, many clusters, rows and features."""

from __future__ import annotations

import warnings
from contextlib import nullcontext
from dataclasses import dataclass
from functools import cache

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np

from softclust import EvidentialCMeans, FuzzyCMeans, PossibilisticCMeans, plotting, select


@dataclass(frozen=True)
class Case:
    """Data for a picture: its size, the length of its names, and the style of matplotlib."""

    name: str
    n: int = 240
    p: int = 2
    c: int = 3
    long_names: bool = False
    style: str | None = None


CASES = [
    Case("plain"),
    Case("long names", long_names=True),
    Case("ten clusters", c=10),
    Case("ten long names", c=10, long_names=True),
    Case("10,000 rows", n=10_000),
    Case("64 features", p=64),
    Case("one feature", p=1),
    Case("dark", style="dark_background"),
    Case("dark long names", long_names=True, style="dark_background"),
]
DISPLAYS = sorted(plotting.__all__)


_UNCHANGED = {  # cases that change nothing in the display
    "ConvergenceDisplay": {"ten clusters", "ten long names", "10,000 rows", "64 features", "one feature"},
    "SupervisionCurveDisplay": {"10,000 rows", "64 features", "one feature"},
    "SelectionDisplay": {"long names", "ten long names", "10,000 rows", "64 features", "dark long names"},
}


def draws(display: str, case: Case) -> bool:
    """Whether the case matters to the display, and the display takes it: a triangle has three corners."""
    if display == "TernaryDisplay":
        return case.c == 3
    return case.name not in _UNCHANGED.get(display, ())


def picture(display: str, case: Case):
    """Draw the display for the case and return it; close its figure afterwards."""
    style = nullcontext() if case.style is None else plt.style.context(case.style)
    with style:
        drawn = _DRAW[display](case)
        if case.style is not None:
            drawn.figure_.draw_without_rendering()  # ticks take their colours from the style
    return drawn


@cache
def rows(n: int, p: int, c: int) -> np.ndarray:
    """c clouds, the first two of which overlap."""
    rng = np.random.default_rng(0)
    means = rng.uniform(-3, 3, (c, p)) * (1.6 if p == 1 else 1) * np.sqrt(c / 3)
    means[1] = means[0] + 2.2 / np.sqrt(p)
    return means[np.arange(n) % c] + rng.standard_normal((n, p)) * 0.8


@cache
def fitted(kind: type, n: int, p: int, c: int, **parameters):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return kind(c, random_state=0, max_iter=30, **parameters).fit(rows(n, p, c))


def names(case: Case, what: str, count: int) -> list[str] | None:
    """Names of forty letters, or None."""
    if not case.long_names:
        return None
    return [f"{what} {k:02d} of the rather long and wordy sort"[:40].ljust(40, "x") for k in range(count)]


def _named(case: Case) -> dict:
    return {"cluster_names": names(case, "cluster", case.c)}


def _model(case: Case, kind: type):
    return fitted(kind, case.n, case.p, case.c)


def _rows(case: Case) -> np.ndarray:
    return rows(case.n, case.p, case.c)


def _map(case: Case):
    features = names(case, "feature", case.p)
    return plotting.MembershipMapDisplay.from_estimator(
        _model(case, FuzzyCMeans), _rows(case), feature_names=features, **_named(case)
    )


def _credal(case: Case):
    X, rng = _rows(case), np.random.default_rng(1)
    y = np.full(case.n, -1)
    y[: case.c] = np.arange(case.c)
    return plotting.CredalPartitionDisplay.from_estimator(
        _model(case, EvidentialCMeans),
        X,
        y,
        must_link=rng.choice(case.n, (10, 2), replace=False),
        cannot_link=rng.choice(case.n, (100, 2), replace=False),
        feature_names=names(case, "feature", case.p),
        **_named(case),
    )


def _of_fit(name: str, kind: type):
    def draw(case: Case):
        return getattr(plotting, name).from_estimator(_model(case, kind), _rows(case), **_named(case))

    return draw


def _convergence(case: Case):
    label = (names(case, "method", 1) or [None])[0]
    return plotting.ConvergenceDisplay.from_estimator(_model(case, FuzzyCMeans), name=label)


def _supervision(case: Case):
    rng, labels = np.random.default_rng(0), names(case, "method", case.c)
    labels = labels or [f"method {k}" for k in range(case.c)]
    scores = {name: 0.5 + 0.1 * rng.random((4, 8)) + 0.02 * k for k, name in enumerate(labels)}
    return plotting.SupervisionCurveDisplay.from_predictions([0, 0.05, 0.1, 0.2], scores)


@cache
def chosen(n: int, p: int, c: int):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        numbers = range(2, 13) if c > 3 else range(2, 6)
        return select(FuzzyCMeans(random_state=0, max_iter=15), rows(n, p, c), n_clusters=numbers)


def _selection(case: Case):
    return plotting.SelectionDisplay.from_selection(chosen(case.n, case.p, case.c))


_DRAW = {
    "MembershipMapDisplay": _map,
    "CredalPartitionDisplay": _credal,
    "MembershipHeatmapDisplay": _of_fit("MembershipHeatmapDisplay", FuzzyCMeans),
    "FuzzySilhouetteDisplay": _of_fit("FuzzySilhouetteDisplay", FuzzyCMeans),
    "TernaryDisplay": _of_fit("TernaryDisplay", FuzzyCMeans),
    "TypicalityDisplay": _of_fit("TypicalityDisplay", PossibilisticCMeans),
    "MassCurvesDisplay": _of_fit("MassCurvesDisplay", EvidentialCMeans),
    "ConvergenceDisplay": _convergence,
    "SupervisionCurveDisplay": _supervision,
    "SelectionDisplay": _selection,
}
