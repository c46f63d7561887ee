"""Prepare arrays for the compiled passes, and keep each thread's buffers for a tile."""

import threading

import numpy as np

from softclust.kernels.codes import TILE

_local = threading.local()


def read_only(array, dtype):
    """Return a contiguous, read-only view of the array.

    All arrays that stay from pass to pass are such views, so a pass has one compiled signature per type.
    """
    if array.dtype == dtype and array.flags.c_contiguous and not array.flags.writeable:
        return array
    view = np.ascontiguousarray(array, dtype).view()
    view.flags.writeable = False
    return view


def plain(array, dtype):
    """Return the array if it is contiguous and writable, else a copy that is.

    Arrays that an iteration makes are so already; another view of them would take longer than this check.
    """
    return array if array.flags.carray and array.dtype == dtype else np.array(array, dtype, order="C")


def workspace(dtype, features, clusters):
    """Return the calling thread's buffers, which are kept until the thread asks for another shape.

    In this order: two tiles of rows (xt, z), distances (d), three tiles of memberships (w, other, spare),
    four numbers for each row of a tile (rows), and a tile of rows in doubles (weighed).
    """
    key = (dtype, features, clusters)
    if getattr(_local, "key", None) != key:
        _local.key = key
        _local.buffers = (
            *(np.empty((features, TILE), dtype) for _ in range(2)),
            *(np.empty((clusters, TILE), dtype) for _ in range(4)),
            np.empty((4, TILE), dtype),
            np.empty((features, TILE)),
        )
    return _local.buffers
