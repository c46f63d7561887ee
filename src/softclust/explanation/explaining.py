"""Explain rows of a fitted model by exact parts of their distances."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from math import fsum
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from softclust.compat.numpy import usual_arithmetic
from softclust.estimators.predictions import Predictions
from softclust.estimators.readout import distance_parts
from softclust.explanation import words
from softclust.explanation.names import RowNames, cluster_names, feature_names_of, set_names
from softclust.explanation.rows import as_array, count_of, some_rows
from softclust.explanation.value import Explanation, Neighbor, SetMass
from softclust.grammar.prototypes.parts import Parts
from softclust.knowledge.labels import read_labels

_COMPARED_ROWS = 256  # by which the rows of a fit are recognised
_SAME = 1e-6  # difference of memberships that is rounding, also of float32


@usual_arithmetic
def explain(
    model: Any,
    X: Any,
    row: int,
    *,
    clusters: Sequence[Any] | None = None,
    y: Any = None,
    n_neighbors: int = 3,
    feature_names: Sequence[str] | None = None,
    row_names: RowNames | Sequence[Any] | None = None,
    scaling: Any = None,
    of_fit: bool | None = None,
) -> Explanation:
    """Explain why a row is in its cluster, and why it is in doubt.

    The difference of the squared distances to the next likely cluster and to the row's own is split into
    exact parts, one for each feature: d_il^2 - d_ik^2 = sum_j [z_lj (A_l z_l)_j - z_kj (A_k z_k)_j], with
    z_k = x_i - v_k and A_k the metric of cluster k, for points the identity.  Of mixtures the split is of
    -2 ln(pi_k N(x_i; mu_k, Sigma_k)), and the logarithms of determinant and weight are parts of their own.

    Parameters
    ----------
    model : fitted softclust estimator
        An estimator with centres.  Shells, geometries of one's own, medoids of other metrics than the
        Euclidean one, and label spreading have no exact parts and are refused.
    X : array-like of shape (n, p)
        Rows, as the model sees them.
    row : int
        Position of the row to explain.
    clusters : pair of clusters, default=None
        Compare these two clusters, given by name or number, in place of the two likeliest.
    y : array-like of shape (n,) or (n, c), default=None
        Labels as in `fit`, to name the nearest labelled rows.
    n_neighbors : int, default=3
        Number of labelled rows to name.
    feature_names : sequence of str, default=None
        Names of the features; None takes those that the model knows from its fit.
    row_names : sequence of length n, default=None
        Names of the rows, for words; None are positions from 0.  `RowNames` have a noun of their own too,
        such as "line".
    scaling : array-like of shape (2, p), default=None
        Means and deviations by which the rows were standardised: words are then in units before that.
    of_fit : bool, default=None
        Whether X holds the rows of the fit, whose memberships follow labels and pairs too.  None: looks
        whether predictions agree with the memberships of the fit.

    Returns
    -------
    explanation : Explanation
        The parts, memberships and neighbours; `sentence` says it in words.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from softclust import FuzzyCMeans, explain
    >>> iris = load_iris(as_frame=True)
    >>> model = FuzzyCMeans(n_clusters=3, random_state=0).fit(iris.data)
    >>> told = explain(model, iris.data, 70)
    >>> print(explain(model, iris.data, 114).sentence)  # doctest: +NORMALIZE_WHITESPACE
    Row 114 is in cluster 1 (.50) and nearly in cluster 0 (.46): its sepal length (cm) of 5.8 speaks for
    cluster 0, its petal width (cm) of 2.4 for cluster 1.
    >>> d = model.transform(iris.data)[70]
    >>> print(abs(told.contributions.sum() - (d[told.rival] ** 2 - d[told.cluster] ** 2)) < 1e-12)
    True
    """
    explainer = Explainer(
        model,
        X,
        y=y,
        feature_names=feature_names,
        row_names=row_names,
        scaling=scaling,
        of_fit=of_fit,
    )
    return explainer.explain(row, clusters=clusters, n_neighbors=n_neighbors)


class Explainer:
    """Explains rows of one model and one table of rows.

    Parameters
    ----------
    model, X, y, feature_names, row_names, scaling, of_fit
        As in `explain`.
    """

    def __init__(
        self,
        model: Any,
        X: Any,
        *,
        y: Any = None,
        feature_names: Sequence[str] | None = None,
        row_names: RowNames | Sequence[Any] | None = None,
        scaling: Any = None,
        of_fit: bool | None = None,
    ):
        if not isinstance(model, Predictions):
            raise ValueError(
                f"{type(model).__name__} is no softclust estimator; of a pipeline, give the last step and "
                "the rows as that step sees them."
            )
        check_is_fitted(model)
        self.model, self.X, self.n = model, X, count_of(X)
        self.cluster_names = cluster_names(model)
        self.feature_names = feature_names_of(model, feature_names, len(self.row_values(0)))
        self.row_names = RowNames.of(row_names, self.n)
        self._mean, self._deviation = self._checked_scaling(scaling)
        self.labels = None if y is None else read_labels(y, self.n)
        self._of_fit = of_fit

    def _checked_scaling(self, scaling: Any) -> np.ndarray:
        """Return means and deviations (2, p); without scaling, 0 and 1."""
        p = len(self.feature_names)
        if scaling is None:
            return np.array([np.zeros(p), np.ones(p)])
        scaling = np.asarray(scaling, dtype=np.float64)
        if scaling.shape != (2, p):
            raise ValueError(
                f"scaling has shape {scaling.shape}; means and deviations, (2, {p}), would fit."
            )
        return scaling

    def row_values(self, row: int) -> np.ndarray:
        """Return a row (p,) as the model sees it."""
        return as_array(some_rows(self.X, slice(row, row + 1)))[0]

    @cached_property
    def of_fit(self) -> bool:
        """Whether X holds the rows of the fit: at least half of some rows have the memberships of the fit.

        Labels and pairs change the memberships of other rows of a fit.
        """
        if self._of_fit is not None:
            if self._of_fit and len(self.model.labels_) != self.n:
                raise ValueError(f"X has {self.n} rows; the fit had {len(self.model.labels_)}.")
            return self._of_fit
        if len(self.model.labels_) != self.n:
            return False
        step = -(-self.n // _COMPARED_ROWS)
        some = slice(None, None, step)
        gaps = np.abs(self.model.predict_proba(some_rows(self.X, some)) - self.model.memberships_[some])
        return bool(np.mean(np.asarray(gaps).max(axis=1) <= _SAME) >= 0.5)

    def explain(
        self, row: int, *, clusters: Sequence[Any] | None = None, n_neighbors: int = 3
    ) -> Explanation:
        """Explain one row; see `softclust.explain`."""
        row = self._checked(row)
        x, one = self.row_values(row), some_rows(self.X, slice(row, row + 1))
        predicted = np.asarray(self.model.predict_proba(one), dtype=np.float64)[0]
        memberships = np.asarray(self.model.memberships_[row]) if self.of_fit else predicted
        parts = self._parts(x)
        k, rival = self._compared(memberships, parts, clusters)
        gaps = parts.features[k] if rival is None else parts.features[rival] - parts.features[k]
        constants = {
            name: float(values[k] if rival is None else values[rival] - values[k])
            for name, values in parts.constants.items()
        }
        told = Explanation(
            row=row,
            name=self.row_names.said(row),
            cluster=k,
            rival=rival,
            cluster_names=tuple(self.cluster_names),
            feature_names=tuple(self.feature_names),
            values=x * self._deviation + self._mean,
            centers=np.asarray(self.model.cluster_centers_) * self._deviation + self._mean,
            contributions=gaps,
            constants=constants,
            difference=fsum([*gaps, *constants.values()]),
            offsets=parts.features[k],
            memberships=memberships,
            predicted=predicted,
            typicalities=self._of_row("typicalities_", "predict_typicality", row, one),
            masses=self._masses(row, one),
            is_outlier=bool(self._of_row("outlier_mask_", "outlier_mask", row, one) or False),
            neighbors=tuple(self._neighbors(row, x, n_neighbors)),
        )
        told = replace(told, sentence=words.sentence(told))
        return replace(told, remarks=tuple(words.remarks(told, self.model, self.row_names)))

    def _checked(self, row: Any) -> int:
        if not isinstance(row, Integral) or not 0 <= int(row) < self.n:
            raise ValueError(f"row={row!r} is not in the data; rows go from 0 to {self.n - 1}.")
        return int(row)

    def _compared(
        self, memberships: np.ndarray, parts: Parts, clusters: Sequence[Any] | None
    ) -> tuple[int, int | None]:
        """Return the two clusters to compare: those asked for, or the two likeliest.

        Of clusters with equal memberships, as in a hard partition, the nearer one comes first.
        """
        if clusters is not None:
            if isinstance(clusters, str) or len(clusters) != 2:
                raise ValueError(f"clusters={clusters!r} does not fit; a pair such as (0, 1) would.")
            k, rival = (self._cluster(one) for one in clusters)
            if k == rival:
                raise ValueError(f"clusters={clusters!r} is one cluster twice; two clusters would fit.")
            return k, rival
        distances = parts.features.sum(axis=1) + sum(parts.constants.values())
        order = np.lexsort((distances, -memberships))
        return int(order[0]), int(order[1]) if len(order) > 1 else None

    def _cluster(self, asked: Any) -> int:
        """Return the number of a cluster that is asked for by its name or its number."""
        if str(asked) in self.cluster_names:
            return self.cluster_names.index(str(asked))
        if isinstance(asked, Integral) and 0 <= int(asked) < len(self.cluster_names):
            return int(asked)
        raise ValueError(f"There is no cluster {asked!r}; there are {', '.join(self.cluster_names)}.")

    def _parts(self, x: np.ndarray) -> Parts:
        """Return the parts of the row's distances, or refuse a model without exact parts."""
        parts = distance_parts(self.model, x)
        if parts is not None:
            return parts
        name, asked = type(self.model).__name__, self.model.get_params()
        shape = next((f"{key}={asked[key]!r}" for key in ("geometry", "metric") if key in asked), "")
        reason = (
            f"with {shape}, squared distances are no sums over features"
            if shape
            else "its classes follow from labelled rows, not from centres"
        )
        raise ValueError(f"{name} has no exact parts by feature: {reason}.")

    def _of_row(self, attribute: str, method: str, row: int, one: Any) -> Any:
        """Return what the fit, or a prediction, says of the row; None if the model does not say it."""
        if self.of_fit and hasattr(self.model, attribute):
            return np.asarray(getattr(self.model, attribute)[row])
        if hasattr(self.model, method):
            return np.asarray(getattr(self.model, method)(one))[0]
        return None

    def _masses(self, row: int, one: Any) -> tuple[SetMass, ...] | None:
        masses = self._of_row("masses_", "predict_mass", row, one)
        if masses is None:
            return None
        sets = self.model.focal_sets_
        spoken = set_names(self.cluster_names, sets)
        return tuple(
            SetMass(tuple(np.flatnonzero(sets[j]).tolist()), spoken[j], float(masses[j]))
            for j in np.argsort(-masses, kind="stable")
        )

    def _neighbors(self, row: int, x: np.ndarray, count: int) -> Iterator[Neighbor]:
        """Yield the nearest labelled rows, without the row itself."""
        if self.labels is None:
            return
        others = self.labels.rows != row
        rows, degrees = self.labels.rows[others], self.labels.degrees[others]
        gaps = as_array(some_rows(self.X, rows)) - x
        size = np.abs(gaps).max(initial=0.0) or 1.0  # no square overflows
        distances = size * np.sqrt(((gaps / size) ** 2).sum(axis=1))
        for i in np.argsort(distances, kind="stable")[:count]:
            told = np.flatnonzero(degrees[i] == np.nanmax(degrees[i]))
            label = " or ".join(str(self.labels.classes[k]) for k in told)
            near = int(rows[i])
            yield Neighbor(near, label, float(distances[i]), self.row_names.said(near))
