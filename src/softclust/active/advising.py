"""Advice: would more answers still change much?"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from softclust.active.events import effective
from softclust.metrics import matched_accuracy

if TYPE_CHECKING:
    from softclust.active.session import Session

AGREEMENT = 0.99  # share of rows that keep their cluster from batch to batch
_SOME = 3  # rows drawn by lot that can speak against stopping
_Z = 1.959964  # of a 95 % interval


@dataclass(frozen=True)
class Advice:
    """Whether to stop asking, and why.

    Attributes
    ----------
    stop : bool
        Whether 99 % of the rows kept their cluster, two batches of questions running, and not most of the
        rows drawn by lot surprised the model.
    sentence : str
        The advice in words.
    agreement : float
        Share of the rows that kept their cluster since the last batch; NaN before two batches.
    hits : tuple of int
        How many answers the model foresaw, of how many.
    audit : tuple
        (right, of, low, high): the answers to questions drawn by lot that the model foresaw, and a 95 %
        interval of the accuracy on rows that were not asked.  Only questions count whose likeliest cluster
        had a class.
    """

    stop: bool
    sentence: str
    agreement: float
    hits: tuple[int, int]
    audit: tuple[int, int, float, float]


def advice(session: Session) -> Advice:
    """Advise whether more answers would still change much.

    Parameters
    ----------
    session : Session
        A session whose questions were asked by `Session.ask`.

    Returns
    -------
    advice : Advice

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from softclust import FuzzyCMeans
    >>> from softclust.active import Session, advice
    >>> advice(Session.start(load_iris().data, FuzzyCMeans(3))).sentence
    'Ask more: fewer than two batches of questions were asked.'
    """
    batches = session.memory.batches
    agreements = [matched_accuracy(a, b) for a, b in pairwise(batches)]
    agreement = agreements[-1] if agreements else float("nan")
    hits, lots = _foreseen(session)
    stable = len(agreements) >= 2 and min(agreements[-2:]) >= AGREEMENT
    misses = lots[1] >= _SOME and 2 * lots[0] < lots[1]  # stable, but not what the expert says
    stop = stable and not misses
    if not agreements:
        sentence = "Ask more: fewer than two batches of questions were asked."
    elif stop:
        sentence = f"You may stop: {agreement:.1%} of the rows kept their cluster, two batches running."
    elif stable:
        sentence = "Ask more, or try another method: clusters keep their rows, but answers surprise them."
    elif agreement >= AGREEMENT:
        sentence = f"Ask one more batch: {agreement:.1%} of the rows kept their cluster, but once only."
    else:
        sentence = f"Ask more: {1 - agreement:.1%} of the rows changed their cluster since the last batch."
    if lots[1]:
        low, high = interval(*lots)
        sentence += f" Of {lots[1]} rows drawn by lot, {lots[0]} were foreseen ({low:.0%} to {high:.0%})."
    return Advice(stop, sentence, agreement, hits, (*lots, *interval(*lots)))


def _foreseen(session: Session) -> tuple[tuple[int, int], tuple[int, int]]:
    """Count the answers that the model foresaw: (right, of) among all, and among rows drawn by lot."""
    counts = np.zeros((2, 2), dtype=int)
    for event in effective(session.events)[0]:
        if event.do in ("label", "none") and event.asked is not None and event.shown is not None:
            right = dict(event.degrees or ()).get(event.shown, 0.0)
            most = max((degree for _, degree in event.degrees or ()), default=1.0)
            counts[0] += right == most, 1
            if event.asked == "audit":
                counts[1] += right == most, 1
    (a, b), (c, d) = counts.tolist()
    return (a, b), (c, d)


def interval(right: int, of: int) -> tuple[float, float]:
    """Return Wilson's 95 % interval of a share; (0, 1) if nothing was counted."""
    if of == 0:
        return 0.0, 1.0
    share, extra = right / of, _Z * _Z / of
    middle = (share + extra / 2) / (1 + extra)
    half = _Z * np.sqrt(share * (1 - share) / of + extra / (4 * of)) / (1 + extra)
    low, high = max(0.0, float(middle - half)), min(1.0, float(middle + half))
    return (0.0 if right == 0 else low), (1.0 if right == of else high)
