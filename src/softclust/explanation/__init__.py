"""Explanations of single rows: why is a row in its cluster, and why in doubt?"""

from softclust.explanation.explaining import Explainer, explain
from softclust.explanation.names import RowNames, cluster_names, set_names, spoken_names
from softclust.explanation.value import Explanation, Neighbor, SetMass

__all__ = [
    "Explainer",
    "Explanation",
    "Neighbor",
    "RowNames",
    "SetMass",
    "cluster_names",
    "explain",
    "set_names",
    "spoken_names",
]
