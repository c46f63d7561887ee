"""How everything in this folder is compiled."""

from typing import Any

import numba
from numba.core.caching import FunctionCache

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


class _Kept(FunctionCache):
    """Code on disk.  Numba would first learn all that it can compile, which is a tenth of a first fit."""

    def load_overload(self, sig, target_context):
        with self._guard_against_spurious_io_errors():
            return self._load_overload(sig, target_context)


def compiled_pass(function):
    """What Python calls; the rest is compiled into it.  Looking for code on disk takes a millisecond."""
    dispatcher = compiled(function)
    dispatcher._cache = _Kept(function)  # as cache=True does with Numba's own
    return dispatcher


# For arithmetic whose order is its accuracy.
compiled_exact = numba.njit(**_COMMON, fastmath={"contract"})
