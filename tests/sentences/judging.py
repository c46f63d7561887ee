"""Laws for many sentences: what is broken, and what rounding decides."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace

import numpy as np

from sentences.drawing import draw
from sentences.laws import (
    AT_THE_ANSWER,
    FLAT,
    OF_READING,
    OF_TWO_FITS,
    Fitted,
    narrowness,
    shapes_are_at_rest,
)

_TRIALS = 16  # fits to rows that are moved by rounding: one in four may take another way
_ROUNDING = 1e-13  # of the spread of the rows

Law = Callable[[Fitted], str | None]


@dataclass
class Verdict:
    """How many laws were checked, which were broken, and which were left to rounding."""

    checked: int = 0
    broken: list[str] = field(default_factory=list)
    exempt: list[str] = field(default_factory=list)

    def judge(self, fit: Fitted, law: Law) -> None:
        """Check one law of one sentence."""
        self.checked += 1
        try:
            wrong = law(fit)
        except Exception as error:  # a law of its own: nothing of this may raise
            wrong, is_exempt = f"raised {error!r}", False
        else:
            is_exempt = wrong is not None and is_left(fit, law)
        if wrong is None:
            return
        line = f"sentence {fit.s.seed} ({fit.s.estimator}, {fit.s.geometry}): {law.__name__}: {wrong}"
        (self.exempt if is_exempt else self.broken).append(line)

    def __str__(self) -> str:
        lines = [f"{self.checked} checks, {len(self.broken)} broken, {len(self.exempt)} left to rounding"]
        return "\n".join(
            [*lines, *(f"broken: {x}" for x in self.broken), *(f"exempt: {x}" for x in self.exempt)]
        )


def judged(seeds: Iterable[int]) -> Verdict:
    """The verdict over the sentences of these numbers."""
    verdict = Verdict()
    with np.errstate(all="ignore"):  # logarithms of 0 and the like, in the formulas written out here
        for seed in seeds:
            fit = Fitted.of(draw(seed))
            for law in (*AT_THE_ANSWER, *OF_READING, *OF_TWO_FITS):
                verdict.judge(fit, law)
    return verdict


def is_left(fit: Fitted, law: Law) -> bool:
    """Whether a broken law is left to rounding, or needs a minimum that this fit did not reach.

    J, the least cost of each row and what is read out hold wherever a fit ends: nothing exempts them.
    """
    if law not in (shapes_are_at_rest, *OF_TWO_FITS):
        return False
    if not fit.model.converged_ or runs_away(fit):
        return True
    return is_too_narrow(fit) if law is shapes_are_at_rest else rounding_decides(fit)


def runs_away(fit: Fitted) -> bool:
    """Whether a repulsion drives a centre away from all rows, for ever: J has no minimum then."""
    s, V = fit.s, fit.model.cluster_centers_
    middle = np.average(s.X, axis=0, weights=s.weights)
    return "separation" in s.parameters and bool(np.abs(V - middle).max() > 10 * s.spread)


def is_too_narrow(fit: Fitted) -> bool:
    """Whether a cluster is so narrow that the rounding of its centre alone gives J a slope.

    J bends over the width of a cluster, so a slope of J/width^2 times the rounding is the least there is.
    """
    narrow = narrowness(fit.s, fit.model)
    rounding = np.finfo(float).eps * np.abs(fit.s.X).max() / fit.s.spread
    return bool(rounding > FLAT * narrow**2)


def rounding_decides(fit: Fitted) -> bool:
    """Whether the same fit ends elsewhere if its rows move by hardly more than their rounding.

    Such a fit passes a saddle, or a tie between two clusters: another order of sums may end elsewhere.
    """
    s, rng = fit.s, np.random.default_rng(fit.s.seed)
    for _ in range(_TRIALS):
        noise = rng.normal(size=s.X.shape) * _ROUNDING * s.spread
        other = replace(s, X=s.X + noise).fit()
        if abs(other.objective_ - fit.model.objective_) > 1e-7 * abs(fit.model.objective_):
            return True
    return False
