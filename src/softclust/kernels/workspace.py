"""Buffers that a thread reuses for every tile of every block of every pass."""

import threading

import numpy as np

from softclust.kernels.compiled import TILE

_local = threading.local()


def workspace(dtype, features, clusters):
    """The calling thread's buffers: tile of rows, distances, three of memberships, row sums."""
    key = (np.dtype(dtype), features, clusters)
    if getattr(_local, "key", None) != key:
        _local.key = key
        _local.buffers = (
            np.empty((features, TILE), dtype),
            *(np.empty((clusters, TILE), dtype) for _ in range(4)),
            np.empty((4, TILE), dtype),
        )
    return _local.buffers
