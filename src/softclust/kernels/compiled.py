"""How everything in this folder is compiled."""

import numba

TILE = 128  # rows a tile: p x 128 numbers fit the first-level cache for the usual p

# Sums may be reordered and contracted, which lets them vectorise; but infinities and NaN keep their
# meaning, so "fast" is not used whole.
compiled = numba.njit(
    nogil=True,
    cache=True,
    error_model="numpy",
    fastmath={"contract", "reassoc", "arcp", "nsz"},
)

# For arithmetic whose order is its accuracy.
compiled_exact = numba.njit(nogil=True, cache=True, error_model="numpy", fastmath={"contract"})
