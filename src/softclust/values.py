"""Records that are stored as their fields, and functions that keep their last answer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import wraps
from operator import is_
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    import numpy as np

    T = TypeVar("T")


def locked(array: np.ndarray) -> np.ndarray:
    """Make the array read-only, as compiled passes take it, and return it."""
    array.flags.writeable = False
    return array


@dataclass(frozen=True)
class Value:
    """A record that is stored as its fields; cached values are computed again from the fields."""

    def __getstate__(self) -> dict[str, Any]:
        return {field.name: getattr(self, field.name) for field in fields(self)}


def cache_last(method: Callable[..., T]) -> Callable[..., T]:
    """Decorate a function of a record so that the record keeps the last answer.

    Passes ask for the same answer again and again.  Arguments are the same if they are identical objects.
    """
    name = f"_last_{method.__name__}"

    @wraps(method)
    def call(self: Any, *arguments: Any) -> T:
        """Return the last answer if the arguments are the same objects; otherwise ask again."""
        last = self.__dict__.get(name)
        if last is None or not all(map(is_, last[0], arguments)):
            last = self.__dict__[name] = arguments, method(self, *arguments)
        return last[1]

    return call
