"""The contract of a partition: facts with defaults, and the methods that a new partition defines.

A partition answers for each row by itself.  Given the distances D of a row to the clusters it finds the
memberships that minimise the row's part of J, and from them

- `influence`: how much the row pulls each cluster, W = dJ/dD, and the row's part of J (each iteration);
- `members`: memberships, typicalities, label and outlier score (once, after the fit).

Shapes: n rows in a block, c clusters, and K columns of the frame.  K = c unless sets of several clusters
have a column too.
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

    # Whether its term of J contains the scales gamma_k.
    uses_scale: ClassVar[bool] = False

    # Whether rows have typicalities beside their memberships.
    has_typicalities: ClassVar[bool] = False

    # Whether a noise distance may add a column for noise.
    has_noise: ClassVar[bool] = True

    # Whether a cluster without rows moves to the worst served row.
    relocates: ClassVar[bool] = False

    # Whether its distances are minus logarithms of densities.
    is_entropic: ClassVar[bool] = False

    # Whether `settle` finds memberships of linked rows.
    takes_links: ClassVar[bool] = False

    @property
    def rule(self) -> Rule | None:
        """The partition as the compiled passes know it; None to run the NumPy methods."""
        return None

    def influence(self, D: np.ndarray, scale: np.ndarray, noise: float) -> tuple[np.ndarray, np.ndarray]:
        """Return the influence of each row on each cluster, and the least objective of each row.

        Both are taken at the memberships that minimise J for these distances.

        Parameters
        ----------
        D : ndarray of shape (n, K)
            Squared distances, or the costs that the frame makes of them.
        scale : ndarray of shape (K,)
            The scales gamma_k; ones if the partition uses none.
        noise : float
            Squared noise distance, 0 for no noise.

        Returns
        -------
        W : ndarray of shape (n, K)
            Influence dJ/dD.
        loss : ndarray of shape (n,)
            The least value of each row's part of J, noise included.
        """
        raise NotImplementedError

    def members(self, D: np.ndarray, scale: np.ndarray, noise: float) -> Members:
        """Return memberships, typicalities, labels and outlier scores of the rows.

        Parameters
        ----------
        D : ndarray of shape (n, K)
            Squared distances, or the costs that the frame makes of them.
        scale : ndarray of shape (K,)
            The scales gamma_k; ones if the partition uses none.
        noise : float
            Squared noise distance, 0 for no noise.

        Returns
        -------
        Members
            Memberships are shares among the clusters alone: each row sums to 1, noise left out.
        """
        raise NotImplementedError

    def typicality(self, q: np.ndarray) -> np.ndarray:
        """Return the typicality of rows at given distances, if the partition has typicalities.

        Parameters
        ----------
        q : ndarray
            Squared distances in units of the scale, d/gamma.

        Returns
        -------
        ndarray
            Typicalities in [0, 1], of the shape of q.
        """
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
        """Find the memberships of linked rows, which depend on each other.

        Parameters
        ----------
        linked : Linked
            Costs, labels and pairs of the q linked rows.
        p : ndarray of shape (q, F) or None
            Their memberships so far, from which J must not rise; None in the first pass.  With noise, noise
            is the last of the F columns.

        Returns
        -------
        p : ndarray of shape (q, F)
            Memberships.
        own : ndarray of shape (q, F)
            The factor of each cost in J.
        """
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
        """Solve rows that also pay the label penalty alpha_i (p_ik - f_ik)^2 cost_ik.

        Parameters
        ----------
        cost : ndarray of shape (q, K)
            Costs of the q labelled rows.
        scale : ndarray of shape (K,)
            The scales gamma_k.
        noise : float
            Squared noise distance, 0 for no noise.
        target : ndarray of shape (q, K)
            Wanted degrees f in [0, 1], NaN where the label says nothing.
        alpha : ndarray of shape (q,)
            Strength of each label.
        printed : bool
            Whether to leave the penalty out of the influence W, as Pedrycz & Waletzky print.

        Returns
        -------
        U, T, W : ndarray of shape (q, K)
            Memberships, typicalities and influence.
        loss : ndarray of shape (q,)
            The least objective of each row.
        share : ndarray of shape (q,)
            Membership of noise.
        label : ndarray of shape (q,)
            The cluster of each row.
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
