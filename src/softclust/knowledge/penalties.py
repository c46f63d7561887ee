"""Terms of J for labels and pairs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from softclust._lazy import kernels

if TYPE_CHECKING:
    from softclust.grammar.frame import Frame
    from softclust.grammar.model import Model


class _SolvedRows:
    """A term whose labelled rows have a solver in `softclust.kernels.labels`."""

    solver: ClassVar[str]  # its name there

    @property
    def kernel(self) -> Any:
        """The compiled solver of labelled rows."""
        return getattr(kernels("labels"), self.solver)

    def solve(
        self, model: Model, scale: np.ndarray, cost: np.ndarray, target: np.ndarray, alpha: np.ndarray
    ) -> tuple[np.ndarray, ...]:
        """Return U, T, W, loss, share of noise and label of labelled rows, from their costs."""
        raise NotImplementedError


@dataclass(frozen=True)
class LabelPenalty(_SolvedRows):
    """Rows pay for memberships that differ from the degrees that their labels want.

    J += alpha sum_i c_i sum_k b_ik (p_ik - f_ik)^2 d_ik (Antoine 2018 eq. (11), (12); Liu & Wu (3-1)).

    f_ik is the degree wanted of row i in cluster k, b_ik is 1 where a degree is given and 0 elsewhere,
    c_i is the confidence in the label of row i.  p is the membership u in hard and fuzzy partitions and
    in IPCM (there with the row's cost for d), and the typicality t in the others.

    A row's minimiser is exact: hard partitions take the argmin; typicalities are a quotient for exponent
    2, else the root of a rising function; memberships solve a separable problem on the simplex, for
    exponent 2 by water-filling.  Prototypes see the penalty as influence alpha c_i b_ik (p_ik - f_ik)^2.
    """

    strength: float  # alpha
    printed_centers: bool = False  # leave the influence out, as Pedrycz & Waletzky print: J may rise

    is_linear: ClassVar[bool] = False
    solver: ClassVar[str] = "known_rows"

    def solve(
        self, model: Model, scale: np.ndarray, cost: np.ndarray, target: np.ndarray, alpha: np.ndarray
    ) -> tuple[np.ndarray, ...]:
        return model.partition.labelled_rows(
            cost, scale, model.frame.noise, target, alpha, self.printed_centers
        )


@dataclass(frozen=True)
class SubsetPenalty(_SolvedRows):
    """Rows pay for mass on sets of clusters that do not fit their labels.

    J += delta sum_i c_i (1 - sum_l t_il m_il) (Xie & Antoine eq. (12)), linear in the masses m_il.

    t_il = |A_l n L_i|^(r/2) / |A_l|^r for the set L_i of classes that row i may have, 0 where A_l and L_i
    are disjoint.  The sum is the plausibility of L_i for r = 0, and for greater r a plausibility that
    counts large sets less.  (Eq. (6) and (22) print the exponent 1/2 for r/2.)  Degrees between 0 and 1
    count in |A n L| as they are.
    """

    strength: float  # delta, in units of the cost of a row's masses
    exponent: float = 0.0  # r

    printed_centers: ClassVar[bool] = False
    is_linear: ClassVar[bool] = True
    solver: ClassVar[str] = "subset_rows"

    def solve(
        self, model: Model, scale: np.ndarray, cost: np.ndarray, target: np.ndarray, alpha: np.ndarray
    ) -> tuple[np.ndarray, ...]:
        assert model.rule is not None  # all geometries of credal partitions have compiled passes
        return self.kernel(model.rule.kind, model.parameters, scale, cost, target, alpha)

    def columns(self, target: np.ndarray, frame: Frame) -> np.ndarray:
        """Compute t_i (q, K) from wanted degrees (q, c), NaN where nothing is said."""
        named = np.nan_to_num(target)
        # A label that only excludes clusters allows all others.
        allowed = np.where(named.any(axis=1, keepdims=True), named, np.isnan(target))
        shared = allowed @ frame.sets.T
        with np.errstate(divide="ignore"):
            weight = shared ** (self.exponent / 2) / frame.cardinality**self.exponent
        return np.where(shared > 0, weight, 0.0)


@dataclass(frozen=True)
class LabelLikelihood:
    """Labels multiply the likelihoods of their rows in a mixture.

    A row's likelihood is sum_k f_ik^alpha pi_k N(x_i; mu_k, Sigma_k): J -= alpha sum_k u_ik ln f_ik.

    f_ik is the degree that the label of row i gives to cluster k, taken as the chance of such a label in
    cluster k, and 1 where nothing is said.  A certain label leaves the row no other cluster,
    whatever alpha > 0 is.
    """

    strength: float  # alpha

    printed_centers: ClassVar[bool] = False
    is_linear: ClassVar[bool] = True

    def charges(self, target: np.ndarray, strength: np.ndarray) -> np.ndarray:
        """(q, c) the added cost of each cluster, infinite for a cluster that the label excludes.

        A label that excludes all clusters says nothing, nor does a label of strength 0.
        """
        f = np.where(np.isnan(target), 1.0, target)
        f = np.where(f.max(axis=1, keepdims=True) > 0, f, 1.0)
        costs = -strength[:, None] * np.log(np.where(f > 0, f, 1.0))
        return np.where((f > 0) | (strength[:, None] == 0), costs, np.inf)


@dataclass(frozen=True)
class LinkPenalty:
    """Pairs of rows pay for memberships that break their must-link or cannot-link.

    J += sum over must-links s_ij p_i' P_M p_j + sum over cannot-links s_ij p_i' P_C p_j.

    P_M[k, l] = 1 where A_k and A_l are not empty and not the same singleton, P_C[k, l] = 1 where A_k and
    A_l meet.  The two forms are the plausibilities that both rows are in different classes, and in the
    same class (Xie & Antoine eq. (10), (11), with the misprints of (8) and (17) mended).  On singletons
    the forms are 1 - u_i'u_j and u_i'u_j: the terms of Grira, Crucianu & Boujemaa (2008) for fuzzy
    partitions, of PCK-means (Basu 2004) for hard partitions.
    """

    empty_satisfies: bool = True  # mass on the empty set honours both kinds of link, as in the paper
    is_thorough: bool = True  # linked rows that begin anew try several starts

    def forms(self, frame: Frame) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the arrays `counts` (F,), `single` (F,) and `meets` (F, F) that define P_M and P_C.

        P_M = counts counts' - diag(single); P_C = meets.  `counts` is 1 for columns that count, `single`
        is 1 for singletons, `meets` is 1 for columns that meet and has the shape (0, 0) if all sets are
        disjoint.  The empty set, if it has a column, is the last.
        """
        single = frame.cardinality == 1
        counts = np.ones(len(single))
        meets = (frame.sets @ frame.sets.T > 0).astype(np.float64)
        if frame.noise:
            single, counts = np.append(single, False), np.append(counts, 0.0)
            meets = np.pad(meets, (0, 1))
            if not self.empty_satisfies:
                counts[-1] = 1.0
                meets[-1], meets[:, -1] = 1.0, 1.0
        if frame.is_singletons and self.empty_satisfies:
            meets = np.empty((0, 0))
        return counts, single.astype(np.float64), meets
