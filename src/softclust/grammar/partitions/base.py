"""What every partition has: facts with defaults, and the functions that a new one must define."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from softclust.compat.sklearn import InvalidParameterError
from softclust.grammar.partitions.members import Members
from softclust.kernels.codes import Rule
from softclust.values import Value

if TYPE_CHECKING:
    from softclust.knowledge.linked import Linked


class Partition(Value):
    """How much does a row belong to each cluster, given its distances?

    A partition is a frozen dataclass with its term of J in the docstring.  It defines `influence` and `members`
    in NumPy, which is its meaning.  `rule` is how the compiled passes know it; without one the NumPy form runs.
    """

    uses_scale: ClassVar[bool] = False  # whether its J contains the scales gamma_k
    has_typicalities: ClassVar[bool] = False
    has_noise: ClassVar[bool] = True  # whether a noise distance is one more column
    relocates: ClassVar[bool] = False  # whether a cluster without rows moves to the worst served row
    is_entropic: ClassVar[bool] = False  # whether its distances are minus logarithms of densities
    takes_links: ClassVar[bool] = False  # whether `settle` finds memberships of linked rows

    @property
    def rule(self) -> Rule | None:
        """The partition as the compiled passes know it, or None."""
        return None

    def influence(self, D: np.ndarray, scale: np.ndarray, noise: float) -> tuple[np.ndarray, np.ndarray]:
        """(n, K) influence W = dJ/dd of each row on each cluster, and (n,) the least objective of each row.

        D are the distances or costs, `scale` the gamma_k, `noise` the squared noise distance (0: none).
        """
        raise NotImplementedError

    def members(self, D: np.ndarray, scale: np.ndarray, noise: float) -> Members:
        """Memberships, typicalities, labels and outlier scores of the rows."""
        raise NotImplementedError

    def typicality(self, q: Any) -> Any:
        """Typicality of a row whose distance is q scales, where the partition has typicalities."""
        raise NotImplementedError

    def settle(self, linked: Linked, p: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
        """Memberships of linked rows from their memberships p so far, and the factor of their costs in J."""
        raise NotImplementedError

    def labelled_rows(
        self,
        cost: np.ndarray,
        scale: np.ndarray,
        noise: float,
        target: np.ndarray,
        alpha: np.ndarray,
        printed: bool,
    ) -> tuple[np.ndarray, ...]:
        """U, T, W, loss, share of noise and label of rows that pay alpha_i (p_ik - f_ik)^2 cost_ik as well.

        `target` is f, NaN where nothing is said; `printed` leaves the penalty out of the influence W.
        """
        if self.rule is None:
            raise InvalidParameterError(
                f"{type(self).__name__} takes no labels: it has no solver for a labelled row. A partition "
                "with `labelled_rows`, such as Fuzzy, would fit."
            )
        from softclust.kernels.labels import known_rows  # Numba is loaded when the first pass runs

        return known_rows(
            self.rule.kind, self.rule.parameters(noise, 0.0, printed), scale, cost, target, alpha
        )
