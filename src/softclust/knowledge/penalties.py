"""Terms of J for what is known of some rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from softclust._lazy import kernels

_LEAST_CHANCE = 1e-300  # of what was not said to be true: its logarithm is a number


@dataclass(frozen=True)
class LabelPenalty:
    """J += alpha sum_i c_i sum_k b_ik (p_ik - f_ik)^2 d_ik (Antoine 2018 eq. (11), (12); Liu & Wu (3-1)).

    f_ik is the degree wanted of row i in cluster k, b_ik = 1 where one is named, c_i the confidence in
    what is said of row i.  p is the membership u of hard and fuzzy partitions and of IPCM (there with
    the row's cost for d), the typicality t of the others.

    A row's minimiser is exact: hard partitions take the argmin; typicalities are a quotient for exponent
    2, else the root of a rising function; memberships solve a separable problem on the simplex, for
    exponent 2 by water-filling.  Prototypes see the penalty as influence alpha c_i b_ik (p_ik - f_ik)^2.
    """

    strength: float  # alpha
    printed_centers: bool = False  # leave that influence out, as Pedrycz & Waletzky print: J may rise

    is_linear: ClassVar[bool] = False

    @property
    def kernel(self):
        """The compiled solver of labelled rows."""
        return kernels("labels").known_rows

    def solve(self, model, scale, cost, target, alpha):
        """U, T, W, loss, noise's share and label of labelled rows, from their costs."""
        return model.partition.labelled_rows(
            cost, scale, model.frame.noise, target, alpha, self.printed_centers
        )


@dataclass(frozen=True)
class SubsetPenalty:
    """J += delta sum_i c_i (1 - sum_l t_il m_il) (Xie & Antoine eq. (12)), linear in the masses.

    t_il = |A_l n L_i|^(r/2) / |A_l|^r for the set L_i of classes that row i may have, 0 where the two
    are disjoint: the plausibility of L_i for r = 0, and for greater r a plausibility that counts large
    sets less.  (Eq. (6) and (22) print the exponent 1/2 for r/2.)  Degrees between 0 and 1 count in
    |A n L| as they are.
    """

    strength: float  # delta, in units of what a row's masses cost
    exponent: float = 0.0  # r

    printed_centers: ClassVar[bool] = False
    is_linear: ClassVar[bool] = True

    @property
    def kernel(self):
        """The compiled solver of labelled rows."""
        return kernels("labels").subset_rows

    def solve(self, model, scale, cost, target, alpha):
        """U, T, W, loss, noise's share and label of labelled rows, from their costs."""
        return self.kernel(model.rule.kind, model.parameters, scale, cost, target, alpha)

    def columns(self, target, frame):
        """t_i (q, K) from wanted degrees (q, c), NaN where nothing is said."""
        named = np.nan_to_num(target)
        # Where clusters are only excluded, all others may be.
        allowed = np.where(named.any(axis=1, keepdims=True), named, np.isnan(target))
        shared = allowed @ frame.sets.T
        with np.errstate(divide="ignore"):
            weight = shared ** (self.exponent / 2) / frame.cardinality**self.exponent
        return np.where(shared > 0, weight, 0.0)


@dataclass(frozen=True)
class LabelLikelihood:
    """A row's likelihood is sum_k f_ik^alpha pi_k N(x_i; mu_k, Sigma_k): J -= alpha sum_k u_ik ln f_ik.

    f_ik is what is said of the row, taken as the chance of having been told so in cluster k, 1 where
    nothing is: a certain label leaves its cluster alone, whatever alpha > 0 is.
    """

    strength: float  # alpha

    printed_centers: ClassVar[bool] = False
    is_linear: ClassVar[bool] = True

    def charges(self, target, strength):
        """(q, c) what each cluster costs more; where all are excluded nothing is said."""
        f = np.where(np.isnan(target), 1.0, target)
        f = np.where(f.max(axis=1, keepdims=True) > 0, f, 1.0)
        return -strength[:, None] * np.log(np.maximum(f, _LEAST_CHANCE))


@dataclass(frozen=True)
class LinkPenalty:
    """J += sum over must-links s_ij p_i' P_M p_j + sum over cannot-links s_ij p_i' P_C p_j.

    P_M[k, l] = 1 where A_k and A_l are not empty and not the same singleton, P_C[k, l] = 1 where they
    meet: the plausibilities of being in different classes and in the same (Xie & Antoine eq. (10), (11),
    with the misprints of (8) and (17) mended).  On singletons they are 1 - u_i'u_j and u_i'u_j: those of
    Grira, Crucianu & Boujemaa (2008) for fuzzy, of PCK-means (Basu 2004) for hard partitions.
    """

    empty_satisfies: bool = True  # mass on the empty set honours both kinds of link, as in the paper

    def forms(self, frame):
        """Columns that count, singletons, and which columns meet: (F,), (F,), (F, F) or empty for disjoint.

        P_M = counts counts' - diag(single); P_C = meets.  The empty set, if it has a column, is the last.
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
