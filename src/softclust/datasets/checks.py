"""Checks of the parameters of loaders and generators.  Each error says what would fit."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from softclust.compat.sklearn import InvalidParameterError


def check_flags(**flags: Any) -> None:
    """Raise unless each flag is True or False."""
    for name, value in flags.items():
        if not isinstance(value, bool | np.bool_):
            raise InvalidParameterError(f"{name}={value!r} is neither True nor False; give one of them.")


def whole_number(name: str, value: Any, least: int, most: int | None = None) -> int:
    """Return the value as an int; raise unless it is a whole number between the bounds."""
    fits = isinstance(value, Integral) and not isinstance(value, bool)
    if not fits or value < least or (most is not None and value > most):
        upwards = f"from {least} to {most}" if most is not None else f"of {least} or more"
        raise InvalidParameterError(f"{name}={value!r} does not fit; give a whole number {upwards}.")
    return int(value)


def positive_share(name: str, value: Any) -> float:
    """Return the value as a float; raise unless it is above 0 and at most 1."""
    if not isinstance(value, Real) or isinstance(value, bool) or not 0 < float(value) <= 1:
        raise InvalidParameterError(f"{name}={value!r} does not fit; give a number above 0, and 1 at most.")
    return float(value)


def generator(random_state: Any) -> np.random.Generator:
    """Return a NumPy Generator, seeded by an int or by a number drawn from a RandomState.

    None stands for NumPy's global RandomState.
    """
    if random_state is None or random_state is np.random or isinstance(random_state, np.random.RandomState):
        return np.random.default_rng(check_random_state(random_state).randint(2**31 - 1))
    fits = isinstance(random_state, Integral) and not isinstance(random_state, bool)
    if not fits or int(random_state) < 0:
        raise InvalidParameterError(
            f"random_state={random_state!r} seeds no draw; give an int of 0 or more, a RandomState or None."
        )
    return np.random.default_rng(int(random_state))
