"""What estimators are given, checked as scikit-learn checks it: parameters, and rows wherever they are."""

from __future__ import annotations

from functools import cache, lru_cache
from inspect import signature
from math import isfinite
from typing import Any

import numpy as np
from sklearn.utils import check_array
from sklearn.utils._param_validation import validate_parameter_constraints
from sklearn.utils.validation import validate_data

from softclust.sources import is_remote, meta_of, remote_rows
from softclust.sources.files import are_files, is_file, opened

OF_THE_INPUT = ("n_features_in_", "feature_names_in_")
_SIMPLE = (int, float, str)  # which are what they were
_AS_FLOATS: dict[str, Any] = {"dtype": [np.float64, np.float32], "order": "C"}


@cache
def _defaults(cls):
    return {name: parameter.default for name, parameter in signature(cls).parameters.items()}


def check_parameters(estimator):
    """Those that are not as by default, which fit: to check all took a tenth of a small fit."""
    cls = estimator.__class__
    for name, default in _defaults(cls).items():
        value = getattr(estimator, name)
        if value is not default:
            (_check_once if isinstance(value, _SIMPLE) else _check)(cls, name, value)


def _check(cls, name, value):
    validate_parameter_constraints(cls._parameter_constraints, {name: value}, cls.__name__)


_check_once = lru_cache(maxsize=1024, typed=True)(_check)  # keeps what fits, not errors


def rows_of(estimator, X, reset=True):
    """The rows as an array, or as what stands for rows that are elsewhere."""
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
    if reset and _needs_no_change(X):  # what follows would find the same, in a twentieth of a small fit
        estimator.__dict__.pop("feature_names_in_", None)
        estimator.n_features_in_ = X.shape[1]
        return X
    return np.asarray(validate_data(estimator, X, **_AS_FLOATS, reset=reset))


def _needs_no_change(X):
    """Whether X is an array of finite floats, row after row."""
    if type(X) is not np.ndarray or X.dtype not in _AS_FLOATS["dtype"]:
        return False
    if X.ndim != 2 or X.size == 0 or not X.flags.c_contiguous:
        return False
    with np.errstate(over="ignore", invalid="ignore"):  # a sum that has no float is looked at in full
        return isfinite(X.sum())
