"""Indices of the volume that clusters fill (Gath & Geva 1989)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from softclust.metrics.checks import check_centers, check_memberships, check_number, check_rows, weights_of
from softclust.metrics.scaling import in_units

_FLAT = 16 * np.finfo(float).eps  # times p: eigenvalues of a correlation matrix up to here are rounding


def fuzzy_hypervolume(
    X: ArrayLike, U: ArrayLike, V: ArrayLike, *, m: float = 2.0, sample_weight: ArrayLike | None = None
) -> float:
    """Fuzzy hypervolume FHV = sum_k sqrt(det F_k) (Gath & Geva 1989); smaller is better.

    F_k = sum_i u_ik^m (x_i - v_k)(x_i - v_k)' / sum_i u_ik^m.  A cluster that is flat in some direction, or
    has no members, adds 0.  FHV scales with the p-th power of the unit of X.

    Parameters
    ----------
    X, U, V
        Rows, memberships and centres, as in `xie_beni`.
    m : float, default=2.0
        Exponent of the memberships, at least 1; the paper uses posterior probabilities and 1.
    sample_weight
        As in `xie_beni`.

    Returns
    -------
    float
        At least 0; inf if FHV exceeds the largest float.

    References
    ----------
    .. [1] Gath, Geva (1989). Unsupervised optimal fuzzy clustering. IEEE Transactions on Pattern Analysis
       and Machine Intelligence 11(7), 773-780.

    Examples
    --------
    >>> from softclust.metrics import fuzzy_hypervolume
    >>> X, U = [[0.0], [1.0], [9.0], [11.0]], [[1, 0], [1, 0], [0, 1], [0, 1]]
    >>> fuzzy_hypervolume(X, U, [[0.5], [10.0]])
    1.5
    """
    log_volume, _ = _measure(X, U, V, m, sample_weight)
    return _exp(log_volume)


def partition_density(
    X: ArrayLike, U: ArrayLike, V: ArrayLike, *, m: float = 2.0, sample_weight: ArrayLike | None = None
) -> float:
    """Partition density PD = S / FHV (Gath & Geva 1989); greater is better.

    S is the sum of u_ik over the central members of each cluster k, which are the rows with
    (x_i - v_k)' F_k^-1 (x_i - v_k) < 1.  FHV and F_k are as in `fuzzy_hypervolume`.  PD scales
    with n and with the inverse p-th power of the unit of X.

    Parameters
    ----------
    X, U, V, m, sample_weight
        As in `fuzzy_hypervolume`; F_k uses the exponent m, S does not.

    Returns
    -------
    float
        At least 0, and inf if no cluster has any volume.

    References
    ----------
    .. [1] Gath, Geva (1989), the paper of `fuzzy_hypervolume`.

    Examples
    --------
    >>> from softclust.metrics import partition_density
    >>> X = [[0.0], [2.0], [4.0], [8.0], [9.0], [10.0]]
    >>> U = [[1, 0], [1, 0], [1, 0], [0, 1], [0, 1], [0, 1]]
    >>> round(partition_density(X, U, [[2.0], [9.0]]), 4)  # two rows are central, at 2 and at 9
    0.8165
    """
    log_volume, central = _measure(X, U, V, m, sample_weight)
    if central == 0:
        return np.inf if log_volume == -np.inf else 0.0
    return _exp(np.log(central) - log_volume)


def _measure(
    X: Any, U: ArrayLike, V: Any, m: float, sample_weight: ArrayLike | None
) -> tuple[float, float]:
    """Return ln FHV, and the sum S of the memberships of the central members."""
    U = check_memberships(U)
    X = check_rows(X, len(U))
    V = check_centers(V, U.shape[1], X.shape[1])
    m, weight = check_number(m, "m", 1), weights_of(sample_weight, len(U))
    X, V, exponent = in_units(X, V)
    logs, central = np.empty(len(V)), 0.0
    for k, v in enumerate(V):
        logs[k], inside = _cluster(X - v, weight * U[:, k] ** m)
        central += float((weight * U[:, k])[inside].sum())
    return np.logaddexp.reduce(logs) + X.shape[1] * exponent * np.log(2), central


def _cluster(gaps: np.ndarray, degree: np.ndarray) -> tuple[float, Any]:
    """Return ln sqrt(det F) of one cluster, and a mask of the central rows.

    Features are scaled to variance 1 first, so that F is singular only if the cluster is flat, and not if
    the units of the features differ.  Flat directions are ignored in the distances: no member differs from
    the centre in a flat direction.
    """
    mass = degree.sum()
    if mass == 0:
        return -np.inf, np.zeros(len(gaps), dtype=bool)
    F = (gaps * (degree / mass)[:, None]).T @ gaps
    deviation = np.sqrt(np.diag(F))
    if not deviation.any():
        return -np.inf, ~gaps.any(axis=1)
    unit = np.where(deviation > 0, deviation, 1.0)
    values, vectors = np.linalg.eigh(F / unit / unit[:, None])
    wide = values > _FLAT * len(values)
    Z = (gaps / unit) @ (vectors[:, wide] / np.sqrt(values[wide]))
    log_volume = np.log(unit).sum() + np.log(values).sum() / 2 if wide.all() else -np.inf
    return log_volume, (Z * Z).sum(axis=1) < 1


def _exp(x: float) -> float:
    with np.errstate(over="ignore"):
        return float(np.exp(x))
