"""Loading modules and compiled code without searches for garbage that is not there.

It makes hundreds of thousands of objects that stay: each full search walks all of them again, which
took a quarter of a second of the first fit in a process.
"""

import gc
from contextlib import contextmanager


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
