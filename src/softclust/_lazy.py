"""Loading modules and compiled code in less time: it is a good part of the first fit in a process.

It makes hundreds of thousands of objects that stay: each full search for garbage walks all of them again,
which took a quarter of a second.  And scikit-learn's base loads `scipy.stats` for one function that few
ever call, which took half a second more.
"""

import gc
import sys
from contextlib import contextmanager
from functools import cache
from importlib import import_module

from softclust.compat.scipy_stats import postponed


@contextmanager
def collector_paused():
    """No automatic garbage collection inside; as before afterwards."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


@cache
def kernels(name):
    """A module of compiled functions: Numba is loaded when the first of them is asked for."""
    with collector_paused():
        return import_module(f"softclust.kernels.{name}")


def paused_at_first(kernel):
    """The kernel, called with the collector paused whenever it is first loaded for a type of rows."""
    loaded = set()

    def call(X, *arguments):
        if X.dtype in loaded:
            return kernel(X, *arguments)
        with collector_paused():
            result = kernel(X, *arguments)
        loaded.add(X.dtype)
        return result

    return call


def loaded_when_asked(package, homes):
    """`__getattr__` and `__dir__` of a package whose names come with the first use of their modules.

    `homes` tells in which module of the package each name lives.
    """
    own = vars(sys.modules[package])

    def attribute(name):
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        with collector_paused(), postponed("scipy.stats"):
            module = import_module(f"{package}.{homes[name]}")
        own.update({n: getattr(module, n) for n, home in homes.items() if home == homes[name]})
        return own[name]

    return attribute, lambda: sorted({*own, *homes})
