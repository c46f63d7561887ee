"""scikit-learn: constraints of parameters, the context of a fit, and that of its callbacks."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Any

from sklearn.base import _fit_context as fit_context
from sklearn.utils._param_validation import (
    HasMethods,
    Interval,
    InvalidParameterError,
    Options,
    StrOptions,
    validate_parameter_constraints,
)

__all__ = [
    "HasMethods",
    "Interval",
    "InvalidParameterError",
    "Options",
    "StrOptions",
    "begin_callbacks",
    "callbacks_of",
    "check_parameters",
    "fit_context",
    "managed_callbacks",
    "validate_parameter_constraints",
]


def check_parameters(estimator: Any, *names: str) -> None:
    """Raise an error if one of these parameters of an estimator is not among the values that it takes."""
    values = {name: getattr(estimator, name) for name in names}
    rules = {name: estimator._parameter_constraints[name] for name in names}
    validate_parameter_constraints(rules, values, type(estimator).__name__)


def callbacks_of(estimator: Any) -> list[Any]:
    """The callbacks that were set on an estimator."""
    return getattr(estimator, "_skl_callbacks", None) or []


def begin_callbacks(estimator: Any) -> Any:
    """Set up the callbacks of an estimator and return the root task of its fit."""
    from sklearn.callback import CallbackSupportMixin

    return CallbackSupportMixin._init_callback_context(estimator, max_subtasks=None)


def managed_callbacks(estimator: Any) -> AbstractContextManager[None]:
    """A context that tears the callbacks of an estimator down at its end, whatever happens inside."""
    from sklearn.callback._callback_support import callback_management_context

    return callback_management_context(estimator)
