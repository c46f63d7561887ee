"""Load modules and compiled code late and fast: loading is a good part of the first fit in a process.

Loading makes hundreds of thousands of objects that stay.  Each full garbage collection walks all of them
again, which took a quarter of a second, so the collector is paused meanwhile.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from typing import Any

from softclust.compat.scipy_stats import postponed


@contextmanager
def collector_paused() -> Iterator[None]:
    """Pause automatic garbage collection; afterwards it is as it was before."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


@cache
def kernels(name: str) -> Any:
    """A module of callers of compiled passes; without the native library, the first one loads Numba."""
    with collector_paused():
        return import_module(f"softclust.kernels.{name}")


def loaded_when_asked(package: str, homes: dict[str, str]) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """`__getattr__` and `__dir__` of a package whose names are loaded at their first use.

    `homes` tells in which module of the package each name lives.
    """
    own = vars(sys.modules[package])

    def attribute(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        with collector_paused(), postponed("scipy.stats"):
            module = import_module(f"{package}.{homes[name]}")
        own.update({n: getattr(module, n) for n, home in homes.items() if home == homes[name]})
        return own[name]

    return attribute, lambda: sorted({*own, *homes})
