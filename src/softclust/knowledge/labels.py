"""Labels of some rows: checks whose messages name the row, and the degrees that a penalty wants."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from softclust.errors import warn
from softclust.knowledge.numbers import as_floats
from softclust.values import Value, cache_last

if TYPE_CHECKING:
    from softclust.knowledge.penalties import LabelLikelihood, LabelPenalty, SubsetPenalty
    from softclust.sources.rows import Rows


@dataclass(frozen=True)
class Labels:
    """Degrees of the labelled rows in each class, NaN where nothing is said; names of the classes."""

    rows: np.ndarray  # (q,) positions of the labelled rows, rising
    degrees: np.ndarray  # (q, classes)
    classes: np.ndarray  # (classes,) names
    per_class: int = 1  # columns of each class, side by side, all with its name

    def split(self, k: int) -> Labels:
        """Give each class k clusters: a label then says "one of these", and degrees are divided equally."""
        certain = ((self.degrees == 0) | (self.degrees == 1)).all(axis=1, keepdims=True)
        degrees = np.repeat(np.where(certain, self.degrees, self.degrees / k), k, axis=1)
        return Labels(self.rows, degrees, np.repeat(self.classes, k), k)

    def names(self, c: int) -> np.ndarray:
        """Name the class of each of c clusters; clusters beyond the classes get None."""
        if c <= len(self.classes):
            return self.classes[:c]
        names = np.full(c, None, dtype=object)
        names[: len(self.classes)] = self.classes
        return names

    def of_rows_that_weigh(self, weight: np.ndarray | None) -> Labels:
        """Keep the labels of rows with a weight above 0."""
        if weight is None:
            return self
        kept = weight[self.rows] > 0
        return replace(self, rows=self.rows[kept], degrees=self.degrees[kept])

    def means(self, rows: Rows, c: int) -> np.ndarray:
        """Compute the (c, p) mean of the rows of each class in loop units.

        Rows count by their weight times their degree.  A cluster without a label has the mean NaN.
        """
        V = np.full((c, rows.X.shape[1]), np.nan)
        points = rows.take(self.rows).points.astype(np.float64)
        weight = rows.weights[self.rows]
        for k in range(self.degrees.shape[1]):
            degree = np.nan_to_num(self.degrees[:, k]) * weight
            if degree.any():
                V[k] = degree @ points / degree.sum()
        return V

    def known(self, c: int, confidence: np.ndarray, everyone: bool = False) -> Known:
        """Return the degrees that the penalty wants of the labelled rows in c clusters.

        `confidence` is (n,), the confidence in each row of the data.  With `everyone=True`,
        unlabelled rows get the target 0 in every cluster.

        Zeros and several ones are a subset label, "A or B": it excludes the other clusters and says nothing
        between A and B (a target of 1 in both would draw the row to the farther of the two).
        """
        q, found = self.degrees.shape
        target = np.zeros((q, c))
        target[:, :found] = self.degrees
        ones = target == 1
        subset = (ones.sum(axis=1) > 1) & (ones | (target == 0)).all(axis=1)
        target[subset[:, None] & ones] = np.nan
        if not everyone:
            return Known(self.rows, target, confidence[self.rows])
        every = np.zeros((len(confidence), c))
        every[self.rows] = target
        return Known(np.arange(len(confidence)), every, confidence)


def check_labels(y: Any, n: int, c: int) -> tuple[Labels | None, int]:
    """Check `y`, and return it as `Labels` with the number of clusters to fit; None if `y` says nothing.

    A 1-D `y` has a class for each row; -1, None and NaN mean unlabelled.  A 2-D `y` has a degree in
    [0, 1] for each row and cluster, NaN where nothing is said.
    """
    if y is None:
        return None, c
    labels = read_labels(y, n, c)
    found = labels.degrees.shape[1]
    if found > c:
        warn(f"y names {found} classes but n_clusters={c}: fitting {found} clusters.", UserWarning)
    if len(labels.rows) == 0:
        return None, c
    return labels, max(c, found)


def read_labels(y: Any, n: int, c: int | None = None) -> Labels:
    """Check the labels `y` of n rows and c clusters; without `c`, the classes are those that `y` names."""
    values = _classes_or_degrees(y)
    if values.ndim not in (1, 2):
        raise ValueError(f"y should be a 1d array of classes or 2d of degrees, got {values.ndim}d.")
    if len(values) != n:
        raise ValueError(f"y has {len(values)} entries; X has {n} rows.")
    if values.ndim == 2:
        return _soft_labels(values, values.shape[1] if c is None else c)
    return _hard_labels(values, 0 if c is None else c)


def _classes_or_degrees(y: Any) -> np.ndarray:
    """Return `y` as an array.

    In a list, frozen sets are classes, and so are tuples unless they hold degrees.
    """
    if not isinstance(y, list | tuple) or not any(isinstance(value, tuple | frozenset) for value in y):
        return np.asarray(y)
    try:
        return np.asarray(y, dtype=np.float64)
    except (ValueError, TypeError):
        return _objects(y)


def _objects(values: Sequence[Any]) -> np.ndarray:
    """Put the values, unchanged, into a 1-D array of objects."""
    out = np.empty(len(values), dtype=object)
    for place, value in enumerate(values):
        out[place] = value
    return out


def labels_of_classes(y: Any, n: int, classes: np.ndarray) -> Labels | None:
    """Check further labels `y` of classes named by an earlier fit; None if `y` says nothing."""
    if y is None:
        return None
    values = _classes_or_degrees(y)
    if values.ndim == 2:
        return check_labels(values, n, len(classes))[0]
    if values.shape != (n,):
        raise ValueError(f"y has the shape {values.shape}; X has {n} rows.")
    rows = np.flatnonzero(~unlabelled(values))
    place = {name: k for k, name in enumerate(classes.tolist())}
    codes = [place.get(value, -1) for value in values[rows].tolist()]
    if -1 in codes:
        row = rows[codes.index(-1)]
        known = ", ".join(map(str, place))
        raise ValueError(f"y[{row}] is {values[row]!r}, which no row before was; the classes are {known}.")
    return Labels(rows, np.eye(len(classes))[codes], classes) if len(rows) else None


def unlabelled(values: np.ndarray) -> np.ndarray:
    """(n,) True where a row has no label: -1, None or NaN."""
    if values.dtype.kind in "fc":
        return np.isnan(values) | (values == -1)
    if values.dtype.kind in "iu":
        return values == -1
    if values.dtype.kind == "O":
        return np.array([_is_missing(v) or _is_minus_one(v) for v in values], dtype=bool)
    return np.zeros(len(values), dtype=bool)


def _is_missing(value: Any) -> bool:
    """Whether a value is None, NaN or pandas.NA."""
    try:
        return value is None or bool(value != value)
    except TypeError:  # pandas.NA has no truth value
        return True


def _is_minus_one(value: Any) -> bool:
    return isinstance(value, int | float | np.number) and value == -1


def _hard_labels(values: np.ndarray, c: int) -> Labels:
    """Read a class for each row as `Labels`, with the classes in rising order.

    If the classes are some of 0..c-1, class k is cluster k.
    """
    known = ~unlabelled(values)
    if values.dtype.kind == "O":  # sorting may leave equal sets apart, so classes are found by hash
        names = list(dict.fromkeys(values[known].tolist()))
        with suppress(TypeError):  # classes that do not compare stay in order of appearance
            names.sort()
        place = {name: k for k, name in enumerate(names)}
        classes, codes = _objects(names), np.array([place[v] for v in values[known].tolist()], dtype=int)
    else:
        classes, codes = np.unique(values[known], return_inverse=True)
    if len(classes) < c and classes.dtype.kind in "iuf" and np.isin(classes, np.arange(c)).all():
        codes = classes.astype(int)[codes]  # some of 0..c-1: class k is cluster k
        classes = np.arange(c, dtype=classes.dtype)
    return Labels(np.flatnonzero(known), np.eye(len(classes))[codes], classes)


def _soft_labels(values: np.ndarray, c: int) -> Labels:
    """Read a degree for each row and cluster as `Labels`.

    Rows of NaN say nothing, nor do rows of ones if there are several clusters.
    """
    degrees = as_floats(values, "The degrees of a 2-D y")
    if degrees.shape[1] != c:
        raise ValueError(
            f"y has {degrees.shape[1]} columns; soft labels have one for each of the {c} clusters."
        )
    blank = np.ones(len(degrees), dtype=bool)
    for degree in degrees.T:  # column by column: NumPy is slow along short rows
        blank &= np.isnan(degree)
    said = np.flatnonzero(~blank)
    degrees = degrees[said]
    wrong = np.argwhere((degrees < 0) | (degrees > 1))
    if len(wrong):
        i, k = wrong[0]
        raise ValueError(f"soft label {degrees[i, k]:g} at row {said[i]}, cluster {k} is outside [0, 1]")
    tells = ~(degrees == 1).all(axis=1) if c > 1 else np.ones(len(degrees), dtype=bool)
    return Labels(said[tells], degrees[tells], np.arange(c))


@dataclass(frozen=True)
class Known(Value):
    """Targets of some rows: the degree f_ik wanted in each cluster, and the confidence in each row."""

    rows: np.ndarray  # (q,) positions of the rows, rising
    target: np.ndarray  # (q, c) in [0, 1], NaN where nothing is said
    confidence: np.ndarray  # (q,) multiplies the strength of the penalty
    columns: np.ndarray | None = None  # (q, K) t_il of `SubsetPenalty`; None for other penalties

    @cache_last
    def active(
        self, penalty: LabelPenalty | SubsetPenalty | LabelLikelihood
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return positions, wanted degrees and strengths alpha_i of the rows with alpha_i > 0."""
        alpha = penalty.strength * self.confidence
        counts = slice(None) if (alpha > 0).all() else alpha > 0
        target = self.target if self.columns is None else self.columns
        return self.rows[counts], target[counts], alpha[counts]

    def take(self, which: slice | np.ndarray, n: int) -> Known | None:
        """Keep the rows at a slice or at an array of positions, of n rows; None if no target is left."""
        kept: slice | np.ndarray
        if isinstance(which, slice) and which.step in (None, 1):
            start, stop, _ = which.indices(n)
            first, last = np.searchsorted(self.rows, [start, stop])
            kept, rows = slice(first, last), self.rows[first:last] - start
        else:
            wanted = np.arange(n)[which]
            place = np.minimum(np.searchsorted(self.rows, wanted), len(self.rows) - 1)
            rows = np.flatnonzero(self.rows[place] == wanted)
            kept = place[rows]
        if len(rows) == 0:
            return None
        columns = None if self.columns is None else self.columns[kept]
        return Known(rows, self.target[kept], self.confidence[kept], columns)

    def merged(self, pairs: np.ndarray, keep: np.ndarray) -> Known:
        """Keep the targets of the clusters `keep`; each takes in those of the clusters melted into it."""
        target = self.target.copy()
        for k, gone in pairs[::-1]:
            target[:, k] = np.fmax(target[:, k], target[:, gone])
        return replace(self, target=target[:, keep])
