"""A recommendation in words: which setting, how many indices agree, and how sure one may be."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from softclust.selection.measures import is_flat, merit

if TYPE_CHECKING:
    from softclust.selection.result import Selection

_MAJORITY = 0.5
# Least mean adjusted Rand index between samples for each verdict.
_VERDICTS = ((0.9, "very stable"), (0.75, "stable"), (0.5, "only partly stable"), (-1.0, "not stable"))
_MORE_STABLE = 0.1


@dataclass(frozen=True)
class Recommendation:
    """A setting that is worth trying first, and why.

    Attributes
    ----------
    place : int
        Position of the setting in `Selection.settings`.
    params : dict
        The setting.
    agreement : float
        Share of the voting indices that choose the setting; NaN if none votes.
    sentences : tuple of str
        The reasons; the first sentence names the setting.
    """

    place: int
    params: dict[str, Any]
    agreement: float
    sentences: tuple[str, ...]

    def __str__(self) -> str:
        return "\n".join(self.sentences)


def recommend(found: Selection) -> Recommendation:
    """Choose a setting and find the reasons."""
    place, by = _choose(found)
    votes, voices = found.votes(), len(found.voters)
    told = [
        f"Recommended: {named(found, place)}, {by}.",
        _of_votes(found, place, votes, voices),
        _of_likelihood(found, place),
        _of_stability(found, place),
        _of_the_edge(found, place),
    ]
    share = float(votes[place] / voices) if voices else np.nan
    return Recommendation(place, found.settings[place], share, tuple(said for said in told if said))


def named(found: Selection, place: int) -> str:
    """Return a setting in words."""
    setting = found.settings[place]
    if set(setting) == {"n_clusters"}:
        return "1 cluster" if setting["n_clusters"] == 1 else f"{setting['n_clusters']} clusters"
    return ", ".join(f"{name}={value!r}" for name, value in setting.items())


def _choose(found: Selection) -> tuple[int, str]:
    """Return the position of the setting, and by what it was chosen."""
    if _speaks(found, "brier_skill"):
        place = found.place("brier_skill")
        skill, right = found.values["brier_skill"][place], found.values["accuracy"][place]
        return place, f"which fits the known classes best (Brier skill {skill:.2f}, {right:.0%} right)"
    if _speaks(found, "bic"):
        return found.place("bic"), "which BIC prefers"
    votes = found.votes()
    if not votes.any():
        return found.place(), f"by {found.index.replace('_', ' ')}; no other index has a preference"
    leaders = np.flatnonzero(votes == votes.max())
    best = merit(found.index, found.values[found.index])[leaders]
    place = int(leaders[best.argmax()])
    return place, f"the choice of {votes[place]} of {len(found.voters)} indices"


def _speaks(found: Selection, name: str) -> bool:
    return name in found.values and not is_flat(found.values[name])


def _of_votes(found: Selection, place: int, votes: np.ndarray, voices: int) -> str | None:
    if not voices:
        return None
    others = [i for i in np.argsort(-votes, kind="stable") if votes[i] and i != place][:3]
    also = ", ".join(f"{named(found, i)} {votes[i]}" for i in others)
    if votes[place] == voices:
        return "All indices agree."
    if votes[place] > _MAJORITY * voices:
        return f"Most indices agree; votes for others: {also}."
    if votes[place] and votes[place] == votes.max():
        return f"The indices disagree, so look at the clusters before you decide; votes for others: {also}."
    own = f"{votes[place]} of {voices} indices" if votes[place] else "no index"
    return f"By votes, {own} would choose it; votes for others: {also}."


def _of_likelihood(found: Selection, place: int) -> str | None:
    choices = {name: found.place(name) for name in ("bic", "aic") if _speaks(found, name)}
    if not choices:
        return None
    if set(choices.values()) == {place}:
        return " and ".join(name.upper() for name in choices) + " choose it."
    listed = ", ".join(f"{name.upper()} chooses {named(found, at)}" for name, at in choices.items())
    return f"{listed}."


def _of_stability(found: Selection, place: int) -> str | None:
    if "stability" not in found.values or not np.isfinite(found.values["stability"][place]):
        return None
    values = found.values["stability"]
    verdict = next(word for least, word in _VERDICTS if values[place] >= least)
    said = f"It is {verdict}: other samples of the rows agree with an adjusted Rand index of "
    said += f"{values[place]:.2f}"
    steadiest = found.place("stability")
    if values[steadiest] > values[place] + _MORE_STABLE:
        said += f"; {named(found, steadiest)} reach {values[steadiest]:.2f}"
    return said + "."


def _of_the_edge(found: Selection, place: int) -> str | None:
    tried = sorted({setting["n_clusters"] for setting in found.settings})
    chosen = found.settings[place]["n_clusters"]
    if len(tried) > 1 and chosen == tried[-1]:
        return f"{chosen} is the largest number that was tried: try more."
    return None
