"""Rows of a dask array or dataframe as a source: by threads, processes or a cluster."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from operator import getitem
from typing import Any
from uuid import uuid4

import dask
import dask.array as da
import numpy as np
from dask.highlevelgraph import HighLevelGraph

from softclust.sources.local import SAMPLE_BYTES, LocalSource, fold
from softclust.sources.rows import Rows
from softclust.sources.shards import matrix


@dataclass(frozen=True)
class DaskSource:
    """The blocks of a dask collection; `rows.X` is a `RemoteRows`."""

    rows: Rows
    threads: int = 1  # of the samples, which are in memory

    def __len__(self):
        return len(self.rows)

    @property
    def most_sampled(self):
        """Rows that a sample may have, for it comes here."""
        far = self.rows.X
        return max(20_000, SAMPLE_BYTES // (far.n_features * far.dtype.itemsize))

    def with_known(self, known):
        """The same rows, with what is known of them."""
        return replace(self, rows=replace(self.rows, known=known))

    @cached_property
    def _linked(self):
        return self.rows.linked

    @cached_property
    def _details(self):
        return self._details_between(self.rows.X.edges)

    def _details_between(self, edges):
        """For each block what is known of its rows, and which are in the block of linked rows instead."""
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
    def _template(self):
        return replace(self.rows, X=None, weight=None, known=None, links=None)

    def reduce(self, f, *args):
        """The sum of f(block, *args), along the tree that rows in memory have for blocks of these sizes."""
        far = self.rows.X
        parts = far.each(_reduce, self._details, self._template, f, args, weight=self.rows.weight)
        if self.rows.links is not None:
            parts = [f(self._linked, *args), *parts]
        return fold(parts)

    def sample(self, size, rng):
        """`size` rows that weigh something, without replacement, in their order; they come here."""
        weight = self.rows.weight
        pool = None if weight is None else np.flatnonzero(weight)
        if size >= (len(self) if pool is None else len(pool)):
            return self
        chosen = np.sort(rng.choice(len(self) if pool is None else pool, size, replace=False))
        return LocalSource(self.rows.sampled(chosen), self.threads)

    def in_memory(self):
        """All rows in memory: for samples, which may be all of few rows."""
        return LocalSource(self.rows.sampled(np.arange(len(self))), self.threads)

    def rowwise(self, read, fitted):
        """What `read(fitted, source)` says of each row, as dask arrays with the blocks of X."""
        far, plain = self.rows.X, fitted.without_links
        one = replace(self._template, X=np.zeros((1, far.n_features), far.dtype))
        like = read(plain, LocalSource(one))
        shared = dask.delayed(_Reading(read, plain, self._template, far.dtype), traverse=False)
        lengths = far.given_lengths
        details = patches = [None] * len(lengths)
        if not np.isnan(lengths).any():  # of rows that nobody has counted nothing is known either
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

    def _patches(self, read, fitted, edges):
        """For each block the linked rows in it and what is said of them, which is found for all at once."""
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


def _reduce(X, weight, detail, template, f, args):
    known, left = detail
    if left is not None:
        weight = np.ones(len(X)) if weight is None else weight.copy()
        weight[left] = 0.0
    return f(replace(template, X=X, weight=weight, known=known), *args)


class _Hidden:
    """What dask need not look into."""

    def __init__(self, value):
        self.value = value


class _Reading:
    """How a block is read out."""

    def __init__(self, read, fitted, template, dtype):
        self.read, self.fitted, self.template, self.dtype = read, fitted, template, dtype


def _tell(reading, block, hidden):
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


def _part(graph, told, k, lengths, like):
    """What tasks tell, or the k-th of it, as one array with as many columns as `like`."""
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
