"""Keep BLAS on the calling thread while softclust's own threads run.

The threads of BLAS wait for more work by spinning: after the first product of a millisecond they take a
core from our threads for a tenth of a second.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from functools import lru_cache
from typing import Any

from threadpoolctl import ThreadpoolController


@lru_cache(maxsize=1)
def _libraries() -> ThreadpoolController:  # finding the libraries takes 5 to 20 milliseconds, once
    return ThreadpoolController().select(user_api="blas")


def one_blas_thread() -> AbstractContextManager[Any]:
    """Return a context in which BLAS starts no threads; of contexts that overlap, the first one counts."""
    return _libraries().limit(limits=1)
