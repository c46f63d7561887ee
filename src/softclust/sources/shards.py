"""Consecutive blocks of remote rows, and what a task does with them."""

from __future__ import annotations

from dataclasses import dataclass

import dask
import numpy as np

from softclust.sources.columns import column_range


class Unread:
    """A block that is read within the task that uses it, so that nobody else holds it."""

    def __init__(self, graph, key, name):
        self.graph, self.key, self.name = graph, key, name

    def read(self):
        try:
            return dask.get(self.graph, self.key)
        except OSError as error:
            raise OSError(f"{self.name}: {error}") from error


class Shard:
    """Some consecutive blocks, or something of each; neither list nor dataclass, for dask looks for tasks
    inside those.
    """

    def __init__(self, blocks):
        self.blocks = blocks


class Call:
    """What is done with each block of a shard that has a detail."""

    def __init__(self, f, common, dtype):
        self.f, self.common, self.dtype = f, common, dtype

    def __call__(self, details, shard, weights):
        weights = [None] * len(details.blocks) if weights is None else weights.blocks
        return [
            self.f(matrix(block, self.dtype), weight, detail, *self.common)
            for block, weight, detail in zip(shard.blocks, weights, details.blocks, strict=True)
            if detail is not None
        ]


def serve(call, details, shard, weights):
    return call(details, shard, weights)


def matrix(block, dtype):
    array = block.read() if isinstance(block, Unread) else block
    if hasattr(array, "toarray"):
        raise TypeError("X has sparse blocks; dense ones would fit: X.map_blocks(lambda x: x.toarray()).")
    return np.ascontiguousarray(np.asarray(array), dtype)


def read_shard(shard, dtype):
    return Shard([matrix(block, dtype) for block in shard.blocks])


def join(*blocks):
    return Shard(blocks)


@dataclass(frozen=True)
class Survey:
    """Rows of each block, the range of each feature, and the first entry that is no number."""

    lengths: tuple[int, ...]
    low: np.ndarray
    high: np.ndarray
    wrong: tuple[int, int, float] | None

    def __add__(self, other):
        wrong = self.wrong
        if wrong is None and other.wrong is not None:
            wrong = (other.wrong[0] + sum(self.lengths), *other.wrong[1:])
        low, high = np.minimum(self.low, other.low), np.maximum(self.high, other.high)
        return Survey(self.lengths + other.lengths, low, high, wrong)


def look(X, weight, detail):
    wrong = None
    if not np.isfinite(X).all():
        i, j = (int(k) for k in np.argwhere(~np.isfinite(X))[0])
        wrong = i, j, float(X[i, j])
    low, high = column_range(X)
    return Survey((len(X),), low, high, wrong)


@dataclass(frozen=True)
class Picked:
    """Rows; `+` joins them in their order."""

    X: np.ndarray

    def __add__(self, other):
        return Picked(np.concatenate([self.X, other.X]))


def pick(X, weight, positions):
    return Picked(X[positions])


def itself(shard):
    return shard
