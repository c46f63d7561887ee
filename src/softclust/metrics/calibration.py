"""Agreement of memberships, read as probabilities, with known classes: Brier score and calibration."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from softclust.metrics.checks import check_bins, check_memberships, check_truth, weights_of

if TYPE_CHECKING:
    import pandas as pd


def brier_score(
    memberships: ArrayLike,
    truth: ArrayLike,
    *,
    match: bool = True,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Brier score B = sum_i sum_k (u_ik - y_ik)^2 / (2 n) (Brier 1950); smaller is better.

    y_ik is 1 if cluster k stands for the class of row i, otherwise 0.  B is 0 if every row belongs to its
    class alone, and 1 if every row belongs to one wrong cluster alone.  A cluster that stands for no class
    is a column with y_ik = 0; a class that no cluster stands for is a column with u_ik = 0.

    Parameters
    ----------
    memberships : array-like of shape (n, c)
        Memberships; rows sum to 1.
    truth : array-like of shape (n,)
        Class of each row.  Rows with -1, None or NaN are left out.
    match : bool, default=True
        Match clusters with classes one to one, so that B is least.  False: column k is class k if all
        classes are among 0..c-1, otherwise the k-th class in rising order.
    sample_weight : array-like of shape (n,), default=None
        How many rows each row stands for.

    Returns
    -------
    float
        Between 0 and 1.

    Notes
    -----
    B = sum_i (1 + sum_k u_ik^2 - 2 u_i(i)) / (2 n), with u_i(i) the membership of row i in the cluster of
    its class.  So the matching with the greatest sum of u_i(i) has the least B.  The factor 1/2 makes B the
    usual score for two classes; `brier_score_loss` of scikit-learn has it for more with
    `scale_by_half=True`.

    References
    ----------
    .. [1] Brier (1950). Verification of forecasts expressed in terms of probability. Monthly Weather Review
       78(1), 1-3.
    .. [2] Kuhn (1955). The Hungarian method for the assignment problem. Naval Research Logistics 2, 83-97.

    Examples
    --------
    >>> from softclust.metrics import brier_score
    >>> U = [[0.9, 0.1], [0.8, 0.2], [0.4, 0.6]]
    >>> round(brier_score(U, ["b", "b", "a"]), 4)
    0.07
    >>> round(brier_score(U, ["b", "b", "a"], match=False), 4)  # column 0 is class "a"
    0.6033
    """
    return _score(_compare(memberships, truth, match, sample_weight))


def brier_skill(
    memberships: ArrayLike,
    truth: ArrayLike,
    *,
    match: bool = True,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Brier skill 1 - B / B_0, with B_0 the Brier score of the class shares; greater is better.

    B_0 = (1 - sum_k p_k^2) / 2 is the score if the memberships of every row are the shares p_k of the
    classes.  The skill is 1 for perfect memberships, 0 for memberships that score like the shares, and
    negative for worse ones.

    Parameters
    ----------
    memberships, truth, match, sample_weight
        As in `brier_score`.

    Returns
    -------
    float
        At most 1.  If there is one class only, B_0 is 0, and the skill is 0 if B is 0, otherwise -inf.

    References
    ----------
    .. [1] Murphy (1973). A new vector partition of the probability score. Journal of Applied Meteorology
       12(4), 595-600.

    Examples
    --------
    >>> from softclust.metrics import brier_skill
    >>> round(brier_skill([[0.9, 0.1], [0.8, 0.2], [0.4, 0.6]], ["b", "b", "a"]), 4)
    0.685
    >>> brier_skill([[0.5, 0.5], [0.5, 0.5]], [0, 1])
    0.0
    """
    compared = _compare(memberships, truth, match, sample_weight)
    score = _score(compared)
    shares = np.bincount(compared.codes, compared.weight) / compared.weight.sum()
    reference = float(1 - shares @ shares) / 2
    if np.count_nonzero(shares) == 1:
        return 0.0 if score == 0 else -np.inf
    return 1 - score / reference


@dataclass(frozen=True)
class CalibrationTable:
    """Rows in bins of their greatest membership: how sure the memberships are, and how often right.

    Attributes
    ----------
    edges : ndarray of shape (bins + 1,)
        Bin b has the rows whose greatest membership is above edges[b] and at most edges[b + 1].
    confidence : ndarray of shape (bins,)
        Mean of the greatest membership of the rows in each bin; NaN in an empty bin.
    accuracy : ndarray of shape (bins,)
        Share of the rows in each bin whose greatest membership is in the cluster of their class; NaN in an
        empty bin.
    count : ndarray of shape (bins,)
        Number of rows in each bin; with weights, their total weight.
    """

    edges: np.ndarray
    confidence: np.ndarray
    accuracy: np.ndarray
    count: np.ndarray

    @property
    def expected_calibration_error(self) -> float:
        """Mean of |accuracy - confidence| over the rows."""
        gaps = np.nan_to_num(np.abs(self.accuracy - self.confidence))
        return float(gaps @ self.count / self.count.sum())

    def to_frame(self) -> pd.DataFrame:
        """Return a table with a row for each bin.

        Returns
        -------
        pandas.DataFrame
        """
        import pandas as pd

        return pd.DataFrame({
            "above": self.edges[:-1], "to": self.edges[1:], "confidence": self.confidence,
            "accuracy": self.accuracy, "count": self.count,
        })  # fmt: skip


def calibration_table(
    memberships: ArrayLike,
    truth: ArrayLike,
    *,
    bins: int = 10,
    match: bool = True,
    sample_weight: ArrayLike | None = None,
) -> CalibrationTable:
    """Compare the greatest membership of the rows with the share of rows whose cluster is right.

    The bins divide [0, 1] evenly.  Memberships are calibrated if confidence and accuracy agree in every
    bin.  If the accuracy is lower, the memberships are too sure; if it is higher, they are too soft.

    Parameters
    ----------
    memberships, truth
        As in `brier_score`.
    bins : int, default=10
        Number of bins.
    match, sample_weight
        As in `brier_score`.

    Returns
    -------
    CalibrationTable
        Mean confidence, accuracy and count of each bin, and `expected_calibration_error`.

    References
    ----------
    .. [1] DeGroot, Fienberg (1983). The comparison and evaluation of forecasters. The Statistician 32(1/2),
       12-22.

    Examples
    --------
    >>> from softclust.metrics import calibration_table
    >>> table = calibration_table([[0.9, 0.1], [0.8, 0.2], [0.4, 0.6], [0.6, 0.4]], [0, 0, 1, 1], bins=2)
    >>> table.count
    array([0., 4.])
    >>> round(float(table.confidence[1]), 3), round(float(table.accuracy[1]), 3)
    (0.725, 0.75)
    """
    bins = check_bins(bins)
    compared = _compare(memberships, truth, match, sample_weight)
    confidence = compared.U.max(axis=1)
    right = compared.U.argmax(axis=1) == compared.columns
    edges = np.arange(bins + 1) / bins
    place = np.clip(np.searchsorted(edges, confidence) - 1, 0, bins - 1)
    count, sure, hits = (
        np.bincount(place, compared.weight * value, minlength=bins)
        for value in (np.ones(len(place)), confidence, right)
    )
    full = np.where(count > 0, count, np.nan)
    return CalibrationTable(edges, sure / full, hits / full, count)


def expected_calibration_error(
    memberships: ArrayLike,
    truth: ArrayLike,
    *,
    bins: int = 10,
    match: bool = True,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Expected calibration error: the mean of |accuracy - confidence| over the rows; smaller is better.

    Accuracy and confidence are those of the row's bin in `calibration_table`.

    Parameters
    ----------
    memberships, truth, bins, match, sample_weight
        As in `calibration_table`.

    Returns
    -------
    float
        Between 0 and 1.

    References
    ----------
    .. [1] Naeini, Cooper, Hauskrecht (2015). Obtaining well calibrated probabilities using Bayesian
       binning. AAAI Conference on Artificial Intelligence, 2901-2907.

    Examples
    --------
    >>> from softclust.metrics import expected_calibration_error
    >>> U = [[0.9, 0.1], [0.8, 0.2], [0.4, 0.6], [0.6, 0.4]]
    >>> round(expected_calibration_error(U, [0, 0, 1, 1], bins=2), 4)
    0.025
    """
    table = calibration_table(memberships, truth, bins=bins, match=match, sample_weight=sample_weight)
    return table.expected_calibration_error


class _Compared(NamedTuple):
    """The rows with a known class."""

    U: np.ndarray  # (n, c)
    codes: np.ndarray  # (n,) class of each row
    columns: np.ndarray  # (n,) cluster that stands for the row's class, -1 if none does
    weight: np.ndarray  # (n,)


def _compare(
    memberships: ArrayLike, truth: ArrayLike, match: bool, sample_weight: ArrayLike | None
) -> _Compared:
    """Check the arguments, leave out rows without a class, and find the column of each row's class."""
    U = check_memberships(memberships, "memberships")
    weight = weights_of(sample_weight, len(U))
    rows, codes, classes = check_truth(truth, len(U))
    U, weight = U[rows], weight[rows]
    if not weight.any():
        raise ValueError("sample_weight is 0 for every row with a class; at least one must count.")
    column = _best_columns(U, codes, weight) if match else _given_columns(classes, U.shape[1])
    return _Compared(U, codes, column[codes], weight)


def _best_columns(U: np.ndarray, codes: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Return the column of each class in the best one-to-one matching; -1 for a class without a column."""
    from scipy.optimize import linear_sum_assignment

    table = np.stack([np.bincount(codes, weight * u) for u in U.T], axis=1)
    matched = linear_sum_assignment(table, maximize=True)
    column = np.full(len(table), -1)
    column[matched[0]] = matched[1]
    return column


def _given_columns(classes: np.ndarray, c: int) -> np.ndarray:
    """Return the column of each class by its name or its place; -1 for a class beyond the columns."""
    if classes.dtype.kind in "iuf" and np.isin(classes, np.arange(c)).all():
        return classes.astype(np.intp)
    place = np.arange(len(classes))
    return np.where(place < c, place, -1)


def _score(compared: _Compared) -> float:
    """Return the Brier score."""
    U, _, columns, weight = compared
    own = np.where(columns >= 0, np.take_along_axis(U, np.maximum(columns, 0)[:, None], 1)[:, 0], 0.0)
    each = ((U * U).sum(axis=1) - own * own + (1 - own) ** 2) / 2
    return min(1.0, float(np.average(each, weights=weight)))
