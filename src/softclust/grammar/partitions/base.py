"""The contract of a partition: facts with defaults, and the methods that a new partition defines.

A partition answers for each row by itself.  Given the distances D of a row to the clusters it finds the
memberships that minimise the row's part of J, and from them

- `influence`: how much the row pulls each cluster, W = dJ/dD, and the row's part of J (each iteration);
- `members`: memberships, typicalities, label and outlier score (once, after the fit).

Shapes: n rows in a block, q of them labelled or linked, c clusters, and K columns of the frame.  K = c
unless sets of several clusters have a column too.  F is K, plus 1 with noise, which is the last column.

D (n, K) holds squared distances, or the costs that the frame makes of them.  `scale` (K,) holds the scales
gamma_k, ones if the partition uses none.  `noise` is the squared noise distance, 0 for no noise.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import numpy as np

from softclust.compat.sklearn import InvalidParameterError
from softclust.grammar.partitions.members import Members
from softclust.kernels.codes import Rule
from softclust.values import Value

if TYPE_CHECKING:
    from softclust.knowledge.linked import Linked


class Partition(Value):
    """How much does a row belong to each cluster, given its distances?

    A partition is a frozen dataclass that carries its term of J in the docstring.  Its fields are the
    exponents and weights of that term.

    A new partition defines `influence` and `members` in NumPy; these define its meaning.  It also defines

    - `rule`, if the compiled passes know it; otherwise the NumPy methods run;
    - `typicality`, if it has typicalities;
    - `settle`, if it takes links;
    - `labelled_rows`, if it takes labels and has no `rule`.
    """

    uses_scale: ClassVar[bool] = False  # whether its term of J contains the scales gamma_k
    has_typicalities: ClassVar[bool] = False  # whether rows have typicalities beside their memberships
    labels_typicalities: ClassVar[bool] = False  # whether labels act on typicalities, not on memberships
    has_noise: ClassVar[bool] = True  # whether a noise distance may add a column for noise
    relocates: ClassVar[bool] = False  # whether a cluster without rows moves to the worst served row
    is_entropic: ClassVar[bool] = False  # whether its distances are minus logarithms of densities
    takes_links: ClassVar[bool] = False  # whether `settle` finds memberships of linked rows

    @property
    def rule(self) -> Rule | None:
        """The partition as the compiled passes know it; None to run the NumPy methods."""
        return None

    def influence(self, D: np.ndarray, scale: np.ndarray, noise: float) -> tuple[np.ndarray, np.ndarray]:
        """Return the influence W = dJ/dD (n, K), and the least value (n,) of each row's part of J.

        Both are taken at the memberships that minimise J for these distances.  J includes noise.
        """
        raise NotImplementedError

    def members(self, D: np.ndarray, scale: np.ndarray, noise: float) -> Members:
        """Return memberships, typicalities, labels and outlier scores of the rows.

        Memberships are shares among the clusters alone: each row sums to 1, noise left out.
        """
        raise NotImplementedError

    def labelled_members(
        self, U: np.ndarray, Q: np.ndarray, alpha: np.ndarray, labels: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return memberships and labels of labelled rows; u and label are solved, q = d/gamma."""
        return U, labels

    def typicality(self, q: np.ndarray) -> np.ndarray:
        """Return the typicalities in [0, 1] of squared distances q = d/gamma, if the partition has any."""
        raise NotImplementedError

    @property
    def link_exponent(self) -> float | None:
        """The exponent by which compiled code finds memberships of linked rows, 0 for entropic partitions.

        None: a partition that takes links then defines `memberships`, and NumPy finds them (`Separable`).
        """
        return None

    def factor(self, p: np.ndarray) -> np.ndarray:
        """(q, F) what multiplies the cost of a linked row in J: g(p), which is p^m in fuzzy partitions."""
        raise NotImplementedError

    def memberships(
        self, cost: np.ndarray, wanted: np.ndarray, alpha: np.ndarray, tilt: np.ndarray
    ) -> np.ndarray:
        """(q, F) argmin of sum_k cost_k (g(p_k) + alpha (p_k - f_k)^2) + tilt_k p_k on the simplex."""
        raise NotImplementedError

    def noise_cost(self, noise: float) -> float | None:
        """The cost of noise for a linked row, from the squared noise distance; None without noise."""
        return noise or None

    def settle(self, linked: Linked, p: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
        """Find the memberships (q, F) of linked rows, which depend on each other.

        `p` (q, F) holds their memberships so far, from which J must not rise; None in the first pass.  The
        second result (q, F) is the factor of each cost in J.
        """
        raise NotImplementedError

    def labelled_rows(
        self, cost: np.ndarray, scale: np.ndarray, noise: float, target: np.ndarray, alpha: np.ndarray,
        printed: bool,
    ) -> tuple[np.ndarray, ...]:  # fmt: skip
        """Solve rows that also pay the label penalty alpha_i (p_ik - f_ik)^2 cost_ik.

        `target` (q, K) holds the wanted degrees f in [0, 1], NaN where the label says nothing; `alpha` (q,)
        is the strength of each label.  `printed` leaves the penalty out of the influence W, as Pedrycz &
        Waletzky print.

        Returns
        -------
        U, T, W : ndarray of shape (q, K)
            Memberships, typicalities and influence.
        loss, share, label : ndarray of shape (q,)
            The least objective, the membership of noise and the cluster of each row.
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
