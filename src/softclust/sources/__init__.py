"""Sources of rows: a source folds a function over blocks of rows in a fixed order.

Every source has four methods.  `reduce(f, *args)` returns the sum of f(block, *args) over the blocks.  It
adds along a fixed tree, so that the result does not depend on who computed which block, nor when.
`rowwise(read, fitted)` returns what a fitted method says of each row.  `sample(size, rng)` returns a
smaller source, and `in_memory()` a source in memory.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from softclust.compat.dask import meta_of
from softclust.sources.local import LocalSource, n_threads, single_threaded_blas

if TYPE_CHECKING:
    from softclust.sources.dask import DaskSource
    from softclust.sources.remote import RemoteRows
    from softclust.sources.rows import Rows

    Source = LocalSource | DaskSource


def is_remote(X: Any) -> bool:
    """Tell whether X is a dask collection or stands for one; without dask loaded, nobody can have one."""
    if "dask" not in sys.modules:
        return False
    from dask.base import is_dask_collection

    return hasattr(type(X), "stands_for_rows") or is_dask_collection(X)


def remote_rows(X: Any) -> RemoteRows:
    """Return an object that stands for the rows of a dask collection."""
    from softclust.sources.remote import RemoteRows

    return RemoteRows(X)


def source_of(rows: Rows, threads: int) -> Source:
    """Return the source for these rows, in memory or remote."""
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
