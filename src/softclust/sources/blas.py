"""BLAS on the thread that calls it, while the threads are ours.

Its own threads wait for more work by spinning: after the first product of a millisecond they take a core
from ours for a tenth of a second.
"""

from __future__ import annotations

from functools import lru_cache

from threadpoolctl import ThreadpoolController


@lru_cache(maxsize=1)
def _libraries():  # looking for them takes 5 to 20 milliseconds, once
    return ThreadpoolController().select(user_api="blas")


def one_blas_thread():
    """A context in which BLAS starts no threads; of several at a time the first one counts."""
    return _libraries().limit(limits=1)
