"""Where the rows are: sources that fold a function over blocks of rows in a fixed order.

A source has `reduce(f, *args)`: the sum of f(block, *args) over the blocks, added along a fixed tree,
so that the result does not depend on who computed which block, nor when; `rowwise(reader, name, state)`:
what a method says of each row; `sample(size, rng)`: a smaller source; and `in_memory()`: one in memory.
"""

from __future__ import annotations

import sys

from softclust.compat.dask import meta_of
from softclust.sources.local import LocalSource, n_threads, single_threaded_blas


def is_remote(X):
    """Whether X is a dask collection, or stands for one; nobody has one who has not loaded dask."""
    if "dask" not in sys.modules:
        return False
    from dask.base import is_dask_collection

    return hasattr(type(X), "stands_for_rows") or is_dask_collection(X)


def remote_rows(X):
    """What stands for the rows of a dask collection."""
    from softclust.sources.remote import RemoteRows

    return RemoteRows(X)


def source_of(rows, threads):
    """The rows as a source, wherever they are."""
    if not is_remote(rows.X):
        return LocalSource(rows, threads)
    from softclust.sources.dask import DaskSource

    return DaskSource(rows, threads)


__all__ = [
    "LocalSource",
    "is_remote",
    "meta_of",
    "n_threads",
    "remote_rows",
    "single_threaded_blas",
    "source_of",
]
