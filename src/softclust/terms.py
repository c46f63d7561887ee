"""Terms of J for what is known of some rows."""

from __future__ import annotations

from dataclasses import dataclass


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
