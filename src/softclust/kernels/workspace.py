"""Arrays as the compiled passes take them: what comes in, and a thread's buffers for every tile."""

import threading

import numpy as np

from softclust.kernels.compiled import TILE

_local = threading.local()


def read_only(array, dtype):
    """A contiguous, read-only view: all that stays from pass to pass has one compiled signature a type."""
    if array.dtype == dtype and array.flags.c_contiguous and not array.flags.writeable:
        return array
    view = np.ascontiguousarray(array, dtype).view()
    view.flags.writeable = False
    return view


def plain(array, dtype):
    """The array, or a copy that is contiguous and may be written on: what a turn of the loop makes is so,
    and another view of it would take longer than a look.
    """
    return array if array.flags.carray and array.dtype == dtype else np.array(array, dtype, order="C")


def workspace(dtype, features, clusters):
    """The calling thread's buffers: two tiles of rows, distances, three of memberships, sums, doubles."""
    key = (dtype, features, clusters)
    if getattr(_local, "key", None) != key:
        _local.key = key
        _local.buffers = (
            *(np.empty((features, TILE), dtype) for _ in range(2)),
            *(np.empty((clusters, TILE), dtype) for _ in range(4)),
            np.empty((4, TILE), dtype),
            np.empty(TILE),
        )
    return _local.buffers
