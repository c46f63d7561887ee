"""How everything in this folder is compiled."""

from typing import Any

import numba

from softclust.compat.numba import cached_on_disk

TILE = 128  # rows a tile: p x 128 numbers fit the first-level cache for the usual p
# Of more features these at a time: columns of a tile lie a power of two apart, and more of them would
# drive each other out of that cache.
FEATURES = 16

# Nothing is allocated in here, so that no reference need be counted: counting those of the row views
# of each tile, atomically, took a tenth of a pass over sixteen features and a fifth over two.
# And all is compiled into its caller: of a function that is left outside, each pass on disk has a copy,
# optimised with it, and the first one that is loaded, or compiled, would serve all: with other last bits.
_COMMON: dict[str, Any] = {"nogil": True, "error_model": "numpy", "_nrt": False, "forceinline": True}

# Sums may be reordered and contracted, which lets them vectorise; but infinities and NaN keep their
# meaning, so "fast" is not used whole.
_FAST = {"contract", "reassoc", "arcp", "nsz"}
compiled = numba.njit(**_COMMON, fastmath=_FAST)


def compiled_pass(function):
    """Compile a function that Python calls, with all that it calls, or load it from disk in a millisecond."""
    return cached_on_disk(compiled(function), function)


# For arithmetic whose order is its accuracy.
compiled_exact = numba.njit(**_COMMON, fastmath={"contract"})
