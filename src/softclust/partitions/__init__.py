"""Partitions: how much does a row belong, given its distances?

A part has `influence(D, scale, noise)` -> (W, loss): the optimal memberships as influence of each row
on each prototype, and the row's least objective; `members(D, scale, noise)` -> `Members`; `rule`, by
which the compiled passes know it; `uses_scale`, `has_typicalities` and `has_noise`: which other words
it goes with; where it has typicalities, `typicality(q)` of a row q scales away; where rows may be linked,
`settle(linked, p)`.

The NumPy forms here define the meaning; the compiled rules must equal them.
"""

from softclust.partitions.entropic import Entropic, Exponential
from softclust.partitions.fuzzy import Fuzzy
from softclust.partitions.hard import Hard
from softclust.partitions.linked import Linked
from softclust.partitions.members import CredalMembers, Members
from softclust.partitions.mixed import ImprovedPossibilistic, PossibilisticFuzzy
from softclust.partitions.possibilistic import Possibilistic, PossibilisticEntropic

__all__ = [
    "CredalMembers",
    "Entropic",
    "Exponential",
    "Fuzzy",
    "Hard",
    "ImprovedPossibilistic",
    "Linked",
    "Members",
    "Possibilistic",
    "PossibilisticEntropic",
    "PossibilisticFuzzy",
]
