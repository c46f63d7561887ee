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


def subject(word: str, numbers: np.ndarray) -> str:
    """Return "Cluster 3 is" or "Clusters 0, 1 are", with at most five numbers, to begin a sentence."""
    shown = ", ".join(map(str, numbers[:5].tolist()))
    if len(numbers) > 5:
        shown += f" and {len(numbers) - 5} more"
    return f"{word} {shown} is" if len(numbers) == 1 else f"{word}s {shown} are"
