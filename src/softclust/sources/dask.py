"""A source for the rows of a dask array or dataframe: threads, processes or a cluster read them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from operator import getitem
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import dask
import dask.array as da
import numpy as np
from dask.highlevelgraph import HighLevelGraph

from softclust.sources.local import SAMPLE_BYTES, SAMPLE_ROWS, LocalSource, fold
from softclust.sources.rows import Rows
from softclust.sources.shards import matrix

if TYPE_CHECKING:
    from softclust.knowledge.labels import Known


@dataclass(frozen=True)
class DaskSource:
    """The blocks of a dask collection as a source; `rows.X` is a `RemoteRows`."""

    rows: Rows
    threads: int = 1  # for samples, which are in memory

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def most_sampled(self) -> int:
        """Most rows that a sample may have; a sample is brought into memory."""
        far = self.rows.X
        return max(SAMPLE_ROWS, SAMPLE_BYTES // (far.n_features * far.dtype.itemsize))

    def with_known(self, known: Known | None) -> DaskSource:
        """Return the same rows with these labels."""
        return replace(self, rows=replace(self.rows, known=known))

    @cached_property
    def _linked(self) -> Rows | None:
        return self.rows.linked

    @cached_property
    def _details(self) -> list[Any]:
        return self._details_between(self.rows.X.edges)

    def _details_between(self, edges: np.ndarray) -> list[Any]:
        """Return the details of each block: the labels of its rows, and the positions of its linked rows.

        Either may be None.  Linked rows are in a block of their own instead.  A block without rows has the
        detail None.
        """
        rows = self.rows
        linked = None if rows.links is None else rows.links.graph.rows
        details: list[Any] = []
        for start, stop in pairwise(edges):
            if start == stop:
                details.append(None)
                continue
            known = None if rows.known is None else rows.known.take(slice(start, stop), len(rows))
            left = None if linked is None else linked[(linked >= start) & (linked < stop)] - start
            details.append((known, left if left is not None and len(left) else None))
        return details

    @property
    def _template(self) -> Rows:
        return replace(self.rows, X=None, weight=None, known=None, links=None)

    def reduce(self, f: Callable[..., Any], *args: Any) -> Any:
        """Return the sum of f(block, *args) over the blocks.

        The sum follows the tree that rows in memory have for blocks of these sizes.
        """
        far = self.rows.X
        parts = far.each(_reduce, self._details, self._template, f, args, weight=self.rows.weight)
        if self.rows.links is not None:
            parts = [f(self._linked, *args), *parts]
        return fold(parts)

    def sample(self, size: int, rng: np.random.Generator) -> LocalSource | DaskSource:
        """Return `size` rows of positive weight, drawn without replacement, in their order.

        The sample is brought into memory.  If there are no more rows than `size`, return this source.
        """
        weight = self.rows.weight
        pool = None if weight is None else np.flatnonzero(weight)
        if size >= (len(self) if pool is None else len(pool)):
            return self
        chosen = np.sort(rng.choice(len(self) if pool is None else pool, size, replace=False))
        return LocalSource(self.rows.sampled(chosen), self.threads)

    def in_memory(self) -> LocalSource:
        """Return all rows in memory: for samples, which may be this source itself if it has few rows."""
        return LocalSource(self.rows.sampled(np.arange(len(self))), self.threads)

    def rowwise(self, read: Callable[..., Any], fitted: Any) -> Any:
        """Return the result of `read(fitted, source)` for each row, as dask arrays with the blocks of X."""
        far, plain = self.rows.X, fitted.without_links
        one = replace(self._template, X=np.zeros((1, far.n_features), far.dtype))
        like = read(plain, LocalSource(one))
        shared = dask.delayed(_Reading(read, plain, self._template, far.dtype), traverse=False)
        lengths = far.given_lengths
        details: list[Any]
        patches: list[Any]
        details = patches = [None] * len(lengths)
        if not np.isnan(lengths).any():  # rows that nobody has counted have no labels and pairs
            edges = np.concatenate(([0], np.cumsum(lengths))).astype(int)
            details, patches = self._details_between(edges), self._patches(read, fitted, edges)
        token = uuid4().hex
        told = f"softclust-told-{token}"
        tasks: dict[Any, Any] = {
            (told, k): (_tell, shared.key, (far.given.name, k, 0), _Hidden((detail, patch)))
            for k, (detail, patch) in enumerate(zip(details, patches, strict=True))
        }
        graph = HighLevelGraph.from_collections(told, tasks, dependencies=[far.given, shared])
        if isinstance(like, np.ndarray):
            return _part(graph, told, None, lengths, like)
        return type(like)(*(_part(graph, told, k, lengths, field) for k, field in enumerate(like)))

    def _patches(self, read: Callable[..., Any], fitted: Any, edges: np.ndarray) -> list[Any]:
        """Return for each block the positions of its linked rows and their results, or None.

        The results are found for all linked rows at once.
        """
        if self.rows.links is None or fitted.without_links is fitted:
            return [None] * (len(edges) - 1)
        rows = self.rows.links.graph.rows
        order = np.argsort(rows)
        rows, told = rows[order], read(fitted, LocalSource(self.rows.sampled(rows)))
        told = (told,) if isinstance(told, np.ndarray) else tuple(told)
        cuts = np.searchsorted(rows, edges)
        return [
            (rows[a:b] - start, [values[order[a:b]] if len(values) else values for values in told])
            if b > a
            else None
            for a, b, start in zip(cuts, cuts[1:], edges, strict=False)
        ]


def _reduce(
    X: np.ndarray, weight: np.ndarray | None, detail: Any, template: Rows, f: Callable[..., Any], args: Any
) -> Any:
    """Return f(block, *args) for one block; linked rows get the weight 0."""
    known, left = detail
    if left is not None:
        weight = np.ones(len(X)) if weight is None else weight.copy()
        weight[left] = 0.0
    return f(replace(template, X=X, weight=weight, known=known), *args)


class _Hidden:
    """A wrapper around a value that dask need not search for tasks."""

    def __init__(self, value: Any) -> None:
        self.value = value


class _Reading:
    """How to read out a block: the function, the fitted value, a template of `Rows` and the type of X."""

    def __init__(self, read: Callable[..., Any], fitted: Any, template: Rows, dtype: np.dtype[Any]) -> None:
        self.read, self.fitted, self.template, self.dtype = read, fitted, template, dtype


def _tell(reading: _Reading, block: Any, hidden: _Hidden) -> Any:
    """Read out one block, then overwrite the results of its linked rows."""
    detail, patch = hidden.value
    X = matrix(block, reading.dtype)
    if not np.isfinite(X).all():
        i, j = np.argwhere(~np.isfinite(X))[0]
        raise ValueError(f"Input X contains {X[i, j]}: row {i} of a block, feature {j}.")
    known = None if detail is None else detail[0]
    rows = replace(reading.template, X=X, known=known)
    told = reading.read(reading.fitted, LocalSource(rows))
    if patch is not None:
        place, values = patch
        for array, value in zip((told,) if isinstance(told, np.ndarray) else told, values, strict=True):
            if len(array):
                array[place] = value
    return told


def _part(
    graph: HighLevelGraph, told: str, k: int | None, lengths: Sequence[float], like: np.ndarray
) -> Any:
    """Return the results of the tasks, or field k of them, as one dask array with the columns of `like`."""
    if len(like) == 0:
        return like
    name = f"{told}-{k}"
    rest = (0,) * (like.ndim - 1)
    layer: dict[Any, Any] = {
        (name, block, *rest): (told, block) if k is None else (getitem, (told, block), k)
        for block in range(len(lengths))
    }
    whole = HighLevelGraph({**graph.layers, name: layer}, {**graph.dependencies, name: {told}})
    chunks = (tuple(lengths), *((width,) for width in like.shape[1:]))
    return da.Array(whole, name, chunks, meta=np.empty((0,) * like.ndim, like.dtype))
