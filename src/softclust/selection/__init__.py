"""Choice of the number of clusters and of parameters: fit several settings, compare, recommend one."""

from softclust.selection.recommendation import Recommendation
from softclust.selection.result import Selection
from softclust.selection.search import select

__all__ = ["Recommendation", "Selection", "select"]
