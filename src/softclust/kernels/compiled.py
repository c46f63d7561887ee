"""Decorators that compile the functions of this folder."""

from typing import Any

import numba

from softclust.compat.numba import cached_on_disk

TILE = 128  # rows in a tile: p x 128 numbers fit the first-level cache for the usual p
# Wider rows are handled this many features at a time: the columns of a tile lie a power of two apart, and
# more of them would drive each other out of that cache.
FEATURES = 16

# Do not count references: nothing is allocated here.  Counting the references of each tile's row views,
# atomically, took a tenth of a pass over sixteen features and a fifth over two.
# Inline everything.  Each cached pass would otherwise carry its own optimised copy of a shared function;
# the process uses whichever copy it loads or compiles first, and the last bits would depend on that order.
_COMMON: dict[str, Any] = {"nogil": True, "error_model": "numpy", "_nrt": False, "forceinline": True}

# Sums may be reordered and contracted, which lets them vectorise.  But infinities and NaN must keep their
# meaning, so not all of "fast" is used.
_FAST = {"contract", "reassoc", "arcp", "nsz"}
compiled = numba.njit(**_COMMON, fastmath=_FAST)


def compiled_pass(function):
    """Compile a function that Python calls, or load it from disk in a millisecond.

    The compiled code contains all functions that it calls.
    """
    return cached_on_disk(compiled(function), function)


# For arithmetic whose accuracy depends on the order of its operations.
compiled_exact = numba.njit(**_COMMON, fastmath={"contract"})
