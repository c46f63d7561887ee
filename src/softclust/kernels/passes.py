"""A block of rows and the numbers of a model, in the form that the passes `sweep` and `assign` take."""

from functools import partial

import numpy as np

from softclust.kernels.tiers import load_pass
from softclust.kernels.workspace import plain, read_only, workspace

_NONE = read_only(np.empty(0), np.float64)
_TYPES = _, _DOUBLE = np.dtype("f4"), np.dtype("f8")
_NO_SHAPE = {dtype: (np.empty((0, 0, 0), dtype), np.empty(0, dtype)) for dtype in _TYPES}  # roots, levels
_NO_COSTS = {dtype: (read_only(np.empty(0), dtype),) * 2 for dtype in _TYPES}  # factors, least costs
_NO_SECOND = np.empty((0, 0, 0))  # moments
_NO_TAILS = np.empty(0)
_KNOWN_TYPES = np.int64, np.float64, np.float64  # positions, wanted degrees, strengths
_NOTHING_KNOWN = (read_only(_NONE, np.int64),)

_sweep = load_pass("passes.sweep")
_assign = load_pass("passes.assign")


class Block:
    """A block of rows and the numbers of a model, in the form that the passes take.

    A block holds all that stays from one pass to the next while the prototypes move.

    Parameters
    ----------
    X : (n, p) rows, float32 or float64.
    weight : (n,) row weights, or None.
    units : (factor, limit, origin...), which convert rows to loop units.
    narrow : whether coordinates and factors of costs are so small that a product of eight costs is finite.
    costs : factors and least costs of the sets of clusters, or None if all sets are singletons.
    rule : `Rule` of the partition.
    parameters : `Parameters` of the model.
    known : positions of labelled rows, their wanted degrees and strengths; or None.  Positions alone: these
        rows are left out of the sums.
    solve : function that finds the memberships of labelled rows, `known_rows` or `subset_rows`.
    """

    def __init__(self, X, weight, units, narrow, costs, rule, parameters, known, solve=None):
        dtype = self.dtype = X.dtype
        self.X, self.units, self.narrow = read_only(X, dtype), read_only(units, dtype), narrow
        self.weight = _NONE if weight is None else read_only(weight, np.float64)
        costs = _NO_COSTS[dtype] if costs is None else (read_only(array, dtype) for array in costs)
        self.rule = *costs, rule.kind, parameters
        parts = _NOTHING_KNOWN if known is None else tuple(map(read_only, known, _KNOWN_TYPES))
        self.known, self.said, self.solve = parts[0], parts[1:], solve
        self.buffers, self.run, self.shapes = None, None, None
        self._check_rows()

    def _check_rows(self):
        """Refuse arrays that do not fit the rows: the passes check no bounds."""
        n, p = self.X.shape
        _fit("units", self.units, (p + 2,))
        if self.weight is not _NONE:
            _fit("weight", self.weight, (n,))
        if len(self.known) and not (self.known.min() >= 0 and self.known.max() < n):
            raise ValueError(f"Labelled rows are not among the rows 0 to {n - 1}.")

    def _check_columns(self, places, scale, shapes):
        """Refuse prototypes that do not fit the rows, the scales and the costs; remember their shapes."""
        (K, p), q = places[0].shape, len(self.known)
        _fit("places", places[0], (K, self.X.shape[1]))
        _fit("scale", scale, (K,))
        if len(places) > 1 and len(places[1]):
            _fit("roots", places[1], (K, p, p))
        if len(places) > 2:
            _fit("levels", places[2], (K,))
        for costs in self.rule[:2]:
            if costs.size:
                _fit("costs", costs, (K,))
        if self.said:
            _fit("wanted degrees", self.said[0], (q, K))
            _fit("strengths", self.said[1], (q,))
        self.shapes = shapes

    def _sweep(self, buffers):
        """Return the pass with a thread's buffers, as a function of what changes between passes."""
        if self.buffers is not buffers:
            self.buffers, self.run = buffers, partial(
                _sweep, self.X, self.weight, self.units, self.narrow, *self.rule, self.known,
                *buffers,
            )  # fmt: skip
        return self.run

    def _columns(self, places, scale):
        """Return places, roots of metrics and levels; an array that these prototypes lack is empty."""
        shapes = scale.shape, *[array.shape for array in places]
        if shapes != self.shapes:
            self._check_columns(places, scale, shapes)
        columns = [plain(array, self.dtype) for array in places]
        return *columns, *_NO_SHAPE[self.dtype][len(places) - 1 :]

    def sweep(self, places, scale):
        """Return the sums over the block: (loss, weight_k, scatter_k) in one vector, and the moments.

        The moments are W'X for points; with metrics they are first and second moments about the places.
        """
        columns = V, roots, _ = self._columns(places, scale)
        c, p = V.shape
        scale, sums, moment = plain(scale, _DOUBLE), np.zeros(2 * c + 1), np.zeros((c, p))
        second = np.zeros((c, p, p)) if len(roots) else _NO_SECOND
        self._sweep(workspace(self.dtype, p, c))(*columns, scale, sums, moment, second)
        if self.said:
            from softclust.kernels.labels import sweep_known  # declaring its functions takes 10 ms

            sweep_known(
                self.solve, self.X, self.weight, self.units, V, roots, *self.rule, scale,
                self.known, *self.said, sums, moment, second,
            )  # fmt: skip
        return sums, (moment, second) if len(roots) else (moment,)

    def assign(self, places, scale, tails, U, T, label, score):
        """Write memberships, typicalities (if T has rows), label and outlier score of each row.

        `tails` is that of `softclust.grammar.partitions.members.tail_scores`, or None.
        """
        columns = self._columns(places, scale)
        (c, p), n = columns[0].shape, len(self.X)
        tails = _NO_TAILS if tails is None else plain(tails, _DOUBLE)
        for name, array, shape in (("U", U, (n, c)), ("label", label, (n,)), ("score", score, (n,))):
            _fit(name, array, shape)
        if len(T):
            _fit("T", T, (n, c))
        if len(tails):
            _fit("tails", tails, (c + 2,))
        *buffers, _ = workspace(self.dtype, p, c)
        _assign(
            self.X, self.units, *columns, *self.rule, plain(scale, _DOUBLE), tails,
            *buffers, U, T, label, score,
        )  # fmt: skip


def _fit(name, array, shape):
    """Raise an error unless the array has this shape."""
    if array.shape != shape:
        raise ValueError(f"{name} has shape {array.shape}; {shape} would fit these rows and clusters.")
