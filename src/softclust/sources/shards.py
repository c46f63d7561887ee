"""Shards, which are consecutive blocks of remote rows, and the functions that tasks call on them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from socket import gethostname
from typing import Any

import dask
import numpy as np

from softclust import __version__
from softclust.kernels.tiers import source_digest
from softclust.sources.columns import column_range


class Unread:
    """A block that is read within the task that uses it, so that nobody else holds it."""

    def __init__(self, graph: Any, key: Any, name: str) -> None:
        self.graph, self.key, self.name = graph, key, name

    def read(self) -> Any:
        """Return the rows of the block; an OSError names the block."""
        try:
            return dask.get(self.graph, self.key)
        except OSError as error:
            raise OSError(f"{self.name}: {error}") from error


class Shard:
    """Some consecutive blocks, or a value for each of them.

    A shard is neither a list nor a dataclass, because dask looks for tasks inside lists and dataclasses.
    """

    def __init__(self, blocks: Sequence[Any]) -> None:
        self.blocks = blocks


class Call:
    """A function to be called on each block of a shard that has a detail.

    A worker refuses the call of a client whose compiled passes are of other sources: sums of two versions
    would be added as if they were of one.
    """

    def __init__(self, f: Callable[..., Any], common: tuple[Any, ...], dtype: np.dtype[Any]) -> None:
        self.f, self.common, self.dtype, self.code = f, common, dtype, source_digest()

    def __call__(self, details: Shard, shard: Shard, weights: Any) -> list[Any]:
        """Return f(rows, weights, detail, *common) for each block of the shard that has a detail.

        `weights` is a `Shard` of arrays, or None.
        """
        if self.code != source_digest():
            raise ValueError(
                f"The worker on {gethostname()} has softclust {__version__} with other compiled passes "
                "than the client; install one version on the client and on all workers."
            )
        weights = [None] * len(details.blocks) if weights is None else weights.blocks
        return [
            self.f(matrix(block, self.dtype), weight, detail, *self.common)
            for block, weight, detail in zip(shard.blocks, weights, details.blocks, strict=True)
            if detail is not None
        ]


def serve(call: Call, details: Shard, shard: Shard, weights: Shard | None) -> list[Any]:
    """Return the results of a call for one shard: the function of a task."""
    return call(details, shard, weights)


def matrix(block: Any, dtype: np.dtype[Any]) -> np.ndarray:
    """Return the rows of a block as a contiguous array of this type; read the block first if necessary."""
    array = block.read() if isinstance(block, Unread) else block
    if hasattr(array, "toarray"):
        raise TypeError("X has sparse blocks; dense ones would fit: X.map_blocks(lambda x: x.toarray()).")
    return np.ascontiguousarray(np.asarray(array), dtype)


def read_shard(shard: Shard, dtype: np.dtype[Any]) -> Shard:
    """Return the shard with all its blocks read."""
    return Shard([matrix(block, dtype) for block in shard.blocks])


def join(*blocks: Any) -> Shard:
    """Return the blocks as one shard."""
    return Shard(blocks)


@dataclass(frozen=True)
class Survey:
    """Number of rows of each block, range of each feature, and the first entry that is not finite.

    `+` joins the surveys of blocks that follow each other.
    """

    lengths: tuple[int, ...]
    low: np.ndarray
    high: np.ndarray
    wrong: tuple[int, int, float] | None  # row, feature and value

    def __add__(self, other: Survey) -> Survey:
        """Return the survey of these blocks and of the blocks that follow them."""
        wrong = self.wrong
        if wrong is None and other.wrong is not None:
            wrong = (other.wrong[0] + sum(self.lengths), *other.wrong[1:])
        low, high = np.minimum(self.low, other.low), np.maximum(self.high, other.high)
        return Survey(self.lengths + other.lengths, low, high, wrong)


def look(X: np.ndarray, weight: np.ndarray | None, detail: Any) -> Survey:
    """Return the survey of one block."""
    wrong = None
    if not np.isfinite(X).all():
        i, j = (int(k) for k in np.argwhere(~np.isfinite(X))[0])
        wrong = i, j, float(X[i, j])
    low, high = column_range(X)
    return Survey((len(X),), low, high, wrong)


@dataclass(frozen=True)
class Picked:
    """Rows that were picked from blocks; `+` joins them in their order."""

    X: np.ndarray

    def __add__(self, other: Picked) -> Picked:
        return Picked(np.concatenate([self.X, other.X]))


def pick(X: np.ndarray, weight: np.ndarray | None, positions: np.ndarray) -> Picked:
    """Return the rows of a block at these positions."""
    return Picked(X[positions])


def itself(shard: Shard) -> Shard:
    """Return the shard as it is: the function of a task that holds it."""
    return shard
