"""Pictures of soft partitions, as scikit-learn's `Display` objects; they need matplotlib.

Each has `from_estimator` and `from_predictions` (what a fit says, or arrays of your own), `plot(ax=None)`,
and afterwards `ax_`, `figure_` and the artists that it drew.  Colours can be told apart by the
colour-blind, and each cluster has the same one in every picture.
"""

from softclust.plotting.convergence import ConvergenceDisplay
from softclust.plotting.credal import CredalPartitionDisplay
from softclust.plotting.heatmap import MembershipHeatmapDisplay
from softclust.plotting.maps import MembershipMapDisplay
from softclust.plotting.mass_curves import MassCurvesDisplay
from softclust.plotting.selection import SelectionDisplay
from softclust.plotting.silhouettes import FuzzySilhouetteDisplay
from softclust.plotting.supervision import SupervisionCurveDisplay
from softclust.plotting.ternary import TernaryDisplay
from softclust.plotting.typicality import TypicalityDisplay

__all__ = [
    "ConvergenceDisplay",
    "CredalPartitionDisplay",
    "FuzzySilhouetteDisplay",
    "MassCurvesDisplay",
    "MembershipHeatmapDisplay",
    "MembershipMapDisplay",
    "SelectionDisplay",
    "SupervisionCurveDisplay",
    "TernaryDisplay",
    "TypicalityDisplay",
]
