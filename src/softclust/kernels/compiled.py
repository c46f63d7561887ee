"""How everything in this folder is compiled."""

from typing import Any

import numba
from llvmlite.binding import Linkage
from numba.core.caching import FunctionCache
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler

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


class _Whole(JITCodeLibrary):
    """A pass with all that it calls, which it shares with no other.

    Numba lets the passes share what they call: each has a copy, optimised with it, and the first that is
    compiled, or loaded, serves all, so that the last bits depend on what a process has done before.
    """

    def _optimize_final_module(self):
        for function in self._final_module.functions:
            if function.linkage == Linkage.linkonce_odr:
                function.linkage = Linkage.internal
        super()._optimize_final_module()


class _AsAWhole(Compiler):
    def __init__(self, typing_context, target_context, library, *others):
        if library is None:
            library = _Whole(target_context.codegen(), "pass")
            library.enable_object_caching()
        super().__init__(typing_context, target_context, library, *others)


class _Kept(FunctionCache):
    """Code on disk.  Numba would first learn all that it can compile, which is a tenth of a first fit."""

    def load_overload(self, sig, target_context):
        with self._guard_against_spurious_io_errors():
            return self._load_overload(sig, target_context)


def compiled_pass(function):
    """What Python calls; the rest is compiled into it.  Looking for code on disk takes a millisecond."""
    dispatcher = numba.njit(**_COMMON, fastmath=_FAST, pipeline_class=_AsAWhole)(function)
    dispatcher._cache = _Kept(function)  # as cache=True does with Numba's own
    return dispatcher


# For arithmetic whose order is its accuracy.
compiled_exact = numba.njit(**_COMMON, fastmath={"contract"})
