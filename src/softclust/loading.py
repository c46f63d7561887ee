"""Loading modules and compiled code without searches for garbage that is not there.

It makes hundreds of thousands of objects that stay: each full search walks all of them again, which
took a quarter of a second of the first fit in a process.
"""

import gc
import sys
from contextlib import contextmanager
from importlib import import_module


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
        with collector_paused():
            module = import_module(f"{package}.{homes[name]}")
        own.update({n: getattr(module, n) for n, home in homes.items() if home == homes[name]})
        return own[name]

    return attribute, lambda: sorted({*own, *homes})
