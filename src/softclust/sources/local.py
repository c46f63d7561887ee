"""A source for rows in memory or in a memory-mapped file, read by threads."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any

import numpy as np

from softclust.sources.blas import one_blas_thread
from softclust.sources.rows import Rows

if TYPE_CHECKING:
    from softclust.knowledge.labels import Known

_MOST_BLOCKS = 32
_BLOCK_BYTES = 2**20  # least size of a block: handing out a block costs some 20 microseconds
_LEAST_ROWS = 4096
_FEW_FEATURES = 16
SAMPLE_BYTES = 2**28  # most bytes of remote or mapped rows that are brought into memory
SAMPLE_ROWS = 20_000


def n_threads(n_jobs: int | None) -> int:
    """Return the number of threads for scikit-learn's `n_jobs`.

    None means all cores, or OMP_NUM_THREADS if that is set.  joblib sets this variable in its workers, so a
    grid search does not start cores^2 threads.
    """
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if n_jobs is None:
        limit = os.environ.get("OMP_NUM_THREADS", "")
        return min(cores, int(limit)) if limit.isdigit() and int(limit) > 0 else cores
    return max(1, cores + 1 + n_jobs) if n_jobs < 0 else n_jobs


def single_threaded_blas(count: int, features: int) -> AbstractContextManager[Any]:
    """Keep BLAS to one thread, unless the data are too small for its threads to interfere with ours."""
    return one_blas_thread() if count > _LEAST_ROWS or features > _FEW_FEATURES else nullcontext()


@lru_cache(maxsize=4)
def _pool(
    threads: int, process: int
) -> ThreadPoolExecutor:  # a forked process has no threads of its parent
    return ThreadPoolExecutor(threads, thread_name_prefix="softclust")


def fold(parts: list[Any]) -> Any:
    """Sum the parts along a binary tree of fixed shape."""
    while len(parts) > 1:
        pairs = [a + b for a, b in zip(parts[::2], parts[1::2], strict=False)]
        parts = pairs + parts[len(pairs) * 2 :]
    return parts[0]


def _is_mapped(X: Any) -> bool:
    """Tell whether the entries of an array are in a memory-mapped file."""
    while X is not None:
        if isinstance(X, np.memmap):
            return True
        X = getattr(X, "base", None)
    return False


@dataclass(frozen=True)
class LocalSource:
    """The blocks of an array as a source.

    The size of the blocks depends on the shape of the data alone, never on the number of threads.
    """

    rows: Rows
    threads: int = 1
    block_rows: int | None = None

    @property
    def most_sampled(self) -> int:
        """Most rows that a sample may have: all rows if they are in memory, fewer if they are in a file."""
        X = self.rows.X
        return max(SAMPLE_ROWS, SAMPLE_BYTES // (X.shape[1] * X.itemsize)) if _is_mapped(X) else len(X)

    def __len__(self) -> int:
        return len(self.rows)

    def with_known(self, known: Known | None) -> LocalSource:
        """Return the same rows with these labels."""
        return replace(self, rows=replace(self.rows, known=known))

    @cached_property
    def _blocks(self) -> list[tuple[slice | None, Rows]]:
        """(slice, rows) of each block; the linked rows are one more block, which comes first, with None."""
        n, rows = len(self.rows), self.rows.unlinked
        count = min(_MOST_BLOCKS, max(1, self.rows.X.nbytes // _BLOCK_BYTES))
        size = self.block_rows or max(_LEAST_ROWS, -(-n // count))
        slices = [slice(start, min(start + size, n)) for start in range(0, n, size)]
        linked: list[Any] = [] if self.rows.links is None else [(None, self.rows.linked)]
        blocks = linked + [(s, rows.take(s)) for s in slices]
        for _, block in blocks:  # compiled passes take read-only arrays; these are views
            block.X.flags.writeable = False
        return blocks

    def _map(self, work: Callable[[slice | None, Rows], Any]) -> list[Any]:
        """Call work(slice, block) for every block, in any order; return the results in block order."""
        blocks = self._blocks
        threads = min(self.threads, len(blocks)) if len(self.rows) > _LEAST_ROWS else 1
        if threads == 1:  # small data: no time for queues
            return [work(*block) for block in blocks]
        with one_blas_thread():
            return self._shared(work, blocks, threads)

    def _shared(
        self,
        work: Callable[[slice | None, Rows], Any],
        blocks: list[tuple[slice | None, Rows]],
        threads: int,
    ) -> list[Any]:
        """Share the blocks among threads: the next block goes to whoever is free."""
        results: list[Any] = [None] * len(blocks)
        waiting: SimpleQueue[int] = SimpleQueue()
        for place in range(len(blocks)):
            waiting.put(place)

        def serve() -> None:
            """Work on the next block until no block is left."""
            with suppress(Empty):
                while True:
                    place = waiting.get_nowait()
                    results[place] = work(*blocks[place])

        helpers = [_pool(threads - 1, os.getpid()).submit(serve) for _ in range(threads - 1)]
        try:
            serve()
        finally:  # interrupted or failed: helpers finish their present block and take no other
            with suppress(Empty):
                while True:
                    waiting.get_nowait()
            wait(helpers)
        for helper in helpers:
            helper.result()
        return results

    def reduce(self, f: Callable[..., Any], *args: Any) -> Any:
        """Return the sum of f(block, *args) over the blocks, along a fixed tree."""
        if len(self._blocks) == 1:
            return f(self._blocks[0][1], *args)
        return fold(self._map(lambda _, block: f(block, *args)))

    def fill(self, f: Callable[..., Any], arrays: Any, *args: Any) -> None:
        """Call f(block, the block's part of each array, *args) for every block; empty arrays stay empty.

        Every row is in the block of its position.  Linked rows are in one more block, whose results are
        written last.
        """

        def part(s: slice | None, block: Rows) -> Any:
            """Fill the part of a block in place, or return the results of the linked rows."""
            if s is not None:
                f(block, arrays._make(a[s] if len(a) else a for a in arrays), *args)
                return None
            scratch = arrays._make(np.empty_like(a[: len(block)]) for a in arrays)
            f(block, scratch, *args)
            return scratch

        written, links = self._map(part), self.rows.links
        if links is not None:
            for array, values in zip(arrays, written[0], strict=True):
                if len(array):
                    array[links.graph.rows] = values

    def in_memory(self) -> LocalSource:
        """Return this source, which needs no cluster."""
        return self

    def rowwise(self, read: Callable[..., Any], fitted: Any) -> Any:
        """Return the results of `read(fitted, source)` for each row."""
        return read(fitted, self)

    def sample(self, size: int, rng: np.random.Generator) -> LocalSource:
        """Return `size` rows of positive weight, drawn without replacement, in their order.

        If there are no more rows than `size`, return this source itself.
        """
        weight = self.rows.weight
        pool = np.arange(len(self)) if weight is None else np.flatnonzero(weight)
        if size >= len(pool):
            return self
        chosen = np.sort(rng.choice(pool, size, replace=False))
        return LocalSource(self.rows.sampled(chosen), self.threads, self.block_rows)
