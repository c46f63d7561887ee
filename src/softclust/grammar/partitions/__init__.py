"""Partitions: how much does a row belong, given its distances?  `base.py` is the contract of a partition.

The NumPy methods here define the meaning; the compiled rules must equal them.
"""

from softclust.grammar.partitions.base import Partition
from softclust.grammar.partitions.entropic import Entropic, Exponential
from softclust.grammar.partitions.fuzzy import Fuzzy
from softclust.grammar.partitions.hard import Hard
from softclust.grammar.partitions.members import CredalMembers, Members
from softclust.grammar.partitions.mixed import ImprovedPossibilistic, PossibilisticFuzzy
from softclust.grammar.partitions.possibilistic import Possibilistic, PossibilisticEntropic
from softclust.grammar.partitions.separable import Polynomial, Separable

__all__ = [
    "CredalMembers",
    "Entropic",
    "Exponential",
    "Fuzzy",
    "Hard",
    "ImprovedPossibilistic",
    "Members",
    "Partition",
    "Polynomial",
    "Possibilistic",
    "PossibilisticEntropic",
    "PossibilisticFuzzy",
    "Separable",
]
