"""scikit-learn: constraints of parameters, the context of a fit, and that of its callbacks."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import wraps
from typing import Any

from sklearn import config_context, get_config
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
    "checks_parameters",
    "managed_callbacks",
    "set_callbacks",
    "validate_parameter_constraints",
]


def checks_parameters(fit: Callable[..., Any]) -> Callable[..., Any]:
    """Decorate a `fit` that checks the parameters first, and then no more in the estimators inside it.

    scikit-learn's own decorator loads its callbacks and their progress bars too, for 40 ms of a first fit.
    """

    @wraps(fit)
    def checked(estimator: Any, *args: Any, **kwargs: Any) -> Any:
        if not get_config()["skip_parameter_validation"]:
            estimator._validate_params()
        with config_context(skip_parameter_validation=True):
            return fit(estimator, *args, **kwargs)

    return checked


def check_parameters(estimator: Any, *names: str) -> None:
    """Raise an error if one of these parameters of an estimator is not among the values that it takes."""
    values = {name: getattr(estimator, name) for name in names}
    rules = {name: estimator._parameter_constraints[name] for name in names}
    validate_parameter_constraints(rules, values, type(estimator).__name__)


def set_callbacks(estimator: Any, *callbacks: Any) -> Any:
    """Set callbacks on an estimator and return it; raise an error where scikit-learn has none."""
    try:
        from sklearn.callback import CallbackSupportMixin
    except ImportError:
        import sklearn

        raise ImportError(
            f"set_callbacks needs scikit-learn 1.9 or newer; this is {sklearn.__version__}. "
            "verbose=1 tells of each iteration in every version."
        ) from None
    return CallbackSupportMixin.set_callbacks(estimator, *callbacks)


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
