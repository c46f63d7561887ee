"""How everything in this folder is compiled."""

from typing import Any

import numba

TILE = 128  # rows a tile: p x 128 numbers fit the first-level cache for the usual p
# Of more features these at a time: columns of a tile lie a power of two apart, and more of them would
# drive each other out of that cache.
FEATURES = 16

# Nothing is allocated in here, so that no reference need be counted: counting those of the row views
# of each tile, atomically, took a tenth of a pass over sixteen features and a fifth over two.
_COMMON: dict[str, Any] = {"nogil": True, "error_model": "numpy", "_nrt": False}

# Sums may be reordered and contracted, which lets them vectorise; but infinities and NaN keep their
# meaning, so "fast" is not used whole.
_FAST = {"contract", "reassoc", "arcp", "nsz"}
compiled = numba.njit(**_COMMON, fastmath=_FAST)

# What Python calls; the rest is compiled into it.  Looking for a cache costs a millisecond a function.
compiled_pass = numba.njit(**_COMMON, fastmath=_FAST, cache=True)

# For arithmetic whose order is its accuracy.
compiled_exact = numba.njit(**_COMMON, fastmath={"contract"})
