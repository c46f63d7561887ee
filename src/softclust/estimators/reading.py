"""Check what estimators are given, as scikit-learn does: parameters, and rows wherever they are."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache, cached_property, lru_cache
from inspect import signature
from math import isfinite
from typing import Any

import numpy as np
from sklearn.utils import check_array
from sklearn.utils.validation import validate_data

from softclust.compat.sklearn import validate_parameter_constraints
from softclust.errors import FeatureScaleWarning, warn
from softclust.grammar.prototypes import Prototypes
from softclust.knowledge.labels import Labels, check_labels
from softclust.knowledge.pairs import NamedPairs, check_pairs
from softclust.knowledge.sample_weight import check_total, check_weight
from softclust.sources import is_remote, meta_of, n_threads, remote_rows, source_of
from softclust.sources.files import are_files, is_file, opened
from softclust.sources.rows import Rows, rows_as_they_are
from softclust.sources.spread import effective_dimension
from softclust.sources.units import units_of

OF_THE_INPUT = ("n_features_in_", "feature_names_in_")
_UNLIKE = 100.0  # times that a feature spreads as widely as another before a warning says so
_ROWS_OF_A_SCALE = 20  # fewer rows tell little of a scale
_LABEL_SHARE, _MOST_LABEL_WEIGHT = 0.1, 20.0  # see `Data.weighing`
_SIMPLE = (int, float, str)  # immutable: a value that was valid once stays valid, so the check is cached
_AS_FLOATS: dict[str, Any] = {"dtype": [np.float64, np.float32], "order": "C"}


@cache
def _defaults(cls: type) -> dict[str, Any]:
    return {name: parameter.default for name, parameter in signature(cls).parameters.items()}


def check_parameters(estimator: Any) -> None:
    """Validate parameters that differ from their defaults; a test validates the defaults.

    Checking all took a tenth of a small fit.
    """
    cls = estimator.__class__
    for name, default in _defaults(cls).items():
        value = getattr(estimator, name)
        if value is not default:
            (_check_once if isinstance(value, _SIMPLE) else _check)(cls, name, value)


def _check(cls: Any, name: str, value: Any) -> None:
    validate_parameter_constraints(cls._parameter_constraints, {name: value}, cls.__name__)


_check_once = lru_cache(maxsize=1024, typed=True)(_check)  # caches values that fit, not errors


@dataclass(frozen=True)
class Data:
    """What a fit was given, checked: rows in their units, labels, pairs, and the number of clusters."""

    source: Any
    labels: Labels | None
    pairs: NamedPairs | None
    n_clusters: int
    geometry: type[Prototypes]  # the class that the parameter `geometry` names
    label_weight: float = 1.0  # how many rows a labelled row stands for

    @cached_property
    def freedom(self) -> float:
        """The number of directions in which rows may differ from a cluster."""
        return self.geometry.freedom(self.source)

    def weighing(self, label_weight: float | str) -> Data:
        """The same with a weight of labelled rows; "auto" is 0.1 n / (c p_eff), within [1, 20].

        A cluster has n / c rows, and its centre is free in p_eff directions.  A labelled row counts for a
        tenth of the rows that fix one direction; that tenth was found by trial.
        """
        if self.labels is None or label_weight == 1:
            return self
        if isinstance(label_weight, str):
            share = self.source.rows.total_weight / (self.n_clusters * effective_dimension(self.source))
            label_weight = min(max(_LABEL_SHARE * share, 1.0), _MOST_LABEL_WEIGHT)
        return replace(self, label_weight=float(label_weight))

    def with_heavier_labels(self, source: Any) -> Any:
        """The rows of a source, in which labelled rows weigh `label_weight` times as much."""
        if self.labels is None or self.label_weight == 1:
            return source
        weight = source.rows.weights.copy()
        weight[self.labels.rows] *= self.label_weight
        return replace(source, rows=replace(source.rows, weight=weight))


def read(
    estimator: Any,
    X: Any,
    y: Any,
    sample_weight: Any,
    must_link: Any,
    cannot_link: Any,
    geometry: type[Prototypes],
    per_class: int = 1,
) -> Data:
    """The arguments of `fit`, checked; labelled classes have `per_class` clusters each."""
    X = rows_of(estimator, X)
    labels, c = check_labels(y, len(X), estimator.n_clusters)
    if labels is not None and per_class > 1:
        labels, c = labels.split(per_class), c * per_class
    weight = check_weight(sample_weight, len(X))
    check_total(weight, X.dtype)
    if len(X) < c:
        raise ValueError(f"n_samples={len(X)} should be >= n_clusters={c}.")
    if geometry.in_data_units:
        rows = rows_as_they_are(X, weight)
    else:
        units, products_fit, contrast = units_of(X, weight)
        rows = Rows(X, units, weight, products_fit)
        if geometry.scales_matter and contrast[-1] > _UNLIKE and len(X) >= _ROWS_OF_A_SCALE:
            _warn_of_scales(estimator, *contrast)
    labels = labels and labels.of_rows_that_weigh(weight)
    pairs = check_pairs(must_link, cannot_link, len(X))
    pairs = pairs and pairs.of_rows_that_weigh(weight)
    data = Data(source_of(rows, n_threads(estimator.n_jobs)), labels, pairs, c, geometry)
    return data.weighing(estimator.label_weight)


def _shown(times: float) -> str:
    return f"{times:,.0f}" if times < 1e9 else f"{times:.0e}"


def _warn_of_scales(estimator: Any, widest: int, least: int, times: float) -> None:
    """Say that distances see only the features that spread widely."""
    names = getattr(estimator, "feature_names_in_", None)
    first, second = (f"feature {j}" if names is None else repr(str(names[j])) for j in (widest, least))
    warn(
        f"{first} spreads {_shown(times)} times as widely as {second}, so distances hardly see the latter. "
        "Standardise the features (sklearn.preprocessing.StandardScaler), or fit with "
        "geometry='mahalanobis', if all of them are to count.",
        FeatureScaleWarning,
    )


@contextmanager
def input_restored(estimator: Any) -> Iterator[None]:
    """Put back what scikit-learn wrote of an input, should it be refused."""
    before = {name: vars(estimator)[name] for name in OF_THE_INPUT if name in vars(estimator)}
    try:
        yield
    except Exception:
        for name in OF_THE_INPUT:
            if name not in before:
                estimator.__dict__.pop(name, None)
        estimator.__dict__.update(before)
        raise


def rows_of(estimator: Any, X: Any, reset: bool = True) -> Any:
    """The rows as an array, or as remote rows."""
    if is_remote(X):
        far = remote_rows(X)
        validate_data(estimator, meta_of(X), skip_check_array=True, reset=reset)
        return far
    if is_file(X):
        X, like = opened(X)
        validate_data(estimator, X[:0] if like is None else like, skip_check_array=True, reset=reset)
        return np.asarray(check_array(X, **_AS_FLOATS, estimator=estimator, input_name="X"))
    if are_files(X):
        raise ValueError(
            f"X is a list of {len(X)} paths; one path, or a dask collection (dask.dataframe.read_parquet "
            "makes one of them), would fit."
        )
    if reset and _needs_no_change(X):  # scikit-learn's check finds the same, in a twentieth of a small fit
        estimator.__dict__.pop("feature_names_in_", None)
        estimator.n_features_in_ = X.shape[1]
        return X
    return np.asarray(validate_data(estimator, X, **_AS_FLOATS, reset=reset))


def _needs_no_change(X: Any) -> bool:
    """Whether X is an array of finite floats, row after row."""
    if type(X) is not np.ndarray or X.dtype not in _AS_FLOATS["dtype"]:
        return False
    if X.ndim != 2 or X.size == 0 or not X.flags.c_contiguous:
        return False
    with np.errstate(over="ignore", invalid="ignore"):  # if the sum overflows, each entry is checked
        return isfinite(X.sum())
