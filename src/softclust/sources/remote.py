"""What stands for the rows of a dask collection, which are read where they are.

Nothing is scattered, for scattered data is lost with its worker: rows are read by tasks, which can be
run again, and centres travel as arguments of tasks.  A task costs a millisecond or more, so blocks are
put together into a few shards a thread, and held in memory where they fit.
"""

from __future__ import annotations

import os
import time
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
    Unread,
    itself,
    join,
    look,
    pick,
    read_shard,
    serve,
)

_SHARDS_A_THREAD = 4  # at most: they even out what threads take,


_SHARD_BYTES = 2**27  # but a smaller one takes little longer than the task that it is,


_LEAST_SHARD = 2**24  # and a still smaller one is swept before the next task has been sent


_MOST_BLOCKS = 1024  # whose statistics come back from a pass; more are put together, and so are


_LEAST_BLOCK = 2**24  # bytes: smaller ones


_RETRIES = 3


_FIRST_PAUSE = 0.2  # s, before a failed pass is tried again; doubled each time


_SHARE_OF_MEMORY = 0.4  # that rows may take


# What a pass may fail of that another try may mend; by name, for `distributed` need not be installed.
_LOSSES = {
    "KilledWorker",
    "CancelledError",
    "FutureCancelledError",
    "CommClosedError",
    "TimeoutError",
    "BrokenProcessPool",
}


def _as_array(collection):
    """The collection as a dask array of rows, or a sentence saying what would fit."""
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


def _of_numbers(frame):
    """The frame with columns of one floating type, where all of them are numbers of some kind."""
    from pandas.api.types import is_numeric_dtype

    kinds = list(frame.dtypes) if frame.ndim == 2 else []
    if len(set(kinds)) == 1 and isinstance(kinds[0], np.dtype):
        return frame
    return frame.astype("float64") if kinds and all(map(is_numeric_dtype, kinds)) else frame


class RemoteRows:
    """Stands for rows that are elsewhere as an array would; some come when asked for by position."""

    stands_for_rows = True

    def __init__(self, collection):
        X = _as_array(collection)
        self.collection = collection
        self.given = X.rechunk({1: -1}) if len(X.chunks[1]) > 1 else X
        self.array = _merged(self.given)
        self.dtype = X.dtype if X.dtype in (np.float32, np.float64) else np.dtype("f8")
        self.n_features = X.shape[1]
        self.n_blocks = self.array.numblocks[0]
        self.checkpoint = None  # where the fit is kept, for those who lose data
        self._forget()

    # ------------------------------------------------------------------ as an array has it
    @cached_property
    def survey(self):
        """One look at all rows; entries that are no numbers are refused."""
        whole = fold(self.each(look, [()] * self.n_blocks))
        if sum(whole.lengths) == 0:
            found = f"Found array with 0 sample(s) (shape=(0, {self.n_features}))"
            raise ValueError(f"{found} while a minimum of 1 is required.")
        if whole.wrong is not None:
            i, j, value = whole.wrong
            kind = "NaN" if np.isnan(value) else "infinity"
            raise ValueError(f"Input X contains {kind}: row {i}, feature {j}.")
        return whole

    @cached_property
    def edges(self):
        """Position of the first row of each block, and the end."""
        return np.concatenate(([0], np.cumsum(self.survey.lengths)))

    @property
    def given_lengths(self):
        """Rows of each block as it was given, NaN where nobody has counted them."""
        if self.given is self.array and "survey" in vars(self):
            return self.survey.lengths
        return self.given.chunks[0]

    def __len__(self):
        return int(self.edges[-1])

    @property
    def shape(self):
        return len(self), self.n_features

    @property
    def column_range(self):
        return self.survey.low, self.survey.high

    @property
    def of_each(self):
        """A detail for each block that has rows."""
        return [() if length else None for length in self.survey.lengths]

    def __getitem__(self, which):
        """The rows at a slice or at positions, brought here."""
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
    def each(self, f, details, *common, weight=None):
        """f(block, its weights, its detail, *common) for each block that has a detail, in order.

        A pass in which rows were lost is made again from what they are read from.
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

    def _forget(self):
        """Rows are to be read anew."""
        self._shards: list[Any] | None = None
        self._weighed: tuple[Any, Any] = (None, None)
        self._crew: tuple[Any, Any] | None = None  # the weights that it knows, and the crew

    def _loss(self, error):
        kept = f" What was found is in {self.checkpoint}." if self.checkpoint else ""
        return (
            f"Rows of {self.given.numblocks[0]} blocks could not be read in {_RETRIES + 1} tries; the last "
            f"ended with {type(error).__name__}: {error}.{kept}"
        )

    def _each(self, f, details, common, weight):
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

    def _hire(self, client, weights):
        """Those who hold the shards, for the second pass over all rows and those that follow."""
        from softclust.sources.crew import Crew  # loads `distributed`, which is there: a client is

        return Crew(client, self._shards, weights)

    def _served(self, client, work):
        """What each task gives."""
        if client is None:
            return dask.compute(*[dask.delayed(serve, pure=False)(*arguments) for arguments in work])
        if any(isinstance(shard, Delayed) for *_, shard, _ in work):  # made of what other tasks give
            futures = client.compute([dask.delayed(serve, pure=False)(*arguments) for arguments in work])
        else:
            futures = client.map(serve, *zip(*work, strict=True), pure=False)
        self._last = futures  # those before are given up with this message, not with one that delays it
        return client.gather(futures)

    @cached_property
    def ranges(self):
        """First and last block of each shard."""
        count = self.n_blocks
        if self.is_held:
            threads = _threads()
            a_thread = min(max(int(self.size / (threads * _SHARD_BYTES)), 1), _SHARDS_A_THREAD)
            count = min(count, a_thread * threads, max(self.size // _LEAST_SHARD, 1))
        cuts = np.linspace(0, self.n_blocks, count + 1).astype(int)
        return list(zip(cuts[:-1].tolist(), cuts[1:].tolist(), strict=True))

    @cached_property
    def size(self):
        """Bytes of the rows; of a dataframe one has to look."""
        lengths = np.array(self.array.chunks[0], dtype=float)
        if np.isnan(lengths).any():
            blocks = self.array.to_delayed().ravel()
            lengths = np.array(dask.compute(*[dask.delayed(len)(block) for block in blocks]))
        return int(lengths.sum()) * self.n_features * self.dtype.itemsize

    @cached_property
    def is_held(self):
        """Whether the rows stay in memory between passes: where they fit, and somebody can hold them."""
        return _can_hold() and self.size <= _SHARE_OF_MEMORY * _memory()

    def _divide(self):
        """The shards: held in memory, or to be read in each pass."""
        blocks = self._blocks
        if not isinstance(blocks[0], Unread):
            shards = [dask.delayed(join, pure=False)(*blocks[a:b]) for a, b in self.ranges]
        else:
            shards = [Shard(blocks[a:b]) for a, b in self.ranges]
            if self.is_held:
                shards = [dask.delayed(read_shard, pure=False)(shard, self.dtype) for shard in shards]
        return _held(shards) if self.is_held else shards

    @cached_property
    def _blocks(self):
        """Each block to be read by itself; tasks of dask where blocks share what they are made of."""
        graph = dict(self.array.__dask_graph__())
        keys = [key[0] for key in self.array.__dask_keys__()]
        parts = [cull(graph, [key])[0] for key in keys]
        shared = sum(map(len, parts)) > 2 * len(graph)
        if shared or any(type(value).__name__ == "Future" for part in parts for value in part.values()):
            return list(self.array.to_delayed().ravel())
        return [Unread(*block) for block in zip(parts, keys, self._names, strict=True)]

    @property
    def _names(self):
        """What each block is to those who gave them: one of theirs, or several that were put together."""
        if self.array is self.given:
            return [f"block {k}" for k in range(self.n_blocks)]
        ends = np.searchsorted(np.cumsum(self.given.chunks[0]), np.cumsum(self.array.chunks[0])) + 1
        firsts = [0, *ends[:-1].tolist()]
        return [
            f"block {first}" if last == first else f"one of blocks {first} to {last}"
            for first, last in zip(firsts, (ends - 1).tolist(), strict=True)
        ]

    def weights(self, weight):
        """Parts of `weight` where the shards are; made of tasks, so that none is lost."""
        if self._weighed[0] is not weight:
            self._weighed = weight, self._placed(weight)
        return self._weighed[1]

    def _placed(self, weight):
        blocks = [weight[a:b] for a, b in zip(self.edges, self.edges[1:], strict=False)]
        parts = [Shard(blocks[i:j]) for i, j in self.ranges]
        if not _can_hold():
            return parts
        return _held([dask.delayed(itself, pure=False)(part) for part in parts])


def _held(tasks):
    """Their results, held where they are made."""
    client = current_client()
    return list(dask.persist(*tasks)) if client is None else client.compute(tasks)


def _merged(X):
    """The array with small neighbours as one block, and with no more blocks than can come back."""
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


def _threads():
    client = current_client()
    return sum(client.nthreads().values()) if client is not None else n_threads(None)


def _can_hold():
    """A pool of processes brings results back to this one: rows must not be among them."""
    scheduler = get_scheduler()
    return (
        current_client() is not None or scheduler is None or "multiprocessing" not in scheduler.__module__
    )


def _memory():
    client = current_client()
    if client is None:
        return _here()
    workers = client.scheduler_info(n_workers=-1)["workers"].values()
    return sum(worker["memory_limit"] or _here() / len(workers) for worker in workers)


def _here():
    """Bytes of memory that this machine has."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
