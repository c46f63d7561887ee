"""Numbers that a user gives, and an error that names what is none."""

from __future__ import annotations

from typing import Any

import numpy as np


def as_floats(values: Any, name: str) -> np.ndarray:
    """Return the values as floats, or raise an error that says what `name` should be."""
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise ValueError(f"{name} should be numbers: {error}.") from None
