"""`RemoteRows`: an object that stands for the rows of a dask collection, which are read where they are.

Nothing is scattered, because scattered data is lost with its worker.  Tasks read the rows and can be run
again; centres travel as arguments of tasks.  A task costs a millisecond or more, so blocks are put together
into a few shards for each thread.  Shards are held in memory if they fit.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import dask
import dask.array as da
import numpy as np
from dask.base import get_scheduler
from dask.delayed import Delayed
from dask.optimization import cull

from softclust.compat.dask import current_client
from softclust.errors import DataLostError
from softclust.sources.local import fold, n_threads
from softclust.sources.shards import (
    Call,
    Shard,
    Survey,
    Unread,
    itself,
    join,
    look,
    pick,
    read_shard,
    serve,
)

_SHARDS_A_THREAD = 4  # at most; several shards even out the time that threads take
_SHARD_BYTES = 2**27  # of each, if a thread has several: a smaller shard takes little longer than its task
_LEAST_SHARD = 2**24  # bytes: a pass over a smaller shard ends before the next task has been sent
_MOST_BLOCKS = 1024  # whose statistics come back from a pass; if there are more, neighbours are merged
_LEAST_BLOCK = 2**24  # bytes: smaller neighbours are merged
_RETRIES = 3
_FIRST_PAUSE = 0.2  # s, before a failed pass is tried again; doubled each time
_SHARE_OF_MEMORY = 0.4  # share that rows may take
# Errors of a pass that another try may mend; by name, because `distributed` need not be installed.
_LOSSES = {
    "KilledWorker",
    "CancelledError",
    "FutureCancelledError",
    "CommClosedError",
    "TimeoutError",
    "BrokenProcessPool",
}


def _as_array(collection: Any) -> Any:
    """Return the collection as a dask array of rows, or raise an error that says what would fit."""
    X = collection
    if not isinstance(X, Delayed) and hasattr(X, "to_dask_array"):  # a Delayed has any attribute
        X = _of_numbers(X).to_dask_array()
    if not isinstance(X, da.Array):
        raise TypeError(f"X is a {type(X).__name__} of dask; a dask array or dataframe would fit.")
    if X.ndim != 2:
        raise ValueError(f"Expected 2D array, got {X.ndim}D array instead: rows and features.")
    if np.isnan(X.shape[1]):
        raise ValueError("Nobody knows how many features X has; X.compute_chunk_sizes() counts them.")
    if X.shape[1] == 0:
        raise ValueError("Found array with 0 feature(s) while a minimum of 1 is required.")
    if X.dtype.kind not in "fiub":
        raise ValueError(f"X has entries of type {X.dtype}; numbers would fit.")
    return X


def _of_numbers(frame: Any) -> Any:
    """Return the frame with columns of one floating type, if all columns are numbers of some kind."""
    from pandas.api.types import is_numeric_dtype

    kinds = list(frame.dtypes) if frame.ndim == 2 else []
    if len(set(kinds)) == 1 and isinstance(kinds[0], np.dtype):
        return frame
    return frame.astype("float64") if kinds and all(map(is_numeric_dtype, kinds)) else frame


class RemoteRows:
    """Remote rows with the interface of an array; rows that are asked for by position are brought here."""

    stands_for_rows = True

    def __init__(self, collection: Any) -> None:
        """Check the collection and merge small blocks; no row is read yet."""
        X = _as_array(collection)
        self.collection = collection
        self.given = X.rechunk({1: -1}) if len(X.chunks[1]) > 1 else X
        self.array = _merged(self.given)
        self.dtype = X.dtype if X.dtype in (np.float32, np.float64) else np.dtype("f8")
        self.n_features = X.shape[1]
        self.n_blocks = self.array.numblocks[0]
        self.checkpoint: Any = None  # path of the fit's checkpoint, for the message if data are lost
        self._forget()

    # ------------------------------------------------------------------ the interface of an array
    @cached_property
    def survey(self) -> Survey:
        """Survey all rows in one pass; refuse NaN and infinities."""
        whole = fold(self.each(look, [()] * self.n_blocks))
        if sum(whole.lengths) == 0:
            found = f"Found array with 0 sample(s) (shape=(0, {self.n_features}))"
            raise ValueError(f"{found} while a minimum of 1 is required.")
        for place, (found, told) in enumerate(zip(whole.lengths, self.array.chunks[0], strict=True)):
            if found != told and not np.isnan(told):
                first = sum(whole.lengths[:place])
                raise ValueError(
                    f"X declares {told} rows from row {first} on, but its blocks hold {found} there; "
                    "X.compute_chunk_sizes() counts them."
                )
        if whole.wrong is not None:
            i, j, value = whole.wrong
            kind = "NaN" if np.isnan(value) else "infinity"
            raise ValueError(f"Input X contains {kind}: row {i}, feature {j}.")
        return whole

    @cached_property
    def edges(self) -> np.ndarray:
        """Position of the first row of each block, and the number of rows."""
        return np.concatenate(([0], np.cumsum(self.survey.lengths)))

    @property
    def given_lengths(self) -> tuple[float, ...]:
        """Number of rows in each block as it was given, NaN if nobody has counted them."""
        if self.given is self.array and "survey" in vars(self):
            return self.survey.lengths
        return self.given.chunks[0]

    def __len__(self) -> int:
        return int(self.edges[-1])

    @property
    def shape(self) -> tuple[int, int]:
        return len(self), self.n_features

    @property
    def column_range(self) -> tuple[np.ndarray, np.ndarray]:
        return self.survey.low, self.survey.high

    @property
    def of_each(self) -> list[tuple[()] | None]:
        """An empty detail for each block that has rows, None for the others."""
        return [() if length else None for length in self.survey.lengths]

    def __getitem__(self, which: slice | np.ndarray | list[int]) -> np.ndarray:
        """Bring the rows at a slice or at positions here."""
        n = len(self)
        positions = np.arange(*which.indices(n)) if isinstance(which, slice) else np.asarray(which)
        order = np.argsort(positions, kind="stable")
        cuts = np.searchsorted(positions[order], self.edges)
        wanted = [
            positions[order[a:b]] - start if b > a else None
            for a, b, start in zip(cuts, cuts[1:], self.edges, strict=False)
        ]
        out = np.empty((len(positions), self.n_features), self.dtype)
        if len(positions):
            out[order] = fold(self.each(pick, wanted)).X
        return out

    # ------------------------------------------------------------------ passes
    def each(
        self, f: Callable[..., Any], details: Sequence[Any], *common: Any, weight: np.ndarray | None = None
    ) -> Any:
        """Return the list of f(block, its weights, its detail, *common) for each block that has a detail.

        A pass in which rows were lost is made again, and reads the rows from their origin.
        """
        for attempt in range(_RETRIES + 1):
            try:
                return self._each(f, details, common, weight)
            except Exception as error:
                if type(error).__name__ not in _LOSSES and not isinstance(error, OSError):
                    raise
                if attempt == _RETRIES:
                    raise DataLostError(self._loss(error)) from error
                time.sleep(_FIRST_PAUSE * 2**attempt)
                self._forget()

    def _forget(self) -> None:
        """Forget shards, weights and crew, so that rows are read anew."""
        self._shards: list[Any] | None = None
        self._weighed: tuple[Any, Any] = (None, None)
        self._crew: tuple[Any, Any] | None = None  # the weights that the crew has, and the crew

    def _loss(self, error: Exception) -> str:
        """Return the message for rows that could not be read."""
        kept = f" What was found is in {self.checkpoint}." if self.checkpoint else ""
        return (
            f"Rows of {self.given.numblocks[0]} blocks could not be read in {_RETRIES + 1} tries; the last "
            f"ended with {type(error).__name__}: {error}.{kept}"
        )

    def _each(
        self,
        f: Callable[..., Any],
        details: Sequence[Any],
        common: tuple[Any, ...],
        weight: np.ndarray | None,
    ) -> list[Any]:
        """Make one pass: by a crew from the second pass over all rows on, otherwise by tasks."""
        if self._shards is None:
            self._shards = self._divide()
        weights = [None] * len(self._shards) if weight is None else self.weights(weight)
        call, work = Call(f, common, self.dtype), []
        for shard, weighs, (first, last) in zip(self._shards, weights, self.ranges, strict=True):
            mine = details[first:last]
            if any(detail is not None for detail in mine):
                work.append((call, Shard(mine), shard, weighs))
        client = current_client()
        if (
            client is not None
            and self.is_held
            and len(work) == len(self._shards)
            and "survey" in vars(self)
        ):
            if self._crew is None or self._crew[0] is not weight:
                self._crew = weight, self._hire(client, weights)
            parts = self._crew[1].serve(call, [mine for _, mine, _, _ in work])
        else:
            parts = self._served(client, work)
        return [result for part in parts for result in part]

    def _hire(self, client: Any, weights: list[Any]) -> Any:
        """Return a crew that holds the shards, for the second pass over all rows and later ones."""
        from softclust.sources.workers import Crew  # loads `distributed`, which a client needs too

        assert self._shards is not None
        return Crew(client, self._shards, weights)

    def _served(self, client: Any, work: list[Any]) -> Any:
        """Run one task for each shard and return the results."""
        if client is None:
            return dask.compute(*[dask.delayed(serve, pure=False)(*arguments) for arguments in work])
        if any(isinstance(shard, Delayed) for *_, shard, _ in work):  # made by other tasks
            futures = client.compute([dask.delayed(serve, pure=False)(*arguments) for arguments in work])
        else:
            futures = client.map(serve, *zip(*work, strict=True), pure=False)
        # The futures of the last pass are released together with this message; a message of their own
        # would delay it.
        self._last = futures
        return client.gather(futures)

    @cached_property
    def ranges(self) -> list[tuple[int, int]]:
        """First block of each shard, and the block after its last one."""
        count = self.n_blocks
        if self.is_held:
            threads = _threads()
            a_thread = min(max(int(self.size / (threads * _SHARD_BYTES)), 1), _SHARDS_A_THREAD)
            count = min(count, a_thread * threads, max(self.size // _LEAST_SHARD, 1))
        cuts = np.linspace(0, self.n_blocks, count + 1).astype(int)
        return list(zip(cuts[:-1].tolist(), cuts[1:].tolist(), strict=True))

    @cached_property
    def size(self) -> int:
        """Size of the rows in bytes; the rows of a dataframe are counted first."""
        lengths = np.array(self.array.chunks[0], dtype=float)
        if np.isnan(lengths).any():
            blocks = self.array.to_delayed().ravel()
            lengths = np.array(dask.compute(*[dask.delayed(len)(block) for block in blocks]))
        return int(lengths.sum()) * self.n_features * self.dtype.itemsize

    @cached_property
    def is_held(self) -> bool:
        """Whether rows stay in memory between passes: they must fit, and the scheduler must hold them."""
        return _can_hold() and self.size <= _SHARE_OF_MEMORY * _memory()

    def _divide(self) -> list[Any]:
        """Make the shards, held in memory or to be read in each pass."""
        blocks = self._blocks
        if not isinstance(blocks[0], Unread):
            shards = [dask.delayed(join, pure=False)(*blocks[a:b]) for a, b in self.ranges]
        else:
            shards = [Shard(blocks[a:b]) for a, b in self.ranges]
            if self.is_held:
                shards = [dask.delayed(read_shard, pure=False)(shard, self.dtype) for shard in shards]
        return _held(shards) if self.is_held else shards

    @cached_property
    def _blocks(self) -> list[Any]:
        """Blocks that are each read alone; tasks of dask if several blocks are made of the same tasks."""
        graph = dict(self.array.__dask_graph__())
        keys = [key[0] for key in self.array.__dask_keys__()]
        parts = [cull(graph, [key])[0] for key in keys]
        shared = sum(map(len, parts)) > 2 * len(graph)
        if shared or any(type(value).__name__ == "Future" for part in parts for value in part.values()):
            return list(self.array.to_delayed().ravel())
        return [Unread(*block) for block in zip(parts, keys, self._names, strict=True)]

    @property
    def _names(self) -> list[str]:
        """Name of each block in messages, by the given blocks: one of them, or several that were merged."""
        if self.array is self.given:
            return [f"block {k}" for k in range(self.n_blocks)]
        ends = np.searchsorted(np.cumsum(self.given.chunks[0]), np.cumsum(self.array.chunks[0])) + 1
        firsts = [0, *ends[:-1].tolist()]
        return [
            f"block {first}" if last == first else f"one of blocks {first} to {last}"
            for first, last in zip(firsts, (ends - 1).tolist(), strict=True)
        ]

    def weights(self, weight: np.ndarray) -> list[Any]:
        """Return the part of `weight` for each shard.  Tasks make the parts, so that no part is lost."""
        if self._weighed[0] is not weight:
            self._weighed = weight, self._placed(weight)
        return self._weighed[1]

    def _placed(self, weight: np.ndarray) -> list[Any]:
        """Cut `weight` into the parts of the shards, and hold the parts if possible."""
        blocks = [weight[a:b] for a, b in zip(self.edges, self.edges[1:], strict=False)]
        parts = [Shard(blocks[i:j]) for i, j in self.ranges]
        if not _can_hold():
            return parts
        return _held([dask.delayed(itself, pure=False)(part) for part in parts])


def _held(tasks: list[Any]) -> list[Any]:
    """Run the tasks and hold their results where they are made."""
    client = current_client()
    return list(dask.persist(*tasks)) if client is None else client.compute(tasks)


def _merged(X: Any) -> Any:
    """Merge small neighbouring blocks of the array, and leave no more blocks than can come back."""
    lengths = X.chunks[0]
    if np.isnan(lengths).any():
        return X
    least = max(_LEAST_BLOCK / (X.shape[1] * X.dtype.itemsize), sum(lengths) / _MOST_BLOCKS)
    merged = [0]
    for length in lengths:
        if merged[-1] >= least:
            merged.append(0)
        merged[-1] += length
    return X if len(merged) == len(lengths) else X.rechunk({0: tuple(merged)})


def _threads() -> int:
    """Return the number of threads of the cluster, or of this machine without a cluster."""
    client = current_client()
    return sum(client.nthreads().values()) if client is not None else n_threads(None)


def _can_hold() -> bool:
    """Tell whether rows can be held by tasks; a pool of processes brings all results to this process."""
    scheduler = get_scheduler()
    return (
        current_client() is not None or scheduler is None or "multiprocessing" not in scheduler.__module__
    )


def _memory() -> float:
    """Return the bytes of memory of the cluster, or of this machine without a cluster."""
    client = current_client()
    if client is None:
        return _here()
    workers = client.scheduler_info(n_workers=-1)["workers"].values()
    return sum(worker["memory_limit"] or _here() / len(workers) for worker in workers)


def _here() -> int:
    """Return the bytes of memory of this machine."""
    if not hasattr(os, "sysconf"):  # Windows
        from psutil import virtual_memory  # distributed needs it, too

        return int(virtual_memory().total)
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
