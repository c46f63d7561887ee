"""Pictures of soft partitions, as `Display` objects in the style of scikit-learn; they need matplotlib.

`from_estimator` draws the result of a fit, and `from_predictions` draws arrays of your own.  Call
`plot(ax=None)` to draw a display again.  Afterwards `ax_`, `figure_` and further attributes hold the
matplotlib objects.  `SupervisionCurveDisplay` has `from_predictions` only; `SelectionDisplay` has
`from_selection` and a figure of its own.  Colour-blind readers can tell the colours apart, and a cluster
has the same colour in every picture.
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
