"""Decorators that compile the functions of this folder."""

from typing import Any

import numba

from softclust.compat.numba import cached_on_disk, without_entry
from softclust.kernels.tiers import source_digest

# Do not count references: nothing is allocated here.  Counting the references of each tile's row views,
# atomically, took a tenth of a pass over sixteen features and a fifth over two.
# Inline everything.  Each cached pass would otherwise carry its own optimised copy of a shared function;
# the process uses whichever copy it loads or compiles first, and the last bits would depend on that order.
_COMMON: dict[str, Any] = {"nogil": True, "error_model": "numpy", "_nrt": False, "forceinline": True}

# A product and a sum may become one operation.  Sums keep their order and quotients stay quotients, or the
# last bits would depend on the processor.  (`sums.py` has sums that are fast all the same.)
_FAST = {"contract", "nsz"}


def compiled(function):
    """Compile a function that only compiled functions call."""
    return without_entry(numba.njit(**_COMMON, fastmath=_FAST)(function))


def compiled_exact(function):
    """Compile the same for arithmetic whose accuracy depends on the order of its operations."""
    return without_entry(numba.njit(**_COMMON, fastmath={"contract"})(function))


def compiled_pass(*takes: str):
    """Compile a function that Python calls, or load it from disk in a millisecond.

    The compiled code contains all functions that it calls.  `takes` has a word for each argument; from
    these `native/build.py` compiles the pass ahead of time, and `native/call.c` explains them.
    """

    def decorate(function):
        dispatcher = cached_on_disk(
            numba.njit(**_COMMON, fastmath=_FAST)(function), function, source_digest()
        )
        dispatcher.takes = " ".join(takes).split()
        return dispatcher

    return decorate
