"""Shift and scale arrays by a power of two, so that squared distances neither overflow nor vanish."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np


def in_units(*arrays: np.ndarray) -> tuple[Any, ...]:
    """Return the arrays, minus the mean of the first and divided by 2^e so that none exceeds 1; and e."""
    arrays, before = _scaled(arrays)
    origin = arrays[0].mean(axis=0)
    arrays, after = _scaled([A - origin for A in arrays])
    return *arrays, before + after


def times_power_of_two(value: float, exponent: int) -> float:
    """Return value 2^exponent; inf if no float is as large."""
    with np.errstate(over="ignore"):
        return float(np.ldexp(value, exponent))


def _scaled(arrays: Sequence[np.ndarray]) -> tuple[Any, int]:
    largest = max(float(np.abs(A).max()) for A in arrays)
    exponent = int(np.frexp(largest)[1])
    return [np.ldexp(A, -exponent) for A in arrays], exponent
