"""Records that are stored as their fields, and functions that keep their last answer."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import wraps
from operator import is_


def locked(array):
    """The array, read-only: as compiled passes take it."""
    array.flags.writeable = False
    return array


@dataclass(frozen=True)
class Value:
    """A record that is stored as its fields; what was computed from them is computed again."""

    def __getstate__(self):
        return {field.name: getattr(self, field.name) for field in fields(self)}


def cache_last(method):
    """A function of a record that keeps its last answer there: passes ask for the same again and again."""
    name = f"_last_{method.__name__}"

    @wraps(method)
    def call(self, *arguments):
        last = self.__dict__.get(name)
        if last is None or not all(map(is_, last[0], arguments)):
            last = self.__dict__[name] = arguments, method(self, *arguments)
        return last[1]

    return call
