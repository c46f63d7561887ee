"""Partitions: how much does a row belong, given its distances?

A part has `influence(D, scale, noise)` -> (W, loss): the optimal memberships as influence of each row
on each prototype, and the row's least objective; `members(D, scale, noise)` -> `Members`; `rule`, by
which the compiled passes know it; `uses_scale`, `has_typicalities` and `has_noise`: which other words
it goes with; where it has typicalities, `typicality(q)` of a row q scales away; where rows may be linked,
`settle(linked, p)`.

The NumPy forms here define the meaning; the compiled rules must equal them.
"""

from softclust.grammar.partitions.entropic import Entropic, Exponential
from softclust.grammar.partitions.fuzzy import Fuzzy
from softclust.grammar.partitions.hard import Hard
from softclust.grammar.partitions.members import CredalMembers, Members
from softclust.grammar.partitions.mixed import ImprovedPossibilistic, PossibilisticFuzzy
from softclust.grammar.partitions.possibilistic import Possibilistic, PossibilisticEntropic
from softclust.knowledge.linked import Linked

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
